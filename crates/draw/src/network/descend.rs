//! The pass down: every join draws the values of its two parts, every class its cells.

use super::NetworkSampler;
use super::pairing::Pairing;
use super::part::{NetworkPart, PartWeights, Parts, is_line};
use crate::sums::{Message, rounded_up};
use analyse::MadeOf;
use declare::{Kind, Problem};
use exact::lazy::Uniform;
use exact::{Decision, Entropy, Positive, Weighted, choose};

/// The values of the forms that a part was told to have.
type Told = Vec<i64>;

/// Draws everything below a part that no join uses.
pub(super) fn draw<E: Entropy>(
    sampler: &NetworkSampler<'_>,
    root: u32,
    entropy: &mut E,
    all: &mut Vec<(u32, i64)>,
) -> Result<(), Problem> {
    let mut waiting: Vec<(u32, Told)> = vec![(root, Vec::new())];
    while let Some((number, mut told)) = waiting.pop() {
        let join = &sampler.network.joins[number as usize];
        if told.is_empty() && is_line(join) {
            told.push(ended_sum(sampler, number, entropy)?);
        }
        match join.made_of {
            MadeOf::Class(class) => {
                let cells = &sampler.network.classes[class as usize].cells;
                let mut drawn = vec![0i64; cells.len()];
                let law = &sampler.classes[class as usize];
                if !law.feasible(told[0]) {
                    return Err(nothing());
                }
                law.split(entropy, told[0], &mut drawn);
                law.forget_above(sampler.room_per_cell.saturating_mul(cells.len()));
                all.extend(cells.iter().copied().zip(drawn));
            }
            MadeOf::Parts(first, second) => {
                let (one, two) = choose_by(sampler, entropy, Step::Divide { number, told: &told })?;
                waiting.push((second, two));
                waiting.push((first, one));
            }
        }
    }
    Ok(())
}

/// Nothing satisfies the rows: the values that some of them are pinned to do not go together.
fn nothing() -> Problem {
    Problem::new(Kind::Infeasible, "no table was found that satisfies all totals, bounds and rules together")
        .hint("values pinned with `values` or `from` may contradict the bounds or each other")
}

/// The sum of a part that ends in it: given by a row, or drawn.
fn ended_sum<E: Entropy>(sampler: &NetworkSampler<'_>, number: u32, entropy: &mut E) -> Result<i64, Problem> {
    let join = &sampler.network.joins[number as usize];
    let asked = sampler.rows.asked::<f64>(&join.forms[0].ending, join.limits[0], sampler.ladder.level(0));
    match asked.only() {
        Some(sum) => Ok(sum),
        None => Ok(choose_by(sampler, entropy, Step::Sum { number })?.0[0]),
    }
}

/// One draw on the way down.
#[derive(Clone, Copy)]
enum Step<'a> {
    /// The sum of a part.
    Sum { number: u32 },
    /// The values of the two parts of a join that was told its own.
    Divide { number: u32, told: &'a [i64] },
}

/// The most levels that a draw climbs. Weights of the last are known to thousands of digits: only a
/// draw from nothing gets there.
const MOST_LEVELS: usize = 11;

/// Draws by the first level that decides.
fn choose_by<E: Entropy>(
    sampler: &NetworkSampler<'_>,
    entropy: &mut E,
    step: Step<'_>,
) -> Result<(Told, Told), Problem> {
    let mut drawn = Err(nothing());
    choose(entropy, |level, uniform| {
        let decided = if level >= MOST_LEVELS {
            return Decision::Index(0);
        } else if sampler.ladder.level(level).machine {
            decide(sampler, sampler.machine(level), step, uniform)
        } else {
            decide(sampler, &*sampler.wide(level), step, uniform)
        };
        match decided {
            Ok(values) => {
                drawn = Ok(values);
                Decision::Index(0)
            }
            Err(undecided) => undecided,
        }
    });
    drawn
}

fn decide<T: Positive>(
    sampler: &NetworkSampler<'_>,
    parts: &Parts<T>,
    step: Step<'_>,
    uniform: &Uniform,
) -> Result<(Told, Told), Decision> {
    let index = |weighted: Weighted<T>| match weighted.decide(uniform) {
        Decision::Index(index) => Ok(index),
        undecided => Err(undecided),
    };
    let bits = parts.precision.bits;
    match step {
        Step::Sum { number } => {
            let part = parts.part(sampler, number);
            let PartWeights::Line(message) = &part.weights else {
                return Err(Decision::MorePrecision);
            };
            let index = index(Weighted {
                weights: message.weights.clone(),
                roundings: message.roundings,
                missing: message.missing.clone(),
                bits,
            })?;
            Ok((vec![message.first + index as i64], Told::new()))
        }
        Step::Divide { number, told } => {
            let join = &sampler.network.joins[number as usize];
            let MadeOf::Parts(first, second) = join.made_of else { return Err(Decision::MorePrecision) };
            let (one, two) = (parts.part(sampler, first), parts.part(sampler, second));
            if let (true, PartWeights::Line(one), PartWeights::Line(two)) = (is_line(join), &one.weights, &two.weights)
            {
                let (start, weighted) = line_pairs(one, two, told[0], bits);
                let value = start + index(weighted)? as i64;
                return Ok((vec![value], vec![told[0] - value]));
            }
            let part = parts.part(sampler, number);
            let pairing = pairing(sampler, parts, &part, join, &one, &two)?;
            let (entry, other) = pairing.decide(told, bits, uniform)?;
            let (one, two) = pairing.sides();
            Ok((one.values(entry as usize).to_vec(), two.values(other as usize).to_vec()))
        }
    }
}

fn pairing<'p, T: Positive>(
    sampler: &NetworkSampler<'_>,
    parts: &Parts<T>,
    part: &'p NetworkPart<T>,
    join: &analyse::Join,
    one: &NetworkPart<T>,
    two: &NetworkPart<T>,
) -> Result<&'p Pairing<T>, Decision> {
    if let Some(pairing) = part.pairing.get() {
        return Ok(pairing);
    }
    let made = Pairing::new(join, one.weights.spread(), two.weights.spread(), &sampler.rows, parts.precision);
    let made = made.ok_or(Decision::MorePrecision)?;
    Ok(part.pairing.get_or_init(|| made))
}

/// The weights of the first of two sums that add up to `sum`, from `start` on.
fn line_pairs<T: Positive>(one: &Message<T>, two: &Message<T>, sum: i64, bits: u32) -> (i64, Weighted<T>) {
    let start = one.first.max(sum - (two.end() - 1));
    let end = one.end().min(sum - two.first + 1);
    let product = |value: i64| match (one.weight(value), two.weight(sum - value)) {
        (Some(first), Some(second)) => first.times(second),
        _ => T::zero(),
    };
    let missing = if one.missing.is_zero() && two.missing.is_zero() {
        T::zero()
    } else {
        rounded_up(&one.missing.times(&two.mass()).plus(&two.missing.times(&one.mass())))
    };
    let weights = (start..end).map(product).collect();
    (start, Weighted { weights, roundings: one.roundings + two.roundings + 1, missing, bits })
}
