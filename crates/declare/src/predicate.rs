//! Predicates: comparisons of dimensions with values, `in (…)`, `and`, `or`, `not`, parentheses.

/// A predicate as written: names are not resolved yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expression {
    /// `name op literal`.
    Compare {
        /// A dimension, a level or a column.
        name: String,
        /// The comparison.
        op: Comparison,
        /// The value compared with.
        value: Literal,
    },
    /// `name in (…)`.
    In {
        /// A dimension, a level or a column.
        name: String,
        /// The values.
        values: Vec<Literal>,
    },
    /// Both hold.
    And(Box<Expression>, Box<Expression>),
    /// At least one holds.
    Or(Box<Expression>, Box<Expression>),
    /// It does not hold.
    Not(Box<Expression>),
}

/// A comparison operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

/// A value in a predicate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Literal {
    /// A quoted label.
    Text(String),
    /// An integer.
    Integer(i64),
}
