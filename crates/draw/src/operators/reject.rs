//! Reject: bounds and rules that are many scales of the noise away, relaxed; tables that break one
//! are thrown away.

use crate::block_quantities::BlockQuantities;
use crate::operator::{Operator, Role, Task};
use crate::operators::WholeBlock;
use crate::planned::{Around, PlannedWork, Prospect, Ready};
use crate::reject::{Reject as Sampler, Relaxed};
use crate::{NoiseLaw, operator::crossing};
use analyse::Structure;
use declare::Problem;
use std::sync::Arc;

/// Any integer law with bounds and rules that seldom bind: noise without them, drawn again until
/// they hold.
#[derive(Debug)]
pub struct Reject;

/// More attempts are not made.
const MOST_ATTEMPTS: f64 = 1e8;

/// Bytes for every cell.
const CELL_BYTES: f64 = 400.0;

static ROLE: Role =
    Role::new("reject", "bounds and rules far from the counts: noise without them, drawn again until every one holds")
        .where_slower_than(2.0);

impl Operator for Reject {
    fn role(&self) -> &Role {
        &ROLE
    }

    fn attempt(&self, task: &Task) -> Result<Arc<dyn PlannedWork>, String> {
        task.is_integer()?;
        if task.list.is_some() {
            return Err("totals, bounds and rules leave few tables, so that bounds bind".to_owned());
        }
        let relaxed = Relaxed::new(task)?;
        let log_attempts = relaxed.log_attempts(task.law)?;
        let attempts = log_attempts.exp();
        if attempts.is_nan() || attempts > MOST_ATTEMPTS {
            return Err(too_many(log_attempts, MOST_ATTEMPTS));
        }
        let without = |problem: Problem| match &task.block.structure {
            Structure::Crossing { .. } => {
                format!("without bounds {}: {}", crossing(&task.block.structure), problem.message)
            }
            _ => format!("without bounds {}", problem.message),
        };
        let sampler = Sampler::new(&relaxed, task.law).map_err(without)?;
        let (once, each) = sampler.seconds();
        let seconds = once + each * attempts;
        let bytes = CELL_BYTES * task.block.size as f64;
        // On a table as uneven as its totals let expect.
        let most = task.limits.seconds as f64;
        if seconds > most {
            let raise = task.key_to_raise(bytes, seconds);
            return Err(format!("{}{raise}", too_many(log_attempts, most / each)));
        }
        if bytes > task.limits.bytes as f64 {
            let raise = task.key_to_raise(bytes, seconds);
            return Err(format!("it would need about {:.0} MB{raise}", bytes / 1e6));
        }
        let because =
            "bounds and rules are far from what the totals let expect: noise without them, again until every one holds";
        let prospect = Prospect { bytes, ..task.prospect(self.name(), seconds, because) };
        Ok(Arc::new(PlannedReject { prospect, relaxed, law: task.law.clone(), sampler: Arc::new(sampler) }))
    }
}

fn too_many(log_attempts: f64, most: f64) -> String {
    let power = log_attempts / std::f64::consts::LN_10;
    format!(
        "bounds are near what the totals let expect of the counts: it would take about 10^{power:.0} attempts a draw, and \
         {most:.0e} is the most it may"
    )
}

/// A block whose bounds are relaxed.
#[derive(Debug)]
struct PlannedReject {
    prospect: Prospect,
    relaxed: Relaxed,
    /// The law that the sampler was made for.
    law: NoiseLaw,
    sampler: Arc<Sampler>,
}

impl PlannedWork for PlannedReject {
    fn prospect(&self) -> &Prospect {
        &self.prospect
    }

    fn rank(&self) -> u32 {
        10
    }

    fn ready<'a>(&'a self, Around { cells, noise, centre }: Around<'a>) -> Result<Box<dyn Ready + 'a>, Problem> {
        let sampler = match *noise.law == self.law {
            true => self.sampler.clone(),
            false => Arc::new(Sampler::new(&self.relaxed, noise.law)?),
        };
        let centre: Vec<i64> = cells.iter().map(|cell| centre[*cell as usize]).collect();
        Ok(Box::new(WholeBlock::new(cells, None, move |stream, counts| sampler.draw(&centre, stream, counts))))
    }

    fn lists_laws(&self) -> bool {
        false
    }

    fn quantities(&self, Around { cells, .. }: Around<'_>) -> Result<BlockQuantities, Problem> {
        Ok(BlockQuantities::without(cells, "`reject` draws them, and it does not list weights of cells"))
    }
}
