//! Another presentation of a release that exists: another title, format, derived table or
//! signature. Nothing is drawn or paid.
//!
//! The released counts are read from the release, which is verified first; all else follows from
//! them and the spec, as it does in `release`. The certificate cites the entry that paid and the
//! time of the draw, and `verify` checks the new folder like any other.

use crate::options::{Options, Wide};
use crate::program;
use crate::released::{HandedBack, Released};
use certify::{Certificate, derive, sha256};
use declare::{Declaration, Problem};
use ledger::{Address, Ledger, Outcome};
use pay::outcome_of;
use plan::{Case, ReleaseMethod};
use publish::{
    Contents, Facts, Format, Gathered, Made, Making, STREAM_ABOVE, Signing, VerifiedParts, Workshop, new_folder,
    suppressed, table_of, totals_of, verify_parts,
};
use std::path::{Path, PathBuf};

/// How a release should look.
pub(crate) struct Wanted<'a> {
    /// The spec; what decides its law is that of the release.
    pub(crate) declaration: &'a Declaration,
    pub(crate) format: Format,
    /// The dimension that its wide table spreads.
    pub(crate) spread: Option<usize>,
    pub(crate) signing: Option<&'a Signing>,
    pub(crate) stream_above: usize,
}

impl Wanted<'_> {
    /// Whether a release looks so already. A signature that was not asked for is no fault.
    pub(crate) fn is_as(&self, certificate: &Certificate) -> bool {
        let wide = self.spread.map(|spread| &self.declaration.schema.dimensions[spread].name);
        let format = Format::of(Path::new(&certificate.table.file));
        certificate.spec == self.declaration.to_toml()
            && format.is_ok_and(|format| format == self.format)
            && certificate.table.wide.as_ref() == wide
            && self.signing.is_none_or(|signing| certificate.signed_by == Some(signing.public()))
    }
}

/// What is changed about a release; all else stays as it is.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    /// The title.
    pub title: Option<String>,
    /// The format of its tables.
    pub format: Option<Format>,
    /// The dimension that a wide table spreads; without one there is a wide table only if there
    /// was.
    pub wide: Option<Wide>,
    /// The secret key that signs the certificate. The signature of the release itself is of its own
    /// certificate and is left behind.
    pub sign: Option<PathBuf>,
}

/// Writes another presentation of the release in a folder to a new one, and verifies it. Where a
/// ledger is given, it notes that, so that the new folder is found there too.
pub fn present_as(
    from: &Path,
    folder: &Path,
    changes: &Changes,
    ledger: Option<(&Address, &str)>,
) -> Result<Released, Problem> {
    let folder = &new_folder(folder)?;
    let signing = changes.sign.as_deref().map(Signing::read).transpose()?;
    let (verified, parts) = verify_parts(from, STREAM_ABOVE, None)?;
    let (certificate, mut declaration) = (verified.certificate, parts.restored.declaration);
    if let Some(title) = &changes.title {
        if title.trim().is_empty() {
            return Err(Problem::bad("the new title is empty").hint("a release is known by its title: --title TEXT"));
        }
        declaration.title.clone_from(title);
        // What no spec may have as its title is refused as in a spec.
        Declaration::parse_alone(&declaration.to_toml(), "--title")?;
    }
    let domain = declaration.domain()?;
    let format = changes.format.map_or_else(|| Format::of(Path::new(&certificate.table.file)), Ok)?;
    let wide = changes.wide.clone().or(certificate.table.wide.clone().map(Wide::Dimension));
    let options = Options { wide, ..format.into() };
    if !ReleaseMethod::of(declaration.mechanism.method).draws {
        options.check_suppressed()?;
    }
    let spread = options.check(&domain, &declaration.output_rows(&domain)?)?;
    let wanted = Wanted {
        declaration: &declaration,
        format,
        spread,
        signing: signing.as_ref(),
        stream_above: if options.streams() { STREAM_ABOVE } else { usize::MAX },
    };
    let work = Workshop::new(folder)?;
    let (made, checks) = present(from, &wanted, &work.finished)?;
    let outcome = outcome(&made, &work.finished, folder)?;
    work.publish(folder)?;
    if let (Some((address, by)), Some(paid)) = (ledger, &made.ledger) {
        Ledger::open(address)?.present(paid.entry, &paid.seal, &outcome, by)?;
    }
    let handed_back = made.ledger.as_ref().map(|paid| HandedBack {
        entry: paid.entry,
        time: made.time.clone(),
        folder: from.display().to_string(),
        presented: true,
    });
    Ok(Released { folder: folder.clone(), certificate: made, checks, left_out: Vec::new(), handed_back })
}

/// What a ledger notes of a release that was written and will have this name.
pub(crate) fn outcome(certificate: &Certificate, finished: &Path, folder: &Path) -> Result<Outcome, Problem> {
    outcome_of(finished, folder, certificate.table.sha256.clone())
}

/// Writes a release that exists, and was verified, as it is wanted; verifies what was written.
pub(crate) fn present(from: &Path, wanted: &Wanted<'_>, finished: &Path) -> Result<Made, Problem> {
    let Wanted { declaration, format, spread, signing, stream_above } = *wanted;
    let (verified, VerifiedParts { restored, plan, counts: values }) = verify_parts(from, stream_above, None)?;
    let old = verified.certificate;
    if !restored.declaration.has_law_of(declaration) {
        return Err(Problem::refused(
            "another law would have drawn this: it is not the release in another presentation",
        ));
    }
    let Case { domain, fold, .. } = &restored;
    let conditions = declaration.conditions(fold.as_ref().map_or(domain, |fold| &fold.domain))?;
    let case = Case { declaration: declaration.clone(), domain: domain.clone(), conditions, fold: fold.clone() };
    let conditions = &case.conditions;
    let totals: Vec<Vec<i64>> =
        old.invariants.iter().map(|kept| kept.totals.iter().map(|total| total.value).collect()).collect();
    let suppressed = !case.method().draws;
    if fold.is_some() && !suppressed {
        return Err(Problem::refused("a release of more cells than fit in memory is not presented otherwise")
            .hint("it stays as it was made; its table can be copied to another format by any program that reads it"));
    }
    let derived = derive(&case, &totals, &plan, &|_| {})?;
    let spec = declaration.to_toml();
    let spec_sha256 = sha256(spec.as_bytes());
    let outputs = declaration.output_rows(domain)?;
    let contents = Contents::new(domain, &plan, conditions, fold.as_ref(), outputs, format, spread)?;
    let facts = Facts::derived(&declaration.title, &derived, &spec_sha256);
    let table = match suppressed {
        true => {
            suppressed::write_totals(finished, format, facts)?;
            totals_of(&contents, &derived, finished)?
        }
        false => {
            contents.write_table(finished, facts, &values)?;
            contents.write_others(finished, facts, &values)?;
            table_of(&contents, finished)?
        }
    };
    let certificate = Certificate {
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
        table,
        files: Vec::new(),
        report_sha256: String::new(),
        program: program(),
        signed_by: signing.map(Signing::public),
        spec,
        spec_sha256: spec_sha256.clone(),
        ..old.clone()
    };
    let making = Making {
        declaration,
        derived: &derived,
        contents: &contents,
        spec_sha256: &spec_sha256,
        ledger: old.ledger,
        signing,
        stream_above,
        program: program(),
        now: ledger::now,
    };
    if suppressed {
        return making.dress_suppressed(certificate, finished, &|_| {});
    }
    let mut gathered = Gathered::new(domain);
    gathered.add_drawn(&values, &contents);
    making.dress(certificate, &gathered, Some(&values), finished, &|_| {})
}
