//! Centres, variances and ends of every step by other means: Gaussian conditioning and enumeration.

use super::samples::Sample;
use cascade::Step;
use declare::NO_GROUP;

/// One step as it should be.
#[derive(Debug, Clone, PartialEq)]
pub struct Expected {
    pub centre: f64,
    pub variance: f64,
    /// The values that tables of the fibre give the sum, given the sums before.
    pub values: Vec<i64>,
    pub value: i64,
}

/// Means and covariances of a Gaussian table given sums.
#[derive(Clone)]
struct Gaussian {
    mean: Vec<f64>,
    covariance: Vec<Vec<f64>>,
}

impl Gaussian {
    /// The table with the noise of a sample, given its exact totals.
    fn new(sample: &Sample) -> Self {
        let cells = sample.cells();
        let mut precision = vec![vec![0.0; cells]; cells];
        for (labels, variance) in &sample.noise {
            for one in 0..cells {
                for other in 0..cells {
                    let together = match labels {
                        None => one == other,
                        Some(labels) => labels[one] != NO_GROUP && labels[one] == labels[other],
                    };
                    if together {
                        precision[one][other] += 1.0 / variance.to_f64();
                    }
                }
            }
        }
        let mut gaussian = Gaussian {
            mean: sample.counts.iter().map(|count| *count as f64).collect(),
            covariance: inverse(precision),
        };
        for labels in &sample.exact {
            let most = labels.iter().filter(|label| **label != NO_GROUP).max().map_or(0, |most| *most + 1);
            for group in 0..most {
                let sum: Vec<usize> = (0..cells).filter(|cell| labels[*cell] == group).collect();
                let value = sum.iter().map(|cell| gaussian.mean[*cell]).sum();
                gaussian.condition(&sum, value);
            }
        }
        gaussian
    }

    fn variance(&self, sum: &[usize]) -> f64 {
        sum.iter()
            .flat_map(|one| sum.iter().map(move |other| (*one, *other)))
            .map(|(one, other)| self.covariance[one][other])
            .sum()
    }

    /// Learns the value of a sum.
    fn condition(&mut self, sum: &[usize], value: f64) {
        let variance = self.variance(sum);
        if variance < 1e-9 {
            return;
        }
        let cells = self.mean.len();
        let along: Vec<f64> =
            (0..cells).map(|cell| sum.iter().map(|other| self.covariance[cell][*other]).sum()).collect();
        let missing = value - sum.iter().map(|cell| self.mean[*cell]).sum::<f64>();
        for one in 0..cells {
            self.mean[one] += along[one] * missing / variance;
            for other in 0..cells {
                self.covariance[one][other] -= along[one] * along[other] / variance;
            }
        }
    }
}

fn inverse(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let size = matrix.len();
    for (row, line) in matrix.iter_mut().enumerate() {
        line.extend((0..size).map(|column| f64::from(u8::from(row == column))));
    }
    for pivot in 0..size {
        let scale = matrix[pivot][pivot];
        matrix[pivot].iter_mut().for_each(|entry| *entry /= scale);
        for row in 0..size {
            if row != pivot {
                let factor = matrix[row][pivot];
                let line = matrix[pivot].clone();
                matrix[row].iter_mut().zip(line).for_each(|(entry, other)| *entry -= factor * other);
            }
        }
    }
    matrix.into_iter().map(|line| line[size..].to_vec()).collect()
}

/// The steps that should lead to a release; sums that are known already are left out.
pub fn expected(sample: &Sample, fibre: &[Vec<i64>], release: &[i64]) -> Vec<Expected> {
    let mut gaussian = Gaussian::new(sample);
    let mut left: Vec<&Vec<i64>> = fibre.iter().collect();
    let mut steps = Vec::new();
    for sum in &sample.sums {
        let of = |table: &[i64]| sum.iter().map(|cell| table[*cell]).sum::<i64>();
        let mut values: Vec<i64> = left.iter().map(|table| of(table)).collect();
        values.sort_unstable();
        values.dedup();
        let value = of(release);
        let centre = sum.iter().map(|cell| gaussian.mean[*cell]).sum();
        steps.push(Expected { centre, variance: gaussian.variance(sum), values, value });
        gaussian.condition(sum, value as f64);
        left.retain(|table| of(table) == value);
    }
    steps
}

/// Whether a step is what it should be; `None` of the fibre: bounds are not compared.
pub fn agrees(step: &Step, expected: &Expected, tolerance: f64, bounds: bool) -> Result<(), String> {
    let close = |one: f64, other: f64| (one - other).abs() <= tolerance * (1.0 + other.abs());
    if !close(step.variance.to_f64(), expected.variance) {
        return Err(format!("variance {} instead of {}", step.variance.to_f64(), expected.variance));
    }
    if !close(step.centre.to_f64(), expected.centre) {
        return Err(format!("centre {} instead of {}", step.centre.to_f64(), expected.centre));
    }
    if step.value != expected.value {
        return Err(format!("value {} instead of {}", step.value, expected.value));
    }
    let every: Vec<i64> = if bounds { (step.low..=step.high).collect() } else { Vec::new() };
    if bounds && every != expected.values {
        return Err(format!("interval {}..={}, but the fibre has {:?}", step.low, step.high, expected.values));
    }
    Ok(())
}
