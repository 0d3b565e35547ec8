//! What a certificate says beyond the draw itself: a function of the declaration and the exact
//! totals alone.
//!
//! `release` and `verify` both come through here, so what can be re-derived is re-derived by the
//! same code from the spec in the certificate and the totals of the released table.

use crate::certificate::{CertifiedEvidence, CertifiedInvariant, Guarantee, OperatorUse, Total};
use crate::counted::{counted, read_as};
use crate::disclosure::{CertifiedDisclosure, DisclosedCell, confined, enforce};
use crate::estimated::evidence_of;
use crate::guarantee::guarantee;
use crate::secrets::{CertifiedSecrets, secrets};
use crate::totals_alone::NOTHING_DRAWN;
use declare::{Declaration, Grouping, Problem};
use draw::Exactness;
use plan::{Case, Plan};

/// Everything a reader could derive without the confidential table.
#[derive(Debug, Clone)]
pub struct Derived {
    /// The guarantee.
    pub guarantee: Guarantee,
    /// What the release tells of a secret, where the spec declares a family of laws.
    pub secrets: Option<CertifiedSecrets>,
    /// Which rows of the data were counted.
    pub counted: String,
    /// How their fields were read.
    pub read_as: String,
    /// The invariants with their values.
    pub invariants: Vec<CertifiedInvariant>,
    /// What else every released table satisfies.
    pub conditions: Vec<String>,
    /// Cells that the totals disclose; at most [`crate::MOST_LISTED`] of them.
    pub disclosed: Vec<DisclosedCell>,
    /// How many cells the totals disclose.
    pub disclosed_cells: usize,
    /// How closely the totals confine all cells.
    pub disclosure: CertifiedDisclosure,
    /// Why the release is refused unless the safeguard `disclosure` is overridden: the totals alone
    /// confine a cell that the spec calls sensitive.
    pub confined: Option<Problem>,
    /// Which operator draws how much.
    pub operators: Vec<OperatorUse>,
    /// What coupled chains say about the walks.
    pub evidence: Vec<CertifiedEvidence>,
    /// How exactly the plan draws.
    pub exactness: Exactness,
    /// How the strength was chosen.
    pub choice: String,
    /// Where the random bits come from.
    pub entropy: &'static str,
}

/// The source of random bits of everything that is drawn.
pub(crate) const ENTROPY: &str = "operating system generator, buffered through ChaCha20";

/// The totals of every invariant, as 64-bit numbers.
pub fn totals_of(groupings: &[Grouping], counts: &[i64]) -> Result<Vec<Vec<i64>>, Problem> {
    groupings
        .iter()
        .map(|grouping| {
            let totals = grouping.totals(counts).into_iter().map(i64::try_from);
            totals.collect::<Result<Vec<i64>, _>>()
        })
        .collect::<Result<_, _>>()
        .map_err(|_| Problem::bad("a total does not fit 64 bits"))
}

/// States what follows from a plan; `progress` is told of cells and sums whose range is known.
///
/// # Errors
/// Refused when the loss cannot be certified.
pub fn derive(
    case: &Case,
    totals: &[Vec<i64>],
    plan: &Plan,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Derived, Problem> {
    let Case { declaration, conditions, .. } = case;
    let guarantee = guarantee(plan, declaration)?;
    let secrets = secrets(declaration, case, totals, plan)?;
    let invariants = conditions
        .invariants
        .iter()
        .zip(&conditions.pinned)
        .zip(totals)
        .map(|((grouping, pinned), values)| CertifiedInvariant {
            label: grouping.label.clone(),
            pinned: pinned.is_some(),
            totals: grouping
                .names
                .iter()
                .zip(values)
                .map(|(name, value)| Total { name: name.clone(), value: *value })
                .collect(),
        })
        .collect();
    let confined = confined(case, totals, progress)?;
    confined.check_open(case)?;
    let too_close = enforce(case, &confined.ranges, confined.emptied.as_deref()).err();
    Ok(Derived {
        operators: operators(plan),
        evidence: evidence_of(plan),
        exactness: plan.exactness(),
        guarantee,
        secrets,
        counted: counted(declaration),
        read_as: read_as(declaration),
        invariants,
        conditions: plan.conditions_in_words(),
        disclosed: confined.disclosed,
        disclosed_cells: confined.disclosed_cells,
        disclosure: confined.certified,
        confined: too_close,
        choice: choice(declaration, plan),
        entropy: if plan.is_suppressed() { NOTHING_DRAWN } else { ENTROPY },
    })
}

/// How the strength was chosen, in words.
fn choice(declaration: &Declaration, plan: &Plan) -> String {
    let declared = match plan.is_suppressed() {
        true => "there is no strength to choose: nothing is drawn",
        false => "declared in the spec; the program did not look at the data to choose it",
    };
    match declaration.budget.as_ref().and_then(|budget| budget.chosen.as_ref()) {
        Some(chosen) => format!("{declared}. The curator states: {chosen}"),
        None if declaration.data.public || plan.is_suppressed() => declared.to_string(),
        None => format!(
            "{declared}. The curator does not state how it was chosen: if it was chosen by looking at the confidential data, \
             the guarantee does not hold"
        ),
    }
}

fn operators(plan: &Plan) -> Vec<OperatorUse> {
    let mut uses: Vec<OperatorUse> = Vec::new();
    for planned in &plan.blocks {
        let (name, exactness, run_time) = (planned.operator(), planned.exactness().name(), planned.run_time().name());
        let same = |known: &&mut OperatorUse| {
            known.operator == name && known.exactness == exactness && known.run_time == run_time
        };
        match uses.iter_mut().find(same) {
            Some(known) => {
                known.blocks += 1;
                known.cells += planned.block.size;
            }
            None => uses.push(OperatorUse {
                operator: name.to_string(),
                blocks: 1,
                cells: planned.block.size,
                exactness: exactness.to_string(),
                run_time: run_time.to_string(),
            }),
        }
    }
    uses
}
