//! `Bound`: a lower or upper bound of a sum, of whose terms some may have none.

/// A lower or upper bound of a sum: the finite part, and how many terms have no bound.
#[derive(Debug, Clone, Copy, Default)]
pub struct Bound {
    /// The sum of the terms that have a bound.
    pub finite: i128,
    /// How many have none.
    pub endless: u32,
}

impl Bound {
    /// The bound of one term.
    pub(crate) fn of(term: Option<i128>) -> Bound {
        Bound { finite: term.unwrap_or(0), endless: u32::from(term.is_none()) }
    }

    /// The bound of both sums together.
    pub(crate) fn plus(self, other: Bound) -> Bound {
        Bound { finite: self.finite + other.finite, endless: self.endless + other.endless }
    }

    /// The bound of what is left outside a part, if there is one.
    pub(crate) fn outside(self, part: Bound) -> Option<i128> {
        (self.endless == part.endless).then_some(self.finite - part.finite)
    }

    /// With one more term.
    pub fn add(&mut self, term: Option<i128>) {
        *self = self.plus(Bound::of(term));
    }

    /// Without one of its terms.
    pub fn without(self, term: Option<i128>) -> Option<i128> {
        self.outside(Bound::of(term))
    }
}
