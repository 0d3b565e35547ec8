//! `Declaration`: what a spec says, validated and with every default filled in.

use crate::base::BaseMeasure;
use crate::dates::DateFormat;
use crate::invariant::Invariant;
use crate::limits::Limits;
use crate::order::Order;
use crate::predicate::Expression;
use crate::schema::Schema;
use crate::secrets::Secrets;
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
    /// How much memory and time planners may plan with.
    pub limits: Limits,
    /// What the invariants alone must not disclose.
    pub disclosure: Disclosure,
    /// How records may depend on each other, where what the release tells of a secret is to be
    /// stated.
    pub secrets: Option<Secrets>,
    /// The ledger to spend from.
    pub budget: Option<Budget>,
    /// Tables derived from the released one.
    pub outputs: Vec<Output>,
}

/// The `[data]` section.
#[derive(Debug, Clone, PartialEq)]
pub struct Data {
    /// The file, as written in the spec (relative to the spec); empty when the rows are handed over
    /// in memory.
    pub path: String,
    /// How messages call the rows that are handed over in memory; `None`: they are read from
    /// `path`.
    pub frame: Option<String>,
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
    /// What a cell that is twice in a file of counts means.
    pub duplicates: Duplicates,
    /// A count below zero.
    pub negative: Negative,
    /// The column of the privacy unit; `None`: every row is a unit of its own.
    pub unit: Option<String>,
    /// The most rows that one unit may own; 1 without `unit`.
    pub rows_per_unit: u64,
    /// Rows of a unit beyond that: an error, or left out by a rule that looks at the rows of that
    /// unit alone.
    pub beyond: Policy,
    /// How the bytes of text files are letters.
    pub encoding: Encoding,
    /// How the files write dates, the first that fits; other files than texts have dates of their
    /// own.
    pub date_formats: Vec<DateFormat>,
}

impl Data {
    /// The file of confidential rows, if they are in one.
    pub fn confidential_file(&self) -> Option<&str> {
        (!self.public && self.frame.is_none()).then_some(self.path.as_str())
    }
}

/// How the bytes of a text file are letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8.
    Utf8,
    /// Windows-1252, of which Latin-1 (ISO 8859-1) is a part: every byte is a letter.
    Windows1252,
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

/// What to do with a count below zero, as corrections of earlier counts leave it in published
/// series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Negative {
    /// Stop with an error that names the row.
    Error,
    /// Count it as zero, and say so.
    Zero,
}

/// One `[[output]]`: a table derived from the released one, for readers.
///
/// It is computed from the release alone, so it costs no privacy.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// Its name, which is also that of its file: lower-case letters, digits and hyphens.
    pub name: String,
    /// Names of dimensions or levels; empty: one row.
    pub by: Vec<String>,
    /// What stands in every row.
    pub figure: Figure,
}

/// What a row of a derived table says about its cells.
#[derive(Debug, Clone, PartialEq)]
pub enum Figure {
    /// Their sum, over those that satisfy the predicate.
    Sum(Option<Expression>),
    /// The sum over some of them for every `times` of the sum over others; empty where the latter
    /// is not above zero.
    Rate {
        /// What is counted.
        numerator: Expression,
        /// What it is counted among.
        denominator: Expression,
        /// For example 1000, for a rate per thousand.
        times: u64,
    },
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

/// One rule for every combination of `by`: the sum over `left` compared with the sum over `right`
/// (or a number).
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// Names of dimensions or levels.
    pub by: Vec<String>,
    /// The cells on the left.
    pub left: Expression,
    /// How they compare.
    pub relation: Relation,
    /// What they are compared with.
    pub right: Side,
}

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

    /// Where the sums lie that compare with a bound like this.
    pub fn interval<T: Copy>(self, bound: T) -> (Option<T>, Option<T>) {
        match self {
            Relation::AtMost => (None, Some(bound)),
            Relation::AtLeast => (Some(bound), None),
            Relation::Equal => (Some(bound), Some(bound)),
        }
    }
}

/// The right side of a rule.
#[derive(Debug, Clone, PartialEq)]
pub enum Side {
    /// The sum over these cells.
    Cells(Expression),
    /// A number; for `=` an integer.
    Number(Rational),
}

/// The `[mechanism]` section.
#[derive(Debug, Clone, PartialEq)]
pub struct Mechanism {
    /// The noise law.
    pub noise: Noise,
    /// How noise and invariants meet.
    pub method: Method,
    /// ε or ρ, exactly as written; with queries that have an ε of their own, the sum of these.
    pub strength: Strength,
    /// What `strength` is per.
    pub per: Per,
    /// The operator asked for by name; `None` is `auto`.
    pub sampler: Option<String>,
    /// The largest δ at which a sampler is accepted whose law is only estimated to be close;
    /// `None`: proved samplers only.
    pub max_delta: Option<Rational>,
    /// The sums that get noise; none: every cell does.
    pub queries: Vec<Query>,
    /// The public table by which a cascade orders cells; `None`: in declared order.
    pub order: Option<Order>,
    /// Public information that tables are weighted by.
    pub base: Option<BaseMeasure>,
}

/// Noise on the total of every combination of `by`, over the cells that satisfy `filter`.
///
/// With `per = "unit"` the noise on its sums has parameter e^{−ε}, ε being its part of the
/// strength.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// Names of dimensions or levels; empty: one grand total.
    pub by: Vec<String>,
    /// Only these cells are summed.
    pub filter: Option<Expression>,
    /// Its part of the strength.
    pub part: Part,
}

/// The part of the strength that a query gets. All queries of a mechanism say it in the same way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// An ε of its own.
    Epsilon(Rational),
    /// This share of the mechanism's ε.
    Share(Rational),
}

impl Mechanism {
    /// The ε of a query: its own, or its share of the mechanism's.
    pub fn strength_of(&self, query: &Query) -> Rational {
        match (&query.part, &self.strength) {
            (Part::Epsilon(epsilon), _) => epsilon.clone(),
            (Part::Share(share), Strength::Epsilon(whole) | Strength::Rho(whole)) => share * whole,
        }
    }
}

/// A noise law as specs name it: what parsing must know of it. The law itself is a value of `draw`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Noise {
    /// The word used in specs.
    pub name: &'static str,
    /// Whether its strength is ρ (zero-concentrated) rather than ε (pure).
    pub takes_rho: bool,
    /// Whether it is a law on the reals, which is never certified.
    pub is_continuous: bool,
    /// Whether it is a product over cells.
    pub is_product: bool,
}

impl Noise {
    const fn new(name: &'static str, takes_rho: bool, is_continuous: bool, is_product: bool) -> Noise {
        Noise { name, takes_rho, is_continuous, is_product }
    }

    /// `P(u) ∝ e^{−ε'|u|}` on the integers.
    pub const DOUBLE_GEOMETRIC: Noise = Noise::new("double-geometric", false, false, true);
    /// `P(z) ∝ e^{−z²/2σ²}` on the integers.
    pub const DISCRETE_GAUSSIAN: Noise = Noise::new("discrete-gaussian", true, false, true);
    /// `P(z) ∝ e^{−ε'‖z‖₂}` on the lattice.
    pub const LATTICE_LAPLACE: Noise = Noise::new("lattice-laplace", false, false, false);
    /// The continuous twin of the double geometric; research on public data.
    pub const LAPLACE: Noise = Noise::new("laplace", false, true, true);
    /// The continuous twin of the discrete Gaussian; research on public data.
    pub const GAUSSIAN: Noise = Noise::new("gaussian", true, true, true);
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
    /// Split totals from above, number by number, each within what everything declared leaves.
    Cascade,
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
    /// A second place where the head of the ledger is kept: a file.
    pub head: Option<String>,
    /// How the strength was chosen, in the curator's words.
    pub chosen: Option<String>,
}
