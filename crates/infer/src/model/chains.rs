//! Chains over parameters and tables in turn, and what says whether they agree.
//!
//! Where rates are integrated out and the release has no bounds every step is an independent draw
//! from the posterior; the same diagnostics are told. Elsewhere chains begin far apart, a quarter
//! of each is left out, and they go on four and then sixteen times as long where R̂ is above 1.01.
//! If it still is, nothing is told but that.

use super::parameters::Parameters;
use super::tables::{Accepted, Tables};
use super::{Chains, Figure, MOST_R_HAT, Wished};
use crate::pick::stream;
use declare::Problem;
use exact::Stream;
use rayon::prelude::*;
use walk::{effective_size, split_r_hat};

/// Chains side by side.
pub(crate) const CHAINS: u64 = 4;
/// Steps between draws that are kept: more where fewer are not enough.
const BETWEEN: [u64; 3] = [1, 4, 16];
/// Steps whose work is counted, and what all steps may be predicted to take, so many chains at
/// once. Nothing is measured: a seed gives the same draws, or the same refusal, on every machine.
const COUNTED: u64 = 8;
const AT_ONCE: f64 = 2.0;
const LONGEST_SECONDS: f64 = 900.0;

/// One number of every kept draw, chain by chain, for every figure.
pub(crate) type Traces = Vec<Vec<Vec<f64>>>;

struct Chain<'a, 'p> {
    tables: Tables<'a>,
    parameters: &'p dyn Parameters,
    state: Vec<f64>,
    table: Vec<i64>,
    bits: Stream,
    seed: u64,
    step: u64,
    accepted: Accepted,
}

impl<'a, 'p> Chain<'a, 'p> {
    fn new(tables: &Tables<'a>, parameters: &'p dyn Parameters, values: &[i64], seed: u64) -> Result<Self, Problem> {
        let mut bits = stream(seed, 0)?;
        let mut tables = tables.clone();
        let mut state = parameters.start(&tables.sums(values), &mut bits);
        let table =
            tables.first(&|group, first, factors| parameters.log_factors(&state, group, first, factors), &mut bits)?;
        parameters.update(&mut state, &tables.sums(&table), &mut bits);
        Ok(Chain { tables, parameters, state, table, bits, seed, step: 0, accepted: Accepted::default() })
    }

    fn advance(&mut self) -> Result<(), Problem> {
        self.step += 1;
        let (state, parameters) = (&self.state, self.parameters);
        let factor = |group: usize, first: i64, factors: &mut [f64]| {
            parameters.log_factors(state, group, first, factors);
        };
        let (draw, changes, accepted) = ((self.seed, self.step), parameters.changes(), &mut self.accepted);
        self.tables.step(&factor, changes, draw, &mut self.bits, &mut self.table, accepted)?;
        self.parameters.update(&mut self.state, &self.tables.sums(&self.table), &mut self.bits);
        Ok(())
    }

    /// So many draws of all figures.
    fn keep(&mut self, draws: u64, between: u64, figures: &[Figure]) -> Result<Vec<Vec<f64>>, Problem> {
        let mut kept: Vec<Vec<f64>> = vec![Vec::with_capacity(draws as usize); figures.len()];
        let (mut logs, mut rates) = (Vec::new(), Vec::new());
        for _ in 0..draws {
            for _ in 0..between {
                self.advance()?;
            }
            let sums = self.tables.sums(&self.table);
            logs.resize(sums.len(), 0.0);
            self.parameters.log_rates(&self.state, &sums, &mut self.bits, &mut logs);
            rates.clear();
            rates.extend(logs.iter().map(|log: &f64| log.exp()));
            let own = self.parameters.values(&self.state);
            for (figure, values) in figures.iter().zip(&mut kept) {
                values.push(figure.value_of(&logs, &rates, &own));
            }
        }
        Ok(kept)
    }
}

/// Runs chains until they agree.
///
/// # Errors
/// Refused when they do not, with what they say of themselves; refused when they would take too
/// long.
pub(crate) fn run(
    tables: &Tables<'_>,
    parameters: &dyn Parameters,
    values: &[i64],
    figures: &[Figure],
    wished: &Wished,
) -> Result<(Traces, Chains), Problem> {
    let each = (wished.draws / CHAINS).max(4);
    let independent = tables.are_independent() && !parameters.changes();
    let begin = |number: u64| Chain::new(tables, parameters, values, wished.seed.wrapping_mul(1 << 16) ^ number);
    let mut chains: Vec<Chain<'_, '_>> = (0..CHAINS).into_par_iter().map(begin).collect::<Result<_, Problem>>()?;
    (0..COUNTED).try_for_each(|_| chains[0].advance())?;
    let one = chains[0].accepted.seconds / COUNTED as f64 + parameters.seconds();
    let seconds = one * (each * CHAINS) as f64 * 1.25 / AT_ONCE;
    if seconds > LONGEST_SECONDS {
        return Err(Problem::refused(format!(
            "a table is predicted to take {one:.2} s to be drawn, and all of them about {:.0} min",
            seconds / 60.0
        ))
        .hint("ask for fewer draws (--draws), or release totals that do not cross"));
    }
    let mut found = None;
    for between in BETWEEN {
        let burned = if independent || between > 1 { 0 } else { each / 4 };
        let go_on = |chain: &mut Chain<'_, '_>| {
            (0..burned).try_for_each(|_| chain.advance())?;
            chain.keep(each, between, figures)
        };
        let kept: Vec<Vec<Vec<f64>>> = chains.par_iter_mut().map(go_on).collect::<Result<_, Problem>>()?;
        let traces = by_figure(kept, figures.len());
        let diagnosis = diagnosed(&traces, figures, &chains, (each, between, independent));
        let good = diagnosis.r_hat <= MOST_R_HAT;
        found = Some((traces, diagnosis));
        if good || seconds * (between * 4) as f64 > LONGEST_SECONDS {
            break;
        }
    }
    let (traces, diagnosis) = found.ok_or_else(|| Problem::refused("no chain was run"))?;
    match diagnosis.r_hat <= MOST_R_HAT {
        true => Ok((traces, diagnosis)),
        false => Err(Problem::refused(format!(
            "{CHAINS} chains of {each} draws, {} steps apart, do not agree: R̂ is {:.4} for `{}`, above {MOST_R_HAT}; its effective size is \
             {:.0}",
            diagnosis.between, diagnosis.r_hat, diagnosis.r_hat_of, diagnosis.effective
        ))
        .hint("ask for more draws (--draws), for fewer rates or terms, or for rates of groups that lie inside one exact total")),
    }
}

fn by_figure(chains: Vec<Vec<Vec<f64>>>, figures: usize) -> Traces {
    let mut traces: Traces = vec![Vec::with_capacity(chains.len()); figures];
    for chain in chains {
        chain.into_iter().zip(&mut traces).for_each(|(values, trace)| trace.push(values));
    }
    traces
}

/// R̂ and effective size of a trace.
pub(crate) fn agreement(trace: &[Vec<f64>]) -> (f64, f64) {
    let count: usize = trace.iter().map(Vec::len).sum();
    let first = trace.iter().flatten().next().copied();
    // A figure that never moves, as every share of a table that is determined, is known.
    if trace.iter().flatten().all(|value| Some(*value) == first) {
        return (1.0, count as f64);
    }
    (split_r_hat(trace), effective_size(trace).min(count as f64))
}

fn diagnosed(
    traces: &Traces,
    figures: &[Figure],
    chains: &[Chain<'_, '_>],
    (each, between, independent): (u64, u64, bool),
) -> Chains {
    let found: Vec<(f64, f64)> = traces.par_iter().map(|trace| agreement(trace)).collect();
    let worst = (0..found.len()).max_by(|one, two| found[*one].0.total_cmp(&found[*two].0));
    let slowest = (0..found.len()).min_by(|one, two| found[*one].1.total_cmp(&found[*two].1));
    let (proposed, accepted) =
        chains.iter().fold((0, 0), |sum, chain| (sum.0 + chain.accepted.proposed, sum.1 + chain.accepted.accepted));
    let name = |place: Option<usize>| place.map_or(String::new(), |place| figures[place].name.clone());
    Chains {
        chains: CHAINS,
        draws: each,
        between,
        independent,
        r_hat: worst.map_or(1.0, |place| found[place].0),
        r_hat_of: name(worst),
        effective: slowest.map_or(0.0, |place| found[place].1),
        effective_of: name(slowest),
        accepted: (proposed > 0).then(|| accepted as f64 / proposed as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::basis::Cancel;
    use crate::bounded::Normalisers;
    use crate::knowledge::Knowledge;
    use crate::model::{Asking, Below, MeanPrior, Model, Sampler, Sought};
    use crate::release::Release;
    use crate::several::Sources;
    use declare::Declaration;
    use plan::Case;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    /// Parameters on a machine that has other work at first.
    struct Slow<'p> {
        parameters: &'p dyn Parameters,
        /// Updates that are slow.
        left: AtomicU64,
    }

    impl Parameters for Slow<'_> {
        fn start(&self, sums: &[i64], bits: &mut Stream) -> Vec<f64> {
            self.parameters.start(sums, bits)
        }

        fn log_factors(&self, state: &[f64], group: usize, first: i64, factors: &mut [f64]) {
            self.parameters.log_factors(state, group, first, factors);
        }

        fn changes(&self) -> bool {
            self.parameters.changes()
        }

        fn update(&self, state: &mut [f64], sums: &[i64], bits: &mut Stream) {
            if self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok() {
                std::thread::sleep(Duration::from_millis(100));
            }
            self.parameters.update(state, sums, bits);
        }

        fn log_rates(&self, state: &[f64], sums: &[i64], bits: &mut Stream, rates: &mut [f64]) {
            self.parameters.log_rates(state, sums, bits, rates);
        }

        fn seconds(&self) -> f64 {
            self.parameters.seconds()
        }

        fn names(&self) -> Vec<String> {
            self.parameters.names()
        }

        fn values(&self, state: &[f64]) -> Vec<f64> {
            self.parameters.values(state)
        }
    }

    #[test]
    fn a_slow_machine_has_the_same_draws() {
        let margins = "[[invariant]]\nby = [\"row\"]\n[[invariant]]\nby = [\"column\"]\n";
        for totals in ["", "[[invariant]]\nby = []\n", margins] {
            let text = format!(
                "title = \"t\"\n[data]\npath = \"none.csv\"\ncount = \"n\"\npublic = true\n[dimensions]\nrow = [\"0\", \"1\"]\n\
                 column = [\"0\", \"1\", \"2\"]\n{totals}[constraints]\nnonnegative = false\n[mechanism]\nnoise = \"double-geometric\"\n\
                 epsilon = \"1\"\nper = \"unit\"\n"
            );
            let case = Case::of(Declaration::parse(&text, "spec", std::path::Path::new(".")).unwrap()).unwrap();
            let values = vec![1, 2, 0, 3, 5, 2];
            let plan = case.plan(&case.analyse(&case.totals(&values).unwrap()).unwrap()).unwrap();
            let releases = [Release::new("r", case, plan, values.clone()).unwrap()];
            let knowledge = Knowledge { nonnegative: true, ..Knowledge::default() };
            let sources = Sources::new(&releases, &knowledge).unwrap();
            let normalisers = Normalisers::new(&releases).unwrap();
            let groups: Vec<u32> = (0..6).collect();
            let tables =
                Tables::new(&sources, &normalisers, (groups.clone(), vec![1.0; 6]), Cancel::Automatic).unwrap();
            let asking = Asking {
                model: Model::Hierarchical { mean: MeanPrior::default() },
                group_of: groups.clone(),
                exposures: vec![1.0; 6],
                family_of: vec![0; 6],
                families: vec![String::new()],
                sought: vec![Sought { name: "first".into(), above: vec![0], below: Below::Exposures }],
            };
            let parameters = asking.parameters(tables.are_collapsible());
            let figures = asking.figures(&parameters.names());
            let wished = Wished {
                draws: 16_000,
                seed: 1,
                sampler: Sampler::Gibbs,
                cancel: Cancel::Automatic,
                level: 0.9,
                against: None,
            };
            let told = |slow: u64| {
                let slow = Slow { parameters: &*parameters, left: AtomicU64::new(slow) };
                run(&tables, &slow, &values, &figures, &wished).unwrap()
            };
            // All threads at once, one of them, and a slow beginning.
            let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
            let expected = told(0);
            assert_eq!(one.install(|| told(0)), expected);
            assert_eq!(told(20), expected);
        }
    }
}
