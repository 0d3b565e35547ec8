//! Limits of linear forms that anyone can check: rows times whole factors, in whole numbers
//! (`crates/disclose/proofs/disclosure.md`, 5).

use super::form::{Interval, Row, sum};

/// What factors are multiplied by before they are rounded: the first that makes all of them whole,
/// or else the last.
const SCALES: [i64; 7] = [1, 2, 6, 60, 840, 27_720, 1 << 24];

/// The first scale at which numbers are whole, and the numbers there; rounded at the last scale
/// otherwise.
pub(super) fn whole(numbers: &[(u32, f64)]) -> Option<(i64, Vec<(u32, i128)>)> {
    let near = |scale: i64| {
        numbers.iter().all(|(_, number)| {
            let scaled = number * scale as f64;
            (scaled - scaled.round()).abs() < 1e-6
        })
    };
    let last = SCALES[SCALES.len() - 1];
    let scale = SCALES.into_iter().find(|scale| near(*scale)).unwrap_or(last);
    let round = |(variable, number): &(u32, f64)| {
        let scaled = (number * scale as f64).round();
        (scaled.abs() < 1e15).then_some((*variable, scaled as i128))
    };
    let rounded: Option<Vec<(u32, i128)>> = numbers.iter().map(round).collect();
    Some((scale, rounded?.into_iter().filter(|(_, number)| *number != 0).collect()))
}

/// A value that a form is at least in every table within bounds that keeps the rows, whatever the
/// factors of the rows are.
///
/// `form·x = Σ factor·(row·x) + (form − Σ factor·row)·x`, and each term is at least what its
/// interval allows. A factor whose row has no end on the side that it needs is left out. `None`
/// when a variable has no end on the side that is needed.
pub(super) fn least(
    form: &[(u32, i64)],
    rows: &[Row],
    bounds: &[Interval],
    scale: i64,
    factors: &[(u32, i128)],
) -> Option<i128> {
    let mut rest = vec![0i128; bounds.len()];
    for (variable, times) in form {
        rest[*variable as usize] += i128::from(*times) * i128::from(scale);
    }
    let mut least = 0i128;
    for (row, factor) in factors {
        let row = &rows[*row as usize];
        let end = if *factor > 0 { row.within.0 } else { row.within.1 };
        let Some(end) = end else { continue };
        least = least.checked_add(factor.checked_mul(end)?)?;
        for (variable, times) in &row.entries {
            let rest = &mut rest[*variable as usize];
            *rest = rest.checked_sub(factor.checked_mul(i128::from(*times))?)?;
        }
    }
    for (times, (low, high)) in rest.iter().zip(bounds).filter(|(times, _)| **times != 0) {
        let end = if *times > 0 { *low } else { *high };
        least = least.checked_add(times.checked_mul(end?)?)?;
    }
    let scale = i128::from(scale);
    Some(least.div_euclid(scale) + i128::from(least.rem_euclid(scale) != 0))
}

/// Whether a direction leads out of no row and no bound, and lowers the form: then the form has no
/// least value.
pub(super) fn is_ray(form: &[(u32, i64)], rows: &[Row], bounds: &[Interval], ray: &[(u32, i128)]) -> bool {
    let mut direction = vec![0i128; bounds.len()];
    for (variable, rate) in ray.iter().filter(|(variable, _)| (*variable as usize) < bounds.len()) {
        direction[*variable as usize] = *rate;
    }
    let stays = |rate: i128, (low, high): Interval| !(rate > 0 && high.is_some() || rate < 0 && low.is_some());
    direction.iter().zip(bounds).all(|(rate, bounds)| stays(*rate, *bounds))
        && rows.iter().all(|row| stays(sum(&row.entries, &direction), row.within))
        && sum(form, &direction) < 0
}
