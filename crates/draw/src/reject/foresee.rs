//! How many attempts a draw takes, from public values alone.
//!
//! The totals say how large counts are on average: the smoothest table that has them, by iterated
//! scaling. The confidential table is rougher, so every count is taken to lie above its bound by a
//! geometric variable with that mean, and below what the totals leave for it: noise wider than the
//! totals breaks one of both. What the noise of a cell then breaks on average, added up over all
//! cells and rules as if they broke independently, is the logarithm of the attempts. It decides
//! whether the operator is used and what time is predicted, never what is drawn.

use super::Relaxed;
use crate::law::{Growth, NoiseLaw};
use analyse::{Demand, Fibre};
use exact::attention::look;
use std::collections::HashMap;

/// Sweeps over all totals until the table has them, about.
const SWEEPS: usize = 200;
/// Totals that are nearer than this to theirs are reached.
const NEAR: f64 = 1e-6;
/// Points at which a chance is added up, for every scale of the noise.
const POINTS: f64 = 16.0;
/// Noise is not expected so many scales from zero.
const FARTHEST: f64 = 40.0;

impl Relaxed {
    /// The logarithm of the attempts that a draw takes on a table that is as uneven as its totals
    /// let expect.
    ///
    /// # Errors
    /// In words, when the totals do not say how far counts are from their bounds, or no smooth
    /// table keeps the rules.
    pub fn log_attempts(&self, law: &NoiseLaw) -> Result<f64, String> {
        let room = self.room()?;
        let free: usize = self.parts.iter().map(|(places, _)| places.len()).sum();
        let noise = Spread::new(law, free);
        let mut sum = 0.0;
        let most = self.most_room();
        // Cells of the same totals have the same room.
        let mut known: HashMap<(u64, u64), f64> = HashMap::new();
        for (place, room) in room.iter().enumerate() {
            let Some(room) = room else { continue };
            if self.fibre.bounds[place] != (None, None) {
                sum += *known.entry((room.to_bits(), most[place].to_bits())).or_insert_with(|| {
                    look();
                    noise.misses(*room, most[place], 1.0)
                });
            }
        }
        for row in &self.fibre.rows {
            let side = match row.demand {
                Demand::AtLeast(bound) => (1.0, bound),
                Demand::AtMost(bound) => (-1.0, bound),
                Demand::Equal(_) | Demand::Noisy { .. } => continue,
            };
            let (mut value, mut square) = (0.0, 0.0);
            for (place, times) in &row.entries {
                let least = self.fibre.bounds[*place as usize].0.unwrap_or(0) as f64;
                value += *times as f64 * (least + room[*place as usize].unwrap_or(0.0));
                square += if room[*place as usize].is_some() { (*times as f64).powi(2) } else { 0.0 };
            }
            let slack = side.0 * (value - side.1 as f64);
            if slack < 0.0 && square > 0.0 {
                return Err(
                    "the smoothest table that has the totals breaks a rule, so that its attempts are not known"
                        .to_owned(),
                );
            }
            sum += noise.misses(slack, f64::INFINITY, square.sqrt());
        }
        Ok(sum)
    }

    /// How far every cell can be above its least value: up to its largest value, or until the
    /// totals leave the others nothing.
    fn most_room(&self) -> Vec<f64> {
        let ends = |bounds: &(Option<i64>, Option<i64>)| match bounds {
            (Some(low), Some(high)) => high.saturating_sub(*low) as f64,
            _ => f64::INFINITY,
        };
        let mut most: Vec<f64> = self.fibre.bounds.iter().map(ends).collect();
        for (entries, rest) in scaled_rows(&self.fibre) {
            for (place, times) in entries {
                most[place as usize] = most[place as usize].min(rest / times);
            }
        }
        most
    }

    /// How far every cell is above its least value in the smoothest table that has the totals;
    /// `None`: it is settled.
    fn room(&self) -> Result<Vec<Option<f64>>, String> {
        let fibre = &self.fibre;
        let mut room: Vec<Option<f64>> = vec![Some(1.0); fibre.cells.len()];
        self.settled.iter().for_each(|(place, _)| room[*place as usize] = None);
        let rows = scaled_rows(fibre);
        let mut known = vec![false; fibre.cells.len()];
        rows.iter().flat_map(|(entries, _)| entries.iter()).for_each(|(place, _)| known[*place as usize] = true);
        let bounded = |place: usize| fibre.bounds[place] != (None, None);
        if (0..fibre.cells.len()).any(|place| room[place].is_some() && bounded(place) && !known[place]) {
            return Err("no total says how far some counts are from their bounds".to_owned());
        }
        for _ in 0..SWEEPS {
            look();
            let mut farthest = 0.0f64;
            for (entries, rest) in &rows {
                let sum: f64 = entries.iter().map(|(place, times)| times * room[*place as usize].unwrap_or(0.0)).sum();
                if sum <= 0.0 {
                    continue;
                }
                let factor = rest / sum;
                farthest = farthest.max((factor - 1.0).abs());
                for (place, _) in entries {
                    room[*place as usize] = room[*place as usize].map(|room| room * factor);
                }
            }
            if farthest < NEAR {
                break;
            }
        }
        Ok(room)
    }
}

/// A sum of cells that are above their least values, and what is left for them together.
type ScaledRow = (Vec<(u32, f64)>, f64);

/// The equalities over cells with least values, all with coefficients above zero.
fn scaled_rows(fibre: &Fibre) -> Vec<ScaledRow> {
    let row = |(entries, value): (&[(u32, i64)], i64)| {
        let mut rest = value as f64;
        let mut scaled = Vec::with_capacity(entries.len());
        for (place, times) in entries {
            let least = fibre.bounds[*place as usize].0?;
            rest -= *times as f64 * least as f64;
            scaled.push((*place, *times as f64));
        }
        (rest >= 0.0 && scaled.iter().all(|(_, times)| *times > 0.0)).then_some((scaled, rest))
    };
    fibre.equalities().filter_map(row).collect()
}

/// The noise of one cell, as far as it breaks bounds.
struct Spread {
    deviation: f64,
    /// Whether its tails fall with the square of the distance.
    is_square: bool,
}

impl Spread {
    fn new(law: &NoiseLaw, cells: usize) -> Spread {
        // The norm of lattice Laplace noise on n cells is about n/ε', shared out among them.
        let shared = (cells as f64).sqrt() / law.parameter().to_f64();
        let deviation = law.variance().map_or(shared, f64::sqrt);
        Spread { deviation, is_square: law.growth() != Growth::Absolute }
    }

    /// The chance that a sum, with `times` the deviation of a cell, falls more than `slack` below
    /// zero.
    fn below(&self, slack: f64, times: f64) -> f64 {
        let distance = (slack + 0.5) / (self.deviation * times).max(1e-9);
        match self.is_square {
            true => normal_tail(distance),
            false => 0.5 * (-std::f64::consts::SQRT_2 * distance).exp(),
        }
    }

    /// −ln of the chance that both bounds hold, on average over a geometric slack with this mean
    /// above the lower one; the upper one is `most` away from it.
    fn misses(&self, mean: f64, most: f64, times: f64) -> f64 {
        let mean = mean.clamp(0.0, most);
        let ratio = mean / (1.0 + mean);
        let step = (self.deviation * times / POINTS).min(most / POINTS).floor().max(1.0);
        let points = (FARTHEST * POINTS) as usize;
        let mut sum = 0.0;
        for point in 0..points {
            let slack = point as f64 * step;
            if slack > most {
                break;
            }
            // The chance that the slack lies within this step.
            let here = ratio.powf(slack) * (1.0 - ratio.powf(step));
            let broken = self.below(slack, times) + self.below(most - slack, times);
            let missed = if broken < 1.0 - 1e-12 { -(-broken).ln_1p() } else { 27.0 };
            sum += here * missed;
            if here < 1e-18 || missed < 1e-18 {
                break;
            }
        }
        // Slacks beyond `most` do not exist; those beyond the last step keep their bounds.
        sum / (1.0 - ratio.powf(most + 1.0))
    }
}

/// The upper tail of the normal law, about: below it by less than one part in a hundred.
fn normal_tail(x: f64) -> f64 {
    let density = (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let factor = 1.0 / (1.0 + 0.231_641_9 * x);
    let series = factor
        * (0.319_381_53
            + factor
                * (-0.356_563_782 + factor * (1.781_477_937 + factor * (-1.821_255_978 + factor * 1.330_274_429))));
    (density * series).max(0.0)
}
