//! Energies of differences of tables under the noise of a release: minus the logarithms of their
//! weights.

use crate::release::Release;
use declare::NO_GROUP;
use draw::NoiseLaw;

/// The weight of this much noise in one cell: e^{−energy}.
pub(crate) fn weight_of(law: &NoiseLaw, away: i64) -> f64 {
    (-law.energy(away).to_f64()).exp()
}

/// The energy of the difference of two tables under the noise of a release; cells that its totals
/// determine have none.
pub(crate) fn energy(release: &Release, drawn: &[i64], centre: &[i64]) -> f64 {
    let plan = &release.plan;
    if release.conditions.queries.is_empty() {
        return plan.law.energy_of(free_cells(release, drawn.len()).map(|cell| drawn[cell] - centre[cell]));
    }
    let mut is_free = vec![true; drawn.len()];
    plan.fixed.iter().for_each(|(cell, _)| is_free[*cell] = false);
    let mut sum = 0.0;
    for (query, planned) in release.conditions.queries.iter().zip(&plan.queries) {
        let grouping = &query.grouping;
        let mut differences = vec![0i64; grouping.groups()];
        let mut moves = vec![false; grouping.groups()];
        for (cell, group) in grouping.group_of.iter().enumerate().filter(|(_, group)| **group != NO_GROUP) {
            differences[*group as usize] += grouping.taken(cell) * (drawn[cell] - centre[cell]);
            moves[*group as usize] |= is_free[cell];
        }
        let moved = differences.iter().zip(&moves).filter(|(_, moves)| **moves);
        sum += planned.rate.to_f64() * moved.map(|(difference, _)| difference.unsigned_abs() as f64).sum::<f64>();
    }
    sum
}

/// The logarithm of the weight of counts under the base measure of a law: zero without one.
pub(crate) fn log_base(law: &NoiseLaw, counts: impl Iterator<Item = (u32, i64)>) -> f64 {
    let Some(base) = law.base() else { return 0.0 };
    let factor = |cell: u32| base.factor_of(cell).map(|factor| &base.factors()[factor as usize]);
    counts.map(|(cell, count)| factor(cell).map_or(0.0, |factor| factor.log(count))).sum()
}

/// The logarithm of the base weight of all cells of a table that the totals of a release do not
/// determine.
pub(crate) fn log_base_of_table(release: &Release, table: &[i64]) -> f64 {
    log_base(&release.plan.law, free_cells(release, table.len()).map(|cell| (cell as u32, table[cell])))
}

/// The cells that the totals of a release do not determine.
fn free_cells(release: &Release, cells: usize) -> impl Iterator<Item = usize> {
    let mut fixed = release.plan.fixed.iter().map(|(cell, _)| *cell).peekable();
    (0..cells).filter(move |cell| fixed.next_if_eq(cell).is_none())
}

/// ln Σ e^{log}.
pub(crate) fn log_of_sum(logs: &[f64]) -> f64 {
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    match largest == f64::NEG_INFINITY {
        true => largest,
        false => largest + logs.iter().map(|log| (log - largest).exp()).sum::<f64>().ln(),
    }
}
