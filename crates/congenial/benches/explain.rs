//! Times a call of `explain`, for the overhead of the same call from Python
//! (`python/benches/calls.py`).
//!
//! `cargo bench -p congenial --bench explain -- SPEC [CALLS]` prints the median time of a call in
//! milliseconds.

#![allow(clippy::print_stdout)]

use congenial::{Given, Prepared, Quiet, explain_json};
use std::error::Error;
use std::time::Instant;

/// All that an explanation needs: the spec is read, its data too, and a plan is made and put into
/// words.
fn explained(spec: &str) -> Result<usize, Box<dyn Error>> {
    let prepared = Prepared::open_streaming(Given::from(std::path::Path::new(spec)), &Quiet)?;
    let prepared = prepared.supported(&Quiet)?;
    let secrets = prepared.secrets()?;
    let value = explain_json(&prepared, None, secrets.as_ref(), None);
    let text = prepared.plan.explain_text(&prepared.opened().declaration.title);
    Ok(value.to_string().len() + text.len())
}

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo adds `--bench` when it runs this itself.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let Some(spec) = arguments.first() else {
        println!("usage: explain SPEC [CALLS]");
        return Ok(());
    };
    let calls: usize = arguments.get(1).map_or(Ok(500), |calls| calls.parse())?;
    let mut times = Vec::with_capacity(calls);
    for _ in 0..calls {
        let began = Instant::now();
        std::hint::black_box(explained(spec)?);
        times.push(began.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    println!("{:.4}", times.get(calls / 2).copied().unwrap_or_default());
    Ok(())
}
