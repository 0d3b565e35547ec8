//! `SplitTree`: how an ordered row of leaves is split in two, again and again, and with which
//! variances.
//!
//! Leaves have *weights*: the variance of their noise in units of 1/D. A group of leaves may have
//! noise of its own; then its weight is less than the sum of its parts (`1/v = 1/σ² + 1/Σ parts`).
//! The parts of a group are halved in their order, the first half being the longer where their
//! number is odd: a public function of sizes and order. Where a total is split into a left part of
//! weight a and a right part of weight b, a share a/(a+b) of the noise goes to the left,
//! `s² = ab/(a+b)/D`.
//!
//! Weights are integers, so that centres are fractions of machine numbers. A weight that is not one
//! is rounded **up**: that is a slightly larger noise σ² of its group, never a smaller one, so a
//! loss that is computed from the declared σ² is not exceeded.

use declare::Problem;
use exact::Rational;
use std::collections::HashMap;

/// The sum of all weights of a shape stays below this.
const MOST_WEIGHT: u64 = 1 << 44;

/// One split: the leaves `start..end` into `start..middle` and `middle..end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Split {
    /// The first leaf.
    pub start: u32,
    /// The first leaf of the right part.
    pub middle: u32,
    /// Behind the last leaf.
    pub end: u32,
    /// Its class: splits of the same weights.
    pub class: u32,
}

/// What splits of the same weights share.
#[derive(Debug, Clone, PartialEq)]
pub struct Class {
    /// The left part's share of the noise is `left/whole`, in lowest terms.
    pub left: u64,
    /// See `left`.
    pub whole: u64,
    /// s².
    pub variance: Rational,
    /// s² as a machine number.
    pub estimate: f64,
}

/// A group of consecutive leaves with noise of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// Its first leaf.
    pub start: usize,
    /// Behind its last leaf.
    pub end: usize,
    /// The variance of its own noise; `None`: it only shapes the tree.
    pub noise: Option<Rational>,
}

/// A binary tree over leaves, in preorder: the left part of split i is split i + 1, the right part
/// is split `i + (middle − start)`, where these parts have more than one leaf.
#[derive(Debug, Clone, PartialEq)]
pub struct SplitTree {
    leaves: usize,
    splits: Vec<Split>,
    classes: Vec<Class>,
    /// The variance of the sum of all leaves, from below.
    variance: Rational,
    /// Half of the smallest part that is split off another.
    least: Option<Rational>,
}

impl SplitTree {
    /// Leaves that all have noise of this variance and no groups.
    pub fn even(leaves: usize, variance: &Rational) -> Result<Self, Problem> {
        Self::new(&vec![1; leaves], variance, &[])
    }

    /// Leaves with these weights, in units of the variance `unit`, and groups that are disjoint or
    /// nested, in any order.
    pub fn new(weights: &[u64], unit: &Rational, groups: &[Group]) -> Result<Self, Problem> {
        if weights.is_empty() || weights.len() >= u32::MAX as usize {
            return Err(Problem::refused("a cascade splits at least one number, and fewer than 2³²"));
        }
        if weights.contains(&0) || !unit.is_positive() {
            return Err(Problem::refused("every leaf of a cascade needs noise of a positive variance"));
        }
        let mut ordered: Vec<&Group> = groups.iter().filter(|group| group.end > group.start).collect();
        ordered.sort_by(|one, other| one.start.cmp(&other.start).then(other.end.cmp(&one.end)));
        let whole = Group { start: 0, end: weights.len(), noise: None };
        let mut builder = Builder {
            weights,
            unit,
            groups: ordered,
            next: 0,
            splits: Vec::with_capacity(weights.len() - 1),
            pairs: Vec::new(),
            known: HashMap::new(),
            least: None,
        };
        let weight = builder.group(&whole)?;
        if builder.next < builder.groups.len() {
            return Err(Problem::refused("groups of leaves that are neither disjoint nor nested"));
        }
        let classes = builder.pairs.iter().map(|(left, right)| Class::new(*left, *right, unit)).collect();
        let variance = &Rational::integer(weight) * unit;
        let least = builder.least.map(|least| &Rational::new(least, 2u8) * unit);
        Ok(SplitTree { leaves: weights.len(), splits: builder.splits, classes, variance, least })
    }

    /// The number of leaves.
    pub fn leaves(&self) -> usize {
        self.leaves
    }

    /// The splits, in preorder.
    pub fn splits(&self) -> &[Split] {
        &self.splits
    }

    /// The classes of the splits.
    pub fn classes(&self) -> &[Class] {
        &self.classes
    }

    /// The variance of the sum of all leaves, noise of groups included.
    pub fn variance(&self) -> &Rational {
        &self.variance
    }

    /// No split has a smaller s², whatever the order of the parts of groups; `None` for a single
    /// leaf.
    ///
    /// `ab/(a+b)` is at least half of the smaller of a and b, and each is a sum of parts. So what
    /// is certified of a cascade does not depend on a public order, which a certificate knows by
    /// its hash alone.
    pub fn least_variance(&self) -> Option<&Rational> {
        self.least.as_ref()
    }
}

impl Class {
    fn new(left: u64, right: u64, unit: &Rational) -> Self {
        let whole = left + right;
        let share = Rational::new(left, whole);
        let variance = &(&(&Rational::integer(left) * &Rational::integer(right)) / &Rational::integer(whole)) * unit;
        let small = |natural: &exact::Integer| u64::try_from(natural).unwrap_or(1);
        Class {
            left: small(share.numerator()),
            whole: small(share.denominator().as_ibig()),
            estimate: variance.to_f64(),
            variance,
        }
    }
}

struct Builder<'a> {
    weights: &'a [u64],
    unit: &'a Rational,
    /// By start, larger ones first.
    groups: Vec<&'a Group>,
    next: usize,
    splits: Vec<Split>,
    pairs: Vec<(u64, u64)>,
    known: HashMap<(u64, u64), u32>,
    /// The smallest weight of a part beside others.
    least: Option<u64>,
}

/// A part of a group: a smaller group or a leaf.
#[derive(Clone, Copy)]
enum GroupMember<'a> {
    Group(&'a Group),
    Leaf(usize),
}

impl<'a> Builder<'a> {
    /// Splits a group; its weight.
    fn group(&mut self, group: &Group) -> Result<u64, Problem> {
        let mut parts: Vec<(GroupMember<'a>, usize)> = Vec::new();
        let mut place = group.start;
        let mut noises: Vec<&Rational> = group.noise.iter().collect();
        while place < group.end {
            match self.groups.get(self.next).copied() {
                Some(inner) if inner.start == place && inner.end <= group.end => {
                    if (inner.start, inner.end) == (group.start, group.end) {
                        // The same leaves again: one more noise on the same sum.
                        noises.extend(&inner.noise);
                        self.next += 1;
                        continue;
                    }
                    parts.push((GroupMember::Group(inner), self.next + 1));
                    self.skip(inner)?;
                    place = inner.end;
                }
                Some(inner) if inner.start <= place => {
                    return Err(Problem::refused("groups of leaves that are neither disjoint nor nested"));
                }
                _ => {
                    parts.push((GroupMember::Leaf(place), 0));
                    place += 1;
                }
            }
        }
        let after = self.next;
        let mut weight = self.halve(&parts, group.start, group.end)?;
        self.next = after;
        for noise in noises {
            weight = self.with_noise(weight, noise);
        }
        Ok(weight)
    }

    /// Goes to the first group behind this one.
    fn skip(&mut self, group: &Group) -> Result<(), Problem> {
        while let Some(inner) = self.groups.get(self.next)
            && inner.start < group.end
        {
            if inner.end > group.end {
                return Err(Problem::refused("groups of leaves that are neither disjoint nor nested"));
            }
            self.next += 1;
        }
        Ok(())
    }

    /// Splits parts in halves; their weight together.
    fn halve(&mut self, parts: &[(GroupMember<'a>, usize)], start: usize, end: usize) -> Result<u64, Problem> {
        if let [(part, next)] = parts {
            return match part {
                GroupMember::Leaf(leaf) => Ok(self.weights[*leaf]),
                GroupMember::Group(group) => {
                    self.next = *next;
                    self.group(group)
                }
            };
        }
        let half = parts.len().div_ceil(2);
        let middle = match parts[half].0 {
            GroupMember::Leaf(leaf) => leaf,
            GroupMember::Group(group) => group.start,
        };
        let place = self.splits.len();
        self.splits.push(Split { start: start as u32, middle: middle as u32, end: end as u32, class: 0 });
        let left = self.halve(&parts[..half], start, middle)?;
        let right = self.halve(&parts[half..], middle, end)?;
        let alone = [(half, left), (parts.len() - half, right)];
        for (_, weight) in alone.into_iter().filter(|(parts, _)| *parts == 1) {
            self.least = Some(self.least.map_or(weight, |least| least.min(weight)));
        }
        if left + right >= MOST_WEIGHT {
            return Err(Problem::refused("the variances of a cascade differ too much to be added exactly"));
        }
        let fresh = self.pairs.len() as u32;
        let class = *self.known.entry((left, right)).or_insert(fresh);
        if class == fresh {
            self.pairs.push((left, right));
        }
        self.splits[place].class = class;
        Ok(left + right)
    }

    /// The weight of a sum that has noise of its own too, rounded up.
    fn with_noise(&self, weight: u64, noise: &Rational) -> u64 {
        let parts = Rational::integer(weight);
        let own = noise / self.unit;
        let joint = &(&parts * &own) / &(&parts + &own);
        u64::try_from(joint.ceil()).unwrap_or(weight).clamp(1, weight)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_variance_is_a_bound_for_every_order() {
        let groups = |sizes: [usize; 3]| -> Vec<Group> {
            let mut start = 0;
            let group = |size: usize| {
                start += size;
                Group { start: start - size, end: start, noise: Some(Rational::integer(5)) }
            };
            sizes.into_iter().map(group).collect()
        };
        let mut stated = Vec::new();
        for sizes in [[1, 4, 9], [9, 1, 4], [4, 9, 1], [9, 4, 1]] {
            let shape = SplitTree::new(&[4096; 14], &Rational::new(3, 4096u32), &groups(sizes)).unwrap();
            let least = shape.least_variance().unwrap().clone();
            assert!(shape.classes().iter().all(|class| class.variance >= least), "{sizes:?}");
            stated.push(least);
        }
        assert!(stated.windows(2).all(|pair| pair[0] == pair[1]), "{stated:?}");
        let even = SplitTree::even(7, &Rational::integer(3)).unwrap();
        assert_eq!(*even.least_variance().unwrap(), Rational::new(3, 2u8));
    }

    #[test]
    fn halves_are_balanced_and_few_classes_are_enough() {
        let shape = SplitTree::even(1000, &Rational::integer(3)).unwrap();
        assert_eq!(shape.splits().len(), 999);
        assert!(shape.classes().len() <= 20);
        assert_eq!(shape.splits()[0], Split { start: 0, middle: 500, end: 1000, class: shape.splits()[0].class });
        assert_eq!(*shape.variance(), Rational::integer(3000));
        let five = SplitTree::even(5, &Rational::integer(1)).unwrap();
        let cuts: Vec<(u32, u32, u32)> =
            five.splits().iter().map(|split| (split.start, split.middle, split.end)).collect();
        assert_eq!(cuts, [(0, 3, 5), (0, 2, 3), (0, 1, 2), (3, 4, 5)]);
        let class = &five.classes()[five.splits()[0].class as usize];
        assert_eq!((class.left, class.whole, class.variance.clone()), (3, 5, Rational::new(6, 5u8)));
    }

    #[test]
    fn noise_of_groups_lessens_their_weight_and_is_rounded_up() {
        let groups =
            [Group { start: 0, end: 2, noise: Some(Rational::integer(1)) }, Group { start: 2, end: 4, noise: None }];
        let shape = SplitTree::new(&[30; 4], &Rational::new(1, 30u8), &groups).unwrap();
        // 1/v = 1 + ½: 2/3 of one, 20 of 30 units.
        let first = &shape.classes()[shape.splits()[0].class as usize];
        assert_eq!((first.left, first.whole), (1, 4));
        assert_eq!(*shape.variance(), Rational::new(80, 30u8));
        let coarse = SplitTree::new(&[1; 4], &Rational::integer(1), &groups).unwrap();
        assert_eq!(*coarse.variance(), Rational::integer(3), "2/3 rounded up to one");
        assert!(
            SplitTree::new(
                &[1; 4],
                &Rational::integer(1),
                &[Group { start: 0, end: 3, noise: None }, Group { start: 2, end: 4, noise: None },]
            )
            .is_err()
        );
    }
}
