//! Padded counts have one law for two far tables.

use super::law::geometric;
use crate::tables::targets::{number, truncated};
use exact::{Rational, Seeded, Source};
use exponential::{Padding, Uniform, draw};
use testkit::{goodness_of_fit, level};

#[test]
fn padded_counts_have_one_law_for_two_far_tables() {
    let q = number("1/12");
    let bins: Vec<f64> = geometric(&q)[1..=40].iter().map(Rational::to_f64).collect();
    let tables = [truncated(12, 0, "3"), truncated(12, 6, "1/20")];
    let rounds = 4000;
    for (table, target) in tables.iter().enumerate() {
        let padding = Padding::new(target, q.clone()).unwrap();
        let (mut with, mut without) = (vec![0u64; 40], vec![0u64; 40]);
        let mut stream = Seeded::new(13).stream(table as u64).unwrap();
        let count = |bins: &mut [u64], tries: u64| {
            if let Some(bin) = bins.get_mut(tries as usize - 1) {
                *bin += 1;
            }
        };
        for _ in 0..rounds {
            count(&mut with, padding.draw(&mut stream).tries);
            count(&mut without, draw(&mut stream, &mut Uniform(target)).tries);
        }
        let fit = goodness_of_fit(&with, &bins, rounds);
        assert!(fit.p_value > level(2), "table {table}: {}", fit.p_value);
        if table == 1 {
            assert!(goodness_of_fit(&without, &bins, rounds).p_value < 1e-12, "the control: tries tell the table");
        }
    }
}
