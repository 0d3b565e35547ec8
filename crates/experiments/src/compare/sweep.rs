//! Methods side by side at several strengths.

use super::{CompareOptions, compare_counts, declared, public_counts, scaled};
use audit::comparison::Comparison;
use declare::{Problem, Strength};
use exact::Rational;
use prepare::Given;

/// The strengths of a sweep, as they were written.
#[derive(Debug, Clone)]
pub enum Strengths {
    /// Values of ε.
    Epsilon(Vec<String>),
    /// Values of ρ.
    Rho(Vec<String>),
}

/// A comparison at every strength.
#[derive(Debug, Clone)]
pub struct Sweep {
    /// `epsilon` or `rho`.
    pub of: &'static str,
    /// Every strength as it was written, as a number, and its comparison.
    pub comparisons: Vec<(String, f64, Comparison)>,
}

/// Compares at every strength: the parts of queries are scaled alike.
///
/// # Errors
/// As those of `compare`; and for strengths that are no numbers above zero, or in another unit than
/// the spec's.
pub fn compare_at(
    spec: impl Into<Given>,
    strengths: &Strengths,
    options: &CompareOptions,
    told: crate::Listener<'_>,
) -> Result<Sweep, Problem> {
    crate::check_draws(options.draws)?;
    let (of, texts) = match strengths {
        Strengths::Epsilon(texts) => ("epsilon", texts),
        Strengths::Rho(texts) => ("rho", texts),
    };
    let (declaration, counts) = public_counts(spec, options.on.as_ref())?;
    let own = match &declaration.mechanism.strength {
        Strength::Epsilon(_) => "epsilon",
        Strength::Rho(_) => "rho",
    };
    if own != of {
        return Err(Problem::bad(format!("the spec has {own} under [mechanism], and --{of} was given"))
            .hint(format!("give --{own}, or write {of} = … in the spec")));
    }
    let values = texts.iter().map(|text| number(of, text)).collect::<Result<Vec<Rational>, Problem>>()?;
    let mut comparisons = Vec::new();
    for (text, value) in texts.iter().zip(values) {
        let at = scaled(&declaration, &(&value / &declared(&declaration)));
        let comparison = compare_counts(&at, counts.clone(), options, told)?;
        comparisons.push((text.clone(), value.to_f64(), comparison));
    }
    comparisons.sort_by(|(_, one, _), (_, other, _)| one.total_cmp(other));
    Ok(Sweep { of, comparisons })
}

fn number(of: &str, text: &str) -> Result<Rational, Problem> {
    text.trim().parse().ok().filter(Rational::is_positive).ok_or_else(|| {
        Problem::bad(format!("--{of}: `{text}` is no number above zero"))
            .hint(format!("give decimals or fractions, separated by commas: --{of} 0.1,1/2,1"))
    })
}

/// The page of a sweep: in full at its largest strength, and errors against all of them.
pub fn sweep_page(sweep: &Sweep) -> String {
    let all: Vec<(f64, Comparison)> =
        sweep.comparisons.iter().map(|(_, value, comparison)| (*value, comparison.clone())).collect();
    all.last().map_or(String::new(), |(_, last)| report::comparison_html(last, &all))
}
