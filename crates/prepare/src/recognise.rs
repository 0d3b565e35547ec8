//! Data are recognised by fingerprints under the key of a ledger: the same data under another name,
//! or declared public, are refused.

use certify::sha256;
use declare::{Budget, Data, Declaration, Domain, Encoding, Kind, Problem, Values};
use exact::Rational;
use ledger::{Address, Claim, Counts, Fingerprint, Ledger, Print};
use plan::Case;
use publish::cannot;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use tabulate::{Origin, Reading, data_files, scan_as, tabulate_as};
use zeroize::Zeroizing;

/// The environment variable that names a ledger which is asked about all data, whatever the spec
/// says.
pub const LEDGER_VARIABLE: &str = "CONGENIAL_LEDGER";

/// A ledger of this name beside a spec or its data is asked too.
const USUAL_NAME: &str = "ledger.db";

/// A table with fewer cells above zero is not recognised by its counts: other data have the same
/// ones by chance.
pub(crate) const FEWEST_CELLS: usize = 4;

/// Records with fewer letters and digits are not recognised by them.
const FEWEST_BYTES: usize = 16;

/// Counts that carry so many bits are not those of other data by chance, whatever they are called.
const BITS_OF_DATA: f64 = 40.0;

/// Counts that carry so many bits are taken for the same sums of the same data.
const BITS_OF_SUMS: f64 = 12.0;

/// A row that counts fewer has the same count elsewhere too often to tell anything.
const LEAST_TELLING: i64 = 8;

/// Tables with more dimensions are known by their single dimensions alone.
const MOST_PAIRED: usize = 8;

/// The fingerprints of the data behind a spec: of the bytes of each file and, if the counts are in
/// memory, of the table.
///
/// Those of the table depend on its counts and on the labels of its values, not on what dimensions
/// are called, in which order they stand, or how many others there are of which all rows have one
/// value. Two more depend on the counts alone.
pub fn prints(
    ledger: &Ledger,
    declaration: &Declaration,
    domain: &Domain,
    folder: &Path,
    counts: Option<&[i64]>,
) -> Result<Vec<Print>, Problem> {
    let Data { path, encoding, .. } = &declaration.data;
    let mut fingerprint = file_fingerprint(ledger, folder, path, *encoding)?;
    if path.is_empty() {
        // Rows in memory have no bytes: their counts stand for them, or else what is absent of one
        // would be absent of all.
        fingerprint.file(b"rows in memory");
        match counts {
            Some(counts) => counts.iter().for_each(|count| fingerprint.file(&count.to_le_bytes())),
            // Nothing tells whether they are the same as before: every question about them is a new
            // one.
            None => fingerprint.file(fresh()?.as_bytes()),
        }
        fingerprint.end_of_file();
    }
    if let Some(counts) = counts {
        print_counts(&mut fingerprint, domain, counts);
    }
    Ok(fingerprint.finish())
}

/// The fingerprints of data that become no table: of the bytes of their files, and of the records
/// in them, in any order and however they are written.
pub fn record_prints(ledger: &Ledger, folder: &Path, data: &str) -> Result<Vec<Print>, Problem> {
    let mut fingerprint = file_fingerprint(ledger, folder, data, Encoding::Utf8)?;
    match print_records(ledger, folder, data) {
        Some(records) => fingerprint.join(records),
        None => fingerprint.absent("records"),
    }
    Ok(fingerprint.finish())
}

/// The print of all records: their fields, whatever the columns are called and in which order they
/// stand, a number by its value. `None`: other data have as little by chance, or what is there
/// cannot be read.
fn print_records(ledger: &Ledger, folder: &Path, data: &str) -> Option<Fingerprint> {
    let (mut fingerprint, mut bytes) = (ledger.fingerprint(), 0);
    for path in data_files(folder, data).ok()? {
        let name = path.display().to_string();
        scan_as(Reading::Trusting, &path, &name, &mut |_, fields| {
            let canonical = |field: &&str| match field.trim() {
                field if field.contains('/') => Zeroizing::new(field.to_string()),
                field => Zeroizing::new(field.parse::<Rational>().map_or(field.to_string(), |value| value.to_string())),
            };
            let mut fields: Vec<_> = fields.iter().map(canonical).filter(|field| !field.is_empty()).collect();
            fields.sort_by(|one, other| one.as_str().cmp(other));
            bytes += fields.iter().map(|field| field.len()).sum::<usize>();
            fingerprint.row(fields.iter().map(|field| field.as_bytes()), 1);
            Ok(())
        })
        .ok()?;
    }
    (bytes >= FEWEST_BYTES).then_some(fingerprint)
}

fn file_fingerprint(ledger: &Ledger, folder: &Path, data: &str, encoding: Encoding) -> Result<Fingerprint, Problem> {
    let mut fingerprint = ledger.fingerprint();
    let mut buffer = Zeroizing::new(vec![0u8; 1 << 16]);
    let mut formats = Vec::new();
    for path in data_files(folder, data)? {
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
        // The same bytes may be other rows when they are read as another format.
        let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
        formats.push(name.split_once('.').map_or(String::new(), |(_, format)| format.to_string()));
    }
    // Rows in memory have no bytes of a file: they are known by their counts alone.
    if formats.is_empty() {
        return Ok(fingerprint);
    }
    formats.sort();
    // And other rows in another encoding.
    if encoding != Encoding::Utf8 {
        formats.push(encoding.name().to_string());
    }
    fingerprint.source(&formats.iter().map(String::as_str).collect::<Vec<_>>());
    Ok(fingerprint)
}

fn print_counts(fingerprint: &mut Fingerprint, domain: &Domain, counts: &[i64]) {
    let dimensions = &domain.schema.dimensions;
    let margins: Vec<Vec<(String, i64)>> = (0..dimensions.len())
        .map(|place| {
            let sums = margin(domain, counts, &[place]);
            let labels = (0..sums.len()).map(|code| dimensions[place].values.label(code));
            let mut margin: Vec<(String, i64)> = labels.zip(sums).filter(|(_, sum)| *sum != 0).collect();
            margin.sort();
            margin
        })
        .collect();
    for (place, margin) in margins.iter().enumerate() {
        let sums = margin.iter().map(|(_, sum)| *sum);
        // Two dimensions may have the same sums, which is one print.
        if bits(sums.clone()) < BITS_OF_DATA || !fingerprint.counts(Counts::Sums, sums) {
            fingerprint.absent(&format!("sums {place}"));
        }
    }
    let above = counts.iter().filter(|count| **count != 0).count();
    if bits(counts.iter().copied()) >= BITS_OF_DATA {
        fingerprint.counts(Counts::Table, counts.iter().copied());
    } else if above >= FEWEST_CELLS {
        fingerprint.counts(Counts::Few, counts.iter().copied());
    } else {
        fingerprint.absent("table");
    }
    if above < FEWEST_CELLS {
        fingerprint.absent("rows");
    }
    let mut order: Vec<usize> = (0..dimensions.len()).filter(|place| margins[*place].len() > 1).collect();
    order.sort_by(|one, other| margins[*one].cmp(&margins[*other]));
    let mut walk = domain.walk();
    while let Some((cell, codes)) = walk.advance() {
        if counts[cell] == 0 {
            continue;
        }
        let mut fields: Vec<String> =
            order.iter().map(|place| dimensions[*place].values.label(codes[*place])).collect();
        if above >= FEWEST_CELLS {
            fingerprint.row(fields.iter().map(|field| field.as_bytes()), counts[cell]);
        }
        if counts[cell] >= LEAST_TELLING {
            // A few other rows change sums, and so the order of dimensions.
            fields.sort();
            fingerprint.one_row(fields.iter().map(|field| field.as_bytes()), counts[cell]);
        }
    }
}

/// The sums of a table by some of its dimensions, in their order.
fn margin(domain: &Domain, counts: &[i64], by: &[usize]) -> Vec<i64> {
    let sizes = domain.schema.sizes();
    let mut sums = vec![0; by.iter().map(|place| sizes[*place]).product()];
    let mut walk = domain.walk();
    while let Some((cell, codes)) = walk.advance() {
        let place = by.iter().fold(0, |index, place| index * sizes[*place] + codes[*place]);
        sums[place] += counts[cell];
    }
    sums
}

/// About how many bits the different counts above zero carry. It decides what is asked of data,
/// never what is certified.
fn bits(counts: impl Iterator<Item = i64>) -> f64 {
    let different: BTreeSet<i64> = counts.filter(|count| *count > 0).collect();
    different.iter().map(|count| (1.0 + *count as f64).log2()).sum()
}

/// What columns count, known by the counts alone: a column under another name, or under other
/// values, has the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnPrint {
    /// The columns.
    pub columns: Vec<String>,
    /// The keyed print of the sums by them.
    pub print: String,
}

/// The prints of single dimensions and their levels, and of pairs of dimensions.
pub fn column_prints(ledger: &Ledger, case: &Case, counts: &[i64]) -> Vec<ColumnPrint> {
    let Case { domain, fold, .. } = case;
    let dimensions = &domain.schema.dimensions;
    let mut prints = Vec::new();
    if fold.is_some() {
        return prints;
    }
    let mut add = |columns: Vec<String>, sums: &[i64]| {
        let mut fingerprint = ledger.fingerprint();
        let telling = bits(sums.iter().copied()) >= BITS_OF_SUMS;
        match telling {
            true => drop(fingerprint.counts(Counts::Sums, sums.iter().copied())),
            false => fingerprint.absent(&columns.join("\n")),
        }
        // As many prints, of the same length, whatever the counts are: how long an entry is may be
        // seen.
        let print = fingerprint.finish().first().map(ToString::to_string);
        prints.extend(print.map(|print| ColumnPrint { columns, print: print.replace("absent:", "none:") }));
    };
    for (place, dimension) in dimensions.iter().enumerate() {
        let sums = margin(domain, counts, &[place]);
        add(vec![dimension.column.clone()], &sums);
        if let Values::Hierarchy(levels) = &dimension.values {
            for ((name, labels), codes) in levels.names.iter().zip(&levels.labels).zip(&levels.codes) {
                let mut above = vec![0; labels.len()];
                sums.iter().zip(codes).for_each(|(sum, node)| above[*node as usize] += sum);
                add(vec![name.clone()], &above);
            }
        }
        for other in (place + 1..dimensions.len()).filter(|_| dimensions.len() <= MOST_PAIRED) {
            let columns = vec![dimension.column.clone(), dimensions[other].column.clone()];
            add(columns, &margin(domain, counts, &[place, other]));
        }
    }
    prints
}

/// Refuses data that are declared public and that a ledger knows as those of a confidential
/// dataset: by their bytes before anything is read, and by their counts before anything is said of
/// a row. The refusal is an answer, which the ledger enters and counts; one that cannot be written
/// to refuses all data.
///
/// Asked are the ledger of the spec, the one that [`LEDGER_VARIABLE`] names, and a `ledger.db`
/// beside the spec or its data.
pub fn check_public(
    case: &Case,
    folder: &Path,
    origin: Origin<'_>,
    progress: &mut dyn FnMut(u64),
) -> Result<(), Problem> {
    let Case { declaration, domain, fold, .. } = case;
    check_names(&declaration.data.path, folder)?;
    let own = own_address(declaration.budget.as_ref(), folder)?;
    let mut ledgers = all_ledgers(&declaration.data.path, own, folder)?;
    if ledgers.is_empty() {
        return Ok(());
    }
    let by = whoever();
    let mut ask = |counts: Option<&[i64]>| {
        let mut known = |ledger: &mut Ledger| {
            ledger.recognise(&prints(ledger, declaration, domain, folder, counts)?, Claim::Public, &by)
        };
        ledgers.iter_mut().try_for_each(&mut known)
    };
    if !declaration.data.path.is_empty() {
        ask(None)?;
    }
    if fold.is_some() {
        return Ok(());
    }
    let tabulated = tabulate_as(Reading::Trusting, declaration, domain, origin, progress)?;
    ask(Some(tabulated.table.counts()))
}

/// Refuses a public file that a spec names although a ledger knows its bytes, or its records, as
/// confidential ones: before anything is read from it.
pub(crate) fn check_named(path: &Path, folder: &Path, ledger: Option<&str>) -> Result<(), Problem> {
    // What is not there, or is no file, is told when it is read.
    let Ok(path) = std::path::absolute(path) else { return Ok(()) };
    let Some(name) = path.to_str().filter(|_| path.is_file()) else { return Ok(()) };
    let own = ledger.map(|ledger| Ok::<_, Problem>(Address::parse(ledger)?.relative_to(folder))).transpose()?;
    for ledger in &mut all_ledgers(name, own, folder)? {
        let mut prints = file_fingerprint(ledger, folder, name, Encoding::Utf8)?;
        if let Some(records) = print_records(ledger, folder, name) {
            prints.join(records);
        }
        ledger.recognise(&prints.finish(), Claim::Named, &whoever())?;
    }
    Ok(())
}

/// Refuses data that become no table, are declared public and are known to a ledger as confidential
/// ones.
pub fn check_public_files(data: &str, budget: Option<&Budget>, folder: &Path) -> Result<(), Problem> {
    ask_ledgers(data, budget, folder, Claim::Public, &whoever(), |ledger| record_prints(ledger, folder, data))
}

/// Refuses confidential data that become no table and that another ledger knows already.
pub fn check_other_files(data: &str, budget: Option<&Budget>, folder: &Path, by: &str) -> Result<(), Problem> {
    ask_ledgers(data, budget, folder, Claim::Elsewhere, by, |ledger| record_prints(ledger, folder, data))
}

/// Asks the ledgers that are asked beside that of the spec, and of public data that one too.
pub(crate) fn ask_ledgers(
    data: &str,
    budget: Option<&Budget>,
    folder: &Path,
    claim: Claim<'_>,
    by: &str,
    prints: impl Fn(&Ledger) -> Result<Vec<Print>, Problem>,
) -> Result<(), Problem> {
    let own = own_address(budget, folder)?;
    let mut ledgers = match claim {
        Claim::Public => {
            check_names(data, folder)?;
            all_ledgers(data, own, folder)?
        }
        _ => others(data, folder, own.as_ref())?,
    };
    ledgers.iter_mut().try_for_each(|ledger| ledger.recognise(&prints(ledger)?, claim, by))
}

/// Text that no other question has, for rows that have no bytes to tell whether they are the same.
pub fn fresh() -> Result<String, Problem> {
    let mut random = [0u8; 16];
    getrandom::fill(&mut random).map_err(|error| Problem::system(format!("no random bits: {error}")))?;
    Ok(sha256(&random))
}

/// In whose name data that are declared public are asked about: the ledger keeps it with every
/// answer.
pub(crate) fn whoever() -> String {
    let named = |name: &str| std::env::var(name).ok().filter(|name| !name.trim().is_empty());
    let found = ["CONGENIAL_USER", "USER", "LOGNAME"].into_iter().find_map(named);
    found.map_or("somebody".to_string(), |name| name.trim().to_string())
}

/// The ledger that a spec names.
pub(crate) fn own_address(budget: Option<&Budget>, folder: &Path) -> Result<Option<Address>, Problem> {
    let parse = |budget: &Budget| Ok(Address::parse(&budget.ledger)?.relative_to(folder));
    budget.map(parse).transpose()
}

/// The ledger of a spec, if it was ever made, and those that are asked beside it.
fn all_ledgers(data: &str, own: Option<Address>, folder: &Path) -> Result<Vec<Ledger>, Problem> {
    let mut ledgers = others(data, folder, own.as_ref())?;
    if let Some(own) = own.filter(|own| own.file().is_none_or(Path::exists)) {
        ledgers.push(Ledger::open(&own)?);
    }
    Ok(ledgers)
}

/// The ledgers that are asked beside that of the spec.
pub(crate) fn others(data: &str, folder: &Path, own: Option<&Address>) -> Result<Vec<Ledger>, Problem> {
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
    for file in beside(data, folder)? {
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

/// Refuses data that are declared public under one of several names of one file (hard links):
/// nothing tells the folders of the others, and so which ledgers know them.
fn check_names(data: &str, folder: &Path) -> Result<(), Problem> {
    #[cfg(unix)]
    if std::env::var_os(LEDGER_VARIABLE).is_none_or(|address| address.is_empty()) {
        for path in data_files(folder, data)? {
            let names = std::fs::metadata(&path).map_or(1, |found| std::os::unix::fs::MetadataExt::nlink(&found));
            if names > 1 {
                let path = path.display();
                return Err(Problem::refused(format!(
                    "`{path}` has {names} names (hard links), and under another one a ledger may know it as confidential"
                ))
                .hint(format!("name that ledger in the variable {LEDGER_VARIABLE}; or declare a file of its own")));
            }
        }
    }
    Ok(())
}

/// The address in the environment.
pub fn address_of(text: &OsStr) -> Result<Address, Problem> {
    let text = text.to_str().ok_or_else(|| Problem::bad(format!("{LEDGER_VARIABLE} is not UTF-8")))?;
    Address::parse(text)
}

/// Files beside the spec and the data that have the usual name of a ledger, each once. A link is
/// followed: beside it, and beside what it leads to.
fn beside(data: &str, folder: &Path) -> Result<BTreeSet<PathBuf>, Problem> {
    let mut folders = vec![folder.to_path_buf()];
    for path in data_files(folder, data)? {
        folders.extend(path.parent().map(Path::to_path_buf));
        folders.extend(path.canonicalize().ok().and_then(|real| real.parent().map(Path::to_path_buf)));
    }
    let files = folders.iter().map(|folder| folder.join(USUAL_NAME)).filter(|file| file.is_file());
    Ok(files.filter_map(|file| file.canonicalize().ok()).collect())
}
