//! `method = "cascade"`: totals split from above, number by number, each within what everything
//! declared leaves.
//!
//! All that is here is made of public values: theorem G11, `crates/cascade/proofs/G11.md`.

mod places;

use cascade::Cascade;
use declare::{Method, Problem};
use draw::{Around, BlockQuantities, Exactness, Listing, Operator, PlannedWork, Prospect, Ready, Role, Task};
use exact::{Rational, Source, Stream};
use loss::decimals_up;
pub(crate) use places::PlannedPlaces;
use std::sync::Arc;

/// What ties all cells together in a cascade.
pub(crate) const SPLITS: &str = "the splits of a cascade";

/// A number of a cascade takes about this long.
const NUMBER_SECONDS: f64 = 150e-9;

/// Bytes that a cascade holds for a number: labels, leaves, weights.
const NUMBER_BYTES: f64 = 40.0;

/// Decimals of κ, rounded up: what is stated is short, and noise is larger by no more than it.
const DECIMALS: usize = 12;

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

/// What is made with noise that is larger by what whole numbers cost, that noise, and κ.
pub(crate) fn paying<T>(
    mut levels: Vec<CascadeLevel>,
    made: impl Fn(&[CascadeLevel]) -> Result<T, Problem>,
    kappa: impl Fn(&T) -> &Rational,
) -> Result<(T, Vec<CascadeLevel>, Rational), Problem> {
    // κ falls as the variance grows, so noise that is larger by 1 + κ of the smaller noise pays for
    // itself.
    let kappa = decimals_up(kappa(&made(&levels)?), DECIMALS);
    let factor = &Rational::integer(1) + &kappa;
    levels.iter_mut().for_each(|level| level.variance = &level.variance * &factor);
    Ok((made(&levels)?, levels, kappa))
}

/// What numbers of a cascade need, and why it draws them.
fn prospect(numbers: u64, held: usize, because: &'static str) -> Prospect {
    let seconds = 1e-4 + NUMBER_SECONDS * numbers as f64;
    Prospect {
        operator: "cascade",
        exactness: Exactness::Exact,
        seconds,
        draw_seconds: seconds,
        again_seconds: seconds,
        bytes: NUMBER_BYTES * held as f64,
        draw_bytes: 0.0,
        listing: Listing::NOTHING,
        because,
    }
}

const NO_LAWS: &str = "a cascade draws them, and it does not list the laws of single cells";

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
pub(crate) struct PlannedCascade {
    prospect: Prospect,
    pub(crate) cascade: Cascade,
}

impl PlannedCascade {
    pub(crate) fn new(cascade: Cascade) -> PlannedCascade {
        let because = "every number is one draw within what everything declared leaves for it: exact in time proportional to the cells";
        let prospect = prospect(cascade.numbers(), cascade.numbers() as usize, because);
        PlannedCascade { prospect, cascade }
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
        Ok(BlockQuantities::without(cells, NO_LAWS))
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
