//! How a curator checks a mechanism: theory of its errors, measures of them, and privacy from laws
//! or from runs.
//!
//! A library of pure functions: numbers, laws and tables come in, numbers go out; nothing here
//! draws a release or reads a file.
//!
//! ```text
//! zhu.rs          bias and variance of projections (Zhu, Van Hentenryck, Fioretto 2021)
//! conditional.rs  variance of a cell given its total: exact, and Liu's conjecture
//! theory.rs       which of these applies to a method, a law and a group
//! two_bins.rs     two cells and their total (Gong and Meng 2020, Table 2)
//! views.rs        conditioning and projection of finite laws (Liu 2023, Table 1)
//! measure.rs      errors of repeated draws: bias, variance, distances, zeros, groups
//! comparison.rs   several methods on one table, side by side
//! privacy.rs      the loss of two finite laws, and a lower limit of it from repeated runs
//! ```

pub mod comparison;
pub mod conditional;
pub mod measure;
pub mod privacy;
pub mod theory;
pub mod two_bins;
pub mod views;
pub mod zhu;
