//! `Secrets`: how records may depend on each other, declared so that what a release tells of a
//! secret can be stated.

use exact::Rational;

/// The `[secrets]` section: a family of laws of the table, public and optional.
#[derive(Debug, Clone, PartialEq)]
pub struct Secrets {
    /// The family.
    pub family: Family,
    /// How far the truth may be from the family, as the logarithm of a ratio of probabilities.
    pub mistaken: Rational,
}

/// The most records of a binary family: beyond that binomial weights take long.
pub const MOST_DEPENDENT_RECORDS: u32 = 20_000;

/// The most worlds of a finite family.
pub const MOST_WORLDS: usize = 1_000;

/// The most counts of all worlds of a finite family together.
pub const MOST_WORLD_COUNTS: usize = 1_000_000;

/// The largest count of a world, of either sign: a listed family is for small tables.
pub const LARGEST_WORLD_COUNT: i64 = 1_000_000;

/// The words of `family`.
pub const FAMILIES: [&str; 4] = ["independent", "binary", "normal", "finite"];

/// A family of laws of the table.
#[derive(Debug, Clone, PartialEq)]
pub enum Family {
    /// Records are independent of each other given the exact totals.
    Independent,
    /// Records are yes or no, and depend on each other within bounds.
    Binary {
        /// The number of records that depend on each other.
        records: u32,
        /// z₀: whatever one record is, another is yes at least with this probability.
        least: Rational,
        /// z₁: … and at most with this one.
        most: Rational,
        /// Whether the others may depend on each other in any way, given the one.
        any_dependence: bool,
    },
    /// Every cell is a sum of normal values that are correlated, rounded to a whole number.
    Normal {
        /// The number of values of a cell.
        records: u32,
        /// How far two answers about one value are apart at most.
        width: Rational,
        /// The variance of a value.
        variance: Rational,
        /// The correlation of two values.
        correlation: Rational,
        /// The variance of the noise of a public mean of the values; `None`: nothing of it is
        /// public.
        public_noise: Option<Rational>,
    },
    /// The laws are listed, world by world.
    Finite {
        /// The worlds of all laws.
        worlds: Vec<DeclaredWorld>,
    },
}

impl Family {
    /// The word used in specs.
    pub fn name(&self) -> &'static str {
        match self {
            Family::Independent => "independent",
            Family::Binary { .. } => "binary",
            Family::Normal { .. } => "normal",
            Family::Finite { .. } => "finite",
        }
    }
}

/// One world of one law: a table, the answer that is secret in it, and its probability.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredWorld {
    /// The law that it belongs to.
    pub law: String,
    /// The answer.
    pub secret: String,
    /// Its probability, up to a factor of its law.
    pub probability: Rational,
    /// Its table, in cell order.
    pub counts: Vec<i64>,
}
