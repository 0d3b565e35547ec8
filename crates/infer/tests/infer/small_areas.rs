//! Rates around a common mean: at their defaults and under random priors against sums over a grid,
//! calibrated, and refused where no posterior exists.

use crate::making::{WANTED, free, release, spec};
use crate::models::{CALIBRATION, Chance, TOTAL, WISHED, calibrated, gamma, log_gamma, rates};
use infer::model::{Below, Fitted, MeanPrior, Model, Wished, fit};
use infer::{Knowledge, Posterior, Release};
use testkit::Random;

/// Means of the rates, of ln α and of ln m, by sums over tables at every point of a grid; every
/// cell has a rate of its own, and at most one total is exact.
fn on_a_grid(release: &Release, exposures: &[f64], prior: MeanPrior) -> Vec<f64> {
    let cells = exposures.len();
    let epsilon = release.plan.law.parameter().to_f64();
    let total = release.conditions.invariants.first().map(|_| release.values.iter().sum::<i64>() as usize);
    let last =
        total.unwrap_or_else(|| (release.values.iter().max().unwrap().max(&0) + (40.0 / epsilon) as i64) as usize);
    let own: Vec<Vec<f64>> = (0..cells)
        .map(|cell| {
            let log = |n: usize| -> f64 {
                -epsilon * (release.values[cell] - n as i64).abs() as f64 + n as f64 * exposures[cell].ln()
                    - log_gamma(n as f64 + 1.0)
            };
            (0..=last).map(log).collect()
        })
        .collect();
    let (fine, far) = match prior {
        MeanPrior::Normal { deviation } if deviation > 10.0 => (2, (7.0 * deviation) as i32),
        _ => (4, 45),
    };
    let mut points: Vec<(f64, Vec<f64>)> = Vec::new();
    for step in -60..=60 {
        let log_shape = f64::from(step) / 4.0;
        let alpha = log_shape.exp();
        let rising: Vec<f64> = (0..=last).map(|n| log_gamma(alpha + n as f64) - log_gamma(alpha)).collect();
        for other in -fine * far..=fine * far {
            let log_mean = f64::from(other) / f64::from(fine);
            let mut log = log_shape - 2.0 * (1.0 + alpha / 10.0).ln();
            log += match prior {
                MeanPrior::Normal { deviation } => -0.5 * (log_mean / deviation).powi(2),
                MeanPrior::Gamma { shape, rate } => shape * log_mean - rate * log_mean.exp(),
            };
            // Weights of the counts of every cell, the largest one.
            let mut weights: Vec<Vec<f64>> = Vec::new();
            for cell in 0..cells {
                let away = exposures[cell].ln() + log_mean - log_shape;
                let scaled = away.max(0.0) + (-away.abs()).exp().ln_1p();
                let weight = |n: usize| {
                    own[cell][n] + rising[n] - (alpha + n as f64) * scaled + n as f64 * (log_mean - log_shape)
                };
                let logs: Vec<f64> = (0..=last).map(weight).collect();
                let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                log += top;
                weights.push(logs.into_iter().map(|log| (log - top).exp()).collect());
            }
            let mut values = Vec::new();
            let mut whole = 0.0;
            for cell in 0..cells {
                let mut counts = weights[cell].clone();
                if let Some(total) = total {
                    let mut rest = vec![0.0; total + 1];
                    rest[0] = 1.0;
                    for other in (0..cells).filter(|other| *other != cell) {
                        let sum = |n: usize| (0..=n).map(|k| rest[k] * weights[other][n - k]).sum();
                        rest = (0..=total).map(sum).collect();
                    }
                    counts.iter_mut().enumerate().for_each(|(n, weight)| *weight *= rest[total - n]);
                }
                let sum: f64 = counts.iter().sum();
                let mean = counts.iter().enumerate().map(|(n, weight)| n as f64 * weight).sum::<f64>() / sum;
                values.push((alpha + mean) / (alpha / log_mean.exp() + exposures[cell]));
                whole = if total.is_some() { sum.ln() } else { whole + sum.ln() };
            }
            values.extend([log_shape, log_mean]);
            points.push((log + whole, values));
        }
    }
    let top = points.iter().map(|(log, _)| *log).fold(f64::NEG_INFINITY, f64::max);
    let (mut sums, mut whole) = (vec![0.0; cells + 2], 0.0);
    for (log, values) in points.into_iter().filter(|(log, _)| *log > top - 60.0) {
        let weight = (log - top).exp();
        whole += weight;
        sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += weight * value);
    }
    sums.into_iter().map(|sum| sum / whole).collect()
}

#[track_caller]
fn assert_on_a_grid(one: &Release, exposures: &[f64], mean: MeanPrior) -> Fitted {
    let groups: Vec<u32> = (0..exposures.len() as u32).collect();
    let asking = rates(Model::Hierarchical { mean }, &groups, exposures);
    let wished = Wished { draws: 16_000, ..WISHED };
    let fitted = fit(std::slice::from_ref(one), &Knowledge::default(), &asking, &wished).unwrap();
    let expected = on_a_grid(one, exposures, mean);
    for (own, expected) in fitted.rates.iter().chain(&fitted.parameters).zip(expected) {
        let error = own.deviation / own.effective.sqrt();
        assert!(
            (own.mean - expected).abs() < testkit::deviations(100) * error + 1e-3,
            "{}: {} instead of {expected} ± {error} ({mean:?}, {:?})",
            own.name,
            own.mean,
            one.values
        );
    }
    fitted
}

#[test]
fn few_counts_have_a_posterior_at_the_defaults() {
    for text in [free(TOTAL, "1/2"), free("", "1")] {
        let one = release(&spec(1, 3, &text), &[0, 6, 0]);
        let fitted = assert_on_a_grid(&one, &[1.0; 3], MeanPrior::default());
        let mean = &fitted.parameters[1];
        assert!(mean.deviation < 10.0 && mean.median.abs() < 10.0, "{mean:?}");
    }
    // Nothing but noise around nothing.
    assert_on_a_grid(&release(&spec(1, 2, &free("", "1")), &[-1, 0]), &[1.0; 2], MeanPrior::default());
}

#[test]
fn random_releases_and_priors() {
    let mut chance = Random(23);
    for _ in 0..8 {
        let cells = 2 + chance.below(3) as usize;
        let total = if chance.below(3) > 0 { TOTAL } else { "" };
        let epsilon = ["1/2", "1"][chance.below(2) as usize];
        let values: Vec<i64> = (0..cells).map(|_| chance.below(9) as i64 - 1).collect();
        if !total.is_empty() && values.iter().sum::<i64>() < 2 {
            continue;
        }
        let exposures: Vec<f64> = (0..cells).map(|_| [0.5, 1.0, 3.0, 20.0][chance.below(4) as usize]).collect();
        let prior = match chance.below(4) {
            0 => MeanPrior::Gamma { shape: 2.0, rate: 0.5 },
            1 => MeanPrior::Gamma { shape: 0.5, rate: 1e-3 },
            2 => MeanPrior::Normal { deviation: 2.0 },
            _ => MeanPrior::default(),
        };
        let one = release(&spec(1, cells, &free(total, epsilon)), &values);
        let fitted = assert_on_a_grid(&one, &exposures, prior);
        // Nearer to each other than rates by themselves.
        let groups: Vec<u32> = (0..cells as u32).collect();
        let apart = fit(&[one], &Knowledge::default(), &rates(gamma(0.5, 0.0), &groups, &exposures), &WISHED).unwrap();
        let spread = |fitted: &Fitted| {
            let means = || fitted.rates.iter().map(|rate| rate.mean);
            means().fold(f64::NEG_INFINITY, f64::max) - means().fold(f64::INFINITY, f64::min)
        };
        assert!(spread(&fitted) < 1.05 * spread(&apart), "{} {}", spread(&fitted), spread(&apart));
    }
}

/// ln of a gamma number with this shape and scale 1, of any shape.
fn log_gamma_number(shape: f64, chance: &mut Chance) -> f64 {
    if shape < 1.0 {
        return log_gamma_number(shape + 1.0, chance) + chance.uniform().ln() / shape;
    }
    // Marsaglia and Tsang.
    let d = shape - 1.0 / 3.0;
    loop {
        let x = chance.normal();
        let v = (1.0 + x / (9.0 * d).sqrt()).powi(3);
        if v > 0.0 && chance.uniform().ln() < 0.5 * x * x + d - d * v + d * v.ln() {
            return d.ln() + v.ln();
        }
    }
}

#[test]
fn small_areas_are_calibrated_at_their_defaults() {
    // Parameters from the default priors; only the public total chooses among the tables.
    let model = Model::Hierarchical { mean: MeanPrior::default() };
    let areas = rates(model, &[0, 1, 2, 3, 4, 5], &[1.0, 2.0, 1.5, 1.0, 3.0, 2.0]);
    let simulated = |deviation: f64| {
        move |chance: &mut Chance| -> Vec<f64> {
            let u = chance.uniform();
            let (shape, log_mean) = (10.0 * u / (1.0 - u), deviation * chance.normal());
            let mut rate = || log_gamma_number(shape, chance) - shape.ln() + log_mean;
            // Counts of a hundred thousand are left out by their total, whatever they are.
            (0..6).map(|_| rate().min(11.0).exp()).collect()
        }
    };
    for text in [spec(2, 3, &free(TOTAL, "1")), spec(2, 3, &free("[[invariant]]\nby = [\"row\"]\n", "1"))] {
        let found = calibrated(&text, &areas, &CALIBRATION, (700, 3..=40), &simulated(10.0));
        assert!(found < 1.95, "{found}");
    }
}

#[test]
fn what_has_no_posterior_is_refused() {
    let one = [release(&spec(1, 3, &free("", "1/2")), &[0, 6, 0])];
    let refused = |model: Model| {
        fit(&one, &Knowledge::default(), &rates(model, &[0, 1, 2], &[1.0; 3]), &WISHED).unwrap_err().message
    };
    let message = refused(Model::Hierarchical { mean: MeanPrior::Gamma { shape: 0.5, rate: 0.0 } });
    assert!(message.contains("no release has a posterior under it"), "{message}");
    assert!(refused(Model::Hierarchical { mean: MeanPrior::Normal { deviation: 0.0 } }).contains("--prior-deviation"));
    assert!(
        refused(Model::Hierarchical { mean: MeanPrior::Gamma { shape: -1.0, rate: 1.0 } }).contains("--prior-shape")
    );
    // A Poisson base measure draws large counts away, so large true counts are as likely as small
    // ones: nothing ends them where a rule alone ties cells together, unless a prior does.
    let rule = "[[constraints.rule]]\nby = [\"column\"]\nleft = \"row = 'r1'\"\nop = \"<=\"\nright = \"row = 'r0'\"\n";
    let weighted = |totals: &str, values: &[i64]| {
        let text = format!(
            "{totals}{rule}[mechanism]\nnoise = \"double-geometric\"\nepsilon = \"1\"\nper = \"unit\"\n[mechanism.base]\n\
             law = \"poisson\"\nalpha = \"1/5\"\nadd = \"1/2\"\nvalues = {{ by = [\"column\"], rows = [[\"c0\", \"3\"], [\"c1\", \"3\"]] }}\n"
        );
        [release(&spec(2, 2, &text), values)]
    };
    let open = weighted("", &[2, 1, 1, 0]);
    let wished = Wished { draws: 400, ..WISHED };
    let learnt = |of: &[Release], rate: f64| {
        fit(of, &Knowledge::default(), &rates(gamma(0.5, rate), &[0, 1, 2, 3], &[1.0; 4]), &wished)
    };
    let flat = Posterior::new(&open, &Knowledge::default(), WANTED).unwrap_err();
    for problem in [flat, learnt(&open, 0.0).unwrap_err()] {
        assert!(problem.message.contains("leads to no posterior"), "{problem}");
    }
    let closed = weighted("[[invariant]]\nby = []\nwhere = \"row = 'r0'\"\n", &[2, 1, 1, 0]);
    Posterior::new(&closed, &Knowledge::default(), WANTED).unwrap();
}

#[test]
fn quotients_without_a_mean_have_a_median() {
    let one = [release(&spec(1, 2, &free("", "1")), &[4, 3])];
    let quotient = |model: Model, above: Vec<u32>, below: Vec<u32>| {
        let mut asking = rates(model, &[0, 1], &[1.0; 2]);
        asking.sought.truncate(1);
        asking.sought[0].above = above;
        asking.sought[0].below = Below::Means(below);
        fit(&one, &Knowledge::default(), &asking, &Wished { draws: 4000, ..WISHED }).unwrap().rates.remove(0)
    };
    for model in [gamma(0.5, 0.0), gamma(2.0, 1.0), Model::Hierarchical { mean: MeanPrior::default() }] {
        let told = quotient(model.clone(), vec![0], vec![1]);
        assert!(told.mean.is_nan() && told.deviation.is_nan() && told.median > 0.0, "{told:?}");
        // A share has one.
        assert!(quotient(model, vec![0], vec![0, 1]).mean < 1.0);
    }
    assert!(quotient(gamma(2.5, 1.0), vec![0], vec![1]).mean > 0.0);
}

#[test]
fn wide_priors_have_a_posterior() {
    // Means of e^{−1000} and less, which machine numbers do not hold.
    for text in [free("", "1"), free(TOTAL, "1")] {
        let one = release(&spec(1, 2, &text), &[1, 1]);
        for deviation in [30.0, 300.0] {
            assert_on_a_grid(&one, &[1.0, 2.0], MeanPrior::Normal { deviation });
        }
    }
    let gaussian = "[constraints]\nnonnegative = false\n[mechanism]\nnoise = \"discrete-gaussian\"\nrho = \"1/4\"\nper = \"unit\"\n";
    let margins = "[[invariant]]\nby = [\"row\"]\n[[invariant]]\nby = [\"column\"]\n";
    let releases = [
        release(&spec(1, 2, gaussian), &[1, 1]),
        release(&spec(1, 3, &free("", "1/2")), &[-1, 0, 2]),
        release(&spec(2, 2, &free(margins, "1/2")), &[1, 0, 0, 1]),
        release(&spec(2, 2, &free("[[invariant]]\nby = [\"row\"]\n", "1/2")), &[2, 0, 0, 0]),
    ];
    for one in &releases {
        let groups: Vec<u32> = (0..one.values.len() as u32).collect();
        for mean in [
            MeanPrior::Normal { deviation: 300.0 },
            MeanPrior::Normal { deviation: 3e3 },
            MeanPrior::Normal { deviation: 1e6 },
            MeanPrior::Gamma { shape: 1e-3, rate: 1e-3 },
        ] {
            let mut asking = rates(Model::Hierarchical { mean }, &groups, &vec![1.0; groups.len()]);
            // A share, of rates that may be nothing but logarithms.
            asking.sought[0].below = Below::All;
            let wished = Wished { draws: 4000, ..WISHED };
            let fitted = fit(std::slice::from_ref(one), &Knowledge::default(), &asking, &wished).unwrap();
            let told = fitted.rates.iter().chain(&fitted.parameters);
            assert!(told.clone().all(|own| own.median.is_finite()), "{mean:?} {:?}", fitted.rates);
            assert!((0.0..=1.0).contains(&fitted.rates[0].mean), "{:?}", fitted.rates[0]);
        }
    }
}
