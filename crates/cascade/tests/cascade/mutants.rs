//! Named mutants: laws that are almost right must be told from the right one.

use super::samples::{Sample, cases_and_deaths, levels, one_total, two_way};
use cascade::{Cascade, Step};
use exact::{Rational, Seeded};
use testkit::{Random, goodness_of_fit, level};

/// How well draws fit a law in which every step is changed.
fn fit(sample: &Sample, cascade: &Cascade, fibre: &[Vec<i64>], draws: u64, change: impl Fn(Step) -> Step) -> f64 {
    let mut observed = vec![0u64; fibre.len()];
    for draw in 0..draws {
        let table = cascade.draw(&sample.counts, &Seeded::draw(3, draw)).unwrap();
        observed[fibre.binary_search(&table).unwrap()] += 1;
    }
    let mut claimed = Vec::new();
    for table in fibre {
        let mut sum = 0.0;
        cascade.steps(&sample.counts, table, |step| sum += change(step).log_probability()).unwrap();
        claimed.push(sum.exp());
    }
    let total: f64 = claimed.iter().sum();
    claimed.iter_mut().for_each(|p| *p /= total.max(1.0));
    goodness_of_fit(&observed, &claimed, draws).p_value
}

fn chosen(make: fn(&mut Random) -> Sample, seed: u64) -> (Sample, Cascade, Vec<Vec<i64>>) {
    let mut random = Random(seed);
    loop {
        let sample = make(&mut random);
        if let Some(fibre) = sample.fibre(60)
            && fibre.len() >= 20
        {
            let cascade = sample.cascade().unwrap();
            return (sample, cascade, fibre);
        }
    }
}

#[test]
fn wrong_variances_centres_and_intervals_are_caught() {
    let draws = 60_000;
    for (place, make) in [one_total, levels, two_way, cases_and_deaths].into_iter().enumerate() {
        let (sample, cascade, fibre) = chosen(make, 40 + place as u64);
        assert!(fit(&sample, &cascade, &fibre, draws, |step| step) > level(4));
        let moved = |by: &'static str| move |step: Step| Step { centre: &step.centre + &by.parse().unwrap(), ..step };
        assert!(fit(&sample, &cascade, &fibre, draws, moved("1/10")) < 1e-6, "{place}: centre");
        let shorter = |step: Step| if step.high - step.low > 1 { Step { high: step.high - 1, ..step } } else { step };
        assert!(fit(&sample, &cascade, &fibre, draws, shorter) < 1e-6, "{place}: interval");
    }
}

#[test]
fn variances_off_by_five_percent_are_caught() {
    // Bounds far away, so that variances show.
    let (mut sample, ..) = chosen(one_total, 60);
    (sample.exact, sample.order) = (vec![vec![0, 0, 0]], None);
    sample.noise = vec![(None, Rational::integer(2))];
    (sample.low, sample.high) = (vec![0; 3], vec![cascade::NO_HIGH; 3]);
    sample.counts = vec![9, 8, 9];
    let fibre = sample.fibre(2000).unwrap();
    let cascade = sample.cascade().unwrap();
    let scaled = |by: &'static str| move |step: Step| Step { variance: &step.variance * &by.parse().unwrap(), ..step };
    assert!(fit(&sample, &cascade, &fibre, 60_000, |step| step) > level(1));
    assert!(fit(&sample, &cascade, &fibre, 60_000, scaled("19/20")) < 1e-6);
    assert!(fit(&sample, &cascade, &fibre, 60_000, scaled("21/20")) < 1e-6);
}

/// The largest difference of probabilities between a cascade and another one on the same tables.
fn difference(one: (&Sample, &Cascade), other: (&Sample, &Cascade), fibre: &[Vec<i64>]) -> f64 {
    let law = |(sample, cascade): (&Sample, &Cascade), table: &Vec<i64>| {
        cascade.log_likelihood(&sample.counts, table).unwrap().exp()
    };
    fibre.iter().map(|table| (law(one, table) - law(other, table)).abs()).fold(0.0, f64::max)
}

#[test]
fn another_order_is_another_law_and_centres_need_their_correction() {
    let (sample, cascade, fibre) = chosen(one_total, 91);
    let mut turned = sample.clone();
    if let Some(order) = &mut turned.order {
        order.rotate_left(1);
    }
    let other = turned.cascade().unwrap();
    assert!(difference((&sample, &cascade), (&turned, &other), &fibre) > 1e-3);
    // A centre without its correction is x(R₁C₁) alone.
    let (sample, cascade, fibre) = chosen(two_way, 92);
    let plain = |table: &[i64]| {
        let (mut sum, mut place) = (0.0, 0);
        let visit = |step: Step| {
            let own: i64 = sample.sums[place].iter().map(|cell| sample.counts[*cell]).sum();
            sum += Step { centre: Rational::integer(own), ..step }.log_probability();
            place += 1;
        };
        cascade.steps(&sample.counts, table, visit).unwrap();
        sum.exp()
    };
    let right = |table: &Vec<i64>| cascade.log_likelihood(&sample.counts, table).unwrap().exp();
    let most = fibre.iter().map(|table| (plain(table) - right(table)).abs()).fold(0.0, f64::max);
    assert!(most > 1e-3, "{most}");
}
