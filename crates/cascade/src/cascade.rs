//! `Cascade`: a public description made ready, to be drawn from as often as wanted.

use crate::bell::{NO_HIGH, NO_LOW};
use crate::forest::Given;
use crate::kappa::{kappa, largest_kappa};
use crate::law::Step;
use crate::outline::{CellBounds, Outline, Weights};
use crate::peel::{Floor, Question, Stage, fits_tables, lower_bounds, stages};
use crate::rules;
use crate::split::Limits;
use declare::{NO_GROUP, Problem};
use exact::{Rational, Source};
use std::collections::HashMap;

/// A cascade over the cells of a table.
#[derive(Debug, Clone)]
pub struct Cascade {
    cells: usize,
    floors: Vec<Floor>,
    bounds: Bounds,
    noise: Vec<(Option<Vec<u32>>, Rational)>,
    kappa: Rational,
    least: Option<Rational>,
}

/// The bounds of the cells.
#[derive(Debug, Clone)]
enum Bounds {
    None,
    AtLeastZero,
    Each(Vec<i64>, Vec<i64>),
}

impl Bounds {
    fn limits(&self) -> Limits<'_> {
        match self {
            Bounds::None => Limits::Free,
            Bounds::AtLeastZero => Limits::Same(0, NO_HIGH),
            Bounds::Each(low, high) => Limits::Each(low, high),
        }
    }
}

impl Cascade {
    /// Makes an outline ready, or says why a cascade does not draw it. A function of public values alone.
    pub fn new(outline: &Outline<'_>) -> Result<Self, Problem> {
        outline.check()?;
        let weights = Weights::new(outline)?;
        let question = Question {
            exact: outline.exact.clone(),
            noise: &weights.groups,
            weights: &weights.leaf,
            unit: &weights.unit,
            order: outline.order,
            flows: false,
        };
        let mut bounds = match outline.bounds {
            CellBounds::None => Bounds::None,
            CellBounds::AtLeastZero => Bounds::AtLeastZero,
            CellBounds::Each(low, high) => Bounds::Each(low.to_vec(), high.to_vec()),
        };
        let floors = if outline.rules.is_empty() {
            stages(&question)?
        } else {
            let (low, forest) = rules::forest(outline, &question)?;
            let high = (0..outline.cells).map(|cell| outline.bounds_of(cell).1).collect();
            bounds = Bounds::Each(low, high);
            vec![Floor { labels: None, count: outline.cells, stage: Stage::Forest(forest) }]
        };
        let mut floors = floors;
        if let Bounds::Each(low, high) = &bounds
            && floors.iter().any(|floor| matches!(floor.stage, Stage::Grids(_)))
            && !fits_tables(&floors, low, high)
        {
            floors = by_flows(stages(&Question { flows: true, ..question })?)?;
        }
        let mut cascade = Cascade {
            cells: outline.cells,
            floors,
            bounds,
            noise: outline
                .noise
                .iter()
                .map(|noise| (noise.group_of.map(<[u32]>::to_vec), noise.variance.clone()))
                .collect(),
            kappa: Rational::integer(0),
            least: None,
        };
        cascade.least = cascade.floors.iter().flat_map(|floor| variances(&floor.stage)).min();
        if let Some(least) = &cascade.least {
            let found = kappa(least).filter(|kappa| *kappa <= largest_kappa());
            cascade.kappa = found.ok_or_else(|| {
                Problem::refused(format!(
                    "the noise is too small for a cascade: a number has variance {:.3}, and integers would cost more than 1 % of the loss",
                    least.to_f64()
                ))
                .hint("spend more noise, that is a smaller rho: variances of at least 0.42 are enough")
            })?;
        }
        Ok(cascade)
    }

    /// The number of cells.
    pub fn cells(&self) -> usize {
        self.cells
    }

    /// How many numbers are drawn.
    pub fn numbers(&self) -> u64 {
        self.floors.iter().map(|floor| numbers(&floor.stage)).sum()
    }

    /// κ: the loss is 1 + κ times that of the Gaussian noise.
    pub fn kappa(&self) -> &Rational {
        &self.kappa
    }

    /// The smallest variance of a number that is drawn; `None` if none is.
    pub fn least_variance(&self) -> Option<&Rational> {
        self.least.as_ref()
    }

    /// The ρ of two tables that differ by these changes of cells, which keep all exact totals:
    /// `(1 + κ)·½ Σ_levels |A_l Δ|²/σ_l²`, theorem G11.
    pub fn loss(&self, change: &[(u32, i64)]) -> Rational {
        let mut sum = Rational::integer(0);
        for (labels, variance) in &self.noise {
            let mut groups: HashMap<u32, i64> = HashMap::new();
            for (cell, by) in change {
                let group = labels.as_ref().map_or(*cell, |labels| labels[*cell as usize]);
                if group != NO_GROUP {
                    *groups.entry(group).or_default() += by;
                }
            }
            let squares: i128 = groups.values().map(|by| i128::from(*by) * i128::from(*by)).sum();
            sum = &sum + &(&Rational::integer(squares) / variance);
        }
        let factor = &(&Rational::integer(1) + &self.kappa) / &Rational::integer(2);
        &sum * &factor
    }

    /// Whether the exact totals of these counts leave any table: a question about public values.
    pub fn is_feasible(&self, counts: &[i64]) -> bool {
        self.check(counts).is_ok()
            && self.floors.iter().all(|floor| match &floor.stage {
                Stage::Forest(forest) => {
                    let counts = summed(floor, counts);
                    let (low, high) = self.bounds_of(floor);
                    forest.feasible(Given { counts: &counts, limits: Limits::Each(&low, &high), above: &[] })
                }
                Stage::Grids(grids) => {
                    let (low, _) = self.bounds_of(floor);
                    grids.feasible(&summed(floor, counts), &low)
                }
            })
    }

    /// Sums of bounds, by the numbers of a floor.
    fn bounds_of(&self, floor: &Floor) -> (Vec<i64>, Vec<i64>) {
        let limits = self.bounds.limits();
        let low = lower_bounds(limits, floor.labels.as_deref(), self.cells, floor.count);
        let mut high = vec![0i64; floor.count];
        for cell in 0..self.cells {
            let label = floor.labels.as_ref().map_or(cell, |labels| labels[cell] as usize);
            high[label] = crate::split::add_high(high[label], limits.of(cell).1);
        }
        (low, high)
    }

    /// Only that the counts are as many as the cells, and that sums stay far from the ends of machine integers.
    fn check(&self, counts: &[i64]) -> Result<(), Problem> {
        if counts.len() != self.cells {
            return Err(Problem::bad("the table does not have the cells of the cascade"));
        }
        let size = counts.iter().fold(0u64, |sum, count| sum.saturating_add(count.unsigned_abs()));
        if size >= 1 << 60 { Err(crate::split::too_large()) } else { Ok(()) }
    }

    /// Draws a table around these counts: the same for a seed whatever the number of threads.
    pub fn draw<S: Source + ?Sized>(&self, counts: &[i64], source: &S) -> Result<Vec<i64>, Problem> {
        self.check(counts)?;
        let mut number = 0;
        let mut above: Vec<i64> = Vec::new();
        for floor in &self.floors {
            let counts = summed(floor, counts);
            let mut out = vec![0i64; floor.count];
            match &floor.stage {
                Stage::Forest(forest) => {
                    let own;
                    let limits = match (&floor.labels, self.bounds.limits()) {
                        (None, limits) => limits,
                        (_, Limits::Free) => Limits::Free,
                        _ => {
                            own = self.bounds_of(floor);
                            Limits::Each(&own.0, &own.1)
                        }
                    };
                    forest.draw(Given { counts: &counts, limits, above: &above }, &mut out, source, &mut number)?;
                }
                Stage::Grids(grids) => {
                    let (low, high) = self.table_bounds(floor);
                    grids.draw(&counts, (&low, &high), &above, &mut out, source, &mut number)?;
                }
            }
            above = out;
        }
        Ok(above)
    }

    /// The bounds of the cells of two-way tables; empty where there are none at all.
    fn table_bounds(&self, floor: &Floor) -> (Vec<i64>, Vec<i64>) {
        match self.bounds {
            Bounds::None => (Vec::new(), Vec::new()),
            _ => self.bounds_of(floor),
        }
    }

    /// Tells every number that leads from the confidential table to the release, in the order in which they are drawn.
    pub fn steps(&self, counts: &[i64], release: &[i64], mut told: impl FnMut(Step)) -> Result<(), Problem> {
        self.check(counts)?;
        self.check(release)?;
        let mut above: Vec<i64> = Vec::new();
        for floor in &self.floors {
            let (counts, values) = (summed(floor, counts), summed(floor, release));
            match &floor.stage {
                Stage::Forest(forest) => {
                    let (low, high) = self.bounds_of(floor);
                    let given = Given { counts: &counts, limits: Limits::Each(&low, &high), above: &above };
                    forest.replay(given, &values, &mut told)?;
                }
                Stage::Grids(grids) => {
                    let (low, high) = self.table_bounds(floor);
                    grids.replay(&counts, (&low, &high), &above, &values, &mut told)?;
                }
            }
            above = values.into_owned();
        }
        Ok(())
    }

    /// The logarithm of the probability that this table is released as that one; minus infinity where it cannot be.
    ///
    /// A sum of machine numbers, each within about 10⁻¹² of its size: for inference, never for a loss.
    pub fn log_likelihood(&self, counts: &[i64], release: &[i64]) -> Result<f64, Problem> {
        let mut sum = 0.0;
        self.steps(counts, release, |step| sum += step.log_probability())?;
        Ok(if self.keeps(counts, release) { sum } else { f64::NEG_INFINITY })
    }

    /// Whether a release has the exact totals of the table: where it has, its steps say whether it is within all bounds.
    fn keeps(&self, counts: &[i64], release: &[i64]) -> bool {
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
            let (low, high) = self.bounds.limits().of(cell);
            (low == NO_LOW || low <= *value) && *value <= high
        })
    }
}

/// Two-way tables of more cells are not drawn by flows: every number takes time proportional to the table.
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

fn variances(stage: &Stage) -> Vec<Rational> {
    match stage {
        Stage::Forest(forest) => forest.variances(),
        Stage::Grids(grids) => grids.variances(),
    }
}

fn numbers(stage: &Stage) -> u64 {
    match stage {
        Stage::Forest(forest) => forest.numbers(),
        Stage::Grids(grids) => grids.numbers(),
    }
}
