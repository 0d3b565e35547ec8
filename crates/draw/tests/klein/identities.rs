//! Every total is kept, and other operators draw the same law.

use super::margins::of_margins;
use crate::tables::margins::margins;
use crate::tables::numbers::rational;
use analyse::{Ground, Lattice, Network};
use declare::{Conditions, Grouping};
use draw::{Divide, Klein, Ladder, NetworkSampler, NoiseLaw};
use exact::{Seeded, Source};
use statrs::distribution::ContinuousCDF;
use std::collections::{BTreeMap, BTreeSet};
use testkit::deviations;

#[test]
fn every_draw_keeps_every_total() {
    for (sizes, variance) in [(vec![4, 5], "8"), (vec![3, 3, 3], "2"), (vec![12, 12, 6], "8"), (vec![30, 30], "20")] {
        let (fibre, klein) = of_margins(&sizes, variance);
        let mut entropy = Seeded::new(5).stream(0).unwrap();
        let mut noise = vec![0; fibre.cells.len()];
        for _ in 0..20 {
            klein.draw(&mut entropy, &mut noise).unwrap();
            assert!(fibre.contains(&noise));
            assert!(noise.iter().any(|value| *value != 0));
        }
    }
}

/// Sums of squares and fourth powers of draws, for comparing samplers.
fn moments(draws: usize, mut draw: impl FnMut(&mut Vec<i64>)) -> (f64, f64) {
    let mut noise = Vec::new();
    let values: Vec<f64> = (0..draws)
        .map(|_| {
            draw(&mut noise);
            noise.iter().map(|value| (*value * *value) as f64).sum::<f64>()
        })
        .collect();
    let mean = values.iter().sum::<f64>() / draws as f64;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (draws as f64 - 1.0);
    (mean, (variance / draws as f64).sqrt())
}

#[test]
fn two_way_tables_are_those_of_divide() {
    for (rows, columns, variance) in [(3usize, 3usize, "1"), (3, 4, "3"), (4, 4, "1/2")] {
        let (_, klein) = of_margins(&[rows, columns], variance);
        let positions: Vec<Vec<u32>> = (0..(rows * columns) as u32).map(|cell| vec![cell]).collect();
        let law = NoiseLaw::discrete_gaussian(rational(variance));
        let divide = Divide::new(columns, &positions, &law, Ladder::Standard).unwrap();
        let (mut one, mut other) = (Seeded::new(8).stream(0).unwrap(), Seeded::new(8).stream(1).unwrap());
        let first = moments(6000, |noise| {
            noise.resize(rows * columns, 0);
            klein.draw(&mut one, noise).unwrap();
        });
        let second = moments(6000, |noise| {
            noise.resize(rows * columns, 0);
            divide.draw(&mut other, noise);
        });
        let deviation = first.1.hypot(second.1);
        assert!((first.0 - second.0).abs() < deviations(3) * deviation, "{rows}×{columns}: {first:?} {second:?}");
    }
}

/// Two samples of the same size: whether Σ(a − b)²/(a + b) is what one law gives, at this level.
fn same(one: &BTreeMap<i64, u64>, other: &BTreeMap<i64, u64>, level: f64) -> bool {
    let of = |counted: &BTreeMap<i64, u64>, norm: i64| counted.get(&norm).copied().unwrap_or(0) as f64;
    let norms: BTreeSet<i64> = one.keys().chain(other.keys()).copied().collect();
    let (mut statistic, mut freedom) = (0.0, -1.0);
    for norm in norms.into_iter().filter(|norm| of(one, *norm) + of(other, *norm) > 20.0) {
        statistic += (of(one, norm) - of(other, norm)).powi(2) / (of(one, norm) + of(other, norm));
        freedom += 1.0;
    }
    statrs::distribution::ChiSquared::new(freedom).unwrap().cdf(statistic) < 1.0 - level
}

/// `klein`, `divide` and `messages` draw the same law: squared norms of 20,000 tables each, at a
/// level of 0.1 % for all together.
#[test]
fn klein_divide_and_messages_are_one_law() {
    let tables = [(2usize, 3usize, "1"), (3, 3, "1/2"), (3, 3, "2")];
    let level = testkit::level(3 * tables.len());
    for (rows, columns, variance) in tables {
        let cells = rows * columns;
        let law = NoiseLaw::discrete_gaussian(rational(variance));
        let (_, klein) = of_margins(&[rows, columns], variance);
        let positions: Vec<Vec<u32>> = (0..cells as u32).map(|cell| vec![cell]).collect();
        let divide = Divide::new(columns, &positions, &law, Ladder::Standard).unwrap();
        let by = |label: &str, group: &dyn Fn(usize) -> usize, groups: usize| Grouping {
            times: None,
            label: label.into(),
            names: (0..groups).map(|name| name.to_string()).collect(),
            group_of: (0..cells).map(|cell| group(cell) as u32).collect(),
        };
        let both = vec![by("rows", &|cell| cell / columns, rows), by("columns", &|cell| cell % columns, columns)];
        let conditions = Conditions::of_totals(cells, both);
        let all: Vec<u32> = (0..cells as u32).collect();
        let network = Network::new(&conditions, &Ground::new(&conditions, &[], &[]), &all).unwrap();
        let centre = vec![0; cells];
        let messages = NetworkSampler::new(&network, (&law).into(), &centre, Ladder::Standard).unwrap();
        let counted = |stream: u64, draw: &mut dyn FnMut(&mut exact::Stream, &mut [i64])| {
            let mut entropy = Seeded::new(29).stream(stream).unwrap();
            let mut noise = vec![0; cells];
            let mut counted: BTreeMap<i64, u64> = BTreeMap::new();
            for _ in 0..20_000 {
                draw(&mut entropy, &mut noise);
                *counted.entry(noise.iter().map(|value| value * value).sum()).or_default() += 1;
            }
            counted
        };
        let samples = [
            counted(0, &mut |entropy, noise| klein.draw(entropy, noise).unwrap()),
            counted(1, &mut |entropy, noise| divide.draw(entropy, noise)),
            counted(2, &mut |entropy, noise| messages.draw(entropy, noise).unwrap()),
        ];
        for (one, other) in [(0, 1), (0, 2), (1, 2)] {
            assert!(
                same(&samples[one], &samples[other], level),
                "{rows}×{columns}, σ² = {variance}: {one} and {other}"
            );
        }
        // Noise that is wider by a tenth is another law.
        let wider = Klein::new(cells, Lattice::of_fibre(&margins(&[rows, columns])).unwrap().basis(), &{
            &rational(variance) * &rational("1.2")
        });
        let wider = wider.unwrap();
        let wider = counted(3, &mut |entropy, noise| wider.draw(entropy, noise).unwrap());
        assert!(!same(&samples[0], &wider, level));
    }
}
