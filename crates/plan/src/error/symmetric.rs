//! Symmetric laws on the integers: sums, variances and quantiles of the absolute value.

/// The tail that is dropped; far below any quantile that is reported.
const NEGLIGIBLE: f64 = 1e-15;

/// A law with `P(j) = P(−j)`; holds `P(0), P(1), …` up to where nothing is left.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Symmetric {
    pub(crate) half: Vec<f64>,
}

impl Symmetric {
    /// The law proportional to these weights of `0, 1, …` and their mirror image.
    pub(crate) fn new(mut weights: Vec<f64>) -> Symmetric {
        let sum = weights[0] + 2.0 * weights[1..].iter().sum::<f64>();
        weights.iter_mut().for_each(|weight| *weight /= sum);
        let mut tail = 0.0;
        while weights.len() > 1 {
            tail += 2.0 * weights[weights.len() - 1];
            if tail > NEGLIGIBLE {
                break;
            }
            weights.pop();
        }
        Symmetric { half: weights }
    }

    pub(crate) fn variance(&self) -> f64 {
        self.half.iter().enumerate().map(|(j, p)| 2.0 * p * (j as f64) * (j as f64)).sum()
    }

    /// The smallest `q` with `P(|X| ≤ q) ≥ level`.
    pub(crate) fn quantile(&self, level: f64) -> u64 {
        let mut mass = 0.0;
        for (j, p) in self.half.iter().enumerate() {
            mass += if j == 0 { *p } else { 2.0 * p };
            // A level that is met exactly must not be missed by a rounding.
            if mass >= level - 1e-13 {
                return j as u64;
            }
        }
        self.half.len() as u64 - 1
    }

    /// The quantile of a continuous law that this one samples at the middles of unit intervals.
    pub(crate) fn smooth_quantile(&self, level: f64) -> f64 {
        let mut mass = 0.0;
        for (j, p) in self.half.iter().enumerate() {
            let (width, more) = if j == 0 { (0.5, *p) } else { (1.0, 2.0 * p) };
            if mass + more >= level {
                let from = if j == 0 { 0.0 } else { j as f64 - 0.5 };
                return from + width * (level - mass) / more;
            }
            mass += more;
        }
        self.half.len() as f64
    }

    /// The law of an independent sum, if it costs at most `budget` multiplications; pays from it.
    pub(crate) fn plus(&self, other: &Symmetric, budget: &mut u64) -> Option<Symmetric> {
        let (short, long) =
            if self.half.len() <= other.half.len() { (&self.half, &other.half) } else { (&other.half, &self.half) };
        let length = short.len() + long.len() - 1;
        let cost = 2 * (length as u64) * (short.len() as u64);
        *budget = budget.checked_sub(cost)?;
        let mut sum = vec![0.0; length];
        let at = |j: usize| long.get(j).copied().unwrap_or(0.0);
        for (j, total) in sum.iter_mut().enumerate() {
            *total = short[0] * at(j);
            for (i, p) in short.iter().enumerate().skip(1) {
                *total += p * (at(j.abs_diff(i)) + at(j + i));
            }
        }
        Some(Symmetric::new(sum))
    }

    /// The law of the sum of `count` independent copies, within the budget.
    pub(crate) fn times(&self, mut count: usize, budget: &mut u64) -> Option<Symmetric> {
        let mut power = self.clone();
        let mut sum = Symmetric { half: vec![1.0] };
        loop {
            if count % 2 == 1 {
                sum = sum.plus(&power, budget)?;
            }
            count /= 2;
            if count == 0 {
                return Some(sum);
            }
            power = power.plus(&power, budget)?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_convolutions() {
        let coin = Symmetric::new(vec![0.0, 1.0]);
        let mut budget = 1000;
        let four = coin.times(4, &mut budget).unwrap();
        assert_eq!(four.half, [6.0 / 16.0, 0.0, 4.0 / 16.0, 0.0, 1.0 / 16.0]);
        assert!((four.variance() - 4.0).abs() < 1e-12);
        assert_eq!(four.quantile(6.0 / 16.0), 0);
        assert_eq!(four.quantile(0.5), 2);
        assert_eq!(four.quantile(0.95), 4);
    }

    #[test]
    fn a_sum_over_budget_is_not_computed() {
        let wide = Symmetric::new(vec![1.0; 1000]);
        assert_eq!(wide.plus(&wide, &mut 10), None);
    }
}
