//! A release that is being made: all but its numbers is decided, and they are written, certified and read back.

use crate::contents::{Facts, Shape};
use crate::describe::{describe, listed, texts};
use crate::files::{cannot, column_names, hash};
use crate::gathered::Gathered;
use crate::open::{Opened, Prepared};
use crate::signature::{SIGNATURE_FILE, Signing};
use crate::steps;
use crate::steps::Reached;
use crate::stream::Draw;
use crate::suppressed;
use crate::verify::{CERTIFICATE_FILE, REPORT_FILE, verify_folder};
use crate::{COMMIT, VERSION};
use certify::{
    Certificate, CertifiedFile, CertifiedTable, Check, Circumstances, Derived, PROGRAM, Program, Spending,
    certify_suppressed, sha256,
};
use declare::{Declaration, Domain, Problem};
use draw::Drawn;
use exact::SystemEntropy;
use std::fs;
use std::path::Path;

/// A release that is being made.
pub(crate) struct Making<'a> {
    pub(crate) declaration: &'a Declaration,
    pub(crate) domain: &'a Domain,
    pub(crate) derived: &'a Derived,
    pub(crate) shape: &'a Shape<'a>,
    pub(crate) spread: Option<usize>,
    pub(crate) spec_sha256: &'a str,
    pub(crate) ledger: Option<Spending>,
    pub(crate) signing: Option<&'a Signing>,
    pub(crate) stream_above: usize,
}

/// A finished release: its certificate and what was checked.
pub(crate) type Made = (Certificate, Vec<Check>);

impl Making<'_> {
    /// Writes a table that was drawn, certifies it, and verifies what was written.
    pub(crate) fn write(
        &self,
        drawn: Drawn<SystemEntropy>,
        finished: &Path,
        reached: Reached<'_>,
    ) -> Result<Made, Problem> {
        let facts = Facts::derived(&self.declaration.title, self.derived, self.spec_sha256);
        let mut gathered = Gathered::new(self.domain);
        self.shape.write_table(finished, facts, drawn.values())?;
        self.shape.write_others(finished, facts, drawn.values())?;
        gathered.add_drawn(drawn.values(), self.shape);
        self.certify(&Draw::Whole(drawn), &gathered, finished, reached)
    }

    /// Draws and writes portion by portion a table that is never in memory, certifies it, and verifies what was written.
    pub(crate) fn write_streamed(
        &self,
        prepared: &Prepared,
        source: &SystemEntropy,
        drawing: &(dyn Fn(u64) + Sync),
        finished: &Path,
        reached: Reached<'_>,
    ) -> Result<Made, Problem> {
        let facts = Facts::derived(&self.declaration.title, self.derived, self.spec_sha256);
        let mut gathered = Gathered::new(self.domain);
        let drawn = self.shape.stream_table(finished, facts, |table| {
            prepared.stream(source, drawing, &mut |counts| {
                gathered.add_drawn(counts, self.shape);
                table.write(counts)
            })
        })?;
        self.certify(&Draw::Streamed(drawn), &gathered, finished, reached)
    }

    fn certify(
        &self,
        drawn: &Draw<SystemEntropy>,
        gathered: &Gathered<'_>,
        finished: &Path,
        reached: Reached<'_>,
    ) -> Result<Made, Problem> {
        reached(steps::TABLE_WRITTEN);
        let table = table_of(self.shape, self.spread, finished)?;
        let certificate = drawn.certify(self.declaration, self.derived, self.circumstances(table)?)?;
        self.dress(certificate, gathered, drawn.values(), finished, reached)
    }

    /// Writes what goes with a table whose certificate is known, and verifies all of it.
    pub(crate) fn dress(
        &self,
        certificate: Certificate,
        gathered: &Gathered<'_>,
        values: Option<&[i64]>,
        finished: &Path,
        reached: Reached<'_>,
    ) -> Result<Made, Problem> {
        let tables = describe(self.shape, self.declaration, &gathered.extent, values);
        for (name, text) in texts(&certificate, self.shape, &tables, &gathered.extent)? {
            write_text(&finished.join(name), &text)?;
        }
        self.seal(certificate, listed(self.shape, &tables), &gathered.figures, finished, reached)
    }

    /// Publishes the exact totals and nothing else: no random bit is read.
    pub(crate) fn write_suppressed(&self, finished: &Path, reached: Reached<'_>) -> Result<Made, Problem> {
        let format = self.shape.format;
        let facts = Facts::derived(&self.declaration.title, self.derived, self.spec_sha256);
        suppressed::write_totals(finished, format, facts)?;
        reached(steps::TABLE_WRITTEN);
        let table = totals_of(self.shape, self.derived, finished)?;
        let certificate = certify_suppressed(self.declaration, self.derived, self.circumstances(table)?)?;
        self.dress_suppressed(certificate, finished, reached)
    }

    /// Writes what goes with totals whose certificate is known, and verifies all of it.
    pub(crate) fn dress_suppressed(
        &self,
        certificate: Certificate,
        finished: &Path,
        reached: Reached<'_>,
    ) -> Result<Made, Problem> {
        let (name, text) = suppressed::readme(&certificate);
        write_text(&finished.join(name), &text)?;
        let files = suppressed::listed(self.shape.format).into();
        self.seal(certificate, files, &report::Figures::new(self.domain), finished, reached)
    }

    /// What the certificate says beside what is derived.
    fn circumstances(&self, table: CertifiedTable) -> Result<Circumstances, Problem> {
        let signed_by = self.signing.map(Signing::public);
        let (program, time) = (program(), ledger::now()?);
        Ok(Circumstances { table, program, time, ledger: self.ledger.clone(), signed_by })
    }

    /// Lists the files in the certificate, writes and signs it, writes the report, and verifies what was written.
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
        // The page says nothing of its own hash, which is the last thing that the certificate is told.
        let page = report::html(&report::Release {
            certificate: &certificate,
            domain: self.domain,
            figures,
            known: &self.shape.known,
        });
        certificate.report_sha256 = sha256(page.as_bytes());
        let text = serde_json::to_string_pretty(&certificate)
            .map_err(|error| Problem::system(format!("cannot write the certificate: {error}")))?;
        let text = text + "\n";
        write_text(&finished.join(CERTIFICATE_FILE), &text)?;
        if let Some(signing) = self.signing {
            write_bytes(&finished.join(SIGNATURE_FILE), &signing.sign(text.as_bytes()))?;
        }
        reached(steps::CERTIFICATE_WRITTEN);
        write_text(&finished.join(REPORT_FILE), &page)?;
        reached(steps::REPORT_WRITTEN);
        let verified = verify_folder(finished, self.stream_above, None)?;
        reached(steps::VERIFIED);
        Ok((certificate, verified.checks))
    }
}

impl Opened {
    /// Whether the table is drawn and written portion by portion.
    pub(crate) fn is_streamed(&self) -> bool {
        self.fold.is_some()
    }
}

/// The program that writes.
pub(crate) fn program() -> Program {
    Program { name: PROGRAM.to_string(), version: VERSION.to_string(), commit: COMMIT.map(str::to_string) }
}

/// What the certificate says of a table that was written.
pub(crate) fn table_of(shape: &Shape<'_>, spread: Option<usize>, finished: &Path) -> Result<CertifiedTable, Problem> {
    let domain = shape.domain;
    Ok(CertifiedTable {
        sha256: hash(&finished.join(shape.table_file()))?,
        file: shape.table_file(),
        cells: domain.len(),
        columns: column_names(domain, shape.intervals.is_ok()),
        wide: spread.map(|spread| domain.schema.dimensions[spread].name.clone()),
    })
}

/// What the certificate says of totals that were written.
pub(crate) fn totals_of(shape: &Shape<'_>, derived: &Derived, finished: &Path) -> Result<CertifiedTable, Problem> {
    let file = suppressed::file(shape.format);
    Ok(CertifiedTable {
        sha256: hash(&finished.join(&file))?,
        file,
        cells: derived.invariants.iter().map(|invariant| invariant.totals.len()).sum(),
        columns: suppressed::COLUMNS.map(str::to_string).into(),
        wide: None,
    })
}

fn write_text(path: &Path, text: &str) -> Result<(), Problem> {
    write_bytes(path, text.as_bytes())
}

fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), Problem> {
    fs::write(path, bytes).map_err(|error| cannot("write", path, error))?;
    fs::File::open(path).and_then(|file| file.sync_all()).map_err(|error| cannot("write", path, error))
}
