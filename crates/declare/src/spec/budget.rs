//! The `[budget]` section: the ledger to spend from.

use super::keys;
use super::reader::Section;
use crate::declaration::Budget;
use crate::problem::Problem;

const LEDGERS: [&str; 3] = ["sqlite:", "postgres://", "postgresql://"];

pub(super) fn read(root: &Section, data: &Section, public: bool) -> Result<Option<Budget>, Problem> {
    let Some(node) = root.get("budget") else {
        if public {
            return Ok(None);
        }
        let span = data.get("public").map_or(data.span.clone(), |node| node.span);
        return Err(root.source.bad(span, "confidential data need a [budget]", "the data are not public").hint(
            "add [budget] with dataset = \"…\" and ledger = \"sqlite:ledger.db\"; for data \
                 that are already public or synthetic write `public = true` under [data]",
        ));
    };
    let section = node.section("[budget]")?;
    section.only(&keys::BUDGET)?;
    let dataset = section.need("dataset", "name the dataset in the ledger")?.nonempty()?;
    let ledger = section.need("ledger", "for example ledger = \"sqlite:ledger.db\"")?;
    let address = ledger.nonempty()?;
    if !LEDGERS.iter().any(|start| address.len() > start.len() && address.starts_with(start)) {
        return Err(ledger
            .bad(format!("`{address}` is not the address of a ledger"), "unknown kind")
            .hint("write sqlite:FILE or postgres://…"));
    }
    Ok(Some(Budget { dataset: dataset.to_string(), ledger: address.to_string() }))
}
