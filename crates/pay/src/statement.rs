//! What a second person must see of a release before approving it, in plain words.

use certify::{Derived, Together};
use ledger::{DatasetStatus, Request};
use plan::{Case, ReleaseMethod};
use std::fmt::{self, Write};

/// How long the print of all rows is as text.
const LENGTH_OF_PRINT: usize = 69;

/// Writes what is known of a release that somebody asks for. The table is not: all of it is public
/// once the release is. `left` is the dataset as it stands.
pub fn write_statement(
    text: &mut String,
    case: &Case,
    derived: &Derived,
    together: Option<&Together>,
    request: &Request,
    left: &DatasetStatus,
) -> fmt::Result {
    let Case { declaration, domain, .. } = case;
    let Request { loss, overrides, prints, .. } = request;
    let cells = domain.len();
    writeln!(text, "What is released\n  {}", declaration.title)?;
    let dimensions: Vec<String> = declaration
        .schema
        .dimensions
        .iter()
        .map(|dimension| format!("{} ({} values)", dimension.name, dimension.values.len()))
        .collect();
    writeln!(text, "  {cells} cells: {}", dimensions.join(" × "))?;
    writeln!(text, "  counted: {}", derived.counted)?;
    if !derived.read_as.is_empty() {
        writeln!(text, "  read so: {}", derived.read_as)?;
    }
    writeln!(text, "  {}", ReleaseMethod::of(declaration.mechanism.method).in_words)?;
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
    for named in overrides {
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
