//! What releases tell against enumeration, published numbers, exhaustive coverage and named mutants.

mod blocks;
mod coverage;
mod hypotheses;
mod laws;
mod making;
mod numbers;
mod pennsylvania;
mod posteriors;
mod rates;
