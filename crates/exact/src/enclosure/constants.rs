//! The constants `ln 2`, `pi` and `ln(2 pi)`, from series of inverse integers, kept per thread.

use super::Enclosure;
use super::rounding::{ceiling_shift, rescale_down};
use dashu_base::BitTest;
use dashu_int::{IBig, UBig};
use std::cell::RefCell;
use std::thread::LocalKey;

/// Enclosures of one constant at the precisions 64, 128, 192, ...
///
/// The precision computed is a function of the precision asked for, so that the answer does not
/// depend on what was asked before.
type Kept = RefCell<Vec<Option<Enclosure>>>;

thread_local! {
    static LN2: Kept = const { RefCell::new(Vec::new()) };
    static PI: Kept = const { RefCell::new(Vec::new()) };
    static LN_TAU: Kept = const { RefCell::new(Vec::new()) };
}

const STEP: usize = 64;

impl Enclosure {
    /// The natural logarithm of 2, of width at most 2 ulps.
    pub fn ln2(bits: usize) -> Self {
        // 2 = (27/25)^9 (2400/2401) (4375/4374)^4, and ln((n + 1)/(n - 1)) = 2 artanh(1/n).
        kept(&LN2, bits, |bits| combine(&[(18, 26), (-2, 4801), (8, 8749)], Series::HyperbolicArctangent, bits))
    }

    /// The circumference of a circle of diameter 1, of width at most 2 ulps.
    pub fn pi(bits: usize) -> Self {
        kept(&PI, bits, |bits| combine(&[(16, 5), (-4, 239)], Series::Arctangent, bits))
    }

    /// The natural logarithm of `2 pi`, of width at most 2 ulps.
    pub(super) fn ln_tau(bits: usize) -> Self {
        kept(&LN_TAU, bits, |bits| {
            let tau = Enclosure::pi(bits + 4).mul_power_of_two(1);
            let logarithm = tau.ln_of_positive();
            logarithm.with_bits(bits)
        })
    }
}

fn kept(constant: &'static LocalKey<Kept>, bits: usize, compute: impl Fn(usize) -> Enclosure) -> Enclosure {
    let slot = bits / STEP;
    let known = constant.with_borrow(|kept| kept.get(slot).and_then(Option::as_ref).map(|known| known.with_bits(bits)));
    known.unwrap_or_else(|| {
        let value = compute((slot + 1) * STEP);
        let rounded = value.with_bits(bits);
        constant.with_borrow_mut(|kept| {
            if kept.len() <= slot {
                kept.resize(slot + 1, None);
            }
            kept[slot] = Some(value);
        });
        rounded
    })
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Series {
    /// `artanh(1/n) = sum of 1 / ((2j+1) n^(2j+1))`.
    HyperbolicArctangent,
    /// `arctan(1/n)`: the same with alternating signs.
    Arctangent,
}

/// The sum of `weight * series(1/n)` over the pairs `(weight, n)`.
fn combine(parts: &[(i64, u64)], series: Series, bits: usize) -> Enclosure {
    let working = bits + bits.bit_len() + 16;
    let (mut sum, mut error) = (IBig::ZERO, IBig::ZERO);
    for &(weight, inverse) in parts {
        let (value, slack) = of_inverse(inverse, series, working);
        sum += value * weight;
        error += IBig::from(slack) * weight.unsigned_abs();
    }
    let (lower, upper) = (&sum - &error, sum + error);
    Enclosure { lower: rescale_down(&lower, working, bits), upper: ceiling_shift(&upper, working - bits), bits }
}

/// `series(1/inverse)` in units of `2^-working`, with a bound on the error in the same units.
pub(super) fn of_inverse(inverse: u64, series: Series, working: usize) -> (IBig, u64) {
    let square = inverse * inverse;
    let mut power = (UBig::ONE << working) / inverse;
    let mut sum = IBig::ZERO;
    let mut index = 0u64;
    while !power.is_zero() {
        let term = IBig::from(&power / (2 * index + 1));
        if series == Series::Arctangent && index % 2 == 1 {
            sum -= term;
        } else {
            sum += term;
        }
        power /= square;
        index += 1;
    }
    (sum, 2 * index + 2)
}
