//! Counts at or above zero with both margins: the law by enumeration, over tapes and by fit; `messages`; mutants.

use crate::grids::{full, geometric};
use draw::{BoundedDivide, BoundedShape, Divide, Ladder, NoiseLaw};
use exact::{Enclosure, Rational, Seeded, Source};
use std::collections::BTreeMap;
use testkit::{goodness_of_fit, tape_law};

/// A table of counts, row by row.
struct Counts {
    columns: usize,
    values: Vec<i64>,
}

impl Counts {
    fn new(columns: usize, values: &[i64]) -> Counts {
        Counts { columns, values: values.to_vec() }
    }

    fn totals(&self) -> (Vec<i64>, Vec<i64>) {
        let rows = self.values.chunks(self.columns).map(|row| row.iter().sum()).collect();
        let column = |column: usize| self.values.iter().skip(column).step_by(self.columns).sum();
        (rows, (0..self.columns).map(column).collect())
    }

    fn samplers(&self, epsilon: &str, ladder: Ladder) -> Vec<BoundedDivide> {
        let (rows, columns) = self.totals();
        let grid = full(rows.len(), self.columns);
        let shapes = BoundedDivide::shapes(self.columns, &grid.positions, [&rows, &columns]).unwrap();
        shapes
            .iter()
            .map(|shape| BoundedDivide::new(shape, &geometric(epsilon), &self.values, ladder).unwrap())
            .collect()
    }

    /// All tables of counts with the same margins.
    fn fibre(&self) -> Vec<Vec<i64>> {
        let (rows, columns) = self.totals();
        let mut found = Vec::new();
        fill(&rows, &columns, &mut vec![0; self.values.len()], 0, &mut found);
        found
    }

    fn distance(&self, table: &[i64]) -> i64 {
        self.values.iter().zip(table).map(|(one, other)| (one - other).abs()).sum()
    }

    fn weight(&self, table: &[i64], epsilon: &str) -> Enclosure {
        let epsilon: Rational = epsilon.parse().unwrap();
        Enclosure::exp_rational(&-(&epsilon * &Rational::integer(self.distance(table))), 128)
    }
}

fn fill(rows: &[i64], columns: &[i64], table: &mut Vec<i64>, cell: usize, found: &mut Vec<Vec<i64>>) {
    let width = columns.len();
    if cell == table.len() {
        found.push(table.clone());
        return;
    }
    let (row, column) = (cell / width, cell % width);
    let in_row = rows[row] - table[row * width..cell].iter().sum::<i64>();
    let in_column = columns[column] - (0..row).map(|above| table[above * width + column]).sum::<i64>();
    let last_row = row + 1 == rows.len();
    let range = match (column + 1 == width, last_row) {
        (true, _) => in_row..=in_row,
        (false, true) => in_column..=in_column,
        _ => 0..=in_row.min(in_column),
    };
    for value in range {
        if value < 0 || value > in_row || value > in_column || last_row && value != in_column {
            continue;
        }
        table[cell] = value;
        fill(rows, columns, table, cell + 1, found);
    }
}

#[test]
fn attempts_over_every_tape_are_proportional_to_the_law() {
    let tables = [
        (Counts::new(3, &[1, 0, 2, 0, 1, 1]), "1", 0.1),
        (Counts::new(3, &[1, 0, 0, 0, 2, 0, 1, 0, 1]), "1", 0.75),
        (Counts::new(2, &[1, 0, 0, 1, 1, 1]), "1/2", 0.3),
    ];
    for (counts, epsilon, unresolved) in tables {
        for ladder in [Ladder::Standard, Ladder::Coarse] {
            for divide in counts.samplers(epsilon, ladder) {
                let tapes = tape_law(16, |tape| {
                    let mut values = vec![0; counts.values.len()];
                    divide.attempt(tape, &mut values).then_some(values)
                });
                assert!(tapes.finished.keys().flatten().all(|table| table.iter().all(|value| *value >= 0)));
                tapes.proportional_to(|table| counts.weight(table, epsilon)).unwrap();
                assert!(tapes.unresolved_share() < unresolved, "{:?}: {}", counts.values, tapes.unresolved_share());
            }
        }
    }
}

/// The fit of draws to weights on a fibre.
fn fit(fibre: &[Vec<i64>], counted: &BTreeMap<Vec<i64>, u64>, weight: impl Fn(&[i64]) -> f64) -> f64 {
    let mut bins: Vec<(&Vec<i64>, f64)> = fibre.iter().map(|table| (table, weight(table))).collect();
    let whole: f64 = bins.iter().map(|(_, weight)| weight).sum();
    bins.sort_by(|one, two| two.1.total_cmp(&one.1).then(one.0.cmp(two.0)));
    let observed: Vec<u64> = bins.iter().map(|(table, _)| counted.get(*table).copied().unwrap_or(0)).collect();
    let claimed: Vec<f64> = bins.iter().map(|(_, weight)| weight / whole * (1.0 - 1e-12)).collect();
    goodness_of_fit(&observed, &claimed, counted.values().sum()).p_value
}

fn count(draws: u32, cells: usize, mut draw: impl FnMut(&mut [i64])) -> BTreeMap<Vec<i64>, u64> {
    let mut counted = BTreeMap::new();
    let mut values = vec![0; cells];
    for _ in 0..draws {
        draw(&mut values);
        *counted.entry(values.clone()).or_default() += 1;
    }
    counted
}

#[test]
fn draws_fit_the_enumerated_law_and_rows_without_bounds_do_not() {
    let tables = [
        (Counts::new(3, &[2, 0, 3, 1, 4, 0]), 1.0, "1"),
        (Counts::new(3, &[2, 0, 1, 0, 3, 1, 1, 0, 2]), 0.5, "1/2"),
        (Counts::new(4, &[1, 0, 0, 2, 0, 1, 1, 0, 1, 1, 0, 0]), 1.0, "1"),
    ];
    for (counts, rate, epsilon) in tables {
        let fibre = counts.fibre();
        for (number, divide) in counts.samplers(epsilon, Ladder::Standard).into_iter().enumerate() {
            let mut entropy = Seeded::new(21).stream(number as u64).unwrap();
            let counted = count(30_000, counts.values.len(), |values| divide.draw(&mut entropy, values));
            let right = fit(&fibre, &counted, |table| (-rate * counts.distance(table) as f64).exp());
            assert!(right > 1e-3, "{:?}: {right}", counts.values);
            let off = fit(&fibre, &counted, |table| (-1.05 * rate * counts.distance(table) as f64).exp());
            assert!(off < 1e-3, "{:?}: {off}", counts.values);
        }
        // Completed rows without bounds, tables that break one drawn again: `divide` as it is without bounds, conditioned on all
        // counts but those of the last two rows.
        let (rows, columns) = (counts.values.len() / counts.columns, counts.columns);
        if rows < 3 {
            continue;
        }
        let grid = full(rows, columns);
        let free = Divide::new(columns, &grid.positions, &geometric(epsilon), Ladder::Standard).unwrap();
        let mut entropy = Seeded::new(22).stream(0).unwrap();
        let mutant = count(10_000, counts.values.len(), |values| {
            loop {
                free.draw(&mut entropy, values);
                values.iter_mut().zip(&counts.values).for_each(|(noise, centre)| *noise += centre);
                if values[..columns].iter().all(|value| *value >= 0) {
                    break;
                }
            }
        });
        assert!(mutant.keys().any(|table| table.iter().any(|value| *value < 0)));
    }
}

/// Draws without bounds of which the tables that break one are drawn again are draws with bounds.
#[test]
fn conditioning_is_rejection_of_free_draws() {
    // Counts near 400 never come near a bound; counts from 0 to 16 do.
    for (rows, columns, near, known) in
        [(4usize, 4usize, 400i64, 1.0), (5, 20, 400, 1.0), (5, 5, 8, 0.62), (5, 20, 8, 0.17)]
    {
        let values: Vec<i64> = (0..(rows * columns) as i64).map(|cell| near + cell * 7 % 17 - 8).collect();
        let counts = Counts::new(columns, &values);
        let free = Divide::new(columns, &full(rows, columns).positions, &geometric("1"), Ladder::Standard).unwrap();
        let mut entropy = Seeded::new(31).stream(0).unwrap();
        let mut noise = vec![0; rows * columns];
        let (mut kept, mut distances) = (0u32, Vec::new());
        // The larger tables take more attempts, and are drawn less often.
        let large = columns == 20;
        let draws = if large { 250 } else { 600 };
        for _ in 0..draws {
            free.draw(&mut entropy, &mut noise);
            if noise.iter().zip(&values).all(|(noise, centre)| noise + centre >= 0) {
                kept += 1;
                distances.push(noise.iter().map(|noise| noise.abs()).sum::<i64>() as f64);
            }
        }
        let share = f64::from(kept) / f64::from(draws);
        assert!((share - known).abs() < 0.15, "{rows}×{columns} near {near}: {share}");
        let samplers = counts.samplers("1", Ladder::Standard);
        let bounded = &samplers[usize::from(large)];
        let with_bounds: Vec<f64> = (0..if large { 15 } else { 100 })
            .map(|_| {
                bounded.draw(&mut entropy, &mut noise);
                counts.distance(&noise) as f64
            })
            .collect();
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let error = |values: &[f64]| {
            let centre = mean(values);
            (values.iter().map(|value| (value - centre).powi(2)).sum::<f64>() / (values.len() as f64).powi(2)).sqrt()
        };
        let (one, other) = (mean(&distances), mean(&with_bounds));
        let deviation = error(&distances).hypot(error(&with_bounds));
        assert!((one - other).abs() < 4.0 * deviation, "{rows}×{columns} near {near}: {one} and {other}");
    }
}

#[test]
fn hair_and_eyes_are_accepted_as_often_as_predicted() {
    // Snee's table, eyes by hair; and the delinquent children.
    let hair = Counts::new(4, &[20, 94, 84, 17, 68, 7, 119, 26, 5, 16, 29, 14, 15, 10, 54, 14]);
    let children = Counts::new(4, &[15, 1, 3, 1, 20, 10, 10, 15, 3, 10, 10, 2, 12, 14, 7, 2]);
    for (counts, known) in [(hair, 0.27), (children, 0.30)] {
        let least =
            counts.samplers("1/4", Ladder::Standard).iter().map(BoundedDivide::expected_attempts).fold(99.0, f64::min);
        assert!((1.0 / least - known).abs() < 0.06, "{}", 1.0 / least);
        // And on a table made of the totals alone.
        let (rows, columns) = counts.totals();
        let grid = full(4, 4);
        let stand_in = BoundedShape::stand_in(4, &grid.positions, [&rows, &columns]).unwrap();
        let public = Counts::new(4, &stand_in);
        assert_eq!(public.totals(), (rows, columns));
        assert!(public.samplers("1/4", Ladder::Standard)[0].expected_attempts() < 10.0);
    }
}

#[test]
fn margins_and_bounds_are_kept() {
    let counts = Counts::new(5, &[0, 0, 3, 1, 0, 7, 0, 0, 0, 2, 1, 1, 1, 1, 1, 0, 90, 0, 0, 4]);
    for divide in counts.samplers("1/3", Ladder::Standard) {
        let mut entropy = Seeded::new(1).stream(0).unwrap();
        let mut values = vec![0; 20];
        for _ in 0..200 {
            divide.draw(&mut entropy, &mut values);
            assert!(values.iter().all(|value| *value >= 0));
            assert_eq!(Counts::new(5, &values).totals(), counts.totals());
        }
    }
}

#[test]
fn what_it_does_not_draw_is_refused() {
    let counts = Counts::new(2, &[1, 2, 3, 4]);
    let (rows, columns) = counts.totals();
    let grid = full(2, 2);
    let shapes = BoundedDivide::shapes(2, &grid.positions, [&rows, &columns]).unwrap();
    let gaussian = NoiseLaw::discrete_gaussian(Rational::integer(1));
    assert!(BoundedDivide::new(&shapes[0], &gaussian, &counts.values, Ladder::Standard).is_err());
    assert!(BoundedDivide::new(&shapes[0], &geometric("1"), &[1, -2, 3, 4], Ladder::Standard).is_err());
    let twice = vec![vec![0, 4], vec![1], vec![2], vec![3]];
    assert!(BoundedDivide::shapes(2, &twice, [&rows, &columns]).is_err());
    assert!(BoundedDivide::shapes(2, &grid.positions, [&rows[..1], &columns]).is_err());
}
