//! Draws coefficients of a ridge regression: kinds of attempts take turns, each of them with the
//! law of the others.

use crate::boxes::Boxes;
use crate::chosen::Chosen;
use crate::gradient::Gradient;
use crate::padding::Padding;
use crate::rejection::{Uniform, draw, in_turns};
use crate::ridge::{Ridge, RidgeSettings};
use exact::{Entropy, NoEntropy, Source};

/// A draw with the number of its tries, for tests and experiments on public data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RidgeDraw {
    /// The coefficients in steps of the grid.
    pub point: Vec<i64>,
    /// How many tries it took.
    pub tries: u64,
}

impl RidgeSettings {
    /// The kinds of attempts that take turns.
    pub fn operators(&self) -> Vec<&'static str> {
        if self.is_padded {
            return vec!["rejection"];
        }
        let mut operators = vec!["rejection", "gradient"];
        operators.extend(Boxes::fit(&self.space()).then_some("boxes"));
        operators
    }
}

impl Ridge {
    /// One draw from a stream of bits, with its number of tries.
    pub fn draw_with<E: Entropy>(&self, entropy: &mut E) -> RidgeDraw {
        if self.settings().is_padded
            && let Some(padding) = Padding::new(self, self.settings().public_acceptance())
        {
            let drawn = padding.draw(entropy);
            return RidgeDraw { point: drawn.point, tries: drawn.tries };
        }
        let mut uniform = Uniform(self);
        let mut gradient = Gradient::new(self);
        let drawn = match Boxes::new(self) {
            Some(mut boxes) => draw(entropy, &mut in_turns(&mut uniform, &mut in_turns(&mut gradient, &mut boxes))),
            None => draw(entropy, &mut in_turns(&mut uniform, &mut gradient)),
        };
        RidgeDraw { point: drawn.point, tries: drawn.tries }
    }

    /// One draw that knows its source.
    pub fn draw<S: Source>(&self, source: &S) -> Result<Chosen<S>, NoEntropy> {
        Chosen::draw(source, |stream| self.draw_with(stream).point)
    }
}
