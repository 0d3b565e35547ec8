//! The `[[output]]` sections: tables derived from the released one.

use super::keys;
use super::reader::{Node, Section};
use super::{dimensions, predicates};
use crate::declaration::{Figure, Output};
use crate::problem::Problem;
use crate::schema::Schema;

/// The most derived tables: each holds a number for every cell.
const MOST_OUTPUTS: usize = 100;

/// The longest name, which is also that of a sheet of a workbook.
const LONGEST_NAME: usize = 31;

/// The largest `times`.
const LARGEST_TIMES: i64 = 1_000_000_000;

/// Files and sheets that a release has anyway.
const RESERVED: [&str; 8] =
    ["table", "table-wide", "wide", "codebook", "certificate", "report", "invariants", "guarantee"];

/// The columns of a rate, which no dimension beside them may be called.
const RATE_COLUMNS: [&str; 3] = ["numerator", "denominator", "rate"];

const RATE_HINT: &str =
    "write rate = { numerator = \"measure = 'deaths'\", denominator = \"measure = 'cases'\", times = 1000 }";

pub(super) fn read(root: &Section, schema: &Schema) -> Result<Vec<Output>, Problem> {
    let sections = root.sections("output", "[[output]]", MOST_OUTPUTS, "derived tables", None)?;
    let mut outputs: Vec<Output> = Vec::with_capacity(sections.len());
    for section in &sections {
        section.only(&keys::OUTPUT)?;
        let name = section.need("name", "it is also the name of the file: name = \"adults-by-county\"")?;
        let word = check_name(&name)?;
        if outputs.iter().any(|other| other.name == word) {
            return Err(name.bad(format!("two derived tables have the name `{word}`"), "the second time"));
        }
        let by = section.need("by", "name dimensions or levels: by = [\"county\"]; by = [] is one row")?;
        let (node, by) = (&by, dimensions::names(&by, schema)?);
        let figure = figure(section, schema)?;
        let taken = by.iter().find(|name| RATE_COLUMNS.contains(&name.as_str()));
        if let (Figure::Rate { .. }, Some(taken)) = (&figure, taken) {
            let message = format!("a rate has a column `{taken}` of its own");
            return Err(node.bad(message, "a second column of this name").hint("give the dimension another name"));
        }
        outputs.push(Output { name: word.to_string(), by, figure });
    }
    Ok(outputs)
}

fn check_name<'a>(node: &Node<'a>) -> Result<&'a str, Problem> {
    let name = node.nonempty()?;
    let letters = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
    if !name.chars().all(letters) || name.starts_with('-') || name.ends_with('-') {
        let proposal: String =
            name.to_lowercase().chars().map(|letter| if letters(letter) { letter } else { '-' }).collect();
        let problem = node.bad(
            format!("the name `{name}` is not made of lower-case letters, digits and hyphens"),
            "not the name of a file",
        );
        return Err(match proposal.trim_matches('-') {
            "" => problem,
            proposal => problem.hint(format!("for example name = \"{proposal}\"")),
        });
    }
    if name.len() > LONGEST_NAME {
        let message = format!("the name of a derived table has more than {LONGEST_NAME} characters");
        return Err(node.bad(message, "too long").hint("it is also the name of a sheet in a workbook"));
    }
    if RESERVED.contains(&name) {
        let message = format!("the name `{name}` is reserved");
        return Err(node.bad(message, "a release has a file or sheet of this name").hint("give it another name"));
    }
    Ok(name)
}

fn figure(section: &Section, schema: &Schema) -> Result<Figure, Problem> {
    let Some(node) = section.get("rate") else {
        return Ok(Figure::Sum(predicates::filter(section, schema)?));
    };
    if section.get("where").is_some() {
        return Err(section
            .bad_key("where", "`rate` and `where` do not go together", "`rate` is given too")
            .hint("say it in `numerator` and `denominator`"));
    }
    let rate = node
        .section("`rate`")
        .map_err(|_| node.bad("`rate` must say what is counted among what", "not a table").hint(RATE_HINT))?;
    rate.only(&keys::RATE)?;
    let numerator = predicates::over_cells(&rate.need("numerator", RATE_HINT)?, schema)?;
    let denominator = predicates::over_cells(&rate.need("denominator", RATE_HINT)?, schema)?;
    let Some(node) = rate.get("times") else { return Ok(Figure::Rate { numerator, denominator, times: 1 }) };
    let times = node.integer()?;
    if !(1..=LARGEST_TIMES).contains(&times) {
        let message = format!("`times` must be between 1 and {LARGEST_TIMES}");
        return Err(node.bad(message, "out of range").hint("times = 1000 is a rate per thousand"));
    }
    Ok(Figure::Rate { numerator, denominator, times: times.unsigned_abs() })
}
