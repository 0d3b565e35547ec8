//! Errors on a stand-in, for people and for scripts.

use super::{MarginErrors, Measured, StandInErrors};
use audit::comparison::digits;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// So many sums whose bias exceeds their noise are named.
const MOST_NAMED: usize = 8;

impl StandInErrors {
    /// What was measured, with a warning where bias exceeds noise, and advice with its numbers.
    pub fn text(&self) -> String {
        // Writing to a String cannot fail.
        let mut text = format!("Error on a stand-in\n  measured in {} draws around {}\n", self.draws, self.stand_in);
        let _ = writeln!(text, "  a count is off by {} on average", digits(self.declared.cell_error));
        for margin in &self.declared.margins {
            let _ = writeln!(text, "  {}", line(margin));
        }
        text += &warning(&self.declared);
        if let Some(equalities) = &self.equalities {
            text += &advice(&self.declared, equalities);
        }
        text
    }

    /// The errors for scripts.
    pub fn json(&self) -> Value {
        json!({
            "stand_in": self.stand_in,
            "draws": self.draws,
            "declared": measured(&self.declared),
            "equalities": self.equalities.as_ref().map(measured),
        })
    }
}

fn line(margin: &MarginErrors) -> String {
    if margin.is_exact() {
        return format!("by {}: exact", margin.name);
    }
    let typical = digits(margin.typical());
    match margin.most_biased() {
        None => format!("by {}: typical error {typical}, no bias seen", margin.name),
        Some((label, value, error)) => format!(
            "by {}: typical error {typical}; largest bias {} ± {} at {label}, which is {value}",
            margin.name,
            signed(error.mean()),
            digits(error.mean_error())
        ),
    }
}

/// Sums whose bias is larger than their noise.
fn warning(measured: &Measured) -> String {
    let margins = measured.margins.iter().skip(1);
    let mut all: Vec<_> =
        margins.flat_map(|margin| margin.biased().into_iter().map(|sum| (margin.order(), sum))).collect();
    if all.is_empty() {
        return String::new();
    }
    // Sums along one dimension are read most; then those whose bias exceeds their noise by most.
    let beyond = |error: &audit::measure::Summary| error.mean().abs() / error.variance().sqrt().max(f64::MIN_POSITIVE);
    all.sort_by(|(one, (_, _, a)), (other, (_, _, b))| one.cmp(other).then(beyond(b).total_cmp(&beyond(a))));
    let mut text = format!("  warning: {} sums that readers form are biased by more than their noise:\n", all.len());
    for (_, (label, value, error)) in all.iter().take(MOST_NAMED) {
        let percent = match *value {
            1.. => format!(" ({:+.1} %)", 100.0 * error.mean() / *value as f64),
            _ => String::new(),
        };
        let _ = writeln!(
            text,
            "    {label}: {value} comes out {} on average{percent}, with a standard deviation of {}",
            signed(error.mean()),
            digits(error.variance().sqrt())
        );
    }
    text
}

/// Release with equalities, infer with bounds.
fn advice(declared: &Measured, equalities: &Measured) -> String {
    let worst = |measured: &Measured| {
        let biases =
            measured.margins.iter().filter_map(MarginErrors::most_biased).map(|(_, _, error)| error.mean().abs());
        biases.fold(0.0, f64::max)
    };
    format!(
        "  advice: release with equalities, infer with bounds. With nonnegative = false and no inequality a count is off by {} instead of {} \
         on average, the largest bias of a count or sum is {} instead of {}, and {} counts of a release are below zero; \
         `congenial infer` gives intervals, and uses the bounds when the release is read.\n",
        digits(equalities.cell_error),
        digits(declared.cell_error),
        digits(worst(equalities)),
        digits(worst(declared)),
        digits(equalities.below_zero)
    )
}

fn signed(value: f64) -> String {
    format!("{}{}", if value > 0.0 { "+" } else { "" }, digits(value))
}

fn measured(measured: &Measured) -> Value {
    let margin = |margin: &MarginErrors| {
        let sums = margin.sums.iter().map(|(label, value, error)| {
            json!({
                "label": label, "value": value, "bias": error.mean(), "bias_error": error.mean_error(),
                "deviation": error.variance().sqrt(),
            })
        });
        json!({
            "by": margin.name,
            "exact": margin.is_exact(),
            "typical_error": margin.typical(),
            "biased_beyond_noise": margin.biased().len(),
            "sums": sums.collect::<Vec<Value>>(),
        })
    };
    json!({
        "cell_error": measured.cell_error,
        "below_zero": measured.below_zero,
        "margins": measured.margins.iter().map(margin).collect::<Vec<Value>>(),
    })
}
