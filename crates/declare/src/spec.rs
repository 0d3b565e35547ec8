//! From the text of a spec to a `Declaration`: the whole grammar is read and checked, section by
//! section.
//!
//! What this version cannot do is refused after everything has been checked, so that a spec with
//! both a mistake and something unsupported is told about the mistake.

mod base;
mod budget;
mod cleaning;
mod coefficients;
mod constraints;
mod data;
mod dimensions;
mod disclosure;
mod files;
mod formats;
mod hierarchies;
mod invariants;
mod keys;
mod limits;
mod lookup;
mod marks;
mod mechanism;
mod order;
mod outputs;
mod predicates;
mod queries;
mod reader;
mod refusals;
mod regression;
mod secrets;
mod selection;
mod source;
mod suppress;
mod values;

use crate::declaration::Declaration;
use crate::problem::Problem;
pub use budget::LEDGER_SCHEMES;
pub use data::MOST_ROWS_PER_UNIT;
use files::Files;
pub use files::{CheckPublic, Earlier, EarlierRelease, Outside, PublicTable, PublicTables, believe};
pub use formats::{OTHER_ENDINGS, TEXT_ENDINGS};
pub use keys::SPEC_KEYS;
pub use marks::REVIEW;
use reader::Section;
use refusals::Refusals;
pub use regression::{MissingValue, OutsideBounds, Regression, Variable};
pub use selection::Choice;
use source::Source;
use std::io::Read;
use std::path::Path;

/// The largest spec or domain file that is read, in bytes.
pub const LARGEST_FILE: u64 = 64 << 20;

impl Declaration {
    /// Reads a spec and the public files it names, relative to the spec. A spec that names an
    /// earlier release is bad: see [`Declaration::load_with`].
    pub fn load(path: &Path) -> Result<Declaration, Problem> {
        let (text, name, folder) = open(path)?;
        read(&text, &name, Files { folder: Some(folder), outside: None, confidential: None, ledger: None })
    }

    /// Reads a spec, the public files and the earlier releases it names, relative to the spec.
    pub fn load_with(path: &Path, outside: Outside<'_>) -> Result<Declaration, Problem> {
        let (text, name, folder) = open(path)?;
        read(&text, &name, Files { folder: Some(folder), outside: Some(outside), confidential: None, ledger: None })
    }

    /// Reads a spec from its text. Messages call it `name`; public files are looked for in
    /// `folder`.
    pub fn parse(text: &str, name: &str, folder: &Path) -> Result<Declaration, Problem> {
        read(text, name, Files { folder: Some(folder), outside: None, confidential: None, ledger: None })
    }

    /// Reads a spec from its text, with the public files in other formats and the earlier releases
    /// it names.
    pub fn parse_with(text: &str, name: &str, folder: &Path, outside: Outside<'_>) -> Result<Declaration, Problem> {
        read(text, name, Files { folder: Some(folder), outside: Some(outside), confidential: None, ledger: None })
    }

    /// Reads a spec that needs no other file, as [`Declaration::to_toml`] writes it; one that names
    /// a file is bad.
    pub fn parse_alone(text: &str, name: &str) -> Result<Declaration, Problem> {
        read(text, name, Files { folder: None, outside: None, confidential: None, ledger: None })
    }
}

/// The text of a spec, its name and its folder.
fn open(path: &Path) -> Result<(String, String, &Path), Problem> {
    let name = path.display().to_string();
    let text = read_text(path, &name)?;
    Ok((text, name, path.parent().unwrap_or(Path::new(""))))
}

fn read(text: &str, name: &str, files: Files<'_>) -> Result<Declaration, Problem> {
    document(text, name, |root| {
        let mut refusals = Refusals::default();
        let declaration = declaration(&root, files, &mut refusals)?;
        refusals.finish()?;
        reviewed(&root, declaration.data.public, declaration)
    })
}

/// What a spec says, if no line of it still waits to be reviewed or its data are public.
fn reviewed<T>(root: &Section<'_>, public: bool, read: T) -> Result<T, Problem> {
    if public { Ok(read) } else { marks::check_reviewed(root.source).map(|()| read) }
}

/// Reads a text as TOML and hands its root to whoever knows its sections.
fn document<T>(text: &str, name: &str, read: impl FnOnce(Section<'_>) -> Result<T, Problem>) -> Result<T, Problem> {
    let source = Source { name: name.to_string(), text: text.to_string() };
    if text.len() as u64 > LARGEST_FILE {
        return Err(too_large(name));
    }
    let document = toml_edit::Document::parse(text).map_err(|fault| {
        let span = fault.span().unwrap_or(0..0);
        let message = fault.message().trim().replace('\n', "; ");
        source.bad(span, format!("the spec is not valid TOML: {message}"), "here")
    })?;
    read(Section::root(&source, document.as_table()))
}

/// The title of a spec: one line of visible text.
fn title(root: &Section) -> Result<String, Problem> {
    let Some(node) = root.get("title") else { return Ok(String::new()) };
    let title = node.text()?.to_string();
    if let Some(found) = title.chars().find(|found| is_unseen(*found)) {
        let what = format!("a title is one line of visible text, found the character U+{:04X}", u32::from(found));
        return Err(node.bad(what, "here").hint("leave out line breaks, control characters and marks of direction"));
    }
    Ok(title)
}

fn declaration(root: &Section, files: Files<'_>, refusals: &mut Refusals) -> Result<Declaration, Problem> {
    root.only(&keys::ROOT)?;
    let title = title(root)?;
    let data_hint = "it says where the table comes from: path = \"table.csv\"";
    let data_section = root.need_section("data", data_hint)?;
    let data = data::read(&data_section)?;
    let confidential = data.confidential_file().map(str::to_owned);
    let budget = budget::read(root, &data_section, data.public)?;
    let ledger = budget.as_ref().map(|budget| budget.ledger.clone());
    let files = Files { confidential: confidential.as_deref(), ledger: ledger.as_deref(), ..files };
    let dimensions_hint = "it declares the domain: county = [\"Alpha\", \"Beta\"]";
    let dimensions = root.need_section("dimensions", dimensions_hint)?;
    let schema = dimensions::read(&dimensions, files, &data::defaults(&data_section, &data)?)?;
    data::check_counts(&data_section, &dimensions, &schema)?;
    let (invariants, pins) = invariants::read(root, &schema, files)?;
    let mechanism_hint = "it chooses the noise: noise = \"double-geometric\", epsilon = \"1/4\"";
    let mechanism_section = root.need_section("mechanism", mechanism_hint)?;
    let constraints = constraints::read(root, &schema)?;
    let mechanism = mechanism::read(&mechanism_section, &data, &schema, files, refusals)?;
    let limits = limits::read(root)?;
    let disclosure = disclosure::read(root, &schema)?;
    let outputs = outputs::read(root, &schema)?;
    let mut declaration = Declaration {
        title,
        data,
        schema,
        invariants,
        constraints,
        mechanism,
        limits,
        disclosure,
        secrets: None,
        budget,
        outputs,
    };
    dimensions::check_memory(&dimensions, &declaration)?;
    values::settle(&mut declaration, pins)?;
    order::settle(&mechanism_section, &mut declaration)?;
    declaration.secrets = secrets::read(root, &declaration, files)?;
    base::settle(&mechanism_section, root, &mut declaration)?;
    Ok(declaration)
}

/// Whether a character is none that readers see, and may make them see others where they are not:
/// control characters, line breaks, and marks of the direction of writing.
pub fn is_unseen(character: char) -> bool {
    let is_mark = matches!(
        character,
        '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}'
    );
    is_mark || character.is_control()
}

/// The text of a public file, with a limit on its size.
fn read_text(path: &Path, name: &str) -> Result<String, Problem> {
    let bytes = read_bytes(path, name)?;
    String::from_utf8(bytes).map_err(|fault| {
        let valid = fault.utf8_error().valid_up_to();
        let line = 1 + fault.as_bytes()[..valid].iter().filter(|byte| **byte == b'\n').count();
        Problem::bad(format!("`{name}` is not UTF-8 text: line {line}")).hint("save the file with the encoding UTF-8")
    })
}

/// The bytes of a public file, with the same limit.
fn read_bytes(path: &Path, name: &str) -> Result<Vec<u8>, Problem> {
    let unreadable = |fault: std::io::Error| {
        let reason = match fault.kind() {
            std::io::ErrorKind::NotFound => "there is no such file".to_string(),
            _ => fault.to_string(),
        };
        Problem::system(format!("cannot read `{name}`: {reason}"))
    };
    if path.is_dir() {
        let spec = path.join("congenial.toml");
        let give = match spec.is_file() {
            true => format!("give the spec in it: {}", spec.display()),
            false => "give a file, such as congenial.toml".to_string(),
        };
        return Err(Problem::bad(format!("`{name}` is a folder and no file")).hint(give));
    }
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    file.take(LARGEST_FILE + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(too_large(name));
    }
    Ok(bytes)
}

fn too_large(name: &str) -> Problem {
    Problem::bad(format!("`{name}` is larger than {} MB", LARGEST_FILE >> 20))
}
