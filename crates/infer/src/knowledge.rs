//! `Knowledge`: what a reader knows of the true table beside the releases: bounds, rules, totals,
//! and a prior.

use crate::release::{Known, Release};
use declare::{Conditions, Declaration, Method, Problem, toml_string};
use std::path::PathBuf;

/// What a reader knows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Knowledge {
    /// That every true count is at least zero.
    pub nonnegative: bool,
    /// Rules that the true table satisfies, each written as certificates write them:
    /// `sum(measure = 'deaths') <= sum(measure = 'cases') by county`.
    pub rules: Vec<String>,
    /// Totals of the true table.
    pub totals: Vec<KnownTotals>,
    /// What was believed before.
    pub prior: Prior,
}

/// Totals of the true table that a reader knows: a file with a column for every name of its groups,
/// and `value`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownTotals {
    /// The file.
    pub file: PathBuf,
    /// The names of the groups: the columns other than `value`.
    pub by: Vec<String>,
    /// Only cells that satisfy this are summed.
    pub filter: Option<String>,
}

/// What was believed of the true table before the release: weights of its cells, on all tables with
/// the totals.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Prior {
    /// One weight for every table.
    #[default]
    Flat,
    /// Independent Poisson counts with these means.
    Poisson {
        /// The mean of every cell, positive.
        means: Vec<f64>,
    },
    /// Poisson counts whose rates are gamma distributed with this shape; the common scale cancels
    /// where a total is exact.
    GammaPoisson {
        /// The shape.
        shape: f64,
    },
    /// Dirichlet-multinomial counts given their total, with these parameters.
    DirichletMultinomial {
        /// The parameter of every cell, positive.
        parameters: Vec<f64>,
    },
}

impl Prior {
    /// The word for scripts and texts.
    pub fn name(&self) -> &'static str {
        match self {
            Prior::Flat => "flat",
            Prior::Poisson { .. } => "poisson",
            Prior::GammaPoisson { .. } => "gamma-poisson",
            Prior::DirichletMultinomial { .. } => "dirichlet-multinomial",
        }
    }

    /// The logarithm of the weight of a count in a cell, up to a constant of the cell.
    pub fn log_weight(&self, cell: usize, count: i64) -> f64 {
        if matches!(self, Prior::Flat) {
            return 0.0;
        }
        if count < 0 {
            return f64::NEG_INFINITY;
        }
        let n = count as f64;
        let rising = |shape: f64| log_gamma(n + shape) - log_gamma(shape) - log_gamma(n + 1.0);
        match self {
            Prior::Flat => 0.0,
            Prior::Poisson { means } => n * means[cell].ln() - log_gamma(n + 1.0),
            Prior::GammaPoisson { shape } => rising(*shape),
            Prior::DirichletMultinomial { parameters } => rising(parameters[cell]),
        }
    }

    /// Whether its weights are right only where the sum over a block is known.
    pub(crate) fn needs_totals(&self) -> bool {
        matches!(self, Prior::GammaPoisson { .. } | Prior::DirichletMultinomial { .. })
    }
}

/// ln Γ(x) for positive x, to about fourteen digits: Stirling's series after a shift to large
/// arguments.
pub(crate) fn log_gamma(x: f64) -> f64 {
    let (mut x, mut shift) = (x, 0.0);
    while x < 16.0 {
        shift -= x.ln();
        x += 1.0;
    }
    shift + (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + stirling(x)
}

/// What Stirling's series adds from 16 on.
fn stirling(x: f64) -> f64 {
    let inverse = 1.0 / x;
    let square = inverse * inverse;
    inverse / 12.0
        * (1.0
            - square / 30.0 * (1.0 - square * 2.0 / 7.0 * (1.0 - square * 3.0 / 4.0 * (1.0 - square * 140.0 / 99.0))))
}

/// ln of Γ(x + n)/Γ(x) over xⁿ for positive x: nothing is lost however large x is, where it tends
/// to zero.
pub(crate) fn log_rising(x: f64, n: f64) -> f64 {
    match x < 16.0 {
        true => log_gamma(x + n) - log_gamma(x) - n * x.ln(),
        false => (x + n - 0.5) * (n / x).ln_1p() - n + stirling(x + n) - stirling(x),
    }
}

impl Knowledge {
    /// Whether nothing is added to what the release says.
    pub fn is_nothing(&self) -> bool {
        *self == Knowledge::default()
    }

    /// What the true table satisfies, as far as one release and the reader say, and the values of
    /// its sums.
    ///
    /// What a release is pinned to says nothing of the true table, and is left out.
    ///
    /// # Errors
    /// Bad when a rule or total does not fit the table.
    pub(crate) fn conditions(&self, release: &Release) -> Result<(Conditions, Vec<Vec<i64>>), Problem> {
        let mut declaration = release.declaration.clone();
        declaration.outputs.clear();
        if !release.plan.method.keeps {
            declaration.invariants.clear();
            declaration.constraints.rules.clear();
            declaration.constraints.nonnegative = false;
        }
        declaration.mechanism.method = Method::Condition;
        declaration.invariants.retain(|invariant| invariant.pinned.is_none());
        let declaration = match self.rules.is_empty() && self.totals.is_empty() {
            true => declaration,
            false => self.told(&declaration)?,
        };
        let mut conditions = declaration.conditions(&release.domain)?;
        conditions.nonnegative |= self.nonnegative || self.prior != Prior::Flat;
        let totals = conditions.totals(&release.values)?;
        Ok((conditions, totals))
    }

    /// The declaration with the reader's rules and totals.
    fn told(&self, declaration: &Declaration) -> Result<Declaration, Problem> {
        let listed = |names: &[String]| names.iter().map(|name| toml_string(name)).collect::<Vec<_>>().join(", ");
        let mut text = declaration.to_toml();
        for rule in &self.rules {
            let Rule { left, relation, right, by } = Rule::read(rule)?;
            let [left, relation, right] = [&left, relation, &right].map(toml_string);
            text.push_str(&format!(
                "\n[[constraints.rule]]\nby = [{}]\nleft = {left}\nop = {relation}\nright = {right}\n",
                listed(&by)
            ));
        }
        for totals in &self.totals {
            text.push_str(&format!("\n[[invariant]]\nby = [{}]\n", listed(&totals.by)));
            if let Some(filter) = &totals.filter {
                text.push_str(&format!("where = {}\n", toml_string(filter)));
            }
            text.push_str(&format!("values = {}\n", toml_string(&totals.file.display().to_string())));
        }
        Declaration::parse(&text, "the spec with what --rule and --total add", std::path::Path::new("."))
    }
}

/// A rule as a reader writes it.
#[derive(Debug, PartialEq, Eq)]
struct Rule {
    left: String,
    relation: &'static str,
    right: String,
    by: Vec<String>,
}

impl Rule {
    /// `sum(PREDICATE) <= sum(PREDICATE) by NAME, NAME`; the right side may be a number.
    fn read(text: &str) -> Result<Rule, Problem> {
        let wrong = || {
            Problem::bad(format!("cannot read the rule `{text}`"))
                .hint("write it like this: --rule \"sum(measure = 'deaths') <= sum(measure = 'cases') by county\"")
        };
        let (left, rest) = inside_sum(text.trim()).ok_or_else(wrong)?;
        let rest = rest.trim_start();
        let relation = ["<=", ">=", "="].into_iter().find(|relation| rest.starts_with(relation)).ok_or_else(wrong)?;
        let rest = rest[relation.len()..].trim_start();
        let (right, rest) = match inside_sum(rest) {
            Some((right, rest)) => (right.to_string(), rest),
            None => {
                let end = rest.find(" by ").unwrap_or(rest.len());
                (rest[..end].trim().to_string(), &rest[end..])
            }
        };
        let rest = rest.trim();
        let by = match rest.strip_prefix("by ") {
            Some(names) => names.split(',').map(|name| name.trim().to_string()).collect(),
            None if rest.is_empty() => Vec::new(),
            None => return Err(wrong()),
        };
        Ok(Rule { left: left.to_string(), relation, right, by })
    }
}

/// What stands in `sum(…)` at the beginning of a text, and what follows; quotes may hold
/// parentheses.
fn inside_sum(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("sum(")?;
    let (mut depth, mut quoted) = (1, false);
    for (place, letter) in rest.char_indices() {
        match letter {
            '\'' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some((rest[..place].trim(), &rest[place + 1..]));
        }
    }
    None
}

/// Refuses releases that a posterior cannot be had of, with the reason.
///
/// # Errors
/// Refused for projections, suppressed releases and totals pinned to published values.
pub(crate) fn check_posterior(release: &Release, alone: bool) -> Result<(), Problem> {
    release.check_law()?;
    if release.plan.cascade.is_some() && !alone {
        return Err(Problem::refused(format!(
            "the release in `{}` was drawn by a cascade, and it is not put together with others",
            release.name
        ))
        .hint("ask for the posterior of one release; --likelihood takes several"));
    }
    let pinned = release.conditions.pinned.iter().any(Option::is_some);
    match &release.known {
        _ if pinned => Err(Problem::refused(
            "totals of the release are pinned to published values: it says nothing about the true totals, and the probability of the \
             release does not fall off as they move away, so no flat prior gives a posterior",
        )
        .hint("--likelihood compares hypothetical tables with each other all the same")),
        Known::Estimated { because: Some(because), .. } => Err(Problem::refused(format!(
            "a walk drew the release and {because}: the posterior carries 1/Z(x), and no exact draw cancels it"
        ))
        .hint("release with nonnegative = false and without rules: a posterior can have the bounds all the same")),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rising_factorials_are_products() {
        for x in [1e-9f64, 0.3, 2.0, 15.9, 16.0, 40.0, 1e6, 1e12, 1e30] {
            for n in [0, 1, 7, 60] {
                let product: f64 = (0..n).map(|k| (f64::from(k) / x).ln_1p()).sum();
                let found = log_rising(x, f64::from(n));
                assert!((found - product).abs() < 1e-12 * (1.0 + product.abs()), "{x} {n}: {found} {product}");
            }
        }
    }

    #[test]
    fn rules_are_read_as_certificates_write_them() {
        let rule = Rule::read("sum(measure = 'deaths (all)') <= sum(measure in ('a', 'b')) by county, month").unwrap();
        assert_eq!((rule.left.as_str(), rule.relation), ("measure = 'deaths (all)'", "<="));
        assert_eq!(
            (rule.right.as_str(), rule.by.as_slice()),
            ("measure in ('a', 'b')", &["county".to_string(), "month".into()][..])
        );
        let rule = Rule::read("sum(age >= 18) >= 12").unwrap();
        assert_eq!((rule.right.as_str(), rule.by.len()), ("12", 0));
        for wrong in ["deaths <= cases", "sum(a = 1", "sum(a = 1) ~ 3", "sum(a = 1) <= sum(b = 2) for county"] {
            assert!(Rule::read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_logarithm_of_gamma_is_that_of_factorials() {
        let mut sum = 0.0;
        for n in 1..60u32 {
            assert!((log_gamma(f64::from(n)) - sum).abs() < 1e-12 * f64::max(1.0, sum), "{n}");
            sum += f64::from(n).ln();
        }
        assert!((log_gamma(0.5) - 0.5 * std::f64::consts::PI.ln()).abs() < 1e-13);
        assert!((log_gamma(0.01) - 4.599_479_878_042_022).abs() < 1e-12);
    }
}
