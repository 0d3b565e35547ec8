//! Makes certificates, and reads them again.

use crate::certificate::{Certificate, CertifiedTable, Program, Spending};
use crate::check::changed;
use crate::derive::{Derived, ENTROPY};
use crate::totals_alone::NOTHING_DRAWN;
use declare::{Declaration, Problem};
use draw::{Drawn, Exactness, Streamed};
use exact::SystemEntropy;
use exact::attention::look;
use plan::Case;
use sha2::{Digest, Sha256};
use std::io::{self, Read};

/// The version of the certificate format. Format 1 stated walks by a rule that can be false, and
/// earlier prices.
pub const FORMAT: u32 = 2;

/// The version of this program, as certificates write it.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The name of this program, as certificates write it.
pub const PROGRAM: &str = "congenial";

/// SHA-256 in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    hexadecimal(Sha256::digest(bytes).as_slice())
}

/// SHA-256 of all that a reader gives, in hexadecimal, a portion at a time.
///
/// # Errors
/// When the reader fails.
pub fn sha256_of(mut reader: impl Read) -> io::Result<String> {
    let mut hash = Sha256::new();
    let mut buffer = vec![0u8; 1 << 16];
    loop {
        look();
        match reader.read(&mut buffer) {
            Ok(0) => return Ok(hexadecimal(hash.finalize().as_slice())),
            Ok(length) => hash.update(&buffer[..length]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What a certificate says beside what follows from the spec and the totals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Circumstances {
    /// The released table.
    pub table: CertifiedTable,
    /// The program that made the release.
    pub program: Program,
    /// When (UTC, RFC 3339).
    pub time: String,
    /// 128 random bits of this draw, in hexadecimal; none where nothing is drawn.
    pub draw: Option<String>,
    /// What was paid for confidential data.
    pub ledger: Option<Spending>,
    /// The public key that the certificate will be signed with.
    pub signed_by: Option<String>,
}

/// Why a release was not paid for as its spec demands: confidential data by an entry of their
/// ledger, public data not at all.
pub(crate) fn unpaid(declaration: &Declaration, ledger: Option<&Spending>) -> Option<String> {
    match (declaration.data.public, &declaration.budget, ledger) {
        (true, _, None) => None,
        (true, _, Some(_)) => {
            Some("public data are not paid for, and the certificate names an entry of a ledger".into())
        }
        (false, Some(budget), Some(paid)) if paid.dataset == budget.dataset => None,
        (false, Some(budget), Some(paid)) => {
            Some(format!("the spec spends from dataset `{}`, the ledger entry from `{}`", budget.dataset, paid.dataset))
        }
        (false, ..) => Some("the data are confidential, and no entry of a ledger pays for the release".into()),
    }
}

/// The safeguard that can be overridden where totals alone confine sensitive cells.
pub const DISCLOSURE: &str = "disclosure";

/// Refuses a release whose totals alone confine sensitive cells, unless its ledger names the
/// override.
pub(crate) fn check_confined(derived: &Derived, ledger: Option<&Spending>) -> Result<(), Problem> {
    let overridden = ledger.is_some_and(|paid| paid.overrides.iter().any(|named| named.safeguard == DISCLOSURE));
    match &derived.confined {
        Some(problem) if !overridden => Err(problem.clone()),
        _ => Ok(()),
    }
}

/// Certifies a drawn table. Only draws from the operating system's entropy can be certified: the
/// type says so.
///
/// ```compile_fail
/// # use draw::Drawn; use exact::Seeded; use certify::{Derived, Circumstances};
/// # fn forge(d: &declare::Declaration, r: &Derived, drawn: &Drawn<Seeded>, c: Circumstances) {
/// certify::certify(d, r, drawn, c).unwrap();
/// # }
/// ```
///
/// The same lines with the other source of bits:
/// ```
/// # use draw::Drawn; use exact::SystemEntropy; use certify::{Derived, Circumstances};
/// # fn honest(d: &declare::Declaration, r: &Derived, drawn: &Drawn<SystemEntropy>, c: Circumstances) {
/// certify::certify(d, r, drawn, c).unwrap();
/// # }
/// ```
pub fn certify(
    declaration: &Declaration,
    derived: &Derived,
    drawn: &Drawn<SystemEntropy>,
    circumstances: Circumstances,
) -> Result<Certificate, Problem> {
    state(declaration, derived, drawn.exactness(), drawn.values().len(), circumstances, ENTROPY)
}

/// Certifies a table that was drawn portion by portion, as [`certify`] does a table that was drawn
/// whole.
///
/// ```compile_fail
/// # use draw::Streamed; use exact::Seeded; use certify::{Derived, Circumstances};
/// # fn forge(d: &declare::Declaration, r: &Derived, drawn: &Streamed<Seeded>, c: Circumstances) {
/// certify::certify_streamed(d, r, drawn, c).unwrap();
/// # }
/// ```
///
/// The same lines with the other source of bits:
/// ```
/// # use draw::Streamed; use exact::SystemEntropy; use certify::{Derived, Circumstances};
/// # fn honest(d: &declare::Declaration, r: &Derived, drawn: &Streamed<SystemEntropy>, c: Circumstances) {
/// certify::certify_streamed(d, r, drawn, c).unwrap();
/// # }
/// ```
pub fn certify_streamed(
    declaration: &Declaration,
    derived: &Derived,
    drawn: &Streamed<SystemEntropy>,
    circumstances: Circumstances,
) -> Result<Certificate, Problem> {
    state(declaration, derived, drawn.exactness(), drawn.cells(), circumstances, ENTROPY)
}

/// Certifies totals that are published alone. Nothing is drawn, so there is no draw to show.
///
/// # Errors
/// Refused when the spec demands a draw, when the number of totals is not that of the spec, and as
/// [`certify`] is.
pub fn certify_suppressed(
    declaration: &Declaration,
    derived: &Derived,
    circumstances: Circumstances,
) -> Result<Certificate, Problem> {
    let totals = derived.invariants.iter().map(|invariant| invariant.totals.len()).sum();
    state(declaration, derived, &Exactness::Exact, totals, circumstances, NOTHING_DRAWN)
}

fn state(
    declaration: &Declaration,
    derived: &Derived,
    exactness: &Exactness,
    cells: usize,
    circumstances: Circumstances,
    entropy: &str,
) -> Result<Certificate, Problem> {
    if entropy != derived.entropy {
        return Err(Problem::refused("a draw is certified where the spec demands none, or none where it demands one"));
    }
    // What is estimated was accepted when the guarantee was derived, as far as the plan says; no
    // draw may be less exact.
    let is_stated = matches!(exactness, Exactness::Exact | Exactness::Estimated { .. });
    if !is_stated || *exactness != derived.exactness {
        let name = exactness.name();
        return Err(Problem::refused(format!("a draw that is {name} and not as the plan says cannot be certified")));
    }
    let Circumstances { table, program, time, draw, ledger, signed_by } = circumstances;
    if cells != table.cells {
        return Err(Problem::refused(format!("{cells} counts were drawn for a table of {} cells", table.cells)));
    }
    if let Some(wrong) = unpaid(declaration, ledger.as_ref()) {
        return Err(Problem::refused(wrong));
    }
    check_confined(derived, ledger.as_ref())?;
    let spec = declaration.to_toml();
    Ok(Certificate {
        format: FORMAT,
        title: declaration.title.clone(),
        guarantee: derived.guarantee.clone(),
        secrets: derived.secrets.clone(),
        counted: derived.counted.clone(),
        read_as: derived.read_as.clone(),
        invariants: derived.invariants.clone(),
        conditions: derived.conditions.clone(),
        disclosed: derived.disclosed.clone(),
        disclosed_cells: derived.disclosed_cells,
        disclosure: Some(derived.disclosure.clone()),
        operators: derived.operators.clone(),
        evidence: derived.evidence.clone(),
        choice: derived.choice.clone(),
        entropy: entropy.to_string(),
        table,
        files: Vec::new(),
        report_sha256: String::new(),
        program,
        ledger,
        signed_by,
        time,
        draw,
        spec_sha256: sha256(spec.as_bytes()),
        spec,
    })
}

/// What every format of certificates has in common.
#[derive(serde::Deserialize)]
struct AnyFormat {
    format: u32,
    #[serde(default)]
    evidence: Vec<serde::de::IgnoredAny>,
}

/// Reads a certificate.
///
/// # Errors
/// Refused when it has another format than this program writes: what it states followed from other
/// rules. Bad when it is none.
pub fn read_certificate(text: &str) -> Result<Certificate, Problem> {
    if let Ok(any) = serde_json::from_str::<AnyFormat>(text) {
        check_format(any.format, !any.evidence.is_empty())?;
    }
    serde_json::from_str(text).map_err(|error| Problem::bad(error.to_string()))
}

/// Refuses certificates of other formats, with the reason.
fn check_format(format: u32, walked: bool) -> Result<(), Problem> {
    match (format, walked) {
        (FORMAT, _) => Ok(()),
        (1, true) => Err(Problem::refused(
            "the certificate has format 1, and a walk drew the release: such walks were certified by a rule that can be false, because \
             chains that begin together cannot notice tables that none of them reaches",
        )
        .hint("do not rely on what it guarantees; release again with this version, which refuses walks that are not proved to reach every table")),
        (1, false) => Err(Problem::refused(
            "the certificate has format 1: what it states follows from the rules of an earlier version, whose prices were others",
        )
        .hint("verify it with the version that made it, which the certificate names, or release again")),
        _ => Err(Problem::refused(format!("the certificate has format {format}, this program reads {FORMAT}"))
            .hint("verify it with the version that made it, which the certificate names")),
    }
}

/// Reads the spec of a certificate and checks its hash. A table of more than `stream_above`
/// combinations of values is not meant to be held in memory, where it can be folded.
pub fn restore(certificate: &Certificate, stream_above: usize) -> Result<Case, Problem> {
    check_format(certificate.format, !certificate.evidence.is_empty())?;
    if sha256(certificate.spec.as_bytes()) != certificate.spec_sha256 {
        return Err(changed("the spec in the certificate does not have the hash the certificate states"));
    }
    let declaration = Declaration::parse_alone(&certificate.spec, "certificate.json (spec)")?;
    if declaration.to_toml() != certificate.spec {
        return Err(changed("the spec in the certificate is not in canonical form"));
    }
    Case::streamed_above(declaration, stream_above)
}

/// What this version makes of a certificate is not what the certificate says. The same version
/// would make the same, so it was changed; of another version that cannot be told. No version that
/// a certificate claims makes it hold.
pub fn differs(certificate: &Certificate, message: impl Into<String>) -> Problem {
    differs_from(&certificate.program.version, message)
}

/// What this version makes of a certificate of any kind is not what it says, and this version made
/// it, or it says another.
pub fn differs_from(version: &str, message: impl Into<String>) -> Problem {
    let message = message.into();
    if version == VERSION {
        return changed(message);
    }
    Problem::refused(format!(
        "{message}. The release says that version {version} made it, and this is version {VERSION}"
    ))
    .hint(format!(
        "verify it with version {version}; what this version cannot make again it does not take for true, as anybody \
             can write a version into a file"
    ))
}
