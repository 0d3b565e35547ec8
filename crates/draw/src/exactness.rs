//! `Exactness`: how exactly a sampler draws from its law. No certificate without it.

use exact::Rational;

/// How exactly a sampler draws from its law.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exactness {
    /// The law itself: no floating-point number decides.
    Exact,
    /// Within `e^{±η}` of the law pointwise, up to a mass δ.
    Rounded {
        /// η.
        eta: Rational,
        /// δ.
        delta: Rational,
    },
    /// Coupled chains say that the law is this near, in total variation. Evidence, not proof.
    Estimated {
        /// An upper confidence limit of the distance; one, which is always true, before there is
        /// evidence.
        distance: Rational,
        /// The confidence of the limit, in percent.
        percent: u32,
    },
    /// Nothing is proved about the law. Never certified.
    Unproven,
}

impl Exactness {
    /// The word used in plans, certificates and scripts.
    pub fn name(&self) -> &'static str {
        match self {
            Exactness::Exact => "exact",
            Exactness::Rounded { .. } => "rounded",
            Exactness::Estimated { .. } => "estimated",
            Exactness::Unproven => "unproven",
        }
    }

    /// What holds of two draws together.
    pub fn and(self, other: Exactness) -> Exactness {
        match (self, other) {
            (Exactness::Exact, other) => other,
            (this, Exactness::Exact) => this,
            (Exactness::Rounded { eta, delta }, Exactness::Rounded { eta: more, delta: also }) => {
                Exactness::Rounded { eta: &eta + &more, delta: &delta + &also }
            }
            (Exactness::Estimated { distance, percent }, Exactness::Estimated { distance: more, percent: other }) => {
                Exactness::Estimated { distance: &distance + &more, percent: percent.min(other) }
            }
            _ => Exactness::Unproven,
        }
    }
}
