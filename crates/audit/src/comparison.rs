//! `Comparison`: several methods on one table at equal certified loss, and what each did to the
//! counts.

use crate::measure::{Errors, LevelErrors, Part, Summary};

/// Several methods on one table.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// The title of the spec.
    pub title: String,
    /// The public stand-in that was used instead of the data of the spec.
    pub stand_in: Option<String>,
    /// The true counts, in cell order: public, or those of the stand-in.
    pub truth: Vec<i64>,
    /// The labels of the cells, in cell order.
    pub labels: Vec<String>,
    /// The number of draws of each method.
    pub draws: u64,
    /// The seed of the draws.
    pub seed: u64,
    /// The loss that every method is certified at, such as `ε = 1`.
    pub loss: String,
    /// What the loss is per.
    pub unit: String,
    /// How many totals and rules a release should keep.
    pub kept: usize,
    /// The methods.
    pub methods: Vec<Compared>,
}

/// One method.
#[derive(Debug, Clone)]
pub struct Compared {
    /// What it is called.
    pub name: &'static str,
    /// What it found, or why it does not apply.
    pub outcome: Result<Outcome, String>,
}

/// What a method did.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The operators that drew the blocks.
    pub operators: Vec<&'static str>,
    /// The noise before anything else is done, in words.
    pub noise: String,
    /// What else there is to know about the method here.
    pub remark: Option<String>,
    /// Whether its tables hold real numbers, which are never released as counts.
    pub real_valued: bool,
    /// The errors of its draws.
    pub errors: Errors,
    /// The errors of sums of cells, from coarse to fine.
    pub levels: Vec<LevelErrors>,
    /// How often true counts lay within the reach of the noise; `None`: it has no law of single
    /// counts.
    pub coverage: Option<Coverage>,
    /// The seconds until the first draw could begin.
    pub preparing: f64,
    /// The seconds of a draw.
    pub drawing: f64,
}

/// How often true counts lay within the reach of the noise around released ones.
#[derive(Debug, Clone)]
pub struct Coverage {
    /// Whether a release states these intervals; otherwise they are those of the noise before
    /// anything else was done.
    pub stated: bool,
    /// The smallest and the largest reach of a cell.
    pub reach: (u64, u64),
    /// The share of counts that were within reach, draw by draw.
    pub right: Summary,
}

impl Outcome {
    /// The largest absolute bias over all cells: the cell, its bias and the standard error.
    pub fn largest_bias(&self) -> Option<(usize, f64, f64)> {
        let cells = self.errors.cells().iter().enumerate();
        let largest = cells.max_by(|(_, one), (_, other)| one.mean().abs().total_cmp(&other.mean().abs()));
        largest.map(|(cell, error)| (cell, error.mean(), error.mean_error()))
    }

    /// The mean over all cells of the variance.
    pub fn mean_variance(&self) -> f64 {
        let cells = self.errors.cells();
        cells.iter().map(|error| error.variance()).sum::<f64>() / cells.len().max(1) as f64
    }
}

/// Parts of cells in words: `3`, `10–99`.
pub fn sizes(part: &Part) -> String {
    match (part.least, part.most) {
        (least, most) if least == most => least.to_string(),
        (least, most) => format!("{least}–{most}"),
    }
}

/// A number with its standard error.
pub fn with_error(value: f64, error: f64) -> String {
    format!("{} ± {}", digits(value), digits(error))
}

/// Four digits of a number, fewer where they say nothing.
pub fn digits(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        size if !size.is_finite() => "–".to_owned(),
        size if size < 1e-3 => format!("{value:.1e}"),
        size if size < 1.0 => format!("{value:.4}"),
        size if size < 10.0 => format!("{value:.3}"),
        size if size < 100.0 => format!("{value:.2}"),
        size if size < 1000.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::digits;

    #[test]
    fn numbers_have_the_digits_that_say_something() {
        let found = [0.0, 0.00012, -0.5, 12.345, 1234.5, f64::INFINITY].map(digits);
        assert_eq!(found, ["0", "1.2e-4", "-0.5000", "12.35", "1234", "–"]);
    }
}
