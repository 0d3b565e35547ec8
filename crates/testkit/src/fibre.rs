//! Enumerated fibres: every noise table near zero that keeps the totals, with its exact law.

use declare::{Grouping, NO_GROUP};
use exact::{Enclosure, Rational};

/// The noise tables z with all totals zero and every cell within `±radius`.
#[derive(Debug, Clone)]
pub struct Fibre {
    /// The tables, in lexicographic order.
    pub tables: Vec<Vec<i64>>,
    /// The bound on a cell.
    pub radius: i64,
}

impl Fibre {
    /// Enumerates; the number of tables grows as `(2·radius + 1)^cells` before the totals are
    /// applied.
    pub fn enumerate(cells: usize, groupings: &[Grouping], radius: i64) -> Self {
        let mut tables = Vec::new();
        let mut table = vec![-radius; cells];
        'all: loop {
            let kept = groupings.iter().all(|grouping| grouping.totals(&table).iter().all(|total| *total == 0));
            if kept {
                tables.push(table.clone());
            }
            for position in (0..cells).rev() {
                if table[position] < radius {
                    table[position] += 1;
                    continue 'all;
                }
                table[position] = -radius;
            }
            return Fibre { tables, radius };
        }
    }

    /// The exact law `∝ e^{−Σ energy(z_i)}` on the enumerated tables, for an energy with exact
    /// values.
    pub fn law(&self, bits: usize, energy: impl Fn(i64) -> Rational) -> LawOnFibre {
        let weights: Vec<Enclosure> = self
            .tables
            .iter()
            .map(|table| {
                let total = table.iter().fold(Rational::integer(0), |sum, z| &sum + &energy(*z));
                Enclosure::exp_rational(&-total, bits)
            })
            .collect();
        let total = weights.iter().fold(Enclosure::from_integer(0, bits), |sum, weight| &sum + weight);
        LawOnFibre { weights, total }
    }
}

/// Weights of the tables of a [`Fibre`], enclosed.
#[derive(Debug, Clone)]
pub struct LawOnFibre {
    /// The weight of every table.
    pub weights: Vec<Enclosure>,
    /// Their sum.
    pub total: Enclosure,
}

impl LawOnFibre {
    /// The probability of the table with this index, given that the table lies within the radius.
    pub fn probability(&self, index: usize) -> Enclosure {
        self.weights[index].checked_div(&self.total).expect("the total weight is positive")
    }
}

/// Whether a grouping sums this cell.
pub(crate) fn sums(grouping: &Grouping, cell: usize) -> bool {
    grouping.group_of[cell] != NO_GROUP
}
