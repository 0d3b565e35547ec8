//! Totals far from zero are kept.

use crate::tables::numbers::rational;
use draw::{ClosedForm, Sampler};
use exact::{Seeded, Source};

#[test]
fn far_totals_are_kept() {
    let mut entropy = Seeded::new(5).stream(0).unwrap();
    for (cells, total) in [(1usize, 9i64), (2, -7), (150, 70), (150, 4_000_017), (300, -149)] {
        let mut noise = vec![0; cells];
        ClosedForm::new(&rational("1/10")).draw_block(&mut entropy, total, &mut noise);
        assert_eq!(noise.iter().sum::<i64>(), total);
    }
}
