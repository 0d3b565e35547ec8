//! The main job: a certified release, written atomically and verified before it is handed over.

use crate::contents::{Facts, Shape};
use crate::describe::{describe, listed, texts};
use crate::files::{cannot, column_names, hash};
use crate::gathered::Gathered;
use crate::open::{Opened, Prepared, STREAM_ABOVE};
use crate::options::Options;
use crate::payment::{Paid, Payment, Right, after_paying, answered, check_space};
use crate::recognise::check_others;
use crate::signature::{SIGNATURE_FILE, Signing};
use crate::steps::{self, Hook};
use crate::stream::Draw;
use crate::suppressed;
use crate::verify::{CERTIFICATE_FILE, REPORT_FILE, verify_folder};
use crate::work::{HandedBack, Work, check_folder, hand_back};
use crate::{COMMIT, VERSION};
use certify::{
    Certificate, CertifiedFile, CertifiedTable, Check, Circumstances, Derived, PROGRAM, Program, Spending,
    certify_suppressed, derive_watched, sha256,
};
use declare::{Method, Problem};
use ledger::Outcome;
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
    /// The release is an earlier one of the same spec and data, handed back: nothing was drawn or spent.
    pub handed_back: Option<HandedBack>,
}

/// Who is told how far a release has come.
pub struct Watching<'a> {
    /// How many bytes were read.
    pub reading: &'a mut dyn FnMut(u64),
    /// Pairs of chains that have met, where walks need evidence.
    pub gathering: &'a (dyn Fn(u64) + Sync),
    /// Cells and sums whose range under the totals is known.
    pub searching: &'a (dyn Fn(u64) + Sync),
    /// How many cells were drawn.
    pub drawing: &'a (dyn Fn(u64) + Sync),
    /// The steps that were reached: for tests that stop there.
    #[doc(hidden)]
    pub steps: Option<Hook>,
}

impl Watching<'_> {
    fn reached(&self, step: &'static str) {
        if let Some(hook) = &self.steps {
            hook(step);
        }
    }
}

/// Draws a release of the table that a spec declares and writes it to `folder`: its tables, what readers must know about them,
/// the certificate and the report.
///
/// Everything is written to a temporary folder beside it and read back and verified there; only then does the folder appear
/// under its name. On failure nothing is left behind but folders that had to be made above it. `reading` is told how many bytes
/// were read, `gathering` of pairs of chains that have met where walks need evidence, `drawing` how many cells were drawn.
///
/// The loss of confidential data is spent from their ledger, durably, before the first random bit is read. A release that
/// exists is handed back instead.
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
    let watching = Watching { reading, gathering, searching: &|_| {}, drawing, steps: None };
    release_watched(spec, folder, options, stream_above, watching)
}

/// The same; the caller is told of every step.
pub fn release_watched(
    spec: &Path,
    folder: &Path,
    options: impl Into<Options>,
    stream_above: usize,
    mut watching: Watching<'_>,
) -> Result<Released, Problem> {
    check_folder(folder)?;
    let options = options.into();
    let signing = options.sign.as_deref().map(Signing::read).transpose()?;
    let opened = Opened::open_streaming(spec, if options.streams() { stream_above } else { usize::MAX })?;
    let outputs = opened.declaration.output_rows(&opened.domain)?;
    let spread = options.check(&opened.domain, &outputs)?;
    if opened.declaration.mechanism.method == Method::Suppress {
        suppressed::check_options(&options)?;
    }
    let mut payment = Payment::open(&opened, &options.paying, watching.steps.as_ref())?;
    watching.reached(steps::OPENED);
    let analysed = answered(&mut payment, opened.analyse(&mut watching.reading))?;
    match &payment {
        None => analysed.check_public()?,
        Some(_) => check_others(&analysed)?,
    }
    watching.reached(steps::ANALYSED);
    let prepared = analysed.plan().and_then(|prepared| prepared.supported(watching.gathering));
    let prepared = answered(&mut payment, prepared)?;
    let Opened { declaration, domain, conditions, fold, .. } = prepared.opened();
    let totals = &prepared.analysed.totals;
    let derived = derive_watched(declaration, domain, conditions, totals, &prepared.plan, watching.searching);
    let derived = answered(&mut payment, derived)?;
    if let (None, Some(problem)) = (&payment, &derived.confined) {
        return Err(problem.clone());
    }
    let shape = Shape::new(domain, &prepared.plan, fold.as_ref(), outputs, options.format, spread)?;
    let spec_sha256 = sha256(declaration.to_toml().as_bytes());
    let work = Work::new(folder)?;
    watching.reached(steps::PREPARED);
    let (right, ledger) = match &mut payment {
        None => (Right::Public, None),
        Some(payment) => {
            check_space(&work.finished, domain.len())?;
            loop {
                let looked =
                    payment.look(&prepared.analysed, &derived, &spec_sha256, &options.paying, watching.searching)?;
                match payment.pay(&prepared, &spec_sha256, &options.paying, &looked)? {
                    Paid::Now(reservation) => {
                        let spending = payment.spending(&reservation, &prepared.plan.loss, looked)?;
                        break (Right::Paid(reservation), Some(spending));
                    }
                    Paid::Before(earlier) => {
                        return hand_back(earlier, work, folder, stream_above, prepared.analysed.left_out());
                    }
                    Paid::Meanwhile => {}
                }
            }
        }
    };
    let making = Making {
        prepared: &prepared,
        derived: &derived,
        shape: &shape,
        spread,
        spec_sha256,
        ledger,
        signing,
        stream_above,
    };
    let (certificate, checks) =
        making.write(&right, &work.finished, &watching).map_err(|problem| after_paying(problem, &right))?;
    let outcome = Outcome {
        certificate: hash(&work.finished.join(CERTIFICATE_FILE)).map_err(|problem| after_paying(problem, &right))?,
        table: certificate.table.sha256.clone(),
        folder: std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf()).display().to_string(),
    };
    work.publish(folder).map_err(|problem| after_paying(problem, &right))?;
    watching.reached(steps::PUBLISHED);
    if let (Some(payment), Right::Paid(reservation)) = (&mut payment, &right) {
        payment.complete(reservation, &outcome)?;
    }
    watching.reached(steps::COMPLETED);
    let left_out = prepared.analysed.left_out();
    Ok(Released { folder: folder.to_path_buf(), certificate, checks, left_out, handed_back: None })
}

/// A release that is being made: all but the draw is decided.
struct Making<'a> {
    prepared: &'a Prepared,
    derived: &'a Derived,
    shape: &'a Shape<'a>,
    spread: Option<usize>,
    spec_sha256: String,
    ledger: Option<Spending>,
    signing: Option<Signing>,
    stream_above: usize,
}

impl Making<'_> {
    /// Draws, writes and certifies, and verifies what was written.
    fn write(
        &self,
        right: &Right,
        finished: &Path,
        watching: &Watching<'_>,
    ) -> Result<(Certificate, Vec<Check>), Problem> {
        if self.prepared.plan.is_suppressed() {
            return self.write_suppressed(finished, watching);
        }
        let Making { prepared, derived, shape, .. } = *self;
        let Opened { declaration, domain, fold, .. } = prepared.opened();
        let source = right.entropy();
        let whole = if fold.is_none() { Some(prepared.draw(&source, watching.drawing)?) } else { None };
        watching.reached(steps::DRAWN);
        let facts = Facts::derived(&declaration.title, derived, &self.spec_sha256);
        let mut gathered = Gathered::new(domain);
        let drawn = match whole {
            Some(drawn) => {
                shape.write_table(finished, facts, drawn.values())?;
                shape.write_others(finished, facts, drawn.values())?;
                gathered.add_drawn(drawn.values(), shape);
                Draw::Whole(drawn)
            }
            None => Draw::Streamed(shape.stream_table(finished, facts, |table| {
                prepared.stream(&source, watching.drawing, &mut |counts| {
                    gathered.add_drawn(counts, shape);
                    table.write(counts)
                })
            })?),
        };
        watching.reached(steps::TABLE_WRITTEN);
        let table = CertifiedTable {
            sha256: hash(&finished.join(shape.table_file()))?,
            file: shape.table_file(),
            cells: domain.len(),
            columns: column_names(domain, shape.intervals.is_ok()),
            wide: self.spread.map(|spread| domain.schema.dimensions[spread].name.clone()),
        };
        let mut certificate = drawn.certify(declaration, derived, self.circumstances(table)?)?;
        let tables = describe(shape, declaration, &gathered.extent, drawn.values());
        for (name, text) in texts(&certificate, shape, &tables, &gathered.extent)? {
            write_text(&finished.join(name), &text)?;
        }
        self.seal(&mut certificate, listed(shape, &tables), &gathered.figures, finished, watching)
            .map(|checks| (certificate, checks))
    }

    /// Publishes the exact totals and nothing else: no random bit is read.
    fn write_suppressed(&self, finished: &Path, watching: &Watching<'_>) -> Result<(Certificate, Vec<Check>), Problem> {
        let Opened { declaration, domain, .. } = self.prepared.opened();
        let format = self.shape.format;
        suppressed::write_totals(
            finished,
            format,
            Facts::derived(&declaration.title, self.derived, &self.spec_sha256),
        )?;
        watching.reached(steps::TABLE_WRITTEN);
        let file = suppressed::file(format);
        let table = CertifiedTable {
            sha256: hash(&finished.join(&file))?,
            file,
            cells: self.derived.invariants.iter().map(|invariant| invariant.totals.len()).sum(),
            columns: suppressed::COLUMNS.map(str::to_string).into(),
            wide: None,
        };
        let mut certificate = certify_suppressed(declaration, self.derived, self.circumstances(table)?)?;
        let (name, text) = suppressed::readme(&certificate);
        write_text(&finished.join(name), &text)?;
        let files = suppressed::listed(format).into();
        self.seal(&mut certificate, files, &report::Figures::new(domain), finished, watching)
            .map(|checks| (certificate, checks))
    }

    /// What the certificate says beside what is derived.
    fn circumstances(&self, table: CertifiedTable) -> Result<Circumstances, Problem> {
        let program =
            Program { name: PROGRAM.to_string(), version: VERSION.to_string(), commit: COMMIT.map(str::to_string) };
        let signed_by = self.signing.as_ref().map(Signing::public);
        Ok(Circumstances { table, program, time: ledger::now()?, ledger: self.ledger.clone(), signed_by })
    }

    /// Lists the files in the certificate, writes and signs it, writes the report, and verifies what was written.
    fn seal(
        &self,
        certificate: &mut Certificate,
        files: Vec<(String, String)>,
        figures: &report::Figures<'_>,
        finished: &Path,
        watching: &Watching<'_>,
    ) -> Result<Vec<Check>, Problem> {
        for (file, what) in files {
            certificate.files.push(CertifiedFile { sha256: hash(&finished.join(&file))?, file, what });
        }
        // The page says nothing of its own hash, which is the last thing that the certificate is told.
        let page = report::html(&report::Release { certificate, domain: &self.prepared.opened().domain, figures });
        certificate.report_sha256 = sha256(page.as_bytes());
        let text = serde_json::to_string_pretty(certificate)
            .map_err(|error| Problem::system(format!("cannot write the certificate: {error}")))?;
        let text = text + "\n";
        write_text(&finished.join(CERTIFICATE_FILE), &text)?;
        if let Some(signing) = &self.signing {
            write_bytes(&finished.join(SIGNATURE_FILE), &signing.sign(text.as_bytes()))?;
        }
        watching.reached(steps::CERTIFICATE_WRITTEN);
        write_text(&finished.join(REPORT_FILE), &page)?;
        watching.reached(steps::REPORT_WRITTEN);
        let verified = verify_folder(finished, self.stream_above, None)?;
        watching.reached(steps::VERIFIED);
        Ok(verified.checks)
    }
}

fn write_text(path: &Path, text: &str) -> Result<(), Problem> {
    write_bytes(path, text.as_bytes())
}

fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), Problem> {
    fs::write(path, bytes).map_err(|error| cannot("write", path, error))?;
    fs::File::open(path).and_then(|file| file.sync_all()).map_err(|error| cannot("write", path, error))
}
