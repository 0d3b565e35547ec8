//! The probability that all noise together stays within a radius: Lemma 8, for Laplace and for
//! double geometric noise.
//!
//! Both complements are sums of positive terms over i < n, and the probability itself is the sum of
//! the same terms over i ≥ n: the smaller of the two is summed, relative to its first term, so that
//! neither overflows nor cancels.

use exact::{Natural, Rational};

/// How the noise `η` of n cells is divided by the ball `‖η‖₁ ≤ r`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ball {
    /// `P(‖η‖₁ ≤ r)`.
    pub inside: f64,
    /// `P(‖η‖₁ > r)`.
    pub outside: f64,
}

impl Ball {
    const ALL_INSIDE: Ball = Ball { inside: 1.0, outside: 0.0 };

    fn of_inside(log: f64) -> Ball {
        let inside = log.exp().min(1.0);
        Ball { inside, outside: 1.0 - inside }
    }

    fn of_outside(log: f64) -> Ball {
        let outside = log.exp().min(1.0);
        Ball { inside: 1.0 - outside, outside }
    }
}

/// Terms below this, relative to the sum, change nothing.
const NEGLIGIBLE: f64 = 1e-18;

/// Laplace noise of scale λ on `cells` cells: `P(‖η‖₁ > r) = e^{−r/λ} Σ_{i<n} (r/λ)^i / i!`.
///
/// Contract: r ≥ 0, λ > 0. About twelve digits.
pub fn laplace(radius: f64, cells: u64, scale: f64) -> Ball {
    let rate = radius / scale;
    if cells == 0 {
        return Ball::ALL_INSIDE;
    }
    if rate <= 0.0 {
        return Ball { inside: 0.0, outside: 1.0 };
    }
    let log_term = |i: u64| i as f64 * rate.ln() - rate - ln_factorial(i);
    let mut sum = 1.0;
    let mut term = 1.0;
    if cells as f64 <= rate {
        // Terms fall from i = n − 1 down to 0.
        for i in (1..cells).rev() {
            term *= i as f64 / rate;
            sum += term;
            if term < NEGLIGIBLE * sum {
                break;
            }
        }
        return Ball::of_outside(log_term(cells - 1) + f64::ln(sum));
    }
    // Terms fall from i = n on.
    let mut i = cells;
    while term > NEGLIGIBLE * sum {
        i += 1;
        term *= rate / i as f64;
        sum += term;
    }
    Ball::of_inside(log_term(cells) + f64::ln(sum))
}

/// Double geometric noise with parameter a = e^{−ε'} on `cells` cells:
/// `P(‖η‖₁ > r) = 2a^{r+1}/(1+a) · Σ_{i<n} h_i(r)((1−a)/(1+a))^i`, where `h_i(r)` is the number of
/// integer points of the ball of radius r in i dimensions.
///
/// Contract: ε' > 0. About ten digits. `h` by the recurrence
/// `(i+1)h_{i+1} = (2r+1)h_i + i h_{i−1}`, whose terms are positive (`proofs/projection.md`).
pub fn double_geometric(radius: u64, cells: u64, epsilon: f64) -> Ball {
    if cells == 0 {
        return Ball::ALL_INSIDE;
    }
    let a = (-epsilon).exp();
    let share = (epsilon / 2.0).tanh();
    // 2a^{r+1}/(1+a)
    let log_first = std::f64::consts::LN_2 - epsilon * (radius as f64 + 1.0) - a.ln_1p();
    let mut terms = Terms { number: 0.0, current: 1.0, before: 0.0, log_scale: 0.0, radius: radius as f64, share };
    let mut sum = 0.0;
    for _ in 0..cells {
        sum += terms.current;
        sum *= terms.advance();
    }
    let log_outside = log_first + terms.log_scale + f64::ln(sum);
    if log_outside < -std::f64::consts::LN_2 {
        return Ball::of_outside(log_outside);
    }
    sum = 0.0;
    loop {
        sum += terms.current;
        let last = terms.current;
        let scaled = terms.advance();
        sum *= scaled;
        let ratio = terms.current / (last * scaled);
        if ratio < 1.0 && terms.current < NEGLIGIBLE * (1.0 - ratio) * sum {
            return Ball::of_inside(log_first + terms.log_scale + f64::ln(sum));
        }
    }
}

/// `h_i(r)·share^i`, one after the other, divided by `e^{log_scale}`.
struct Terms {
    number: f64,
    current: f64,
    before: f64,
    log_scale: f64,
    radius: f64,
    share: f64,
}

impl Terms {
    /// Goes on to the next term, and says by what earlier terms must be multiplied to stay on the
    /// same scale.
    fn advance(&mut self) -> f64 {
        let far = self.share * (2.0 * self.radius + 1.0) * self.current;
        let near = self.share * self.share * self.number * self.before;
        self.number += 1.0;
        (self.before, self.current) = (self.current, (far + near) / self.number);
        if (1e-100..1e100).contains(&self.current) {
            return 1.0;
        }
        let factor = 1.0 / self.current;
        self.log_scale += self.current.ln();
        self.before *= factor;
        self.current = 1.0;
        factor
    }
}

/// `P(‖η‖₁ > r)` for double geometric noise with a rational parameter 0 < a < 1, exactly.
pub fn double_geometric_outside(radius: u64, cells: u64, a: &Rational) -> Rational {
    let one = Rational::integer(1);
    let share = &(&one - a) / &(&one + a);
    let mut sum = Rational::integer(0);
    let mut power = one.clone();
    for points in points_of_balls(radius).take(cells as usize) {
        sum = &sum + &(&Rational::integer(points) * &power);
        power = &power * &share;
    }
    let two = Rational::integer(2);
    let first = &(&two * &a.pow(u32::try_from(radius + 1).unwrap_or(u32::MAX))) / &(&one + a);
    &first * &sum
}

/// `h_0(r), h_1(r), …`: how many integer points lie within ℓ₁ distance r of the origin in 0, 1, …
/// dimensions.
pub fn points_of_balls(radius: u64) -> impl Iterator<Item = Natural> {
    let width = Natural::from(radius) * 2u8 + 1u8;
    let mut state = (Natural::ZERO, Natural::ONE);
    let mut dimension = 0u64;
    std::iter::from_fn(move || {
        let (before, current) = &state;
        let next = (current * &width + before * dimension) / (dimension + 1);
        dimension += 1;
        let current = current.clone();
        state = (current.clone(), next);
        Some(current)
    })
}

/// `ln n!`: by products for small n, by Stirling's series above, good to about fifteen digits.
fn ln_factorial(n: u64) -> f64 {
    if n < 32 {
        return (2..=n).map(|factor| factor as f64).product::<f64>().ln();
    }
    let n = n as f64;
    let series = 1.0 / (12.0 * n) - 1.0 / (360.0 * n.powi(3)) + 1.0 / (1260.0 * n.powi(5));
    n * n.ln() - n + 0.5 * (std::f64::consts::TAU * n).ln() + series
}
