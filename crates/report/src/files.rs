//! The files of the release, with what each is and its fingerprint.

use crate::Release;
use crate::markup::Markup;

/// The list of files.
pub(crate) fn section(page: &mut Markup, release: &Release) {
    page.leaf(
        "p",
        &[],
        "Beside this page and certificate.json the release holds these files. DATA-README.txt says how to read them.",
    );
    page.element("table", &[("class", "plain")], |page| {
        page.leaf("caption", &[], "Files and their fingerprints (SHA-256)");
        page.element("thead", &[], |page| {
            page.element("tr", &[], |page| {
                for name in ["File", "What it is", "Fingerprint"] {
                    page.leaf("th", &[("scope", "col")], name);
                }
            });
        });
        page.element("tbody", &[], |page| {
            for file in &release.certificate.files {
                page.element("tr", &[], |page| {
                    page.leaf("th", &[("scope", "row")], &file.file);
                    page.leaf("td", &[], &file.what);
                    page.element("td", &[], |page| page.leaf("code", &[("class", "hash")], &file.sha256));
                });
            }
        });
    });
}
