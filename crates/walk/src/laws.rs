//! Tilted laws of single cells whose means match all totals: what a whole-table proposal foresees.

use super::space::Space;
use super::target::{OnCells, Target};

/// The tilt, mean and variance of every cell's offset from the centre.
#[derive(Debug)]
pub(super) struct Laws {
    pub(super) tilts: Vec<f64>,
    pub(super) means: Vec<f64>,
    pub(super) variances: Vec<f64>,
}

/// Rounds of matching every row in turn.
const ROUNDS: usize = 200;
/// Means match when no row is farther off than this.
const CLOSE: f64 = 0.01;
/// Cells whose noise reaches farther are not proposed as whole tables.
const FARTHEST: f64 = 1000.0;
/// Weights below e to minus this of the largest do not matter for foresight.
const DEPTH: f64 = 30.0;

impl Laws {
    /// Tilts every row's cells in turn until the means of its cells add up to nothing; `None` when
    /// noise reaches too far.
    pub(super) fn tilted(space: &Space, target: &Target, rows: &[Vec<u32>]) -> Option<Laws> {
        let cells = target.centre.len();
        let rate = target.quick[0];
        let squares = matches!(target.cells, OnCells::Squares);
        let reach = if squares { (DEPTH / rate).sqrt() } else { DEPTH / rate };
        if reach > FARTHEST {
            return None;
        }
        let mut laws = Laws { tilts: vec![0.0; cells], means: vec![0.0; cells], variances: vec![1.0; cells] };
        for place in 0..cells {
            laws.settle(space, target, place);
        }
        // A slope that would move the least energy farther than the noise reaches helps no row.
        let most = if squares { 2.0 * rate * reach } else { 0.9 * rate };
        for _ in 0..ROUNDS {
            let mut farthest = 0.0f64;
            for row in rows {
                let sum = |numbers: &[f64]| row.iter().map(|place| numbers[*place as usize]).sum::<f64>();
                let (mean, variance) = (sum(&laws.means), sum(&laws.variances).max(1e-6));
                farthest = farthest.max(mean.abs());
                if mean.abs() < CLOSE / 4.0 {
                    continue;
                }
                for place in row {
                    let place = *place as usize;
                    laws.tilts[place] = (laws.tilts[place] - mean / variance).clamp(-most, most);
                    laws.settle(space, target, place);
                }
            }
            if farthest < CLOSE {
                break;
            }
        }
        Some(laws)
    }

    /// The mean and variance of a cell with its tilt.
    fn settle(&mut self, space: &Space, target: &Target, place: usize) {
        let rate = target.quick[0];
        let tilt = self.tilts[place];
        let squares = matches!(target.cells, OnCells::Squares);
        let (peak, reach) = if squares {
            ((tilt / (2.0 * rate)).round(), (DEPTH / rate).sqrt())
        } else {
            (0.0, DEPTH / (rate - tilt.abs()))
        };
        let (low, high) = space.bounds[place];
        let centre = target.centre[place];
        let low = low.map_or(f64::NEG_INFINITY, |low| (low - centre) as f64);
        let high = high.map_or(f64::INFINITY, |high| (high - centre) as f64);
        // The least energy within bounds is at the end nearest to where it would be without them.
        let peak = peak.max(low).min(high);
        let (first, last) = ((peak - reach).max(low).ceil() as i64, (peak + reach).min(high).floor() as i64);
        let energy = |offset: i64| {
            let offset = offset as f64;
            (if squares { rate * offset * offset } else { rate * offset.abs() }) - tilt * offset
        };
        let least = energy(peak as i64);
        let (mut sum, mut once, mut twice) = (0.0, 0.0, 0.0);
        for offset in first..=last {
            let weight = (least - energy(offset)).exp();
            let offset = offset as f64;
            sum += weight;
            once += weight * offset;
            twice += weight * offset * offset;
        }
        self.means[place] = once / sum;
        self.variances[place] = (twice / sum - (once / sum).powi(2)).max(1e-6);
    }
}
