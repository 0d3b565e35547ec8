//! A release that is being made: all but its numbers is decided, and they are written, certified
//! and read back.

use crate::contents::{Contents, Facts};
use crate::describe::{describe, listed, texts};
use crate::files::{cannot, column_names, hash};
use crate::folder::{CERTIFICATE_FILE, REPORT_FILE, synchronise};
use crate::gathered::Gathered;
use crate::signature::{SIGNATURE_FILE, Signing};
use crate::steps::{self, Reached};
use crate::suppressed;
use crate::verify::verify_folder;
use certify::{
    Certificate, CertifiedFile, CertifiedTable, Check, Circumstances, Derived, Program, Spending, certify,
    certify_streamed, certify_suppressed, sha256,
};
use declare::{Declaration, Problem};
use draw::{Drawn, Streamed};
use exact::SystemEntropy;
use std::fs;
use std::path::Path;

/// A release that is being made.
pub struct Making<'a> {
    /// The spec.
    pub declaration: &'a Declaration,

    /// What follows from spec and totals.
    pub derived: &'a Derived,
    /// Its tables.
    pub contents: &'a Contents<'a>,

    /// The hash of the canonical spec.
    pub spec_sha256: &'a str,
    /// Who paid, if somebody had to.
    pub ledger: Option<Spending>,
    /// Who signs.
    pub signing: Option<&'a Signing>,
    /// Tables of more combinations of values are read back portion by portion.
    pub stream_above: usize,
    /// The program that writes.
    pub program: Program,
    /// Tells the time.
    pub now: fn() -> Result<String, Problem>,
}

/// Takes the next counts of a table, in cell order.
pub type Visit<'a> = dyn FnMut(&[i64]) -> Result<(), Problem> + 'a;

/// A finished release: its certificate and what was checked.
pub type Made = (Certificate, Vec<Check>);

impl Making<'_> {
    /// Writes a table that was drawn, certifies it, and verifies what was written.
    pub fn write(&self, drawn: Drawn<SystemEntropy>, finished: &Path, reached: Reached<'_>) -> Result<Made, Problem> {
        let facts = Facts::derived(&self.declaration.title, self.derived, self.spec_sha256);
        let mut gathered = Gathered::new(self.contents.domain);
        self.contents.write_table(finished, facts, drawn.values())?;
        self.contents.write_others(finished, facts, drawn.values())?;
        gathered.add_drawn(drawn.values(), self.contents);
        let certified = |circumstances| certify(self.declaration, self.derived, &drawn, circumstances);
        self.certify(certified, &gathered, Some(drawn.values()), finished, reached)
    }

    /// Writes portion by portion, as `draw` hands them on, a table that is never in memory;
    /// certifies it, and verifies what was written.
    pub fn write_streamed(
        &self,
        draw: impl FnOnce(&mut Visit<'_>) -> Result<Streamed<SystemEntropy>, Problem>,
        finished: &Path,
        reached: Reached<'_>,
    ) -> Result<Made, Problem> {
        let facts = Facts::derived(&self.declaration.title, self.derived, self.spec_sha256);
        let mut gathered = Gathered::new(self.contents.domain);
        let drawn = self.contents.stream_table(finished, facts, |table| {
            draw(&mut |counts| {
                gathered.add_drawn(counts, self.contents);
                table.write(counts)
            })
        })?;
        let certified = |circumstances| certify_streamed(self.declaration, self.derived, &drawn, circumstances);
        self.certify(certified, &gathered, None, finished, reached)
    }

    fn certify(
        &self,
        certified: impl FnOnce(Circumstances) -> Result<Certificate, Problem>,
        gathered: &Gathered<'_>,
        values: Option<&[i64]>,
        finished: &Path,
        reached: Reached<'_>,
    ) -> Result<Made, Problem> {
        reached(steps::TABLE_WRITTEN);
        let table = table_of(self.contents, finished)?;
        let certificate = certified(Circumstances { draw: Some(fresh_identity()?), ..self.circumstances(table)? })?;
        self.dress(certificate, gathered, values, finished, reached)
    }

    /// Writes what goes with a table whose certificate is known, and verifies all of it.
    pub fn dress(
        &self,
        certificate: Certificate,
        gathered: &Gathered<'_>,
        values: Option<&[i64]>,
        finished: &Path,
        reached: Reached<'_>,
    ) -> Result<Made, Problem> {
        let tables = describe(self.contents, self.declaration, &gathered.extent, values);
        for (name, text) in texts(&certificate, self.contents, &tables, &gathered.extent)? {
            write(&finished.join(name), &text)?;
        }
        self.seal(certificate, listed(self.contents, &tables), &gathered.figures, finished, reached)
    }

    /// Publishes the exact totals and nothing else: no random bit is read.
    pub fn write_suppressed(&self, finished: &Path, reached: Reached<'_>) -> Result<Made, Problem> {
        let format = self.contents.format;
        let facts = Facts::derived(&self.declaration.title, self.derived, self.spec_sha256);
        suppressed::write_totals(finished, format, facts)?;
        reached(steps::TABLE_WRITTEN);
        let table = totals_of(self.contents, self.derived, finished)?;
        let certificate = certify_suppressed(self.declaration, self.derived, self.circumstances(table)?)?;
        self.dress_suppressed(certificate, finished, reached)
    }

    /// Writes what goes with totals whose certificate is known, and verifies all of it.
    pub fn dress_suppressed(
        &self,
        certificate: Certificate,
        finished: &Path,
        reached: Reached<'_>,
    ) -> Result<Made, Problem> {
        let (name, text) = suppressed::readme(&certificate);
        write(&finished.join(name), &text)?;
        let files = suppressed::listed(self.contents.format).into();
        self.seal(certificate, files, &report::Figures::new(self.contents.domain), finished, reached)
    }

    /// What the certificate says beside what is derived.
    fn circumstances(&self, table: CertifiedTable) -> Result<Circumstances, Problem> {
        let signed_by = self.signing.map(Signing::public);
        let (program, time) = (self.program.clone(), (self.now)()?);
        Ok(Circumstances { table, program, time, draw: None, ledger: self.ledger.clone(), signed_by })
    }

    /// Lists the files in the certificate, writes and signs it, writes the report, and verifies
    /// what was written.
    fn seal(
        &self,
        mut certificate: Certificate,
        files: Vec<(String, String)>,
        figures: &report::Figures<'_>,
        finished: &Path,
        reached: Reached<'_>,
    ) -> Result<Made, Problem> {
        for (file, what) in files {
            certificate.files.push(CertifiedFile { sha256: hash(&finished.join(&file))?, file, what });
        }
        // The page says nothing of its own hash, which is the last thing that the certificate is
        // told.
        let page = report::html(&report::Release {
            certificate: &certificate,
            domain: self.contents.domain,
            figures,
            known: &self.contents.known,
        });
        certificate.report_sha256 = sha256(page.as_bytes());
        let text = serde_json::to_string_pretty(&certificate)
            .map_err(|error| Problem::system(format!("cannot write the certificate: {error}")))?;
        let text = text + "\n";
        write(&finished.join(CERTIFICATE_FILE), &text)?;
        if let Some(signing) = self.signing {
            write(&finished.join(SIGNATURE_FILE), signing.sign(text.as_bytes()))?;
        }
        reached(steps::CERTIFICATE_WRITTEN);
        write(&finished.join(REPORT_FILE), &page)?;
        reached(steps::REPORT_WRITTEN);
        let verified = verify_folder(finished, self.stream_above, None)?;
        reached(steps::VERIFIED);
        Ok((certificate, verified.checks))
    }
}

/// 128 random bits in hexadecimal: two draws of one law in the same second with equal counts are
/// two all the same.
fn fresh_identity() -> Result<String, Problem> {
    let mut random = [0u8; 16];
    getrandom::fill(&mut random)
        .map_err(|error| Problem::system(format!("the operating system gives no random bits: {error}")))?;
    Ok(random.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// What the certificate says of a table that was written.
pub fn table_of(contents: &Contents<'_>, finished: &Path) -> Result<CertifiedTable, Problem> {
    let domain = contents.domain;
    Ok(CertifiedTable {
        sha256: hash(&finished.join(contents.table_file()))?,
        file: contents.table_file(),
        cells: domain.len(),
        columns: column_names(domain, contents.intervals.is_ok()),
        wide: contents.wide.as_ref().map(|wide| domain.schema.dimensions[wide.spread].name.clone()),
    })
}

/// What the certificate says of totals that were written.
pub fn totals_of(contents: &Contents<'_>, derived: &Derived, finished: &Path) -> Result<CertifiedTable, Problem> {
    let file = suppressed::file(contents.format);
    Ok(CertifiedTable {
        sha256: hash(&finished.join(&file))?,
        file,
        cells: derived.invariants.iter().map(|invariant| invariant.totals.len()).sum(),
        columns: suppressed::COLUMNS.map(str::to_string).into(),
        wide: None,
    })
}

/// Writes a file, and has it stored.
fn write(path: &Path, contents: impl AsRef<[u8]>) -> Result<(), Problem> {
    fs::write(path, contents).map_err(|error| cannot("write", path, error))?;
    synchronise(path)
}
