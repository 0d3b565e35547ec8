//! Who spent what of a dataset's budget, durably, and never twice: SQLite by default, PostgreSQL
//! for a team.
//!
//! A [`Ledger`] knows datasets, each with a total budget. A release asks it to [`Ledger::reserve`]
//! its loss, which is written to disk before the call returns, and so before the first random bit
//! is read; then it [`Ledger::complete`]s. What was reserved stays spent, whatever happens next.
//! `proofs/ledger.md` says what follows from that, and what does not.
//!
//! ```no_run
//! use ledger::{Address, Amount, Answer, Charge, Ledger, NewDataset, Outcome, Request, Unit};
//!
//! # fn main() -> Result<(), declare::Problem> {
//! let mut ledger = Ledger::create(&Address::parse("sqlite:ledger.db")?, "ann")?;
//! let one = Charge { amount: Amount::Pure { epsilon: 1.into() }, per: Unit::Record };
//! ledger.open_dataset(&NewDataset { name: "census".into(), budget: one.clone(), approval: false, partition: None, by: "ann".into() })?;
//! let mut fingerprint = ledger.fingerprint();
//! fingerprint.row([b"Alpha".as_slice(), b"Low"], 3);
//! let request = Request {
//!     dataset: "census".into(),
//!     spec: "the hash of the canonical spec".into(),
//!     law: Some("the hash of what decides the law".into()),
//!     place: None,
//!     loss: one,
//!     by: "ann".into(),
//!     prints: fingerprint.finish(),
//!     priced_by_totals: false,
//!     again: false,
//!     overrides: Vec::new(),
//!     part: None,
//!     details: String::new(),
//! };
//! match ledger.reserve(&request)? {
//!     Answer::Reserved(reservation) => {
//!         // Draw, write, verify; then:
//!         let outcome = Outcome { certificate: "its hash".into(), table: "its hash".into(), folder: "release".into() };
//!         ledger.complete(&reservation, &outcome)?;
//!     }
//!     Answer::Already(earlier) => assert!(!earlier.folder.is_empty()),
//!     Answer::Pending(pending) => println!("entry {} paid, and nobody has completed it", pending.reservation),
//!     Answer::Newer(_) => unreachable!("nothing was said about other releases"),
//! }
//! # Ok(())
//! # }
//! ```

mod address;
mod adopt;
mod answers;
mod approve;
mod backup;
mod chain;
mod check;
mod conceal;
mod databases;
mod dataset;
mod entry;
mod fingerprint;
mod guard;
mod head;
mod key;
mod ledger;
mod partition;
mod portions;
mod read;
mod recover;
mod reserve;
mod session;
mod signed;
mod status;
mod step;
mod store;
mod survey;
mod text;
mod time;
mod turn;

pub use address::Address;
pub use adopt::Adopted;
pub use answers::{ANSWERS, MOST_ANSWERS};
pub use backup::Restored;
pub use dataset::{NewDataset, RECOGNITION};
pub use entry::{Entry, Event, LostHead, Override, Place, Signed};
pub use fingerprint::{Claim, Counts, Fingerprint, Print};
pub use ledger::{Ledger, Verified};
pub use loss::{Amount, Charge, Unit};
pub use partition::PARTITION;
pub use recover::Unfinished;
pub use reserve::{Answer, Earlier, NamedOverride, Outcome, Pending, Request, Reservation};
pub use status::{DatasetStatus, Status, Waiting};
#[doc(hidden)]
pub use step::{Hook, STEPS};
pub use survey::{Adopting, Payment, Standing, Unknown};
pub use time::now;
