//! `method = "project"`: noise is drawn freely, and the nearest table that keeps what must hold is
//! released.

use super::by_blocks::by_blocks;
use crate::case::Case;
use crate::planned::{Plan, ReleaseMethod};
use analyse::Analysis;
use declare::{Method, Problem};

pub(super) static PROJECT: ReleaseMethod = projecting(Method::Project);

/// A method whose noise is projected.
pub(super) const fn projecting(word: Method) -> ReleaseMethod {
    let in_words = "noise is drawn freely, and the table projected onto what must hold";
    ReleaseMethod { projects: true, ..ReleaseMethod::new(word, in_words, projected) }
}

/// What is not drawn freely in every cell is refused, never drawn as something else.
fn projected(method: &'static ReleaseMethod, case: &Case, analysis: &Analysis) -> Result<Plan, Problem> {
    let noise = case.declaration.mechanism.noise;
    if !noise.is_product {
        let method = method.word.name();
        return Err(Problem::refused(format!(
            "method = \"{method}\" needs noise that is drawn freely in every cell, and `{}` noise is one norm over all cells",
            noise.name
        ))
        .hint("write noise = \"double-geometric\" or \"discrete-gaussian\", or method = \"condition\""));
    }
    by_blocks(method, case, analysis)
}
