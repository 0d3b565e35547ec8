//! The lattice walk: steps along short vectors of the lattice, in any fibre, where no exact operator draws.

use super::{Choice, PlanRule, Task, walk::walk};
use draw::{NoiseLaw, Operator};

pub(crate) struct LatticeWalk;

impl PlanRule for LatticeWalk {
    fn operator(&self) -> Operator {
        Operator::LatticeWalk
    }

    fn attempt(&self, task: &Task) -> Result<Choice, String> {
        let because = match task.law {
            NoiseLaw::LatticeLaplace { .. } => {
                "one norm over all cells is drawn by no exact operator: steps along short vectors and lines of the lattice, \
                 accepted by their weight"
            }
            _ => "steps along short vectors of the lattice, accepted by their weight, are proved to join all tables",
        };
        walk(Operator::LatticeWalk, task, because)
    }
}
