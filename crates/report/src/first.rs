//! The first screen: what a reader must know before using a number, in three sentences, and where
//! the files are.

use crate::Release;
use crate::markup::Markup;
use crate::words::{counted, date, is_same, listed, number, people};
use certify::Certificate;

/// Of more kinds of totals only the first are named.
const MOST_NAMED: usize = 4;

/// Title, three sentences, what it is, and downloads.
pub(crate) fn screen(page: &mut Markup, release: &Release) {
    let certificate = release.certificate;
    page.element("header", &[], |page| {
        page.leaf("p", &[("class", "kicker")], "Statistical release");
        page.leaf("h1", &[], &certificate.title);
        page.element("ul", &[("class", "key")], |page| {
            sentences(release).iter().for_each(|sentence| page.leaf("li", &[], sentence));
        });
        about(page, release);
        downloads(page, release);
    });
}

/// The three sentences.
fn sentences(release: &Release) -> Vec<String> {
    let certificate = release.certificate;
    if certificate.is_suppressed() {
        let totals: usize = certificate.invariants.iter().map(|invariant| invariant.totals.len()).sum();
        let published = counted(totals, "exact total is published", "exact totals are published");
        return vec![
            format!("{published}{}, and nothing else.", of_which_rows(certificate)),
            "No count of a cell is published, with or without noise.".to_owned(),
        ];
    }
    vec![accuracy(release), exact(release), below_zero(release)]
}

/// How far counts are off.
fn accuracy(release: &Release) -> String {
    if release.certificate.is_projected() {
        return "Counts carry random noise and were then moved so that totals hold: how far a count is off is not known, and small \
                counts are biased."
            .to_owned();
    }
    match &release.known.cells {
        Ok(reach) => match reach.ends {
            (_, 0) if release.certificate.disclosed_cells == release.certificate.table.cells => {
                "Every count is exact: the totals leave nothing open.".to_owned()
            }
            (_, 0) => "Counts are without noise nine times in ten.".to_owned(),
            (least, most) => {
                let some = if least == most { "" } else { ", some of them closer" };
                format!("Counts are within ±{} nine times in ten{some}.", number(i128::from(most)))
            }
        },
        Err(why) => {
            let noise = match &release.known.noise {
                Some(noise) => {
                    let reach = number(noise.quantile(0.9) as i128);
                    format!(
                        "Counts carry random noise, which before anything else stays within ±{reach} nine times in ten"
                    )
                }
                None => "Counts carry random noise".to_owned(),
            };
            format!("{noise}. How far a single count is off is not stated, because {why}.")
        }
    }
}

/// Which totals are exact.
fn exact(release: &Release) -> String {
    let invariants = &release.certificate.invariants;
    let mut kinds: Vec<String> = Vec::new();
    for invariant in invariants {
        let kind = match invariant.label.as_str() {
            "total" => "the grand total".to_owned(),
            label if !label.contains(" where ") => label.replace(", ", " × "),
            label => label.to_owned(),
        };
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    if kinds.is_empty() {
        return "No total is exact: sums carry the noise of their counts.".to_owned();
    }
    let of = of_which_rows(release.certificate);
    if kinds == ["the grand total"] {
        return format!("The grand total is exact{of}.");
    }
    let more = kinds.len().saturating_sub(MOST_NAMED);
    if more > 0 {
        kinds.truncate(MOST_NAMED);
        kinds.push(counted(more, "more kind of totals", "more kinds of totals"));
    }
    format!("Totals {} are exact{of}.", listed(&kinds))
}

/// Which rows exact totals are about, where they are not about all rows of the data; nothing where
/// all are pinned to published values.
fn of_which_rows(certificate: &Certificate) -> String {
    let own = certificate.invariants.iter().any(|invariant| !invariant.pinned);
    let rows = certificate.rows_in_words().filter(|_| own);
    rows.map_or(String::new(), |rows| format!(" for the rows that were counted ({rows})"))
}

/// What there is below zero.
fn below_zero(release: &Release) -> String {
    let negative = release.figures.negative;
    let bounded = release.certificate.conditions.iter().any(|condition| condition == "every count is at least 0");
    match negative {
        0 if bounded => "No count is below zero: noise was drawn so that none is.".to_owned(),
        0 => "No count is below zero.".to_owned(),
        _ => {
            let counts = counted(negative, "small count is", "small counts are");
            let them = if negative == 1 { "it" } else { "them" };
            match release.certificate.is_projected() {
                true => format!("{counts} below zero."),
                false => format!("{counts} below zero; raising {them} to zero would make sums too large."),
            }
        }
    }
}

/// What the release is, in one line.
fn about(page: &mut Markup, release: &Release) {
    let certificate = release.certificate;
    let dimensions = release.domain.schema.dimensions.iter();
    let names: Vec<String> = dimensions.map(|dimension| dimension.name.clone()).collect();
    page.element("p", &[("class", "about")], |page| {
        let time = certificate.time.as_str();
        page.text("Released ");
        page.leaf("time", &[("datetime", time)], &date(time));
        let cells = counted(release.domain.len(), "count", "counts");
        let by = if names.is_empty() { String::new() } else { format!(" by {}", listed(&names)) };
        page.text(&format!(" · {cells}{by} · {}", certificate.guarantee.definition));
        let guarantee = &certificate.guarantee;
        let loss = guarantee.epsilon.as_ref().map(|value| ("ε", value));
        if let Some((symbol, value)) = loss.or(guarantee.rho.as_ref().map(|value| ("ρ", value))) {
            page.text(&format!(", {symbol}\u{a0}=\u{a0}"));
            let shown = people(value);
            match is_same(&shown, value) {
                true => page.text(&shown),
                false => page.leaf("span", &[("title", &format!("exactly {value}"))], &shown),
            }
            page.text(&format!(" per {}", guarantee.unit));
        }
    });
}

/// Links to the files of the release, which lie beside this page.
fn downloads(page: &mut Markup, release: &Release) {
    let certificate = release.certificate;
    let mut files: Vec<&str> = certificate.files.iter().map(|file| file.file.as_str()).collect();
    files.retain(|name| is_plain(name));
    let table = certificate.table.file.as_str();
    match files.iter().position(|name| *name == table) {
        Some(place) => files.swap(0, place),
        None if is_plain(table) => files.insert(0, table),
        None => {}
    }
    files.push("certificate.json");
    page.element("p", &[("class", "downloads")], |page| {
        page.leaf("span", &[], "Download");
        for name in files {
            let text = if name == table { &*format!("the table ({name})") } else { name };
            page.leaf("a", &[("href", &format!("./{name}")), ("download", "")], text);
        }
    });
}

/// Whether a file beside the page is linked to: only plain names, so that nothing else can be
/// dressed up as one.
fn is_plain(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    !name.is_empty() && !name.starts_with('.') && name.bytes().all(plain)
}
