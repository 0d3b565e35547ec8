//! How to check the release: its fingerprints, the command, and the declaration it was made from.

use crate::Release;
use crate::markup::{Head, Markup};

/// The fingerprints and how to use them.
pub(crate) fn section(page: &mut Markup, release: &Release) {
    let certificate = release.certificate;
    page.paragraph(
        "Anyone who holds the released files can check them without access to \
            the confidential data:",
    );
    page.element("pre", &[("class", "command")], |page| page.leaf("code", &[], "congenial verify DIR"));
    let command = match certificate.is_suppressed() {
        true => {
            "DIR is the directory with certificate.json and the totals. The command compares the fingerprints below, checks that \
             some table has all of the totals, and checks the arithmetic of the guarantee. No counts are published from which the \
             totals could be added up again."
        }
        false => {
            "DIR is the directory with certificate.json and the table. The command recomputes every exact total from the released \
             table, compares the fingerprints below, and checks the arithmetic of the guarantee."
        }
    };
    page.paragraph(command);
    page.element("table", &[("class", "plain")], |page| {
        page.leaf("caption", &[], "Fingerprints (SHA-256)");
        page.head([Head::Words("Of"), Head::Words("Fingerprint")]);
        page.element("tbody", &[], |page| {
            for (name, hash) in [
                (format!("the table, {}", certificate.table.file), &certificate.table.sha256),
                ("the declaration".to_owned(), &certificate.spec_sha256),
            ] {
                page.row(|page| {
                    page.row_name(&name);
                    page.element("td", &[], |page| page.leaf("code", &[("class", "hash")], hash));
                });
            }
        });
    });
    page.element("p", &[("class", "note")], |page| {
        page.text("The fingerprint of the table file is also what ");
        page.leaf("code", &[], &format!("sha256sum {}", certificate.table.file));
        page.text(" prints.");
    });
}

/// The spec, collapsed.
pub(crate) fn spec(page: &mut Markup, release: &Release) {
    page.paragraph("The release was made from this declaration. Every default is written out.");
    page.element("details", &[], |page| {
        page.leaf("summary", &[], "Show the declaration (TOML)");
        page.element("pre", &[], |page| page.leaf("code", &[], &release.certificate.spec));
    });
}
