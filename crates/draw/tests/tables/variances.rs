//! Blocks far beyond enumeration: the variance of a cell against a claimed one.

use draw::{BlockDraw, NoiseLaw, PlannedNoise, Prospect, draw_table, operators};
use exact::Seeded;
use testkit::deviations;

pub static CLOSED_FORM: PlannedNoise = operators::ClosedForm::noise(Prospect::exact("closed-form"));

pub static MESSAGES: PlannedNoise = operators::Messages::noise(Prospect::exact("messages"));

/// Checks the totals and returns by how many standard errors the mean square of the cells exceeds a
/// claimed variance.
fn deviation(law: &NoiseLaw, work: &PlannedNoise, cells: usize, draws: u64) -> impl Fn(f64) -> f64 {
    let block: Vec<u32> = (0..cells as u32).collect();
    let blocks = [BlockDraw { cells: &block, work }];
    let squares: Vec<f64> = (0..draws)
        .map(|draw| {
            let source = Seeded::draw(77, draw);
            let values = draw_table(law, &blocks, &vec![0; cells], &source, &|_| {}).unwrap().into_values();
            assert_eq!(values.iter().sum::<i64>(), 0);
            values.iter().map(|z| (z * z) as f64).sum::<f64>() / cells as f64
        })
        .collect();
    let count = draws as f64;
    let mean = squares.iter().sum::<f64>() / count;
    let spread = squares.iter().map(|square| (square - mean).powi(2)).sum::<f64>() / (count - 1.0);
    move |variance| (mean - variance) / (spread / count).sqrt()
}

/// The claimed variance passes in nine comparisons, one that is off by five per cent does not.
pub fn assert_variance(law: &NoiseLaw, work: &PlannedNoise, cells: usize, draws: u64, variance: f64) {
    let off = deviation(law, work, cells, draws);
    assert!(off(variance).abs() < deviations(9), "{cells} cells, {law:?}: {} standard errors", off(variance));
    assert!(
        off(variance * 1.05) < -4.5 && off(variance * 0.95) > 4.5,
        "{cells} cells, {law:?}: five per cent go unseen"
    );
}
