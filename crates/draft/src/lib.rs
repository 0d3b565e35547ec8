//! `new --from`: a draft of a spec from a file, in which every line that was learnt from the data
//! is marked.
//!
//! A domain learnt from confidential data is itself a disclosure, so the draft is for the curator's
//! eyes until every line marked REVIEW has been replaced by what is publicly known, or found to be
//! so.

mod facts;
mod judge;
mod starter;

use declare::{
    Declaration, Encoding, MOST_ROWS_PER_UNIT, Outside, Problem, REVIEW as MARK, believe, toml_key, toml_string,
};
use facts::{Column, Dates, Facts, MOST_COLUMNS};
use judge::{Domain, MOST_CELLS, Verdict, judge};
use publish::{cannot, earlier};
pub use starter::{SPEC, TABLE, demonstration, start};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};
use tabulate::{public_table, scan_readable};

/// A draft that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drafted {
    /// The spec.
    pub spec: PathBuf,
    /// The rows of the file.
    pub rows: u64,
    /// How many columns became dimensions.
    pub dimensions: usize,
    /// How many lines are marked for review.
    pub marks: usize,
    /// What became of every column that was looked at, in words.
    pub columns: Vec<(String, String)>,
}

/// Drafts a spec for a file into a folder, which is made if need be; never overwrites.
///
/// # Errors
/// When the file cannot be read, when its format is not read, or when the folder already has a
/// spec.
pub fn draft(folder: &Path, file: &Path) -> Result<Drafted, Problem> {
    let spec = folder.join("congenial.toml");
    check_new(&spec)?;
    let shown = file.display().to_string();
    let facts = Facts::read(file, &shown)?;
    fs::create_dir_all(folder).map_err(|error| cannot("create", folder, error))?;
    let path = relative(folder, file)?;
    let verdicts = judge(&facts);
    let codes = write_codes(folder, file, &facts, &verdicts)?;
    let (text, dimensions) = text(&facts, &verdicts, &path, &title(file));
    // A draft that the program cannot read once it is reviewed would be no help.
    let reviewed = text.replace(MARK, "#");
    let outside = Outside { earlier: &earlier, tables: &public_table, check_public: &believe };
    let read = Declaration::parse_with(&reviewed, "the draft", folder, outside);
    if let (Err(_), Some(codes)) = (&read, &codes) {
        let _ = fs::remove_file(codes);
    }
    read?;
    fs::write(&spec, &text).map_err(|error| cannot("write", &spec, error))?;
    let marks = text.lines().filter(|line| line.contains(MARK)).count();
    let columns = facts.columns.iter().zip(&verdicts);
    let columns = columns.map(|(column, verdict)| (column.name.clone(), in_words(column, verdict))).collect();
    Ok(Drafted { spec, rows: facts.rows, dimensions, marks, columns })
}

/// Refuses to write over a file.
fn check_new(path: &Path) -> Result<(), Problem> {
    if !path.exists() {
        return Ok(());
    }
    Err(Problem::bad(format!("`{}` exists; nothing is overwritten", path.display()))
        .hint("choose another folder: congenial new DIR --from FILE"))
}

/// What becomes of a column, and why.
fn in_words(column: &Column, verdict: &Verdict) -> String {
    match verdict {
        Verdict::Dimension(domain) => format!("a dimension: {}", taken(column, domain)),
        Verdict::Aside(_, why) => format!("left out, because {why}"),
        Verdict::Count { .. } => "perhaps counts, by its name: without `count` every row is one record".to_string(),
        Verdict::Unit { units, most } => {
            format!("taken for the privacy unit: {units} different values, at most {most} rows of one")
        }
        Verdict::LeftOut(why) => format!("left out: {why}"),
    }
}

/// Why a column became a dimension.
fn taken(column: &Column, domain: &Domain) -> String {
    match domain {
        Domain::List(labels) if labels.len() == 1 => "one value".to_string(),
        Domain::List(labels) => format!("{} different values", labels.len()),
        Domain::Integers(first, last, _) => format!("whole numbers from {first} to {last}"),
        Domain::Bins(..) => "numbers, in bins".to_string(),
        Domain::Dates(period, ..) => format!("dates, by {}", period.name()),
        Domain::File { .. } => format!("codes, one for each of {} rows", column.seen),
    }
}

/// The file beside a draft that holds the codes of a dimension: confidential data are not read as a
/// public list of themselves.
const CODES: &str = "codes.csv";

/// Writes the codes that become a dimension, with the columns that may be levels above them, if
/// there are such.
fn write_codes(folder: &Path, file: &Path, facts: &Facts, verdicts: &[Verdict]) -> Result<Option<PathBuf>, Problem> {
    let is_key = |verdict: &Verdict| matches!(verdict, Verdict::Dimension(Domain::File { .. }));
    if !verdicts.iter().any(is_key) {
        return Ok(None);
    }
    let path = folder.join(CODES);
    check_new(&path)?;
    let wanted = |verdict: &Verdict| is_key(verdict) || matches!(verdict, Verdict::Aside(..));
    let judged = facts.columns.iter().zip(verdicts);
    let names: Vec<&str> =
        judged.filter(|(_, verdict)| wanted(verdict)).map(|(column, _)| column.name.as_str()).collect();
    let mut rows: Vec<Vec<String>> = Vec::new();
    let scanned = scan_readable(file, &file.display().to_string(), facts.encoding, &mut |_, fields| {
        rows.push(fields.iter().map(|field| (*field).to_string()).collect());
        Ok(())
    })?;
    let places: Vec<usize> =
        names.iter().filter_map(|name| scanned.header.iter().position(|column| column == name)).collect();
    let written = || -> Result<(), csv::Error> {
        let mut writer = csv::Writer::from_path(&path)?;
        writer.write_record(&names)?;
        for row in &rows {
            writer.write_record(places.iter().map(|place| row[*place].as_str()))?;
        }
        Ok(writer.flush()?)
    };
    written().map_err(|error| cannot("write", &path, error))?;
    Ok(Some(path))
}

/// The name of the file without its endings.
fn title(file: &Path) -> String {
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.split('.').next().unwrap_or_default().replace(['_', '-'], " ")
}

/// The path of the file as the spec writes it: from the folder of the spec.
fn relative(folder: &Path, file: &Path) -> Result<String, Problem> {
    let whole = |path: &Path| fs::canonicalize(path).map_err(|error| cannot("find", path, error));
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let (from, to) = (whole(folder)?, whole(file)?);
    let shared = from.components().zip(to.components()).take_while(|(one, two)| one == two).count();
    let up = from.components().skip(shared).map(|_| Component::ParentDir);
    let parts = up.chain(to.components().skip(shared));
    let parts: Option<Vec<&str>> = parts.map(|part| part.as_os_str().to_str()).collect();
    match parts {
        Some(parts) => Ok(parts.join("/")),
        None => Err(Problem::bad(format!("the path of `{}` is not UTF-8 text", file.display()))
            .hint("give the file another name: a spec is UTF-8 text")),
    }
}

/// The text of the draft, and how many dimensions it has.
fn text(facts: &Facts, verdicts: &[Verdict], path: &str, title: &str) -> (String, usize) {
    let judged: Vec<(&Column, &Verdict)> = facts.columns.iter().zip(verdicts).collect();
    let mut text = format!(
        "#:schema ./congenial.schema.json\n\
         # A draft. Every line marked REVIEW was learnt from the data, and a domain learnt from confidential data is itself a\n\
         # disclosure: what is not in the data is visibly missing here. Replace each by what is publicly known (a code book, a\n\
         # law, a public file), or convince yourself that it is public, and take the mark away. Until then keep this file secret.\n\
         title = {}\n",
        toml_string(title)
    );
    write_data(&mut text, &judged, path, facts.encoding);
    let dimensions = write_dimensions(&mut text, &judged, facts);
    let dataset = toml_string(if title.trim().is_empty() { "dataset" } else { title.trim() });
    text.push_str(&format!(
        "\n# Totals that must be exactly true in the release, and are public: one section each.\n\
         # [[invariant]]\n\
         # by = []                   # the grand total\n\
         \n\
         [constraints]\n\
         nonnegative = true\n\
         \n\
         [mechanism]\n\
         noise   = \"double-geometric\"\n\
         epsilon = \"1\"               {MARK}: how much privacy loss is acceptable is your decision, not the program's\n\
         per     = \"record\"\n\
         \n\
         [budget]                    {MARK}: needed for confidential data; take it out for public ones\n\
         dataset = {dataset}\n\
         ledger  = \"sqlite:ledger.db\"\n"
    ));
    (text, dimensions)
}

fn write_data(text: &mut String, judged: &[(&Column, &Verdict)], path: &str, encoding: Encoding) {
    let names = |wanted: fn(&Verdict) -> bool| -> Vec<String> {
        judged.iter().filter(|(_, verdict)| wanted(verdict)).map(|(column, _)| toml_string(&column.name)).collect()
    };
    text.push_str(&format!(
        "\n[data]\npath   = {}\npublic = false              {MARK}: write true only for data that are already public or synthetic\n",
        toml_string(path)
    ));
    let counts = names(|verdict| matches!(verdict, Verdict::Count { .. }));
    for count in &counts {
        text.push_str(&format!(
            "# count = {count}  {MARK}: it looks like counts; without `count` every row is one record\n"
        ));
    }
    if counts.len() > 1 {
        let columns = counts.join(", ");
        text.push_str(&format!("# several counts per row are one dimension: measure = {{ columns = [{columns}] }}\n"));
    }
    if judged.iter().any(|(_, verdict)| matches!(verdict, Verdict::Count { negative: true })) {
        text.push_str(&format!("# negative = \"zero\"  {MARK}: some counts are below zero\n"));
    }
    if encoding != Encoding::Utf8 {
        let name = toml_string(encoding.name());
        text.push_str(&format!("encoding = {name}   {MARK}: the file is not UTF-8; are its letters right below?\n"));
    }
    write_dates(text, judged);
    write_spelling(text, judged);
    write_units(text, judged);
}

/// The privacy unit: the first column that looks like one, so that whoever it is about is not
/// forgotten; others beside it in comments.
fn write_units(text: &mut String, judged: &[(&Column, &Verdict)]) {
    let mut aside = "";
    for (column, verdict) in judged {
        let Verdict::Unit { units, most } = verdict else { continue };
        let (unit, most) = (toml_string(&column.name), (*most).min(MOST_ROWS_PER_UNIT));
        text.push_str(&format!(
            "{aside}unit = {unit}  {MARK}: {units} different values; the loss is per one of them: if it names nobody, take it out\n\
             {aside}rows_per_unit = {most}  {MARK}: the most that one has in the data; the loss is multiplied by it, a smaller number is safer\n\
             # beyond = \"drop\"  # rows of a unit beyond that are not counted; which are kept depends on that unit alone\n"
        ));
        aside = "# ";
    }
}

/// How dates are written, where they are not like 2024-04-01.
fn write_dates(text: &mut String, judged: &[(&Column, &Verdict)]) {
    let (mut formats, mut unsure) = (BTreeSet::new(), None);
    for (column, _) in judged.iter().filter(|(_, verdict)| matches!(verdict, Verdict::Dimension(Domain::Dates(..)))) {
        let mut ways = column.dates.iter();
        let Some(first) = ways.next() else { continue };
        formats.extend(first.formats.iter().map(|format| format.as_str()));
        // Another way is one that reads other days.
        let other = ways.find(|other| (other.first, other.last) != (first.first, first.last));
        let written =
            |dates: &Dates| dates.formats.iter().map(|format| format.as_str()).collect::<Vec<_>>().join(" or ");
        unsure = unsure.or(other.map(written));
    }
    if formats.iter().all(|format| *format == "YYYY-MM-DD") {
        return;
    }
    let list: Vec<String> = formats.iter().map(|format| toml_string(format)).collect();
    let perhaps = unsure.map_or(String::new(), |format| format!("; all dates could also be {format}"));
    text.push_str(&format!(
        "date_format = [{}]   {MARK}: as dates are written in the file{perhaps}\n",
        list.join(", ")
    ));
}

/// Whether labels are written in several ways that differ in spaces or capital letters alone.
fn write_spelling(text: &mut String, judged: &[(&Column, &Verdict)]) {
    let lists: Vec<&Column> = judged
        .iter()
        .filter(|(_, verdict)| matches!(verdict, Verdict::Dimension(Domain::List(_))))
        .map(|(column, _)| *column)
        .collect();
    let names = |is: &dyn Fn(&[String]) -> bool| -> String {
        let names = lists.iter().filter(|column| column.values.as_ref().is_some_and(|values| is(values)));
        names.map(|column| toml_string(&column.name)).collect::<Vec<_>>().join(", ")
    };
    let spaces = names(&|values| values.iter().any(|value| value.trim() != value));
    if !spaces.is_empty() {
        text.push_str(&format!("trim = true                 {MARK}: there are spaces around values of {spaces}\n"));
    }
    let letters = names(&|values| {
        let trimmed: BTreeSet<&str> = values.iter().map(|value| value.trim()).collect();
        let folded: BTreeSet<String> = trimmed.iter().map(|value| value.to_lowercase()).collect();
        folded.len() < trimmed.len()
    });
    if !letters.is_empty() {
        text.push_str(&format!(
            "case = \"ignore\"             {MARK}: values of {letters} differ in capital letters alone\n"
        ));
    }
}

fn write_dimensions(text: &mut String, judged: &[(&Column, &Verdict)], facts: &Facts) -> usize {
    text.push_str("\n[dimensions]\n");
    let mut dimensions = 0;
    for (column, verdict) in judged {
        match verdict {
            Verdict::Dimension(domain) => {
                dimensions += 1;
                text.push_str(&dimension(column, domain));
            }
            Verdict::Aside(domain, why) => {
                text.push_str(&format!("# Left out, because {why}.\n"));
                for line in dimension(column, domain).lines() {
                    text.push_str(&format!("# {line}\n"));
                }
            }
            Verdict::Count { .. } => {
                text.push_str(&format!("# {} looks like counts: see [data]\n", toml_string(&column.name)));
            }
            Verdict::Unit { .. } => {
                text.push_str(&format!("# {} looks like the privacy unit: see [data]\n", toml_string(&column.name)));
            }
            Verdict::LeftOut(why) => text.push_str(&format!("# {} is left out: {why}\n", toml_string(&column.name))),
        }
    }
    if !facts.left_out.is_empty() {
        let (count, first) = (facts.left_out.len(), toml_string(&facts.left_out[0]));
        text.push_str(&format!(
            "# {count} columns beyond the first {MOST_COLUMNS} were not looked at, from {first} on\n"
        ));
    }
    if dimensions == 0 {
        text.push_str(&format!(
            "all = [\"every row\"]         {MARK}: no column could become a dimension of at most {MOST_CELLS} cells; declare one here\n"
        ));
    }
    dimensions
}

/// One dimension, on one or several lines.
fn dimension(column: &Column, domain: &Domain) -> String {
    // These are columns of the release.
    let reserved = ["value", "draw", "lower90", "upper90"].contains(&column.name.as_str());
    let key = if reserved { toml_key(&format!("{}_", column.name)) } else { toml_key(&column.name) };
    let also = if reserved { format!("column = {}, ", toml_string(&column.name)) } else { String::new() };
    let why = taken(column, domain);
    let more = |marker| unknown(column, &[], marker).map_or(String::new(), |(_, text)| text);
    match domain {
        Domain::List(labels) => {
            let unknown = unknown(column, labels, None);
            let mut labels = labels.clone();
            if let Some((label, _)) = unknown.as_ref().filter(|(label, _)| !labels.contains(label)) {
                labels.push(label.clone());
            }
            let labels = wrapped(&labels);
            let more = unknown.map_or(String::new(), |(_, text)| text);
            let table = reserved || !more.is_empty();
            let (open, close) = if table { (format!("{{ {also}values = "), " }") } else { (String::new(), "") };
            format!("{key} = {open}{labels}{more}{close}  {MARK}: {why}, those of the data; others may be possible\n")
        }
        Domain::Integers(first, last, marker) => {
            let more = more(*marker);
            format!(
                "{key} = {{ {also}integers = [{first}, {last}]{more} }}  {MARK}: {why}, the smallest and the largest in the data\n"
            )
        }
        Domain::Bins(edges, marker) => {
            let edges: Vec<String> = edges.iter().map(i64::to_string).collect();
            let (edges, more) = (edges.join(", "), more(*marker));
            format!(
                "{key} = {{ {also}bins = [{edges}], open = true{more} }}  {MARK}: edges around the range of the data; if it holds \
                 counts, write count = {} instead\n",
                toml_string(&column.name)
            )
        }
        Domain::Dates(period, first, last) => {
            let [first, last] = [first, last].map(|number| toml_string(&period.label(*number)));
            let (more, period) = (more(None), toml_string(period.name()));
            format!(
                "{key} = {{ {also}dates = {period}, first = {first}, last = {last}{more} }}  {MARK}: {why}, from the first to the last in the data\n"
            )
        }
        Domain::File { digits } => {
            let (path, name) = (toml_string(CODES), toml_string(&column.name));
            let levels = digits.filter(|digits| *digits > 2).map_or(String::new(), |digits| {
                format!(
                    "# its values are codes of {digits} digits; levels are the first digits of the code:\n\
                     #   levels = [{{ name = \"state\", prefix = 2 }}, {name}]\n"
                )
            });
            format!(
                "{levels}{key} = {{ path = {path}, key = {name}, column = {name} }}  {MARK}: the codes that the data have; use a public \
                 list\n"
            )
        }
    }
}

/// The value for fields that are not known, where there are such, and the keys that say so.
fn unknown(column: &Column, labels: &[String], marker: Option<i64>) -> Option<(String, String)> {
    let found: Vec<String> = column.markers.iter().cloned().chain(marker.map(|marker| marker.to_string())).collect();
    if column.missing == 0 && found.is_empty() {
        return None;
    }
    let known = labels.iter().find(|label| ["unknown", "other or unknown"].contains(&label.to_lowercase().as_str()));
    let unknown = known.cloned().unwrap_or_else(|| "Unknown".to_string());
    let value = toml_string(&unknown);
    let pairs: Vec<String> = found.iter().map(|found| format!("{} = {value}", toml_string(found))).collect();
    let recode = if pairs.is_empty() { String::new() } else { format!(", recode = {{ {} }}", pairs.join(", ")) };
    Some((unknown, format!("{recode}, unknown = {value}")))
}

/// A list of labels, over several lines when it is long.
fn wrapped(labels: &[String]) -> String {
    const WIDTH: usize = 100;
    let labels: Vec<String> = labels.iter().map(|label| toml_string(label)).collect();
    let whole = labels.join(", ");
    if whole.chars().count() <= WIDTH {
        return format!("[{whole}]");
    }
    let mut text = String::from("[");
    let mut line = WIDTH + 1;
    for label in &labels {
        let length = label.chars().count() + 2;
        if line + length > WIDTH {
            text.push_str("\n    ");
            line = 4;
        } else {
            text.push(' ');
        }
        text.push_str(label);
        text.push(',');
        line += length;
    }
    text.push_str("\n]");
    text
}
