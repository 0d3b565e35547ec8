//! Integer solutions of the equalities near given values, or the combination of rows that rules
//! them out.

use super::witness::Witness;
use crate::fibre::Fibre;
use crate::lattice::core::Core;
use crate::lattice::pivots::Echelon;
use crate::sums::Demand;
use exact::{Integer, Rational};
use std::collections::HashMap;

/// The equalities of a fibre, eliminated.
pub(super) struct System {
    echelon: Echelon,
    core: Core,
    /// The number of every equality among the fibre's rows, and its value.
    rows: Vec<(usize, i64)>,
    is_pivot: Vec<bool>,
}

impl System {
    pub(super) fn new(fibre: &Fibre) -> System {
        let value = |demand: Demand| if let Demand::Equal(value) = demand { Some(value) } else { None };
        let numbered = fibre.rows.iter().enumerate();
        let rows = numbered.filter_map(|(number, row)| value(row.demand).map(|value| (number, value))).collect();
        let slices: Vec<&[(u32, i64)]> = fibre.equalities().map(|(entries, _)| entries).collect();
        let echelon = Echelon::new(fibre.cells.len(), &slices);
        let core = Core::new(&echelon.core);
        let is_pivot = echelon.is_pivot();
        System { echelon, core, rows, is_pivot }
    }

    /// The integer solution with these values at all cells that the equalities leave free;
    /// `Ok(None)` when it is too large.
    pub(super) fn solve(&self, wanted: &[i64]) -> Result<Option<Vec<i64>>, Witness> {
        let values: Vec<Integer> = self.rows.iter().map(|(_, value)| Integer::from(*value)).collect();
        let values = self.echelon.carry(values);
        if let Some((row, _)) =
            self.echelon.core.iter().find(|(row, entries)| entries.is_empty() && !values[*row].is_zero())
        {
            let sign = if values[*row] > Integer::ZERO { 1 } else { -1 };
            return Err(Witness::Bounds(self.combination(&[(*row, Rational::integer(sign))])));
        }
        let mut table: Vec<Integer> = wanted.iter().map(|value| Integer::from(*value)).collect();
        table.iter_mut().zip(&self.is_pivot).filter(|(_, pivot)| **pivot).for_each(|(value, _)| *value = Integer::ZERO);
        self.core.chosen().iter().for_each(|cell| table[*cell as usize] = Integer::ZERO);
        let core_values: Vec<Integer> = self
            .core
            .rows
            .iter()
            .map(|row| {
                let entries = self.echelon.core.iter().find(|(number, _)| number == row).map(|(_, entries)| entries);
                let taken: Integer =
                    entries.into_iter().flatten().map(|(cell, times)| &table[*cell as usize] * *times).sum();
                &values[*row] - taken
            })
            .collect();
        match self.core.solve(&core_values) {
            Ok(solution) => solution.into_iter().for_each(|(cell, value)| table[cell as usize] = value),
            Err((factors, divisor)) => {
                // A combination that vanishes on every cell contradicts itself; another one has a
                // value that is no integer.
                let vanishes = divisor.is_zero();
                let value: Integer = factors.iter().zip(&core_values).map(|(factor, value)| factor * value).sum();
                let sign = Integer::from(if value < Integer::ZERO { -1 } else { 1 });
                let below = if vanishes { Integer::ONE } else { divisor };
                let factor = |factor: &Integer| Rational::new(factor * &sign, below.clone().into_parts().1);
                let core: Vec<(usize, Rational)> =
                    self.core.rows.iter().copied().zip(factors.iter().map(factor)).collect();
                let rows = self.combination(&core);
                return Err(if vanishes { Witness::Bounds(rows) } else { Witness::Fraction(rows) });
            }
        }
        self.echelon.fill(&values, &mut table);
        Ok(table.iter().map(|value| i64::try_from(value).ok()).collect())
    }

    /// A combination of eliminated rows as one of the rows before elimination, by their numbers in
    /// the fibre.
    fn combination(&self, core: &[(usize, Rational)]) -> Vec<(usize, Rational)> {
        let mut factor: HashMap<usize, Rational> = core.iter().cloned().collect();
        let zero = Rational::integer(0);
        for pivot in self.echelon.pivots.iter().rev() {
            let sum = pivot.taken_from.iter().fold(zero.clone(), |sum, (row, times)| match factor.get(row) {
                Some(factor) => &sum - &(factor * &Rational::integer(*times)),
                None => sum,
            });
            if !sum.is_zero() {
                factor.insert(pivot.row, sum);
            }
        }
        let mut rows: Vec<(usize, Rational)> = factor
            .into_iter()
            .filter(|(_, factor)| !factor.is_zero())
            .map(|(row, factor)| (self.rows[row].0, factor))
            .collect();
        rows.sort_unstable_by_key(|(row, _)| *row);
        rows
    }
}
