//! `Address`: where a ledger is kept, `sqlite:path` or `postgres://…`.

use std::fmt;
use std::path::{Path, PathBuf};

/// Where a ledger is kept. `databases` reads it from text.
#[derive(Clone, PartialEq, Eq)]
pub struct Address(pub(crate) Place);

/// The two kinds of places.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// A file.
    File {
        /// What its address begins with, which tells the kind of database.
        scheme: &'static str,
        path: PathBuf,
    },
    /// A server, as the user wrote it.
    Server(String),
}

impl Address {
    /// This place, when the path of a file was meant relative to a folder: that of the spec.
    pub fn relative_to(self, folder: &Path) -> Address {
        let path = self.file().map(|path| folder.join(path));
        path.map_or(self.clone(), |path| self.with_file(path))
    }

    /// The file of a ledger that is one.
    pub fn file(&self) -> Option<&Path> {
        match &self.0 {
            Place::File { path, .. } => Some(path),
            Place::Server(_) => None,
        }
    }

    /// Another file of the same kind; a server stays what it is.
    pub(crate) fn with_file(&self, path: PathBuf) -> Address {
        Address(match &self.0 {
            Place::File { scheme, .. } => Place::File { scheme, path },
            server => server.clone(),
        })
    }
}

impl fmt::Display for Address {
    /// The address without its password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Place::File { scheme, path } => write!(f, "{scheme}{}", path.display()),
            Place::Server(text) => f.write_str(&without_password(text)),
        }
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({self})")
    }
}

/// The text without what stands between `user:` and the last `@`, and without a `password=` among
/// the options.
pub(crate) fn without_password(text: &str) -> String {
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
