//! `Narrow`: listed tables as small numbers side by side, so that all pairs of them are compared
//! quickly.

use analyse::Listed;

/// Tables as differences from the first of them.
pub(super) struct Narrow {
    cells: usize,
    values: Vec<i32>,
}

impl Narrow {
    /// The tables of a list; `None` when they are so far apart that sums of differences leave 32
    /// bits.
    pub(super) fn new(listed: &Listed) -> Option<Narrow> {
        let first = listed.tables().next()?;
        let most = i64::from(i32::MAX / 2) / first.len().max(1) as i64;
        let narrow = |(value, first): (&i64, &i64)| {
            let difference = value.checked_sub(*first)?;
            i32::try_from(difference).ok().filter(|_| difference.abs() <= most / 2)
        };
        let values = listed.tables().flat_map(|table| table.iter().zip(first)).map(narrow);
        Some(Narrow { cells: first.len(), values: values.collect::<Option<_>>()? })
    }

    /// A table.
    pub(super) fn table(&self, number: usize) -> &[i32] {
        &self.values[number * self.cells..(number + 1) * self.cells]
    }

    /// The number of tables.
    pub(super) fn len(&self) -> usize {
        self.values.len() / self.cells.max(1)
    }
}

/// The ℓ₁ distance of two tables.
pub(super) fn distance(one: &[i32], two: &[i32]) -> u64 {
    u64::from(one.iter().zip(two).map(|(one, two)| (one - two).unsigned_abs()).sum::<u32>())
}

/// The squared ℓ₂ distance of two tables.
pub(super) fn squared(one: &[i32], two: &[i32]) -> u64 {
    let square = |(one, two): (&i32, &i32)| u64::from((one - two).unsigned_abs()).pow(2);
    one.iter().zip(two).map(square).fold(0, u64::saturating_add)
}
