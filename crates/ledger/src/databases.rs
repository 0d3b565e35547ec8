//! The kinds of databases that keep ledgers, in one list, and what opens a ledger by its address.

#[cfg(feature = "postgres")]
mod postgres;
mod servers;
mod sqlite;
#[cfg(feature = "postgres")]
mod tls;

use crate::address::{Address, Place, without_password};
use crate::store::{Database, Store};
use declare::Problem;
pub(crate) use sqlite::create_file;

/// Every kind. `declare` knows the same schemes.
const DATABASES: [&dyn Database; 2] = [&sqlite::SqliteFiles, &servers::Servers];

/// The kind of databases whose addresses begin like this one.
fn database_of(text: &str) -> Option<&'static dyn Database> {
    DATABASES.into_iter().find(|database| database.schemes().iter().any(|scheme| text.starts_with(scheme)))
}

impl Address {
    /// Reads `sqlite:ledger.db` or `postgres://user@host/database`.
    ///
    /// A password is better given in the environment variable `PGPASSWORD` than in the address,
    /// which stands in a spec.
    pub fn parse(text: &str) -> Result<Address, Problem> {
        let place = match database_of(text) {
            _ if text.chars().any(char::is_control) => {
                Err(Problem::bad("the address of a ledger contains a control character"))
            }
            Some(database) => database.place(text),
            None => Err(Problem::bad(format!("`{}` is not the address of a ledger", without_password(text)))),
        };
        place.map(Address).map_err(|problem| match problem.hint {
            Some(_) => problem,
            None => problem.hint(format!("write {}", DATABASES.map(Database::example).join(", or "))),
        })
    }
}

/// Opens the database at an address; with `create`, makes the file of a database that is one.
pub(crate) fn open(address: &Address, create: bool) -> Result<Box<dyn Store>, Problem> {
    let begins = match &address.0 {
        Place::File { scheme, .. } => scheme,
        Place::Server(text) => text.as_str(),
    };
    match database_of(begins) {
        Some(database) => database.open(address, create),
        None => Err(Problem::bad(format!("`{address}` is not the address of a ledger"))),
    }
}

#[cfg(test)]
mod tests {
    use super::{Address, DATABASES};
    use std::path::Path;

    #[test]
    fn an_address_is_a_file_or_a_server() {
        let file = Address::parse("sqlite:books/ledger.db").expect("a file").relative_to(Path::new("specs"));
        assert_eq!(file.file(), Some(Path::new("specs/books/ledger.db")));
        assert!(Address::parse("postgresql://ann@localhost/books").expect("a server").file().is_none());
        for wrong in [
            "",
            "ledger.db",
            "sqlite:",
            "sqlite::memory:",
            "mysql://ann:secret@host/b",
            "sqlite:a\nb",
            "sqlite:file:a.db",
            "sqlite:FILE:a?mode=memory&cache=shared",
        ] {
            let problem = Address::parse(wrong).expect_err(wrong);
            assert!(problem.hint.is_some(), "{problem}");
            assert!(!problem.to_string().contains("secret"), "{problem}");
        }
    }

    #[test]
    fn no_message_shows_a_password() {
        for text in [
            "postgres://ann:se@cret@host:5433/books",
            "postgres://host/books?password=secret&user=ann",
            "postgres://ann@host/books?password=secret",
        ] {
            let address = Address::parse(text).expect("a server");
            let shown = format!("{address} {address:?}");
            assert!(shown.contains("host") && !shown.contains("cret"), "{shown}");
        }
    }

    #[test]
    fn specs_may_name_every_kind() {
        let schemes: Vec<&str> = DATABASES.iter().flat_map(|database| database.schemes()).copied().collect();
        assert_eq!(schemes, declare::LEDGER_SCHEMES);
    }
}
