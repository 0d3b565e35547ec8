//! The files of the release, how to check them, and the declaration it was made from.

use crate::Release;
use crate::markup::{Head, Markup};

/// A row that names something and says its fingerprint last.
fn fingerprint(page: &mut Markup, name: &str, what: Option<&str>, hash: &str) {
    page.row(|page| {
        page.row_name(name);
        if let Some(what) = what {
            page.cell(what);
        }
        page.element("td", &[], |page| page.leaf("code", &[("class", "hash")], hash));
    });
}

/// The list of files, with what each is and its fingerprint.
fn files(page: &mut Markup, release: &Release) {
    page.paragraph(
        "Beside this page and certificate.json the release holds these files. DATA-README.txt says how to read them.",
    );
    let heads = ["File", "What it is", "Fingerprint"].map(Head::Words);
    page.table("plain", "Files and their fingerprints (SHA-256)", heads, |page| {
        let files = release.certificate.files.iter();
        files.for_each(|file| fingerprint(page, &file.file, Some(&file.what), &file.sha256));
    });
}

/// The files, the fingerprints and how to use them.
pub(crate) fn section(page: &mut Markup, release: &Release) {
    let certificate = release.certificate;
    if !certificate.files.is_empty() {
        files(page, release);
    }
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
    page.table("plain", "Fingerprints (SHA-256)", ["Of", "Fingerprint"].map(Head::Words), |page| {
        fingerprint(page, &format!("the table, {}", certificate.table.file), None, &certificate.table.sha256);
        fingerprint(page, "the declaration", None, &certificate.spec_sha256);
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
