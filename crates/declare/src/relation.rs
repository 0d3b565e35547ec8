//! `Relation`: how a sum compares with a bound.

/// How a sum compares with a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// At most the bound.
    AtMost,
    /// At least the bound.
    AtLeast,
    /// Equal to the bound.
    Equal,
}

impl Relation {
    /// Whether a sum compares with a bound like this.
    pub fn holds(self, sum: i128, bound: i64) -> bool {
        match self {
            Relation::AtMost => sum <= i128::from(bound),
            Relation::AtLeast => sum >= i128::from(bound),
            Relation::Equal => sum == i128::from(bound),
        }
    }
}
