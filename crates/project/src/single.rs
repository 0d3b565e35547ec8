//! One total, by sorting: least squares within bounds, least absolute deviations, and rounding
//! (`proofs/projections.md`, 1).

use crate::convex::even_shares;
use crate::ties::keys;
use analyse::{Demand, Fibre};

/// Cells with bounds and at most one row over all of them.
pub(crate) struct Single<'a> {
    fibre: &'a Fibre,
    /// The coefficient of every cell.
    times: Vec<i64>,
}

impl<'a> Single<'a> {
    /// Of a fibre with at most one row.
    pub fn new(fibre: &'a Fibre) -> Single<'a> {
        let mut times = vec![0; fibre.cells.len()];
        for (place, coefficient) in fibre.rows.iter().flat_map(|row| &row.entries) {
            times[*place as usize] = *coefficient;
        }
        Single { fibre, times }
    }

    /// Whether the row takes every cell once, added or subtracted.
    pub fn is_plain(&self) -> bool {
        self.times.iter().all(|times| times.abs() <= 1)
    }

    /// The total that the row must have when cells alone would make it `sum`: `None` when that is
    /// allowed.
    fn wanted(&self, sum: f64) -> Option<i64> {
        match self.fibre.rows.first().map(|row| row.demand) {
            Some(Demand::Equal(value)) => Some(value),
            Some(Demand::AtLeast(value)) => (sum < value as f64).then_some(value),
            Some(Demand::AtMost(value)) => (sum > value as f64).then_some(value),
            Some(Demand::Noisy { .. }) | None => None,
        }
    }

    /// Whether the bounds of the cells let the row have this value.
    fn reaches(&self, value: i64) -> bool {
        let (mut least, mut most) = (Some(0i128), Some(0i128));
        for (times, (low, high)) in self.times.iter().zip(&self.fibre.bounds).filter(|(times, _)| **times != 0) {
            let (low, high) = if *times > 0 { (low, high) } else { (high, low) };
            let add = |sum: Option<i128>, bound: &Option<i64>| {
                sum.zip(*bound).map(|(sum, bound)| sum + i128::from(bound) * i128::from(*times))
            };
            (least, most) = (add(least, low), add(most, high));
        }
        least.is_none_or(|least| least <= i128::from(value)) && most.is_none_or(|most| most >= i128::from(value))
    }

    fn clamped(&self, place: usize, value: f64) -> f64 {
        let (low, high) = self.fibre.bounds[place];
        let value = low.map_or(value, |low| value.max(low as f64));
        high.map_or(value, |high| value.min(high as f64))
    }

    fn crossed(&self) -> bool {
        self.fibre.bounds.iter().any(|(low, high)| low.zip(*high).is_some_and(|(low, high)| low > high))
    }

    /// The weighted least-squares table: `y = clamp(centre − λ·times/weight)` with the λ that gives
    /// the total.
    ///
    /// The sum falls as λ grows, in straight pieces that end where a cell meets a bound; the ends
    /// are sorted.
    /// `None` when no table has the total within the bounds.
    pub fn least_squares(&self, weight: &[f64], centre: &[f64]) -> Option<Vec<f64>> {
        if self.crossed() {
            return None;
        }
        let start: Vec<f64> = centre.iter().enumerate().map(|(place, value)| self.clamped(place, *value)).collect();
        let sum: f64 = start.iter().zip(&self.times).map(|(value, times)| value * *times as f64).sum();
        let Some(wanted) = self.wanted(sum) else { return Some(start) };
        if !self.reaches(wanted) {
            return None;
        }
        let wanted = wanted as f64;
        // For every cell the λ at which it leaves one bound and meets the other.
        let ends: Vec<(f64, f64)> = (0..centre.len())
            .map(|place| {
                let (low, high) = self.fibre.bounds[place];
                let at = |bound: i64| (centre[place] - bound as f64) * weight[place] / self.times[place] as f64;
                match self.times[place] {
                    0 => (f64::INFINITY, f64::INFINITY),
                    times if times > 0 => (high.map_or(f64::NEG_INFINITY, at), low.map_or(f64::INFINITY, at)),
                    _ => (low.map_or(f64::NEG_INFINITY, at), high.map_or(f64::INFINITY, at)),
                }
            })
            .collect();
        let mut marks: Vec<f64> = ends.iter().flat_map(|(one, other)| [*one, *other]).collect();
        marks.retain(|mark| mark.is_finite());
        marks.sort_unstable_by(f64::total_cmp);
        let sum_at = |lambda: f64| -> f64 {
            (0..centre.len()).map(|place| self.value(place, lambda, weight, centre) * self.times[place] as f64).sum()
        };
        // The last mark whose sum is still at least the total; the sum falls along the marks.
        let above = marks.partition_point(|mark| sum_at(*mark) >= wanted);
        let left = if above == 0 { f64::NEG_INFINITY } else { marks[above - 1] };
        let right = marks.get(above).copied().unwrap_or(f64::INFINITY);
        let is_inside = |place: usize| ends[place].0 <= left && ends[place].1 >= right && self.times[place] != 0;
        let (mut fixed, mut slope) = (-wanted, 0.0);
        let middle = match (left.is_finite(), right.is_finite()) {
            (true, true) => left + (right - left) / 2.0,
            (true, false) => left + 1.0,
            (false, true) => right - 1.0,
            (false, false) => 0.0,
        };
        for place in 0..centre.len() {
            let times = self.times[place] as f64;
            if is_inside(place) {
                fixed += times * centre[place];
                slope += times * times / weight[place];
            } else {
                fixed += times * self.value(place, middle, weight, centre);
            }
        }
        let lambda = if slope > 0.0 { (fixed / slope).clamp(left, right) } else { middle };
        let mut values: Vec<f64> = (0..centre.len()).map(|place| self.value(place, lambda, weight, centre)).collect();
        self.settle(&mut values, wanted, &is_inside);
        Some(values)
    }

    fn value(&self, place: usize, lambda: f64, weight: &[f64], centre: &[f64]) -> f64 {
        let step = if self.times[place] == 0 { 0.0 } else { lambda * self.times[place] as f64 / weight[place] };
        self.clamped(place, centre[place] - step)
    }

    /// Spreads what rounding in the last digits left over among the cells that are not at a bound.
    fn settle(&self, values: &mut [f64], wanted: f64, is_inside: &dyn Fn(usize) -> bool) {
        let free: Vec<usize> = (0..values.len()).filter(|place| is_inside(*place)).collect();
        let square: f64 = free.iter().map(|place| (self.times[*place] as f64).powi(2)).sum();
        if square == 0.0 {
            return;
        }
        let sum: f64 = values.iter().zip(&self.times).map(|(value, times)| value * *times as f64).sum();
        for place in free {
            let moved = values[place] + (wanted - sum) * self.times[place] as f64 / square;
            values[place] = self.clamped(place, moved);
        }
    }

    /// Integers with the least `Σ weight·|y − target|`, for a plain row: what the total lacks goes
    /// to the cells of least weight, evenly as far as their bounds allow, and single units that are
    /// left over where the numbers themselves decide (`ties.rs`).
    /// `None` when there are none.
    pub fn least_absolute(&self, weight: &[f64], target: &[i64]) -> Option<Vec<i64>> {
        if self.crossed() {
            return None;
        }
        let clamp = |(value, (low, high)): (&i64, &(Option<i64>, Option<i64>))| {
            let value = low.map_or(*value, |low| low.max(*value));
            high.map_or(value, |high| high.min(value))
        };
        let mut values: Vec<i64> = target.iter().zip(&self.fibre.bounds).map(clamp).collect();
        let sum: i128 =
            values.iter().zip(&self.times).map(|(value, times)| i128::from(*value) * i128::from(*times)).sum();
        let Some(wanted) = self.wanted(sum as f64) else { return Some(values) };
        if !self.reaches(wanted) {
            return None;
        }
        let lack = i128::from(wanted) - sum;
        let mut left = lack.unsigned_abs();
        let sign = lack.signum() as i64;
        let mut order: Vec<usize> = (0..values.len()).filter(|place| self.times[*place] != 0).collect();
        let key = keys(target.iter().copied());
        order.sort_by(|one, other| weight[*one].total_cmp(&weight[*other]).then(key(*one).cmp(&key(*other))));
        for group in order.chunk_by(|one, other| weight[*one] == weight[*other]) {
            let room = |place: usize| -> u128 {
                let (low, high) = self.fibre.bounds[place];
                let bound = if sign * self.times[place] > 0 { high } else { low };
                bound.map_or(u128::MAX, |bound| (i128::from(bound) - i128::from(values[place])).unsigned_abs())
            };
            let rooms: Vec<u128> = group.iter().map(|place| room(*place)).collect();
            for (place, share) in group.iter().zip(even_shares(&rooms, &mut left)) {
                values[*place] += sign * self.times[*place] * share as i64;
            }
        }
        Some(values)
    }

    /// Integers nearest to real values, for a plain row: every cell down, then up where the
    /// fractions are largest, as far as the total asks. `None` when rounding down or up cannot give
    /// the total.
    pub fn rounded(&self, real: &[f64]) -> Option<Vec<i64>> {
        let signed = |place: usize| if self.times[place] < 0 { -real[place] } else { real[place] };
        let mut values: Vec<i64> = (0..real.len()).map(|place| signed(place).floor() as i64).collect();
        let fraction = |place: usize| signed(place) - signed(place).floor();
        let sum: i128 =
            (0..real.len()).filter(|place| self.times[*place] != 0).map(|place| i128::from(values[place])).sum();
        let mut ups: Vec<bool> = (0..real.len()).map(|place| fraction(place) > 0.5).collect();
        let nearest = sum + ups.iter().zip(&self.times).filter(|(up, times)| **up && **times != 0).count() as i128;
        if let Some(wanted) = self.wanted(nearest as f64) {
            let mut order: Vec<usize> =
                (0..real.len()).filter(|place| self.times[*place] != 0 && fraction(*place) > 0.0).collect();
            order.sort_by(|one, other| fraction(*other).total_cmp(&fraction(*one)));
            let count = usize::try_from(i128::from(wanted) - sum).ok().filter(|count| *count <= order.len())?;
            order.iter().enumerate().for_each(|(rank, place)| ups[*place] = rank < count);
        }
        for place in 0..real.len() {
            values[place] += i64::from(ups[place]);
            if self.times[place] < 0 {
                values[place] = -values[place];
            }
        }
        Some(values)
    }
}
