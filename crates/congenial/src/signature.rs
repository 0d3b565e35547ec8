//! Ed25519 signatures of certificates, and the keys that make and check them.
//!
//! Keys are PEM files as other programs write them (PKCS #8), and a signature is 64 bytes of its own beside the certificate
//! that it signs byte by byte: `openssl pkeyutl -verify -rawin` checks it too.

use crate::files::cannot;
use certify::{Certificate, Check, changed};
use declare::Problem;
use ed25519_dalek::pkcs8::{DecodePrivateKey, DecodePublicKey, EncodePrivateKey, EncodePublicKey};
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// The file beside `certificate.json` that holds its signature.
pub(crate) const SIGNATURE_FILE: &str = "certificate.sig";

/// The largest file that is read as a key.
const LARGEST_KEY: u64 = 1 << 16;

/// A secret key that signs.
pub(crate) struct Signing(SigningKey);

impl std::fmt::Debug for Signing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Signing({}, redacted)", self.public())
    }
}

impl Signing {
    /// Reads a secret key.
    pub(crate) fn read(path: &Path) -> Result<Signing, Problem> {
        let text = Zeroizing::new(key_text(path)?);
        SigningKey::from_pkcs8_pem(&text).map(Signing).map_err(|_| {
            Problem::bad(format!("`{}` is not an Ed25519 secret key", path.display()))
                .hint("`congenial key new FILE` makes one, and so does `openssl genpkey -algorithm ed25519`")
        })
    }

    /// Its public key in hexadecimal, as a certificate names it.
    pub(crate) fn public(&self) -> String {
        hexadecimal(self.0.verifying_key().as_bytes())
    }

    /// The signature of the bytes of a certificate.
    pub(crate) fn sign(&self, certificate: &[u8]) -> [u8; 64] {
        self.0.sign(certificate).to_bytes()
    }
}

/// Makes a new pair of keys: the secret one in `file`, readable by its owner alone, the public one in `file` with `.pub`
/// appended. Says where the public one is, and its digits.
///
/// # Errors
/// When one of the files is there already: a key is never overwritten.
pub fn new_keys(file: &Path) -> Result<(PathBuf, String), Problem> {
    let mut seed = Zeroizing::new([0u8; 32]);
    getrandom::fill(seed.as_mut_slice())
        .map_err(|error| Problem::system(format!("the operating system gives no random bits: {error}")))?;
    let key = SigningKey::from_bytes(&seed);
    let unwritten = || Problem::system("a key could not be written as PEM");
    let secret = key.to_pkcs8_pem(Default::default()).map_err(|_| unwritten())?;
    let public = key.verifying_key().to_public_key_pem(Default::default()).map_err(|_| unwritten())?;
    let mut beside = file.as_os_str().to_owned();
    beside.push(".pub");
    let beside = PathBuf::from(beside);
    if let Some(there) = [file, beside.as_path()].into_iter().find(|path| path.exists()) {
        return Err(Problem::bad(format!("`{}` exists; a key is never overwritten", there.display()))
            .hint("name a new file, or move the old key away"));
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(file).and_then(|mut written| {
        written.write_all(secret.as_bytes())?;
        written.sync_all()
    });
    written.map_err(|error| cannot("write", file, error))?;
    fs::write(&beside, public).map_err(|error| cannot("write", &beside, error))?;
    Ok((beside, hexadecimal(key.verifying_key().as_bytes())))
}

/// Checks the signature of the certificate in a folder, if it says that it is signed; with a public key, that it is signed by
/// that one.
pub(crate) fn check(
    folder: &Path,
    certificate: &Certificate,
    bytes: &[u8],
    expected: Option<&Path>,
) -> Result<Option<Check>, Problem> {
    let expected = expected.map(public_key).transpose()?;
    let Some(stated) = &certificate.signed_by else {
        if let Some(expected) = expected {
            let message = format!("the certificate is not signed, and a signature of {expected} was asked for");
            return Err(Problem::bad(message).hint("ask the publisher for the signed release"));
        }
        return Ok(None);
    };
    if let Some(other) = expected.as_ref().filter(|expected| *expected != stated) {
        return Err(Problem::bad(format!("the certificate is signed by {stated}, not by {other}"))
            .hint("another key made this release: ask the publisher which one is theirs"));
    }
    let path = folder.join(SIGNATURE_FILE);
    let signature = fs::read(&path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            changed(format!("the certificate says that it is signed, and `{SIGNATURE_FILE}` is missing"))
        }
        _ => cannot("read", &path, error),
    })?;
    let unfit =
        || changed("the signature is not one of this certificate: the certificate or the signature was changed");
    let key = unhex(stated).and_then(|bytes| VerifyingKey::from_bytes(&bytes).ok());
    let key = key.ok_or_else(|| changed(format!("`{stated}` in the certificate is not a public key")))?;
    let signature = Signature::from_slice(&signature).map_err(|_| unfit())?;
    key.verify_strict(bytes, &signature).map_err(|_| unfit())?;
    let found = match expected {
        Some(_) => format!("the certificate is signed by the key that was given, {stated}"),
        None => format!("the certificate is signed by {stated}; with --key it is compared with the publisher's key"),
    };
    Ok(Some(Check { what: "signature".into(), found }))
}

/// The public key in a file, in hexadecimal.
fn public_key(path: &Path) -> Result<String, Problem> {
    let text = key_text(path)?;
    let key = VerifyingKey::from_public_key_pem(&text).map_err(|_| {
        Problem::bad(format!("`{}` is not an Ed25519 public key", path.display()))
            .hint("`congenial key new FILE` writes one to FILE.pub")
    })?;
    Ok(hexadecimal(key.as_bytes()))
}

fn key_text(path: &Path) -> Result<String, Problem> {
    let size = fs::metadata(path).map_err(|error| cannot("read", path, error))?.len();
    if size > LARGEST_KEY {
        return Err(Problem::bad(format!("`{}` is too large to be a key", path.display())));
    }
    fs::read_to_string(path).map_err(|error| cannot("read", path, error))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Option<[u8; 32]> {
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    let bytes: Option<Vec<u8>> =
        (0..32).map(|place| u8::from_str_radix(&text[2 * place..2 * place + 2], 16).ok()).collect();
    bytes?.try_into().ok()
}
