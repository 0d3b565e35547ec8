//! The PostgreSQL server of tests: the one that the environment names, or a private one that ends
//! with them.

use postgres::{Client, NoTls};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// Where a server is: the address of a database on it.
const ADDRESS: &str = "CONGENIAL_TEST_POSTGRES";

/// Under which a missing server is a failure.
const REQUIRED: &str = "CONGENIAL_TEST_POSTGRES_REQUIRED";

/// The address of the server, and the script that stops it when this process ends, because its
/// input ends then.
static SERVER: OnceLock<Option<(String, Option<Child>)>> = OnceLock::new();

static DATABASES: AtomicU32 = AtomicU32::new(0);

#[allow(clippy::print_stderr)]
fn start() -> Option<(String, Option<Child>)> {
    if let Ok(address) = std::env::var(ADDRESS) {
        return Some((address, None));
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("postgres-server");
    let started = Command::new("sh").arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut address = String::new();
    let mut child = started.ok();
    if let Some(output) = child.as_mut().and_then(|child| child.stdout.take()) {
        BufReader::new(output).read_line(&mut address).expect("what the script prints");
    }
    if address.is_empty() {
        let code = child.and_then(|mut child| child.wait().ok()).and_then(|status| status.code());
        assert!(!server_is_required(), "{REQUIRED} is set, and no PostgreSQL server runs here");
        assert!(code.is_none() || code == Some(3), "PostgreSQL is installed but does not start");
        eprintln!("NOT RUN on PostgreSQL: it is not installed, and {ADDRESS} names no server");
        return None;
    }
    Some((address.trim_end().to_string(), child))
}

/// Whether the absence of a server is a failure.
pub fn server_is_required() -> bool {
    std::env::var_os(REQUIRED).is_some()
}

/// The address of some database of the server, password included.
pub fn server() -> Option<&'static str> {
    SERVER.get_or_init(start).as_ref().map(|(address, _)| address.as_str())
}

/// The address of a new, empty database, password included.
pub fn new_database() -> Option<String> {
    let address = server()?;
    let number = DATABASES.fetch_add(1, Ordering::Relaxed);
    let name = format!("ledger_{}_{number}", std::process::id());
    server_client(address).batch_execute(&format!("CREATE DATABASE {name}")).expect("a new database");
    let (server, _) = address.rsplit_once('/').expect("an address names a database");
    Some(format!("{server}/{name}"))
}

/// A connection of another program.
pub fn server_client(address: &str) -> Client {
    Client::connect(address, NoTls).unwrap_or_else(|error| panic!("{address}: {error}"))
}
