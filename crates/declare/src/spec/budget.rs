//! The `[budget]` section: the ledger to spend from.

use super::keys;
use super::reader::Section;
use crate::declaration::Budget;
use crate::problem::Problem;

/// What the addresses of ledgers begin with.
pub const LEDGER_SCHEMES: [&str; 3] = ["sqlite:", "postgres://", "postgresql://"];

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
    if !LEDGER_SCHEMES.iter().any(|start| address.len() > start.len() && address.starts_with(start)) {
        return Err(ledger
            .bad(format!("`{address}` is not the address of a ledger"), "unknown kind")
            .hint("write sqlite:FILE or postgres://…"));
    }
    if holds_password(address) {
        // Without its place: the line would show the password.
        return Err(Problem::bad(
            "the address of the ledger in [budget] holds a password, and specs are published with their release",
        )
        .hint("leave the password out, and give it in the environment variable PGPASSWORD"));
    }
    let chosen = section.text("chosen")?;
    let head = section.text("head")?;
    Ok(Some(Budget { dataset: dataset.to_string(), ledger: address.to_string(), head, chosen }))
}

/// Whether something stands between `user:` and `@`, or a password among the options.
fn holds_password(address: &str) -> bool {
    let rest = address.split_once("://").map_or("", |(_, rest)| rest);
    let user = rest.rsplit_once('@').map_or("", |(user, _)| user);
    let options = rest.split_once('?').map_or("", |(_, options)| options);
    user.contains(':') || options.split('&').any(|option| option.to_ascii_lowercase().starts_with("password"))
}

#[cfg(test)]
mod tests {
    use super::holds_password;

    #[test]
    fn passwords_are_found() {
        for with in ["postgres://ann:x@host/db", "postgresql://host/db?user=ann&password=x", "postgres://a:b@c@host/db"]
        {
            assert!(holds_password(with), "{with}");
        }
        for without in ["sqlite:a:b.db", "postgres://ann@host:5432/db", "postgres://host:1/db?user=ann"] {
            assert!(!holds_password(without), "{without}");
        }
    }
}
