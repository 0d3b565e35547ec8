//! How often true counts lie within the reach of the noise around released ones.

use audit::comparison::Coverage;
use audit::measure::Summary;
use plan::law_of_part;
use prepare::Mechanism;
use publish::Intervals;

/// The level of intervals.
const LEVEL: f64 = 0.9;

/// Counts that are compared with the reach of noise, draw by draw.
pub(super) struct Covered {
    stated: bool,
    /// Of every cell; one for all of them where they are the same.
    reach: Vec<f64>,
    right: Summary,
}

impl Covered {
    /// The intervals that a release of this mechanism states; where it states none, those of its
    /// noise before anything else. `None`: its noise has no law of single counts.
    pub(super) fn new(mechanism: &Mechanism) -> Option<Covered> {
        let Mechanism { plan, case, counts, .. } = mechanism;
        let conditions = &case.conditions;
        let right = Summary::default();
        if let Ok(intervals) = Intervals::of(plan, conditions, None) {
            let reach = (0..counts.len()).map(|cell| intervals.reach(cell) as f64).collect();
            return Some(Covered { stated: true, reach, right });
        }
        if !plan.queries.is_empty() {
            return None;
        }
        let half = law_of_part(&plan.law, 1, None)?;
        let mut within = 0.0;
        let mut reach = 0;
        for (size, probability) in half.iter().enumerate() {
            within += if size == 0 { *probability } else { 2.0 * probability };
            reach = size;
            if within >= LEVEL {
                break;
            }
        }
        Some(Covered { stated: false, reach: vec![reach as f64], right })
    }

    fn reach(&self, cell: usize) -> f64 {
        if self.reach.len() == 1 { self.reach[0] } else { self.reach[cell] }
    }

    /// One draw.
    pub(super) fn add(&mut self, values: &[f64], truth: &[i64]) {
        let within =
            |(cell, (value, truth)): &(usize, (&f64, &i64))| (*value - **truth as f64).abs() <= self.reach(*cell);
        let right = values.iter().zip(truth).enumerate().filter(within).count();
        self.right.push(right as f64 / truth.len().max(1) as f64);
    }

    pub(super) fn finish(self) -> Coverage {
        let ends = self
            .reach
            .iter()
            .fold((f64::INFINITY, 0.0f64), |(least, most), reach| (least.min(*reach), most.max(*reach)));
        let reach = if ends.0.is_finite() { (ends.0 as u64, ends.1 as u64) } else { (0, 0) };
        Coverage { stated: self.stated, reach, right: self.right }
    }
}
