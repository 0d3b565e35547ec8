//! Golden seeds, one per code path: a seeded draw is the same on every machine and after every change that means no other.

use draw::{BlockDraw, NoiseLaw, PlannedNoise, Prospect, draw_table, operators};
use exact::Seeded;

static INDEPENDENT: PlannedNoise = operators::Independent::noise(Prospect::exact("independent"));
static CLOSED_FORM: PlannedNoise = operators::ClosedForm::noise(Prospect::exact("closed-form"));
static MESSAGES: PlannedNoise = operators::Messages::noise(Prospect::exact("messages"));

fn draw(law: &NoiseLaw, work: &PlannedNoise, cells: u32) -> Vec<i64> {
    let block: Vec<u32> = (0..cells).collect();
    let blocks = [BlockDraw { cells: &block, work }];
    let centre = vec![0; cells as usize];
    let drawn = draw_table(law, &blocks, &centre, &Seeded::new(2024), &|_| {}).unwrap();
    drawn.into_values()
}

/// FNV-1a over the bytes of the values.
fn digest(values: &[i64]) -> u64 {
    let bytes = values.iter().flat_map(|value| value.to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

fn geometric(epsilon: &str) -> NoiseLaw {
    NoiseLaw::double_geometric(epsilon.parse().unwrap())
}

fn gaussian(variance: &str) -> NoiseLaw {
    NoiseLaw::discrete_gaussian(variance.parse().unwrap())
}

#[test]
fn independent_cells() {
    let draw = |law| draw(&law, &INDEPENDENT, 8);
    // By table; low bits apart; Gaussian by table; Gaussian by blocks.
    assert_eq!(draw(geometric("1/2")), GEOMETRIC_TABLE);
    assert_eq!(draw(geometric("1/1000")), GEOMETRIC_PARTS);
    assert_eq!(draw(gaussian("10")), GAUSSIAN_TABLE);
    assert_eq!(draw(gaussian("1000000")), GAUSSIAN_BLOCKS);
}

#[test]
fn closed_form() {
    let draw = |epsilon, cells| draw(&geometric(epsilon), &CLOSED_FORM, cells);
    assert_eq!(draw("1/2", 8), CLOSED_SMALL);
    // Few units, many units; above the size of a leaf; above the size of a slice, and Stirling's series.
    let digests = [("4", 500), ("1/100", 500), ("1/2", 3_000), ("1/2", 40_000), ("1/2000", 40_000)]
        .map(|(epsilon, cells)| digest(&draw(epsilon, cells)));
    assert_eq!(digests, CLOSED_LARGE);
}

#[test]
fn messages() {
    let draw = |variance, cells| draw(&gaussian(variance), &MESSAGES, cells);
    assert_eq!(draw("10", 8), MESSAGES_SMALL);
    // Above the size that completes directly; by blocks; above the size of a slice.
    let digests = [("3", 200), ("20000", 300), ("1/2", 40_000)].map(|(variance, cells)| digest(&draw(variance, cells)));
    assert_eq!(digests, MESSAGES_LARGE);
}

const GEOMETRIC_TABLE: [i64; 8] = [1, -3, 0, 5, -3, 4, 3, 5];
const GEOMETRIC_PARTS: [i64; 8] = [-2875, -789, 1832, -2858, 597, -132, -235, 1057];
const GAUSSIAN_TABLE: [i64; 8] = [-2, 0, 7, -1, 1, 2, 3, 5];
const GAUSSIAN_BLOCKS: [i64; 8] = [244, 1874, 454, -407, -1407, 607, -634, -423];
const CLOSED_SMALL: [i64; 8] = [-4, -3, 1, 2, 1, -1, 3, 1];
const CLOSED_LARGE: [u64; 5] =
    [17612891977560767708, 2171673754744063792, 2524833878500149351, 13061064270333112592, 17560716190205898060];
const MESSAGES_SMALL: [i64; 8] = [0, -1, 2, -1, -2, 3, 0, -1];
const MESSAGES_LARGE: [u64; 3] = [7197097730356683045, 2218260577841742522, 4050261843614663205];
