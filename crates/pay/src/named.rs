//! What the `[budget]` of a confidential spec names: its ledger, its dataset, and a second place of
//! the ledger's head.

use declare::Problem;
use ledger::{Address, Ledger};
use prepare::Opened;
use publish::{STREAM_ABOVE, cannot};
use std::path::{Path, PathBuf};
use tabulate::data_files;

/// The ledger that a confidential spec names, and its dataset.
pub fn ledger_of(opened: &Opened) -> Result<(Ledger, String), Problem> {
    let Some(budget) = &opened.declaration.budget else {
        return Err(Problem::refused("confidential data need a [budget]")
            .hint("add [budget] with dataset = \"…\" and ledger = \"sqlite:ledger.db\""));
    };
    let address = Address::parse(&budget.ledger)?.relative_to(&opened.folder);
    Ok((Ledger::open(&address)?, budget.dataset.clone()))
}

/// The second place of the ledger's head that a spec names which lies in `folder` and reads `data`.
///
/// # Errors
/// When what is there must not be written to: nothing is read or paid before that is known.
pub fn head_beside(
    folder: &Path,
    named: Option<&str>,
    data: &str,
    ledger: &mut Ledger,
) -> Result<Option<PathBuf>, Problem> {
    let Some(named) = named else { return Ok(None) };
    let path = folder.join(named);
    let place = std::path::absolute(&path).map_err(|error| cannot("use", &path, error))?;
    if !ledger.keeps_head(&place)? {
        let data = data_files(folder, data)?;
        Ledger::check_head(ledger.address(), &place, &data)?;
    }
    Ok(Some(place))
}

/// The ledger that a spec names, relative to the spec.
///
/// # Errors
/// When the spec cannot be read, or names none.
pub fn ledger_of_spec(spec: &Path) -> Result<Address, Problem> {
    let opened = Opened::open_streaming(spec, STREAM_ABOVE)?;
    match &opened.declaration.budget {
        Some(budget) => Ok(Address::parse(&budget.ledger)?.relative_to(&opened.folder)),
        None => Err(Problem::bad(format!("`{}` names no ledger", spec.display()))
            .hint("add [budget] with dataset = \"…\" and ledger = \"sqlite:ledger.db\"")),
    }
}
