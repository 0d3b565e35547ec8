//! `PerfectCertificate`: what a reader needs to rely on a release of an exponential mechanism.

use crate::declared::{Declared, Derived, charge};
use certify::{CertifiedFile, PROGRAM, Program, Spending, changed, differs_from, sha256};
use congenial::program;
use declare::Problem;
use exact::{Rational, SystemEntropy};
use exponential::Chosen;
use loss::Unit;
use publish::check_time;
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
    /// The public key that `certificate.sig` must be signed with, in hexadecimal; `None`: the
    /// certificate is not signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signed_by: Option<String>,
    /// When it was made (UTC, RFC 3339).
    pub time: String,
    /// The spec with every default filled in.
    pub spec: String,
    /// Its SHA-256.
    pub spec_sha256: String,
}

/// What a certificate says beside what follows from the spec and the number of records.
#[derive(Debug, Clone)]
pub struct Circumstances {
    /// The program that made the release.
    pub program: Program,
    /// What was paid.
    pub ledger: Option<Spending>,
    /// The public key that signs.
    pub signed_by: Option<String>,
    /// When (UTC, RFC 3339).
    pub time: String,
}

impl Circumstances {
    /// Of a release that is made now, by this program.
    pub fn now(ledger: Option<Spending>, signed_by: Option<String>) -> Result<Circumstances, Problem> {
        Ok(Circumstances { program: program(), ledger, signed_by, time: ledger::now()? })
    }
}

impl PerfectCertificate {
    /// Certifies what was drawn from the operating system's entropy; confidential data need an
    /// entry of their ledger.
    pub fn new(
        declared: &Declared,
        _drawn: &Chosen<SystemEntropy>,
        records: u64,
        files: Vec<CertifiedFile>,
        circumstances: Circumstances,
    ) -> Result<PerfectCertificate, Problem> {
        let Circumstances { program, ledger, signed_by, time } = circumstances;
        let spec = declared.to_toml();
        let certificate = PerfectCertificate {
            kind: KIND.to_string(),
            title: declared.title().to_string(),
            guarantee: declared.derive(records)?,
            records,
            files,
            entropy: ENTROPY.to_string(),
            program,
            ledger,
            signed_by,
            time,
            spec_sha256: sha256(spec.as_bytes()),
            spec,
        };
        certificate.check_payment(declared)?;
        Ok(certificate)
    }

    /// What no reader can derive: the report has it too.
    pub fn circumstances(&self) -> Circumstances {
        let PerfectCertificate { program, ledger, signed_by, time, .. } = self.clone();
        Circumstances { program, ledger, signed_by, time }
    }

    /// Confidential data are paid for, what they cost, and public data are not.
    fn check_payment(&self, declared: &Declared) -> Result<(), Problem> {
        let paid = match (&self.ledger, declared.is_public()) {
            (None, true) => return Ok(()),
            (None, false) => return Err(changed("the data are confidential, and no entry of a ledger paid for them")),
            (Some(_), true) => {
                return Err(changed("the data are declared public, and an entry of a ledger paid for them"));
            }
            (Some(paid), false) => paid,
        };
        if declared.budget().is_none_or(|budget| budget.dataset != paid.dataset) {
            return Err(changed("another dataset paid than the spec names"));
        }
        let (charged, costs) = (&paid.charged, charge(declared));
        if *charged != costs.to_string() {
            let message = format!("the ledger entry in the certificate charges {charged}, the release costs {costs}");
            return Err(changed(message));
        }
        let is_seal = paid.seal.len() == 64 && paid.seal.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let before = paid.approval.into_iter().chain(paid.overrides.iter().map(|named| named.entry));
        if paid.entry == 0 || !is_seal || paid.together.is_some() || before.into_iter().any(|entry| entry >= paid.entry)
        {
            return Err(changed("the certificate names an entry that no ledger has"));
        }
        let (Some(spent), Some(budget)) = (Amounts::read(&paid.spent), Amounts::read(&paid.budget)) else {
            return Err(changed("what was spent, or the budget, is no loss"));
        };
        if !spent.is_within(&budget) || !spent.holds(declared.epsilon()) {
            return Err(changed(format!(
                "all releases are stated to cost {} of {}: not what a ledger pays",
                paid.spent, paid.budget
            )));
        }
        Ok(())
    }

    /// Derives all of it again from the spec and the number of records, and compares.
    pub fn check(&self) -> Result<Declared, Problem> {
        if self.kind != KIND {
            return Err(changed("this is no certificate of an exponential mechanism"));
        }
        if self.program.name != PROGRAM {
            return Err(changed("another program made the release than writes such certificates"));
        }
        check_time(&self.time)?;
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
            .map_err(|problem| self.differs(format!("such a release is refused: {}", problem.message)))?;
        if derived != self.guarantee {
            return Err(self.differs("the guarantee does not follow from the spec"));
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

    /// What this version makes of the certificate is not what it says.
    pub fn differs(&self, message: impl Into<String>) -> Problem {
        differs_from(&self.program.version, message)
    }
}

/// An amount in words, as certificates print it: for example `ε = 3/2 per replaced record`.
struct Amounts<'a> {
    symbol: &'a str,
    size: Rational,
    /// What follows the number: another parameter, or what it is.
    more: &'a str,
    per: &'a str,
}

impl<'a> Amounts<'a> {
    fn read(text: &'a str) -> Option<Amounts<'a>> {
        let (amount, per) = text.split_once(" per ")?;
        let (symbol, number) = amount.split_once(" = ")?;
        let (size, more) = number.split_at(number.find([' ', ',']).unwrap_or(number.len()));
        let size = size.parse().ok().filter(Rational::is_positive)?;
        let known = ["replaced record", Unit::L1.to_string().as_str(), Unit::L2.to_string().as_str()].contains(&per)
            || (per.starts_with("privacy unit `") && per.ends_with('`'));
        let more = more.trim_end_matches(" (rounded up)");
        (matches!(symbol, "ε" | "ρ") && known).then_some(Amounts { symbol, size, more, per })
    }

    /// Whether it is a part of a budget of the same definition.
    fn is_within(&self, budget: &Amounts<'_>) -> bool {
        let same = |what: &Amounts<'a>| (what.symbol == budget.symbol) && (what.per == budget.per);
        same(self) && self.more == budget.more && self.size <= budget.size
    }

    /// Whether a release with loss ε per replaced record may be a part of it; in other units no
    /// reader knows.
    fn holds(&self, epsilon: &Rational) -> bool {
        match (self.symbol, self.per) {
            ("ε", "replaced record") => *epsilon <= self.size,
            ("ρ", "replaced record") => &(epsilon * epsilon) * &Rational::new(1, 2u8) <= self.size,
            _ => true,
        }
    }
}
