//! The certificate of a release: what it states, and how that is derived again from what was published.

mod cascaded;
mod certificate;
mod certify;
mod composition;
mod derive;
mod disclosure;
mod estimated;
mod guarantee;
mod nested;
mod secrets;
mod suppression;

pub use crate::secrets::{CertifiedSecrets, secrets};
pub use certificate::{
    Certificate, CertifiedEvidence, CertifiedFamily, CertifiedFile, CertifiedInvariant, CertifiedMeaning,
    CertifiedMoves, CertifiedOverride, CertifiedRound, CertifiedTable, DisclosedCell, Guarantee, Mixing, NearestPair,
    OperatorUse, PrivacyUnit, Program, Spending, Together, Total,
};
pub use certify::{
    Check, Circumstances, DISCLOSURE, FORMAT, PROGRAM, VERSION, certify, certify_streamed, changed, differs,
    read_certificate, restore, sha256, sha256_of, verify,
};
pub use composition::{EarlierRelease, Joint, LeftOut, MOST_JOINT_CELLS, View, are_disjoint, joint, part_of};
pub use derive::{Derived, MOST_LISTED, derive, derive_watched, disclosed, totals_of};
pub use disclosure::{
    CertifiedDisclosure, CertifiedInterval, CertifiedMargin, CertifiedSensitive, CertifiedWidths, Confined,
    MOST_INTERVALS, WidthCount, confined, enforce, enforce_cells, in_words, interval,
};
pub use estimated::evidence_of;
pub use suppression::{certify_suppressed, verify_suppressed};
