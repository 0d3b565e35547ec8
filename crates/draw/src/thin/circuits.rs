//! The smallest `‖z‖₁/‖z‖₂` over a lattice's span, by its circuits: vectors whose support holds no
//! other's.
//!
//! Every vector of the span is a sum of circuits without opposite signs in any cell, so its ℓ₁ norm
//! is the sum of theirs and its ℓ₂ norm at most that: the smallest ratio is a circuit's. A circuit
//! is what is left of the span when as many cells as it has dimensions, less one, are made zero;
//! all such choices are tried.

/// More choices than this are not tried.
const MOST_CHOICES: u64 = 1_500_000;

/// Numbers that the rows of all levels of a search may hold together, twice: a gigabyte.
const MOST_KEPT: usize = 1 << 27;

/// The span of some vectors, of which cells are made zero one after the other.
struct CircuitSearch {
    cells: usize,
    choices: u64,
    /// The smallest ratio squared so far: ‖c‖₁² over ‖c‖₂².
    least: Option<(i128, i128)>,
}

/// `a²` as a fraction, for a² the smallest `‖z‖₁²/‖z‖₂²`; `None` when there are too many circuits,
/// or too large ones.
pub(super) fn least_ratio(cells: usize, basis: &[Vec<(u32, i64)>]) -> Option<(i128, i128)> {
    // A search keeps the rows of every level: as many levels as rows.
    if (basis.len() * basis.len()).saturating_mul(cells) > MOST_KEPT {
        return None;
    }
    // Cells that take the same value in every vector, or its negative, are zero together; those
    // alone at zero are no choice.
    let mut rows = vec![vec![0i128; cells]; basis.len()];
    for (row, vector) in rows.iter_mut().zip(basis) {
        vector.iter().for_each(|(cell, value)| row[*cell as usize] = i128::from(*value));
    }
    let mut order: Vec<usize> = (0..cells).filter(|cell| rows.iter().any(|row| row[*cell] != 0)).collect();
    let lines: Vec<Vec<i128>> = (0..cells).map(|cell| line(rows.iter().map(|row| row[cell]).collect())).collect();
    let mut seen = std::collections::HashSet::new();
    order.retain(|cell| seen.insert(lines[*cell].clone()));
    let mut search = CircuitSearch { cells, choices: 0, least: None };
    search.descend(rows, &order)?;
    search.least
}

/// The line through the origin on which a vector lies: without common factors, the first entry
/// above zero.
fn line(mut vector: Vec<i128>) -> Vec<i128> {
    let common = vector.iter().fold(0, |common, value| divisor(common, *value));
    let sign = vector.iter().find(|value| **value != 0).map_or(1, |value| value.signum());
    if common != 0 {
        vector.iter_mut().for_each(|value| *value = *value / common * sign);
    }
    vector
}

fn divisor(one: i128, other: i128) -> i128 {
    let (mut one, mut other) = (one.abs(), other.abs());
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}

impl CircuitSearch {
    /// Makes one of these cells zero, and goes on with those after it; `None` when a limit is
    /// reached.
    fn descend(&mut self, rows: Vec<Vec<i128>>, order: &[usize]) -> Option<()> {
        if let [circuit] = rows.as_slice() {
            self.meet(circuit)?;
            return Some(());
        }
        for (place, cell) in order.iter().enumerate() {
            // As many cells must be left as there are dimensions to lose.
            if order.len() - place + 1 < rows.len() {
                break;
            }
            let Some(pivot) = rows.iter().position(|row| row[*cell] != 0) else { continue };
            self.choices += 1;
            if self.choices > MOST_CHOICES {
                return None;
            }
            let mut left = Vec::with_capacity(rows.len() - 1);
            for (_, row) in rows.iter().enumerate().filter(|(number, _)| *number != pivot) {
                if row[*cell] == 0 {
                    left.push(row.clone());
                    continue;
                }
                let (times, less) = (rows[pivot][*cell], row[*cell]);
                let mut next = Vec::with_capacity(self.cells);
                for (value, other) in row.iter().zip(&rows[pivot]) {
                    next.push(value.checked_mul(times)?.checked_sub(other.checked_mul(less)?)?);
                }
                left.push(line(next));
            }
            self.descend(left, &order[place + 1..])?;
        }
        Some(())
    }

    fn meet(&mut self, circuit: &[i128]) -> Option<()> {
        let sum = circuit.iter().try_fold(0i128, |sum, value| sum.checked_add(value.abs()))?;
        let above = sum.checked_mul(sum)?;
        let below = circuit.iter().try_fold(0i128, |sum, value| sum.checked_add(value.checked_mul(*value)?))?;
        let smaller = match self.least {
            None => true,
            Some((least, of)) => above.checked_mul(of)? < least.checked_mul(below)?,
        };
        if smaller {
            self.least = Some((above, below));
        }
        Some(())
    }
}
