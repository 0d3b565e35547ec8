//! `Union`: places that are tied together, each set known by its lowest place.

use std::collections::HashMap;
use std::hash::Hash;

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

/// Two colours such that places and their opposites differ, the first of those that are tied
/// together in `false`; `None` where there are no such colours.
pub fn two_colours<O: IntoIterator<Item = usize>>(places: usize, opposites: impl Fn(usize) -> O) -> Option<Vec<bool>> {
    let mut colours: Vec<Option<bool>> = vec![None; places];
    for first in 0..places {
        if colours[first].is_some() {
            continue;
        }
        colours[first] = Some(false);
        let mut waiting = vec![(first, false)];
        while let Some((place, own)) = waiting.pop() {
            for other in opposites(place) {
                match colours[other] {
                    Some(known) if known == own => return None,
                    Some(_) => {}
                    None => {
                        colours[other] = Some(!own);
                        waiting.push((other, !own));
                    }
                }
            }
        }
    }
    Some(colours.into_iter().map(|colour| colour == Some(true)).collect())
}

/// The values of every key, in the order in which keys and values come.
pub(crate) fn gathered<K: Copy + Eq + Hash, V>(pairs: impl Iterator<Item = (K, V)>) -> Vec<(K, Vec<V>)> {
    let mut place = HashMap::new();
    let mut gathered: Vec<(K, Vec<V>)> = Vec::new();
    for (key, value) in pairs {
        let place = *place.entry(key).or_insert_with(|| {
            gathered.push((key, Vec::new()));
            gathered.len() - 1
        });
        gathered[place].1.push(value);
    }
    gathered
}
