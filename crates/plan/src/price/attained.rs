//! How near the truth is known to come to a certified loss: proved lower bounds of the largest loss
//! of two tables.
//!
//! Two tables x and x + v of one fibre lose E(v) at least: the log-ratio of their laws is E(v) ± δ
//! at the tables themselves, with opposite signs of δ. Where all noise moves with the cell that
//! stops the step, and for classes under one total, the bound itself is approached by tables with
//! large counts. Proofs: `crates/certify/proofs/G3.md`, "What is attained".

use super::step::{Bound, Cost};
use analyse::{Moves, StepKind};
use declare::Per;
use exact::Rational;
use loss::{Attained, Theorem};

/// Of a pure loss that is that of a step.
pub(super) fn of_steps(moves: &Moves, cost: &Cost, theorem: Theorem, per: Per) -> Attained {
    let element = cost.element;
    // Of a projection what follows the noise may hide some of it; with pinned totals no table need
    // be in the fibre.
    if !element.is_exact || !matches!(theorem, Theorem::G1 | Theorem::G3) {
        return Attained::Unknown;
    }
    let step = match cost.bound {
        _ if cost.loss == cost.moved => Attained::Reached,
        Bound::OneDirection if element.from_below && element.shape == StepKind::Alone => Attained::Reached,
        Bound::OneDirection if element.from_below => Attained::Approached,
        Bound::Class => Attained::Approached,
        _ => Attained::at_least(&cost.moved, &cost.loss),
    };
    if per == Per::Unit || element.shape == StepKind::Record {
        return step;
    }
    match element.shape {
        // A replaced record takes a unit from one free cell and gives one to another: only one of
        // both runs into zero.
        StepKind::Alone if moves.measures == 1 && moves.several_free => match cost.loss == cost.moved {
            true => Attained::Reached,
            false => Attained::at_least(&cost.moved, &cost.loss),
        },
        StepKind::Pair if moves.measures == 1 => step,
        // One record counted in one measure alone, where certified is one counted in all of them.
        StepKind::Pair => match step.part() {
            Some(part) => Attained::at_least(&part, &Rational::integer(moves.measures)),
            None => Attained::Unknown,
        },
        // As many records up as down, in one cell each.
        StepKind::Circuit if moves.measures == 1 && element.length.is_multiple_of(2) => step,
        _ => Attained::Unknown,
    }
}

/// Of a loss by the ℓ₂ norm, ε or ρ: `once` says whether the normaliser stands still. (ρ is reached
/// at whole orders.)
pub(super) fn of_norm(moves: &Moves, per: Per, once: bool) -> Attained {
    let has_pair = moves.elements.iter().any(|element| element.shape == StepKind::Pair) || moves.several_free;
    match per {
        Per::Record if moves.measures > 1 || !has_pair => Attained::Unknown,
        _ if once => Attained::Reached,
        _ => Attained::at_least(&Rational::integer(1), &Rational::integer(2)),
    }
}
