//! `Grouping`: linear forms over the cells, as a function from cells to groups with one sum per
//! group.
//!
//! A grouping puts a cell in at most one of its groups, so a whole margin is one number per cell
//! instead of a matrix: nothing here is dense or quadratic in the cells.

use crate::columns::{describe_leaf, describe_node};
use crate::domain::Domain;
use crate::predicate::Expression;
use crate::schema::{Schema, Values};

/// The most numbers that the sums of a declaration may need: one of four bytes for every cell and
/// sum.
pub(crate) const MOST_NUMBERS: usize = 1 << 31;

/// The group of a cell that an invariant does not sum.
pub const NO_GROUP: u32 = u32::MAX;

/// Disjoint sums over the live cells of a domain: the totals of an invariant, the sides of a rule,
/// a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grouping {
    /// How messages call it, for example `by county` or `total where age >= 18`.
    pub label: String,
    /// The names of the groups, for example `county = Alpha`; of a grand total: `total`.
    pub names: Vec<String>,
    /// The group of every live cell, or [`NO_GROUP`].
    pub group_of: Vec<u32>,
    /// How many times every live cell is taken; `None`: once. Never zero where the cell is in a
    /// group.
    pub times: Option<Vec<i64>>,
}

impl Grouping {
    /// The number of groups.
    pub fn groups(&self) -> usize {
        self.names.len()
    }

    /// The total of every group, for counts in cell order.
    pub fn totals(&self, counts: &[i64]) -> Vec<i128> {
        let mut totals = vec![0i128; self.names.len()];
        for (cell, (group, count)) in self.group_of.iter().zip(counts).enumerate() {
            if *group != NO_GROUP {
                totals[*group as usize] += i128::from(self.taken(cell)) * i128::from(*count);
            }
        }
        totals
    }

    /// How many times a cell is taken in its group.
    #[inline]
    pub fn taken(&self, cell: usize) -> i64 {
        self.times.as_ref().map_or(1, |times| times[cell])
    }
}

/// One name of `by`, resolved: the code of every value of its dimension.
pub(crate) struct Axis {
    dimension: usize,
    /// The level of a hierarchy; `None`: the values of the dimension itself.
    level: Option<usize>,
    size: usize,
}

impl Axis {
    pub(crate) fn new(schema: &Schema, dimension: usize, level: Option<usize>) -> Axis {
        let size = match (&schema.dimensions[dimension].values, level) {
            (Values::Hierarchy(levels), Some(level)) => levels.labels[level].len(),
            (values, _) => values.len(),
        };
        Axis { dimension, level, size }
    }

    fn code(&self, schema: &Schema, value: usize) -> usize {
        match (&schema.dimensions[self.dimension].values, self.level) {
            (Values::Hierarchy(levels), Some(level)) => levels.codes[level][value] as usize,
            _ => value,
        }
    }

    /// How every one of its codes is called, for example `county = Alpha`.
    fn names(&self, schema: &Schema) -> Vec<String> {
        let dimension = &schema.dimensions[self.dimension];
        let mut names = vec![String::new(); self.size];
        for value in 0..dimension.values.len() {
            let name = &mut names[self.code(schema, value)];
            match self.level {
                _ if !name.is_empty() => {}
                Some(level) => describe_node(dimension, level, value, name),
                None => describe_leaf(dimension, value, name),
            }
        }
        names
    }
}

/// The axes of `by`, in its order. Of several levels of one dimension only the finest is kept: it
/// decides the others.
fn axes(schema: &Schema, by: &[String]) -> Vec<Axis> {
    let mut axes: Vec<Axis> = Vec::new();
    for name in by {
        let Some((dimension, level)) = schema.resolve(name) else { continue };
        let axis = Axis::new(schema, dimension, level);
        match axes.iter_mut().find(|other| other.dimension == dimension) {
            Some(other) if finer(axis.level, other.level) => *other = axis,
            Some(_) => {}
            None => axes.push(axis),
        }
    }
    axes
}

fn finer(level: Option<usize>, other: Option<usize>) -> bool {
    match (level, other) {
        (None, Some(_)) => true,
        (Some(level), Some(other)) => level > other,
        (_, None) => false,
    }
}

/// How messages call the sums by these names over the cells that satisfy a predicate.
pub(crate) fn label(by: &[String], filter: Option<&Expression>) -> String {
    let label = match by {
        [] => "total".to_string(),
        by => format!("by {}", by.join(", ")),
    };
    label + &suffix(filter)
}

/// What the names of groups end in when only some cells are summed.
pub(crate) fn suffix(filter: Option<&Expression>) -> String {
    filter.map_or(String::new(), |filter| format!(" where {filter}"))
}

/// For each axis its dimension and, for every value of it, what that adds to the number of a group;
/// and how many numbers there are.
fn parts(schema: &Schema, axes: &[Axis]) -> (Vec<(usize, Vec<u32>)>, usize) {
    let mut weight = 1usize;
    let mut parts = Vec::with_capacity(axes.len());
    for axis in axes.iter().rev() {
        let values = schema.dimensions[axis.dimension].values.len();
        // Axes lie on different dimensions, so a sum of parts stays below the number of
        // combinations and fits.
        let part = (0..values).map(|value| (axis.code(schema, value) * weight) as u32).collect();
        parts.push((axis.dimension, part));
        weight *= axis.size;
    }
    (parts, weight)
}

/// The group of every live cell by these axes, and how many groups have cells.
pub(crate) fn groups(domain: &Domain, axes: &[Axis]) -> (usize, Vec<u32>) {
    let (parts, weight) = parts(&domain.schema, axes);
    let mut group_of = Vec::with_capacity(domain.len());
    let mut walk = domain.walk();
    while let Some((_, codes)) = walk.advance() {
        group_of.push(parts.iter().map(|(dimension, part)| part[codes[*dimension]]).sum());
    }
    (renumber(&mut group_of, weight).len(), group_of)
}

/// The sums by these names, in which every live cell is taken as many times as `times` says for its
/// codes. Groups are numbered in the order of `by`, the last name running fastest; those without a
/// cell are left out.
pub(crate) fn grouping(domain: &Domain, by: &[String], label: String, times: &dyn Fn(&[usize]) -> i64) -> Grouping {
    let schema = &domain.schema;
    let axes = axes(schema, by);
    let (parts, weight) = parts(schema, &axes);
    let mut group_of = Vec::with_capacity(domain.len());
    // Nearly all sums take their cells once: then nothing is stored.
    let mut taken: Option<Vec<i64>> = None;
    let mut walk = domain.walk();
    while let Some((_, codes)) = walk.advance() {
        let times = times(codes);
        if !matches!(times, 0 | 1) && taken.is_none() {
            taken = Some(group_of.iter().map(|group| i64::from(*group != NO_GROUP)).collect());
        }
        if let Some(taken) = &mut taken {
            taken.push(times);
        }
        group_of.push(match times {
            0 => NO_GROUP,
            _ => parts.iter().map(|(dimension, part)| part[codes[*dimension]]).sum(),
        });
    }
    let present = renumber(&mut group_of, weight);
    let names = names(schema, &axes, &present);
    Grouping { times: taken, label, names, group_of }
}

/// The labels of every group, one for every name of `by`.
pub(crate) fn labels(domain: &Domain, by: &[String], grouping: &Grouping) -> Vec<Vec<String>> {
    let axes: Vec<(usize, Option<usize>)> = by.iter().filter_map(|name| domain.schema.resolve(name)).collect();
    let mut labels: Vec<Option<Vec<String>>> = vec![None; grouping.groups()];
    let mut walk = domain.walk();
    while let Some((cell, codes)) = walk.advance() {
        let group = grouping.group_of[cell];
        if group != NO_GROUP && labels[group as usize].is_none() {
            labels[group as usize] = Some(axes.iter().map(|axis| domain.schema.label(*axis, codes[axis.0])).collect());
        }
    }
    labels.into_iter().map(Option::unwrap_or_default).collect()
}

/// Closes the gaps that groups without a live cell leave; returns the former number of every group.
pub(crate) fn renumber(group_of: &mut [u32], groups: usize) -> Vec<u32> {
    // Beyond that a table of all groups would be larger than the cells by far.
    if groups > 8 * group_of.len() + 1024 {
        let mut present: Vec<u32> = group_of.iter().copied().filter(|g| *g != NO_GROUP).collect();
        present.sort_unstable();
        present.dedup();
        for group in group_of.iter_mut().filter(|group| **group != NO_GROUP) {
            *group = present.partition_point(|other| *other < *group) as u32;
        }
        return present;
    }
    let mut number = vec![NO_GROUP; groups];
    for group in group_of.iter().filter(|group| **group != NO_GROUP) {
        number[*group as usize] = 0;
    }
    let mut present = Vec::new();
    for (group, number) in number.iter_mut().enumerate().filter(|(_, n)| **n != NO_GROUP) {
        *number = present.len() as u32;
        present.push(group as u32);
    }
    for group in group_of.iter_mut().filter(|group| **group != NO_GROUP) {
        *group = number[*group as usize];
    }
    present
}

/// The names of groups, from their numbers before gaps were closed.
fn names(schema: &Schema, axes: &[Axis], groups: &[u32]) -> Vec<String> {
    if axes.is_empty() {
        return groups.iter().map(|_| "total".to_string()).collect();
    }
    // Every part of a name is written once; there may be millions of names.
    let parts: Vec<Vec<String>> = axes.iter().map(|axis| axis.names(schema)).collect();
    let mut chosen = vec![0; axes.len()];
    let name = |group: &u32| {
        let mut rest = *group as usize;
        for (chosen, axis) in chosen.iter_mut().zip(axes).rev() {
            *chosen = rest % axis.size;
            rest /= axis.size;
        }
        let mut name = String::with_capacity(16 * axes.len());
        for (part, chosen) in parts.iter().zip(&chosen) {
            if !name.is_empty() {
                name.push_str(", ");
            }
            name.push_str(&part[*chosen]);
        }
        name
    };
    groups.iter().map(name).collect()
}
