//! Lazy exact comparison: a uniform number, revealed bit by bit, against a number known by
//! enclosures.
//!
//! `U < p` is decided as soon as the bits seen so far and the enclosure of p allow only one answer;
//! if they do not, more bits and a narrower enclosure are asked for. So the answer is that of an
//! infinitely long uniform number: exactly `P(U < p) = p`, whatever the precision, with one machine
//! word in almost every draw. Proof: `proofs/lazy.md`.

use crate::enclosure::Enclosure;
use crate::entropy::Entropy;
use dashu_int::{IBig, UBig};

/// Bounds of a probability p in units of 2⁻⁶⁴: `floor ≤ p·2⁶⁴ ≤ last + 1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// A lower bound: words below it are certainly below p.
    pub floor: u64,
    /// Words above it are certainly not below p.
    pub last: u64,
}

impl Bounds {
    /// Nothing is known.
    pub const UNKNOWN: Bounds = Bounds { floor: 0, last: u64::MAX };

    /// From an enclosure of a probability at any precision.
    pub fn of(enclosure: &Enclosure) -> Self {
        let word = enclosure.with_bits(64);
        let floor = u64::try_from(word.lower().max(&IBig::ZERO)).unwrap_or(u64::MAX);
        let ceiling = word.upper() - IBig::ONE;
        let last = if ceiling < IBig::ZERO { 0 } else { u64::try_from(ceiling).unwrap_or(u64::MAX) };
        Bounds { floor, last }
    }

    /// The bounds `floor ≤ p·2⁶⁴ ≤ floor + slack`.
    #[inline]
    pub fn around(floor: u64, slack: u64) -> Self {
        Bounds { floor, last: floor.saturating_add(slack.max(1) - 1) }
    }

    /// The bounds of `p·2^shift`, which must be a probability too.
    #[inline]
    pub fn shifted(self, shift: u32) -> Self {
        if shift == 0 {
            return self;
        }
        if shift >= 64 {
            return Bounds::UNKNOWN;
        }
        let floor = if self.floor >> (64 - shift) == 0 { self.floor << shift } else { u64::MAX };
        let above = u128::from(self.last) + 1;
        let last = ((above << shift) - 1).min(u128::from(u64::MAX)) as u64;
        Bounds { floor, last }
    }
}

/// A uniform number in [0, 1) of which some leading bits are known.
#[derive(Debug, Clone)]
pub struct Uniform {
    value: UBig,
    known: usize,
}

impl Uniform {
    /// The number whose leading bits are the `known` low bits of `value`.
    pub fn from_bits(value: u64, known: u32) -> Self {
        Uniform { value: UBig::from(value), known: known as usize }
    }

    /// How many bits are known.
    pub fn known(&self) -> usize {
        self.known
    }

    /// The number made of the leading 53 bits, which must be known: at most 2⁻⁵³ below the number
    /// itself.
    pub fn leading(&self) -> f64 {
        let cut = self.known.saturating_sub(53);
        let word = u64::try_from(&self.value >> cut).unwrap_or(0);
        word as f64 * 2f64.powi(-53)
    }

    /// Reveals one more stride of bits.
    pub fn reveal<E: Entropy>(&mut self, entropy: &mut E) {
        let stride = entropy.stride();
        self.value = (std::mem::take(&mut self.value) << stride as usize) + UBig::from(entropy.bits(stride));
        self.known += stride as usize;
    }

    /// `Some(U < p)` if the known bits and the enclosure decide it.
    pub fn below(&self, p: &Enclosure) -> Option<bool> {
        let scale = p.bits().max(self.known);
        let low = IBig::from(&self.value << (scale - self.known));
        let high = IBig::from((&self.value + UBig::ONE) << (scale - self.known));
        if high <= p.lower() << (scale - p.bits()) {
            Some(true)
        } else if low >= p.upper() << (scale - p.bits()) {
            Some(false)
        } else {
            None
        }
    }

    /// Decides `U < p` by revealing bits and narrowing the enclosure of p as long as it takes.
    pub fn decide<E: Entropy>(&mut self, entropy: &mut E, refine: impl Fn(usize) -> Enclosure) -> bool {
        loop {
            if self.known > 0
                && let Some(answer) = self.below(&refine(self.known + 64))
            {
                return answer;
            }
            self.reveal(entropy);
        }
    }
}

/// An exact coin: true with probability p, for p in `bounds` and enclosed ever more narrowly by
/// `refine`.
#[inline]
pub fn coin<E: Entropy>(entropy: &mut E, bounds: Bounds, refine: impl Fn(usize) -> Enclosure) -> bool {
    let stride = entropy.stride();
    let (mut value, mut known) = (0u64, 0u32);
    while known + stride <= 64 && bounds != Bounds::UNKNOWN {
        value = if stride == 64 { entropy.bits(64) } else { (value << stride) | entropy.bits(stride) };
        known += stride;
        let (low, high) = words(value, known);
        if high < bounds.floor {
            return true;
        }
        if low > bounds.last {
            return false;
        }
    }
    Uniform::from_bits(value, known).decide(entropy, refine)
}

/// The smallest and largest 64-bit word that start with the `known` bits of `value`.
#[inline]
pub(crate) fn words(value: u64, known: u32) -> (u64, u64) {
    if known == 64 {
        return (value, value);
    }
    let low = value << (64 - known);
    (low, low | (u64::MAX >> known))
}

/// A uniform number that several comparisons look at, one after the other: coupled decisions.
#[derive(Debug, Clone, Default)]
pub struct Shared {
    value: u64,
    known: u32,
    /// More bits than a word, once a comparison has asked for them.
    long: Option<Uniform>,
}

impl Shared {
    /// A number of which nothing is known yet.
    pub fn new() -> Self {
        Shared::default()
    }

    /// Whether the number is below p, for p in `bounds` and enclosed ever more narrowly by
    /// `refine`.
    #[inline]
    pub fn below<E: Entropy>(&mut self, entropy: &mut E, bounds: Bounds, refine: impl Fn(usize) -> Enclosure) -> bool {
        let stride = entropy.stride();
        if self.long.is_none() && bounds != Bounds::UNKNOWN {
            loop {
                if self.known > 0 {
                    let (low, high) = words(self.value, self.known);
                    if high < bounds.floor {
                        return true;
                    }
                    if low > bounds.last {
                        return false;
                    }
                }
                if self.known + stride > 64 {
                    break;
                }
                let more = entropy.bits(stride);
                self.value = if stride == 64 { more } else { (self.value << stride) | more };
                self.known += stride;
            }
        }
        self.uniform().decide(entropy, refine)
    }

    /// The number itself, for comparisons of other kinds.
    pub fn uniform(&mut self) -> &mut Uniform {
        let (value, known) = (self.value, self.known);
        self.long.get_or_insert_with(|| Uniform::from_bits(value, known))
    }
}
