//! What is exactly true, and which cells that alone gives away.

use crate::Release;
use crate::markup::{Head, Markup};
use crate::words::{counted, number};
use certify::CertifiedInvariant;

/// Longer lists start collapsed.
const OPEN_UP_TO: usize = 24;

/// Longer lists are cut, and the page says where the rest is.
const SHOWN_AT_MOST: usize = 2_000;

/// The invariants with their values.
pub(crate) fn exact(page: &mut Markup, release: &Release) {
    let invariants = &release.certificate.invariants;
    conditions(page, release);
    if invariants.is_empty() {
        page.paragraph(
            "No total was declared exact. Every count in the table, and every \
                sum of counts, carries noise.",
        );
        return;
    }
    let (pinned, own): (Vec<&CertifiedInvariant>, Vec<_>) = invariants.iter().partition(|invariant| invariant.pinned);
    if !own.is_empty() {
        let data = match release.certificate.rows_in_words() {
            Some(rows) => format!("in the rows of the data that were counted ({rows})"),
            None => "in the confidential data".to_owned(),
        };
        let equal = match release.certificate.is_suppressed() {
            true => format!("The totals below hold {data}."),
            false => format!("The totals below are equal {data} and in the released table."),
        };
        page.paragraph(&format!("{equal} They are published without noise, and the guarantee does not protect them."));
        own.into_iter().for_each(|invariant| totals(page, invariant));
    }
    if !pinned.is_empty() {
        page.paragraph(
            "The totals below are pinned to values that were published before. The released table has them; the \
                confidential data need not.",
        );
        pinned.into_iter().for_each(|invariant| totals(page, invariant));
    }
}

/// Bounds and rules that every released table satisfies.
fn conditions(page: &mut Markup, release: &Release) {
    let conditions = &release.certificate.conditions;
    if conditions.is_empty() {
        return;
    }
    let satisfies = match release.certificate.is_suppressed() {
        true => "The data are declared to satisfy:",
        false => "The released table satisfies, as the data are declared to do:",
    };
    page.paragraph(satisfies);
    page.element("ul", &[], |page| conditions.iter().for_each(|condition| page.leaf("li", &[], condition)));
}

fn totals(page: &mut Markup, invariant: &CertifiedInvariant) {
    if let [total] = invariant.totals.as_slice() {
        page.element("p", &[("class", "single")], |page| {
            page.leaf("span", &[("class", "name")], &invariant.label);
            if total.name != invariant.label {
                page.text(&format!(" ({})", total.name));
            }
            page.text(": ");
            page.leaf("strong", &[], &number(total.value));
        });
        return;
    }
    let rows: Vec<(&str, i64)> = invariant.totals.iter().map(|total| (total.name.as_str(), total.value)).collect();
    let summary = format!("{} – {}", invariant.label, counted(rows.len(), "exact total", "exact totals"));
    list(page, &summary, ("Total over", "Exact value"), &rows);
}

/// The cells that the invariants alone disclose.
pub(crate) fn disclosed(page: &mut Markup, release: &Release) {
    let cells = &release.certificate.disclosed;
    if cells.is_empty() {
        let text = if release.certificate.invariants.is_empty() {
            "None. No exact total was published."
        } else {
            "None. No single cell of the confidential table can be computed from the exact \
                    totals alone."
        };
        page.paragraph(text);
        return;
    }
    page.element("div", &[("class", "notice")], |page| {
        page.element("p", &[], |page| {
            page.leaf(
                "strong",
                &[],
                &format!(
                    "{} of the confidential table can be computed from {} alone.",
                    counted(release.certificate.disclosed_cells, "cell", "cells"),
                    release.certificate.discloses_by()
                ),
            );
            page.text(" No noise can change this: what they follow from is public.");
        });
    });
    let rows: Vec<(&str, i64)> = cells.iter().map(|cell| (cell.cell.as_str(), cell.value)).collect();
    let summary = format!(
        "{} with true values",
        counted(release.certificate.disclosed_cells, "disclosed cell", "disclosed cells")
    );
    list(page, &summary, ("Cell", "True value"), &rows);
    let unlisted = release.certificate.disclosed_cells.saturating_sub(cells.len());
    if unlisted > 0 {
        let more = counted(unlisted, "more cell is", "more cells are");
        page.note(&format!("{more} not listed by name."));
    }
}

fn list(page: &mut Markup, summary: &str, heads: (&str, &str), rows: &[(&str, i64)]) {
    let open: &[(&str, &str)] = if rows.len() <= OPEN_UP_TO { &[("open", "")] } else { &[] };
    page.element("details", open, |page| {
        page.leaf("summary", &[], summary);
        page.table("plain compact", "", [Head::Words(heads.0), Head::Numbers(heads.1)], |page| {
            for (name, value) in rows.iter().take(SHOWN_AT_MOST) {
                page.row(|page| {
                    page.row_name(name);
                    page.number(&number(*value));
                });
            }
        });
        if rows.len() > SHOWN_AT_MOST {
            page.note(&format!(
                "The first {} are shown; the other {} are in certificate.json.",
                number(SHOWN_AT_MOST as i128),
                number((rows.len() - SHOWN_AT_MOST) as i128)
            ));
        }
    });
}
