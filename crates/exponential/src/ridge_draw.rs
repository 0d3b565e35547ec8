//! Draws coefficients of a ridge regression: kinds of attempts take turns, each of them with the
//! law of the others.

use crate::chosen::Chosen;
use crate::gradient::Gradient;
use crate::padding::Padding;
use crate::rejection::{Drawn, Uniform, draw, in_turns};
use crate::ridge::MOST_PREDICTORS;
use crate::ridge::{Ridge, RidgeSettings};
use crate::shells::Shells;
use exact::{Entropy, NoEntropy, Source};

impl RidgeSettings {
    /// The kinds of attempts that take turns.
    pub fn operators(&self) -> Vec<&'static str> {
        if self.is_padded {
            return vec!["rejection"];
        }
        let mut operators = vec!["rejection", "gradient"];
        operators.extend((self.predictors <= MOST_PREDICTORS).then_some("shells"));
        operators
    }
}

impl Ridge {
    /// One draw from a stream of bits, in steps of the grid, with its number of tries.
    pub fn draw_with<E: Entropy>(&self, entropy: &mut E) -> Drawn {
        if self.settings().is_padded
            && let Some(padding) = Padding::new(self, self.settings().public_acceptance())
        {
            return padding.draw(entropy);
        }
        let mut uniform = Uniform(self);
        let mut gradient = Gradient::new(self);
        match Shells::new(self) {
            Some(mut shells) => draw(entropy, &mut in_turns(&mut shells, &mut in_turns(&mut gradient, &mut uniform))),
            None => draw(entropy, &mut in_turns(&mut uniform, &mut gradient)),
        }
    }

    /// One draw that knows its source.
    pub fn draw<S: Source>(&self, source: &S) -> Result<Chosen<S>, NoEntropy> {
        Chosen::draw(source, |stream| self.draw_with(stream).point)
    }
}
