//! `DATA-README.txt` of a suppressed release: the totals, what they tell, and that nothing else is
//! published.

use super::readme::{Page, citing, title};
use certify::Certificate;

/// The page.
pub fn suppressed_readme(certificate: &Certificate) -> String {
    let mut page = Page { text: String::new() };
    title(&mut page, certificate);
    page.paragraph(
        "Exact totals of a table, and nothing else: no count of a cell is published, with or without noise. This page \
         says what the totals are and what they tell.",
    );
    page.paragraph(&format!("What was counted: {}.", certificate.counted));
    page.heading("Files");
    let mut files = vec![(certificate.table.file.clone(), "the exact totals, and nothing else".to_string())];
    files.push(("certificate.json".into(), "the guarantee, and all that is needed to check it".into()));
    files.push(("report.html".into(), "the same for readers".into()));
    page.pairs(&files);
    page.heading("Columns");
    let columns = [
        ("invariant", "which totals the row belongs to, for example `by county`"),
        ("total", "what is summed, for example `county = Alpha`"),
        ("value", "the total: exact, without noise"),
    ];
    page.pairs(&columns.map(|(name, what)| (name.to_string(), what.to_string())));
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
    page.text
}
