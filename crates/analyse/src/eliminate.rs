//! Elimination over the rationals for totals that cross: rank, circuits and what they determine,
//! exactly.
//!
//! Columns (classes) are reduced one after another against an echelon basis, so the work depends on
//! how the totals cross and not on rows × columns. A column that reduces to nothing closes a
//! circuit with basis columns; the unions of circuits are the finest independent parts, and a class
//! in no circuit is determined.

use crate::number::{Number, ONE, ZERO};
use crate::peel::{NOT_PEELED, Peeled};
use crate::system::System;
use crate::union::Union;
use declare::Problem;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The most elementary steps (one number multiplied and added) spent before the analysis gives up.
pub(crate) const MOST_STEPS: u64 = 200_000_000;

const NONE: u32 = u32::MAX;

/// A sparse vector: indices with their non-zero values.
type Entries = Vec<(u32, Number)>;

/// A basis column: `entries = column(class) − Σ multiplier · entries of an earlier basis column`.
struct Reduced {
    class: u32,
    pivot_row: u32,
    pivot: Number,
    /// The entries outside the pivot row: rows without pivot, or pivot rows of later basis columns.
    entries: Entries,
    multipliers: Entries,
}

/// The echelon form of the columns that peeling left over.
pub(crate) struct Eliminated {
    basis: Vec<Reduced>,
    /// For every row the basis column that has its pivot there, or [`NONE`].
    basis_at: Vec<u32>,
    /// For every class the class that names its part; a class alone in its part is determined.
    part: Vec<u32>,
    /// For every row without pivot what its total is above the value that the pivot rows imply.
    pub defect: Vec<(usize, Number)>,
    /// For every basis column the sum of its class in the solution with all other classes zero.
    solution: Vec<Number>,
}

/// Scratch space for one sparse vector, cleared by walking what was touched.
struct Sparse {
    value: Vec<Number>,
    touched: Vec<u32>,
}

impl Sparse {
    fn new(length: usize) -> Sparse {
        Sparse { value: vec![ZERO; length], touched: Vec::new() }
    }

    /// Adds to a coordinate; says whether it was zero before, so that it may be queued.
    fn add(&mut self, index: u32, amount: &Number) -> bool {
        let value = &mut self.value[index as usize];
        let fresh = value.is_zero();
        *value = value.plus(amount);
        if fresh {
            self.touched.push(index);
        }
        fresh
    }

    /// The non-zero coordinates in increasing order; leaves the space empty.
    fn drain(&mut self) -> Entries {
        let mut touched = std::mem::take(&mut self.touched);
        touched.sort_unstable();
        let mut entries = Vec::with_capacity(touched.len());
        for index in touched {
            let value = std::mem::replace(&mut self.value[index as usize], ZERO);
            if !value.is_zero() {
                entries.push((index, value));
            }
        }
        entries
    }
}

/// Which classes belong together, and how many parts contain a basis column.
struct Parts {
    tied: Union,
    has_basis: Vec<bool>,
    /// The number of parts that contain a basis column.
    basis_parts: usize,
}

impl Parts {
    fn join(&mut self, one: u32, other: u32) {
        let (one, other) = (self.tied.top(one), self.tied.top(other));
        if one == other {
            return;
        }
        let (low, high) = (one.min(other), one.max(other));
        self.tied.join(low, high);
        if self.has_basis[low as usize] && self.has_basis[high as usize] {
            self.basis_parts -= 1;
        }
        self.has_basis[low as usize] |= self.has_basis[high as usize];
    }

    fn new_basis(&mut self, class: u32) {
        self.has_basis[class as usize] = true;
        self.basis_parts += 1;
    }
}

struct Elimination<'a> {
    system: &'a System<'a>,
    peeled: &'a Peeled,
    basis: Vec<Reduced>,
    basis_at: Vec<u32>,
    rows: Sparse,
    steps: u64,
    most_steps: u64,
}

/// Eliminates what peeling left over, within `most_steps` elementary steps.
pub(crate) fn eliminate(system: &System, peeled: &Peeled, most_steps: u64) -> Result<Eliminated, Problem> {
    let classes = system.classes.len();
    let mut work = Elimination {
        system,
        peeled,
        basis: Vec::new(),
        basis_at: vec![NONE; system.rows()],
        rows: Sparse::new(system.rows()),
        steps: 0,
        most_steps,
    };
    let mut parts = Parts { tied: Union::new(classes), has_basis: vec![false; classes], basis_parts: 0 };
    for class in 0..classes as u32 {
        let mut column = system.column(class).map(|(row, times)| (row as u32, Number::Small(times))).peekable();
        if peeled.by[class as usize] != NOT_PEELED || column.peek().is_none() {
            continue;
        }
        let (rest, multipliers) = work.reduce(column)?;
        if rest.is_empty() {
            if parts.basis_parts == 1 {
                parts.join(class, work.basis[0].class);
            } else {
                for (basis, _) in work.combine(multipliers)? {
                    parts.join(class, work.basis[basis as usize].class);
                }
            }
        } else {
            work.insert(class, rest, multipliers);
            parts.new_basis(class);
        }
    }
    let residuals = (0..system.rows()).filter(|row| peeled.left[*row] > 0);
    let (rest, multipliers) = work.reduce(residuals.map(|row| (row as u32, Number::from(peeled.residual[row]))))?;
    let mut solution = vec![ZERO; work.basis.len()];
    for (basis, value) in work.combine(multipliers)? {
        solution[basis as usize] = value;
    }
    let mut defects = rest.into_iter().peekable();
    let mut defect = Vec::new();
    for row in 0..system.rows() {
        let amount = match defects.next_if(|(other, _)| *other as usize == row) {
            Some((_, amount)) => amount,
            None => ZERO,
        };
        if peeled.left[row] > 0 && work.basis_at[row] == NONE {
            defect.push((row, amount));
        }
    }
    let part = (0..classes as u32).map(|class| parts.tied.top(class)).collect();
    let Elimination { basis, basis_at, .. } = work;
    Ok(Eliminated { basis, basis_at, part, defect, solution })
}

impl Elimination<'_> {
    fn spend(&mut self, steps: usize) -> Result<(), Problem> {
        self.steps += steps as u64;
        if self.steps <= self.most_steps {
            return Ok(());
        }
        Err(Problem::refused(format!(
            "the totals cross in {} classes of cells, and their rank could not be found in {} million steps",
            self.peeled.by.iter().filter(|row| **row == NOT_PEELED).count(),
            self.most_steps / 1_000_000
        ))
        .hint("declare fewer invariants that cross, or coarser ones"))
    }

    /// A column minus the combination of basis columns that clears every pivot row, and that
    /// combination.
    fn reduce(&mut self, column: impl Iterator<Item = (u32, Number)>) -> Result<(Entries, Entries), Problem> {
        let mut queue = BinaryHeap::new();
        for (row, value) in column {
            let basis = self.basis_at[row as usize];
            if self.rows.add(row, &value) && basis != NONE {
                queue.push(Reverse(basis));
            }
        }
        let mut multipliers = Vec::new();
        while let Some(Reverse(index)) = queue.pop() {
            let basis = &self.basis[index as usize];
            let value = &mut self.rows.value[basis.pivot_row as usize];
            if value.is_zero() {
                continue;
            }
            let multiplier = std::mem::replace(value, ZERO).over(&basis.pivot);
            let negated = multiplier.negated();
            for (row, entry) in &basis.entries {
                let later = self.basis_at[*row as usize];
                if self.rows.add(*row, &entry.times(&negated)) && later != NONE {
                    queue.push(Reverse(later));
                }
            }
            let steps = basis.entries.len() + 1;
            multipliers.push((index, multiplier));
            self.spend(steps)?;
        }
        Ok((self.rows.drain(), multipliers))
    }

    /// Turns a combination of reduced basis columns into the same combination of the original
    /// columns.
    fn combine(&mut self, reduced: Entries) -> Result<Entries, Problem> {
        let mut weight: std::collections::BTreeMap<u32, Number> = reduced.into_iter().collect();
        let mut original = Vec::new();
        while let Some((basis, coefficient)) = weight.pop_last() {
            if coefficient.is_zero() {
                continue;
            }
            for (earlier, multiplier) in &self.basis[basis as usize].multipliers {
                let entry = weight.entry(*earlier).or_insert(ZERO);
                *entry = entry.minus(&multiplier.times(&coefficient));
            }
            let steps = self.basis[basis as usize].multipliers.len() + 1;
            original.push((basis, coefficient));
            self.spend(steps)?;
        }
        Ok(original)
    }

    /// Adds a reduced column to the basis. A pivot of ±1 keeps the numbers whole; a short row keeps
    /// the basis sparse.
    fn insert(&mut self, class: u32, mut rest: Entries, multipliers: Entries) {
        let choice = |(_, (row, value)): &(usize, &(u32, Number))| {
            (!value.is_unit(), self.system.class_count[*row as usize], Reverse(*row))
        };
        let Some((position, _)) = rest.iter().enumerate().min_by_key(choice) else {
            return;
        };
        let (pivot_row, pivot) = rest.swap_remove(position);
        self.basis_at[pivot_row as usize] = self.basis.len() as u32;
        self.basis.push(Reduced { class, pivot_row, pivot, entries: rest, multipliers });
    }
}

impl Eliminated {
    /// The rank of what peeling left over.
    pub(crate) fn rank(&self) -> usize {
        self.basis.len()
    }

    /// The class that names the part of a class: its smallest member.
    pub(crate) fn part(&self, class: u32) -> u32 {
        self.part[class as usize]
    }

    /// The basis columns: their classes, and the sum of each in a solution of the totals.
    pub(crate) fn basis(&self) -> impl Iterator<Item = (u32, &Number)> {
        self.basis.iter().map(|basis| basis.class).zip(&self.solution)
    }

    /// The combination of rows that vanishes on every column, with 1 at `row` and pivot rows
    /// otherwise.
    pub(crate) fn dependency(&self, row: usize) -> Vec<(usize, Number)> {
        let mut weight = std::collections::HashMap::from([(row as u32, ONE)]);
        // An entry lies in a row without pivot or in the pivot row of a later column, so one pass
        // from the last column to the first sees every weight before it is needed.
        for basis in self.basis.iter().rev() {
            let sum = basis.entries.iter().fold(ZERO, |sum, (row, entry)| match weight.get(row) {
                Some(weight) => sum.plus(&weight.times(entry)),
                None => sum,
            });
            if !sum.is_zero() {
                weight.insert(basis.pivot_row, sum.negated().over(&basis.pivot));
            }
        }
        let mut rows: Vec<_> = weight.into_iter().map(|(row, weight)| (row as usize, weight)).collect();
        rows.sort_unstable_by_key(|(row, _)| *row);
        rows
    }

    /// Whether a row holds a pivot.
    pub(crate) fn is_pivot(&self, row: usize) -> bool {
        self.basis_at[row] != NONE
    }
}
