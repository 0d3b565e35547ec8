//! The tutorial and docs/infer.md, run as they are written: every block of output is what its
//! commands print, but for numbers that are drawn.
//!
//! What the tutorial prints has the same words for every draw. What `infer` tells of a release has
//! not: a verdict, a set without an end, draws that tell too little. So its page asks about
//! releases with fixed draws.
//!
//! `CONGENIAL_TUTORIAL=write cargo test --workspace --test cli tutorial` writes what was printed
//! into both.

use crate::fixed::fix_as;
use congenial::Format;
use std::path::{Path, PathBuf};
use std::process::Command;

fn tutorial() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tutorial")
}

/// A part of the tutorial: lines as they are, or a block of commands with what they print.
enum Part {
    Text(String),
    /// A file of this name, which the reader writes.
    File(String, String),
    Commands(Vec<Ran>),
}

/// A command and what is printed below it.
struct Ran {
    command: String,
    printed: String,
}

fn parts(text: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let block = |lines: &mut std::str::Lines<'_>| -> Vec<String> {
            lines.take_while(|line| *line != "```").map(str::to_string).collect()
        };
        if line == "```console" {
            let mut ran: Vec<Ran> = Vec::new();
            for line in block(&mut lines) {
                match (line.strip_prefix("$ "), ran.last_mut()) {
                    (Some(command), _) => ran.push(Ran { command: command.to_string(), printed: String::new() }),
                    (None, Some(last)) => last.printed.push_str(&format!("{line}\n")),
                    (None, None) => panic!("a block of output begins without a command: {line}"),
                }
            }
            parts.push(Part::Commands(ran));
        } else if let Some(name) = line.strip_prefix("```toml ") {
            let text = block(&mut lines).iter().map(|line| format!("{line}\n")).collect();
            parts.push(Part::File(name.to_string(), text));
        } else {
            parts.push(Part::Text(line.to_string()));
        }
    }
    parts
}

/// Runs a command of the tutorial in a folder; what it prints, results and messages.
fn run(command: &str, folder: &Path) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_congenial"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap_or_default());
    let output = Command::new("sh")
        .args(["-c", &format!("{command} 2>&1")])
        .env("PATH", path)
        .env("CONGENIAL_USER", "ann")
        .env("TUTORIAL", tutorial())
        .env("NO_COLOR", "1")
        .current_dir(folder)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(!text.contains("panicked"), "{command}\n{text}");
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// A text in which all that differs from run to run is the same: numbers, hashes, times, and the
/// spaces that they leave.
fn alike(text: &str) -> String {
    let mut alike = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let mut last = alike.chars().next_back();
        if letter.is_ascii_digit() || (letter == '-' && letters.peek().is_some_and(char::is_ascii_digit)) {
            while letters.next_if(|next| next.is_ascii_hexdigit() || ".,:-".contains(*next)).is_some() {}
            if last == Some('0') {
                continue;
            }
            alike.push('0');
            continue;
        }
        if letter == ' ' && last == Some(' ') {
            continue;
        }
        if letter == '─' && last == Some('─') {
            continue;
        }
        last = Some(letter);
        alike.extend(last);
    }
    alike
}

#[test]
fn the_tutorial_prints_what_it_says() {
    if Command::new("python3").arg("--version").output().is_err() {
        // The data of the tutorial are made by a script; without Python there is nothing to run it
        // on.
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    prints_what_it_says(&tutorial().join("README.md"), folder.path(), 12, &mut |_| {});
}

#[test]
#[cfg(unix)]
fn the_walk_of_inference_prints_what_it_says() {
    let folder = tempfile::tempdir().unwrap();
    let root = tutorial().join("../..").canonicalize().unwrap();
    for name in ["examples", "data"] {
        std::os::unix::fs::symlink(root.join(name), folder.path().join(name)).unwrap();
    }
    // A true release was made, and what is asked about after it has a fixed draw.
    let mut seed = 0;
    let mut fixing = |command: &str| {
        let words: Vec<&str> = command.split(' ').collect();
        let ["congenial", "release", spec, "--out", name, ..] = words[..] else { return };
        seed += 1;
        std::fs::remove_dir_all(folder.path().join(name)).unwrap();
        fix_as(&folder.path().join(spec), &folder.path().join(name), Format::PARQUET, seed);
    };
    prints_what_it_says(&root.join("docs/infer.md"), folder.path(), 8, &mut fixing);
    assert!(seed > 8, "{seed} releases");
}

/// Runs the commands of a page in a folder, and compares what they print; `after` is told of each.
fn prints_what_it_says(file: &Path, folder: &Path, least: usize, after: &mut dyn FnMut(&str)) {
    let write = std::env::var("CONGENIAL_TUTORIAL").is_ok_and(|value| value == "write");
    let text = std::fs::read_to_string(file).unwrap();
    let (mut again, mut commands) = (String::new(), 0);
    for part in parts(&text) {
        match part {
            Part::Text(line) => again.push_str(&format!("{line}\n")),
            Part::File(name, text) => {
                std::fs::write(folder.join(&name), &text).unwrap();
                again.push_str(&format!("```toml {name}\n{text}```\n"));
            }
            Part::Commands(ran) => {
                again.push_str("```console\n");
                for Ran { command, printed } in ran {
                    let found = run(&command, folder);
                    after(&command);
                    commands += 1;
                    if !write {
                        assert_eq!(alike(&found), alike(&printed), "$ {command}\n{found}");
                    }
                    again.push_str(&format!("$ {command}\n{found}"));
                }
                again.push_str("```\n");
            }
        }
    }
    assert!(commands >= least, "{commands}");
    if write {
        std::fs::write(file, again).unwrap();
    }
}
