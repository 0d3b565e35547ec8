//! Large classes of cells that are many scales from their bounds: these cells share one sum in
//! closed form.
//!
//! A cell far from its bounds, drawn without them, is its centre plus G − H, two geometric numbers.
//! The cells near a bound and ΣH are drawn freely; ΣG must make up the sum, and is accepted by its
//! weight over the largest. Given both sums the numbers G and H are uniform compositions of them. A
//! table in which a far cell broke its bound is thrown away, so the law is that with bounds,
//! whichever cells are called far. Proof: `proofs/class.md`, section 7.

use super::free::FreeCells;
use super::shape::{Cell, Centre, Form, Tilted};
use exact::composition::{Scratch, add_composition};
use exact::{Entropy, GeometricSum, Rational};

/// A cell is far from a bound when its noise is beyond it with a chance of about e^{−25}.
const FAR: u32 = 25;

/// A class of which many cells are far from their bounds, at one tilt.
#[derive(Debug)]
pub(super) struct Shared {
    near: FreeCells,
    near_cells: Vec<u32>,
    far_cells: Vec<u32>,
    /// The sums of the geometric numbers that are drawn freely, and of those that make up the sum.
    drawn: GeometricSum,
    completed: GeometricSum,
    /// Whether it is the upward numbers that make up the sum.
    upward: bool,
    low: Option<i64>,
    high: Option<i64>,
}

impl Shared {
    /// The class, if more than so many of its cells are far from their bounds.
    pub(super) fn new(tilted: &Tilted, cells: &[Cell], centres: &[Centre], above: usize) -> Option<Shared> {
        Shared::with_margin(tilted, cells, centres, above, &Rational::integer(FAR))
    }

    /// Cells whose bounds are at least `margin` scales of their noise away are far.
    pub(super) fn with_margin(
        tilted: &Tilted,
        cells: &[Cell],
        centres: &[Centre],
        above: usize,
        margin: &Rational,
    ) -> Option<Shared> {
        // Slopes that meet at the centre and fall on both sides, and no other law.
        let Form::Slopes { rates, flat: false } = &tilted.form else { return None };
        if !rates.iter().all(Rational::is_positive) {
            return None;
        }
        let Tilted { low, high, .. } = tilted;
        // The least whole distances at which a bound is far.
        let [below, beyond] = rates.each_ref().map(|rate| i64::try_from((margin / rate).ceil()).ok());
        let (below, beyond) = (below?, beyond?);
        // A cell with a factor has another law than its noise: it is never far.
        let is_far = |Centre { x, factor }: Centre| {
            factor.is_none()
                && low.is_none_or(|low| x.checked_sub(low).is_some_and(|room| room >= below))
                && high.is_none_or(|high| high.checked_sub(x).is_some_and(|room| room >= beyond))
        };
        let (far_cells, near_cells): (Vec<u32>, Vec<u32>) =
            (0..cells.len() as u32).partition(|cell| is_far(centres[*cell as usize]));
        if far_cells.len() <= above || far_cells.is_empty() {
            return None;
        }
        let of: Vec<Cell> = near_cells.iter().map(|cell| cells[*cell as usize]).collect();
        let sum = |rate: &Rational| GeometricSum::new(far_cells.len() as u64, rate);
        // The wider of both sums makes up the whole: it is accepted more often.
        let upward = rates[1] <= rates[0];
        let (drawn, completed) = if upward { (&rates[0], &rates[1]) } else { (&rates[1], &rates[0]) };
        let (drawn, completed) = (sum(drawn), sum(completed));
        let near = FreeCells::new(tilted, &of);
        Some(Shared { near, near_cells, drawn, completed, upward, low: *low, high: *high, far_cells })
    }

    /// One attempt: the offsets of all cells from their modes, given their sum; whether it
    /// succeeded.
    pub(super) fn attempt<E: Entropy>(&self, entropy: &mut E, modes: &[i64], sum: i64, cells: &mut [i64]) -> bool {
        // What is cheap comes first: an attempt at a sum that fails costs nothing else.
        let Some(drawn) = self.drawn.attempt(entropy).and_then(|drawn| i64::try_from(drawn).ok()) else {
            return false;
        };
        let mut rest = sum;
        for (index, cell) in self.near_cells.iter().enumerate() {
            let offset = self.near.draw(entropy, index);
            cells[*cell as usize] = offset;
            rest -= offset;
        }
        // ΣG − ΣH is the rest.
        let completed = if self.upward { rest.checked_add(drawn) } else { drawn.checked_sub(rest) };
        let Some(completed) = completed.filter(|completed| self.completed.accepts(entropy, *completed)) else {
            return false;
        };
        let (up, down) = if self.upward { (completed, drawn) } else { (drawn, completed) };
        let (mut offsets, mut scratch) = (vec![0i64; self.far_cells.len()], Scratch::default());
        add_composition(entropy, up as u64, 1, &mut offsets, &mut scratch);
        add_composition(entropy, down as u64, -1, &mut offsets, &mut scratch);
        for (cell, offset) in self.far_cells.iter().map(|cell| *cell as usize).zip(offsets) {
            let value = modes[cell] + offset;
            if self.low.is_some_and(|low| value < low) || self.high.is_some_and(|high| value > high) {
                return false;
            }
            cells[cell] = offset;
        }
        true
    }
}
