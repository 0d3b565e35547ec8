//! Methods side by side on one table, at equal certified loss: what each does to the counts.

mod coverage;
mod json;
mod sweep;
mod text;

use crate::{Listener, Told, check_draws, operators};

use audit::comparison::{Compared, Comparison, Outcome};
use audit::measure::{Errors, Level, LevelErrors, Partition, broken};
use coverage::Covered;
use declare::{Conditions, Declaration, Grouping, Method, NO_GROUP, Part, Problem, Strength};
use exact::{Rational, Seeded};
pub use json::{comparison_json, sweep_json};
use pay::public_counts;
use plan::ReleaseMethod;
use prepare::{Given, Mechanism, Quiet, Sample, StandIn, group_sizes};
use std::time::Instant;
pub use sweep::{Strengths, Sweep, compare_at, sweep_page};
pub use text::{comparison_text, sweep_text};

/// How methods are compared.
#[derive(Debug, Clone)]
pub struct CompareOptions {
    /// The draws of each method.
    pub draws: u64,
    /// Makes the draws reproducible.
    pub seed: u64,
    /// Public rows with the columns of the data, used instead of them.
    pub on: Option<StandIn>,
}

/// A method that takes part.
struct Contender {
    name: &'static str,
    method: Method,
    sampler: Option<&'static str>,
    /// Without bounds and rules: what it cannot keep, or what it is compared without.
    equalities_only: bool,
    /// Without the public order that the spec declares.
    in_declared_order: bool,
}

const fn contender(name: &'static str, method: Method, sampler: Option<&'static str>) -> Contender {
    Contender { name, method, sampler, equalities_only: false, in_declared_order: false }
}

const fn unbounded(name: &'static str, method: Method, sampler: Option<&'static str>) -> Contender {
    Contender { equalities_only: true, ..contender(name, method, sampler) }
}

/// Conditioning as the spec asks for it: what it is certified at is what the others are compared
/// at.
const CONDITION: &str = "condition";

const CONTENDERS: [Contender; 9] = [
    contender("unconstrained", Method::Unconstrained, None),
    contender(CONDITION, Method::Condition, None),
    unbounded("condition-unbounded", Method::Condition, None),
    contender("cascade", Method::Cascade, None),
    Contender { in_declared_order: true, ..contender("cascade-declared-order", Method::Cascade, None) },
    unbounded("project-l2", Method::Project, Some("project-l2")),
    contender("project-nonnegative", Method::Project, Some("project-nonnegative")),
    contender("project-l1", Method::Project, Some("project-l1")),
    contender("topdown", Method::TopDown, None),
];

/// Draws a table by every method, all at the same certified loss, and summarises their errors.
///
/// Public data only, or a public stand-in. `told` is told which method is drawn, and of every draw.
///
/// # Errors
/// Refused for confidential data without a stand-in, and when no method applies; what cannot be
/// read.
pub fn compare(spec: impl Into<Given>, options: &CompareOptions, told: Listener<'_>) -> Result<Comparison, Problem> {
    check_draws(options.draws)?;
    let (declaration, counts) = public_counts(spec, options.on.as_ref())?;
    compare_counts(&declaration, counts, options, told)
}

/// Compares methods on a table in memory.
pub fn compare_counts(
    declaration: &Declaration,
    counts: Vec<i64>,
    options: &CompareOptions,
    told: Listener<'_>,
) -> Result<Comparison, Problem> {
    let domain = declaration.domain()?;
    let mut conditioned = declaration.clone();
    conditioned.mechanism.method = Method::Condition;
    conditioned.mechanism.sampler = None;
    let asked = conditioned.conditions(&domain)?;
    let kept = Demands::new(&asked, &counts)?;
    let partitions = [Partition::by_count(&counts), Partition::by_sizes(&group_sizes(&asked))];
    let level = |margin: Grouping| Level { name: margin.label.clone(), sums: margin.groups(), sum_of: margin.group_of };
    let levels: Vec<Level> = declaration.margins(&domain)?.into_iter().map(level).collect();
    let measured = Yardstick { counts: &counts, kept: &kept, partitions: &partitions, levels: &levels };
    let reference = match Mechanism::new(conditioned.clone(), counts.clone()) {
        Ok(mechanism) => mechanism.plan.loss.amount.size().clone(),
        Err(_) => declared(declaration),
    };
    let mut methods = Vec::new();
    let mut unit = None;
    for contender in &CONTENDERS {
        told(Told::Stage(contender.name, options.draws));
        let outcome = match one(contender, declaration, &reference, &measured, options, told) {
            Ok((outcome, stated)) => {
                unit = Some(stated);
                Ok(outcome)
            }
            // A bug is not a method that does not apply.
            Err(problem) if problem.kind == declare::Kind::System => return Err(problem),
            Err(problem) if problem.message == NOTHING_NEW => continue,
            Err(problem) => Err(problem.message),
        };
        methods.push(Compared { name: contender.name, outcome });
    }
    let kept = measured.kept.number();
    let Some(unit) = unit else {
        return Err(
            Problem::refused("no method applies to this spec").hint("`congenial explain` says what is in the way")
        );
    };
    let symbol = if matches!(declaration.mechanism.strength, Strength::Rho(_)) { "ρ" } else { "ε" };
    let labels = (0..domain.len()).map(|cell| domain.describe(cell)).collect();
    Ok(Comparison {
        title: declaration.title.clone(),
        stand_in: options.on.as_ref().map(StandIn::shown),
        truth: counts.clone(),
        labels,
        draws: options.draws,
        seed: options.seed,
        loss: format!("{symbol} = {}", plan::decimal(reference.to_f64())),
        unit,
        kept,
        methods,
    })
}

/// What every method is measured by.
struct Yardstick<'a> {
    counts: &'a [i64],
    kept: &'a Demands,
    partitions: &'a [Partition],
    levels: &'a [Level],
}

/// A contender that would repeat another one is left out.
const NOTHING_NEW: &str = "the same as another method";

/// What a release should keep.
struct Demands {
    conditions: Conditions,
    totals: Vec<Vec<f64>>,
}

impl Demands {
    fn new(conditions: &Conditions, counts: &[i64]) -> Result<Demands, Problem> {
        let totals = conditions.totals(counts)?;
        let totals = totals.iter().map(|totals| totals.iter().map(|total| *total as f64).collect()).collect();
        Ok(Demands { conditions: conditions.clone(), totals })
    }

    fn number(&self) -> usize {
        let rules: usize = self.conditions.rules.iter().map(|rule| rule.grouping.groups()).sum();
        self.totals.iter().map(Vec::len).sum::<usize>() + rules
    }

    /// How many totals and rules a table breaks. Sums of real numbers are compared up to rounding.
    fn broken(&self, values: &[f64]) -> u64 {
        let sums = |grouping: &declare::Grouping| {
            let mut sums = vec![0.0; grouping.groups()];
            for (cell, group) in grouping.group_of.iter().enumerate().filter(|(_, group)| **group != NO_GROUP) {
                let times = grouping.times.as_ref().map_or(1, |times| times[cell]);
                sums[*group as usize] += times as f64 * values[cell];
            }
            sums
        };
        let totals = self.conditions.invariants.iter().zip(&self.totals);
        let totals: u64 = totals.map(|(grouping, kept)| broken(kept, &sums(grouping), TOLERANCE)).sum();
        let rules: usize = self
            .conditions
            .rules
            .iter()
            .map(|rule| {
                let bound = rule.bound as f64;
                let holds = |sum: &f64| match rule.relation {
                    declare::Relation::AtMost => *sum <= bound + TOLERANCE,
                    declare::Relation::AtLeast => *sum >= bound - TOLERANCE,
                    declare::Relation::Equal => (*sum - bound).abs() <= TOLERANCE,
                };
                sums(&rule.grouping).iter().filter(|sum| !holds(sum)).count()
            })
            .sum();
        totals + rules as u64
    }
}

/// Sums of real numbers that differ by less are the same; counts differ by one at least.
const TOLERANCE: f64 = 1e-4;

/// The strength that a spec declares.
fn declared(declaration: &Declaration) -> Rational {
    match &declaration.mechanism.strength {
        Strength::Epsilon(value) | Strength::Rho(value) => value.clone(),
    }
}

/// A spec with every strength multiplied.
fn scaled(declaration: &Declaration, factor: &Rational) -> Declaration {
    let mut scaled = declaration.clone();
    let mechanism = &mut scaled.mechanism;
    mechanism.strength = match &mechanism.strength {
        Strength::Epsilon(value) => Strength::Epsilon(value * factor),
        Strength::Rho(value) => Strength::Rho(value * factor),
    };
    for query in &mut mechanism.queries {
        if let Part::Epsilon(value) = &query.part {
            query.part = Part::Epsilon(value * factor);
        }
    }
    scaled
}

/// The mechanism of a method at this certified loss.
fn at_equal_loss(
    contender: &Contender,
    declaration: &Declaration,
    counts: &[i64],
    reference: &Rational,
) -> Result<Mechanism, Problem> {
    let inequalities = declaration.constraints.nonnegative
        || declaration.constraints.rules.iter().any(|rule| rule.relation != declare::Relation::Equal);
    if contender.sampler == Some("project-nonnegative") && !inequalities {
        return Err(Problem::refused("nothing but totals must hold: it is the same as project-l2"));
    }
    let repeated = (contender.name == "condition-unbounded" && !inequalities)
        || (contender.in_declared_order && declaration.mechanism.order.is_none());
    if repeated {
        return Err(Problem::refused(NOTHING_NEW));
    }
    let mut variant = declaration.clone();
    let method = ReleaseMethod::of(contender.method);
    variant.mechanism.method = contender.method;
    if has_other_noise(contender, declaration) {
        variant.mechanism.queries.clear();
    }
    if contender.in_declared_order || !method.splits {
        variant.mechanism.order = None;
    }
    // Other methods do not weigh tables, and weights need counts at or above zero.
    if !method.conditions || contender.equalities_only {
        variant.mechanism.base = None;
    }
    variant.mechanism.sampler = contender.sampler.map(str::to_owned);
    if contender.equalities_only {
        variant.constraints.nonnegative = false;
        variant.constraints.rules.retain(|rule| rule.relation == declare::Relation::Equal);
    }
    let mechanism = Mechanism::new(variant.clone(), counts.to_vec())?;
    let loss = mechanism.plan.loss.amount.size();
    if loss == reference || contender.name == CONDITION {
        return Ok(mechanism);
    }
    // Losses without a price for conditions grow as the strength does.
    let scaled = Mechanism::new(scaled(&variant, &(reference / loss)), counts.to_vec())?;
    match scaled.plan.loss.amount.size() <= reference {
        true => Ok(scaled),
        false => Err(Problem::refused("no noise was found at which it is certified at this loss")),
    }
}

/// Whether a method has its noise in the cells, where the spec has it on several sums: with rho
/// only a cascade has it there.
fn has_other_noise(contender: &Contender, declaration: &Declaration) -> bool {
    let concentrated = matches!(declaration.mechanism.strength, Strength::Rho(_));
    concentrated && !ReleaseMethod::of(contender.method).splits && !declaration.mechanism.queries.is_empty()
}

fn one(
    contender: &Contender,
    declaration: &Declaration,
    reference: &Rational,
    measured: &Yardstick<'_>,
    options: &CompareOptions,
    told: Listener<'_>,
) -> Result<(Outcome, String), Problem> {
    let Yardstick { counts, kept, partitions, levels } = measured;
    let begun = Instant::now();
    let mechanism = at_equal_loss(contender, declaration, counts, reference)?.supported(&Quiet)?;
    let noisy = mechanism.noisy_sums()?;
    let sampling = mechanism.sampling(&noisy)?;
    let preparing = begun.elapsed().as_secs_f64();
    let mut covered = Covered::new(&mechanism);
    let mut errors = Errors::new(counts, partitions);
    let mut levels: Vec<LevelErrors> = levels.iter().cloned().map(LevelErrors::new).collect();
    let mut real_valued = false;
    let mut drawing = 0.0;
    for draw in 0..options.draws {
        let begun = Instant::now();
        let sample = sampling.sample(&Seeded::draw(options.seed, draw), &|_| {})?;
        drawing += begun.elapsed().as_secs_f64();
        let values: Vec<f64> = match sample {
            Sample::Counts(drawn) => drawn.values().iter().map(|value| *value as f64).collect(),
            Sample::Reals(values) => {
                real_valued = true;
                values
            }
        };
        let broken = kept.broken(&values);
        errors.add(&values, broken);
        levels.iter_mut().for_each(|level| level.add(counts, &values));
        if let Some(covered) = &mut covered {
            covered.add(&values, counts);
        }
        told(Told::Done(1));
    }
    let plan = &mechanism.plan;

    let ignored = contender.equalities_only && kept.conditions.has_inequalities();
    let estimated = plan.loss.estimated().map(|estimated| &estimated.delta).filter(|delta| delta.is_positive());
    let remark = match estimated {
        _ if ignored => Some("bounds and inequalities are ignored".to_owned()),
        _ if has_other_noise(contender, declaration) => {
            Some("its noise lies in the cells, not on the sums that the spec gives shares of rho".to_owned())
        }
        Some(delta) => Some(format!("drawn by a walk: certified with δ = {} besides", plan::decimal(delta.to_f64()))),
        None => None,
    };
    let outcome = Outcome {
        operators: operators(plan),
        noise: mechanism.noise_in_words(),
        remark,
        real_valued,
        errors,
        levels,
        coverage: covered.map(Covered::finish),
        preparing,
        drawing: drawing / options.draws as f64,
    };
    Ok((outcome, plan.loss.unit.name().to_owned()))
}
