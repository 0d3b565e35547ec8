//! Models against enumeration, against each other, and by simulation: rates, shares, small areas,
//! log-linear terms; bounds and two releases; and the mutants that must fail.

use crate::making::{drawn, energy, free, release, spec, tables};
use exact::{Entropy, Seeded, Source, Stream};
use infer::model::{Asking, Below, Design, Estimate, Fitted, Model, Sampler, Sought, Wished, fit};
use infer::{Cancel, Knowledge, Release};
use statrs::distribution::{ContinuousCDF, Gamma};
use std::ops::RangeInclusive;

pub const TOTAL: &str = "[[invariant]]\nby = []\n";
const ROWS: &str = "[[invariant]]\nby = [\"row\"]\n";
const MARGINS: &str = "[[invariant]]\nby = [\"row\"]\n[[invariant]]\nby = [\"column\"]\n";

pub const WISHED: Wished = Wished {
    draws: 40_000,
    seed: 5,
    sampler: Sampler::Gibbs,
    cancel: Cancel::Automatic,
    level: 0.9,
    against: Some(1.5),
};

fn bounded(rest: &str, epsilon: &str) -> String {
    format!("{rest}[mechanism]\nnoise = \"double-geometric\"\nepsilon = \"{epsilon}\"\nper = \"unit\"\n")
}

/// A rate of every group.
pub fn rates(model: Model, group_of: &[u32], exposures: &[f64]) -> Asking {
    let groups = group_of.iter().max().unwrap() + 1;
    let sought = |group: u32| Sought {
        name: format!("rate {group}"),
        above: (0..group_of.len() as u32).filter(|cell| group_of[*cell as usize] == group).collect(),
        below: Below::Exposures,
    };
    Asking {
        model,
        group_of: group_of.to_vec(),
        exposures: exposures.to_vec(),
        family_of: vec![0; groups as usize],
        families: vec![String::new()],
        sought: (0..groups).map(sought).collect(),
    }
}

pub fn log_gamma(x: f64) -> f64 {
    statrs::function::gamma::ln_gamma(x)
}

/// All true tables with the logarithm of the weight that releases and exposures give each.
fn weighed(releases: &[Release], exposures: &[f64], high: i64) -> Vec<(Vec<i64>, f64)> {
    let first = &releases[0];
    let all = tables(&first.conditions, &first.values, 0, high, &|_| true);
    let normaliser = |release: &Release, x: &[i64]| -> f64 {
        if release.is_free() {
            return 0.0;
        }
        let all = tables(&release.conditions, &release.values, 0, high.max(40), &|_| true);
        all.iter().map(|y| (-energy(release, y, x)).exp()).sum::<f64>().ln()
    };
    let log = |x: &Vec<i64>| {
        let noise: f64 =
            releases.iter().map(|release| -energy(release, &release.values, x) - normaliser(release, x)).sum();
        let counts: f64 = x.iter().zip(exposures).map(|(n, e)| *n as f64 * e.ln() - log_gamma(*n as f64 + 1.0)).sum();
        noise + counts
    };
    all.into_iter().map(|x| (log(&x), x)).map(|(log, x)| (x, log)).collect()
}

/// Mean and P(θ > limit) of the rate of every group, by enumeration of tables and gamma laws.
fn enumerated(asking: &Asking, all: &[(Vec<i64>, f64)], (shape, rate): (f64, f64), limit: f64) -> Vec<(f64, f64)> {
    let groups = asking.sought.len();
    let sums = |x: &[i64]| {
        let mut sums = vec![0i64; groups];
        x.iter().zip(&asking.group_of).for_each(|(n, group)| sums[*group as usize] += n);
        sums
    };
    let mut exposures = vec![0.0; groups];
    asking.group_of.iter().zip(&asking.exposures).for_each(|(group, own)| exposures[*group as usize] += own);
    let collapsed = |x: &[i64]| -> f64 {
        sums(x)
            .iter()
            .zip(&exposures)
            .map(|(n, e)| log_gamma(shape + *n as f64) - (shape + *n as f64) * (rate + e).ln())
            .sum()
    };
    let logs: Vec<f64> = all.iter().map(|(x, log)| log + collapsed(x)).collect();
    let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut found = vec![(0.0, 0.0); groups];
    let mut whole = 0.0;
    for ((x, _), log) in all.iter().zip(&logs) {
        let weight = (log - top).exp();
        whole += weight;
        for ((own, n), e) in found.iter_mut().zip(sums(x)).zip(&exposures) {
            let law = Gamma::new(shape + n as f64, rate + e).unwrap();
            own.0 += weight * (shape + n as f64) / (rate + e);
            own.1 += weight * law.sf(limit);
        }
    }
    found.into_iter().map(|(mean, above)| (mean / whole, above / whole)).collect()
}

#[track_caller]
fn assert_estimates(found: &[Estimate], expected: &[(f64, f64)]) {
    for (own, (mean, above)) in found.iter().zip(expected) {
        let error = own.deviation / own.effective.sqrt();
        assert!(
            (own.mean - mean).abs() < testkit::deviations(60) * error,
            "{}: mean {} instead of {mean} ± {error}",
            own.name,
            own.mean
        );
        let error = (above * (1.0 - above) / own.effective).sqrt() + 1e-4;
        let told = own.above.unwrap();
        assert!(
            (told - above).abs() < testkit::deviations(60) * error,
            "{}: {told} instead of {above} ± {error}",
            own.name
        );
    }
}

pub fn gamma(shape: f64, rate: f64) -> Model {
    Model::PoissonGamma { shape, rate }
}

#[track_caller]
fn checked(releases: &[Release], asking: &Asking, wished: &Wished, high: i64) -> Fitted {
    let prior = match asking.model {
        Model::PoissonGamma { shape, rate } => (shape, rate),
        _ => unreachable!(),
    };
    let fitted = fit(releases, &Knowledge::default(), asking, wished).unwrap();
    let all = weighed(releases, &asking.exposures, high);
    assert_estimates(&fitted.rates, &enumerated(asking, &all, prior, wished.against.unwrap()));
    fitted
}

#[test]
fn rates_of_three_cells_with_a_total() {
    let one = release(&spec(1, 3, &free(TOTAL, "1/2")), &[-2, 7, 4]);
    let asking = rates(gamma(0.5, 0.0), &[0, 1, 2], &[2.0, 3.0, 0.5]);
    let fitted = checked(std::slice::from_ref(&one), &asking, &WISHED, 9);
    assert!(fitted.chains.independent, "rates are integrated out");
    // Another release of the same table, with noise of another size.
    let two = release(&spec(1, 3, &free(TOTAL, "1")), &[1, 3, 5]);
    checked(&[one, two], &asking, &WISHED, 9);
}

#[test]
fn rates_that_several_cells_share() {
    let one = release(&spec(2, 3, &free(ROWS, "1")), &[3, -1, 2, 0, 4, 1]);
    // Groups inside the totals: integrated out. Groups across them: rates and tables in turn.
    let exposures = [1.0, 2.0, 0.5, 1.5, 1.0, 3.0];
    let inside = rates(gamma(1.5, 0.5), &[0, 0, 1, 2, 2, 2], &exposures);
    assert!(checked(std::slice::from_ref(&one), &inside, &WISHED, 5).chains.independent);
    let across = rates(gamma(1.5, 0.5), &[0, 1, 1, 0, 1, 0], &exposures);
    assert!(!checked(std::slice::from_ref(&one), &across, &WISHED, 5).chains.independent);
}

#[test]
fn rates_under_totals_that_cross_and_noisy_sums() {
    let one = release(&spec(2, 3, &free(MARGINS, "1")), &[3, -1, 3, 0, 4, 1]);
    let asking = rates(gamma(1.0, 0.25), &[0, 0, 1, 1, 2, 2], &[1.0, 2.0, 0.5, 1.5, 1.0, 3.0]);
    checked(&[one], &asking, &Wished { draws: 12_000, ..WISHED }, 5);
    let sums = "[[invariant]]\nby = []\n[constraints]\nnonnegative = false\n[mechanism]\nnoise = \"double-geometric\"\nper = \"unit\"\n\
                [[mechanism.query]]\nby = [\"row\"]\nepsilon = \"1\"\n[[mechanism.query]]\nby = [\"row\", \"column\"]\nepsilon = \"1/2\"\n";
    let one = release(&spec(2, 2, sums), &[6, -2, 0, 3]);
    let asking = rates(gamma(1.0, 0.25), &[0, 1, 2, 2], &[1.0, 2.0, 0.5, 1.5]);
    checked(&[one], &asking, &Wished { draws: 12_000, ..WISHED }, 7);
}

#[test]
fn bounds_in_the_release_carry_their_normaliser() {
    let one = [release(&spec(1, 3, &bounded(TOTAL, "1/2")), &[0, 5, 7])];
    let asking = rates(gamma(0.7, 0.1), &[0, 1, 2], &[1.0, 1.0, 2.0]);
    let computed = checked(&one, &asking, &WISHED, 12);
    assert!(computed.chains.accepted.unwrap() > 0.7);
    let exchanged = checked(&one, &asking, &Wished { cancel: Cancel::Exchange, ..WISHED }, 12);
    assert!(exchanged.chains.accepted.unwrap() < computed.chains.accepted.unwrap());
    // Groups of several cells, and cells by themselves.
    let asking = rates(gamma(0.7, 0.1), &[0, 1, 1], &[1.0, 1.0, 2.0]);
    checked(&one, &asking, &WISHED, 12);
    let alone = [release(&spec(1, 2, &bounded("", "1")), &[0, 3])];
    let asking = rates(gamma(0.7, 0.5), &[0, 1], &[1.0, 2.0]);
    assert!(checked(&alone, &asking, &WISHED, 40).chains.independent);
    // Two-way tables: no operator tells Z, and it cancels.
    let crossing = [release(&spec(2, 2, &bounded(MARGINS, "1/2")), &[1, 4, 3, 0])];
    let asking = rates(gamma(1.0, 0.5), &[0, 1, 2, 3], &[1.0, 2.0, 1.0, 0.5]);
    checked(&crossing, &asking, &Wished { draws: 12_000, cancel: Cancel::Exchange, ..WISHED }, 8);
    // Without 1/Z(x) the posterior is another one: that is found.
    let asking = rates(gamma(1.0, 0.0), &[0, 1, 2], &[1.0; 3]);
    let fitted = fit(&one, &Knowledge::default(), &asking, &WISHED).unwrap();
    let free_one = [release(&spec(1, 3, &free(TOTAL, "1/2")), &[0, 5, 7])];
    let dropped = enumerated(&asking, &weighed(&free_one, &[1.0; 3], 12), (1.0, 0.0), 1.5);
    let far = |own: &Estimate, (mean, _): &(f64, f64)| (own.mean - mean).abs() * own.effective.sqrt() / own.deviation;
    assert!(fitted.rates.iter().zip(&dropped).any(|(own, other)| far(own, other) > 8.0));
}

#[test]
fn seemans_algorithms_and_ours_agree() {
    for (text, values) in [(free(TOTAL, "1/2"), [-1, 6, 4]), (bounded(TOTAL, "1/2"), [0, 5, 7])] {
        let one = [release(&spec(1, 3, &text), &values)];
        let asking = rates(gamma(1.5, 0.5), &[0, 1, 2], &[1.0, 2.0, 1.5]);
        for sampler in [Sampler::Gibbs, Sampler::Rejection, Sampler::Importance, Sampler::Constrained] {
            let draws = if sampler == Sampler::Constrained { 4000 } else { 20_000 };
            let fitted = checked(&one, &asking, &Wished { sampler, draws, ..WISHED }, 12);
            assert_eq!(fitted.chains.accepted.is_some(), {
                sampler == Sampler::Rejection
                    || sampler == Sampler::Constrained
                    || sampler == Sampler::Gibbs && values[0] == 0
            });
        }
    }
    let one = [release(&spec(1, 3, &free(TOTAL, "1/2")), &[-1, 6, 4])];
    let improper = rates(gamma(0.5, 0.0), &[0, 1, 2], &[1.0; 3]);
    let wished = Wished { sampler: Sampler::Constrained, ..WISHED };
    assert!(fit(&one, &Knowledge::default(), &improper, &wished).unwrap_err().message.contains("none to draw from"));
    let free_cells = [release(&spec(1, 3, &free("", "1/2")), &[-1, 6, 4])];
    let wished = Wished { sampler: Sampler::Rejection, ..WISHED };
    assert!(fit(&free_cells, &Knowledge::default(), &improper, &wished).unwrap_err().message.contains("at most"));
}

#[test]
fn shares_are_dirichlet() {
    let one = [release(&spec(1, 3, &free(TOTAL, "1/2")), &[-1, 6, 4])];
    let mut asking = rates(Model::MultinomialDirichlet { shape: 0.8 }, &[0, 1, 2], &[1.0; 3]);
    asking.sought.iter_mut().for_each(|sought| sought.below = Below::All);
    for sampler in [Sampler::Gibbs, Sampler::Rejection, Sampler::Importance] {
        let wished = Wished { sampler, against: Some(0.3), draws: 20_000, ..WISHED };
        let fitted = fit(&one, &Knowledge::default(), &asking, &wished).unwrap();
        // The share of a cell is beta with parameters a + x and the rest.
        let all = weighed(&one, &[1.0; 3], 9);
        let log = |x: &[i64]| x.iter().map(|n| log_gamma(0.8 + *n as f64)).sum::<f64>();
        let weights: Vec<f64> = all.iter().map(|(x, own)| (own + log(x)).exp()).collect();
        let whole: f64 = weights.iter().sum();
        let expected: Vec<(f64, f64)> = (0..3)
            .map(|cell| {
                let mut found = (0.0, 0.0);
                for ((x, _), weight) in all.iter().zip(&weights) {
                    let (a, b) = (0.8 + x[cell] as f64, 1.6 + (9 - x[cell]) as f64);
                    found.0 += weight / whole * a / (a + b);
                    found.1 += weight / whole * (1.0 - statrs::function::beta::beta_reg(a, b, 0.3));
                }
                found
            })
            .collect();
        assert_estimates(&fitted.rates, &expected);
    }
    let open = [release(&spec(1, 3, &free("", "1/2")), &[-1, 6, 4])];
    let problem = fit(&open, &Knowledge::default(), &asking, &WISHED).unwrap_err();
    assert!(problem.message.contains("no exact total"), "{problem}");
}

#[test]
fn terms_of_a_log_linear_model() {
    // Two cells by themselves and two terms: tables and a grid of terms.
    let one = [release(&spec(1, 2, &free("", "1")), &[3, 9])];
    let design = Design::new("column", &one[0].domain).unwrap();
    assert_eq!(design.names, ["constant", "column = c1"]);
    let model = Model::LogLinear { design, deviation: 1.5 };
    let asking = rates(model, &[0, 1], &[1.0, 2.0]);
    let fitted = fit(&one, &Knowledge::default(), &asking, &WISHED).unwrap();
    let all = weighed(&one, &[1.0, 2.0], 60);
    let (mut sums, mut whole) = ([0.0; 4], 0.0);
    for step in -100..=100 {
        for other in -100..=100 {
            let (constant, term) = (f64::from(step) / 20.0, f64::from(other) / 20.0);
            let prior = -0.5 * (constant / 10.0).powi(2) - 0.5 * (term / 1.5).powi(2);
            let log_rates = [constant, constant + term];
            let likelihood: f64 = all
                .iter()
                .map(|(x, own)| (own + x.iter().zip(&log_rates).map(|(n, log)| *n as f64 * log).sum::<f64>()).exp())
                .sum();
            let weight = (prior - log_rates[0].exp() - 2.0 * log_rates[1].exp()).exp() * likelihood;
            whole += weight;
            let values = [log_rates[0].exp(), log_rates[1].exp(), constant, term];
            sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += weight * value);
        }
    }
    for (own, sum) in fitted.rates.iter().chain(&fitted.parameters).zip(sums) {
        let (mean, error) = (sum / whole, own.deviation / own.effective.sqrt());
        assert!(
            (own.mean - mean).abs() < testkit::deviations(20) * error + 1e-3,
            "{}: {} instead of {mean} ± {error}",
            own.name,
            own.mean
        );
    }
    for (terms, told) in [("size", "no such column"), ("row + column + row", "twice"), ("column:column", "twice")] {
        assert!(Design::new(terms, &one[0].domain).unwrap_err().message.contains(told), "{terms}");
    }
}

/// Uniform numbers for simulations.
pub struct Chance(Stream);

impl Chance {
    pub fn new(seed: u64, number: u64) -> Chance {
        Chance(Seeded::draw(seed, number).stream(0).unwrap())
    }

    pub fn uniform(&mut self) -> f64 {
        (self.0.bits(52) as f64 + 0.5) / (1u64 << 52) as f64
    }

    fn gamma(&mut self, shape: f64, rate: f64) -> f64 {
        Gamma::new(shape, rate).unwrap().inverse_cdf(self.uniform())
    }

    pub fn normal(&mut self) -> f64 {
        -std::f64::consts::SQRT_2 * statrs::function::erf::erfc_inv(2.0 * self.uniform())
    }

    pub fn poisson(&mut self, mean: f64) -> i64 {
        let (mut count, mut left) = (0, self.uniform());
        let mut mass = (-mean).exp();
        while left > mass && count < 10_000 {
            left -= mass;
            count += 1;
            mass *= mean / count as f64;
        }
        count
    }
}

/// How far numbers are from uniform ones, as a multiple of 1/√n: above 1.95 in one case of a
/// thousand.
fn unevenness(mut found: Vec<f64>) -> f64 {
    found.sort_unstable_by(f64::total_cmp);
    let count = found.len() as f64;
    let apart = |(place, value): (usize, &f64)| {
        (value - place as f64 / count).abs().max((value - (place + 1) as f64 / count).abs())
    };
    found.iter().enumerate().map(apart).fold(0.0, f64::max) * count.sqrt()
}

/// Simulations of a model: parameters from the prior, a table, a release, and where the true rate
/// lies in what is believed of it.
pub fn calibrated(
    text: &str,
    asking: &Asking,
    wished: &Wished,
    (rounds, totals): (u64, RangeInclusive<i64>),
    simulate: &dyn Fn(&mut Chance) -> Vec<f64>,
) -> f64 {
    let places = (0..rounds).filter_map(|round| {
        let mut chance = Chance::new(77, round);
        let rates = simulate(&mut chance);
        let means = asking.group_of.iter().zip(&asking.exposures).map(|(group, own)| own * rates[*group as usize]);
        let table: Vec<i64> = means.collect::<Vec<_>>().into_iter().map(|mean| chance.poisson(mean)).collect();
        // A total of zero leaves nothing to release; leaving rounds out by what is public leaves
        // the others calibrated.
        if !totals.contains(&table.iter().sum::<i64>()) {
            return None;
        }
        let one = [drawn(&release(text, &table), 13, round)];
        let one_rate = Asking { sought: vec![asking.sought[0].clone()], ..asking.clone() };
        let against = match &one_rate.sought[0].below {
            Below::All => rates[0] / rates.iter().sum::<f64>(),
            _ => rates[0],
        };
        let wished = Wished { against: Some(against), seed: round, ..*wished };
        Some(fit(&one, &Knowledge::default(), &one_rate, &wished).unwrap().rates[0].above.unwrap())
    });
    unevenness(places.collect())
}

pub const CALIBRATION: Wished = Wished { draws: 4000, ..WISHED };

#[test]
fn every_model_is_calibrated() {
    let rounds = (120, 1..=i64::MAX);
    let (exposures, group_of) = ([1.0, 2.0, 1.5, 1.0], [0, 1, 2, 3]);
    let text = spec(2, 2, &free(TOTAL, "1"));
    let own = |shape: f64, rate: f64| move |chance: &mut Chance| (0..4).map(|_| chance.gamma(shape, rate)).collect();
    let each = rates(gamma(2.0, 0.5), &group_of, &exposures);
    let found = calibrated(&text, &each, &CALIBRATION, rounds.clone(), &own(2.0, 0.5));
    assert!(found < 1.95, "poisson-gamma: {found}");
    // A prior that is not the one that was simulated is found.
    let wrong = rates(gamma(8.0, 2.0), &group_of, &exposures);
    assert!(calibrated(&text, &wrong, &CALIBRATION, rounds.clone(), &own(2.0, 0.5)) > 1.95);
    let wrong_rows = spec(2, 2, &free(ROWS, "1"));
    let across = rates(gamma(2.0, 0.5), &[0, 1, 1, 0], &exposures);
    let found = calibrated(&wrong_rows, &across, &CALIBRATION, rounds.clone(), &own(2.0, 0.5));
    assert!(found < 1.95, "poisson-gamma in turn: {found}");
    let kept = spec(2, 2, &bounded(TOTAL, "1"));
    let found = calibrated(&kept, &each, &CALIBRATION, rounds.clone(), &own(2.0, 0.5));
    assert!(found < 1.95, "poisson-gamma with bounds: {found}");
    let mut shares = rates(Model::MultinomialDirichlet { shape: 0.8 }, &group_of, &[1.0; 4]);
    shares.sought.iter_mut().for_each(|sought| sought.below = Below::All);
    // The scale of simulated rates is that of the total alone.
    let dirichlet = |chance: &mut Chance| (0..4).map(|_| chance.gamma(0.8, 0.2)).collect();
    let found = calibrated(&text, &shares, &CALIBRATION, rounds.clone(), &dirichlet);
    assert!(found < 1.95, "multinomial-dirichlet: {found}");
}

#[test]
fn terms_are_calibrated() {
    let rounds = (100, 1..=i64::MAX);
    let text = spec(2, 3, &free(TOTAL, "1"));
    let one = release(&text, &[1; 6]);
    let design = Design::new("row + column", &one.domain).unwrap();
    let of_cell = design.of_cell.clone();
    let terms = rates(Model::LogLinear { design, deviation: 0.7 }, &[0, 1, 2, 3, 4, 5], &[1.0; 6]);
    // The constant has a prior so wide that it is nearly flat. Then so is the logarithm of the
    // expected total, whatever the terms: it is simulated where counts are neither none nor
    // millions, and shares are compared, which do not depend on it. (A constant that stays the same
    // would not do: the total would tell of the terms.)
    let simulate = |chance: &mut Chance| {
        let terms: Vec<f64> = (0..4).map(|_| 0.7 * chance.normal()).collect();
        let rate = |own: &Vec<u32>| own[1..].iter().map(|place| terms[*place as usize]).sum::<f64>().exp();
        let rates: Vec<f64> = of_cell.iter().map(rate).collect();
        let sum: f64 = rates.iter().sum();
        rates.into_iter().map(|rate| 25.0 * rate / sum).collect()
    };
    let mut terms = terms;
    terms.sought[0].below = Below::All;
    let found = calibrated(&text, &terms, &CALIBRATION, rounds.clone(), &simulate);
    assert!(found < 1.95, "loglinear: {found}");
}

#[test]
fn what_cannot_be_learnt_is_refused() {
    let one = [release(&spec(1, 3, &free(TOTAL, "1/2")), &[-2, 7, 4])];
    let problem = |asking: &Asking, wished: &Wished| fit(&one, &Knowledge::default(), asking, wished).unwrap_err();
    let good = rates(gamma(0.5, 0.0), &[0, 1, 2], &[1.0; 3]);
    for exposures in [vec![1.0, 0.0, 1.0], vec![1.0, -2.0, 1.0], vec![1.0; 2]] {
        let wrong = Asking { exposures, ..good.clone() };
        assert!(problem(&wrong, &WISHED).message.contains("exposure"));
    }
    let wrong = Asking { model: gamma(0.0, 1.0), ..good.clone() };
    assert!(problem(&wrong, &WISHED).message.contains("--prior-shape"));
    let wrong = Asking { model: gamma(1.0, -1.0), ..good.clone() };
    assert!(problem(&wrong, &WISHED).message.contains("--prior-rate"));
    // Too few draws for chains to agree: refused, with what they say of themselves.
    let slow = [release(&spec(2, 2, &free(ROWS, "1/20")), &[3, 2, 1, 4])];
    let across = rates(gamma(0.5, 0.0), &[0, 1, 1, 0], &[1.0; 4]);
    let found = fit(&slow, &Knowledge::default(), &across, &Wished { draws: 40, ..WISHED }).unwrap_err();
    assert!(found.kind == declare::Kind::Refused && found.message.contains("do not agree: R̂"), "{found}");
}
