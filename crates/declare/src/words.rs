//! The words of the spec for every choice it offers.

use crate::declaration::{Duplicates, Encoding, Method, Negative, Per, Policy};
use crate::relation::Relation;
use crate::schema::Record;

impl Method {
    /// Every method.
    pub const ALL: [Method; 6] =
        [Method::Condition, Method::Cascade, Method::Project, Method::TopDown, Method::Unconstrained, Method::Suppress];

    /// Whether noise is drawn freely and the nearest table that keeps the invariants is released.
    pub fn projects(self) -> bool {
        matches!(self, Method::Project | Method::TopDown)
    }

    /// The word used in specs.
    pub fn name(self) -> &'static str {
        match self {
            Method::Condition => "condition",
            Method::Cascade => "cascade",
            Method::Project => "project",
            Method::TopDown => "topdown",
            Method::Unconstrained => "unconstrained",
            Method::Suppress => "suppress",
        }
    }
}

impl Per {
    /// Every unit of loss.
    pub const ALL: [Per; 2] = [Per::Unit, Per::Record];

    /// The word used in specs.
    pub fn name(self) -> &'static str {
        match self {
            Per::Unit => "unit",
            Per::Record => "record",
        }
    }
}

impl Policy {
    /// Every policy.
    pub const ALL: [Policy; 2] = [Policy::Error, Policy::Drop];

    /// The word used in specs.
    pub fn name(self) -> &'static str {
        match self {
            Policy::Error => "error",
            Policy::Drop => "drop",
        }
    }
}

impl Encoding {
    /// Every encoding.
    pub const ALL: [Encoding; 2] = [Encoding::Utf8, Encoding::Windows1252];

    /// The word used in specs.
    pub fn name(self) -> &'static str {
        match self {
            Encoding::Utf8 => "utf-8",
            Encoding::Windows1252 => "windows-1252",
        }
    }
}

impl Duplicates {
    /// Every policy.
    pub const ALL: [Duplicates; 2] = [Duplicates::Error, Duplicates::Sum];

    /// The word used in specs.
    pub fn name(self) -> &'static str {
        match self {
            Duplicates::Error => "error",
            Duplicates::Sum => "sum",
        }
    }
}

impl Negative {
    /// Every policy.
    pub const ALL: [Negative; 2] = [Negative::Error, Negative::Zero];

    /// The word used in specs.
    pub fn name(self) -> &'static str {
        match self {
            Negative::Error => "error",
            Negative::Zero => "zero",
        }
    }
}

impl Record {
    /// Every footprint of a record.
    pub const ALL: [Record; 2] = [Record::Any, Record::One];

    /// The word used in specs.
    pub fn name(self) -> &'static str {
        match self {
            Record::Any => "any",
            Record::One => "one",
        }
    }
}

impl Relation {
    /// Every comparison of a rule.
    pub const ALL: [Relation; 3] = [Relation::AtMost, Relation::AtLeast, Relation::Equal];

    /// The word used in specs.
    pub fn name(self) -> &'static str {
        match self {
            Relation::AtMost => "<=",
            Relation::AtLeast => ">=",
            Relation::Equal => "=",
        }
    }
}
