//! Structural zeros: which combinations of values are live cells.
//!
//! Dimensions are fixed one after the other, and a predicate is dropped as soon as the fixed ones
//! decide it: whole blocks of combinations are then live or not without looking at each.

use crate::declaration::Declaration;
use crate::domain::{Domain, MOST_CELLS, Runs};
use crate::fold::MOST_STREAMED;
use crate::predicate::Resolved;
use crate::problem::Problem;
use crate::schema::Schema;

impl Declaration {
    /// The live cells: all combinations of values but the structural zeros. Beyond [`MOST_CELLS`]
    /// of them the table must not be held in memory: see [`Declaration::fold`].
    pub fn domain(&self) -> Result<Domain, Problem> {
        let most = if self.fold().is_ok() { MOST_STREAMED } else { MOST_CELLS };
        match self.schema.combinations() {
            Some(combinations) if combinations <= most => {}
            _ => {
                let message = format!("the dimensions have more than {most} combinations");
                return Err(Problem::bad(message).hint("use fewer or coarser values"));
            }
        }
        let zeros: Result<Vec<Resolved>, Problem> =
            self.constraints.zero.iter().map(|zero| Resolved::new(zero, &self.schema)).collect();
        let domain = domain(self.schema.clone(), &zeros?);
        if domain.is_empty() {
            return Err(Problem::bad("every cell is a structural zero: the table is empty")
                .hint("look at `zero` under [constraints]"));
        }
        Ok(domain)
    }
}

/// The domain of a schema, without the combinations that satisfy any of `zeros`. The combinations
/// must fit a machine word.
fn domain(schema: Schema, zeros: &[Resolved]) -> Domain {
    let sizes = schema.sizes();
    let mut blocks = vec![1; sizes.len() + 1];
    for depth in (0..sizes.len()).rev() {
        blocks[depth] = blocks[depth + 1] * sizes[depth];
    }
    let mut search = Search { sizes, blocks, codes: Vec::new(), runs: Runs::default() };
    let undecided: Vec<&Resolved> = zeros.iter().collect();
    search.descend(&undecided, 0);
    search.runs.finish(schema)
}

struct Search {
    sizes: Vec<usize>,
    /// How many combinations share their first `depth` codes.
    blocks: Vec<usize>,
    codes: Vec<usize>,
    runs: Runs,
}

impl Search {
    fn descend(&mut self, undecided: &[&Resolved], start: usize) {
        let depth = self.codes.len();
        if undecided.is_empty() {
            self.runs.push(start, self.blocks[depth]);
            return;
        }
        for code in 0..self.sizes[depth] {
            self.codes.push(code);
            let mut still_undecided = Vec::new();
            let mut zero = false;
            for predicate in undecided {
                match predicate.truth(&self.codes) {
                    Some(true) => {
                        zero = true;
                        break;
                    }
                    Some(false) => {}
                    None => still_undecided.push(*predicate),
                }
            }
            if !zero {
                self.descend(&still_undecided, start + code * self.blocks[depth + 1]);
            }
            self.codes.pop();
        }
    }
}
