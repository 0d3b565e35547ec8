//! What a spec may read besides its own text: public files beside it, and earlier releases.

use super::reader::Node;
use crate::declaration::Declaration;
use crate::problem::Problem;
use std::path::Path;

/// A release that was made before: its own declaration and its released counts, in cell order.
#[derive(Debug, Clone)]
pub struct EarlierRelease {
    /// What it declared.
    pub declaration: Declaration,
    /// What it released, one count per live cell.
    pub counts: Vec<i64>,
}

/// Reads the earlier release in a folder. The reader of specs knows no file format of releases, so
/// it is told how.
pub type Earlier<'a> = dyn Fn(&Path) -> Result<EarlierRelease, Problem> + 'a;

/// A public file in a format that the reader of specs does not read itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicTable {
    /// The names of its columns.
    pub columns: Vec<String>,
    /// Its rows as text, a missing value empty; every row has one field per column.
    pub rows: Vec<Vec<String>>,
}

/// Reads a public file, given its path and how the spec calls it.
pub type PublicTables<'a> = dyn Fn(&Path, &str) -> Result<PublicTable, Problem> + 'a;

/// Refuses a file that a spec names as public although it is known to be confidential, given its
/// path and the address of the ledger that the spec names.
pub type CheckPublic<'a> = dyn Fn(&Path, Option<&str>) -> Result<(), Problem> + 'a;

/// Takes every file for public, where what it says is not published.
pub fn believe(_: &Path, _: Option<&str>) -> Result<(), Problem> {
    Ok(())
}

/// How to read what the reader of specs does not read itself.
#[derive(Clone, Copy)]
pub struct Outside<'a> {
    /// Earlier releases.
    pub earlier: &'a Earlier<'a>,
    /// Public files that are neither CSV nor TSV.
    pub tables: &'a PublicTables<'a>,
    /// Asked about every public file before anything is read from it.
    pub check_public: &'a CheckPublic<'a>,
}

/// What may be read.
#[derive(Clone, Copy)]
pub(super) struct Files<'a> {
    /// Where public files are looked for; `None`: the spec must stand alone.
    pub(super) folder: Option<&'a Path>,
    /// How other things are read, if they can be.
    pub(super) outside: Option<Outside<'a>>,
    /// The file of confidential data, which is not a public file.
    pub(super) confidential: Option<&'a str>,
    /// The ledger that the spec names.
    pub(super) ledger: Option<&'a str>,
}

impl Files<'_> {
    /// Refuses a public file that is the confidential table itself, or is known to be confidential:
    /// what is read from it would be published.
    pub(super) fn check_public(&self, node: &Node, path: &Path) -> Result<(), Problem> {
        let Some(folder) = self.folder else { return Ok(()) };
        let is_data = self.confidential.map(|data| folder.join(data)).is_some_and(|data| {
            path == data || path.canonicalize().is_ok_and(|path| data.canonicalize().is_ok_and(|data| path == data))
        });
        if is_data {
            return Err(node.bad("the confidential data are read as a public file", "the file of [data]").hint(
                "what is read from it would be published: give a file that is public, or declare public = true",
            ));
        }
        let Some(Outside { check_public, .. }) = self.outside else { return Ok(()) };
        check_public(path, self.ledger).map_err(|problem| node.placed(problem, "named here"))
    }

    /// The release in the folder that a node of the spec names.
    pub(super) fn earlier(&self, node: &Node) -> Result<EarlierRelease, Problem> {
        let name = node.nonempty()?;
        let Some(folder) = self.folder else {
            return Err(node.bad("this spec must stand alone, but it names an earlier release", "a folder"));
        };
        let Some(Outside { earlier: read, .. }) = self.outside else {
            return Err(node
                .bad("this spec names an earlier release, which this reader cannot open", "a folder")
                .hint("give the numbers instead: values = \"totals.csv\""));
        };
        read(&folder.join(name)).map_err(|problem| node.placed(problem, "named here"))
    }
}
