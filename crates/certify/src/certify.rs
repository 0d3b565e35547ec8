//! Makes certificates, and checks them again from the certificate and the released table alone.

use crate::certificate::{Certificate, CertifiedTable, Program, Spending};
use crate::check::{Check, changed};
use crate::derive::{Derived, derive, totals_of};
use crate::disclosure::CertifiedDisclosure;
use crate::estimated::supported;
use crate::secrets::check_in_words;
use crate::totals_alone::NOTHING_DRAWN;
use declare::{Declaration, Method, Problem};
use draw::{Drawn, Exactness, Streamed};
use exact::SystemEntropy;
use exact::attention::look;
use plan::{Case, Plan, decimal};
use sha2::{Digest, Sha256};
use std::io::{self, Read};

/// The version of the certificate format. Format 1 stated walks by a rule that can be false, and
/// earlier prices.
pub const FORMAT: u32 = 2;

/// The version of this program, as certificates write it.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The name of this program, as certificates write it.
pub const PROGRAM: &str = "congenial";

const ENTROPY: &str = "operating system generator, buffered through ChaCha20";

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
    /// What was paid for confidential data.
    pub ledger: Option<Spending>,
    /// The public key that the certificate will be signed with.
    pub signed_by: Option<String>,
}

/// Why a release was not paid for as its spec demands: confidential data by an entry of their
/// ledger, public data not at all.
fn unpaid(declaration: &Declaration, ledger: Option<&Spending>) -> Option<String> {
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
fn check_confined(derived: &Derived, ledger: Option<&Spending>) -> Result<(), Problem> {
    let overridden = ledger.is_some_and(|paid| paid.overrides.iter().any(|named| named.safeguard == DISCLOSURE));
    match &derived.confined {
        Some(problem) if !overridden => Err(problem.clone()),
        _ => Ok(()),
    }
}

/// Where the random bits of a release come from.
fn entropy_of(declaration: &Declaration) -> &'static str {
    match declaration.mechanism.method {
        Method::Suppress => NOTHING_DRAWN,
        _ => ENTROPY,
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

pub(crate) fn state(
    declaration: &Declaration,
    derived: &Derived,
    exactness: &Exactness,
    cells: usize,
    circumstances: Circumstances,
    entropy: &str,
) -> Result<Certificate, Problem> {
    if entropy != entropy_of(declaration) {
        return Err(Problem::refused("a draw is certified where the spec demands none, or none where it demands one"));
    }
    // What is estimated was accepted when the guarantee was derived, as far as the plan says; no
    // draw may be less exact.
    let is_stated = matches!(exactness, Exactness::Exact | Exactness::Estimated { .. });
    if !is_stated || *exactness != derived.exactness {
        let name = exactness.name();
        return Err(Problem::refused(format!("a draw that is {name} and not as the plan says cannot be certified")));
    }
    let Circumstances { table, program, time, ledger, signed_by } = circumstances;
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
    let (message, version) = (message.into(), &certificate.program.version);
    if *version == VERSION {
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

/// What was checked about the intervals that the totals leave.
pub(crate) fn confinement(disclosure: &CertifiedDisclosure) -> String {
    let sums: usize = disclosure.margins.iter().map(|margin| margin.widths.total).sum();
    let sums = if sums == 0 { String::new() } else { format!(" and {sums} sums") };
    let sensitive = match &disclosure.sensitive {
        Some(sensitive) if sensitive.confined > 0 => {
            format!(
                "; {} of {} sensitive cells are confined, which was overridden",
                sensitive.confined, sensitive.cells
            )
        }
        Some(sensitive) if sensitive.cells == 1 => "; 1 sensitive cell is left open enough".to_string(),
        Some(sensitive) => format!("; {} sensitive cells are left open enough", sensitive.cells),
        None => String::new(),
    };
    format!("intervals that the totals leave for {} cells{sums} were found again{sensitive}", disclosure.cells.total)
}

/// Re-derives all that can be re-derived from a certificate and the released counts: what was
/// checked, and the plan. Of a folded table the counts are those of the small one that they add up
/// to.
pub fn verify(certificate: &Certificate, case: &Case, values: &[i64]) -> Result<(Vec<Check>, Plan), Problem> {
    let Case { domain, conditions, .. } = case;
    let groupings = &conditions.invariants;
    if values.len() != conditions.cells || certificate.table.cells != domain.len() {
        return Err(changed(format!("the table has {} cells, the spec declares {}", values.len(), domain.len())));
    }
    let totals = totals_of(groupings, values)?;
    let kept = certificate.invariants.iter().zip(groupings.iter().zip(&totals));
    for (certified, (grouping, totals)) in kept {
        for (total, (name, value)) in certified.totals.iter().zip(grouping.names.iter().zip(totals)) {
            if total.value != *value {
                return Err(changed(format!(
                    "the invariant `{}` does not hold: `{name}` is certified as {}, the table has {value}",
                    grouping.label, total.value
                )));
            }
        }
    }
    if totals != conditions.totals(values)? {
        return Err(changed("an invariant pinned to published values does not have them in the table"));
    }
    if let Err(broken) = conditions.check_table(values) {
        return Err(changed(broken.message.replacen("the data break", "the table breaks", 1)));
    }
    let (derived, plan) = derive_again(certificate, case, &totals)?;
    let count: usize = derived.invariants.iter().map(|invariant| invariant.totals.len()).sum();
    let holding = match count {
        0 => "no total is claimed to be exact".to_string(),
        1 => "1 exact total holds in the table".to_string(),
        _ => format!("{count} exact totals hold in the table"),
    };
    let conditions = match derived.conditions.as_slice() {
        [] => "no bound or rule is claimed".to_string(),
        [one] => format!("{one}: holds in every cell and sum"),
        more => format!("{} hold in every cell and sum", more.join("; ")),
    };
    let mut checks = vec![
        Check { what: "spec".into(), found: format!("hash and canonical form hold, {} cells declared", domain.len()) },
        Check { what: "invariants".into(), found: holding },
        Check { what: "conditions".into(), found: conditions },
        Check {
            what: "guarantee".into(),
            found: format!("re-derived from the spec: theorem {}, same numbers", derived.guarantee.theorem),
        },
        Check {
            what: "plan".into(),
            found: "operators, exactness and disclosed cells follow from the spec and the totals".into(),
        },
        Check { what: "disclosure".into(), found: confinement(&derived.disclosure) },
    ];
    if let Some(secrets) = &derived.secrets {
        checks.push(Check { what: "secrets".into(), found: check_in_words(secrets) });
    }
    if let Some(estimated) = plan.loss.estimated() {
        let pairs: u64 = derived.evidence.iter().map(|evidence| evidence.pairs).sum();
        checks.push(Check {
            what: "evidence".into(),
            found: format!(
                "distance {} and δ follow from how {pairs} pairs of chains met, and the walk is one whose steps are proved to join all tables; \
                 the chains are not run again",
                decimal(estimated.distance.to_f64())
            ),
        });
    }
    Ok((checks, plan))
}

/// Derives again what follows from the spec of a certificate and these totals, and compares it with
/// what is certified.
pub(crate) fn derive_again(
    certificate: &Certificate,
    case: &Case,
    totals: &[Vec<i64>],
) -> Result<(Derived, Plan), Problem> {
    let declaration = &case.declaration;
    let planned = case.plan(&case.analyse(totals)?)?;
    let plan = supported(planned, certificate, declaration)?;
    let derived = derive(case, totals, &plan, &|_| {})?;
    let same = [
        ("the list of invariants", derived.invariants == certificate.invariants),
        ("the bounds and rules", derived.conditions == certificate.conditions),
        ("the guarantee", derived.guarantee == certificate.guarantee),
        ("what it tells of secrets", derived.secrets == certificate.secrets),
        ("which rows were counted", derived.counted == certificate.counted),
        ("the cells disclosed by the invariants", derived.disclosed == certificate.disclosed),
        ("the number of disclosed cells", derived.disclosed_cells == certificate.disclosed_cells),
        ("how closely the invariants confine cells", Some(&derived.disclosure) == certificate.disclosure.as_ref()),
        ("the operators", derived.operators == certificate.operators),
        ("the evidence of coupled chains", derived.evidence == certificate.evidence),
        ("how the strength was chosen", derived.choice == certificate.choice),
        ("the source of random bits", certificate.entropy == entropy_of(declaration)),
        ("the program", certificate.program.name == PROGRAM),
        ("the title", declaration.title == certificate.title),
    ];
    if let Some(wrong) = unpaid(declaration, certificate.ledger.as_ref()) {
        return Err(changed(wrong));
    }
    check_confined(&derived, certificate.ledger.as_ref())?;
    if let Some((what, _)) = same.iter().find(|(_, same)| !same) {
        return Err(differs(
            certificate,
            format!("the certificate does not follow from its spec and the table: {what}"),
        ));
    }
    Ok((derived, plan))
}
