//! Why there is no pure cascade: what its steps would lose.

/// Steps of a total over cells in halves: sizes of both parts and the rate of the step.
struct Pure {
    cells: usize,
    rate: f64,
}

impl Pure {
    /// The logarithm of the probability that counts are released as a table, and Σ ε_t |Δ_t| is
    /// asked of two tables apart.
    fn log_probability(&self, counts: &[i64], table: &[i64]) -> f64 {
        let mut sum = 0.0;
        self.steps(0, self.cells, &mut |start, middle, end| {
            let of = |table: &[i64], from: usize, to: usize| table[from..to].iter().sum::<i64>() as f64;
            let total = of(table, start, end);
            let share = (middle - start) as f64 / (end - start) as f64;
            let centre = of(counts, start, middle) + share * (total - of(counts, start, end));
            let rate = self.rate_of(start, end);
            let weight = |value: f64| (-rate * (value - centre).abs()).exp();
            let all: f64 = (0..=total as i64).map(|value| weight(value as f64)).sum();
            sum += (weight(of(table, start, middle)) / all).ln();
        });
        sum
    }

    /// Scales grow with the square root of the group.
    fn rate_of(&self, start: usize, end: usize) -> f64 {
        self.rate * (2.0 / (end - start) as f64).sqrt()
    }

    fn steps(&self, start: usize, end: usize, told: &mut dyn FnMut(usize, usize, usize)) {
        if end - start > 1 {
            let middle = start + (end - start).div_ceil(2);
            told(start, middle, end);
            self.steps(start, middle, told);
            self.steps(middle, end, told);
        }
    }

    /// Σ ε_t |Δ_t|: what the steps would cost if their normalisers did not move.
    fn without_normalisers(&self, one: &[i64], other: &[i64]) -> f64 {
        let mut sum = 0.0;
        self.steps(0, self.cells, &mut |start, middle, end| {
            let moved = |from: usize, to: usize| (from..to).map(|cell| one[cell] - other[cell]).sum::<i64>() as f64;
            let share = (middle - start) as f64 / (end - start) as f64;
            sum += self.rate_of(start, end) * (moved(start, middle) - share * moved(start, end)).abs();
        });
        sum
    }

    fn tables(&self, total: i64) -> Vec<Vec<i64>> {
        let mut tables: Vec<Vec<i64>> = vec![Vec::new()];
        for _ in 1..self.cells {
            tables = tables
                .into_iter()
                .flat_map(|table| {
                    let left = total - table.iter().sum::<i64>();
                    (0..=left).map(move |value| table.iter().copied().chain([value]).collect())
                })
                .collect();
        }
        tables
            .into_iter()
            .map(|table| {
                let left = total - table.iter().sum::<i64>();
                table.into_iter().chain([left]).collect()
            })
            .collect()
    }

    /// The largest loss of two tables at distance 2 by the largest Σ ε_t |Δ_t| of two such tables.
    fn quotient(&self, total: i64) -> f64 {
        let tables = self.tables(total);
        let (mut losses, mut sums) = (0.0f64, 0.0f64);
        for one in &tables {
            for other in &tables {
                let apart: u64 = one.iter().zip(other).map(|(one, other)| one.abs_diff(*other)).sum();
                if apart != 2 {
                    continue;
                }
                let loss = tables
                    .iter()
                    .map(|table| self.log_probability(one, table) - self.log_probability(other, table))
                    .fold(0.0, f64::max);
                let sum = self.without_normalisers(one, other);
                assert!(loss <= 2.0 * sum + 1e-9, "twice the sum is a certificate");
                (losses, sums) = (losses.max(loss), sums.max(sum));
            }
        }
        losses / sums
    }
}

#[test]
fn normalisers_of_bounded_steps_are_paid_for() {
    // Two cells with the total 12, four cells with the total 5: more than Σ ε_t |Δ_t|, never more
    // than twice that.
    for (cells, total, figures) in [(2, 12, [1.62, 1.43, 1.21]), (4, 5, [1.22, 1.18, 1.20])] {
        for (rate, figure) in [0.25, 0.5, 1.0].into_iter().zip(figures) {
            let pure = Pure { cells, rate };
            let quotient = pure.quotient(total);
            assert!(quotient > 1.0 && quotient <= 2.0);
            assert!((quotient - figure).abs() < 0.01, "{cells} cells at {rate}: {quotient}");
        }
    }
}

#[test]
fn the_sum_of_the_levels_grows_towards_its_limit() {
    // A replaced record in a balanced tree with scales that grow like the square root of the group:
    // 1 + 2/√2·½ + … times the rate of the leaves, times √2 for each of both ways down.
    let cost = |cells: usize| {
        let (mut one, mut other) = (vec![0; cells], vec![0; cells]);
        (one[0], other[cells - 1]) = (1, 1);
        let pure = Pure { cells, rate: 1.0 };
        // Two neighbouring cells at the bottom are the worst pair: they part in the last step.
        let mut beside = vec![0; cells];
        beside[1] = 1;
        pure.without_normalisers(&one, &beside).max(pure.without_normalisers(&one, &other))
    };
    assert!(cost(4) < cost(16) && cost(16) < cost(256));
    assert!(cost(4096) < 3.42 && cost(4096) > 2.0, "{}", cost(4096));
}
