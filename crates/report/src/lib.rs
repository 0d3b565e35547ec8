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
pub use comparison::comparison_html;
use declare::Domain;
pub use figures::Figures;
pub use inference::{Inference, inference_html};
pub use known::{CellReach, Known, MOST_SHOWN, Noise, SumReach, wanted_sums};
use markup::Markup;
pub use words::number;

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

/// A section: its identity, its title, and what writes it.
type Section = (&'static str, &'static str, fn(&mut Markup, &Release<'_>));

/// What stands open, after the first screen.
const OPEN: [Section; 2] = [("table", "The table", table::section), ("pictures", "In pictures", pictures::section)];

/// What is folded away until it is wanted.
const FOLDED: [Section; 8] = [
    ("guarantee", "What is guaranteed", guarantee::section),
    ("exact", "What is exactly true", invariants::exact),
    ("disclosed", "What the exact totals disclose", disclosed),
    ("released", "What was released", summary::section),
    ("plan", "How it was drawn", plan::section),
    ("evidence", "How close it is to its law", evidence::section),
    ("check", "The files, and how to check them", check::section),
    ("spec", "The declaration", check::spec),
];

/// The release as one HTML page. Equal releases give equal pages.
pub fn html(release: &Release) -> String {
    let certificate = release.certificate;
    Markup::page(&format!("{} – release report", certificate.title), |page| {
        first::screen(page, release);
        page.element("main", &[], |page| {
            for (identity, title, section) in shown(release, &OPEN) {
                page.section(identity, title, |page| section(page, release));
            }
            contents(page, release);
            for (identity, title, section) in shown(release, &FOLDED) {
                let labelled = format!("{identity}-title");
                page.element("section", &[("class", "folded"), ("aria-labelledby", &labelled)], |page| {
                    page.element("details", &[], |page| {
                        page.element("summary", &[], |page| page.leaf("h2", &[("id", &labelled)], title));
                        // A link to what is folded away unfolds it.
                        page.element("div", &[("id", identity)], |page| section(page, release));
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
    })
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
            for (identity, title, _) in shown(release, &FOLDED) {
                page.element("li", &[], |page| page.leaf("a", &[("href", &format!("#{identity}"))], title));
            }
        });
    });
}

/// The sections that have something to say.
fn shown<'a>(release: &Release, sections: &'a [Section]) -> impl Iterator<Item = &'a Section> + use<'a> {
    let evidence = !release.certificate.evidence.is_empty();
    let drawn = !release.certificate.is_suppressed();
    let pictures = drawn && (pictures::any(release) || table::is_shown_fully(release));
    sections.iter().filter(move |(identity, ..)| match *identity {
        "evidence" => evidence,
        "plan" | "table" => drawn,
        "pictures" => pictures,
        _ => true,
    })
}

fn disclosed(page: &mut Markup, release: &Release) {
    invariants::disclosed(page, release);
    confined::section(page, release);
}
