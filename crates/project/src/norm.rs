//! `Norm`: which table of the fibre counts as nearest.

/// Which projection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Norm {
    /// Weighted least squares under the equalities alone; cells may become negative.
    L2,
    /// Weighted least squares under equalities, bounds and rules.
    Nonnegative,
    /// The least weighted sum of absolute deviations, over integers, under equalities, bounds and
    /// rules.
    L1,
}

impl Norm {
    /// All of them.
    pub const ALL: [Norm; 3] = [Norm::L2, Norm::Nonnegative, Norm::L1];

    /// As users write it.
    pub fn name(self) -> &'static str {
        match self {
            Norm::L2 => "project-l2",
            Norm::Nonnegative => "project-nonnegative",
            Norm::L1 => "project-l1",
        }
    }
}
