//! Whether the machine has the memory that a plan needs, asked before anything is paid or drawn.
//!
//! A plan is a function of the spec, so that everybody derives the same; only whether it is carried
//! out here depends on the machine.

use declare::Problem;
use std::fs;

/// Where Linux tells how much memory it would give without swapping.
const MEMINFO: &str = "/proc/meminfo";

/// What whoever has too little memory can do.
const WAYS_OUT: &str = "end other programs, or use a machine with more memory; finer totals make smaller blocks, a larger epsilon \
                        fewer weights; `nonnegative = false` where counts below zero will do, or method = \"cascade\", needs no \
                        weights; a smaller `memory` under [limits] leaves the table to another operator, if one draws it";

/// Whether the machine has so much memory, as far as it says.
pub(crate) fn has_memory(needed: f64) -> bool {
    check_memory(needed).is_ok()
}

/// Refuses work that needs more memory than the machine has; where it does not say how much that
/// is, nothing is refused.
pub(crate) fn check_memory(needed: f64) -> Result<(), Problem> {
    let available = fs::read_to_string(MEMINFO).ok().as_deref().and_then(available);
    available.map_or(Ok(()), |available| enough(needed, available))
}

pub(crate) fn too_large(problem: Problem) -> String {
    format!("Too large for this machine: {}; {WAYS_OUT}.", problem.message)
}

fn enough(needed: f64, available: u64) -> Result<(), Problem> {
    if needed <= available as f64 {
        return Ok(());
    }
    Err(Problem::refused(format!(
        "the plan needs about {:.1} GB of memory, and this machine has {:.1} GB available",
        needed / 1e9,
        available as f64 / 1e9
    ))
    .hint(format!("nothing was drawn or spent: {WAYS_OUT}")))
}

/// The available memory in bytes, as the lines of that file say it.
fn available(lines: &str) -> Option<u64> {
    let line = lines.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::{available, enough, too_large};

    #[test]
    fn the_available_memory_is_read_and_compared() {
        let lines = "MemTotal:       24000000 kB\nMemFree:         1000000 kB\nMemAvailable:    8000000 kB\n";
        assert_eq!(available(lines), Some(8_192_000_000));
        assert_eq!(available("MemTotal: 5 kB\n"), None);
        assert_eq!(available("MemAvailable: many\n"), None);
        assert!(enough(8e9, 8_192_000_000).is_ok());
        let problem = enough(16e9, 8_192_000_000).unwrap_err();
        assert_eq!(problem.message, "the plan needs about 16.0 GB of memory, and this machine has 8.2 GB available");
        assert!(problem.hint.as_ref().is_some_and(|hint| hint.starts_with("nothing was drawn or spent: end other")));
        let line = too_large(problem);
        assert!(line.starts_with("Too large for this machine: the plan needs about 16.0 GB"), "{line}");
        assert!(line.contains("finer totals") && !line.contains('\n'), "{line}");
    }
}
