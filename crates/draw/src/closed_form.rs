//! `closed-form`: double-geometric noise over cells with one prescribed total, in time proportional
//! to the cells.
//!
//! A double geometric is G − H with G, H independent geometric. Given that the differences add up
//! to t, the pair (ΣG, ΣH) = (k + t, k) has the law of [`exact::Shares`], and given the pair the
//! vectors G and H are independent uniform weak compositions. So: draw k, draw two compositions,
//! subtract. A slice's share is its part of (ΣG, ΣH). Proof: `proofs/closed-form.md`.

use crate::exactness::Exactness;
use crate::remembered::Remembered;
use crate::sampler::{Sampler, Summary};
use exact::composition::{Scratch, add_composition, split_composition};
use exact::{Entropy, Rational, Shares};
use std::sync::Arc;

/// Double-geometric noise with parameter e^{−ε'} and a prescribed total.
#[derive(Debug)]
pub struct ClosedForm {
    epsilon: Rational,
    /// The laws of k met so far, by number of cells and total: blocks of equal size share one.
    laws: Remembered<(u64, i64), Arc<Shares>>,
}

impl ClosedForm {
    /// Noise with parameter e^{−ε'}.
    pub fn new(epsilon: &Rational) -> Self {
        ClosedForm { epsilon: epsilon.clone(), laws: Remembered::up_to(usize::MAX) }
    }

    fn law(&self, cells: u64, total: i64) -> Arc<Shares> {
        self.laws.get((cells, total), || Arc::new(Shares::new(cells, &self.epsilon, total)))
    }
}

impl Sampler for ClosedForm {
    /// (ΣG, ΣH) over the slice.
    type Share = (u64, u64);

    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }

    fn head<E: Entropy>(&self, entropy: &mut E, cells: u64, total: i64) -> (u64, u64) {
        self.law(cells, total).draw(entropy)
    }

    fn split<E: Entropy>(
        &self,
        entropy: &mut E,
        share: &(u64, u64),
        first: Summary,
        second: Summary,
    ) -> ((u64, u64), (u64, u64)) {
        let up = split_composition(entropy, first.cells, second.cells, share.0);
        let down = split_composition(entropy, first.cells, second.cells, share.1);
        ((up, down), (share.0 - up, share.1 - down))
    }

    fn fill<E: Entropy>(&self, entropy: &mut E, share: &(u64, u64), cells: &mut [i64]) {
        let mut scratch = Scratch::default();
        add_composition(entropy, share.0, 1, cells, &mut scratch);
        add_composition(entropy, share.1, -1, cells, &mut scratch);
    }
}
