//! The mean of normal values that are correlated, when a noisy mean of them may be public.

use declare::Problem;
use exact::Rational;

/// n normal values with one variance and one correlation between any two; their mean plus noise may
/// be public.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Normal {
    records: u32,
    variance: Rational,
    correlation: Rational,
    public_noise: Option<Rational>,
}

impl Normal {
    /// `public_noise`: the variance of the noise of a public mean; none when nothing of it is
    /// public.
    ///
    /// # Errors
    /// Bad when there are no records, a variance is not above zero, or no normal law has the
    /// correlation.
    pub fn new(
        records: u32,
        variance: Rational,
        correlation: Rational,
        public_noise: Option<Rational>,
    ) -> Result<Normal, Problem> {
        if records == 0 {
            return Err(Problem::bad("a mean needs records: `n` is at least 1"));
        }
        if !variance.is_positive() || public_noise.as_ref().is_some_and(|noise| !noise.is_positive()) {
            return Err(Problem::bad("variances are above zero"));
        }
        let others = Rational::integer(records - 1);
        let one = Rational::integer(1);
        let degenerate = !(&one + &(&others * &correlation)).is_positive() || correlation >= one;
        if degenerate && records > 1 {
            return Err(Problem::bad(format!("no normal law of {records} values has the correlation {correlation}"))
                .hint("it is below 1 and above −1/(n − 1)"));
        }
        Ok(Normal { records, variance, correlation, public_noise })
    }

    /// Δ/width: how far the mean of the law of X̄ moves for each unit by which the secret value X₁
    /// moves, everything public kept.
    ///
    /// It is the coefficient of X₁ in the regression of X̄ on X₁ and the public mean; the public
    /// value itself cancels between the two secrets.
    pub fn share(&self) -> Rational {
        let n = Rational::integer(self.records);
        let others = Rational::integer(self.records - 1);
        let one = Rational::integer(1);
        // Var X̄ and Cov(X̄, X₁), which are equal.
        let joint = &(&self.variance * &(&one + &(&others * &self.correlation))) / &n;
        match &self.public_noise {
            None => (&joint / &self.variance).abs(),
            Some(noise) => {
                let public = &joint + noise;
                let determinant = &(&self.variance * &public) - &(&joint * &joint);
                (&(&joint * noise) / &determinant).abs()
            }
        }
    }
}
