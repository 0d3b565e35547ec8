//! The ladder of `thin`.

#[path = "../klein/margins.rs"]
mod margins;

use analyse::Lattice;
use draw::{Divide, Ladder, NoiseLaw, Thin};
use exact::{Enclosure, Rational, Seeded, Source};
use margins::{margins, margins_without};
use std::collections::BTreeMap;
use testkit::{goodness_of_fit, tape_law};

fn rational(text: &str) -> Rational {
    text.parse().unwrap()
}

fn thin(sizes: &[usize], rate: &str) -> Thin {
    let fibre = margins(sizes);
    let lattice = Lattice::of_fibre(&fibre).unwrap();
    Thin::new(fibre.cells.len(), lattice.basis(), &rational(rate)).unwrap()
}

fn norm(table: &[i64]) -> i64 {
    table.iter().map(|value| value.abs()).sum()
}

#[test]
fn the_smallest_ratio_is_that_of_the_shortest_circuit() {
    for (sizes, square) in
        [(vec![5], "2"), (vec![3, 4], "4"), (vec![2, 2, 2], "8"), (vec![2, 3, 3], "8"), (vec![4, 4], "4")]
    {
        assert_eq!(*thin(&sizes, "1").ratio_square(), rational(square), "{sizes:?}");
    }
    // A circuit with other entries than ±1: (1, 1, −2) has 16/6.
    let skewed = vec![vec![(0, 1), (1, 1), (2, -2)]];
    assert_eq!(*Thin::new(3, &skewed, &rational("1")).unwrap().ratio_square(), rational("8/3"));
}

#[test]
fn attempts_over_every_tape_are_proportional_to_the_law() {
    for (sizes, rate, unresolved) in
        [(vec![3], "1", 0.35), (vec![2, 3], "1", 0.2), (vec![2, 2, 2], "1/2", 0.08), (vec![2, 2], "1/2", 0.2)]
    {
        let (thin, cells) = (thin(&sizes, rate), sizes.iter().product());
        let tapes = tape_law(16, |tape| {
            let mut noise = vec![0; cells];
            thin.attempt(tape, &mut noise).unwrap().then_some(noise)
        });
        let weight = |table: &Vec<i64>, rate: &str| {
            Enclosure::exp_rational(&-(&rational(rate) * &Rational::integer(norm(table))), 128)
        };
        tapes.proportional_to(|table| weight(table, rate)).unwrap();
        assert!(tapes.unresolved_share() < unresolved, "{sizes:?}: {}", tapes.unresolved_share());
        if sizes.len() == 3 {
            for off in ["0.7", "0.3"] {
                assert!(tapes.proportional_to(|table| weight(table, off)).is_err(), "{sizes:?}");
            }
        }
    }
}

#[test]
fn draws_fit_the_enumerated_law_and_a_wrong_ratio_does_not() {
    // 2×3: tables are (u, v, −u−v) over its negative.
    let thin = thin(&[2, 3], "1/2");
    let mut weights: BTreeMap<Vec<i64>, f64> = BTreeMap::new();
    for u in -60..=60i64 {
        for v in -60..=60i64 {
            let table = vec![u, v, -u - v, -u, -v, u + v];
            weights.insert(table.clone(), (-0.5 * norm(&table) as f64).exp());
        }
    }
    let draws = 100_000u64;
    let mut entropy = Seeded::new(9).stream(0).unwrap();
    let mut noise = vec![0; 6];
    let mut counted: BTreeMap<Vec<i64>, u64> = BTreeMap::new();
    for _ in 0..draws {
        thin.draw(&mut entropy, &mut noise).unwrap();
        *counted.entry(noise.clone()).or_default() += 1;
    }
    let fit = |law: &dyn Fn(&[i64]) -> f64| {
        let mut bins: Vec<(&Vec<i64>, f64)> = weights.keys().map(|table| (table, law(table))).collect();
        let whole: f64 = bins.iter().map(|(_, weight)| weight).sum();
        bins.sort_by(|one, two| two.1.total_cmp(&one.1).then(one.0.cmp(two.0)));
        let observed: Vec<u64> = bins.iter().map(|(table, _)| counted.get(*table).copied().unwrap_or(0)).collect();
        let claimed: Vec<f64> = bins.iter().map(|(_, weight)| weight / whole * (1.0 - 1e-12)).collect();
        goodness_of_fit(&observed, &claimed, draws).p_value
    };
    assert!(fit(&|table| (-0.5 * norm(table) as f64).exp()) > 1e-3);
    // a too large by 5 %: acceptances are cut at one where ‖z‖₁ < a‖z‖₂.
    let euclid = |table: &[i64]| table.iter().map(|value| (value * value) as f64).sum::<f64>().sqrt();
    let wrong = |table: &[i64]| {
        let (one, two) = (norm(table) as f64, 2.1 * euclid(table));
        (-0.5 * two).exp() * (-0.5 * (one - two)).exp().min(1.0)
    };
    assert!(fit(&wrong) < 1e-3, "a off by 5 %");
    assert!(fit(&|table| (-0.5 * 2.0 * euclid(table)).exp()) < 1e-6, "no acceptance");
}

#[test]
fn three_by_three_is_that_of_divide() {
    let (one, thin) = (NoiseLaw::double_geometric(rational("1/4")), thin(&[3, 3], "1/4"));
    let positions: Vec<Vec<u32>> = (0..9).map(|cell| vec![cell]).collect();
    let divide = Divide::new(3, &positions, &one, Ladder::Standard).unwrap();
    let mut entropy = Seeded::new(12).stream(0).unwrap();
    let draws = 20_000u64;
    let mut noise = vec![0; 9];
    let bins = 40;
    let mut counted = [vec![0u64; bins], vec![0u64; bins]];
    for _ in 0..draws {
        thin.draw(&mut entropy, &mut noise).unwrap();
        counted[0][(norm(&noise) as usize / 2).min(bins - 1)] += 1;
        divide.draw(&mut entropy, &mut noise);
        counted[1][(norm(&noise) as usize / 2).min(bins - 1)] += 1;
    }
    // Two samples of the same size: Σ(a − b)²/(a + b) is chi-square.
    let (mut statistic, mut freedom) = (0.0, -1.0);
    for (a, b) in counted[0].iter().zip(&counted[1]).filter(|(a, b)| *a + *b > 20) {
        statistic += (*a as f64 - *b as f64).powi(2) / (*a + *b) as f64;
        freedom += 1.0;
    }
    let law = statrs::distribution::ChiSquared::new(freedom).unwrap();
    assert!(statrs::distribution::ContinuousCDF::cdf(&law, statistic) < 0.999, "{statistic} with {freedom}");
}

#[test]
fn acceptances_approach_those_of_the_continuous_law() {
    for (sizes, known, within) in
        [(vec![3], 0.83, 0.03), (vec![3, 3], 0.39, 0.05), (vec![3, 3, 3], 0.039, 0.012), (vec![4, 4], 0.013, 0.006)]
    {
        let acceptance = thin(&sizes, "1/200").expected_acceptance();
        assert!((acceptance - known).abs() < within, "{sizes:?}: {acceptance}");
    }
}

/// Smoking, mental work, physical work, blood pressure, lipoproteins, family: six margins leave four free dimensions.
#[test]
fn czech_autoworkers_are_accepted_as_often_as_known() {
    let summed_out = [vec![1], vec![2], vec![5], vec![0, 4], vec![3, 4], vec![0, 3]];
    let fibre = margins_without(&[2; 6], &summed_out);
    let lattice = Lattice::of_fibre(&fibre).unwrap();
    assert_eq!(lattice.dimension(), 4);
    for (rate, known) in [("1/4", 0.9997), ("1/32", 0.530)] {
        let thin = Thin::new(64, lattice.basis(), &rational(rate)).unwrap();
        let mut entropy = Seeded::new(21).stream(0).unwrap();
        let mut noise = vec![0; 64];
        let tries = 4000;
        let accepted = (0..tries).filter(|_| thin.attempt(&mut entropy, &mut noise).unwrap()).count();
        let share = accepted as f64 / f64::from(tries);
        let deviation = (known * (1.0f64 - known) / f64::from(tries)).sqrt();
        // `mixture` accepts 99 % of its own attempts.
        assert!(share > known * 0.96 - 4.0 * deviation && share < known + 4.0 * deviation, "{rate}: {share}");
    }
}

#[test]
fn a_lattice_of_many_circuits_is_refused() {
    let fibre = margins(&[6, 6]);
    let lattice = Lattice::of_fibre(&fibre).unwrap();
    let refused = Thin::new(36, lattice.basis(), &rational("1/4")).map(|thin| thin.expected_acceptance());
    assert!(refused.as_ref().is_err_and(|refused| refused.to_string().contains("circuits")), "{refused:?}");
    let fibre = margins(&[16]);
    let lattice = Lattice::of_fibre(&fibre).unwrap();
    let refused = Thin::new(16, lattice.basis(), &rational("1/100")).map(|thin| thin.expected_acceptance());
    assert!(refused.as_ref().is_err_and(|refused| refused.to_string().contains("of its attempts")), "{refused:?}");
}

#[test]
fn seeds_give_the_tables_they_gave() {
    let mut tables = Vec::new();
    for (sizes, rate) in [(vec![3], "1"), (vec![3, 3], "1/4"), (vec![2, 2, 3], "1/20")] {
        let mut entropy = Seeded::new(1).stream(0).unwrap();
        let mut noise = vec![0; sizes.iter().product()];
        thin(&sizes, rate).draw(&mut entropy, &mut noise).unwrap();
        tables.push(format!("{sizes:?} at {rate}: {noise:?}"));
    }
    insta::assert_snapshot!(tables.join("\n"));
}
