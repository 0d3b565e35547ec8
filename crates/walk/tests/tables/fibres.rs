//! Small fibres to walk in, with their laws by enumeration.

use analyse::{Demand, Fibre, FibreRow, Lattice};
use draw::NoiseLaw;
use exact::{Rational, Seeded, Source, integer};
use walk::{Steps, Walk};

/// A fibre with a name, and a table of it.
pub struct Small {
    pub name: &'static str,
    pub fibre: Fibre,
    pub table: Vec<i64>,
    pub law: NoiseLaw,
    pub rates: Vec<Rational>,
}

impl Small {
    /// All tables of the fibre: cells between their bounds, and below what totals of counts allow.
    pub fn tables(&self) -> Vec<Vec<i64>> {
        let most: i64 = self.table.iter().map(|value| value.abs()).sum::<i64>() + 1;
        let range = |(low, high): &(Option<i64>, Option<i64>)| (low.unwrap_or(-most), high.unwrap_or(most));
        let mut tables = vec![Vec::new()];
        for (place, bounds) in self.fibre.bounds.iter().enumerate() {
            let (low, high) = range(bounds);
            let mut longer = Vec::new();
            for table in &tables {
                for value in low..=high {
                    let mut next: Vec<i64> = table.clone();
                    next.push(value);
                    if self.possible(&next, place) {
                        longer.push(next);
                    }
                }
            }
            tables = longer;
        }
        tables.retain(|table| self.fibre.contains(table));
        tables
    }

    /// Whether the totals that end with this place hold, and none is exceeded where cells are at
    /// least zero.
    pub fn possible(&self, values: &[i64], place: usize) -> bool {
        let counts = self.fibre.bounds.iter().all(|(low, _)| low.is_some_and(|low| low >= 0));
        self.fibre.equalities().all(|(entries, total)| {
            let sum: i64 = entries
                .iter()
                .filter(|(cell, _)| *cell as usize <= place)
                .map(|(cell, times)| times * values[*cell as usize])
                .sum();
            let ends = entries.iter().all(|(cell, _)| *cell as usize <= place);
            let positive = entries.iter().all(|(_, times)| *times > 0);
            if ends { sum == total } else { !(counts && positive) || sum <= total }
        })
    }

    pub fn walk(&self) -> Walk {
        let lattice = Lattice::of_fibre(&self.fibre).unwrap();
        Walk::new(Steps::Lattice, self.fibre.clone(), lattice, &self.law, &self.rates).unwrap()
    }

    /// The energy of every table, from the definition of the law.
    pub fn energies(&self, tables: &[Vec<i64>]) -> Vec<f64> {
        let sum = |row: &FibreRow, table: &[i64]| -> i64 {
            row.entries.iter().map(|(cell, times)| times * table[*cell as usize]).sum()
        };
        let energy = |table: &Vec<i64>| {
            let offsets: Vec<i64> = table.iter().zip(&self.table).map(|(value, centre)| value - centre).collect();
            let cells = if !self.fibre.noise_on_cells {
                0.0
            } else if !self.law.is_product() {
                let epsilon = self.law.parameter();
                epsilon.to_f64() * (offsets.iter().map(|offset| offset * offset).sum::<i64>() as f64).sqrt()
            } else {
                offsets.iter().map(|offset| self.law.energy(*offset).to_f64()).sum()
            };
            let noisy = self.fibre.rows.iter().map(|row| match row.demand {
                Demand::Noisy { query, .. } => {
                    let apart = (sum(row, table) - sum(row, &self.table)).abs();
                    self.rates[query as usize].to_f64() * apart as f64
                }
                _ => 0.0,
            });
            cells + noisy.sum::<f64>()
        };
        tables.iter().map(energy).collect()
    }

    /// The law on all tables.
    pub fn law_on(&self, tables: &[Vec<i64>]) -> Vec<f64> {
        let weights: Vec<f64> = self.energies(tables).iter().map(|energy| (-energy).exp()).collect();
        let sum: f64 = weights.iter().sum();
        weights.into_iter().map(|weight| weight / sum).collect()
    }
}

fn equal(table: &[i64], cells: &[u32]) -> FibreRow {
    let total = cells.iter().map(|cell| table[*cell as usize]).sum();
    FibreRow { entries: cells.iter().map(|cell| (*cell, 1)).collect(), demand: Demand::Equal(total) }
}

/// All margins of dimensions of these sizes that leave one dimension out, two-way for two, and so
/// on.
pub fn margins(sizes: &[usize], table: &[i64]) -> Fibre {
    let cells: usize = sizes.iter().product();
    let code = |cell: usize, dimension: usize| {
        let after: usize = sizes[dimension + 1..].iter().product();
        cell / after % sizes[dimension]
    };
    let mut rows = Vec::new();
    for left_out in (0..sizes.len()).rev() {
        let mut groups: std::collections::BTreeMap<Vec<usize>, Vec<u32>> = Default::default();
        for cell in 0..cells {
            let key = (0..sizes.len()).filter(|other| *other != left_out).map(|other| code(cell, other)).collect();
            groups.entry(key).or_default().push(cell as u32);
        }
        rows.extend(groups.values().map(|cells| equal(table, cells)));
    }
    Fibre { cells: (0..cells as u32).collect(), bounds: vec![(Some(0), None); cells], rows, noise_on_cells: true }
}

fn geometric(numerator: u64, denominator: u64) -> NoiseLaw {
    NoiseLaw::double_geometric(Rational::new(numerator, denominator))
}

pub fn two_way() -> Small {
    let table = vec![2, 0, 1, 0, 1, 1, 1, 2, 0];
    Small { name: "3×3", fibre: margins(&[3, 3], &table), table, law: geometric(1, 2), rates: Vec::new() }
}

pub fn three_way() -> Small {
    let table = vec![2, 1, 1, 2, 1, 1, 1, 1, 2, 1, 1, 3];
    Small { name: "2×3×2", fibre: margins(&[2, 3, 2], &table), table, law: geometric(1, 3), rates: Vec::new() }
}

pub fn gaussian() -> Small {
    let law = NoiseLaw::discrete_gaussian(Rational::new(3, 2u8));
    Small { name: "Gaussian", law, ..two_way() }
}

pub fn norm() -> Small {
    let law = NoiseLaw::lattice_laplace(Rational::new(3, 4u8));
    Small { name: "norm", law, ..two_way() }
}

/// The norm on counts with one total: every redraw of the line is a whole table.
pub fn norm_with_one_total() -> Small {
    let table = vec![2, 0, 1, 1];
    let rows = vec![equal(&table, &[0, 1, 2, 3])];
    let fibre = Fibre { cells: (0..4).collect(), bounds: vec![(Some(0), None); 4], rows, noise_on_cells: true };
    let law = NoiseLaw::lattice_laplace(Rational::new(2, 3u8));
    Small { name: "norm with one total", fibre, table, law, rates: Vec::new() }
}

/// One total with upper bounds, and a rule that ties two cells.
pub fn ruled() -> Small {
    let table = vec![2, 1, 1, 0, 2];
    let mut rows = vec![equal(&table, &[0, 1, 2, 3, 4])];
    rows.push(FibreRow { entries: vec![(0, 1), (1, -1)], demand: Demand::AtLeast(0) });
    rows.push(FibreRow { entries: vec![(2, 1), (3, 2)], demand: Demand::AtMost(4) });
    let mut bounds = vec![(Some(0), None); 5];
    bounds[4] = (Some(0), Some(3));
    let fibre = Fibre { cells: (0..5).collect(), bounds, rows, noise_on_cells: true };
    Small { name: "rules", fibre, table, law: geometric(2, 5), rates: Vec::new() }
}

/// Noise on cells and on two groups, bounded, with the grand total exact.
pub fn noisy() -> Small {
    let table = vec![1, 2, 0, 1, 2];
    let noisy =
        |entries: Vec<(u32, i64)>, query, group| FibreRow { entries, demand: Demand::Noisy { query, group, fixed: 0 } };
    let mut rows = vec![equal(&table, &[0, 1, 2, 3, 4])];
    rows.push(noisy(vec![(0, 1), (1, 1)], 0, 0));
    rows.push(noisy(vec![(2, 1), (3, 1), (4, 1)], 0, 1));
    rows.extend((0..5).map(|cell| noisy(vec![(cell, 1)], 1, cell)));
    let fibre = Fibre { cells: (0..5).collect(), bounds: vec![(Some(0), None); 5], rows, noise_on_cells: false };
    let rates = vec![Rational::new(1, 2u8), Rational::new(1, 3u8)];
    Small { name: "noisy sums", fibre, table, law: geometric(1, 2), rates }
}

/// An equality with coefficients.
pub fn weighted() -> Small {
    let table = vec![1, 2, 1, 1];
    let mut rows = vec![equal(&table, &[0, 1, 2, 3])];
    rows.push(FibreRow { entries: vec![(0, 2), (1, 1), (3, -1)], demand: Demand::Equal(3) });
    let fibre = Fibre { cells: (0..4).collect(), bounds: vec![(Some(0), Some(6)); 4], rows, noise_on_cells: true };
    Small { name: "coefficients", fibre, table, law: geometric(1, 4), rates: Vec::new() }
}

/// 3×3×3 with all two-way margins and zeros: its tables are not joined by moves of eight cells.
pub fn cube_with_zeros() -> Small {
    let mut table = vec![0; 27];
    // Two layers of a Latin pattern; the third empties what the moves of eight cells would need.
    for (i, j, k) in [(0, 0, 0), (0, 1, 1), (1, 1, 0), (1, 2, 1), (2, 2, 0), (2, 0, 1), (0, 2, 2), (1, 0, 2), (2, 1, 2)]
    {
        table[i * 9 + j * 3 + k] = 1;
    }
    Small { name: "3×3×3", fibre: margins(&[3, 3, 3], &table), table, law: geometric(1, 2), rates: Vec::new() }
}

/// One margin declared twice, and the grand total: totals that follow from others.
pub fn repeated() -> Small {
    let table = vec![2, 0, 1, 1, 1, 1];
    let mut fibre = margins(&[2, 3], &table);
    let rows = fibre.rows.clone();
    fibre.rows.extend(rows[..2].iter().cloned());
    fibre.rows.insert(0, equal(&table, &[0, 1, 2, 3, 4, 5]));
    fibre.rows.extend(rows[2..].iter().cloned());
    Small { name: "repeated margins", fibre, table, law: geometric(1, 3), rates: Vec::new() }
}

pub fn all() -> Vec<Small> {
    let norms = [norm(), norm_with_one_total()];
    let others = [repeated(), two_way(), three_way(), gaussian(), ruled(), noisy(), weighted(), cube_with_zeros()];
    norms.into_iter().chain(others).collect()
}

/// Margins of random small tables, some cells empty by declaration, some with upper bounds, some
/// with a rule.
pub fn random(number: u64) -> Small {
    let mut bits = Seeded::draw(51, number).stream(0).unwrap();
    let mut below = |n: u64| integer::below(&mut bits, n);
    let sizes: &[usize] = [&[2, 3][..], &[3, 3], &[2, 4], &[2, 2, 2], &[2, 2, 3], &[2, 2, 2, 2]][below(6) as usize];
    let cells: usize = sizes.iter().product();
    let mut table: Vec<i64> = (0..cells).map(|_| below(3) as i64).collect();
    let mut bounds = vec![(Some(0), None); cells];
    for (value, bound) in table.iter_mut().zip(&mut bounds) {
        match below(8) {
            0 => (*value, *bound) = (0, (Some(0), Some(0))),
            1 => *bound = (Some(0), Some(*value + 1)),
            _ => {}
        }
    }
    let mut fibre = Fibre { bounds, ..margins(sizes, &table) };
    if below(3) == 0 {
        let (one, two) = (below(cells as u64) as u32, below(cells as u64 - 1) as u32);
        let two = if two == one { cells as u32 - 1 } else { two };
        if one != two {
            let gap = table[one as usize] - table[two as usize];
            fibre.rows.push(FibreRow { entries: vec![(one, 1), (two, -1)], demand: Demand::AtLeast(gap.min(0)) });
        }
    }
    let law = match below(3) {
        0 => NoiseLaw::discrete_gaussian(Rational::new(1 + below(8), 2u8)),
        1 => NoiseLaw::lattice_laplace(Rational::new(1 + below(4), 4u8)),
        _ => geometric(1 + below(4), 4),
    };
    Small { name: "random", fibre, table, law, rates: Vec::new() }
}
