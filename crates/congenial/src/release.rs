//! The main job: a certified release, written atomically and verified before it is handed over.

use crate::files::{FileWriter, Format, Layout, TableWriter, cannot, column_names};
use crate::open::{Opened, STREAM_ABOVE};
use crate::stream;
use crate::verify::{hash_of, verify_folder};
use crate::{COMMIT, VERSION};
use certify::{Certificate, CertifiedTable, Check, PROGRAM, Program, derive, sha256};
use declare::Problem;
use exact::SystemEntropy;
use report::Figures;
use std::fs;
use std::path::{Path, PathBuf};

/// What a release wrote.
#[derive(Debug)]
pub struct Released {
    /// The folder.
    pub folder: PathBuf,
    /// The certificate.
    pub certificate: Certificate,
    /// What was checked after writing.
    pub checks: Vec<Check>,
    /// Rows of the data file that were left out, by reason; for the curator's eyes only.
    pub left_out: Vec<(u64, &'static str)>,
}

/// Draws a release of the table that a spec declares and writes it to `folder`: the table, its certificate, its report.
///
/// Everything is written to a temporary folder beside it and read back and verified there; only then does the folder appear
/// under its name. On failure nothing is left behind but folders that had to be made above it.
pub fn release(
    spec: &Path,
    folder: &Path,
    format: Format,
    reading: &mut dyn FnMut(u64),
    drawing: &(dyn Fn(u64) + Sync),
) -> Result<Released, Problem> {
    release_streaming(spec, folder, format, STREAM_ABOVE, reading, drawing)
}

/// The same; a table of more than `stream_above` combinations of values is streamed, if it can be.
pub fn release_streaming(
    spec: &Path,
    folder: &Path,
    format: Format,
    stream_above: usize,
    reading: &mut dyn FnMut(u64),
    drawing: &(dyn Fn(u64) + Sync),
) -> Result<Released, Problem> {
    check_folder(folder)?;
    let opened = Opened::open_streaming(spec, stream_above)?;
    check_releasable(&opened)?;
    let prepared = opened.analyse(reading)?.plan()?;
    let Opened { declaration, domain, conditions, .. } = prepared.opened();
    let derived = derive(declaration, domain, conditions, &prepared.analysed.totals, &prepared.plan)?;

    let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(parent).map_err(|error| cannot("create", parent, error))?;
    let work = tempfile::Builder::new()
        .prefix(".congenial-")
        .tempdir_in(parent)
        .map_err(|error| cannot("create a folder in", parent, error))?;
    // The temporary folder is private to its owner; what is made inside it has the permissions that the owner's files have.
    let finished = work.path().join("release");
    fs::create_dir(&finished).map_err(|error| cannot("create", &finished, error))?;
    let file = format!("table.{}", format.extension());
    let table_path = finished.join(&file);
    let metadata = [("congenial.spec_sha256".to_string(), sha256(declaration.to_toml().as_bytes()))];
    let mut writer = FileWriter::create(&table_path, format, &metadata)?;
    let mut table = TableWriter::new(&mut writer, domain, Layout::default())?;
    let mut figures = Figures::new(domain);
    let drawn = stream::draw(&prepared, &SystemEntropy::new(), drawing, &mut table, &mut figures)?;
    table.finish()?;
    writer.finish()?;
    let table = CertifiedTable {
        file,
        sha256: hash_of(&table_path)?,
        cells: domain.len(),
        columns: column_names(domain, false),
    };
    let program =
        Program { name: PROGRAM.to_string(), version: VERSION.to_string(), commit: COMMIT.map(str::to_string) };
    let certificate = drawn.certify(declaration, &derived, table, program, now())?;
    let text = serde_json::to_string_pretty(&certificate)
        .map_err(|error| Problem::system(format!("cannot write the certificate: {error}")))?;
    write_text(&finished.join("certificate.json"), &(text + "\n"))?;
    let page = report::html(&report::Release { certificate: &certificate, domain, figures: &figures });
    write_text(&finished.join("report.html"), &page)?;

    let verified = verify_folder(&finished, stream_above)?;
    publish(&finished, folder)?;
    Ok(Released {
        folder: folder.to_path_buf(),
        certificate,
        checks: verified.checks,
        left_out: prepared.analysed.left_out(),
    })
}

/// Nothing may be overwritten, and what could not be given to the release at the end is refused at the beginning.
fn check_folder(folder: &Path) -> Result<(), Problem> {
    if folder.file_name().is_none() || folder.is_symlink() || folder.is_file() {
        return Err(Problem::bad(format!("`{}` cannot become a release", folder.display()))
            .hint("name a new folder after --out, neither a file, a link nor `.`"));
    }
    let empty = match fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => true,
        Err(error) => return Err(cannot("use", folder, error)),
    };
    if empty {
        return Ok(());
    }
    Err(Problem::bad(format!("`{}` exists and is not empty; a release never overwrites anything", folder.display()))
        .hint("choose another --out folder, or move the old release away"))
}

/// What must not be released is refused before the table is read.
fn check_releasable(opened: &Opened) -> Result<(), Problem> {
    let declaration = &opened.declaration;
    if !declaration.data.public {
        return Err(Problem::not_yet("releasing confidential data").hint(
            "a ledger must guard the budget first; write `public = true` under [data] only if the data are already public or synthetic",
        ));
    }
    if declaration.budget.is_some() {
        return Err(Problem::not_yet("[budget]").hint("public data needs no budget: leave the section out"));
    }
    Ok(())
}

fn write_text(path: &Path, text: &str) -> Result<(), Problem> {
    fs::write(path, text).map_err(|error| cannot("write", path, error))?;
    fs::File::open(path).and_then(|file| file.sync_all()).map_err(|error| cannot("write", path, error))
}

/// Gives the finished folder its name: the last step, after which nothing can fail.
fn publish(finished: &Path, folder: &Path) -> Result<(), Problem> {
    if folder.exists() {
        fs::remove_dir(folder).map_err(|error| cannot("replace", folder, error))?;
    }
    fs::rename(finished, folder).map_err(|error| cannot("create", folder, error))
}

/// The time, to the second: more would say how long the draw took.
fn now() -> String {
    let now = jiff::Timestamp::now();
    jiff::Timestamp::from_second(now.as_second()).unwrap_or(now).to_string()
}
