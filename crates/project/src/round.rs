//! Rounding: the table of integers nearest to a table of real numbers, with every total, bound and rule kept.

use analyse::Fibre;
use declare::Problem;

/// The table of integers of the fibre that is nearest in ℓ₁ to a point of real numbers of it, every cell rounded down or up.
///
/// # Errors
/// Infeasible or refused when no such table was found.
pub fn round(fibre: &Fibre, real: &[f64]) -> Result<Vec<i64>, Problem> {
    let _ = (fibre, real);
    Err(Problem::not_yet("rounding"))
}
