//! `divide` draws the same law.

use super::thinned::{norm, thin};
use crate::tables::numbers::rational;
use draw::{Divide, Ladder, NoiseLaw};
use exact::{Seeded, Source};
use testkit::level;

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
    assert!(statrs::distribution::ContinuousCDF::sf(&law, statistic) > level(1), "{statistic} with {freedom}");
}
