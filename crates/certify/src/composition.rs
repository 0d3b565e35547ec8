//! Theorem G6: what the exact totals of several releases tell together, and which releases use
//! disjoint data.
//!
//! Losses hold for pairs of tables that agree on the exact totals of **all** the releases. There
//! they add up; on disjoint parts of the data the largest counts, where that is proved. What has no
//! proof is refused or added. Proof: `crates/certify/proofs/G6.md`.

mod classes;
mod emptied;
mod joint;
mod lift;

pub use emptied::emptied;
pub use joint::{EarlierRelease, Joint, LeftOut, MOST_JOINT_CELLS, View, joint};

use declare::{Comparison, Declaration, Encoding, Expression, Literal, Number};

/// The longest name of a part, in characters.
const LONGEST_PART: usize = 200;

/// The part of the data that a declaration alone uses: the value that its `where` demands of a
/// column, by itself or in a conjunction. `None`: all of the data, or noise whose losses on parts
/// add up.
///
/// Different names are disjoint rows. A number is a part of the same name however it is written:
/// `1`, `'1'` and `'01'`.
pub fn part_of(declaration: &Declaration, column: &str) -> Option<String> {
    let noise = declaration.mechanism.noise;
    let adds_up = noise.is_continuous || !noise.is_product;
    if adds_up {
        return None;
    }
    let name = name_of(demanded(declaration.data.filter.as_ref()?, column)?);
    // Read in another encoding the same rows would have another name, unless all of it is ASCII.
    let same_in_all = declaration.data.encoding == Encoding::Utf8 || (name.is_ascii() && column.is_ascii());
    let is_a_name = same_in_all
        && !name.is_empty()
        && name.trim() == name
        && name.chars().count() <= LONGEST_PART
        && !name.chars().any(char::is_control);
    is_a_name.then_some(name)
}

/// Whether no row of the same file can be counted by both: their filters demand different values of
/// one column.
pub fn are_disjoint(one: &Declaration, other: &Declaration) -> bool {
    let (Some(ours), Some(theirs)) = (&one.data.filter, &other.data.filter) else { return false };
    let same_letters = one.data.encoding == other.data.encoding;
    ours.names().iter().any(|column| match (demanded(ours, column), demanded(theirs, column)) {
        (Some(ours), Some(theirs)) => {
            let (ours, theirs) = (name_of(ours), name_of(theirs));
            ours != theirs && (same_letters || (column.is_ascii() && (ours.is_ascii() || theirs.is_ascii())))
        }
        _ => false,
    })
}

/// A value that a filter demands, the same however a number is written.
fn name_of(value: &Literal) -> String {
    match value {
        Literal::Integer(integer) => integer.to_string(),
        Literal::Text(text) => match Number::read(text).and_then(Number::integer) {
            Some(integer) => integer.to_string(),
            None => text.clone(),
        },
    }
}

/// The value that every row must have in a column to satisfy a predicate.
fn demanded<'a>(expression: &'a Expression, column: &str) -> Option<&'a Literal> {
    match expression {
        Expression::Compare { name, op: Comparison::Equal, value } if name == column => Some(value),
        Expression::In { name, values } if name == column && values.len() == 1 => values.first(),
        Expression::And(left, right) => demanded(left, column).or_else(|| demanded(right, column)),
        _ => None,
    }
}
