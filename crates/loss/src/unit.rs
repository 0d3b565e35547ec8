//! `Unit`: what a loss is per, and `Reach`: how far records and privacy units move a table, which
//! links the units to each other.

use declare::Per;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The norm in which the distance of two tables is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Norm {
    /// The sum of the differences of their cells.
    L1,
    /// The root of the sum of the squared differences.
    L2,
}

/// What a loss is per: losses in different units do not add up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Unit {
    /// One replaced record.
    Record,
    /// One unit of ℓ₁ distance between two tables.
    L1,
    /// One unit of ℓ₂ distance between two tables.
    L2,
    /// All rows of one privacy unit, named by the column that identifies it.
    Owner(String),
}

impl Unit {
    /// The unit that a spec asks for, where distances are measured in this norm.
    pub fn declared(per: Per, norm: Norm) -> Unit {
        match (per, norm) {
            (Per::Record, _) => Unit::Record,
            (Per::Unit, Norm::L1) => Unit::L1,
            (Per::Unit, Norm::L2) => Unit::L2,
        }
    }

    /// Whether it is a distance, and not a record or a privacy unit.
    pub fn is_distance(&self) -> bool {
        matches!(self, Unit::L1 | Unit::L2)
    }

    /// Its name in plain letters, as certificates and scripts write it; of privacy units without
    /// their column.
    pub fn name(&self) -> &'static str {
        match self {
            Unit::Record => "replaced record",
            Unit::L1 => "unit of l1 distance",
            Unit::L2 => "unit of l2 distance",
            Unit::Owner(_) => "privacy unit",
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unit::Record => f.write_str("replaced record"),
            Unit::L1 => f.write_str("unit of ℓ₁ distance"),
            Unit::L2 => f.write_str("unit of ℓ₂ distance"),
            Unit::Owner(column) => write!(f, "privacy unit `{column}`"),
        }
    }
}

/// How far records and privacy units can move a table: what links the units to each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reach {
    /// The ℓ₁ distance of a replaced record, at most, which is also its squared ℓ₂ distance: 2, or
    /// 2m with m measures.
    pub record: u64,
    /// The column of the privacy unit and the most rows that one owns.
    pub owner: Option<(String, u64)>,
}

impl Reach {
    /// The most rows that a privacy unit of this column owns, if it is the one that is known.
    pub(crate) fn rows_of(&self, column: &str) -> Option<u64> {
        self.owner.as_ref().filter(|(known, _)| known == column).map(|(_, rows)| *rows)
    }
}
