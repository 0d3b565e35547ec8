//! `Outline`: what a cascade must keep and where its noise sits, as public label arrays over the
//! cells.

use crate::bell::{NO_HIGH, NO_LOW};
use declare::{NO_GROUP, Problem};
use exact::{Integer, Rational};

/// Noise on sums of cells.
#[derive(Debug, Clone)]
pub struct Noise<'a> {
    /// The group of every cell, or [`NO_GROUP`]; `None`: every cell is a group of its own.
    pub group_of: Option<&'a [u32]>,
    /// The variance of the noise of every group.
    pub variance: Rational,
}

/// What every cell of the release satisfies.
#[derive(Debug, Clone, Copy, Default)]
pub enum CellBounds<'a> {
    /// Nothing.
    #[default]
    None,
    /// It is at least zero.
    AtLeastZero,
    /// It lies between these; [`NO_LOW`] and [`NO_HIGH`] are no bounds. A structural zero is 0
    /// and 0.
    Each(&'a [i64], &'a [i64]),
}

/// A table to be released by a cascade. All of it is public.
#[derive(Debug, Clone, Default)]
pub struct Outline<'a> {
    /// The number of cells.
    pub cells: usize,
    /// Sums that are exact: for each family the group of every cell, a number below that of the
    /// cells, or [`NO_GROUP`].
    pub exact: Vec<&'a [u32]>,
    /// Noise. Every cell needs noise of its own.
    pub noise: Vec<Noise<'a>>,
    /// Bounds of cells.
    pub bounds: CellBounds<'a>,
    /// The cells in the order in which they are paired; `None`: the declared order.
    pub order: Option<&'a [u32]>,
    /// Rules: the first cell of a pair never exceeds the second.
    pub rules: Vec<(u32, u32)>,
    /// The cells that tables list, increasing; `None`: all. The others are structural zeros: they
    /// stand in the outline so that tables whose totals cross are complete, and are zero in every
    /// table.
    pub live: Option<&'a [u32]>,
}

impl Outline<'_> {
    /// Checks lengths and labels.
    pub(crate) fn check(&self) -> Result<(), Problem> {
        let cells = self.cells;
        if cells == 0 || cells >= NO_GROUP as usize {
            return Err(Problem::bad("a cascade releases at least one cell, and fewer than 2³²"));
        }
        let families = self.exact.iter().copied().chain(self.noise.iter().filter_map(|noise| noise.group_of));
        for family in families {
            if family.len() != cells {
                return Err(Problem::bad("a family of sums does not have one label per cell"));
            }
            if family.iter().any(|label| *label != NO_GROUP && *label as usize >= cells) {
                return Err(Problem::bad("a family of sums has labels beyond the number of cells"));
            }
        }
        if self.noise.iter().any(|noise| !noise.variance.is_positive()) {
            return Err(Problem::bad("the variance of noise must be above zero"));
        }
        if let CellBounds::Each(low, high) = self.bounds {
            if low.len() != cells || high.len() != cells {
                return Err(Problem::bad("bounds do not have one pair per cell"));
            }
            if low.iter().zip(high).any(|(low, high)| low > high || *low == NO_HIGH || *high == NO_LOW) {
                return Err(Problem::bad("a cell has a lower bound above its upper bound"));
            }
        }
        if let Some(order) = self.order {
            let mut seen = vec![false; cells];
            let is_new = |cell: &u32| seen.get_mut(*cell as usize).is_some_and(|seen| !std::mem::replace(seen, true));
            if !order.iter().all(is_new) {
                return Err(Problem::bad("the order of the cells names a cell twice or one that is not there"));
            }
            if order.len() != cells {
                return Err(Problem::bad("the order of the cells lacks cells")
                    .hint("every cell of the table needs its place in the order"));
            }
        }
        if self.rules.iter().any(|(one, other)| *one as usize >= cells || *other as usize >= cells || one == other) {
            return Err(Problem::bad("a rule compares cells that are not there"));
        }
        if let Some(live) = self.live {
            let increasing = live.windows(2).all(|pair| pair[0] < pair[1]);
            if !increasing || live.last().is_none_or(|last| *last as usize >= cells) {
                return Err(Problem::bad("the cells that tables list are not there, or not in their order"));
            }
        }
        Ok(())
    }

    /// Lower and upper bounds of all cells, where some are structural zeros.
    pub(crate) fn zeroed(&self) -> Option<(Vec<i64>, Vec<i64>)> {
        let live = self.live?;
        let (mut low, mut high) = (vec![0; self.cells], vec![0; self.cells]);
        for cell in live.iter().map(|cell| *cell as usize) {
            (low[cell], high[cell]) = self.bounds_of(cell);
        }
        Some((low, high))
    }

    /// The bounds of a cell.
    pub(crate) fn bounds_of(&self, cell: usize) -> (i64, i64) {
        match self.bounds {
            CellBounds::None => (NO_LOW, NO_HIGH),
            CellBounds::AtLeastZero => (0, NO_HIGH),
            CellBounds::Each(low, high) => (low[cell], high[cell]),
        }
    }
}

/// The noise of leaves as integers, and the noise of groups.
#[derive(Debug, Clone)]
pub(crate) struct Weights {
    /// The variance of every leaf in units.
    pub(crate) leaf: Vec<u64>,
    /// The unit.
    pub(crate) unit: Rational,
    /// Noise on groups of more than one cell.
    pub(crate) groups: Vec<(Vec<u32>, Rational)>,
}

impl Weights {
    /// Reads the noise of an outline.
    pub(crate) fn new(outline: &Outline<'_>) -> Result<Self, Problem> {
        let cells = outline.cells;
        // Which families give a cell noise of its own: a set of families, as a number.
        let mut own: Vec<u64> = vec![0; cells];
        let mut groups = Vec::new();
        if outline.noise.len() > 60 {
            return Err(Problem::refused("a cascade takes at most sixty levels of noise"));
        }
        for (at, noise) in outline.noise.iter().enumerate() {
            let Some(labels) = noise.group_of else {
                own.iter_mut().for_each(|set| *set |= 1 << at);
                continue;
            };
            let most = labels.iter().filter(|label| **label != NO_GROUP).max().map_or(0, |label| *label as usize + 1);
            let mut sizes = vec![0u32; most];
            labels.iter().filter(|label| **label != NO_GROUP).for_each(|label| sizes[*label as usize] += 1);
            let single = |label: u32| label != NO_GROUP && sizes[label as usize] == 1;
            own.iter_mut().zip(labels).filter(|(_, label)| single(**label)).for_each(|(set, _)| *set |= 1 << at);
            if sizes.iter().any(|size| *size > 1) {
                let larger = labels.iter().map(|label| if single(*label) { NO_GROUP } else { *label }).collect();
                groups.push((larger, noise.variance.clone()));
            }
        }
        let mut kinds: Vec<u64> = own.clone();
        kinds.sort_unstable();
        kinds.dedup();
        let variance = |set: u64| {
            let precisions = outline.noise.iter().enumerate().filter(|(at, _)| set & (1 << at) != 0);
            let sum = precisions
                .fold(Rational::integer(0), |sum, (_, noise)| &sum + &(&Rational::integer(1) / &noise.variance));
            sum.reciprocal()
        };
        let variances: Option<Vec<Rational>> = kinds.iter().map(|set| variance(*set)).collect();
        let Some(variances) = variances else {
            return Err(Problem::refused("some cells have no noise of their own")
                .hint("a cascade draws every number: give the cells themselves a share of the noise"));
        };
        let common = variances[1..].iter().fold(variances[0].clone(), |common, variance| divisor(&common, variance));
        let integer = |variance: &Rational| u64::try_from((variance / &common).floor()).unwrap_or(u64::MAX);
        let integers: Vec<u64> = variances.iter().map(integer).collect();
        let most = integers.iter().max().copied().unwrap_or(1).saturating_mul(cells as u64);
        if most >= 1 << 43 {
            return Err(Problem::refused("the variances of the cells differ too much to be added exactly"));
        }
        // Weights of groups are rounded to units: make these small, as far as sums have room.
        let finer = if groups.is_empty() { 0 } else { (most.leading_zeros() - 21).min(20) };
        let unit = &common / &Rational::integer(1u64 << finer);
        let leaf = own.iter().map(|set| kinds.binary_search(set).map_or(1, |kind| integers[kind]) << finer).collect();
        Ok(Weights { leaf, unit, groups })
    }
}

/// The largest fraction of which both are multiples.
fn divisor(one: &Rational, other: &Rational) -> Rational {
    let product = |a: &Rational, b: &Rational| a.numerator() * b.denominator();
    let (mut a, mut b): (Integer, Integer) = (product(one, other), product(other, one));
    while b != Integer::ZERO {
        let rest = &a - (&a / &b) * &b;
        a = std::mem::replace(&mut b, rest);
    }
    &Rational::integer(a) / &Rational::integer((one.denominator() * other.denominator()).as_ibig().clone())
}
