//! Independence modulo primes: vectors that are independent there are independent.

/// A prime below 2³¹, so that products fit in a machine word.
const PRIME: u64 = 2_147_483_647;

/// Vectors, reduced one after another modulo a prime.
#[derive(Default)]
pub(crate) struct Modular {
    reduced: Vec<(usize, Vec<u64>)>,
}

impl Modular {
    /// Adds a vector, if it is independent of those before.
    pub(crate) fn insert(&mut self, entries: impl Iterator<Item = i64>) -> bool {
        let mut vector: Vec<u64> = entries.map(|entry| residue(i128::from(entry), PRIME)).collect();
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

/// Whether sparse columns, given as `(row, entry)`, are independent; `false` may be wrong for numbers that the prime divides.
///
/// The columns are reduced from the left, each by those before it (a sparse LU factorisation). `pivots` are rows in which
/// to look first.
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
            value[*row as usize] = (value[*row as usize] + residue(i128::from(*entry), PRIME)) % PRIME;
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
/// It is smaller than the product of the lengths of the rows (Hadamard). So it is known from its remainders modulo primes whose
/// product is more than twice that, and it is 1 when all remainders are 1, or −1 when all are −1.
pub(crate) fn is_unimodular(matrix: &[Vec<i64>]) -> bool {
    let squared = |row: &Vec<i64>| row.iter().map(|entry| (*entry as f64).powi(2)).sum::<f64>();
    // A few bits more than any rounding of the sum can hide.
    let mut bits = 16.0 + matrix.iter().map(|row| 0.5 * squared(row).max(1.0).log2() + 0.001).sum::<f64>();
    let mut prime = PRIME;
    let mut sign: Option<bool> = None;
    while bits > 0.0 {
        let determinant = determinant(matrix, prime);
        if determinant != 1 && determinant != prime - 1 {
            return false;
        }
        if *sign.get_or_insert(determinant == 1) != (determinant == 1) {
            return false;
        }
        bits -= 30.0;
        prime = next_prime(prime);
    }
    true
}

fn determinant(matrix: &[Vec<i64>], prime: u64) -> u64 {
    let mut rows: Vec<Vec<u64>> =
        matrix.iter().map(|row| row.iter().map(|entry| residue(i128::from(*entry), prime)).collect()).collect();
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

fn residue(value: i128, prime: u64) -> u64 {
    value.rem_euclid(i128::from(prime)) as u64
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

/// The largest prime below an odd one.
fn next_prime(prime: u64) -> u64 {
    let is_prime =
        |number: &u64| (3..).step_by(2).take_while(|divisor| divisor * divisor <= *number).all(|d| number % d != 0);
    (1..prime).rev().filter(|number| number % 2 == 1).find(is_prime).unwrap_or(3)
}
