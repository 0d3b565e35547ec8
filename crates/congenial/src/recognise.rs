//! Data are recognised by fingerprints under the key of a ledger: the same data under another name, or declared public, are refused.

use crate::files::cannot;
use crate::open::{Analysed, Opened};
use declare::{Budget, Declaration, Domain, Kind, Problem};
use ledger::{Address, Claim, Ledger, Print};
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use tabulate::data_files;

/// The environment variable that names a ledger which is asked about all data, whatever the spec says.
pub const LEDGER_VARIABLE: &str = "CONGENIAL_LEDGER";

/// A ledger of this name beside a spec or its data is asked too.
const USUAL_NAME: &str = "ledger.db";

/// A table with fewer cells above zero is not recognised by its counts: other data have the same ones by chance.
const FEWEST_CELLS: usize = 4;

/// The fingerprints of the data behind a spec: of the bytes of each file and, if the counts are in memory, of the table.
pub(crate) fn prints(
    ledger: &Ledger,
    declaration: &Declaration,
    domain: &Domain,
    folder: &Path,
    counts: Option<&[i64]>,
) -> Result<Vec<Print>, Problem> {
    let mut fingerprint = ledger.fingerprint();
    let mut buffer = zeroize::Zeroizing::new(vec![0u8; 1 << 16]);
    for path in data_files(folder, &declaration.data.path)? {
        let mut file = File::open(&path).map_err(|error| cannot("read", &path, error))?;
        loop {
            match file.read(&mut buffer) {
                Ok(0) => break,
                Ok(length) => fingerprint.file(&buffer[..length]),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(cannot("read", &path, error)),
            }
        }
        fingerprint.end_of_file();
    }
    let above = counts.map_or(0, |counts| counts.iter().filter(|count| **count != 0).count());
    if let Some(counts) = counts.filter(|_| above >= FEWEST_CELLS) {
        let dimensions = &domain.schema.dimensions;
        let mut order: Vec<usize> = (0..dimensions.len()).collect();
        order.sort_by(|one, other| dimensions[*one].name.cmp(&dimensions[*other].name));
        let mut walk = domain.walk();
        while let Some((cell, codes)) = walk.advance() {
            if counts[cell] == 0 {
                continue;
            }
            let fields: Vec<String> = order
                .iter()
                .map(|place| {
                    format!("{} = {}", dimensions[*place].name, dimensions[*place].values.label(codes[*place]))
                })
                .collect();
            fingerprint.row(fields.iter().map(|field| field.as_bytes()), counts[cell]);
        }
    }
    Ok(fingerprint.finish())
}

/// The fingerprints of a table that was read.
pub(crate) fn prints_of(ledger: &Ledger, analysed: &Analysed) -> Result<Vec<Print>, Problem> {
    let opened = &analysed.opened;
    let counts = opened.fold.is_none().then(|| analysed.tabulated.table.counts());
    prints(ledger, &opened.declaration, &opened.domain, &opened.folder, counts)
}

/// Refuses data that are declared public and that a ledger knows as those of a confidential dataset.
///
/// Asked are the ledger of the spec, the one that [`LEDGER_VARIABLE`] names, and a `ledger.db` beside the spec or its data.
pub(crate) fn check_public(
    declaration: &Declaration,
    domain: &Domain,
    folder: &Path,
    counts: Option<&[i64]>,
) -> Result<(), Problem> {
    let own = own_address(declaration, folder)?;
    let mut ledgers = others(declaration, folder, own.as_ref())?;
    // A ledger that was never made knows no data.
    if let Some(own) = own.filter(|own| own.file().is_none_or(Path::exists)) {
        ledgers.push(Ledger::open(&own)?);
    }
    for mut ledger in ledgers {
        let prints = prints(&ledger, declaration, domain, folder, counts)?;
        ledger.recognise(&prints, Claim::Public)?;
    }
    Ok(())
}

/// Refuses confidential data that another ledger than that of their spec knows already: the same data have one budget.
pub(crate) fn check_others(analysed: &Analysed) -> Result<(), Problem> {
    let Opened { declaration, folder, .. } = &analysed.opened;
    let own = own_address(declaration, folder)?;
    for mut ledger in others(declaration, folder, own.as_ref())? {
        let prints = prints_of(&ledger, analysed)?;
        if let Err(problem) = ledger.recognise(&prints, Claim::Public) {
            if problem.kind != Kind::Refused {
                return Err(problem);
            }
            let message =
                format!("the ledger `{}` knows these data already: they would get a second budget", ledger.address());
            return Err(Problem::refused(message).hint("name that ledger and its dataset in [budget]"));
        }
    }
    Ok(())
}

/// The ledger that a spec names.
fn own_address(declaration: &Declaration, folder: &Path) -> Result<Option<Address>, Problem> {
    let parse = |budget: &Budget| Ok(Address::parse(&budget.ledger)?.relative_to(folder));
    declaration.budget.as_ref().map(parse).transpose()
}

/// The ledgers that are asked beside that of the spec.
fn others(declaration: &Declaration, folder: &Path, own: Option<&Address>) -> Result<Vec<Ledger>, Problem> {
    let real = |address: &Address| match address.file() {
        Some(file) => file.canonicalize().unwrap_or_else(|_| file.to_path_buf()).display().to_string(),
        None => address.to_string(),
    };
    let is_own = |address: &Address| own.is_some_and(|own| real(own) == real(address));
    let mut ledgers = Vec::new();
    if let Some(text) = std::env::var_os(LEDGER_VARIABLE).filter(|address| !address.is_empty()) {
        let address = address_of(&text)?;
        if !is_own(&address) {
            ledgers.push(Ledger::open(&address)?);
        }
    }
    for file in beside(declaration, folder)? {
        let Some(path) = file.to_str() else { continue };
        let address = Address::parse(&format!("sqlite:{path}"))?;
        if is_own(&address) {
            continue;
        }
        match Ledger::open(&address) {
            Ok(ledger) => ledgers.push(ledger),
            // A database of something else has the same name.
            Err(problem) if problem.kind == Kind::Bad => {}
            Err(problem) => return Err(problem),
        }
    }
    Ok(ledgers)
}

/// The address in the environment.
pub(crate) fn address_of(text: &OsStr) -> Result<Address, Problem> {
    let text = text.to_str().ok_or_else(|| Problem::bad(format!("{LEDGER_VARIABLE} is not UTF-8")))?;
    Address::parse(text)
}

/// Files beside the spec and the data that have the usual name of a ledger, each once.
fn beside(declaration: &Declaration, folder: &Path) -> Result<Vec<PathBuf>, Problem> {
    let mut folders = vec![folder.to_path_buf()];
    for path in data_files(folder, &declaration.data.path)? {
        folders.extend(path.parent().map(Path::to_path_buf));
    }
    let place = |folder: &PathBuf| if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder.clone() };
    let mut found: Vec<PathBuf> = folders
        .iter()
        .map(|folder| place(folder).join(USUAL_NAME))
        .filter(|file| file.is_file())
        .filter_map(|file| file.canonicalize().ok())
        .collect();
    found.sort();
    found.dedup();
    Ok(found)
}
