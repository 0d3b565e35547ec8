//! `Projector`: a fibre made ready, so that many noisy tables can be projected onto it.

use crate::absolute::Absolute;
use crate::component::{Component, check_public, split, terms};
use crate::faults::{check_measured, unsolved};
use crate::least::{Plain, nonnegative};
use crate::norm::Norm;
use crate::program::MOST_CASES;
use crate::round::{Rounding, together};
use analyse::{Demand, Fibre, FibreRow};
use declare::Problem;
use rayon::prelude::*;

/// A fibre made ready: what can be factorised once is, so that many noisy tables can be projected.
///
/// What it returns is a function of the measurements and of public values alone; see the contract
/// of this crate.
#[derive(Debug)]
pub struct Projector {
    fibre: Fibre,
    norm: Norm,
    measured: usize,
    names: Vec<String>,
    parts: Vec<Ready>,
    whole: Vec<Component>,
    /// The most cases of a search.
    most_cases: u64,
}

/// How the parts are projected.
#[derive(Debug)]
enum Ready {
    Plain(Plain, Rounding),
    Nonnegative(Rounding),
    Absolute(Absolute),
}

impl Projector {
    /// `weights`: one per query (1/variance), by the number of the query; empty when noise is on
    /// the cells (each weighs 1).
    ///
    /// # Errors
    /// Bad when a weight is missing or not a positive number, refused when a public value is beyond
    /// 2^52.
    pub fn new(fibre: &Fibre, weights: &[f64], norm: Norm) -> Result<Projector, Problem> {
        check_public(fibre)?;
        let terms = terms(fibre, weights)?;
        let measured = terms.len();
        let fibre = if norm == Norm::L2 { with_equalities_alone(fibre) } else { fibre.clone() };
        let whole = split(&fibre, terms);
        let ready = |part: &Component| {
            Ok(match norm {
                Norm::L2 => Ready::Plain(Plain::new(part)?, Rounding::new(&part.fibre)),
                Norm::Nonnegative => Ready::Nonnegative(Rounding::new(&part.fibre)),
                Norm::L1 => Ready::Absolute(Absolute::new(part)),
            })
        };
        let parts: Result<Vec<Ready>, Problem> = whole.par_iter().map(ready).collect();
        Ok(Projector { fibre, norm, measured, names: Vec::new(), parts: parts?, whole, most_cases: MOST_CASES })
    }

    /// Gives it names of the fibre's rows for messages: see [`Fibre::row_names`].
    pub fn named(mut self, names: Vec<String>) -> Projector {
        self.names = names;
        self
    }

    /// Lets its searches tell so many cases apart before they are given up; what it finds then is
    /// the same.
    pub fn limited_to(mut self, most_cases: u64) -> Projector {
        self.most_cases = most_cases;
        self
    }

    /// Which projection.
    pub fn norm(&self) -> Norm {
        self.norm
    }

    /// How many numbers are measured: the cells if noise is on the cells, then the noisy rows.
    pub fn measured(&self) -> usize {
        self.measured
    }

    /// The nearest table of real numbers, in the order of the fibre's cells. L2 keeps the
    /// equalities alone and may be negative. Equalities hold to the last digits of machine numbers.
    /// Where several are nearest in L2 or non-negative, cells that nothing measures get the least
    /// sum of squares.
    ///
    /// # Errors
    /// Bad when a measurement is missing or no number; infeasible when no table keeps all totals,
    /// bounds and rules; refused when a solver ends without an optimum.
    pub fn real(&self, measured: &[f64]) -> Result<Vec<f64>, Problem> {
        check_measured(measured, self.measured)?;
        let values: Result<Vec<Vec<f64>>, Problem> =
            self.parts.par_iter().zip(&self.whole).map(|(ready, part)| self.part_real(ready, part, measured)).collect();
        Ok(together(&self.whole, values?, self.fibre.cells.len()))
    }

    /// A table of integers in the fibre: for L1 the nearest itself, for the others the nearest real
    /// one, rounded as by [`crate::round`]. It was checked in integers: all totals, bounds and
    /// rules; for L2, which ignores the others, all totals.
    ///
    /// # Errors
    /// As for [`Projector::real`]; refused also when no integers near the real table were found.
    pub fn integer(&self, measured: &[i64]) -> Result<Vec<i64>, Problem> {
        let real: Vec<f64> = measured.iter().map(|value| *value as f64).collect();
        check_measured(&real, self.measured)?;
        let part = |(ready, part): (&Ready, &Component)| match ready {
            Ready::Plain(_, rounding) | Ready::Nonnegative(rounding) => {
                rounding.round(part, &self.part_real(ready, part, &real)?, &self.names, self.most_cases)
            }
            Ready::Absolute(absolute) => absolute.integer(part, measured, &self.names, self.most_cases),
        };
        let values: Result<Vec<Vec<i64>>, Problem> = self.parts.par_iter().zip(&self.whole).map(part).collect();
        let table = together(&self.whole, values?, self.fibre.cells.len());
        let broken =
            || unsolved("the projection", "the table that was found does not keep all totals, bounds and rules");
        self.fibre.contains(&table).then_some(table).ok_or_else(broken)
    }

    fn part_real(&self, ready: &Ready, part: &Component, measured: &[f64]) -> Result<Vec<f64>, Problem> {
        match ready {
            Ready::Plain(plain, _) => plain.solve(part, measured, &self.names),
            Ready::Nonnegative(_) => nonnegative(part, measured, &self.names),
            Ready::Absolute(absolute) => absolute.real(part, measured, &self.names),
        }
    }
}

/// The fibre without bounds and rules.
fn with_equalities_alone(fibre: &Fibre) -> Fibre {
    let kept = |row: &FibreRow| match row.demand {
        // A row that asks nothing keeps the numbers of the others, and so their names.
        Demand::AtLeast(_) | Demand::AtMost(_) => FibreRow { entries: Vec::new(), demand: Demand::Equal(0) },
        Demand::Equal(_) | Demand::Noisy { .. } => row.clone(),
    };
    Fibre {
        cells: fibre.cells.clone(),
        bounds: vec![(None, None); fibre.cells.len()],
        rows: fibre.rows.iter().map(kept).collect(),
        noise_on_cells: fibre.noise_on_cells,
    }
}
