//! Ties: which of equally near tables is released, decided by the measurements themselves and not
//! by the order of the cells.
//!
//! A fixed order of cells would favour the first of them in every release. Here a fixed mixing of
//! all numbers of a part chooses, so that no cell is favoured over many releases, and the result is
//! still a function of the measurements alone.

/// A key for every place: equal numbers give equal keys.
pub(crate) fn keys(numbers: impl Iterator<Item = i64>) -> impl Fn(usize) -> u64 {
    let seed = numbers.fold(0x243f_6a88_85a3_08d3, |seed, number| mixed(seed ^ number as u64));
    move |place| mixed(seed.wrapping_add(place as u64))
}

/// Steele, Lea and Flood's finaliser (2014): every bit of the number moves half of the result's.
fn mixed(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// Real values, each moved by less than this: enough to tell equal fractions apart, too little to
/// matter otherwise.
const APART: f64 = 1.0 / (1u64 << 26) as f64;

/// Values whose fractions differ; those that are integers stay.
pub(crate) fn untied(real: &[f64]) -> Vec<f64> {
    let key = keys(real.iter().map(|value| value.floor() as i64));
    let moved = |(place, value): (usize, &f64)| {
        let (floor, ceiling) = (value.floor(), value.ceil());
        if floor == ceiling {
            return *value;
        }
        let by = (key(place) >> 11) as f64 / (1u64 << 53) as f64 - 0.5;
        (value + 2.0 * by * APART).clamp(floor, ceiling)
    };
    real.iter().enumerate().map(moved).collect()
}

#[cfg(test)]
mod tests {
    use super::{APART, keys, untied};

    #[test]
    fn equal_fractions_are_told_apart_and_no_place_is_favoured() {
        let mut first = [0u32; 4];
        for number in 0..4000 {
            let real: Vec<f64> = (0..4).map(|place| f64::from(number * (2 * place + 1) - 7000) + 0.25).collect();
            let moved = untied(&real);
            assert!(moved.iter().zip(&real).all(|(moved, value)| (moved - value).abs() <= APART));
            let fraction = |place: &usize| moved[*place] - moved[*place].floor();
            let largest = (0..4).max_by(|one, two| fraction(one).total_cmp(&fraction(two))).unwrap();
            first[largest] += 1;
            assert_eq!(moved, untied(&real));
        }
        // Each a quarter, within five standard deviations.
        assert!(first.iter().all(|count| count.abs_diff(1000) < 140), "{first:?}");
        assert_eq!(untied(&[3.0, -2.0]), [3.0, -2.0]);
    }

    #[test]
    fn keys_depend_on_every_number() {
        let key = |numbers: [i64; 3]| keys(numbers.into_iter())(0);
        assert_eq!(key([1, 2, 3]), key([1, 2, 3]));
        assert!(key([1, 2, 3]) != key([1, 2, 4]) && key([1, 2, 3]) != key([2, 1, 3]));
    }
}
