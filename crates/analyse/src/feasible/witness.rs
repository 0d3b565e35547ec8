//! `Witness`: why no table keeps all totals, bounds and rules, in a form that anyone can check.

use crate::fibre::Fibre;
use crate::sums::Demand;
use exact::{Integer, Rational};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Why a fibre is empty. Rows are meant by their number in [`Fibre::rows`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Witness {
    /// The bounds of this cell, by its place, exclude each other.
    Cell(usize),
    /// Equalities, each times its factor, add up to whole coefficients of every cell, but to a
    /// value that is not whole.
    Fraction(Vec<(usize, Rational)>),
    /// Rows, each times its factor, add up to a sum that must be at least a value, but the bounds
    /// of the cells keep it below.
    Bounds(Vec<(usize, Rational)>),
    /// Values of cells were told apart, at most one integer and at least the next, until bounds
    /// excluded each of so many cases.
    Cases(usize),
}

/// The most rows that are named in words.
const MOST_NAMES: usize = 6;

impl Witness {
    /// Whether it shows that the fibre is empty, in exact numbers; the search through cases is made
    /// again.
    pub fn holds(&self, fibre: &Fibre) -> bool {
        match self {
            Witness::Cell(cell) => {
                fibre.bounds.get(*cell).and_then(|(low, high)| low.zip(*high)).is_some_and(|(low, high)| low > high)
            }
            Witness::Fraction(rows) => sum(fibre, rows).is_some_and(|sum| {
                let equal = rows.iter().all(|(row, _)| matches!(fibre.rows[*row].demand, Demand::Equal(_)));
                equal && sum.coefficients.values().all(Rational::is_integer) && !sum.value.is_integer()
            }),
            Witness::Bounds(rows) => {
                sum(fibre, rows).is_some_and(|sum| most(fibre, &sum).is_some_and(|most| most < sum.value))
            }
            Witness::Cases(_) => {
                super::cases::is_small(fibre)
                    && matches!(super::cases::search(fibre), super::cases::CaseSearch::Impossible(found) if found == *self)
            }
        }
    }

    /// In words, with the names of rows: see [`Fibre::row_names`].
    pub fn in_words(&self, fibre: &Fibre, names: &[String]) -> String {
        match self {
            Witness::Cell(cell) => {
                let (low, high) = fibre.bounds[*cell];
                let bound = |bound: Option<i64>| bound.map_or("any".into(), |bound| bound.to_string());
                format!("a cell must be at least {} and at most {}", bound(low), bound(high))
            }
            Witness::Fraction(rows) => {
                let (whole, scale) = whole(rows);
                let value = value(fibre, &whole);
                let times = match scale == Rational::integer(2) {
                    true => "an even number of times".to_string(),
                    false => format!("a multiple of {scale} times"),
                };
                format!("{} takes every cell {times}, but is {value}", text(&whole, names))
            }
            Witness::Bounds(rows) => bounds_in_words(fibre, rows, names),
            Witness::Cases(cases) => format!(
                "fractions could have these totals, but no integers can: the bounds exclude each of {cases} cases"
            ),
        }
    }
}

/// A sum of rows.
struct Sum {
    coefficients: BTreeMap<u32, Rational>,
    /// What it must be at least.
    value: Rational,
}

/// The sum of rows times factors; `None` when a factor turns an inequality around.
fn sum(fibre: &Fibre, rows: &[(usize, Rational)]) -> Option<Sum> {
    let mut sum = Sum { coefficients: BTreeMap::new(), value: Rational::integer(0) };
    for (row, factor) in rows {
        let row = fibre.rows.get(*row)?;
        let value = match row.demand {
            Demand::Equal(value) => value,
            Demand::AtLeast(value) if !factor.is_negative() => value,
            Demand::AtMost(value) if !factor.is_positive() => value,
            _ => return None,
        };
        sum.value = &sum.value + &(factor * &Rational::integer(value));
        for (cell, times) in &row.entries {
            let coefficient = sum.coefficients.entry(*cell).or_insert_with(|| Rational::integer(0));
            *coefficient = &*coefficient + &(factor * &Rational::integer(*times));
        }
    }
    Some(sum)
}

/// The most that the sum can be within the bounds of the cells; `None`: as much as one likes.
fn most(fibre: &Fibre, sum: &Sum) -> Option<Rational> {
    let mut most = Rational::integer(0);
    for (cell, coefficient) in sum.coefficients.iter().filter(|(_, coefficient)| !coefficient.is_zero()) {
        let (low, high) = fibre.bounds[*cell as usize];
        let bound = if coefficient.is_positive() { high? } else { low? };
        most = &most + &(coefficient * &Rational::integer(bound));
    }
    Some(most)
}

/// Factors as integers without a common divisor, and what they were multiplied by.
fn whole(rows: &[(usize, Rational)]) -> (Vec<(usize, Integer)>, Rational) {
    let one = || Rational::integer(1);
    let scale = rows.iter().fold(one(), |scale, (_, factor)| {
        let left = (factor * &scale).denominator().clone();
        &scale * &Rational::integer(left)
    });
    let scaled = |factor: &Rational| (factor * &scale).numerator().clone();
    (rows.iter().map(|(row, factor)| (*row, scaled(factor))).collect(), scale)
}

fn value(fibre: &Fibre, rows: &[(usize, Integer)]) -> Integer {
    let of = |row: usize| match fibre.rows[row].demand {
        Demand::Equal(value) | Demand::AtLeast(value) | Demand::AtMost(value) => value,
        Demand::Noisy { .. } => 0,
    };
    rows.iter().map(|(row, factor)| factor * of(*row)).sum()
}

fn bounds_in_words(fibre: &Fibre, rows: &[(usize, Rational)], names: &[String]) -> String {
    let positive = rows.iter().filter(|(_, factor)| factor.is_positive()).count();
    // Said the other way round when that takes fewer minus signs.
    let flipped = 2 * positive < rows.len();
    let (mut whole, scale) = whole(rows);
    if flipped {
        whole.iter_mut().for_each(|(_, factor)| *factor = -std::mem::take(factor));
    }
    let Some(sum) = sum(fibre, rows) else { return String::new() };
    let text = text(&whole, names);
    let value = value(fibre, &whole);
    let is_equality = rows.iter().all(|(row, _)| matches!(fibre.rows[*row].demand, Demand::Equal(_)));
    let most = most(fibre, &sum).map(|most| &most * &scale);
    let most = most.map_or_else(String::new, |most| if flipped { (-most).to_string() } else { most.to_string() });
    let (demand, limit) = match (is_equality, flipped) {
        (true, false) => ("is", "no more than"),
        (true, true) => ("is", "no less than"),
        (false, false) => ("must be at least", "no more than"),
        (false, true) => ("must be at most", "no less than"),
    };
    if sum.coefficients.values().all(Rational::is_zero) {
        return format!("all cells cancel in {text}, but it {demand} {value}");
    }
    format!("{text} {demand} {value}, but the bounds of the cells allow {limit} {most}")
}

/// For example `` `a` + 2 × `b` − `c` ``.
fn text(rows: &[(usize, Integer)], names: &[String]) -> String {
    let name = |row: usize| names.get(row).map_or_else(|| format!("row {}", row + 1), |name| format!("`{name}`"));
    let used: Vec<&(usize, Integer)> = rows.iter().filter(|(_, factor)| !factor.is_zero()).collect();
    if used.len() > MOST_NAMES {
        let first: Vec<String> = used[..3].iter().map(|(row, _)| name(*row)).collect();
        return format!("a sum of multiples of {}, … ({} rows in all)", first.join(", "), used.len());
    }
    let (plus, minus): (Vec<_>, Vec<_>) = used.into_iter().partition(|(_, factor)| *factor > Integer::ZERO);
    let mut text = String::new();
    for (number, (row, factor)) in plus.into_iter().chain(minus).enumerate() {
        let sign = match (number, *factor > Integer::ZERO) {
            (0, true) => "",
            (0, false) => "−",
            (_, true) => " + ",
            (_, false) => " − ",
        };
        let size = if *factor > Integer::ZERO { factor.clone() } else { -factor.clone() };
        let times = if size.is_one() { String::new() } else { format!("{size} × ") };
        let _ = write!(text, "{sign}{times}{}", name(*row));
    }
    text
}
