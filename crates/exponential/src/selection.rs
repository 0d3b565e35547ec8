//! `Selection`: one of several declared candidates, by the exponential mechanism: `∝ e^{−εL/2Δ}`.
//!
//! L is the loss of a candidate at the confidential table and Δ a declared bound of how far one
//! record moves it. Weights are taken relative to the best candidate of the table, so that a try
//! succeeds with probability at least 1/K for every table, K the number of candidates: that is the
//! public q of padding. Loss ε: `proofs/rejection.md`.

use crate::chosen::Chosen;
use crate::enumerate::Enumerate;
use crate::listed::Listed;
use crate::padding::Padding;
use declare::RunTime;
use exact::{NoEntropy, Rational, Source};

/// Selection among candidates with known losses, ready to be drawn.
#[derive(Debug)]
pub struct Selection {
    law: Listed,
    is_padded: bool,
}

impl Selection {
    /// The mechanism with loss `epsilon`, for losses that one record moves by at most
    /// `sensitivity`.
    ///
    /// # Panics
    /// When there is no candidate, or `epsilon` or `sensitivity` is not positive.
    pub fn new(losses: &[Rational], epsilon: &Rational, sensitivity: &Rational) -> Self {
        assert!(epsilon.is_positive() && sensitivity.is_positive(), "ε and Δ are positive");
        let rate = epsilon / &(&Rational::integer(2) * sensitivity);
        Selection { law: Listed::new(losses.iter().map(|loss| loss * &rate).collect()), is_padded: false }
    }

    /// Drawn by rejection with a padded number of tries.
    pub fn padded(mut self) -> Self {
        self.is_padded = true;
        self
    }

    /// The law on the candidates.
    pub fn law(&self) -> &Listed {
        &self.law
    }

    /// The public acceptance that tries are padded to: 1/K.
    pub fn public_acceptance(&self) -> Rational {
        Rational::new(1, self.law.exponents().len() as u64)
    }

    /// What the number of tries tells.
    pub fn run_time(&self) -> RunTime {
        if self.is_padded { RunTime::Independent } else { RunTime::DependsOnTheTable }
    }

    /// One draw: the index of a candidate.
    pub fn draw<S: Source>(&self, source: &S) -> Result<Chosen<S>, NoEntropy> {
        Chosen::draw(source, |stream| {
            let padding = self.is_padded.then(|| Padding::new(&self.law, self.public_acceptance())).flatten();
            match (padding, Enumerate::new(&self.law)) {
                (Some(padding), _) => padding.draw(stream).point,
                (None, Some(listed)) => listed.draw(stream).to_vec(),
                (None, None) => crate::draw(stream, &mut crate::Uniform(&self.law)).point,
            }
        })
    }
}
