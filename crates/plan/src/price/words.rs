//! Steps in words: which one was the worst, and what the nearest pair of tables is.

use super::step::{Bound, Cost};
use analyse::{Bounds, Element, Shape};
use loss::Theorem;

/// Why pinned totals cost the plain factor.
pub(super) const PINNED: &str = "totals are pinned to values that are not the table's own, so the normaliser moves with every \
                                 unit of the table: charged twice";

/// Why a base measure costs the plain factor.
pub(super) const WEIGHTED: &str = "tables are weighted by a base measure, so the normaliser moves with every unit of the table, as \
                                   much as the noise does where the weights have a sharp peak: charged twice";

/// Why projections cost what their noise does.
pub(super) const PROJECTED: &str =
    "the noise is drawn freely, and what follows uses the noisy figures and public values alone";

/// Why suppression costs nothing.
pub(super) const SUPPRESSED: &str = "nothing is drawn: the release is a function of the exact totals alone";

/// Why the loss is that of the worst pair.
pub(super) const LISTED: &str =
    "all tables that keep what must hold were listed, and this is the largest loss of any two of them";

/// Why ρ is what it is where all tables were listed.
pub(super) const LISTED_ORDERS: &str = "all tables that keep what must hold were listed, and no two of them have a Rényi divergence of any \
                                        order above it";

/// How the two nearest of all listed tables differ.
pub(super) fn between(distance: u64, squared: u64, cells: usize) -> String {
    match (distance, squared) {
        (1, _) => "one record more or less in one cell".to_owned(),
        (2, 2) => "one record moved from one cell to another".to_owned(),
        _ => format!("{distance} units in {cells} cells, the nearest of all pairs of tables"),
    }
}

/// Why discrete Gaussian noise under bounds and rules loses what it does: theorem G13.
pub(crate) const INTEGER_ORDERS: &str = "all noise and all bounds are on differences of running sums, so the normaliser is \
                                         log-concave, and conditioning adds nothing to the divergences of whole orders";

/// Why a cascade costs what it does: theorem G11.
pub(crate) const CASCADED: &str = "a number has the same interval for both tables and only its centre moves; the noise was made larger by kappa to pay for it";

/// Why the loss is what it is: the worst step, and what it runs into.
pub(super) fn because(theorem: Theorem, cost: &Cost) -> String {
    match (theorem, cost.element.bounds) {
        (Theorem::G13, _) => INTEGER_ORDERS.to_owned(),
        (Theorem::G1 | Theorem::G2, _) => "the normaliser does not depend on the table".to_owned(),
        (Theorem::G7, _) => PROJECTED.to_owned(),
        (Theorem::G10, _) => PINNED.to_owned(),
        (Theorem::Base, _) => WEIGHTED.to_owned(),
        (Theorem::Suppression, _) => SUPPRESSED.to_owned(),
        (Theorem::G11, _) => CASCADED.to_owned(),
        (Theorem::G12, _) => LISTED.to_owned(),
        (Theorem::G3, Bounds::Free) => format!("the worst step, {}, runs into no inequality", step(cost.element)),
        (Theorem::G3, Bounds::Cells) => format!("the worst step is {}{}", step(cost.element), bound(cost)),
        (Theorem::G3, Bounds::Tied) if cost.element.shape == Shape::Any => {
            "the smallest steps between tables with these totals are not known: every unit is charged twice".to_owned()
        }
        (Theorem::G3, Bounds::Tied) => {
            format!("the worst step is {}; a rule ties it to other cells, so it is charged twice", step(cost.element))
        }
    }
}

/// The bound that was used, in words.
fn bound(cost: &Cost) -> String {
    match (cost.bound, cost.element.class) {
        (Bound::Noise, _) => String::new(),
        (Bound::Plain, _) => "; no noise is tied to the cell that stops it, so it is charged twice".to_owned(),
        (Bound::Tied, _) if cost.element.shape == Shape::Record => {
            "; only counts at zero stop it (bound R4)".to_owned()
        }
        (Bound::Tied, _) => "; bounds of single cells stop it (bound R1)".to_owned(),
        (Bound::OneDirection, _) => "; all its noise moves with the cell that stops it (bound R2)".to_owned(),
        (Bound::Small, _) => "; the part is small and its noise strong (bound R5)".to_owned(),
        (Bound::Class, Some(cells)) => format!("; {cells} cells share one total (bound R3)"),
        (Bound::Class, None) => "; its cells share one total (bound R3)".to_owned(),
    }
}

/// A step in words.
pub(super) fn step(element: &Element) -> String {
    let length = element.length;
    match element.shape {
        Shape::Alone => "one record more or less in one cell".to_owned(),
        Shape::Pair => "one record moved from one cell to another".to_owned(),
        Shape::Circuit if length == 4 => "a swap of two records between 2 rows and 2 columns (4 cells)".to_owned(),
        Shape::Circuit => format!("a cycle of {length} cells, one record up and one down in turn"),
        Shape::Record if length == 4 => "a record counted in both measures moved from one place to another".to_owned(),
        Shape::Record => format!("a replaced record that changes {length} counts"),
        Shape::Equation | Shape::Kernel => format!("{length} units in cells that the totals tie together"),
        Shape::Any => "one unit in any cell".to_owned(),
    }
}

/// A pair at this distance in words, where the kinds of steps say no more.
pub(super) fn apart(distance: u64) -> String {
    let units = if distance == 1 { "unit" } else { "units" };
    format!("{distance} {units} in cells that totals, bounds and rules tie together")
}
