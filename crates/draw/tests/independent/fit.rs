//! Free cells at or above zero against their conditional law.

use crate::whole_tables::drawn::laws;
use draw::operators::AtLeastZero;
use draw::{BlockDraw, Prospect, draw_table};
use exact::Seeded;
use testkit::{goodness_of_fit, level};

/// Free cells at or above zero are drawn again until they are: the conditional law, for both kinds
/// of noise.
#[test]
fn cells_at_or_above_zero_have_the_conditional_law() {
    let cells: Vec<u32> = (0..60_000).collect();
    let centre: Vec<i64> = (0..60_000).map(|cell| [0, 1, 4][cell % 3]).collect();
    for (law, _) in laws() {
        let block = BlockDraw { cells: &cells, work: &AtLeastZero { prospect: Prospect::exact("independent") } };
        let values = draw_table(&law, &[block], &centre, &Seeded::new(11), &|_| {}).unwrap().into_values();
        assert!(values.iter().all(|value| *value >= 0));
        for start in [0, 1, 4] {
            let weights: Vec<f64> = (0..40).map(|y| (-law.energy(y - start).to_f64()).exp()).collect();
            let whole: f64 = weights.iter().sum();
            let claimed: Vec<f64> = weights.iter().map(|weight| weight / whole).collect();
            let mut observed = vec![0u64; 40];
            let drawn = values.iter().zip(&centre).filter(|(_, centre)| **centre == start);
            drawn.for_each(|(value, _)| observed[(*value).min(39) as usize] += 1);
            let fit = goodness_of_fit(&observed, &claimed, 20_000);
            assert!(fit.p_value > level(6), "{law:?} from {start}: {fit:?}");
        }
    }
}
