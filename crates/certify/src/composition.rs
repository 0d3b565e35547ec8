//! Theorem G6: what several releases of one dataset lose together, and what their exact totals tell together.
//!
//! Losses hold for pairs of tables that agree on the exact totals of **all** the releases. There they add up; on disjoint parts
//! of the data the largest counts, where that is proved. What has no proof is refused or added. Proof:
//! `crates/certify/proofs/G6.md`.

mod classes;
mod joint;
mod lift;

pub use joint::{EarlierRelease, Joint, LeftOut, MOST_JOINT_CELLS, View, joint};

use crate::loss::{Amount, Charge, Unit};
use declare::{Comparison, Declaration, Encoding, Expression, Literal, Number, Problem};

/// The longest name of a part, in characters.
const LONGEST_PART: usize = 200;

/// What several releases lose together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Composed {
    /// The loss.
    pub charge: Charge,
    /// Which pairs of tables it is about, in words.
    pub pairs: String,
    /// How it follows from the single losses, in words.
    pub because: String,
}

/// Whether losses like this on disjoint parts of the data compose by the largest: those that add up over the parts of a distance,
/// pure ε over ℓ₁ distances and ρ over squared ℓ₂ distances.
///
/// Of a pure loss per record that is true of noise whose loss is linear in ℓ₁ distance alone: [`part_of`] names no part for
/// any other. The rows of one owner may lie in several parts, as many in each: losses per owner add up.
pub fn composes_by_maximum(charge: &Charge) -> bool {
    match (&charge.amount, &charge.per) {
        (_, Unit::Owner(_)) | (Amount::Approximate { .. }, _) | (Amount::Pure { .. }, Unit::L2) => false,
        (
            Amount::Pure { .. } | Amount::ZeroConcentrated { .. } | Amount::IntegerOrder { .. },
            Unit::Record | Unit::L1 | Unit::L2,
        ) => true,
    }
}

/// What releases lose together that use the same data.
///
/// # Errors
/// Refused when their units differ, or when ρ and (ε, δ) meet; bad when there is none.
pub fn sequential(losses: &[Charge]) -> Result<Composed, Problem> {
    let first = losses.first().ok_or_else(|| Problem::bad("there is no loss to add up"))?;
    check_units(losses)?;
    let definition = definition(losses)?;
    let mut total = definition.nothing_of();
    for loss in losses {
        loss.amount.check()?;
        let counted = loss.amount.counted_in(&definition)?;
        total = total.plus(&counted).ok_or_else(|| Problem::refused("losses of two definitions do not add up"))?;
    }
    let releases = releases(losses.len());
    Ok(Composed {
        charge: Charge { amount: total, per: first.per.clone() },
        pairs: pairs(&first.per, &releases),
        because: format!("the losses of {releases} of the same data add up"),
    })
}

/// What releases lose together of which each uses one part of the data, no two the same part.
///
/// # Errors
/// As [`sequential`].
pub fn parallel(losses: &[Charge]) -> Result<Composed, Problem> {
    let added = sequential(losses)?;
    let definition = added.charge.amount.nothing_of();
    let by_maximum = losses.iter().chain([&added.charge]).all(composes_by_maximum);
    let releases = releases(losses.len());
    if !by_maximum {
        let because = format!("the losses of {releases} of disjoint parts add up: no smaller bound holds for them");
        return Ok(Composed { because, ..added });
    }
    let mut largest = definition.clone();
    for loss in losses {
        let counted = loss.amount.counted_in(&definition)?;
        if largest.left_after(&counted).is_none() {
            largest = counted;
        }
    }
    Ok(Composed {
        pairs: side_by_side(&added.charge.per, &releases),
        charge: Charge { amount: largest, ..added.charge },
        because: format!(
            "of {releases} of disjoint parts the largest loss counts: what moves in one part moves in no other, and a record that \
             goes from one part to another moves half as far in each"
        ),
    })
}

fn check_units(losses: &[Charge]) -> Result<(), Problem> {
    match losses.windows(2).find(|pair| pair[0].per != pair[1].per) {
        Some(pair) => {
            Err(Problem::refused(format!("a loss per {} and a loss per {} do not add up", pair[0].per, pair[1].per))
                .hint("restate both per replaced record, or per privacy unit, where the plan says how far one moves"))
        }
        None => Ok(()),
    }
}

/// The definition in which all losses can be counted.
fn definition(losses: &[Charge]) -> Result<Amount, Problem> {
    let find = |is: fn(&Amount) -> bool| losses.iter().map(|loss| &loss.amount).find(|amount| is(amount));
    // One loss at integer orders makes the sum one at integer orders.
    let integer_order = find(|amount| matches!(amount, Amount::IntegerOrder { .. }));
    let concentrated = integer_order.or_else(|| find(|amount| matches!(amount, Amount::ZeroConcentrated { .. })));
    let approximate = find(|amount| matches!(amount, Amount::Approximate { .. }));
    match (concentrated, approximate) {
        (Some(rho), Some(other)) => Err(Problem::refused(format!("{rho} and {other} do not add up"))
            .hint("state ρ as an (ε, δ) at a δ of your choice first; ρ follows from no (ε, δ)")),
        (Some(amount), None) | (None, Some(amount)) => Ok(amount.nothing_of()),
        (None, None) => Ok(losses[0].amount.nothing_of()),
    }
}

fn releases(count: usize) -> String {
    if count == 1 { "one release".to_string() } else { format!("{count} releases") }
}

fn pairs(per: &Unit, releases: &str) -> String {
    let measured = match per {
        Unit::L1 | Unit::L2 => "; the distance is the largest that a release sees in its own table",
        Unit::Record | Unit::Owner(_) => "",
    };
    format!(
        "two tables that agree on every exact total of {releases} and satisfy the bounds and rules of each; between tables that \
         differ on any of these totals nothing is promised{measured}"
    )
}

/// The pairs of releases of disjoint parts: distances are those over all parts side by side.
fn side_by_side(per: &Unit, releases: &str) -> String {
    let pairs = pairs(&Unit::Record, releases);
    match per {
        Unit::L1 | Unit::L2 => {
            format!("{pairs}; the distance is that over all parts side by side, not that in one of them")
        }
        Unit::Record | Unit::Owner(_) => pairs,
    }
}

/// The part of the data that a declaration alone uses: the value that its `where` demands of a column, by itself or in a
/// conjunction. `None`: all of the data, or noise whose losses on parts add up.
///
/// Different names are disjoint rows. A number is a part of the same name however it is written: `1`, `'1'` and `'01'`.
pub fn part_of(declaration: &Declaration, column: &str) -> Option<String> {
    let noise = declaration.mechanism.noise;
    let adds_up = noise.is_continuous || !noise.is_product;
    if adds_up {
        return None;
    }
    let name = name_of(demanded(declaration.data.filter.as_ref()?, column)?);
    // Read in another encoding the same rows would have another name, unless all of it is ASCII.
    let same_in_all = declaration.data.encoding == Encoding::Utf8 || (name.is_ascii() && column.is_ascii());
    let is_a_name = same_in_all
        && !name.is_empty()
        && name.trim() == name
        && name.chars().count() <= LONGEST_PART
        && !name.chars().any(char::is_control);
    is_a_name.then_some(name)
}

/// Whether no row of the same file can be counted by both: their filters demand different values of one column.
pub fn are_disjoint(one: &Declaration, other: &Declaration) -> bool {
    let (Some(ours), Some(theirs)) = (&one.data.filter, &other.data.filter) else { return false };
    let same_letters = one.data.encoding == other.data.encoding;
    ours.names().iter().any(|column| match (demanded(ours, column), demanded(theirs, column)) {
        (Some(ours), Some(theirs)) => {
            let (ours, theirs) = (name_of(ours), name_of(theirs));
            ours != theirs && (same_letters || (column.is_ascii() && (ours.is_ascii() || theirs.is_ascii())))
        }
        _ => false,
    })
}

/// A value that a filter demands, the same however a number is written.
fn name_of(value: &Literal) -> String {
    match value {
        Literal::Integer(integer) => integer.to_string(),
        Literal::Text(text) => match Number::read(text).and_then(Number::integer) {
            Some(integer) => integer.to_string(),
            None => text.clone(),
        },
    }
}

/// The value that every row must have in a column to satisfy a predicate.
fn demanded<'a>(expression: &'a Expression, column: &str) -> Option<&'a Literal> {
    match expression {
        Expression::Compare { name, op: Comparison::Equal, value } if name == column => Some(value),
        Expression::In { name, values } if name == column && values.len() == 1 => values.first(),
        Expression::And(left, right) => demanded(left, column).or_else(|| demanded(right, column)),
        _ => None,
    }
}
