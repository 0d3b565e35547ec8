//! The fuzzer's entry point: `CONGENIAL_FUZZ` names the target.

#![no_main]

use fuzz::{TARGETS, Target, target};
use libfuzzer_sys::fuzz_target;
use std::sync::OnceLock;

static CHOSEN: OnceLock<Target> = OnceLock::new();

fuzz_target!(|data: &[u8]| {
    let chosen = CHOSEN.get_or_init(|| {
        let name = std::env::var("CONGENIAL_FUZZ").unwrap_or_default();
        let names: Vec<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
        target(&name).unwrap_or_else(|| panic!("CONGENIAL_FUZZ names a target: {}", names.join(", ")))
    });
    chosen(data);
});
