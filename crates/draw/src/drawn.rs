//! `Drawn`: a drawn table that remembers, in its type, where its random bits came from.

use crate::exactness::Exactness;
use exact::Source;
use std::marker::PhantomData;

/// Integer counts drawn with bits of the source `S`. Only `Drawn<SystemEntropy>` can be certified.
///
/// It is made by [`crate::draw_table`], or of [`crate::Measured`] measurements by
/// [`crate::Measured::project`]; nothing else can make one, so the type parameter tells the truth:
///
/// ```compile_fail
/// # use draw::{Drawn, Exactness};
/// # use exact::SystemEntropy;
/// let forged: Drawn<SystemEntropy> = Drawn { values: vec![1, 2], exactness: Exactness::Exact, source: Default::default() };
/// ```
#[derive(Debug, Clone)]
pub struct Drawn<S> {
    values: Vec<i64>,
    exactness: Exactness,
    source: PhantomData<fn() -> S>,
}

impl<S: Source> Drawn<S> {
    pub(crate) fn new(values: Vec<i64>, exactness: Exactness) -> Self {
        Drawn { values, exactness, source: PhantomData }
    }

    /// The counts, in cell order.
    pub fn values(&self) -> &[i64] {
        &self.values
    }

    /// The counts, in cell order.
    pub fn into_values(self) -> Vec<i64> {
        self.values
    }

    /// How exactly they were drawn: the least exact of all blocks.
    pub fn exactness(&self) -> &Exactness {
        &self.exactness
    }
}
