//! `Fibre`: all tables of a block that keep its totals, bounds and rules, cell by cell: what walks
//! move in.

use crate::ground::{Ground, bind, collect, members};
use crate::sums::{Demand, FibreRow};
use declare::{Conditions, Problem, Relation};

/// One block of the fibre as rows over its cells.
#[derive(Debug, Clone, PartialEq)]
pub struct Fibre {
    /// The cells, by their number in the table. Rows and bounds speak of their places in this list.
    pub cells: Vec<u32>,
    /// The least and the largest value of every cell.
    pub bounds: Vec<(Option<i64>, Option<i64>)>,
    /// Sums over the cells and what is asked of them. Comparisons of single cells are among the
    /// bounds instead.
    pub rows: Vec<FibreRow>,
    /// Whether every cell carries the noise law of the plan; otherwise noise sits on the rows that
    /// say so alone.
    pub noise_on_cells: bool,
}

impl Fibre {
    /// The block with these cells.
    ///
    /// # Errors
    /// Infeasible when the totals ask for sums that no integers have.
    pub fn new(conditions: &Conditions, ground: &Ground, cells: &[u32]) -> Result<Fibre, Problem> {
        Ok(Fibre::of_rows(conditions, cells.to_vec(), collect(conditions, ground, cells)?))
    }

    /// The fibre with these rows, of which comparisons of single cells become bounds.
    fn of_rows(conditions: &Conditions, cells: Vec<u32>, all: Vec<FibreRow>) -> Fibre {
        let mut bounds = vec![(conditions.nonnegative.then_some(0i64), None::<i64>); cells.len()];
        let mut rows = Vec::new();
        for row in all {
            match (row.entries.as_slice(), row.demand) {
                ([(cell, times)], Demand::AtLeast(bound)) => bind(&mut bounds[*cell as usize], *times, bound),
                ([(cell, times)], Demand::AtMost(bound)) => bind(&mut bounds[*cell as usize], -times, -bound),
                _ => rows.push(row),
            }
        }
        Fibre { cells, bounds, rows, noise_on_cells: conditions.queries.is_empty() }
    }

    /// The fibre of a whole table, by its totals as they stand; noisy sums are left out.
    pub(crate) fn of_table(conditions: &Conditions, totals: &[Vec<i64>]) -> Fibre {
        let cells: Vec<u32> = (0..conditions.cells as u32).collect();
        let mut rows = Vec::new();
        for (grouping, totals) in conditions.invariants.iter().zip(totals) {
            let row = |(group, entries)| FibreRow { entries, demand: Demand::Equal(totals[group as usize]) };
            rows.extend(members(grouping, &cells).into_iter().map(row));
        }
        for rule in &conditions.rules {
            let row = |(_, entries)| FibreRow { entries, demand: Demand::of(rule.relation, rule.bound) };
            rows.extend(members(&rule.grouping, &cells).into_iter().map(row));
        }
        Fibre::of_rows(conditions, cells, rows)
    }

    /// The fibre of a whole table with its noisy sums.
    pub(crate) fn with_noisy_sums(conditions: &Conditions, totals: &[Vec<i64>]) -> Fibre {
        let mut fibre = Fibre::of_table(conditions, totals);
        for (query, rows) in conditions.queries.iter().enumerate() {
            for (group, entries) in members(&rows.grouping, &fibre.cells) {
                let demand = Demand::Noisy { query: query as u32, group, fixed: 0 };
                fibre.rows.push(FibreRow { entries, demand });
            }
        }
        fibre
    }

    /// The names of the rows, as messages call them: the groups that the conditions sum, in the
    /// order of [`Fibre::rows`].
    pub fn row_names(&self, conditions: &Conditions) -> Vec<String> {
        let invariants = conditions.invariants.iter().map(|grouping| (grouping, false));
        let rules = conditions.rules.iter().map(|rule| (&rule.grouping, rule.relation != Relation::Equal));
        let queries = conditions.queries.iter().map(|query| (&query.grouping, false));
        let mut names = Vec::with_capacity(self.rows.len());
        for (grouping, is_bound) in invariants.chain(rules).chain(queries) {
            let rows = members(grouping, &self.cells).into_iter();
            let rows = rows.filter(|(_, entries)| !is_bound || entries.len() != 1);
            names.extend(rows.map(|(group, _)| grouping.names[group as usize].clone()));
        }
        names
    }

    /// The rows that every table of the fibre satisfies with equality, and their values.
    pub fn equalities(&self) -> impl Iterator<Item = (&[(u32, i64)], i64)> {
        self.rows.iter().filter_map(|row| match row.demand {
            Demand::Equal(value) => Some((row.entries.as_slice(), value)),
            _ => None,
        })
    }

    /// Whether values, in the order of the cells, keep every total, bound and rule.
    pub fn contains(&self, values: &[i64]) -> bool {
        let within = |(value, (low, high)): (&i64, &(Option<i64>, Option<i64>))| {
            low.is_none_or(|low| *value >= low) && high.is_none_or(|high| *value <= high)
        };
        let holds = |row: &FibreRow| {
            let sum: i128 =
                row.entries.iter().map(|(place, times)| i128::from(*times) * i128::from(values[*place as usize])).sum();
            match row.demand {
                Demand::Equal(value) => sum == i128::from(value),
                Demand::AtLeast(bound) => sum >= i128::from(bound),
                Demand::AtMost(bound) => sum <= i128::from(bound),
                Demand::Noisy { .. } => true,
            }
        };
        values.len() == self.cells.len() && values.iter().zip(&self.bounds).all(within) && self.rows.iter().all(holds)
    }
}
