//! Seeman, discussion 1: what ε-DP does not say when ε is chosen by the utility that it gives on
//! the confidential data.

use super::Rehearsal;
use super::findings::Findings;
use declare::Problem;
use report::chart::{Axis, Chart, Series, Shape};

/// The records, the tolerance and the demanded probability of the published example.
const RECORDS: usize = 20;
const NEAR: usize = 2;
const DEMANDED: f64 = 0.76;

/// The exponential mechanism of a sum of n yes or no records: weights e^{−ε|T − y|/2} on 0 … n.
fn law(epsilon: f64, sum: usize, records: usize) -> Vec<f64> {
    let weights: Vec<f64> = (0..=records).map(|y| (-epsilon / 2.0 * sum.abs_diff(y) as f64).exp()).collect();
    let all: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / all).collect()
}

/// How likely the release is at most so far from the sum.
fn utility(epsilon: f64, sum: usize, near: usize, records: usize) -> f64 {
    let law = law(epsilon, sum, records);
    law.iter().enumerate().filter(|(y, _)| y.abs_diff(sum) <= near).map(|(_, share)| share).sum()
}

/// The sums at which the demanded utility is reached, among those that are not nearer to an end
/// than the tolerance.
fn satisfied() -> Vec<usize> {
    (NEAR..=RECORDS - NEAR).filter(|sum| utility(1.0, *sum, NEAR, RECORDS) >= DEMANDED).collect()
}

/// The least ε at which the worst sum, n/2, has this utility; the utility grows with ε.
fn worst_case(demanded: f64) -> f64 {
    let (mut low, mut high) = (0.0f64, 64.0f64);
    for _ in 0..200 {
        let middle = (low + high) / 2.0;
        if utility(middle, RECORDS / 2, NEAR, RECORDS) >= demanded { high = middle } else { low = middle }
    }
    high
}

/// How likely |T − 10| > 5 is for somebody who is told that a past sum, at most `off` away from T,
/// has the utility: all T and all differences equally likely.
fn told_by_the_past(off: i64) -> f64 {
    let satisfied = satisfied();
    let (mut outside, mut all) = (0u32, 0u32);
    for sum in 0..=RECORDS as i64 {
        for past in sum - off..=sum + off {
            if usize::try_from(past).is_ok_and(|past| satisfied.contains(&past)) {
                all += 1;
                outside += u32::from((sum - 10).abs() > 5);
            }
        }
    }
    f64::from(outside) / f64::from(all)
}

/// The largest distance between a posterior and the same with one record replaced in the
/// mechanism's input: over all releases, records, values, and priors that are even over all tables
/// or uneven over two. `released`: at which sums anything is released.
fn posterior_distance(epsilon: f64, records: usize, released: &dyn Fn(usize) -> bool) -> f64 {
    let tables: Vec<usize> = (0..1usize << records).collect();
    let ones = |table: usize| table.count_ones() as usize;
    let laws: Vec<Vec<f64>> = (0..=records).map(|sum| law(epsilon, sum, records)).collect();
    let told = |table: usize, y: usize| if released(ones(table)) { laws[ones(table)][y] } else { 0.0 };
    let mut priors: Vec<Vec<(usize, f64)>> = vec![tables.iter().map(|table| (*table, 1.0)).collect()];
    for one in &tables {
        for other in &tables[..*one] {
            priors.extend([1.0, 9.0, 1.0 / 9.0].map(|odds| vec![(*one, odds), (*other, 1.0)]));
        }
    }
    let mut farthest = 0.0f64;
    for prior in &priors {
        for y in 0..=records {
            let posterior = |input: &dyn Fn(usize) -> usize| -> Option<Vec<f64>> {
                let weights: Vec<f64> = prior.iter().map(|(table, weight)| weight * told(input(*table), y)).collect();
                let all: f64 = weights.iter().sum();
                (all > 0.0).then(|| weights.iter().map(|weight| weight / all).collect())
            };
            let Some(own) = posterior(&|table| table) else { continue };
            for record in 0..records {
                for value in [0, 1] {
                    let replaced = |table: usize| table & !(1 << record) | value << record;
                    let Some(other) = posterior(&replaced) else { continue };
                    let apart = own.iter().zip(&other).map(|(own, other)| (own - other).abs()).sum::<f64>() / 2.0;
                    farthest = farthest.max(apart);
                }
            }
        }
    }
    farthest
}

pub(super) fn run(run: &Rehearsal<'_>) -> Result<Findings, Problem> {
    let mut findings = run.findings(&[
            "Twenty yes or no records with sum T, the exponential mechanism at ε = 1, and the demand that the release is within 2 of T with probability 0.76, \
             as in Seeman's first discussion. All figures are sums over 21 releases, or enumerations; nothing is drawn.",
            "Verdict: whoever learns that ε was chosen because the confidential table meets the demand knows |T − 10| > 5 with certainty, although every release is ε-DP. \
             Choosing by past data only spreads that knowledge as far as the past is from the present; choosing by the worst table is safe, and is paid for by every query. \
             The bound e^ε − 1 between posteriors holds for a mechanism that is fixed, and fails altogether once its form depends on the table.",
        ]);
    run.stage("see-budget", 3);
    let mut table = "sum,probability_within_2\n".to_owned();
    let points: Vec<(f64, f64)> = (0..=RECORDS).map(|sum| (sum as f64, utility(1.0, sum, NEAR, RECORDS))).collect();
    points.iter().for_each(|(sum, share)| table += &format!("{sum},{share:.8}\n"));
    let satisfied = satisfied();
    let listed: Vec<String> = satisfied.iter().map(usize::to_string).collect();
    findings.measured(
        "T from 2 to 18 at which the release is within 2 of T with probability 0.76 at least",
        listed.join(", "),
    );
    findings.measured("its least value among these / its largest among the others", {
        let values = |inside: bool| {
            (NEAR..=RECORDS - NEAR)
                .filter(|sum| satisfied.contains(sum) == inside)
                .map(|sum| utility(1.0, sum, NEAR, RECORDS))
                .collect::<Vec<f64>>()
        };
        let least = values(true).into_iter().fold(f64::INFINITY, f64::min);
        format!("{least:.5} / {:.5}", values(false).into_iter().fold(0.0, f64::max))
    });
    findings.measured(
        "probability that T is more than 5 from 10, before / told that the table meets the demand",
        format!("{:.3} / 1", 10.0 / 21.0),
    );
    run.done(1);
    for off in [1, 2, 3] {
        findings.measured(
            format!("repair 1, a public past sum within {off}: the same, told that the past one meets the demand"),
            format!("{:.3}", told_by_the_past(off)),
        );
    }
    for sum in [2, 3, 4] {
        let demanded = utility(1.0, sum, NEAR, RECORDS);
        findings.measured(
            format!("repair 2, the worst table: ε for the utility of T = {sum} ({demanded:.4}), one query / ten"),
            format!("{:.4} / {:.2}", worst_case(demanded), 10.0 * worst_case(demanded)),
        );
    }
    findings.measured("repair 2: ε for 0.76 at the worst table", format!("{:.4}", worst_case(DEMANDED)));
    run.done(1);
    let epsilon = 0.25;
    let bound = f64::exp_m1(epsilon);
    findings.measured(
        "posteriors with and without one record, n = 4, ε = ¼: largest distance, and the bound e^ε − 1",
        format!("{:.4}, and {bound:.4}", posterior_distance(epsilon, 4, &|_| true)),
    );
    let chosen = |sum: usize| (1..=3).contains(&sum) && utility(epsilon, sum, 1, 4) >= 0.65;
    findings.measured(
        "the same when it is released only where it is within 1 of T with probability 0.65 (T = 1 or 3)",
        format!("{:.4}: e^ε − 1 is not a bound any more", posterior_distance(epsilon, 4, &chosen)),
    );
    run.done(1);
    findings.file(".csv", table);
    findings.file(".svg", figure(points));
    Ok(findings)
}

fn figure(points: Vec<(f64, f64)>) -> String {
    let chart = Chart {
        label: "How likely the release is within 2 of T, by T",
        size: (640.0, 300.0),
        across: Axis::linear("T", 0.0, RECORDS as f64),
        up: Axis::linear("probability", 0.7, 0.85),
        series: vec![
            Series::named("c0", "ε = 1", Shape::Dots(points)),
            Series::named("c1", "demanded", Shape::Line(vec![(0.0, DEMANDED), (RECORDS as f64, DEMANDED)])),
        ],
    };
    chart.file()
}

#[cfg(test)]
mod tests {
    use super::{posterior_distance, satisfied, told_by_the_past, utility, worst_case};

    #[test]
    fn the_demand_tells_where_the_sum_is() {
        assert_eq!(satisfied(), [2, 3, 4, 16, 17, 18]);
        assert!(satisfied().iter().all(|sum| sum.abs_diff(10) > 5));
        assert!((told_by_the_past(0) - 1.0).abs() < 1e-12 && told_by_the_past(1) < 1.0);
        let demanded = utility(1.0, 2, 2, 20);
        assert!((utility(worst_case(demanded), 10, 2, 20) - demanded).abs() < 1e-9 && worst_case(demanded) > 1.4);
    }

    #[test]
    fn posteriors_are_near_unless_the_mechanism_depends_on_the_table() {
        for epsilon in [0.1, 0.25, 0.5] {
            let apart = posterior_distance(epsilon, 4, &|_| true);
            assert!(apart > 0.0 && apart <= f64::exp_m1(epsilon), "{epsilon}: {apart}");
        }
        assert!(posterior_distance(0.25, 4, &|sum| sum == 1 || sum == 3) > 0.9);
    }
}
