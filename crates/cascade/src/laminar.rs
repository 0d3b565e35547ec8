//! From groups that are disjoint or nested to blocks of leaves, or the answer that some cross.

use crate::forest::{Block, Forest, ReadyShape, Total};
use crate::shape::{Group, SplitTree};
use declare::{NO_GROUP, Problem};
use exact::Rational;
use std::collections::HashMap;

/// No node.
const NONE: u32 = u32::MAX;

/// Groups of leaves.
pub(crate) struct Family<'a> {
    /// The group of every leaf, or [`NO_GROUP`].
    pub(crate) labels: &'a [u32],
    /// What they are.
    pub(crate) kind: Kind<'a>,
}

#[derive(Clone, Copy)]
pub(crate) enum Kind<'a> {
    /// Their sums are exact.
    Exact,
    /// Their sums have noise of this variance.
    Noisy(&'a Rational),
    /// They only shape the tree; the sums are compared with those of the group of this number
    /// elsewhere.
    SplitTree,
}

/// A group, or several that hold the same leaves.
struct Node {
    parent: u32,
    size: u32,
    exact: bool,
    /// Which of [`Tree::noises`] its sum has, as a set of bits.
    noise: u64,
    /// The group of the shaping family that it stands for, or none.
    shape: u32,
}

/// Groups as a tree: the deepest node of every leaf.
pub(crate) struct Tree {
    nodes: Vec<Node>,
    deepest: Vec<u32>,
    /// The variances of the noisy families.
    noises: Vec<Rational>,
}

/// Puts the groups into a tree; `None` if two of them cross.
pub(crate) fn tree(leaves: usize, families: &[Family<'_>]) -> Option<Tree> {
    // Members of every group, by family.
    let mut groups: Vec<(u32, usize, u32)> = Vec::new();
    let mut members: Vec<(Vec<u32>, Vec<usize>)> = Vec::new();
    for (at, family) in families.iter().enumerate() {
        let count = family.labels.iter().filter(|label| **label != NO_GROUP).max().map_or(0, |most| *most as usize + 1);
        let mut starts = vec![0usize; count + 1];
        let inside = || family.labels.iter().enumerate().filter(|(_, label)| **label != NO_GROUP);
        inside().for_each(|(_, label)| starts[*label as usize + 1] += 1);
        for group in 0..count {
            if starts[group + 1] > 0 {
                groups.push((starts[group + 1] as u32, at, group as u32));
            }
            starts[group + 1] += starts[group];
        }
        let mut next = starts.clone();
        let mut list = vec![0u32; starts[count]];
        for (leaf, label) in inside() {
            list[next[*label as usize]] = leaf as u32;
            next[*label as usize] += 1;
        }
        members.push((list, starts));
    }
    groups.sort_by_key(|(size, at, group)| (std::cmp::Reverse(*size), *at, *group));
    // Outlines have at most sixty families of noise, so that sets of them fit a word.
    let mut noises: Vec<Rational> = Vec::new();
    let mut noise_number = vec![0; families.len()];
    for (at, family) in families.iter().enumerate() {
        if let Kind::Noisy(variance) = family.kind {
            noise_number[at] = noises.len();
            noises.push(variance.clone());
        }
    }
    let mut nodes: Vec<Node> = Vec::new();
    let mut deepest = vec![NONE; leaves];
    for (size, at, group) in groups {
        let (list, starts) = &members[at];
        let own = &list[starts[group as usize]..starts[group as usize + 1]];
        let parent = deepest[own[0] as usize];
        if own.iter().any(|leaf| deepest[*leaf as usize] != parent) {
            return None;
        }
        let node = (parent != NONE && nodes[parent as usize].size == size).then_some(parent);
        let node = node.unwrap_or_else(|| {
            nodes.push(Node { parent, size, exact: false, noise: 0, shape: NONE });
            let node = nodes.len() as u32 - 1;
            own.iter().for_each(|leaf| deepest[*leaf as usize] = node);
            node
        });
        let node = &mut nodes[node as usize];
        match families[at].kind {
            Kind::Exact => node.exact = true,
            Kind::Noisy(_) => node.noise |= 1 << noise_number[at],
            Kind::SplitTree => node.shape = group,
        }
    }
    Some(Tree { nodes, deepest, noises })
}

/// A child of a node inside its block.
enum Child {
    Leaf(u32),
    Node(u32),
}

/// What the blocks of a tree are made of.
pub(crate) struct Leafing<'a> {
    /// Their variances, in units.
    pub(crate) weights: &'a [u64],
    /// The unit.
    pub(crate) unit: &'a Rational,
    /// The leaves in the order in which they are paired; `None`: their own.
    pub(crate) order: Option<&'a [u32]>,
    /// Where the sums of exact nodes come from, by leaf: the number of an earlier stage, or
    /// nowhere.
    pub(crate) drawn: Option<&'a [u32]>,
    /// Whether leaves are split off one by one instead of in halves.
    pub(crate) one_by_one: bool,
}

impl Tree {
    /// The node whose sum is the total of a leaf's block; `NONE` for a leaf by itself.
    fn roots(&self) -> Vec<u32> {
        let mut roots: Vec<u32> = Vec::with_capacity(self.nodes.len());
        for (at, node) in self.nodes.iter().enumerate() {
            let root = if node.exact || node.parent == NONE { at as u32 } else { roots[node.parent as usize] };
            roots.push(root);
        }
        roots
    }

    /// The number of the block of every leaf, and whether its sum is exact.
    pub(crate) fn blocks_of(&self) -> (Vec<u32>, Vec<bool>) {
        let roots = self.roots();
        let mut numbers: HashMap<u32, u32> = HashMap::new();
        let mut exact = Vec::new();
        let labels = self.deepest.iter().map(|node| {
            if *node == NONE {
                exact.push(false);
                return exact.len() as u32 - 1;
            }
            let root = roots[*node as usize];
            *numbers.entry(root).or_insert_with(|| {
                exact.push(self.nodes[root as usize].exact);
                exact.len() as u32 - 1
            })
        });
        (labels.collect::<Vec<u32>>(), exact)
    }

    /// The blocks, in the order of their first leaves; with `later`, those whose leaves are marked
    /// come last. With every block the shaping groups inside it, and those of which it is only a
    /// part.
    pub(crate) fn forest(
        &self,
        leafing: &Leafing<'_>,
        later: &dyn Fn(usize) -> bool,
    ) -> Result<(Forest, Vec<Shaped>), Problem> {
        let roots = self.roots();
        let mut children: Vec<Vec<Child>> = (0..self.nodes.len()).map(|_| Vec::new()).collect();
        let mut linked = vec![false; self.nodes.len()];
        // The blocks, each by its first leaf and its node, if it has one.
        let mut first: Vec<(u32, Option<u32>)> = Vec::new();
        let natural: Vec<u32> = (0..self.deepest.len() as u32).collect();
        let order = leafing.order.unwrap_or(&natural);
        for leaf in order {
            let mut node = self.deepest[*leaf as usize];
            if node == NONE {
                first.push((*leaf, None));
                continue;
            }
            children[node as usize].push(Child::Leaf(*leaf));
            while !linked[node as usize] {
                linked[node as usize] = true;
                if roots[node as usize] == node {
                    first.push((*leaf, Some(node)));
                    break;
                }
                let parent = self.nodes[node as usize].parent;
                children[parent as usize].push(Child::Node(node));
                node = parent;
            }
        }
        let mut maker = Maker {
            tree: self,
            children: &children,
            leafing,
            known: HashMap::new(),
            noises: Vec::new(),
            shapes: Vec::new(),
            leaves: Vec::with_capacity(order.len()),
            blocks: Vec::new(),
            shaped: Vec::new(),
        };
        let (last, begin): (Vec<_>, Vec<_>) = first.into_iter().partition(|(leaf, _)| later(*leaf as usize));
        let second = begin.len();
        for (leaf, node) in begin.into_iter().chain(last) {
            maker.block(leaf, node)?;
        }
        let natural = maker.leaves.iter().enumerate().all(|(place, leaf)| place == *leaf as usize);
        let forest = Forest {
            leaves: (!natural).then_some(maker.leaves),
            blocks: maker.blocks,
            shapes: maker.shapes,
            second,
            greater: Vec::new(),
        };
        Ok((forest, maker.shaped))
    }
}

/// A shaping group and where its leaves lie: leaves of one block, and how many they are.
pub(crate) struct Shaped {
    pub(crate) group: u32,
    pub(crate) block: usize,
    pub(crate) leaves: std::ops::Range<usize>,
    /// How many leaves the group has in all.
    pub(crate) size: u32,
}

struct Maker<'a, 'b> {
    tree: &'a Tree,
    children: &'a [Vec<Child>],
    leafing: &'a Leafing<'b>,
    known: HashMap<Vec<u64>, u32>,
    noises: Vec<Rational>,
    shapes: Vec<ReadyShape>,
    leaves: Vec<u32>,
    blocks: Vec<Block>,
    shaped: Vec<Shaped>,
}

impl Maker<'_, '_> {
    /// The block of a node, or of one leaf.
    fn block(&mut self, leaf: u32, node: Option<u32>) -> Result<(), Problem> {
        let start = self.leaves.len();
        let mut groups = Vec::new();
        let exact = node.is_some_and(|node| self.tree.nodes[node as usize].exact);
        match node {
            None => self.leaves.push(leaf),
            Some(node) => self.walk(node, start, !exact, &mut groups),
        }
        let places = start..self.leaves.len();
        if self.leafing.one_by_one {
            groups = (1..places.len()).map(|start| Group { start, end: places.len(), noise: None }).collect();
        }
        let weights: Vec<u64> =
            self.leaves[places.clone()].iter().map(|leaf| self.leafing.weights[*leaf as usize]).collect();
        let shape = self.shape(&weights, &groups)?;
        let total = match (exact, self.leafing.drawn) {
            (false, _) => Total::Free,
            (true, None) => Total::Exact,
            (true, Some(drawn)) => Total::Drawn(drawn[self.leaves[start] as usize]),
        };
        self.blocks.push(Block { places, shape, total, floors: Vec::new() });
        Ok(())
    }

    /// Lays out the leaves of a node.
    fn walk(&mut self, node: u32, start: usize, with_noise: bool, groups: &mut Vec<Group>) {
        let from = self.leaves.len() - start;
        for child in &self.children[node as usize] {
            match child {
                Child::Leaf(leaf) => self.leaves.push(*leaf),
                Child::Node(node) => self.walk(*node, start, true, groups),
            }
        }
        let own = &self.tree.nodes[node as usize];
        let end = self.leaves.len() - start;
        if with_noise {
            let noises = self.tree.noises.iter().enumerate().filter(|(at, _)| own.noise & (1 << at) != 0);
            groups.extend(noises.map(|(_, noise)| Group { start: from, end, noise: Some(noise.clone()) }));
            if own.noise == 0 {
                groups.push(Group { start: from, end, noise: None });
            }
        }
        if own.shape != NONE {
            let block = self.blocks.len();
            self.shaped.push(Shaped { group: own.shape, block, leaves: from..end, size: own.size });
        }
    }

    /// The shape of these weights and groups: equal ones are kept once.
    fn shape(&mut self, weights: &[u64], groups: &[Group]) -> Result<u32, Problem> {
        let even = weights.iter().all(|weight| *weight == weights[0]);
        let mut key = vec![weights.len() as u64, weights[0]];
        if !even || !groups.is_empty() {
            key.extend(&weights[1..]);
        }
        for group in groups {
            let noise = group.noise.as_ref().map_or(0, |noise| {
                let place = self.noises.iter().position(|known| known == noise);
                place.unwrap_or_else(|| {
                    self.noises.push(noise.clone());
                    self.noises.len() - 1
                }) + 1
            });
            key.extend([group.start as u64, group.end as u64, noise as u64]);
        }
        if let Some(shape) = self.known.get(&key) {
            return Ok(*shape);
        }
        let shape = SplitTree::new(weights, self.leafing.unit, groups)?;
        self.shapes.push(ReadyShape::new(shape));
        let number = self.shapes.len() as u32 - 1;
        self.known.insert(key, number);
        Ok(number)
    }
}
