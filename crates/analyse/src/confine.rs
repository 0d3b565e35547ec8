//! Bounds of cells that follow from one sum after another: what totals and rules say about counts,
//! step by step.
//!
//! In a sum whose value or bound is known, every cell is at most what the least values of the
//! others leave. Repeated until nothing changes, this finds intervals that hold for every table of
//! the fibre. It is sound and not complete: an interval may be wider than the fibre's own.

use crate::bound::Bound;
use crate::program::{self, divided, multiplied};
use declare::{Conditions, Grouping, NO_GROUP};

/// An interval; either end may be missing.
type Interval = (Option<i64>, Option<i64>);

/// The most rounds over all sums.
const MOST_ROUNDS: usize = 64;

/// A family of sums with the interval of each.
struct Sums<'a> {
    grouping: &'a Grouping,
    bounds: Vec<Interval>,
}

/// Intervals of all cells, each at least `least`; `None` when some sum cannot have its value.
pub(crate) fn confine(conditions: &Conditions, totals: &[Vec<i64>], least: Option<i64>) -> Option<Vec<Interval>> {
    let exactly = |value: &i64| (Some(*value), Some(*value));
    let invariants = conditions.invariants.iter().zip(totals);
    let mut sums: Vec<Sums> =
        invariants.map(|(grouping, values)| Sums { grouping, bounds: values.iter().map(exactly).collect() }).collect();
    for rule in &conditions.rules {
        let bounds = vec![rule.relation.interval(rule.bound); rule.grouping.groups()];
        sums.push(Sums { grouping: &rule.grouping, bounds });
    }
    let mut cells: Vec<Interval> = vec![(least, None); conditions.cells];
    for _ in 0..MOST_ROUNDS {
        let mut changed = false;
        for sums in &sums {
            changed |= sums.narrow(&mut cells)?;
        }
        if !changed {
            break;
        }
    }
    Some(cells)
}

/// The least and the largest value of a cell taken so many times.
fn term((low, high): Interval, times: i64) -> program::Interval {
    multiplied((low.map(i128::from), high.map(i128::from)), times)
}

impl Sums<'_> {
    /// Narrows every cell by every sum it is in; whether anything changed, `None` when a sum is
    /// impossible.
    fn narrow(&self, cells: &mut [Interval]) -> Option<bool> {
        let mut whole = vec![(Bound::default(), Bound::default()); self.bounds.len()];
        let members = || self.grouping.group_of.iter().enumerate().filter(|(_, group)| **group != NO_GROUP);
        for (cell, group) in members() {
            let (low, high) = term(cells[cell], self.grouping.taken(cell));
            whole[*group as usize].0.add(low);
            whole[*group as usize].1.add(high);
        }
        for ((least, most), bound) in whole.iter().zip(&self.bounds) {
            let too_much = bound.1.is_some_and(|bound| least.endless == 0 && least.finite > i128::from(bound));
            let too_little = bound.0.is_some_and(|bound| most.endless == 0 && most.finite < i128::from(bound));
            if too_much || too_little {
                return None;
            }
        }
        let mut changed = false;
        for (cell, group) in members() {
            let (least, most) = whole[*group as usize];
            let (bound_low, bound_high) = self.bounds[*group as usize];
            let times = self.grouping.taken(cell);
            let (low, high) = term(cells[cell], times);
            let at_most = bound_high.and_then(|bound| Some(i128::from(bound) - least.without(low)?));
            let at_least = bound_low.and_then(|bound| Some(i128::from(bound) - most.without(high)?));
            let (at_least, at_most) = divided((at_least, at_most), times);
            if let Some(bound) = at_least.and_then(|bound| i64::try_from(bound).ok())
                && cells[cell].0.is_none_or(|known| bound > known)
            {
                (cells[cell].0, changed) = (Some(bound), true);
            }
            if let Some(bound) = at_most.and_then(|bound| i64::try_from(bound).ok())
                && cells[cell].1.is_none_or(|known| bound < known)
            {
                (cells[cell].1, changed) = (Some(bound), true);
            }
            if cells[cell].0.zip(cells[cell].1).is_some_and(|(low, high)| low > high) {
                return None;
            }
        }
        Some(changed)
    }
}

#[cfg(test)]
mod tests {
    use super::confine;
    use declare::{Conditions, Grouping, NO_GROUP, Relation, RuleRows};

    fn grouping(group_of: &[u32], times: Option<&[i64]>) -> Grouping {
        let groups = group_of.iter().filter(|group| **group != NO_GROUP).max().map_or(0, |group| group + 1);
        let names = (0..groups).map(|group| format!("g = {group}")).collect();
        Grouping { label: "by g".into(), names, group_of: group_of.to_vec(), times: times.map(<[i64]>::to_vec) }
    }

    #[test]
    fn zero_margins_that_cross_leave_one_table() {
        let conditions = Conditions::of_totals(4, vec![grouping(&[0, 0, 1, 1], None), grouping(&[0, 1, 0, 1], None)]);
        let cells = confine(&conditions, &[vec![5, 0], vec![3, 2]], Some(0)).unwrap();
        assert_eq!(cells, [(Some(3), Some(3)), (Some(2), Some(2)), (Some(0), Some(0)), (Some(0), Some(0))]);
    }

    #[test]
    fn rules_confine_and_contradict() {
        let mut conditions = Conditions::of_totals(2, vec![grouping(&[0, 0], None)]);
        let rule = |bound| RuleRows { grouping: grouping(&[0, NO_GROUP], None), relation: Relation::AtLeast, bound };
        conditions.rules.push(rule(8));
        let cells = confine(&conditions, &[vec![8]], Some(0)).unwrap();
        assert_eq!(cells, [(Some(8), Some(8)), (Some(0), Some(0))]);
        conditions.rules.push(rule(9));
        assert!(confine(&conditions, &[vec![8]], Some(0)).is_none());
    }

    #[test]
    fn coefficients_round_inwards() {
        let conditions = Conditions::of_totals(2, vec![grouping(&[0, 0], Some(&[2, 3]))]);
        let cells = confine(&conditions, &[vec![7]], Some(0)).unwrap();
        // 2·2 + 3·1 is the only way.
        assert_eq!(cells, [(Some(2), Some(2)), (Some(1), Some(1))]);
    }
}
