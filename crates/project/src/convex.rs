//! `Convex`: costs of integers that rise ever faster: sums of weighted distances, by their slopes.

/// A convex cost of an integer, up to a constant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Convex {
    /// The slope below all jumps.
    start: i128,
    /// Where the slope grows, by how much: from `f` to `f + 1` all jumps at or below f have happened. Sorted.
    jumps: Vec<(i64, i128)>,
}

/// The unit of slopes: fractions and weights are told apart to this part of the largest weight.
pub(crate) const UNIT: i64 = 1 << 40;

/// Weights as integers, the largest [`UNIT`].
pub(crate) fn whole_weights(weights: &[f64]) -> Vec<i64> {
    let most = weights.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    weights.iter().map(|weight| ((weight / most * UNIT as f64).round() as i64).max(1)).collect()
}

impl Convex {
    /// Adds `weight·|times·f − target|` for integers.
    pub fn add_distance(&mut self, weight: i64, times: i64, target: i64) {
        let (weight, times, target) =
            (i128::from(weight), i128::from(times.abs()), i128::from(target * times.signum()));
        let below = target.div_euclid(times);
        let middle = weight * ((times * (below + 1) - target).abs() - (times * below - target).abs());
        self.add(below as i64, weight * times, middle);
    }

    /// Adds `weight·|f − target|` for a real target.
    pub fn add_distance_to_real(&mut self, weight: i64, target: f64) {
        let below = target.floor();
        let middle = ((1.0 - 2.0 * (target - below)) * weight as f64).round() as i128;
        self.add(below as i64, i128::from(weight), middle);
    }

    /// Slope −most below `below`, `middle` on the step above it, then +most.
    fn add(&mut self, below: i64, most: i128, middle: i128) {
        self.start -= most;
        for (place, jump) in [(below, middle + most), (below + 1, most - middle)] {
            if jump > 0 {
                let at = self.jumps.partition_point(|(other, _)| *other < place);
                match self.jumps.get_mut(at) {
                    Some((other, sum)) if *other == place => *sum += jump,
                    _ => self.jumps.insert(at, (place, jump)),
                }
            }
        }
    }

    /// What the next unit costs, and how many units cost the same.
    pub fn up(&self, at: i64) -> (i128, i64) {
        let mut slope = self.start;
        for (place, jump) in &self.jumps {
            if *place > at {
                return (slope, place - at);
            }
            slope += jump;
        }
        (slope, i64::MAX)
    }

    /// What taking a unit away costs, and how many units cost the same.
    pub fn down(&self, at: i64) -> (i128, i64) {
        let (mut slope, mut room) = (self.start, i64::MAX);
        for (place, jump) in self.jumps.iter().take_while(|(place, _)| *place < at) {
            slope += jump;
            room = at - place;
        }
        (-slope, room)
    }

    /// The least and the largest of the cheapest integers, `None` where there is no end.
    pub fn cheapest(&self) -> (Option<i64>, Option<i64>) {
        let (mut slope, mut low, mut high) = (self.start, None, None);
        for (place, jump) in &self.jumps {
            if slope < 0 && slope + jump >= 0 {
                low = Some(*place);
            }
            if slope <= 0 && slope + jump > 0 {
                high = Some(*place);
            }
            slope += jump;
        }
        (low, high)
    }
}
