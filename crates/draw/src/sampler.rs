//! `Sampler`: draws the noise of one block, whole or slice by slice, and says how exactly.
//!
//! A block may be too large for one thread or one machine, so the draw has two passes. Up: every
//! slice reports a [`Summary`]. Down: [`Sampler::divide`] draws what the block's noise is on every
//! slice as far as slices depend on each other (a *share*), then [`Sampler::fill`] draws the cells
//! of a slice from its share alone. Given the shares the slices are independent, and the law of the
//! whole does not depend on how the block was cut.

use crate::exactness::Exactness;
use exact::Entropy;

/// What a slice reports up. Cells of a block are interchangeable here, so their number says it all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Summary {
    /// The number of cells of the slice.
    pub cells: u64,
}

/// Draws integer noise on the cells of one block.
pub trait Sampler: Sync {
    /// What a slice must know to draw its cells.
    type Share: Clone + Send + Sync;

    /// How exactly it draws.
    fn exactness(&self) -> Exactness;

    /// Draws the share of the whole block, of `cells` cells whose noise must add up to `total`
    /// (ignored by operators without a total).
    fn head<E: Entropy>(&self, entropy: &mut E, cells: u64, total: i64) -> Self::Share;

    /// Divides a share between the first and the second part of a block.
    fn split<E: Entropy>(
        &self,
        entropy: &mut E,
        share: &Self::Share,
        first: Summary,
        second: Summary,
    ) -> (Self::Share, Self::Share);

    /// Adds the noise of a slice to its cells.
    fn fill<E: Entropy>(&self, entropy: &mut E, share: &Self::Share, cells: &mut [i64]);

    /// Draws the shares of all slices of a block: the pass down.
    fn divide<E: Entropy>(&self, entropy: &mut E, slices: &[Summary], total: i64) -> Vec<Self::Share> {
        let cells = slices.iter().map(|slice| slice.cells).sum();
        let whole = self.head(entropy, cells, total);
        let mut shares = Vec::with_capacity(slices.len());
        self.divide_share(entropy, &whole, slices, &mut shares);
        shares
    }

    /// Divides a share among consecutive slices, by halves.
    fn divide_share<E: Entropy>(
        &self,
        entropy: &mut E,
        share: &Self::Share,
        slices: &[Summary],
        shares: &mut Vec<Self::Share>,
    ) {
        match slices {
            [] => {}
            [_] => shares.push(share.clone()),
            _ => {
                let (first, second) = slices.split_at(slices.len() / 2);
                let merged = |part: &[Summary]| Summary { cells: part.iter().map(|slice| slice.cells).sum() };
                let (one, two) = self.split(entropy, share, merged(first), merged(second));
                self.divide_share(entropy, &one, first, shares);
                self.divide_share(entropy, &two, second, shares);
            }
        }
    }

    /// Draws the noise of a whole block at once.
    fn draw_block<E: Entropy>(&self, entropy: &mut E, total: i64, cells: &mut [i64]) {
        let share = self.head(entropy, cells.len() as u64, total);
        self.fill(entropy, &share, cells);
    }
}
