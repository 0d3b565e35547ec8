//! What was released: the size of the table, its dimensions, when and by which program.

use crate::Release;
use crate::labels;
use crate::markup::{Head, Markup};
use crate::words::{counted, date, listed, number};
use certify::Certificate;

/// The facts of the release.
pub(crate) fn section(page: &mut Markup, release: &Release) {
    let certificate = release.certificate;
    let dimensions = &release.domain.schema.dimensions;
    let names: Vec<String> = dimensions.iter().map(|dimension| dimension.name.clone()).collect();
    page.element("dl", &[("class", "facts")], |page| {
        let size = counted(release.domain.len(), "cell", "cells");
        let of = listed(&names);
        let each = if names.len() == 1 { "value" } else { "combination" };
        let told = if certificate.is_suppressed() { "; none of them is published" } else { "" };
        page.fact("Table", &format!("{size}, one count for each {each} of {of}{told}"));
        page.fact("Counted", &format!("of the data file: {}", certificate.counted));
        if !certificate.read_as.is_empty() {
            page.fact("Fields", &certificate.read_as);
        }
        counts(page, release);
        page.element("div", &[], |page| {
            page.leaf("dt", &[], "Released");
            page.element("dd", &[], |page| {
                let time = &certificate.time;
                page.leaf("time", &[("datetime", time)], &date(time));
            });
        });
        let program = &certificate.program;
        let commit = program.commit.iter().map(|commit| format!(", commit {commit}")).collect::<String>();
        page.fact("Program", &format!("{} {}{commit}", program.name, program.version));
        paid(page, certificate);
    });
    if dimensions.is_empty() {
        return;
    }
    let heads = [Head::Words("Name"), Head::Numbers("Values"), Head::Words("Which")];
    page.table("plain", "Dimensions", heads, |page| {
        for dimension in dimensions {
            page.row(|page| {
                page.row_name(&dimension.name);
                page.number(&number(dimension.values.len() as i128));
                page.cell(&labels::domain(dimension));
            });
        }
    });
}

/// What a reader should know about the counts before looking at them.
fn counts(page: &mut Markup, release: &Release) {
    let combinations = release.domain.schema.combinations();
    let zeros = combinations.map_or(0, |all| all.saturating_sub(release.domain.len()));
    if zeros > 0 {
        let (one, many) = (
            "combination is impossible by declaration and is not part of the table",
            "combinations are impossible by declaration and are not part of the table",
        );
        page.fact("Left out", &counted(zeros, one, many));
    }
    if release.certificate.is_suppressed() {
        return;
    }
    page.fact("Sum of all counts", &number(release.figures.sum));
    let negative = release.figures.negative;
    if negative > 0 {
        let text = match release.certificate.is_projected() {
            true => "A count near zero can fall below zero when noise is added and totals are made to hold",
            false => {
                "A count near zero can fall below zero when noise is added; it is published as drawn, because raising it to \
                 zero would bias every sum it enters"
            }
        };
        let cells = counted(negative, "cell", "cells");
        page.fact("Negative counts", &format!("{cells}. {text}"));
    }
}

/// What was spent, and what was overridden.
fn paid(page: &mut Markup, certificate: &Certificate) {
    let Some(paid) = &certificate.ledger else {
        return page.fact("Ledger entry", "none: the data are declared public, so no privacy budget was spent");
    };
    let approved =
        paid.approval.map_or(String::new(), |entry| format!(", approved by a second person (entry {entry})"));
    page.fact("Ledger entry", &format!("{} of dataset {}{approved}", paid.entry, paid.dataset));
    page.fact("Paid", &paid.charged);
    page.fact("All releases of this dataset so far", &format!("{}, of {}", paid.spent, paid.budget));
    if let Some(together) = &paid.together {
        page.fact("Together with earlier releases", &together.in_words());
    }
    for named in &paid.overrides {
        let what = format!("{} (entry {}): {}", named.safeguard, named.entry, named.reason);
        page.fact("Safeguard overridden", &what);
    }
}
