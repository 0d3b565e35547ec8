//! How closely the exact totals confine what they do not disclose: one small table.

use crate::Release;
use crate::markup::{Head, Markup};
use crate::words::{counted, number};
use certify::{CertifiedDisclosure, CertifiedMargin, CertifiedWidths};

/// The most groups of sums that get a column.
const MOST_COLUMNS: usize = 4;

/// The widths of the intervals that totals, bounds and rules leave.
pub(crate) fn section(page: &mut Markup, release: &Release) {
    let certificate = release.certificate;
    let Some(disclosure) = &certificate.disclosure else { return };
    if certificate.invariants.is_empty() && certificate.conditions.is_empty() {
        return;
    }
    page.paragraph("What is exact also confines the counts that it does not disclose: every true count lies in an interval that anyone can \
         compute, whatever the noise. The narrower the interval, the more is known.",
    );
    let margins = &disclosure.margins[..disclosure.margins.len().min(MOST_COLUMNS)];
    table(page, disclosure, margins);
    let open = disclosure.cells.not_proved + margins.iter().map(|margin| margin.widths.not_proved).sum::<usize>();
    if open > 0 {
        let intervals = counted(open, "interval was", "intervals were");
        let text = format!("{intervals} not proved to the end and count as narrow unless a wider one is shown.");
        page.note(&text);
    }
    if let Some(sensitive) = &disclosure.sensitive {
        let left = match sensitive.confined {
            0 => "what is exact leaves each of them an interval wider than",
            _ => "what is exact does not leave all of them an interval wider than",
        };
        let mut text = format!(
            "{} declared as sensitive ({}): {left} {}.",
            counted(sensitive.cells, "cell is", "cells are"),
            sensitive.predicates.join("; "),
            number(i128::from(sensitive.within))
        );
        if sensitive.confined > 0 {
            let confined = counted(sensitive.confined, "of them is confined", "of them are confined");
            text.push_str(&format!(" {confined} to a narrower one; this safeguard was overridden."));
        }
        page.paragraph(&text);
    }
}

fn table(page: &mut Markup, disclosure: &CertifiedDisclosure, margins: &[CertifiedMargin]) {
    let columns: Vec<(&str, &CertifiedWidths)> = [("Cells", &disclosure.cells)]
        .into_iter()
        .chain(margins.iter().map(|m| (m.label.as_str(), &m.widths)))
        .collect();
    let heads = columns.iter().map(|(label, _)| Head::Numbers(label));
    page.table("plain compact", "", [Head::Words("Interval that is left")].into_iter().chain(heads), |page| {
        row(page, "one value", &columns, |widths| widths.disclosed);
        for (place, at) in disclosure.cells.at_most.iter().enumerate() {
            let name = format!("width {} or less", number(i128::from(at.width)));
            row(page, &name, &columns, |widths| widths.at_most.get(place).map_or(0, |at| at.count));
        }
        row(page, "all", &columns, |widths| widths.total);
    });
}

fn row(page: &mut Markup, name: &str, columns: &[(&str, &CertifiedWidths)], count: impl Fn(&CertifiedWidths) -> usize) {
    page.row(|page| {
        page.row_name(name);
        for (_, widths) in columns {
            page.number(&number(count(widths) as i128));
        }
    });
}
