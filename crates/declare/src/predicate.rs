//! Predicates: comparisons of dimensions with values, `in (…)`, `and`, `or`, `not`, parentheses.
//!
//! ```text
//! or      = and { "or" and }
//! and     = not { "and" not }
//! not     = "not" not | "(" or ")" | name op value | name ["not"] "in" "(" value { "," value } ")"
//! op      = "=" | "!=" | "<" | "<=" | ">" | ">="
//! name    = a word, or anything in `backquotes`
//! value   = an integer, or text in 'single' or "double" quotes; a doubled quote is the quote itself
//! ```

mod parse;
mod resolve;
mod row;

pub(crate) use parse::{ComparisonPosition, Positions, parse};
pub use resolve::Resolved;
pub(crate) use resolve::resolve;
pub(crate) use row::check as check_row;
pub use row::{NotANumber, RowPredicate, UnknownColumn};

use crate::dates::Day;
use std::fmt;
use std::ops::Range;

/// A predicate as written: names are not resolved yet. Its `Display` is its canonical form.
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

/// What is wrong with a predicate, and where in its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) span: Range<usize>,
    pub(crate) message: String,
    pub(crate) label: String,
    pub(crate) hint: Option<String>,
}

impl Fault {
    pub(crate) fn new(span: Range<usize>, message: impl Into<String>, label: impl Into<String>) -> Self {
        Fault { span, message: message.into(), label: label.into(), hint: None }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl Expression {
    /// The names it uses, each once, in order of appearance.
    pub fn names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        for (name, _) in self.comparisons() {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// The first comparison of one of these names: its number from 0, left to right, and its name.
    pub(crate) fn first_of(&self, wanted: &[&str]) -> Option<(usize, &str)> {
        let mut names = self.comparisons().into_iter().map(|(name, _)| name).enumerate();
        names.find(|(_, name)| wanted.contains(name))
    }

    /// The first comparison that orders text other than a date, which files cannot answer: its
    /// number from 0, left to right, its name and its operator.
    pub fn orders_text(&self) -> Option<(usize, &str, Comparison)> {
        let mut comparisons = self.comparisons().into_iter().enumerate();
        comparisons.find_map(|(position, (name, comparison))| match comparison {
            Expression::Compare { op, value: Literal::Text(text), .. } => {
                (op.is_order() && Day::read(text).is_none()).then_some((position, name, *op))
            }
            _ => None,
        })
    }

    /// Its comparisons, `in` included, from left to right, each with its name.
    fn comparisons(&self) -> Vec<(&str, &Expression)> {
        fn collect<'a>(expression: &'a Expression, comparisons: &mut Vec<(&'a str, &'a Expression)>) {
            match expression {
                Expression::Compare { name, .. } | Expression::In { name, .. } => comparisons.push((name, expression)),
                Expression::And(left, right) | Expression::Or(left, right) => {
                    collect(left, comparisons);
                    collect(right, comparisons);
                }
                Expression::Not(inner) => collect(inner, comparisons),
            }
        }
        let mut comparisons = Vec::new();
        collect(self, &mut comparisons);
        comparisons
    }

    /// How tightly it binds: `or` 0, `and` 1, `not` 2, a comparison 3.
    fn precedence(&self) -> u8 {
        match self {
            Expression::Or(..) => 0,
            Expression::And(..) => 1,
            Expression::Not(_) => 2,
            Expression::Compare { .. } | Expression::In { .. } => 3,
        }
    }

    fn write(&self, least: u8, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.precedence() < least {
            write!(f, "(")?;
            self.write(0, f)?;
            return write!(f, ")");
        }
        match self {
            Expression::Compare { name, op, value } => {
                write!(f, "{} {op} {value}", Name(name))
            }
            Expression::In { name, values } => write_in(name, "in", values, f),
            Expression::Or(left, right) => {
                left.write(0, f)?;
                write!(f, " or ")?;
                right.write(1, f)
            }
            Expression::And(left, right) => {
                left.write(1, f)?;
                write!(f, " and ")?;
                right.write(2, f)
            }
            Expression::Not(inner) => match &**inner {
                Expression::In { name, values } => write_in(name, "not in", values, f),
                inner => {
                    write!(f, "not ")?;
                    inner.write(2, f)
                }
            },
        }
    }
}

fn write_in(name: &str, word: &str, values: &[Literal], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "{} {word} (", Name(name))?;
    for (position, value) in values.iter().enumerate() {
        let comma = if position == 0 { "" } else { ", " };
        write!(f, "{comma}{value}")?;
    }
    write!(f, ")")
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(0, f)
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Comparison::WRITTEN.iter().find(|(_, op)| op == self).map_or("", |(written, _)| written))
    }
}

impl Comparison {
    /// How each is written; none begins with one after it.
    const WRITTEN: [(&str, Comparison); 6] = [
        ("!=", Comparison::NotEqual),
        ("<=", Comparison::LessOrEqual),
        (">=", Comparison::GreaterOrEqual),
        ("=", Comparison::Equal),
        ("<", Comparison::Less),
        (">", Comparison::Greater),
    ];

    /// Whether it needs an order: everything but `=` and `!=`.
    pub fn is_order(self) -> bool {
        !matches!(self, Comparison::Equal | Comparison::NotEqual)
    }

    /// Whether `left op right` holds when `left` compares with `right` like this.
    pub(crate) fn accepts(self, ordering: std::cmp::Ordering) -> bool {
        match self {
            Comparison::Equal => ordering.is_eq(),
            Comparison::NotEqual => ordering.is_ne(),
            Comparison::Less => ordering.is_lt(),
            Comparison::LessOrEqual => ordering.is_le(),
            Comparison::Greater => ordering.is_gt(),
            Comparison::GreaterOrEqual => ordering.is_ge(),
        }
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Literal::Text(text) => write!(f, "'{}'", text.replace('\'', "''")),
            Literal::Integer(integer) => write!(f, "{integer}"),
        }
    }
}

/// A name as predicates write it: bare when it is a word, else in backquotes.
pub(crate) struct Name<'a>(pub(crate) &'a str);

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if parse::is_word(self.0) { f.write_str(self.0) } else { write!(f, "`{}`", self.0.replace('`', "``")) }
    }
}
