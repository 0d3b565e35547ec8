//! What readers of a ledger must not see of its entries: fingerprints, and what is kept beside
//! them, encrypted under its key.
//!
//! How many fingerprints data have depends a little on their counts, so all of them are one text
//! whose length does not. Entries of earlier versions have them in the open, and are read as they
//! are.

use crate::entry::Event;
use crate::fingerprint::{CHOSEN, Print};
use crate::key::Key;
use crate::text::{hex, unhex_all};
use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305};
use declare::Problem;
use serde::{Deserialize, Serialize};

/// What stands in the place of fingerprints begins so.
const MARK: &str = "sealed:";

/// The bytes of a nonce, which is random.
const NONCE: usize = 24;

/// The longest print of one row as text, and the longest of any other.
const PRINTS: (usize, usize) = (48, 88);

/// Lengths are rounded up to a multiple of this.
const ROUND: usize = 1024;

#[derive(Serialize, Deserialize)]
struct Concealed {
    prints: Vec<Print>,
    details: String,
}

/// The event as the history keeps it.
pub(crate) fn concealed(key: &Key, mut event: Event) -> Result<Event, Problem> {
    if let Some((prints, details)) = fields(&mut event)
        && !(prints.is_empty() && details.is_empty())
    {
        let unwritten = || Problem::system("fingerprints could not be encrypted");
        let all = Concealed { prints: std::mem::take(prints), details: std::mem::take(details) };
        let mut text = serde_json::to_string(&all).map_err(|_| unwritten())?;
        let others = all.prints.iter().filter(|print| !print.is_of_one_row()).count();
        let kept = serde_json::to_string(&all.details).map_err(|_| unwritten())?.len();
        let length = (64 + CHOSEN * PRINTS.0 + others * PRINTS.1 + kept).max(text.len()).next_multiple_of(ROUND);
        text.extend(std::iter::repeat_n(' ', length - text.len()));
        let mut nonce = [0u8; NONCE];
        getrandom::fill(&mut nonce).map_err(|_| unwritten())?;
        let payload = Payload { msg: text.as_bytes(), aad: MARK.as_bytes() };
        let sealed = cipher(key)?.encrypt(&nonce.into(), payload).map_err(|_| unwritten())?;
        prints.push(Print(format!("{MARK}{}{}", hex(&nonce), hex(&sealed))));
    }
    Ok(event)
}

/// What an event of the history says, to whoever has the key.
pub(crate) fn revealed(key: &Key, mut event: Event) -> Result<Event, Problem> {
    if let Some((prints, details)) = fields(&mut event)
        && let [Print(only)] = prints.as_slice()
        && let Some(digits) = only.strip_prefix(MARK)
        && key.is_known()
    {
        let damaged = || Problem::refused("an entry of the ledger cannot be decrypted with its key");
        let bytes = unhex_all(digits).filter(|bytes| bytes.len() > NONCE).ok_or_else(damaged)?;
        let (nonce, sealed) = bytes.split_at(NONCE);
        let nonce: [u8; NONCE] = nonce.try_into().map_err(|_| damaged())?;
        let payload = Payload { msg: sealed, aad: MARK.as_bytes() };
        let text = cipher(key)?.decrypt(&nonce.into(), payload).map_err(|_| damaged())?;
        let all: Concealed = serde_json::from_slice(&text).map_err(|_| damaged())?;
        (*prints, *details) = (all.prints, all.details);
    }
    Ok(event)
}

/// What of an event is concealed.
fn fields(event: &mut Event) -> Option<(&mut Vec<Print>, &mut String)> {
    match event {
        Event::Reserved { prints, details, .. } | Event::Asked { prints, details, .. } => Some((prints, details)),
        _ => None,
    }
}

fn cipher(key: &Key) -> Result<XChaCha20Poly1305, Problem> {
    let bytes = zeroize::Zeroizing::new(key.derived("prints of entries", []));
    XChaCha20Poly1305::new_from_slice(bytes.as_ref()).map_err(|_| Problem::system("a key could not be used"))
}
