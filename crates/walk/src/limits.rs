//! Clopper–Pearson limits of a probability, from counts.

/// The logarithm of `P(B ≤ successes)` for B binomial.
fn log_at_most(successes: u64, trials: u64, probability: f64) -> f64 {
    if successes >= trials {
        return 0.0;
    }
    let (log_p, log_q) = (probability.ln(), (-probability).ln_1p());
    // Terms relative to the largest of those that are added, so that nothing overflows.
    let mut term = trials as f64 * log_q;
    let mut terms = Vec::with_capacity(successes as usize + 1);
    terms.push(term);
    for index in 0..successes {
        term += ((trials - index) as f64 / (index + 1) as f64).ln() + log_p - log_q;
        terms.push(term);
    }
    let largest = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    largest + terms.iter().map(|term| (term - largest).exp()).sum::<f64>().ln()
}

/// The largest probability that so few successes do not contradict at this level:
/// `P(B ≤ successes) = level`.
pub fn upper_limit(successes: u64, trials: u64, level: f64) -> f64 {
    if successes >= trials {
        return 1.0;
    }
    bisected(|probability| log_at_most(successes, trials, probability) > level.ln())
}

/// The least probability of success that so many successes do not contradict at this level:
/// `P(B ≥ successes) = level`. It is a limit too when trials went on until there were so many
/// successes.
pub fn least_rate(successes: u64, trials: u64, level: f64) -> f64 {
    if successes == 0 {
        return 0.0;
    }
    let log_rest = (-level).ln_1p();
    // From below, so that the limit is never above the true one.
    bisected(|probability| log_at_most(successes - 1, trials, probability) >= log_rest).min(1.0) * (1.0 - 1e-9)
}

/// Where a condition that holds for small probabilities ends.
fn bisected(holds: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0f64, 1.0f64);
    for _ in 0..200 {
        let middle = if low > 0.0 && high / low > 4.0 { (low * high).sqrt() } else { 0.5 * (low + high) };
        let middle = if low == 0.0 { high / 16.0 } else { middle };
        if middle <= low || middle >= high {
            break;
        }
        if holds(middle) {
            low = middle
        } else {
            high = middle
        }
        if low == 0.0 && high < 1e-300 {
            break;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::{least_rate, upper_limit};
    use statrs::distribution::{Beta, ContinuousCDF};

    #[test]
    fn limits_are_quantiles_of_beta_laws() {
        for (successes, trials) in [(0u64, 10u64), (3, 10), (1, 1000), (100, 1000), (499, 5000), (9, 10)] {
            for level in [0.05, 0.01, 0.0001] {
                let law = Beta::new(successes as f64 + 1.0, (trials - successes) as f64).unwrap();
                let upper = upper_limit(successes, trials, level);
                assert!((1.0 - law.cdf(upper) - level).abs() < 1e-6, "{successes} of {trials}: {upper}");
                if successes > 0 {
                    let law = Beta::new(successes as f64, (trials - successes) as f64 + 1.0).unwrap();
                    let lower = least_rate(successes, trials, level);
                    assert!((law.cdf(lower) - level).abs() < 1e-6, "{successes} of {trials}: {lower}");
                }
            }
        }
        assert_eq!(upper_limit(5, 5, 0.01), 1.0);
        assert!(least_rate(20, 1_000_000_000, 0.01) > 1e-8);
    }
}
