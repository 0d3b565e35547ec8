//! `Convex`: costs of integers that rise ever faster: sums of weighted distances, by their slopes.

/// A convex cost of an integer, up to a constant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Convex {
    /// The slope below all jumps.
    start: i128,
    /// Where the slope grows, and to what: from `f` to `f + 1` all jumps at or below f have
    /// happened. Sorted.
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
        self.jumps.iter_mut().for_each(|(_, slope)| *slope -= most);
        for (place, jump) in [(below, middle + most), (below + 1, most - middle)] {
            if jump > 0 {
                let at = self.jumps.partition_point(|(other, _)| *other < place);
                if self.jumps.get(at).is_none_or(|(other, _)| *other != place) {
                    self.jumps.insert(at, (place, self.before(at)));
                }
                self.jumps[at..].iter_mut().for_each(|(_, slope)| *slope += jump);
            }
        }
    }

    /// From pieces of slopes that grow, with their lengths, left to right from a place.
    pub fn from_pieces(left: i64, pieces: impl Iterator<Item = (i128, i64)>) -> Convex {
        let mut cost = Convex::default();
        let (mut place, mut is_first) = (left, true);
        for (slope, length) in pieces {
            if is_first {
                cost.start = slope;
            } else if slope > cost.before(cost.jumps.len()) {
                cost.jumps.push((place, slope));
            }
            is_first = false;
            place += length;
        }
        cost
    }

    /// The slope before the jump of this number.
    fn before(&self, jump: usize) -> i128 {
        if jump == 0 { self.start } else { self.jumps[jump - 1].1 }
    }

    /// What the next unit costs, and how many units cost the same.
    pub fn up(&self, at: i64) -> (i128, i64) {
        let done = self.jumps.partition_point(|(place, _)| *place <= at);
        (self.before(done), self.jumps.get(done).map_or(i64::MAX, |(place, _)| place - at))
    }

    /// What taking a unit away costs, and how many units cost the same.
    pub fn down(&self, at: i64) -> (i128, i64) {
        let done = self.jumps.partition_point(|(place, _)| *place < at);
        (-self.before(done), if done == 0 { i64::MAX } else { at - self.jumps[done - 1].0 })
    }

    /// The least and the largest of the cheapest integers, `None` where there is no end.
    fn cheapest(&self) -> (Option<i64>, Option<i64>) {
        let first = |reached: &dyn Fn(i128) -> bool| match reached(self.start) {
            true => None,
            false => self.jumps.iter().find(|(_, slope)| reached(*slope)).map(|(place, _)| *place),
        };
        (first(&|slope| slope >= 0), first(&|slope| slope > 0))
    }

    /// The cheapest integer within bounds that is nearest to a wish.
    pub fn cheapest_near(&self, wish: i64, low: i64, high: i64) -> i64 {
        let (least, most) = self.cheapest();
        let wish = least.map_or(wish, |least| wish.max(least));
        most.map_or(wish, |most| wish.min(most)).clamp(low, high)
    }
}

/// Shares of an amount, as even as rooms allow; what finds no room stays in the amount. Single
/// units go to the first with room.
pub(crate) fn even_shares(rooms: &[u128], amount: &mut u128) -> Vec<u128> {
    let mut sorted = rooms.to_vec();
    sorted.sort_unstable();
    let (mut level, mut used) = (0u128, 0u128);
    for (rank, room) in sorted.iter().enumerate() {
        let open = (sorted.len() - rank) as u128;
        let rise = (room - level).min((*amount - used) / open);
        level += rise;
        used += rise * open;
        if level < *room {
            break;
        }
    }
    let mut extra = *amount - used;
    let share = |room: &u128| {
        let more = extra > 0 && *room > level;
        extra -= u128::from(more);
        level.min(*room) + u128::from(more)
    };
    let shares = rooms.iter().map(share).collect();
    *amount = extra;
    shares
}
