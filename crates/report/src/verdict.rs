//! A comparison in words: which method errs least, whether it is biased, and whether its intervals
//! hold.

use crate::words::listed;
use audit::comparison::{Comparison, Coverage, Outcome, sizes};
use audit::measure::Summary;

/// So many standard errors are taken for more than chance.
const BEYOND_CHANCE: f64 = 4.0;

/// The verdict: up to four sentences.
pub(crate) fn verdict(comparison: &Comparison) -> Vec<String> {
    [least_error, small_counts, intervals, not_kept].iter().filter_map(|sentence| sentence(comparison)).collect()
}

type Found<'a> = (&'a str, &'a Outcome);

fn found(comparison: &Comparison) -> impl Iterator<Item = Found<'_>> {
    comparison.methods.iter().filter_map(|method| Some((method.name, method.outcome.as_ref().ok()?)))
}

/// The methods whose draws keep everything that should hold, and no count below zero where none
/// should be.
fn keeping(comparison: &Comparison) -> Vec<Found<'_>> {
    let keeps =
        |(_, outcome): &Found<'_>| outcome.errors.broken().mean() == 0.0 && !outcome.real_valued && !ignores(outcome);
    found(comparison).filter(keeps).collect()
}

/// Whether a method leaves bounds and rules out, as its remark says.
fn ignores(outcome: &Outcome) -> bool {
    outcome.remark.as_deref().is_some_and(|remark| remark.contains("ignored"))
}

/// Three digits of a number: more say nothing to those who read sentences.
fn short(value: f64) -> String {
    let decimals = match value.abs() {
        size if size >= 100.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 0.1 => 2,
        _ => 3,
    };
    let text = format!("{value:.decimals$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    text.replace('-', "−")
}

fn beyond_chance(summary: &Summary) -> bool {
    summary.mean().abs() > BEYOND_CHANCE * summary.mean_error()
}

/// Which of the methods that keep everything errs least.
fn least_error(comparison: &Comparison) -> Option<String> {
    let mut keeping = keeping(comparison);
    keeping.sort_by(|(_, one), (_, other)| one.errors.l1().mean().total_cmp(&other.errors.l1().mean()));
    let each = |outcome: &Outcome| outcome.errors.l1().mean() / comparison.truth.len().max(1) as f64;
    let (best, outcome) = *keeping.first()?;
    let of = if keeping.len() > 1 { "Of the methods that keep all that is exact, " } else { "" };
    let first = format!("{of}{best} errs least: a count is off by {} on average", short(each(outcome)));
    let Some((second, next)) = keeping.get(1) else { return Some(format!("{first}.")) };
    let (one, two) = (outcome.errors.l1(), next.errors.l1());
    let chance = BEYOND_CHANCE * (one.mean_error().powi(2) + two.mean_error().powi(2)).sqrt();
    Some(match two.mean() - one.mean() > chance {
        true => format!("{first}, by {second} {}.", short(each(next))),
        false => format!("{first}; {second} is no worse as far as these draws tell ({}).", short(each(next))),
    })
}

/// Whether small counts are biased.
fn small_counts(comparison: &Comparison) -> Option<String> {
    let mut biased = Vec::new();
    let mut fair = Vec::new();
    let mut size = None;
    for (name, outcome) in found(comparison) {
        let part = outcome.errors.parts().first()?;
        let bias = part.bias().first()?;
        size = part.partition().parts().first().map(sizes);
        match beyond_chance(bias) {
            true => {
                let sign = if bias.mean() > 0.0 { "+" } else { "" };
                biased.push(format!("{name} {sign}{}", short(bias.mean())));
            }
            false => fair.push(name.to_owned()),
        }
    }
    let size = size?;
    let one = if fair.len() == 1 { "is" } else { "are" };
    Some(match (biased.is_empty(), fair.is_empty()) {
        (true, _) => format!("No method is seen to bias the smallest counts ({size})."),
        (false, true) => format!("All methods bias the smallest counts ({size}): {}.", listed(&biased)),
        (false, false) => {
            let (biased, fair) = (listed(&biased), listed(&fair));
            format!("The smallest counts ({size}) are biased by {biased}; {fair} {one} not seen to be.")
        }
    })
}

/// Whether intervals hold.
fn intervals(comparison: &Comparison) -> Option<String> {
    let covered = found(comparison).filter_map(|(name, outcome)| Some((name, outcome.coverage.as_ref()?)));
    let (stated, others): (Vec<_>, Vec<_>) = covered.partition(|(_, coverage)| coverage.stated);
    let say = |all: &[(&str, &Coverage)]| {
        let one =
            |(name, coverage): &(&str, &Coverage)| format!("{name} {}\u{a0}%", short(100.0 * coverage.right.mean()));
        listed(&all.iter().map(one).collect::<Vec<_>>())
    };
    match (stated.is_empty(), others.is_empty()) {
        (true, true) => None,
        (false, true) => Some(format!("Stated 90 % intervals hold: {} of counts.", say(&stated))),
        (true, false) => {
            Some(format!("No method states intervals; within the reach of its noise are {} of counts.", say(&others)))
        }
        (false, false) => Some(format!(
            "Stated 90 % intervals hold ({} of counts); the others state none, and the reach of their noise holds {}.",
            say(&stated),
            say(&others)
        )),
    }
}

/// Which methods do not keep everything.
fn not_kept(comparison: &Comparison) -> Option<String> {
    let kept: Vec<&str> = keeping(comparison).into_iter().map(|(name, _)| name).collect();
    let others = found(comparison).filter(|(name, _)| !kept.contains(name));
    let names: Vec<String> = others.map(|(name, _)| name.to_owned()).collect();
    let verb = if names.len() == 1 { "does" } else { "do" };
    (!names.is_empty())
        .then(|| format!("For reference alone: {} {verb} not keep all that should hold.", listed(&names)))
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn sentences_have_short_numbers() {
        assert_eq!(
            [0.0, 0.975, -1.2345, 12.34, 98.06, 1234.5, 0.0123].map(short),
            ["0", "0.97", "−1.23", "12.3", "98.1", "1234", "0.012"]
        );
    }
}
