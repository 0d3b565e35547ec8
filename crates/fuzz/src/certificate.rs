//! Certificates: whoever verifies a release reads one that somebody else wrote.

use certify::{read_certificate, restore, verify};

/// Reads a certificate, its spec, and checks it against a table of zeros.
pub(crate) fn certificate(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(certificate) = read_certificate(text) else { return };
    let Ok(restored) = restore(&certificate, usize::MAX) else { return };
    if restored.domain.len() <= 1 << 12 {
        let _ = verify(&certificate, &restored, &vec![0; restored.domain.len()]);
    }
}
