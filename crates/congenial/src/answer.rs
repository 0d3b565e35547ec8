//! What commands answer, for scripts: one home for the program and for other languages.

use crate::released::Released;
use crate::stand_in::StandInErrors;
use certify::{CertifiedInterval, CertifiedSecrets, Check, Confined, interval};
use pay::offer;
use prepare::{Analysed, ExpectedError, Prepared};
use publish::Verified;
use serde_json::{Value, json};
use std::path::Path;

/// The most intervals of cells that are told to scripts.
const MOST_INTERVALS: usize = 1000;

/// What the invariants of a table fix and disclose.
pub fn check_json(analysed: &Analysed, confined: &Confined) -> Value {
    let analysis = &analysed.analysis;
    let kept = analysis.kept.iter().map(|kept| json!({"label": kept.label, "totals": kept.totals}));
    let redundant = analysis.redundant.iter();
    let redundant =
        redundant.map(|found| json!({"name": found.name, "because": found.because, "totals": found.totals}));
    json!({
        "title": analysed.opened.declaration.title,
        "cells": analysis.cells,
        "invariants": analysis.invariants,
        "kept": kept.collect::<Vec<_>>(),
        "rank": analysis.rank,
        "free_dimension": analysis.free_dimension(),
        "feasible": true,
        "redundant": redundant.collect::<Vec<_>>(),
        "disclosed_cells": confined.disclosed_cells,
        "disclosed": confined.disclosed.iter().map(|d| json!({"cell": d.cell, "value": d.value})).collect::<Vec<_>>(),
        "disclosure": confined.certified,
        "intervals": narrowest_intervals(analysed, confined),
        "nearest": {
            "distance": analysis.moves.pair.distance(),
            "at_least": analysis.moves.pair.at_least,
            "known": analysis.moves.pair.found.is_some(),
        },
    })
}

/// How a release would be drawn, what it would cost and, as far as that was asked, how noisy it
/// would be.
pub fn explain_json(
    prepared: &Prepared,
    error: Option<&ExpectedError>,
    secrets: Option<&CertifiedSecrets>,
    on: Option<&StandInErrors>,
) -> Value {
    let mut value = prepared.plan.explain_json();
    if let Some(why) = prepared.too_large() {
        value["too_large"] = json!(why);
    }
    if let Some(error) = error {
        value["error"] = error.json(&prepared.opened().domain);
    }
    if let Some(secrets) = secrets {
        value["secrets"] = json!(secrets);
    }
    if let Some(errors) = on {
        value["stand_in_error"] = errors.json();
    }
    if let Ok(Some(offer)) = offer(prepared) {
        value["budget"] = json!({
            "dataset": offer.dataset.name,
            "costs": offer.costs.to_string(),
            "left": offer.dataset.left.to_string(),
            "affordable": offer.affordable,
        });
    }
    value
}

/// What was released, and where it is.
pub fn released_json(released: &Released) -> Value {
    let certificate = &released.certificate;
    let path = |name: &str| Path::new(&released.folder).join(name).display().to_string();
    json!({
        "folder": released.folder.display().to_string(),
        "table": path(&certificate.table.file),
        "certificate": path("certificate.json"),
        "report": path("report.html"),
        "files": certificate.files.iter().map(|listed| path(&listed.file)).collect::<Vec<_>>(),
        "title": certificate.title,
        "cells": certificate.table.cells,
        "guarantee": certificate.guarantee,
        "invariants": certificate.invariants,
        "ledger": certificate.ledger,
        "handed_back": released.handed_back.is_some(),
        "verified": checks_json(&released.checks),
    })
}

/// A release that holds.
pub fn verified_json(folder: &Path, verified: &Verified) -> Value {
    let certificate = &verified.certificate;
    json!({
        "holds": true,
        "folder": folder.display().to_string(),
        "title": certificate.title,
        "verified": checks_json(&verified.checks),
        "stated": checks_json(&verified.stated),
        "signed_by": certificate.signed_by,
        "guarantee": certificate.guarantee,
    })
}

/// What was checked.
pub fn checks_json(checks: &[Check]) -> Value {
    checks.iter().map(|check| json!({"what": check.what, "found": check.found})).collect()
}

fn narrowest_intervals(analysed: &Analysed, confined: &Confined) -> Vec<CertifiedInterval> {
    let name = |cell: usize| analysed.opened.domain.describe(cell);
    let cells = narrowest_cells(confined, MOST_INTERVALS);
    cells.into_iter().map(|cell| interval(name(cell), confined.ranges.cell(cell))).collect()
}

/// Cells that are not disclosed, those with the narrowest intervals first, up to a number.
pub fn narrowest_cells(confined: &Confined, most: usize) -> Vec<usize> {
    let ranges = &confined.ranges;
    let width = |cell: usize| {
        let range = ranges.cell(cell);
        let ends = range.low.limit().zip(range.high.limit());
        let width = ends.map_or(u64::MAX, |(low, high)| high.abs_diff(low));
        range.value().is_none().then_some((width, cell))
    };
    let mut found: Vec<(u64, usize)> = (0..ranges.cells()).filter_map(width).collect();
    if found.len() > most {
        found.select_nth_unstable(most);
        found.truncate(most);
    }
    found.sort_unstable();
    found.into_iter().map(|(_, cell)| cell).collect()
}

/// The plan of a release in words.
pub fn explain_text(prepared: &Prepared) -> String {
    let declaration = &prepared.opened().declaration;
    let rows = certify::rows_in_words(declaration).filter(|_| !declaration.invariants.is_empty());
    prepared.plan.explain_text_of_rows(&declaration.title, rows.as_deref())
}
