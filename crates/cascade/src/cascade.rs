//! `Cascade`: a public description made ready, to be drawn from as often as wanted.

use crate::bell::NO_HIGH;
use crate::forest::Half;
use crate::kappa::{kappa, largest_kappa};
use crate::laminar::tree;
use crate::law::Step;
use crate::outline::{CellBounds, Outline, Weights};
use crate::pairs::Pairs;
use crate::peel::{Floor, Question, Stage};
use crate::rules;
use crate::split::{Limits, too_large};
use crate::tower::Tower;
use declare::{NO_GROUP, Problem};
use exact::{Rational, Source};
use std::borrow::Cow;
use std::collections::HashMap;

/// A cascade over the cells of a table.
#[derive(Debug, Clone)]
pub struct Cascade {
    cells: usize,
    /// The cells that tables list; the others are structural zeros. `None`: all.
    live: Option<Vec<u32>>,
    body: Body,
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
    fn new(bounds: CellBounds<'_>) -> Self {
        match bounds {
            CellBounds::None => Bounds::None,
            CellBounds::AtLeastZero => Bounds::AtLeastZero,
            CellBounds::Each(low, high) => Bounds::Each(low.to_vec(), high.to_vec()),
        }
    }

    fn limits(&self) -> Limits<'_> {
        match self {
            Bounds::None => Limits::Free,
            Bounds::AtLeastZero => Limits::Same(0, NO_HIGH),
            Bounds::Each(low, high) => Limits::Each(low, high),
        }
    }
}

/// How it is drawn.
#[derive(Debug, Clone)]
enum Body {
    /// All cells together.
    One(Tower, Bounds),
    /// Lesser counts first, then greater ones above them.
    Two(Pairs),
}

impl Cascade {
    /// Makes an outline ready, or says why a cascade does not draw it. A function of public values
    /// alone.
    pub fn new(outline: &Outline<'_>) -> Result<Self, Problem> {
        outline.check()?;
        if let Some((low, high)) = outline.zeroed() {
            let whole = Outline { bounds: CellBounds::Each(&low, &high), live: None, ..outline.clone() };
            return Ok(Self::new(&whole)?.listing(outline.live.unwrap_or_default()));
        }
        let weights = Weights::new(outline)?;
        let question = Question {
            exact: outline.exact.clone(),
            noise: &weights.groups,
            weights: &weights.leaf,
            unit: &weights.unit,
            order: outline.order,
            flows: false,
        };
        let body = if outline.rules.is_empty() {
            let bounds = Bounds::new(outline.bounds);
            Body::One(Tower::new(&question, bounds.limits())?, bounds)
        } else if let Some(tree) = tree(outline.cells, &question.families()) {
            let (low, forest) = rules::forest(outline, &question, &tree)?;
            let high = (0..outline.cells).map(|cell| outline.bounds_of(cell).1).collect();
            let floor = Floor { labels: None, count: outline.cells, stage: Stage::Forest(forest) };
            Body::One(Tower { cells: outline.cells, floors: vec![floor] }, Bounds::Each(low, high))
        } else {
            Body::Two(Pairs::new(outline, &question)?)
        };
        let least = match &body {
            Body::One(tower, _) => tower.least_variance(),
            Body::Two(pairs) => pairs.towers().into_iter().filter_map(Tower::least_variance).min(),
        };
        let kappa = certified_kappa(least.as_ref())?;
        let noise = outline.noise.iter();
        let noise = noise.map(|noise| (noise.group_of.map(<[u32]>::to_vec), noise.variance.clone())).collect();
        Ok(Cascade { cells: outline.cells, live: None, body, noise, kappa, least })
    }

    /// This cascade, whose tables list these cells alone.
    fn listing(mut self, live: &[u32]) -> Self {
        for (labels, _) in &mut self.noise {
            *labels = labels.take().map(|labels| listed(live, &labels));
        }
        self.live = Some(live.to_vec());
        self
    }

    /// A table over all cells.
    fn spread<'a>(&self, table: &'a [i64]) -> Cow<'a, [i64]> {
        let Some(live) = &self.live else { return table.into() };
        let mut all = vec![0; self.cells];
        live.iter().zip(table).for_each(|(cell, value)| all[*cell as usize] = *value);
        all.into()
    }

    /// The number of cells that tables list.
    pub fn cells(&self) -> usize {
        self.live.as_ref().map_or(self.cells, Vec::len)
    }

    /// How many numbers are drawn.
    pub fn numbers(&self) -> u64 {
        match &self.body {
            Body::One(tower, _) => tower.numbers(),
            Body::Two(pairs) => pairs.towers().into_iter().map(Tower::numbers).sum(),
        }
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
    ///
    /// Where cells have upper bounds and totals cross, or rules meet totals that cross, the
    /// confidential table is taken to be one.
    pub fn is_feasible(&self, counts: &[i64]) -> bool {
        self.check(counts).is_ok() && {
            let counts = self.spread(counts);
            match &self.body {
                Body::One(tower, bounds) => tower.is_feasible(&counts, bounds.limits()),
                Body::Two(pairs) => pairs.is_feasible(&counts),
            }
        }
    }

    /// Only that the counts are as many as the cells, and that sums stay far from the ends of
    /// machine integers.
    fn check(&self, counts: &[i64]) -> Result<(), Problem> {
        if counts.len() != self.cells() {
            return Err(Problem::bad("the table does not have the cells of the cascade"));
        }
        let size = counts.iter().fold(0u64, |sum, count| sum.saturating_add(count.unsigned_abs()));
        if size >= 1 << 60 { Err(too_large()) } else { Ok(()) }
    }

    /// Draws a table around these counts: the same for a seed whatever the number of threads.
    ///
    /// The counts are taken to satisfy bounds and rules. Streams are numbered from 0 on, by sizes
    /// alone.
    pub fn draw<S: Source + ?Sized>(&self, counts: &[i64], source: &S) -> Result<Vec<i64>, Problem> {
        self.draw_numbered(counts, source, &mut 0)
    }

    /// Draws a table with streams from `number` on.
    pub(crate) fn draw_numbered<S: Source + ?Sized>(
        &self,
        counts: &[i64],
        source: &S,
        number: &mut u64,
    ) -> Result<Vec<i64>, Problem> {
        self.check(counts)?;
        let counts = self.spread(counts);
        let drawn = match &self.body {
            Body::One(tower, bounds) => tower.draw(&counts, bounds.limits(), source, number),
            Body::Two(pairs) => pairs.draw(&counts, source, number),
        }?;
        Ok(match &self.live {
            Some(live) => listed(live, &drawn),
            None => drawn,
        })
    }

    /// Tells every number that leads from the confidential table to the release, in the order in
    /// which they are drawn.
    pub fn steps(&self, counts: &[i64], release: &[i64], mut told: impl FnMut(Step)) -> Result<(), Problem> {
        self.check(counts)?;
        self.check(release)?;
        let (counts, release) = (self.spread(counts), self.spread(release));
        match &self.body {
            Body::One(tower, bounds) => tower.steps(&counts, &release, bounds.limits(), &mut told),
            Body::Two(pairs) => pairs.steps(&counts, &release, &mut told),
        }
    }

    /// How every number that [`Cascade::steps`] tells follows from the counts, in its order, and
    /// the cell at every place. `None` where totals cross, or rules or structural zeros bind.
    pub fn halves(&self) -> Option<(Vec<Half>, Vec<u32>)> {
        let (Body::One(tower, _), None) = (&self.body, &self.live) else { return None };
        let [Floor { labels: None, stage: Stage::Forest(forest), .. }] = tower.floors.as_slice() else { return None };
        let cells = (0..self.cells).map(|place| forest.leaf(place) as u32).collect();
        Some((forest.halves()?, cells))
    }

    /// The logarithm of the probability that this table is released as that one; minus infinity
    /// where it cannot be.
    ///
    /// A sum of machine numbers, each within about 10⁻¹² of its size: for inference, never for a
    /// loss.
    pub fn log_likelihood(&self, counts: &[i64], release: &[i64]) -> Result<f64, Problem> {
        let mut sum = 0.0;
        self.steps(counts, release, |step| sum += step.log_probability())?;
        Ok(if self.keeps(counts, release) { sum } else { f64::NEG_INFINITY })
    }

    /// Whether a release has the exact totals of the table and is within bounds and rules.
    pub fn keeps(&self, counts: &[i64], release: &[i64]) -> bool {
        let same = counts.len() == self.cells() && release.len() == self.cells();
        same && {
            let (counts, release) = (self.spread(counts), self.spread(release));
            match &self.body {
                Body::One(tower, bounds) => tower.keeps(&counts, &release, bounds.limits()),
                Body::Two(pairs) => pairs.keeps(&counts, &release),
            }
        }
    }
}

/// What belongs to cells that are listed.
fn listed<T: Copy>(live: &[u32], all: &[T]) -> Vec<T> {
    live.iter().map(|cell| all[*cell as usize]).collect()
}

/// κ of the smallest variance of a number, unless integers cost too much.
pub(crate) fn certified_kappa(least: Option<&Rational>) -> Result<Rational, Problem> {
    match least {
        None => Ok(Rational::integer(0)),
        Some(least) => kappa(least).filter(|kappa| *kappa <= largest_kappa()).ok_or_else(|| too_little(least)),
    }
}

fn too_little(least: &Rational) -> Problem {
    Problem::refused(format!(
        "the noise is too small for a cascade: a number has variance {:.3}, and integers would cost more than 1 % of the loss",
        least.to_f64()
    ))
    .hint("spend more noise, that is a smaller rho: variances of at least 0.42 are enough")
}
