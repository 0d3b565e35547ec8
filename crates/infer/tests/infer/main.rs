//! What releases tell against enumeration, published numbers, exhaustive coverage and named
//! mutants.

mod answers;
mod base;
mod blocks;
mod coherence;
mod coverage;
mod hypotheses;
mod laws;
mod making;
mod models;
mod nested;
mod norm;
mod numbers;
mod once;
mod ordered;
mod pennsylvania;
mod posteriors;
mod projections;
mod rates;
mod small_areas;
