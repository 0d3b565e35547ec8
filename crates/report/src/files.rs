//! The files of the release, with what each is and its fingerprint.

use crate::Release;
use crate::markup::{Head, Markup};

/// The list of files.
pub(crate) fn section(page: &mut Markup, release: &Release) {
    page.paragraph(
        "Beside this page and certificate.json the release holds these files. DATA-README.txt says how to read them.",
    );
    page.element("table", &[("class", "plain")], |page| {
        page.leaf("caption", &[], "Files and their fingerprints (SHA-256)");
        page.head(["File", "What it is", "Fingerprint"].map(Head::Words));
        page.element("tbody", &[], |page| {
            for file in &release.certificate.files {
                page.row(|page| {
                    page.row_name(&file.file);
                    page.cell(&file.what);
                    page.element("td", &[], |page| page.leaf("code", &[("class", "hash")], &file.sha256));
                });
            }
        });
    });
}
