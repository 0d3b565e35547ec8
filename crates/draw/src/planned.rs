//! `PlannedWork`: how an operator will draw a block, from public values alone; made ready with
//! counts it draws.

use crate::block_quantities::BlockQuantities;
use crate::exactness::Exactness;
use crate::law::NoiseLaw;
use crate::listing::Listing;
use crate::network::TableNoise;
use crate::noise::Noise;
use declare::{Conditions, Problem, RunTime};
use exact::{Source, Stream};
use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

/// What planned work says of itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Prospect {
    /// The operator, by the name scripts rely on.
    pub operator: &'static str,
    /// How exactly it draws.
    pub exactness: Exactness,
    /// The predicted time of a draw, on one core, as operators are compared by it: equal in every
    /// version, because a spec has the same plan in each.
    pub seconds: f64,
    /// The predicted time of the first draw, on one core, as it was measured since: what is told.
    pub draw_seconds: f64,
    /// The predicted time of every further draw.
    pub again_seconds: f64,
    /// The predicted memory beyond the table itself, as limits hold for it: equal in every version.
    /// The plan holds it, unless it is made for a draw.
    pub bytes: f64,
    /// The predicted memory that is made for a draw, as it was measured since, and dropped with it
    /// where many blocks make some; none where the plan holds what a draw needs.
    pub draw_bytes: f64,
    /// What listing the laws of its cells is predicted to take: it decides whether they are listed,
    /// and is told.
    pub listing: Listing,
    /// Why it fits, in words.
    pub because: &'static str,
}

impl Prospect {
    /// The predicted memory that the plan holds, beyond the table itself.
    pub fn held_bytes(&self) -> f64 {
        if self.draw_bytes > 0.0 { 0.0 } else { self.bytes }
    }

    /// An exact operator that costs nothing to speak of.
    pub const fn exact(operator: &'static str) -> Prospect {
        Prospect {
            operator,
            exactness: Exactness::Exact,
            seconds: 0.0,
            draw_seconds: 0.0,
            again_seconds: 0.0,
            bytes: 0.0,
            draw_bytes: 0.0,
            listing: Listing::NOTHING,
            because: "",
        }
    }
}

/// A block, the noise of its table, and the table that it is drawn around.
#[derive(Debug, Clone, Copy)]
pub struct Around<'a> {
    /// The cells of the block.
    pub cells: &'a [u32],
    /// The noise.
    pub noise: TableNoise<'a>,
    /// The whole confidential table.
    pub centre: &'a [i64],
}

/// How an operator will draw a block: a function of public values alone.
pub trait PlannedWork: Any + Debug + Send + Sync {
    /// By which operator, how exactly, at what cost, and why.
    fn prospect(&self) -> &Prospect;

    /// When the tasks of this work are numbered: works of lower rank first, those of the same rank
    /// in the order of the blocks. A seed gives the same draws as long as ranks stay as they are.
    fn rank(&self) -> u32 {
        u32::MAX
    }

    /// How many tasks a draw of a block of so many cells has, each with a stream of bits of its
    /// own.
    fn tasks(&self, cells: usize) -> usize {
        let _ = cells;
        1
    }

    /// By how many seconds it must be faster than other work to be preferred.
    fn gives_way(&self) -> f64 {
        0.0
    }

    /// The noise, where it is the same whatever the table: such blocks of one operator are drawn
    /// together, and tables that are never in memory whole can be drawn.
    fn noise(&self) -> Option<&PlannedNoise> {
        None
    }

    /// What the run time of a draw tells about the table. Noise that is the same whatever the table
    /// takes the same steps and bits.
    fn run_time(&self) -> RunTime {
        match self.noise() {
            Some(_) => RunTime::Independent,
            None => RunTime::DependsOnTheTable,
        }
    }

    /// Makes a block ready to be drawn.
    ///
    /// # Errors
    /// Refused when the noise has no law on the block.
    fn ready<'a>(&'a self, around: Around<'a>) -> Result<Box<dyn Ready + 'a>, Problem>;

    /// What can be said exactly about the draws of the block around a table. Whether that is asked
    /// is decided before ([`crate::listed`]).
    ///
    /// # Errors
    /// Refused when the noise has no law on the block.
    fn quantities(&self, around: Around<'_>) -> Result<BlockQuantities, Problem>;

    /// This work under conditions with other values; `None` where values do not enter it.
    ///
    /// # Errors
    /// When no table satisfies them.
    fn under(&self, conditions: &Conditions, cells: &[u32]) -> Result<Option<Arc<dyn PlannedWork>>, Problem> {
        let _ = (conditions, cells);
        Ok(None)
    }

    /// Whether [`PlannedWork::quantities`] lists the laws of its cells, as far as that is
    /// affordable.
    fn lists_laws(&self) -> bool {
        true
    }

    /// Whether what a draw will need is hard to foresee: such work is tried on a public table
    /// before anything is paid.
    fn is_tried_before(&self) -> bool {
        false
    }

    /// What it holds, counted: for each the singular of a word, and how many.
    fn holds(&self) -> Vec<(&'static str, usize)> {
        Vec::new()
    }
}

/// A block that is ready to be drawn as often as wanted. Confidential: it knows the counts.
pub trait Ready: Debug + Send + Sync {
    /// How exactly it draws.
    fn exactness(&self) -> Exactness;

    /// How many cells a task draws.
    fn cells(&self, task: usize) -> usize;

    /// Draws the cells of a task with their values.
    ///
    /// # Errors
    /// When there is no table to draw, which cannot happen when the confidential table satisfies
    /// what is asked.
    fn draw(&self, task: usize, stream: &mut Stream) -> Result<Vec<(u32, i64)>, Problem>;

    /// Draws all cells of the table at once, where the work numbers its own streams: it must be the
    /// only work of its table.
    fn draw_whole(&self, source: &dyn Source) -> Option<Result<Vec<i64>, Problem>> {
        let _ = source;
        None
    }
}

/// Noise that is the same whatever the table, on blocks whose cells are interchangeable.
#[derive(Debug, Clone)]
pub struct PlannedNoise {
    /// By which operator, how exactly, at what cost, and why.
    pub prospect: Prospect,
    /// When its tasks are numbered.
    pub rank: u32,
    /// Whether the noise of a block adds up to zero.
    pub keeps_total: bool,
    /// The sampler for a law, if it draws it.
    pub sampler: fn(&NoiseLaw) -> Option<Arc<dyn Noise>>,
}

impl PlannedNoise {
    /// The sampler for a law.
    ///
    /// # Errors
    /// Refused when the operator does not draw this law.
    pub fn sampler(&self, law: &NoiseLaw) -> Result<Arc<dyn Noise>, Problem> {
        (self.sampler)(law).ok_or_else(|| {
            let operator = self.prospect.operator;
            Problem::refused(format!("`{operator}` cannot draw {} noise on the integers", law.name()))
        })
    }
}

impl PlannedWork for PlannedNoise {
    fn prospect(&self) -> &Prospect {
        &self.prospect
    }

    fn rank(&self) -> u32 {
        self.rank
    }

    fn noise(&self) -> Option<&PlannedNoise> {
        Some(self)
    }

    fn ready<'a>(&'a self, _around: Around<'a>) -> Result<Box<dyn Ready + 'a>, Problem> {
        Err(Problem::refused(format!("the blocks of `{}` are drawn together", self.prospect.operator)))
    }

    fn quantities(&self, Around { cells, noise, centre }: Around<'_>) -> Result<BlockQuantities, Problem> {
        Ok(match self.keeps_total {
            true => BlockQuantities::one_total(noise.law, cells, centre),
            false => BlockQuantities::free(noise.law, cells, centre),
        })
    }
}
