//! The path from a declaration and its counts to draws, timed step by step.

use declare::{Declaration, Problem};
use exact::FreshEntropy;
use prepare::Mechanism;
use std::time::Instant;

/// How long the steps of the path took, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Timed {
    /// The live cells.
    pub cells: usize,
    /// Conditions, analysis and plan.
    pub plan: f64,
    /// Making the samplers ready and the first draw.
    pub first: f64,
    /// A later draw: the best of at most three passes.
    pub later: f64,
    /// What the plan predicted for the first draw on one core.
    pub predicted: f64,
    /// The bytes that the plan predicted for what the operators prepare.
    pub predicted_bytes: f64,
}

/// A pass of later draws lasts at least this long; after a single draw that lasts far longer no
/// other pass follows.
const PASS_SECONDS: f64 = 0.1;

/// Analyses and plans a table, and draws from it with fresh random bits until times are settled.
///
/// # Errors
/// What analysis, plan or draw refuse.
pub fn timed(declaration: &Declaration, counts: &[i64]) -> Result<Timed, Problem> {
    let (declaration, counts) = (declaration.clone(), counts.to_vec());
    let start = Instant::now();
    let mechanism = Mechanism::new(declaration, counts)?;
    let planned = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let noisy = mechanism.noisy_sums()?;
    let sampler = mechanism.sampling(&noisy)?;
    let source = FreshEntropy;
    sampler.draw(&source, &|_| {})?;
    let first = start.elapsed().as_secs_f64();
    let mut later = f64::INFINITY;
    for _ in 0..3 {
        let (pass, mut draws) = (Instant::now(), 0u32);
        while draws == 0 || pass.elapsed().as_secs_f64() < PASS_SECONDS {
            sampler.draw(&source, &|_| {})?;
            draws += 1;
        }
        let seconds = pass.elapsed().as_secs_f64();
        later = later.min(seconds / f64::from(draws));
        // One rare draw that needs wide numbers can make a pass of many long: only a long single
        // draw ends the passes.
        if draws == 1 && seconds > 10.0 * PASS_SECONDS {
            break;
        }
    }
    let Mechanism { case, plan, .. } = &mechanism;
    let predicted_bytes = plan.bytes();
    Ok(Timed { cells: case.domain.len(), plan: planned, first, later, predicted: plan.seconds(), predicted_bytes })
}
