//! The distance between two finite laws: the least d such that one can be carried to the other in
//! moves of at most d each.

use dashu_int::UBig;
use exact::Rational;
use std::collections::VecDeque;

/// The ∞-Wasserstein distance between two laws: the least over all couplings of the largest
/// distance that has any probability.
///
/// Probabilities are carried as flows through the pairs that are near enough; farther pairs are
/// allowed one distance after the other until everything arrives, so what was carried already
/// stays. Everything is in whole numbers.
///
/// `None` when the laws do not have the same mass.
pub fn bottleneck(one: &[Rational], two: &[Rational], distance: impl Fn(usize, usize) -> u64) -> Option<u64> {
    let scale = common(one.iter().chain(two));
    let whole = |law: &[Rational]| -> Vec<UBig> { law.iter().map(|share| times(share, &scale)).collect() };
    let mut carrying = Carrying::new(whole(one), whole(two));
    if carrying.left.iter().sum::<UBig>() != carrying.wanted.iter().sum::<UBig>() {
        return None;
    }
    let mut pairs: Vec<(u64, usize, usize)> = Vec::with_capacity(one.len() * two.len());
    for from in 0..one.len() {
        pairs.extend((0..two.len()).map(|to| (distance(from, to), from, to)));
    }
    pairs.sort_unstable();
    let mut farthest = 0;
    for pairs in pairs.chunk_by(|one, two| one.0 == two.0) {
        if carrying.left.iter().all(UBig::is_zero) {
            break;
        }
        farthest = pairs[0].0;
        pairs.iter().for_each(|(_, from, to)| carrying.near[*from].push(*to));
        while carrying.carry() {}
    }
    Some(farthest)
}

/// The least common multiple of all denominators.
pub(crate) fn common<'a>(shares: impl Iterator<Item = &'a Rational>) -> UBig {
    shares.fold(UBig::ONE, |common, share| {
        let ratio = Rational::new(common.clone(), share.denominator().clone());
        // What the common multiple lacks of this denominator.
        common * ratio.denominator()
    })
}

/// A share as a multiple of one over `scale`; negative shares count nothing.
pub(crate) fn times(share: &Rational, scale: &UBig) -> UBig {
    let whole = share * &Rational::integer(scale.clone());
    UBig::try_from(whole.floor()).unwrap_or(UBig::ZERO)
}

/// What is still to be carried, and what was.
struct Carrying {
    left: Vec<UBig>,
    wanted: Vec<UBig>,
    /// The places that each place may send to.
    near: Vec<Vec<usize>>,
    /// What was carried, by place and by arrival.
    carried: Vec<Vec<UBig>>,
}

impl Carrying {
    fn new(left: Vec<UBig>, wanted: Vec<UBig>) -> Carrying {
        let carried = vec![vec![UBig::ZERO; wanted.len()]; left.len()];
        Carrying { near: vec![Vec::new(); left.len()], left, wanted, carried }
    }

    /// Carries something more along a shortest way, taking back what is in the way; `false` when
    /// nothing can be.
    fn carry(&mut self) -> bool {
        let Some(way) = self.way() else { return false };
        let (first, last) = (way[0].0, way[way.len() - 1].1);
        let mut amount = self.left[first].clone().min(self.wanted[last].clone());
        for ((_, taken_from), (back, _)) in way.iter().zip(&way[1..]) {
            amount = amount.min(self.carried[*back][*taken_from].clone());
        }
        for (from, to) in &way {
            self.carried[*from][*to] += &amount;
        }
        for ((_, taken_from), (back, _)) in way.iter().zip(&way[1..]) {
            self.carried[*back][*taken_from] -= &amount;
        }
        self.left[first] -= &amount;
        self.wanted[last] -= &amount;
        true
    }

    /// A shortest way from a place with something left to an arrival that wants it: pairs (place,
    /// arrival). Between two pairs the next place takes back what it had sent to that arrival.
    fn way(&self) -> Option<Vec<(usize, usize)>> {
        let mut reached_by: Vec<Option<usize>> = vec![None; self.wanted.len()];
        let mut frees: Vec<Option<usize>> = vec![None; self.left.len()];
        let mut seen: Vec<bool> = self.left.iter().map(|left| !left.is_zero()).collect();
        let mut waiting: VecDeque<usize> = (0..self.left.len()).filter(|from| seen[*from]).collect();
        while let Some(from) = waiting.pop_front() {
            for to in &self.near[from] {
                if reached_by[*to].is_some() {
                    continue;
                }
                reached_by[*to] = Some(from);
                if !self.wanted[*to].is_zero() {
                    return Some(traced(*to, &reached_by, &frees));
                }
                for back in (0..self.left.len()).filter(|back| !self.carried[*back][*to].is_zero()) {
                    if !seen[back] {
                        (seen[back], frees[back]) = (true, Some(*to));
                        waiting.push_back(back);
                    }
                }
            }
        }
        None
    }
}

/// The way that ends at an arrival, from its beginning.
fn traced(last: usize, reached_by: &[Option<usize>], frees: &[Option<usize>]) -> Vec<(usize, usize)> {
    let mut way = Vec::new();
    let mut to = Some(last);
    while let Some(arrival) = to {
        let Some(from) = reached_by[arrival] else { break };
        way.push((from, arrival));
        to = frees[from];
    }
    way.reverse();
    way
}
