//! Transforms around a circle: sums of independent numbers are products there. Machine numbers, to
//! about fifteen digits of the largest.

/// A complex number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Complex {
    pub(crate) re: f64,
    pub(crate) im: f64,
}

impl Complex {
    pub(crate) const ONE: Complex = Complex { re: 1.0, im: 0.0 };
    pub(crate) const ZERO: Complex = Complex { re: 0.0, im: 0.0 };

    pub(crate) fn at(angle: f64) -> Complex {
        Complex { re: angle.cos(), im: angle.sin() }
    }

    pub(crate) fn plus(self, other: Complex) -> Complex {
        Complex { re: self.re + other.re, im: self.im + other.im }
    }

    pub(crate) fn minus(self, other: Complex) -> Complex {
        Complex { re: self.re - other.re, im: self.im - other.im }
    }

    pub(crate) fn times(self, other: Complex) -> Complex {
        Complex { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }

    /// So many factors of it.
    pub(crate) fn power(self, mut count: usize) -> Complex {
        let (mut product, mut square) = (Complex::ONE, self);
        while count > 0 {
            if count % 2 == 1 {
                product = product.times(square);
            }
            square = square.times(square);
            count /= 2;
        }
        product
    }

    pub(crate) fn size(self) -> f64 {
        self.re.hypot(self.im)
    }
}

/// A circle of a power of two of places.
#[derive(Debug)]
pub(crate) struct Circle {
    /// e^{2πik/N} for k below N/2.
    turns: Vec<Complex>,
    pub(crate) places: usize,
}

impl Circle {
    /// At least so many places.
    pub(crate) fn new(places: usize) -> Circle {
        let places = places.max(4).next_power_of_two();
        let step = std::f64::consts::TAU / places as f64;
        Circle { turns: (0..places / 2).map(|turn| Complex::at(step * turn as f64)).collect(), places }
    }

    /// `Σ_a f(a)·e^{2πiak/N}` for all k; the other way around without the factor 1/N when `back`.
    fn turned(&self, values: &mut [Complex], back: bool) {
        let bits = self.places.trailing_zeros();
        for place in 0..self.places {
            let mirrored = place.reverse_bits() >> (usize::BITS - bits);
            if place < mirrored {
                values.swap(place, mirrored);
            }
        }
        let mut half = 1;
        while half < self.places {
            let stride = self.places / (2 * half);
            for block in values.chunks_mut(2 * half) {
                let (left, right) = block.split_at_mut(half);
                for (number, (one, two)) in left.iter_mut().zip(right).enumerate() {
                    let turn = self.turns[number * stride];
                    let turn = if back { Complex { re: turn.re, im: -turn.im } } else { turn };
                    let other = two.times(turn);
                    (*one, *two) = (one.plus(other), one.minus(other));
                }
            }
            half *= 2;
        }
    }

    /// The transform of real numbers around the circle, at the nodes 0 to N/2: the others are their
    /// mirror images.
    pub(crate) fn spectrum(&self, values: &[f64]) -> Vec<Complex> {
        let mut all: Vec<Complex> = values.iter().map(|value| Complex { re: *value, im: 0.0 }).collect();
        all.resize(self.places, Complex::ZERO);
        self.turned(&mut all, false);
        all.truncate(self.places / 2 + 1);
        all
    }

    /// The real numbers around the circle with this transform.
    pub(crate) fn values(&self, spectrum: &[Complex]) -> Vec<f64> {
        let mut all = spectrum.to_vec();
        all.resize(self.places, Complex::ZERO);
        for node in 1..self.places / 2 {
            let known = all[node];
            all[self.places - node] = Complex { re: known.re, im: -known.im };
        }
        self.turned(&mut all, true);
        all.into_iter().map(|value| value.re / self.places as f64).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_and_products_are_sums() {
        let circle = Circle::new(13);
        assert_eq!(circle.places, 16);
        let die: Vec<f64> = (0..16).map(|value| if (1..=6).contains(&value) { 1.0 / 6.0 } else { 0.0 }).collect();
        let spectrum = circle.spectrum(&die);
        let back = circle.values(&spectrum);
        assert!(die.iter().zip(&back).all(|(one, two)| (one - two).abs() < 1e-15));
        let two = circle.values(&spectrum.iter().map(|value| value.power(2)).collect::<Vec<_>>());
        assert!((two[7] - 6.0 / 36.0).abs() < 1e-15 && two[13].abs() < 1e-15);
    }
}
