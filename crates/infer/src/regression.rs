//! Regression through imputations: a model is fitted to every one of M tables drawn from the
//! posterior, and the fits are combined.
//!
//! Rows of a model are sums of cells. *Least squares*: every record of a row has the value of the
//! response there (a midpoint), so a row weighs as many records as it counts. *Poisson*: the counts
//! of the rows themselves, their logarithm linear in the columns. Each fit has variances as if its
//! table were the true one; Rubin's rules add what the noise of the release makes them vary: T =
//! W + (1 + 1/M)·B, W the mean variance of the fits and B the variance between them, with (M −
//! 1)(1 + W/((1 + 1/M)B))² degrees of freedom. The matrices are small and dense: as many rows as
//! the model has coefficients.

use crate::cholesky::Cholesky;
use crate::posterior::Posterior;
use crate::query::Query;
use crate::student;
use declare::Problem;

/// What is fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// The response is a number that every record of a row has.
    LeastSquares,
    /// The response is the count of a row.
    Poisson,
}

impl Family {
    /// The word used in results and scripts.
    pub fn name(self) -> &'static str {
        match self {
            Family::LeastSquares => "least-squares",
            Family::Poisson => "poisson",
        }
    }
}

/// A model over sums of cells.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// What is fitted.
    pub family: Family,
    /// The sums of cells that are its rows.
    pub rows: Vec<Query>,
    /// For least squares the response of every row.
    pub response: Vec<f64>,
    /// Columns by their names, each with a number for every row.
    pub columns: Vec<(String, Vec<f64>)>,
}

/// A coefficient, combined over imputations.
#[derive(Debug, Clone, PartialEq)]
pub struct Coefficient {
    /// The name of its column.
    pub name: String,
    /// The mean of the fits.
    pub estimate: f64,
    /// W: the mean of their variances, each as if its table were the true one.
    pub within: f64,
    /// B: the variance between them, which is what the noise of the release adds.
    pub between: f64,
    /// T = W + (1 + 1/M)·B.
    pub total: f64,
    /// Degrees of freedom; infinite where all imputations agree.
    pub freedom: f64,
    /// The ends of its interval.
    pub interval: [f64; 2],
}

/// A model fitted to imputations.
#[derive(Debug, Clone, PartialEq)]
pub struct Regression {
    /// What was fitted.
    pub family: Family,
    /// Its coefficients.
    pub coefficients: Vec<Coefficient>,
    /// M.
    pub imputations: u64,
    /// How many rows it has.
    pub rows: usize,
}

/// Estimates with their variances.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// One for every column.
    pub estimates: Vec<f64>,
    /// One for every column.
    pub variances: Vec<f64>,
}

/// Coefficients beyond this are refused: matrices stay small.
const MOST_COLUMNS: usize = 200;
/// A pivot below this part of its diagonal is a column that follows from the others.
const DEPENDENT: f64 = 1e-11;
/// Newton's steps of a Poisson model, and when they are small enough.
const MOST_STEPS: usize = 200;
const SMALL: f64 = 1e-10;
/// Logarithms of means beyond this are on their way to infinity.
const FARTHEST: f64 = 40.0;

/// Rubin's rules for one figure: its value and its variance in every imputation; at least two of
/// them.
pub fn rubin(name: &str, estimates: &[f64], variances: &[f64], level: f64) -> Coefficient {
    let count = estimates.len() as f64;
    let mean = |values: &[f64]| values.iter().sum::<f64>() / count;
    let (estimate, within) = (mean(estimates), mean(variances));
    let between = estimates.iter().map(|one| (one - estimate).powi(2)).sum::<f64>() / (count - 1.0);
    let noise = (1.0 + 1.0 / count) * between;
    let total = within + noise;
    let freedom = match noise > 0.0 {
        true => (count - 1.0) * (1.0 + within / noise).powi(2),
        false => f64::INFINITY,
    };
    let reach = student::quantile((1.0 + level) / 2.0, freedom) * total.sqrt();
    let interval = [estimate - reach, estimate + reach];
    Coefficient { name: name.to_string(), estimate, within, between, total, freedom, interval }
}

impl Model {
    /// # Errors
    /// Refused when there are too many columns, or no more rows than columns.
    pub fn check(&self) -> Result<(), Problem> {
        let (rows, columns) = (self.rows.len(), self.columns.len());
        if columns > MOST_COLUMNS {
            return Err(Problem::refused(format!(
                "the model has {columns} coefficients, and at most {MOST_COLUMNS} are fitted"
            ))
            .hint("name a coarser level of the dimension, or one with numbers instead of categories"));
        }
        if rows < columns {
            return Err(Problem::refused(format!(
                "the model has {columns} coefficients and the table only {rows} rows for them"
            ))
            .hint("leave out terms, or name dimensions with more values"));
        }
        Ok(())
    }

    /// Fits it to the counts of its rows.
    ///
    /// # Errors
    /// Refused when counts are below zero, when a column follows from the others, and when
    /// estimates have no end.
    pub fn fit(&self, counts: &[f64]) -> Result<Fit, Problem> {
        if counts.iter().any(|count| *count < 0.0) {
            return Err(Problem::refused("imputed counts below zero have no regression")
                .hint("say that true counts are at least zero: --nonnegative"));
        }
        match self.family {
            Family::LeastSquares => self.least_squares(counts),
            Family::Poisson => self.poisson(counts),
        }
    }

    fn least_squares(&self, counts: &[f64]) -> Result<Fit, Problem> {
        let matrix = self.gram(counts)?;
        let right = self.onto(&self.weighted(counts, &self.response));
        let estimates = matrix.solve(&right);
        let fitted = self.fitted(&estimates);
        let rest: f64 = (0..counts.len()).map(|row| counts[row] * (self.response[row] - fitted[row]).powi(2)).sum();
        let free = counts.iter().sum::<f64>() - self.columns.len() as f64;
        if free <= 0.0 {
            return Err(Problem::refused("an imputation has no more records than the model has coefficients"));
        }
        let variances = matrix.inverse_diagonal().into_iter().map(|own| own * rest / free).collect();
        Ok(Fit { estimates, variances })
    }

    /// Newton's steps, halved while the likelihood falls: it is concave.
    fn poisson(&self, counts: &[f64]) -> Result<Fit, Problem> {
        let total: f64 = counts.iter().sum();
        if total <= 0.0 {
            return Err(Problem::refused("an imputation has no record in the rows of the model"));
        }
        let likelihood =
            |fitted: &[f64]| -> f64 { fitted.iter().zip(counts).map(|(log, count)| count * log - log.exp()).sum() };
        let means_of = |fitted: &[f64]| fitted.iter().map(|log| log.exp()).collect::<Vec<f64>>();
        let mut estimates = vec![0.0; self.columns.len()];
        estimates[0] = (total / counts.len() as f64).ln();
        let mut fitted = self.fitted(&estimates);
        let mut reached = likelihood(&fitted);
        for _ in 0..MOST_STEPS {
            let means = means_of(&fitted);
            let away: Vec<f64> = counts.iter().zip(&means).map(|(count, mean)| count - mean).collect();
            let step = self.gram(&means)?.solve(&self.onto(&away));
            let mut size = 1.0;
            let (next, far, found) = loop {
                let next: Vec<f64> = estimates.iter().zip(&step).map(|(own, step)| own + size * step).collect();
                let far = self.fitted(&next);
                let found = likelihood(&far);
                if found >= reached - 1e-12 * reached.abs().max(1.0) || size < 1e-9 {
                    break (next, far, found);
                }
                size /= 2.0;
            };
            (estimates, fitted, reached) = (next, far, found);
            if fitted.iter().any(|log| log.abs() > FARTHEST) {
                break;
            }
            let moved = step.iter().zip(&estimates).all(|(step, own)| step.abs() <= SMALL * own.abs().max(1.0));
            if moved {
                let variances = self.gram(&means_of(&fitted))?.inverse_diagonal();
                return Ok(Fit { estimates, variances });
            }
        }
        Err(Problem::refused(
            "the estimates of a Poisson model have no end: an imputation has no record at all for some value of its terms",
        )
        .hint("leave out the term, keep the values that are counted with --where, or name a coarser level"))
    }

    /// Xᵀ·diag(w)·X.
    fn gram(&self, weights: &[f64]) -> Result<Cholesky, Problem> {
        let row = |(_, values): &(String, Vec<f64>)| self.onto(&self.weighted(weights, values));
        Cholesky::new(self.columns.iter().map(row).collect(), DEPENDENT).map_err(|column| {
            Problem::refused(format!(
                "`{}` follows from the other terms, or no record tells of it: its coefficient is not determined",
                self.columns[column].0
            ))
            .hint("leave out one of the terms that say the same")
        })
    }

    fn weighted(&self, weights: &[f64], values: &[f64]) -> Vec<f64> {
        weights.iter().zip(values).map(|(weight, value)| weight * value).collect()
    }

    /// Xᵀ·v.
    fn onto(&self, values: &[f64]) -> Vec<f64> {
        self.columns.iter().map(|(_, column)| column.iter().zip(values).map(|(a, b)| a * b).sum()).collect()
    }

    /// X·β.
    fn fitted(&self, estimates: &[f64]) -> Vec<f64> {
        let mut fitted = vec![0.0; self.rows.len()];
        for ((_, column), own) in self.columns.iter().zip(estimates) {
            fitted.iter_mut().zip(column).for_each(|(sum, value)| *sum += own * value);
        }
        fitted
    }
}

impl Posterior<'_> {
    /// Fits a model to this many tables of the posterior, and combines the fits.
    ///
    /// # Errors
    /// As [`Model::check`], [`Model::fit`] and [`Posterior::draw`]; bad with fewer than two
    /// imputations.
    pub fn regress(&self, model: &Model, imputations: u64, level: f64, seed: u64) -> Result<Regression, Problem> {
        model.check()?;
        if imputations < 2 {
            return Err(Problem::bad("imputations are combined from at least two").hint("write --impute 20"));
        }
        let mut fits = Vec::new();
        self.draw(imputations, seed, &mut |_, table| {
            let counts: Vec<f64> = model.rows.iter().map(|row| row.value(table) as f64).collect();
            fits.push(model.fit(&counts)?);
            Ok(())
        })?;
        let coefficient = |(column, (name, _)): (usize, &(String, Vec<f64>))| {
            let estimates: Vec<f64> = fits.iter().map(|fit| fit.estimates[column]).collect();
            let variances: Vec<f64> = fits.iter().map(|fit| fit.variances[column]).collect();
            rubin(name, &estimates, &variances, level)
        };
        let coefficients = model.columns.iter().enumerate().map(coefficient).collect();
        Ok(Regression { family: model.family, coefficients, imputations, rows: model.rows.len() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(family: Family, response: Vec<f64>, columns: Vec<Vec<f64>>) -> Model {
        let rows = (0..columns[0].len() as u32).map(|cell| Query::new("r", [(cell, 1)]).unwrap()).collect();
        let names = ["constant", "x", "z"];
        let columns = columns.into_iter().zip(names).map(|(column, name)| (name.to_string(), column)).collect();
        Model { family, rows, response, columns }
    }

    #[test]
    fn one_slope_has_its_formula() {
        let (x, y, n) = ([1.0, 2.0, 4.0, 7.0], [2.0, 3.0, 3.5, 8.0], [3.0, 1.0, 4.0, 2.0]);
        let fit = model(Family::LeastSquares, y.to_vec(), vec![vec![1.0; 4], x.to_vec()]).fit(&n).unwrap();
        // Every record by itself, and the textbook's formulas.
        let records: Vec<(f64, f64)> = (0..4).flat_map(|row| vec![(x[row], y[row]); n[row] as usize]).collect();
        let count = records.len() as f64;
        let (mx, my) = records.iter().fold((0.0, 0.0), |(a, b), (x, y)| (a + x / count, b + y / count));
        let sxx: f64 = records.iter().map(|(x, _)| (x - mx).powi(2)).sum();
        let slope = records.iter().map(|(x, y)| (x - mx) * (y - my)).sum::<f64>() / sxx;
        let rest: f64 = records.iter().map(|(x, y)| (y - my - slope * (x - mx)).powi(2)).sum();
        let variance = rest / (count - 2.0);
        assert!((fit.estimates[1] - slope).abs() < 1e-12 && (fit.estimates[0] - (my - slope * mx)).abs() < 1e-12);
        assert!((fit.variances[1] - variance / sxx).abs() < 1e-12);
        assert!((fit.variances[0] - variance * (1.0 / count + mx * mx / sxx)).abs() < 1e-12);
    }

    #[test]
    fn two_groups_of_counts_have_the_logarithm_of_their_quotient() {
        // Of two groups the Poisson estimate is ln(n₂/n₁), its variance 1/n₁ + 1/n₂.
        let columns = vec![vec![1.0; 4], vec![0.0, 0.0, 1.0, 1.0]];
        let fit = model(Family::Poisson, Vec::new(), columns).fit(&[10.0, 20.0, 40.0, 50.0]).unwrap();
        assert!((fit.estimates[1] - 3f64.ln()).abs() < 1e-10 && (fit.estimates[0] - 15f64.ln()).abs() < 1e-10);
        assert!((fit.variances[1] - (1.0 / 30.0 + 1.0 / 90.0)).abs() < 1e-10);
        assert!((fit.variances[0] - 1.0 / 30.0).abs() < 1e-10);
    }

    #[test]
    fn what_cannot_be_fitted_is_refused() {
        let same = vec![vec![1.0; 3], vec![2.0; 3]];
        let problem = model(Family::LeastSquares, vec![1.0; 3], same).fit(&[1.0; 3]).unwrap_err();
        assert!(problem.message.contains("`x` follows"), "{problem}");
        let group = vec![vec![1.0; 3], vec![0.0, 0.0, 1.0]];
        let poisson = model(Family::Poisson, Vec::new(), group);
        assert!(poisson.fit(&[4.0, 3.0, 0.0]).unwrap_err().message.contains("no end"));
        assert!(poisson.fit(&[4.0, -3.0, 1.0]).unwrap_err().message.contains("below zero"));
        assert!(poisson.fit(&[0.0; 3]).unwrap_err().message.contains("no record"));
        let wide = model(Family::Poisson, Vec::new(), vec![vec![1.0; 2], vec![0.0, 1.0], vec![1.0, 0.0]]);
        assert!(wide.check().unwrap_err().message.contains("only 2 rows"));
    }

    #[test]
    fn variances_of_fits_and_between_them_add_up() {
        let found = rubin("b", &[1.0, 2.0, 3.0], &[0.5, 0.7, 0.6], 0.9);
        let noise = 4.0 / 3.0;
        assert!((found.estimate - 2.0).abs() < 1e-12 && (found.total - (0.6 + noise)).abs() < 1e-12);
        assert!((found.freedom - 2.0 * (1.0 + 0.6 / noise).powi(2)).abs() < 1e-9);
        let same = rubin("b", &[2.0, 2.0], &[1.0, 1.0], 0.95);
        assert!(same.freedom.is_infinite() && (same.interval[1] - 3.959963985).abs() < 1e-6);
    }
}
