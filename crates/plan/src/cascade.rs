//! `method = "cascade"`: totals split from above, number by number, each within what everything
//! declared leaves.
//!
//! All that is here is made of public values: theorem G11, `crates/cascade/proofs/G11.md`.

mod places;

use cascade::Cascade;
use declare::{Method, Problem};
use draw::{Around, BlockQuantities, Exactness, Operator, PlannedWork, Prospect, Ready, Role, Task};
use exact::{Rational, Source, Stream};
pub(crate) use places::PlannedPlaces;
use std::sync::Arc;

/// What ties all cells together in a cascade.
pub(crate) const SPLITS: &str = "the splits of a cascade";

/// A number of a cascade takes about this long.
const NUMBER_SECONDS: f64 = 150e-9;

/// Bytes that a cascade holds for a number: labels, leaves, weights.
const NUMBER_BYTES: f64 = 40.0;

/// Decimals of κ, rounded up: what is stated is short, and noise is larger by no more than it.
pub(crate) const DECIMALS: usize = 12;

/// Noise on a level of a cascade.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CascadeLevel {
    /// How messages call it.
    pub label: String,
    /// The number of its sums.
    pub sums: usize,
    /// σ² of the noise on each.
    pub variance: Rational,
    /// Its part of ρ.
    pub rho: Rational,
    /// How much a replaced record moves its sums at most: the sum of squares.
    pub footprint: u64,
}

/// What a cascade is, beside the blocks of its plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cascaded {
    /// Where its noise sits; one level: every cell.
    pub levels: Vec<CascadeLevel>,
    /// κ: what whole numbers add to the loss of Gaussian noise, included in what is stated.
    pub kappa: Rational,
    /// The hash of the public table by which cells are ordered.
    pub ordered_by: Option<String>,
}

/// The operator of `method = "cascade"`.
#[derive(Debug)]
pub struct CascadeOperator;

static ROLE: Role = Role {
    methods: &[Method::Cascade],
    ..Role::new(
        "cascade",
        "totals split from above with discrete Gaussian noise, each number within what totals, bounds and rules leave",
    )
};

impl Operator for CascadeOperator {
    fn role(&self) -> &Role {
        &ROLE
    }

    fn attempt(&self, _task: &Task) -> Result<Arc<dyn PlannedWork>, String> {
        Err("it draws whole tables, with method = \"cascade\"".to_owned())
    }
}

/// A cascade that is ready for counts.
#[derive(Debug)]
pub struct PlannedCascade {
    prospect: Prospect,
    cascade: Cascade,
}

impl PlannedCascade {
    pub(crate) fn new(cascade: Cascade) -> PlannedCascade {
        let numbers = cascade.numbers() as f64;
        let prospect = Prospect {
            operator: "cascade",
            exactness: Exactness::Exact,
            seconds: 1e-4 + NUMBER_SECONDS * numbers,
            bytes: NUMBER_BYTES * numbers,
            because: "every number is one draw within what everything declared leaves for it: exact in time proportional to the cells",
        };
        PlannedCascade { prospect, cascade }
    }

    /// The cascade.
    pub fn cascade(&self) -> &Cascade {
        &self.cascade
    }
}

impl PlannedWork for PlannedCascade {
    fn prospect(&self) -> &Prospect {
        &self.prospect
    }

    fn ready<'a>(&'a self, Around { centre, .. }: Around<'a>) -> Result<Box<dyn Ready + 'a>, Problem> {
        Ok(Box::new(ReadyCascade { cascade: &self.cascade, centre }))
    }

    fn quantities(&self, Around { cells, .. }: Around<'_>) -> Result<BlockQuantities, Problem> {
        Ok(BlockQuantities::without(cells, "a cascade draws them, and it does not list the laws of single cells"))
    }

    fn holds(&self) -> Vec<(&'static str, usize)> {
        vec![("one-dimensional draw", self.cascade.numbers() as usize)]
    }
}

/// A cascade around counts.
#[derive(Debug)]
struct ReadyCascade<'a> {
    cascade: &'a Cascade,
    centre: &'a [i64],
}

impl Ready for ReadyCascade<'_> {
    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }

    fn cells(&self, _task: usize) -> usize {
        self.centre.len()
    }

    fn draw(&self, _task: usize, _stream: &mut Stream) -> Result<Vec<(u32, i64)>, Problem> {
        Err(Problem::refused("a cascade draws its whole table at once"))
    }

    fn draw_whole(&self, source: &dyn Source) -> Option<Result<Vec<i64>, Problem>> {
        Some(self.cascade.draw(self.centre, source))
    }
}
