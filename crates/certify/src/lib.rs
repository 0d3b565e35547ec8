//! Losses that only round up, and the certificate that states them.

mod certificate;

pub use certificate::{
    Certificate, CertifiedInvariant, CertifiedTable, DisclosedCell, Guarantee, NearestPair, OperatorUse, Program, Total,
};
