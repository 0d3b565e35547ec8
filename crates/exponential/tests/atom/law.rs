//! The atom: its output has the law for every atom and every share.

use super::quantities::max;
use crate::tables::targets::{law, number, truncated};
use exponential::{Atom, Listed, Target};

/// The residual kernel on the points and α (last), from the probabilities that the sampler tosses.
#[allow(clippy::needless_range_loop)]
pub fn residual(target: &Listed, atom: &Atom<'_, Listed>) -> Vec<Vec<f64>> {
    let n = target.exponents().len();
    let mut rows = vec![vec![0.0; n + 1]; n + 1];
    for y in 0..n {
        let point = [y as i64];
        let off = atom.stays_off(&point, 80).to_f64();
        let to_atom = atom.to_atom(&point, 80).to_f64();
        rows[y][n] += 1.0 - off;
        let given = off / (1.0 - to_atom);
        rows[y][y] += given * (0.5 - to_atom);
        for next in [y as i64 - 1, y as i64 + 1] {
            let moves = match target.space().contains(&[next]) {
                true => atom.moves(&point, &[next], 80).to_f64(),
                false => 0.0,
            };
            rows[y][y] += given * 0.25 * (1.0 - moves);
            if moves > 0.0 {
                rows[y][next as usize] += given * 0.25 * moves;
            }
        }
        rows[n][y] = atom.leaves().to_f64() / n as f64 * atom.enters(&point, 80).to_f64();
    }
    rows[n][n] = 1.0 - rows[n][..n].iter().sum::<f64>();
    rows
}

/// The law of the last state of a chain from α of geometric length.
pub fn ends(rows: &[Vec<f64>], beta: f64) -> Vec<f64> {
    let size = rows.len();
    let mut state = vec![0.0; size];
    state[size - 1] = 1.0;
    let mut sum = vec![0.0; size];
    let mut left = 1.0;
    while left > 1e-17 {
        sum.iter_mut().zip(&state).for_each(|(sum, mass)| *sum += beta * left * mass);
        let mut next = vec![0.0; size];
        for (mass, row) in state.iter().zip(rows) {
            next.iter_mut().zip(row).for_each(|(next, share)| *next += mass * share);
        }
        state = next;
        left *= 1.0 - beta;
    }
    sum
}

#[test]
fn the_output_has_the_law_for_every_atom_and_share() {
    for target in [truncated(5, 1, "1"), truncated(21, 0, "1/2"), truncated(25, 12, "1/4")] {
        let n = target.exponents().len();
        let expected = law(&target);
        for kappa in ["0.3", "1", "2.5"] {
            for share in ["1/2", "1"] {
                let atom = Atom::new(&target, number(kappa), &number(share));
                let beta = atom.beta().to_f64();
                let rows = residual(&target, &atom);
                for row in &rows {
                    assert!(row.iter().all(|entry| *entry >= -1e-15), "R is a kernel");
                    assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                }
                // Π = β δ_α + (1 − β) R keeps (w, κ per point): α has mass κ·n.
                let mut masses: Vec<f64> = (0..n).map(|k| target.relative(&[k as i64], 80).to_f64()).collect();
                masses.push(number(kappa).to_f64() * n as f64);
                let total: f64 = masses.iter().sum();
                for to in 0..=n {
                    let atom_mass = if to == n { beta * total } else { 0.0 };
                    let arrived: f64 = (0..=n).map(|from| masses[from] * rows[from][to]).sum::<f64>() * (1.0 - beta);
                    assert!((arrived + atom_mass - masses[to]).abs() < 1e-12 * total, "stationary");
                }
                let end = ends(&rows, beta);
                let points: f64 = end[..n].iter().sum();
                for (k, (_, share)) in expected.iter().enumerate() {
                    assert!((end[k] / points - share).abs() < 1e-12);
                }
                // A mutant that returns the atom as the best point has another law.
                let mut mutant = end[..n].to_vec();
                mutant[expected.iter().position(|(_, share)| *share == max(&expected)).unwrap()] += end[n];
                let distance: f64 = mutant.iter().zip(&expected).map(|(one, (_, other))| (one - other).abs()).sum();
                assert!(distance > 0.1);
            }
        }
    }
}
