//! `divide` with bounds: counts of a two-way table with every row sum and every column sum kept,
//! each at or above zero.
//!
//! All rows but two are drawn by themselves, each from its own law given its total, counts at or
//! above zero. The last two complete the columns: in column j the upper holds u_j and the lower d_j
//! − u_j, both at or above zero. Let Z₀(d) be the weight of all such pairs of rows, and Z(0) that
//! of all pairs without bounds that complete the confidential table's own columns. What was drawn
//! is accepted with probability `Z₀(d)/Z(0)`: dropping bounds only adds pairs, and no columns weigh
//! more than the centre's. Then the pair is drawn column by column. Proof: `proofs/divide.md`,
//! section 5.

use super::pair::{AnyChain, Chain, LEVELS, Pair, precision, scaled};
use super::shape::UprightGrid;
use super::weights::Shifted;
use crate::law::NoiseLaw;
use crate::sums::{CellNoise, ClassLaw, Ladder, Message, Precision, rounded_up};
use declare::Problem;
use exact::lazy::Uniform;
use exact::{Decision, Entropy, Positive, Rational, Seeded, Source, Wide, choose};
use std::sync::{Arc, OnceLock};

/// Proposals, with a seed of their own, that predict the number of attempts on a public table.
const PROPOSALS: u32 = 256;

/// A two-way table of counts at or above zero, ready to be drawn as often as wanted.
#[derive(Debug)]
pub struct BoundedDivide {
    shape: UprightGrid,
    epsilon: Rational,
    ladder: Ladder,
    /// The counts around which is drawn, by place in the block.
    centre: Vec<i64>,
    /// The rows that are drawn by themselves, with their totals.
    rows: Vec<(usize, ClassLaw, i64)>,
    /// The last two rows without bounds.
    pair: Pair,
    /// e^{−2ε'k} for k = 0, 1, … at every level that was asked for.
    machine: [OnceLock<Vec<f64>>; LEVELS],
    wide: [OnceLock<Vec<Wide>>; LEVELS],
}

impl BoundedDivide {
    /// The counts of a block around `centre`, by place in the block:
    /// `positions[row·columns + column]` lists the one cell at that position, or none. Which way
    /// round, and which rows come last, is a function of the totals: see [`BoundedDivide::shapes`].
    ///
    /// # Errors
    /// Bad when the positions are no grid of single cells or a count is below zero; refused when
    /// the noise is not double geometric.
    pub fn new(shape: &BoundedShape, law: &NoiseLaw, centre: &[i64], ladder: Ladder) -> Result<BoundedDivide, Problem> {
        let Some(epsilon) = law.geometric() else {
            return Err(Problem::refused("`divide` with bounds draws double geometric noise"));
        };
        let shape = shape.0.clone();
        if centre.len() != shape.cells || centre.iter().any(|count| *count < 0) {
            return Err(Problem::bad("a table with bounds keeps them"));
        }
        let noise = CellNoise::Geometric { up: epsilon.clone(), down: epsilon.clone() };
        let others = shape.rows.iter().enumerate().filter(|(row, _)| !shape.last.contains(row));
        let row = |(number, row): (usize, &Vec<Vec<u32>>)| {
            let centres: Vec<i64> = row.iter().flatten().map(|cell| centre[*cell as usize]).collect();
            let total = centres.iter().sum();
            (number, ClassLaw::new(noise.clone(), Some(0), None, centres, ladder), total)
        };
        let rows = others.map(row).collect();
        let pair_of = |column: usize| shape.last.map(|row| shape.rows[row][column].len() as u32);
        let pair = Pair::new((0..shape.rows[0].len()).map(pair_of).collect(), law, ladder);
        let (epsilon, centre) = (epsilon.clone(), centre.to_vec());
        Ok(BoundedDivide {
            shape,
            epsilon,
            ladder,
            centre,
            rows,
            pair,
            machine: Default::default(),
            wide: Default::default(),
        })
    }

    /// Both ways round, each with the two rows of the largest totals last. `totals` are those of
    /// rows and of columns.
    ///
    /// # Errors
    /// Bad when the positions are no grid of single cells.
    pub fn shapes(columns: usize, positions: &[Vec<u32>], totals: [&[i64]; 2]) -> Result<[BoundedShape; 2], Problem> {
        if positions.iter().any(|cells| cells.len() > 1) {
            return Err(Problem::refused(
                "`divide` with bounds draws tables in which no two cells are in the same totals",
            ));
        }
        Ok(UprightGrid::both(columns, positions, totals)?.map(BoundedShape))
    }

    /// How many attempts a draw around this centre takes, about, and in what share of them counts
    /// at or above zero complete the columns, by proposals with a fixed seed. For a public centre.
    pub fn foreseen(&self) -> (f64, f64) {
        if self.rows.is_empty() {
            return (1.0, 1.0);
        }
        let Ok(mut entropy) = Seeded::new(0x626f_756e_6473).stream(0) else { return (f64::INFINITY, 1.0) };
        let acceptances: Vec<f64> = (0..PROPOSALS).map(|_| self.acceptance(&mut entropy)).collect();
        let completed = acceptances.iter().filter(|acceptance| **acceptance > 0.0).count();
        let proposals = f64::from(PROPOSALS);
        (proposals / acceptances.iter().sum::<f64>(), (completed as f64 / proposals).max(1.0 / proposals))
    }

    /// How many attempts a draw around this centre takes, about: see [`BoundedDivide::foreseen`].
    pub fn expected_attempts(&self) -> f64 {
        self.foreseen().0
    }

    /// Proposes all rows but the last two: the probability with which they would be accepted, in
    /// machine numbers. Its mean is the probability that an attempt succeeds.
    pub fn acceptance<E: Entropy>(&self, entropy: &mut E) -> f64 {
        let mut values = vec![0; self.shape.cells];
        let sums = self.propose(entropy, &mut values);
        self.chain(0, &sums).map_or(0.0, |chain| self.pair.share(&chain))
    }

    /// The logarithm of the weight of all rows but the last two, each by itself. Times the
    /// probability that an attempt succeeds it is the weight of all tables, up to a factor Z(0)
    /// that is the same around every table with these totals. For reading.
    pub fn log_rows(&self) -> f64 {
        self.rows.iter().map(|(_, law, total)| law.log_weight(*total).unwrap_or(f64::NEG_INFINITY)).sum()
    }

    /// How many multiplications an attempt takes, about, drawing its rows included.
    pub fn operations(&self) -> f64 {
        self.completing_operations() + 200.0 * self.shape.cells as f64
    }

    /// How many multiplications the last two rows take, about.
    pub fn completing_operations(&self) -> f64 {
        let reach = (steps(&self.epsilon, precision(self.ladder, 0)) + 1) as f64;
        let columns = self.shape.rows[0].len() as f64;
        let spread = |count: f64| 2.0 * reach * count.sqrt();
        (1..=columns as u32).map(|column| spread(f64::from(column)) * 2.0 * reach).sum::<f64>()
    }

    /// Draws all counts of the block.
    pub fn draw<E: Entropy>(&self, entropy: &mut E, values: &mut [i64]) {
        while !self.attempt(entropy, values) {}
    }

    /// One attempt at a draw; whether it succeeded. Attempts are independent, and the table of the
    /// first that succeeds has exactly the law. That of one that failed means nothing.
    pub fn attempt<E: Entropy>(&self, entropy: &mut E, values: &mut [i64]) -> bool {
        assert_eq!(values.len(), self.shape.cells, "one number for every cell of the block");
        let sums = self.propose(entropy, values);
        // Otherwise no counts at or above zero complete the columns.
        let Some(first) = self.chain(0, &sums) else { return false };
        let mut chains = vec![first];
        // With two rows there is nothing to accept.
        if !self.rows.is_empty()
            && choose(entropy, |level, uniform| self.compare(level, uniform, &sums, &mut chains)) != 0
        {
            return false;
        }
        self.complete(entropy, &sums, &mut chains, values);
        true
    }

    /// Draws all rows but the last two; the column sums that are left for these.
    fn propose<E: Entropy>(&self, entropy: &mut E, values: &mut [i64]) -> Vec<i64> {
        let mut sums = vec![0i64; self.shape.rows[0].len()];
        for row in &self.shape.rows {
            for (sum, cells) in sums.iter_mut().zip(row) {
                cells.iter().for_each(|cell| *sum += self.centre[*cell as usize]);
            }
        }
        let mut drawn = Vec::new();
        for (number, law, total) in &self.rows {
            drawn.clear();
            drawn.resize(law.cells(), 0);
            law.split(entropy, *total, &mut drawn);
            let mut counts = drawn.iter();
            for (sum, cells) in sums.iter_mut().zip(&self.shape.rows[*number]) {
                for (cell, count) in cells.iter().zip(&mut counts) {
                    values[*cell as usize] = *count;
                    *sum -= count;
                }
            }
        }
        sums
    }

    fn compare(&self, level: usize, uniform: &Uniform, sums: &[i64], chains: &mut Vec<AnyChain>) -> Decision {
        self.climb(level, sums, chains);
        let chain = chains.get(level);
        chain.map_or(Decision::MorePrecision, |chain| self.pair.compare(level, uniform, chain))
    }

    fn climb(&self, level: usize, sums: &[i64], chains: &mut Vec<AnyChain>) {
        while chains.len() <= level {
            let Some(chain) = self.chain(chains.len(), sums) else { return };
            chains.push(chain);
        }
    }

    /// Draws the last two rows.
    fn complete<E: Entropy>(&self, entropy: &mut E, sums: &[i64], chains: &mut Vec<AnyChain>, values: &mut [i64]) {
        let [upper, lower] = self.shape.last.map(|row| &self.shape.rows[row]);
        let mut rest: i64 = upper.iter().flatten().map(|cell| self.centre[*cell as usize]).sum();
        for column in (0..sums.len()).rev() {
            let u = if column == 0 {
                rest
            } else {
                let mut first = 0;
                let index = choose(entropy, |level, uniform| {
                    self.climb(level, sums, chains);
                    let bits = precision(self.ladder, level).bits;
                    let (start, decision) = match chains.get(level) {
                        Some(AnyChain::Machine(chain)) => chain.decide(column, rest, bits, uniform),
                        Some(AnyChain::Wide(chain)) => chain.decide(column, rest, bits, uniform),
                        None => (0, Decision::MorePrecision),
                    };
                    first = start;
                    decision
                });
                first + index as i64
            };
            rest -= u;
            upper[column].iter().for_each(|cell| values[*cell as usize] = u);
            lower[column].iter().for_each(|cell| values[*cell as usize] = sums[column] - u);
        }
    }

    /// The messages at a level; `None` when no counts at or above zero have these column sums.
    fn chain(&self, level: usize, sums: &[i64]) -> Option<AnyChain> {
        let precision = precision(self.ladder, level);
        let level = level.min(LEVELS - 1);
        Some(if precision.machine {
            let powers = self.machine[level].get_or_init(|| powers(&self.epsilon, precision));
            AnyChain::Machine(Arc::new(self.link(powers, precision, sums)?))
        } else {
            let powers = self.wide[level].get_or_init(|| powers(&self.epsilon, precision));
            AnyChain::Wide(Arc::new(self.link(powers, precision, sums)?))
        })
    }

    fn link<T: Positive>(&self, powers: &[T], precision: Precision, sums: &[i64]) -> Option<Chain<T>> {
        let [upper, lower] = self.shape.last.map(|row| &self.shape.rows[row]);
        let mut steps = 0u64;
        let mut columns = Vec::with_capacity(sums.len());
        for (column, sum) in sums.iter().enumerate() {
            let centre = |cells: &Vec<u32>| cells.first().map(|cell| self.centre[*cell as usize]);
            let (message, more) = self.column(powers, centre(&upper[column]), centre(&lower[column]), *sum)?;
            columns.push(message.trimmed(precision));
            steps += more;
        }
        let last = columns.pop()?;
        let mut prefixes: Vec<Message<T>> = Vec::with_capacity(columns.len());
        for column in &columns {
            let next = match prefixes.last() {
                Some(before) => before.convolved(column, precision),
                None => column.clone(),
            };
            prefixes.push(next);
        }
        let total: i64 = upper.iter().flatten().map(|cell| self.centre[*cell as usize]).sum();
        let prefixes = prefixes.into_iter().map(Shifted::from).collect();
        let columns = columns.into_iter().map(|column| Shifted::from(column).into()).collect();
        let mut chain = Chain::new(prefixes, columns, last.into(), total);
        let factor = T::exp_minus(&(&self.epsilon * &Rational::integer(steps)), precision.bits);
        chain.whole = scaled(chain.whole, &factor);
        Some(chain)
    }

    /// The weights of u in one column over `e^{−ε'k}`, and k: the least distance of the two counts
    /// from their centres together.
    fn column<T: Positive>(
        &self,
        powers: &[T],
        upper: Option<i64>,
        lower: Option<i64>,
        sum: i64,
    ) -> Option<(Message<T>, u64)> {
        if sum < 0 {
            return None;
        }
        let (upper, lower) = match (upper, lower) {
            (Some(upper), Some(lower)) => (upper, lower),
            (Some(centre), None) => return Some((Message::point(sum), sum.abs_diff(centre))),
            (None, Some(centre)) => return Some((Message::point(0), sum.abs_diff(centre))),
            (None, None) => return (sum == 0).then(|| (Message::point(0), 0)),
        };
        // Between the two centres the distances add up to the same; outside it grows by two a step.
        let (low, high) = (upper.min(sum - lower).clamp(0, sum), upper.max(sum - lower).clamp(0, sum));
        let steps = powers.len() as i64 - 2;
        let (first, last) = ((low - steps).max(0), (high + steps).min(sum));
        let weight = |u: i64| powers[(low - u).max(u - high).max(0) as usize].clone();
        // What is beyond falls by e^{−2ε'} a step, and 1/(1 − e^{−2ε'}) ≤ 1 + 1/2ε'.
        let beyond = powers[powers.len() - 1].times(&T::integer(width(&self.epsilon), 0));
        let cut = u64::from(first > 0) + u64::from(last < sum);
        let missing = if cut == 0 { T::zero() } else { rounded_up(&beyond.times(&T::integer(cut, 0)).shifted(1)) };
        let message = Message { first, weights: (first..=last).map(weight).collect(), roundings: 1, missing, scale: 0 };
        Some((message, (sum - lower).abs_diff(upper)))
    }
}

/// How many steps take e^{−2ε'k} below 2^−trim, and one more.
fn steps(epsilon: &Rational, precision: Precision) -> u64 {
    (f64::from(precision.trim) * std::f64::consts::LN_2 / (2.0 * epsilon.to_f64())).ceil() as u64 + 2
}

/// e^{−2ε'k}, for so many steps.
fn powers<T: Positive>(epsilon: &Rational, precision: Precision) -> Vec<T> {
    let twice = epsilon + epsilon;
    let power = |k: u64| T::exp_minus(&(&twice * &Rational::integer(k)), precision.bits);
    (0..=steps(epsilon, precision)).map(power).collect()
}

/// A whole number above `1 + 1/2ε'`.
fn width(epsilon: &Rational) -> u64 {
    let inverse = (epsilon + epsilon).reciprocal();
    inverse.and_then(|inverse| u64::try_from(inverse.ceil()).ok()).unwrap_or(u64::MAX >> 12) + 2
}

/// A grid one way round, with the two rows that come last.
#[derive(Debug, Clone)]
pub struct BoundedShape(UprightGrid);

impl BoundedShape {
    /// A table of counts with these totals of rows and of columns, by place in the block: as near
    /// to their products as whole numbers allow, the rest put where it fits first. A public
    /// stand-in for predictions; `None` when none is found.
    pub fn stand_in(columns: usize, positions: &[Vec<u32>], totals: [&[i64]; 2]) -> Option<Vec<i64>> {
        let [rows, sums] = totals;
        let all: i128 = rows.iter().map(|total| i128::from(*total)).sum();
        let cells = positions.iter().map(Vec::len).sum();
        let mut table = vec![0i64; cells];
        let (mut rows_left, mut sums_left) = (rows.to_vec(), sums.to_vec());
        let shared = |row: usize, column: usize| {
            let product = i128::from(rows[row]) * i128::from(sums[column]);
            i64::try_from(product.checked_div(all).unwrap_or(0)).ok()
        };
        for is_rest in [false, true] {
            for (place, cells) in positions.iter().enumerate() {
                let (Some(cell), row, column) = (cells.first(), place / columns, place % columns) else { continue };
                let most = rows_left[row].min(sums_left[column]);
                let count = if is_rest { most } else { shared(row, column)?.min(most) };
                table[*cell as usize] += count;
                rows_left[row] -= count;
                sums_left[column] -= count;
            }
        }
        (rows_left.iter().chain(&sums_left).all(|left| *left == 0)).then_some(table)
    }
}
