//! Log-linear Poisson counts: ln mean = ln exposure + a sum of terms of the dimensions, with normal
//! priors.
//!
//! Terms given a table have no law that is drawn directly: a Metropolis step proposes from
//! Student's law around the mode, as wide as the normal law there, and is accepted by the quotient
//! of densities. The tails of that law are heavier than those of the terms, so no state is left
//! unlikely to be left; a proposal by one Newton step from the state (Gamerman 1997) is, where the
//! state is far out.

use super::chance::{normal, positive};
use super::parameters::{Parameters, linear};
use crate::cholesky::Cholesky;
use declare::{Domain, Problem};
use exact::Stream;

/// Which coefficients enter which cell, each once.
#[derive(Debug, Clone, PartialEq)]
pub struct Design {
    /// The names of the coefficients; the first is the constant.
    pub names: Vec<String>,
    /// For every cell its coefficients.
    pub of_cell: Vec<Vec<u32>>,
}

/// More coefficients would take too long.
const MOST_COEFFICIENTS: usize = 300;

impl Design {
    /// Terms as they are written: `hair + eye + hair:eye`; the first value of every dimension is
    /// what others are compared with.
    ///
    /// # Errors
    /// Bad when a term names no column of the table, or one twice; refused when there are too many
    /// coefficients.
    pub fn new(terms: &str, domain: &Domain) -> Result<Design, Problem> {
        let columns = domain.columns();
        let mut factors: Vec<Vec<usize>> = Vec::new();
        for term in terms.split('+').map(str::trim) {
            let mut factor = Vec::new();
            for name in term.split(':').map(str::trim) {
                let place = columns.iter().position(|column| column.name == name).ok_or_else(|| {
                    let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
                    Problem::bad(format!("the term `{term}` has `{name}`, and the table has no such column")).hint(
                        format!("its columns are {}; write terms like this: --terms \"a + b + a:b\"", names.join(", ")),
                    )
                })?;
                if factor.contains(&place) {
                    return Err(Problem::bad(format!("the term `{term}` names `{name}` twice")));
                }
                factor.push(place);
            }
            factor.sort_unstable();
            if factors.contains(&factor) {
                return Err(Problem::bad(format!("the term `{term}` stands there twice")));
            }
            factors.push(factor);
        }
        let mut labels: Vec<Vec<String>> = vec![Vec::new(); columns.len()];
        let mut codes: Vec<Vec<usize>> = Vec::with_capacity(domain.len());
        let mut walk = domain.walk();
        while let Some((_, values)) = walk.advance() {
            let code = |(column, known): (&declare::Column<'_>, &mut Vec<String>)| {
                let text = column.text(values[column.dimension]).into_owned();
                known.iter().position(|label| *label == text).unwrap_or_else(|| {
                    known.push(text);
                    known.len() - 1
                })
            };
            codes.push(columns.iter().zip(&mut labels).map(code).collect());
        }
        let mut names = vec!["constant".to_string()];
        let mut of_cell: Vec<Vec<u32>> = vec![vec![0]; codes.len()];
        for factor in &factors {
            let size: usize = factor.iter().map(|place| labels[*place].len() - 1).product();
            let first = names.len();
            if first + size > MOST_COEFFICIENTS {
                return Err(Problem::refused(format!("the terms have more than {MOST_COEFFICIENTS} coefficients"))
                    .hint("leave out terms of dimensions with many values, or ask for --model hierarchical"));
            }
            for number in 0..size {
                let (mut rest, mut parts) = (number, Vec::new());
                for place in factor.iter().rev() {
                    let values = labels[*place].len() - 1;
                    parts.push(format!("{} = {}", columns[*place].name, labels[*place][1 + rest % values]));
                    rest /= values;
                }
                parts.reverse();
                names.push(parts.join(", "));
            }
            for (code, own) in codes.iter().zip(&mut of_cell) {
                if factor.iter().all(|place| code[*place] > 0) {
                    let number =
                        factor.iter().fold(0, |sum, place| sum * (labels[*place].len() - 1) + code[*place] - 1);
                    own.push((first + number) as u32);
                }
            }
        }
        Ok(Design { names, of_cell })
    }
}

/// Terms with normal priors.
#[derive(Debug)]
pub(crate) struct LogLinear {
    pub(crate) design: Design,
    /// The standard deviation of every coefficient but the constant, before anything is seen.
    pub(crate) deviation: f64,
    /// The exposure of every cell, which is its own group.
    pub(crate) exposures: Vec<f64>,
}

/// The standard deviation of the constant.
pub(crate) const OF_CONSTANT: f64 = 10.0;
/// Metropolis steps for every table.
const STEPS: usize = 2;
/// Newton steps to a mode, at the most.
const NEWTON: usize = 40;
/// So many are usual.
const USUAL_NEWTON: f64 = 8.0;
/// No coefficient moves farther in the last of them.
const NEAR: f64 = 1e-9;
/// The degrees of freedom of proposals.
const FREEDOM: f64 = 4.0;

/// A normal law by its precision.
struct Step {
    middle: Vec<f64>,
    precision: Cholesky,
}

impl LogLinear {
    fn precision(&self, place: usize) -> f64 {
        let deviation = if place == 0 { OF_CONSTANT } else { self.deviation };
        1.0 / (deviation * deviation)
    }

    fn predictors(&self, state: &[f64]) -> Vec<f64> {
        let sum = |own: &Vec<u32>| own.iter().map(|place| state[*place as usize]).sum::<f64>();
        self.design.of_cell.iter().map(sum).collect()
    }

    fn log_density(&self, state: &[f64], counts: &[f64]) -> f64 {
        let prior: f64 =
            state.iter().enumerate().map(|(place, value)| -0.5 * self.precision(place) * value * value).sum();
        let cells = self.predictors(state).into_iter().zip(counts).zip(&self.exposures);
        prior + cells.map(|((eta, count), exposure)| count * eta - exposure * eta.exp()).sum::<f64>()
    }

    /// The normal law at the mode of the terms given counts: a function of the counts alone.
    fn at_mode(&self, counts: &[f64]) -> Option<Step> {
        let mut state = vec![0.0; self.design.names.len()];
        let whole: f64 = counts.iter().map(|count| count.max(0.0) + 0.5).sum();
        state[0] = (whole / self.exposures.iter().sum::<f64>()).ln();
        for _ in 0..NEWTON {
            let step = self.step_from(&state, counts)?;
            let moved = state.iter().zip(&step.middle).map(|(own, middle)| (middle - own).abs()).fold(0.0, f64::max);
            if moved < NEAR {
                return Some(Step { middle: state, ..step });
            }
            // Half steps where a whole one leads down.
            let now = self.log_density(&state, counts);
            let mut part = 1.0;
            state = loop {
                let next: Vec<f64> =
                    state.iter().zip(&step.middle).map(|(own, middle)| own + part * (middle - own)).collect();
                if part < 1e-6 || self.log_density(&next, counts) >= now {
                    break next;
                }
                part /= 2.0;
            };
        }
        Some(Step { precision: self.step_from(&state, counts)?.precision, middle: state })
    }

    /// The normal law around one Newton step from a state.
    fn step_from(&self, state: &[f64], counts: &[f64]) -> Option<Step> {
        let size = state.len();
        let mut precision = vec![vec![0.0; size]; size];
        let mut gradient: Vec<f64> =
            state.iter().enumerate().map(|(place, value)| -self.precision(place) * value).collect();
        (0..size).for_each(|place| precision[place][place] = self.precision(place));
        for (((own, eta), count), exposure) in
            self.design.of_cell.iter().zip(self.predictors(state)).zip(counts).zip(&self.exposures)
        {
            let mean = exposure * eta.exp();
            for (place, one) in own.iter().enumerate() {
                gradient[*one as usize] += count - mean;
                for two in &own[..=place] {
                    let (high, low) = (*one.max(two) as usize, *one.min(two) as usize);
                    precision[high][low] += mean;
                }
            }
        }
        let precision = Cholesky::new(precision, 0.0).ok()?;
        let away = precision.solve(&gradient);
        let middle = state.iter().zip(away).map(|(value, away)| value + away).collect();
        Some(Step { middle, precision })
    }
}

impl Step {
    /// A number of the law, spread so many times as wide.
    fn draw(&self, wide: f64, bits: &mut Stream) -> Vec<f64> {
        let numbers: Vec<f64> = self.middle.iter().map(|_| wide * normal(bits)).collect();
        self.middle.iter().zip(self.precision.backward(numbers)).map(|(middle, away)| middle + away).collect()
    }

    /// The logarithm of the density of Student's law around the middle, but for a constant.
    fn log_density(&self, at: &[f64]) -> f64 {
        let away: Vec<f64> = at.iter().zip(&self.middle).map(|(value, middle)| value - middle).collect();
        // |Lᵀ·away|².
        let own = |place: usize| (place..away.len()).map(|row| self.precision.0[row][place] * away[row]).sum::<f64>();
        let squares = (0..away.len()).map(own).fold(0.0, |squares, own| squares + own * own);
        -0.5 * (FREEDOM + away.len() as f64) * (squares / FREEDOM).ln_1p()
    }

    /// A number of Student's law around the middle.
    fn student(&self, bits: &mut Stream) -> Vec<f64> {
        // Chi-square with four degrees of freedom.
        let square = -2.0 * (positive(bits).ln() + positive(bits).ln());
        self.draw((FREEDOM / square).sqrt(), bits)
    }
}

impl Parameters for LogLinear {
    fn start(&self, sums: &[i64], bits: &mut Stream) -> Vec<f64> {
        let counts: Vec<f64> = sums.iter().map(|sum| (*sum).max(0) as f64 + 0.5).collect();
        match self.at_mode(&counts) {
            Some(mode) => mode.draw(3.0, bits),
            None => vec![0.0; self.design.names.len()],
        }
    }

    fn log_factors(&self, state: &[f64], group: usize, first: i64, factors: &mut [f64]) {
        linear(self.design.of_cell[group].iter().map(|place| state[*place as usize]).sum(), first, factors);
    }

    fn update(&self, state: &mut [f64], sums: &[i64], bits: &mut Stream) {
        let counts: Vec<f64> = sums.iter().map(|sum| *sum as f64).collect();
        let Some(mode) = self.at_mode(&counts) else { return };
        for _ in 0..STEPS {
            let next = mode.student(bits);
            let log = self.log_density(&next, &counts) - self.log_density(state, &counts) + mode.log_density(state)
                - mode.log_density(&next);
            if positive(bits).ln() < log {
                state.copy_from_slice(&next);
            }
        }
    }

    fn seconds(&self) -> f64 {
        let (size, cells) = (self.design.names.len() as f64, self.design.of_cell.len() as f64);
        let pairs: f64 = self.design.of_cell.iter().map(|own| (own.len() * own.len()) as f64).sum();
        USUAL_NEWTON * (2e-8 * cells + 2e-9 * pairs + 1.3e-10 * size.powi(3) + 4e-9 * size * size)
            + STEPS as f64 * (6e-8 * cells + 4e-9 * size * size)
    }

    fn log_rates(&self, state: &[f64], _: &[i64], _: &mut Stream, rates: &mut [f64]) {
        rates.copy_from_slice(&self.predictors(state));
    }

    fn names(&self) -> Vec<String> {
        self.design.names.clone()
    }

    fn values(&self, state: &[f64]) -> Vec<f64> {
        state.to_vec()
    }
}
