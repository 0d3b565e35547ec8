//! A release as one self-contained HTML page; a pure function.
//!
//! The page is written for a reader who must rely on the release without being a statistician. It loads nothing, runs
//! no script (its own content policy forbids it), and everything that comes from a spec or a table is escaped.

mod bars;
mod chart;
mod check;
mod comparison;
mod confined;
mod evidence;
mod figures;
mod files;
mod grid;
mod guarantee;
mod inference;
mod invariants;
mod labels;
mod markup;
mod overview;
mod plan;
mod scale;
mod summary;
mod table;
mod tally;
mod words;

use certify::Certificate;
pub use comparison::comparison_html;
use declare::Domain;
pub use figures::Figures;
pub use inference::{Inference, inference_html};
use markup::Markup;

/// A release: its certificate, and the released table over its domain.
#[derive(Debug, Clone, Copy)]
pub struct Release<'a> {
    /// What the release states about itself.
    pub certificate: &'a Certificate,
    /// The live cells.
    pub domain: &'a Domain,
    /// What the page says about the released counts.
    pub figures: &'a Figures<'a>,
}

const STYLE: &str = include_str!("page.css");

/// Forbids the page to load or run anything, whatever a label may contain.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

const SECTIONS: [(&str, &str); 10] = [
    ("released", "What was released"),
    ("exact", "What is exactly true"),
    ("guarantee", "What is guaranteed"),
    ("disclosed", "What the exact totals disclose"),
    ("plan", "How it was drawn"),
    ("evidence", "How close it is to its law"),
    ("table", "The table"),
    ("files", "The files"),
    ("check", "How to check it"),
    ("spec", "The declaration"),
];

/// The release as one HTML page. Equal releases give equal pages.
pub fn html(release: &Release) -> String {
    let certificate = release.certificate;
    let mut page = Markup::document();
    page.element("html", &[("lang", "en")], |page| {
        page.element("head", &[], |page| {
            page.void("meta", &[("charset", "utf-8")]);
            page.void("meta", &[("http-equiv", "Content-Security-Policy"), ("content", POLICY)]);
            page.void("meta", &[("name", "viewport"), ("content", "width=device-width, initial-scale=1")]);
            page.void("meta", &[("name", "color-scheme"), ("content", "light dark")]);
            page.leaf("title", &[], &format!("{} – release report", certificate.title));
            page.style(STYLE);
        });
        page.element("body", &[], |page| {
            page.element("header", &[], |page| {
                page.leaf("p", &[("class", "kicker")], "Release report");
                page.leaf("h1", &[], &certificate.title);
                summary::lead(page, release);
            });
            page.element("nav", &[("aria-label", "Sections of this report")], |page| {
                page.element("ol", &[], |page| {
                    for (identity, title) in sections(release) {
                        page.element("li", &[], |page| page.leaf("a", &[("href", &format!("#{identity}"))], title));
                    }
                });
            });
            page.element("main", &[], |page| {
                for (identity, title) in sections(release) {
                    page.element(
                        "section",
                        &[("id", identity), ("aria-labelledby", &format!("{identity}-title"))],
                        |page| {
                            page.leaf("h2", &[("id", &format!("{identity}-title"))], title);
                            section(page, release, identity);
                        },
                    );
                }
            });
            page.element("footer", &[], |page| {
                let program = &certificate.program;
                page.leaf(
                    "p",
                    &[],
                    &format!(
                        "Written by {} {}. This page is a rendering of certificate.json and of the \
                            released table; where they differ, the certificate counts.",
                        program.name, program.version
                    ),
                );
            });
        });
    });
    page.finish()
}

/// The sections that have something to say.
fn sections(release: &Release) -> impl Iterator<Item = (&'static str, &'static str)> {
    let (files, evidence) = (!release.certificate.files.is_empty(), !release.certificate.evidence.is_empty());
    let drawn = !release.certificate.is_suppressed();
    SECTIONS.into_iter().filter(move |(identity, _)| match *identity {
        "files" => files,
        "evidence" => evidence,
        "plan" | "table" => drawn,
        _ => true,
    })
}

fn section(page: &mut Markup, release: &Release, identity: &str) {
    match identity {
        "released" => summary::section(page, release),
        "exact" => invariants::exact(page, release),
        "guarantee" => guarantee::section(page, release),
        "disclosed" => {
            invariants::disclosed(page, release);
            confined::section(page, release);
        }
        "plan" => plan::section(page, release),
        "evidence" => evidence::section(page, release),
        "table" => table::section(page, release),
        "files" => files::section(page, release),
        "check" => check::section(page, release),
        _ => check::spec(page, release),
    }
}
