//! `Errors`: how repeated releases of one table differ from it, by cell, as a whole and by parts.

use super::partition::{PartErrors, Partition};
use super::summary::Summary;

/// What is known after some releases of one table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Errors {
    truth: Vec<f64>,
    cells: Vec<Summary>,
    l1: Summary,
    l2: Summary,
    l2_squared: Summary,
    forced_to_zero: Summary,
    zeros: Summary,
    negatives: Summary,
    broken: Summary,
    parts: Vec<PartErrors>,
}

impl Errors {
    /// Nothing yet about this table, whose cells will also be summarised by these partitions.
    pub fn new(truth: &[i64], partitions: &[Partition]) -> Self {
        let truth: Vec<f64> = truth.iter().map(|count| *count as f64).collect();
        let parts = partitions.iter().map(|partition| PartErrors::new(partition.clone())).collect();
        Errors { cells: vec![Summary::default(); truth.len()], parts, truth, ..Errors::default() }
    }

    /// One more release, and how many of its invariants are broken ([`broken`]).
    ///
    /// Contract: a value for every cell, finite.
    pub fn add(&mut self, released: &[f64], broken: u64) {
        let (mut l1, mut l2) = (0.0, 0.0);
        let (mut forced, mut zeros, mut negatives) = (0u64, 0u64, 0u64);
        self.parts.iter_mut().for_each(PartErrors::begin);
        for (cell, ((truth, released), known)) in self.truth.iter().zip(released).zip(&mut self.cells).enumerate() {
            let error = released - truth;
            l1 += error.abs();
            l2 += error * error;
            if *released == 0.0 {
                zeros += 1;
                forced += u64::from(*truth > 0.0);
            }
            negatives += u64::from(*released < 0.0);
            for part in &mut self.parts {
                part.add(cell, error, known);
            }
            known.push(error);
        }
        self.parts.iter_mut().for_each(PartErrors::end);
        self.l1.push(l1);
        self.l2.push(l2.sqrt());
        self.l2_squared.push(l2);
        self.forced_to_zero.push(forced as f64);
        self.zeros.push(zeros as f64);
        self.negatives.push(negatives as f64);
        self.broken.push(broken as f64);
    }

    /// What was learnt elsewhere from other releases of the same table, with the same partitions.
    pub fn merge(&mut self, other: &Errors) {
        self.cells.iter_mut().zip(&other.cells).for_each(|(one, more)| one.merge(more));
        self.parts.iter_mut().zip(&other.parts).for_each(|(one, more)| one.merge(more));
        let pairs = [
            (&mut self.l1, &other.l1),
            (&mut self.l2, &other.l2),
            (&mut self.l2_squared, &other.l2_squared),
            (&mut self.forced_to_zero, &other.forced_to_zero),
            (&mut self.zeros, &other.zeros),
            (&mut self.negatives, &other.negatives),
            (&mut self.broken, &other.broken),
        ];
        pairs.into_iter().for_each(|(one, more)| one.merge(more));
    }

    /// The number of releases.
    pub fn draws(&self) -> u64 {
        self.l1.count()
    }

    /// The error of every cell: its mean is the bias.
    pub fn cells(&self) -> &[Summary] {
        &self.cells
    }

    /// The ℓ₁ distance of a release from the table.
    pub fn l1(&self) -> &Summary {
        &self.l1
    }

    /// The ℓ₂ distance of a release from the table.
    pub fn l2(&self) -> &Summary {
        &self.l2
    }

    /// The square of the ℓ₂ distance.
    pub fn l2_squared(&self) -> &Summary {
        &self.l2_squared
    }

    /// How many cells of a release are zero though their count is not.
    pub fn forced_to_zero(&self) -> &Summary {
        &self.forced_to_zero
    }

    /// How many cells of a release are zero.
    pub fn zeros(&self) -> &Summary {
        &self.zeros
    }

    /// How many cells of a release are negative.
    pub fn negatives(&self) -> &Summary {
        &self.negatives
    }

    /// How many invariants a release breaks.
    pub fn broken(&self) -> &Summary {
        &self.broken
    }

    /// Bias and variance by part, for every partition.
    pub fn parts(&self) -> &[PartErrors] {
        &self.parts
    }

    /// The cell with the largest bias compared with its standard error, and that quotient: with
    /// many cells it is a few even when no cell has a bias. `None` for fewer than two releases, or
    /// when no error varies.
    pub fn most_biased(&self) -> Option<(usize, f64)> {
        let quotient = |known: &Summary| (known.mean() / known.mean_error()).abs();
        let finite = self.cells.iter().map(quotient).enumerate().filter(|(_, quotient)| quotient.is_finite());
        finite.filter(|_| self.draws() > 1).max_by(|one, other| one.1.total_cmp(&other.1))
    }
}

/// How many totals differ by more than the tolerance, which is zero for integers.
pub fn broken(kept: &[f64], found: &[f64], tolerance: f64) -> u64 {
    kept.iter().zip(found).filter(|(kept, found)| (*kept - *found).abs() > tolerance).count() as u64
}
