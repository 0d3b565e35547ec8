//! The simplex method on a table of machine numbers: it guides the search for extremes and decides
//! nothing.
//!
//! A row is a variable too, `s = a·x`, within the interval of the row. Some variables are *basic*,
//! and the table writes each of them as a sum of the others; those stand at one of their bounds.
//! Another goal starts from where the last one ended.

use std::sync::Arc;

/// Smaller numbers are taken for rounding.
const TINY: f64 = 1e-9;
/// Smaller costs and rates are not acted on: dividing by them would spread rounding.
const SMALLEST: f64 = 1e-6;
/// How far outside its bounds a value may be.
const TOLERANCE: f64 = 1e-7;

/// Variables of a program, basic ones written by the others.
#[derive(Clone)]
pub(super) struct Tableau {
    columns: usize,
    /// The rows as they came in.
    rows: Arc<Vec<Vec<(u32, i64)>>>,
    /// Row by row.
    entries: Vec<f64>,
    basic: Vec<u32>,
    nonbasic: Vec<u32>,
    low: Vec<f64>,
    high: Vec<f64>,
    pub value: Vec<f64>,
    /// Consecutive steps of length zero.
    stuck: usize,
}

/// How a program ended.
pub(super) enum End {
    /// No step improves; what a unit of every variable that is not basic would cost.
    Optimal(Vec<(u32, f64)>),
    /// A direction without end: variables with their rates.
    Ray(Vec<(u32, f64)>),
    /// No values fit: weights of the rows, as variables, that show it.
    Infeasible(Vec<(u32, f64)>),
    /// More steps than were allowed.
    Unfinished,
}

impl Tableau {
    /// Rows as sums of the first variables; bounds of the variables, then of the rows.
    pub fn new(variables: usize, rows: &[&[(u32, i64)]], bounds: &[(f64, f64)]) -> Tableau {
        let (low, high): (Vec<f64>, Vec<f64>) = bounds.iter().copied().unzip();
        let mut tableau = Tableau {
            columns: variables,
            rows: Arc::new(rows.iter().map(|row| row.to_vec()).collect()),
            entries: Vec::new(),
            basic: Vec::new(),
            nonbasic: Vec::new(),
            value: vec![0.0; low.len()],
            low,
            high,
            stuck: 0,
        };
        tableau.start();
        tableau.refresh();
        tableau
    }

    /// The rows are basic, and written as they came in.
    fn start(&mut self) {
        let (variables, rows) = (self.columns, self.rows.len());
        self.entries = vec![0.0; rows * variables];
        for (number, row) in self.rows.iter().enumerate() {
            for (variable, times) in row {
                self.entries[number * variables + *variable as usize] += *times as f64;
            }
        }
        self.basic = (variables as u32..(variables + rows) as u32).collect();
        self.nonbasic = (0..variables as u32).collect();
    }

    /// Makes the same variables basic again, from the rows as they came in: without the rounding of
    /// many steps.
    fn restart(&mut self) {
        let wanted = std::mem::take(&mut self.basic);
        let mut stays = vec![false; self.value.len()];
        wanted.iter().for_each(|variable| stays[*variable as usize] = true);
        self.start();
        let columns = self.columns;
        for variable in wanted.iter().filter(|variable| (**variable as usize) < columns) {
            let Some(column) = self.nonbasic.iter().position(|other| other == variable) else { continue };
            let entry = |row: &usize| self.entries[row * self.columns + column].abs();
            let free = (0..self.basic.len()).filter(|row| !stays[self.basic[*row] as usize]);
            let best = free.max_by(|one, two| entry(one).total_cmp(&entry(two)));
            if let Some(row) = best.filter(|row| entry(row) > SMALLEST) {
                self.pivot(row, column, &mut []);
            }
        }
    }

    /// How far rows are from the sums that they are.
    fn error(&self) -> f64 {
        let row = |(number, row): (usize, &Vec<(u32, i64)>)| {
            let sum: f64 = row.iter().map(|(variable, times)| *times as f64 * self.value[*variable as usize]).sum();
            (sum - self.value[self.columns + number]).abs() / (1.0 + sum.abs())
        };
        self.rows.iter().enumerate().map(row).fold(0.0, f64::max)
    }

    /// Other bounds for a variable; [`Tableau::refresh`] must follow.
    pub fn bind(&mut self, variable: u32, (low, high): (f64, f64)) {
        (self.low[variable as usize], self.high[variable as usize]) = (low, high);
    }

    /// Puts variables that are not basic on their nearest bound and computes the others.
    pub fn refresh(&mut self) {
        self.settle();
        if self.error() > TINY {
            self.restart();
            self.settle();
        }
        self.stuck = 0;
    }

    fn settle(&mut self) {
        for variable in &self.nonbasic {
            let variable = *variable as usize;
            let (low, high, value) = (self.low[variable], self.high[variable], self.value[variable]);
            let nearest = if (value - low).abs() <= (high - value).abs() { low } else { high };
            self.value[variable] = if nearest.is_finite() { nearest } else { 0.0 };
        }
        for (row, variable) in self.basic.iter().enumerate() {
            let entries = &self.entries[row * self.columns..(row + 1) * self.columns];
            let terms = entries.iter().zip(&self.nonbasic).filter(|(entry, _)| **entry != 0.0);
            self.value[*variable as usize] = terms.map(|(entry, other)| entry * self.value[*other as usize]).sum();
        }
    }

    /// Minimises a form over the first variables, from any start.
    pub fn minimise(&mut self, form: &[(u32, f64)], steps: &mut usize) -> End {
        if let Some(end) = self.repair(steps) {
            return end;
        }
        let mut costs = vec![0.0; self.columns];
        let mut place = vec![None; self.value.len()];
        self.basic.iter().enumerate().for_each(|(row, variable)| place[*variable as usize] = Some((true, row)));
        self.nonbasic.iter().enumerate().for_each(|(at, variable)| place[*variable as usize] = Some((false, at)));
        for (variable, times) in form {
            match place[*variable as usize] {
                Some((true, row)) => self.add_row(row, *times, &mut costs),
                Some((false, at)) => costs[at] += times,
                None => {}
            }
        }
        loop {
            let Some((column, direction)) = self.entering(&costs) else {
                return End::Optimal(self.nonbasic.iter().copied().zip(costs).collect());
            };
            if *steps == 0 {
                return End::Unfinished;
            }
            *steps -= 1;
            let Some((length, leaving)) = self.leaving(column, direction, false) else {
                return End::Ray(self.ray(column, direction));
            };
            self.step(column, direction * length, leaving, &mut costs);
        }
    }

    /// Brings basic variables within their bounds; `None` once they are.
    fn repair(&mut self, steps: &mut usize) -> Option<End> {
        loop {
            let mut costs = vec![0.0; self.columns];
            let mut outside = Vec::new();
            for row in 0..self.basic.len() {
                let sign = self.outside(self.basic[row]);
                if sign != 0.0 {
                    self.add_row(row, sign, &mut costs);
                    outside.push((self.basic[row], -sign));
                }
            }
            if outside.is_empty() {
                return None;
            }
            if *steps == 0 {
                return Some(End::Unfinished);
            }
            *steps -= 1;
            let Some((column, direction)) = self.entering(&costs) else {
                outside.extend(self.nonbasic.iter().copied().zip(costs));
                return Some(End::Infeasible(outside));
            };
            match self.leaving(column, direction, true) {
                Some((length, leaving)) => self.step(column, direction * length, leaving, &mut costs),
                None => return Some(End::Unfinished),
            }
        }
    }

    /// 1 above the bounds, −1 below them.
    fn outside(&self, variable: u32) -> f64 {
        let (variable, tolerance) = (variable as usize, TOLERANCE);
        let value = self.value[variable];
        let scaled = tolerance * (1.0 + value.abs() * 1e-6);
        if value > self.high[variable] + scaled {
            1.0
        } else if value < self.low[variable] - scaled {
            -1.0
        } else {
            0.0
        }
    }

    fn add_row(&self, row: usize, times: f64, costs: &mut [f64]) {
        let entries = &self.entries[row * self.columns..(row + 1) * self.columns];
        costs.iter_mut().zip(entries).for_each(|(cost, entry)| *cost += times * entry);
    }

    /// The column whose step lowers the cost most, and its direction; the first one when steps have
    /// led nowhere for long.
    fn entering(&self, costs: &[f64]) -> Option<(usize, f64)> {
        let careful = self.stuck > 50 + self.basic.len();
        let mut best: Option<(usize, f64)> = None;
        for (column, cost) in costs.iter().enumerate().filter(|(_, cost)| cost.abs() > SMALLEST) {
            let variable = self.nonbasic[column] as usize;
            let direction = -cost.signum();
            let end = if direction > 0.0 { self.high[variable] } else { self.low[variable] };
            if self.low[variable] == self.high[variable] || self.value[variable] == end {
                continue;
            }
            let better = match best {
                None => true,
                Some((known, _)) if careful => self.nonbasic[column] < self.nonbasic[known],
                Some((known, _)) => cost.abs() > costs[known].abs(),
            };
            if better {
                best = Some((column, direction));
            }
        }
        best
    }

    /// How far a step goes and which row stops it (`None`: its own other bound); nothing when
    /// nothing stops it.
    fn leaving(&self, column: usize, direction: f64, repairing: bool) -> Option<(f64, Option<usize>)> {
        let careful = self.stuck > 50 + self.basic.len();
        let entering = self.nonbasic[column] as usize;
        let own = self.high[entering] - self.low[entering];
        // How far rows allow, and how far if each bound is missed by a hair: of those between, the
        // safest pivot is taken.
        let mut stops: Vec<(f64, f64, usize)> = Vec::new();
        let mut reach = f64::INFINITY;
        for row in 0..self.basic.len() {
            let rate = self.entries[row * self.columns + column] * direction;
            if rate.abs() < SMALLEST {
                continue;
            }
            let variable = self.basic[row];
            let state = if repairing { self.outside(variable) } else { 0.0 };
            let variable = variable as usize;
            // What is outside stops at the bound that it has missed, and nowhere on its way further
            // out.
            let end = match (state > 0.0, state < 0.0, rate > 0.0) {
                (true, _, true) | (_, true, false) => continue,
                (true, _, false) => self.high[variable],
                (_, true, true) => self.low[variable],
                (_, _, true) => self.high[variable],
                (_, _, false) => self.low[variable],
            };
            let length = ((end - self.value[variable]) / rate).max(0.0);
            if length.is_finite() {
                reach = reach.min(length + TOLERANCE / 10.0 / rate.abs());
                stops.push((length, rate.abs(), row));
            }
        }
        let near = stops.into_iter().filter(|(length, ..)| *length <= reach);
        let best = match careful {
            true => near.min_by_key(|(_, _, row)| self.basic[*row]),
            false => near.max_by(|one, two| one.1.total_cmp(&two.1)),
        };
        match best {
            Some((length, _, row)) if length < own => Some((length, Some(row))),
            _ => own.is_finite().then_some((own, None)),
        }
    }

    fn ray(&self, column: usize, direction: f64) -> Vec<(u32, f64)> {
        let rows = self.basic.iter().enumerate();
        let mut ray: Vec<(u32, f64)> =
            rows.map(|(row, variable)| (*variable, self.entries[row * self.columns + column] * direction)).collect();
        ray.push((self.nonbasic[column], direction));
        ray
    }

    /// Moves the variable of a column, and makes it basic instead of a row's if one stops it.
    fn step(&mut self, column: usize, length: f64, leaving: Option<usize>, costs: &mut [f64]) {
        self.stuck = if length.abs() < TINY { self.stuck + 1 } else { 0 };
        let entering = self.nonbasic[column] as usize;
        for (row, variable) in self.basic.iter().enumerate() {
            self.value[*variable as usize] += self.entries[row * self.columns + column] * length;
        }
        self.value[entering] += length;
        let Some(row) = leaving else {
            let (low, high, value) = (self.low[entering], self.high[entering], self.value[entering]);
            self.value[entering] = if (value - low).abs() < (high - value).abs() { low } else { high };
            return;
        };
        let left = self.basic[row] as usize;
        let (low, high, value) = (self.low[left], self.high[left], self.value[left]);
        self.value[left] = if (value - low).abs() < (high - value).abs() { low } else { high };
        self.pivot(row, column, costs);
    }

    fn pivot(&mut self, row: usize, column: usize, costs: &mut [f64]) {
        let columns = self.columns;
        let own = row * columns;
        let inverse = 1.0 / self.entries[own + column];
        let mut changed: Vec<(usize, f64)> = Vec::new();
        for at in 0..columns {
            let entry = &mut self.entries[own + at];
            if at == column {
                *entry = snapped(inverse);
            } else if *entry != 0.0 {
                *entry = snapped(-*entry * inverse);
                changed.push((at, *entry));
            }
        }
        let inverse = self.entries[own + column];
        for (number, entries) in self.entries.chunks_exact_mut(columns).enumerate() {
            if number != row {
                exchange(entries, column, inverse, &changed);
            }
        }
        if !costs.is_empty() {
            exchange(costs, column, inverse, &changed);
        }
        std::mem::swap(&mut self.basic[row], &mut self.nonbasic[column]);
    }
}

/// Writes a row by the new variable of a column.
fn exchange(entries: &mut [f64], column: usize, inverse: f64, changed: &[(usize, f64)]) {
    let factor = entries[column];
    if factor == 0.0 {
        return;
    }
    for (at, entry) in changed {
        entries[*at] = snapped(entries[*at] + factor * entry);
    }
    entries[column] = snapped(factor * inverse);
}

/// Rounding is removed where a whole number is near: most entries are whole.
fn snapped(entry: f64) -> f64 {
    let whole = entry.round();
    if (entry - whole).abs() < TINY { whole } else { entry }
}
