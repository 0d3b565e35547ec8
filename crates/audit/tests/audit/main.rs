//! Theory of errors against enumeration and simulation, the two views, measures, and audits of
//! privacy.
//!
//! Simulations have fixed seeds. Each compares at most a few dozen figures with theory, and allows
//! five standard errors: a family-wise level below 10⁻⁴.

mod conditional;
mod measure;
mod privacy;
mod projected;
mod table1;
mod two_bins;
mod zhu;
