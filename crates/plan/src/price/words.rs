//! Steps in words: which one was the worst, and what the nearest pair of tables is.

use super::step::{Bound, Cost};
use analyse::{Bounds, Element, StepKind};
use loss::{Loss, Theorem};

/// Why a loss is what it is, where its theorem says all.
pub(crate) fn of(theorem: Theorem) -> Option<&'static str> {
    Some(match theorem {
        Theorem::G1 | Theorem::G2 => "the normaliser does not depend on the table",
        Theorem::G3 => return None,
        Theorem::G7 => "the noise is drawn freely, and what follows uses the noisy figures and public values alone",
        Theorem::G10 => {
            "totals are pinned to values that are not the table's own, so the normaliser moves with every \
             unit of the table: charged twice"
        }
        Theorem::G11 => {
            "a number has the same interval for both tables and only its centre moves; the noise was made larger by kappa to pay for it"
        }
        Theorem::G12 => {
            "all tables that keep what must hold were listed, and this is the largest loss of any two of them"
        }
        Theorem::G13 => {
            "all noise and all bounds are on differences of running sums, so the normaliser is \
             log-concave, and conditioning adds nothing to the divergences of whole orders"
        }
        Theorem::Base => {
            "tables are weighted by a base measure, so the normaliser moves with every unit of the table, as \
             much as the noise does where the weights have a sharp peak: charged twice"
        }
        Theorem::Suppression => "nothing is drawn: the release is a function of the exact totals alone",
    })
}

/// A loss that a theorem proves, in its words.
pub(crate) fn by(theorem: Theorem, loss: Loss) -> Loss {
    Loss { theorem, because: of(theorem).unwrap_or_default().to_owned(), ..loss }
}

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

/// Why the loss is what it is: the worst step, and what it runs into.
pub(super) fn because(theorem: Theorem, cost: &Cost) -> String {
    if let Some(words) = of(theorem) {
        return words.to_owned();
    }
    match cost.element.bounds {
        Bounds::Free => format!("the worst step, {}, runs into no inequality", step(cost.element)),
        Bounds::Cells => format!("the worst step is {}{}", step(cost.element), bound(cost)),
        Bounds::Tied if cost.element.shape == StepKind::Any => {
            "the smallest steps between tables with these totals are not known: every unit is charged twice".to_owned()
        }
        Bounds::Tied => {
            format!("the worst step is {}; a rule ties it to other cells, so it is charged twice", step(cost.element))
        }
    }
}

/// The bound that was used, in words.
fn bound(cost: &Cost) -> String {
    match (cost.bound, cost.element.class) {
        (Bound::Noise, _) => String::new(),
        (Bound::Plain, _) => "; no noise is tied to the cell that stops it, so it is charged twice".to_owned(),
        (Bound::Tied, _) if cost.element.shape == StepKind::Record => {
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
        StepKind::Alone => "one record more or less in one cell".to_owned(),
        StepKind::Pair => "one record moved from one cell to another".to_owned(),
        StepKind::Circuit if length == 4 => "a swap of two records between 2 rows and 2 columns (4 cells)".to_owned(),
        StepKind::Circuit => format!("a cycle of {length} cells, one record up and one down in turn"),
        StepKind::Record if length == 4 => {
            "a record counted in both measures moved from one place to another".to_owned()
        }
        StepKind::Record => format!("a replaced record that changes {length} counts"),
        StepKind::Equation | StepKind::Kernel => format!("{length} units in cells that the totals tie together"),
        StepKind::Any => "one unit in any cell".to_owned(),
    }
}

/// A pair at this distance in words, where the kinds of steps say no more.
pub(super) fn apart(distance: u64) -> String {
    let units = if distance == 1 { "unit" } else { "units" };
    format!("{distance} {units} in cells that totals, bounds and rules tie together")
}
