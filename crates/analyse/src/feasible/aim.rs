//! A point of machine numbers well inside a fibre: what integer tables are looked for around.
//!
//! Nothing is decided here, so rounding does no harm. Tables of counts are fitted in proportion,
//! which keeps every cell above zero; anything else is moved to one row or bound after the other.

use crate::fibre::Fibre;
use crate::sums::Demand;

/// How often all rows are gone through.
pub(super) const SWEEPS: usize = 200;

/// Where to look, after so many sweeps over the rows.
pub(super) fn aim(fibre: &Fibre, sweeps: usize) -> Vec<f64> {
    let counts = fibre.bounds.iter().all(|(low, _)| low.is_some())
        && fibre.rows.iter().all(|row| match row.demand {
            Demand::Equal(_) => row.entries.iter().all(|(_, times)| *times > 0),
            _ => true,
        });
    let point = if counts { proportional(fibre, sweeps) } else { projected(fibre, sweeps) };
    if point.iter().all(|value| value.is_finite() && value.abs() < 1e15) {
        return point;
    }
    fibre.bounds.iter().map(|(low, high)| low.or(*high).unwrap_or(0) as f64).collect()
}

/// What is above the lower bounds, scaled so that one row after the other has its value.
fn proportional(fibre: &Fibre, sweeps: usize) -> Vec<f64> {
    let low: Vec<f64> = fibre.bounds.iter().map(|(low, _)| low.unwrap_or(0) as f64).collect();
    let mut above = vec![1.0f64; low.len()];
    for _ in 0..sweeps {
        for row in &fibre.rows {
            let cells = || row.entries.iter().map(|(cell, times)| (*cell as usize, *times as f64));
            let base: f64 = cells().map(|(cell, times)| times * low[cell]).sum();
            let sum: f64 = cells().map(|(cell, times)| times * above[cell]).sum();
            let factor = match row.demand {
                Demand::Equal(value) => (value as f64 - base).max(0.0) / sum,
                Demand::AtLeast(bound) if base + sum < bound as f64 => (bound as f64 - base) / sum,
                Demand::AtMost(bound) if base + sum > bound as f64 => (bound as f64 - base) / sum,
                _ => continue,
            };
            if factor.is_finite() && factor >= 0.0 {
                cells().filter(|(_, times)| *times > 0.0).for_each(|(cell, _)| above[cell] *= factor);
            }
        }
        for ((above, (_, high)), low) in above.iter_mut().zip(&fibre.bounds).zip(&low) {
            *above = above.min(high.map_or(f64::INFINITY, |high| high as f64 - low));
        }
    }
    low.iter().zip(&above).map(|(low, above)| low + above).collect()
}

/// The nearest point of one row or bound after the other.
fn projected(fibre: &Fibre, sweeps: usize) -> Vec<f64> {
    let within = |value: f64, (low, high): &(Option<i64>, Option<i64>)| {
        value.max(low.map_or(f64::NEG_INFINITY, |low| low as f64)).min(high.map_or(f64::INFINITY, |high| high as f64))
    };
    let mut point: Vec<f64> = fibre.bounds.iter().map(|bounds| within(0.0, bounds)).collect();
    for _ in 0..sweeps {
        for row in &fibre.rows {
            let sum: f64 = row.entries.iter().map(|(cell, times)| *times as f64 * point[*cell as usize]).sum();
            let missing = match row.demand {
                Demand::Equal(value) => value as f64 - sum,
                Demand::AtLeast(bound) => (bound as f64 - sum).max(0.0),
                Demand::AtMost(bound) => (bound as f64 - sum).min(0.0),
                Demand::Noisy { .. } => continue,
            };
            let squared: f64 = row.entries.iter().map(|(_, times)| (*times as f64).powi(2)).sum();
            for (cell, times) in &row.entries {
                point[*cell as usize] += missing * *times as f64 / squared;
            }
        }
        point.iter_mut().zip(&fibre.bounds).for_each(|(value, bounds)| *value = within(*value, bounds));
    }
    point
}
