//! Which totals repeat others, by elimination modulo a prime: what they ask is granted by the rest,
//! and they may hide a network.
//!
//! A total that is independent of others modulo the prime is independent. The converse could fail
//! for large determinants; then a total would be left out of the network that others do not grant,
//! and the check of the result in integers would refuse it.

use std::collections::{BTreeMap, HashMap};

/// 2^61 − 1.
const PRIME: u64 = (1 << 61) - 1;

/// The most steps of elimination; rows that are left then count as independent.
const MOST_STEPS: usize = 20_000_000;

type Sparse = Vec<(u32, u64)>;

/// Rows in echelon form, by their first columns, each with a one there.
struct Echelon {
    pivots: HashMap<u32, Sparse>,
    steps: usize,
}

/// For every total whether it is independent of smaller ones, and for every other sum whether it is
/// no combination of totals.
pub(crate) fn independent(cells: usize, totals: &[&[(u32, i64)]], sums: &[&[(u32, i64)]]) -> (Vec<bool>, Vec<bool>) {
    let column = columns(cells, totals, sums);
    let mut echelon = Echelon { pivots: HashMap::new(), steps: 0 };
    let mut order: Vec<usize> = (0..totals.len()).collect();
    order.sort_by_key(|total| totals[*total].len());
    let mut kept = vec![true; totals.len()];
    for total in order {
        match echelon.reduced(totals[total], &column) {
            Some(rest) if rest.is_empty() => kept[total] = false,
            Some(rest) => echelon.insert(rest),
            None => break,
        }
    }
    let free = |sum: &&[(u32, i64)]| echelon.reduced(sum, &column).is_none_or(|rest| !rest.is_empty());
    let sums = sums.iter().map(free).collect();
    (kept, sums)
}

/// One cell for all that no row tells apart: for every cell the number of its class, none for those
/// after the first.
fn columns(cells: usize, totals: &[&[(u32, i64)]], sums: &[&[(u32, i64)]]) -> Vec<Option<u32>> {
    let mut taken: Vec<Vec<(u32, i64)>> = vec![Vec::new(); cells];
    for (number, row) in totals.iter().chain(sums).enumerate() {
        row.iter().for_each(|(cell, times)| taken[*cell as usize].push((number as u32, *times)));
    }
    let mut seen = HashMap::new();
    taken
        .into_iter()
        .map(|taken| {
            let next = seen.len() as u32;
            let mut is_first = false;
            seen.entry(taken).or_insert_with(|| is_first = true);
            is_first.then_some(next)
        })
        .collect()
}

impl Echelon {
    /// A row less its combination of earlier ones; `None` when that takes too long.
    fn reduced(&mut self, row: &[(u32, i64)], column: &[Option<u32>]) -> Option<Sparse> {
        let small = |times: i64| times.rem_euclid(PRIME as i64) as u64;
        let mut work: BTreeMap<u32, u64> = row
            .iter()
            .filter_map(|(cell, times)| column[*cell as usize].map(|column| (column, small(*times))))
            .collect();
        let mut rest = Sparse::new();
        while let Some((column, value)) = work.pop_first() {
            if value == 0 {
                continue;
            }
            let Some(pivot) = self.pivots.get(&column) else {
                rest.push((column, value));
                continue;
            };
            self.steps += pivot.len();
            if self.steps > MOST_STEPS {
                return None;
            }
            for (other, times) in &pivot[1..] {
                let entry = work.entry(*other).or_insert(0);
                *entry = (*entry + PRIME - product(value, *times)) % PRIME;
            }
        }
        Some(rest)
    }

    /// Scaled to begin with a one.
    fn insert(&mut self, mut row: Sparse) {
        let inverse = power(row[0].1, PRIME - 2);
        row.iter_mut().for_each(|(_, value)| *value = product(*value, inverse));
        self.pivots.insert(row[0].0, row);
    }
}

fn product(one: u64, other: u64) -> u64 {
    (u128::from(one) * u128::from(other) % u128::from(PRIME)) as u64
}

fn power(mut base: u64, mut exponent: u64) -> u64 {
    let mut result = 1;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = product(result, base);
        }
        base = product(base, base);
        exponent >>= 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::independent;

    #[test]
    fn a_total_of_totals_is_redundant() {
        let all: Vec<(u32, i64)> = (0..4).map(|cell| (cell, 1)).collect();
        let rows = [&all[..], &all[..2], &all[2..], &[(0, 1), (2, 1)], &[(1, 2), (3, 2)]];
        let (kept, free) = independent(4, &rows, &[&all[..3], &[(0, 1), (1, 1), (2, -1), (3, -1)]]);
        assert_eq!(kept.iter().filter(|kept| **kept).count(), 3);
        assert!(!kept[0]);
        assert_eq!(free, [true, false]);
    }
}
