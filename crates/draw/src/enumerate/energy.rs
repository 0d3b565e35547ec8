//! `BlockEnergy`: the negative log-weight of noise on a block, as whole units times a few rates.

use crate::law::{Growth, NoiseLaw};
use analyse::{Demand, Fibre};
use exact::{Enclosure, Rational};

/// The energy of noise on a block: `rate·units`, added over what carries noise. Under one ℓ₂ norm
/// over all cells the units are the squared distance, and the energy is the rate times its root.
#[derive(Debug, Clone)]
pub struct BlockEnergy {
    /// The law of the noise on cells; `None`: noise sits on sums.
    law: Option<NoiseLaw>,
    rates: Vec<Rational>,
    /// The noisy sums: places with their coefficients, and the number of the query.
    sums: Vec<(Vec<(u32, i64)>, usize)>,
}

impl BlockEnergy {
    /// The energy of a law on the cells of a fibre, or of the noise on its sums with these rates by
    /// query.
    pub fn new(fibre: &Fibre, law: &NoiseLaw, rates: &[Rational]) -> BlockEnergy {
        let sums = fibre.rows.iter().filter_map(|row| match row.demand {
            Demand::Noisy { query, .. } => Some((row.entries.clone(), query as usize)),
            _ => None,
        });
        let rates = if fibre.noise_on_cells { vec![law.rate()] } else { rates.to_vec() };
        BlockEnergy { law: fibre.noise_on_cells.then(|| law.clone()), rates, sums: sums.collect() }
    }

    /// How the energy of cells grows, where they have noise.
    fn growth(&self) -> Option<Growth> {
        self.law.as_ref().map(NoiseLaw::growth)
    }

    /// The rates, one for the cells or one for every query.
    pub fn rates(&self) -> &[Rational] {
        &self.rates
    }

    /// Whether the energy is the rate times the root of the units.
    pub fn is_norm(&self) -> bool {
        self.growth() == Some(Growth::Norm)
    }

    /// Whether the units are the ℓ₁ distance, and nothing else.
    pub fn counts_distance(&self) -> bool {
        self.growth() == Some(Growth::Absolute)
    }

    /// The units of a table around a centre, for every rate; `sums` are the centres of the noisy
    /// sums, in the order of the rows.
    pub fn units(&self, table: &[i64], centre: &[i64], sums: &[i64], units: &mut Vec<i128>) {
        units.clear();
        units.resize(self.rates.len(), 0);
        let apart = table.iter().zip(centre).map(|(value, centre)| u128::from(value.abs_diff(*centre)));
        match (&self.law, self.growth()) {
            (_, Some(Growth::Absolute)) => units[0] = apart.sum::<u128>() as i128,
            (_, Some(Growth::Square | Growth::Norm)) => {
                units[0] = apart.map(|apart| apart * apart).sum::<u128>() as i128
            }
            (Some(law), _) => {
                let own = table.iter().zip(centre).map(|(value, centre)| law.units(value - centre));
                units[0] = own.sum::<u128>() as i128;
            }
            (None, _) => {
                for ((entries, query), centre) in self.sums.iter().zip(sums) {
                    let value = |(place, times): &(u32, i64)| i128::from(*times) * i128::from(table[*place as usize]);
                    units[*query] += (entries.iter().map(value).sum::<i128>() - i128::from(*centre)).abs();
                }
            }
        }
    }

    /// The noisy sums of a table of the block, in the order of the rows.
    pub fn sums(&self, table: &[i64]) -> Vec<i64> {
        let value = |(place, times): &(u32, i64)| times * table[*place as usize];
        self.sums.iter().map(|(entries, _)| entries.iter().map(value).sum()).collect()
    }

    /// An enclosure of the energy of units.
    pub fn energy(&self, units: &[i128], bits: usize) -> Enclosure {
        match (self.is_norm(), Enclosure::from_integer(units.first().copied().unwrap_or(0), bits + 64).sqrt()) {
            (true, Some(root)) => (&Enclosure::from_rational(&self.rates[0], bits + 64) * &root).with_bits(bits),
            _ => Enclosure::from_rational(&self.above(units, &vec![0; units.len()]), bits),
        }
    }

    /// An enclosure of e to minus the energy of `units` above that of `base`.
    pub fn weight(&self, units: &[i128], base: &[i128], bits: usize) -> Enclosure {
        if self.is_norm() {
            let (own, base) = (self.energy(units, bits + 64), self.energy(base, bits + 64));
            return (&base - &own).exp().with_bits(bits);
        }
        Enclosure::exp_rational(&-self.above(units, base), bits)
    }

    /// The energy of units above that of a base, where it is made of whole units.
    fn above(&self, units: &[i128], base: &[i128]) -> Rational {
        let terms = self.rates.iter().zip(units.iter().zip(base));
        terms.fold(Rational::integer(0), |sum, (rate, (units, base))| &sum + &(rate * &Rational::integer(units - base)))
    }

    /// The energy of units as a machine number: for choosing a scale and for reading, never for a
    /// draw.
    pub(crate) fn to_f64(&self, units: &[i128]) -> f64 {
        let size = |units: i128| if self.is_norm() { (units as f64).sqrt() } else { units as f64 };
        let part = |(rate, units): (&Rational, &i128)| rate.to_f64() * size(*units);
        self.rates.iter().zip(units).map(part).sum()
    }
}
