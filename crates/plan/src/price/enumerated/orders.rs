//! ρ where all tables are listed and the noise is discrete Gaussian: the worst Rényi divergence of
//! any pair, over all orders.
//!
//! For tables x, x' let `K(α) = ln Σ_y P_x(y)^α P_x'(y)^(1−α)`, so that the divergence of order α
//! is D = K(α)/(α − 1). What is wanted is the largest D/α over all real α > 1. K is convex, so
//! between two orders it lies below the chord; D does not decrease, which covers the orders next to
//! 1, and is at most D_∞, which covers all beyond the last. Proof: `crates/certify/proofs/G12.md`.
//!
//! Exponents are whole numbers times one rate, so powers of e come from a table, rounded up.
//! Logarithms and sums are machine numbers made by basic operations; each carries a margin of 2⁻⁴⁰
//! of all its terms, far above their roundings.

use analyse::Listed;
use exact::{Enclosure, Integer, Rational};

/// Fraction bits of tabled weights.
const BITS: u32 = 62;
/// The longest table.
const MOST_WEIGHTS: i64 = 1 << 22;
/// Generous for the roundings of a few dozen basic operations.
const MARGIN: f64 = 1.0 / (1u64 << 40) as f64;
/// The first order above 1 is 1 + 2^−6, unless its table would be too long.
const FINEST: i32 = -6;
/// Beyond this order D_∞ is enough.
const LARGEST: i32 = 12;
/// About how many orders are looked at.
pub(super) const ORDERS: usize = 44;

/// What the worst pair loses, and the nearest.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct WorstOrder {
    /// At least the largest D/α of any pair, over its squared distance.
    pub per_unit: f64,
    /// The nearest pair in ℓ₁ distance, of several the one that loses most: its distances, cells
    /// that differ, and at least its largest D/α.
    pub nearest: (u64, u64, usize, f64),
}

impl WorstOrder {
    /// The worst of two blocks.
    pub(super) fn and(self, other: WorstOrder) -> WorstOrder {
        let is_nearer = |one: &WorstOrder, two: &WorstOrder| {
            one.nearest.0 < two.nearest.0 || one.nearest.0 == two.nearest.0 && one.nearest.3 > two.nearest.3
        };
        let nearest = if is_nearer(&other, &self) { other.nearest } else { self.nearest };
        WorstOrder { per_unit: self.per_unit.max(other.per_unit), nearest }
    }
}

/// An order above 1: `1 + step/parts`, with the weights that its exponents need.
struct Order {
    step: i64,
    parts: i64,
    weights: Weights,
}

/// e^{−rate·k} for k = 0, 1, …, rounded up to units of 2^−BITS; what is not listed is at most the
/// last.
struct Weights {
    listed: Vec<u64>,
    last: u64,
}

impl Weights {
    /// Exponents up to `longest`; `None` when they are too many.
    fn new(rate: &Rational, longest: i64) -> Option<Weights> {
        // 62·ln 2 < 43: weights beyond are below one unit.
        let needed = (&Rational::integer(43) / rate).ceil();
        let needed = i64::try_from(needed).unwrap_or(i64::MAX).min(longest);
        if needed > MOST_WEIGHTS {
            return None;
        }
        let factor = Enclosure::exp_rational(&-rate, 128);
        let factor = u128::try_from(factor.upper() >> (128 - BITS as usize)).ok()? + 1;
        let mut last = 1u128 << BITS;
        let mut listed = vec![last as u64];
        for _ in 0..needed {
            // The product has at most 125 bits.
            last = ((last * factor) >> BITS) + 1;
            listed.push(last as u64);
        }
        Some(Weights { listed, last: last as u64 })
    }

    #[inline]
    fn at(&self, exponent: i64) -> u128 {
        u128::from(self.listed.get(exponent as usize).copied().unwrap_or(self.last))
    }

    /// At most so many units is a weight too large: one and a little for every product.
    fn excess(&self) -> f64 {
        2.0 * (self.listed.len() + 2) as f64
    }
}

/// ln of a number of units that is at least one whole, within 2⁻⁴⁵: basic operations only.
fn logarithm(units: u128) -> f64 {
    let exponent = 127 - units.leading_zeros();
    let mantissa = (units as f64) / 2f64.powi(exponent as i32);
    let ratio = (mantissa - 1.0) / (mantissa + 1.0);
    let square = ratio * ratio;
    // ratio ≤ 1/3, or a little above where the number was rounded up to the next power of two: 9⁻²⁴
    // is left out.
    let series = (0..24).rev().fold(0.0, |sum, k| sum * square + 1.0 / f64::from(2 * k + 1));
    2.0 * ratio * series + (f64::from(exponent) - f64::from(BITS)) * std::f64::consts::LN_2
}

/// All pairs of the tables of a block.
pub(super) struct Pairs<'a> {
    tables: Vec<&'a [i64]>,
    /// The squared distances of all pairs, row by row.
    squared: Vec<i64>,
    largest: i64,
}

impl<'a> Pairs<'a> {
    /// The pairs of a list; `None` when distances are far beyond what is weighed.
    pub(super) fn new(listed: &'a Listed) -> Option<Pairs<'a>> {
        let tables: Vec<&[i64]> = listed.tables().collect();
        let mut squared = Vec::with_capacity(tables.len() * tables.len());
        for one in &tables {
            for two in &tables {
                let apart = one.iter().zip(*two).map(|(one, two)| one.abs_diff(*two));
                let sum =
                    apart.map(|apart| apart.checked_mul(apart)).try_fold(0u64, |sum, own| sum.checked_add(own?))?;
                squared.push(i64::try_from(sum).ok().filter(|sum| *sum < 1 << 32)?);
            }
        }
        let largest = squared.iter().copied().max().unwrap_or(0);
        Some(Pairs { tables, squared, largest })
    }

    fn row(&self, table: usize) -> &[i64] {
        &self.squared[table * self.tables.len()..(table + 1) * self.tables.len()]
    }

    /// The worst pair under noise with e^{−rate·‖z‖²}; `None` when there is one table only, or its
    /// weights are too many.
    pub(super) fn worst(&self, rate: &Rational) -> Option<WorstOrder> {
        let orders = self.orders(rate);
        let normalisers = self.normalisers(&Weights::new(rate, self.largest)?);
        let rate = rate.to_f64();
        let mut worst: Option<WorstOrder> = None;
        for one in 0..self.tables.len() {
            for two in (0..self.tables.len()).filter(|two| *two != one) {
                let apart = || self.tables[one].iter().zip(self.tables[two]).map(|(one, two)| one.abs_diff(*two));
                let squared = self.row(one)[two] as u64;
                let largest = self.largest_of([one, two], &orders, rate, &normalisers);
                let nearest = (apart().sum(), squared, apart().filter(|apart| *apart > 0).count(), largest);
                let found = WorstOrder { per_unit: largest / squared as f64 * (1.0 + MARGIN), nearest };
                worst = Some(match worst {
                    Some(worst) => worst.and(found),
                    None => found,
                });
            }
        }
        worst
    }

    /// 1 + m/4·2^e for m = 4, …, 7, as far as their weights are not too many.
    fn orders(&self, rate: &Rational) -> Vec<Order> {
        let mut orders = Vec::new();
        for exponent in 0..=LARGEST - FINEST {
            for quarter in 4..8i64 {
                let (mut step, mut parts) = (quarter << exponent, 4i64 << -FINEST);
                while step % 2 == 0 && parts > 1 {
                    (step, parts) = (step / 2, parts / 2);
                }
                let longest = (2 * step + parts).saturating_mul(self.largest);
                if let Some(weights) = Weights::new(&(rate / &Rational::integer(parts)), longest) {
                    orders.push(Order { step, parts, weights });
                }
            }
        }
        orders
    }

    /// ln Z(x) of every table, rounded up, and how much it may be too large.
    fn normalisers(&self, weights: &Weights) -> (Vec<f64>, f64) {
        let sum = |table: usize| self.row(table).iter().map(|squared| weights.at(*squared)).sum::<u128>();
        let logarithms = (0..self.tables.len()).map(|table| logarithm(sum(table)) + MARGIN).collect();
        // Z is at least 1.
        let excess = self.tables.len() as f64 * weights.excess() / (1u64 << BITS) as f64;
        (logarithms, excess * (1.0 + MARGIN) + 2.0 * MARGIN)
    }

    /// At least the largest D/α of a pair.
    fn largest_of(&self, [one, two]: [usize; 2], orders: &[Order], rate: f64, normalisers: &(Vec<f64>, f64)) -> f64 {
        let (logarithms, excess) = normalisers;
        let (own, other) = (self.row(one), self.row(two));
        // ln Z(x) is subtracted α times and ln Z(x') added α − 1 times: the first must not be too
        // large.
        let (log_own, log_other) = (logarithms[one] - excess, logarithms[two]);
        let most = own.iter().zip(other).map(|(own, other)| other - own).max().unwrap_or(0);
        let infinite = up(&[rate * most as f64, log_other, -log_own]);
        let mut largest = 0.0f64;
        let mut before: Option<(f64, f64)> = None;
        for order in orders {
            let (step, parts) = (order.step as f64, order.parts as f64);
            let alpha = 1.0 + step / parts;
            // α‖y − x‖² + (1 − α)‖y − x'‖², in parts.
            let exponent = |(own, other): (&i64, &i64)| (order.parts + order.step) * own - order.step * other;
            let least = own.iter().zip(other).map(exponent).min().unwrap_or(0);
            let units: u128 = own.iter().zip(other).map(|pair| order.weights.at(exponent(pair) - least)).sum();
            let terms = [-rate * least as f64 / parts, logarithm(units), -alpha * log_own, (alpha - 1.0) * log_other];
            let here = up(&terms).max(0.0);
            largest = match before {
                // D does not decrease, and α is at least 1.
                None => here / (alpha - 1.0),
                Some(before) => largest.max(chord(before, (alpha, here))),
            };
            before = Some((alpha, here));
            if infinite <= largest * alpha {
                return largest * (1.0 + MARGIN);
            }
        }
        let last = before.map_or(1.0, |(alpha, _)| alpha);
        largest.max(infinite / last) * (1.0 + MARGIN)
    }
}

/// A sum with a margin of its terms.
fn up(terms: &[f64]) -> f64 {
    let size: f64 = terms.iter().map(|term| term.abs()).sum();
    terms.iter().sum::<f64>() + MARGIN * (1.0 + size)
}

/// The largest value of a chord over α(α − 1), between two orders above 1.
fn chord(left: (f64, f64), right: (f64, f64)) -> f64 {
    let slope = (right.1 - left.1) / (right.0 - left.0);
    let height = left.1 - slope * left.0;
    let at = |alpha: f64| (height + slope * alpha) / (alpha * (alpha - 1.0));
    let ends = at(left.0).max(at(right.0));
    // A line over a convex function has one peak: where slope·α² + 2·height·α = height.
    let root = height * height + height * slope;
    let peak = if root >= 0.0 && slope != 0.0 { (-height + root.sqrt()) / slope } else { left.0 };
    let other = if root >= 0.0 && slope != 0.0 { (-height - root.sqrt()) / slope } else { left.0 };
    let inside = [peak, other].into_iter().filter(|peak| (left.0..=right.0).contains(peak));
    inside.fold(ends, |largest, peak| largest.max(at(peak))) * (1.0 + 1e-9)
}

/// A machine number at or above zero as a fraction, rounded up.
pub(super) fn fraction_up(value: f64) -> Rational {
    let units = (value * (1u64 << 52) as f64).ceil();
    Rational::new(Integer::from(units as i128 + 1), exact::Natural::ONE << 52)
}
