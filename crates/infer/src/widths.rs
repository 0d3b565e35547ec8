//! `Mixture`: a block with weights, or the sum of many that differ in the width of their noise.
//!
//! Noise with weight e^{−r}, r = ε'‖z‖₂ over all cells, is no product over cells. But
//! `e^{−r} = ∫₀^∞ π^{−1/2}·e^{−v²/4 − r²/v²} dv`, and given v the weight is that of independent
//! Gaussians: blocks factor, and messages pass. So the posterior is a sum over widths v of what
//! messages give, each by its sum of weights; on the grid v = ln(1 + e^{hk}) the sum is the
//! integral to all digits that machine numbers hold. Proof: `proofs/posterior.md`.

use crate::energy::log_of_sum;
use crate::weighted::{Weighted, law_of};
use declare::{Kind, Problem};
use draw::Law;
use rayon::prelude::*;
use std::collections::HashMap;

/// A block with weights: all of its tables under one product of weights, or under several.
#[derive(Debug)]
pub(crate) struct Mixture {
    /// Shares that add up to one.
    parts: Vec<(f64, Weighted)>,
}

/// h: halving it changes no digit.
const STEP: f64 = 0.125;
/// The energy of one unit of noise at the narrowest width: nothing but no noise has weight there.
const NARROW: f64 = 60.0;
/// Narrower widths have the same table alone; so many matter.
const NARROWER: i64 = 320;
/// A width at which every table that can be told from none has weight.
const WIDE: f64 = 30.0;
/// Widths with weights below e^{−this} of the largest are left out; so many are made at once.
const LEFT_OUT: f64 = 45.0;
const AT_ONCE: i64 = 8;
/// What the largest weight of all widths is above: below it some might be missing.
const FARTHEST: f64 = -400.0;

/// v, and the logarithm of its weight.
fn width(place: i64) -> (f64, f64) {
    let at = STEP * place as f64;
    let v = at.max(0.0) + (-at.abs()).exp().ln_1p();
    let slope = -(-at).max(0.0) - (-at.abs()).exp().ln_1p();
    (v, STEP.ln() + slope - 0.5 * std::f64::consts::PI.ln() - v * v / 4.0)
}

impl Mixture {
    /// One product of weights.
    pub(crate) fn one(ready: Weighted) -> Mixture {
        Mixture { parts: vec![(1.0, ready)] }
    }

    /// Under noise by one norm with this rate: `ready` makes the block with a Gaussian in every
    /// cell, of which it is given the energy of one unit's square. Cells outside the block add
    /// `beside` to the squared distance of every table.
    ///
    /// # Errors
    /// Those of `ready`; refused when every table is too far from the release.
    pub(crate) fn of_widths(
        rate: f64,
        beside: f64,
        ready: &(dyn Fn(f64) -> Result<Weighted, Problem> + Sync),
    ) -> Result<Mixture, Problem> {
        let square = |v: f64| (rate / v).powi(2);
        if let Err(problem) = ready(square(WIDE)) {
            return Err(if problem.kind == Kind::Infeasible { too_far() } else { problem });
        }
        let narrowest = (1 - NARROWER..).take_while(|place| square(width(*place).0) > NARROW + 2.0 * rate).count()
            as i64
            - NARROWER;
        let mut found: Vec<(f64, Weighted)> = Vec::new();
        let mut best = f64::NEG_INFINITY;
        for first in (narrowest..).step_by(AT_ONCE as usize) {
            let one = |place: i64| {
                let (v, own) = width(place);
                let own = match place == narrowest {
                    // All that are narrower are like this one.
                    true => log_of_sum(&(place - NARROWER..=place).map(|other| width(other).1).collect::<Vec<f64>>()),
                    false => own,
                };
                match ready(square(v)) {
                    Ok(ready) => Ok(Some((own + ready.log - square(v) * beside, ready))),
                    // So narrow that no table is near enough.
                    Err(problem) if problem.kind == Kind::Infeasible => Ok(None),
                    Err(problem) => Err(problem),
                }
            };
            let made: Vec<Option<(f64, Weighted)>> =
                (first..first + AT_ONCE).into_par_iter().map(one).collect::<Result<_, Problem>>()?;
            let largest = made.iter().flatten().map(|(log, _)| *log).fold(f64::NEG_INFINITY, f64::max);
            best = best.max(largest);
            found.extend(made.into_iter().flatten().filter(|(log, _)| *log > best - LEFT_OUT));
            if best > f64::NEG_INFINITY && largest < best - LEFT_OUT {
                break;
            }
        }
        if best < FARTHEST {
            return Err(too_far());
        }
        found.retain(|(log, _)| *log > best - LEFT_OUT);
        let whole: f64 = found.iter().map(|(log, _)| (log - best).exp()).sum();
        let shared = |(log, ready): (f64, Weighted)| ((log - best).exp() / whole, ready);
        Ok(Mixture { parts: found.into_iter().map(shared).collect() })
    }

    /// The laws of all cells.
    pub(crate) fn laws(&self) -> Option<HashMap<u32, Law>> {
        let each: Vec<Vec<(u32, Law)>> = self.parts.par_iter().map(|(_, ready)| ready.laws()).collect::<Option<_>>()?;
        let mut of_cell: HashMap<u32, Vec<(f64, Law)>> = HashMap::new();
        for ((share, _), laws) in self.parts.iter().zip(each) {
            laws.into_iter().for_each(|(cell, law)| of_cell.entry(cell).or_default().push((*share, law)));
        }
        of_cell.into_iter().map(|(cell, laws)| Some((cell, mixed(laws)?))).collect()
    }

    /// The law of a row of the network.
    pub(crate) fn row(&self, row: u32) -> Option<Law> {
        let of = |(share, ready): &(f64, Weighted)| Some((*share, ready.row(row)?));
        mixed(self.parts.par_iter().map(of).collect::<Option<_>>()?)
    }

    /// Draws the cells into a table, with uniform numbers between 0 and 1.
    pub(crate) fn draw(&self, uniform: &mut dyn FnMut() -> f64, table: &mut [i64]) {
        let [.., (_, last)] = self.parts.as_slice() else { return };
        let mut rest = if self.parts.len() == 1 { 0.0 } else { uniform() };
        let drawn = self.parts.iter().find(|(share, _)| {
            rest -= share;
            rest < 0.0
        });
        drawn.map_or(last, |(_, ready)| ready).draw(uniform, table);
    }
}

fn too_far() -> Problem {
    Problem::refused("the release is too far from every table that is possible for their weights to be told")
}

/// A law that is one of several, by their shares.
fn mixed(mut laws: Vec<(f64, Law)>) -> Option<Law> {
    if laws.len() == 1 {
        return laws.pop().map(|(_, law)| law);
    }
    let masses = laws.iter().flat_map(|(share, law)| law.listed().map(move |(value, mass)| (value, share * mass)));
    law_of(&masses.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_over_widths_are_the_weights_of_the_norm() {
        for r in [0.0, 0.01, 0.1, 0.5, 1.0, 2.0, 3.7, 10.0, 31.6, 100.0, 380.0f64] {
            let term = |place: i64| {
                let (v, own) = width(place);
                own - (r / v).powi(2)
            };
            let log = log_of_sum(&(-NARROWER..2000).map(term).collect::<Vec<f64>>());
            assert!((log + r).abs() < 1e-12 * r.max(1.0), "{r}: {log}");
        }
    }
}
