//! The exact loss of every two neighbouring tables of a block that has few tables.

use analyse::{Demand, Fibre, Ground, ListLimits};
use declare::Problem;
use draw::NoiseLaw;
use exact::{Enclosure, Rational};
use plan::Cascade;
use prepare::Mechanism;

/// Blocks with more cells or tables are not enumerated.
const LIMITS: ListLimits = ListLimits { cells: 64, tables: 250, values: 16_000, work: 2_000_000 };
const BITS: usize = 128;

/// The largest loss of two neighbouring tables, computed from the law itself.
#[derive(Debug, Clone)]
pub struct ExactLoss {
    /// The tables of the block.
    pub tables: usize,
    /// The pairs of tables that were looked at.
    pub pairs: u64,
    /// Their ℓ₁ distance, at most.
    pub distance: u64,
    /// The largest loss, rounded up.
    pub loss: Rational,
    /// The loss, rounded down.
    pub least: Rational,
    /// The loss that is claimed for this distance.
    pub claimed: Rational,
    /// Whether losses are ρ: the largest Rényi divergence over its order, for orders from 1.01
    /// to 100. Otherwise they are ε.
    pub concentrated: bool,
}

impl ExactLoss {
    /// Whether the law loses more than is claimed.
    pub fn is_contradicted(&self) -> bool {
        self.least > self.claimed
    }
}

/// Why nothing is listed.
const NOT_CONDITIONED: &str = "only noise given what is exact is listed, not projections";
const ANOTHER_LAW: &str = "only double geometric noise in every cell or sum is listed";
const WALKED: &str = "a walk comes close to its law, and only the law itself is listed";
const PINNED: &str = "totals pinned to values that are not the table's own are not listed";
const TOO_MANY: &str = "no block has so few tables that its law can be listed";

/// The block with the most tables that can be enumerated, where pure loss and conditioning are
/// claimed; or why there is none.
pub(super) fn worst_of_fibre(mechanism: &Mechanism) -> Result<Result<ExactLoss, &'static str>, Problem> {
    let Mechanism { case, analysis, plan, .. } = mechanism;
    let conditions = &case.conditions;
    let pure = plan.law.geometric().is_some() && !plan.loss.is_concentrated();
    if let Some(cascade) = plan.cascade() {
        return worst_of_cascade(mechanism, cascade);
    }
    match () {
        () if !plan.method.conditions => return Ok(Err(NOT_CONDITIONED)),
        () if !pure => return Ok(Err(ANOTHER_LAW)),
        () if plan.needs_evidence() => return Ok(Err(WALKED)),
        () if conditions.pinned.iter().any(Option::is_some) => return Ok(Err(PINNED)),
        () => {}
    }
    let ground = Ground::new(conditions, &analysis.particular, &analysis.fixed);
    let mut found: Option<(Fibre, Vec<Vec<i64>>)> = None;
    for block in analysis.blocks.iter().filter(|block| block.cells.len() <= LIMITS.cells) {
        let fibre = Fibre::new(conditions, &ground, &block.cells)?;
        if let Ok(listed) = fibre.listed(&LIMITS)
            && listed.len() > found.as_ref().map_or(1, |(_, tables)| tables.len())
        {
            let tables = listed.tables().map(<[i64]>::to_vec).collect();
            found = Some((fibre, tables));
        }
    }
    let Some((fibre, tables)) = found else { return Ok(Err(TOO_MANY)) };
    let rates: Vec<Rational> = plan.queries.iter().map(|query| query.rate.clone()).collect();
    let energy = |centre: &[i64], table: &[i64]| energy(&fibre, &plan.law, &rates, centre, table);
    let weighed: Vec<Rational> = tables.iter().map(|table| weight(&fibre, &plan.law, table)).collect();
    let normalisers: Vec<Enclosure> = tables
        .iter()
        .map(|centre| {
            let zero = Enclosure::from_integer(0, BITS);
            let weights = tables.iter().zip(&weighed).map(|(table, weight)| {
                &Enclosure::exp_rational(&-energy(centre, table), BITS) * &Enclosure::from_rational(weight, BITS)
            });
            weights.fold(zero, |sum, weight| &sum + &weight)
        })
        .collect();
    let Some(logs) = normalisers.iter().map(Enclosure::ln).collect::<Option<Vec<Enclosure>>>() else {
        return Ok(Err(TOO_MANY));
    };
    let apart = |one: &[i64], two: &[i64]| one.iter().zip(two).map(|(one, two)| one.abs_diff(*two)).sum::<u64>();
    let distances =
        tables.iter().enumerate().flat_map(|(place, one)| tables[..place].iter().map(move |two| apart(one, two)));
    let Some(distance) = distances.min() else { return Ok(Err(TOO_MANY)) };
    let (mut loss, mut least, mut pairs) = (Rational::integer(0), Rational::integer(0), 0);
    for (first, one) in tables.iter().enumerate() {
        for (second, two) in tables.iter().enumerate().filter(|(_, two)| *two != one && apart(one, two) == distance) {
            pairs += 1;
            // ln(P(y)/Q(y)) = E_Q(y) − E_P(y) + ln Z_Q − ln Z_P
            let released = tables.iter().zip(&weighed).filter(|(_, weight)| weight.is_positive());
            let largest = released.map(|(table, _)| &energy(two, table) - &energy(one, table)).max();
            let shift = &logs[second] - &logs[first];
            if let Some(largest) = largest {
                loss = loss.max(&largest + &shift.upper_rational());
                least = least.max(&largest + &shift.lower_rational());
            }
        }
    }
    let claimed = super::claimed(&plan.loss, mechanism.case.declaration.mechanism.per, distance, u64::MAX);
    let found = claimed.map(|(claimed, _)| ExactLoss {
        tables: tables.len(),
        pairs,
        distance,
        loss,
        least,
        claimed,
        concentrated: false,
    });
    Ok(found.ok_or("nothing is claimed about two tables at the distance of its nearest"))
}

/// A cascade over more tables is not enumerated: every pair of them has a likelihood to compute.
const MOST_CASCADED: usize = 80;
/// The orders of Rényi divergences.
const ORDERS: [f64; 9] = [1.01, 1.1, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0, 100.0];
/// Likelihoods are sums of machine numbers, each within about 10⁻¹² of its size.
const ROUNDING: f64 = 1e-9;

/// The loss of a cascade over one block: the largest D_α/α of two neighbouring tables against the ρ
/// that is claimed of them.
fn worst_of_cascade(mechanism: &Mechanism, cascade: &Cascade) -> Result<Result<ExactLoss, &'static str>, Problem> {
    let Mechanism { case, analysis, counts, .. } = mechanism;
    let conditions = &case.conditions;
    let ground = Ground::new(conditions, &analysis.particular, &analysis.fixed);
    let [block] = analysis.blocks.as_slice() else { return Ok(Err(TOO_MANY)) };
    let listed = Fibre::new(conditions, &ground, &block.cells)?.listed(&LIMITS);
    let Some(listed) = listed.ok().filter(|listed| (2..=MOST_CASCADED).contains(&listed.len())) else {
        return Ok(Err(TOO_MANY));
    };
    let whole = |values: &[i64]| {
        let mut table = counts.clone();
        block.cells.iter().zip(values).for_each(|(cell, value)| table[*cell as usize] = *value);
        table
    };
    let tables: Vec<Vec<i64>> = listed.tables().map(whole).collect();
    let law = |centre: &Vec<i64>| tables.iter().map(|table| cascade.log_likelihood(centre, table)).collect();
    let laws: Vec<Vec<f64>> = tables.iter().map(law).collect::<Result<_, Problem>>()?;
    let change = |one: usize, two: usize| -> Vec<(u32, i64)> {
        let cells = tables[one].iter().zip(&tables[two]).enumerate();
        cells.map(|(cell, (one, two))| (cell as u32, one - two)).filter(|(_, by)| *by != 0).collect()
    };
    let apart = |one: usize, two: usize| change(one, two).iter().map(|(_, by)| by.unsigned_abs()).sum::<u64>();
    let all = || (0..tables.len()).flat_map(|one| (0..tables.len()).map(move |two| (one, two)));
    let Some(distance) = all().filter(|(one, two)| one != two).map(|(one, two)| apart(one, two)).min() else {
        return Ok(Err(TOO_MANY));
    };
    let (mut pairs, mut worst) = (0, (0.0f64, 0.0f64));
    for (one, two) in all().filter(|(one, two)| apart(*one, *two) == distance) {
        pairs += 1;
        let claimed = cascade.loss(&change(one, two)).to_f64();
        let found = ORDERS.iter().map(|order| divergence(&laws[one], &laws[two], *order) / order).fold(0.0, f64::max);
        // The pair that comes closest to what is claimed of it.
        if worst.1 == 0.0 || found / claimed > worst.0 / worst.1 {
            worst = (found, claimed);
        }
    }
    // Twelve decimals, as many as the likelihoods are good for.
    let rational = |value: f64| Rational::new((value * 1e12).round() as i64, 1_000_000_000_000u64);
    Ok(Ok(ExactLoss {
        tables: tables.len(),
        pairs,
        distance,
        loss: rational(worst.0),
        least: rational((worst.0 - ROUNDING).max(0.0)),
        claimed: rational(worst.1),
        concentrated: true,
    }))
}

/// The Rényi divergence of an order between two laws, given by logarithms.
fn divergence(one: &[f64], other: &[f64], order: f64) -> f64 {
    let exponents: Vec<f64> = one.iter().zip(other).map(|(p, q)| order * p + (1.0 - order) * q).collect();
    let top = exponents.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = exponents.iter().map(|exponent| (exponent - top).exp()).sum();
    (top + sum.ln()) / (order - 1.0)
}

/// The weight of a table under the base measure: 1 without one.
fn weight(fibre: &Fibre, law: &NoiseLaw, table: &[i64]) -> Rational {
    let one = Rational::integer(1);
    let Some(base) = law.base() else { return one };
    let factor = |(cell, value): (&u32, &i64)| {
        let factor = base.factor_of(*cell).map(|factor| &base.factors()[factor as usize]);
        factor.map_or_else(|| Rational::integer(1), |factor| factor.weight(*value))
    };
    fibre.cells.iter().zip(table).map(factor).fold(one, |product, factor| &product * &factor)
}

/// The negative log-weight of a table around a centre.
fn energy(fibre: &Fibre, law: &NoiseLaw, rates: &[Rational], centre: &[i64], table: &[i64]) -> Rational {
    let mut energy = Rational::integer(0);
    if fibre.noise_on_cells {
        energy = centre.iter().zip(table).fold(energy, |sum, (centre, value)| &sum + &law.energy(value - centre));
    }
    for row in &fibre.rows {
        if let Demand::Noisy { query, .. } = row.demand {
            let moved: i64 = row
                .entries
                .iter()
                .map(|(place, times)| times * (table[*place as usize] - centre[*place as usize]))
                .sum();
            energy = &energy + &(&rates[query as usize] * &Rational::integer(moved.unsigned_abs()));
        }
    }
    energy
}
