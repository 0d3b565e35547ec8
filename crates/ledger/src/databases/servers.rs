//! PostgreSQL servers, which a program reaches that was built with the feature `postgres`.

use crate::address::{Address, Place};
use crate::store::{Database, Store};
use declare::Problem;

/// PostgreSQL servers.
pub(crate) struct Servers;

impl Database for Servers {
    fn schemes(&self) -> &'static [&'static str] {
        &["postgres://", "postgresql://"]
    }

    fn example(&self) -> &'static str {
        "postgres://user@host/database"
    }

    fn place(&self, text: &str) -> Result<Place, Problem> {
        Ok(Place::Server(text.to_string()))
    }

    #[cfg(feature = "postgres")]
    fn open(&self, address: &Address, _create: bool) -> Result<Box<dyn Store>, Problem> {
        let text = if let Place::Server(text) = &address.0 { text } else { "" };
        Ok(Box::new(super::postgres::Postgres::open(text, address)?))
    }

    #[cfg(not(feature = "postgres"))]
    fn open(&self, address: &Address, _create: bool) -> Result<Box<dyn Store>, Problem> {
        Err(Problem::built_without("postgres", format_args!("PostgreSQL, and the ledger is at `{address}`")))
    }
}
