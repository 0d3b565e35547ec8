//! `Listed`: a law on few points whose log-weights are fractions.

use crate::space::Space;
use crate::target::Target;
use exact::{Enclosure, Rational};

/// A law on the list 0, 1, …: point i has weight e to minus its exponent.
#[derive(Debug, Clone)]
pub struct Listed {
    space: Space,
    exponents: Vec<Rational>,
    least: Rational,
}

impl Listed {
    /// The law with these exponents.
    ///
    /// # Panics
    /// When there are none.
    pub fn new(exponents: Vec<Rational>) -> Self {
        let least = exponents.iter().min().expect("a list has a point").clone();
        Listed { space: Space::list(exponents.len() as u64), exponents, least }
    }

    /// The exponents.
    pub fn exponents(&self) -> &[Rational] {
        &self.exponents
    }
}

impl Target for Listed {
    fn space(&self) -> &Space {
        &self.space
    }

    fn log_weight(&self, point: &[i64], bits: usize) -> Enclosure {
        Enclosure::from_rational(&-&self.exponents[point[0] as usize], bits)
    }

    fn upper(&self) -> Rational {
        -&self.least
    }
}
