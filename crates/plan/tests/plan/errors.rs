//! Error profiles against enumeration of all small noise tables.

use crate::small::{Small, epsilon, list, rho, small};
use declare::{NO_GROUP, Noise, Per, Problem, Strength};
use plan::{Spread, cell_reach, error_profile, group_reach};

const REACH: i64 = 11;

/// Two counties of three cells with kept totals, and one county of three free cells.
fn by_county(noise: Noise, strength: Strength) -> Small {
    let county = list(&["Alpha", "Beta", "Gamma"]);
    let sex = list(&["a", "b", "c"]);
    small("Small", vec![("county", county), ("sex", sex)]).keep("county", &[1; 9], |codes| codes[0] < 2).mechanism(
        noise,
        strength,
        Per::Unit,
    )
}

/// The law, on −bound..=bound, of one cell of three that sum to zero.
fn one_of_three(weight: &dyn Fn(i64) -> f64) -> Vec<(i64, f64)> {
    let cell = |u: i64| -> f64 { (-REACH..=REACH).map(|v| weight(v) * weight(-u - v)).sum() };
    (-REACH..=REACH).map(|u| (u, weight(u) * cell(u))).collect()
}

fn spread(law: &[(i64, f64)]) -> (f64, [f64; 4]) {
    let all: f64 = law.iter().map(|(_, mass)| mass).sum();
    let variance = law.iter().map(|(u, mass)| mass * (u * u) as f64).sum::<f64>() / all;
    let quantile = |level: f64| {
        let within = |q: i64| law.iter().filter(|(u, _)| u.abs() <= q).map(|(_, mass)| mass).sum::<f64>();
        (0..).find(|q| within(*q) >= level * all).unwrap_or(0) as f64
    };
    (variance.sqrt(), [0.5, 0.9, 0.95, 0.99].map(quantile))
}

fn assert_spread(found: &Spread, truth: (f64, [f64; 4])) {
    assert!((found.standard_deviation / truth.0 - 1.0).abs() < 1e-4, "{found:?} {truth:?}");
    assert_eq!(found.quantiles, Some(truth.1));
}

fn compare(noise: Noise, strength: Strength, weight: &dyn Fn(i64) -> f64) -> Result<(), Problem> {
    let small = by_county(noise, strength);
    let profile = error_profile(&small.plan()?, &small.domain, None);
    let free: Vec<(i64, f64)> = (-REACH..=REACH).map(|u| (u, weight(u))).collect();
    let kept = one_of_three(weight);
    assert_spread(&profile.cells[0].spread, spread(&free));
    assert_spread(&profile.cells[1].spread, spread(&kept));

    let mut sum: Vec<(i64, f64)> = Vec::new();
    for (u, p) in &kept {
        for (v, q) in &kept {
            sum.extend(free.iter().map(|(w, r)| (u + v + w, p * q * r)));
        }
    }
    let sex = &profile.margins[1];
    assert_eq!((sex.name.as_str(), sex.values.len()), ("sex", 1));
    assert_spread(&sex.values[0].spread, spread(&sum));
    assert!(profile.margins[0].values[0].spread.is_exact());

    // The reach of cells and sums is the 90 % quantile of the same laws.
    let plan = small.plan()?;
    let reach = |law: &[(i64, f64)]| spread(law).1[1] as u32;
    let mut cells = [0; 9];
    for (planned, reach) in plan.blocks.iter().zip(cell_reach(&plan).unwrap()) {
        planned.block.cells.iter().for_each(|cell| cells[*cell as usize] = reach);
    }
    assert_eq!(cells[..6], [reach(&kept); 6]);
    assert_eq!(cells[6..], [reach(&free); 3]);
    let by_sex: Vec<u32> = (0..9).map(|cell| cell % 3).collect();
    assert_eq!(group_reach(&plan, 3, &by_sex), Ok(vec![reach(&sum); 3]));
    let some = [0, 0, 0, 1, NO_GROUP, NO_GROUP, NO_GROUP, 2, NO_GROUP];
    assert_eq!(group_reach(&plan, 3, &some), Ok(vec![0, reach(&kept), reach(&free)]));
    Ok(())
}

#[test]
fn double_geometric() -> Result<(), Problem> {
    compare(Noise::DOUBLE_GEOMETRIC, epsilon("3/2"), &|u| f64::exp(-1.5 * u.abs() as f64))
}

#[test]
fn discrete_gaussian() -> Result<(), Problem> {
    compare(Noise::DISCRETE_GAUSSIAN, rho("1/5"), &|u| f64::exp(-((u * u) as f64) / 5.0))?;
    compare(Noise::DISCRETE_GAUSSIAN, rho("1"), &|u| f64::exp(-((u * u) as f64)))
}

/// Two Laplace cells that sum to zero: the density of one is proportional to e^{−2ε|u|}.
#[test]
fn laplace_pairs() -> Result<(), Problem> {
    let pair = small("Pair", vec![("cell", list(&["a", "b"]))]).keep("", &[1, 1], |_| true).mechanism(
        Noise::LAPLACE,
        epsilon("1/10"),
        Per::Unit,
    );
    let profile = error_profile(&pair.plan()?, &pair.domain, None);
    let found = profile.cells[0].spread;
    assert!((found.standard_deviation - 50f64.sqrt()).abs() < 1e-9);
    for (quantile, level) in found.quantiles.unwrap_or([0.0; 4]).iter().zip([0.5, 0.9, 0.95, 0.99]) {
        let truth = -5.0 * f64::ln(1.0 - level);
        assert!((quantile / truth - 1.0).abs() < 1e-3, "{quantile} {truth}");
    }
    Ok(())
}
