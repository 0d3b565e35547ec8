//! `completion`: one total over few cells; all cells but the last freely, the last completes the
//! total and is accepted by its weight.

use analyse::Structure;
use declare::Problem;
use draw::{Around, BlockQuantities, Exactness, Independent, NoiseLaw, Operator, PlannedWork, Prospect, Ready, Role};
use draw::{Sampler, Task, Turn};
use exact::{Stream, bernoulli_exp};
use std::sync::Arc;

/// The operator.
#[derive(Debug)]
pub struct Completion;

static ROLE: Role = Role {
    turn: Turn::ByName,
    untried: Some("used only when sampler = \"completion\""),
    ..Role::new("completion", "one total over few cells: all but the last freely, the last accepted by its weight")
};

impl Operator for Completion {
    fn role(&self) -> &Role {
        &ROLE
    }

    fn attempt(&self, task: &Task) -> Result<Arc<dyn PlannedWork>, String> {
        let plain = !task.nonnegative && !task.pinned && task.rates.is_empty();
        if !plain || !matches!(task.block.structure, Structure::OneTotal { .. }) || task.block.size > 16 {
            return Err("it draws one total over at most 16 cells without bounds".to_owned());
        }
        if Independent::of(task.law).is_none() {
            return Err(format!("{} is not drawn cell by cell", task.law.in_words()));
        }
        let because = "asked for by name: all cells but the last freely, the last accepted by its weight";
        Ok(Arc::new(Planned(task.prospect(self.name(), 1e-4, because))))
    }
}

#[derive(Debug)]
struct Planned(Prospect);

impl PlannedWork for Planned {
    fn prospect(&self) -> &Prospect {
        &self.0
    }

    fn ready<'a>(&'a self, Around { cells, noise, centre }: Around<'a>) -> Result<Box<dyn Ready + 'a>, Problem> {
        let free = Independent::of(noise.law).ok_or_else(|| Problem::refused("not drawn cell by cell"))?;
        Ok(Box::new(ReadyBlock { free, law: noise.law, cells, centre }))
    }

    fn quantities(&self, Around { cells, .. }: Around<'_>) -> Result<BlockQuantities, Problem> {
        Ok(BlockQuantities::without(cells, "`completion` draws them, and it lists no weights"))
    }
}

#[derive(Debug)]
struct ReadyBlock<'a> {
    free: Independent,
    law: &'a NoiseLaw,
    cells: &'a [u32],
    centre: &'a [i64],
}

impl Ready for ReadyBlock<'_> {
    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }

    fn cells(&self, _task: usize) -> usize {
        self.cells.len()
    }

    fn draw(&self, _task: usize, stream: &mut Stream) -> Result<Vec<(u32, i64)>, Problem> {
        let mut noise = vec![0i64; self.cells.len()];
        loop {
            noise.fill(0);
            if let Some((last, others)) = noise.split_last_mut() {
                self.free.fill(stream, &(), others);
                *last = -others.iter().sum::<i64>();
                if !bernoulli_exp(stream, &self.law.energy(*last)) {
                    continue;
                }
            }
            let values = self.cells.iter().zip(&noise);
            return Ok(values.map(|(cell, noise)| (*cell, self.centre[*cell as usize] + noise)).collect());
        }
    }
}
