//! How closely the totals alone confine cells and sums, as `check` shows it.

use crate::output::counted;
use congenial::{Analysed, Confined, WidthCount, in_words, narrowest_cells};
use std::fmt::{self, Write};

/// Of a table with at most so many cells every interval is printed; of a larger one the narrowest.
const FEW: usize = 16;
/// How many of the narrowest.
const NARROWEST: usize = 8;

/// Prints the widths of intervals, and the narrowest of them.
pub fn write(text: &mut String, analysed: &Analysed, confined: &Confined) -> fmt::Result {
    let widths = &confined.certified.cells;
    writeln!(text, "confined cells    intervals that totals leave: {}", in_width(&widths.at_most))?;
    let most = if widths.total <= FEW { FEW } else { NARROWEST };
    let narrow = narrowest_cells(confined, most);
    for cell in &narrow {
        writeln!(text, "  {}: {}", analysed.opened.domain.describe(*cell), in_words(confined.ranges.cell(*cell)))?;
    }
    let more = widths.total - widths.disclosed - narrow.len();
    if more > 0 {
        writeln!(text, "  … {more} more, no narrower")?;
    }
    for margin in &confined.certified.margins {
        let sums = counted(margin.widths.total, "sum");
        let disclosed = match margin.widths.disclosed {
            0 => "none disclosed".to_string(),
            disclosed => format!("{disclosed} disclosed"),
        };
        writeln!(
            text,
            "confined sums     {}: {sums}, {disclosed}, {}",
            margin.label,
            in_width(&margin.widths.at_most)
        )?;
    }
    if let Some(open) = confined.certified.left_open() {
        writeln!(text, "not proved        {open}")?;
    }
    if let Some(sensitive) = &confined.certified.sensitive {
        let cells = counted(sensitive.cells, "cell");
        writeln!(text, "sensitive         {cells} must keep an interval wider than {}", sensitive.within)?;
    }
    Ok(())
}

/// How many intervals are how narrow; widths that are no news are left out.
fn in_width(widths: &[WidthCount]) -> String {
    let is_news =
        |(place, at): &(usize, &WidthCount)| at.count > 0 || widths.get(place + 1).is_none_or(|next| next.count > 0);
    let text = |(_, at): (usize, &WidthCount)| match at.count {
        0 => format!("none of width {} or less", at.width),
        count => format!("{count} of width {} or less", at.width),
    };
    widths.iter().enumerate().filter(is_news).map(text).collect::<Vec<_>>().join(", ")
}
