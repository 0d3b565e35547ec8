//! The files of a release beside its table: all are listed, none is changed, and each is made again
//! and compared.

use super::counts::Counts;
use super::{CERTIFICATE_FILE, CertifiedFolder, REPORT_FILE, inside};
use crate::contents::{Contents, Facts};
use crate::describe::{describe, listed, texts};
use crate::files::{cannot, hash_within, largest_file, same_contents};
use crate::folder::scratch_for;
use crate::signature::SIGNATURE_FILE;
use certify::{Certificate, Check, changed, differs};
use declare::Problem;
use plan::Plan;
use report::Known;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Files that every release has and no certificate lists.
const NOT_LISTED: [&str; 2] = [CERTIFICATE_FILE, REPORT_FILE];

/// Checks the files that a certificate lists; returns what the report may say of errors.
pub(super) fn check(
    folder: &Path,
    found: &CertifiedFolder,
    table: &Counts<'_>,
    plan: &Plan,
) -> Result<(Check, Known), Problem> {
    check_present(folder, found)?;
    let known = check_contents(folder, found, table, plan)?;
    let count = found.certificate.files.len();
    let found = format!("hashes of {count} files hold, and each is what the certificate and the table give");
    Ok((Check { what: "files".to_string(), found }, known))
}

/// All files that are listed are there, with their hashes, and no others.
pub(super) fn check_present(folder: &Path, found: &CertifiedFolder) -> Result<(), Problem> {
    let certificate = &found.certificate;
    let most = largest_file(&found.restored.domain);
    let mut names: BTreeSet<&str> = NOT_LISTED.into();
    if certificate.signed_by.is_some() {
        names.insert(SIGNATURE_FILE);
    }
    for listed in &certificate.files {
        let path = inside(folder, &listed.file)?;
        if !names.insert(&listed.file) {
            return Err(changed(format!("the certificate lists `{}` twice, or lists itself", listed.file)));
        }
        if !path.is_file() {
            return Err(changed(format!("`{}` is listed in the certificate and is missing", listed.file)));
        }
        if hash_within(&path, most)? != listed.sha256 {
            return Err(changed(format!("`{}` is not the file that was certified: its hash differs", listed.file)));
        }
    }
    let table = &certificate.table;
    if !certificate.files.iter().any(|listed| listed.file == table.file && listed.sha256 == table.sha256) {
        return Err(changed("the certificate does not list the table among its files"));
    }
    for entry in fs::read_dir(folder).map_err(|error| cannot("read", folder, error))? {
        let name = entry.map_err(|error| cannot("read", folder, error))?.file_name();
        let name = name.to_string_lossy();
        if !names.contains(name.as_ref()) {
            return Err(Problem::bad(format!("`{name}` is not part of the release that was certified"))
                .hint("move it out of the folder: nothing vouches for it"));
        }
    }
    Ok(())
}

/// All files are made again from the certificate and the table, and compared.
fn check_contents(folder: &Path, found: &CertifiedFolder, table: &Counts<'_>, plan: &Plan) -> Result<Known, Problem> {
    let CertifiedFolder { certificate, restored, format, .. } = found;
    let domain = &restored.domain;
    let spread = match &certificate.table.wide {
        None => None,
        Some(name) => Some(domain.schema.position(name).ok_or_else(|| {
            changed(format!("the certificate speaks of a wide table over `{name}`, which is no dimension"))
        })?),
    };
    let outputs = restored.declaration.output_rows(domain)?;
    let contents = Contents::new(domain, plan, &restored.conditions, restored.fold.as_ref(), outputs, *format, spread)?;
    let tables = describe(&contents, &restored.declaration, &table.gathered.extent, table.values(found));
    let expected = listed(&contents, &tables);
    check_list(certificate, &expected)?;
    let facts = Facts::certified(certificate);
    let work = scratch_for(folder)?;
    let mut compared: Vec<&str> = Vec::new();
    // The rows of other formats were compared while they were read.
    if format.is_workbook() {
        contents.write_table(work.path(), facts, table.values(found).unwrap_or_default())?;
        compared.push(&certificate.table.file);
    }
    check_metadata(found, &folder.join(contents.table_file()), &contents.metadata(facts))?;
    if let Some(values) = table.values(found) {
        contents.write_others(work.path(), facts, values)?;
    }
    for (name, text) in texts(certificate, &contents, &tables, &table.gathered.extent)? {
        let path = work.path().join(name);
        fs::write(&path, text).map_err(|error| cannot("write", &path, error))?;
    }
    compared.extend(expected.iter().map(|(file, _)| file.as_str()).filter(|file| *file != contents.table_file()));
    for file in compared {
        check_same(certificate, folder, work.path(), file, "the certificate and the table give")?;
    }
    Ok(contents.known)
}

/// The certificate lists the files that its spec gives, with what they are.
pub(super) fn check_list(certificate: &Certificate, expected: &[(String, String)]) -> Result<(), Problem> {
    let stated = certificate.files.iter().map(|listed| (&listed.file, &listed.what));
    match stated.eq(expected.iter().map(|(file, what)| (file, what))) {
        true => Ok(()),
        false => Err(differs(certificate, "the certificate lists other files than its spec gives")),
    }
}

/// A file that was found holds what the one that was made again does.
pub(super) fn check_same(
    certificate: &Certificate,
    folder: &Path,
    made: &Path,
    file: &str,
    what: &str,
) -> Result<(), Problem> {
    match same_contents(&folder.join(file), &made.join(file))? {
        true => Ok(()),
        false => Err(differs(certificate, format!("`{file}` is not what {what}"))),
    }
}

/// What the file of a table says about itself follows from the certificate.
pub(super) fn check_metadata(
    found: &CertifiedFolder,
    path: &Path,
    expected: &[(String, String)],
) -> Result<(), Problem> {
    let CertifiedFolder { certificate, format, .. } = found;
    match format.metadata(path)?.is_none_or(|metadata| metadata == expected) {
        true => Ok(()),
        false => Err(differs(
            certificate,
            format!("the metadata of `{}` do not follow from the certificate", certificate.table.file),
        )),
    }
}
