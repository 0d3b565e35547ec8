//! What a page may say of the errors of a release: a function of its plan and conditions alone, so
//! that `verify` finds the same.

use crate::intervals::Intervals;
use ::infer::group_reaches;
use analyse::Structure;
use certify::{Certificate, restore, verify};
use declare::{Conditions, Domain, Fold, Problem};
use plan::{Case, NoReach, Plan, PlannedBlock, group_reach, law_of_part};
use report::{CellReach, Figures, Known, MOST_SHOWN, Noise, Release, SumReach, wanted_sums};

/// More values of a law are not drawn as a picture.
const MOST_POINTS: usize = 20_000;

/// What is known of the errors of a release with these intervals.
pub fn known(
    domain: &Domain,
    plan: &Plan,
    conditions: &Conditions,
    fold: Option<&Fold>,
    intervals: &Result<Intervals, NoReach>,
) -> Known {
    if plan.is_suppressed() {
        return Known::nothing("no count is published");
    }
    let cells = match intervals {
        Ok(intervals) => {
            let reach = |cell: usize| u32::try_from(intervals.reach(cell)).unwrap_or(u32::MAX);
            let first = (0..domain.len().min(MOST_SHOWN)).map(reach).collect();
            Ok(CellReach { first, ends: intervals.ends(domain.len()) })
        }
        Err(reason) => Err(reason.in_words().to_owned()),
    };
    let told = cells.is_ok() && fold.is_none();
    let sums = if told { wanted_sums(domain) } else { Vec::new() };
    let quick = plan.sums_are_ranked(sums.len());
    let sums = sums.into_iter().filter_map(|dimensions| reach_of(domain, plan, conditions, dimensions, quick));
    Known { cells, sums: sums.collect(), noise: noise(plan) }
}

/// The report of a release whose table is in memory: what follows from its certificate and its
/// counts; of totals alone there are none.
///
/// # Errors
/// When the certificate does not hold for the counts.
pub fn report_of(certificate: &Certificate, counts: &[i64]) -> Result<String, Problem> {
    let restored = restore(certificate, usize::MAX)?;
    let plan = verify(certificate, &restored, counts)?.1;
    let Case { domain, conditions, fold, .. } = &restored;
    let intervals = Intervals::of(&plan, conditions, fold.as_ref());
    let known = known(domain, &plan, conditions, fold.as_ref(), &intervals);
    let figures = if certificate.is_suppressed() { Figures::new(domain) } else { Figures::of(domain, counts) };
    Ok(report::html(&Release { certificate, domain, figures: &figures, known: &known }))
}

/// How far the noise of the sums along dimensions reaches, if that is told.
fn reach_of(
    domain: &Domain,
    plan: &Plan,
    conditions: &Conditions,
    dimensions: Vec<usize>,
    quick: bool,
) -> Option<SumReach> {
    let sizes: Vec<usize> = dimensions.iter().map(|place| domain.schema.dimensions[*place].values.len()).collect();
    let groups: usize = sizes.iter().product();
    let mut group_of = Vec::with_capacity(domain.len());
    let mut walk = domain.walk();
    while let Some((_, codes)) = walk.advance() {
        let group = dimensions.iter().zip(&sizes).fold(0, |group, (place, size)| group * size + codes[*place]);
        group_of.push(u32::try_from(group).ok()?);
    }
    let reach = match group_reach(plan, groups, &group_of) {
        Ok(reach) => reach,
        Err(NoReach::Crossing | NoReach::NoisySums) if quick => {
            group_reaches(plan, conditions, groups, &group_of)?.reach
        }
        Err(_) => return None,
    };
    Some(SumReach { dimensions, reach })
}

/// The law of the noise of one count: that of the release where all counts have the same, or else
/// that before anything is made to hold.
fn noise(plan: &Plan) -> Option<Noise> {
    let one_level = plan.cascade.as_ref().is_none_or(|cascade| cascade.levels.len() == 1);
    // Where tables are weighted the noise alone says little about a count.
    if !plan.queries.is_empty() || !one_level || plan.law.base().is_some() {
        return None;
    }
    let bare = !plan.nonnegative && !plan.pinned && plan.rules.is_empty() && !plan.is_projected();
    let total = |planned: &PlannedBlock| match planned.block.structure {
        Structure::Free => Some(None),
        Structure::OneTotal { .. } => Some(Some(planned.block.size)),
        _ => None,
    };
    let mut totals = plan.blocks.iter().map(|planned| total(planned).filter(|_| planned.is_noise()));
    let first = totals.next().flatten().filter(|_| bare);
    let same = first.filter(|first| totals.all(|other| other == Some(*first)));
    let half = law_of_part(&plan.law, 1, same.flatten())?;
    (half.len() <= MOST_POINTS).then_some(Noise { half, before: same.is_none() })
}
