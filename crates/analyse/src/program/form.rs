//! Linear forms, the intervals that they lie in, and what follows from one interval about another.

use crate::bound::Bound;

/// An interval of integers; either end may be missing.
pub type Interval = (Option<i128>, Option<i128>);

/// A linear form: variables with whole coefficients, none zero.
pub type Form = Vec<(u32, i64)>;

/// A sum over variables and the interval that it lies in.
#[derive(Debug, Clone)]
pub struct Row {
    /// The variables, with how often each is taken.
    pub entries: Form,
    /// Where the sum lies.
    pub within: Interval,
}

/// No integers keep all rows and bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Empty;

/// The value of a form.
pub fn sum(form: &[(u32, i64)], table: &[i128]) -> i128 {
    form.iter().map(|(variable, times)| i128::from(*times) * table[*variable as usize]).sum()
}

/// Whether a value is in an interval.
pub fn lies_in(value: i128, (low, high): Interval) -> bool {
    low.is_none_or(|low| value >= low) && high.is_none_or(|high| value <= high)
}

/// The values that two intervals share.
///
/// # Errors
/// When they share none.
pub fn meet(one: Interval, other: Interval) -> Result<Interval, Empty> {
    let low = one.0.max(other.0);
    let high = match (one.1, other.1) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    };
    if low.zip(high).is_some_and(|(low, high)| low > high) { Err(Empty) } else { Ok((low, high)) }
}

/// The integers of which so many times lie in an interval.
pub fn divided((low, high): Interval, times: i64) -> Interval {
    let times = i128::from(times);
    let (low, high) = if times > 0 { (low, high) } else { (high.map(|end| -end), low.map(|end| -end)) };
    let size = times.abs();
    let up = |end: i128| end.div_euclid(size) + i128::from(end.rem_euclid(size) != 0);
    (low.map(up), high.map(|end| end.div_euclid(size)))
}

/// So many times an interval; an end that leaves machine integers is left out.
pub fn multiplied((low, high): Interval, times: i64) -> Interval {
    let by = |end: Option<i128>| end.and_then(|end| end.checked_mul(i128::from(times)));
    if times > 0 { (by(low), by(high)) } else { (by(high), by(low)) }
}

/// Narrows every variable of a form that lies in an interval by the others; whether anything
/// changed.
///
/// # Errors
/// When no values of the variables put it there.
pub fn narrow(form: &Form, within: Interval, bounds: &mut [Interval]) -> Result<bool, Empty> {
    let (mut least, mut most) = (Bound::default(), Bound::default());
    for (variable, times) in form {
        let (low, high) = multiplied(bounds[*variable as usize], *times);
        least.add(low);
        most.add(high);
    }
    let mut changed = false;
    for (variable, times) in form {
        let known = bounds[*variable as usize];
        let (low, high) = multiplied(known, *times);
        let at_most = within.1.and_then(|end| Some(end - least.without(low)?));
        let at_least = within.0.and_then(|end| Some(end - most.without(high)?));
        let met = meet(known, divided((at_least, at_most), *times))?;
        if met != known {
            bounds[*variable as usize] = met;
            changed = true;
        }
    }
    let too_much = within.1.is_some_and(|end| least.endless == 0 && least.finite > end);
    let too_little = within.0.is_some_and(|end| most.endless == 0 && most.finite < end);
    if too_much || too_little { Err(Empty) } else { Ok(changed) }
}
