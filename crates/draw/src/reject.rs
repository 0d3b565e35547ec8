//! `reject`: noise without bounds, drawn again until the table keeps every bound and rule.
//!
//! Bounds that are many scales of the noise away are almost never broken. Without them a block
//! falls into parts that closed forms, `divide` and lattices draw; a table that breaks one is
//! thrown away whole, so what is kept has exactly the conditional law. How often that happens
//! depends on the confidential counts; whether it is tried does not. Proof: `proofs/reject.md`.
//!
//! ```text
//! relaxed.rs  a block without its bounds and rules, as parts
//! foresee.rs  how many attempts a draw takes, from public values alone
//! ```

mod foresee;
mod relaxed;

use crate::divide::{Divide, OneTotal};
use crate::independent::Independent;
use crate::lattice_noise::LatticeNoise;
use crate::law::NoiseLaw;
use crate::sums::Ladder;
use analyse::{Fibre, Grid, Lattice};
use declare::Problem;
use exact::Entropy;

pub use relaxed::Relaxed;

/// Noise on the parts of a block, kept when its bounds and rules hold.
#[derive(Debug)]
pub struct Reject {
    fibre: Fibre,
    /// Cells that bounds and totals together leave one value, with that value.
    settled: Vec<(u32, i64)>,
    parts: Vec<RelaxedPart>,
}

/// Cells, by place in the block, whose noise depends on that of no others.
#[derive(Debug)]
struct RelaxedPart {
    places: Vec<u32>,
    noise: PartNoise,
    /// The predicted seconds that are needed once, and for every draw.
    seconds: (f64, f64),
}

#[derive(Debug)]
enum PartNoise {
    Independent(Independent),
    OneTotal(OneTotal),
    Grid(Box<Divide>),
    Lattice(Box<LatticeNoise>),
}

/// One cell, by a closed form.
const CELL_SECONDS: f64 = 60e-9;
/// What does not grow with a part.
const PART_SECONDS: f64 = 3e-6;

impl Reject {
    /// Noise of this law on a block.
    ///
    /// # Errors
    /// Refused when a part of the block cannot be drawn without its bounds.
    pub fn new(relaxed: &Relaxed, law: &NoiseLaw) -> Result<Reject, Problem> {
        let parts = relaxed.parts.iter().map(|(places, form)| RelaxedPart::new(places, form, law));
        Ok(Reject {
            fibre: relaxed.fibre.clone(),
            settled: relaxed.settled.clone(),
            parts: parts.collect::<Result<_, Problem>>()?,
        })
    }

    /// The predicted seconds that are needed once, and for every attempt.
    pub fn seconds(&self) -> (f64, f64) {
        let sum = |of: fn(&RelaxedPart) -> f64| self.parts.iter().map(of).sum();
        (sum(|part| part.seconds.0), sum(|part| part.seconds.1))
    }

    /// Draws all counts of the block around these, by place in the block.
    ///
    /// # Errors
    /// Refused when the noise does not fit 64-bit counts.
    pub fn draw<E: Entropy>(&self, centre: &[i64], entropy: &mut E, values: &mut [i64]) -> Result<(), Problem> {
        while !self.attempt(centre, entropy, values)? {}
        Ok(())
    }

    /// One attempt; whether it succeeded. Attempts are independent, and the table of the first that
    /// succeeds has exactly the law.
    ///
    /// # Errors
    /// Refused when the noise does not fit 64-bit counts.
    pub fn attempt<E: Entropy>(&self, centre: &[i64], entropy: &mut E, values: &mut [i64]) -> Result<bool, Problem> {
        assert_eq!((centre.len(), values.len()), (self.fibre.cells.len(), self.fibre.cells.len()), "one number a cell");
        self.settled.iter().for_each(|(place, value)| values[*place as usize] = *value);
        let mut noise = Vec::new();
        for part in &self.parts {
            noise.clear();
            noise.resize(part.places.len(), 0);
            part.draw(entropy, &mut noise)?;
            for (place, noise) in part.places.iter().map(|place| *place as usize).zip(&noise) {
                let value = centre[place].checked_add(*noise).ok_or_else(crate::table::too_large)?;
                let (low, high) = self.fibre.bounds[place];
                if low.is_some_and(|low| value < low) || high.is_some_and(|high| value > high) {
                    return Ok(false);
                }
                values[place] = value;
            }
        }
        Ok(self.fibre.contains(values))
    }
}

impl RelaxedPart {
    fn new(places: &[u32], form: &Form, law: &NoiseLaw) -> Result<RelaxedPart, Problem> {
        let simple = PART_SECONDS + CELL_SECONDS * places.len() as f64;
        let unknown = || Problem::refused(format!("{} is not drawn without bounds", law.in_words()));
        let (noise, seconds) = match form {
            Form::Free => (PartNoise::Independent(Independent::of(law).ok_or_else(unknown)?), (0.0, simple)),
            Form::OneTotal => (PartNoise::OneTotal(OneTotal::of(law).ok_or_else(unknown)?), (0.0, simple)),
            Form::Crossing { grid, lattice } => crossing(places.len(), grid.as_ref(), lattice.as_ref(), law)?,
        };
        Ok(RelaxedPart { places: places.to_vec(), noise, seconds })
    }

    fn draw<E: Entropy>(&self, entropy: &mut E, noise: &mut [i64]) -> Result<(), Problem> {
        match &self.noise {
            PartNoise::Independent(law) => noise.iter_mut().for_each(|cell| *cell = law.draw(entropy)),
            PartNoise::OneTotal(law) => law.draw(entropy, 0, noise),
            PartNoise::Grid(grid) => grid.draw(entropy, noise),
            PartNoise::Lattice(lattice) => lattice.draw(entropy, noise)?,
        }
        Ok(())
    }
}

/// A part of a block without bounds, as its totals leave it.
#[derive(Debug, Clone)]
pub(crate) enum Form {
    /// In no total.
    Free,
    /// One total over all cells.
    OneTotal,
    /// Totals that cross: a two-way table if they are one, and the lattice where it was made.
    Crossing { grid: Option<Grid>, lattice: Option<Lattice> },
}

/// The faster of `divide` and the lattice.
fn crossing(
    cells: usize,
    grid: Option<&Grid>,
    lattice: Option<&Lattice>,
    law: &NoiseLaw,
) -> Result<(PartNoise, (f64, f64)), Problem> {
    let divided = grid.map(|grid| {
        let divide = Divide::new(grid.columns, &grid.cells, law, Ladder::Standard)?;
        let seconds = (1e-3, divide.draw_seconds(cells));
        Ok((PartNoise::Grid(Box::new(divide)), seconds))
    });
    let on_lattice = lattice.map(|lattice| {
        let noise = LatticeNoise::new(cells, lattice, law)?;
        let seconds = (0.0, noise.seconds(lattice.dimension()));
        Ok((PartNoise::Lattice(Box::new(noise)), seconds))
    });
    match (divided, on_lattice) {
        (Some(Ok(one)), Some(Ok(two))) => Ok(if one.1.1 <= two.1.1 { one } else { two }),
        (Some(Ok(one)), _) | (_, Some(Ok(one))) => Ok(one),
        (Some(Err(why)), _) | (_, Some(Err(why))) => Err(why),
        (None, None) => Err(Problem::refused("the totals cross, and nothing draws them without bounds")),
    }
}
