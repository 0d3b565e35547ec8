//! A mechanism checked by a curator: bias, variance and fairness against theory, and its privacy
//! against what is claimed.

mod enumerate;
mod neighbour;
mod text;

use crate::{Listener, Told, check_draws, operators};

use analyse::Structure;
use audit::measure::{Errors, Partition, wasserstein_by_chance, wasserstein_to_noise};
use audit::privacy::{Finding, NoFinding, Runs, Side, largest_visible, lower_limit};
use audit::{theory, zhu};
use declare::{Kind, Per, Problem};
use draw::Growth;
use enumerate::worst_of_fibre;
use exact::{Rational, Seeded};
use loss::{Loss, Norm};
use pay::public_counts;
use plan::Cascade;
use prepare::{Given, Mechanism, Quiet, Sample, StandIn, group_sizes};
use std::collections::HashMap;

pub use enumerate::ExactLoss;
pub use text::{audit_json, audit_text};

/// How a mechanism is audited.
#[derive(Debug, Clone)]
pub struct AuditOptions {
    /// Draws by which errors are measured.
    pub draws: u64,
    /// Runs on each of two neighbouring tables by which privacy is measured.
    pub runs: u64,
    /// Makes draws and runs reproducible.
    pub seed: u64,
    /// Public rows with the columns of the data, used instead of them.
    pub on: Option<StandIn>,
}

/// What an audit found.
#[derive(Debug, Clone)]
pub struct Audited {
    /// The title of the spec.
    pub title: String,
    /// How noise and invariants meet.
    pub method: &'static str,
    /// The operators.
    pub operators: Vec<&'static str>,
    /// The number of draws.
    pub draws: u64,
    /// The errors of the draws.
    pub errors: Errors,
    /// By part of the second partition (sizes of groups) the variance in theory, where a formula is
    /// known.
    pub expected: Vec<Option<f64>>,
    /// Whether a bias of zero is proved for this method.
    pub unbiased: bool,
    /// Theorem 11 of Zhu and others: no cell's bias is larger. For projections onto totals and
    /// counts at or above zero.
    pub bias_bound: Option<f64>,
    /// The Wasserstein-1 distance of the errors from the noise before anything is done with it, and
    /// what chance alone would make of it.
    pub wasserstein: Option<(f64, f64)>,
    /// What is known of its privacy.
    pub privacy: Privacy,
}

/// What an audit found about privacy.
#[derive(Debug, Clone)]
pub struct Privacy {
    /// The loss of every two tables at the nearest distance, computed exactly where a block has few
    /// tables; or why it is not.
    pub exact: Result<ExactLoss, &'static str>,
    /// What repeated runs on two neighbouring tables show, or why there are none.
    pub runs: Result<Observed, String>,
}

/// What repeated runs on two tables show.
#[derive(Debug, Clone)]
pub struct Observed {
    /// The ℓ₁ distance of the two tables.
    pub distance: u64,
    /// The loss that is claimed for them.
    pub claimed: f64,
    /// The largest loss that so many runs can show.
    pub visible: f64,
    /// What was found.
    pub finding: Finding,
}

impl Audited {
    /// Whether something contradicts what a certificate would claim.
    pub fn is_contradicted(&self) -> bool {
        let exact = self.privacy.exact.as_ref().is_ok_and(ExactLoss::is_contradicted);
        exact || matches!(&self.privacy.runs, Ok(runs) if runs.finding.contradicts(runs.claimed))
    }
}

/// So many errors are kept for the distance from the noise, at most.
const MOST_ERRORS: usize = 1_000_000;

/// Audits the mechanism of a spec on its public table, or on a public stand-in.
///
/// # Errors
/// Refused for confidential data without a stand-in; what cannot be read or drawn.
pub fn audit(spec: impl Into<Given>, options: &AuditOptions, told: Listener<'_>) -> Result<Audited, Problem> {
    check_draws(options.draws)?;
    let (declaration, counts) = public_counts(spec, options.on.as_ref())?;
    audit_counts(declaration, counts, options, told)
}

/// Audits the mechanism around a table in memory.
pub fn audit_counts(
    declaration: declare::Declaration,
    counts: Vec<i64>,
    options: &AuditOptions,
    told: Listener<'_>,
) -> Result<Audited, Problem> {
    let mechanism = Mechanism::new(declaration, counts)?.supported(&Quiet)?;
    let sizes = group_sizes(&mechanism.case.conditions);
    let partitions = [Partition::by_count(&mechanism.counts), Partition::by_sizes(&sizes)];
    let mut errors = Errors::new(&mechanism.counts, &partitions);
    let mut all: Vec<f64> = Vec::new();
    let noisy = mechanism.noisy_sums()?;
    let sampling = mechanism.sampling(&noisy)?;
    told(Told::Stage("errors", options.draws));
    for draw in 0..options.draws {
        let values = match sampling.sample(&Seeded::draw(options.seed, draw), &|_| {})? {
            Sample::Counts(drawn) => drawn.values().iter().map(|value| *value as f64).collect(),
            Sample::Reals(values) => values,
        };
        errors.add(&values, 0);
        if all.len() + values.len() <= MOST_ERRORS || all.is_empty() {
            all.extend(values.iter().zip(&mechanism.counts).map(|(value, count)| value - *count as f64));
        }
        told(Told::Done(1));
    }
    let law = &mechanism.plan.law;
    let draws = (all.len() / mechanism.counts.len().max(1)) as u64;
    let one_level = mechanism.plan.cascade.as_ref().is_none_or(|cascaded| cascaded.levels.len() == 1);
    let on_cells = mechanism.plan.queries.is_empty() && one_level;
    let wasserstein = wasserstein_to_noise(&all, law).zip(wasserstein_by_chance(draws, law)).filter(|_| on_cells);

    let privacy = Privacy { exact: worst_of_fibre(&mechanism)?, runs: observe(&mechanism, options, told)? };
    Ok(Audited {
        title: mechanism.case.declaration.title.clone(),
        method: mechanism.plan.method.word.name(),
        operators: operators(&mechanism.plan),
        draws: options.draws,
        expected: expected_by_part(&mechanism, &partitions[1]),
        errors,
        unbiased: is_unbiased(&mechanism),
        bias_bound: bias_bound(&mechanism),
        wasserstein,
        privacy,
    })
}

/// Whether theory says that no cell is biased: symmetric noise and equalities alone, conditioned on
/// or projected onto.
fn is_unbiased(mechanism: &Mechanism) -> bool {
    let plan = &mechanism.plan;
    let symmetric =
        !mechanism.case.conditions.has_inequalities() && mechanism.case.conditions.pinned.iter().all(Option::is_none);
    // Nothing is proved about rounding to integers, and of ℓ₁ projections some are biased.
    symmetric && (plan.method.conditions || !plan.method.keeps || is_real_least_squares(mechanism))
}

/// Whether blocks are projected by least squares and not rounded.
fn is_real_least_squares(mechanism: &Mechanism) -> bool {
    let squares = ["project-l2", "project-nonnegative"];
    let plan = &mechanism.plan;
    plan.is_projected() && !plan.law.is_integer() && plan.blocks.iter().all(|block| squares.contains(&block.operator()))
}

/// The variance of a cell in theory, where a formula is known: one total over its block, and
/// nothing else.
fn expected_by_part(mechanism: &Mechanism, partition: &Partition) -> Vec<Option<f64>> {
    // Cells that totals fix have no variance.
    let mut known: Vec<Option<f64>> = vec![Some(0.0); mechanism.counts.len()];
    let mut by_size: HashMap<(bool, usize), Option<f64>> = HashMap::new();
    for block in &mechanism.plan.blocks {
        let free = matches!(block.block.structure, Structure::Free);
        let variance = *by_size.entry((free, block.block.size)).or_insert_with(|| expected(mechanism, &block.block));
        block.block.cells.iter().for_each(|cell| known[*cell as usize] = variance);
    }
    partition.means(|cell| known[cell])
}

/// The variance of the cells of a block in theory.
fn expected(mechanism: &Mechanism, block: &analyse::Block) -> Option<f64> {
    let plan = &mechanism.plan;
    if mechanism.case.conditions.has_inequalities() || !plan.queries.is_empty() {
        return None;
    }
    let method = match plan.method {
        method if method.conditions => theory::Method::Conditioning,
        method if !method.keeps => theory::Method::Unconstrained,
        _ if is_real_least_squares(mechanism) => theory::Method::Projection,
        _ => return None,
    };
    match block.structure {
        Structure::Free => theory::variance(theory::Method::Unconstrained, &plan.law, 1),
        Structure::OneTotal { .. } => theory::variance(method, &plan.law, block.size as u64),
        _ => None,
    }
}

/// Theorem 11 for every block with one total and counts at or above zero; the largest of them.
fn bias_bound(mechanism: &Mechanism) -> Option<f64> {
    let plan = &mechanism.plan;
    let applies = is_real_least_squares(mechanism)
        && mechanism.case.conditions.nonnegative
        && mechanism.case.conditions.rules.is_empty()
        && plan.queries.is_empty();
    if !applies || plan.law.growth() != Growth::Absolute {
        return None;
    }
    let bound = |block: &plan::PlannedBlock| {
        let counts: Vec<i64> = block.block.cells.iter().map(|cell| mechanism.counts[*cell as usize]).collect();
        let least = counts.iter().copied().min()?.max(0) as u64;
        let ball = zhu::ball::laplace(least as f64, counts.len() as u64, 1.0 / plan.law.parameter().to_f64());
        matches!(block.block.structure, Structure::OneTotal { .. })
            .then(|| zhu::bias_bound(zhu::farthest(&counts), ball))
    };
    plan.blocks.iter().map(bound).try_fold(0.0, |largest: f64, bound| Some(largest.max(bound?)))
}

/// The loss that is claimed for two tables at this ℓ₁ distance and squared ℓ₂ distance: ε, and the
/// δ at which. That of the nearest pair where they are one; else what the loss per unit says, for
/// pure loss by the ℓ₁ norm. `None` where no claim is about them.
///
/// Concentrated losses grow with the squared distance: two tables at the ℓ₁ distance of the nearest
/// pair that are farther apart than it by that measure are no nearest pair.
pub(super) fn claimed(loss: &Loss, per: Per, distance: u64, squared: u64) -> Option<(Rational, Rational)> {
    let delta = if loss.is_concentrated() { Rational::new(1, 1_000_000u32) } else { loss.delta()? };
    let nearest = &loss.nearest;
    if !loss.is_concentrated() && distance == nearest.distance {
        return Some((nearest.amount.epsilon()?.clone(), delta));
    }
    if loss.by_records {
        // Records that move by one each: the squared distance is least.
        let is_nearest = distance == nearest.distance && squared == distance;
        return nearest.implied.clone().filter(|_| is_nearest).map(|epsilon| (epsilon, delta));
    }
    // What one privacy unit may own was multiplied into a loss per record.
    let rows = loss.owner.as_ref().map_or(1, |owner| owner.rows);
    let units = if per == Per::Unit { Rational::integer(1) } else { Rational::integer(loss.footprint * rows) };
    match loss.rho() {
        Some(rho) => {
            let units = if per == Per::Unit { units } else { &units * &Rational::integer(rows) };
            let rho = &(rho * &Rational::integer(squared)) / &units;
            let is_nearest = distance == nearest.distance && rho <= *nearest.amount.size();
            let certified = nearest.implied.clone().filter(|_| is_nearest);
            Some((certified.or_else(|| loss.amount.with_size(rho).implied_at(&delta))?, delta))
        }
        None if loss.norm == Norm::L1 && !delta.is_positive() => {
            Some((&(loss.amount.size() * &Rational::integer(distance)) / &units, delta))
        }
        None => None,
    }
}

/// The loss that a cascade is claimed to have for its table and another one: ε at a δ, from the ρ
/// of this very pair.
fn claimed_of_cascade(mechanism: &Mechanism, cascade: &Cascade, other: &[i64]) -> (Rational, Rational) {
    let cells = mechanism.counts.iter().zip(other).enumerate();
    let change: Vec<(u32, i64)> = cells.map(|(cell, (one, two))| (cell as u32, two - one)).collect();
    let delta = Rational::new(1, 1_000_000u32);
    let implied = mechanism.plan.loss.amount.with_size(cascade.loss(&change)).implied_at(&delta);
    (implied.unwrap_or_else(|| Rational::integer(0)), delta)
}

/// Runs the mechanism on its table and on a neighbour.
fn observe(
    mechanism: &Mechanism,
    options: &AuditOptions,
    told: Listener<'_>,
) -> Result<Result<Observed, String>, Problem> {
    if !mechanism.plan.law.is_integer() {
        return Ok(Err("real-valued noise is never certified".to_owned()));
    }
    let Some(other) = neighbour::neighbour(mechanism)? else {
        return Ok(Err("no table near this one that keeps everything exact was found".to_owned()));
    };
    let apart = |power: u32| -> u64 {
        mechanism.counts.iter().zip(&other).map(|(one, two)| one.abs_diff(*two).pow(power)).sum()
    };
    let distance = apart(1);
    let per = mechanism.case.declaration.mechanism.per;
    let of_pair = match mechanism.plan.cascade() {
        Some(cascade) => Some(claimed_of_cascade(mechanism, cascade, &other)),
        None => claimed(&mechanism.plan.loss, per, distance, apart(2)),
    };
    let Some((claimed, delta)) = of_pair else {
        return Ok(Err(format!(
            "nothing is claimed about two tables at l1 distance {distance}, the nearest that were found"
        )));
    };
    let (claimed, delta) = (claimed.to_f64(), delta.to_f64());
    let second = Mechanism::new(mechanism.case.declaration.clone(), other)?.with_evidence_of(mechanism)?;
    let (noisy, noisy_second) = (mechanism.noisy_sums()?, second.noisy_sums()?);
    let (sampling, sampling_second) = (mechanism.sampling(&noisy)?, second.sampling(&noisy_second)?);
    told(Told::Stage("privacy", 2 * options.runs));
    let settings = Runs { runs: options.runs, delta, ..Runs::default() };
    let tables = [mechanism.counts.as_slice(), second.counts.as_slice()];
    let found = lower_limit(tables, &settings, |side, run| {
        let (sampling, side) = if side == Side::First { (&sampling, 0) } else { (&sampling_second, 1) };
        told(Told::Done(1));
        sampling.draw(&Seeded::draw(options.seed, RUNS_BEGIN + 2 * run + side), &|_| {}).map(draw::Drawn::into_values)
    });
    let visible = largest_visible(options.runs, settings.confidence, delta);
    match found {
        Ok(finding) => Ok(Ok(Observed { distance, claimed, visible, finding })),
        Err(NoFinding::Refused(why)) => Ok(Err(why)),
        Err(NoFinding::Mechanism(problem)) if problem.kind == Kind::System => Err(problem),
        Err(NoFinding::Mechanism(problem)) => Ok(Err(problem.message)),
    }
}

/// Draws of runs are numbered from here, so that they share no bits with the draws of errors.
const RUNS_BEGIN: u64 = 1 << 40;

#[cfg(test)]
mod tests {
    use super::{AuditOptions, audit_counts, claimed};
    use declare::{Declaration, Per};
    use exact::Rational;
    use prepare::Mechanism;

    fn mechanism(data: &str, mechanism: &str) -> Mechanism {
        let spec = format!(
            "title = \"Four cells\"\n[data]\npath = \"none.csv\"\npublic = true\n{data}[dimensions]\ncell = [\"a\", \"b\", \"c\", \
             \"d\"]\n[[invariant]]\nby = []\n[constraints]\nnonnegative = false\n[mechanism]\n{mechanism}"
        );
        Mechanism::new(Declaration::parse_alone(&spec, "spec.toml").unwrap(), vec![3, 5, 0, 9]).unwrap()
    }

    fn pure(mechanism: &Mechanism, per: Per, distance: u64) -> Rational {
        claimed(&mechanism.plan.loss, per, distance, distance).unwrap().0
    }

    #[test]
    fn what_is_claimed_about_two_tables_does_not_grow_with_what_a_unit_owns() {
        let noise = "noise = \"double-geometric\"\nepsilon = \"1\"\nper = \"record\"\n";
        let one = mechanism("", noise);
        let five = mechanism("unit = \"person\"\nrows_per_unit = 5\n", noise);
        for distance in [2, 4, 10] {
            let expected = Rational::new(distance, 2u8);
            assert_eq!(pure(&one, Per::Record, distance), expected);
            assert_eq!(pure(&five, Per::Record, distance), expected);
        }
        let unit = mechanism("", "noise = \"double-geometric\"\nepsilon = \"1/4\"\nper = \"unit\"\n");
        assert_eq!(pure(&unit, Per::Unit, 6), Rational::new(3, 2u8));
        let gaussian = "noise = \"discrete-gaussian\"\nrho = \"1/8\"\nper = \"record\"\n";
        let (one, five) = (mechanism("", gaussian), mechanism("unit = \"person\"\nrows_per_unit = 5\n", gaussian));
        for (distance, squared) in [(2, 2), (4, 4), (4, 8)] {
            let of = |mechanism: &Mechanism| claimed(&mechanism.plan.loss, Per::Record, distance, squared).unwrap();
            assert_eq!(of(&one), of(&five));
        }
    }

    #[test]
    fn theory_is_told_only_where_it_holds() {
        let options = AuditOptions { draws: 20, runs: 20, seed: 1, on: None };
        let audited = |lines: &str| {
            let mechanism = mechanism("", lines);
            audit_counts(mechanism.case.declaration, mechanism.counts, &options, &|_| {}).unwrap()
        };
        let conditioned = audited("noise = \"double-geometric\"\nepsilon = \"1\"\n");
        assert!(conditioned.unbiased && conditioned.expected[0].is_some());
        let rounded = audited("noise = \"double-geometric\"\nepsilon = \"1\"\nmethod = \"project\"\n");
        assert!(!rounded.unbiased && rounded.expected[0].is_none() && rounded.bias_bound.is_none());
        let squares = audited("noise = \"laplace\"\nepsilon = \"1\"\nmethod = \"project\"\n");
        assert!(squares.unbiased && squares.expected[0].is_some() && squares.privacy.runs.is_err());
        let absolute =
            audited("noise = \"laplace\"\nepsilon = \"1\"\nmethod = \"project\"\nsampler = \"project-l1\"\n");
        assert!(!absolute.unbiased && absolute.expected[0].is_none());
    }
}
