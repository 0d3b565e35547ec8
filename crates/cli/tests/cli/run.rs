//! A folder to run the program in, and what a run gave.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a run of the program gave.
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Ran {
    /// Checks the exit code.
    #[track_caller]
    pub fn exits(self, code: i32) -> Ran {
        assert_eq!(self.code, code, "stdout:\n{}\nstderr:\n{}", self.out, self.err);
        self
    }
}

/// Runs with arguments that may hold spaces, between `|`.
pub fn ask(folder: &Folder, arguments: &str) -> Ran {
    folder.run_words(arguments.split('|').map(str::trim), arguments, &[])
}

/// What a run printed for scripts.
#[track_caller]
pub fn json(ran: &Ran) -> serde_json::Value {
    serde_json::from_str(&ran.out).unwrap()
}

/// A temporary folder.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    /// With the starter spec and table.
    pub fn started() -> Folder {
        let folder = Folder::new();
        folder.run("new").exits(0);
        folder
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    /// Replaces a text that must be there.
    #[track_caller]
    pub fn replace(&self, name: &str, from: &str, to: &str) {
        let text = self.read(name);
        assert!(text.contains(from), "`{from}` is not in {name}:\n{text}");
        self.write(name, &text.replacen(from, to, 1));
    }

    /// Runs the program here; the arguments are separated by spaces.
    pub fn run(&self, arguments: &str) -> Ran {
        self.run_with(arguments, &[])
    }

    pub fn run_with(&self, arguments: &str, environment: &[(&str, &str)]) -> Ran {
        self.run_words(arguments.split_whitespace(), arguments, environment)
    }

    fn run_words<'a>(
        &self,
        words: impl Iterator<Item = &'a str>,
        arguments: &str,
        environment: &[(&str, &str)],
    ) -> Ran {
        let output = Command::new(env!("CARGO_BIN_EXE_congenial"))
            .args(words)
            // What one test found out, another must find out again.
            .env("CONGENIAL_CACHE", "")
            .envs(environment.iter().copied())
            .current_dir(self.0.path())
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let ran = Ran { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) };
        for stream in [&ran.out, &ran.err] {
            assert!(!stream.contains("panicked") && !stream.contains("a bug in congenial"), "{arguments}:\n{stream}");
            assert!(!stream.contains('\u{1b}'), "colour without a terminal: {arguments}:\n{stream}");
        }
        ran
    }

    /// Every file below the folder, hidden ones too, with its bytes; folders with none.
    pub fn listing(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        collect(self.0.path(), &mut files);
        files
    }
}

fn collect(folder: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
            files.insert(path, Vec::new());
        } else {
            let bytes = std::fs::read(&path).unwrap();
            files.insert(path, bytes);
        }
    }
}

/// A text without times, seals and folders, which differ from run to run.
pub fn steady(text: &str, folder: &Folder) -> String {
    let text = text.replace(&folder.path("").display().to_string(), "FOLDER/");
    let mut kept = String::new();
    let mut word = String::new();
    let end = |kept: &mut String, word: &mut String| {
        let digits = word.chars().filter(char::is_ascii_hexdigit).count();
        if word.len() == 20 && word.ends_with('Z') && word.contains('T') {
            kept.push_str("TIME");
        } else if digits == word.len() && [12, 64].contains(&digits) {
            kept.push_str("SEAL");
        } else {
            kept.push_str(word);
        }
        word.clear();
    };
    for letter in text.chars() {
        if letter.is_ascii_alphanumeric() || [':', '-'].contains(&letter) && word.len() > 3 && word.len() < 20 {
            word.push(letter);
        } else {
            end(&mut kept, &mut word);
            kept.push(letter);
        }
    }
    end(&mut kept, &mut word);
    kept
}
