//! Walks: Markov chains in a fibre that leave the law of the noise as it is, and evidence of how soon they forget their start.
//!
//! ```text
//! evidence.rs  coupled chains: how far from its law a walk still is
//! limits.rs    Clopper–Pearson limits
//! ```

mod evidence;
mod limits;

use crate::law::{NoiseLaw, Operator};
use analyse::{Fibre, Lattice};
use declare::Problem;
use exact::Rational;

pub use evidence::{CONFIDENCE_PERCENT, CurvePoint, Diagnostics, Evidence, FEWEST_PAIRS, MoveCount, Tail};

/// A walk in the fibre of one block: a function of public values alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Walk {
    operator: Operator,
    fibre: Fibre,
    lattice: Lattice,
    law: NoiseLaw,
    rates: Vec<Rational>,
}

/// How much evidence is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted {
    /// The number of coupled pairs.
    pub pairs: u64,
    /// The distance to the law that a release may have.
    pub distance: Rational,
}

impl Walk {
    /// A walk by this operator. Noise sits on cells by the law, or on the rows of queries by their rates.
    ///
    /// # Errors
    /// The reason, in words that follow `because`, when the operator cannot walk in this fibre.
    pub fn new(
        operator: Operator,
        fibre: Fibre,
        lattice: Lattice,
        law: &NoiseLaw,
        rates: &[Rational],
    ) -> Result<Walk, String> {
        Ok(Walk { operator, fibre, lattice, law: law.clone(), rates: rates.to_vec() })
    }

    /// The operator.
    pub fn operator(&self) -> Operator {
        self.operator
    }

    /// The predicted seconds of one step.
    pub fn step_seconds(&self) -> f64 {
        1e-6
    }

    /// Runs coupled chains from tables that are functions of public values, with bits of a fixed seed: anyone can make the
    /// same evidence again. `progress` is told how many pairs have met.
    ///
    /// # Errors
    /// Refused when pairs do not meet in the time that is given to them.
    pub fn gather(&self, wanted: &Wanted, progress: &(dyn Fn(u64) + Sync)) -> Result<Evidence, Problem> {
        let _ = (wanted, progress);
        Err(Problem::not_yet("walks"))
    }

    /// The block after so many steps of the walk around the table.
    ///
    /// # Errors
    /// When the walk leaves machine integers.
    pub fn draw<E: exact::Entropy>(
        &self,
        centre: &[i64],
        sums: &[Vec<i64>],
        steps: u64,
        entropy: &mut E,
    ) -> Result<Vec<(u32, i64)>, Problem> {
        let _ = (centre, sums, steps, entropy);
        Err(Problem::not_yet("walks"))
    }
}
