//! Independence modulo primes: vectors that are independent there are independent.

use exact::Integer;

/// A prime below 2³¹, so that products fit in a machine word.
const PRIME: u64 = 2_147_483_647;

/// Vectors, reduced one after another modulo a prime.
#[derive(Default)]
pub(crate) struct Modular {
    reduced: Vec<(usize, Vec<u64>)>,
}

impl Modular {
    /// Adds a vector, if it is independent of those before.
    pub(crate) fn insert(&mut self, entries: &[Integer]) -> bool {
        let mut vector: Vec<u64> = entries.iter().map(|entry| remainder(entry, PRIME)).collect();
        for (pivot, other) in &self.reduced {
            let factor = vector[*pivot];
            if factor != 0 {
                vector.iter_mut().zip(other).for_each(|(entry, other)| {
                    *entry = (*entry + (PRIME - factor) * other) % PRIME;
                });
            }
        }
        let Some(pivot) = vector.iter().position(|entry| *entry != 0) else {
            return false;
        };
        let inverse = power(vector[pivot], PRIME - 2, PRIME);
        vector.iter_mut().for_each(|entry| *entry = *entry * inverse % PRIME);
        self.reduced.push((pivot, vector));
        true
    }
}

/// Whether sparse columns, given as `(row, entry)`, are independent; `false` may be wrong for
/// numbers that the prime divides.
///
/// The columns are reduced from the left, each by those before it (a sparse LU factorisation).
/// `pivots` are rows in which to look first.
pub(crate) fn independent(rows: usize, columns: &[&[(u32, i64)]], pivots: &[Option<u32>]) -> bool {
    let mut lower: Vec<Vec<(u32, u64)>> = Vec::with_capacity(columns.len());
    let mut pivot_of: Vec<u32> = vec![u32::MAX; rows];
    let mut taken = vec![0u32; rows];
    columns.iter().flat_map(|column| column.iter()).for_each(|(row, _)| taken[*row as usize] += 1);
    let mut value = vec![0u64; rows];
    let mut is_touched = vec![false; rows];
    for (number, (column, wanted)) in columns.iter().zip(pivots).enumerate() {
        let mut touched: Vec<u32> = Vec::new();
        let mut waiting = std::collections::BinaryHeap::new();
        let touch = |row: u32,
                     is_touched: &mut [bool],
                     touched: &mut Vec<u32>,
                     waiting: &mut std::collections::BinaryHeap<_>| {
            if !std::mem::replace(&mut is_touched[row as usize], true) {
                touched.push(row);
                if pivot_of[row as usize] != u32::MAX {
                    waiting.push(std::cmp::Reverse((pivot_of[row as usize], row)));
                }
            }
        };
        for (row, entry) in *column {
            touch(*row, &mut is_touched, &mut touched, &mut waiting);
            value[*row as usize] = (value[*row as usize] + residue(*entry, PRIME)) % PRIME;
        }
        while let Some(std::cmp::Reverse((pivot, row))) = waiting.pop() {
            let factor = value[row as usize];
            if factor == 0 {
                continue;
            }
            for (row, entry) in &lower[pivot as usize] {
                touch(*row, &mut is_touched, &mut touched, &mut waiting);
                value[*row as usize] = (value[*row as usize] + (PRIME - factor) * entry) % PRIME;
            }
        }
        let open = |row: &u32| pivot_of[*row as usize] == u32::MAX && value[*row as usize] != 0;
        let found =
            wanted.filter(open).or_else(|| touched.iter().copied().filter(open).min_by_key(|row| taken[*row as usize]));
        let Some(found) = found else {
            return false;
        };
        let inverse = power(value[found as usize], PRIME - 2, PRIME);
        let scaled = |row: &u32| (*row, value[*row as usize] * inverse % PRIME);
        lower.push(touched.iter().filter(|row| **row != found && open(row)).map(scaled).collect());
        pivot_of[found as usize] = number as u32;
        for row in touched {
            value[row as usize] = 0;
            is_touched[row as usize] = false;
        }
    }
    true
}

/// Whether the determinant of a square matrix is 1 or −1.
///
/// Its square is at most the product of the squared lengths of the rows (Hadamard). So it is known
/// from its remainders modulo primes whose product is more than twice that bound, and it is 1 when
/// all remainders are 1, or −1 when all are −1.
pub(crate) fn is_unimodular(matrix: &[Vec<Integer>]) -> bool {
    let squared = |row: &Vec<Integer>| bits(row.iter().map(|entry| entry * entry).sum());
    let bound = matrix.iter().map(squared).sum::<usize>() / 2 + 2;
    let mut prime = PRIME;
    let mut sign: Option<bool> = None;
    // The primes that are used are all above 2³⁰.
    for _ in 0..=bound / 30 {
        let determinant = determinant(matrix, prime);
        if determinant != 1 && determinant != prime - 1 {
            return false;
        }
        if *sign.get_or_insert(determinant == 1) != (determinant == 1) {
            return false;
        }
        prime = next_prime(prime);
    }
    true
}

/// The least b with `value < 2^b`, of a value that is not negative.
fn bits(mut value: Integer) -> usize {
    let mut bits = 0;
    while !value.is_zero() {
        value >>= 1;
        bits += 1;
    }
    bits
}

fn determinant(matrix: &[Vec<Integer>], prime: u64) -> u64 {
    let mut rows: Vec<Vec<u64>> =
        matrix.iter().map(|row| row.iter().map(|entry| remainder(entry, prime)).collect()).collect();
    let mut determinant = 1;
    for pivot in 0..rows.len() {
        let Some(found) = (pivot..rows.len()).find(|row| rows[*row][pivot] != 0) else {
            return 0;
        };
        if found != pivot {
            rows.swap(found, pivot);
            determinant = prime - determinant;
        }
        let (above, below) = rows.split_at_mut(pivot + 1);
        let above = &above[pivot];
        determinant = determinant * above[pivot] % prime;
        let inverse = power(above[pivot], prime - 2, prime);
        for row in below.iter_mut().filter(|row| row[pivot] != 0) {
            let factor = prime - row[pivot] * inverse % prime;
            row[pivot..].iter_mut().zip(&above[pivot..]).for_each(|(entry, other)| {
                *entry = (*entry + factor * other) % prime;
            });
        }
    }
    determinant
}

fn residue(value: i64, prime: u64) -> u64 {
    i128::from(value).rem_euclid(i128::from(prime)) as u64
}

fn remainder(value: &Integer, prime: u64) -> u64 {
    match i64::try_from(value) {
        Ok(small) => residue(small, prime),
        // What is left after division is below the prime.
        Err(_) => i64::try_from(value % Integer::from(prime)).map_or(0, |rest| residue(rest, prime)),
    }
}

fn power(base: u64, mut exponent: u64, prime: u64) -> u64 {
    let (mut base, mut result) = (base % prime, 1);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result * base % prime;
        }
        base = base * base % prime;
        exponent >>= 1;
    }
    result
}

/// The largest prime below an odd number.
fn next_prime(prime: u64) -> u64 {
    let is_prime = |number: &u64| {
        (3..)
            .step_by(2)
            .take_while(|divisor| divisor * divisor <= *number)
            .all(|divisor| !number.is_multiple_of(divisor))
    };
    (1..prime).rev().filter(|number| number % 2 == 1).find(is_prime).unwrap_or(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integers(rows: &[&[i64]]) -> Vec<Vec<Integer>> {
        rows.iter().map(|row| row.iter().map(|entry| Integer::from(*entry)).collect()).collect()
    }

    #[test]
    fn determinants_of_one_are_told_from_others() {
        assert!(is_unimodular(&[]));
        assert!(is_unimodular(&integers(&[&[1]])) && is_unimodular(&integers(&[&[-1]])));
        assert!(is_unimodular(&integers(&[&[2, 1], &[1, 1]])) && is_unimodular(&integers(&[&[0, 1], &[1, 0]])));
        assert!(!is_unimodular(&integers(&[&[2, 0], &[0, 1]])) && !is_unimodular(&integers(&[&[1, 1], &[1, 1]])));
        // 1 modulo the first prime, and modulo the first two, but not 1.
        let prime = PRIME as i64;
        assert!(!is_unimodular(&integers(&[&[prime + 1]])));
        let second = next_prime(PRIME) as i64;
        assert_eq!(second, 2_147_483_629);
        assert!(!is_unimodular(&[vec![Integer::from(prime) * second + 1]]));
        assert!(!is_unimodular(&[vec![Integer::from(prime) * second - 1]]));
    }

    #[test]
    fn sparse_columns_are_independent_or_not() {
        let columns: [&[(u32, i64)]; 3] = [&[(0, 1), (1, 1)], &[(1, 1), (2, 1)], &[(0, 1), (2, 1)]];
        assert!(independent(3, &columns, &[None; 3]), "an odd cycle has determinant 2");
        let even: [&[(u32, i64)]; 3] = [&[(0, 1), (1, 1)], &[(1, 1), (2, -1)], &[(0, 1), (2, 1)]];
        assert!(!independent(3, &even, &[Some(0), Some(1), Some(2)]), "the first is the sum of the others");
        assert!(!independent(3, &[&[]], &[None]) && independent(3, &[], &[]));
    }
}
