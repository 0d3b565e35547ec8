//! Walks: any fibre, where no exact operator draws and the spec accepts a law that is only
//! estimated to be close.

use crate::{CONFIDENCE_PERCENT, Evidence, Steps, Walk};
use analyse::{Fibre, Lattice};
use declare::Problem;
use draw::{
    Around, BlockQuantities, Exactness, Listing, OTHERS_DRAW, Operator, PlannedWork, Prospect, Ready, Role, Task, Turn,
};
use exact::{Rational, Stream};
use std::any::Any;
use std::sync::Arc;

/// A walk holds the table and its lattice in memory.
const MOST_CELLS: usize = 4_194_304;

/// Bytes of memory for every cell of a walk.
const CELL_BYTES: f64 = 200.0;

/// What a walk needs before its first step: the powers of e by which it decides, computed once.
const WALK_SECONDS: f64 = 25e-3;

/// Why a walk is not used without being asked for.
pub const NOT_ACCEPTED: &str = "its law is only estimated to be close, which the spec must accept: accept = \"estimated\" \
                                and max_delta = \"1e-6\" under [mechanism]";

/// Steps along short vectors of the lattice, and whole lines redrawn by messages.
#[derive(Debug)]
pub struct LatticeWalk;

static LATTICE: Role = Role {
    turn: Turn::WhereNothing,
    untried: Some(OTHERS_DRAW),
    is_told: false,
    ..Role::new(
        Steps::Lattice.name(),
        "any fibre whose steps are proved to join all tables: a walk along short vectors of the lattice",
    )
};

impl Operator for LatticeWalk {
    fn role(&self) -> &Role {
        &LATTICE
    }

    fn attempt(&self, task: &Task) -> Result<Arc<dyn PlannedWork>, String> {
        let because = match task.law.is_product() {
            false => {
                "one norm over all cells: steps along short vectors and lines of the lattice, accepted by their weight"
            }
            true => "steps along short vectors of the lattice, accepted by their weight, are proved to join all tables",
        };
        walk(Steps::Lattice, task, because)
    }
}

/// A walk of the literature, used where the spec asks for it.
#[derive(Debug)]
pub struct ComparedWalk {
    role: Role,
    steps: Steps,
    because: &'static str,
}

impl ComparedWalk {
    const fn new(steps: Steps, in_words: &'static str, untried: &'static str, because: &'static str) -> ComparedWalk {
        let role = Role::new(steps.name(), in_words);
        ComparedWalk {
            role: Role { turn: Turn::ByName, untried: Some(untried), is_told: false, ..role },
            steps,
            because,
        }
    }
}

/// Gong and Meng's sampler, for comparison.
pub static INDEPENDENCE_WALK: ComparedWalk = ComparedWalk::new(
    Steps::Independence,
    "Gong and Meng's walk, for comparison: all free cells proposed at once",
    "for comparison: used only when sampler = \"independence-walk\"",
    "asked for by name: all free cells proposed at once, accepted by their weight",
);

/// Liu's sampler, for comparison.
pub static HIERARCHY_WALK: ComparedWalk = ComparedWalk::new(
    Steps::Hierarchy,
    "Liu's walk, for comparison: all leaves proposed, summed upward",
    "for comparison: used only when sampler = \"hierarchy-walk\"",
    "asked for by name: all leaves proposed, summed upward, accepted by their weight",
);

impl Operator for ComparedWalk {
    fn role(&self) -> &Role {
        &self.role
    }

    fn attempt(&self, task: &Task) -> Result<Arc<dyn PlannedWork>, String> {
        walk(self.steps, task, self.because)
    }
}

/// A walk by these steps in the block's fibre.
fn walk(steps: Steps, task: &Task, because: &'static str) -> Result<Arc<dyn PlannedWork>, String> {
    task.is_integer()?;
    if task.pinned {
        return Err(
            "totals are pinned to values that are not the table's own, and a walk starts at the table".to_owned()
        );
    }
    if !task.accepts_estimated {
        return Err(NOT_ACCEPTED.to_owned());
    }
    if task.block.size > MOST_CELLS || task.block.size != task.block.cells.len() {
        return Err(format!("a walk is in memory whole: at most {MOST_CELLS} cells, not {}", task.block.size));
    }
    let fibre = Fibre::new(task.conditions, task.ground, &task.block.cells).map_err(|problem| problem.message)?;
    let lattice = Lattice::of_fibre(&fibre).map_err(|problem| problem.message)?;
    let walk = Walk::new(steps, fibre, lattice, task.law, task.rates)?;
    walk.connected()?;
    let prospect = Prospect {
        operator: steps.name(),
        // Every law is at a distance of at most one from every other: evidence says more.
        exactness: Exactness::Estimated { distance: Rational::integer(1), percent: CONFIDENCE_PERCENT },
        seconds: walk.step_seconds(),
        draw_seconds: walk.step_seconds(),
        again_seconds: walk.step_seconds(),
        bytes: CELL_BYTES * task.block.size as f64,
        draw_bytes: 0.0,
        listing: Listing::NOTHING,
        because,
    };
    Ok(Arc::new(PlannedWalk { prospect, walk: Arc::new(walk), evidence: None }))
}

/// A walk, and what is known of it.
#[derive(Debug, Clone)]
pub struct PlannedWalk {
    prospect: Prospect,
    /// The walk.
    pub walk: Arc<Walk>,
    /// What coupled chains say about it, once they ran.
    pub evidence: Option<Evidence>,
}

impl PlannedWalk {
    /// The walk of planned work, where that is how the block is drawn.
    pub fn of(work: &dyn PlannedWork) -> Option<&PlannedWalk> {
        let work: &dyn Any = work;
        work.downcast_ref()
    }

    /// This walk with evidence: its steps, and how close it comes to its law.
    pub fn supported_by(&self, evidence: Evidence) -> PlannedWalk {
        let seconds = WALK_SECONDS + self.walk.step_seconds() * evidence.steps as f64;
        let prospect = Prospect {
            seconds,
            draw_seconds: seconds,
            again_seconds: seconds,
            exactness: estimated(&evidence),
            ..self.prospect.clone()
        };
        PlannedWalk { prospect, walk: self.walk.clone(), evidence: Some(evidence) }
    }
}

fn estimated(evidence: &Evidence) -> Exactness {
    Exactness::Estimated { distance: evidence.distance(), percent: CONFIDENCE_PERCENT }
}

impl PlannedWork for PlannedWalk {
    fn prospect(&self) -> &Prospect {
        &self.prospect
    }

    fn rank(&self) -> u32 {
        6
    }

    fn ready<'a>(&'a self, Around { noise, centre, .. }: Around<'a>) -> Result<Box<dyn Ready + 'a>, Problem> {
        let unknown = || Problem::refused("how close a walk comes to its law is not known yet");
        let evidence = self.evidence.as_ref().ok_or_else(unknown)?;
        Ok(Box::new(ReadyWalk { walk: &self.walk, evidence, centre, sums: noise.sums }))
    }

    fn quantities(&self, Around { cells, .. }: Around<'_>) -> Result<BlockQuantities, Problem> {
        let reason = "they are drawn by a walk, which does not know the law of single cells";
        Ok(BlockQuantities::without(cells, reason))
    }
}

/// A walk from the table.
#[derive(Debug)]
struct ReadyWalk<'a> {
    walk: &'a Walk,
    evidence: &'a Evidence,
    centre: &'a [i64],
    sums: &'a [Vec<i64>],
}

impl Ready for ReadyWalk<'_> {
    fn exactness(&self) -> Exactness {
        estimated(self.evidence)
    }

    fn cells(&self, _task: usize) -> usize {
        self.walk.cells().len()
    }

    fn draw(&self, _task: usize, stream: &mut Stream) -> Result<Vec<(u32, i64)>, Problem> {
        self.walk.draw(self.centre, self.sums, self.evidence.steps, stream)
    }
}
