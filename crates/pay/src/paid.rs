//! `PaidRelease`: a verified release of any kind, as far as a ledger must know it.

use certify::{Spending, restore, sha256};
use declare::{Declaration, Problem};
use loss::Charge;
use publish::{STREAM_ABOVE, Verified, verify_folder};
use std::path::Path;

/// A verified release of any kind, as far as a ledger must know it.
#[derive(Debug, Clone)]
pub struct PaidRelease {
    /// What its certificate says of a payment.
    pub ledger: Option<Spending>,
    /// What its ledger was charged, where it was.
    pub charged: Option<Charge>,
    /// The hash of its canonical spec.
    pub spec: String,
    /// The hash of what decides its law.
    pub law: String,
    /// What is declared of a table; other releases have none.
    pub declaration: Option<Declaration>,
    /// The hash of the file that holds what was drawn.
    pub table: String,
}

/// Reads and verifies the release in a folder, of the kinds that the caller knows.
pub type ReadRelease<'a> = dyn Fn(&Path) -> Result<PaidRelease, Problem> + 'a;

impl PaidRelease {
    /// Of a table.
    pub fn of_table(Verified { certificate, charged, .. }: &Verified) -> Result<PaidRelease, Problem> {
        let declaration = restore(certificate, STREAM_ABOVE)?.declaration;
        Ok(PaidRelease {
            ledger: certificate.ledger.clone(),
            charged: charged.clone(),
            spec: certificate.spec_sha256.clone(),
            law: sha256(declaration.law().as_bytes()),
            declaration: Some(declaration),
            table: certificate.table.sha256.clone(),
        })
    }
}

/// Reads and verifies the table in a folder.
pub fn read_table_release(folder: &Path) -> Result<PaidRelease, Problem> {
    PaidRelease::of_table(&verify_folder(folder, STREAM_ABOVE, None)?)
}
