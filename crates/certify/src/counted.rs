//! Which rows of the data a release counts and how it reads them, in words: a function of the spec
//! alone.
//!
//! What is declared of confidential data is trusted: a row that is not as declared is left out, and
//! nobody is told (`crates/ledger/proofs/answers.md`). So nothing here says that such data were
//! checked; of public data the first row that is not as declared is an error.

use declare::{Cleaning, Declaration, Dimension, Negative, Policy, Values};

/// What is counted where no row can be left out.
pub const EVERY_ROW: &str = "every row";

/// Which rows exact totals are about, where they are not about all rows of the data.
pub fn rows_in_words(declaration: &Declaration) -> Option<String> {
    Some(counted(declaration)).filter(|counted| counted != EVERY_ROW)
}

/// Which rows are counted: those left out by a declared policy, or because the declaration is
/// trusted, are named by their rule.
pub(crate) fn counted(declaration: &Declaration) -> String {
    let Declaration { data, constraints, .. } = declaration;
    let (is_trusted, has_counts) = (!data.public, has_counts(declaration));
    let mut text = match &data.filter {
        Some(filter) => format!("rows where {filter}"),
        None => EVERY_ROW.to_string(),
    };
    let has_open_field = fields(declaration).any(|dimension| dimension.cleaning.unknown.is_none());
    let outside = is_trusted || data.outside == Policy::Drop;
    let missing = is_trusted || data.missing == Policy::Drop;
    let must_have = has_open_field || has_counts || data.filter.is_some() || data.unit.is_some();
    let left_out = [
        ("those outside the declared domain", outside && has_open_field),
        ("those in a cell that is declared impossible", is_trusted && !constraints.zero.is_empty()),
        ("those that `where` cannot judge", is_trusted && data.filter.is_some()),
        ("those whose count is no whole number", is_trusted && has_counts),
        ("those with a missing value", missing && must_have),
    ];
    let left_out: Vec<&str> = left_out.into_iter().filter_map(|(what, is)| is.then_some(what)).collect();
    if let Some((last, first)) = left_out.split_last() {
        let first = first.join(", ");
        let and = if first.is_empty() { "" } else { " and " };
        text.push_str(&format!(", except {first}{and}{last}"));
    }
    if let Some(unit) = &data.unit {
        let rows = rows(data.rows_per_unit);
        match (data.beyond, is_trusted) {
            (Policy::Drop, _) => text.push_str(&format!(", of every {unit} at most {rows}")),
            (Policy::Error, true) => text.push_str(&format!(", of every {unit} {}", first(data.rows_per_unit))),
            (Policy::Error, false) => {}
        }
    }
    if has_counts && (is_trusted || data.negative == Negative::Zero) {
        text.push_str(", with negative counts taken as zero");
    }
    text
}

/// Why no privacy unit has more rows in the table than its loss is for, as a sentence.
pub(crate) fn bounded(declaration: &Declaration, unit: &str, most: u64) -> String {
    let rows = rows(most);
    match (declaration.data.beyond, declaration.data.public) {
        (Policy::Drop, _) => format!(
            "Of every {unit} at most {rows} were counted, chosen by its name and by how many rows it has, not by what stands in them."
        ),
        (Policy::Error, true) => {
            format!("That no {unit} owns more than {rows} was checked when the data were read.")
        }
        (Policy::Error, false) => format!(
            "That no {unit} owns more than {rows} is declared and was not checked; of one that does, {} counted.",
            if most == 1 { "the first row was".to_string() } else { format!("{} were", first(most)) }
        ),
    }
}

/// How the fields of the rows are read, in words; nothing where all are read as they stand.
pub(crate) fn read_as(declaration: &Declaration) -> String {
    let of = |is: fn(&Cleaning) -> bool| -> Option<String> {
        let cleaned = fields(declaration).filter(|dimension| is(&dimension.cleaning));
        let names: Vec<&str> = cleaned.map(|dimension| dimension.name.as_str()).collect();
        (!names.is_empty()).then(|| names.join(", "))
    };
    let all = [
        of(|cleaning| cleaning.trim).map(|names| format!("spaces around {names} are ignored")),
        of(|cleaning| cleaning.ignore_case).map(|names| format!("capital letters in {names} are ignored")),
        of(|cleaning| !cleaning.recode.is_empty())
            .map(|names| format!("other spellings of {names} are read as the spec lists them")),
    ];
    let of_each = fields(declaration).flat_map(|Dimension { name, cleaning, .. }| {
        let below = cleaning.below.map(|below| format!("{name} from {below} on is outside the domain"));
        let unknown = cleaning.unknown.as_ref();
        let unknown = unknown
            .map(|unknown| format!("where {name} is missing or outside its domain the row is counted as {unknown}"));
        below.into_iter().chain(unknown)
    });
    all.into_iter().flatten().chain(of_each).collect::<Vec<_>>().join("; ")
}

/// The dimensions that a field of every row decides.
fn fields(declaration: &Declaration) -> impl Iterator<Item = &Dimension> {
    let dimensions = declaration.schema.dimensions.iter();
    dimensions.filter(|dimension| !matches!(dimension.values, Values::Measures { .. }))
}

/// Whether rows have counts of their own, and are not one record each.
fn has_counts(declaration: &Declaration) -> bool {
    declaration.data.count.is_some() || declaration.schema.measures().is_some()
}

fn rows(count: u64) -> String {
    if count == 1 { "one row".to_string() } else { format!("{count} rows") }
}

/// The first so many.
fn first(count: u64) -> String {
    if count == 1 { "the first row".to_string() } else { format!("the first {count} rows") }
}
