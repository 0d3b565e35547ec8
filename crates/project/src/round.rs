//! Rounding: the table of integers nearest to a table of real numbers, with every total, bound and
//! rule kept.

use crate::component::{Component, check_public, split};
use crate::faults::is_number;
use crate::integer_form::{IntegerForm, Limits, within};
use crate::program::{Failure, MOST_CASES};
use crate::single::Single;
use crate::ties::untied;
use analyse::Fibre;
use declare::Problem;
use rayon::prelude::*;

/// The table of integers of the fibre that is nearest in ℓ₁ to a point of real numbers of it, among
/// those that round every cell down or up. Where there is none, which cannot be if the rows are a
/// network, cells may go further than that.
///
/// One total is rounded by sorting, a network of totals by flows, anything else by branch and
/// bound. The result was checked in integers; it depends on the real numbers and the fibre alone,
/// and which of equally near tables it is, the real numbers decide too (`ties.rs`).
///
/// # Errors
/// Infeasible when the fibre has no table, refused when none was found, bad when a number is none.
pub fn round(fibre: &Fibre, real: &[f64]) -> Result<Vec<i64>, Problem> {
    check_public(fibre)?;
    if real.len() != fibre.cells.len() || !real.iter().all(|value| is_number(*value)) {
        return Err(Problem::bad("a table to be rounded must have a number between -2^52 and 2^52 for every cell")
            .hint("give the real numbers of a projection, in the order of the cells"));
    }
    let parts = split(fibre, Vec::new());
    let rounded: Result<Vec<Vec<i64>>, Problem> = parts
        .par_iter()
        .map(|part| {
            let inside: Vec<f64> = part.fibre.cells.iter().map(|cell| real[*cell as usize]).collect();
            Rounding::new(&part.fibre).round(part, &inside, &[], MOST_CASES)
        })
        .collect();
    Ok(together(&parts, rounded?, fibre.cells.len()))
}

/// Values of parts as values of the whole.
pub(crate) fn together<T: Copy + Default>(parts: &[Component], values: Vec<Vec<T>>, cells: usize) -> Vec<T> {
    let mut whole = vec![T::default(); cells];
    for (part, values) in parts.iter().zip(values) {
        part.fibre.cells.iter().zip(values).for_each(|(cell, value)| whole[*cell as usize] = value);
    }
    whole
}

/// How a part is rounded; a function of its rows without their values.
#[derive(Debug)]
pub(crate) enum Rounding {
    /// One total.
    Single,
    /// More.
    IntegerForm(Box<IntegerForm>),
}

impl Rounding {
    /// Of the fibre of a part.
    pub fn new(fibre: &Fibre) -> Rounding {
        match fibre.rows.len() <= 1 && Single::new(fibre).is_plain() {
            true => Rounding::Single,
            false => Rounding::IntegerForm(Box::new(IntegerForm::new(fibre, &[]))),
        }
    }

    /// The integers of a part nearest to real values of it, checked.
    /// A search tells at most so many cases apart.
    pub fn round(
        &self,
        part: &Component,
        real: &[f64],
        names: &[String],
        most_cases: u64,
    ) -> Result<Vec<i64>, Problem> {
        let fibre = &part.fibre;
        let clamp = |(value, (low, high)): (&f64, &Limits)| {
            let value = low.map_or(*value, |low| value.max(low as f64));
            high.map_or(value, |high| value.min(high as f64))
        };
        let real: Vec<f64> = real.iter().zip(&fibre.bounds).map(clamp).collect();
        let real = untied(&real);
        let found = match self {
            Rounding::Single => match Single::new(fibre).rounded(&real) {
                Some(rounded) => Ok(rounded),
                None => nearest(&IntegerForm::new(fibre, &[]), fibre, &real, most_cases),
            },
            Rounding::IntegerForm(shape) => nearest(shape, fibre, &real, most_cases),
        };
        part.checked(found, names, "rounding")
    }
}

/// Every cell down or up; where that cannot be, one further; then anywhere within the bounds.
fn nearest(shape: &IntegerForm, fibre: &Fibre, real: &[f64], most_cases: u64) -> Result<Vec<i64>, Failure> {
    for further in [Some(0), Some(1), None] {
        let around = |(value, bounds): (&f64, &Limits)| {
            let low = further.map(|further| value.floor() as i64 - further);
            within(*bounds, (low, further.map(|further| value.ceil() as i64 + further)))
        };
        let limits = real.iter().zip(&fibre.bounds).map(around).collect();
        match shape.nearest(fibre, limits, real, most_cases) {
            Err(Failure::Infeasible) => {}
            found => return found,
        }
    }
    Err(Failure::Infeasible)
}
