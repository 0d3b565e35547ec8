//! A release as one self-contained HTML page; a pure function.
//!
//! The page is written for a reader who must rely on the release without being a statistician. It
//! loads nothing, runs no script (its own content policy forbids it), and everything that comes
//! from a spec or a table is escaped.

mod bars;
mod card;
pub mod chart;
mod check;
mod comparison;
mod confined;
mod evidence;
mod exactly;
mod figures;
mod files;
mod first;
mod grid;
mod guarantee;
mod inference;
mod invariants;
mod known;
mod labels;
mod margins;
mod markup;
mod overview;
mod pictures;
mod plan;
mod scale;
mod summary;
mod table;
mod tally;
mod verdict;
mod words;

pub use card::{Card, card_html};
use certify::Certificate;
pub use comparison::{comparison_html, sweep_html};
use declare::Domain;
pub use figures::Figures;
pub use inference::{Inference, inference_html};
pub use known::{CellReach, Known, MOST_SHOWN, Noise, SumReach, wanted_sums};
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
    /// What is known of their errors.
    pub known: &'a Known,
}

const STYLE: &str = include_str!("page.css");

/// Forbids the page to load or run anything, whatever a label may contain.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// What stands open, after the first screen.
const OPEN: [(&str, &str); 2] = [("table", "The table"), ("pictures", "In pictures")];

/// What is folded away until it is wanted.
const FOLDED: [(&str, &str); 8] = [
    ("guarantee", "What is guaranteed"),
    ("exact", "What is exactly true"),
    ("disclosed", "What the exact totals disclose"),
    ("released", "What was released"),
    ("plan", "How it was drawn"),
    ("evidence", "How close it is to its law"),
    ("check", "The files, and how to check them"),
    ("spec", "The declaration"),
];

/// The release as one HTML page. Equal releases give equal pages.
pub fn html(release: &Release) -> String {
    let certificate = release.certificate;
    let mut page = Markup::document();
    page.element("html", &[("lang", "en")], |page| {
        head(page, &format!("{} – release report", certificate.title));
        page.element("body", &[], |page| {
            first::screen(page, release);
            page.element("main", &[], |page| {
                for (identity, title) in shown(release, &OPEN) {
                    let labelled = format!("{identity}-title");
                    page.element("section", &[("id", identity), ("aria-labelledby", &labelled)], |page| {
                        page.leaf("h2", &[("id", &labelled)], title);
                        section(page, release, identity);
                    });
                }
                contents(page, release);
                for (identity, title) in shown(release, &FOLDED) {
                    let labelled = format!("{identity}-title");
                    page.element("section", &[("class", "folded"), ("aria-labelledby", &labelled)], |page| {
                        page.element("details", &[], |page| {
                            page.element("summary", &[], |page| page.leaf("h2", &[("id", &labelled)], title));
                            // A link to what is folded away unfolds it.
                            page.element("div", &[("id", identity)], |page| section(page, release, identity));
                        });
                    });
                }
            });
            page.element("footer", &[], |page| {
                cite(page, certificate);
                let program = &certificate.program;
                page.paragraph(&format!(
                    "Written by {} {}. This page is a rendering of certificate.json and of the \
                            released table; where they differ, the certificate counts.",
                    program.name, program.version
                ));
            });
        });
    });
    page.finish()
}

/// The head of a page: it loads nothing, and says so.
fn head(page: &mut Markup, title: &str) {
    page.element("head", &[], |page| {
        page.void("meta", &[("charset", "utf-8")]);
        page.void("meta", &[("http-equiv", "Content-Security-Policy"), ("content", POLICY)]);
        page.void("meta", &[("name", "viewport"), ("content", "width=device-width, initial-scale=1")]);
        page.void("meta", &[("name", "color-scheme"), ("content", "light dark")]);
        page.leaf("title", &[], title);
        page.style(STYLE);
    });
}

/// How others name this release, so that readers find the very same numbers.
fn cite(page: &mut Markup, certificate: &Certificate) {
    page.element("p", &[], |page| {
        page.text(&format!(
            "Cite as: {}. Released {}. Table SHA-256 ",
            certificate.title,
            words::date(&certificate.time)
        ));
        page.leaf("code", &[("class", "hash")], &certificate.table.sha256);
        page.text(".");
    });
}

/// Links to what is folded away.
fn contents(page: &mut Markup, release: &Release) {
    page.element("nav", &[("aria-label", "More about this release")], |page| {
        page.note("More about this release:");
        page.element("ol", &[], |page| {
            for (identity, title) in shown(release, &FOLDED) {
                page.element("li", &[], |page| page.leaf("a", &[("href", &format!("#{identity}"))], title));
            }
        });
    });
}

/// The sections that have something to say.
fn shown<'a>(
    release: &Release,
    sections: &'a [(&'static str, &'static str)],
) -> impl Iterator<Item = (&'static str, &'static str)> + 'a {
    let evidence = !release.certificate.evidence.is_empty();
    let drawn = !release.certificate.is_suppressed();
    let pictures = drawn && (pictures::any(release) || table::is_shown_fully(release));
    sections.iter().copied().filter(move |(identity, _)| match *identity {
        "evidence" => evidence,
        "plan" | "table" => drawn,
        "pictures" => pictures,
        _ => true,
    })
}

fn section(page: &mut Markup, release: &Release, identity: &str) {
    match identity {
        "table" => table::section(page, release),
        "pictures" => {
            pictures::section(page, release);
            // The bars of a list of counts stand in the table itself.
            if table::is_shown_fully(release) && release.domain.schema.dimensions.len() > 1 {
                margins::section(page, release);
            }
        }
        "released" => summary::section(page, release),
        "exact" => invariants::exact(page, release),
        "guarantee" => guarantee::section(page, release),
        "disclosed" => {
            invariants::disclosed(page, release);
            confined::section(page, release);
        }
        "plan" => plan::section(page, release),
        "evidence" => evidence::section(page, release),
        "check" => {
            if !release.certificate.files.is_empty() {
                files::section(page, release);
            }
            check::section(page, release);
        }
        _ => check::spec(page, release),
    }
}
