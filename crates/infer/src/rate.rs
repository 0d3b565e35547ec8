//! Rates by inversion (Fieller): r is kept if and only if the interval of numerator − r·denominator
//! contains 0.
//!
//! For a fraction r = p/q that is a question about the integer query q·numerator − p·denominator: r
//! is kept when the probability that its noise is nearer to 0 than what was released is below the
//! level. So the set of all r that are kept covers the true rate with at least the level; where the
//! denominator cannot be told from zero, it has no end. Where the noise of the two sums is
//! independent, also after the numerator is taken out of the denominator, or both are sums of cells
//! of one total, the probability is summed exactly; elsewhere r is kept by its rank among fresh
//! draws of both. Proof: `proofs/fieller.md`.

use crate::field::Field;
use crate::interval::{Asked, How, Interval, check_free, intervals_of};
use crate::query::Query;
use crate::rank;
use crate::release::{Release, distance};
use crate::sums::Sums;
use declare::Problem;
use draw::Law;
use exact::Seeded;
use rayon::prelude::*;

/// What a release tells of a rate.
#[derive(Debug, Clone, PartialEq)]
pub struct RateSet {
    /// Its name.
    pub name: String,
    /// Numerator and denominator in the released table.
    pub released: (i128, i128),
    /// The ends of the kept rates; `None`: rates without end are kept, because the denominator is
    /// not told from zero.
    pub ends: Option<[f64; 2]>,
    /// How rates were told apart.
    pub how: How,
    /// The intervals of numerator and denominator by themselves.
    pub parts: [Interval; 2],
}

/// A fraction that is tried: above and below the line, the latter positive.
type Fraction = (i128, i128);

/// Steps between the released rate and the farthest that is tried, on either side.
const STEPS: i128 = 1 << 12;
/// Every fraction has a denominator of this many times the scale of the rate.
const GRID: i128 = 1 << 24;

/// What decides whether a rate is kept.
enum Noise {
    /// Two independent sums whose combination (a·p + b·q times the first, and so on) is the noise
    /// of the query.
    Independent { first: Law, second: Law, overlapping: bool },
    /// Two sums of different cells that one total holds together: for every value of the first, the
    /// second from its least value on with running sums of their joint probability.
    Joint { pairs: Vec<(i64, i64, Vec<f64>)>, overlapping: bool },
    /// Pairs of fresh draws.
    Draws { pairs: Vec<(i128, i128)>, place: usize },
}

impl Noise {
    /// Whether q·numerator − p·denominator, as released, is no farther from 0 than its noise may
    /// be.
    fn keeps(&self, (p, q): Fraction, released: (i128, i128), level: f64) -> bool {
        let found = (q * released.0 - p * released.1).abs();
        match self {
            Noise::Draws { pairs, place } => {
                let mut sizes: Vec<i128> = pairs.iter().map(|(above, below)| (q * above - p * below).abs()).collect();
                *sizes.select_nth_unstable(*place).1 >= found
            }
            Noise::Joint { pairs, overlapping } => {
                let (a, b) = if *overlapping { (q - p, -p) } else { (q, -p) };
                nearer_in(pairs, a, b, found) < level - 1e-12
            }
            Noise::Independent { first, second, overlapping } => {
                // The numerator inside the denominator is taken out of it: q·n − p·(n + o).
                let (a, b) = if *overlapping { (q - p, -p) } else { (q, -p) };
                nearer(first, second, a, b, found) < level - 1e-12
            }
        }
    }
}

/// P(|a·one + b·two| < limit).
fn nearer(one: &Law, two: &Law, a: i128, b: i128, limit: i128) -> f64 {
    if a == 0 {
        return two.listed().filter(|(value, _)| (b * i128::from(*value)).abs() < limit).map(|(_, mass)| mass).sum();
    }
    let mut below = vec![0.0; one.probabilities.len() + 1];
    for (place, mass) in one.probabilities.iter().enumerate() {
        below[place + 1] = below[place] + mass;
    }
    // How many of the listed values are at most this.
    let upto =
        |value: i128| below[(value - i128::from(one.first) + 1).clamp(0, one.probabilities.len() as i128) as usize];
    let size = a.abs();
    let between = |value: i64| {
        let middle = -b * i128::from(value) * a.signum();
        // size·x lies strictly between middle − limit and middle + limit.
        let most = (middle + limit - 1).div_euclid(size);
        let least = (middle - limit).div_euclid(size) + 1;
        if most < least { 0.0 } else { upto(most) - upto(least - 1) }
    };
    two.listed().map(|(value, mass)| mass * between(value)).sum()
}

/// P(|a·one + b·two| < limit) under a joint law.
fn nearer_in(pairs: &[(i64, i64, Vec<f64>)], a: i128, b: i128, limit: i128) -> f64 {
    let inside = |(one, first, upto): &(i64, i64, Vec<f64>)| {
        let whole = upto[upto.len() - 1];
        let middle = a * i128::from(*one);
        if b == 0 {
            return if middle.abs() < limit { whole } else { 0.0 };
        }
        // |b|·(±two) lies strictly between −middle − limit and −middle + limit.
        let size = b.abs();
        let middle = -middle * b.signum();
        let (least, most) = ((middle - limit).div_euclid(size) + 1, (middle + limit - 1).div_euclid(size));
        // How much weighs at most this much.
        let below = |value: i128| upto[(value - i128::from(*first) + 1).clamp(0, upto.len() as i128 - 1) as usize];
        if most < least { 0.0 } else { below(most) - below(least - 1) }
    };
    pairs.iter().map(inside).sum()
}

/// The rates of two queries.
///
/// # Errors
/// Refused as intervals are.
pub fn rate(release: &Release, name: &str, above: &Query, below: &Query, asked: Asked) -> Result<RateSet, Problem> {
    check_free(release)?;
    let field = &Field::of_release(release)?;
    let parts = intervals_of(release, field, &[above.clone(), below.clone()], asked)?;
    let parts: [Interval; 2] =
        parts.try_into().map_err(|_| Problem::bad("a rate needs a numerator and a denominator"))?;
    let released = (parts[0].released, parts[1].released);
    let without_end = parts[1].lower() <= 0;
    let noise = noise(field, above, below, asked)?;
    let how = match &noise {
        Noise::Independent { .. } | Noise::Joint { .. } => How::Exact,
        Noise::Draws { pairs, .. } => How::by_rank(pairs.len() as u64, distance(std::slice::from_ref(release))),
    };
    let ends = (!without_end).then(|| ends(&noise, &parts, asked.level));
    Ok(RateSet { name: name.to_string(), released, ends, how, parts })
}

/// The ends of the kept rates: the outermost that is kept on a grid, then by halves to the first
/// that is not.
fn ends(noise: &Noise, parts: &[Interval; 2], level: f64) -> [f64; 2] {
    let (above, below) = (parts[0].released, parts[1].released);
    let value = |above: i128, below: i128| above as f64 / below as f64;
    // No rate beyond four times what the two intervals leave is far from where the set can end.
    let least = parts[1].lower().max(1);
    let corners = [parts[0].lower(), parts[0].upper()].map(|end| value(end, least));
    let centre = value(above, below);
    let width = 4.0 * corners.iter().map(|corner| (corner - centre).abs()).fold(1e-9, f64::max);
    // Fractions of the grid are fine enough for the width and leave 128-bit numbers room.
    let denominator = ((GRID as f64 / width).clamp(1.0, 1e12)) as i128;
    let fraction = |step: i128| ((centre * denominator as f64).round() as i128 + step, denominator);
    let stride = ((width * denominator as f64) as i128 / STEPS).max(1);
    let keeps = |step: i128| noise.keeps(fraction(step), (above, below), level);
    let end = |direction: i128| {
        let kept = (1..=STEPS).rev().find(|step| keeps(direction * step * stride)).unwrap_or(0);
        let (mut inside, mut outside) = (kept * stride, (kept + 1) * stride);
        while outside - inside > 1 {
            let middle = (inside + outside) / 2;
            if keeps(direction * middle) { inside = middle } else { outside = middle }
        }
        let (above, below) = fraction(direction * outside);
        value(above, below)
    };
    [end(-1), end(1)]
}

fn noise(field: &Field, above: &Query, below: &Query, asked: Asked) -> Result<Noise, Problem> {
    let sums = Sums::new(field);
    let other = below.minus(1, above, 1)?;
    for (second, overlapping) in [(below, false), (&other, true)] {
        let apart = sums.moving(above).is_disjoint(&sums.moving(second));
        let laws = apart.then(|| sums.law(above).zip(sums.law(second))).flatten();
        let centred =
            |law: &Law, query: &Query| i64::try_from(query.value(&field.centre)).ok().map(|own| law.shifted(-own));
        if let Some((first, law)) = laws
            && let (Some(first), Some(second)) = (centred(&first, above), centred(&law, second))
        {
            return Ok(Noise::Independent { first, second, overlapping });
        }
    }
    for (second, overlapping) in [(below, false), (&other, true)] {
        if let Some(pairs) = sums.joint(above, second) {
            return Ok(Noise::Joint { pairs, overlapping });
        }
    }
    let place = rank::place(asked.draws, asked.level).ok_or_else(|| {
        Problem::refused(format!("{} draws are too few for a set at level {}", asked.draws, asked.level))
    })?;
    let sampler = field.sampler()?;
    let own = (above.value(&field.centre), below.value(&field.centre));
    let pairs = (0..asked.draws).into_par_iter().map(|draw| {
        let table = sampler.draw(&Seeded::draw(asked.seed, draw), &|_| {})?;
        Ok((above.value(table.values()) - own.0, below.value(table.values()) - own.1))
    });
    Ok(Noise::Draws { pairs: pairs.collect::<Result<_, Problem>>()?, place: place as usize - 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_sums_are_near_zero_as_enumeration_says() {
        let one = Law::from_weights(-2, &[1.0, 3.0, 5.0, 2.0, 1.0, 0.5]).unwrap();
        let two = Law::from_weights(-1, &[2.0, 1.0, 4.0]).unwrap();
        for (a, b) in [(3, -2), (-1, 5), (7, 7), (0, 2), (2, 0), (-4, -3)] {
            for limit in 0..20 {
                let mut direct = 0.0;
                for (x, p) in one.listed() {
                    for (y, q) in two.listed() {
                        if (a * i128::from(x) + b * i128::from(y)).abs() < limit {
                            direct += p * q;
                        }
                    }
                }
                assert!((nearer(&one, &two, a, b, limit) - direct).abs() < 1e-14, "{a} {b} {limit}");
            }
        }
    }
}
