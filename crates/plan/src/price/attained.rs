//! How near the truth is known to come to a certified loss: proved lower bounds of the largest loss of two tables.
//!
//! Two tables x and x + v of one fibre lose E(v) at least: the log-ratio of their laws is E(v) ± δ at the tables themselves,
//! with opposite signs of δ. Where all noise moves with the cell that stops the step, and for classes under one total, the bound
//! itself is approached by tables with large counts. Proofs: `crates/certify/proofs/G3.md`, "What is attained".

use super::step::{Bound, Cost};
use crate::loss::Theorem;
use analyse::{Moves, Shape};
use declare::Per;
use exact::{Integer, Rational};

/// Digits after the point of a part.
const DECIMALS: usize = 4;

/// From this part on a loss is called close to the truth.
fn close() -> Rational {
    Rational::new(98, 100u32)
}

/// What is known of the largest loss of two tables with the structure of a release, beside the certified one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attained {
    /// Two tables lose exactly that.
    Reached,
    /// Two tables lose as nearly that much as one likes, if counts are large.
    Approached,
    /// Two tables lose this part of it, rounded down; no better bound is known.
    AtLeast(Rational),
    /// Nothing is known.
    Unknown,
}

impl Attained {
    /// The part of the certified loss that two tables are known to lose, or to come as near to as one likes.
    pub fn part(&self) -> Option<Rational> {
        match self {
            Attained::Reached | Attained::Approached => Some(Rational::integer(1)),
            Attained::AtLeast(part) => Some(part.clone()),
            Attained::Unknown => None,
        }
    }

    /// In words.
    pub fn in_words(&self) -> String {
        match self {
            Attained::Reached => "attained: there are two tables that lose exactly that".to_owned(),
            Attained::Approached => {
                "attained: where counts are large, two tables lose as nearly that as one likes".to_owned()
            }
            Attained::AtLeast(part) if *part >= close() => {
                format!("within 2 %: two tables lose at least {} of it", digits(part))
            }
            Attained::AtLeast(part) => {
                format!("no better bound is known: true ≥ {} of it", digits(part))
            }
            Attained::Unknown => "not known, and no better bound is proved".to_owned(),
        }
    }

    /// For the loss of several rows of one owner, each of them one record: what the normaliser adds to one step need not be added
    /// by each of several.
    pub(crate) fn of_several(self, rows: u64, gamma: &Rational) -> Attained {
        match self {
            Attained::Reached | Attained::Approached if rows > 1 && gamma.is_positive() => {
                let one = Rational::integer(1);
                at_least(&one, &(&one + gamma))
            }
            known => known,
        }
    }
}

fn digits(part: &Rational) -> String {
    part.to_decimal_exact().unwrap_or_else(|| part.to_string())
}

/// A part of a loss, rounded down.
fn at_least(lost: &Rational, certified: &Rational) -> Attained {
    if !certified.is_positive() {
        return Attained::Unknown;
    }
    let scale = Rational::integer(Integer::from(10).pow(DECIMALS));
    Attained::AtLeast(&Rational::integer((&(lost / certified) * &scale).floor()) / &scale)
}

/// Of a pure loss that is that of a step.
pub(super) fn of_steps(moves: &Moves, cost: &Cost, theorem: Theorem, per: Per) -> Attained {
    let element = cost.element;
    // Of a projection what follows the noise may hide some of it; with pinned totals no table need be in the fibre.
    if !element.is_exact || !matches!(theorem, Theorem::G1 | Theorem::G3) {
        return Attained::Unknown;
    }
    let step = match cost.bound {
        _ if cost.loss == cost.moved => Attained::Reached,
        Bound::OneDirection if element.from_below && element.shape == Shape::Alone => Attained::Reached,
        Bound::OneDirection if element.from_below => Attained::Approached,
        Bound::Class => Attained::Approached,
        _ => at_least(&cost.moved, &cost.loss),
    };
    if per == Per::Unit || element.shape == Shape::Record {
        return step;
    }
    match element.shape {
        // A replaced record takes a unit from one free cell and gives one to another: only one of both runs into zero.
        Shape::Alone if moves.measures == 1 && moves.several_free => match cost.loss == cost.moved {
            true => Attained::Reached,
            false => at_least(&cost.moved, &cost.loss),
        },
        Shape::Pair if moves.measures == 1 => step,
        // One record counted in one measure alone, where certified is one counted in all of them.
        Shape::Pair => match step.part() {
            Some(part) => at_least(&part, &Rational::integer(moves.measures)),
            None => Attained::Unknown,
        },
        // As many records up as down, in one cell each.
        Shape::Circuit if moves.measures == 1 && element.length.is_multiple_of(2) => step,
        _ => Attained::Unknown,
    }
}

/// Of a loss by the ℓ₂ norm, ε or ρ: `once` says whether the normaliser stands still. (ρ is reached at whole orders.)
pub(super) fn of_norm(moves: &Moves, per: Per, once: bool) -> Attained {
    let has_pair = moves.elements.iter().any(|element| element.shape == Shape::Pair) || moves.several_free;
    match per {
        Per::Record if moves.measures > 1 || !has_pair => Attained::Unknown,
        _ if once => Attained::Reached,
        _ => at_least(&Rational::integer(1), &Rational::integer(2)),
    }
}
