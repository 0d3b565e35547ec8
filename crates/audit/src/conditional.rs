//! The variance of a cell's noise given that the noise of its group adds up to zero, exactly.
//!
//! With x = coth ε' and P_N the Legendre polynomials, the double geometric has
//! `(n−1)/(n(n+1)) · (n(x² − 1) + (n−1)·x·(x − P_{n−2}(x)/P_{n−1}(x)))`: rational in a = e^{−ε'},
//! one division per cell of the group. Laplace noise is its limit, `(2n−1)(n−1)/(n(n+1))·λ²`. Both
//! are below the variance that a projection leaves, `(1 − 1/n)` times that of the noise, for every
//! n ≥ 2 and every ε': Liu's conjecture (2023, section 4). Proofs: `proofs/conditional.md`.

use exact::{Enclosure, Integer, Rational};

/// Laplace noise of scale λ on `cells` cells that adds up to zero: the variance of a cell.
pub fn laplace(scale: &Rational, cells: u64) -> Rational {
    if cells < 2 {
        return Rational::integer(0);
    }
    let n = Integer::from(cells);
    let above = (&n * 2 - 1) * (&n - 1);
    &(scale * scale) * &(&Rational::integer(above) / &Rational::integer(&n * (&n + 1)))
}

/// Gaussian noise of variance σ² on `cells` cells that adds up to zero: the variance of a cell,
/// σ²(1 − 1/n), the same as after projection.
pub fn gaussian(variance: &Rational, cells: u64) -> Rational {
    crate::zhu::exact_variance(variance, cells)
}

/// The variances of a cell with double geometric noise, in a group whose total is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept<T> {
    /// The number of cells of the group.
    pub cells: u64,
    /// Given that the noise adds up to zero.
    pub conditioning: T,
    /// After projection onto the total.
    pub projection: T,
}

/// [`Kept`] for groups of 2, 3, 4, … cells, in fractions, for a rational parameter a = e^{−ε'};
/// `None` unless 0 < a < 1.
pub fn double_geometric_rational(a: &Rational) -> Option<impl Iterator<Item = Kept<Rational>> + use<>> {
    let one = Rational::integer(1);
    if !a.is_positive() || *a >= one {
        return None;
    }
    let square = a * a;
    let x = &(&one + &square) / &(&one - &square);
    let less = &one - a;
    let of_noise = &(&Rational::integer(2) * a) / &(&less * &less);
    // P_{N−1}/P_N for N = 1, 2, …
    let mut inverse = &one / &x;
    let mut cells = 1u64;
    Some(std::iter::from_fn(move || {
        cells += 1;
        if cells > 2 {
            let degree = cells - 1;
            let step = &(&Rational::integer(2 * degree - 1) * &x) - &(&Rational::integer(degree - 1) * &inverse);
            inverse = &Rational::integer(degree) / &step;
        }
        let n = Rational::integer(cells);
        let all_but_one = Rational::integer(cells - 1);
        let first = &n * &(&(&x * &x) - &one);
        let second = &(&all_but_one * &x) * &(&x - &inverse);
        let factor = &all_but_one / &(&n * &(&n + &one));
        let conditioning = &factor * &(&first + &second);
        Some(Kept { cells, conditioning, projection: crate::zhu::exact_variance(&of_noise, cells) })
    }))
}

/// [`Kept`] for groups of 2, 3, 4, … cells, enclosed, for noise with parameter e^{−ε'}; `None` when
/// so few bits do not tell e^{−ε'} from zero or one.
pub fn double_geometric(epsilon: &Rational, bits: usize) -> Option<impl Iterator<Item = Kept<Enclosure>> + use<>> {
    let mut group = Group::of_two(epsilon, bits)?;
    let mut first = true;
    Some(std::iter::from_fn(move || {
        if !std::mem::take(&mut first) {
            group.grow()?;
        }
        group.kept()
    }))
}

/// Double geometric noise with parameter e^{−ε'} on `cells` cells that adds up to zero: the
/// variance of a cell, with about fifteen digits. Takes time proportional to the number of cells.
///
/// Contract: ε' > 0.
pub fn double_geometric_variance(epsilon: &Rational, cells: u64) -> f64 {
    // Beyond 400 the variance is below the smallest machine number.
    if cells < 2 || *epsilon > Rational::integer(400) {
        return 0.0;
    }
    // The variance is about 2e^{−2ε'} when ε' is large, and e^{−ε'} is about 1 − ε' when it is
    // small.
    let size = epsilon.to_f64();
    let bits = 128 + 4 * (size + (1.0 / size).log2().clamp(0.0, 2000.0)).ceil() as usize;
    let kept = || {
        let mut group = Group::of_two(epsilon, bits)?;
        for _ in 2..cells {
            group.grow()?;
        }
        group.kept()
    };
    kept().map_or(0.0, |kept| kept.conditioning.to_f64())
}

/// What the formula needs for a group of so many cells.
struct Group {
    cells: u64,
    x: Enclosure,
    /// √(x² − 1) = 2a/(1 − a²), which does not cancel when a is small.
    root: Enclosure,
    /// P_{n−2}(x)/P_{n−1}(x).
    inverse: Enclosure,
    of_noise: Enclosure,
}

impl Group {
    fn of_two(epsilon: &Rational, bits: usize) -> Option<Group> {
        let one = Enclosure::from_integer(1, bits);
        let a = Enclosure::exp_rational(&-epsilon, bits);
        let rest = &one - &a;
        if !epsilon.is_positive() || !a.is_positive() || !rest.is_positive() {
            return None;
        }
        let below = &(&one + &a) * &rest;
        let x = (&one + &a.square()).checked_div(&below)?;
        let twice = a.mul_power_of_two(1);
        let root = twice.checked_div(&below)?;
        let of_noise = twice.checked_div(&rest.square())?;
        let inverse = one.checked_div(&x)?;
        Some(Group { cells: 2, x, root, inverse, of_noise })
    }

    /// One more cell: Legendre's recurrence.
    fn grow(&mut self) -> Option<()> {
        let degree = Integer::from(self.cells);
        let step = &self.x.mul_integer(&(&degree * 2 - 1)) - &self.inverse.mul_integer(&(&degree - 1));
        self.inverse = Enclosure::from_integer(degree, self.x.bits()).checked_div(&step)?;
        self.cells += 1;
        Some(())
    }

    fn kept(&self) -> Option<Kept<Enclosure>> {
        let n = Integer::from(self.cells);
        let all_but_one = &n - 1;
        let first = self.root.square().mul_integer(&n);
        let second = (&self.x * &(&self.x - &self.inverse)).mul_integer(&all_but_one);
        let conditioning = (&first + &second).mul_integer(&all_but_one).div_integer(&(&n * (&n + 1)))?;
        let projection = self.of_noise.mul_integer(&all_but_one).div_integer(&n)?;
        Some(Kept { cells: self.cells, conditioning, projection })
    }
}

/// Whether conditioning leaves less variance than projection in every group of 2, …, `most` cells:
/// Liu's conjecture for Laplace noise, in fractions.
pub fn conjecture_holds_for_laplace(most: u64) -> bool {
    let one = Rational::integer(1);
    let of_noise = Rational::integer(2);
    (2..=most).all(|cells| laplace(&one, cells) < crate::zhu::exact_variance(&of_noise, cells))
}

/// The discrete twin of Liu's conjecture, for double geometric noise and groups of 2, …, `most`
/// cells: `None` when the bits do not decide.
pub fn conjecture_holds_for_double_geometric(epsilon: &Rational, most: u64, bits: usize) -> Option<bool> {
    for kept in double_geometric(epsilon, bits)?.take_while(|kept| kept.cells <= most) {
        if !kept.conditioning.certainly_less(&kept.projection)? {
            return Some(false);
        }
    }
    Some(true)
}
