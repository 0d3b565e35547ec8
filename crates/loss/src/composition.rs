//! Theorem G6: what several releases of one dataset lose together.
//!
//! Losses hold for pairs of tables that agree on the exact totals of **all** the releases. There
//! they add up; on disjoint parts of the data the largest counts, where that is proved. What has no
//! proof is refused or added. Proof: `crates/certify/proofs/G6.md`.

use crate::amount::Amount;
use crate::charge::Charge;
use crate::unit::Unit;
use declare::Problem;

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

/// Whether losses like this on disjoint parts of the data compose by the largest: those that add up
/// over the parts of a distance, pure ε over ℓ₁ distances and ρ over squared ℓ₂ distances.
///
/// Of a pure loss per record that is true of noise whose loss is linear in ℓ₁ distance alone:
/// `certify::part_of` names no part for any other. The rows of one owner may lie in several parts,
/// as many in each: losses per owner add up.
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
