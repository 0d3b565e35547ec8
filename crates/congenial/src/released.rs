//! `Released`: what a release wrote, or that it existed before.

use certify::{Certificate, Check};
use std::path::PathBuf;

/// A release that existed and was handed back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandedBack {
    /// The entry of the ledger that paid for it.
    pub entry: u64,
    /// When it was made.
    pub time: String,
    /// Where it was written then.
    pub folder: String,
    /// Whether it was written anew, with another title, format or signature; otherwise it is as it
    /// was made.
    pub presented: bool,
}

/// What a release wrote.
#[derive(Debug)]
pub struct Released {
    /// The folder.
    pub folder: PathBuf,
    /// The certificate.
    pub certificate: Certificate,
    /// What was checked after writing.
    pub checks: Vec<Check>,
    /// Rows of the data file that were left out or changed, by reason; for the curator's eyes only.
    pub left_out: Vec<(u64, &'static str)>,
    /// The release is an earlier one of the same spec and data, handed back: nothing was drawn or
    /// spent.
    pub handed_back: Option<HandedBack>,
}
