//! `Tower`: all stages of a cascade, one above the other, run from the coarsest to the cells.

use crate::bell::NO_LOW;
use crate::forest::Given;
use crate::law::Step;
use crate::peel::{Floor, Question, Stage, fits_tables, lower_bounds, stages};
use crate::split::{Limits, add_high};
use declare::Problem;
use exact::{Rational, Source};

/// Stages over some cells.
#[derive(Debug, Clone)]
pub(crate) struct Tower {
    pub(crate) cells: usize,
    pub(crate) floors: Vec<Floor>,
}

impl Tower {
    /// The stages for a question about cells with these bounds.
    pub(crate) fn new(question: &Question<'_>, limits: Limits<'_>) -> Result<Self, Problem> {
        let cells = question.weights.len();
        let mut floors = stages(question)?;
        let tables = floors.iter().any(|floor| matches!(floor.stage, Stage::Grids(_)));
        if tables && !fits_tables(&floors, limits, cells) {
            floors = by_flows(stages(&question.by_flows())?)?;
        }
        Ok(Tower { cells, floors })
    }

    /// How many numbers are drawn.
    pub(crate) fn numbers(&self) -> u64 {
        self.floors.iter().map(|floor| numbers(&floor.stage)).sum()
    }

    /// The smallest variance of a number.
    pub(crate) fn least_variance(&self) -> Option<Rational> {
        let of = |floor: &Floor| match &floor.stage {
            Stage::Forest(forest) => forest.variances(),
            Stage::Grids(grids) => grids.variances(),
        };
        self.floors.iter().flat_map(of).min()
    }

    /// Sums of bounds, by the numbers of a floor.
    fn bounds(&self, floor: &Floor, limits: Limits<'_>) -> (Vec<i64>, Vec<i64>) {
        let low = lower_bounds(limits, floor.labels.as_deref(), self.cells, floor.count);
        let mut high = vec![0i64; floor.count];
        for cell in 0..self.cells {
            let label = floor.labels.as_ref().map_or(cell, |labels| labels[cell] as usize);
            high[label] = add_high(high[label], limits.of(cell).1);
        }
        (low, high)
    }

    /// The bounds of the cells of two-way tables; empty where there are none at all.
    fn table_bounds(&self, floor: &Floor, limits: Limits<'_>) -> (Vec<i64>, Vec<i64>) {
        if limits.is_free() { (Vec::new(), Vec::new()) } else { self.bounds(floor, limits) }
    }

    /// Whether the exact totals of these counts leave any table.
    pub(crate) fn is_feasible(&self, counts: &[i64], limits: Limits<'_>) -> bool {
        self.floors.iter().all(|floor| {
            let counts = summed(floor, counts);
            let (low, high) = self.bounds(floor, limits);
            match &floor.stage {
                Stage::Forest(forest) => {
                    forest.feasible(Given { counts: &counts, limits: Limits::Each(&low, &high), above: &[] })
                }
                Stage::Grids(grids) => grids.feasible(&counts, &low),
            }
        })
    }

    /// Draws the cells, with streams from `number` on.
    pub(crate) fn draw<S: Source + ?Sized>(
        &self,
        counts: &[i64],
        limits: Limits<'_>,
        source: &S,
        number: &mut u64,
    ) -> Result<Vec<i64>, Problem> {
        let mut above: Vec<i64> = Vec::new();
        for floor in &self.floors {
            let counts = summed(floor, counts);
            let mut out = vec![0i64; floor.count];
            match &floor.stage {
                Stage::Forest(forest) => {
                    let own;
                    let limits = match (&floor.labels, limits) {
                        (None, limits) => limits,
                        (_, Limits::Free) => Limits::Free,
                        _ => {
                            own = self.bounds(floor, limits);
                            Limits::Each(&own.0, &own.1)
                        }
                    };
                    forest.draw(Given { counts: &counts, limits, above: &above }, &mut out, source, number)?;
                }
                Stage::Grids(grids) => {
                    let (low, high) = self.table_bounds(floor, limits);
                    grids.draw(&counts, (&low, &high), &above, &mut out, source, number)?;
                }
            }
            above = out;
        }
        Ok(above)
    }

    /// Tells every number that leads from the confidential cells to the release.
    pub(crate) fn steps<F: FnMut(Step)>(
        &self,
        counts: &[i64],
        release: &[i64],
        limits: Limits<'_>,
        told: &mut F,
    ) -> Result<(), Problem> {
        let mut above: Vec<i64> = Vec::new();
        for floor in &self.floors {
            let (counts, values) = (summed(floor, counts), summed(floor, release));
            match &floor.stage {
                Stage::Forest(forest) => {
                    let (low, high) = self.bounds(floor, limits);
                    let given = Given { counts: &counts, limits: Limits::Each(&low, &high), above: &above };
                    forest.replay(given, &values, told)?;
                }
                Stage::Grids(grids) => {
                    let (low, high) = self.table_bounds(floor, limits);
                    grids.replay(&counts, (&low, &high), &above, &values, told)?;
                }
            }
            above = values.into_owned();
        }
        Ok(())
    }

    /// Whether a release has the exact totals of the counts, and is within bounds and rules.
    pub(crate) fn keeps(&self, counts: &[i64], release: &[i64], limits: Limits<'_>) -> bool {
        let mut above: Vec<i64> = Vec::new();
        self.floors.iter().all(|floor| {
            let (counts, values) = (summed(floor, counts), summed(floor, release));
            let kept = match &floor.stage {
                Stage::Forest(forest) => forest.keeps(&counts, &above, &values),
                Stage::Grids(grids) => grids.keeps(&counts, &above, &values),
            };
            above = values.into_owned();
            kept
        }) && release.iter().enumerate().all(|(cell, value)| {
            let (low, high) = limits.of(cell);
            (low == NO_LOW || low <= *value) && *value <= high
        })
    }
}

/// Two-way tables of more cells are not drawn by flows: every number takes time proportional to the
/// table.
const MOST_FLOW_CELLS: usize = 10_000;

/// Stages whose tables have bounds that only flows keep, or why they are not drawn.
fn by_flows(mut floors: Vec<Floor>) -> Result<Vec<Floor>, Problem> {
    let mut drawn = 0;
    for floor in &mut floors {
        if let Stage::Grids(grids) = &mut floor.stage {
            if drawn > 0 {
                return Err(Problem::refused(
                    "upper bounds of cells in tables with more than two crossing families of exact totals",
                )
                .hint("a cascade keeps upper bounds and structural zeros where two families of totals cross"));
            }
            if grids.tables.iter().any(|table| table.cells.len() > MOST_FLOW_CELLS) {
                return Err(Problem::refused("a two-way table with upper bounds of cells has more than 10,000 cells"));
            }
            grids.flows = true;
        }
        drawn += numbers(&floor.stage);
    }
    Ok(floors)
}

/// The sums that a floor is about.
fn summed<'a>(floor: &Floor, counts: &'a [i64]) -> std::borrow::Cow<'a, [i64]> {
    match &floor.labels {
        None => counts.into(),
        Some(labels) => {
            let mut sums = vec![0i64; floor.count];
            labels.iter().zip(counts).for_each(|(label, count)| sums[*label as usize] += count);
            sums.into()
        }
    }
}

fn numbers(stage: &Stage) -> u64 {
    match stage {
        Stage::Forest(forest) => forest.numbers(),
        Stage::Grids(grids) => grids.numbers(),
    }
}
