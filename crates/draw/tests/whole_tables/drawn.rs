//! Whole tables of blocks of every size class.

use crate::tables::numbers::rational;
use draw::{BlockDraw, NoiseLaw, PlannedNoise, Prospect, draw_table, operators};
use exact::Source;

pub static INDEPENDENT: PlannedNoise = operators::Independent::noise(Prospect::exact("independent"));

static CLOSED_FORM: PlannedNoise = operators::ClosedForm::noise(Prospect::exact("closed-form"));

static MESSAGES: PlannedNoise = operators::Messages::noise(Prospect::exact("messages"));

pub fn laws() -> [(NoiseLaw, &'static PlannedNoise); 2] {
    let (epsilon, variance) = (rational("1/3"), rational("5/2"));
    [(NoiseLaw::double_geometric(epsilon), &CLOSED_FORM), (NoiseLaw::discrete_gaussian(variance), &MESSAGES)]
}

pub fn drawn<S: Source>(
    law: &NoiseLaw,
    blocks: &[(&[u32], &'static PlannedNoise)],
    centre: &[i64],
    source: &S,
) -> Vec<i64> {
    let blocks: Vec<BlockDraw> = blocks.iter().map(|(cells, work)| BlockDraw { cells, work: *work }).collect();
    draw_table(law, &blocks, centre, source, &|_| {}).unwrap().into_values()
}
