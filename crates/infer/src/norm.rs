//! Noise by one norm over all cells, e^{−ε'‖z‖₂}: Z(x) where the tables that can be released are
//! few, and what a chain pays for a step.

use crate::chain::Target;
use crate::energy::log_of_sum;
use crate::field::Field;
use analyse::{ListLimits, Listed};

/// All tables that can be released, listed once.
#[derive(Debug)]
pub(crate) struct OneNorm {
    tables: Listed,
    cells: Vec<u32>,
    rate: f64,
}

/// Lists that every Z(x) goes through, and every table that a reader knows to be possible.
pub(crate) const SHORT: ListLimits = ListLimits { cells: 4096, tables: 1 << 17, values: 1 << 22, work: 40_000_000 };

impl OneNorm {
    /// The block of a release with bounds, which is all of its noise, if its tables are few.
    pub(crate) fn of(field: &Field, block: usize) -> Option<OneNorm> {
        if field.law.is_product() {
            return None;
        }
        let cells = field.blocks[block].block.cells.clone();
        Some(OneNorm { tables: field.listed(block, &SHORT)?, cells, rate: field.law.rate().to_f64() })
    }

    /// ln Z(x).
    pub(crate) fn log_normaliser(&self, table: &[i64]) -> f64 {
        let centre: Vec<i64> = self.cells.iter().map(|cell| table[*cell as usize]).collect();
        let log = |other: &[i64]| -self.rate * squares(other, &centre).sqrt();
        log_of_sum(&self.tables.tables().map(log).collect::<Vec<f64>>())
    }

    /// What that takes, about.
    pub(crate) fn seconds(&self) -> f64 {
        (self.tables.len() * (self.cells.len() + 20)) as f64 * 2e-9
    }
}

fn squares(one: &[i64], two: &[i64]) -> f64 {
    one.iter().zip(two).map(|(one, two)| ((one - two) as f64).powi(2)).sum()
}

/// Tables around a release, weighed by the norm of the difference.
pub(crate) struct AroundNorm {
    pub(crate) centre: Vec<i64>,
    /// What cells outside the block add to the squared distance of every table.
    pub(crate) beside: f64,
    pub(crate) rate: f64,
}

/// The squared distance, and what the step that was just weighed would make of it.
pub(crate) struct Away {
    now: f64,
    next: f64,
}

impl Target for AroundNorm {
    type State = Away;

    fn start(&self, values: &[i64]) -> Away {
        let now = squares(values, &self.centre) + self.beside;
        Away { now, next: now }
    }

    fn gain(&self, state: &mut Away, values: &[i64], step: &[(u32, i64)], times: i64) -> f64 {
        let of = |(cell, moved): &(u32, i64)| {
            let away = (values[*cell as usize] - self.centre[*cell as usize]) as f64;
            let by = (times * moved) as f64;
            by * (by + 2.0 * away)
        };
        state.next = state.now + step.iter().map(of).sum::<f64>();
        self.rate * (state.now.sqrt() - state.next.max(0.0).sqrt())
    }

    fn accept(&self, state: &mut Away) {
        state.now = state.next;
    }

    fn seconds(&self) -> f64 {
        3e-7
    }

    fn scale(&self) -> f64 {
        ((self.centre.len() as f64).sqrt() / self.rate).max(1.0)
    }
}
