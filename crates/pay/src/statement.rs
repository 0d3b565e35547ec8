//! What a second person must see of a release before approving it, in plain words.

use certify::{Derived, Together};
use declare::{Declaration, Method};
use ledger::{Charge, DatasetStatus, Override, Print};
use std::fmt::{self, Write};

/// How long the print of all rows is as text.
const LENGTH_OF_PRINT: usize = 69;

/// What is known of a release that somebody asks for. The table is not: all of it is public once
/// the release is.
pub struct ToApprove<'a> {
    pub declaration: &'a Declaration,
    pub derived: &'a Derived,
    pub cells: usize,
    pub together: Option<&'a Together>,
    pub loss: &'a Charge,
    /// The dataset as it stands.
    pub left: &'a DatasetStatus,
    pub overrides: &'a [Override],
    pub prints: &'a [Print],
}

/// The statement.
pub fn statement(facts: &ToApprove<'_>) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = write(&mut text, facts);
    text
}

fn write(text: &mut String, facts: &ToApprove<'_>) -> fmt::Result {
    let ToApprove { declaration, derived, cells, together, loss, left, overrides, prints } = facts;
    writeln!(text, "What is released\n  {}", declaration.title)?;
    let dimensions: Vec<String> = declaration
        .schema
        .dimensions
        .iter()
        .map(|dimension| format!("{} ({} values)", dimension.name, dimension.values.len()))
        .collect();
    writeln!(text, "  {cells} cells: {}", dimensions.join(" × "))?;
    writeln!(text, "  counted: {}", derived.counted)?;
    let method = match declaration.mechanism.method {
        Method::Suppress => "nothing is drawn: the exact totals are published alone",
        Method::Condition => "noise is drawn given that the totals stay exact",
        Method::Cascade => "totals are split from above, with noise in every split and within all that must hold",
        Method::Project | Method::TopDown => "noise is drawn freely, and the table projected onto what must hold",
        Method::Unconstrained => "noise is added, and nothing is kept exact",
    };
    writeln!(text, "  {method}")?;
    writeln!(text, "\nExactly true, and public for ever")?;
    for invariant in &derived.invariants {
        let pinned = if invariant.pinned { ", published before" } else { "" };
        writeln!(text, "  {}: {} totals{pinned}", invariant.label, invariant.totals.len())?;
    }
    derived.conditions.iter().try_for_each(|condition| writeln!(text, "  {condition}"))?;
    if derived.invariants.is_empty() && derived.conditions.is_empty() {
        writeln!(text, "  nothing")?;
    }
    writeln!(text, "\nWhat that discloses")?;
    writeln!(text, "  alone: {} of {cells} cells follow from the totals, whatever the noise", derived.disclosed_cells)?;
    match together {
        Some(together) => writeln!(text, "  together: {}", together.in_words())?,
        None => writeln!(text, "  together: it is the first release of these data")?,
    }
    for named in *overrides {
        writeln!(text, "  the safeguard `{}` is overridden: {}", named.safeguard, named.reason)?;
    }
    writeln!(text, "\nWhat it costs")?;
    writeln!(text, "  {loss}; {} of {} is left now", left.left, left.budget)?;
    writeln!(text, "  protected are {}", derived.guarantee.neighbours)?;
    if let Some(meaning) = &derived.guarantee.meaning {
        writeln!(text, "  {}", meaning.sentence)?;
    }
    if let Some(secrets) = &derived.secrets {
        writeln!(text, "  {}", secrets.sentence)?;
    }
    writeln!(text, "  {}", derived.choice)?;
    writeln!(text, "\nThe data, by fingerprints under the key of the ledger")?;
    // As many lines, of the same length, whatever the counts are: how long an entry is may be seen.
    prints.iter().filter(|print| print.is_of_file()).try_for_each(|print| writeln!(text, "  {print}"))?;
    let rows = prints.iter().find(|print| print.is_of_rows()).map(ToString::to_string);
    let rows = rows.unwrap_or_else(|| "rows: too few, or too many, to have one".to_string());
    writeln!(text, "  {rows:<LENGTH_OF_PRINT$}")
}
