//! Where margins of a hypothesis are not exact its parameters have to be guessed: tests that are
//! approximate, and say so.
//!
//! The bootstrap fits the hypothesis to the posterior mean of the true table and draws tables from
//! that fit. The posterior predictive p-value fits it afresh for every draw: to a table from the
//! posterior, shaken as cell probabilities given such counts are. Both keep all exact totals. How
//! often they reject true hypotheses is measured in docs/infer.md.

use super::Trial;
use super::hypothesis::Hypothesis;
use super::statistic::fitted;
use super::under::{How, Under};
use crate::basis::Wanted;
use crate::knowledge::Knowledge;
use crate::model::chance::log_gamma_number;
use crate::posterior::Posterior;
use crate::query::Query;
use crate::release::Release;
use crate::{Cancel, testing::hypothesis::rank_of};
use declare::Problem;
use exact::Stream;

/// How parameters are dealt with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approximation {
    /// Tables from the fit to the posterior mean.
    Bootstrap,
    /// Tables from fits to posterior tables.
    Predictive,
}

/// What makes true tables under a hypothesis.
pub(super) enum Replicas<'a> {
    /// Exactly, no parameter is left.
    Exact(Under),
    /// From one fit.
    Bootstrap(Under),
    /// From a fit for every draw.
    Predictive { release: &'a Release, hypothesis: &'a Hypothesis, first: Under, tables: Vec<Vec<i64>> },
}

/// Weights of cells are whole numbers out of about so many.
const WHOLE: f64 = (1u64 << 40) as f64;
/// The posterior of tables is found from so many draws where it is not listed.
const DRAWS: u64 = 4_000;

impl<'a> Replicas<'a> {
    pub(super) fn new(
        release: &'a Release,
        hypothesis: &'a Hypothesis,
        approximation: Approximation,
        trial: Trial,
    ) -> Result<Replicas<'a>, Problem> {
        if rank_of(release)? == 0 {
            return Err(Problem::refused("no total of the release is exact: how many records there are is not known")
                .hint("declare the total as [[invariant]] when releasing"));
        }
        let knowledge = Knowledge { nonnegative: true, ..Knowledge::default() };
        let wanted = Wanted { cancel: Cancel::Automatic, draws: DRAWS, seed: trial.seed };
        let releases = std::slice::from_ref(release);
        let posterior = Posterior::new(releases, &knowledge, wanted)?;
        let cells = Query::cells(&release.domain);
        let means: Vec<f64> =
            posterior.believed(&cells, 0.9, wanted)?.iter().map(|believed| believed.mean.max(0.0)).collect();
        let weights = whole(&fitted(hypothesis, &means));
        let first = Under::new(release, hypothesis, Some(&weights))?;
        if approximation == Approximation::Bootstrap {
            return Ok(Replicas::Bootstrap(first));
        }
        if first.how != How::Spread {
            return Err(Problem::refused(
                "the posterior predictive test needs exact totals of disjoint groups alone, and totals of this release cross",
            )
            .hint("--approximate bootstrap"));
        }
        let mut tables = Vec::with_capacity(trial.draws as usize);
        posterior.draw(trial.draws, trial.seed ^ 0xbe11ef, &mut |_, table| {
            tables.push(table.to_vec());
            Ok(())
        })?;
        Ok(Replicas::Predictive { release, hypothesis, first, tables })
    }

    /// Tables of one hypothesis, for statistics that need such.
    pub(super) fn under(&self) -> &Under {
        match self {
            Replicas::Exact(under) | Replicas::Bootstrap(under) | Replicas::Predictive { first: under, .. } => under,
        }
    }

    /// Whether nothing is estimated and no draw is rounded.
    pub(super) fn is_exact(&self) -> bool {
        matches!(self, Replicas::Exact(under) if !matches!(under.how, How::Messages | How::Walked { .. }))
    }

    pub(super) fn in_words(&self) -> String {
        match self {
            Replicas::Exact(under) => under.how.in_words(),
            Replicas::Bootstrap(_) => {
                "true tables are drawn from the hypothesis fitted to the posterior mean, with all exact totals (parametric bootstrap)".into()
            }
            Replicas::Predictive { .. } => "true tables are drawn from the hypothesis fitted to tables of the posterior, a fresh one each time, \
                                            with all exact totals (posterior predictive)"
                .into(),
        }
    }

    pub(super) fn draw(&self, entropy: &mut Stream, draw: u64) -> Result<Vec<i64>, Problem> {
        let (release, hypothesis, tables) = match self {
            Replicas::Exact(under) | Replicas::Bootstrap(under) => return under.draw(entropy),
            Replicas::Predictive { release, hypothesis, tables, .. } => (release, hypothesis, tables),
        };
        let table = &tables[draw as usize % tables.len()];
        let shaken: Vec<f64> = table.iter().map(|count| log_gamma_number(*count as f64 + 0.5, entropy).exp()).collect();
        Under::new(release, hypothesis, Some(&whole(&fitted(hypothesis, &shaken))))?.draw(entropy)
    }
}

/// Numbers as whole weights; none that is positive becomes zero.
fn whole(numbers: &[f64]) -> Vec<u64> {
    let all: f64 = numbers.iter().sum();
    let weigh = |number: &f64| if *number > 0.0 { ((number / all * WHOLE) as u64).max(1) } else { 0 };
    numbers.iter().map(weigh).collect()
}
