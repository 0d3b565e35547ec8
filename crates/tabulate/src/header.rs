//! `Header` and `Class`: the names of all columns of a file or frame, where one of them stands, and
//! what kind of values it holds.

use crate::fault::{Fault, quoted};
use declare::nearest;

/// What messages call a file, and rows in memory.
pub(crate) const FILE: &str = "file";
pub(crate) const FRAME: &str = "frame";

/// The names of all columns, and what they are the columns of: a file or a frame.
#[derive(Clone, Copy)]
pub(crate) struct Header<'a> {
    pub names: &'a [String],
    pub kind: &'static str,
}

/// What kind of values a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    Text,
    Whole,
    Real,
    Flag,
    Date,
    /// Nothing but missing values.
    Nothing,
}

impl Class {
    /// What messages call such values.
    pub fn words(self) -> &'static str {
        match self {
            Class::Text => "text",
            Class::Whole => "whole numbers",
            Class::Real => "real numbers",
            Class::Flag => "flags",
            Class::Date => "dates",
            Class::Nothing => "nothing",
        }
    }
}

/// The position of a column that the declaration names; `what` says where it does.
pub(crate) fn position(header: Header<'_>, name: &str, what: &str) -> Result<usize, Box<Fault>> {
    let mut places =
        header.names.iter().enumerate().filter(|(_, column)| *column == name).map(|(position, _)| position);
    match (places.next(), places.next()) {
        (Some(position), None) => Ok(position),
        (Some(_), Some(second)) => {
            Err(Fault::new(format!("the {} has two columns named `{name}`", header.kind), "the second of them")
                .at(second)
                .hint("give every column its own name; which one is meant cannot be guessed"))
        }
        (None, _) => Err(absent(header, name, what)),
    }
}

/// The fault of a column that is not there.
pub(crate) fn absent(header: Header<'_>, name: &str, what: &str) -> Box<Fault> {
    let kind = header.kind;
    Fault::new(format!("the {kind} has no column `{name}` ({what})"), format!("the columns of the {kind}"))
        .hint(advice(header, name))
}

fn advice(Header { names: header, kind }: Header<'_>, name: &str) -> String {
    const SHOWN: usize = 12;
    if header.iter().any(|column| column.contains('\0')) {
        return format!("the {kind} holds NUL bytes; if it is UTF-16, save it as UTF-8");
    }
    if let [only] = header
        && let Some(separator) = [';', '\t', ',', '|'].into_iter().find(|separator| only.contains(*separator))
    {
        let separator = if separator == '\t' { "tabs".to_owned() } else { format!("`{separator}`") };
        return format!(
            "the fields seem to be separated by {separator}; .csv files are read with commas, \
                    .tsv files with tabs"
        );
    }
    if let Some(column) = nearest(name, header.iter().map(String::as_str)) {
        return format!("did you mean {}?", quoted(column));
    }
    let shown: Vec<String> = header.iter().take(SHOWN).map(|column| quoted(column)).collect();
    let more = header.len().saturating_sub(SHOWN);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("the columns are {}{rest}", shown.join(", "))
}
