//! Gram–Schmidt of a lattice basis in exact fractions, sparse: squared norms of b̃_i and the
//! factors μ_ji, j > i.
//!
//! The Gram matrix of the basis is `M·D·Mᵀ` with D the squared norms and M the factors, one below
//! another: its elimination, column by column. Only entries that are not zero are kept, so
//! neighbouring differences and their products stay as sparse as they are.

use declare::Problem;
use exact::Rational;
use exact::shifted::{CENTRE_SLACK, Near, Rate, attempt};
use exact::{Entropy, Integer};
use std::collections::BTreeMap;

/// The factors that are computed cost at most this many multiplications of fractions.
const MOST_MULTIPLICATIONS: u64 = 2_000_000;

/// A vector of the lattice: places of cells with values that are not zero.
type Vector = Vec<(u32, i64)>;

/// Basis vectors, orthogonalised from the first to the last.
#[derive(Debug, Clone)]
pub(crate) struct Orthogonal {
    pub(crate) cells: usize,
    pub(crate) basis: Vec<Vector>,
    /// ‖b̃_i‖², exactly and as the nearest machine number.
    pub(crate) squares: Vec<(Rational, f64)>,
    /// μ_ji by i: all j > i where it is not zero.
    factors: Vec<Vec<Factor>>,
}

#[derive(Debug, Clone)]
struct Factor {
    vector: u32,
    exact: Rational,
    value: f64,
}

impl Orthogonal {
    /// Orthogonalises a basis of vectors over this many cells.
    ///
    /// # Errors
    /// Bad when the vectors depend on each other; refused when their factors are too many.
    pub(crate) fn new(cells: usize, basis: &[Vector]) -> Result<Orthogonal, Problem> {
        let mut columns = gram(cells, basis);
        let mut squares = Vec::with_capacity(basis.len());
        let mut factors = Vec::with_capacity(basis.len());
        let mut multiplications = 0u64;
        for first in 0..basis.len() {
            let mut column = std::mem::take(&mut columns[first]);
            let square = column.remove(&(first as u32)).unwrap_or_else(|| Rational::integer(0));
            if !square.is_positive() {
                return Err(Problem::bad("vectors that depend on each other are no basis of a lattice"));
            }
            multiplications += (column.len() * (column.len() + 1) / 2) as u64;
            if multiplications > MOST_MULTIPLICATIONS {
                return Err(too_long(basis.len()));
            }
            let entries: Vec<(u32, Rational)> = column.into_iter().collect();
            let column: Vec<Factor> = entries
                .iter()
                .map(|(vector, inner)| {
                    let exact = inner / &square;
                    Factor { vector: *vector, value: exact.to_f64(), exact }
                })
                .collect();
            for (place, factor) in column.iter().enumerate() {
                let target = &mut columns[factor.vector as usize];
                for (vector, inner) in &entries[place..] {
                    let less = &factor.exact * inner;
                    let entry = target.entry(*vector).or_insert_with(|| Rational::integer(0));
                    *entry = &*entry - &less;
                    if entry.is_zero() {
                        target.remove(vector);
                    }
                }
            }
            let value = square.to_f64();
            squares.push((square, value));
            factors.push(column);
        }
        Ok(Orthogonal { cells, basis: basis.to_vec(), squares, factors })
    }

    /// The rates `t_i = ‖b̃_i‖²·s` as machine numbers know them.
    pub(crate) fn rates(&self, scale: f64) -> Vec<Rate> {
        self.squares.iter().map(|(_, square)| Rate::near(square * scale)).collect()
    }

    /// The square of the shortest vector is at least this: the smallest square of a b̃_i; and even,
    /// if all of the lattice are.
    pub(crate) fn least_square(&self) -> u64 {
        let least = self.squares.iter().map(|(square, _)| square).min().map_or(Integer::ONE, Rational::ceil);
        let least = u64::try_from(least).unwrap_or(1).max(1);
        let odd = |vector: &Vector| vector.iter().filter(|(_, value)| value % 2 != 0).count() % 2 == 1;
        if self.basis.iter().any(odd) { least } else { least.next_multiple_of(2) }
    }

    /// One attempt at coefficients of the basis, from the last to the first, at rates
    /// `t_i = ‖b̃_i‖²·scale`; whether all were accepted. Given the scale, coefficients v come with
    /// probability `∏ e^{−t_i(v_i−c_i)²}/θ(t_i, 0)`.
    pub(crate) fn attempt<E: Entropy>(
        &self,
        entropy: &mut E,
        scale: &Rational,
        rates: &[Rate],
        coefficients: &mut [i64],
    ) -> bool {
        for (index, rate) in rates.iter().enumerate().rev() {
            let centre = self.centre(index, coefficients);
            let Some(value) = self.coefficient(entropy, scale, rate, (index, centre), coefficients) else {
                return false;
            };
            coefficients[index] = value;
        }
        true
    }

    /// One attempt at a coefficient, around its centre.
    #[inline]
    fn coefficient<E: Entropy>(
        &self,
        entropy: &mut E,
        scale: &Rational,
        rate: &Rate,
        (index, (nearest, near)): (usize, (i64, Near)),
        coefficients: &[i64],
    ) -> Option<i64> {
        let exact = || {
            let centre = &self.exact_centre(index, coefficients) - &Rational::integer(nearest);
            (&self.squares[index].0 * scale, centre)
        };
        attempt(entropy, rate, near, exact).map(|offset| nearest.saturating_add(offset))
    }

    /// An attempt without acceptance, for predictions: coefficients by themselves, and the product
    /// of `θ(t_i, c_i)/θ(t_i, 0)`.
    pub(crate) fn propose<E: Entropy>(
        &self,
        entropy: &mut E,
        scale: &Rational,
        rates: &[Rate],
        coefficients: &mut [i64],
    ) -> f64 {
        let mut share = 1.0;
        for (index, rate) in rates.iter().enumerate().rev() {
            let centre = self.centre(index, coefficients);
            coefficients[index] = loop {
                if let Some(value) = self.coefficient(entropy, scale, rate, (index, centre), coefficients) {
                    break value;
                }
            };
            share *= rate.share(centre.1.fraction);
        }
        share
    }

    /// The centre `c_i = −Σ_{j>i} μ_ji v_j`: an integer next to it, and where it lies from there.
    fn centre(&self, index: usize, coefficients: &[i64]) -> (i64, Near) {
        let (mut sum, mut size) = (0.0, 0.0);
        let factors = &self.factors[index];
        for factor in factors {
            let part = factor.value * coefficients[factor.vector as usize] as f64;
            sum -= part;
            size += part.abs();
        }
        // Factors, coefficients, products and sums are each rounded once.
        let error = size * (factors.len() as f64 + 4.0) * f64::EPSILON;
        let nearest = sum.round();
        if error < CENTRE_SLACK / 2.0 && nearest.abs() < 2f64.powi(52) {
            return (nearest as i64, Near { fraction: sum - nearest, error: error + f64::EPSILON });
        }
        let exact = self.exact_centre(index, coefficients);
        let nearest = i64::try_from((&exact + &Rational::new(1, 2u8)).floor()).unwrap_or(0);
        let fraction = (&exact - &Rational::integer(nearest)).to_f64();
        (nearest, Near { fraction, error: 2.0 * f64::EPSILON })
    }

    fn exact_centre(&self, index: usize, coefficients: &[i64]) -> Rational {
        let parts = self.factors[index].iter();
        parts.fold(Rational::integer(0), |sum, factor| {
            &sum - &(&factor.exact * &Rational::integer(coefficients[factor.vector as usize]))
        })
    }

    /// The table `Σ v_i b_i`; `None` when it leaves 64-bit numbers.
    pub(crate) fn table(&self, coefficients: &[i64], noise: &mut [i64]) -> Option<()> {
        noise.fill(0);
        for (vector, times) in self.basis.iter().zip(coefficients).filter(|(_, times)| **times != 0) {
            for (cell, value) in vector {
                let entry = &mut noise[*cell as usize];
                *entry = entry.checked_add(times.checked_mul(*value)?)?;
            }
        }
        Some(())
    }
}

/// The inner products of the basis: by vector, with itself and the later ones that share a cell
/// with it.
fn gram(cells: usize, basis: &[Vector]) -> Vec<BTreeMap<u32, Rational>> {
    let mut vectors_at: Vec<Vec<(u32, i64)>> = vec![Vec::new(); cells];
    for (number, vector) in basis.iter().enumerate() {
        vector.iter().for_each(|(cell, value)| vectors_at[*cell as usize].push((number as u32, *value)));
    }
    let mut products: Vec<BTreeMap<u32, Integer>> = vec![BTreeMap::new(); basis.len()];
    for vectors in &vectors_at {
        for (place, (first, value)) in vectors.iter().enumerate() {
            for (second, other) in &vectors[place..] {
                *products[*first as usize].entry(*second).or_insert(Integer::ZERO) +=
                    Integer::from(*value) * Integer::from(*other);
            }
        }
    }
    let exact = |column: BTreeMap<u32, Integer>| {
        let entries = column.into_iter().filter(|(_, product)| !product.is_zero());
        entries.map(|(vector, product)| (vector, Rational::integer(product))).collect()
    };
    products.into_iter().map(exact).collect()
}

fn too_long(dimension: usize) -> Problem {
    Problem::refused(format!(
        "the {dimension} steps between tables depend on each other too much to be made orthogonal in exact numbers"
    ))
    .hint("a walk draws such tables: `accept = \"estimated\"`; or keep fewer or coarser totals")
}
