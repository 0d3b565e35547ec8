//! The discrete Gaussian `P(z) ∝ e^{−z²/2σ²}` on the integers, σ² an exact fraction.
//!
//! Small σ: the absolute value is inverted by table and the sign is a fair bit. Large σ:
//! [`crate::unimodal`], whose acceptance e^{−z²/2σ²} is a power on machine words.

use crate::enclosure::Enclosure;
use crate::entropy::Entropy;
use crate::lazy::Bounds;
use crate::power::Powers;
use crate::rational::Rational;
use crate::survival::{Survival, SurvivalTable};
use crate::unimodal::{Unimodal, UnimodalLaw};
use dashu_int::IBig;

/// Above this variance no table is kept.
const TABLE_VARIANCE: i64 = 1 << 14;

/// The discrete Gaussian with variance parameter σ².
#[derive(Debug, Clone)]
pub struct DiscreteGaussian {
    method: Method,
}

#[derive(Debug, Clone)]
enum Method {
    Table { magnitude: Magnitude, table: SurvivalTable },
    Blocks(Unimodal<Centred>),
}

impl DiscreteGaussian {
    /// The law with this σ².
    ///
    /// # Panics
    /// When σ² is not positive.
    pub fn new(variance: &Rational) -> Self {
        assert!(variance.is_positive(), "σ² is positive");
        let rate = &Rational::new(1, 2u8) / variance;
        let method = if *variance <= Rational::integer(TABLE_VARIANCE) {
            let magnitude = Magnitude { rate };
            let table = magnitude.table();
            Method::Table { magnitude, table }
        } else {
            Method::Blocks(Unimodal::new(Centred { powers: Powers::new(rate, 8) }))
        };
        DiscreteGaussian { method }
    }

    /// One draw.
    #[inline]
    pub fn draw<E: Entropy>(&self, entropy: &mut E) -> i64 {
        match &self.method {
            Method::Table { magnitude, table } => {
                let size = table.draw(entropy, magnitude) as i64;
                if size != 0 && entropy.bits(1) == 1 { -size } else { size }
            }
            Method::Blocks(unimodal) => unimodal.draw(entropy),
        }
    }
}

/// The law of the absolute value: weight 1 at 0 and 2·e^{−rate·m²} at m.
#[derive(Debug, Clone)]
struct Magnitude {
    rate: Rational,
}

impl Magnitude {
    /// Half the weights, from `from` on: ½ at 0, e^{−rate·m²} at m; with all that follows bounded
    /// by a geometric series.
    fn half_weights(&self, bits: usize) -> (Vec<Enclosure>, Enclosure) {
        let working = bits + 32;
        let mut weights = vec![Enclosure::from_rational(&Rational::new(1, 2u8), working)];
        // w(m+1) = w(m)·s(m), s(m+1) = s(m)·s², where s(0) = e^{−rate}.
        let mut step = Enclosure::exp_rational(&-self.rate.clone(), working);
        let square = &step * &step;
        let mut weight = step.clone();
        loop {
            step = &step * &square;
            let next = &weight * &step;
            // Once successive weights at least halve, what follows is at most twice the next one.
            let negligible = *next.upper() <= IBig::from(4);
            let halving = step.upper() << 1 <= IBig::ONE << working;
            weights.push(weight);
            if negligible && halving {
                return (weights, Enclosure::from_bounds(IBig::ZERO, next.upper() << 1, working));
            }
            weight = next;
        }
    }

    fn survivals(&self, bits: usize) -> Vec<Enclosure> {
        let (weights, rest) = self.half_weights(bits);
        let mut tails = vec![rest];
        for weight in weights.iter().rev() {
            let tail = &tails[tails.len() - 1] + weight;
            tails.push(tail);
        }
        tails.reverse();
        let total = tails[0].clone();
        let unknown = |bits: usize| Enclosure::from_bounds(IBig::ZERO, IBig::ONE << bits, bits);
        tails.iter().map(|tail| tail.checked_div(&total).unwrap_or_else(|| unknown(tail.bits()))).collect()
    }

    fn table(&self) -> SurvivalTable {
        let mut entries: Vec<Bounds> = self.survivals(96).iter().map(Bounds::of).collect();
        entries.dedup_by(|later, earlier| later.last == 0 && earlier.last == 0);
        SurvivalTable::new(entries)
    }
}

impl Survival for Magnitude {
    fn survival(&self, index: u64, bits: usize) -> Enclosure {
        let survivals = self.survivals(bits);
        let last = survivals.len() - 1;
        match usize::try_from(index) {
            Ok(index) if index < last => survivals[index].clone(),
            // Beyond the window: between nothing and what the window left over.
            _ => Enclosure::from_bounds(IBig::ZERO, survivals[last].upper().clone(), survivals[last].bits()),
        }
    }
}

/// The discrete Gaussian as a unimodal law with mode 0.
#[derive(Debug, Clone)]
struct Centred {
    powers: Powers,
}

impl Centred {
    fn square(offset: i64) -> Option<u64> {
        offset.unsigned_abs().checked_mul(offset.unsigned_abs())
    }
}

impl UnimodalLaw for Centred {
    fn mode(&self) -> i64 {
        0
    }

    fn bounds(&self, offset: i64) -> Bounds {
        Self::square(offset).map_or(Bounds::UNKNOWN, |square| self.powers.bounds(square))
    }

    fn ratio(&self, offset: i64, bits: usize) -> Enclosure {
        let offset = Rational::integer(offset);
        Enclosure::exp_rational(&-(self.powers.rate() * &(&offset * &offset)), bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coarse_survivals_contain_fine_ones_within_the_window_and_beyond() {
        for variance in ["1/10", "1", "30", "2000"] {
            let variance: Rational = variance.parse().unwrap();
            let magnitude = Magnitude { rate: &Rational::new(1, 2u8) / &variance };
            let (coarse, fine) = (magnitude.survivals(20), magnitude.survivals(200));
            assert!(coarse.len() <= fine.len());
            for (index, fine) in fine.iter().enumerate().take(coarse.len()) {
                let coarse = &coarse[index];
                assert!(coarse.lower_rational() <= fine.upper_rational(), "σ² = {variance}, {index}");
                assert!(coarse.upper_rational() >= fine.lower_rational(), "σ² = {variance}, {index}");
            }
            let beyond = magnitude.survival(coarse.len() as u64, 20);
            assert!(fine.get(coarse.len()).is_none_or(|fine| beyond.upper_rational() >= fine.lower_rational()));
        }
    }
}
