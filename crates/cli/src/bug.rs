//! What the program says when it fails through its own fault: where, and nothing else.
//!
//! The message of a panic may hold numbers of the confidential table, so it is never printed.

use congenial::{COMMIT, VERSION, panic_is_expected};
use std::io::Write;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook};

/// Replaces the printing of panics.
pub fn install() {
    set_hook(Box::new(report));
}

/// Runs something; `None` when it panicked. Unwinding, rather than leaving at once, removes temporary folders.
pub fn caught<T>(run: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(run)).ok()
}

fn report(panic: &PanicHookInfo) {
    // A library has met a damaged file, and the command says so itself.
    if panic_is_expected() {
        return;
    }
    let place = panic.location().map_or(String::new(), |place| format!(" at {}:{}", place.file(), place.line()));
    let commit = COMMIT.map_or(String::new(), |commit| format!(", commit {commit}"));
    // Nothing is left to tell when the error stream is closed.
    let _ = writeln!(
        std::io::stderr(),
        "this is a bug in congenial: it stopped{place} (version {VERSION}{commit})\n\
         hint: please report this line; it holds nothing of your data"
    );
}

#[cfg(test)]
mod tests {
    use super::{caught, install};
    use std::process::Command;

    /// Set for the child process of the test below; without it there is nothing to show.
    const CHILD: &str = "CONGENIAL_TEST_PANICS";

    #[test]
    fn panics_with_a_secret() {
        if std::env::var_os(CHILD).is_none() {
            return;
        }
        install();
        let count = 987_123;
        assert!(caught(|| panic!("the count is {count}")).is_none());
    }

    #[test]
    fn a_panic_tells_where_and_not_what() {
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "--nocapture", "bug::tests::panics_with_a_secret"])
            .env(CHILD, "1")
            .output()
            .unwrap();
        let printed = String::from_utf8_lossy(&[child.stdout, child.stderr].concat()).into_owned();
        assert!(child.status.success(), "{printed}");
        assert!(printed.contains("this is a bug in congenial: it stopped at "), "{printed}");
        assert!(printed.contains("bug.rs:"), "{printed}");
        assert!(!printed.contains("987123") && !printed.contains("panicked"), "{printed}");
    }
}
