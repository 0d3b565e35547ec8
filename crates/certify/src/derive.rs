//! What a certificate says beyond the draw itself: a function of the declaration and the exact totals alone.
//!
//! `release` and `verify` both come through here, so what can be re-derived is re-derived by the same code from the spec in
//! the certificate and the totals of the released table.

use crate::certificate::{CertifiedInvariant, DisclosedCell, Guarantee, OperatorUse, Total};
use crate::guarantee::guarantee;
use analyse::Structure;
use declare::{Declaration, Domain, Grouping, Method, Problem};
use plan::Plan;

/// Everything a reader could derive without the confidential table.
#[derive(Debug, Clone)]
pub struct Derived {
    /// The guarantee.
    pub guarantee: Guarantee,
    /// The invariants with their values.
    pub invariants: Vec<CertifiedInvariant>,
    /// Cells that the totals disclose; at most [`MOST_LISTED`] of them.
    pub disclosed: Vec<DisclosedCell>,
    /// How many cells the totals disclose.
    pub disclosed_cells: usize,
    /// Which operator draws how much.
    pub operators: Vec<OperatorUse>,
    /// How the strength was chosen.
    pub choice: String,
}

/// The most disclosed cells that a certificate lists by name.
pub const MOST_LISTED: usize = 1000;

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

/// States what follows from a plan.
pub fn derive(
    declaration: &Declaration,
    domain: &Domain,
    groupings: &[Grouping],
    totals: &[Vec<i64>],
    plan: &Plan,
) -> Result<Derived, Problem> {
    let guarantee = guarantee(plan, &declaration.mechanism.strength, declaration.mechanism.per)?;
    let kept = declaration.mechanism.method != Method::Unconstrained;
    let invariants = groupings
        .iter()
        .zip(totals)
        .filter(|_| kept)
        .map(|(grouping, values)| CertifiedInvariant {
            label: grouping.label.clone(),
            totals: grouping
                .names
                .iter()
                .zip(values)
                .map(|(name, value)| Total { name: name.clone(), value: *value })
                .collect(),
        })
        .collect();
    let (disclosed, disclosed_cells) = disclosed(plan, domain);
    Ok(Derived {
        operators: operators(plan),
        guarantee,
        invariants,
        disclosed,
        disclosed_cells,
        choice: "declared in the spec; the program did not look at the data to choose it".to_string(),
    })
}

/// Cells that the totals determine: fixed ones, and all cells of a total of zero, because counts are not negative.
/// At most [`MOST_LISTED`] of them by name, and how many there are.
pub fn disclosed(plan: &Plan, domain: &Domain) -> (Vec<DisclosedCell>, usize) {
    let zeros =
        plan.blocks.iter().filter(|planned| matches!(planned.block.structure, Structure::OneTotal { total: 0, .. }));
    let zero_cells = zeros.clone().map(|planned| planned.block.cells.len()).sum::<usize>();
    let fixed = plan.fixed.iter().map(|(cell, value)| (*cell, *value));
    let zeros = zeros.flat_map(|planned| planned.block.cells.iter().map(|cell| (*cell as usize, 0)));
    let named = fixed.chain(zeros).take(MOST_LISTED);
    let list = named.map(|(cell, value)| DisclosedCell { cell: domain.describe(cell), value }).collect();
    (list, plan.fixed.len() + zero_cells)
}

fn operators(plan: &Plan) -> Vec<OperatorUse> {
    let mut uses: Vec<OperatorUse> = Vec::new();
    for planned in &plan.blocks {
        let (name, exactness) = (planned.operator.name(), planned.exactness.name());
        match uses.iter_mut().find(|known| known.operator == name && known.exactness == exactness) {
            Some(known) => {
                known.blocks += 1;
                known.cells += planned.block.cells.len();
            }
            None => uses.push(OperatorUse {
                operator: name.to_string(),
                blocks: 1,
                cells: planned.block.cells.len(),
                exactness: exactness.to_string(),
            }),
        }
    }
    uses
}
