//! The same program as another process: it spends, stops where it is told to, and is killed.

use crate::scene::{outcome, pure, request};
use ledger::{Address, Answer, Ledger, Request};
use std::io::{BufRead, BufReader, Lines, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

const TASK: &str = "CONGENIAL_LEDGER_CHILD";
const ADDRESS: &str = "CONGENIAL_LEDGER_ADDRESS";

/// What every release of these processes costs.
pub const EACH: &str = "1/1000";

/// What begins a line that is meant for the parent.
const MARK: &str = "> ";

/// Another process.
pub struct Process {
    child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

/// The command that runs a task as another process; `program` is this one or a copy of it.
pub fn command(program: &Path, task: &str, address: &str) -> Command {
    let mut command = Command::new(program);
    command.args(["--exact", "child::as_another_process", "--nocapture", "--test-threads=1"]);
    command.env(TASK, task).env(ADDRESS, address);
    command
}

/// Starts a task as another process.
pub fn start(task: &str, address: &str) -> Process {
    started(&mut command(&std::env::current_exe().expect("this program"), task, address))
}

/// Starts a command of [`command`].
pub fn started(command: &mut Command) -> Process {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    // While another thread starts a process, a copy of this program that was just written may still
    // be open there.
    let busy = |error: &std::io::Error| error.kind() == std::io::ErrorKind::ExecutableFileBusy;
    let mut spawned = command.spawn();
    for _ in 0..100 {
        if !spawned.as_ref().is_err_and(busy) {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
        spawned = command.spawn();
    }
    let mut child = spawned.expect("another process");
    let input = child.stdin.take().expect("its input");
    let output = BufReader::new(child.stdout.take().expect("its output")).lines();
    Process { child, input, output }
}

impl Process {
    /// The next line meant for the parent; `None` when the process has ended.
    pub fn next(&mut self) -> Option<String> {
        loop {
            let line = self.output.next()?.ok()?;
            // The test harness begins the line on which the first one is written.
            if let Some(place) = line.find(MARK) {
                return Some(line[place + MARK.len()..].to_string());
            }
        }
    }

    /// Lets it begin.
    pub fn go(&mut self) {
        writeln!(self.input, "go").expect("it listens");
    }

    /// Kills it as `kill -9` does, and counts the lines of a kind that it had written and nobody
    /// had read.
    pub fn kill(mut self, wanted: &str) -> usize {
        self.child.kill().expect("it runs or has ended");
        self.rest().iter().filter(|line| *line == wanted).count()
    }

    /// Waits until it ends; all that it wrote.
    pub fn rest(mut self) -> Vec<String> {
        let lines = std::iter::from_fn(|| self.next()).collect();
        self.child.wait().expect("it has ended");
        lines
    }
}

#[allow(clippy::print_stdout)]
fn say(line: &str) {
    println!("{MARK}{line}");
    std::io::stdout().flush().expect("somebody reads");
}

fn wait_for_the_parent() {
    say("ready");
    std::io::stdin().lock().read_line(&mut String::new()).expect("a line");
}

/// A request that no other process makes.
fn own_request(number: usize) -> Request {
    request(&format!("{} {number}", std::process::id()), pure(EACH))
}

#[test]
fn as_another_process() {
    let (Ok(task), Ok(address)) = (std::env::var(TASK), std::env::var(ADDRESS)) else { return };
    let address = Address::parse(&address).expect("an address");
    let (task, argument) = task.split_once(' ').expect("a task and what it is about");
    let opened = if task == "look" { Ledger::open_to_read(&address) } else { Ledger::open(&address) };
    let mut ledger = match opened {
        Ok(ledger) => ledger,
        Err(problem) => return say(&format!("failed: {problem}")),
    };
    match task {
        "try" => {
            wait_for_the_parent();
            let (attempts, part) = argument.split_once(' ').unwrap_or((argument, ""));
            let part = (!part.is_empty()).then(|| part.to_string());
            for number in 0..attempts.parse().expect("a number") {
                match ledger.reserve(&Request { part: part.clone(), ..own_request(number) }) {
                    Ok(_) => say("reserved"),
                    Err(problem) if problem.message.contains("does not pay") => say("refused"),
                    Err(problem) => say(&format!("failed: {problem}")),
                }
            }
        }
        "stop" => {
            let stop = argument.to_string();
            ledger.at_each_step(Box::new(move |step| {
                if step == stop {
                    say("stopped");
                    std::thread::sleep(Duration::from_secs(600));
                }
            }));
            let Ok(Answer::Reserved(reservation)) = ledger.reserve(&own_request(0)) else { return say("failed") };
            say("drawn");
            ledger.complete(&reservation, &outcome("release")).expect("completed");
            say("completed");
        }
        "loop" => {
            wait_for_the_parent();
            for number in 0.. {
                let Ok(Answer::Reserved(reservation)) = ledger.reserve(&own_request(number)) else {
                    return say("failed");
                };
                say("drawn");
                ledger.complete(&reservation, &outcome("release")).expect("completed");
            }
        }
        "cut" => {
            wait_for_the_parent();
            for number in 0.. {
                match ledger.reserve(&own_request(number)) {
                    Ok(Answer::Reserved(reservation)) => {
                        say("drawn");
                        let _ = ledger.complete(&reservation, &outcome("release"));
                    }
                    Ok(_) => {}
                    // The connection was cut: a new one is made.
                    Err(_) => {
                        if let Ok(again) = Ledger::open(&address) {
                            ledger = again;
                        }
                    }
                }
            }
        }
        "look" => {
            let status = ledger.status().map(|status| (status.datasets[0].spent.to_string(), status.refuses));
            let history = ledger.history(None).map(|history| history.len());
            say(&format!("{status:?}, {history:?}, {:?}", ledger.verify_chain().map(|verified| verified.entries)));
        }
        "fill" => {
            for number in 0..100_000 {
                match ledger.reserve(&Request { details: "x".repeat(3000), ..own_request(number) }) {
                    Ok(_) => say("drawn"),
                    Err(problem) => return say(&format!("failed: {problem}")),
                }
            }
        }
        other => panic!("no task {other}"),
    }
}
