//! `Summary`: how many cells and sums the public values confine, and how closely.

use crate::range::Range;
use crate::ranges::{MarginRanges, Ranges};

/// The widths that are counted by default; at 0 all tables have one value.
pub const DEFAULT_WIDTHS: [u64; 4] = [0, 2, 5, 10];

/// How many ranges are how wide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Widths {
    /// How many there are.
    pub total: usize,
    /// How many hold one value.
    pub disclosed: usize,
    /// For widths, increasing, how many ranges are at most as wide. What is not shown to be wider
    /// is counted.
    pub at_most: Vec<(u64, usize)>,
    /// How many have an end that is not proved.
    pub unproved: usize,
}

/// The sums of one grouping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarginSummary {
    /// For example `by county`.
    pub label: String,
    /// How wide its ranges are.
    pub widths: Widths,
}

/// How closely all cells, and the sums that were asked for, are confined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// The cells.
    pub cells: Widths,
    /// The sums.
    pub margins: Vec<MarginSummary>,
}

impl Widths {
    fn of(ranges: impl Iterator<Item = (Range, usize)>, widths: &[u64]) -> Widths {
        let at_most = widths.iter().map(|width| (*width, 0)).collect();
        let mut counted = Widths { total: 0, disclosed: 0, at_most, unproved: 0 };
        for (range, times) in ranges {
            counted.total += times;
            counted.disclosed += if range.value().is_some() { times } else { 0 };
            counted.unproved += if range.is_proved() { 0 } else { times };
            for (width, count) in &mut counted.at_most {
                *count += if range.is_wider_than(*width) { 0 } else { times };
            }
        }
        counted
    }
}

impl Ranges {
    /// Counts ranges by width: the default ones and one more.
    pub fn summary(&self, within: u64) -> Summary {
        let mut widths = DEFAULT_WIDTHS.to_vec();
        widths.push(within);
        widths.sort_unstable();
        widths.dedup();
        let margin = |margin: &MarginRanges| MarginSummary {
            label: margin.label.clone(),
            widths: Widths::of(margin.ranges.iter().map(|range| (*range, 1)), &widths),
        };
        Summary { cells: Widths::of(self.classes(), &widths), margins: self.margins.iter().map(margin).collect() }
    }
}
