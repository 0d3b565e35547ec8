//! What a cascade guarantees, in words: its noise, what several levels of it lose, what whole
//! numbers add.

use exact::Rational;
use loss::Loss;
use plan::{CascadeLevel, Cascaded, Plan, decimals};

/// The noise of a cascade.
pub(crate) fn noise(plan: &Plan, cascaded: &Cascaded) -> String {
    let level = |level: &CascadeLevel| {
        let variance = decimals(&level.variance);
        match level.sums {
            1 => format!("on `{}` with variance {variance}", level.label),
            sums => format!("on each of {sums} sums `{}` with variance {variance}", level.label),
        }
    };
    let noise = match cascaded.levels.as_slice() {
        [one] => format!("discrete Gaussian in every cell with variance {}", decimals(&one.variance)),
        levels => {
            let levels: Vec<String> = levels.iter().map(level).collect();
            format!("discrete Gaussian {}", levels.join(", "))
        }
    };
    let within = match (plan.keeps_totals(), plan.has_bounds()) {
        (true, true) => "within what the exact totals, bounds and rules leave for it",
        (true, false) => "within what the exact totals leave for it",
        (false, true) => "within what bounds and rules leave for it",
        (false, false) => "around the mean that the numbers before it leave",
    };
    let ordered = |sha256: &String| format!("; cells are ordered by the public file with SHA-256 {sha256}");
    let order = cascaded.ordered_by.as_ref().map_or(String::new(), ordered);
    format!("{noise}, as a cascade: sums are split from above, and every number is drawn {within}{order}")
}

/// What the release tells of two tables, where noise sits on several levels: in place of what one
/// level loses.
pub(crate) fn meaning(cascaded: &Cascaded, loss: &Loss) -> Option<String> {
    if cascaded.levels.len() < 2 {
        return None;
    }
    let rows = loss.owner.as_ref().map_or(1, |owner| owner.rows);
    let squared = Rational::integer(rows) * Rational::integer(rows);
    let part = |level: &CascadeLevel| {
        let most = &Rational::integer(level.footprint) * &squared;
        let rho = &level.rho * &squared;
        format!("{rho} S / {most} for `{}`", level.label)
    };
    let parts: Vec<String> = cascaded.levels.iter().map(part).collect();
    let rho = loss.rho()?;
    let hence = match &loss.owner {
        Some(owner) => format!("replacing one {} by another, all its rows together,", owner.in_words()),
        None => "replacing one record by another".to_string(),
    };
    Some(format!(
        "the release tells them apart no better than zero-concentrated differential privacy allows whose rho is the sum of {}, where S is \
         the sum of the squared differences of the sums of that level; {hence} reaches at most the number below S in every level, hence \
         rho = {rho}",
        parts.join(" and ")
    ))
}

/// What the figures include.
pub(crate) fn price(loss: &Loss) -> String {
    format!(
        " Totals, bounds and rules add nothing to these figures; that every number is a whole one adds at most {} of the loss of Gaussian \
         noise (kappa), and is included: {}.",
        decimals(&loss.gamma),
        loss.because
    )
}
