//! Totals far from zero and unlikely sums are kept.

use crate::tables::numbers::rational;
use draw::{Messages, Sampler, Summary};
use exact::{Seeded, Source};

#[test]
fn far_totals_are_kept() {
    let mut entropy = Seeded::new(5).stream(0).unwrap();
    for (cells, total) in [(1usize, 9i64), (2, -7), (150, 70), (150, 4_000_017), (300, -149)] {
        let mut noise = vec![0; cells];
        Messages::new(&rational("1/2")).draw_block(&mut entropy, total, &mut noise);
        assert_eq!(noise.iter().sum::<i64>(), total);
    }
}

#[test]
fn unlikely_sums_of_narrow_noise_are_reached() {
    // Free cells would move about once in e^{10} or e^{50} draws.
    let mut entropy = Seeded::new(6).stream(0).unwrap();
    for (variance, cells, total) in
        [("1/20", 150usize, 3i64), ("1/20", 2, 1), ("1/100", 64, -5), ("1/100", 3, 1_000_001)]
    {
        let mut noise = vec![0; cells];
        Messages::new(&rational(variance)).draw_block(&mut entropy, total, &mut noise);
        assert_eq!(noise.iter().sum::<i64>(), total);
        let level = total.div_euclid(cells as i64);
        assert!(noise.iter().all(|z| (level - 1..=level + 2).contains(z)), "{noise:?}");
        // By slices too, from totals far out.
        let messages = Messages::new(&rational(variance));
        let shares = messages.divide(&mut entropy, &[Summary { cells: 3 }, Summary { cells: cells as u64 }], total);
        assert_eq!(shares.iter().sum::<i64>(), total);
    }
}
