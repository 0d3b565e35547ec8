//! Ed25519 signatures of certificates, and the keys that make and check them.
//!
//! Keys are PEM files as other programs write and read them (PKCS #8, of the first version, which
//! every OpenSSL reads), secret ones encrypted with a passphrase if there is one, and a signature
//! is 64 bytes of its own beside the certificate that it signs byte by byte:
//! `openssl pkeyutl -verify -rawin` checks it too.

use crate::files::{cannot, read_within};
use certify::{Check, changed};
use declare::Problem;
use ed25519_dalek::pkcs8::KeypairBytes;
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use pkcs8::{DecodePrivateKey, DecodePublicKey, EncodePrivateKey, EncodePublicKey};
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// The file beside `certificate.json` that holds its signature.
pub const SIGNATURE_FILE: &str = "certificate.sig";

/// The variable of the environment that names a file with the passphrase of secret keys.
const PASSPHRASE_FILE: &str = "CONGENIAL_PASSPHRASE_FILE";

/// The bytes of a signature.
const SIGNATURE_BYTES: u64 = 64;

/// The largest file that is read as a key.
const LARGEST_KEY: u64 = 1 << 16;

/// A secret key that signs.
pub struct Signing(SigningKey);

impl std::fmt::Debug for Signing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Signing({}, redacted)", self.public())
    }
}

impl Signing {
    /// Reads a secret key.
    pub fn read(path: &Path) -> Result<Signing, Problem> {
        let text = Zeroizing::new(key_text(path)?);
        if text.contains("ENCRYPTED PRIVATE KEY") {
            let Some(passphrase) = passphrase()? else {
                return Err(Problem::bad(format!("the key `{}` is encrypted", path.display()))
                    .hint(format!("{PASSPHRASE_FILE}=FILE in the environment names a file with its passphrase")));
            };
            return SigningKey::from_pkcs8_encrypted_pem(&text, passphrase.as_bytes()).map(Signing).map_err(|_| {
                Problem::bad(format!("`{}` cannot be opened with the passphrase that was given", path.display()))
                    .hint(format!("{PASSPHRASE_FILE} names the file of the passphrase; its first line counts"))
            });
        }
        SigningKey::from_pkcs8_pem(&text).map(Signing).map_err(|_| {
            Problem::bad(format!("`{}` is not an Ed25519 secret key", path.display()))
                .hint("`congenial key new FILE` makes one, and so does `openssl genpkey -algorithm ed25519`")
        })
    }

    /// Its public key in hexadecimal, as a certificate names it.
    pub fn public(&self) -> String {
        hexadecimal(self.0.verifying_key().as_bytes())
    }

    /// The signature of the bytes of a certificate.
    pub fn sign(&self, certificate: &[u8]) -> [u8; 64] {
        self.0.sign(certificate).to_bytes()
    }
}

/// The passphrase of secret keys: the first line of the file that the environment names.
fn passphrase() -> Result<Option<Zeroizing<String>>, Problem> {
    let Some(file) = std::env::var_os(PASSPHRASE_FILE) else { return Ok(None) };
    let text = Zeroizing::new(key_text(Path::new(&file))?);
    let line = Zeroizing::new(text.lines().next().unwrap_or("").to_string());
    match line.is_empty() {
        true => Err(Problem::bad(format!("the file that {PASSPHRASE_FILE} names has an empty first line"))
            .hint("write the passphrase there, or unset the variable")),
        false => Ok(Some(line)),
    }
}

/// Makes a new pair of keys: the secret one in `file`, readable by its owner alone, the public one
/// in `file` with `.pub` appended. With `encrypted` the secret one opens with the passphrase alone
/// that the environment names (`CONGENIAL_PASSPHRASE_FILE`). Says where the public one is, and its
/// digits.
///
/// # Errors
/// When one of the files is there already: a key is never overwritten; when there is no passphrase
/// to encrypt with.
pub fn new_keys(file: &Path, encrypted: bool) -> Result<(PathBuf, String), Problem> {
    let passphrase = match (encrypted, passphrase()?) {
        (false, _) => None,
        (true, Some(passphrase)) => Some(passphrase),
        (true, None) => {
            return Err(Problem::bad("there is no passphrase to encrypt the key with")
                .hint(format!("{PASSPHRASE_FILE}=FILE in the environment names a file with it")));
        }
    };
    let mut seed = Zeroizing::new([0u8; 32]);
    getrandom::fill(seed.as_mut_slice())
        .map_err(|error| Problem::system(format!("the operating system gives no random bits: {error}")))?;
    let key = SigningKey::from_bytes(&seed);
    let unwritten = || Problem::system("a key could not be written as PEM");
    // Without the public key: with it the format is of the second version, which older programs do
    // not read.
    let pair = KeypairBytes { secret_key: *seed, public_key: None };
    let secret = match passphrase {
        None => pair.to_pkcs8_pem(Default::default()),
        Some(passphrase) => pair.to_pkcs8_encrypted_pem(passphrase.as_bytes(), Default::default()),
    };
    let secret = secret.map_err(|_| unwritten())?;
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

/// Checks the signature of the certificate in a folder, if it says by whom it is signed; with a
/// public key, that it is signed by that one.
pub fn check(
    folder: &Path,
    signed_by: Option<&String>,
    bytes: &[u8],
    expected: Option<&Path>,
) -> Result<Check, Problem> {
    let what = "signature".to_string();
    let expected = expected.map(public_key).transpose()?;
    let Some(stated) = signed_by else {
        if let Some(expected) = expected {
            let message = format!("the certificate is not signed, and a signature of {expected} was asked for");
            return Err(Problem::bad(message).hint("ask the publisher for the signed release"));
        }
        let found = "nobody signed this release: anybody could have made it, from any table".to_string();
        return Ok(Check { what, found });
    };
    if let Some(other) = expected.as_ref().filter(|expected| *expected != stated) {
        return Err(Problem::bad(format!("the certificate is signed by {stated}, not by {other}"))
            .hint("another key made this release: ask the publisher which one is theirs"));
    }
    let path = folder.join(SIGNATURE_FILE);
    if !path.exists() {
        return Err(changed(format!("the certificate says that it is signed, and `{SIGNATURE_FILE}` is missing")));
    }
    let signature = read_within(&path, SIGNATURE_BYTES)?;
    let unfit =
        || changed("the signature is not one of this certificate: the certificate or the signature was changed");
    let key = unhex(stated).and_then(|bytes| VerifyingKey::from_bytes(&bytes).ok());
    let key = key.ok_or_else(|| changed(format!("`{stated}` in the certificate is not a public key")))?;
    let signature = Signature::from_slice(&signature).map_err(|_| unfit())?;
    key.verify_strict(bytes, &signature).map_err(|_| unfit())?;
    let found = match expected {
        Some(_) => format!("the certificate, and with it every file, is signed by the key that was given, {stated}"),
        None => format!(
            "the certificate, and with it every file, is signed by {stated}; whose key that is tells only --key, with the \
             publisher's"
        ),
    };
    Ok(Check { what, found })
}

/// The public key in a file, in hexadecimal.
pub fn public_key(path: &Path) -> Result<String, Problem> {
    let text = key_text(path)?;
    let key = VerifyingKey::from_public_key_pem(&text).map_err(|_| {
        Problem::bad(format!("`{}` is not an Ed25519 public key", path.display()))
            .hint("`congenial key new FILE` writes one to FILE.pub")
    })?;
    Ok(hexadecimal(key.as_bytes()))
}

fn key_text(path: &Path) -> Result<String, Problem> {
    let found = fs::metadata(path).map_err(|error| cannot("read", path, error))?;
    // A pipe is a fine way to hand over a key: `--sign <(decrypt key)`.
    if found.is_file() && found.len() > LARGEST_KEY {
        return Err(Problem::bad(format!("`{}` is too large to be a key", path.display())));
    }
    let mut bytes = Zeroizing::new(Vec::new());
    let read = File::open(path).and_then(|file| file.take(LARGEST_KEY).read_to_end(&mut bytes));
    read.map_err(|error| cannot("read", path, error))?;
    let text = std::str::from_utf8(&bytes).map_err(|_| Problem::bad(format!("`{}` is not a key", path.display())))?;
    Ok(text.to_string())
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
