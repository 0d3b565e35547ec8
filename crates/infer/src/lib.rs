//! What a release tells, exactly: intervals, posteriors and likelihoods from a release folder and
//! nothing else.
//!
//! ```text
//! release.rs     a verified release, typed by what is known of its noise
//! query.rs       integer queries: sums of cells with coefficients
//! field.rs       a law on tables around a centre: the one place that knows operators
//! sums.rs        laws of queries: classes by coefficient, rows in networks, blocks joined
//! rank.rs        intervals from fresh draws of the noise, exact for every number of draws
//! interval.rs    intervals of queries of a release without bounds
//! rate.rs        Fieller sets: rates by inversion
//! knowledge.rs   what a reader knows beside the release: bounds, rules, totals, a prior
//! posterior.rs   what the reader may believe: laws and draws
//! basis.rs       how it is asked for, what it stands on, how well it was found; believed.rs what it says of a sum
//! belief.rs      one block of it
//! several.rs     the product of what several releases and a prior give
//! weighted.rs    messages with any weights of cells: priors, several Gaussian releases
//! bounded.rs     releases with bounds: the posterior carries 1/Z(x)
//! base.rs        releases weighted by a base measure: counts of single cells
//! held.rs        blocks whose Z(x) is computed, and what single cells add to it
//! energy.rs      minus the logarithms of weights of noise
//! norm.rs        noise by one norm over all cells; widths.rs makes it a sum of products
//! star.rs        Z(x) where one total holds a block together
//! tree.rs        Z(x) and draws where totals cross without circles between them
//! tied.rs        numbers that are independent but for their sum
//! circle.rs      transforms around a circle; pick.rs takes one of several things by its weight
//! counted.rs     1/Z(x) of two-way tables, without bias
//! chain.rs       chains of steps of the lattice, where nothing else draws; walked.rs runs them around a release
//! cascaded.rs    releases by a cascade: draws weighted by its splits
//! splits.rs      the splits of a cascade, as functions of the true table
//! nested.rs      releases by a cascade whose totals nest: the posterior itself
//! likelihood.rs  the probability of the release, were this the table
//! reaches.rs     the columns lower90 and upper90 where totals cross or sums are noisy
//! testing.rs     tests of hypotheses: exact p-values where margins are exact
//! projected.rs   projections of small public tables: rejection, for comparison
//! comparison.rs  two sums: difference, ratio, and the probability that one is greater
//! regression.rs  models fitted to imputations, combined by Rubin's rules; cholesky.rs solves, student.rs has the quantiles
//! model.rs       models learnt from releases: rates, shares, log-linear terms, small areas
//! best.rs        one table that stands for all; imputations and how they are combined
//! ```
//!
//! Nothing here costs privacy: all of it is a function of what was published. Proofs:
//! `proofs/location.md`, `proofs/posterior.md`, `proofs/rank.md`, `proofs/fieller.md`,
//! `proofs/exact-tests.md`, `proofs/augmentation.md`, `proofs/exchange.md`, `proofs/propriety.md`.

mod base;
mod basis;
mod belief;
mod believed;
mod best;
mod bounded;
mod cascaded;
mod chain;
mod cholesky;
mod circle;
mod comparison;
mod counted;
mod energy;
mod field;
mod held;
mod interval;
mod knowledge;
mod likelihood;
pub mod model;
mod nested;
mod norm;
mod pick;
mod posterior;
mod projected;
mod query;
pub mod rank;
mod rate;
mod reaches;
mod regression;
mod release;
mod several;
mod splits;
mod star;
mod student;
mod sums;
pub mod testing;
mod tied;
mod tree;
mod walked;
mod weighted;
mod widths;

pub use basis::{Basis, Cancel, Diagnosis, Wanted};
pub use believed::{Believed, BelievedRate};
pub use best::{Best, BestTable, Combined, best};
pub use comparison::{Comparison, Pair, compare};
pub use field::{CellLaws, Field};
pub use interval::{Asked, How, Interval, check_free, intervals, reach_of};
pub use knowledge::{Knowledge, KnownTotals, Prior};
pub use likelihood::{Likelihood, likelihood};
pub use posterior::Posterior;
pub use query::{LARGEST_COEFFICIENT, Query};
pub use rate::{RateSet, rate};
pub use reaches::{Reaches, cell_reaches, group_reaches};
pub use regression::{Coefficient, Family, Fit, Model, Regression, rubin};
pub use release::{Known, Origin, Release, check_different};
pub use sums::Sums;
