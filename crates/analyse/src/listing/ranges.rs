//! Finite ranges of all cells of a fibre, and whether noise holds every direction that totals and
//! bounds leave open.

use super::NotListed;
use crate::fibre::Fibre;
use crate::program::{Answer, Case, Empty, Form, Interval, LARGEST, Program, Row, narrow};
use crate::sums::Demand;

/// The most rounds over all rows before a linear program is asked.
const MOST_ROUNDS: usize = 32;

/// Counts beyond this are not listed, so that sums of squares of many fit machine integers.
const FARTHEST: u64 = 1 << 48;

/// The most entries of tableaus, over all programs, before ends are not looked for.
const MOST_PROGRAMS: usize = 200_000_000;

/// What one program after another over the same rows says, each without a search through cases;
/// what is too large is never solved.
fn programs<'a>(bounds: &'a [Interval], rows: &'a [Row]) -> impl FnMut(&Form) -> Answer + 'a {
    let small = rows.len() * bounds.len() <= LARGEST;
    let mut program = small.then(|| Program::new(bounds, rows, bounds));
    move |form| program.as_mut().map_or(Answer::Unknown, |program| program.solve(form, &Case::new()).0)
}

/// The rows of a fibre that confine tables.
pub(super) fn rows(fibre: &Fibre) -> Vec<Row> {
    fibre
        .rows
        .iter()
        .filter_map(|row| Some(Row { entries: row.entries.clone(), within: row.demand.interval()? }))
        .collect()
}

/// Ranges that every table of the fibre keeps, all finite and within 64 bits; `None` when there is
/// no table.
///
/// # Errors
/// Why a range is not finite.
pub(super) fn proved(fibre: &Fibre) -> Result<Option<Vec<(i64, i64)>>, NotListed> {
    let every: Vec<usize> = (0..fibre.cells.len()).collect();
    let Some(ranges) = ends(&fibre.bounds, rows(fibre), &every)? else { return Ok(None) };
    let small = |end: &i64| end.unsigned_abs() <= FARTHEST;
    let narrow =
        |end: Option<i128>| end.and_then(|end| i64::try_from(end).ok()).filter(small).ok_or(NotListed::NotKnown);
    ranges.into_iter().map(|(low, high)| Ok((narrow(low)?, narrow(high)?))).collect::<Result<_, _>>().map(Some)
}

/// Ends of these cells that follow from bounds and rows, where both are found; `None` where one is
/// not.
pub(crate) fn implied<'a>(
    bounds: &[(Option<i64>, Option<i64>)],
    sums: impl Iterator<Item = (&'a [(u32, i64)], Demand)>,
    wanted: &[usize],
) -> Option<Vec<(i64, i64)>> {
    let rows = sums
        .filter_map(|(entries, demand)| Some(Row { entries: entries.to_vec(), within: demand.interval()? }))
        .collect();
    let ranges = ends(bounds, rows, wanted).ok()??;
    let narrow = |end: Option<i128>| i64::try_from(end?).ok();
    wanted.iter().map(|cell| Some((narrow(ranges[*cell].0)?, narrow(ranges[*cell].1)?))).collect()
}

/// Ranges that every table keeps, those of the wanted cells finite; `None` when there is no table.
fn ends(
    bounds: &[(Option<i64>, Option<i64>)],
    rows: Vec<Row>,
    wanted: &[usize],
) -> Result<Option<Vec<Interval>>, NotListed> {
    let wide = |end: Option<i64>| end.map(i128::from);
    let mut ranges: Vec<Interval> = bounds.iter().map(|(low, high)| (wide(*low), wide(*high))).collect();
    if !narrowed(&rows, &mut ranges) {
        return Ok(None);
    }
    let is_open = |cell: &usize| ranges[*cell].0.is_none() || ranges[*cell].1.is_none();
    let open: Vec<usize> = wanted.iter().copied().filter(is_open).collect();
    if open.is_empty() {
        return Ok(Some(ranges));
    }
    if open.len().saturating_mul(rows.len()).saturating_mul(ranges.len()) > MOST_PROGRAMS {
        return Err(NotListed::NotKnown);
    }
    let narrowed_by_rows = ranges.clone();
    let mut least = programs(&narrowed_by_rows, &rows);
    for cell in open {
        // An end that is missing where a ray was found has none; where nothing was found it is not
        // known.
        let mut end = |known: Option<i128>, sign: i64| match known {
            Some(known) => Ok(Some(known)),
            None => match least(&vec![(cell as u32, sign)]) {
                Answer::Limit(Some(limit)) => Ok(Some(i128::from(sign) * limit)),
                Answer::Impossible => Ok(None),
                Answer::Ray => Err(NotListed::Endless),
                Answer::Limit(None) | Answer::Unknown => Err(NotListed::NotKnown),
            },
        };
        let (low, high) = ranges[cell];
        let (Some(low), Some(high)) = (end(low, 1)?, end(high, -1)?) else { return Ok(None) };
        ranges[cell] = (Some(low), Some(high));
    }
    Ok(narrowed(&rows, &mut ranges).then_some(ranges))
}

/// Narrows ranges by one row after another; whether every row can still have its value.
fn narrowed(rows: &[Row], ranges: &mut [Interval]) -> bool {
    for _ in 0..MOST_ROUNDS {
        let mut changed = false;
        for row in rows {
            match narrow(&row.entries, row.within, ranges) {
                Ok(narrower) => changed |= narrower,
                Err(Empty) => return false,
            }
        }
        if !changed {
            break;
        }
    }
    ranges.iter().all(|(low, high)| low.zip(*high).is_none_or(|(low, high)| low <= high))
}

/// Whether every direction along which tables have no end changes a noisy sum, proved by linear
/// programs over the directions.
///
/// Directions are rational: `d` with `row·d = 0` for totals and noisy sums, and `row·d`, `d` on the
/// side that rules and bounds leave open. Zero must be the least and the largest value of every
/// `d`. The programs are over a cone, so what they prove of it is zero or nothing: no rounding to
/// whole numbers takes part.
pub(crate) fn hold_every_direction(fibre: &Fibre) -> bool {
    let open = |(low, high): Interval| (low.map(|_| 0), high.map(|_| 0));
    let mut rows: Vec<Row> = rows(fibre).into_iter().map(|row| Row { within: open(row.within), ..row }).collect();
    let noisy = fibre.rows.iter().filter(|row| matches!(row.demand, Demand::Noisy { .. }));
    rows.extend(noisy.map(|row| Row { entries: row.entries.clone(), within: (Some(0), Some(0)) }));
    let bounds: Vec<Interval> =
        fibre.bounds.iter().map(|(low, high)| open((low.map(i128::from), high.map(i128::from)))).collect();
    // Where all that is at or above zero adds up to at most zero, each of it is zero; likewise
    // below.
    let side = |sign: i64, bounded: fn(&Interval) -> bool| -> Vec<(u32, i64)> {
        (0..).zip(&bounds).filter(|(_, range)| bounded(range)).map(|(cell, _)| (cell, sign)).collect()
    };
    let mut forms = vec![side(-1, |range| range.0.is_some()), side(1, |range| range.0.is_none() && range.1.is_some())];
    let free = (0..).zip(&bounds).filter(|(_, range)| **range == (None, None));
    forms.extend(free.flat_map(|(cell, _)| [vec![(cell, 1)], vec![(cell, -1)]]));
    forms.retain(|form| !form.is_empty());
    let mut least = programs(&bounds, &rows);
    forms.iter().all(|form| least(form) == Answer::Limit(Some(0)))
}
