//! One table that stands for all that are believed; and how imputations are combined.

use crate::basis::Wanted;
use crate::believed::Believed;
use crate::chain::Walkable;
use crate::posterior::Posterior;
use crate::query::Query;
use crate::release::Release;
use crate::student;
use declare::{Domain, Kind, Problem};
use rayon::prelude::*;

/// Which table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Best {
    /// The median of every cell by itself: least expected |error|; totals need not add up.
    #[default]
    Median,
    /// The mean of every cell by itself: least expected squared error; totals add up, counts are no
    /// whole numbers.
    Mean,
    /// Whole numbers with all totals, bounds and rules, nearest to the mean.
    Consistent,
}

/// A table with what is believed of its cells.
#[derive(Debug, Clone, PartialEq)]
pub struct BestTable {
    /// Whole counts, unless it is the mean.
    pub counts: Option<Vec<i64>>,
    /// What is believed of every cell.
    pub cells: Vec<Believed>,
    /// Whether whole numbers were looked for by steps of the lattice: from these no step leads
    /// nearer, and another table might be.
    pub by_steps: bool,
}

/// The best table.
///
/// # Errors
/// Refused when no whole numbers near the mean were found.
pub fn best(
    posterior: &Posterior<'_>,
    release: &Release,
    which: Best,
    level: f64,
    wanted: Wanted,
) -> Result<BestTable, Problem> {
    let cells = posterior.believed(&every_cell(&release.domain), level, wanted)?;
    let (counts, by_steps) = match which {
        Best::Mean => (None, false),
        Best::Median => (Some(cells.iter().map(|cell| cell.median).collect()), false),
        Best::Consistent => {
            let (counts, by_steps) = consistent(posterior, release, &cells, wanted.seed)?;
            (Some(counts), by_steps)
        }
    };
    Ok(BestTable { counts, cells, by_steps })
}

/// Tables of the posterior from which whole numbers near the mean are looked for.
const STARTS: u64 = 40;

fn every_cell(domain: &Domain) -> Vec<Query> {
    (0..domain.len()).map(|cell| Query { name: String::new(), entries: vec![(cell as u32, 1)] }).collect()
}

/// Whole numbers near the means, and whether steps of the lattice found some of them.
fn consistent(
    posterior: &Posterior<'_>,
    release: &Release,
    cells: &[Believed],
    seed: u64,
) -> Result<(Vec<i64>, bool), Problem> {
    // Under the flat prior and without bounds the mean is the released table itself.
    let Some(sources) = &posterior.sources else { return Ok((release.values.clone(), false)) };
    let mut table = release.values.clone();
    sources.fixed.iter().for_each(|(cell, value)| table[*cell] = *value);
    let mut unsolved = Vec::new();
    for block in 0..sources.blocks.len() {
        let fibre = sources.fibre_of_truths(block)?;
        let means: Vec<f64> = fibre.cells.iter().map(|cell| cells[*cell as usize].mean).collect();
        match project::round(&fibre, &means) {
            Ok(rounded) => fibre.cells.iter().zip(rounded).for_each(|(cell, value)| table[*cell as usize] = value),
            Err(problem) if problem.kind == Kind::Refused => unsolved.push((fibre, means)),
            Err(problem) => return Err(problem),
        }
    }
    if unsolved.is_empty() {
        return Ok((table, false));
    }
    // The search for the nearest did not end. Tables of the posterior have all totals and bounds:
    // from each the steps that lead nearer.
    let mut starts: Vec<Vec<Vec<i64>>> = vec![Vec::new(); unsolved.len()];
    posterior.draw(STARTS, seed, &mut |_, drawn| {
        for ((fibre, _), starts) in unsolved.iter().zip(&mut starts) {
            starts.push(fibre.cells.iter().map(|cell| drawn[*cell as usize]).collect());
        }
        Ok(())
    })?;
    for ((fibre, means), starts) in unsolved.iter().zip(starts) {
        let block = Walkable::new(fibre, seed)?;
        let away = |values: &[i64]| values.iter().zip(means).map(|(one, mean)| (*one as f64 - mean).abs()).sum::<f64>();
        let found = starts.par_iter().map(|start| block.nearer(start, means)).collect::<Vec<_>>();
        let found = found.into_iter().filter(|values| fibre.contains(values));
        let nearest = found.min_by(|one, two| away(one).total_cmp(&away(two))).ok_or_else(|| {
            Problem::refused("no table of whole numbers with all totals, bounds and rules was found near the mean")
                .hint("--best median and --best mean are there, and imputations have all totals")
        })?;
        fibre.cells.iter().zip(nearest).for_each(|(cell, value)| table[*cell as usize] = value);
    }
    Ok((table, true))
}

/// Rubin's rules for a figure that every imputation gives without an error of its own: counts of a
/// whole population.
#[derive(Debug, Clone, PartialEq)]
pub struct Combined {
    /// The query's name.
    pub name: String,
    /// The mean over imputations.
    pub mean: f64,
    /// The variance between imputations.
    pub between: f64,
    /// The total variance: (1 + 1/M) times that between.
    pub total: f64,
    /// Degrees of freedom: M − 1.
    pub freedom: u64,
}

impl Combined {
    /// From the figure in every imputation; at least two of them.
    pub fn new(name: &str, figures: &[f64]) -> Option<Combined> {
        let count = figures.len() as f64;
        if figures.len() < 2 {
            return None;
        }
        let mean = figures.iter().sum::<f64>() / count;
        let between = figures.iter().map(|figure| (figure - mean).powi(2)).sum::<f64>() / (count - 1.0);
        let total = (1.0 + 1.0 / count) * between;
        Some(Combined { name: name.to_string(), mean, between, total, freedom: figures.len() as u64 - 1 })
    }

    /// The ends of the interval with this level, by Student's t.
    pub fn interval(&self, level: f64) -> [f64; 2] {
        let reach = student::quantile((1.0 + level) / 2.0, self.freedom as f64) * self.total.sqrt();
        [self.mean - reach, self.mean + reach]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rubins_rules_add_the_variance_of_the_mean() {
        let combined = Combined::new("cases", &[10.0, 12.0, 14.0]).unwrap();
        assert_eq!((combined.mean, combined.between, combined.freedom), (12.0, 4.0, 2));
        assert!((combined.total - 16.0 / 3.0).abs() < 1e-12);
        assert_eq!(Combined::new("cases", &[10.0]), None);
    }
}
