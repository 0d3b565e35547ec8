//! What the messages of a network are expected to need: measured constants, in one place.

use crate::law::NoiseLaw;
use crate::listing::{Listing, MOST_SECONDS};
use crate::network::pairing::NARROW_KEY_BITS;
use crate::network::spans::Spans;
use crate::sums::{ShapeSize, most_chained, seconds_of_laws};
use analyse::{CellNoise, Demand, Form, MadeOf, Network, NetworkClass};
use exact::Rational;

/// What the messages of a network are expected to need, from public quantities alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Estimate {
    /// Seconds on one core, as operators are compared by them.
    pub seconds: f64,
    /// Seconds of a draw on one core.
    pub draw_seconds: f64,
    /// Bytes of memory, as limits hold for them.
    pub bytes: f64,
    /// Bytes that a draw takes.
    pub draw_bytes: f64,
    /// What listing laws takes.
    pub listing: Listing,
    /// Bits that tell apart the values of all sums that meet in one join.
    pub key_bits: f64,
}

/// Products of two weights that are added to one of many sums; where they are few, what they are
/// sorted by costs more.
const PAIR_SECONDS: f64 = 3e-9;
const RUN_SECONDS: f64 = 1e-6;
/// How much more a pair and a weight take where the values of all sums do not fit one machine
/// number.
const BROAD_KEYS: f64 = 3.0;
/// One product in a convolution of two lines.
const LINE_SECONDS: f64 = 0.9e-9;
/// One weight of a class sum with one more cell.
const CELL_SECONDS: f64 = 12e-9;
/// One weight of a cell with a factor, as often as it is made.
const FACTOR_SECONDS: f64 = 40e-9;
/// A class of so many cells or more that is split: its tilt and what else does not grow with it.
const CLASS_SECONDS: f64 = 0.5e-3;
const CLASS_CELLS: f64 = 64.0;
/// A weight of a bell: its exponent is its own.
const BELL_SECONDS: f64 = 0.6e-6;
/// A network, and a join, whatever its weights.
const START_SECONDS: f64 = 50e-6;
const JOIN_SECONDS: f64 = 15e-6;
/// A weight with its values.
const STATE_BYTES: f64 = 64.0;
/// A weight of a line.
const LINE_BYTES: f64 = 8.0;
/// A class or a join, whatever its weights.
const PART_BYTES: f64 = 600.0;
/// Lines of parts with at most this many cells are made again in every draw when all together
/// exceed so many bytes.
const SMALL_CELLS: usize = 64;
const SMALL_BYTES: f64 = 268e6;
/// The most that classes keep between draws of what splits them.
const SPLIT_BYTES: f64 = 1.1e9;
/// What a weight of a split takes with the room that a list has grown into.
const SPLIT_WEIGHT_BYTES: f64 = 10.0;
/// What a draw keeps of a cell, whatever its weights.
const DRAWN_CELL_BYTES: f64 = 500.0;
/// Classes of more cells than this are drawn by completion: cells drawn freely, times the attempts.
const COMPLETED_ABOVE: f64 = 1024.0;
const COMPLETED_START: f64 = 0.012;
const COMPLETED_SECONDS: f64 = 0.05e-6;
/// The cells of a completion; attempts grow with the root of all cells over these.
const COMPLETED_BY: f64 = 512.0;
/// Where cells are many scales from their bounds on average they share one sum.
const SHARED_SCALES: f64 = 100.0;
const SHARED_START: f64 = 4e-3;
const SHARED_SECONDS: f64 = 0.1e-6;
/// What an entry of a part takes that is looked up in a join of several sums, and its bytes as long
/// as the join is made.
const ENTRY_SECONDS: f64 = 0.35e-6;
const ENTRY_BYTES: f64 = 100.0;
/// How often the pairs of a join are added up on the way down where laws are listed: for each of
/// its parts.
const LISTED_AGAIN: f64 = 2.0;
/// Laws list values whose weights are at least e^{−42} of the largest.
const LISTED_REACH: f64 = 42.0;
/// How much longer every level of precision takes than the first.
const LEVEL_TIMES: [f64; 7] = [1.0, 10.0, 300.0, 2_400.0, 2e4, 1.6e5, 1.3e6];
/// What a noisy sum of two others leaves of the values of both.
const NOISY_INSIDE: f64 = 0.4;
/// Weights below e^{−55} of the largest are given up at first.
const REACH: f64 = 55.0;

/// How wide a sum of `cells` cells spreads around its centre.
fn width(scale: f64, cells: f64, limits: (Option<i64>, Option<i64>)) -> f64 {
    let spread = 2.0 * scale * (REACH.min(8.0 * cells.sqrt() + REACH) + 13.0 * cells.sqrt()) + 1.0;
    match limits {
        (Some(low), Some(high)) => spread.min((high as f64 - low as f64 + 1.0).max(1.0)),
        _ => spread,
    }
}

/// The part of a box of values that has weight: sums that noise alone confines are together no
/// farther from their centre than one of them may be, and noisy sums that end inside confine them
/// further.
fn weighty(widths: &[f64], unbounded: f64, inside: usize) -> f64 {
    let confined = widths.iter().filter(|width| **width >= 0.99 * unbounded).count();
    let ball: f64 = (1..=confined).map(|dimension| 1.0 / dimension as f64).product();
    if confined > 1 { ball * NOISY_INSIDE.powi(inside.min(confined) as i32) } else { 1.0 }
}

/// How many cells of a class are drawn one after the other, and the weights that this needs: those
/// of the sums of the first of them, for each of their numbers.
fn split_weights(class: &NetworkClass, scale: f64) -> (usize, f64) {
    let width = |cells: usize| {
        let times = |bound: i64| bound.saturating_mul(cells as i64);
        width(scale, cells as f64, (class.low.map(times), class.high.map(times)))
    };
    let most = most_chained(std::f64::consts::SQRT_2 * scale).min(class.cells.len());
    (most, (1..=most).map(width).sum())
}

/// The scale of the noise on a cell: one over its rate.
fn scale(noise: &CellNoise, law: &NoiseLaw, rates: &[Rational]) -> Option<f64> {
    match noise {
        CellNoise::Law => Some(law.scale()),
        CellNoise::Queries(queries) if queries.is_empty() => None,
        CellNoise::Queries(queries) => {
            Some(1.0 / queries.iter().map(|query| rates[*query as usize].to_f64()).sum::<f64>())
        }
    }
}

/// Expected time and memory of a network's messages. Values of rows and bounds are public; the
/// table is not looked at.
pub(crate) fn estimate(network: &Network, law: &NoiseLaw, rates: &[Rational]) -> Estimate {
    // For every part: its states, the scale of its noise and the widths of its forms.
    let mut states: Vec<f64> = Vec::with_capacity(network.joins.len());
    let mut scales: Vec<f64> = Vec::with_capacity(network.joins.len());
    let mut widths: Vec<Vec<f64>> = Vec::with_capacity(network.joins.len());
    let (mut seconds, mut bytes, mut small_bytes, mut split_bytes) = (START_SECONDS, 0.0f64, 0.0f64, 0.0f64);
    let (mut drawn_bytes, mut saved) = (0.0f64, 0.0f64);
    let (mut again, mut entries, mut most_entries) = (0.0f64, 0.0f64, 0.0f64);
    let mut laws = Listing::NOTHING;
    let mut key_bits = 0.0f64;
    let mut spans = Spans::new(network);
    for join in &network.joins {
        let limits = |form: usize| {
            let mut limits = join.limits[form];
            for (row, factor) in &join.forms[form].ending {
                if let Demand::Equal(value) = network.rows[*row as usize].demand {
                    limits = (Some(value / factor), Some(value / factor));
                }
            }
            limits
        };
        match join.made_of {
            MadeOf::Class(class) => {
                let class = &network.classes[class as usize];
                let cells = class.cells.len() as f64;
                let own = class.low.zip(class.high).map(|(low, high)| (high as f64 - low as f64 + 1.0) * cells);
                let noise = scale(&class.noise, law, rates);
                let spread = noise.map_or(f64::INFINITY, |noise| width(noise, cells, (None, None)));
                let spread = spread.min(own.unwrap_or(f64::INFINITY));
                if let (CellNoise::Law, Some(variance)) = (&class.noise, law.gaussian_variance()) {
                    // Every centre has a bell of its own, cut at its bounds; e^{−46} is the first
                    // that is given up.
                    let bell = 2.0 * (92.0 * variance.to_f64()).sqrt() + 1.0;
                    seconds += BELL_SECONDS * bell * cells.min(COMPLETED_ABOVE);
                }
                let given = limits(0).0.is_some() && limits(0).0 == limits(0).1;
                // The average count is public where the sum is.
                let away =
                    |sum: i64| (sum as f64 / cells - class.low.unwrap_or(0) as f64) / noise.unwrap_or(f64::INFINITY);
                let far = limits(0).0.filter(|_| given).is_some_and(|sum| away(sum) > SHARED_SCALES);
                seconds += if cells > COMPLETED_ABOVE && far && law.geometric().is_some() {
                    SHARED_START + SHARED_SECONDS * cells
                } else if cells > COMPLETED_ABOVE {
                    COMPLETED_START + COMPLETED_SECONDS * cells * (cells / COMPLETED_BY).sqrt()
                } else {
                    CELL_SECONDS * cells * spread + 1e-6 * cells
                };
                if law.base().is_some() {
                    // Weights with factors are convolved one with the other, or kept in tables.
                    let window = noise.map_or(spread, |noise| width(noise, 1.0, (class.low, class.high)));
                    seconds +=
                        LINE_SECONDS * cells.min(COMPLETED_ABOVE) * spread * window + FACTOR_SECONDS * cells * window;
                    bytes += LINE_BYTES * cells * window;
                }
                if cells > COMPLETED_ABOVE && !given {
                    seconds += CELL_SECONDS * cells * spread;
                }
                let kept =
                    if given { 1.0 } else { spread.min(width(noise.unwrap_or(f64::INFINITY), cells, limits(0))) };
                bytes += PART_BYTES + STATE_BYTES * cells;
                if class.cells.len() > 1 {
                    seconds += CLASS_SECONDS * (cells / CLASS_CELLS).min(1.0);
                    let (drawn, weights) = split_weights(class, noise.unwrap_or(f64::INFINITY));
                    split_bytes += LINE_BYTES * spread * cells.min(COMPLETED_ABOVE) / 2.0;
                    drawn_bytes += SPLIT_WEIGHT_BYTES * weights;
                    if given && cells <= COMPLETED_ABOVE {
                        // Where the sum is given, weights are made of those cells alone that
                        // are drawn by them.
                        let free = cells - drawn as f64;
                        let needed = CELL_SECONDS * weights + COMPLETED_SECONDS * free * (cells / drawn as f64).sqrt();
                        saved += (CELL_SECONDS * cells * spread - needed).max(0.0);
                    }
                } else {
                    small_bytes += LINE_BYTES * kept;
                }
                laws = laws.and(laws_of(class, law, noise, if given { 1.0 } else { kept }));
                spans.free(network, join, &vec![kept; join.remembered]);
                states.push(kept);
                widths.push(vec![kept]);
                scales.push(noise.unwrap_or(spread / REACH));
            }
            MadeOf::Parts(first, second) => {
                let (one, two) = (states[first as usize], states[second as usize]);
                let noise = scales[first as usize].max(scales[second as usize]);
                let wide = |limits| width(noise, join.cells as f64, limits).min(one * two);
                let own: Vec<f64> = (0..join.remembered).map(|form| wide(join.limits[form])).collect();
                let free = spans.free(network, join, &own);
                let mut pairs = one * two;
                for form in &join.forms[join.remembered..] {
                    // An equality leaves to each value on one side one value on the other.
                    let equal = |row: &(u32, i64)| matches!(network.rows[row.0 as usize].demand, Demand::Equal(_));
                    let side = |part: u32, term: Option<(u32, i64)>| {
                        term.map_or(1.0, |(form, _)| widths[part as usize][form as usize])
                    };
                    if form.ending.iter().any(equal) {
                        pairs /= side(first, form.first).min(side(second, form.second)).max(1.0);
                    }
                }
                pairs = pairs.max(one.max(two));
                let field = |form: &Form| {
                    let side = |part: u32, term: Option<(u32, i64)>| {
                        term.map_or(0.0, |(form, times)| {
                            (widths[part as usize][form as usize] - 1.0) * times.abs() as f64
                        })
                    };
                    (side(first, form.first) + side(second, form.second) + 1.0).log2().ceil()
                };
                let bits = join.forms.iter().map(field).sum::<f64>();
                if join.forms.len() > 1 {
                    key_bits = key_bits.max(bits);
                }
                let broad = if bits > f64::from(NARROW_KEY_BITS) { BROAD_KEYS } else { 1.0 };
                let noisy = |form: &&Form| {
                    form.ending.iter().any(|row| matches!(network.rows[row.0 as usize].demand, Demand::Noisy { .. }))
                };
                let inside = join.forms[join.remembered..].iter().filter(noisy).count();
                let remembered = free.iter().product::<f64>() * weighty(&free, wide((None, None)), inside);
                let line = join.forms.len() == 1;
                let several = broad * (pairs * PAIR_SECONDS + pairs.sqrt() * RUN_SECONDS);
                let met = if line { pairs * LINE_SECONDS } else { several };
                (seconds, again) = (seconds + JOIN_SECONDS + met, again + met);
                let kept = remembered.min(pairs.max(1.0));
                if !line {
                    let own = broad * (one + two + kept);
                    (entries, most_entries) = (entries + own, most_entries.max(own));
                }
                bytes += PART_BYTES;
                match (line, join.cells <= SMALL_CELLS) {
                    (true, true) => small_bytes += LINE_BYTES * kept,
                    (true, false) => bytes += LINE_BYTES * kept,
                    (false, _) => bytes += broad * STATE_BYTES * kept,
                }
                widths.push(own);
                states.push(kept);
                scales.push(noise);
            }
        }
    }
    let bytes = bytes + small_bytes.min(SMALL_BYTES);
    let cells = DRAWN_CELL_BYTES * network.cells() as f64;
    let looked_up = ENTRY_SECONDS * entries;
    let held_bytes = bytes + cells + ENTRY_BYTES * most_entries;
    Estimate {
        seconds,
        draw_seconds: seconds - saved + looked_up,
        bytes: bytes + split_bytes.min(SPLIT_BYTES),
        draw_bytes: held_bytes + drawn_bytes.min(SPLIT_BYTES),
        key_bits,
        listing: Listing {
            seconds: seconds + LISTED_AGAIN * again + looked_up + laws.seconds,
            bytes: held_bytes,
            kept_bytes: laws.kept_bytes,
        },
    }
}

/// What the laws of the cells of a class take beside the network, where so many values are outside
/// it.
fn laws_of(class: &NetworkClass, law: &NoiseLaw, scale: Option<f64>, outside: f64) -> Listing {
    let within = class.low.zip(class.high).map_or(f64::INFINITY, |(low, high)| high as f64 - low as f64 + 1.0);
    let values = |reach: f64| match (&class.noise, scale) {
        (CellNoise::Law, _) => (2.0 * law.reach(reach) + 1.0).min(within),
        (CellNoise::Queries(_), scale) => (2.0 * reach * scale.unwrap_or(f64::INFINITY) + 1.0).min(within),
    };
    let (cells, length) = (class.cells.len() as f64, values(REACH));
    let alike = law.base().is_none() && class.low.is_none() && class.high.is_none();
    let deviation = match &class.noise {
        CellNoise::Law => law.variance().unwrap_or(f64::INFINITY).sqrt(),
        CellNoise::Queries(_) => std::f64::consts::SQRT_2 * scale.unwrap_or(f64::INFINITY),
    };
    // Cells between bounds have as many shapes as counts.
    let shapes = if alike { 1.0 } else { cells.min(length) };
    let slides = !matches!(class.noise, CellNoise::Law) || law.geometric().is_some();
    let size = ShapeSize { count: cells, length, slides, deviation: deviation.min(length) };
    let seconds = if class.cells.len() > 1 { seconds_of_laws(size, shapes, outside) } else { 0.0 };
    let kept_bytes = LINE_BYTES * shapes * values(LISTED_REACH);
    Listing { seconds, bytes: 0.0, kept_bytes: if kept_bytes.is_finite() { kept_bytes } else { 0.0 } }
}

/// The levels of precision at which laws are listed that are predicted to take so long at the
/// first.
pub(crate) fn levels_within(seconds: f64) -> usize {
    LEVEL_TIMES.iter().take_while(|times| seconds * *times <= MOST_SECONDS).count().max(1)
}
