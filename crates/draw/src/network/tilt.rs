//! Tilts: factors e^{θy} on cells that multiply every table of the block by the same number, chosen
//! so that sums are expected.
//!
//! With θ = Σ λ_r c_r over the rows that are equalities, the factors of all cells multiply to e^{Σ
//! λ_r·value_r}: a constant, so the law is unchanged for every λ. A row that carries noise around
//! its centre may be tilted too, if its own factor undoes it:
//! `e^{−rate·|s − centre| − λ(s − centre)}`, at most one for |λ| ≤ rate, so that the whole is again
//! a constant. Where most counts are zero and must not be negative, cells without a tilt expect far
//! larger sums than the rows ask for, and weights around the wanted sums would be given up as
//! negligible. Which λ is chosen decides the time, never the law.

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

/// The tilts of a network: zero where none is needed.
#[derive(Debug)]
pub(super) struct Tilts {
    /// θ of every class.
    pub(super) classes: Vec<Rational>,
    /// λ of every row that carries noise, which its factor undoes.
    pub(super) rows: Vec<Rational>,
}

/// A row that is tilted.
struct Row<'a> {
    number: usize,
    entries: &'a [(u32, i64)],
    /// The value that is wanted of it, or around which its noise lies.
    value: f64,
    /// The largest λ, in steps; none for equalities.
    most: Option<i64>,
}

/// The tilts of all classes and rows. `noisy` holds centre and rate of the rows that carry noise.
pub(super) fn tilts(
    network: &Network,
    classes: &[ClassLaw],
    centres: &[i64],
    noisy: &[Option<(i64, Rational)>],
) -> Tilts {
    let none = || Tilts {
        classes: vec![Rational::integer(0); classes.len()],
        rows: vec![Rational::integer(0); network.rows.len()],
    };
    let rows = tilted_rows(network, noisy);
    if classes.len() > MOST_CLASSES || rows.is_empty() || !needed(network, classes, centres, &rows) {
        return none();
    }
    let Some((units, lambdas)) = solved(classes, &rows, network.rows.len()) else { return none() };
    let found: Vec<Rational> = units.into_iter().map(theta).collect();
    // All classes are tilted, or none is: only together the factors are a constant.
    match classes.iter().zip(&found).all(|(class, theta)| class.has_tilt(theta)) {
        true => Tilts { classes: found, rows: lambdas.into_iter().map(theta).collect() },
        false => none(),
    }
}

fn theta(units: i64) -> Rational {
    Rational::new(units, STEPS as u64)
}

fn tilted_rows<'a>(network: &'a Network, noisy: &[Option<(i64, Rational)>]) -> Vec<Row<'a>> {
    let row = |(number, row): (usize, &'a analyse::NetworkRow)| {
        let (value, most) = match (row.demand, &noisy[number]) {
            (Demand::Equal(value), _) => (value, None),
            (Demand::Noisy { .. }, Some((centre, rate))) => {
                (*centre, Some((rate.to_f64() * STEPS).floor().clamp(0.0, 1e15) as i64))
            }
            _ => return None,
        };
        Some(Row { number, entries: &row.entries, value: value as f64, most })
    };
    network.rows.iter().enumerate().filter_map(row).collect()
}

/// Whether a class, or a row with noise, expects another sum than the one around which tables lie.
fn needed(network: &Network, classes: &[ClassLaw], centres: &[i64], rows: &[Row<'_>]) -> bool {
    let given = |class: usize| {
        let ending = network.joins[class].forms[0].ending.iter();
        ending.clone().any(|(row, _)| matches!(network.rows[*row as usize].demand, Demand::Equal(_)))
    };
    let is_far = |mean: f64, variance: f64, centre: f64| (mean - centre).abs() > NEAR * variance.sqrt() + 1.0;
    let weighted = classes.iter().any(ClassLaw::is_weighted);
    let untilted = Rational::integer(0);
    let expected: Vec<Option<(f64, f64)>> = classes.iter().map(|class| class.expected(&untilted)).collect();
    let far =
        |class: usize| expected[class].is_some_and(|(mean, variance)| is_far(mean, variance, centres[class] as f64));
    let row_is_far = |row: &Row<'_>| {
        let sums = row.entries.iter().try_fold((0.0, 0.0), |(sum, square), (class, times)| {
            let (mean, variance) = expected[*class as usize]?;
            Some((sum + *times as f64 * mean, square + (*times as f64).powi(2) * variance))
        });
        // Noise alone lies around the table; factors may draw all cells of a total the same way.
        let may_be = row.most.is_some() || weighted;
        may_be && sums.is_some_and(|(mean, variance)| is_far(mean, variance, row.value))
    };
    // The first parts are the classes, in order.
    (0..classes.len()).any(|class| !given(class) && far(class)) || rows.iter().any(row_is_far)
}

/// Where the tilt of a row is known to lie, in steps. Sums of cells with factors do not answer
/// evenly to a tilt: they stay at a peak and then leave it, and Newton's method alone would jump
/// over it again and again.
#[derive(Debug, Clone, Copy, Default)]
struct Bracket {
    at: i64,
    low: Option<i64>,
    high: Option<i64>,
}

impl Bracket {
    /// A step that stays inside; the middle where it would not. Other rows move sums, too: what has
    /// closed is opened again.
    fn step(&mut self, step: i64, excess: f64) -> i64 {
        if excess > 0.0 {
            self.high = Some(self.at)
        } else {
            self.low = Some(self.at)
        }
        match (self.low, self.high) {
            (Some(low), Some(high)) if high - low <= 1 => {
                (self.low, self.high) = (None, None);
                step
            }
            (Some(low), Some(high)) if !(low..=high).contains(&(self.at + step)) => low + (high - low) / 2 - self.at,
            _ => step,
        }
    }
}

/// The tilts of classes and of rows with noise, in steps: Newton's method on one row after another;
/// a step that leaves a class without a law is halved.
fn solved(classes: &[ClassLaw], rows: &[Row<'_>], all: usize) -> Option<(Vec<i64>, Vec<i64>)> {
    let mut units = vec![0i64; classes.len()];
    let mut lambdas = vec![0i64; all];
    let weighted = classes.iter().any(ClassLaw::is_weighted);
    let mut brackets = vec![Bracket::default(); rows.len()];
    for _ in 0..SWEEPS {
        let mut largest = 0.0f64;
        for (row, bracket) in rows.iter().zip(&mut brackets) {
            let mut excess = -row.value;
            let mut slope = 0.0;
            for (class, times) in row.entries {
                let (mean, variance) = classes[*class as usize].expected(&theta(units[*class as usize]))?;
                excess += *times as f64 * mean;
                slope += (*times as f64).powi(2) * variance;
            }
            if slope <= 0.0 || !excess.is_finite() {
                continue;
            }
            let mut step = (-excess / slope * STEPS).clamp(-STEPS / 2.0, STEPS / 2.0).round() as i64;
            if weighted {
                step = bracket.step(step, excess);
            }
            if let Some(most) = row.most {
                step = (lambdas[row.number] + step).clamp(-most, most) - lambdas[row.number];
            }
            let lawful = |step: i64| {
                row.entries.iter().all(|(class, times)| {
                    let (class, theta) = (&classes[*class as usize], theta(units[*class as usize] + step * times));
                    class.has_tilt(&theta) && class.expected(&theta).is_some_and(|(mean, _)| mean.is_finite())
                })
            };
            while step != 0 && !lawful(step) {
                step /= 2;
            }
            row.entries.iter().for_each(|(class, times)| units[*class as usize] += step * times);
            bracket.at += step;
            match row.most {
                // At its largest tilt a noisy row may stay away from its centre.
                Some(_) if step == 0 => {}
                Some(_) => {
                    lambdas[row.number] += step;
                    largest = largest.max(step.unsigned_abs() as f64 / STEPS * slope.sqrt());
                }
                None => largest = largest.max(excess.abs() / slope.sqrt()),
            }
        }
        if largest < 0.5 {
            break;
        }
    }
    Some((units, lambdas))
}
