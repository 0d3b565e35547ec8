//! Writers are tried before anything is paid: on a table of zeros.

use crate::contents::{Contents, Facts};
use crate::files::cannot;
use crate::suppressed;
use declare::Problem;
use std::fs;
use std::path::Path;
use tabulate::survived;

/// Tables with more cells are not written for a trial; that there is room for them is tried all the
/// same.
const MOST_WRITTEN: usize = 1 << 20;

/// Writes a table of zeros as the release will be written, and removes it: writers that fail, do so
/// before anything is paid.
pub fn try_writing(
    contents: &Contents<'_>,
    facts: Facts<'_>,
    is_suppressed: bool,
    is_streamed: bool,
    private: &Path,
) -> Result<(), Problem> {
    let cells = contents.domain.len();
    if is_streamed || cells > MOST_WRITTEN {
        return Ok(());
    }
    let trial = private.join("trial");
    fs::create_dir(&trial).map_err(|error| cannot("create", &trial, error))?;
    let write = || match is_suppressed {
        true => suppressed::write_totals(&trial, contents.format, facts),
        false => {
            let zeros = vec![0i64; cells];
            contents.write_table(&trial, facts, &zeros)?;
            contents.write_others(&trial, facts, &zeros)
        }
    };
    let written = survived(write).unwrap_or_else(|| Err(Problem::system("the program that writes tables stopped")));
    let removed = fs::remove_dir_all(&trial).map_err(|error| cannot("remove", &trial, error));
    written.and(removed).map_err(|problem| {
        let hint = problem.hint.as_ref().map_or(String::new(), |hint| format!("; {hint}"));
        problem.hint(format!("nothing was drawn or spent{hint}"))
    })
}
