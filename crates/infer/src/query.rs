//! `Query`: an integer query, a sum of cells with coefficients.

use declare::{Domain, Grouping, NO_GROUP, Problem};

/// The largest coefficient: sums of noise then fit 64 bits.
pub const LARGEST_COEFFICIENT: i64 = 1 << 31;

/// A sum of cells, each taken a whole number of times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// How results call it, for example `county = Alpha`.
    pub name: String,
    /// Cells with their coefficients, increasing, none zero.
    pub entries: Vec<(u32, i64)>,
}

impl Query {
    /// A query, with its entries in order and those of the same cell together.
    ///
    /// # Errors
    /// Bad when a coefficient is beyond 2³¹.
    pub fn new(name: impl Into<String>, entries: impl IntoIterator<Item = (u32, i64)>) -> Result<Query, Problem> {
        let name = name.into();
        let mut sorted: Vec<(u32, i64)> = entries.into_iter().collect();
        sorted.sort_unstable();
        let mut entries: Vec<(u32, i64)> = Vec::with_capacity(sorted.len());
        for (cell, times) in sorted {
            match entries.last_mut() {
                Some((last, sum)) if *last == cell => *sum = sum.saturating_add(times),
                _ => entries.push((cell, times)),
            }
        }
        entries.retain(|(_, times)| *times != 0);
        if let Some((_, times)) = entries.iter().find(|(_, times)| times.unsigned_abs() > LARGEST_COEFFICIENT as u64) {
            return Err(Problem::bad(format!("the coefficient {times} of the query `{name}` is beyond 2^31"))
                .hint("divide the coefficients of a query by what they have in common"));
        }
        Ok(Query { name, entries })
    }

    /// Every cell by itself.
    pub fn cells(domain: &Domain) -> Vec<Query> {
        let one = |cell| Query { name: domain.describe(cell), entries: vec![(cell as u32, 1)] };
        (0..domain.len()).map(one).collect()
    }

    /// The sums of a grouping, one query for every group.
    ///
    /// # Errors
    /// As [`Query::new`].
    pub fn sums(grouping: &Grouping) -> Result<Vec<Query>, Problem> {
        let named = grouping.names.iter().zip(entries_of(grouping));
        named.map(|(name, entries)| Query::new(name.clone(), entries)).collect()
    }

    /// Its value in a table.
    pub fn value(&self, table: &[i64]) -> i128 {
        self.entries.iter().map(|(cell, times)| i128::from(*times) * i128::from(table[*cell as usize])).sum()
    }

    /// `times·self − other·by`.
    ///
    /// # Errors
    /// As [`Query::new`].
    pub fn minus(&self, times: i64, other: &Query, by: i64) -> Result<Query, Problem> {
        let beyond = || Problem::bad("a coefficient is beyond 2^31");
        let ours = self.entries.iter().map(|(cell, own)| Some((*cell, own.checked_mul(times)?)));
        let theirs = other.entries.iter().map(|(cell, own)| Some((*cell, own.checked_mul(by)?.checked_neg()?)));
        let entries: Vec<(u32, i64)> = ours.chain(theirs).collect::<Option<_>>().ok_or_else(beyond)?;
        Query::new(format!("{} − r·({})", self.name, other.name), entries)
    }
}

/// The cells of every group, each with how often it is taken.
pub(crate) fn entries_of(grouping: &Grouping) -> Vec<Vec<(u32, i64)>> {
    let mut entries: Vec<Vec<(u32, i64)>> = vec![Vec::new(); grouping.groups()];
    for (cell, group) in grouping.group_of.iter().enumerate().filter(|(_, group)| **group != NO_GROUP) {
        entries[*group as usize].push((cell as u32, grouping.taken(cell)));
    }
    entries
}
