//! `Space`: where a walk may go, and how far each step moves the sums that are not fixed.

use analyse::{Demand, Fibre};

/// The bounds of cells, and the sums that a step may change: those that are bounded and those that
/// carry noise.
#[derive(Debug, Clone)]
pub(crate) struct Space {
    pub(crate) bounds: Vec<(Option<i64>, Option<i64>)>,
    pub(crate) rows: Vec<Tracked>,
    /// For every place the tracked rows it is in, with its coefficient.
    rows_of: Vec<Vec<(u32, i64)>>,
}

/// A sum that a step may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tracked {
    /// It is at least this.
    AtLeast(i64),
    /// It is at most this.
    AtMost(i64),
    /// It carries the noise of this query.
    Noisy {
        query: u32,
        group: u32,
        /// What cells outside the block add to it.
        fixed: i64,
    },
}

impl Tracked {
    /// Whether the sum may be this.
    #[inline]
    fn allows(self, sum: i64) -> bool {
        match self {
            Tracked::AtLeast(bound) => sum >= bound,
            Tracked::AtMost(bound) => sum <= bound,
            Tracked::Noisy { .. } => true,
        }
    }
}

/// Whether a value is between bounds.
#[inline]
pub(crate) fn within(value: i64, (low, high): (Option<i64>, Option<i64>)) -> bool {
    low.is_none_or(|low| value >= low) && high.is_none_or(|high| value <= high)
}

/// A direction: what one unit of it adds to cells and to tracked rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) cells: Vec<(u32, i64)>,
    pub(crate) rows: Vec<(u32, i64)>,
}

/// A table of the fibre, with the sums that are kept up to date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// The values of the cells.
    pub values: Vec<i64>,
    pub(crate) sums: Vec<i64>,
    /// The squared distance to the centre, where the law needs it.
    pub(crate) squares: i128,
}

impl Space {
    pub(crate) fn new(fibre: &Fibre) -> Space {
        let mut rows = Vec::new();
        let mut rows_of = vec![Vec::new(); fibre.cells.len()];
        for row in &fibre.rows {
            let tracked = match row.demand {
                Demand::Equal(_) => continue,
                Demand::AtLeast(bound) => Tracked::AtLeast(bound),
                Demand::AtMost(bound) => Tracked::AtMost(bound),
                Demand::Noisy { query, group, fixed } => Tracked::Noisy { query, group, fixed },
            };
            for (place, times) in &row.entries {
                rows_of[*place as usize].push((rows.len() as u32, *times));
            }
            rows.push(tracked);
        }
        Space { bounds: fibre.bounds.clone(), rows, rows_of }
    }

    /// Whether something other than equalities confines the tables.
    pub(crate) fn is_bounded(&self) -> bool {
        self.bounds.iter().any(|(low, high)| low.is_some() || high.is_some())
            || self.rows.iter().any(|row| !matches!(row, Tracked::Noisy { .. }))
    }

    /// A direction with what it adds to tracked rows.
    pub(crate) fn step(&self, cells: &[(u32, i64)]) -> Step {
        let touched = cells.iter().flat_map(|(place, times)| {
            self.rows_of[*place as usize].iter().map(move |(row, coefficient)| (*row, times * coefficient))
        });
        Step { cells: cells.to_vec(), rows: added_up(touched.collect()) }
    }

    /// The sums of the tracked rows.
    pub(crate) fn sums(&self, values: &[i64]) -> Vec<i64> {
        let mut sums = vec![0; self.rows.len()];
        for (value, rows) in values.iter().zip(&self.rows_of) {
            rows.iter().for_each(|(row, times)| sums[*row as usize] += value * times);
        }
        sums
    }

    /// Whether a table keeps the comparisons of sums; bounds of cells are not looked at.
    pub(crate) fn keeps_rules(&self, values: &[i64]) -> bool {
        self.rows.is_empty() || self.keeps(&self.sums(values))
    }

    /// Whether sums of the tracked rows keep what is asked of them.
    pub(crate) fn keeps(&self, sums: &[i64]) -> bool {
        self.rows.iter().zip(sums).all(|(row, sum)| row.allows(*sum))
    }

    /// Whether so many units of a direction stay within bounds.
    #[inline]
    pub(crate) fn allows(&self, state: &State, step: &Step, units: i64) -> bool {
        let cell = |(place, times): &(u32, i64)| {
            within(state.values[*place as usize] + units * times, self.bounds[*place as usize])
        };
        let row =
            |(row, times): &(u32, i64)| self.rows[*row as usize].allows(state.sums[*row as usize] + units * times);
        step.cells.iter().all(cell) && step.rows.iter().all(row)
    }

    /// The least and the largest number of units of a direction that stay within bounds.
    pub(crate) fn reach(&self, state: &State, step: &Step) -> (Option<i64>, Option<i64>) {
        let mut reach = (None, None);
        for (place, times) in &step.cells {
            let (low, high) = self.bounds[*place as usize];
            let value = state.values[*place as usize];
            if let Some(low) = low {
                at_least(&mut reach, *times, low - value);
            }
            if let Some(high) = high {
                at_least(&mut reach, -times, value - high);
            }
        }
        for (row, times) in &step.rows {
            let sum = state.sums[*row as usize];
            match self.rows[*row as usize] {
                Tracked::AtLeast(bound) => at_least(&mut reach, *times, bound - sum),
                Tracked::AtMost(bound) => at_least(&mut reach, -times, sum - bound),
                Tracked::Noisy { .. } => {}
            }
        }
        reach
    }
}

/// Entries in order, those of one place added up, none zero.
pub fn added_up(mut entries: Vec<(u32, i64)>) -> Vec<(u32, i64)> {
    entries.sort_unstable_by_key(|(place, _)| *place);
    entries.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        kept.1 += if same { next.1 } else { 0 };
        same
    });
    entries.retain(|(_, times)| *times != 0);
    entries
}

/// Narrows a range of units w by `times·w ≥ bound`.
fn at_least((low, high): &mut (Option<i64>, Option<i64>), times: i64, bound: i64) {
    if times > 0 {
        let least = -(-bound).div_euclid(times);
        *low = Some(low.map_or(least, |low| low.max(least)));
    } else {
        let most = (-bound).div_euclid(-times);
        *high = Some(high.map_or(most, |high| high.min(most)));
    }
}
