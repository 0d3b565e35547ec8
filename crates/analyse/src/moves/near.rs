//! How many steps of each length there are in a small part: R5 of `G3.md`.
//!
//! The release is the table itself with a probability that is at least one over the weight of all
//! steps, and on the line through the table the normaliser moves least. In a part of few directions
//! with strong noise that weight is small.

use super::kernel;
use crate::number::Number;
use crate::system::System;
use std::cell::RefCell;
use std::collections::HashMap;

/// The most directions of a part whose steps are counted.
const MOST_DIRECTIONS: usize = 4;
/// The longest steps that are counted.
const LONGEST: u64 = 24;

/// The number of steps by length.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Near {
    /// The number of directions: so many cells determine a step.
    pub directions: u32,
    /// How many steps have ℓ₁ length 0, 1, 2 and so on, the step that moves nothing included.
    pub steps: Vec<u64>,
}

/// Parts with the same basis of steps have the same numbers of them: they are counted once.
pub(super) type Counted = RefCell<HashMap<Vec<Vec<i64>>, Near>>;

impl Near {
    /// The steps of a part of single cells, if it is small enough.
    pub(super) fn new(system: &System, classes: &[u32], rank: usize, counted: &Counted) -> Option<Near> {
        let directions = classes.len() - rank;
        let single = classes.iter().all(|class| system.classes.size[*class as usize] == 1);
        if !single || !(2..=MOST_DIRECTIONS).contains(&directions) || classes.len() > 64 {
            return None;
        }
        let basis = kernel::basis(system, classes);
        let whole = |vector: &Vec<Number>| vector.iter().map(Number::integer).collect::<Option<Vec<i64>>>();
        let basis: Vec<Vec<i64>> = basis.iter().map(whole).collect::<Option<_>>()?;
        if let Some(known) = counted.borrow().get(&basis) {
            return Some(known.clone());
        }
        let mut near = Near { directions: directions as u32, steps: vec![0; LONGEST as usize + 1] };
        near.count(&basis, vec![0; classes.len()], LONGEST as i64);
        counted.borrow_mut().insert(basis, near.clone());
        Some(near)
    }

    /// Counts the sums of basis vectors: each has a cell of its own where it is 1 and the others 0,
    /// so the coefficients are entries of the step, and no more than `left` in all.
    fn count(&mut self, basis: &[Vec<i64>], step: Vec<i64>, left: i64) {
        let Some((vector, others)) = basis.split_first() else {
            let length: u64 = step.iter().map(|entry| entry.unsigned_abs()).sum();
            if let Some(known) = self.steps.get_mut(length as usize) {
                *known += 1;
            }
            return;
        };
        for times in -left..=left {
            let moved = step.iter().zip(vector).map(|(entry, along)| entry + times * along).collect();
            self.count(others, moved, left - times.abs());
        }
    }
}
