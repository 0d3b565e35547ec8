//! Limits of what a part may sum to: what the rest of a row can no longer make good is impossible.

use super::{Join, MadeOf};
use crate::sums::{Demand, NetworkClass, NetworkRow};
use std::collections::HashMap;

/// A lower or upper bound of a sum: a finite part, and how many of its terms have no bound.
#[derive(Debug, Clone, Copy, Default)]
struct Bound {
    finite: i128,
    endless: u32,
}

impl Bound {
    fn term(times: i64, cells: usize, bound: Option<i64>) -> Bound {
        match bound {
            Some(bound) => Bound { finite: i128::from(times) * i128::from(bound) * cells as i128, endless: 0 },
            None => Bound { finite: 0, endless: 1 },
        }
    }

    fn plus(self, other: Bound) -> Bound {
        Bound { finite: self.finite + other.finite, endless: self.endless + other.endless }
    }

    /// The bound of what is left of a row outside a part.
    fn without(self, part: Bound) -> Option<i128> {
        (self.endless == part.endless).then_some(self.finite - part.finite)
    }
}

/// The least and the largest value of a class's share of a row.
fn share(class: &NetworkClass, times: i64) -> (Bound, Bound) {
    let (least, most) = if times > 0 { (class.low, class.high) } else { (class.high, class.low) };
    (Bound::term(times, class.cells.len(), least), Bound::term(times, class.cells.len(), most))
}

/// Writes the limits of every form of every part.
pub(super) fn set(classes: &[NetworkClass], rows: &[NetworkRow], joins: &mut [Join]) {
    let whole: Vec<(Bound, Bound)> = rows
        .iter()
        .map(|row| {
            row.entries.iter().fold(Default::default(), |(least, most): (Bound, Bound), (class, times)| {
                let (low, high) = share(&classes[*class as usize], *times);
                (least.plus(low), most.plus(high))
            })
        })
        .collect();
    let mut columns: Vec<Vec<(u32, i64)>> = vec![Vec::new(); classes.len()];
    for (number, row) in rows.iter().enumerate() {
        row.entries.iter().for_each(|(class, times)| columns[*class as usize].push((number as u32, *times)));
    }
    // For every part and every row that it does not contain wholly: the form, the factor and the bounds inside.
    type Open = HashMap<u32, (u32, i64, Bound, Bound)>;
    let mut open: Vec<Open> = Vec::with_capacity(joins.len());
    for join in joins.iter_mut() {
        let mut here: Open = HashMap::new();
        match join.made_of {
            MadeOf::Class(class) => {
                for (row, times) in &columns[class as usize] {
                    let (least, most) = share(&classes[class as usize], *times);
                    here.insert(*row, (0, *times, least, most));
                }
            }
            MadeOf::Parts(first, second) => {
                let (one, two) =
                    (std::mem::take(&mut open[first as usize]), std::mem::take(&mut open[second as usize]));
                let forms = &join.forms;
                let place = |terms: super::Terms| {
                    let (terms, factor) = super::reduced(terms.0, terms.1);
                    let form = forms.iter().position(|form| (form.first, form.second) == terms);
                    form.map(|form| (form as u32, factor))
                };
                for row in one.keys().chain(two.keys().filter(|row| !one.contains_key(row))) {
                    let (a, b) = (one.get(row), two.get(row));
                    let term = |side: Option<&(u32, i64, Bound, Bound)>| side.map(|(form, times, ..)| (*form, *times));
                    let bound = |side: Option<&(u32, i64, Bound, Bound)>| {
                        side.map_or_else(Default::default, |(_, _, least, most)| (*least, *most))
                    };
                    let ((least, most), (other_least, other_most)) = (bound(a), bound(b));
                    if let Some((form, factor)) = place((term(a), term(b))) {
                        here.insert(*row, (form, factor, least.plus(other_least), most.plus(other_most)));
                    }
                }
            }
        }
        for (row, (form, factor, least, most)) in &here {
            let (row_least, row_most) = whole[*row as usize];
            let (outside_least, outside_most) = (row_least.without(*least), row_most.without(*most));
            let (low, high) = match rows[*row as usize].demand {
                Demand::Equal(value) => (
                    outside_most.map(|most| i128::from(value) - most),
                    outside_least.map(|least| i128::from(value) - least),
                ),
                Demand::AtLeast(value) => (outside_most.map(|most| i128::from(value) - most), None),
                Demand::AtMost(value) => (None, outside_least.map(|least| i128::from(value) - least)),
                Demand::Noisy { .. } => (None, None),
            };
            narrow(&mut join.limits[*form as usize], *factor, low, high);
            let inside = |bound: &Bound| (bound.endless == 0).then_some(bound.finite);
            narrow(&mut join.limits[*form as usize], *factor, inside(least), inside(most));
        }
        // Rows that end here are not open in later parts.
        for form in &join.forms {
            form.ending.iter().for_each(|(row, _)| {
                here.remove(row);
            });
        }
        open.push(here);
    }
}

/// `low ≤ factor·value ≤ high`, as limits of the value.
fn narrow(limits: &mut (Option<i64>, Option<i64>), factor: i64, low: Option<i128>, high: Option<i128>) {
    let factor = i128::from(factor);
    let (low, high) = if factor > 0 { (low, high) } else { (high.map(|high| -high), low.map(|low| -low)) };
    let size = factor.abs();
    if let Some(low) = low.map(|low| low.div_euclid(size) + i128::from(low.rem_euclid(size) != 0))
        && let Ok(low) = i64::try_from(low)
    {
        limits.0 = Some(limits.0.map_or(low, |known| known.max(low)));
    }
    if let Some(high) = high.map(|high| high.div_euclid(size))
        && let Ok(high) = i64::try_from(high)
    {
        limits.1 = Some(limits.1.map_or(high, |known| known.min(high)));
    }
}
