//! `Feasibility`: a first table of a fibre, or why there is none, from public rows and bounds
//! alone.
//!
//! First the equalities over all integers, by the elimination of `lattice`; then bounds and
//! inequalities: steps of the lattice from an integer solution near an inner point towards fewer
//! violations, and for small fibres the simplex method and a search through cases in exact numbers,
//! which decide. Whatever is returned was checked against the rows as they came in.

mod aim;
mod cases;
mod descend;
mod simplex;
mod solve;
mod witness;

use crate::fibre::Fibre;
use crate::lattice::Lattice;
use crate::sums::Demand;
use exact::Rational;

pub use witness::Witness;

/// What is known about the tables of a fibre.
#[derive(Debug, Clone, PartialEq)]
pub enum Feasibility {
    /// A table, in the order of the cells.
    Table(Vec<i64>),
    /// There is none.
    Impossible(Witness),
    /// None was found, and nothing shows that there is none: what was tried.
    NotFound(String),
}

impl Fibre {
    /// A table of this fibre. The same fibre and lattice give the same table.
    pub fn first_table(&self, lattice: &Lattice) -> Feasibility {
        match self.look(lattice) {
            Feasibility::Table(table) if !self.contains(&table) => {
                Feasibility::NotFound("a table that does not keep its own totals".into())
            }
            Feasibility::Impossible(witness) if !witness.holds(self) => {
                Feasibility::NotFound("a contradiction that is none".into())
            }
            found => found,
        }
    }

    /// A table of this fibre, from integers that keep its equalities and miss little else, if steps
    /// lead to one. `vectors_at` are the vectors of the lattice at every cell.
    pub fn table_near(&self, lattice: &Lattice, vectors_at: &[Vec<u32>], start: &[i64]) -> Option<Vec<i64>> {
        descend::seek(self, lattice, vectors_at, start)
    }

    /// An integer solution of the equalities, whatever the bounds; `None` when it is too large for
    /// machine integers.
    ///
    /// # Errors
    /// What shows that there is none.
    pub fn integer_solution(&self) -> Result<Option<Vec<i64>>, Witness> {
        solve::System::new(self).solve(&vec![0; self.cells.len()])
    }

    fn look(&self, lattice: &Lattice) -> Feasibility {
        if let Some(witness) = self.plain_contradiction() {
            return Feasibility::Impossible(witness);
        }
        let system = solve::System::new(self);
        let solution = match system.solve(&vec![0; self.cells.len()]) {
            Ok(solution) => solution,
            Err(witness) => return Feasibility::Impossible(witness),
        };
        if let Some(table) = descend::descend(self, lattice, &system, solution) {
            return Feasibility::Table(table);
        }
        let steps = "steps of the lattice from several integer solutions ended outside the bounds";
        if !cases::is_small(self) {
            return Feasibility::NotFound(format!(
                "{steps}, and {} rows over {} cells are too many for the exact search",
                self.rows.len(),
                self.cells.len()
            ));
        }
        match cases::search(self) {
            cases::CaseSearch::Table(table) => Feasibility::Table(table),
            cases::CaseSearch::Impossible(witness) => Feasibility::Impossible(witness),
            cases::CaseSearch::Undecided(cases) => {
                Feasibility::NotFound(format!("{steps}, and the exact search had not ended after {cases} cases"))
            }
        }
    }

    /// A cell whose bounds exclude each other, or a row that its cells' bounds exclude.
    fn plain_contradiction(&self) -> Option<Witness> {
        let crossed = |(low, high): &(Option<i64>, Option<i64>)| low.zip(*high).is_some_and(|(low, high)| low > high);
        if let Some(cell) = self.bounds.iter().position(crossed) {
            return Some(Witness::Cell(cell));
        }
        let (one, minus) = (Rational::integer(1), Rational::integer(-1));
        let factors = |row: usize| match self.rows[row].demand {
            Demand::Equal(_) => vec![one.clone(), minus.clone()],
            Demand::AtLeast(_) => vec![one.clone()],
            Demand::AtMost(_) => vec![minus.clone()],
            Demand::Noisy { .. } => Vec::new(),
        };
        (0..self.rows.len())
            .flat_map(|row| factors(row).into_iter().map(move |factor| Witness::Bounds(vec![(row, factor)])))
            .find(|witness| witness.holds(self))
    }
}
