//! `Nearest`: how near two different tables of the fibre are known to be.

/// The smallest distance between two different tables of the fibre, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Nearest {
    /// No two different tables are nearer, in ℓ₁ distance.
    pub at_least: u64,
    /// Two tables that exist; the nearest that were found.
    pub found: Option<Apart>,
}

/// How far two tables are apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Apart {
    /// The ℓ₁ distance: 1 when a cell is free, 2 under totals of disjoint groups, 4 under totals
    /// that cross like margins.
    pub l1: u64,
    /// The square of the ℓ₂ distance.
    pub l2_squared: u64,
}

impl Nearest {
    /// Whether the pair that was found is a nearest one.
    pub fn is_attained(&self) -> bool {
        self.found.is_some_and(|found| found.l1 == self.at_least)
    }

    /// The distance to speak of: that of the pair that was found, or else what no pair is below.
    pub fn distance(&self) -> u64 {
        self.found.map_or(self.at_least, |found| found.l1)
    }
}
