//! `Steps`: leads from one table of a part to another that has a wanted sum, by vectors of the
//! lattice.
//!
//! Whatever it returns was checked in whole numbers; that it finds nothing says nothing.

use crate::part::GoalSystem;
use analyse::program::{Form, Interval};
use analyse::{Demand, Feasibility, Fibre, FibreRow, Lattice};

/// A part as a fibre, with its lattice.
pub(crate) struct Steps {
    part: GoalSystem,
    fibre: Fibre,
    lattice: Lattice,
    vectors_at: Vec<Vec<u32>>,
}

impl Steps {
    /// The steps of a part; `None` when its numbers are too large.
    pub fn new(part: &GoalSystem) -> Option<Steps> {
        let narrow = |end: Option<i128>| end.map(|end| i64::try_from(end).ok()).map_or(Some(None), |end| end.map(Some));
        let interval = |(low, high): &Interval| Some((narrow(*low)?, narrow(*high)?));
        let bounds = part.bounds.iter().map(interval).collect::<Option<Vec<_>>>()?;
        let mut rows = Vec::new();
        for row in &part.rows {
            let (low, high) = interval(&row.within)?;
            let demands = match (low, high) {
                (Some(low), Some(high)) if low == high => [Some(Demand::Equal(low)), None],
                (low, high) => [low.map(Demand::AtLeast), high.map(Demand::AtMost)],
            };
            rows.extend(demands.into_iter().flatten().map(|demand| FibreRow { entries: row.entries.clone(), demand }));
        }
        let cells: Vec<u32> = (0..part.bounds.len() as u32).collect();
        let fibre = Fibre { cells, bounds, rows, noise_on_cells: true };
        let lattice = Lattice::of_fibre(&fibre).ok()?;
        let vectors_at = lattice.vectors_at();
        Some(Steps { part: part.clone(), fibre, lattice, vectors_at })
    }

    /// A first table.
    pub fn first(&self) -> Option<Vec<i128>> {
        match self.fibre.first_table(&self.lattice) {
            Feasibility::Table(table) => self.checked(table),
            Feasibility::Impossible(_) | Feasibility::NotFound(_) => None,
        }
    }

    /// A table in which a form is at most a value, from another table.
    pub fn lead(&self, form: &Form, value: i128, start: &[i128]) -> Option<Vec<i128>> {
        let start: Vec<i64> = start.iter().map(|value| i64::try_from(*value).ok()).collect::<Option<_>>()?;
        let value = i64::try_from(value).ok()?;
        let mut fibre = self.fibre.clone();
        match form.as_slice() {
            [(variable, 1)] => fibre.bounds[*variable as usize].1 = Some(value),
            [(variable, -1)] => fibre.bounds[*variable as usize].0 = Some(-value),
            _ => fibre.rows.push(FibreRow { entries: form.clone(), demand: Demand::AtMost(value) }),
        }
        self.checked(fibre.table_near(&self.lattice, &self.vectors_at, &start)?)
    }

    fn checked(&self, table: Vec<i64>) -> Option<Vec<i128>> {
        let table: Vec<i128> = table.into_iter().map(i128::from).collect();
        self.part.contains(&table).then_some(table)
    }
}
