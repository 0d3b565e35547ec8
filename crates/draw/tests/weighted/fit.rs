//! Large weighted classes against the marginals of their cells.

use super::small::geometric;
use draw::{ClassLaw, Factor, Ladder};
use exact::{Rational, Seeded, Source};
use testkit::{goodness_of_fit, level};

/// Counts and public counts of many cells.
fn many(cells: usize) -> (Vec<i64>, Vec<Factor>) {
    let x: Vec<i64> = (0..cells as i64).map(|cell| (cell * 7919) % 41).collect();
    let shape = |x: &i64| Factor::Rising(Rational::new(2 * ((x * 3) % 37) + 1, 20u8));
    let factors = x.iter().map(shape).collect();
    (x, factors)
}

#[test]
fn large_classes_have_the_marginals_of_their_cells() {
    let (x, factors) = many(1_500);
    let cells: Vec<(i64, Option<u32>)> = x.iter().copied().zip((0..).map(Some)).collect();
    let sum: i64 = x.iter().sum();
    let law = ClassLaw::weighted(geometric("1/4"), (Some(0), None), cells, factors.into(), Ladder::Standard);
    let asked = [0usize, 1, 77, 1_400];
    let marginals: Vec<Vec<(i64, f64)>> = asked.iter().map(|cell| law.marginal(sum, *cell)).collect();
    let mut counts: Vec<Vec<u64>> = marginals.iter().map(|marginal| vec![0; marginal.len()]).collect();
    let mut entropy = Seeded::new(21).stream(0).unwrap();
    let mut values = vec![0; x.len()];
    let draws = 3_000;
    for _ in 0..draws {
        law.split(&mut entropy, sum, &mut values);
        assert!(values.iter().sum::<i64>() == sum && values.iter().all(|value| *value >= 0));
        for ((cell, marginal), counts) in asked.iter().zip(&marginals).zip(&mut counts) {
            let place = marginal.iter().position(|(value, _)| *value == values[*cell]).unwrap();
            counts[place] += 1;
        }
    }
    for ((cell, marginal), counts) in asked.iter().zip(&marginals).zip(&counts) {
        let shares: Vec<f64> = marginal.iter().map(|(_, share)| *share).collect();
        let fit = goodness_of_fit(counts, &shares, draws).p_value;
        assert!(fit > level(4), "{cell}: {fit}");
        let shifted: Vec<f64> = shares.iter().skip(1).copied().chain([0.0]).collect();
        assert!(goodness_of_fit(counts, &shifted, draws).p_value < 1e-6);
    }
}
