//! Entries: from a value to how far it moves the combination of its row, or why it does not.
//!
//! An entry is a number: in its low bits the step to add, in its three highest what stands against
//! the row.

use declare::Values;
use std::collections::HashMap;

/// The value is missing.
pub(crate) const MISSING: u8 = 1;
/// The value is outside the declared domain.
pub(crate) const OUTSIDE: u8 = 2;
/// Only the text of the row can tell.
pub(crate) const UNCLEAR: u8 = 4;
/// The filter leaves the row out.
pub(crate) const FILTERED: u8 = 8;

const FLAGS_FROM: u32 = 61;

/// The entry of a flag.
pub(crate) const fn flagged(flag: u8) -> u64 {
    (flag as u64) << FLAGS_FROM
}

/// Adds entries to the combinations of rows, and what stands against these rows to their flags.
#[inline]
pub(crate) fn add(entries: impl Iterator<Item = u64>, sums: &mut [u64], flags: &mut [u8]) {
    for ((sum, flag), entry) in sums.iter_mut().zip(flags).zip(entries) {
        *sum += entry & (flagged(1) - 1);
        *flag |= (entry >> FLAGS_FROM) as u8;
    }
}

/// The entries of whole numbers.
pub(crate) enum WholeCodes {
    /// Consecutive numbers from the first.
    Range { first: i64, length: u64, stride: u64 },
    /// The entries of consecutive numbers from the lowest, and of all above; those below are
    /// outside.
    Table { lowest: i64, entries: Vec<u64>, above: u64 },
    /// Bins that are too wide for a table.
    Bins { edges: Vec<i64>, open: bool, stride: u64 },
    /// Labels that are too far apart for a table.
    Labels(HashMap<i64, u64>),
}

impl WholeCodes {
    /// The lookup of whole numbers for a dimension with these values.
    pub fn new(values: &Values, code: impl Fn(&str) -> Option<usize>, stride: u64) -> Self {
        const WIDEST: u64 = 1 << 16;
        match values {
            Values::Integers { first, .. } => WholeCodes::Range { first: *first, length: values.len() as u64, stride },
            Values::Bins { edges, open } => {
                let bins = WholeCodes::Bins { edges: edges.clone(), open: *open, stride };
                match (edges.first(), edges.last()) {
                    (Some(lowest), Some(highest)) if highest.abs_diff(*lowest) < WIDEST => WholeCodes::Table {
                        lowest: *lowest,
                        entries: (*lowest..=*highest).map(|number| bins.entry(number)).collect(),
                        above: bins.entry(i64::MAX),
                    },
                    _ => bins,
                }
            }
            _ => {
                let labels = (0..values.len()).filter_map(|number| {
                    let label = values.label(number);
                    let whole = label.parse::<i64>().ok().filter(|whole| whole.to_string() == label)?;
                    Some((whole, code(&label)? as u64 * stride))
                });
                let labels: HashMap<i64, u64> = labels.collect();
                match (labels.keys().min(), labels.keys().max()) {
                    (Some(lowest), Some(highest)) if highest.abs_diff(*lowest) < WIDEST => {
                        let entry = |number: i64| labels.get(&number).copied().unwrap_or(flagged(OUTSIDE));
                        let entries = (*lowest..=*highest).map(entry).collect();
                        WholeCodes::Table { lowest: *lowest, entries, above: flagged(OUTSIDE) }
                    }
                    _ => WholeCodes::Labels(labels),
                }
            }
        }
    }

    /// The entry of a number.
    #[inline]
    pub fn entry(&self, number: i64) -> u64 {
        match self {
            WholeCodes::Range { first, length, stride } => {
                let code = number.wrapping_sub(*first) as u64;
                if number >= *first && code < *length { code * stride } else { flagged(OUTSIDE) }
            }
            WholeCodes::Table { lowest, entries, above } => {
                let place = number.wrapping_sub(*lowest) as u64;
                match usize::try_from(place).ok().and_then(|place| entries.get(place)) {
                    Some(entry) => *entry,
                    None if number > *lowest => *above,
                    None => flagged(OUTSIDE),
                }
            }
            WholeCodes::Bins { edges, open, stride } => {
                let started = edges.partition_point(|edge| number >= *edge);
                let bins = edges.len() - 1 + usize::from(*open);
                if (1..=bins).contains(&started) { (started as u64 - 1) * stride } else { flagged(OUTSIDE) }
            }
            WholeCodes::Labels(labels) => labels.get(&number).copied().unwrap_or(flagged(OUTSIDE)),
        }
    }

    /// Adds the entries of many numbers.
    pub fn add(&self, numbers: &[i64], sums: &mut [u64], flags: &mut [u8]) {
        // Matched outside of the loop, so that each loop is as tight as its lookup.
        match self {
            WholeCodes::Range { first, length, stride } => {
                let entry = |number: &i64| {
                    let code = number.wrapping_sub(*first) as u64;
                    let inside = *number >= *first && code < *length;
                    if inside { code * stride } else { flagged(OUTSIDE) }
                };
                add(numbers.iter().map(entry), sums, flags);
            }
            WholeCodes::Table { .. } | WholeCodes::Bins { .. } | WholeCodes::Labels(_) => {
                add(numbers.iter().map(|number| self.entry(*number)), sums, flags);
            }
        }
    }
}
