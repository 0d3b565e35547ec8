//! `Loss`: what the release costs in the declared unit, by which theorem, and what the nearest pair
//! of tables gets.

use crate::amount::{Amount, Definition};
use crate::attained::Attained;
use crate::rounding::{rounded_up, times_root_up};
use crate::tradeoff::{GaussianNoise, TradeOff};
use crate::unit::{Norm, Reach, Unit};
use declare::Per;
use exact::Rational;

/// The ε that a zCDP loss implies is stated at a δ of one in so many.
pub const STATED_DELTA: u32 = 1_000_000;

fn stated_delta() -> Rational {
    Rational::new(1, STATED_DELTA)
}

/// Which theorem proves a loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Theorem {
    /// Equalities only, pure.
    G1,
    /// Equalities only, zero-concentrated.
    G2,
    /// Inequalities, pure.
    G3,
    /// Projections: what is computed from noisy measurements and public values alone.
    G7,
    /// Totals pinned to values that are not the table's own, pure.
    G10,
    /// A cascade: every number within what is left for it.
    G11,
    /// Inequalities that leave few tables: the worst of all pairs, pure.
    G12,
    /// Inequalities on differences of potentials, ρ at integer orders.
    G13,
    /// Tables weighted by a base measure, pure.
    Base,
    /// Nothing but the exact totals is published.
    Suppression,
}

impl Theorem {
    /// Its name, as certificates write it.
    pub fn name(self) -> &'static str {
        match self {
            Theorem::G1 => "G1",
            Theorem::G2 => "G2",
            Theorem::G3 => "G3",
            Theorem::G7 => "G7",
            Theorem::G10 => "G10",
            Theorem::G11 => "G11",
            Theorem::G12 => "G12",
            Theorem::G13 => "G13",
            Theorem::Base => "base",
            Theorem::Suppression => "suppression",
        }
    }
}

/// The privacy loss of a release, for pairs of tables with the same totals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// How much, per `unit`, γ included; exact or rounded up. Of a walk that of its law.
    pub amount: Amount,
    /// An (ε, δ) that one unit of ρ implies; none of a loss ε.
    pub implied: Option<Implied>,
    /// What the loss is per.
    pub unit: Unit,
    /// The norm in which the loss measures distances.
    pub norm: Norm,
    /// How far one replaced record moves a table at most: the ℓ₁ distance, or the square of the ℓ₂
    /// distance; both are the same.
    pub footprint: u64,
    /// Who is protected, when one privacy unit may own several rows.
    pub owner: Option<Owner>,
    /// What the moving normaliser adds, as a part of the loss without it, for the worst step;
    /// rounded up, at most 1.
    pub gamma: Rational,
    /// What the plain factor 2 would have charged for the worst step, where the normaliser may
    /// move.
    pub plain: Option<Rational>,
    /// The theorem that proves it.
    pub theorem: Theorem,
    /// Why it is what it is, in words: the worst step.
    pub because: String,
    /// How near the truth is known to come to it.
    pub attained: Attained,
    /// Whether it is that of the steps that one replaced record makes, and not of so many units of
    /// distance: then it says nothing about a distance.
    pub by_records: bool,
    /// What rounding adds: zero, the operators are exact.
    pub rounding: Rational,
    /// The nearest pair of different tables with the same totals, and its loss.
    pub nearest: NearestLoss,
    /// What a walk adds, which is only close to its law; none where every draw is from the law
    /// itself.
    pub walked: Option<Walked>,
}

/// An (ε, δ) that follows from a loss ρ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Implied {
    /// ε, rounded up.
    pub epsilon: Rational,
    /// The δ at which it is stated.
    pub delta: Rational,
}

/// What is known of the distance between a walk and its law.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Walked {
    /// Nothing yet: no chains have been run.
    Unknown,
    /// What its chains told, and the δ that it costs (theorem G5).
    Estimated(Estimated),
}

/// What the δ of a release by walks is made of: `δ = δ₀ + α(1 + e^ε)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Estimated {
    /// α: an upper confidence limit of the total variation distance between the release and its
    /// law, over all walks.
    pub distance: Rational,
    /// The confidence of the limit for every walk, in percent.
    pub percent: u32,
    /// ε: the largest loss that is stated, that of the unit or that of the nearest pair.
    pub epsilon: Rational,
    /// δ₀: what converting ρ into an ε costs; zero for pure loss.
    pub converted: Rational,
    /// δ, rounded up.
    pub delta: Rational,
}

/// A privacy unit that may own several rows, each of them one record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// The column of the data file that names it.
    pub column: String,
    /// The most rows of one that are counted.
    pub rows: u64,
    /// How far replacing one unit by another moves a table at most, in the unit of a per-distance
    /// loss: distance for ε, of ℓ₂ rounded up; squared ℓ₂ distance for ρ.
    pub moves: Rational,
    /// The loss, ε or ρ, between two tables that differ by one replaced unit.
    pub whole: Rational,
}

impl Owner {
    /// Who is meant, for example `person_id, of which at most 3 rows are counted`.
    pub fn in_words(&self) -> String {
        let rows = if self.rows == 1 { "row is" } else { "rows are" };
        format!("{}, of which at most {} {rows} counted", self.column, self.rows)
    }
}

/// The loss of the nearest pair of different tables with the same totals, as far as it is known: of
/// a pair that exists, or of one that is as near as a pair could be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearestLoss {
    /// Their ℓ₁ distance.
    pub distance: u64,
    /// No two different tables of the fibre are nearer.
    pub at_least: u64,
    /// Whether two tables at this distance are known to exist.
    pub known: bool,
    /// Whether other pairs at its ℓ₁ distance may be farther apart in ℓ₂ distance, which decides
    /// the loss, and lose more.
    pub others: bool,
    /// What it loses: of the definition of the loss.
    pub amount: Amount,
    /// For ρ: an ε, rounded up, that the pair's loss implies at the δ of the loss's own.
    pub implied: Option<Rational>,
    /// The noise that such a pair is told apart by, where what it means can be computed from its
    /// law.
    pub noise: Option<GaussianNoise>,
    /// How the two differ, in words.
    pub step: String,
}

impl NearestLoss {
    /// Whether the pair is known to be a nearest one.
    pub fn is_attained(&self) -> bool {
        self.known && self.distance == self.at_least
    }

    /// What is known of it and what it loses, in words.
    pub fn in_words(&self, loss: &str) -> String {
        let NearestLoss { distance, at_least, step, .. } = self;
        match self.known {
            true if self.is_attained() && self.others => format!(
                "A nearest such pair is at ℓ₁ distance {distance} ({step}): {loss}. Others as near may be farther apart in ℓ₂ distance, \
                 and lose more."
            ),
            true if self.is_attained() => {
                format!("The nearest such pair is at ℓ₁ distance {distance} ({step}): {loss}.")
            }
            true => format!(
                "A pair is known at ℓ₁ distance {distance} ({step}): {loss}. None is nearer than {at_least}; whether one is nearer than \
                 {distance} is not known."
            ),
            false => format!(
                "No such pair is nearer than ℓ₁ distance {distance}; whether one is as near is not known. At that distance ({step}) it \
                 would be {loss}; a pair that is farther apart may lose more."
            ),
        }
    }
}

impl Loss {
    /// Zero-concentrated loss under equalities alone: ρ in the declared unit, and the nearest pair.
    pub fn concentrated(rho: Rational, per: Per, footprint: u64, nearest: NearestLoss) -> Loss {
        let delta = stated_delta();
        let nearest = NearestLoss { implied: nearest.amount.implied_at(&delta), ..nearest };
        let amount = Amount::ZeroConcentrated { rho };
        let implied = amount.implied_at(&delta).map(|epsilon| Implied { epsilon, delta });
        Loss { implied, theorem: Theorem::G2, ..Loss::new(amount, per, Norm::L2, footprint, nearest) }
    }

    /// A loss per unit or per record where the normaliser does not depend on the table.
    pub fn new(amount: Amount, per: Per, norm: Norm, footprint: u64, nearest: NearestLoss) -> Loss {
        Loss {
            amount,
            implied: None,
            unit: Unit::declared(per, norm),
            norm,
            footprint,
            owner: None,
            gamma: Rational::integer(0),
            plain: None,
            theorem: Theorem::G1,
            because: "the normaliser does not depend on the table".to_owned(),
            attained: Attained::Unknown,
            by_records: false,
            rounding: Rational::integer(0),
            nearest,
            walked: None,
        }
    }

    /// The definition in which the release is private: that of its amount, or (ε, δ) of a walk.
    pub fn definition(&self) -> Definition {
        if self.walked.is_some() { Definition::Approximate } else { self.amount.definition() }
    }

    /// ε in the declared unit; none of a loss ρ.
    pub fn epsilon(&self) -> Option<&Rational> {
        self.amount.epsilon()
    }

    /// ρ in the declared unit; none of a pure loss.
    pub fn rho(&self) -> Option<&Rational> {
        self.amount.rho()
    }

    /// δ: zero for pure loss; for ρ that at which an ε is stated; of a walk what its distance from
    /// the law costs (theorem G5), none before there is evidence of it.
    pub fn delta(&self) -> Option<Rational> {
        match (&self.walked, &self.implied) {
            (Some(Walked::Unknown), _) => None,
            (Some(Walked::Estimated(estimated)), _) => Some(estimated.delta.clone()),
            (None, Some(implied)) => Some(implied.delta.clone()),
            (None, None) => Some(Rational::integer(0)),
        }
    }

    /// What chains told of the walks, once they were run.
    pub fn estimated(&self) -> Option<&Estimated> {
        match &self.walked {
            Some(Walked::Estimated(estimated)) => Some(estimated),
            Some(Walked::Unknown) | None => None,
        }
    }

    /// Whether it is a loss ρ, of a walk that of its law.
    pub fn is_concentrated(&self) -> bool {
        self.rho().is_some()
    }

    /// Whether its ρ bounds the Rényi divergences of whole orders alone, of a walk those of its
    /// law.
    pub fn is_at_integer_orders(&self) -> bool {
        self.amount.definition() == Definition::IntegerOrder
    }

    /// ε or ρ between two tables that differ by one replaced record, rounded up. R replaced records
    /// lose R times this ε, or R² times this ρ, at most.
    pub fn of_record(&self) -> Rational {
        let stated = self.amount.size();
        match (&self.unit, &self.owner) {
            (Unit::L2, _) if !self.is_concentrated() => {
                rounded_up(&(stated * &times_root_up(&Rational::integer(1), self.footprint)))
            }
            (Unit::L1 | Unit::L2, _) => stated * &Rational::integer(self.footprint),
            (Unit::Owner(_), Some(owner)) => {
                let rows = Rational::integer(owner.rows);
                stated / &if self.is_concentrated() { &rows * &rows } else { rows }
            }
            (Unit::Record | Unit::Owner(_), _) => stated.clone(),
        }
    }

    /// ε per unit of ℓ₁ distance between any two tables with the same totals; absent for losses
    /// that are stated otherwise.
    pub fn per_unit_of_l1(&self) -> Option<Rational> {
        let stated = self.norm == Norm::L1 && !self.is_concentrated() && !self.by_records;
        stated.then(|| &self.of_record() / &Rational::integer(self.footprint))
    }

    /// How far records and privacy units move a table: what it was computed with.
    pub fn reach(&self) -> Reach {
        let owner = self.owner.as_ref().map(|owner| (owner.column.clone(), owner.rows));
        Reach { record: self.footprint, owner }
    }

    /// The theorems that prove it, as certificates write them.
    pub fn theorems(&self) -> String {
        match self.walked {
            Some(_) => format!("{} and G5", self.theorem.name()),
            None => self.theorem.name().to_owned(),
        }
    }

    /// What the loss is per, in words.
    pub fn unit_in_words(&self) -> String {
        match (&self.unit, &self.owner) {
            (Unit::Owner(_), Some(owner)) => owner.in_words(),
            (unit, _) => unit.name().to_owned(),
        }
    }

    /// This ρ, held at integer orders alone.
    pub fn at_integer_orders(mut self) -> Loss {
        self.amount = self.amount.at_integer_orders();
        self.nearest.amount = self.nearest.amount.at_integer_orders();
        let delta = stated_delta();
        self.nearest.implied = self.nearest.amount.implied_at(&delta);
        self.implied = self.amount.implied_at(&delta).map(|epsilon| Implied { epsilon, delta });
        // The law of the noise itself is the same for every table under equalities alone (G2a).
        self.nearest.noise = None;
        self.attained = Attained::Unknown;
        self
    }

    /// The loss with the ε at its δ from the law of the noise itself, where that is smaller than
    /// what ρ implies: of one unit, a record in all its cells included, and of the nearest pair, at
    /// this squared ℓ₂ distance.
    pub fn by_the_law(mut self, variance: &Rational, squared: u64, per: Per) -> Loss {
        let delta = stated_delta();
        let units = if per == Per::Unit { 1..=1 } else { 1..=self.footprint };
        let unit = TradeOff::new(variance, units).and_then(|law| law.epsilon_at(&delta));
        if let (Some(implied), Some(unit)) = (&mut self.implied, unit)
            && unit < implied.epsilon
        {
            implied.epsilon = unit;
        }
        let noise = GaussianNoise { variance: variance.clone(), squares: squared..=squared };
        let pair = noise.trade_off().and_then(|law| law.epsilon_at(&delta));
        self.nearest.implied = [self.nearest.amount.implied_at(&delta), pair].into_iter().flatten().min();
        self.nearest.noise = Some(noise);
        self
    }

    /// The loss when one privacy unit may own up to `rows` rows. Per record, it becomes the loss
    /// per unit: ε·r, and ρ·r² because all rows of a unit may stand in one cell. Per unit of
    /// distance the number stays, and what a unit may lose is stated beside it. Proof:
    /// `crates/certify/proofs/units.md`.
    pub fn owned(mut self, column: &str, rows: u64, per: Per) -> Loss {
        let rows_each = Rational::integer(rows);
        let squared = &rows_each * &rows_each;
        let pure = !self.is_concentrated();
        let factor = if pure { rows_each.clone() } else { squared };
        let footprint = Rational::integer(self.footprint);
        let moves = match self.norm {
            Norm::L2 if pure => times_root_up(&rows_each, self.footprint),
            _ => &footprint * &factor,
        };
        if per == Per::Record {
            self.amount = self.amount.with_size(self.amount.size() * &factor);
            self.plain = self.plain.map(|plain| &plain * &factor);
            // One row is one record, for which the law itself may have said more.
            if rows != 1 {
                let delta = stated_delta();
                self.implied = self.amount.implied_at(&delta).map(|epsilon| Implied { epsilon, delta });
            }
            self.unit = Unit::Owner(column.to_owned());
            self.attained = self.attained.of_several(rows, &self.gamma);
        }
        let stated = self.amount.size();
        let whole = if per == Per::Record { stated.clone() } else { rounded_up(&(stated * &moves)) };
        self.owner = Some(Owner { column: column.to_owned(), rows, moves, whole });
        self
    }
}
