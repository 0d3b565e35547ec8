//! The grid of a mixture, and how far its sum of Gaussians is from e^{−r}:
//! `S(r)·e^r = (h/√π)·Σ_j e^{−(hj/2 − r/hj)²}`.
//!
//! `e^{−r} = ∫₀^∞ g(v) dv` with `g(v) = π^{−1/2}·e^{−v²/4 − r²/v²}`, and S(r) is its sum on the
//! grid v = hj. The integrand rises to `π^{−1/2}·e^{−r}` and falls, so the sum is within
//! `h·π^{−1/2}·e^{−r}` of the integral for every r: that bound serves the fine grid. The coarse one
//! is for r of at least 0.27, where enclosures and Poisson summation show more. Proof:
//! `proofs/mixture.md`.

use exact::lazy::Bounds;
use exact::{DECAY_BITS, Enclosure, Integer, Rational, decay};

/// A grid v = hj with bounds of S(r)·e^r for the r that it is used for, and for r = 0.
#[derive(Debug, Clone)]
pub(super) struct Grid {
    /// h.
    pub(super) step: Rational,
    /// M: no S(r)·e^r is smaller.
    pub(super) least: Rational,
    /// No S(r)·e^r is larger.
    pub(super) most: Rational,
}

/// Where sums by machine numbers end, the largest r that they are used for, and the largest
/// relative error that is worth something.
const LAST_QUICK: f64 = 6.5;
const FARTHEST_QUICK: f64 = 1e9;
const LARGEST_QUICK: f64 = 1e-6;

/// The smallest r of the coarse grid, apart from zero, in hundredths.
pub(super) const COARSE_FROM: u32 = 27;

impl Grid {
    /// The grid for vectors with `r² ≥ least_square` or r = 0.
    pub(super) fn for_squares_from(least_square: &Rational) -> Grid {
        let from = Rational::new(COARSE_FROM, 100u8);
        if *least_square >= &from * &from { Grid::coarse() } else { Grid::fine() }
    }

    /// h = 1/2.
    pub(super) fn coarse() -> Grid {
        Grid {
            step: Rational::new(1, 2u8),
            least: Rational::new(9931, 10_000u16),
            most: Rational::new(10_202, 10_000u16),
        }
    }

    /// h = 1/32: `h/√π < 0.018`.
    pub(super) fn fine() -> Grid {
        Grid { step: Rational::new(1, 32u8), least: Rational::new(982, 1000u16), most: Rational::new(1018, 1000u16) }
    }

    /// Bounds of M·e^{−r}/S(r) by machine numbers, for `r = √square` above zero and a square that
    /// is known within a relative `error`; `None` where that error, or r, is large.
    pub(super) fn quick_share(&self, square: f64, error: f64) -> Option<Bounds> {
        let (step, r) = (self.step.to_f64(), square.sqrt());
        if !(f64::MIN_POSITIVE..FARTHEST_QUICK).contains(&r) {
            return None;
        }
        let middle = ((2.0 * r).sqrt() / step).round().max(1.0) as u64;
        let distance = |j: u64| {
            let v = step * j as f64;
            (v / 2.0 - r / v, v / 2.0 + r / v)
        };
        // How far a and its square are off at most: r, a quotient and a difference are rounded.
        let relative = error + 8.0 * f64::EPSILON;
        let (mut sum, mut off, mut terms) = (0.0, 0.0, 0u32);
        let mut add = |j: u64| {
            let (a, size) = distance(j);
            let term = decay(a * a);
            sum += term;
            off += term * (2.0 * a.abs() * size * relative + (size * relative).powi(2));
            terms += 1;
            a.abs() < LAST_QUICK
        };
        for j in middle.. {
            if !add(j) {
                break;
            }
        }
        for j in (1..middle).rev() {
            if !add(j) {
                break;
            }
        }
        // What follows the last terms is at most e^{−a²}/(a·h) on either side.
        let beyond = 2.0 * decay(LAST_QUICK * LAST_QUICK) / (LAST_QUICK * step);
        let rounded = 2f64.powi(-DECAY_BITS) + (f64::from(terms) + 16.0) * f64::EPSILON;
        let relative = 2.0 * (2.0 * off + beyond) / sum + rounded;
        if relative.is_nan() || relative >= LARGEST_QUICK {
            return None;
        }
        let share = self.least.to_f64() / (step / std::f64::consts::PI.sqrt() * sum);
        let word = |share: f64| (share * 2f64.powi(64)) as u64;
        Some(Bounds { floor: word(share * (1.0 - relative)), last: word(share * (1.0 + relative)) })
    }

    /// Encloses S(r)·e^r for `r = √square`.
    pub(super) fn profile(&self, square: &Rational, bits: usize) -> Enclosure {
        let working = bits + 24;
        let guess = (2.0 * square.to_f64().sqrt()).sqrt() / self.step.to_f64();
        let middle = (guess.round() as i64).max(1);
        let mut sum = Enclosure::from_integer(0, working);
        if square.is_zero() {
            // g(0) = π^{−1/2} counts half.
            sum = Enclosure::from_rational(&Rational::new(1, 2u8), working);
        }
        // Up, where a(v) = v/2 − r/v rises by at least h/2 a step; and down, where −a does.
        let mut add = |j: i64, is_up: bool| {
            let distance = self.distance(square, j, working);
            let term = (-&distance.square()).exp();
            let outward = if is_up { distance } else { -&distance };
            let is_last = outward.is_positive() && *term.upper() <= Integer::from(4);
            sum = &sum + &term;
            if is_last {
                sum = &sum + &self.beyond(&outward, &term);
            }
            is_last
        };
        (middle..).any(|j| add(j, true));
        (1..middle).rev().any(|j| add(j, false));
        let root = Enclosure::pi(working).sqrt();
        let sum = &sum * &Enclosure::from_rational(&self.step, working);
        root.and_then(|root| sum.checked_div(&root)).unwrap_or(sum).with_bits(bits)
    }

    /// `hj/2 − r/hj`.
    fn distance(&self, square: &Rational, j: i64, bits: usize) -> Enclosure {
        let v = &self.step * &Rational::integer(j);
        let quotient = square / &(&v * &v);
        let root = Enclosure::from_rational(&quotient, bits).sqrt();
        let half = Enclosure::from_rational(&(&v * &Rational::new(1, 2u8)), bits);
        root.map_or(half.clone(), |root| &half - &root)
    }

    /// What follows a term e^{−a²} when a grows by at least h/2 a step: at most `e^{−a²}/(a·h)`.
    fn beyond(&self, distance: &Enclosure, term: &Enclosure) -> Enclosure {
        let slope = distance * &Enclosure::from_rational(&self.step, distance.bits());
        // Terms of a few units of the last place have distances above one, so that the slope is far
        // from zero.
        let bound = term.checked_div(&slope).unwrap_or_else(|| Enclosure::from_integer(1 << 20, term.bits()));
        Enclosure::from_bounds(Integer::ZERO, bound.upper().clone(), bound.bits())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn below(grid: &Grid, r: &Rational) -> Enclosure {
        grid.profile(&(r * r), 48)
    }

    /// Shows `least ≤ S(r)·e^r ≤ most` on an interval: S falls and e^r rises, so `S(right)·e^left`
    /// and `S(left)·e^right` are bounds of all between; where they do not suffice, both halves are
    /// shown. `false` when an interval shorter than 2⁻²⁰ does not.
    fn shown(grid: &Grid, left: &Rational, right: &Rational) -> bool {
        let width = right - left;
        let shrink = Enclosure::exp_rational(&-width.clone(), 48);
        let grow = Enclosure::exp_rational(&width, 48);
        let (low, high) = (&below(grid, right) * &shrink, &below(grid, left) * &grow);
        if low.lower_rational() >= grid.least && high.upper_rational() <= grid.most {
            return true;
        }
        if width < Rational::new(1, 1u32 << 20) {
            return false;
        }
        let middle = &(left + right) * &Rational::new(1, 2u8);
        shown(grid, left, &middle) && shown(grid, &middle, right)
    }

    #[test]
    fn the_coarse_grid_keeps_its_bounds_up_to_thirty() {
        assert!(shown(&Grid::coarse(), &Rational::new(COARSE_FROM, 100u8), &Rational::integer(30)));
        let zero = Grid::coarse().profile(&Rational::integer(0), 64);
        assert!(zero.lower_rational() >= Grid::coarse().least && zero.upper_rational() <= Grid::coarse().most);
    }

    #[test]
    fn beyond_thirty_poisson_summation_leaves_little() {
        // The bound of the proof, at r = 30 where it is largest: 2·(c^{−1/2}·Σ_k e^{2κ² − kωκ/√2} +
        // √r·e^{r − 17cr/8}/(√π·ωκ)), with ω = 4π, κ = ω/4√2 and c = 1 − 2κ²/r.
        let (r, omega) = (30f64, 4.0 * std::f64::consts::PI);
        let kappa = omega / 32f64.sqrt();
        let c = 1.0 - 2.0 * kappa * kappa / r;
        let first = (2.0 * kappa * kappa - omega * kappa / 2f64.sqrt()).exp() / c.sqrt() * 1.01;
        let second = r.sqrt() * (r - 2.125 * c * r).exp() / (std::f64::consts::PI.sqrt() * omega * kappa);
        assert!(2.0 * (first + second) < 2e-4, "{first} {second}");
    }

    #[test]
    fn the_fine_grid_keeps_its_bounds_where_they_are_proved_for_all() {
        let grid = Grid::fine();
        for r in ["1/1000000", "1/1000", "1/100", "3/100", "1/10", "1/4", "1", "7", "50", "1000"] {
            let value = below(&grid, &r.parse().unwrap());
            assert!(value.lower_rational() >= grid.least && value.upper_rational() <= grid.most, "r = {r}: {value}");
        }
        let zero = grid.profile(&Rational::integer(0), 64);
        assert!(zero.lower_rational() >= grid.least && zero.upper_rational() <= grid.most);
    }

    #[test]
    fn machine_numbers_enclose_the_share() {
        for grid in [Grid::coarse(), Grid::fine()] {
            for r in ["3/10", "1", "7/3", "19", "333", "54321"] {
                let r: Rational = r.parse().unwrap();
                let square = &r * &r;
                let bounds = grid.quick_share(square.to_f64(), 2f64.powi(-50)).unwrap();
                let least = Enclosure::from_rational(&grid.least, 96);
                let truth = Bounds::of(&least.checked_div(&grid.profile(&square, 96)).unwrap());
                assert!(bounds.floor <= truth.floor && truth.last <= bounds.last, "r = {r}: {bounds:?}, {truth:?}");
                assert!(bounds.last - bounds.floor < 1 << 36, "r = {r}: {bounds:?}");
            }
            assert!(grid.quick_share(0.0, 0.0).is_none() && grid.quick_share(1.0, 1e-3).is_none());
        }
    }

    #[test]
    fn a_doubled_step_or_smaller_r_breaks_the_bounds() {
        let doubled = Grid { step: Rational::integer(1), ..Grid::coarse() };
        assert!(!shown(&doubled, &Rational::integer(1), &Rational::integer(3)));
        assert!(!shown(&Grid::coarse(), &Rational::new(1, 10u8), &Rational::new(COARSE_FROM, 100u8)));
        let larger = Grid { least: Rational::new(9932, 10_000u16), ..Grid::coarse() };
        assert!(!shown(&larger, &Rational::new(8, 10u8), &Rational::integer(1)));
    }
}
