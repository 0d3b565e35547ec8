//! How confidential releases are paid for, recognised and kept.
//!
//! [`Payment`] is the ledger that a release is paid from, in somebody's name; a [`Right`] is what
//! entropy is had from. What was drawn is kept until its release is completed ([`Keeping`]).

mod against;
mod books;
mod dataset;
mod entries;
mod keeping;
mod named;
mod paid;
mod past;
mod payment;
mod seed;
mod spent;
mod stand_in;
mod statement;
mod together;
mod told;

pub use against::{adopt, payments_in, verify_against};
pub use books::{
    Asked, Offer, approve_signed, ask, look_up, look_up_release, note_data, offer, recover_release, shown, together,
};
pub use dataset::{DatasetWords, open_dataset, person};
pub use entries::{entry_json, entry_text, status_json};
pub use keeping::{Keeping, KeptPlace};
pub use named::{head_beside, ledger_of, ledger_of_spec};
pub use paid::{PaidRelease, ReadRelease, read_table_release};
pub use payment::{Identity, Paying, Payment, SAFEGUARDS, Standing, account, answered, answered_of_totals, outcome_of};
pub use seed::{Details, KeptSeed, Right, Shown, kept_text, seed_for};
pub use spent::{Spent, after_paying, check_space, note_spent, spent_now};
pub use stand_in::public_counts;
pub use together::Current;
pub use told::check_whose;
