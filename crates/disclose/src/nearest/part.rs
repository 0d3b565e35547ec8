//! Variables that rows tie together, what a vector of the kernel moves there, and whether two
//! tables differ by it.

use analyse::{Apart, Demand, Feasibility, Fibre, FibreRow, Lattice, Union};
use std::collections::{HashMap, HashSet};

/// A row: entries with what the sum is at least and at most.
pub(super) type Row = (Vec<(u32, i64)>, (Option<i64>, Option<i64>));

/// Variables, each at least zero and the sum of a class of cells, and the rows over them.
pub(super) struct TablePart {
    /// For every variable whether its class has several cells, so that a unit may move inside it.
    pub(super) variables: Vec<bool>,
    /// Rows that have one value.
    pub(super) equal: Vec<(Vec<(u32, i64)>, i64)>,
    /// The other rows.
    unequal: Vec<Row>,
    /// For every variable its rows of `equal`, with coefficients.
    pub(super) columns: Vec<Vec<(u32, i64)>>,
    /// For every variable whether a total of zero fixes it.
    pub(super) fixed: Vec<bool>,
}

/// How two tables may differ.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum TableStep {
    /// By one unit between two cells of a class.
    Inside(u32),
    /// By these amounts, of increasing variables, none zero.
    Across(Vec<(u32, i64)>),
}

impl TableStep {
    /// How far they are then apart.
    pub(super) fn apart(&self) -> Apart {
        match self {
            TableStep::Inside(_) => Apart { l1: 2, l2_squared: 2 },
            TableStep::Across(vector) => Apart {
                l1: vector.iter().map(|(_, amount)| amount.unsigned_abs()).sum(),
                l2_squared: vector.iter().map(|(_, amount)| amount.unsigned_abs().pow(2)).sum(),
            },
        }
    }
}

/// The most variables of a part whose tables are looked for by the lattice.
pub(super) const MOST_SOLVED: usize = 300;

impl TablePart {
    pub(super) fn new(variables: Vec<bool>, rows: Vec<Row>) -> TablePart {
        let mut columns = vec![Vec::new(); variables.len()];
        let (mut equal, mut unequal) = (Vec::new(), Vec::new());
        for (entries, within) in rows.into_iter().filter(|(entries, _)| !entries.is_empty()) {
            match within.0.filter(|low| within.1 == Some(*low)) {
                Some(value) => {
                    for (variable, times) in &entries {
                        columns[*variable as usize].push((equal.len() as u32, *times));
                    }
                    equal.push((entries, value));
                }
                None => unequal.push((entries, within)),
            }
        }
        let mut fixed = vec![false; variables.len()];
        let is_zero = |(entries, value): &&(Vec<(u32, i64)>, i64)| {
            *value == 0 && entries.iter().all(|(_, times)| times.signum() == entries[0].1.signum())
        };
        for (entries, _) in equal.iter().filter(is_zero) {
            entries.iter().for_each(|(variable, _)| fixed[*variable as usize] = true);
        }
        TablePart { variables, equal, unequal, columns, fixed }
    }

    /// The parts that no row ties together.
    pub(super) fn components(self) -> Vec<TablePart> {
        let mut tied = Union::new(self.variables.len());
        let entries =
            self.equal.iter().map(|(entries, _)| entries).chain(self.unequal.iter().map(|(entries, _)| entries));
        for entries in entries {
            for (variable, _) in &entries[1..] {
                tied.join(entries[0].0, *variable);
            }
        }
        let mut number: HashMap<u32, usize> = HashMap::new();
        let mut place = Vec::with_capacity(self.variables.len());
        let mut parts: Vec<(Vec<bool>, Vec<Row>)> = Vec::new();
        for (variable, what) in self.variables.iter().enumerate() {
            let part = *number.entry(tied.top(variable as u32)).or_insert_with(|| {
                parts.push((Vec::new(), Vec::new()));
                parts.len() - 1
            });
            place.push((part, parts[part].0.len() as u32));
            parts[part].0.push(*what);
        }
        let exact = self.equal.into_iter().map(|(entries, value)| (entries, (Some(value), Some(value))));
        for (entries, within) in exact.chain(self.unequal) {
            let part = place[entries[0].0 as usize].0;
            let entries = entries.into_iter().map(|(variable, times)| (place[variable as usize].1, times)).collect();
            parts[part].1.push((entries, within));
        }
        parts.into_iter().map(|(variables, rows)| TablePart::new(variables, rows)).collect()
    }

    /// Whether totals of zero leave nothing that could move.
    pub(super) fn is_one_table(&self) -> bool {
        self.fixed.iter().all(|fixed| *fixed)
    }

    /// Whether rows other than equalities hold.
    pub(super) fn is_ruled(&self) -> bool {
        !self.unequal.is_empty()
    }

    /// A length that no vector of the kernel is below: columns of zero move alone, equal or
    /// opposite ones in pairs.
    pub(super) fn least(&self) -> u64 {
        if self.columns.iter().any(Vec::is_empty) {
            return 1;
        }
        if self.variables.contains(&true) {
            return 2;
        }
        let mut seen = HashSet::new();
        let signed = |column: &Vec<(u32, i64)>| {
            let sign = column[0].1.signum();
            column.iter().map(|(row, times)| (*row, times * sign)).collect::<Vec<_>>()
        };
        let alike = self.columns.iter().any(|column| !seen.insert(signed(column)));
        if alike { 2 } else { 3 }
    }

    /// Whether the step changes no total.
    fn keeps_totals(&self, vector: &[(u32, i64)]) -> bool {
        let mut moved: HashMap<u32, i128> = HashMap::new();
        for (variable, amount) in vector {
            for (row, times) in &self.columns[*variable as usize] {
                *moved.entry(*row).or_default() += i128::from(*times) * i128::from(*amount);
            }
        }
        moved.values().all(|moved| *moved == 0)
    }

    fn equal_rows(&self) -> Vec<FibreRow> {
        let row =
            |(entries, value): &(Vec<_>, i64)| FibreRow { entries: entries.clone(), demand: Demand::Equal(*value) };
        self.equal.iter().map(row).collect()
    }

    /// The tables y with y and y + step in the part, as a fibre; `None` when there are none for a
    /// plain reason.
    fn both(&self, step: &TableStep) -> Option<Fibre> {
        let mut bounds = vec![(Some(0i64), None::<i64>); self.variables.len()];
        let mut amounts: HashMap<u32, i64> = HashMap::new();
        match step {
            // The unit that moves is there.
            TableStep::Inside(variable) => bounds[*variable as usize].0 = Some(1),
            TableStep::Across(vector) => {
                for (variable, amount) in vector {
                    bounds[*variable as usize].0 = Some((-*amount).max(0));
                    amounts.insert(*variable, *amount);
                }
            }
        }
        let mut rows = self.equal_rows();
        for (entries, within) in &self.unequal {
            let moved = entries.iter().try_fold(0i64, |sum, (variable, times)| {
                sum.checked_add(times.checked_mul(*amounts.get(variable).unwrap_or(&0))?)
            })?;
            if let Some(low) = within.0 {
                let low = low.checked_sub(moved.min(0))?;
                rows.push(FibreRow { entries: entries.clone(), demand: Demand::AtLeast(low) });
            }
            if let Some(high) = within.1 {
                let high = high.checked_sub(moved.max(0))?;
                rows.push(FibreRow { entries: entries.clone(), demand: Demand::AtMost(high) });
            }
        }
        Some(Fibre { cells: (0..self.variables.len() as u32).collect(), bounds, rows, noise_on_cells: true })
    }

    /// Whether two tables of the part differ by the step: `None` when that is not decided.
    pub(super) fn has_pair<'a>(&self, step: &TableStep, lattice: impl FnOnce() -> Option<&'a Lattice>) -> Option<bool> {
        if let TableStep::Across(vector) = step
            && !self.keeps_totals(vector)
        {
            return Some(false);
        }
        let fibre = self.both(step)?;
        if self.fills(&fibre) {
            return Some(true);
        }
        match fibre.first_table(lattice()?) {
            Feasibility::Table(_) => Some(true),
            Feasibility::Impossible(_) => Some(false),
            Feasibility::NotFound(_) => None,
        }
    }

    /// Whether filling one variable after another as far as the totals allow ends in a table: so it
    /// does under one total, and in two-way tables.
    fn fills(&self, fibre: &Fibre) -> bool {
        if self.is_ruled() || self.equal.iter().any(|(entries, _)| entries.iter().any(|(_, times)| *times != 1)) {
            return false;
        }
        let mut left: Vec<i64> = self.equal.iter().map(|(_, value)| *value).collect();
        let mut table: Vec<i64> = fibre.bounds.iter().map(|(low, _)| low.unwrap_or(0)).collect();
        for (column, value) in self.columns.iter().zip(&table) {
            column.iter().for_each(|(row, _)| left[*row as usize] -= value);
        }
        for (column, value) in self.columns.iter().zip(&mut table) {
            let most = column.iter().map(|(row, _)| left[*row as usize]).min().unwrap_or(0).max(0);
            *value += most;
            column.iter().for_each(|(row, _)| left[*row as usize] -= most);
        }
        left.iter().all(|left| *left == 0) && fibre.contains(&table)
    }

    /// The lattice of the part, where it is small.
    pub(super) fn lattice(&self) -> Option<Lattice> {
        if self.variables.len() > MOST_SOLVED {
            return None;
        }
        let rows = self.equal_rows();
        let bounds = vec![(Some(0), None); self.variables.len()];
        let cells = (0..self.variables.len() as u32).collect();
        Lattice::of_fibre(&Fibre { cells, bounds, rows, noise_on_cells: true }).ok()
    }
}
