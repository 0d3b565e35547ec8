//! Encrypted connections to a real server: whoever demands them gets them from the right server, or
//! nothing.

use crate::scene::{dataset, pure, request, reserved};
use declare::{Kind, Problem};
use ledger::{Address, Ledger};
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How the script that starts a server ends where the port is taken.
const TAKEN: i32 = 4;

/// A server on a port of this machine, with a certificate for `localhost` of an authority of its
/// own.
struct Server {
    child: Child,
    folder: tempfile::TempDir,
    /// Its address over a socket, for the test itself.
    socket: String,
    port: u16,
}

impl Drop for Server {
    fn drop(&mut self) {
        // The script stops the server when its input ends.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

fn openssl(folder: &Path, arguments: &str) {
    let done = Command::new("openssl").args(arguments.split(' ')).current_dir(folder).output().expect("openssl");
    assert!(done.status.success(), "openssl {arguments}: {}", String::from_utf8_lossy(&done.stderr));
}

fn certificates(folder: &Path) {
    fs::write(folder.join("server.ext"), "subjectAltName=DNS:localhost\nbasicConstraints=CA:FALSE\n").expect("written");
    for name in ["root", "other"] {
        let new = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2";
        openssl(folder, &format!("{new} -keyout {name}.key -out {name}.crt -subj /CN={name}"));
    }
    let new = "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes";
    openssl(folder, &format!("{new} -keyout server.key -out server.csr -subj /CN=localhost"));
    let sign = "x509 -req -in server.csr -CA root.crt -CAkey root.key -CAcreateserial -days 2";
    openssl(folder, &format!("{sign} -extfile server.ext -out server.crt"));
}

/// Starts one; `None` where PostgreSQL or OpenSSL is not installed and need not be.
fn server() -> Option<Server> {
    let has_openssl = Command::new("openssl").arg("version").output().is_ok_and(|done| done.status.success());
    assert!(has_openssl || !testkit::server_is_required(), "OpenSSL is not installed");
    if !has_openssl {
        return None;
    }
    let folder = tempfile::tempdir().expect("a folder");
    certificates(folder.path());
    // A port that was free a moment ago may be somebody else's now: then another one is tried.
    for _ in 0..10 {
        let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a free port").port();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testkit/postgres-server");
        let mut command = Command::new("sh");
        command.arg(script).arg(port.to_string()).arg(folder.path()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("a shell");
        let mut socket = String::new();
        let output = child.stdout.take().expect("its output");
        BufReader::new(output).read_line(&mut socket).expect("what the script prints");
        if !socket.is_empty() {
            return Some(Server { child, folder, socket: socket.trim_end().to_string(), port });
        }
        match child.wait().ok().and_then(|status| status.code()) {
            Some(TAKEN) => continue,
            code => {
                assert!(code == Some(3) && !testkit::server_is_required(), "PostgreSQL does not start: {code:?}");
                return None;
            }
        }
    }
    panic!("ten ports in a row were taken");
}

/// Waits until something holds, a minute at the most.
fn until(mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(20));
    }
}

impl Server {
    fn file(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    fn at(&self, host: &str, options: &str) -> Address {
        let text = format!("postgres://congenial:secret@{host}:{}/postgres{options}", self.port);
        Address::parse(&text).expect("an address")
    }

    fn refused(&self, host: &str, options: &str) -> Problem {
        let problem = Ledger::open(&self.at(host, options)).expect_err(options);
        assert!(!problem.to_string().contains("secret"), "{problem}");
        problem
    }

    /// How many connections of this program are encrypted, and how many are not.
    fn connections(&self) -> (i64, i64) {
        let count = "SELECT count(*) FILTER (WHERE ssl), count(*) FILTER (WHERE NOT ssl) FROM pg_stat_ssl \
                     JOIN pg_stat_activity USING (pid) WHERE application_name = 'congenial'";
        let row = testkit::server_client(&self.socket).query_one(count, &[]).expect("a count");
        (row.get(0), row.get(1))
    }
}

#[test]
fn a_connection_is_encrypted_to_the_right_server_or_not_made() {
    let Some(server) = server() else { return };
    let (root, other) = (server.file("root.crt"), server.file("other.crt"));
    let full = format!("?sslmode=verify-full&sslrootcert={root}");
    let mut ledger = Ledger::create(&server.at("localhost", &full), "ann").expect("a ledger");
    ledger.open_dataset(&dataset("census", pure("1"))).expect("a dataset");
    reserved(&mut ledger, &request("a", pure("1/4")));
    ledger.verify_chain().expect("a whole chain");
    assert_eq!(server.connections(), (1, 0));
    drop(ledger);
    // Another name than that in the certificate, and another authority.
    let problem = server.refused("127.0.0.1", &full);
    assert!(problem.kind == Kind::Refused && problem.message.contains("not valid for name"), "{problem}");
    for mode in ["verify-full", "verify-ca", "require"] {
        let problem = server.refused("localhost", &format!("?sslmode={mode}&sslrootcert={other}"));
        assert!(problem.kind == Kind::Refused && problem.message.contains("UnknownIssuer"), "{mode}: {problem}");
    }
    let problem = server.refused("localhost", &format!("?sslmode=verify-full&sslrootcert={}", server.file("root.key")));
    assert!(problem.message.contains("holds no certificates"), "{problem}");
    let problem = server.refused("localhost", "?sslmode=prefer");
    assert!(problem.message.contains("not an sslmode"), "{problem}");
    // Without its name; without any authority; in the open, as the address says.
    for (host, options, expected) in [
        ("127.0.0.1", format!("?sslmode=verify-ca&sslrootcert={root}"), (1, 0)),
        ("127.0.0.1", "?sslmode=require".to_string(), (1, 0)),
        ("127.0.0.1", "?sslmode=disable".to_string(), (0, 1)),
        ("localhost", String::new(), (0, 1)),
    ] {
        let ledger = Ledger::open(&server.at(host, &options)).unwrap_or_else(|problem| panic!("{options}: {problem}"));
        assert_eq!(server.connections(), expected, "{options}");
        drop(ledger);
        until(|| server.connections() == (0, 0));
    }
    // A server that offers none is told nothing.
    let mut admin = testkit::server_client(&server.socket);
    admin.batch_execute("ALTER SYSTEM SET ssl = off").expect("set");
    admin.batch_execute("SELECT pg_reload_conf()").expect("reloaded");
    let off = |admin: &mut postgres::Client| admin.query_one("SHOW ssl", &[]).expect("a setting").get::<_, String>(0);
    until(|| off(&mut admin) == "off");
    for options in [full.as_str(), "?sslmode=require"] {
        let problem = server.refused("localhost", options);
        assert!(problem.kind == Kind::Refused && problem.message.contains("offers no encryption"), "{problem}");
    }
}
