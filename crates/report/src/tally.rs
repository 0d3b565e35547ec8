//! `Tally`: how often every size of a count occurs, for medians of tables that are never in memory
//! whole.

use std::collections::BTreeMap;

/// Sizes below this are counted in a list.
const LISTED: usize = 1 << 12;

/// More different sizes than this are told apart by their leading bits alone.
const MOST_SIZES: usize = 1 << 16;

/// The leading bits that are kept of sizes when there are too many.
const LEADING: u32 = 12;

/// How often sizes occur: a function of the sizes, whatever their order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tally {
    small: Vec<u64>,
    large: BTreeMap<u64, u64>,
    coarse: bool,
    sizes: u64,
    largest: u64,
}

impl Tally {
    /// Counts one size, which is not zero.
    pub(crate) fn add(&mut self, size: u64) {
        self.sizes += 1;
        self.largest = self.largest.max(size);
        if size < LISTED as u64 {
            if self.small.is_empty() {
                self.small = vec![0; LISTED];
            }
            self.small[size as usize] += 1;
            return;
        }
        *self.large.entry(if self.coarse { leading(size) } else { size }).or_default() += 1;
        if self.large.len() > MOST_SIZES && !self.coarse {
            self.coarse = true;
            for (size, times) in std::mem::take(&mut self.large) {
                *self.large.entry(leading(size)).or_default() += times;
            }
        }
    }

    /// The largest size; 0 when there is none.
    pub(crate) fn largest(&self) -> u64 {
        self.largest
    }

    /// The size in the middle, the upper one of two; `None` when there is none.
    pub(crate) fn median(&self) -> Option<u64> {
        let mut before = 0;
        let small = self.small.iter().enumerate().map(|(size, times)| (size as u64, *times));
        let large = self.large.iter().map(|(size, times)| (*size, *times));
        small.chain(large).find_map(|(size, times)| {
            before += times;
            (before > self.sizes / 2).then_some(size)
        })
    }
}

/// A size without all bits but its leading ones.
fn leading(size: u64) -> u64 {
    let dropped = (u64::BITS - size.leading_zeros()).saturating_sub(LEADING);
    size >> dropped << dropped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_size_in_the_middle() {
        let median = |sizes: &[u64]| {
            let mut tally = Tally::default();
            sizes.iter().for_each(|size| tally.add(*size));
            (tally.median(), tally.largest())
        };
        assert_eq!(median(&[]), (None, 0));
        assert_eq!(median(&[9]), (Some(9), 9));
        assert_eq!(median(&[1_000_000, 3, 5_000, 70_000]), (Some(70_000), 1_000_000));
        assert_eq!(median(&[u64::MAX, 3, 5]), (Some(5), u64::MAX));
    }

    #[test]
    fn many_sizes_keep_their_leading_bits_in_any_order() {
        let sizes: Vec<u64> = (0..200_000).map(|place| 10_000 + place * 7).collect();
        let [mut up, mut down] = [Tally::default(), Tally::default()];
        sizes.iter().for_each(|size| up.add(*size));
        sizes.iter().rev().for_each(|size| down.add(*size));
        assert_eq!(up.median(), down.median());
        let (median, exact) = (up.median().unwrap() as f64, sizes[100_000] as f64);
        assert!((median / exact - 1.0).abs() < 1e-3, "{median} {exact}");
        assert!(up.large.len() < MOST_SIZES);
    }
}
