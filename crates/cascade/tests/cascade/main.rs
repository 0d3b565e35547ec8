//! The law of whole tables, their loss, mutants, seeds and refusals.

mod joint;
mod mutants;
mod oracle;
mod places;
mod privacy;
mod pure;
mod refusals;
mod samples;
mod seeds;

/// How many random tables: more where `CONGENIAL_CASCADE` asks for a multiple of the usual number.
pub fn trials(usual: u32) -> u32 {
    let factor = std::env::var("CONGENIAL_CASCADE").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    usual * factor
}
