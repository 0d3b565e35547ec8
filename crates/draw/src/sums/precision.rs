//! `Ladder`: the levels of precision that an undecided draw climbs.

/// How precisely weights are computed, and which are given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Precision {
    /// Whether machine numbers are used; otherwise [`exact::Wide`] numbers of `bits` bits.
    pub machine: bool,
    /// The bits of a weight.
    pub bits: u32,
    /// A weight below 2^−trim of the largest may be given up: it counts as missing from then on.
    pub trim: u32,
}

/// The levels, from quick to precise: level n + 1 decides almost all that level n cannot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ladder {
    /// Two levels of machine numbers, then wider ones.
    Standard,
    /// A few bits at first and twice as many at each level: every draw climbs. For tests of the
    /// climb itself.
    Coarse,
}

/// The most levels: numbers of the last have 2¹⁸ bits, and no draw gets there.
pub const MOST_LEVELS: usize = 14;

impl Ladder {
    /// The precision of a level.
    pub fn level(self, level: usize) -> Precision {
        let doubled = |first: u32, level: usize| first << level.min(MOST_LEVELS);
        match (self, level) {
            (Ladder::Standard, 0) => Precision { machine: true, bits: 53, trim: 80 },
            (Ladder::Standard, 1) => Precision { machine: true, bits: 53, trim: 300 },
            (Ladder::Standard, level) => {
                Precision { machine: false, bits: doubled(160, level - 2), trim: doubled(300, level - 2) }
            }
            (Ladder::Coarse, level) => Precision { machine: false, bits: doubled(12, level), trim: doubled(3, level) },
        }
    }
}
