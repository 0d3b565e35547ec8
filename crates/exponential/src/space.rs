//! `Space`: the finitely many points that a mechanism may release, how many there are, and a
//! uniform one.
//!
//! Points are vectors of whole numbers, in steps of a grid. A point of the ℓ₁ ball of radius R with
//! k coordinates that are not zero is a choice of these k, of their signs, and of k different
//! numbers of 1..R, whose gaps are the absolute values; so there are `Σ_k C(p,k)·C(R,k)·2^k`, and a
//! uniform point is drawn by drawing these. Proof: `proofs/rejection.md`.

use exact::lazy::{Bounds, Shared};
use exact::{Enclosure, Entropy, Natural, Rational, integer};

/// A bounded set of whole-numbered points.
#[derive(Debug, Clone)]
pub struct Space {
    body: Body,
    count: Natural,
}

#[derive(Debug, Clone)]
enum Body {
    /// Every coordinate from 0 to high.
    Cube { dimension: usize, high: u64 },
    /// The absolute values sum to at most the radius.
    Ball { dimension: usize, radius: u64, supports: Vec<Support> },
}

/// The points of a ball with a given number of coordinates that are not zero, or more.
#[derive(Debug, Clone)]
struct Support {
    size: usize,
    /// The share of the points with at least this many, which are tried first.
    share: Rational,
    bounds: Bounds,
}

impl Space {
    /// The list 0, 1, …, length − 1, as points with one coordinate.
    ///
    /// # Panics
    /// When the length is zero.
    pub fn list(length: u64) -> Self {
        assert!(length > 0, "a list has a point");
        Space::cube(1, length - 1)
    }

    /// The cube of points whose `dimension` coordinates are 0 to `high`.
    ///
    /// # Panics
    /// When the dimension is zero.
    pub fn cube(dimension: usize, high: u64) -> Self {
        assert!(dimension > 0, "a cube has a dimension");
        let count = (Natural::from(high) + Natural::ONE).pow(dimension);
        Space { body: Body::Cube { dimension, high }, count }
    }

    /// The points whose absolute values sum to at most `radius`.
    ///
    /// # Panics
    /// When the dimension is zero.
    pub fn ball(dimension: usize, radius: u64) -> Self {
        assert!(dimension > 0, "a ball has a dimension");
        let masses: Vec<Natural> =
            (0..=dimension).map(|k| (binomial(dimension as u64, k) * binomial(radius, k)) << k).collect();
        let count = masses.iter().fold(Natural::ZERO, |sum, mass| sum + mass);
        let mut above = Natural::ZERO;
        let mut supports = Vec::new();
        for (size, mass) in masses.iter().enumerate().rev() {
            above += mass;
            let share = Rational::new(above.clone(), count.clone());
            let bounds = Bounds::of(&Enclosure::from_rational(&share, 64));
            supports.push(Support { size, share, bounds });
        }
        Space { body: Body::Ball { dimension, radius, supports }, count }
    }

    /// How many points there are.
    pub fn count(&self) -> &Natural {
        &self.count
    }

    /// How many coordinates a point has.
    pub fn dimension(&self) -> usize {
        let (Body::Cube { dimension, .. } | Body::Ball { dimension, .. }) = &self.body;
        *dimension
    }

    /// The least and the largest value of a coordinate.
    pub fn range(&self) -> (i64, i64) {
        match &self.body {
            Body::Cube { high, .. } => (0, *high as i64),
            Body::Ball { radius, .. } => (-(*radius as i64), *radius as i64),
        }
    }

    /// Whether the point is one of the space.
    pub fn contains(&self, point: &[i64]) -> bool {
        let (low, high) = self.range();
        point.len() == self.dimension()
            && point.iter().all(|value| (low..=high).contains(value))
            && match &self.body {
                Body::Ball { radius, .. } => point.iter().map(|value| value.unsigned_abs()).sum::<u64>() <= *radius,
                _ => true,
            }
    }

    /// A uniform point, written over `point`.
    pub fn uniform<E: Entropy>(&self, entropy: &mut E, point: &mut Vec<i64>) {
        point.clear();
        match &self.body {
            Body::Cube { dimension, high } => {
                point.extend((0..*dimension).map(|_| integer::below(entropy, *high + 1) as i64));
            }
            Body::Ball { dimension, radius, supports } => {
                point.resize(*dimension, 0);
                in_ball(entropy, *radius, supports, point);
            }
        }
    }

    /// Calls `visit` with every point once, in a fixed order.
    pub fn for_each(&self, mut visit: impl FnMut(&[i64])) {
        let mut point = vec![0; self.dimension()];
        let (low, high) = self.range();
        let radius = match &self.body {
            Body::Ball { radius, .. } => Some(*radius as i64),
            _ => None,
        };
        visit_from(0, radius, (low, high), &mut point, &mut visit);
    }
}

fn visit_from(place: usize, left: Option<i64>, range: (i64, i64), point: &mut [i64], visit: &mut impl FnMut(&[i64])) {
    if place == point.len() {
        return visit(point);
    }
    let (low, high) = left.map_or(range, |left| (-left, left));
    for value in low..=high {
        point[place] = value;
        visit_from(place + 1, left.map(|left| left - value.abs()), range, point, visit);
    }
}

/// A uniform point of the ball: how many coordinates are not zero, which, their absolute values,
/// their signs.
fn in_ball<E: Entropy>(entropy: &mut E, radius: u64, supports: &[Support], point: &mut [i64]) {
    let mut shared = Shared::new();
    let (last, first) = supports.split_last().expect("a ball has supports of size zero at least");
    let mut chosen = |support: &&Support| {
        let refine = |bits| Enclosure::from_rational(&support.share, bits);
        support.share.is_positive() && shared.below(entropy, support.bounds, refine)
    };
    let size = first.iter().find(&mut chosen).unwrap_or(last).size;
    let mut places = Vec::with_capacity(size);
    distinct(entropy, size, point.len() as u64, &mut places);
    let mut marks = Vec::with_capacity(size);
    distinct(entropy, size, radius, &mut marks);
    let mut before = 0;
    for (place, mark) in places.iter().zip(&marks) {
        let value = (mark + 1 - before) as i64;
        before = mark + 1;
        point[*place as usize] = if entropy.bits(1) == 1 { -value } else { value };
    }
}

/// A uniform set of `size` numbers below `length`, increasing: positions are drawn until enough are
/// different.
fn distinct<E: Entropy>(entropy: &mut E, size: usize, length: u64, chosen: &mut Vec<u64>) {
    if size as u64 == length {
        return chosen.extend(0..length);
    }
    while chosen.len() < size {
        let position = integer::below(entropy, length);
        if let Err(place) = chosen.binary_search(&position) {
            chosen.insert(place, position);
        }
    }
}

/// The number of subsets of k elements of n.
fn binomial(n: u64, k: usize) -> Natural {
    if k as u64 > n {
        return Natural::ZERO;
    }
    (0..k as u64).fold(Natural::ONE, |product, i| product * Natural::from(n - i) / Natural::from(i + 1))
}
