//! `ErrorProfile`: the noise of every kind of cell and of every one-way margin.

use super::part::{NoisyCells, POINTS_PER_SCALE, continuous_variance, law};
use super::symmetric::Symmetric;
use crate::planned::Plan;
use analyse::Structure;
use declare::{Dimension, Domain, Values};
use draw::{Growth, NoiseLaw};
use std::collections::{BTreeMap, HashMap};

/// The probabilities at which quantiles of |noise| are given.
pub(crate) const LEVELS: [f64; 4] = [0.5, 0.9, 0.95, 0.99];
/// These quantiles of |N(0, 1)|.
const NORMAL: [f64; 4] = [0.674_489_750_196_082, 1.644_853_626_951_473, 1.959_963_984_540_054, 2.575_829_303_548_901];
/// The most multiplications spent on sums over several blocks.
const BUDGET: u64 = 400_000_000;

/// A margin of more single cells than this is left out: it says value by value what the kinds of
/// cells say at once.
pub(super) const MOST_SINGLE: usize = 100_000;

/// How large the noise of a release will be; a function of the plan alone.
#[derive(Debug, Clone, PartialEq)]
pub struct ErrorProfile {
    /// The noise of single cells, by kind.
    pub cells: Vec<CellKind>,
    /// The noise of one-way margins: every dimension and every level of a hierarchy.
    pub margins: Vec<Margin>,
}

/// Cells whose noise has the same law.
#[derive(Debug, Clone, PartialEq)]
pub struct CellKind {
    /// What they have in common, for example `in blocks of 4 cells`.
    pub name: String,
    /// How many there are.
    pub cells: usize,
    /// Their noise.
    pub spread: Spread,
}

/// The sums over one dimension or level.
#[derive(Debug, Clone, PartialEq)]
pub struct Margin {
    /// The name of the dimension or level.
    pub name: String,
    /// Its values, those with equal laws together.
    pub values: Vec<MarginValues>,
}

/// Values of a margin whose noise has the same law.
#[derive(Debug, Clone, PartialEq)]
pub struct MarginValues {
    /// The values, in declared order.
    pub labels: Vec<String>,
    /// Their noise.
    pub spread: Spread,
}

/// The size of a noise with mean zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// The standard deviation; 0 when the number is exact.
    pub standard_deviation: f64,
    /// The 50 %, 90 %, 95 % and 99 % quantiles of |noise|; `None` when they cost too much to
    /// compute.
    pub quantiles: Option<[f64; 4]>,
}

impl Spread {
    /// Whether there is no noise at all.
    pub fn is_exact(&self) -> bool {
        self.standard_deviation == 0.0
    }
}

/// What is added up in a margin: how many parts of each kind.
pub(super) type Parts = BTreeMap<NoisyCells, usize>;

/// The noise of the sums along some of the first dimensions.
pub(super) fn margins(plan: &Plan, laws: &mut Laws, domain: &Domain, dimensions: &[Dimension]) -> Vec<Margin> {
    let codes = codes(domain);
    let mut margins = Vec::new();
    for (dimension, codes) in dimensions.iter().zip(&codes) {
        if let Values::Hierarchy(levels) = &dimension.values {
            let coarser = levels.names.iter().zip(&levels.codes).zip(&levels.labels);
            for ((name, of_leaf), labels) in coarser.take(levels.names.len().saturating_sub(1)) {
                let parts = parts_of(plan, labels.len(), |cell| Some(of_leaf[codes[cell as usize] as usize]));
                margins.push(margin_of(laws, name, parts, |code| labels[code].clone()));
            }
        }
        let size = dimension.values.len();
        if size != domain.len() || size <= MOST_SINGLE {
            let parts = parts_of(plan, size, |cell| Some(codes[cell as usize]));
            margins.push(margin_of(laws, &dimension.name, parts, |code| dimension.values.label(code)));
        }
    }
    margins
}

/// The code of every cell in every dimension.
fn codes(domain: &Domain) -> Vec<Vec<u32>> {
    let mut codes = vec![Vec::with_capacity(domain.len()); domain.schema.dimensions.len()];
    let mut walk = domain.walk();
    while let Some((_, cell)) = walk.advance() {
        codes.iter_mut().zip(cell).for_each(|(column, code)| column.push(*code as u32));
    }
    codes
}

pub(super) fn cell_kinds(plan: &Plan, laws: &mut Laws) -> Vec<CellKind> {
    let mut kinds: BTreeMap<Option<usize>, usize> = BTreeMap::new();
    for planned in &plan.blocks {
        let cells = planned.block.size;
        *kinds.entry(total_over(&planned.block.structure, cells)).or_default() += cells;
    }
    let mut found = Vec::new();
    if !plan.fixed.is_empty() {
        let name = "disclosed by the invariants".to_owned();
        found.push(CellKind { name, cells: plan.fixed.len(), spread: laws.spread(&Parts::new()) });
    }
    for (of, cells) in kinds {
        let name = match of {
            None => "in no total".to_owned(),
            Some(of) => format!("in blocks of {of}"),
        };
        let spread = laws.spread(&Parts::from([(NoisyCells::new(1, of), 1)]));
        found.push(CellKind { name, cells, spread });
    }
    found
}

/// The cells under the total that a block keeps. Blocks that cross are never planned.
pub(super) fn total_over(structure: &Structure, cells: usize) -> Option<usize> {
    match structure {
        Structure::Free => None,
        Structure::OneTotal { .. } | Structure::Crossing { .. } | Structure::Linked { .. } => Some(cells),
    }
}

/// What is added up in each of `size` sums, to which cells belong by their code.
pub(super) fn parts_of(plan: &Plan, size: usize, code: impl Fn(u32) -> Option<u32>) -> Vec<Parts> {
    let mut parts: Vec<Parts> = vec![Parts::new(); size];
    let mut taken = vec![0usize; size];
    let mut touched: Vec<usize> = Vec::new();
    for planned in &plan.blocks {
        let cells = &planned.block.cells;
        for value in cells.iter().filter_map(|cell| code(*cell)) {
            let value = value as usize;
            if taken[value] == 0 {
                touched.push(value);
            }
            taken[value] += 1;
        }
        let of = total_over(&planned.block.structure, planned.block.size);
        for value in touched.drain(..) {
            // Of a folded table every listed cell stands for as many cells as any other.
            let take = std::mem::take(&mut taken[value]) * planned.block.size / cells.len();
            let part = NoisyCells::new(take, of);
            if part.take > 0 {
                *parts[value].entry(part).or_default() += 1;
            }
        }
    }
    parts
}

pub(super) fn margin_of(laws: &mut Laws, name: &str, parts: Vec<Parts>, label: impl Fn(usize) -> String) -> Margin {
    let mut alike: Vec<(Parts, Vec<usize>)> = Vec::new();
    let mut position: HashMap<Parts, usize> = HashMap::new();
    for (value, parts) in parts.into_iter().enumerate() {
        let at = *position.entry(parts.clone()).or_insert_with(|| {
            alike.push((parts, Vec::new()));
            alike.len() - 1
        });
        alike[at].1.push(value);
    }
    let values = alike.into_iter().map(|(parts, values)| MarginValues {
        labels: values.into_iter().map(&label).collect(),
        spread: laws.spread(&parts),
    });
    Margin { name: name.to_owned(), values: values.collect() }
}

/// The laws of parts, each computed once.
pub(super) struct Laws<'a> {
    noise: &'a NoiseLaw,
    known: HashMap<NoisyCells, Option<Symmetric>>,
    budget: u64,
}

impl<'a> Laws<'a> {
    pub(super) fn new(noise: &'a NoiseLaw) -> Self {
        Laws { noise, known: HashMap::new(), budget: BUDGET }
    }

    fn law(&mut self, part: NoisyCells) -> Option<&Symmetric> {
        self.known.entry(part).or_insert_with(|| law(self.noise, part)).as_ref()
    }

    fn variance(&mut self, part: NoisyCells) -> f64 {
        let limit = continuous_variance(self.noise, part);
        match self.noise.is_integer() {
            false => limit,
            true => self.law(part).map_or(limit, Symmetric::variance),
        }
    }

    fn spread(&mut self, parts: &Parts) -> Spread {
        if parts.is_empty() {
            return Spread { standard_deviation: 0.0, quantiles: Some([0.0; 4]) };
        }
        let variance: f64 = parts.iter().map(|(part, count)| *count as f64 * self.variance(*part)).sum();
        let standard_deviation = variance.sqrt();
        let quantiles = match (self.noise.growth(), self.noise.is_integer()) {
            (Growth::Square, false) => Some(NORMAL.map(|normal| normal * standard_deviation)),
            (_, false) => {
                let point = 1.0 / (self.noise.parameter().to_f64() * POINTS_PER_SCALE);
                self.sum(parts).map(|sum| LEVELS.map(|level| point * sum.smooth_quantile(level)))
            }
            (_, true) => self.sum(parts).map(|sum| LEVELS.map(|level| sum.quantile(level) as f64)),
        };
        Spread { standard_deviation, quantiles }
    }

    /// The law of the sum of independent parts, if the budget allows.
    pub(super) fn sum(&mut self, parts: &Parts) -> Option<Symmetric> {
        let mut budget = self.budget;
        let mut sum: Option<Symmetric> = None;
        for (part, count) in parts {
            let copies = self.law(*part)?.times(*count, &mut budget)?;
            sum = Some(match sum {
                None => copies,
                Some(sum) => sum.plus(&copies, &mut budget)?,
            });
        }
        self.budget = budget;
        sum
    }
}
