//! Opens a spec, reads the table it names and analyses it: the steps that every command shares.

use crate::given::Given;
use crate::recognise::check_public;
use crate::remembered::Remembered;
use crate::suggest::leading_on;
use analyse::{Analysis, some_table};
use certify::{Confined, confined, enforce, totals_of};
use declare::{Grouping, Kind, Problem};
use draw::BlockDraw;
use exact::Rational;
use plan::{Case, ErrorProfile, Plan, PlannedBlock, error_profile, folded_error_profile};
use std::fmt;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use tabulate::{FirstReading, Frame, Origin, Reading, Tabulated, tabulate_as, tabulate_sorted};
use zeroize::Zeroize;

/// A spec, what follows from it alone, and where its rows are.
#[derive(Debug)]
pub struct Opened {
    /// The declaration and what follows from it.
    pub case: Case,
    /// The folder of the spec: the data file is relative to it.
    pub folder: PathBuf,
    /// The rows, if they were handed over in memory. Shows nothing when printed.
    pub(crate) frame: Option<Frame>,
}

/// A table of more combinations of values is streamed, if it can be.
pub const STREAM_ABOVE: usize = 1 << 24;

/// An opened spec with its table, the public totals and what they say. The table is confidential; all the rest is public.
#[derive(Debug)]
pub struct Analysed {
    /// The spec.
    pub opened: Opened,
    /// The table and what was left out of it; of a table that is streamed, the small table with the same totals. Shows nothing
    /// when printed.
    pub tabulated: Tabulated,
    /// What the second reading of a streamed table must find again.
    pub(crate) first_reading: Option<FirstReading>,
    /// The totals that the release keeps, by invariant.
    pub totals: Vec<Vec<i64>>,
    /// What the totals that are kept say about the fibre.
    pub analysis: Analysis,
}

/// An analysed table and the plan to release it.
#[derive(Debug)]
pub struct Prepared {
    /// The table and its totals.
    pub analysed: Analysed,
    /// The plan.
    pub plan: Plan,
}

/// The noise on sums of cells. Confidential.
pub(crate) struct NoisySums {
    pub(crate) rates: Vec<Rational>,
    pub(crate) sums: Vec<Vec<i64>>,
}

impl fmt::Debug for NoisySums {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NoisySums({} queries, redacted)", self.rates.len())
    }
}

impl Drop for NoisySums {
    fn drop(&mut self) {
        self.sums.iter_mut().for_each(Zeroize::zeroize);
    }
}

impl Deref for Opened {
    type Target = Case;

    fn deref(&self) -> &Case {
        &self.case
    }
}

impl Opened {
    /// Reads and validates a spec whose table will be in memory.
    pub fn open(spec: &Path) -> Result<Opened, Problem> {
        Opened::open_streaming(spec, usize::MAX)
    }

    /// Reads and validates a spec. A table of more than `stream_above` combinations of values will not be in memory whole, if
    /// its totals allow that.
    pub fn open_streaming(spec: &Path, stream_above: usize) -> Result<Opened, Problem> {
        Given::from(spec).open(stream_above)
    }

    /// Where the rows are.
    pub(crate) fn origin(&self) -> Origin<'_> {
        match &self.frame {
            Some(frame) => Origin::Frame(frame),
            None => Origin::Folder(&self.folder),
        }
    }

    /// How the rows are read: what is declared of confidential data is trusted, because an error would tell more of them than
    /// anybody paid for.
    pub(crate) fn reading(&self) -> Reading {
        if self.declaration.data.public { Reading::Strict } else { Reading::Trusting }
    }

    /// Reads the table, computes the public totals and analyses them. A public table is checked to satisfy what is declared; of
    /// a confidential one that is trusted, and [`crate::confirm`] tells the curator.
    pub fn analyse(self, progress: &mut dyn FnMut(u64)) -> Result<Analysed, Problem> {
        let Case { declaration, domain, .. } = &self.case;
        let origin = self.origin();
        let reading = self.reading();
        let (tabulated, first_reading) = match &self.fold {
            None => (tabulate_as(reading, declaration, domain, origin, progress)?, None),
            Some(fold) => {
                let (tabulated, first) = tabulate_sorted(reading, declaration, domain, fold, origin, progress)?;
                (tabulated, Some(first))
            }
        };
        let counts = tabulated.table.counts();
        let totals = self.totals(counts)?;
        // What no table satisfies is said before this table is blamed for it.
        let analysis = self.case.analyse(&totals);
        let infeasible = analysis.as_ref().is_err_and(|problem| problem.kind == Kind::Infeasible);
        if reading == Reading::Strict && !infeasible {
            self.conditions.check_table(counts)?;
        }
        Ok(Analysed { tabulated, first_reading, totals, analysis: analysis?, opened: self })
    }
}

impl Analysed {
    /// Plans the release.
    pub fn plan(self) -> Result<Prepared, Problem> {
        match self.opened.case.plan(&self.analysis) {
            Ok(plan) => Ok(Prepared { analysed: self, plan }),
            Err(problem) => Err(leading_on(problem, &self)),
        }
    }

    /// What the totals say about all cells and sums; `progress` is told of those that are done.
    ///
    /// # Errors
    /// As [`certify::confined`] says.
    pub fn confined(&self, progress: &(dyn Fn(u64) + Sync)) -> Result<Confined, Problem> {
        let Case { declaration, domain, conditions, .. } = &self.opened.case;
        confined(declaration, domain, conditions, &self.totals, progress)
    }

    /// Whether the totals alone confine no cell that the spec calls sensitive.
    ///
    /// # Errors
    /// Refused when they do.
    pub fn enforce(&self, confined: &Confined) -> Result<(), Problem> {
        let Case { declaration, domain, conditions, .. } = &self.opened.case;
        enforce(declaration, domain, conditions, &confined.ranges)
    }

    /// Refuses data that are declared public and that a ledger knows to be confidential.
    pub(crate) fn check_public(&self) -> Result<(), Problem> {
        let Case { declaration, domain, fold, .. } = &self.opened.case;
        let Opened { folder, .. } = &self.opened;
        let counts = fold.is_none().then(|| self.tabulated.table.counts());
        check_public(declaration, domain, folder, counts)
    }

    /// How many rows of public data were left out or changed, and why, if any. Of confidential data nothing is said.
    pub fn left_out(&self) -> Vec<(u64, &'static str)> {
        if self.opened.declaration.data.public { left_out(&self.tabulated) } else { Vec::new() }
    }
}

/// How many rows were left out or changed, and why, if any: of confidential data for the curator's eyes only.
pub(crate) fn left_out(tabulated: &Tabulated) -> Vec<(u64, &'static str)> {
    [
        (tabulated.rows_filtered, "left out: not selected by [data] where"),
        (tabulated.rows_dropped_missing, "left out: with a missing value (missing = \"drop\")"),
        (tabulated.rows_dropped_outside, "left out: outside the declared domain (outside = \"drop\")"),
        (tabulated.rows_dropped_beyond, "left out: beyond the rows that are counted of a unit (beyond = \"drop\")"),
        (tabulated.rows_negative, "counted as 0: with a count below zero (negative = \"zero\")"),
    ]
    .into_iter()
    .filter(|(rows, _)| *rows > 0)
    .collect()
}

impl Prepared {
    /// Opens a spec, reads and analyses its table, and plans its release.
    pub fn open(spec: impl Into<Given>, progress: &mut dyn FnMut(u64)) -> Result<Prepared, Problem> {
        spec.into().open(usize::MAX)?.analyse(progress)?.plan()
    }

    /// The same for a spec whose table may be too large for memory, as `release` does it.
    pub fn open_streaming(spec: impl Into<Given>, progress: &mut dyn FnMut(u64)) -> Result<Prepared, Problem> {
        spec.into().open(STREAM_ABOVE)?.analyse(progress)?.plan()
    }

    /// Runs coupled chains for the walks of the plan, if it has some, and adds what they say to it: how many steps a release
    /// takes, how close it comes to its law and the δ that costs. The chains start from public values and use bits of a fixed
    /// seed, so the same plan gets the same evidence: that of an earlier command is used again, where it is kept. `progress` is told of every pair of chains that has met.
    ///
    /// # Errors
    /// Refused when chains do not meet, or when δ is above the limit of the spec.
    pub fn supported(mut self, progress: &(dyn Fn(u64) + Sync)) -> Result<Prepared, Problem> {
        let max_delta = self.opened().declaration.mechanism.max_delta.clone();
        let Some(max_delta) = max_delta.filter(|_| self.plan.needs_evidence()) else { return Ok(self) };
        let remembered = Remembered::of(&self.opened().declaration, &self.analysed.totals);
        if let Some(plan) = remembered.recall(&self.plan, &max_delta) {
            self.plan = plan;
            return Ok(self);
        }
        self.plan = match supported(self.plan, Some(&max_delta), progress) {
            Ok(plan) => plan,
            Err(problem) => return Err(leading_on(problem, &self.analysed)),
        };
        remembered.keep(&self.plan);
        Ok(self)
    }

    /// How many pairs of chains must meet before a release; none where every block is drawn exactly.
    pub fn pairs_of_chains(&self) -> u64 {
        self.plan.walks().filter(|planned| planned.evidence.is_none()).count() as u64 * plan::PAIRS
    }

    /// The spec.
    pub fn opened(&self) -> &Opened {
        &self.analysed.opened
    }

    /// The confidential counts, in cell order; of a streamed table those of the small one.
    pub(crate) fn counts(&self) -> &[i64] {
        self.analysed.tabulated.table.counts()
    }

    /// The blocks to draw.
    pub fn blocks(&self) -> Vec<BlockDraw<'_>> {
        self.plan.blocks.iter().map(PlannedBlock::to_draw).collect()
    }

    /// What stands in for a confidential table that breaks the rules it was declared to satisfy, where the law of the noise is
    /// one around a table that does: one that follows from public values. `None`: the table itself.
    ///
    /// # Errors
    /// Refused when none is found. Only a table that breaks them comes to that, so it must not be asked before it is paid for.
    pub(crate) fn stand_in(&self) -> Result<Option<Vec<i64>>, Problem> {
        let Case { declaration, conditions, fold, .. } = &self.opened().case;
        let trusted = !declaration.data.public && fold.is_none() && !self.plan.is_projected();
        if !trusted || conditions.check_table(self.counts()).is_ok() {
            return Ok(None);
        }
        some_table(conditions, &self.analysed.totals).map(Some).ok_or_else(|| {
            Problem::refused("no table was drawn")
                .hint("`congenial check SPEC --data` tells the curator whether the data are as declared")
        })
    }

    /// What a sampler must know of the noise on sums of cells: the rate of every query, and its sums in the table.
    pub(crate) fn noisy_sums(&self) -> Result<NoisySums, Problem> {
        self.noisy_sums_of(self.counts())
    }

    /// The same around other counts.
    pub(crate) fn noisy_sums_of(&self, counts: &[i64]) -> Result<NoisySums, Problem> {
        let rates = self.plan.queries.iter().map(|query| query.rate.clone()).collect();
        let queries: Vec<Grouping> =
            self.opened().conditions.queries.iter().map(|query| query.grouping.clone()).collect();
        Ok(NoisySums { rates, sums: totals_of(&queries, counts)? })
    }

    /// Exact quantiles of the noise, by kind of cell and margin: for plans with nothing but totals that nest.
    pub(crate) fn error_profile(&self) -> ErrorProfile {
        let Case { domain, fold, .. } = &self.opened().case;
        match fold {
            Some(fold) => folded_error_profile(&self.plan, domain, fold),
            None => error_profile(&self.plan, domain),
        }
    }
}

/// A plan with what coupled chains say about its walks, if it has some.
pub(crate) fn supported(
    plan: Plan,
    max_delta: Option<&Rational>,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Plan, Problem> {
    let Some(max_delta) = max_delta.filter(|_| plan.needs_evidence()) else {
        return Ok(plan);
    };
    let wanted = plan.wanted(max_delta)?;
    let evidence = plan.walks().map(|planned| planned.walk.gather(&wanted, progress)).collect::<Result<_, _>>()?;
    plan.supported_by(evidence, max_delta)
}
