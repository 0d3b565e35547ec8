//! A spec and its table, ready to be drawn: the steps that every command shares.
//!
//! [`Given`] is a spec as a command is given it, [`Opened`] its public half, [`Analysed`] holds the
//! confidential table and its public totals, [`Prepared`] adds the plan. [`Mechanism`] is the same
//! around a public table in memory. Data are recognised by keyed fingerprints before anything is
//! said of them.

mod analysed;
mod copied;
mod given;
mod mechanism;
mod memory;
mod prepared;
mod progress;
mod quantities;
mod recognise;
mod remembered;
mod sampling;
mod secrets;
mod stream;
mod suggest;
mod trial;
mod whose;

pub use analysed::{Analysed, LoadedTable, left_out};
pub use copied::is_copy;
pub use given::{Given, Opened, StandIn};
pub use mechanism::{Mechanism, group_sizes};
pub use prepared::{Prepared, supported};
pub use progress::{Progress, Quiet, Stage};
pub use quantities::{ErrorLaws, ExpectedError, LevelProfile, LevelSpread, QueryErrors};
pub use recognise::{
    ColumnPrint, LEDGER_VARIABLE, address_of, check_other_files, check_public, check_public_files, column_prints,
    fresh, prints, record_prints,
};
pub use remembered::remember_evidence_in;
pub use sampling::{NoisySums, Sample, Sampling, kept_draw, kept_measurements};
pub use secrets::InflationCurve;
pub use suggest::{Suggestion, suggestions};
pub use trial::{STAND_IN, without_stand_in};
pub use whose::{check_not_its_own_order, check_order, prints_of};
