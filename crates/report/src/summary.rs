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
        fact(page, "Table", &format!("{size}, one count for each {each} of {of}{told}"));
        fact(page, "Counted", &format!("{} of the data file", certificate.counted));
        counts(page, release);
        page.element("div", &[], |page| {
            page.leaf("dt", &[], "Released");
            page.element("dd", &[], |page| {
                let time = &certificate.time;
                page.leaf("time", &[("datetime", time)], &date(time));
            });
        });
        let program = &certificate.program;
        let commit = program.commit.iter().map(|commit| format!(", commit {commit}"));
        let commit = commit.collect::<String>();
        fact(page, "Program", &format!("{} {}{commit}", program.name, program.version));
        paid(page, certificate);
    });
    if dimensions.is_empty() {
        return;
    }
    page.element("table", &[("class", "plain")], |page| {
        page.leaf("caption", &[], "Dimensions");
        page.head([Head::Words("Name"), Head::Numbers("Values"), Head::Words("Which")]);
        page.element("tbody", &[], |page| {
            for dimension in dimensions {
                page.row(|page| {
                    page.row_name(&dimension.name);
                    page.number(&number(dimension.values.len() as i128));
                    page.cell(&labels::domain(dimension));
                });
            }
        });
    });
}

/// What a reader should know about the counts before looking at them.
fn counts(page: &mut Markup, release: &Release) {
    let combinations = release.domain.schema.combinations();
    match combinations.map_or(0, |all| all.saturating_sub(release.domain.len())) {
        0 => {}
        1 => {
            let text = "1 combination is impossible by declaration and is not part of the table";
            fact(page, "Left out", text);
        }
        zeros => {
            let zeros = number(zeros as i128);
            let text = "combinations are impossible by declaration and are not part of the table";
            fact(page, "Left out", &format!("{zeros} {text}"));
        }
    }
    if release.certificate.is_suppressed() {
        return;
    }
    fact(page, "Sum of all counts", &number(release.figures.sum));
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
        fact(page, "Negative counts", &format!("{cells}. {text}"));
    }
}

fn fact(page: &mut Markup, name: &str, text: &str) {
    page.element("div", &[], |page| {
        page.leaf("dt", &[], name);
        page.leaf("dd", &[], text);
    });
}

/// What was spent, and what was overridden.
fn paid(page: &mut Markup, certificate: &Certificate) {
    let Some(paid) = &certificate.ledger else {
        return fact(page, "Ledger entry", "none: the data are declared public, so no privacy budget was spent");
    };
    let approved = match paid.approval {
        Some(entry) => format!(", approved by a second person (entry {entry})"),
        None => String::new(),
    };
    fact(page, "Ledger entry", &format!("{} of dataset {}{approved}", paid.entry, paid.dataset));
    fact(page, "Paid", &paid.charged);
    fact(page, "All releases of this dataset so far", &format!("{}, of {}", paid.spent, paid.budget));
    if let Some(together) = &paid.together {
        fact(page, "Together with earlier releases", &together.in_words());
    }
    for named in &paid.overrides {
        let what = format!("{} (entry {}): {}", named.safeguard, named.entry, named.reason);
        fact(page, "Safeguard overridden", &what);
    }
}
