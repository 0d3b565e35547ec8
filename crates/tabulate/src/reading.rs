//! `Reading`: what becomes of rows that break the declaration.

use declare::{Data, Declaration, Duplicates, Negative, Policy};
use std::borrow::Cow;

/// What becomes of a row that the declaration says does not exist: outside the domain, without a
/// value, in a structural zero, one too many for its unit.
///
/// An error would tell whether the data have such a row, which a declaration can ask for in as many
/// ways as it likes. Where that must not be told the declaration is trusted: such a row is left
/// out, one by one, and nothing is said. Proof: `crates/ledger/proofs/answers.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// The first one is an error that shows it to the curator.
    Strict,
    /// All of them are left out, and nobody is told.
    Trusting,
}

impl Reading {
    /// The declaration with the policies of this reading.
    pub(crate) fn of(self, declaration: &Declaration) -> Cow<'_, Declaration> {
        match self {
            Reading::Strict => Cow::Borrowed(declaration),
            Reading::Trusting => {
                let mut trusted = declaration.clone();
                trusted.data = Data {
                    outside: Policy::Drop,
                    missing: Policy::Drop,
                    duplicates: Duplicates::Sum,
                    negative: Negative::Zero,
                    ..trusted.data
                };
                Cow::Owned(trusted)
            }
        }
    }
}
