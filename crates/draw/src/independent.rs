//! `independent`: free cells, each with its own noise.

use crate::exactness::Exactness;
use crate::law::NoiseLaw;
use crate::sampler::{Sampler, Summary};
use exact::{DiscreteGaussian, Entropy, Geometric, Rational};

/// Independent noise in every cell.
#[derive(Debug, Clone)]
pub enum Independent {
    /// Double geometric.
    DoubleGeometric(Geometric),
    /// Discrete Gaussian.
    DiscreteGaussian(DiscreteGaussian),
}

impl Independent {
    /// The noise of a law, if it is drawn cell by cell.
    pub fn of(law: &NoiseLaw) -> Option<Self> {
        let geometric = law.geometric().map(Independent::double_geometric);
        geometric.or_else(|| law.gaussian_variance().map(Independent::discrete_gaussian))
    }

    /// Double-geometric noise with parameter e^{−ε'}.
    pub fn double_geometric(epsilon: &Rational) -> Self {
        Independent::DoubleGeometric(Geometric::new(epsilon.clone()))
    }

    /// Discrete Gaussian noise with parameter σ².
    pub fn discrete_gaussian(variance: &Rational) -> Self {
        Independent::DiscreteGaussian(DiscreteGaussian::new(variance))
    }

    /// The noise of one cell.
    pub(crate) fn draw<E: Entropy>(&self, entropy: &mut E) -> i64 {
        match self {
            Independent::DoubleGeometric(law) => law.draw_double(entropy),
            Independent::DiscreteGaussian(law) => law.draw(entropy),
        }
    }
}

impl Sampler for Independent {
    type Share = ();

    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }

    fn head<E: Entropy>(&self, _entropy: &mut E, _cells: u64, _total: i64) {}

    fn split<E: Entropy>(&self, _entropy: &mut E, _share: &(), _first: Summary, _second: Summary) -> ((), ()) {
        ((), ())
    }

    fn fill<E: Entropy>(&self, entropy: &mut E, _share: &(), cells: &mut [i64]) {
        match self {
            Independent::DoubleGeometric(law) => cells.iter_mut().for_each(|cell| *cell += law.draw_double(entropy)),
            Independent::DiscreteGaussian(law) => cells.iter_mut().for_each(|cell| *cell += law.draw(entropy)),
        }
    }
}
