//! What the program prints when it fails through its own fault: where, and nothing else.

use congenial::{Bug, silence_panics};
use std::io::Write;

/// Replaces the printing of panics.
pub fn install() {
    silence_panics(|bug| {
        // Nothing is left to tell when the error stream is closed.
        let _ = writeln!(std::io::stderr(), "{bug}\nhint: {}", Bug::HINT);
    });
}

#[cfg(test)]
mod tests {
    use super::install;
    use congenial::caught;
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
        assert!(caught(|| panic!("the count is {count}")).is_err());
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
