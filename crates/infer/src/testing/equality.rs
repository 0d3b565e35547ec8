//! Whether two releases are of one and the same true table: their difference is noise alone, if
//! they are.
//!
//! Without bounds the noise of each has one law whatever the table is, so y₁ − y₂ has a known law
//! under the hypothesis and nothing is left open: the test is exact. Exact totals that both tell
//! and that differ answer at once.

use super::statistic::Statistic;
use super::{Tested, Trial, conclude};
use crate::field::Field;
use crate::interval::check_free;
use crate::release::{Release, check_different};
use declare::{Grouping, Problem};
use exact::Seeded;

/// Tests whether the true tables of two releases are equal.
///
/// # Errors
/// Bad when the releases are not of the same cells, or are one draw; refused when one of them has
/// bounds.
pub fn test_equality(releases: &[Release], statistic: &Statistic, trial: Trial) -> Result<Tested, Problem> {
    let [one, two] = releases else {
        return Err(Problem::bad(format!("equality is tested of two releases, and {} were given", releases.len()))
            .hint("congenial infer FIRST SECOND --test equality"));
    };
    check_different(releases)?;
    if one.domain != two.domain {
        return Err(Problem::bad(format!(
            "`{}` and `{}` have different dimensions or values: no cell of one is a cell of the other",
            one.name, two.name
        )));
    }
    check_free(one)?;
    check_free(two)?;
    let words = format!("`{}` and `{}` are releases of one and the same true table", one.name, two.name);
    if !matches!(statistic, Statistic::Pearson | Statistic::Query(_)) {
        return Err(Problem::bad(format!("equality has no statistic `{}`", statistic.name()))
            .hint("pearson, the sum of squared differences; or query, the size of a query's difference"));
    }
    let value = |apart: &[i64]| match statistic {
        Statistic::Query(query) => query.value(apart).unsigned_abs() as f64,
        _ => apart.iter().map(|value| (*value as f64).powi(2)).sum::<f64>(),
    };
    let apart: Vec<i64> = one.values.iter().zip(&two.values).map(|(one, two)| one - two).collect();
    if let Some(label) = differing(one, two, &apart) {
        let mut tested = conclude("equality", words.clone(), statistic.name(), value(&apart), Vec::new(), trial, None);
        tested.p_value = 0.0;
        tested.basis = vec![
            format!("hypothesis: {words}"),
            format!(
                "certainly false: both releases tell the totals `{label}` exactly, and they differ; no draw is needed"
            ),
            "verdict: rejected, p = 0".into(),
        ];
        return Ok(tested);
    }
    let fields = [Field::of_release(one)?, Field::of_release(two)?];
    let samplers = [fields[0].sampler()?, fields[1].sampler()?];
    let own = value(&apart);
    let values = super::values(trial, &|draw| {
        let first = samplers[0].draw(&Seeded::draw(trial.seed, draw), &|_| {})?;
        let second = samplers[1].draw(&Seeded::draw(trial.seed ^ 0x5ec0, draw), &|_| {})?;
        let (first, second) = (first.values().iter().zip(&one.values), second.values().iter().zip(&two.values));
        let apart: Vec<i64> = first.zip(second).map(|((a, b), (c, d))| (a - b) - (c - d)).collect();
        Ok(value(&apart))
    })?;
    let mut tested = conclude("equality", words.clone(), statistic.name(), own, values, trial, None);
    tested.basis = vec![
        format!("hypothesis: {words}"),
        "equalities alone: if it is true, the difference of the releases is that of two noises with known laws".into(),
    ];
    let least = [one, two].into_iter().find(|release| !matches!(release.known, crate::Known::Free)).unwrap_or(one);
    tested.tell_validity(true, true, &least.known);
    Ok(tested)
}

/// Totals that both tell exactly, of the tables themselves, and that differ.
fn differing<'r>(one: &'r Release, two: &Release, apart: &[i64]) -> Option<&'r str> {
    let same = |one: &Grouping, two: &Grouping| one.group_of == two.group_of && one.times == two.times;
    let mut shared = one.own_totals().filter(|grouping| two.own_totals().any(|other| same(grouping, other)));
    shared.find(|grouping| grouping.totals(apart).iter().any(|sum| *sum != 0)).map(|found| found.label.as_str())
}
