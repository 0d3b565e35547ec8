//! `Accumulated`: the counts of all rows so far, and which row gave each cell its count.

use crate::table::Table;
use crate::visit::Portion;
use declare::{Declaration, Domain, Duplicates, Problem};

/// No row has given this cell a count yet.
const UNSEEN: u64 = u64::MAX;

/// The counts so far.
pub(crate) struct Accumulated {
    pub counts: Table,
    /// The place of the row that gave each cell its count; empty when the same cell may come twice.
    seen: Vec<u64>,
}

impl Accumulated {
    /// No rows yet.
    pub fn new(declaration: &Declaration, domain: &Domain) -> Result<Self, Problem> {
        let counted = declaration.data.count.is_some() || domain.schema.measures().is_some();
        let distinct = counted && declaration.data.duplicates == Duplicates::Error;
        let counts = Table::new(filled(0, domain.len())?);
        Ok(Accumulated { counts, seen: if distinct { filled(UNSEEN, domain.len())? } else { Vec::new() } })
    }

    /// Adds the counts of a portion.
    pub fn add(&mut self, portion: &Portion<'_>) -> Result<(), Problem> {
        if !self.seen.is_empty() {
            for (entry, cell) in portion.cells.iter().enumerate() {
                let first = &mut self.seen[*cell as usize];
                if *first != UNSEEN {
                    return Err(portion.repeated(entry, *first));
                }
                *first = portion.place(entry);
            }
        }
        if portion.counts.is_empty() {
            portion.cells.iter().for_each(|cell| self.counts.add(*cell as usize, 1));
        } else {
            portion.cells.iter().zip(portion.counts).for_each(|(cell, count)| self.counts.add(*cell as usize, *count));
        }
        Ok(())
    }
}

/// A vector of equal values, or a problem when the table does not fit in memory.
fn filled<T: Clone>(value: T, length: usize) -> Result<Vec<T>, Problem> {
    let mut vector = Vec::new();
    if vector.try_reserve_exact(length).is_err() {
        return Err(Problem::system(format!("a table of {length} cells does not fit in memory")));
    }
    vector.resize(length, value);
    Ok(vector)
}
