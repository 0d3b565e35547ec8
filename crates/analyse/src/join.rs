//! The order in which the parts of a network are joined, and the forms that each part remembers.

mod limits;

use crate::number::gcd;
use crate::sums::{NetworkClass, NetworkRow, columns};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// One part of a network: a class, or two parts joined.
#[derive(Debug, Clone, PartialEq)]
pub struct Join {
    /// What it is made of.
    pub made_of: MadeOf,
    /// Its forms: first those that it remembers, then those that end here.
    pub forms: Vec<Form>,
    /// How many of the forms it remembers.
    pub remembered: usize,
    /// For every form the least and the largest value that the rest of the block can complete,
    /// where there are such.
    pub limits: Vec<(Option<i64>, Option<i64>)>,
    /// The number of its cells.
    pub cells: usize,
}

/// What a part is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MadeOf {
    /// One class; its only form is the sum of its cells.
    Class(u32),
    /// Two earlier parts.
    Parts(u32, u32),
}

/// A form of a part in terms of what its two parts remember; of a class: its sum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    /// The form of the first part and how often it is taken, if any.
    pub first: Option<(u32, i64)>,
    /// The form of the second part and how often it is taken, if any.
    pub second: Option<(u32, i64)>,
    /// Rows that lie wholly in the part and were not in either of its parts: the row is the form so
    /// many times.
    pub ending: Vec<(u32, i64)>,
}

/// A form of each of two parts with how often it is taken, if any.
type Terms = (Option<(u32, i64)>, Option<(u32, i64)>);

/// A form while a join is made: its terms, whether it is remembered, the rows that end in it.
type Making = (Terms, bool, Vec<(u32, i64)>);

/// A part while the order is searched.
struct OpenPart {
    number: u32,
    /// For every row that has classes both inside and outside: the form and how often it is taken.
    open: BTreeMap<u32, (u32, i64)>,
    cells: usize,
}

/// A part that remembers more forms than this has more values than any machine can hold, unless
/// nearly all forms follow from others.
const MOST_REMEMBERED: usize = 128;

/// Joins the parts of the row that touches the fewest, until every row ends: the last join of a row
/// sees all of it. `None` when a part would remember far too many forms: before they are listed for
/// every part.
pub(crate) fn join_order(classes: &[NetworkClass], rows: &[NetworkRow]) -> Option<Vec<Join>> {
    let columns = columns(classes.len(), rows.iter().map(|row| row.entries.as_slice()));
    let left: Vec<usize> = rows.iter().map(|row| row.entries.len()).collect();
    let mut joins = Vec::new();
    let mut parts: BTreeMap<u32, OpenPart> = BTreeMap::new();
    let mut touching: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); rows.len()];
    for (number, (class, column)) in classes.iter().zip(&columns).enumerate() {
        let number = number as u32;
        let (ending, open): (Vec<_>, Vec<_>) = column.iter().partition(|(row, _)| left[*row as usize] == 1);
        let form = Form { first: None, second: None, ending };
        let open: BTreeMap<u32, (u32, i64)> = open.into_iter().map(|(row, times)| (row, (0, times))).collect();
        open.keys().for_each(|row| {
            touching[*row as usize].insert(number);
        });
        joins.push(Join {
            made_of: MadeOf::Class(number),
            remembered: usize::from(!open.is_empty()),
            forms: vec![form],
            limits: vec![(None, None)],
            cells: class.cells.len(),
        });
        parts.insert(number, OpenPart { number, open, cells: class.cells.len() });
    }
    let mut queue: BinaryHeap<Reverse<(usize, u32)>> = (0..rows.len() as u32)
        .filter(|row| left[*row as usize] > 1)
        .map(|row| Reverse((left[row as usize], row)))
        .collect();
    while let Some(Reverse((count, row))) = queue.pop() {
        let now = touching[row as usize].len();
        if now < 2 {
            continue;
        }
        if now != count {
            queue.push(Reverse((now, row)));
            continue;
        }
        let joined = join_row(row, &mut parts, &mut touching, &mut joins)?;
        for other in joined.iter().flat_map(|number| parts[number].open.keys()) {
            queue.push(Reverse((touching[*other as usize].len(), *other)));
        }
    }
    limits::set(classes, rows, &columns, &mut joins);
    Some(joins)
}

/// Joins all parts that a row touches, those with the fewest forms and cells first; the part that
/// results, if any. `None` when one would remember too many forms.
fn join_row(
    row: u32,
    parts: &mut BTreeMap<u32, OpenPart>,
    touching: &mut [BTreeSet<u32>],
    joins: &mut Vec<Join>,
) -> Option<Option<u32>> {
    let mut last = None;
    let size = |part: &OpenPart| (part.open.values().map(|(form, _)| form).collect::<BTreeSet<_>>().len(), part.cells);
    let mut waiting: BinaryHeap<Reverse<((usize, usize), u32)>> =
        touching[row as usize].iter().map(|number| Reverse((size(&parts[number]), *number))).collect();
    while waiting.len() > 1 {
        let (Some(Reverse((_, first))), Some(Reverse((_, second)))) = (waiting.pop(), waiting.pop()) else { break };
        let (Some(first), Some(second)) = (parts.remove(&first), parts.remove(&second)) else { break };
        let joined = join(first, second, touching, joins);
        if joins.last().is_some_and(|join| join.remembered > MOST_REMEMBERED) {
            return None;
        }
        last = Some(joined.number);
        waiting.push(Reverse((size(&joined), joined.number)));
        parts.insert(joined.number, joined);
    }
    Some(last)
}

/// Joins two parts: rows that agree up to a factor share a form; rows that touch no other part end.
fn join(first: OpenPart, second: OpenPart, touching: &mut [BTreeSet<u32>], joins: &mut Vec<Join>) -> OpenPart {
    let number = joins.len() as u32;
    let rows: BTreeSet<u32> = first.open.keys().chain(second.open.keys()).copied().collect();
    let mut forms: Vec<Making> = Vec::new();
    let mut known: BTreeMap<Terms, usize> = BTreeMap::new();
    let mut open = BTreeMap::new();
    for row in rows {
        let (one, two) = (first.open.get(&row).copied(), second.open.get(&row).copied());
        let (terms, factor) = reduced(one, two);
        let form = *known.entry(terms).or_insert_with(|| {
            forms.push((terms, false, Vec::new()));
            forms.len() - 1
        });
        let touched = &mut touching[row as usize];
        touched.remove(&first.number);
        touched.remove(&second.number);
        if touched.is_empty() {
            forms[form].2.push((row, factor));
        } else {
            touched.insert(number);
            forms[form].1 = true;
            open.insert(row, (form as u32, factor));
        }
    }
    // Remembered forms come first.
    let mut order: Vec<usize> = (0..forms.len()).collect();
    order.sort_by_key(|form| !forms[*form].1);
    let mut place = vec![0u32; forms.len()];
    order.iter().enumerate().for_each(|(new, old)| place[*old] = new as u32);
    open.values_mut().for_each(|(form, _)| *form = place[*form as usize]);
    let remembered = forms.iter().filter(|(_, open, _)| *open).count();
    let cells = first.cells + second.cells;
    let form = |old: &usize| {
        let ((first, second), _, ending) = forms[*old].clone();
        Form { first, second, ending }
    };
    joins.push(Join {
        made_of: MadeOf::Parts(first.number, second.number),
        forms: order.iter().map(form).collect(),
        limits: vec![(None, None); forms.len()],
        remembered,
        cells,
    });
    OpenPart { number, open, cells }
}

/// The terms divided by their common factor, the first positive; and that factor.
fn reduced(one: Option<(u32, i64)>, two: Option<(u32, i64)>) -> (Terms, i64) {
    let divisor = |terms: [Option<(u32, i64)>; 2]| {
        terms.into_iter().flatten().fold(0u64, |divisor, (_, times)| gcd(divisor, times.unsigned_abs()))
    };
    let size = divisor([one, two]).max(1) as i64;
    let leading = one.or(two).map_or(1, |(_, times)| times);
    let factor = if leading < 0 { -size } else { size };
    let divide = |term: Option<(u32, i64)>| term.map(|(form, times)| (form, times / factor));
    ((divide(one), divide(two)), factor)
}
