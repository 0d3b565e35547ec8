//! Enumerate: a block whose tables are few enough to list, under any integer law.

use crate::block_quantities::BlockQuantities;
use crate::enumerate::Enumerate as Sampler;
use crate::exactness::Exactness;
use crate::network::TableNoise;
use crate::operator::{Operator, Role, Task};
use crate::planned::{Around, PlannedWork, Prospect, Ready};
use crate::table_list::TableList;
use analyse::ListLimits;
use declare::Problem;
use exact::Stream;
use std::sync::Arc;

/// Any integer law on a fibre of few tables: all of them listed, one drawn by its weight.
#[derive(Debug)]
pub struct Enumerate;

/// Lists that are drawn from.
const DRAWN: ListLimits = ListLimits { cells: 4096, tables: 1_000_000, values: 1 << 24, work: 400_000_000 };

/// An operator that needs longer gives way to a list: one that is there already, one that has to be
/// made.
const SLOW_SECONDS: (f64, f64) = (0.05, 60.0);

static ROLE: Role =
    Role::new("enumerate", "few tables, under any integer law: all of them listed, one drawn by its weight")
        .where_slower_than(SLOW_SECONDS.1);

impl Operator for Enumerate {
    fn role(&self) -> &Role {
        &ROLE
    }

    fn slow_seconds(&self, task: &Task) -> f64 {
        if task.list.is_some() { SLOW_SECONDS.0 } else { ROLE.slow_seconds }
    }

    fn attempt(&self, task: &Task) -> Result<Arc<dyn PlannedWork>, String> {
        task.is_integer()?;
        if !task.conditions.has_inequalities() {
            return Err("no bound or rule ends the table's counts, so its tables have no end".to_owned());
        }
        let list = match task.list {
            Some(list) => list.clone(),
            None => Arc::new(TableList::new(task.conditions, task.ground, task.block, &DRAWN)?),
        };
        if list.listed.is_empty() {
            return Err("no table keeps totals, bounds and rules together".to_owned());
        }
        let because = "totals, bounds and rules leave few tables: all are listed, and one is drawn by its weight";
        let prospect = Prospect { listing: list.listing(), ..task.prospect(self.name(), list.seconds(), because) };
        Ok(Arc::new(PlannedList { prospect: Prospect { bytes: list.listed.bytes() as f64, ..prospect }, list }))
    }
}

/// All tables of a block, one of which is drawn.
#[derive(Debug)]
pub struct PlannedList {
    /// What it says of itself.
    pub prospect: Prospect,
    /// The tables.
    pub list: Arc<TableList>,
}

impl PlannedList {
    fn sampler<'a>(&'a self, noise: TableNoise<'_>, centre: &[i64]) -> Sampler<'a> {
        Sampler::new(&self.list.fibre, &self.list.listed, noise, centre)
    }
}

impl PlannedWork for PlannedList {
    fn prospect(&self) -> &Prospect {
        &self.prospect
    }

    fn rank(&self) -> u32 {
        7
    }

    fn ready<'a>(&'a self, Around { noise, centre, .. }: Around<'a>) -> Result<Box<dyn Ready + 'a>, Problem> {
        Ok(Box::new(self.sampler(noise, centre)))
    }

    fn quantities(&self, Around { noise, centre, .. }: Around<'_>) -> Result<BlockQuantities, Problem> {
        let list = self.sampler(noise, centre);
        let (cells, sums) = list.laws();
        Ok(BlockQuantities { log_normaliser: list.log_normaliser(), cells, sums, not_available: None })
    }

    fn holds(&self) -> Vec<(&'static str, usize)> {
        vec![("table", self.list.listed.len())]
    }
}

impl Ready for Sampler<'_> {
    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }

    fn cells(&self, _task: usize) -> usize {
        self.block_cells().len()
    }

    fn draw(&self, _task: usize, stream: &mut Stream) -> Result<Vec<(u32, i64)>, Problem> {
        Ok(self.draw_cells(stream).collect())
    }
}
