//! How well chains move: effective sample sizes and split-R̂ of a traced number.

/// The effective number of independent values among those of several equally long traces: Geyer's
/// initial monotone sequence on autocovariances averaged over traces, as in Vehtari et al. (2021)
/// without ranks.
pub fn effective_size(traces: &[Vec<f64>]) -> f64 {
    let halves = halved(traces);
    let Some((within, total)) = variances(&halves) else { return 0.0 };
    let length = halves[0].len();
    if total <= 0.0 || within <= 0.0 {
        return 0.0;
    }
    let covariance = |lag: usize| {
        let of = |trace: &Vec<f64>| {
            let mean = mean(trace);
            let products = trace.iter().zip(&trace[lag..]).map(|(one, two)| (one - mean) * (two - mean));
            products.sum::<f64>() / length as f64
        };
        halves.iter().map(of).sum::<f64>() / halves.len() as f64
    };
    let correlation = |lag: usize| 1.0 - (within - covariance(lag)) / total;
    let (mut sum, mut last, mut lag) = (0.0, f64::INFINITY, 0);
    // Sums of two neighbouring correlations are positive and decreasing for a reversible chain;
    // noise ends the sum.
    while lag + 1 < length {
        let pair = (correlation(lag) + correlation(lag + 1)).min(last);
        if pair <= 0.0 {
            break;
        }
        sum += pair;
        last = pair;
        lag += 2;
    }
    let time = (2.0 * sum - 1.0).max(1.0 / ((halves.len() * length) as f64).log10().max(1.0));
    (halves.len() * length) as f64 / time
}

/// Split-R̂: near one when the halves of all traces agree.
pub fn split_r_hat(traces: &[Vec<f64>]) -> f64 {
    match variances(&halved(traces)) {
        Some((within, total)) if within > 0.0 => (total / within).sqrt(),
        Some((_, 0.0)) => 1.0,
        _ => f64::INFINITY,
    }
}

fn halved(traces: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let half = traces.iter().map(Vec::len).min().unwrap_or(0) / 2;
    traces.iter().flat_map(|trace| [trace[..half].to_vec(), trace[half..2 * half].to_vec()]).collect()
}

fn mean(trace: &[f64]) -> f64 {
    trace.iter().sum::<f64>() / trace.len() as f64
}

/// The variance within traces, and an over-estimate of the whole.
fn variances(traces: &[Vec<f64>]) -> Option<(f64, f64)> {
    let length = traces.first()?.len();
    if length < 2 || traces.len() < 2 {
        return None;
    }
    let spread = |values: &[f64]| {
        let mean = mean(values);
        values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (values.len() - 1) as f64
    };
    let within = traces.iter().map(|trace| spread(trace)).sum::<f64>() / traces.len() as f64;
    let means: Vec<f64> = traces.iter().map(|trace| mean(trace)).collect();
    Some((within, within * (length - 1) as f64 / length as f64 + spread(&means)))
}

#[cfg(test)]
mod tests {
    use super::{effective_size, split_r_hat};
    use exact::{Entropy, Seeded, Source};

    /// Autoregressive traces with correlation `phi` from one step to the next.
    fn traces(phi: f64, shift: f64) -> Vec<Vec<f64>> {
        let mut bits = Seeded::new(11).stream(0).unwrap();
        let mut normal = || (0..12).map(|_| bits.bits(32) as f64 / 2f64.powi(32)).sum::<f64>() - 6.0;
        let scale = (1.0 - phi * phi).sqrt();
        let trace = |chain: usize| {
            let mut value = normal();
            let mut next = || {
                value = phi * value + scale * normal();
                value + shift * chain as f64
            };
            (0..20_000).map(|_| next()).collect()
        };
        (0..4).map(trace).collect()
    }

    #[test]
    fn sizes_are_those_of_autoregressive_chains() {
        for phi in [0.0, 0.5, 0.9f64] {
            let traces = traces(phi, 0.0);
            let expected = 80_000.0 * (1.0 - phi) / (1.0 + phi);
            let found = effective_size(&traces);
            assert!((found / expected - 1.0).abs() < 0.15, "{phi}: {found} instead of {expected}");
            assert!((split_r_hat(&traces) - 1.0).abs() < 0.01);
        }
        let apart = traces(0.5, 1.0);
        assert!(split_r_hat(&apart) > 1.3);
        assert!(effective_size(&apart) < 100.0);
        assert_eq!(split_r_hat(&[vec![1.0; 10], vec![1.0; 10]]), 1.0);
    }
}
