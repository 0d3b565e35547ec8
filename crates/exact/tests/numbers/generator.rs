//! Reproducible random numbers and the integers that break big-number code.

use dashu_base::Sign;
use dashu_int::{IBig, UBig};
use exact::{Enclosure, Rational};

/// SplitMix64: small, fixed by its seed, good enough to choose test cases.
pub struct Generator(u64);

impl Generator {
    pub fn new(seed: u64) -> Self {
        Generator(seed)
    }

    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number in `low..high`; the small bias does not matter to a choice of cases.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.word() % (high - low)
    }

    pub fn chance(&mut self, one_in: u64) -> bool {
        self.between(0, one_in) == 0
    }

    /// A uniform integer below `2^bits`.
    pub fn magnitude(&mut self, bits: usize) -> UBig {
        let words: Vec<u64> = (0..bits.div_ceil(64)).map(|_| self.word()).collect();
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        UBig::from_le_bytes(&bytes) >> (bits.div_ceil(64) * 64 - bits)
    }

    /// An integer of at most 2000 bits or so, often of a shape that carries and borrows far.
    pub fn awkward(&mut self) -> UBig {
        let bits = self.between(1, 2001) as usize;
        let near_word = (self.between(1, 32) * 64 + self.between(0, 5)) as usize - 2;
        match self.between(0, 9) {
            0 | 1 => self.magnitude(bits),
            2 => self.magnitude(near_word),
            3 => UBig::ONE << near_word,
            4 => (UBig::ONE << near_word) - UBig::ONE,
            5 => (UBig::ONE << near_word) + UBig::from(self.between(1, 3)),
            6 => self.sparse_words(bits),
            7 => self.magnitude(self.0 as usize % 66 + 1),
            _ => {
                let shift = self.between(0, bits as u64) as usize;
                (self.magnitude(bits) >> shift) << shift
            }
        }
    }

    /// Words drawn from 0, 1, 2^63, all ones and their neighbours: the operands for which the
    /// trial quotient of a long division is too large.
    fn sparse_words(&mut self, bits: usize) -> UBig {
        const WORDS: [u64; 7] = [0, 1, u64::MAX, u64::MAX - 1, 1 << 63, (1 << 63) - 1, (1 << 63) + 1];
        let count = bits.div_ceil(64);
        let bytes: Vec<u8> =
            (0..count).flat_map(|_| WORDS[self.between(0, WORDS.len() as u64) as usize].to_le_bytes()).collect();
        UBig::from_le_bytes(&bytes)
    }

    pub fn signed(&mut self, magnitude: UBig) -> IBig {
        let sign = if self.chance(2) { Sign::Negative } else { Sign::Positive };
        IBig::from_parts(sign, magnitude)
    }

    /// A rational of either sign below `2^whole_bits`, with a denominator of random size.
    pub fn rational(&mut self, whole_bits: usize) -> Rational {
        let denominator_bits = self.between(1, 80) as usize;
        let denominator = self.magnitude(denominator_bits) + UBig::ONE;
        let numerator_bits = self.between(1, (denominator_bits + whole_bits) as u64 + 1) as usize;
        let numerator = self.magnitude(numerator_bits) % (&denominator << whole_bits);
        Rational::new(self.signed(numerator), denominator)
    }

    /// An enclosure, sometimes exact, sometimes wide, and a rational inside it, sometimes a bound.
    pub fn enclosure_around(&mut self, whole_bits: usize, bits: usize) -> (Enclosure, Rational) {
        let centre = self.rational(whole_bits);
        let tight = Enclosure::from_rational(&centre, bits);
        let reach = match self.between(0, 4) {
            0 => 0,
            1 => 3,
            2 => bits / 2,
            _ => bits + whole_bits,
        };
        let lower = tight.lower() - IBig::from(self.magnitude(reach));
        let upper = tight.upper() + IBig::from(self.magnitude(reach));
        let enclosure = Enclosure::from_bounds(lower, upper, bits);
        let inside = match self.between(0, 4) {
            0 => enclosure.lower_rational(),
            1 => enclosure.upper_rational(),
            _ => centre,
        };
        (enclosure, inside)
    }
}
