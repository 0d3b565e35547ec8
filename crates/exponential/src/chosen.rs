//! `Chosen`: a point that was drawn, which knows where its bits came from and how exactly it was
//! drawn.

use exact::{NoEntropy, Source, Stream};
use std::fmt;
use std::marker::PhantomData;

/// How exactly a point was drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exactness {
    /// From the law itself, in a number of tries that is random and finite.
    Perfect,
}

impl fmt::Display for Exactness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("perfect")
    }
}

/// A point drawn with bits of the source S. There is no other way to make one than to draw it.
pub struct Chosen<S> {
    point: Vec<i64>,
    source: PhantomData<S>,
}

impl<S: Source> Chosen<S> {
    /// Draws with the first stream of the source. `draw` must be one of this crate's samplers: it
    /// is crate-private for that.
    pub(crate) fn draw(source: &S, draw: impl FnOnce(&mut Stream) -> Vec<i64>) -> Result<Self, NoEntropy> {
        let mut stream = source.stream(0)?;
        Ok(Chosen { point: draw(&mut stream), source: PhantomData })
    }

    /// The point.
    pub fn point(&self) -> &[i64] {
        &self.point
    }

    /// How exactly it was drawn.
    pub fn exactness(&self) -> Exactness {
        Exactness::Perfect
    }
}

impl<S> fmt::Debug for Chosen<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Chosen(withheld)")
    }
}
