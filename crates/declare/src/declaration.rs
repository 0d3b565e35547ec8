//! `Declaration`: what a spec says, validated and with every default filled in.

use crate::domain::{Domain, MOST_CELLS};
use crate::grouping::{self, Grouping};
use crate::predicate::{Expression, Resolved};
use crate::problem::Problem;
use crate::schema::Schema;
use crate::zeros;
use exact::Rational;

/// A whole spec, validated. Equal declarations have equal canonical text.
#[derive(Debug, Clone, PartialEq)]
pub struct Declaration {
    /// The title of the publication.
    pub title: String,
    /// Where the confidential table comes from and how its rows are read.
    pub data: Data,
    /// The dimensions.
    pub schema: Schema,
    /// What must be exactly true in the release.
    pub invariants: Vec<Invariant>,
    /// Bounds, structural zeros and rules.
    pub constraints: Constraints,
    /// The noise and how it meets the invariants.
    pub mechanism: Mechanism,
    /// What the invariants alone must not disclose.
    pub disclosure: Disclosure,
    /// The ledger to spend from.
    pub budget: Option<Budget>,
}

impl Declaration {
    /// The live cells: all combinations of values but the structural zeros.
    pub fn domain(&self) -> Result<Domain, Problem> {
        match self.schema.combinations() {
            Some(combinations) if combinations <= MOST_CELLS => {}
            _ => {
                let message = format!("the dimensions have more than {MOST_CELLS} combinations");
                return Err(Problem::bad(message).hint("use fewer or coarser values"));
            }
        }
        let zeros: Result<Vec<Resolved>, Problem> =
            self.constraints.zero.iter().map(|zero| Resolved::new(zero, &self.schema)).collect();
        let domain = zeros::domain(self.schema.clone(), &zeros?);
        if domain.is_empty() {
            return Err(Problem::bad("every cell is a structural zero: the table is empty")
                .hint("look at `zero` under [constraints]"));
        }
        Ok(domain)
    }

    /// The invariants that the release keeps, over the live cells: one grouping each, in order; none when the method is
    /// `unconstrained`. Groups without a live cell are left out.
    ///
    /// # Panics
    /// When the declaration was not made by [`Declaration::load`] or [`Declaration::parse`] and the predicate of an
    /// invariant does not fit its schema.
    pub fn groupings(&self, domain: &Domain) -> Vec<Grouping> {
        let kept = if self.mechanism.method == Method::Unconstrained { &[] } else { self.invariants.as_slice() };
        kept.iter()
            .map(|invariant| {
                let filter = invariant
                    .filter
                    .as_ref()
                    .map(|filter| Resolved::new(filter, &self.schema).expect("a checked predicate resolves"));
                grouping::grouping(domain, invariant, filter.as_ref())
            })
            .collect()
    }
}

/// The `[data]` section.
#[derive(Debug, Clone, PartialEq)]
pub struct Data {
    /// The file, as written in the spec (relative to the spec).
    pub path: String,
    /// The column of counts; `None`: every row is one record.
    pub count: Option<String>,
    /// Whether the data are already public or synthetic.
    pub public: bool,
    /// Rows of the file that are kept; names are columns of the file.
    pub filter: Option<Expression>,
    /// A row outside the declared domain.
    pub outside: Policy,
    /// A missing value.
    pub missing: Policy,
    /// The same cell twice in a file of counts.
    pub duplicates: Duplicates,
}

/// What to do with a row that cannot be counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// Stop with an error that names the row.
    Error,
    /// Leave the row out.
    Drop,
}

/// What to do with a cell that appears twice in a file of counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Duplicates {
    /// Stop with an error that names the row.
    Error,
    /// Add the counts.
    Sum,
}

/// Totals that are exact in the release: one for every combination of `by`, over the cells that satisfy `filter`.
#[derive(Debug, Clone, PartialEq)]
pub struct Invariant {
    /// Names of dimensions or levels; empty: one grand total.
    pub by: Vec<String>,
    /// Only these cells are summed.
    pub filter: Option<Expression>,
}

/// The `[constraints]` section.
#[derive(Debug, Clone, PartialEq)]
pub struct Constraints {
    /// Whether every released count must be at least zero.
    pub nonnegative: bool,
    /// Structural zeros: cells that satisfy any of these are not part of the table.
    pub zero: Vec<Expression>,
    /// Linear rules between sums of cells.
    pub rules: Vec<Rule>,
}

/// One rule for every combination of `by`: the sum over `left` compared with the sum over `right` (or a number).
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// Names of dimensions or levels.
    pub by: Vec<String>,
    /// The cells on the left.
    pub left: Expression,
    /// `<=`, `>=` or `=`.
    pub op: String,
    /// The cells on the right; `Err` holds a number.
    pub right: Result<Expression, Rational>,
}

/// The `[mechanism]` section.
#[derive(Debug, Clone, PartialEq)]
pub struct Mechanism {
    /// The noise law.
    pub noise: Noise,
    /// How noise and invariants meet.
    pub method: Method,
    /// ε or ρ, exactly as written.
    pub strength: Strength,
    /// What `strength` is per.
    pub per: Per,
    /// The operator asked for by name; `None` is `auto`.
    pub sampler: Option<String>,
}

/// The noise law.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Noise {
    /// `P(u) ∝ e^{−ε'|u|}` on the integers.
    DoubleGeometric,
    /// `P(z) ∝ e^{−z²/2σ²}` on the integers.
    DiscreteGaussian,
    /// `P(z) ∝ e^{−ε'‖z‖₂}` on the lattice.
    LatticeLaplace,
    /// The continuous twin of the double geometric; research on public data.
    Laplace,
    /// The continuous twin of the discrete Gaussian; research on public data.
    Gaussian,
}

/// How noise and invariants meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Draw from the conditional distribution given the invariants.
    Condition,
    /// Project the noisy table onto the invariants.
    Project,
    /// Project level by level, root to leaves.
    TopDown,
    /// Add noise and keep nothing.
    Unconstrained,
    /// Publish the invariants alone.
    Suppress,
}

/// How much privacy loss is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Strength {
    /// Pure differential privacy.
    Epsilon(Rational),
    /// Zero-concentrated differential privacy.
    Rho(Rational),
}

/// What the strength is per.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Per {
    /// Per unit of distance between tables (ℓ₁ for ε, ℓ₂ for ρ).
    Unit,
    /// Per replaced record.
    Record,
}

/// The `[disclosure]` section.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Disclosure {
    /// Cells the invariants alone must not pin.
    pub sensitive: Vec<Expression>,
    /// … nor confine to an interval of at most this width; 0 is a pinned cell.
    pub within: u64,
}

/// The `[budget]` section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budget {
    /// The name of the dataset in the ledger.
    pub dataset: String,
    /// The address of the ledger.
    pub ledger: String,
}
