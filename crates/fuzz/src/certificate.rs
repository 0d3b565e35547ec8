//! Certificates: whoever verifies a release reads one that somebody else wrote.

use certify::{Certificate, restore, verify};

/// Reads a certificate, its spec, and checks it against a table of zeros.
pub(crate) fn certificate(data: &[u8]) {
    let Ok(certificate) = serde_json::from_slice::<Certificate>(data) else { return };
    let Ok(restored) = restore(&certificate, usize::MAX) else { return };
    if restored.domain.len() <= 1 << 12 {
        let _ = verify(&certificate, &restored, &vec![0; restored.domain.len()]);
    }
}
