//! Audits of privacy: exact for small fibres, by runs otherwise; a planted fault is caught, an
//! honest mechanism is not.

use audit::privacy::{
    Loss, NoFinding, Runs, Side, Statistic, Undecided, delta, delta_of_enclosures, enclosed_law, largest_visible,
    lower_limit, worst_ratio, worst_ratio_of_enclosures,
};
use audit::views::FiniteLaw;
use draw::{ClosedForm, Sampler};
use exact::integer::bernoulli;
use exact::{Enclosure, Rational, Seeded, Source, Stream};
use std::collections::BTreeMap;
use std::convert::Infallible;

const BITS: usize = 128;

/// Non-negative tables of two cells with the total of this one, under `∝ e^{−ε'‖y − x‖₁}`.
fn conditioned(table: [i64; 2], epsilon: &Rational) -> BTreeMap<[i64; 2], Enclosure> {
    let total = table[0] + table[1];
    let energy = |one: i64| epsilon * &Rational::integer(2 * (one - table[0]).unsigned_abs());
    enclosed_law((0..=total).map(|one| ([one, total - one], energy(one))), BITS).unwrap()
}

#[test]
fn worst_ratio_of_a_small_fibre() {
    // Two cells, their total kept and no count negative: along the fibre this is one cell with
    // noise at twice ε', so the loss approaches 2ε' + ln(1 + e^{−2ε'} − e^{−4ε'}) as the total
    // grows.
    let epsilon = Rational::new(1, 2u8);
    let decay = |power: i64| Enclosure::exp_rational(&Rational::integer(-power), BITS);
    let one = Enclosure::from_integer(1, BITS);
    let supremum = &one + &(&(&one + &decay(1)) - &decay(2)).ln().unwrap();
    let bound = supremum.upper_rational();
    let mut largest = 0.0f64;
    for total in [1i64, 5, 40] {
        for first in 0..total {
            let laws =
                [[first, total - first], [first + 1, total - first - 1]].map(|table| conditioned(table, &epsilon));
            let worst = worst_ratio_of_enclosures(&laws[0], &laws[1]).unwrap().unwrap();
            assert_eq!(worst.loss.is_at_most(&bound), Some(true), "{total} {first}");
            let Loss::Finite(loss) = &worst.loss else { panic!("it is finite") };
            assert!((&loss.upper_rational() - &loss.lower_rational()).to_f64() < 1e-20);
            largest = largest.max(loss.to_f64());
        }
    }
    assert!((largest - supremum.to_f64()).abs() < 1e-12, "{largest}");
    // The worst outcome of the pair at the edge: nothing in the first cell, which is likelier when
    // the table has nothing.
    let laws = [[0, 40], [1, 39]].map(|table| conditioned(table, &epsilon));
    let worst = worst_ratio_of_enclosures(&laws[0], &laws[1]).unwrap().unwrap();
    assert_eq!((worst.outcome, worst.more_likely), ([0, 40], Side::First));
    // δ falls from the total variation distance at 0 to nothing at the loss.
    let at = |epsilon: &str| delta_of_enclosures(&laws[0], &laws[1], &epsilon.parse().unwrap(), BITS).to_f64();
    assert!(at("0") > at("0.5") && at("0.5") > at("1") && at("1") > 0.0 && at("1.5") < 1e-30);
}

#[test]
fn worst_ratio_in_fractions() {
    let law = |weights: [i64; 3]| FiniteLaw::from_weights((0..3).zip(weights.map(Rational::from))).unwrap();
    let worst = worst_ratio(&law([1, 2, 1]), &law([1, 1, 2]), BITS).unwrap();
    let Loss::Finite(loss) = &worst.loss else { panic!("it is finite") };
    assert!((loss.to_f64() - 2f64.ln()).abs() < 1e-30 && [1, 2].contains(&worst.outcome));
    // The same loss from either side.
    for (first, second, side) in [([4, 2, 2], [1, 1, 6], Side::First), ([1, 1, 6], [4, 2, 2], Side::Second)] {
        let worst = worst_ratio(&law(first), &law(second), BITS).unwrap();
        let Loss::Finite(loss) = &worst.loss else { panic!("it is finite") };
        assert!((loss.to_f64() - 4f64.ln()).abs() < 1e-30 && worst.outcome == 0 && worst.more_likely == side);
    }
    let worst = worst_ratio(&law([1, 2, 0]), &law([1, 1, 2]), BITS).unwrap();
    assert_eq!((&worst.loss, worst.outcome, worst.more_likely), (&Loss::Infinite, 2, Side::Second));
    assert_eq!(worst.loss.is_at_most(&Rational::integer(100)), Some(false));
    let same = worst_ratio(&law([1, 2, 3]), &law([2, 4, 6]), BITS).unwrap();
    assert_eq!(same.loss.is_at_most(&Rational::integer(0)), Some(true));
    // P − Q at ε = 0 is the total variation distance, here a quarter.
    let distance = delta(&law([1, 2, 1]), &law([1, 1, 2]), &Rational::integer(0), BITS);
    assert_eq!((distance.lower_rational(), distance.upper_rational()), (Rational::new(1, 4u8), Rational::new(1, 4u8)));
    assert!(enclosed_law(Vec::<(i64, Rational)>::new(), BITS).is_none());
    // The larger of both directions: ½ − e/8 here, ¾ − e/4 the other way.
    for (first, second) in [([4, 2, 2], [1, 1, 6]), ([1, 1, 6], [4, 2, 2])] {
        let found = delta(&law(first), &law(second), &Rational::integer(1), BITS).to_f64();
        assert!((found - (0.5 - std::f64::consts::E / 8.0)).abs() < 1e-15);
    }
    // A probability that may be zero decides nothing.
    let vague = Enclosure::from_bounds(0.into(), 1.into(), BITS);
    let sure = BTreeMap::from([(0, Enclosure::from_integer(1, BITS))]);
    assert_eq!(worst_ratio_of_enclosures(&BTreeMap::from([(0, vague)]), &sure), Err(Undecided));
    let zero = BTreeMap::from([(0, Enclosure::from_integer(1, BITS)), (1, Enclosure::from_integer(0, BITS))]);
    assert_eq!(
        worst_ratio_of_enclosures(&zero, &sure).unwrap().unwrap().loss.is_at_most(&Rational::integer(0)),
        Some(true)
    );
}

const TABLES: [[i64; 4]; 2] = [[10, 20, 30, 40], [11, 19, 30, 40]];

/// A table with its total kept, double geometric noise with this ε' per unit: loss 2ε' for a
/// replaced record.
fn mechanism(epsilon: Rational, seed: u64) -> impl FnMut(Side, u64) -> Result<Vec<i64>, Infallible> {
    let sampler = ClosedForm::new(&epsilon);
    move |side, run| {
        let (place, task) = if side == Side::First { (0, 0) } else { (1, 1) };
        let mut entropy = Seeded::draw(seed, run).stream(task).expect("seeded bits never fail");
        let mut released = TABLES[place].to_vec();
        sampler.draw_block(&mut entropy, 0, &mut released);
        Ok(released)
    }
}

fn audited(epsilon: Rational, seed: u64, runs: u64) -> audit::privacy::Finding {
    let settings = Runs { runs, ..Runs::default() };
    lower_limit([&TABLES[0], &TABLES[1]], &settings, mechanism(epsilon, seed)).unwrap()
}

#[test]
fn an_under_noised_mechanism_is_caught() {
    // Certified: ε' = ½ per unit, so 1 for a replaced record. Planted: noise at twice that.
    for seed in 0..3 {
        let finding = audited(Rational::integer(1), seed, 10_000);
        assert!(finding.contradicts(1.0), "{finding:?}");
        assert!(!finding.contradicts(2.0), "{finding:?}");
        assert!(finding.epsilon > 1.4, "{finding:?}");
        assert_eq!((finding.confidence, finding.tested), (0.99, 5_000));
    }
}

#[test]
fn an_honest_mechanism_is_not() {
    for seed in 10..14 {
        let finding = audited(Rational::new(1, 2u8), seed, 6_000);
        assert!(!finding.contradicts(1.0), "{finding:?}");
        // Yet the audit sees most of the loss.
        assert!(finding.epsilon > 0.6, "{finding:?}");
    }
}

#[test]
fn a_forgotten_cell_is_caught() {
    // The first cell is released as it is, noise goes to the others.
    let sampler = ClosedForm::new(&Rational::new(1, 2u8));
    let finding = lower_limit([&TABLES[0], &TABLES[1]], &Runs { runs: 2_000, ..Runs::default() }, |side, run| {
        let mut released = if side == Side::First { TABLES[0] } else { TABLES[1] }.to_vec();
        let mut entropy = Seeded::draw(1, run).stream(side as u64)?;
        sampler.draw_block(&mut entropy, 0, &mut released[1..]);
        Ok::<_, exact::NoEntropy>(released)
    });
    let finding = finding.unwrap();
    // As much as so many runs can show, but for the confidence that the other events share.
    let visible = largest_visible(2_000, 0.99, 0.0);
    assert!(finding.epsilon > visible - 0.5 && finding.epsilon <= visible && finding.contradicts(1.0), "{finding:?}");
    assert!(finding.events[0].event.to_string().contains(" is at "));
}

/// Randomised response in the first cell: the loss is exactly ln 3, attained by the only events
/// there are.
fn randomised_response(side: Side, entropy: &mut Stream) -> Vec<i64> {
    let truth = i64::from(side == Side::Second);
    let kept = bernoulli(entropy, &Rational::new(3, 4u8));
    vec![if kept { truth } else { 1 - truth }, 0]
}

#[test]
fn the_confidence_is_kept_where_it_is_hardest() {
    // Two hundred audits of a mechanism whose loss is attained: at most 5 % may contradict the
    // truth.
    let settings = Runs { runs: 600, confidence: 0.95, events: 1, ..Runs::default() };
    let wrong = (0..200u64).filter(|audit| {
        let mut entropy = Seeded::draw(99, *audit).stream(0).unwrap();
        let run = |side, _| Ok::<_, Infallible>(randomised_response(side, &mut entropy));
        lower_limit([&[0, 0], &[1, 0]], &settings, run).unwrap().contradicts(3f64.ln())
    });
    // Ten expected at most; four standard deviations above.
    assert!(wrong.count() <= 22);
}

#[test]
fn delta_is_accounted_for() {
    // With probability 2 % the mechanism tells the table, otherwise nothing: (0, 0.02)-private.
    let run = |seed: u64| {
        let mut entropy = Seeded::new(seed).stream(0).unwrap();
        move |side: Side, _: u64| {
            let tells = bernoulli(&mut entropy, &Rational::new(1, 50u8));
            Ok::<_, Infallible>(vec![if tells { i64::from(side == Side::Second) * 7 - 3 } else { 0 }, 0])
        }
    };
    let settings = |delta| Runs { runs: 8_000, delta, ..Runs::default() };
    let pure = lower_limit([&[0, 0], &[1, 0]], &settings(0.0), run(1)).unwrap();
    assert!(pure.contradicts(1.0), "{pure:?}");
    let allowed = lower_limit([&[0, 0], &[1, 0]], &settings(0.02), run(1)).unwrap();
    assert!(!allowed.contradicts(0.0), "{allowed:?}");
    let too_little = lower_limit([&[0, 0], &[1, 0]], &settings(0.005), run(1)).unwrap();
    assert!(too_little.contradicts(0.5), "{too_little:?}");
}

#[test]
fn delta_is_taken_from_the_likelier_side() {
    // A thousand of a thousand against none: the limits are 0.005^{1/1000} and one less that.
    let least = 0.005f64.powf(1e-3);
    for delta in [0.0, 0.02, 0.5] {
        let expected = ((least - delta) / (1.0 - least)).ln();
        assert!((largest_visible(2_000, 0.99, delta) - expected).abs() < 1e-6, "{delta}");
    }
    assert_eq!(largest_visible(2_000, 0.99, 0.999), 0.0);
}

#[test]
fn what_cannot_be_audited_is_refused() {
    let run = |_, _| Ok::<_, Infallible>(vec![0, 0]);
    let refused = |tables: [&[i64]; 2], settings: Runs| match lower_limit(tables, &settings, run) {
        Err(NoFinding::Refused(why)) => why,
        other => panic!("{other:?}"),
    };
    assert!(refused([&[1, 2], &[1]], Runs::default()).contains("2 and 1 cells"));
    assert!(refused([&[1, 2], &[1, 2]], Runs::default()).contains("equal"));
    assert!(refused([&[1, 2], &[2, 1]], Runs { runs: 3, ..Runs::default() }).contains("at least 4 runs"));
    assert!(refused([&[1, 2], &[2, 1]], Runs { confidence: 1.0, ..Runs::default() }).contains("confidence"));
    assert!(refused([&[1, 2], &[2, 1]], Runs { confidence: f64::NAN, ..Runs::default() }).contains("confidence"));
    let broken = lower_limit([&[1, 2], &[2, 1]], &Runs::default(), |_, _| Err("no bits"));
    assert_eq!(broken.unwrap_err().to_string(), "the mechanism failed: no bits");
    // A mechanism that never varies and never differs shows nothing.
    let finding = lower_limit([&[1, 2], &[2, 1]], &Runs { runs: 40, ..Runs::default() }, run).unwrap();
    assert_eq!(finding.epsilon, 0.0);
}

#[test]
fn statistics_of_a_pair() {
    let (first, second) = ([5i64, 5, 0], [7, 4, 0]);
    let of = |statistic: Statistic| statistic.of(&first, &second, &[6, 0, 9]);
    assert_eq!((of(Statistic::Cell(2)), of(Statistic::Rising), of(Statistic::Falling)), (9, 6, 0));
    // 2·6 − 1·0; (1 + 5 + 9) − (1 + 4 + 9); one zero among the cells that differ.
    assert_eq!((of(Statistic::Direction), of(Statistic::Nearer), of(Statistic::Zeros)), (12, 1, 1));
    let listed = Statistic::of_pair(&first, &second, 3);
    assert!(listed.ends_with(&[Statistic::Cell(0), Statistic::Cell(1), Statistic::Cell(2)]) && listed.len() == 8);
    assert_eq!(Statistic::of_pair(&first, &second, 1).len(), 6);
    assert!(largest_visible(20_000, 0.99, 0.0) > 7.0 && largest_visible(20_000, 0.99, 0.0) < 8.0);
}
