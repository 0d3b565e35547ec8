//! What releases tell against enumeration, published numbers, exhaustive coverage and named mutants.

mod answers;
mod blocks;
mod coverage;
mod hypotheses;
mod laws;
mod making;
mod nested;
mod numbers;
mod pennsylvania;
mod posteriors;
mod projections;
mod rates;
