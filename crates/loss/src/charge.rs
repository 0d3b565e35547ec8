//! `Charge`: an amount in a unit. What a plan's loss charges, and the same in another unit where
//! that is sound.

use crate::amount::{Amount, Definition};
use crate::loss::{Loss, Theorem, Walked};
use crate::rounding::times_root_up;
use crate::unit::{Reach, Unit};
use declare::Problem;
use exact::Rational;
use serde::{Deserialize, Serialize};
use std::fmt;

/// An amount in a unit: what a release costs, or what a dataset may cost in all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Charge {
    /// How much.
    pub amount: Amount,
    /// Per what.
    pub per: Unit,
}

impl Charge {
    /// What a plan's loss charges, in its own unit.
    ///
    /// Of a walk: (ε, δ). Where the walk's law has a loss ρ, its ε is the largest that the
    /// certificate states, that of the unit, of the nearest pair or of a privacy unit, because what
    /// ρ implies does not grow evenly with the distance.
    ///
    /// # Errors
    /// Refused of a walk before there is evidence of how close it comes to its law.
    pub fn of(loss: &Loss) -> Result<Charge, Problem> {
        let amount = match &loss.walked {
            None => loss.amount.clone(),
            Some(Walked::Estimated(estimated)) => {
                let epsilon = loss.epsilon().unwrap_or(&estimated.epsilon).clone();
                Amount::Approximate { epsilon, delta: estimated.delta.clone() }
            }
            Some(Walked::Unknown) => {
                return Err(Problem::refused("the loss of a walk is not known before its chains have run")
                    .hint("charge the plan that the chains support"));
            }
        };
        Ok(Charge { amount, per: loss.unit.clone() })
    }

    /// What a plan's loss charges in the unit of a budget.
    ///
    /// # Errors
    /// Refused where [`Charge::of`] or [`Charge::in_unit`] is, and of a walk whose law has a loss ρ
    /// in any unit but its own.
    pub fn of_in(loss: &Loss, unit: &Unit) -> Result<Charge, Problem> {
        let charge = Charge::of(loss)?;
        // Tables with the same totals give the same release, whatever their distance is measured
        // in.
        if loss.theorem == Theorem::Suppression && !matches!(unit, Unit::Owner(_)) {
            return Ok(Charge { amount: charge.amount, per: unit.clone() });
        }
        if charge.per != *unit && loss.definition() == Definition::Approximate && loss.is_concentrated() {
            return Err(Problem::refused(format!(
                "the loss of a walk with concentrated noise is stated per {} and cannot be restated per {unit}",
                charge.per
            ))
            .hint("declare the release in the unit of the budget, or use double-geometric noise"));
        }
        charge.in_unit(unit, &loss.reach())
    }

    /// This loss per another unit, rounded up: distances bound what a record moves, records bound
    /// what their owner moves, and the ℓ₁ distance bounds the ℓ₂ distance. Proof:
    /// `crates/certify/proofs/units.md`.
    ///
    /// # Errors
    /// Refused where no such bound exists.
    pub fn in_unit(&self, unit: &Unit, reach: &Reach) -> Result<Charge, Problem> {
        if self.per == *unit {
            return Ok(self.clone());
        }
        let root = |rows: u64| times_root_up(&Rational::integer(rows), reach.record);
        let distance = match (&self.per, unit) {
            (Unit::L2, Unit::L1) => Some(Rational::integer(1)),
            (Unit::L1, Unit::Record) => Some(Rational::integer(reach.record)),
            (Unit::L1, Unit::Owner(column)) => {
                reach.rows_of(column).map(|rows| &Rational::integer(rows) * &Rational::integer(reach.record))
            }
            // The square of a rounded root would be above the whole number that it stands for.
            (Unit::L2, Unit::Record | Unit::Owner(_)) => return self.by_squares(unit, reach, root),
            (Unit::Record, Unit::Owner(column)) => reach.rows_of(column).map(Rational::integer),
            _ => None,
        };
        let amount = distance.and_then(|distance| self.amount.at_distance(&distance));
        amount.map(|amount| Charge { amount, per: unit.clone() }).ok_or_else(|| self.no_way_to(unit))
    }

    /// From ℓ₂ distance to records and their owners: D² ≤ r²·`record`.
    fn by_squares(&self, unit: &Unit, reach: &Reach, root: impl Fn(u64) -> Rational) -> Result<Charge, Problem> {
        let rows = match unit {
            Unit::Owner(column) => reach.rows_of(column).ok_or_else(|| self.no_way_to(unit))?,
            _ => 1,
        };
        let squared = &Rational::integer(reach.record) * &(&Rational::integer(rows) * &Rational::integer(rows));
        let amount = match self.amount.rho() {
            Some(rho) => Some(self.amount.with_size(rho * &squared)),
            None => self.amount.at_distance(&root(rows)),
        };
        amount.map(|amount| Charge { amount, per: unit.clone() }).ok_or_else(|| self.no_way_to(unit))
    }

    fn no_way_to(&self, unit: &Unit) -> Problem {
        let problem = Problem::refused(format!("a loss per {} bounds no loss per {unit}", self.per));
        match unit {
            Unit::Owner(column) => problem
                .hint(format!("write unit = \"{column}\" and rows_per_unit under [data]: how many rows one may own")),
            Unit::L1 | Unit::L2 => problem.hint("write per = \"unit\" under [mechanism], or use a budget per record"),
            Unit::Record => problem.hint("leave out `unit` under [data], or use a budget per privacy unit"),
        }
    }

    /// What a loss counts as in this budget, or why it cannot be paid from it.
    ///
    /// # Errors
    /// Refused when unit or definition do not fit; bad when the loss is no loss.
    pub fn counted(&self, loss: &Charge) -> Result<Amount, Problem> {
        loss.amount.check()?;
        if self.per != loss.per {
            return Err(Problem::refused(format!(
                "the budget is per {}, the loss is per {}: they do not add up",
                self.per, loss.per
            ))
            .hint("release in the unit of the budget, or open a dataset with a budget in the other unit"));
        }
        loss.amount.counted_in(&self.amount)
    }
}

impl fmt::Display for Charge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} per {}", self.amount, self.per)
    }
}
