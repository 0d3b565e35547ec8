//! Chains around a release without bounds, under those of a reader.

use crate::basis::{Diagnosis, Wanted};
use crate::belief::{Belief, check_effective};
use crate::chain::{Plan, Target, Visited, Walkable};
use crate::norm::AroundNorm;
use crate::several::Sources;
use analyse::Fibre;
use declare::Problem;
use draw::NoiseLaw;

/// What may be believed of the table of a release without bounds, under those of a reader, block by
/// block.
///
/// # Errors
/// Refused when noise sits on sums, or when chains tell too little.
pub(crate) fn beliefs(
    sources: &Sources<'_>,
    wanted: Wanted,
    seconds: f64,
) -> Result<(Vec<Belief>, Vec<Diagnosis>), Problem> {
    let release = &sources.releases[0];
    if !release.conditions.queries.is_empty() {
        return Err(Problem::refused("noise that sits on sums is not walked around"));
    }
    let seconds = seconds / sources.blocks.len().max(1) as f64;
    let law = &release.plan.law;
    let counts =
        |fibre: &Fibre| -> Vec<i64> { fibre.cells.iter().map(|cell| release.values[*cell as usize]).collect() };
    if !law.is_product() {
        // One norm ties all cells together: they are one block, and what is fixed.
        let target = |fibre: &Fibre| AroundNorm {
            centre: counts(fibre),
            beside: sources.squares_of_fixed(),
            rate: law.rate().to_f64(),
        };
        return by_chains(sources, wanted, &|_| seconds, &target);
    }
    by_chains(sources, wanted, &|_| seconds, &|fibre: &Fibre| AroundCounts::new(law, counts(fibre)))
}

/// What chains of short steps tell, block by block, with what each may take and what weighs its
/// tables.
///
/// # Errors
/// Refused when they tell too little.
pub(crate) fn by_chains<T: Target>(
    sources: &Sources<'_>,
    wanted: Wanted,
    seconds: &dyn Fn(&Fibre) -> f64,
    target: &dyn Fn(&Fibre) -> T,
) -> Result<(Vec<Belief>, Vec<Diagnosis>), Problem> {
    let values = &sources.releases[0].values;
    let of_block = |block: usize| {
        let fibre = sources.fibre_of_truths(block)?;
        let from = with_totals(&fibre, fibre.cells.iter().map(|cell| values[*cell as usize]).collect())?;
        let plan = Plan { draws: wanted.draws, seed: wanted.seed ^ block as u64, seconds: seconds(&fibre) };
        let found = Walkable::new(&fibre, plan.seed)?.run_long(&target(&fibre), &from, plan)?;
        let Visited { tables, inside, effective } = found;
        let draws = tables.len();
        check_effective(effective, &format!("{draws} tables that chains visited tell"))?;
        let belief = Belief::Tables { cells: fibre.cells, weights: vec![1.0; draws], tables };
        Ok((belief, Diagnosis::Chain { draws, inside, effective }))
    };
    let found: Vec<(Belief, Diagnosis)> = (0..sources.blocks.len()).map(of_block).collect::<Result<_, Problem>>()?;
    Ok(found.into_iter().unzip())
}

/// Where chains start: at the release, or where the reader knows equalities that it breaks at whole
/// numbers near it that satisfy them. Steps change no equality.
fn with_totals(fibre: &Fibre, values: Vec<i64>) -> Result<Vec<i64>, Problem> {
    let holds = |(entries, value): (&[(u32, i64)], i64)| {
        let sum = |(place, times): &(u32, i64)| i128::from(*times) * i128::from(values[*place as usize]);
        entries.iter().map(sum).sum::<i128>() == i128::from(value)
    };
    match fibre.equalities().all(holds) {
        true => Ok(values),
        false => project::round(fibre, &values.iter().map(|value| *value as f64).collect::<Vec<f64>>()),
    }
}

/// Noise of its own on every cell, around the release.
struct AroundCounts {
    centre: Vec<i64>,
    /// The energy of 0, 1, … units.
    energies: Vec<f64>,
    law: NoiseLaw,
}

impl AroundCounts {
    fn new(law: &NoiseLaw, centre: Vec<i64>) -> AroundCounts {
        AroundCounts { centre, energies: (0..4096).map(|away| law.energy(away).to_f64()).collect(), law: law.clone() }
    }

    fn energy(&self, away: i64) -> f64 {
        match self.energies.get(away.unsigned_abs() as usize) {
            Some(energy) => *energy,
            None => self.law.energy(away).to_f64(),
        }
    }
}

impl Target for AroundCounts {
    type State = ();

    fn start(&self, _: &[i64]) {}

    fn gain(&self, (): &mut (), values: &[i64], step: &[(u32, i64)], times: i64) -> f64 {
        let of = |(cell, moved): &(u32, i64)| {
            let away = values[*cell as usize] - self.centre[*cell as usize];
            self.energy(away) - self.energy(away + times * moved)
        };
        step.iter().map(of).sum()
    }

    fn seconds(&self) -> f64 {
        3e-7
    }

    fn scale(&self) -> f64 {
        self.energies.iter().position(|energy| *energy >= 1.0).unwrap_or(self.energies.len()) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use analyse::Demand;
    use std::collections::HashMap;

    #[test]
    fn tables_that_are_kept_have_the_weights_of_the_law() {
        // Three cells with the total 3 and counts at or above zero around (−1, 1, 3), and one that
        // a reader knows to be 6 away.
        let fibre = Fibre {
            cells: vec![0, 1, 2],
            bounds: vec![(Some(0), None); 3],
            rows: vec![analyse::FibreRow { entries: vec![(0, 1), (1, 1), (2, 1)], demand: Demand::Equal(3) }],
            noise_on_cells: true,
        };
        let law = NoiseLaw::double_geometric(exact::Rational::new(1, 2u8));
        let centre = vec![-1, 1, 3];
        let block = Walkable::new(&fibre, 1).unwrap();
        let plan = Plan { draws: 40_000, seed: 5, seconds: 60.0 };
        let by_cell = block.run(&AroundCounts::new(&law, centre.clone()), &centre, plan).unwrap();
        let by_norm = |beside: f64, rate: f64| {
            block.run(&AroundNorm { centre: centre.clone(), beside, rate }, &centre, plan).unwrap()
        };
        type Energy = fn(&mut dyn Iterator<Item = f64>) -> f64;
        let distances: [(Visited, Energy); 3] = [
            (by_cell, |away| 0.5 * away.map(f64::abs).sum::<f64>()),
            (by_norm(0.0, 0.5), |away| 0.5 * away.map(|away| away * away).sum::<f64>().sqrt()),
            (by_norm(36.0, 2.0), |away| 2.0 * (36.0 + away.map(|away| away * away).sum::<f64>()).sqrt()),
        ];
        for (found, energy) in distances {
            assert!(found.effective > 5000.0 && found.inside > 0.3, "{} {}", found.effective, found.inside);
            let mut expected: HashMap<Vec<i64>, f64> = HashMap::new();
            for one in 0..=3i64 {
                for two in 0..=3 - one {
                    let table = vec![one, two, 3 - one - two];
                    let log = -energy(&mut table.iter().zip(&centre).map(|(a, b)| (a - b) as f64));
                    expected.insert(table, log.exp());
                }
            }
            let whole: f64 = expected.values().sum();
            for (table, weight) in expected {
                let share = found.tables.iter().filter(|other| **other == table).count() as f64;
                let share = share / found.tables.len() as f64;
                assert!((share - weight / whole).abs() < 0.02, "{table:?}: {share} {}", weight / whole);
            }
        }
    }

    #[test]
    fn chains_start_where_equalities_hold() {
        let fibre = Fibre {
            cells: vec![0, 1, 2],
            bounds: vec![(Some(0), None); 3],
            rows: vec![analyse::FibreRow { entries: vec![(0, 1), (1, 1), (2, 1)], demand: Demand::Equal(3) }],
            noise_on_cells: true,
        };
        assert_eq!(with_totals(&fibre, vec![-1, 1, 3]).unwrap(), vec![-1, 1, 3]);
        let from = with_totals(&fibre, vec![-1, 4, 6]).unwrap();
        assert!(fibre.contains(&from), "{from:?}");
    }
}
