//! A read-only folder, a full disk, a lost connection, a wrong password: a clear message, and
//! nothing lost.

use crate::child::{EACH, command, started};
use crate::scene::{Scene, postgres, pure, request, reserved, spent_and_left, sqlite};
use crate::server;
use declare::Problem;
use ledger::{Address, Amount, Ledger};
use std::path::Path;
use std::process::Command;

/// A message without what differs from run to run.
fn without_folder(problem: &str, scene: &Scene) -> String {
    let folder = scene.folder.as_ref().expect("a folder").path().display().to_string();
    problem.replace(&folder, "FOLDER")
}

#[cfg(unix)]
#[test]
fn a_read_only_folder_is_a_clear_message() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;
    let scene = sqlite();
    let mut ledger = scene.with_census("1");
    reserved(&mut ledger, &request("a", pure("1/2")));
    drop(ledger);
    let folder = scene.folder.as_ref().expect("a folder").path();
    let file = scene.address.file().expect("a file");
    let allow = |path: &Path, mode: u32| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("permissions");
    };
    let elsewhere = tempfile::tempdir().expect("a folder");
    let mut program = std::env::current_exe().expect("this program");
    let root = std::fs::metadata(folder).expect("the folder").uid() == 0;
    if root {
        // The administrator may write anywhere, so somebody else must try.
        let copy = elsewhere.path().join("program");
        std::fs::copy(&program, &copy).expect("a copy");
        allow(elsewhere.path(), 0o755);
        allow(&copy, 0o755);
        program = copy;
    }
    allow(file, 0o444);
    allow(&file.with_extension("db.head"), 0o444);
    allow(folder, 0o555);
    let mut command = command(&program, "try 1", &scene.address.to_string());
    if root {
        command.uid(65534).gid(65534);
    }
    let mut process = started(command.current_dir("/"));
    let mut lines = Vec::new();
    while let Some(line) = process.next() {
        if line == "ready" {
            process.go();
        } else {
            lines.push(line);
        }
    }
    // Looking needs no permission to write.
    let mut look = crate::child::command(&program, "look on", &scene.address.to_string());
    if root {
        look.uid(65534).gid(65534);
    }
    let looked = started(look.current_dir("/")).rest();
    allow(folder, 0o755);
    allow(file, 0o600);
    assert_eq!(looked, ["Ok((\"ε = 1/2\", None)), Ok(3), Ok(3)"]);
    insta::assert_snapshot!(without_folder(&lines.join("\n"), &scene));
    let mut ledger = scene.again();
    assert_eq!(spent_and_left(&mut ledger).0, pure("1/2").amount);
    ledger.verify_chain().expect("a whole chain");
}

/// Runs a process that spends until it cannot, by a shell that makes this happen; checks that
/// exactly what was drawn is spent.
fn filled(scene: &Scene, script: &str, place: &Path) -> Option<String> {
    // Closed, so that all of it is in one file.
    drop(scene.with_census("1000"));
    let file = scene.address.file().expect("a file");
    let address = format!("sqlite:{}", place.display());
    let inner = command(&std::env::current_exe().expect("this program"), "fill up", &address);
    let mut shell = Command::new("sh");
    shell.args(["-c", script]).arg(file).arg(place).arg(inner.get_program()).args(inner.get_args());
    shell.envs(inner.get_envs().filter_map(|(name, value)| value.map(|value| (name, value))));
    let mut lines = started(&mut shell).rest();
    let problem = lines.pop()?;
    assert!(lines.iter().all(|line| line == "drawn") && lines.len() > 5, "{lines:?} {problem}");
    let each: exact::Rational = EACH.parse().expect("a number");
    let drawn = Amount::Pure { epsilon: &each * &exact::Rational::from(lines.len() as i64) };
    let mut ledger = scene.again();
    assert_eq!(spent_and_left(&mut ledger).0, drawn, "every draw is paid for, and what failed is not");
    ledger.verify_chain().expect("a whole chain");
    reserved(&mut ledger, &request("with room again", pure("1")));
    ledger.verify_chain().expect("a whole chain");
    Some(problem)
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_grow_loses_nothing_that_was_spent() {
    let scene = sqlite();
    let file = scene.address.file().expect("a file");
    // Writing beyond the limit fails, instead of ending the program.
    let problem =
        filled(&scene, "shift; trap '' XFSZ; ulimit -f 1200; exec \"$@\"", file).expect("it fails in the end");
    insta::assert_snapshot!(without_folder(&problem, &scene));
}

#[cfg(target_os = "linux")]
#[test]
#[allow(clippy::print_stderr)]
fn a_full_disk_loses_nothing_that_was_spent() {
    let scene = sqlite();
    let small = scene.folder.as_ref().expect("a folder").path().join("small");
    std::fs::create_dir(&small).expect("a folder");
    // A disk of its own, in memory; the ledger is copied there and back. Not every container allows
    // it.
    let script = "exec unshare --map-root-user --mount sh -c '
        folder=\"$(dirname \"$1\")\"; mount -t tmpfs -o size=800k none \"$folder\" || exit
        cp \"$0\" \"$1\"; cp \"$0.head\" \"$1.head\"; ledger=\"$1\"; shift; \"$@\"; cp \"$ledger\"* \"$(dirname \"$0\")\"' \"$0\" \"$@\"";
    match filled(&scene, script, &small.join("ledger.db")) {
        Some(problem) => insta::assert_snapshot!(without_folder(&problem, &scene)),
        None => eprintln!("NOT RUN on a full disk: no file system can be mounted here"),
    }
}

/// Ends the connections of this program to a database.
pub fn terminate(address: &str) {
    let statement = "SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity \
                     WHERE datname = current_database() AND application_name = 'congenial'";
    server::client(address).batch_execute(statement).expect("the connections end");
}

#[test]
fn a_lost_connection_loses_nothing_that_was_spent() {
    let Some(scene) = postgres() else { return };
    let mut ledger = scene.with_census("1");
    reserved(&mut ledger, &request("a", pure("1/4")));
    let address = server::address_of(&scene);
    let lost = |problem: Problem| {
        assert!(problem.message.starts_with("the connection to the ledger at"), "{problem}");
        assert!(problem.hint.is_some_and(|hint| hint.contains("ledger recover")));
    };
    terminate(&address);
    lost(ledger.reserve(&request("b", pure("1/4"))).expect_err("no connection"));
    // While it writes, at every step before the commit: nothing is spent.
    for step in ["reserve: begun", "reserve: checked", "reserve: written"] {
        let mut ledger = scene.again();
        let address = address.clone();
        ledger.at_each_step(Box::new(move |reached| {
            if reached == step {
                terminate(&address);
            }
        }));
        lost(ledger.reserve(&request("b", pure("1/4"))).expect_err(step));
        assert_eq!(spent_and_left(&mut scene.again()).0, pure("1/4").amount, "{step}");
    }
    // After the commit the answer was on its way: it is spent.
    let mut ledger = scene.again();
    ledger.at_each_step(Box::new(move |reached| {
        if reached == "reserve: committed" {
            terminate(&address);
        }
    }));
    reserved(&mut ledger, &request("c", pure("1/4")));
    let mut ledger = scene.again();
    assert_eq!(spent_and_left(&mut ledger).0, pure("1/2").amount);
    ledger.verify_chain().expect("a whole chain");
}

#[test]
fn ways_that_do_not_lead_to_a_ledger() {
    let Some(scene) = postgres() else { return };
    let address = server::address_of(&scene);
    let open = |address: &str| Ledger::open(&Address::parse(address).expect("an address")).expect_err("no ledger");
    let messages = [
        open(&address.replace(":secret@", ":wrong@")),
        open(&format!("{address}_missing")),
        open(&address),
        open("postgres://ann@localhost:1/books"),
        open("postgres://ann@localhost/books?no_such_option=1"),
        open(&format!("{address}?sslmode=require")),
    ];
    for (problem, expected) in messages.iter().zip([
        "the PostgreSQL server refused the user or the password",
        "there is no such database",
        "the database `postgres",
        "no PostgreSQL server answers",
        "`postgres://ann@localhost/books?no_such_option=1` is not the address",
        "a socket is not encrypted",
    ]) {
        assert!(problem.message.contains(expected), "{problem}");
        assert!(problem.hint.is_some(), "{problem}");
        assert!(!problem.to_string().contains("secret"), "{problem}");
    }
}
