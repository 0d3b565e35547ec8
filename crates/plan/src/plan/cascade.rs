//! Plans `method = "cascade"`: its levels of noise, what it costs, and how the table is drawn.

mod outline;

use crate::blocks::joined;
use crate::cascade::{CascadeLevel, CascadeOperator, Cascaded, PlannedCascade, PlannedPlaces, SPLITS, paying};
use crate::case::Case;
use crate::noise::strength_of;
use crate::planned::{Plan, PlannedBlock, Refused, ReleaseMethod};
use crate::price::{self, PairLoss};
use crate::registry::registry;
use analyse::Analysis;
use cascade::Cascade;
use declare::{Conditions, Declaration, Footprint, Kind, Mechanism, Method, NO_GROUP, Per, Problem};
use draw::{NoiseLaw, Operator, PlannedWork};
use exact::Rational;
use loss::{Amount, Loss, Theorem, rounded_up};
use outline::CascadeRules;
use std::collections::HashMap;
use std::sync::Arc;

pub(super) static CASCADE: ReleaseMethod = ReleaseMethod {
    splits: true,
    ..ReleaseMethod::new(
        Method::Cascade,
        "totals are split from above, with noise in every split and within all that must hold",
        cascaded,
    )
};

/// Plans a cascade.
///
/// # Errors
/// Refused with the reason where a cascade does not draw what is declared.
fn cascaded(method: &'static ReleaseMethod, case: &Case, analysis: &Analysis) -> Result<Plan, Problem> {
    let Case { declaration, domain, conditions, fold } = case;
    let mechanism = &declaration.mechanism;
    check(mechanism, conditions, analysis)?;
    let values = mechanism.order.as_ref().map(|order| order.of_cells(domain)).transpose()?;
    let levels = levels(case, analysis);
    let (work, levels, kappa): (Arc<dyn PlannedWork>, _, _) = match fold {
        Some(_) => {
            let (work, levels, kappa) = PlannedPlaces::paid(conditions, analysis, levels)?;
            (Arc::new(work), levels, kappa)
        }
        None => {
            let made = |rules: &CascadeRules, conditions: &Conditions| paid(rules, conditions, levels.clone());
            let (cascade, levels, kappa) = attempted(declaration, conditions, values.as_deref(), made)?;
            (Arc::new(PlannedCascade::new(cascade)), levels, kappa)
        }
    };
    let loss = loss(mechanism, &levels, &kappa, analysis);
    let finest = levels.last().map_or_else(|| Rational::integer(1), |level| level.variance.clone());
    let unused = |operator: &'static dyn Operator| Refused {
        operator: operator.name(),
        reason: "method = \"cascade\" does not use it".to_owned(),
    };
    let blocks = joined(&analysis.blocks, SPLITS).map_or_else(|| analysis.blocks.clone(), |whole| vec![whole]);
    let others = registry().operators().filter(|operator| operator.name() != CascadeOperator.name());
    Ok(Plan {
        refused: others.map(unused).collect(),
        blocks: blocks.into_iter().map(|block| PlannedBlock { block, work: work.clone() }).collect(),
        cascade: Some(Cascaded {
            levels,
            kappa,
            ordered_by: mechanism.order.as_ref().map(|order| order.sha256.clone()),
        }),
        ..Plan::bare(method, conditions, analysis, NoiseLaw::discrete_gaussian(finest), loss)
    })
}

/// The cascade of what is declared, whose noise is paid for; that noise, and κ.
fn paid(
    prepared: &CascadeRules,
    conditions: &Conditions,
    levels: Vec<CascadeLevel>,
) -> Result<(Cascade, Vec<CascadeLevel>, Rational), Problem> {
    let made = |levels: &[CascadeLevel]| {
        let variances: Vec<Rational> = levels.iter().map(|level| level.variance.clone()).collect();
        Cascade::new(&prepared.outline(conditions, &variances))
    };
    paying(levels, made, Cascade::kappa)
}

/// The cascade of a plan without bounds and rules: its noise is the same around every table.
///
/// # Errors
/// Refused where such a table is not drawn by a cascade, or its order is not at hand.
pub fn free_cascade(case: &Case, plan: &Plan) -> Result<Cascade, Problem> {
    let Case { declaration, domain, conditions, .. } = case;
    let Some(cascaded) = &plan.cascade else { return Err(Problem::refused("the plan is not a cascade")) };
    let variances: Vec<Rational> = cascaded.levels.iter().map(|level| level.variance.clone()).collect();
    let mut free = declaration.clone();
    free.constraints.nonnegative = false;
    free.constraints.rules.clear();
    let own = Conditions { nonnegative: false, rules: Vec::new(), ..conditions.clone() };
    let values = declaration.mechanism.order.as_ref().map(|order| order.of_cells(domain)).transpose()?;
    attempted(&free, &own, values.as_deref(), |rules, conditions| Cascade::new(&rules.outline(conditions, &variances)))
}

/// What is made of the rules of the cells, or of all combinations of values: combinations that are
/// no cells leave holes in tables whose totals cross, and there they stand as cells that are zero.
fn attempted<T>(
    declaration: &Declaration,
    conditions: &Conditions,
    values: Option<&[f64]>,
    made: impl Fn(&CascadeRules, &Conditions) -> Result<T, Problem>,
) -> Result<T, Problem> {
    match made(&CascadeRules::new(conditions, values)?, conditions) {
        Err(problem) if problem.kind == Kind::Refused && !declaration.constraints.zero.is_empty() => {
            let (whole, live) = all_combinations(declaration)?;
            made(&CascadeRules::among(&whole, values, live)?, &whole)
        }
        made => made,
    }
}

/// What is declared, over all combinations of values, and which of these are cells.
fn all_combinations(declaration: &Declaration) -> Result<(Conditions, Vec<u32>), Problem> {
    let mut whole = declaration.clone();
    whole.constraints.zero.clear();
    let (cells, combinations) = (declaration.domain()?, whole.domain()?);
    let live = (0..combinations.len()).filter(|combination| cells.cell_of(*combination).is_some());
    let live = live.map(|combination| combination as u32).collect();
    Ok((whole.conditions(&combinations)?, live))
}

fn check(mechanism: &Mechanism, conditions: &Conditions, analysis: &Analysis) -> Result<(), Problem> {
    if mechanism.noise != declare::Noise::DISCRETE_GAUSSIAN {
        return Err(Problem::refused("a cascade splits totals with discrete Gaussian noise")
            .hint("write noise = \"discrete-gaussian\" and rho"));
    }
    if analysis.moves.pinned {
        return Err(Problem::refused(
            "a cascade splits the totals of the table, and some are pinned to values that are not its own",
        )
        .hint("leave out invariants with `from` or `values`, or use method = \"condition\""));
    }
    if mechanism.per == Per::Unit && !conditions.queries.is_empty() {
        return Err(Problem::refused(
            "noise on several levels has no loss per unit of distance: how far sums move depends on the cells that moved",
        )
        .hint("write per = \"record\", or leave the queries out"));
    }
    let is_whole = |query: &declare::QueryRows| {
        query.grouping.groups() == conditions.cells && !query.grouping.group_of.contains(&NO_GROUP)
    };
    if !conditions.queries.is_empty() && !conditions.queries.iter().any(is_whole) {
        return Err(Problem::refused("no query has noise on the cells themselves")
            .hint("a cascade draws every number: add a [[mechanism.query]] by all dimensions with a share of rho"));
    }
    Ok(())
}

/// The levels with the noise that their parts of ρ buy, before whole numbers are paid for.
fn levels(case: &Case, analysis: &Analysis) -> Vec<CascadeLevel> {
    let Case { declaration: Declaration { mechanism, .. }, conditions, fold, .. } = case;
    let (two, measures) = (Rational::integer(2), analysis.moves.measures);
    // Of a folded table the small one has fewer cells, and as many sums of each other kind.
    let unfolded = |sums: usize| match fold {
        Some(fold) if sums == fold.domain.len() => fold.cells(),
        _ => sums,
    };
    let footprint = |footprint: u64| match mechanism.per {
        Per::Record => footprint,
        Per::Unit => 1,
    };
    let level = |label: String, sums: usize, rho: Rational, footprint: u64| CascadeLevel {
        label,
        sums: unfolded(sums),
        variance: &Rational::integer(footprint) / &(&two * &rho),
        rho,
        footprint,
    };
    if conditions.queries.is_empty() {
        let rho = strength_of(mechanism).clone();
        return vec![level("every cell".to_owned(), conditions.cells, rho, footprint(2 * measures))];
    }
    let queries = conditions.queries.iter();
    queries
        .map(|query| {
            let grouping = &query.grouping;
            let moved = footprint(2 * most_moved(&grouping.group_of, &conditions.footprint));
            level(grouping.label.clone(), grouping.groups(), query.strength.clone(), moved)
        })
        .collect()
}

/// How much one record adds to the sums of a query at most: the sum of squares. A sum over several
/// measures may take a record several times.
fn most_moved(group_of: &[u32], footprint: &Footprint) -> u64 {
    let Footprint::EveryMeasure { place, .. } = footprint else { return 1 };
    let mut times: HashMap<(u32, u32), u64> = HashMap::new();
    for (place, group) in place.iter().zip(group_of).filter(|(_, group)| **group != NO_GROUP) {
        *times.entry((*place, *group)).or_default() += 1;
    }
    let mut of_place: HashMap<u32, u64> = HashMap::new();
    times.into_iter().for_each(|((place, _), times)| *of_place.entry(place).or_default() += times * times);
    of_place.into_values().max().unwrap_or(1)
}

/// What the cascade costs: the noise was made larger by 1 + κ, so this is what was declared.
fn loss(mechanism: &Mechanism, levels: &[CascadeLevel], kappa: &Rational, analysis: &Analysis) -> Loss {
    let factor = &(&Rational::integer(1) + kappa) / &Rational::integer(2);
    let pair = PairLoss::new(&analysis.moves);
    // A group takes at most half of a pair's ℓ₁ distance up and as much down.
    let moved = |level: &CascadeLevel| match level.sums == analysis.cells {
        true => pair.squared,
        false => pair.distance.saturating_mul(pair.distance).div_ceil(2),
    };
    let of_level = |level: &CascadeLevel| &(&Rational::integer(moved(level)) * &factor) / &level.variance;
    let rho = levels.iter().map(of_level).fold(Rational::integer(0), |sum, part| &sum + &part);
    let nearest = pair.losing(Amount::ZeroConcentrated { rho: rounded_up(&rho) });
    let loss = Loss::concentrated(strength_of(mechanism).clone(), mechanism.per, 2 * analysis.moves.measures, nearest);
    price::by(Theorem::G11, Loss { gamma: kappa.clone(), ..loss })
}
