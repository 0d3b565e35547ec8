//! The fuzzer's entry point: `CONGENIAL_FUZZ` names the target.

#![no_main]

use fuzz::{TARGETS, Target, target};
use libfuzzer_sys::fuzz_target;
use std::sync::OnceLock;

static CHOSEN: OnceLock<Target> = OnceLock::new();

fuzz_target!(|data: &[u8]| CHOSEN.get_or_init(choose)(data));

/// The target to run. Panics of the libraries that the readers catch are no findings, so the
/// fuzzer's hook must not end them.
fn choose() -> Target {
    let name = std::env::var("CONGENIAL_FUZZ").unwrap_or_default();
    let names: Vec<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
    let chosen = target(&name).unwrap_or_else(|| panic!("CONGENIAL_FUZZ names a target: {}", names.join(", ")));
    let finding = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !tabulate::panic_is_expected() {
            finding(panic);
        }
    }));
    chosen
}
