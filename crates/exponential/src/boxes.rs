//! `Boxes`: attempts that learn where the weight is: the space is cut into boxes, each with an
//! upper bound of its weights.
//!
//! A box is chosen in proportion to its bound times its volume, a uniform point of it is proposed,
//! and accepted with its weight over the bound. So at any time every point of the space succeeds in
//! proportion to its weight, whatever the boxes; a box whose point failed is cut in two. Proof:
//! `proofs/rejection.md`.

use crate::rejection::Attempt;
use crate::ridge::Ridge;
use crate::space::Space;
use crate::target::Target;
use exact::lazy::{Bounds, coin};
use exact::{Enclosure, Entropy, Natural, Rational, integer};

/// Cuts stop at this many boxes: memory stays bounded, and the law does not depend on it.
const MOST_BOXES: usize = 1 << 18;
/// Heights of boxes are whole numbers of 2^−HEIGHT_BITS.
const HEIGHT_BITS: u32 = 32;
/// Volumes times heights stay within 128 bits up to this many points.
const MOST_VOLUME_BITS: usize = 90;

#[derive(Debug, Clone)]
struct Cuboid {
    low: Vec<i64>,
    high: Vec<i64>,
    /// A lower bound of the gradient's norm over the box.
    units: u64,
    height: u64,
}

/// Attempts by way of boxes.
#[derive(Debug)]
pub struct Boxes<'a> {
    ridge: &'a Ridge,
    parts: Vec<Cuboid>,
    /// Sums of weights: entry i is the sum of 2i and 2i + 1, the second half are the boxes.
    sums: Vec<u128>,
    /// What heights are relative to: a lower bound of all `units`.
    reference: u64,
    /// How far a step along a coordinate can move the norm.
    slopes: Vec<u128>,
}

impl<'a> Boxes<'a> {
    /// Whether the cube around the space is small enough for whole-numbered weights.
    pub(crate) fn fit(space: &Space) -> bool {
        let (low, high) = space.range();
        Natural::from(high.abs_diff(low) + 1).pow(space.dimension()) <= Natural::ONE << MOST_VOLUME_BITS
    }

    /// One box around everything, or `None` where it holds too many points.
    pub fn new(ridge: &'a Ridge) -> Option<Self> {
        if !Boxes::fit(ridge.space()) {
            return None;
        }
        let (low, high) = ridge.space().range();
        let p = ridge.space().dimension();
        let slopes = (0..p).map(|j| (0..p).map(|i| u128::from(ridge.row(i)[j].unsigned_abs())).sum()).collect();
        let root = Cuboid { low: vec![low; p], high: vec![high; p], units: 0, height: 0 };
        let mut boxes = Boxes { ridge, parts: vec![root], sums: Vec::new(), reference: 0, slopes };
        boxes.parts[0].units = boxes.least_units(&boxes.parts[0]);
        boxes.rebuild();
        Some(boxes)
    }

    /// A lower bound of ‖Mk − w‖₁ over a box: every row by itself.
    fn least_units(&self, part: &Cuboid) -> u64 {
        let row_least = |(i, offset): (usize, &i64)| {
            let (mut least, mut most) = (-i128::from(*offset), -i128::from(*offset));
            for ((entry, low), high) in self.ridge.row(i).iter().zip(&part.low).zip(&part.high) {
                let (one, other) = (i128::from(*entry) * i128::from(*low), i128::from(*entry) * i128::from(*high));
                least += one.min(other);
                most += one.max(other);
            }
            least.max(-most).max(0)
        };
        let least: i128 = self.ridge.offset.iter().enumerate().map(row_least).sum();
        u64::try_from(least).unwrap_or(u64::MAX)
    }

    /// The weight of a box that is not empty: its height, rounded up, times its volume.
    fn weight(&self, part: &Cuboid) -> u128 {
        if !self.ridge.space().meets(&part.low, &part.high) {
            return 0;
        }
        let volume = part.low.iter().zip(&part.high).map(|(low, high)| u128::from(high.abs_diff(*low)) + 1);
        volume.product::<u128>() * u128::from(part.height)
    }

    /// A whole number of 2^−HEIGHT_BITS that is at least e^{−rate·(units − reference)}.
    fn height(&self, units: u64) -> u64 {
        (self.ridge.powers.bounds(units - self.reference).last >> (64 - HEIGHT_BITS)) + 1
    }

    /// Computes all weights afresh, relative to the best box, with room for as many boxes again.
    fn rebuild(&mut self) {
        let live = self.parts.iter().filter(|part| self.ridge.space().meets(&part.low, &part.high));
        self.reference = live.map(|part| part.units).min().unwrap_or(0);
        let size = (2 * self.parts.len()).next_power_of_two();
        self.sums = vec![0; 2 * size];
        for index in 0..self.parts.len() {
            // Boxes outside the space may be below the reference; they weigh nothing.
            self.parts[index].height = self.height(self.parts[index].units.max(self.reference));
            self.sums[size + index] = self.weight(&self.parts[index]);
        }
        for index in (1..size).rev() {
            self.sums[index] = self.sums[2 * index] + self.sums[2 * index + 1];
        }
    }

    /// Puts the weight of a box, and all sums above it.
    fn weigh(&mut self, index: usize) {
        let mut place = self.sums.len() / 2 + index;
        self.sums[place] = self.weight(&self.parts[index]);
        while place > 1 {
            place /= 2;
            self.sums[place] = self.sums[2 * place] + self.sums[2 * place + 1];
        }
    }

    /// The box that a uniform number falls into.
    fn choose<E: Entropy>(&self, entropy: &mut E) -> usize {
        let size = self.sums.len() / 2;
        let mut rest = below(entropy, self.sums[1]);
        let mut place = 1;
        while place < size {
            place *= 2;
            if rest >= self.sums[place] {
                rest -= self.sums[place];
                place += 1;
            }
        }
        place - size
    }

    /// Cuts a box across the coordinate that moves the norm most.
    fn cut(&mut self, index: usize) {
        if self.parts.len() >= MOST_BOXES {
            return;
        }
        let part = self.parts[index].clone();
        let reach = |j: usize| u128::from(part.high[j].abs_diff(part.low[j])) * self.slopes[j];
        let Some(across) = (0..part.low.len()).max_by_key(|j| reach(*j)).filter(|j| reach(*j) > 0) else { return };
        let middle = part.low[across] + (part.high[across] - part.low[across]) / 2;
        let (mut first, mut second) = (part.clone(), part);
        first.high[across] = middle;
        second.low[across] = middle + 1;
        for part in [&mut first, &mut second] {
            part.units = self.least_units(part).max(self.reference);
            part.height = self.height(part.units);
        }
        self.parts[index] = first;
        self.parts.push(second);
        if self.parts.len() > self.sums.len() / 2 {
            return self.rebuild();
        }
        self.weigh(index);
        self.weigh(self.parts.len() - 1);
    }
}

impl Attempt for Boxes<'_> {
    fn attempt<E: Entropy>(&mut self, entropy: &mut E, point: &mut Vec<i64>) -> bool {
        let index = self.choose(entropy);
        let part = &self.parts[index];
        point.clear();
        for (low, high) in part.low.iter().zip(&part.high) {
            point.push(low + integer::below(entropy, high.abs_diff(*low) + 1) as i64);
        }
        let powers = &self.ridge.powers;
        let accepted =
            self.ridge.space().contains(point) && powers.coin(entropy, self.ridge.units(point) - part.units) && {
                // The height was rounded up: what it is too much is taken away.
                let (above, height) = (part.units - self.reference, Rational::new(1u64 << HEIGHT_BITS, part.height));
                coin(entropy, Bounds::UNKNOWN, |bits| {
                    &powers.refine(above, bits + 64) * &Enclosure::from_rational(&height, bits + 64)
                })
            };
        if !accepted {
            self.cut(index);
        }
        accepted
    }
}

/// A uniform number below n, at least one.
fn below<E: Entropy>(entropy: &mut E, n: u128) -> u128 {
    let bits = 128 - (n - 1).leading_zeros();
    loop {
        let low = u128::from(entropy.bits(bits.min(64)));
        let candidate = low | u128::from(entropy.bits(bits.saturating_sub(64))) << bits.min(64);
        if candidate < n {
            return candidate;
        }
    }
}
