//! The certificate of a release: what it states, and how that is derived again from what was
//! published.

mod cascaded;
mod certificate;
mod certify;
mod check;
mod composition;
mod counted;
mod derive;
mod disclosure;
mod estimated;
mod guarantee;
mod nested;
mod secrets;
mod totals_alone;
mod verify;

pub use crate::secrets::{CertifiedSecrets, secrets};
pub use certificate::{
    Certificate, CertifiedEvidence, CertifiedFamily, CertifiedFile, CertifiedInvariant, CertifiedMeaning,
    CertifiedMoves, CertifiedOverride, CertifiedRound, CertifiedTable, Guarantee, Mixing, NearestPair, OperatorUse,
    PrivacyUnit, Program, Spending, Together, Total,
};
pub use certify::{
    Circumstances, DISCLOSURE, FORMAT, PROGRAM, VERSION, certify, certify_streamed, certify_suppressed, differs,
    differs_from, read_certificate, restore, sha256, sha256_of,
};
pub use check::{Check, changed};
pub use composition::{EarlierRelease, Joint, LeftOut, MOST_JOINT_CELLS, View, are_disjoint, emptied, joint, part_of};
pub use counted::{EVERY_ROW, rows_in_words};
pub use derive::{Derived, derive, totals_of};
pub use disclosure::{
    CertifiedDisclosure, CertifiedInterval, CertifiedMargin, CertifiedSensitive, CertifiedWidths, Confined,
    DisclosedCell, MOST_INTERVALS, MOST_LISTED, WidthCount, confined, disclosed, enforce, enforce_cells, in_words,
    interval,
};
pub use estimated::evidence_of;
pub use guarantee::check_law;
pub use verify::verify;
