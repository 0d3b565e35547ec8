//! `Loss`: what the release costs in the declared unit, by which theorem, and what the nearest pair of tables gets.

use crate::concentrated::epsilon_at;
use crate::integer_order::epsilon_at_integer_orders;
use crate::price::Attained;
use crate::rounding::{rounded_up, times_root_up};
use declare::Per;
use exact::Rational;

/// The ε that a zCDP loss implies is stated at a δ of one in so many.
pub const STATED_DELTA: u32 = 1_000_000;

fn stated_delta() -> Rational {
    Rational::new(1, STATED_DELTA)
}

/// What a loss is per when it is that of all rows of a privacy unit.
pub const PRIVACY_UNIT: &str = "privacy unit";

/// Which privacy definition the loss is stated in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Definition {
    /// Pure differential privacy.
    Pure,
    /// Zero-concentrated differential privacy.
    ZeroConcentrated,
    /// Concentrated differential privacy at integer orders: Rényi divergences of whole orders α ≥ 2 are at most αρ.
    IntegerOrder,
    /// (ε, δ), where δ pays for a walk that is only estimated to be close to its law.
    Approximate,
}

/// The norm in which the distance of two tables is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Norm {
    /// The sum of the differences of their cells.
    L1,
    /// The root of the sum of the squared differences.
    L2,
}

impl Definition {
    /// The definition in words, as certificates and scripts write it.
    pub fn name(self) -> &'static str {
        match self {
            Definition::Pure => "pure differential privacy",
            Definition::ZeroConcentrated => "zero-concentrated differential privacy",
            Definition::IntegerOrder => "concentrated differential privacy at integer orders",
            Definition::Approximate => "approximate differential privacy",
        }
    }
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
    /// The definition.
    pub definition: Definition,
    /// ε in the declared unit, γ included; exact or rounded up; absent for zCDP.
    pub epsilon: Option<Rational>,
    /// δ: zero for pure loss; for zCDP the δ at which `epsilon_at_delta` is stated; of a walk what its distance from the law
    /// costs (theorem G5), absent before there is evidence of it.
    pub delta: Option<Rational>,
    /// ρ in the declared unit; absent for pure loss.
    pub rho: Option<Rational>,
    /// For zCDP: an ε, rounded up, that one unit of ρ implies at `delta`.
    pub epsilon_at_delta: Option<Rational>,
    /// What the loss is per, for example `unit of l1 distance`.
    pub unit: &'static str,
    /// The norm in which the loss measures distances.
    pub norm: Norm,
    /// How far one replaced record moves a table at most: the ℓ₁ distance, or the square of the ℓ₂ distance; both are the same.
    pub footprint: u64,
    /// Who is protected, when one privacy unit may own several rows.
    pub owner: Option<Owner>,
    /// What the moving normaliser adds, as a part of the loss without it, for the worst step; rounded up, at most 1.
    pub gamma: Rational,
    /// What the plain factor 2 would have charged for the worst step, where the normaliser may move.
    pub plain: Option<Rational>,
    /// The theorem that proves it.
    pub theorem: Theorem,
    /// Why it is what it is, in words: the worst step.
    pub because: String,
    /// How near the truth is known to come to it.
    pub attained: Attained,
    /// Whether it is that of the steps that one replaced record makes, and not of so many units of distance: then it says nothing
    /// about a distance.
    pub by_records: bool,
    /// What rounding adds: zero, the operators are exact.
    pub rounding: Rational,
    /// The nearest pair of different tables with the same totals, and its loss.
    pub nearest: NearestLoss,
    /// What δ is made of, once there is evidence of how close a walk is to its law.
    pub estimated: Option<Estimated>,
}

/// What the δ of a release by walks is made of: `δ = δ₀ + α(1 + e^ε)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Estimated {
    /// α: an upper confidence limit of the total variation distance between the release and its law, over all walks.
    pub distance: Rational,
    /// The confidence of the limit for every walk, in percent.
    pub percent: u32,
    /// ε: the largest loss that is stated, that of the unit or that of the nearest pair.
    pub epsilon: Rational,
    /// δ₀: what converting ρ into an ε costs; zero for pure loss.
    pub converted: Rational,
}

/// A privacy unit that may own several rows, each of them one record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// The column of the data file that names it.
    pub column: String,
    /// The most rows that it owns.
    pub rows: u64,
    /// How far replacing one unit by another moves a table at most, in the unit of a per-distance loss: distance for ε, of
    /// ℓ₂ rounded up; squared ℓ₂ distance for ρ.
    pub moves: Rational,
    /// The loss, ε or ρ, between two tables that differ by one replaced unit.
    pub whole: Rational,
}

impl Owner {
    /// Who is meant, for example `person_id, which owns at most 3 rows`.
    pub fn in_words(&self) -> String {
        let rows = if self.rows == 1 { "row" } else { "rows" };
        format!("{}, which owns at most {} {rows}", self.column, self.rows)
    }
}

/// The loss of the nearest pair of different tables with the same totals, as far as it is known: of a pair that exists, or of one
/// that is as near as a pair could be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearestLoss {
    /// Their ℓ₁ distance.
    pub distance: u64,
    /// No two different tables of the fibre are nearer.
    pub at_least: u64,
    /// Whether two tables at this distance are known to exist.
    pub known: bool,
    /// Whether other pairs at its ℓ₁ distance may be farther apart in ℓ₂ distance, which decides the loss, and lose more.
    pub others: bool,
    /// ε of that pair; absent for zCDP.
    pub epsilon: Option<Rational>,
    /// ρ of that pair; absent for pure loss.
    pub rho: Option<Rational>,
    /// For zCDP: an ε, rounded up, that the pair's ρ implies at the loss's δ.
    pub epsilon_at_delta: Option<Rational>,
    /// The noise that such a pair is told apart by, where what it means can be computed from its law.
    pub noise: Option<GaussianNoise>,
    /// How the two differ, in words.
    pub step: String,
}

/// Discrete Gaussian noise between two tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GaussianNoise {
    /// σ² in every cell.
    pub variance: Rational,
    /// The square of the ℓ₂ distance of the tables.
    pub squared: u64,
}

impl NearestLoss {
    /// Whether the pair is known to be a nearest one.
    pub fn is_attained(&self) -> bool {
        self.known && self.distance == self.at_least
    }

    /// What is known of it and what it loses, in words.
    pub(crate) fn in_words(&self, loss: &str) -> String {
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
    pub(crate) fn concentrated(rho: Rational, per: Per, footprint: u64, nearest: NearestLoss) -> Loss {
        let zero = Rational::integer(0);
        let implied = |rho: &Rational| Some(epsilon_at(rho, &stated_delta()));
        Loss {
            definition: Definition::ZeroConcentrated,
            epsilon: None,
            delta: Some(stated_delta()),
            epsilon_at_delta: implied(&rho),
            rho: Some(rho),
            unit: if per == Per::Unit { "unit of l2 distance" } else { "replaced record" },
            norm: Norm::L2,
            footprint,
            owner: None,
            gamma: zero.clone(),
            plain: None,
            theorem: Theorem::G2,
            because: "the normaliser does not depend on the table".to_owned(),
            attained: Attained::Unknown,
            by_records: false,
            rounding: zero,
            nearest: NearestLoss { epsilon_at_delta: nearest.rho.as_ref().and_then(implied), ..nearest },
            estimated: None,
        }
    }

    /// Whether it is a loss ρ.
    pub fn is_concentrated(&self) -> bool {
        self.rho.is_some()
    }

    /// Whether its ρ bounds the Rényi divergences of whole orders alone, of a walk those of its law.
    pub fn is_at_integer_orders(&self) -> bool {
        self.theorem == Theorem::G13
    }

    /// An ε, rounded up, that a loss ρ of this kind implies at a δ between 0 and 1. ρ must be positive.
    pub fn implied_at(&self, rho: &Rational, delta: &Rational) -> Rational {
        if self.is_at_integer_orders() { epsilon_at_integer_orders(rho, delta) } else { epsilon_at(rho, delta) }
    }

    /// Whether it is the loss of all rows of one privacy unit.
    pub fn is_of_owner(&self) -> bool {
        self.unit == PRIVACY_UNIT
    }

    /// ε or ρ between two tables that differ by one replaced record, rounded up. R replaced records lose R times this ε, or R² times
    /// this ρ, at most.
    pub fn of_record(&self) -> Option<Rational> {
        let stated = self.epsilon.as_ref().or(self.rho.as_ref())?;
        let footprint = Rational::integer(self.footprint);
        let one = Rational::integer(1);
        Some(match &self.owner {
            _ if self.is_per_distance() && self.norm == Norm::L2 && self.rho.is_none() => {
                rounded_up(&(stated * &times_root_up(&one, self.footprint)))
            }
            _ if self.is_per_distance() => stated * &footprint,
            Some(owner) if self.is_of_owner() => {
                let rows = Rational::integer(owner.rows);
                stated / &if self.rho.is_some() { &rows * &rows } else { rows }
            }
            _ => stated.clone(),
        })
    }

    /// ε per unit of ℓ₁ distance between any two tables with the same totals; absent for losses that are stated otherwise.
    pub fn per_unit_of_l1(&self) -> Option<Rational> {
        let stated = self.norm == Norm::L1 && self.rho.is_none() && !self.by_records;
        let record = self.of_record().filter(|_| stated)?;
        Some(&record / &Rational::integer(self.footprint))
    }

    /// Whether it is per unit of distance, and not per record or privacy unit.
    pub fn is_per_distance(&self) -> bool {
        self.unit.starts_with("unit of ")
    }

    /// The theorems that prove it, as certificates write them.
    pub fn theorems(&self) -> String {
        match self.definition {
            Definition::Approximate => format!("{} and G5", self.theorem.name()),
            Definition::Pure | Definition::ZeroConcentrated | Definition::IntegerOrder => {
                self.theorem.name().to_owned()
            }
        }
    }

    /// What the loss is per, in words.
    pub fn unit_in_words(&self) -> String {
        match &self.owner {
            Some(owner) if self.unit == PRIVACY_UNIT => owner.in_words(),
            _ => self.unit.to_owned(),
        }
    }

    /// The loss when one privacy unit may own up to `rows` rows. Per record, it becomes the loss per unit: ε·r, and ρ·r²
    /// because all rows of a unit may stand in one cell. Per unit of distance the number stays, and what a unit may lose is
    /// stated beside it. Proof: `crates/certify/proofs/units.md`.
    pub(crate) fn owned(mut self, column: &str, rows: u64, per: Per) -> Loss {
        let rows_each = Rational::integer(rows);
        let squared = &rows_each * &rows_each;
        let pure = self.rho.is_none();
        let factor = if pure { rows_each.clone() } else { squared };
        let footprint = Rational::integer(self.footprint);
        let moves = match self.norm {
            Norm::L2 if pure => times_root_up(&rows_each, self.footprint),
            _ => &footprint * &factor,
        };
        if per == Per::Record {
            let times = |value: &Option<Rational>| value.as_ref().map(|value| value * &factor);
            (self.epsilon, self.rho, self.plain) = (times(&self.epsilon), times(&self.rho), times(&self.plain));
            // One row is one record, for which the law itself may have said more.
            if rows != 1 {
                self.epsilon_at_delta = self.rho.as_ref().map(|rho| self.implied_at(rho, &stated_delta()));
            }
            self.unit = PRIVACY_UNIT;
            self.attained = self.attained.of_several(rows, &self.gamma);
        }
        let stated = self.epsilon.as_ref().or(self.rho.as_ref()).cloned().unwrap_or_else(|| Rational::integer(0));
        let whole = if per == Per::Record { stated } else { rounded_up(&(&stated * &moves)) };
        self.owner = Some(Owner { column: column.to_owned(), rows, moves, whole });
        self
    }
}
