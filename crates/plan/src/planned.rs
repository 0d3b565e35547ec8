//! `Plan`: which operator draws each block, at what cost and loss; a function of public information
//! alone.

use crate::cascade::{Cascaded, PlannedCascade, PlannedPlaces};
use crate::case::Case;
use crate::projection::{PlannedProjection, Projection};
use analyse::{Analysis, Block, Disclosed, Kept, Redundant};
use cascade::Cascade;
use declare::{Cell, Conditions, Method, Problem, RunTime};
use draw::{BlockDraw, Exactness, NoiseLaw, PlannedWork, Portions, bytes_of_draw, bytes_of_draws};
use exact::{Rational, Source};
use loss::Loss;
use std::any::Any;
use std::sync::Arc;

/// What the program, every cell and every block that is planned take in memory, measured.
const PROGRAM_BYTES: f64 = 25e6;
const CELL_BYTES: f64 = 130.0;
const BLOCK_BYTES: f64 = 4000.0;
/// What a cell takes that is measured and projected.
const PROJECTED_BYTES: f64 = 260.0;

/// How a release will be drawn.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The live cells.
    pub cells: usize,
    /// The totals that the release keeps.
    pub invariants: usize,
    /// Their rank.
    pub rank: usize,
    /// The invariants that the release keeps, in declared order.
    pub kept: Vec<Kept>,
    /// The totals that follow from others.
    pub redundant: Vec<Redundant>,
    /// The cells whose released value the invariants alone determine, with that value.
    pub fixed: Vec<(Cell, i64)>,
    /// The cells of the confidential table that totals, bounds and rules disclose, with their
    /// values.
    pub disclosed: Disclosed,
    /// Whether every released count is at least zero.
    pub nonnegative: bool,
    /// Whether some totals are pinned to values that are not the table's own.
    pub pinned: bool,
    /// The rules that the release satisfies, by label.
    pub rules: Vec<String>,
    /// The noise in every cell, before conditioning; with queries that of the first of them, and
    /// cells have none.
    pub law: NoiseLaw,
    /// The sums that carry noise; none: every cell does.
    pub queries: Vec<PlannedQuery>,
    /// How noise and invariants meet.
    pub method: &'static ReleaseMethod,
    /// The independent parts, each with its operator.
    pub blocks: Vec<PlannedBlock>,
    /// What the release costs.
    pub loss: Loss,
    /// The operators that draw nothing, with the reason.
    pub refused: Vec<Refused>,
    /// The noise of a cascade, if that is how the table is drawn.
    pub cascade: Option<Cascaded>,
}

/// How noise and what must hold meet in a release: one value for every method that specs name.
#[derive(Debug)]
pub struct ReleaseMethod {
    /// Its word in specs.
    pub word: Method,
    /// How a release comes about, in words for whoever approves it.
    pub in_words: &'static str,
    /// Whether counts are drawn; otherwise the exact totals alone are published.
    pub draws: bool,
    /// Whether totals, bounds and rules hold in the release.
    pub keeps: bool,
    /// Whether noise is drawn given what must hold, so that normalisers may move: only then tables
    /// are listed, or weighted by a base measure.
    pub conditions: bool,
    /// Whether noise is drawn freely and projected onto what must hold.
    pub projects: bool,
    /// Whether the levels of the table are projected one after the other.
    pub by_levels: bool,
    /// Whether totals are split from above, with noise on every level.
    pub splits: bool,
    pub(crate) plan: Planning,
}

/// How a release by a method is planned.
type Planning = fn(&'static ReleaseMethod, &Case, &Analysis) -> Result<Plan, Problem>;

impl ReleaseMethod {
    /// A method that draws and keeps what must hold.
    pub(crate) const fn new(word: Method, in_words: &'static str, plan: Planning) -> ReleaseMethod {
        ReleaseMethod {
            word,
            in_words,
            draws: true,
            keeps: true,
            conditions: false,
            projects: false,
            by_levels: false,
            splits: false,
            plan,
        }
    }
}

/// A block and how it is drawn.
#[derive(Debug, Clone)]
pub struct PlannedBlock {
    /// The block.
    pub block: Block,
    /// How it is drawn.
    pub work: Arc<dyn PlannedWork>,
}

impl PlannedBlock {
    /// The operator that draws it, by name.
    pub fn operator(&self) -> &'static str {
        self.work.prospect().operator
    }

    /// How exactly it is drawn.
    pub fn exactness(&self) -> &Exactness {
        &self.work.prospect().exactness
    }

    /// What the run time of its draw tells about the table.
    pub fn run_time(&self) -> RunTime {
        self.work.run_time()
    }

    /// Whether its noise is the same whatever the table.
    pub fn is_noise(&self) -> bool {
        self.work.noise().is_some()
    }

    /// What the block is projected onto, if it is.
    pub fn planned_projection(&self) -> Option<&PlannedProjection> {
        (self.work.as_ref() as &dyn Any).downcast_ref()
    }

    /// The solver of the block; `None` where its noise is drawn given what must hold.
    ///
    /// # Errors
    /// When no table keeps what must hold, or when the solver does not take the block.
    pub fn projection(&self) -> Result<Option<Box<dyn Projection>>, Problem> {
        self.planned_projection().map(|planned| (planned.solve)(planned)).transpose()
    }

    /// The block as the samplers take it.
    pub fn to_draw(&self) -> BlockDraw<'_> {
        BlockDraw { cells: &self.block.cells, work: self.work.as_ref() }
    }
}

/// A family of sums that carry noise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedQuery {
    /// How messages call it.
    pub label: String,
    /// The number of its sums.
    pub sums: usize,
    /// The rate of its noise: `P(u) ∝ e^{−rate·|u|}` before conditioning.
    pub rate: Rational,
}

/// An operator that draws nothing in this plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Its name.
    pub operator: &'static str,
    /// Why.
    pub reason: String,
}

impl Plan {
    /// What an analysis says, with this noise at this loss: a plan that draws nothing yet.
    pub(crate) fn bare(
        method: &'static ReleaseMethod,
        conditions: &Conditions,
        analysis: &Analysis,
        law: NoiseLaw,
        loss: Loss,
    ) -> Plan {
        Plan {
            cells: analysis.cells,
            invariants: analysis.invariants,
            rank: analysis.rank,
            kept: analysis.kept.clone(),
            redundant: analysis.redundant.clone(),
            fixed: analysis.fixed.clone(),
            disclosed: analysis.disclosed.clone(),
            nonnegative: conditions.nonnegative,
            pinned: analysis.moves.pinned,
            rules: conditions.rules.iter().map(|rule| rule.grouping.label.clone()).collect(),
            law,
            queries: Vec::new(),
            method,
            blocks: Vec::new(),
            loss,
            refused: Vec::new(),
            cascade: None,
        }
    }

    /// The dimension of the fibre: how many cells may move freely once the totals are kept.
    pub fn free_dimension(&self) -> usize {
        self.cells - self.rank
    }

    /// What every released table satisfies besides its totals, in words.
    pub fn conditions_in_words(&self) -> Vec<String> {
        let nonnegative = self.nonnegative.then(|| "every count is at least 0".to_owned());
        nonnegative.into_iter().chain(self.rules.iter().cloned()).collect()
    }

    /// The predicted memory of a release of a table that is in memory, in bytes: the program, the
    /// table and what is planned for it, and what the blocks that are drawn at the same time need,
    /// or its intervals if they need more.
    pub fn bytes(&self) -> f64 {
        let intervals = self.interval_work().map_or(0.0, |work| work.bytes);
        self.held_bytes() + bytes_of_draw(self.draw_bytes()).max(intervals)
    }

    /// The predicted memory where the table is drawn again and again: the first blocks keep what
    /// they need.
    pub fn bytes_of_draws(&self) -> f64 {
        self.held_bytes() + bytes_of_draws(self.draw_bytes())
    }

    fn draw_bytes(&self) -> impl Iterator<Item = f64> + Clone {
        self.blocks.iter().map(|block| block.work.prospect().draw_bytes)
    }

    fn held_bytes(&self) -> f64 {
        let cells: usize = self.blocks.iter().map(|block| block.block.cells.len()).sum();
        let each = CELL_BYTES + if self.is_projected() { PROJECTED_BYTES } else { 0.0 };
        let works = self.blocks.iter().map(|block| BLOCK_BYTES + block.work.prospect().held_bytes());
        let works: f64 = works.sum();
        PROGRAM_BYTES + each * cells as f64 + works
    }

    /// Whether the release keeps a total exactly.
    pub fn keeps_totals(&self) -> bool {
        self.invariants > 0
    }

    /// Whether bounds or rules hold in the release.
    pub fn has_bounds(&self) -> bool {
        self.nonnegative || !self.rules.is_empty()
    }

    /// The predicted time of one draw, on one core.
    pub fn seconds(&self) -> f64 {
        self.blocks.iter().map(|block| block.work.prospect().draw_seconds).sum()
    }

    /// The time by which operators are compared: it decides what every version must decide the same
    /// way.
    pub fn compared_seconds(&self) -> f64 {
        self.blocks.iter().map(|block| block.work.prospect().seconds).sum()
    }

    /// Whether nothing is drawn: the exact totals alone are published.
    pub fn is_suppressed(&self) -> bool {
        !self.method.draws
    }

    /// Whether the release is a projection of noisy measurements, so that nothing is known of the
    /// law of its errors.
    pub fn is_projected(&self) -> bool {
        self.method.projects
    }

    /// The work of the first block, if it is of this type.
    fn first_work<W: PlannedWork>(&self) -> Option<&W> {
        (self.blocks.first()?.work.as_ref() as &dyn Any).downcast_ref()
    }

    /// The cascade, if that is how the table is drawn.
    pub fn cascade(&self) -> Option<&Cascade> {
        self.first_work().map(|planned: &PlannedCascade| &planned.cascade)
    }

    /// What draws a cascade over a folded table, around the counts of the small one: the sums of
    /// its places are drawn here. `None`: the plan is none.
    ///
    /// # Errors
    /// Refused where counts are too large.
    pub fn portions(&self, small: &[i64], source: &dyn Source) -> Result<Option<Box<dyn Portions + '_>>, Problem> {
        self.first_work().map(|places: &PlannedPlaces| places.begin(small, source)).transpose()
    }
}
