//! `Address`: where a ledger is kept, `sqlite:path` or `postgres://…`.

use declare::Problem;
use std::fmt;
use std::path::{Path, PathBuf};

/// Where a ledger is kept.
#[derive(Clone, PartialEq, Eq)]
pub struct Address(pub(crate) Place);

/// The two kinds of places.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// A file.
    Sqlite(PathBuf),
    /// A server, as the user wrote it.
    Postgres(String),
}

impl Address {
    /// Reads `sqlite:ledger.db` or `postgres://user@host/database`.
    ///
    /// A password is better given in the environment variable `PGPASSWORD` than in the address, which stands in a spec.
    pub fn parse(text: &str) -> Result<Address, Problem> {
        let hint = "write sqlite:ledger.db, or postgres://user@host/database";
        if text.chars().any(char::is_control) {
            return Err(Problem::bad("the address of a ledger contains a control character").hint(hint));
        }
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Ok(Address(Place::Postgres(text.to_string())));
        }
        let Some(path) = text.strip_prefix("sqlite:") else {
            let shown = without_password(text);
            return Err(Problem::bad(format!("`{shown}` is not the address of a ledger")).hint(hint));
        };
        if path.is_empty() {
            return Err(Problem::bad("`sqlite:` names no file").hint(hint));
        }
        if path == ":memory:" {
            let message = "a ledger in memory forgets what was spent";
            return Err(Problem::bad(message).hint("name a file: sqlite:ledger.db"));
        }
        if path.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("file:")) {
            let message = format!("`{path}` is a URI of SQLite, and a ledger is named by its path alone");
            return Err(
                Problem::bad(message).hint("write the path: sqlite:ledger.db; options of SQLite are not for ledgers")
            );
        }
        Ok(Address(Place::Sqlite(PathBuf::from(path))))
    }

    /// This place, when the path of a file was meant relative to a folder: that of the spec.
    pub fn relative_to(self, folder: &Path) -> Address {
        match self.0 {
            Place::Sqlite(path) => Address(Place::Sqlite(folder.join(path))),
            server => Address(server),
        }
    }

    /// The file of a ledger that is one.
    pub fn file(&self) -> Option<&Path> {
        match &self.0 {
            Place::Sqlite(path) => Some(path),
            Place::Postgres(_) => None,
        }
    }
}

impl fmt::Display for Address {
    /// The address without its password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Place::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            Place::Postgres(text) => f.write_str(&without_password(text)),
        }
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({self})")
    }
}

/// The text without what stands between `user:` and the last `@`, and without a `password=` among the options.
fn without_password(text: &str) -> String {
    let (scheme, rest) = match text.split_once("://") {
        Some((scheme, rest)) => (format!("{scheme}://"), rest),
        None => (String::new(), text),
    };
    let rest = match rest.rsplit_once('@') {
        Some((user, host)) => format!("{}@{host}", user.split(':').next().unwrap_or("")),
        None => rest.to_string(),
    };
    let rest = match rest.split_once('?') {
        Some((place, options)) => {
            let kept: Vec<&str> = options.split('&').filter(|option| !option.starts_with("password=")).collect();
            if kept.is_empty() { place.to_string() } else { format!("{place}?{}", kept.join("&")) }
        }
        None => rest,
    };
    scheme + &rest
}

#[cfg(test)]
mod tests {
    use super::Address;
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
}
