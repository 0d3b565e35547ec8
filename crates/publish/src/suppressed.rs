//! The files of a suppressed release: its exact totals and a page for readers, both functions of
//! the certificate alone.
//!
//! `release` writes them and `verify` makes them again, by the same code.

use crate::contents::{Facts, metadata};
use crate::describe::{Page, README, citing, counted, title};
use crate::files::{Cells, ColumnKind, Field, FileWriter, Format};
use certify::Certificate;
use declare::Problem;
use std::path::Path;

/// The columns of the file of totals.
pub const COLUMNS: [&str; 3] = ["invariant", "total", "value"];

/// The problem of a command that would draw.
pub fn no_draw() -> Problem {
    Problem::refused(
        "method = \"suppress\" publishes the exact totals alone: there is nothing to draw, and no error to study",
    )
    .hint("`check`, `explain`, `release` and `verify` take such a spec; choose method = \"condition\" for draws")
}

/// The name of the file of totals.
pub fn file(format: Format) -> String {
    format!("totals.{}", format.extension())
}

/// Every file that the certificate lists, with what it is.
pub fn listed(format: Format) -> [(String, String); 2] {
    [
        (file(format), "the exact totals, and nothing else".to_string()),
        (README.to_string(), "what the totals are, what they tell and what is not published".to_string()),
    ]
}

/// Writes the totals.
pub fn write_totals(folder: &Path, format: Format, facts: Facts<'_>) -> Result<(), Problem> {
    let mut writer = FileWriter::create(&folder.join(file(format)), format, &metadata::of(facts, "totals"))?;
    let [invariant, total, value] = COLUMNS;
    let fields = [
        Field::new(invariant, ColumnKind::Text),
        Field::new(total, ColumnKind::Text),
        Field::new(value, ColumnKind::Integer),
    ];
    writer.begin("totals", &fields)?;
    let most = writer.rows_at_once(fields.len());
    for invariant in facts.invariants {
        for totals in invariant.totals.chunks(most) {
            let labels = vec![invariant.label.clone(); totals.len()];
            let names: Vec<String> = totals.iter().map(|total| total.name.clone()).collect();
            let values: Vec<i64> = totals.iter().map(|total| total.value).collect();
            writer.put(&[Cells::Texts(&labels), Cells::Texts(&names), Cells::Integers(&values)])?;
        }
    }
    writer.finish()
}

/// The page for readers: file and contents.
pub fn readme(certificate: &Certificate) -> (&'static str, String) {
    let mut page = Page::default();
    title(&mut page, certificate);
    page.paragraph(
        "Exact totals of a table, and nothing else: no count of a cell is published, with or without noise. This page \
         says what the totals are and what they tell.",
    );
    counted(&mut page, certificate);
    page.heading("Files");
    page.pairs(&[
        (certificate.table.file.as_str(), "the exact totals, and nothing else"),
        ("certificate.json", "the guarantee, and all that is needed to check it"),
        ("report.html", "the same for readers"),
    ]);
    page.heading("Columns");
    page.pairs(&[
        ("invariant", "which totals the row belongs to, for example `by county`"),
        ("total", "what is summed, for example `county = Alpha`"),
        ("value", "the total: exact, without noise"),
    ]);
    page.heading("What the totals tell");
    page.paragraph(&match certificate.disclosed_cells {
        0 => "No cell of the table follows from them exactly. They confine cells to intervals; report.html says how closely.".into(),
        1 => "1 cell of the table follows from them exactly, and is public; certificate.json lists it. Others are confined to intervals; \
              report.html says how closely."
            .to_string(),
        cells => format!(
            "{cells} cells of the table follow from them exactly, and are public; certificate.json lists them. Others are confined to \
             intervals; report.html says how closely."
        ),
    });
    page.heading("The privacy guarantee");
    page.paragraph(&certificate.guarantee.statement);
    citing(&mut page, certificate);
    page.paragraph(
        "DIR is this folder. The command makes the files again from the certificate, and checks the hashes, the arithmetic of the \
         guarantee and that some table has all of these totals. Keep the files of the folder together.",
    );
    (README, page.text)
}
