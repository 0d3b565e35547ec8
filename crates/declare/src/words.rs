//! The words of the spec for every choice it offers.

use crate::dates::Period;
use crate::declaration::{Duplicates, Encoding, Method, Negative, Per, Policy, Relation};
use crate::schema::Record;
use crate::spec::{MissingValue, OutsideBounds};

/// Gives a choice its words, in the order in which messages list them.
macro_rules! words {
    ($($choice:ident { $($value:ident = $word:literal),+ })+) => {$(
        impl $choice {
            /// Every one, in the order in which messages list them.
            pub const ALL: [$choice; [$($word),+].len()] = [$($choice::$value),+];

            /// The word used in specs.
            pub fn name(self) -> &'static str {
                match self {
                    $($choice::$value => $word),+
                }
            }
        }
    )+};
}

words! {
    Method {
        Condition = "condition",
        Cascade = "cascade",
        Project = "project",
        TopDown = "topdown",
        Unconstrained = "unconstrained",
        Suppress = "suppress"
    }
    Per { Unit = "unit", Record = "record" }
    Policy { Error = "error", Drop = "drop" }
    Encoding { Utf8 = "utf-8", Windows1252 = "windows-1252" }
    Duplicates { Error = "error", Sum = "sum" }
    Negative { Error = "error", Zero = "zero" }
    Record { Any = "any", One = "one" }
    Relation { AtMost = "<=", AtLeast = ">=", Equal = "=" }
    Period { Year = "year", Quarter = "quarter", Month = "month", Day = "day" }
    OutsideBounds { Error = "error", Clamp = "clamp" }
    MissingValue { Error = "error", Drop = "drop", Middle = "middle" }
}

impl Method {
    /// Whether noise is drawn freely and the nearest table that keeps the invariants is released.
    pub(crate) fn projects(self) -> bool {
        matches!(self, Method::Project | Method::TopDown)
    }
}
