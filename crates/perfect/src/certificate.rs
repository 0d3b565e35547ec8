//! `PerfectCertificate`: what a reader needs to rely on a release of an exponential mechanism.

use crate::declared::{Declared, Derived};
use certify::{CertifiedFile, Program, Spending, changed, sha256};
use congenial::program;
use declare::Problem;
use exact::SystemEntropy;
use exponential::Chosen;
use serde::{Deserialize, Serialize};

/// What marks such a certificate.
pub const KIND: &str = "exponential mechanism";

/// Where random bits come from: the type of a certified draw says so.
const ENTROPY: &str = "the operating system's generator, through ChaCha20";

/// The certificate of a release of an exponential mechanism.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PerfectCertificate {
    /// Always `exponential mechanism`.
    pub kind: String,
    /// The title.
    pub title: String,
    /// What is guaranteed, and all that it follows from.
    pub guarantee: Derived,
    /// The number of records, or of candidates: public.
    pub records: u64,
    /// The files of the release with their hashes.
    pub files: Vec<CertifiedFile>,
    /// Where the random bits came from.
    pub entropy: String,
    /// The program that made the release.
    pub program: Program,
    /// What was paid; absent when the data are declared public.
    pub ledger: Option<Spending>,
    /// When it was made (UTC, RFC 3339).
    pub time: String,
    /// The spec with every default filled in.
    pub spec: String,
    /// Its SHA-256.
    pub spec_sha256: String,
}

impl PerfectCertificate {
    /// Certifies what was drawn from the operating system's entropy; confidential data need an
    /// entry of their ledger.
    pub fn new(
        declared: &Declared,
        _drawn: &Chosen<SystemEntropy>,
        records: u64,
        files: Vec<CertifiedFile>,
        ledger: Option<Spending>,
    ) -> Result<PerfectCertificate, Problem> {
        let spec = declared.to_toml();
        let certificate = PerfectCertificate {
            kind: KIND.to_string(),
            title: declared.title().to_string(),
            guarantee: declared.derive(records)?,
            records,
            files,
            entropy: ENTROPY.to_string(),
            program: program(),
            ledger,
            time: ledger::now()?,
            spec_sha256: sha256(spec.as_bytes()),
            spec,
        };
        certificate.check_payment(declared)?;
        Ok(certificate)
    }

    /// Confidential data are paid for, and public data are not.
    fn check_payment(&self, declared: &Declared) -> Result<(), Problem> {
        match (&self.ledger, declared.is_public()) {
            (None, false) => Err(changed("the data are confidential, and no entry of a ledger paid for them")),
            (Some(_), true) => Err(changed("the data are declared public, and an entry of a ledger paid for them")),
            (Some(paid), false) if declared.budget().is_none_or(|budget| budget.dataset != paid.dataset) => {
                Err(changed("another dataset paid than the spec names"))
            }
            _ => Ok(()),
        }
    }

    /// Derives all of it again from the spec and the number of records, and compares.
    pub fn check(&self) -> Result<Declared, Problem> {
        if self.kind != KIND {
            return Err(changed("this is no certificate of an exponential mechanism"));
        }
        if sha256(self.spec.as_bytes()) != self.spec_sha256 {
            return Err(changed("the spec in the certificate is not the one that was certified: its hash differs"));
        }
        let declared = Declared::parse(&self.spec, "the spec in the certificate")
            .map_err(|problem| changed(format!("the spec in the certificate cannot be read: {}", problem.message)))?;
        if declared.to_toml() != self.spec || declared.title() != self.title {
            return Err(changed("the spec in the certificate is not canonical, or has another title"));
        }
        let derived = declared
            .derive(self.records)
            .map_err(|problem| changed(format!("such a release is refused: {}", problem.message)))?;
        if derived != self.guarantee {
            return Err(changed("the guarantee does not follow from the spec"));
        }
        if let Declared::Choice(choice) = &declared
            && choice.candidates.len() as u64 != self.records
        {
            return Err(changed("the number of candidates is not that of the spec"));
        }
        if self.entropy != ENTROPY {
            return Err(changed("the random bits come from elsewhere"));
        }
        self.check_payment(&declared)?;
        Ok(declared)
    }
}
