//! Least absolute deviations of one part: sorting for one total, flows for a network, branch and
//! bound otherwise.

use crate::component::{Component, Term};
use crate::faults::infeasible;
use crate::integer_form::{IntegerForm, Wish};
use crate::program::{Failure, MOST_CASES, Program};
use crate::single::Single;
use declare::Problem;

/// A part made ready.
#[derive(Debug)]
pub(crate) enum Absolute {
    /// One total, every cell measured once.
    Single,
    /// More.
    IntegerForm(Box<IntegerForm>),
}

impl Absolute {
    /// Of a part.
    pub fn new(part: &Component) -> Absolute {
        let once = part.terms.len() == part.fibre.cells.len() && part.terms.iter().all(|term| term.entries[0].1 == 1);
        if part.is_single() && once && Single::new(&part.fibre).is_plain() {
            return Absolute::Single;
        }
        let terms: Vec<&[(u32, i64)]> = part.terms.iter().map(|term| term.entries.as_slice()).collect();
        Absolute::IntegerForm(Box::new(IntegerForm::new(&part.fibre, &terms)))
    }

    /// The nearest integers, checked.
    pub fn integer(
        &self,
        part: &Component,
        measured: &[i64],
        names: &[String],
        most_cases: u64,
    ) -> Result<Vec<i64>, Problem> {
        let found = match self {
            Absolute::Single => {
                let (mut weight, mut targets) = (vec![0.0; part.terms.len()], vec![0; part.terms.len()]);
                for term in &part.terms {
                    let cell = term.entries[0].0 as usize;
                    (_, weight[cell], targets[cell]) = wish(term, measured);
                }
                Single::new(&part.fibre).least_absolute(&weight, &targets).ok_or(Failure::Infeasible)
            }
            Absolute::IntegerForm(shape) => {
                let wishes: Vec<Wish<'_>> = part.terms.iter().map(|term| wish(term, measured)).collect();
                shape.least_absolute(&part.fibre, &wishes, most_cases)
            }
        };
        part.checked(found, names, "the projection")
    }

    /// The nearest real numbers, by a linear program.
    pub fn real(&self, part: &Component, measured: &[f64], names: &[String]) -> Result<Vec<f64>, Problem> {
        let terms =
            part.terms.iter().map(|term| (term.entries.as_slice(), term.weight, term.target(measured))).collect();
        let near = part.own(measured).centre.iter().map(|centre| centre.round() as i64).collect();
        let bounds = part.fibre.bounds.clone();
        let program = Program { rows: &part.fibre.rows, bounds, terms, near, whole: false, most_cases: MOST_CASES };
        program.solve().map_err(|failure| match failure {
            Failure::Infeasible => infeasible(&part.fibre, &part.names(names)),
            Failure::Stopped(problem) => problem,
        })
    }
}

fn wish<'a>(term: &'a Term, measured: &[i64]) -> Wish<'a> {
    (&term.entries, term.weight, measured[term.measured] - term.fixed)
}
