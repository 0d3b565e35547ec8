//! The folder of a release of an exponential mechanism: written, and verified with no access to the
//! data.

use crate::certificate::{Circumstances, KIND, PerfectCertificate};
use crate::declared::{Declared, Derived, charge};
use crate::page::page;
use crate::records::Ready;
use certify::{CertifiedFile, Check, Spending, changed};

use declare::Problem;
use exact::SystemEntropy;
use exponential::Chosen;
use pay::{PaidRelease, read_table_release};
use publish::{CERTIFICATE_FILE, REPORT_FILE, SIGNATURE_FILE, Signing, cannot, check_signature, hash, read_within};
use std::fs;
use std::path::Path;

/// The largest file of such a release that is read.
const LARGEST: u64 = 256 << 20;

/// A release that holds.
#[derive(Debug)]
pub struct PerfectVerified {
    /// Its certificate.
    pub certificate: PerfectCertificate,
    /// What was checked.
    pub checks: Vec<Check>,
    declared: Declared,
}

/// Writes what was drawn, certifies it, and verifies what was written.
pub fn write(
    declared: &Declared,
    ready: &Ready,
    chosen: Chosen<SystemEntropy>,
    ledger: Option<Spending>,
    signing: Option<&Signing>,
    finished: &Path,
) -> Result<(PerfectCertificate, Vec<Check>), Problem> {
    let records = ready.records();
    let (name, what) = declared.output();
    let derived = declared.derive(records)?;
    let put = |name: &str, text: &str| {
        let path = finished.join(name);
        fs::write(&path, text).map_err(|error| cannot("write", &path, error))
    };
    put(name, &declared.written(chosen.point()))?;
    let circumstances = Circumstances::now(ledger, signing.map(Signing::public))?;
    put(REPORT_FILE, &page(declared, &derived, chosen.point(), &circumstances))?;
    let certified = |(file, what): (&str, &str)| {
        let sha256 = hash(&finished.join(file))?;
        Ok(CertifiedFile { file: file.to_string(), what: what.to_string(), sha256 })
    };
    let files =
        [(name, what), (REPORT_FILE, "the report")].into_iter().map(certified).collect::<Result<_, Problem>>()?;
    let certificate = PerfectCertificate::new(declared, &chosen, records, files, circumstances)?;
    let text = serde_json::to_string_pretty(&certificate)
        .map_err(|error| Problem::system(format!("cannot write the certificate: {error}")))?;
    let text = text + "\n";
    put(CERTIFICATE_FILE, &text)?;
    if let Some(signing) = signing {
        let path = finished.join(SIGNATURE_FILE);
        fs::write(&path, signing.sign(text.as_bytes())).map_err(|error| cannot("write", &path, error))?;
    }
    let verified = verify_perfect(finished, None)?;
    if verified.certificate != certificate {
        return Err(Problem::system("the certificate that was read back is another"));
    }
    Ok((verified.certificate, verified.checks))
}

/// Whether the certificate in a folder is one of an exponential mechanism.
pub fn is_perfect(folder: &Path) -> bool {
    #[derive(serde::Deserialize)]
    struct Kind {
        kind: Option<String>,
    }
    read_within(&folder.join(CERTIFICATE_FILE), LARGEST)
        .ok()
        .and_then(|bytes| serde_json::from_slice::<Kind>(&bytes).ok())
        .is_some_and(|found| found.kind.as_deref() == Some(KIND))
}

/// Reads and verifies a release of any kind: a table, a regression or a selection.
pub fn read_release(folder: &Path) -> Result<PaidRelease, Problem> {
    match is_perfect(folder) {
        true => Ok(verify_perfect(folder, None)?.paid_release()),
        false => read_table_release(folder),
    }
}

impl PerfectVerified {
    /// What a ledger must know of it.
    pub fn paid_release(&self) -> PaidRelease {
        let PerfectCertificate { ledger, files, spec_sha256, .. } = &self.certificate;
        PaidRelease {
            ledger: ledger.clone(),
            charged: ledger.is_some().then(|| charge(&self.declared)),
            spec: spec_sha256.clone(),
            law: certify::sha256(self.declared.law().as_bytes()),
            declaration: None,
            table: files.first().map_or(String::new(), |file| file.sha256.clone()),
        }
    }
}

/// Verifies a release of an exponential mechanism: the guarantee follows from the spec, the files
/// are those that were certified, and what they hold is one point of the space; with a public key,
/// that the certificate is signed with it.
pub fn verify_perfect(folder: &Path, key: Option<&Path>) -> Result<PerfectVerified, Problem> {
    let text = |name: &str| {
        let path = folder.join(name);
        String::from_utf8(read_within(&path, LARGEST)?).map_err(|_| changed(format!("`{name}` is not UTF-8 text")))
    };
    let stated = text(CERTIFICATE_FILE)?;
    let certificate: PerfectCertificate = serde_json::from_str(&stated)
        .map_err(|error| changed(format!("`{CERTIFICATE_FILE}` is not a certificate: {error}")))?;
    // What is signed is the certificate as it is: whoever changed it is found here.
    let signed = check_signature(folder, certificate.signed_by.as_ref(), stated.as_bytes(), key)?;
    let declared = certificate.check()?;
    let (name, what) = declared.output();
    let expected = [(name, what), (REPORT_FILE, "the report")];
    let listed: Vec<(&str, &str)> =
        certificate.files.iter().map(|file| (file.file.as_str(), file.what.as_str())).collect();
    if listed != expected {
        return Err(changed("the certificate lists other files than such a release has"));
    }
    for file in &certificate.files {
        if certify::sha256(text(&file.file)?.as_bytes()) != file.sha256 {
            return Err(changed(format!("`{}` is not the file that was certified: its hash differs", file.file)));
        }
    }
    for entry in fs::read_dir(folder).map_err(|error| cannot("read", folder, error))? {
        let entry = entry.map_err(|error| cannot("read", folder, error))?.file_name();
        let entry = entry.to_string_lossy();
        let is_signature = entry == SIGNATURE_FILE && certificate.signed_by.is_some();
        if entry != CERTIFICATE_FILE && !is_signature && !expected.iter().any(|(name, _)| *name == entry) {
            return Err(changed(format!("`{entry}` is not part of the release")));
        }
    }
    let point = declared
        .point_of(&text(name)?)
        .ok_or_else(|| changed(format!("`{name}` does not hold a point of the declared space")))?;
    if text(REPORT_FILE)? != page(&declared, &certificate.guarantee, &point, &certificate.circumstances()) {
        return Err(certificate.differs(format!("`{REPORT_FILE}` does not say what was released, how and when")));
    }
    let Derived { epsilon, unit, points, .. } = &certificate.guarantee;
    let check = |what: &str, found: String| Check { what: what.to_string(), found };
    let checks = vec![
        check("files", format!("{} files have the certified hashes, and there is no other", certificate.files.len())),
        check("guarantee", format!("ε = {epsilon} per {unit} follows from the spec")),
        check("space", format!("`{name}` holds one of {points} points")),
        check("report", "says what was released, how and when".to_string()),
    ];
    let paid = certificate.ledger.as_ref().map(|paid| {
        let (entry, dataset, charged) = (paid.entry, &paid.dataset, &paid.charged);
        check(
            "payment",
            format!("entry {entry} of the ledger of `{dataset}` paid {charged}; with --ledger it is looked up"),
        )
    });
    let checks = checks.into_iter().chain(paid).chain([signed]).collect();
    Ok(PerfectVerified { certificate, checks, declared })
}
