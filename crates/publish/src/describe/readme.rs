//! `DATA-README.txt`: what a reader of the files must know, in plain words.

use super::{CODEBOOK, Described, README};
use crate::contents::Contents;
use crate::files::{Example, quoted};
use crate::intervals::Intervals;
use certify::Certificate;
use plan::NoReach;
use std::fmt::Write as _;

/// What the page is made from.
pub struct Readme<'a> {
    pub certificate: &'a Certificate,
    pub contents: &'a Contents<'a>,
    pub tables: &'a [Described],
    pub negative: usize,
}

/// The width of the page, in characters.
const WIDTH: usize = 100;
/// The most exact totals that are listed with their values.
const MOST_TOTALS: usize = 40;

/// The page.
pub fn readme(about: &Readme<'_>) -> String {
    let mut page = Page::default();
    title(&mut page, about.certificate);
    let some = match (about.certificate.invariants.is_empty(), about.certificate.rows_in_words()) {
        (true, _) => "",
        (false, None) => " Some totals carry no noise: what is listed below as exact.",
        (false, Some(_)) => " Some totals of the rows that were counted carry no noise: what is listed below as exact.",
    };
    page.paragraph(&format!(
        "These counts were released with random noise that protects the people and things they count.{some} This page says what the \
         files are, what is exact, and what the noise means for whoever uses the rest."
    ));
    counted(&mut page, about.certificate);
    files(&mut page, about);
    columns(&mut page, about);
    exact(&mut page, about);
    noise(&mut page, about);
    intervals(&mut page, about);
    inferring(&mut page, about);
    guarantee(&mut page, about);
    reading(&mut page, about);
    citing(&mut page, about.certificate);
    page.paragraph(
        "DIR is this folder. The command recomputes every exact total and every file, and checks the hashes and the arithmetic of the \
         guarantee. Keep the files of the folder together.",
    );
    page.text
}

/// The title, underlined.
pub fn title(page: &mut Page, certificate: &Certificate) {
    let title = certificate.title.replace('\n', " ");
    page.line(&title);
    page.line(&"=".repeat(title.chars().count().min(WIDTH)));
}

/// Which rows were counted, and how their fields were read.
pub fn counted(page: &mut Page, certificate: &Certificate) {
    page.paragraph(&format!("What was counted: {}.", certificate.counted));
    if !certificate.read_as.is_empty() {
        page.paragraph(&format!("How it was read: {}.", certificate.read_as));
    }
}

/// The page as it is written.
#[derive(Default)]
pub struct Page {
    pub text: String,
}

impl Page {
    fn line(&mut self, line: &str) {
        // Titles and labels come from files: none may steer a terminal. Writing to a String cannot
        // fail.
        let harmless: String = line.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
        let _ = writeln!(self.text, "{}", harmless.trim_end());
    }

    pub fn heading(&mut self, heading: &str) {
        self.line("");
        self.line("");
        self.line(heading);
        self.line(&"-".repeat(heading.chars().count()));
    }

    pub fn paragraph(&mut self, text: &str) {
        self.line("");
        self.wrapped("", text);
    }

    /// A text whose lines after the first are indented as the first begins.
    fn wrapped(&mut self, start: &str, text: &str) {
        let indent = " ".repeat(start.chars().count());
        let mut line = start.to_string();
        let mut between = "";
        for word in text.split_whitespace() {
            if !between.is_empty() && line.chars().count() + 1 + word.chars().count() > WIDTH {
                self.line(&std::mem::replace(&mut line, indent.clone()));
                between = "";
            }
            line = line + between + word;
            between = " ";
        }
        self.line(&line);
    }

    /// Names with what they are.
    pub fn pairs(&mut self, pairs: &[(impl AsRef<str>, impl AsRef<str>)]) {
        self.line("");
        let width = pairs.iter().map(|(name, _)| name.as_ref().chars().count()).max().unwrap_or(0).min(40);
        for (name, text) in pairs {
            self.wrapped(&format!("  {:width$}  ", name.as_ref()), text.as_ref());
        }
    }
}

fn rows(count: usize) -> String {
    if count == 1 { "1 row".to_string() } else { format!("{count} rows") }
}

fn files(page: &mut Page, about: &Readme<'_>) {
    page.heading("Files");
    let tables = about.tables.iter();
    let mut pairs: Vec<(String, String)> =
        tables.map(|table| (table.place(), format!("{} ({})", table.what, rows(table.rows)))).collect();
    if about.contents.format.is_workbook() {
        let file = about.contents.table_file();
        pairs.push((
            format!("{file}, sheet Invariants"),
            "every exact total with its value; bounds and rules".to_string(),
        ));
        pairs.push((format!("{file}, sheet Guarantee"), "the privacy guarantee and how to check it".to_string()));
    }
    for (name, what) in [
        (CODEBOOK, "every column of every table: type, meaning, values, unit"),
        (README, "this page"),
        ("report.html", "the release with pictures, for a browser"),
        ("certificate.json", "the guarantee in numbers, every exact total, the hashes of these files"),
    ] {
        pairs.push((name.to_string(), what.to_string()));
    }
    page.pairs(&pairs);
}

fn columns(page: &mut Page, about: &Readme<'_>) {
    for table in about.tables {
        page.heading(&format!("Columns of {}", table.place()));
        let most = if table.columns.len() > 24 { 12 } else { table.columns.len() };
        let mut pairs: Vec<(String, String)> = Vec::new();
        for column in &table.columns[..most] {
            let kind = column.kind.in_words();
            let values = match column.count {
                Some(1) => format!("; 1 value: {}", column.values),
                Some(count) => format!("; {count} values: {}", column.values),
                None => String::new(),
            };
            pairs.push((column.name.clone(), format!("{kind}: {}{values}", column.meaning)));
        }
        if most < table.columns.len() {
            let more = table.columns.len() - most;
            pairs.push(("…".to_string(), format!("and {more} more columns of the same kind: see {CODEBOOK}")));
        }
        page.pairs(&pairs);
    }
}

fn exact(page: &mut Page, about: &Readme<'_>) {
    let certificate = about.certificate;
    page.heading("What is exact");
    if certificate.invariants.is_empty() && certificate.conditions.is_empty() {
        page.paragraph("Nothing: every count and every sum of counts carries noise.");
        return;
    }
    if !certificate.invariants.is_empty() {
        let pinned = certificate.invariants.iter().any(|invariant| invariant.pinned);
        let data = match certificate.rows_in_words() {
            Some(rows) => format!("the rows of the data that were counted ({rows})"),
            None => "the confidential data".to_string(),
        };
        page.paragraph(&match pinned {
            false => format!("These totals are the same in {data} and in the release, and so are their sums."),
            true => format!(
                "The release has these totals exactly, and so their sums. Those that are not pinned to published values are those of {data}."
            ),
        });
    }
    let mut pairs: Vec<(String, String)> = Vec::new();
    for invariant in &certificate.invariants {
        let pinned =
            if invariant.pinned { " (pinned to published values, which need not be those of the data)" } else { "" };
        let text = match invariant.totals.as_slice() {
            [total] => format!("{}{pinned}", total.value),
            totals if totals.len() > MOST_TOTALS => {
                format!("{} totals{pinned}, listed in certificate.json and report.html", totals.len())
            }
            totals => {
                let listed: Vec<String> =
                    totals.iter().map(|total| format!("{}: {}", total.name, total.value)).collect();
                format!("{} totals{pinned}: {}", totals.len(), listed.join("; "))
            }
        };
        pairs.push((invariant.label.clone(), text));
    }
    if !pairs.is_empty() {
        page.pairs(&pairs);
    }
    if !certificate.conditions.is_empty() {
        page.paragraph("What else holds in every row of the release:");
        page.pairs(&certificate.conditions.iter().map(|condition| ("-", condition)).collect::<Vec<_>>());
    }
    if certificate.disclosed_cells > 0 {
        let cells = match certificate.disclosed_cells {
            1 => "The true value of 1 cell follows".to_string(),
            more => format!("The true values of {more} cells follow"),
        };
        let listed =
            if certificate.disclosed.len() < certificate.disclosed_cells { "the first of them" } else { "them" };
        page.paragraph(&format!(
            "{cells} from what is exact, whatever is released for them; certificate.json lists {listed}."
        ));
    }
    page.paragraph("Everything else carries noise, sums of counts included.");
}

fn noise(page: &mut Page, about: &Readme<'_>) {
    page.heading("What the noise means");
    if about.certificate.is_projected() {
        return projected(page, about);
    }
    page.paragraph(&format!(
        "A released count is the true count plus a random whole number. Its law: {}. It was drawn once; nobody chose or corrected it, \
         and nobody can take it out.",
        about.certificate.guarantee.noise
    ));
    page.paragraph(match about.contents.intervals {
        Ok(_) | Err(NoReach::Walk) => {
            "The noise is as often above as below zero, so sums and differences of many counts are right on average. Small counts are \
             uncertain in proportion, large ones hardly. Differences between two counts are noisier than each of them."
        }
        Err(_) => {
            "Small counts are uncertain in proportion, large ones hardly. Differences between two counts are noisier than each of them. \
             Where counts are kept within bounds, counts near a bound are pushed away from it on average."
        }
    });
    let may = about.certificate.conditions.iter().all(|condition| condition != "every count is at least 0");
    match (about.negative, may) {
        (0, false) => page.paragraph("No count is below zero."),
        (0, true) => page.paragraph(
            "Counts below zero could occur, and do not in this release: noise takes a small count below zero as easily as above.",
        ),
        (negative, _) => {

            page.paragraph(&format!(
                "{} below zero. That is no error: noise takes a small count below zero as easily as above. Do not set them to zero \
                 before adding counts up, because every such sum would become too large on average.",
                released_counts(negative)
            ));
        }
    }
}

fn released_counts(count: usize) -> String {
    if count == 1 { "1 released count is".to_string() } else { format!("{count} released counts are") }
}

/// What a projection means for whoever uses the counts.
fn projected(page: &mut Page, about: &Readme<'_>) {
    page.paragraph(&format!(
        "Random whole numbers were added, and the result was moved to a nearby table in which everything listed as exact holds. The noise \
         before the move: {}. It was drawn once; nobody chose or corrected it, and nobody can take it out.",
        about.certificate.guarantee.noise
    ));
    page.paragraph(
        "The errors of the released counts follow no known law. Small counts and counts near a bound are biased: where counts are kept at \
         or above zero, small ones are too large on average, and others make up for it. Sums of many small counts may therefore be \
         biased too, unless they are listed as exact.",
    );
    match about.negative {
        0 => page.paragraph("No count is below zero."),
        negative => page.paragraph(&format!(
            "{} below zero. That is no error: nothing keeps counts at or above zero here.",
            released_counts(negative)
        )),
    }
}

fn intervals(page: &mut Page, about: &Readme<'_>) {
    page.heading("Intervals");
    match &about.contents.intervals {
        Ok(_) => page.paragraph(
            "From lower90 to upper90: before the draw, the probability that this interval would hold the true count was at least 90 %, for \
             every row by itself; about one row in ten may miss it. Exact counts have lower90 = upper90 = value. An interval may reach below \
             zero; the true count does not.",
        ),
        Err(reason) => {
            page.paragraph(&format!("There are no columns lower90 and upper90, because {}.", reason.in_words()));
        }
    }
    if let Some(draws) = about.contents.intervals.as_ref().ok().and_then(Intervals::draws) {
        page.paragraph(&format!(
            "The law of the noise is public, and not listed for every count: intervals were found by rank among {draws} fresh draws of the \
             noise. The noise of this release is one more such draw, so that the probability of at least 90 % holds for that number of \
             draws, without approximation."
        ));
    }
    for output in &about.contents.outputs {
        let name = output.name();
        let why = match (&output.reach, &about.contents.intervals) {
            (None, _) => "rates have no intervals; those of table and sums help to judge them",
            (Some(Err(NoReach::TooWide)), Ok(_)) => {
                "no intervals, because the noise of its sums takes too long to tabulate"
            }
            _ => continue,
        };
        page.paragraph(&format!("{name}: {why}."));
    }
}

/// The commands that tell more, where the law of the noise is known.
fn inferring(page: &mut Page, about: &Readme<'_>) {
    if about.certificate.is_projected() {
        return;
    }
    page.paragraph("What else these files tell, at no cost of privacy: sums with intervals, and tables that are non-negative and add up.");
    page.line("");
    if about.certificate.conditions.is_empty() {
        page.line("    congenial infer DIR --where PREDICATE --level 0.9");
    }
    page.line("    congenial infer DIR --posterior --nonnegative --table best.parquet");
    page.line("    congenial infer DIR --posterior --nonnegative --impute 20 --out imputations");
}

fn guarantee(page: &mut Page, about: &Readme<'_>) {
    page.heading("The privacy guarantee");
    let guarantee = &about.certificate.guarantee;
    page.paragraph(&guarantee.statement);
    if let Some(meaning) = &guarantee.meaning {
        page.paragraph(&meaning.sentence);
    }
}

fn reading(page: &mut Page, about: &Readme<'_>) {
    page.heading("Reading the files");
    let (format, tables) = (about.contents.format, about.tables.iter().map(example).collect::<Vec<_>>());
    for (language, lines) in [("R", format.r(&tables)), ("Python", format.python(&tables))] {
        page.paragraph(&format!("In {language}:"));
        page.line("");
        lines.iter().for_each(|line| page.line(&format!("    {line}")));
    }
    page.paragraph(format.remark());
}

/// A table with a name that is a word in R and Python.
fn example(table: &Described) -> Example<'_> {
    let file = table.file.split('.').next().unwrap_or("table");
    let name = table.sheet.as_deref().unwrap_or(file).to_lowercase().replace('-', "_");
    let name = if name.starts_with(|letter: char| letter.is_ascii_digit()) { format!("t_{name}") } else { name };
    let sheet = quoted(table.sheet.as_deref().unwrap_or("Table"));
    let columns = table.columns.iter().map(|column| (column.name.as_str(), column.kind)).collect();
    Example { name, file: quoted(&table.file), sheet, columns }
}

/// How to cite the release, and the command that checks it.
pub fn citing(page: &mut Page, certificate: &Certificate) {
    page.heading("Citing and checking");
    let date = certificate.time.split('T').next().unwrap_or(&certificate.time);
    page.paragraph(&format!(
        "Cite as: {}. Released on {date} with {} {}. Spec {}.",
        certificate.title.trim_end_matches('.'),
        certificate.program.name,
        certificate.program.version,
        certificate.spec_sha256
    ));
    page.paragraph("Anyone can check that these files are as they were certified, without the confidential data:");
    page.line("");
    page.line("    congenial verify DIR");
}
