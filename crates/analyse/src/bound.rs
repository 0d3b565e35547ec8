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
    /// With one more term.
    pub fn add(&mut self, term: Option<i128>) {
        match term {
            Some(term) => self.finite += term,
            None => self.endless += 1,
        }
    }

    /// Without one of its terms.
    pub fn without(self, term: Option<i128>) -> Option<i128> {
        match term {
            Some(term) => (self.endless == 0).then(|| self.finite - term),
            None => (self.endless == 1).then_some(self.finite),
        }
    }
}
