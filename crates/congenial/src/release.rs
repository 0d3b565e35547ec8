//! The main job: a certified release, written atomically and verified before it is handed over.

use crate::contents::{Facts, Shape};
use crate::describe::{describe, listed, texts};
use crate::files::{cannot, column_names, hash};
use crate::gathered::Gathered;
use crate::open::{Opened, STREAM_ABOVE};
use crate::options::Options;
use crate::stream::Draw;
use crate::verify::verify_folder;
use crate::{COMMIT, VERSION};
use certify::{Certificate, CertifiedFile, CertifiedTable, Check, PROGRAM, Program, derive, sha256};
use declare::Problem;
use exact::SystemEntropy;
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
    /// Rows of the data file that were left out or changed, by reason; for the curator's eyes only.
    pub left_out: Vec<(u64, &'static str)>,
}

/// Draws a release of the table that a spec declares and writes it to `folder`: its tables, what readers must know about them,
/// the certificate and the report.
///
/// Everything is written to a temporary folder beside it and read back and verified there; only then does the folder appear
/// under its name. On failure nothing is left behind but folders that had to be made above it. `reading` is told how many bytes
/// were read, `gathering` of pairs of chains that have met where walks need evidence, `drawing` how many cells were drawn.
pub fn release(
    spec: &Path,
    folder: &Path,
    options: impl Into<Options>,
    reading: &mut dyn FnMut(u64),
    gathering: &(dyn Fn(u64) + Sync),
    drawing: &(dyn Fn(u64) + Sync),
) -> Result<Released, Problem> {
    release_streaming(spec, folder, options, STREAM_ABOVE, reading, gathering, drawing)
}

/// The same; a table of more than `stream_above` combinations of values is never in memory whole, if it can be streamed.
pub fn release_streaming(
    spec: &Path,
    folder: &Path,
    options: impl Into<Options>,
    stream_above: usize,
    reading: &mut dyn FnMut(u64),
    gathering: &(dyn Fn(u64) + Sync),
    drawing: &(dyn Fn(u64) + Sync),
) -> Result<Released, Problem> {
    check_folder(folder)?;
    let options = options.into();
    let opened = Opened::open_streaming(spec, if options.streams() { stream_above } else { usize::MAX })?;
    check_releasable(&opened)?;
    let outputs = opened.declaration.output_rows(&opened.domain)?;
    let spread = options.check(&opened.domain, &outputs)?;
    let prepared = opened.analyse(reading)?.plan()?.supported(gathering)?;
    let Opened { declaration, domain, conditions, fold, .. } = prepared.opened();
    let derived = derive(declaration, domain, conditions, &prepared.analysed.totals, &prepared.plan)?;
    let shape = Shape::new(domain, &prepared.plan, fold.as_ref(), outputs, options.format, spread)?;
    let source = SystemEntropy::new();
    let whole = if fold.is_none() { Some(prepared.draw(&source, drawing)?) } else { None };

    let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(parent).map_err(|error| cannot("create", parent, error))?;
    let work = tempfile::Builder::new()
        .prefix(".congenial-")
        .tempdir_in(parent)
        .map_err(|error| cannot("create a folder in", parent, error))?;
    // The temporary folder is private to its owner; what is made inside it has the permissions that the owner's files have.
    let finished = work.path().join("release");
    fs::create_dir(&finished).map_err(|error| cannot("create", &finished, error))?;
    let spec_sha256 = sha256(declaration.to_toml().as_bytes());
    let facts = Facts::derived(&declaration.title, &derived, &spec_sha256);
    let mut gathered = Gathered::new(domain);
    let drawn = match whole {
        Some(drawn) => {
            shape.write_table(&finished, facts, drawn.values())?;
            shape.write_others(&finished, facts, drawn.values())?;
            gathered.add_drawn(drawn.values(), &shape);
            Draw::Whole(drawn)
        }
        None => Draw::Streamed(shape.stream_table(&finished, facts, |table| {
            prepared.stream(&source, drawing, &mut |counts| {
                gathered.add_drawn(counts, &shape);
                table.write(counts)
            })
        })?),
    };
    let table = CertifiedTable {
        sha256: hash(&finished.join(shape.table_file()))?,
        file: shape.table_file(),
        cells: domain.len(),
        columns: column_names(domain, shape.intervals.is_ok()),
        wide: spread.map(|spread| domain.schema.dimensions[spread].name.clone()),
    };
    let program =
        Program { name: PROGRAM.to_string(), version: VERSION.to_string(), commit: COMMIT.map(str::to_string) };
    let mut certificate = drawn.certify(declaration, &derived, table, program, now())?;
    let tables = describe(&shape, declaration, &gathered.extent, drawn.values());
    for (name, text) in texts(&certificate, &shape, &tables, &gathered.extent)? {
        write_text(&finished.join(name), &text)?;
    }
    for (file, what) in listed(&shape, &tables) {
        certificate.files.push(CertifiedFile { sha256: hash(&finished.join(&file))?, file, what });
    }
    let text = serde_json::to_string_pretty(&certificate)
        .map_err(|error| Problem::system(format!("cannot write the certificate: {error}")))?;
    write_text(&finished.join("certificate.json"), &(text + "\n"))?;
    let page = report::html(&report::Release { certificate: &certificate, domain, figures: &gathered.figures });
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
