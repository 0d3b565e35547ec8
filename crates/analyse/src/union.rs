//! `Union`: places that are tied together, each set known by its lowest place.

/// Sets of places that have nothing to do with each other.
#[derive(Debug, Clone)]
pub struct Union {
    above: Vec<u32>,
}

impl Union {
    /// So many places, each by itself.
    pub fn new(places: usize) -> Union {
        Union { above: (0..places as u32).collect() }
    }

    /// One more place, by itself.
    pub fn push(&mut self) {
        self.above.push(self.above.len() as u32);
    }

    /// The lowest of all places that are tied to this one.
    pub fn top(&mut self, mut place: u32) -> u32 {
        while self.above[place as usize] != place {
            self.above[place as usize] = self.above[self.above[place as usize] as usize];
            place = self.above[place as usize];
        }
        place
    }

    /// Ties two places together; whether they were apart.
    pub fn join(&mut self, one: u32, other: u32) -> bool {
        let (one, other) = (self.top(one), self.top(other));
        self.above[one.max(other) as usize] = one.min(other);
        one != other
    }
}
