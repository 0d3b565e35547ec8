//! The tables that experiments walk in: margins, subsets, seeded counts.

use analyse::{Demand, Fibre, FibreRow, Lattice};
use declare::Problem;
use draw::NoiseLaw;
use exact::{Entropy, Rational, Seeded, Source};
use walk::{Steps, Walk};

/// The noise tables on these cells that change none of the sums over sets of cells.
pub fn noise(cells: usize, sets: &[Vec<u32>]) -> Fibre {
    with_sums(&vec![0; cells], sets, None)
}

/// The tables with the same sums over sets as these counts, and no count below zero.
pub fn nonnegative(counts: &[i64], sets: &[Vec<u32>]) -> Fibre {
    with_sums(counts, sets, Some(0))
}

fn with_sums(counts: &[i64], sets: &[Vec<u32>], least: Option<i64>) -> Fibre {
    let row = |set: &Vec<u32>| FibreRow {
        entries: set.iter().map(|cell| (*cell, 1)).collect(),
        demand: Demand::Equal(set.iter().map(|cell| counts[*cell as usize]).sum()),
    };
    Fibre {
        cells: (0..counts.len() as u32).collect(),
        bounds: vec![(least, None); counts.len()],
        rows: sets.iter().map(row).collect(),
        noise_on_cells: true,
    }
}

/// The cells of every total when the dimensions in `kept` are kept and all others summed; the last
/// dimension is the fastest.
pub fn margin(sizes: &[usize], kept: &[usize]) -> Vec<Vec<u32>> {
    let cells: usize = sizes.iter().product();
    let mut sets = vec![Vec::new(); kept.iter().map(|dimension| sizes[*dimension]).product()];
    for cell in 0..cells {
        let place = |dimension: usize| cell / sizes[dimension + 1..].iter().product::<usize>() % sizes[dimension];
        let group = kept.iter().fold(0, |group, dimension| group * sizes[*dimension] + place(*dimension));
        sets[group].push(cell as u32);
    }
    sets
}

/// Several margins together.
pub fn margins(sizes: &[usize], kept: &[&[usize]]) -> Vec<Vec<u32>> {
    kept.iter().flat_map(|kept| margin(sizes, kept)).collect()
}

/// Counts from 0 to 10, all equally likely, from a fixed seed.
pub fn seeded_counts(cells: usize) -> Result<Vec<i64>, Problem> {
    let mut bits = Seeded::new(2026).stream(0).map_err(|error| Problem::system(error.to_string()))?;
    let mut count = || {
        loop {
            let value = bits.bits(4);
            if value <= 10 {
                return value as i64;
            }
        }
    };
    Ok((0..cells).map(|_| count()).collect())
}

/// The lattice walk in a fibre.
pub fn walk(fibre: &Fibre, law: &NoiseLaw) -> Result<Walk, Problem> {
    let lattice = Lattice::of_fibre(fibre)?;
    Walk::new(Steps::Lattice, fibre.clone(), lattice, law, &[]).map_err(Problem::refused)
}

/// The two laws of the ISDP paper: of the ℓ₁ norm and of the ℓ₂ norm.
pub fn norms(epsilon: &Rational) -> [(&'static str, &'static str, NoiseLaw); 2] {
    [
        ("l1", "ℓ₁", NoiseLaw::double_geometric(epsilon.clone())),
        ("l2", "ℓ₂", NoiseLaw::lattice_laplace(epsilon.clone())),
    ]
}

#[cfg(test)]
mod tests {
    use super::{margin, margins, seeded_counts};

    #[test]
    fn margins_sum_the_dimensions_that_are_not_kept() {
        assert_eq!(margin(&[2, 3], &[0]), [vec![0, 1, 2], vec![3, 4, 5]]);
        assert_eq!(margin(&[2, 3], &[1]), [vec![0, 3], vec![1, 4], vec![2, 5]]);
        assert_eq!(margin(&[2, 3, 2], &[0, 2])[3], [7, 9, 11]);
        assert_eq!(margins(&[12, 12, 6], &[&[0, 1], &[0, 2], &[1, 2]]).len(), 144 + 72 + 72);
    }

    #[test]
    fn counts_are_small_and_the_same_every_time() {
        let counts = seeded_counts(1000).unwrap();
        assert!(counts.iter().all(|count| (0..=10).contains(count)) && (0..=10).all(|count| counts.contains(&count)));
        assert_eq!(counts[..100], seeded_counts(100).unwrap());
    }
}
