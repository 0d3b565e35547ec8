//! All pairs of the tables of a block, and the worst of them at given rates.
//!
//! Numbers are whole multiples of 2^−BITS, rounded outwards. Where machine numbers say that a pair
//! is far from the worst it is not looked at again; their rounding is bounded, and what is close is
//! compared in whole numbers.

use super::narrow::{self, Narrow};
use declare::Noise;
use draw::operators::TableList;
use draw::{BlockEnergy, NoiseLaw};
use exact::{Enclosure, Integer, Rational};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Fraction bits of logarithms and energies.
const BITS: usize = 80;
/// Fraction bits of distances.
const DISTANCE_BITS: usize = 30;

/// Pairs that differ by as many units: their distance, and how far they move what carries noise.
struct Kind {
    /// The ℓ₁ distance.
    distance: u64,
    /// The sum of the squared differences.
    squared: u64,
    /// How many cells differ, of one such pair.
    cells: usize,
    /// What the energy counts.
    units: Vec<i128>,
    /// The distance in the unit of the loss, rounded down, in units of 2^−DISTANCE_BITS.
    measure: i128,
}

/// All pairs of the tables of a block.
pub(super) struct Pairs<'a> {
    list: &'a TableList,
    noise: Noise,
    kinds: Vec<Kind>,
    /// The kind of every pair: of the second table with the first, of the third with the first two,
    /// and so on.
    kind_of: Vec<u32>,
}

/// Distances are small and different: they are mixed by one multiplication.
#[derive(Default, Clone)]
struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0 ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

type Quick = BuildHasherDefault<Mixed>;

/// What the worst pair loses, and the nearest.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct WorstPair {
    /// The largest loss by its distance, rounded up.
    pub per_unit: Rational,
    /// The largest loss of the noise alone, without what the normaliser adds, rounded up.
    pub alone: Rational,
    /// The nearest pair; of several the one that loses most.
    pub nearest: NearestListed,
}

/// The nearest pair of different tables.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct NearestListed {
    /// Its ℓ₁ distance.
    pub distance: u64,
    /// The square of its ℓ₂ distance.
    pub squared: u64,
    /// How many cells differ.
    pub cells: usize,
    /// What it loses, rounded up.
    pub loss: Rational,
}

impl WorstPair {
    /// The worst of two blocks.
    pub(super) fn and(self, other: WorstPair) -> WorstPair {
        let key = |nearest: &NearestListed| (std::cmp::Reverse(nearest.distance), nearest.loss.clone());
        let nearest = if key(&other.nearest) > key(&self.nearest) { other.nearest } else { self.nearest };
        WorstPair { per_unit: self.per_unit.max(other.per_unit), alone: self.alone.max(other.alone), nearest }
    }
}

fn law(noise: Noise, epsilon: Rational) -> NoiseLaw {
    if noise.is_product { NoiseLaw::double_geometric(epsilon) } else { NoiseLaw::lattice_laplace(epsilon) }
}

impl<'a> Pairs<'a> {
    /// The pairs of a list; `None` when distances leave machine integers.
    pub(super) fn new(list: &'a TableList, noise: Noise) -> Option<Pairs<'a>> {
        let queries = list.fibre.rows.iter().filter_map(|row| match row.demand {
            analyse::Demand::Noisy { query, .. } => Some(query as usize + 1),
            _ => None,
        });
        let ones = vec![Rational::integer(1); queries.max().unwrap_or(0)];
        // ε' or σ² do not matter where only units are counted.
        let energy = BlockEnergy::new(&list.fibre, &law(noise, Rational::integer(1)), &ones);
        let sums: Vec<Vec<i64>> = list.listed.tables().map(|table| energy.sums(table)).collect();
        let (mut kinds, mut kind_of) = (Vec::new(), Vec::new());
        let mut known: HashMap<(u64, Vec<i128>), u32> = HashMap::new();
        // Most pairs at a distance are of one kind: the last of each is looked at before all are
        // searched.
        let mut at_distance: HashMap<u64, u32, Quick> = HashMap::default();
        let mut units = Vec::new();
        let narrow = Narrow::new(&list.listed);
        // Noise by the sum of distances counts nothing else.
        let by_distance = energy.counts_distance();
        for (place, one) in list.listed.tables().enumerate() {
            for (second, (two, sums)) in list.listed.tables().zip(&sums).take(place).enumerate() {
                let distance = match &narrow {
                    Some(narrow) => narrow::distance(narrow.table(place), narrow.table(second)),
                    None => one.iter().zip(two).map(|(one, two)| one.abs_diff(*two)).sum::<u64>(),
                };
                if by_distance {
                    units.clear();
                    units.push(i128::from(distance));
                } else {
                    energy.units(one, two, sums, &mut units);
                }
                if let Some(kind) = at_distance.get(&distance)
                    && kinds.get(*kind as usize).is_some_and(|kind: &Kind| kind.units == units)
                {
                    kind_of.push(*kind);
                    continue;
                }
                let key = (distance, std::mem::take(&mut units));
                let kind = match known.get(&key) {
                    Some(kind) => *kind,
                    None => {
                        kinds.push(Kind::new(one, two, &key.1, energy.is_norm())?);
                        known.insert(key.clone(), kinds.len() as u32 - 1);
                        kinds.len() as u32 - 1
                    }
                };
                units = key.1;
                at_distance.insert(distance, kind);
                kind_of.push(kind);
            }
        }
        Some(Pairs { list, noise, kinds, kind_of })
    }

    /// The worst pair at these rates: `Some(None)` when there is one table only, `None` when a
    /// number leaves machine integers.
    pub(super) fn worst(&self, rates: &[Rational]) -> Option<Option<WorstPair>> {
        if self.kinds.is_empty() {
            return Some(None);
        }
        let law = law(self.noise, rates[0].clone());
        let energy = BlockEnergy::new(&self.list.fibre, &law, rates);
        // The energy of every kind, rounded up.
        let energies: Vec<i128> = self.kinds.iter().map(|kind| upper(&energy, &kind.units)).collect::<Option<_>>()?;
        let (lower, upper) = self.logarithms(&energy)?;
        let mut worst = Largest::default();
        let mut nearest = (u64::MAX, i128::MIN, 0usize);
        let mut pair = self.kind_of.iter();
        for one in 0..lower.len() {
            for two in 0..one {
                let kind = *pair.next()? as usize;
                let (near, far) = (upper[two] - lower[one], upper[one] - lower[two]);
                let loss = energies[kind].checked_add(near.max(far))?;
                worst.offer(loss, self.kinds[kind].measure)?;
                let distance = self.kinds[kind].distance;
                if distance < nearest.0 || distance == nearest.0 && loss > nearest.1 {
                    nearest = (distance, loss, kind);
                }
            }
        }
        let mut alone = Largest::default();
        for (energy, kind) in energies.iter().zip(&self.kinds) {
            alone.offer(*energy, kind.measure)?;
        }
        let kind = &self.kinds[nearest.2];
        let loss = fixed(nearest.1);
        let nearest = NearestListed { distance: nearest.0, squared: kind.squared, cells: kind.cells, loss };
        Some(Some(WorstPair { per_unit: fixed(worst.value), alone: fixed(alone.value), nearest }))
    }

    /// Bounds of ln Z(x) for every table x.
    fn logarithms(&self, energy: &BlockEnergy) -> Option<(Vec<i128>, Vec<i128>)> {
        let zero = vec![0; self.kinds[0].units.len()];
        let ends = |weight: &Enclosure| Some((narrow(weight.lower())?, narrow(weight.upper())?));
        let weights: Vec<(i128, i128)> =
            self.kinds.iter().map(|kind| ends(&energy.weight(&kind.units, &zero, BITS))).collect::<Option<_>>()?;
        // The table itself has weight one.
        let mut sums = vec![(1i128 << BITS, 1i128 << BITS); self.list.listed.len()];
        let mut pair = self.kind_of.iter();
        for one in 0..sums.len() {
            let mut own = sums[one];
            for other in &mut sums[..one] {
                let (low, high) = weights[*pair.next()? as usize];
                own = (own.0 + low, own.1 + high);
                *other = (other.0 + low, other.1 + high);
            }
            sums[one] = own;
        }
        let logarithm = |(low, high): (i128, i128)| {
            let logarithm = Enclosure::from_bounds(Integer::from(low), Integer::from(high), BITS).ln()?;
            Some((narrow(logarithm.lower())?, narrow(logarithm.upper())?))
        };
        Some(sums.into_iter().map(logarithm).collect::<Option<Vec<_>>>()?.into_iter().unzip())
    }
}

impl Kind {
    fn new(one: &[i64], two: &[i64], units: &[i128], is_norm: bool) -> Option<Kind> {
        let apart = || one.iter().zip(two).map(|(one, two)| one.abs_diff(*two));
        let distance: u64 = apart().sum();
        let squared = apart().try_fold(0u64, |sum, apart| sum.checked_add(apart.checked_mul(apart)?))?;
        let measure = match is_norm {
            true => (u128::from(squared) << (2 * DISTANCE_BITS)).isqrt() as i128,
            false => i128::from(distance) << DISTANCE_BITS,
        };
        let cells = apart().filter(|apart| *apart > 0).count();
        Some(Kind { distance, squared, cells, units: units.to_vec(), measure })
    }
}

/// The largest quotient of losses by distances, rounded up, in units of 2^−BITS.
#[derive(Default)]
struct Largest {
    value: i128,
    quick: f64,
}

/// Quotients of machine numbers that are this much smaller are smaller: their rounding is below
/// 2⁻⁵⁰ of them.
const CLOSE: f64 = 1.0 - 1e-12;

impl Largest {
    /// Takes a pair in; `None` when its numbers leave machine integers.
    fn offer(&mut self, loss: i128, measure: i128) -> Option<()> {
        let quick = loss as f64 / measure as f64;
        if quick < self.quick * CLOSE {
            return Some(());
        }
        let scaled = loss.checked_mul(1 << DISTANCE_BITS)?;
        let value = scaled.div_euclid(measure) + i128::from(scaled.rem_euclid(measure) != 0);
        if value > self.value {
            (self.value, self.quick) = (value, quick);
        }
        Some(())
    }
}

/// The energy of units, rounded up, in units of 2^−BITS.
fn upper(energy: &BlockEnergy, units: &[i128]) -> Option<i128> {
    narrow(energy.energy(units, BITS).upper())
}

fn narrow(value: &Integer) -> Option<i128> {
    i128::try_from(value).ok()
}

/// A whole number of units of 2^−BITS.
fn fixed(value: i128) -> Rational {
    Rational::new(value, exact::Natural::ONE << BITS)
}
