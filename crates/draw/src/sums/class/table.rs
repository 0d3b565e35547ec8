//! Draws cells with factors freely: machine numbers decide almost always, the same weights with
//! more bits else.

use super::shape::Tilted;
use super::weighted::NoiseSteps;
use crate::sums::precision::MOST_LEVELS;
use crate::sums::{Ladder, Message, Precision};
use exact::{Decision, Entropy, Positive, Weighted, Wide, choose};

/// The weights of machine numbers that are kept: what is below 2^−56 of the largest is looked for
/// where it is drawn.
const FIRST: Precision = Precision { machine: true, bits: 53, trim: 48 };

/// Parts of the unit interval that the guide tells apart.
const PARTS: usize = 32;

/// One cell with a factor: its cumulative weights.
#[derive(Debug)]
pub(super) struct FreeTable {
    x: i64,
    factor: u32,
    mode: i64,
    /// The offset of the first listed value.
    first: i64,
    /// The shares of the first 1, 2, … values.
    shares: Box<[f64]>,
    /// For every part of the unit interval the number of shares below it: where to look.
    guide: [u32; PARTS + 1],
    /// How near a boundary of shares a number must not be.
    margin: f64,
}

impl FreeTable {
    pub(super) fn new(tilted: &Tilted, x: i64, factor: u32, mode: i64, steps: &NoiseSteps<f64>) -> Self {
        let Message { first, weights, roundings, missing, .. } = tilted.weighted(x, factor).list(mode, steps, FIRST);
        let mut sum = 0.0;
        let mut shares: Vec<f64> = Vec::with_capacity(weights.len());
        for weight in &weights {
            sum += weight;
            shares.push(sum);
        }
        shares.iter_mut().for_each(|share| *share /= sum);
        // As in `Weighted`: generous for the roundings of weights and sums, the missing weight, and
        // the operations here.
        let chain = (roundings + weights.len() as u64 + 2) as f64;
        let margin = 16.0 * chain * 2f64.powi(-53) + 4.0 * missing / sum + 2f64.powi(-49);
        let below = |part: usize| shares.partition_point(|share| *share <= part as f64 / PARTS as f64) as u32;
        let guide = std::array::from_fn(below);
        FreeTable { x, factor, mode, first, guide, shares: shares.into(), margin }
    }

    /// Draws the offset from the mode.
    #[inline]
    pub(super) fn draw<E: Entropy>(&self, entropy: &mut E, tilted: &Tilted) -> i64 {
        let low = tilted.low.unwrap_or(0);
        // Values are numbered from the lower bound: the same order at every level.
        let place = choose(entropy, |level, uniform| match level {
            0 if uniform.known() < 53 => Decision::MorePrecision,
            0 => {
                let number = uniform.leading();
                let part = ((number * PARTS as f64) as usize).min(PARTS - 1);
                let (start, end) = (self.guide[part] as usize, self.guide[part + 1] as usize);
                let index = start + self.shares[start..end].partition_point(|share| *share <= number);
                let above = index < self.shares.len() && number + self.margin < self.shares[index];
                let before = if index == 0 { 0.0 } else { self.shares[index - 1] };
                match above && number - self.margin > before && self.margin < 0.25 {
                    true => Decision::Index((self.mode + self.first - low) as usize + index),
                    false => Decision::MorePrecision,
                }
            }
            level => self.decide(tilted, level.min(MOST_LEVELS), uniform, low),
        });
        low + place as i64 - self.mode
    }

    /// What a level with more bits says.
    fn decide(&self, tilted: &Tilted, level: usize, uniform: &exact::lazy::Uniform, low: i64) -> Decision {
        let precision = Ladder::Standard.level(level + 1);
        let steps: NoiseSteps<Wide> = NoiseSteps::new(tilted, precision.bits);
        let cell = tilted.weighted(self.x, self.factor);
        let Message { first, weights, roundings, missing, .. } = cell.list(self.mode, &steps, precision);
        if weights.iter().all(Positive::is_zero) {
            return Decision::MorePrecision;
        }
        match (Weighted { weights, roundings, missing, bits: precision.bits }).decide(uniform) {
            Decision::Index(index) => Decision::Index((self.mode + first - low) as usize + index),
            undecided => undecided,
        }
    }
}
