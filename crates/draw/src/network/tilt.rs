//! Tilts: factors e^{θy} on cells that multiply every table of the block by the same number, chosen so that sums are expected.
//!
//! With θ = Σ λ_r c_r over the rows that are equalities, the factors of all cells multiply to e^{Σ λ_r·value_r}: a constant, so
//! the law is unchanged for every λ. Where most counts are zero and must not be negative, cells without a tilt expect far
//! larger sums than the rows ask for, and weights around the wanted sums would be given up as negligible. Which λ is chosen
//! decides the time, never the law.

use crate::sums::ClassLaw;
use analyse::{Demand, Network};
use exact::Rational;

/// Sums within this many standard deviations of what is expected need no tilt.
const NEAR: f64 = 5.0;
/// The most sweeps over all rows.
const SWEEPS: usize = 60;
/// The most classes: larger networks are not tilted.
const MOST_CLASSES: usize = 4096;
/// Tilts are multiples of one over this.
const STEPS: f64 = 1_048_576.0;

/// The tilt of every class: zero where none is needed.
pub(super) fn tilts(network: &Network, classes: &[ClassLaw], centres: &[i64]) -> Vec<Rational> {
    let none = || vec![Rational::integer(0); classes.len()];
    let equal = |row: &analyse::NetworkRow| match row.demand {
        Demand::Equal(value) => Some((row.entries.clone(), value as f64)),
        _ => None,
    };
    let rows: Vec<(Vec<(u32, i64)>, f64)> = network.rows.iter().filter_map(equal).collect();
    let given = |class: usize| {
        let ending = network.joins[class].forms[0].ending.iter();
        ending.clone().any(|(row, _)| matches!(network.rows[*row as usize].demand, Demand::Equal(_)))
    };
    let far = |class: usize| match classes[class].expected(&Rational::integer(0)) {
        Some((mean, variance)) => (mean - centres[class] as f64).abs() > NEAR * variance.sqrt() + 1.0,
        None => false,
    };
    // The first parts are the classes, in order.
    let needed = || (0..classes.len()).any(|class| !given(class) && far(class));
    if rows.is_empty() || classes.len() > MOST_CLASSES || !needed() {
        return none();
    }
    // Newton's method on one row after another; a step that leaves a class without a law is halved.
    let mut units = vec![0i64; classes.len()];
    let theta = |units: i64| Rational::new(units, STEPS as u64);
    for _ in 0..SWEEPS {
        let mut largest = 0.0f64;
        for (entries, value) in &rows {
            let mut excess = -value;
            let mut slope = 0.0;
            for (class, times) in entries {
                let Some((mean, variance)) = classes[*class as usize].expected(&theta(units[*class as usize])) else {
                    return none();
                };
                excess += *times as f64 * mean;
                slope += (*times as f64).powi(2) * variance;
            }
            if slope <= 0.0 || !excess.is_finite() {
                continue;
            }
            let mut step = (-excess / slope * STEPS).clamp(-STEPS / 2.0, STEPS / 2.0).round() as i64;
            let lawful = |step: i64| {
                entries.iter().all(|(class, times)| {
                    let (class, theta) = (&classes[*class as usize], theta(units[*class as usize] + step * times));
                    class.has_tilt(&theta) && class.expected(&theta).is_some_and(|(mean, _)| mean.is_finite())
                })
            };
            while step != 0 && !lawful(step) {
                step /= 2;
            }
            entries.iter().for_each(|(class, times)| units[*class as usize] += step * times);
            largest = largest.max(excess.abs() / slope.sqrt());
        }
        if largest < 0.5 {
            break;
        }
    }
    let found: Vec<Rational> = units.into_iter().map(theta).collect();
    // All classes are tilted, or none is: only together the factors are a constant.
    if classes.iter().zip(&found).all(|(class, theta)| class.has_tilt(theta)) { found } else { none() }
}
