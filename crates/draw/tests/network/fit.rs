//! Networks beyond tapes: sparse classes that cross, sums with wide keys.

use super::named::{conditions, grouping, small};
use crate::tables::numbers::rational;
use declare::{Relation, RuleRows};
use draw::{CellNoise, ClassLaw, Ladder};
use exact::{Seeded, Source};
use std::collections::BTreeMap;
use testkit::{goodness_of_fit, level};

/// Many zeros: without a tilt the wanted sums would lie hundreds of bits below the expected ones.
#[test]
fn sparse_classes_that_cross_follow_the_law_of_their_sums() {
    let each = 250usize;
    let cells = 4 * each;
    let class = |cell: usize| cell / each;
    let rows: Vec<u32> = (0..cells).map(|cell| (class(cell) / 2) as u32).collect();
    let columns: Vec<u32> = (0..cells).map(|cell| (class(cell) % 2) as u32).collect();
    let table: Vec<i64> = (0..cells).map(|cell| i64::from(cell % 100 == 7)).collect();
    let small = small(conditions(cells, vec![grouping(&rows, None), grouping(&columns, None)]), &table, "1/2");
    let laws: Vec<ClassLaw> = (0..4)
        .map(|number| {
            let centres = (0..cells).filter(|cell| class(*cell) == number).map(|cell| table[cell]).collect();
            let rate = || rational("1/2");
            ClassLaw::new(CellNoise::Geometric { up: rate(), down: rate() }, Some(0), None, centres, Ladder::Standard)
        })
        .collect();
    let sum = |values: &[i64], number: usize| -> i64 {
        (0..cells).filter(|cell| class(*cell) == number).map(|cell| values[cell]).sum()
    };
    let sums: Vec<i64> = (0..4).map(|number| sum(&table, number)).collect();
    // The sum of the first class decides the other three.
    let least = -(sums[0].min(sums[3]));
    let most = sums[1].min(sums[2]);
    let log = |k: i64| -> f64 {
        let at = [sums[0] + k, sums[1] - k, sums[2] - k, sums[3] + k];
        laws.iter().zip(at).map(|(law, sum)| law.log_weight(sum).unwrap()).sum()
    };
    let logs: Vec<f64> = (least..=most).map(log).collect();
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = logs.iter().map(|log| (log - largest).exp()).collect();
    let total: f64 = weights.iter().sum();
    let network = small.network();
    let sampler = small.sampler(&network, Ladder::Standard);
    assert!((sampler.log_normaliser() - largest - total.ln()).abs() < 1e-8);
    // The laws of cells add up to the law of their class's sum.
    let told = sampler.quantities().unwrap();
    let mean: f64 = weights.iter().zip(least..).map(|(weight, k)| weight / total * (sums[0] + k) as f64).sum();
    let cells_mean: f64 =
        told.cells.iter().filter(|(cell, _)| class(*cell as usize) == 0).map(|(_, law)| law.mean()).sum();
    assert!((cells_mean - mean).abs() < 1e-8, "{cells_mean} instead of {mean}");
    let draws = 4000;
    let mut observed = vec![0u64; weights.len()];
    let mut entropy = Seeded::new(5).stream(0).unwrap();
    for _ in 0..draws {
        let mut values = table.clone();
        sampler.draw(&mut entropy, &mut values).unwrap();
        assert!(values.iter().all(|value| *value >= 0));
        observed[(sum(&values, 0) - sums[0] - least) as usize] += 1;
    }
    let claimed: Vec<f64> = weights.iter().map(|weight| weight / total * (1.0 - 1e-12)).collect();
    let fit = goodness_of_fit(&observed, &claimed, draws);
    assert!(fit.p_value > level(1), "{fit:?}");
}

/// Rules with coefficients so large that the values of all sums that meet in a join need more bits
/// than a machine number has: the law is that of the same rules anyway.
#[test]
fn sums_that_need_wide_keys_have_the_enumerated_law() {
    let table = [1i64, 1, 0, 2];
    for (rules, size) in [(2usize, 1i64 << 20), (4, 1 << 41), (10, 1 << 42)] {
        let mut conditions = conditions(4, Vec::new());
        for rule in 0..rules as i64 {
            let times: Vec<i64> = (0..4).map(|cell| size * (1 + (cell * 5 + rule * 3) % 4) + 7 * cell + rule).collect();
            let bound = times.iter().zip(&table).map(|(times, value)| times * value).sum::<i64>() + size / 2;
            let grouping = grouping(&[0; 4], Some(&times));
            conditions.rules.push(RuleRows { grouping, relation: Relation::AtMost, bound });
        }
        let small = small(conditions, &table, "1");
        let law = small.enumerate(9);
        let total: f64 = law.values().sum();
        let network = small.network();
        assert!(law.len() > 5 && network.joins.iter().any(|join| join.forms.len() >= rules), "{}", law.len());
        let sampler = small.sampler(&network, Ladder::Standard);
        assert!((sampler.log_normaliser() - total.ln()).abs() < 1e-6, "{rules}: {}", sampler.log_normaliser());
        let mut entropy = Seeded::new(17).stream(0).unwrap();
        let mut counted: BTreeMap<Vec<i64>, u64> = BTreeMap::new();
        for _ in 0..4000 {
            let mut values = table.to_vec();
            sampler.draw(&mut entropy, &mut values).unwrap();
            *counted.entry(values).or_default() += 1;
        }
        let mut bins: Vec<(&Vec<i64>, f64)> = law.iter().map(|(table, weight)| (table, weight / total)).collect();
        bins.sort_by(|one, two| two.1.total_cmp(&one.1));
        let observed: Vec<u64> = bins.iter().map(|(table, _)| counted.get(*table).copied().unwrap_or(0)).collect();
        let claimed: Vec<f64> = bins.iter().map(|(_, share)| share * (1.0 - 1e-9)).collect();
        assert!(goodness_of_fit(&observed, &claimed, 4000).p_value > level(3), "{rules} rules");
    }
}
