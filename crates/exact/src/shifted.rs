//! One step of Klein's sampler: an integer around any rational centre, drawn or refused.
//!
//! For a rate t and a centre f near zero, [`attempt`] gives x with probability
//! `e^{−t(x−f)²}/θ(t, 0)` exactly, and nothing with the probability that is left,
//! `1 − θ(t, f)/θ(t, 0)`. So an integer comes with its discrete Gaussian law, and comes at all with
//! probability θ(t, f)/θ(t, 0): the draw and its acceptance from one uniform number.
//!
//! Where t is large the number is compared with the cumulative weights of 0, 1, −1, 2, −2, …; where
//! it is small an integer is drawn by rejection from dyadic blocks (`unimodal.rs`) and refused by a
//! coin. Machine numbers answer only with a margin above all their errors; otherwise enclosures of
//! the exact rate and centre do. Proof: `proofs/theta.md`.

use crate::decay::{DECAY_BITS, decay, decay_bounds};
use crate::enclosure::Enclosure;
use crate::entropy::Entropy;
use crate::lazy::{Bounds, Uniform, coin, words};
use crate::rational::Rational;
use crate::theta::{term, theta, theta_share};
use crate::unimodal::propose;
use dashu_int::IBig;

/// Rates above this are drawn by cumulative weights.
const NEAR: f64 = 1.0 / 64.0;

/// Terms of e^{−LEAST} and less are left to enclosures.
const LEAST: f64 = 45.0;

/// More than all terms that are not listed: t > 1/64, so beyond e^{−LEAST} they fall by more than a
/// half a step.
const SKIPPED: f64 = 1.0 / (1u64 << 58) as f64;

/// Centres may be beyond a half by this much, so that machine numbers can say which integer is
/// nearest.
pub const CENTRE_SLACK: f64 = 1.0 / (1u64 << 20) as f64;

/// Four times the relative error of a rate as machine numbers know it: room for the few operations
/// on it.
const ROUNDING: f64 = 1.0 / (1u64 << 48) as f64;

/// Sixteen times the relative error of [`decay`]: room for its sum and a quotient.
const EXPONENTIALS: f64 = 16.0 / (1u64 << DECAY_BITS) as f64;

/// A rate t as machine numbers know it.
#[derive(Debug, Clone, Copy)]
pub struct Rate {
    /// t up to a factor of 1 ± 2⁻⁵⁰.
    value: f64,
    /// θ(t, 0) up to a factor of 1 ± 2⁻⁴²; for rates that are drawn by cumulative weights.
    theta: f64,
    /// The width of a block is two to this power; for the others.
    exponent: u32,
}

impl Rate {
    /// A rate above zero that `value` is within a factor of `1 ± 2⁻⁵⁰` of.
    pub fn near(value: f64) -> Rate {
        if value > NEAR {
            let tail = (1..).map(|k| value * f64::from(k) * f64::from(k)).take_while(|y| *y < LEAST);
            let sum = tail.map(decay).sum::<f64>();
            return Rate { value, theta: 1.0 + 2.0 * sum, exponent: 0 };
        }
        // Halved with certainty at distance w, wherever the centre is: t·w(w − 1) ≥ 0.7 > ln 2 +
        // 2⁻²⁰.
        let halved = |exponent: &u32| {
            let width = (1u64 << exponent) as f64;
            value * width * (width - 1.0) >= 0.7
        };
        Rate { value, theta: 0.0, exponent: (1..60).find(halved).unwrap_or(60) }
    }

    /// The nearest machine number to t.
    pub fn value(&self) -> f64 {
        self.value
    }

    /// θ(t, f)/θ(t, 0), for predictions only.
    pub fn share(&self, fraction: f64) -> f64 {
        if self.value <= NEAR {
            return 1.0;
        }
        let term = |k: i32| decay(self.value * (f64::from(k) - fraction).powi(2));
        let mut sum = term(0);
        for k in 1.. {
            let ends = term(k) + term(-k);
            sum += ends;
            if ends < 1e-17 * sum {
                break;
            }
        }
        (sum / self.theta).min(1.0)
    }
}

/// A centre as machine numbers know it: within `error` of `fraction`.
#[derive(Debug, Clone, Copy)]
pub struct Near {
    /// The centre, at most a half and [`CENTRE_SLACK`] from zero.
    pub fraction: f64,
    /// How far the true centre is from it at most.
    pub error: f64,
}

/// An integer x with probability `e^{−t(x−f)²}/θ(t, 0)`, or nothing. `exact` gives t and f
/// themselves.
///
/// The centre f must be within `1/2 + CENTRE_SLACK` of zero.
#[inline]
pub fn attempt<E: Entropy>(
    entropy: &mut E,
    rate: &Rate,
    near: Near,
    exact: impl Fn() -> (Rational, Rational),
) -> Option<i64> {
    if rate.value > NEAR { invert(entropy, rate, near, exact) } else { reject(entropy, rate, near, exact) }
}

/// The place of the n-th integer in the order 0, 1, −1, 2, −2, ….
fn place(n: usize) -> i64 {
    let k = n.div_ceil(2) as i64;
    if n % 2 == 1 { k } else { -k }
}

/// By cumulative weights.
fn invert<E: Entropy>(
    entropy: &mut E,
    rate: &Rate,
    near: Near,
    exact: impl Fn() -> (Rational, Rational),
) -> Option<i64> {
    let stride = entropy.stride();
    let (mut value, mut known) = (0u64, 0u32);
    // The exponent of a listed term, at most LEAST, is off by its own roundings and by those of
    // rate and centre; then the exponential's, the sum's and the quotient's errors, all in one
    // generous factor.
    let shift = 2.0 * (LEAST * rate.value).sqrt() * near.error + rate.value * near.error * near.error;
    let relative = 2.0 * (LEAST * ROUNDING + shift) + EXPONENTIALS;
    while known + stride <= 64 && relative < CENTRE_SLACK {
        value = if stride == 64 { entropy.bits(64) } else { (value << stride) | entropy.bits(stride) };
        known += stride;
        if let Some(answer) = quick(rate, near.fraction, relative, words(value, known)) {
            return answer;
        }
    }
    let (rate, centre) = exact();
    let mut uniform = Uniform::from_bits(value, known);
    loop {
        if let Some(answer) = carefully(&uniform, &rate, &centre) {
            return answer;
        }
        uniform.reveal(entropy);
    }
}

/// Where the words from the first to the last all fall, or that they are refused, if machine
/// numbers can tell that are off by this relative error.
fn quick(rate: &Rate, fraction: f64, relative: f64, (low, high): (u64, u64)) -> Option<Option<i64>> {
    let word = 2.0 * (1u64 << 63) as f64;
    let (low, high) = (low as f64 * (1.0 - ROUNDING), (high as f64 + 1.0) * (1.0 + ROUNDING));
    let (below, above) = ((1.0 - relative) * word / rate.theta, (1.0 + relative) * word / rate.theta);
    let mut sum = 0.0;
    let mut last_was_small = false;
    for n in 0.. {
        let x = place(n);
        let distance = x as f64 - fraction;
        let y = rate.value * distance * distance;
        let is_small = y > LEAST;
        if is_small && last_was_small {
            break;
        }
        last_was_small = is_small;
        if is_small {
            continue;
        }
        sum += decay(y);
        if high <= sum * below {
            return Some(Some(x));
        }
        // Some of the words may lie before this place ends: unless all do, the place is not
        // certain.
        if low < (sum + SKIPPED) * above {
            return None;
        }
    }
    (low > (sum + SKIPPED) * above).then_some(None)
}

/// Where a uniform number falls among exact weights: the place, or that it is refused, or that more
/// bits are needed.
fn carefully(uniform: &Uniform, rate: &Rational, centre: &Rational) -> Option<Option<i64>> {
    if uniform.known() == 0 {
        return None;
    }
    let bits = uniform.known() + 64;
    let whole = theta(rate, &Rational::integer(0), bits);
    let mut sum = Enclosure::from_integer(0, bits);
    let mut small = 0;
    for n in 0.. {
        let weight = term(rate, centre, place(n), bits);
        sum = &sum + &weight;
        match uniform.below(&sum.checked_div(&whole)?) {
            Some(true) => return Some(Some(place(n))),
            Some(false) => {}
            None => return None,
        }
        // Two neighbouring places of next to no weight: all that follows has less.
        small = if *weight.upper() <= IBig::from(4) { small + 1 } else { 0 };
        if small == 2 {
            break;
        }
    }
    let share = theta(rate, centre, bits).checked_div(&whole)?;
    (uniform.below(&share) == Some(false)).then_some(None)
}

/// By rejection from dyadic blocks, and a coin.
fn reject<E: Entropy>(
    entropy: &mut E,
    rate: &Rate,
    near: Near,
    exact: impl Fn() -> (Rational, Rational),
) -> Option<i64> {
    let (t, f) = (rate.value, near.fraction);
    // e^{−t(x² − 2xf) − 2t·slack}: the weight of x over that of zero, and a factor that keeps it at
    // most one.
    let ratio = |x: i64, bits: usize| {
        let (rate, centre) = exact();
        let (x, slack) = (Rational::integer(x), Rational::new(1, 1u64 << 19));
        let exponent = &(&x * &(&x - &(&centre + &centre))) + &slack;
        Enclosure::exp_rational(&-(&rate * &exponent), bits)
    };
    let x = loop {
        let Some((x, block)) = propose(entropy, rate.exponent) else { continue };
        let wide = x as f64;
        let y = t * (wide * (wide - 2.0 * f) + 2.0 * CENTRE_SLACK);
        let error = (y.abs() + t * wide.abs()) * 4.0 * ROUNDING + 2.0 * t * wide.abs() * near.error;
        let bounds = decay_bounds(y, error).shifted(block.min(64) as u32);
        if coin(entropy, bounds, |bits| ratio(x, bits + block as usize).mul_power_of_two(block as isize)) {
            break x;
        }
    };
    // 1 − 5q with t ≤ 1/60: q is below 2⁻⁸⁰⁰.
    let nearly_one = Bounds { floor: u64::MAX, last: u64::MAX };
    let share = |bits: usize| {
        let (rate, centre) = exact();
        theta_share(&rate, &centre, bits)
    };
    coin(entropy, nearly_one, share).then_some(x)
}
