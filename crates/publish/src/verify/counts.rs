//! The table of a release, read in portions: its counts, or of a folded table those of the small
//! one with the same totals.

use super::{CertifiedFolder, other_interval};
use crate::files::{Portion, read_table};
use crate::gathered::Gathered;
use certify::changed;
use declare::{Fold, Problem};
use exact::attention::look;

/// What verification needs of a table.
pub(super) struct Counts<'a> {
    /// The released counts; of a folded table what they add up to in the small one.
    pub(super) counts: Vec<i64>,
    /// How far the interval of every cell reaches, if the table has intervals; of a folded table
    /// that of every place.
    pub(super) reach: Option<Vec<u32>>,
    /// What report and codebook say about the counts.
    pub(super) gathered: Gathered<'a>,
}

impl Counts<'_> {
    /// The released counts, if they are in memory.
    pub(super) fn values(&self, found: &CertifiedFolder) -> Option<&[i64]> {
        found.restored.fold.is_none().then_some(&self.counts)
    }
}

/// Reads the table.
pub(super) fn counts(found: &CertifiedFolder) -> Result<Counts<'_>, Problem> {
    let CertifiedFolder { restored, table, format, intervals, .. } = found;
    let mut read = Counts {
        counts: Vec::with_capacity(restored.conditions.cells),
        reach: intervals.then(Vec::new),
        gathered: Gathered::new(&restored.domain),
    };
    let mut cells = 0;
    read_table(table, *format, &restored.domain, *intervals, &mut |portion| {
        look();
        read.gathered.add_read(&portion);
        read.add_reach(found, cells, &portion)?;
        match &restored.fold {
            None => read.counts.extend_from_slice(portion.values),
            Some(fold) => {
                if restored.conditions.nonnegative && portion.values.iter().any(|value| *value < 0) {
                    return Err(changed("the table breaks the rule `nonnegative = true`"));
                }
                add_folded(&mut read.counts, fold, cells, portion.values)?;
            }
        }
        cells += portion.values.len();
        Ok(())
    })?;
    Ok(read)
}

impl Counts<'_> {
    /// Intervals are symmetric around the count, and the same in all cells of a place.
    fn add_reach(&mut self, found: &CertifiedFolder, first: usize, portion: &Portion<'_>) -> Result<(), Problem> {
        let (Some(reach), Some([lower, upper])) = (&mut self.reach, portion.interval) else { return Ok(()) };
        let each = found.restored.fold.as_ref().map_or(1, Fold::each);
        for (position, ((value, lower), upper)) in portion.values.iter().zip(lower).zip(upper).enumerate() {
            let below = value.checked_sub(*lower).and_then(|below| u32::try_from(below).ok());
            let below = below.filter(|below| upper.checked_sub(*value) == Some(i64::from(*below)));
            let place = (first + position) / each;
            match below {
                Some(below) if place == reach.len() => reach.push(below),
                Some(below) if reach[place] == below => {}
                _ => return Err(other_interval(&found.restored.domain, first + position)),
            }
        }
        Ok(())
    }
}

/// Adds consecutive counts, from this cell on, to those of the small table with the same totals.
fn add_folded(small: &mut Vec<i64>, fold: &Fold, first: usize, values: &[i64]) -> Result<(), Problem> {
    small.resize(fold.domain.len(), 0);
    let (mut cell, mut rest) = (first, values);
    while !rest.is_empty() {
        let (now, later) = rest.split_at((fold.each() - cell % fold.each()).min(rest.len()));
        let sum: i128 = now.iter().map(|value| i128::from(*value)).sum();
        let place = &mut small[fold.place(cell)];
        *place = i64::try_from(i128::from(*place) + sum).map_err(|_| changed("the table has sums beyond 64 bits"))?;
        cell += now.len();
        rest = later;
    }
    Ok(())
}
