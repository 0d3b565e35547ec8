//! From an Analysis to a Plan: one rule per file, costs, refusals, EXPLAIN.
