//! The same program as another process: it releases, stops where it is told to, and is killed.

use crate::scene::{by_ann, releasing, releasing_with, spec_text};
use congenial::{Format, Options};
use std::io::{BufRead, BufReader, Lines, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

const TASK: &str = "CONGENIAL_PAID_CHILD";
const FOLDER: &str = "CONGENIAL_PAID_FOLDER";
const ADDRESS: &str = "CONGENIAL_PAID_ADDRESS";

/// What begins a line that is meant for the parent.
const MARK: &str = "> ";

/// Another process.
pub struct Process {
    child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

/// The command that runs a task as another process, in a folder and with a ledger.
pub fn command(program: &Path, task: &str, folder: &Path, address: &str) -> Command {
    let mut command = Command::new(program);
    command.args(["--exact", "child::as_another_process", "--nocapture", "--test-threads=1"]);
    command.env(TASK, task).env(FOLDER, folder).env(ADDRESS, address).env("PGPASSWORD", "secret");
    command.env("RAYON_NUM_THREADS", "1");
    command
}

/// Starts a command of [`command`].
pub fn started(command: &mut Command) -> Process {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let input = child.stdin.take().unwrap();
    let output = BufReader::new(child.stdout.take().unwrap()).lines();
    Process { child, input, output }
}

/// Starts a task as another process.
pub fn start(task: &str, folder: &Path, address: &str) -> Process {
    started(&mut command(&std::env::current_exe().unwrap(), task, folder, address))
}

impl Process {
    /// The next line meant for the parent; `None` when the process has ended.
    pub fn next(&mut self) -> Option<String> {
        loop {
            let line = self.output.next()?.ok()?;
            if let Some(place) = line.find(MARK) {
                return Some(line[place + MARK.len()..].to_string());
            }
        }
    }

    /// Its number, which begins the names of its files.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Lets it begin.
    pub fn go(&mut self) {
        writeln!(self.input, "go").unwrap();
    }

    /// Kills it as `kill -9` does; the lines that it had written and nobody had read.
    pub fn kill(mut self) -> Vec<String> {
        self.child.kill().unwrap();
        self.rest()
    }

    /// Waits until it ends; all that it wrote.
    pub fn rest(mut self) -> Vec<String> {
        let lines = std::iter::from_fn(|| self.next()).collect();
        self.child.wait().unwrap();
        lines
    }
}

#[allow(clippy::print_stdout)]
fn say(line: &str) {
    println!("{MARK}{line}");
    std::io::stdout().flush().unwrap();
}

/// A spec that no other process writes, and the folder of its release.
fn own_spec(folder: &Path, address: &str, number: usize) -> (PathBuf, PathBuf) {
    let name = format!("{}-{number}", std::process::id());
    let spec = folder.join(format!("{name}.toml"));
    std::fs::write(&spec, spec_text(&name, address)).unwrap();
    (spec, folder.join(format!("release-{name}")))
}

#[test]
fn as_another_process() {
    let (Ok(task), Ok(folder), Ok(address)) = (std::env::var(TASK), std::env::var(FOLDER), std::env::var(ADDRESS))
    else {
        return;
    };
    let folder = PathBuf::from(folder);
    let (task, argument) = task.split_once(' ').expect("a task and what it is about");
    match task {
        // Waits to be killed, or to be told to go on.
        "stop" | "stop-and-go" => {
            let (spec, out) = own_spec(&folder, &address, 0);
            let (stop, goes_on) = (argument.to_string(), task == "stop-and-go");
            let steps = Arc::new(move |step: &'static str| {
                if step == stop {
                    say("stopped");
                    match goes_on {
                        true => drop(std::io::stdin().lock().read_line(&mut String::new())),
                        false => std::thread::sleep(Duration::from_secs(600)),
                    }
                }
            });
            match releasing_with(&spec, &out, by_ann(), steps) {
                Ok(_) => say("released"),
                Err(problem) => say(&format!("failed: {problem}")),
            }
        }
        "release" => {
            let specs: Vec<_> =
                (0..argument.parse().unwrap()).map(|number| own_spec(&folder, &address, number)).collect();
            say("ready");
            std::io::stdin().lock().read_line(&mut String::new()).unwrap();
            for (spec, out) in specs {
                match releasing(&spec, &out, by_ann()) {
                    Ok(_) => say("released"),
                    Err(problem) if problem.message.contains("does not pay") => say("refused"),
                    Err(problem) => say(&format!("failed: {problem}")),
                }
            }
        }
        // All processes release the same spec, each to a folder of its own; or all to the same one.
        "same" => {
            let name = if argument == "apart" { format!("same-{}", std::process::id()) } else { "same".to_string() };
            say("ready");
            std::io::stdin().lock().read_line(&mut String::new()).unwrap();
            match releasing(&folder.join("same.toml"), &folder.join(name), by_ann()) {
                Ok(released) => say(if released.handed_back.is_some() { "handed back" } else { "released" }),
                Err(problem) => say(&format!("failed: {problem}")),
            }
        }
        "workbook" => {
            let (spec, out) = own_spec(&folder, &address, 0);
            let options = Options { format: Format::XLSX, ..by_ann() };
            match releasing(&spec, &out, options) {
                Ok(_) => say("released"),
                Err(problem) => say(&format!("failed: {problem}")),
            }
        }
        other => panic!("no task {other}"),
    }
}
