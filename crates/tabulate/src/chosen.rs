//! `RowsOfUnits`: of every privacy unit that owns more rows than declared, the rows that are
//! counted.
//!
//! The rows of a unit that could be counted are numbered in the order of the files, and every
//! number of a unit has a rank: a hash of the unit's name and the number. Counted are the rows with
//! the smallest ranks, at most as many as declared. So which rows of a unit are counted depends on
//! its name and on how many rows it has, not on what stands in them and not on other units. Proof
//! of what that means: `crates/certify/proofs/units.md`.

use sha2::{Digest, Sha256};
use std::collections::HashMap;

/// What becomes of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Choice {
    /// It is counted.
    Kept,
    /// It is left out.
    LeftOut,
    /// It is counted, and this cell, that of an earlier row of the unit, is not any more.
    Instead(u64),
}

/// The rows so far.
pub(crate) struct RowsOfUnits {
    most: usize,
    units: HashMap<u128, Rows>,
}

#[derive(Default)]
struct Rows {
    seen: u64,
    /// The ranks of the rows that are counted, and their cells.
    kept: Vec<(u64, u64)>,
}

impl RowsOfUnits {
    /// No rows yet, and at most so many of each unit.
    pub fn new(most: u64) -> Self {
        RowsOfUnits { most: usize::try_from(most).unwrap_or(usize::MAX), units: HashMap::new() }
    }

    /// One more row of this unit, which counts in this cell.
    pub fn add(&mut self, unit: u128, cell: u64) -> Choice {
        let rows = self.units.entry(unit).or_default();
        let rank = rank(unit, rows.seen);
        rows.seen += 1;
        if rows.kept.len() < self.most {
            rows.kept.push((rank, cell));
            return Choice::Kept;
        }
        let largest = rows.kept.iter_mut().max_by_key(|(rank, _)| *rank);
        match largest.filter(|(largest, _)| rank < *largest) {
            Some(largest) => Choice::Instead(std::mem::replace(largest, (rank, cell)).1),
            None => Choice::LeftOut,
        }
    }
}

/// The key of a unit with this name: the same in every run, so that the same rows are counted.
pub(crate) fn key_of(name: &[u8]) -> u128 {
    first_bytes(Sha256::new_with_prefix(b"congenial: rows of a unit\n").chain_update(name))
}

fn rank(unit: u128, number: u64) -> u64 {
    let hash = Sha256::new().chain_update(unit.to_be_bytes()).chain_update(number.to_be_bytes());
    (first_bytes(hash) >> 64) as u64
}

fn first_bytes(hash: Sha256) -> u128 {
    hash.finalize().iter().take(16).fold(0, |number, byte| number << 8 | u128::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cells that are counted of rows of units, in the order of the rows.
    fn counted(rows: &[(u8, u64)], most: u64) -> Vec<u64> {
        let mut chosen = RowsOfUnits::new(most);
        let mut counted = Vec::new();
        for (unit, cell) in rows {
            match chosen.add(key_of(&[*unit]), *cell) {
                Choice::Kept => counted.push(*cell),
                Choice::LeftOut => {}
                Choice::Instead(old) => {
                    let place = counted.iter().position(|cell| *cell == old).expect("it was counted");
                    counted[place] = *cell;
                }
            }
        }
        counted.sort_unstable();
        counted
    }

    /// All lists of at most four rows of three units in two cells.
    fn lists() -> Vec<Vec<(u8, u64)>> {
        let rows: Vec<(u8, u64)> = (0..3).flat_map(|unit| (0..2).map(move |cell| (unit, cell))).collect();
        let mut lists = vec![Vec::new()];
        let mut longest = lists.clone();
        for _ in 0..4 {
            longest = longest
                .iter()
                .flat_map(|list: &Vec<(u8, u64)>| {
                    rows.iter().map(move |row| list.iter().copied().chain([*row]).collect::<Vec<_>>())
                })
                .collect();
            lists.extend(longest.clone());
        }
        lists
    }

    #[test]
    fn what_is_counted_of_a_unit_depends_on_its_own_rows_alone() {
        for most in 1..=3 {
            for list in lists() {
                let mut apart: Vec<u64> = (0..3)
                    .flat_map(|unit| {
                        let own: Vec<(u8, u64)> = list.iter().copied().filter(|(owner, _)| *owner == unit).collect();
                        let counted = counted(&own, most);
                        assert_eq!(counted.len(), own.len().min(most as usize));
                        counted
                    })
                    .collect();
                apart.sort_unstable();
                assert_eq!(counted(&list, most), apart, "{list:?}, {most}");
            }
        }
    }

    #[test]
    fn every_row_of_a_unit_may_be_counted() {
        let mut times = [0u32; 5];
        for unit in 0..200 {
            let rows: Vec<(u8, u64)> = (0..5).map(|row| (unit, row)).collect();
            counted(&rows, 2).into_iter().for_each(|row| times[row as usize] += 1);
        }
        // 400 rows of 1000: 80 of each are expected, with a standard deviation below 7.
        assert!(times.iter().all(|times| (50..=110).contains(times)), "{times:?}");
    }
}
