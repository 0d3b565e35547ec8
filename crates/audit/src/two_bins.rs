//! Two cells and their total: conditioning beside both projections (Gong and Meng 2020, section 4
//! and appendix A).
//!
//! Laplace noise of scale 2/ε in each cell, so that the loss of replacing a record is ε; the total
//! is kept. The release is `(s₁ + u, s₂ − u)`, and only the law of u differs:
//!
//! - conditioning: Laplace of scale 1/ε;
//! - ℓ₁ projection: not unique; `β u₁ − (1 − β) u₂` for any β in [0, 1], with density (A.1);
//! - ℓ₂ projection: β = ½, density (A.2).
//!
//! All of them are unbiased: their Table 2 prints the mean `(s̄, s̄)` for the ℓ₂ projection, which
//! is a slip; it is `(s₁, s₂)`.

/// The mechanism, by its loss ε when one record moves from one cell to the other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TwoBins {
    /// ε, above zero.
    pub epsilon: f64,
}

impl TwoBins {
    /// The bias of either cell, by conditioning and by every projection.
    pub const BIAS: f64 = 0.0;

    /// The variance of a cell by conditioning: 2/ε².
    pub fn conditioning_variance(&self) -> f64 {
        2.0 / self.epsilon.powi(2)
    }

    /// The variance of a cell by ℓ₂ projection: 4/ε².
    pub fn l2_variance(&self) -> f64 {
        4.0 / self.epsilon.powi(2)
    }

    /// The variance of a cell by the ℓ₁ projection with this β: between 4/ε² (β = ½) and 8/ε² (β =
    /// 0 or 1).
    pub fn l1_variance(&self, beta: f64) -> f64 {
        8.0 * (beta.powi(2) + (1.0 - beta).powi(2)) / self.epsilon.powi(2)
    }

    /// The loss that conditioning attains: ε, and no less.
    pub fn conditioning_loss(&self) -> f64 {
        self.epsilon
    }

    /// The loss that the ℓ₁ projection with this β attains: ε/(2 max(β, 1 − β)); ε for the ℓ₂
    /// projection.
    pub fn l1_loss(&self, beta: f64) -> f64 {
        self.epsilon / (2.0 * beta.max(1.0 - beta))
    }

    /// Density (A.1) of the noise of the ℓ₁ projection with this β in [0, 1]; at β = ½ the ℓ₂
    /// projection's (A.2).
    pub fn l1_density(&self, beta: f64, noise: f64) -> f64 {
        self.l1_log_density(beta, noise).exp()
    }

    /// The logarithm of [`TwoBins::l1_density`], finite where the density is too small for a
    /// machine number.
    ///
    /// (A.1) is a difference of two exponentials over 2β − 1. With β ≥ ½ (the law is that of 1 − β
    /// too), `y = ε|u|/(2β)` and `w = ε|u|(2β − 1)/(2β(1 − β))` it is
    /// `ε/4 · e^{−y}(1 + y(1 − e^{−w})/w)`, which does not cancel.
    pub fn l1_log_density(&self, beta: f64, noise: f64) -> f64 {
        let beta = beta.max(1.0 - beta);
        let y = self.epsilon * noise.abs() / (2.0 * beta);
        let w = y * (2.0 * beta - 1.0) / (1.0 - beta);
        let mean_decay = if y == 0.0 || w == 0.0 { 1.0 } else { -(-w).exp_m1() / w };
        (self.epsilon / 4.0).ln() - y + (y * mean_decay).ln_1p()
    }

    /// The density of the noise by conditioning: Laplace of scale 1/ε.
    pub fn conditioning_density(&self, noise: f64) -> f64 {
        0.5 * self.epsilon * (-self.epsilon * noise.abs()).exp()
    }
}
