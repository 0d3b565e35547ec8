//! Signatures of approvals: Ed25519, of the seal of the entry that asks, and so of everything that
//! it says.

use crate::entry::Signed;
use crate::text::unhex;
use declare::Problem;
use ed25519_dalek::{Signature, VerifyingKey};

/// What is signed: the approval of the entry with this seal.
pub(crate) fn statement(seal: &str) -> String {
    format!("approve {seal}")
}

/// Whether a text is a public key in hexadecimal.
pub(crate) fn is_key(text: &str) -> bool {
    unhex(text).is_some_and(|bytes| VerifyingKey::from_bytes(&bytes).is_ok())
}

/// Why an approval is not signed as its dataset demands, or falsely; `None`: it is.
pub(crate) fn fault(signed: Option<&Signed>, seal: &str, demanded: Option<&str>) -> Option<&'static str> {
    let Some(Signed { key, signature }) = signed else {
        return demanded.map(|_| "is not signed, and its dataset demands that");
    };
    if demanded.is_some_and(|demanded| !demanded.eq_ignore_ascii_case(key)) {
        return Some("is signed with another key than its dataset demands");
    }
    let key = unhex(key).and_then(|bytes| VerifyingKey::from_bytes(&bytes).ok());
    let signature = unhex::<64>(signature).map(|bytes| Signature::from_bytes(&bytes));
    let holds = key
        .zip(signature)
        .is_some_and(|(key, signature)| key.verify_strict(statement(seal).as_bytes(), &signature).is_ok());
    (!holds).then_some("has a signature that does not hold")
}

/// Refuses an approval with such a fault.
pub(crate) fn refused(fault: &str) -> Problem {
    Problem::refused(format!("the approval {fault}"))
        .hint("`congenial ledger approve ENTRY --sign FILE` signs it; `congenial ledger status` names the key that is demanded")
}
