//! What releases tell against enumeration, published numbers, exhaustive coverage and named mutants.

mod blocks;
mod coverage;
mod laws;
mod making;
mod models;
mod numbers;
mod pennsylvania;
mod posteriors;
mod rates;
