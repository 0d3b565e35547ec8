//! `Places`: a cascade over a table that is never in memory whole.
//!
//! The table has *places*, each a row of equally many consecutive cells, and everything declared is
//! about places and groups of them: what is exact, what has noise beside the cells themselves. Then
//! the sum of a place is a node of the tree. So the sums of all places are drawn first, by a
//! cascade over the places whose leaves have the variance of a place from below, and every place is
//! split over its cells when these arrive, independently of all others: the same law as that of the
//! whole tree (`proofs/G11.md`, trees).

use crate::bell::NO_HIGH;
use crate::cascade::{Cascade, certified_kappa};
use crate::forest::ReadyShape;
use crate::outline::{CellBounds, Outline};
use crate::shape::SplitTree;
use crate::split::{FromBits, Leaves, Limits, TASK_LEAVES, split_all, split_parallel, stream};
use declare::Problem;
use exact::{Rational, Source};
use rayon::prelude::*;

/// Places are drawn together until they have this many cells.
const BATCH_CELLS: usize = 1 << 12;

/// A cascade over places.
#[derive(Debug, Clone)]
pub struct Places {
    top: Cascade,
    each: usize,
    below: ReadyShape,
    nonnegative: bool,
    kappa: Rational,
}

impl Places {
    /// Places of `each` cells that have noise of this variance. The outline is about the places,
    /// whose noise of their own must include what their cells add up to: `each` times the variance.
    ///
    /// # Errors
    /// Refused where a cascade does not draw the places, or where the noise is too small.
    pub fn new(outline: &Outline<'_>, each: usize, variance: &Rational) -> Result<Self, Problem> {
        let nonnegative = match outline.bounds {
            CellBounds::None => false,
            CellBounds::AtLeastZero => true,
            CellBounds::Each(..) => return Err(Problem::refused("places whose sums have bounds of their own")),
        };
        let top = Cascade::new(outline)?;
        let below = ReadyShape::new(SplitTree::even(each, variance)?);
        let kappa = certified_kappa(below.shape.least_variance())?.max(top.kappa().clone());
        Ok(Places { top, each, below, nonnegative, kappa })
    }

    /// κ: the loss is 1 + κ times that of the Gaussian noise.
    pub fn kappa(&self) -> &Rational {
        &self.kappa
    }

    /// How many numbers are drawn.
    pub fn numbers(&self) -> u64 {
        self.top.numbers() + self.top.cells() as u64 * (self.each as u64 - 1)
    }

    /// Draws the sums of all places around those of the confidential table.
    ///
    /// # Errors
    /// Refused where there are other places, or where counts are too large.
    pub fn begin<S: Source + ?Sized>(&self, sums: &[i64], source: &S) -> Result<Begun<'_>, Problem> {
        let mut first = 0;
        let totals = self.top.draw_numbered(sums, source, &mut first)?;
        Ok(Begun { places: self, totals, first })
    }
}

/// Places whose sums are drawn, to be split over their cells.
#[derive(Debug, Clone)]
pub struct Begun<'a> {
    places: &'a Places,
    totals: Vec<i64>,
    /// The first stream that is not used yet.
    first: u64,
}

impl Begun<'_> {
    /// How many cells the table has.
    pub fn cells(&self) -> usize {
        self.totals.len() * self.places.each
    }

    /// Portions begin at multiples of so many cells, and end there or with the table.
    pub fn step(&self) -> usize {
        (BATCH_CELLS / self.places.each).max(1) * self.places.each
    }

    /// Replaces confidential counts, from this cell on, by what is released.
    ///
    /// # Errors
    /// Bad for a portion that begins or ends inside a batch of places.
    pub fn split<S: Source + ?Sized>(&self, cell: usize, counts: &mut [i64], source: &S) -> Result<(), Problem> {
        let Begun { places, totals, first } = self;
        let (each, step) = (places.each, self.step());
        let end = cell + counts.len();
        let whole = cell.is_multiple_of(step) && end <= self.cells();
        if !whole || (!end.is_multiple_of(step) && end != self.cells()) {
            return Err(Problem::bad("a portion of a cascade that begins or ends inside a place"));
        }
        let ReadyShape { tasks, .. } = &places.below;
        let streams = if each > TASK_LEAVES { 1 + tasks.streams() } else { 1 };
        let limits = if places.nonnegative { Limits::Same(0, NO_HIGH) } else { Limits::Free };
        counts.par_chunks_mut(step).enumerate().try_for_each(|(batch, counts)| {
            let batch = cell / step + batch;
            let number = first + batch as u64 * streams;
            let mut pick = FromBits(stream(source, number)?);
            let (mut sums, mut out) = (Vec::new(), vec![0i64; each]);
            for (place, counts) in counts.chunks_mut(each).enumerate() {
                let total = totals[batch * (step / each) + place];
                let leaves = Leaves { whole: counts, part: &[], unit: 1, limits, floors: &[] };
                match each > TASK_LEAVES {
                    true => {
                        split_parallel(places.below.ready(), tasks, leaves, total, &mut out, source, number + 1)?;
                    }
                    false => split_all(places.below.ready(), leaves, total, &mut sums, &mut out, &mut pick)?,
                }
                counts.copy_from_slice(&out);
            }
            Ok(())
        })
    }
}
