//! Limits of what a part may sum to: what the rest of a row can no longer make good is impossible.

use super::{Join, MadeOf};
use crate::bound::Bound;
use crate::program::{divided, multiplied};
use crate::sums::{NetworkClass, NetworkRow};
use std::collections::HashMap;

/// The least and the largest value of a class's share of a row.
fn share(class: &NetworkClass, times: i64) -> (Bound, Bound) {
    let wide = |end: Option<i64>| end.map(|end| i128::from(end) * class.cells.len() as i128);
    let (least, most) = multiplied((wide(class.low), wide(class.high)), times);
    (Bound::of(least), Bound::of(most))
}

/// Writes the limits of every form of every part.
pub(super) fn set(classes: &[NetworkClass], rows: &[NetworkRow], columns: &[Vec<(u32, i64)>], joins: &mut [Join]) {
    let whole: Vec<(Bound, Bound)> = rows
        .iter()
        .map(|row| {
            row.entries.iter().fold(Default::default(), |(least, most): (Bound, Bound), (class, times)| {
                let (low, high) = share(&classes[*class as usize], *times);
                (least.plus(low), most.plus(high))
            })
        })
        .collect();
    // For every part and every row that it does not contain wholly: the form, the factor and the
    // bounds inside.
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
            let (outside_least, outside_most) = (row_least.outside(*least), row_most.outside(*most));
            let (low, high) = rows[*row as usize].demand.interval().unwrap_or((None, None));
            let less = |end: Option<i128>, outside: Option<i128>| Some(end? - outside?);
            let (low, high) = (less(low, outside_most), less(high, outside_least));
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
    let (low, high) = divided((low, high), factor);
    if let Some(low) = low.and_then(|low| i64::try_from(low).ok()) {
        limits.0 = Some(limits.0.map_or(low, |known| known.max(low)));
    }
    if let Some(high) = high.and_then(|high| i64::try_from(high).ok()) {
        limits.1 = Some(limits.1.map_or(high, |known| known.min(high)));
    }
}
