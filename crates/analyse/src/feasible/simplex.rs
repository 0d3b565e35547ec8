//! Linear programs in exact integers: a point of fractions that keeps rows and bounds, or the
//! combination of rows that forbids it.
//!
//! The first phase of the simplex method on a tableau of integers over one common denominator D,
//! the determinant of the basis (Edmonds): with pivot p, every other row becomes
//! `(p·row − entry·pivot row)/D`, without remainder, and p is the next D. The steepest column
//! enters at first; after many pivots Bland's rule takes over, which cannot go in circles.

use crate::fibre::Fibre;
use crate::sums::Demand;
use exact::{Integer, Rational};

/// What a program came to.
pub(super) enum Answer {
    /// Values of the cells.
    Point(Vec<Rational>),
    /// Rows of the fibre with factors: a sum that bounds forbid.
    Contradiction(Vec<(usize, Rational)>),
    /// More work than was allowed.
    Unfinished,
}

/// How a cell is written with variables that are not negative: lower bound plus variable, upper
/// bound less variable, or the difference of two.
struct Written {
    bound: i64,
    first_column: usize,
    signs: &'static [i64],
}

impl Written {
    fn terms(&self) -> impl Iterator<Item = (usize, i64)> {
        (self.first_column..).zip(self.signs.iter().copied())
    }
}

/// The number of entries in the tableau of a fibre.
pub(super) fn size(fibre: &Fibre) -> usize {
    let both = fibre.bounds.iter().filter(|(low, high)| low.is_some() && high.is_some()).count();
    let rows = fibre.rows.iter().filter(|row| !matches!(row.demand, Demand::Noisy { .. })).count() + both;
    rows * (fibre.cells.len() + 2 * rows)
}

struct Tableau {
    /// Entries times D; the last column holds the values of the rows, the last row the reduced
    /// costs.
    rows: Vec<Vec<Integer>>,
    denominator: Integer,
    basic: Vec<usize>,
    /// Columns from here on are artificial and never enter.
    artificial: usize,
}

/// Solves; `work` loses the number of entries that were changed.
pub(super) fn solve(fibre: &Fibre, work: &mut usize) -> Answer {
    let mut written: Vec<Written> = Vec::with_capacity(fibre.cells.len());
    let mut columns = 0;
    for bounds in &fibre.bounds {
        let (bound, signs): (i64, &[i64]) = match bounds {
            (Some(low), _) => (*low, &[1]),
            (None, Some(high)) => (*high, &[-1]),
            (None, None) => (0, &[1, -1]),
        };
        written.push(Written { bound, first_column: columns, signs });
        columns += signs.len();
    }
    let mut rows = Vec::new();
    for (number, row) in fibre.rows.iter().enumerate() {
        let (slack, bound) = match row.demand {
            Demand::Equal(value) => (0, value),
            Demand::AtLeast(value) => (-1, value),
            Demand::AtMost(value) => (1, value),
            Demand::Noisy { .. } => continue,
        };
        let mut entries = Vec::with_capacity(row.entries.len());
        let mut value = Integer::from(bound);
        for (cell, times) in &row.entries {
            let written = &written[*cell as usize];
            entries.extend(written.terms().map(|(column, sign)| (column, sign * times)));
            value -= Integer::from(*times) * written.bound;
        }
        rows.push(Line { of: Some(number), entries, slack, value });
    }
    for (cell, bounds) in fibre.bounds.iter().enumerate() {
        if let (Some(low), Some(high)) = bounds {
            let value = Integer::from(*high) - Integer::from(*low);
            if value < Integer::ZERO {
                return Answer::Contradiction(Vec::new());
            }
            rows.push(Line { of: None, entries: vec![(written[cell].first_column, 1)], slack: 1, value });
        }
    }
    let (mut tableau, signs) = Tableau::new(columns, &rows);
    if !tableau.minimise(work) {
        return Answer::Unfinished;
    }
    let costs = &tableau.rows[rows.len()];
    if !costs[costs.len() - 1].is_zero() {
        let factors = rows.iter().enumerate().filter_map(|(number, row)| {
            let factor = tableau.price(number, &rows) * Rational::integer(signs[number]);
            row.of.filter(|_| !factor.is_zero()).map(|of| (of, factor))
        });
        return Answer::Contradiction(factors.collect());
    }
    let value = |column: usize| match tableau.basic.iter().position(|basic| *basic == column) {
        Some(row) => tableau.fraction(&tableau.rows[row][tableau.rows[row].len() - 1]),
        None => Rational::integer(0),
    };
    let point = |written: &Written| {
        let terms = written.terms().map(|(column, sign)| value(column) * Rational::integer(sign));
        terms.fold(Rational::integer(written.bound), |sum, term| sum + term)
    };
    Answer::Point(written.iter().map(point).collect())
}

/// A row before it is in the tableau; a slack of zero means an equality.
struct Line {
    of: Option<usize>,
    entries: Vec<(usize, i64)>,
    slack: i64,
    value: Integer,
}

impl Tableau {
    /// The start, and the sign by which each row was multiplied so that its value is not negative.
    ///
    /// Column `columns + i` is the slack of row i (empty for equalities), `artificial + i` its
    /// artificial variable.
    fn new(columns: usize, lines: &[Line]) -> (Tableau, Vec<i64>) {
        let artificial = columns + lines.len();
        let width = artificial + lines.len() + 1;
        let mut rows = vec![vec![Integer::ZERO; width]; lines.len() + 1];
        let (mut signs, mut basic) = (Vec::new(), Vec::new());
        for (number, line) in lines.iter().enumerate() {
            let sign = if line.value < Integer::ZERO { -1 } else { 1 };
            for (column, times) in &line.entries {
                rows[number][*column] += Integer::from(*times) * sign;
            }
            rows[number][columns + number] = Integer::from(line.slack * sign);
            rows[number][width - 1] = &line.value * sign;
            signs.push(sign);
            if line.slack * sign == 1 {
                basic.push(columns + number);
                continue;
            }
            basic.push(artificial + number);
            for column in (0..artificial).chain([width - 1]) {
                let entry = rows[number][column].clone();
                rows[lines.len()][column] -= entry;
            }
            rows[number][artificial + number] = Integer::ONE;
        }
        (Tableau { rows, denominator: Integer::ONE, basic, artificial }, signs)
    }

    fn minimise(&mut self, work: &mut usize) -> bool {
        let (height, width) = (self.basic.len(), self.rows[0].len());
        let steep = 4 * (height + self.artificial);
        for pivot in 0.. {
            let costs = &self.rows[height];
            if costs[width - 1].is_zero() {
                return true;
            }
            let negative = (0..self.artificial).filter(|column| costs[*column] < Integer::ZERO);
            let entering = if pivot < steep { negative.min_by_key(|column| &costs[*column]) } else { negative.min() };
            let Some(entering) = entering else {
                return true;
            };
            let Some(leaving) = self.leaving(entering) else {
                // The sum of artificial variables is bounded, so some row always leaves.
                return true;
            };
            let changed = self.pivot(leaving, entering) * width;
            if *work < changed {
                return false;
            }
            *work -= changed;
        }
        true
    }

    /// The row that first reaches zero; of several the one whose variable has the smallest number.
    fn leaving(&self, entering: usize) -> Option<usize> {
        let value = |row: usize| &self.rows[row][self.rows[row].len() - 1];
        let candidates = (0..self.basic.len()).filter(|row| self.rows[*row][entering] > Integer::ZERO);
        candidates.min_by(|one, other| {
            let left = value(*one) * &self.rows[*other][entering];
            let right = value(*other) * &self.rows[*one][entering];
            left.cmp(&right).then(self.basic[*one].cmp(&self.basic[*other]))
        })
    }

    /// Makes a column basic instead of a row's; returns how many rows that changed.
    fn pivot(&mut self, leaving: usize, entering: usize) -> usize {
        let mut rows_changed = 0;
        let pivot_row = std::mem::take(&mut self.rows[leaving]);
        let pivot = pivot_row[entering].clone();
        let same = pivot == self.denominator;
        for row in self.rows.iter_mut().filter(|row| !row.is_empty()) {
            let factor = row[entering].clone();
            if factor.is_zero() && same {
                continue;
            }
            rows_changed += 1;
            for (entry, other) in row.iter_mut().zip(&pivot_row) {
                let unchanged = factor.is_zero() || other.is_zero();
                if unchanged && (same || entry.is_zero()) {
                    continue;
                }
                let mut changed = &*entry * &pivot;
                if !unchanged {
                    changed -= &factor * other;
                }
                *entry = if self.denominator.is_one() { changed } else { changed / &self.denominator };
            }
        }
        self.rows[leaving] = pivot_row;
        self.denominator = pivot;
        self.basic[leaving] = entering;
        rows_changed
    }

    /// The price of a row: the cost of its first basic variable less that variable's reduced cost.
    fn price(&self, number: usize, lines: &[Line]) -> Rational {
        let costs = &self.rows[lines.len()];
        let own = self.artificial + number;
        // The column of the artificial variable is empty when the slack stood in for it.
        let slack = self.artificial - lines.len() + number;
        let started_with_slack = self.rows.iter().all(|row| row[own].is_zero());
        match started_with_slack {
            true => -self.fraction(&costs[slack]),
            false => Rational::integer(1) - self.fraction(&costs[own]),
        }
    }

    fn fraction(&self, entry: &Integer) -> Rational {
        Rational::new(entry.clone(), self.denominator.clone().into_parts().1)
    }
}
