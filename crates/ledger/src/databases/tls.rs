//! Encrypted connections to a PostgreSQL server, as `sslmode` in the address demands them.
//!
//! `verify-full` checks that the server is the one that the address names, by a certificate of an
//! authority in `sslrootcert`; `verify-ca` checks the authority alone; `require` encrypts, and
//! checks an authority only where one is given. A server that is not on this machine is not reached
//! without one of these, or without `disable`.

use declare::Problem;
use postgres::Socket;
use postgres::config::Host;
use postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, InvalidDnsNameError, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_rustls::{TlsConnector, client};

/// Names the file of the authority, where the address does not.
const ROOT_VARIABLE: &str = "PGSSLROOTCERT";

/// What an address demands of the connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Demanded {
    mode: Option<String>,
    root: Option<String>,
}

/// Takes what is about encryption out of an address.
pub(crate) fn demanded(address: &str) -> (String, Demanded) {
    let mut found = Demanded { mode: None, root: None };
    let Some((place, options)) = address.split_once('?') else { return (address.to_string(), found) };
    let mut kept = Vec::new();
    for option in options.split('&') {
        match option.split_once('=') {
            Some(("sslmode", mode)) => found.mode = Some(mode.to_string()),
            Some(("sslrootcert", file)) => found.root = Some(unescaped(file)),
            _ => kept.push(option),
        }
    }
    let rest = if kept.is_empty() { place.to_string() } else { format!("{place}?{}", kept.join("&")) };
    (rest, found)
}

/// The text that `%2F` and the like stand for.
fn unescaped(text: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let Some((first, after)) = rest.split_first() {
        let escaped = after.get(..2).and_then(|two| std::str::from_utf8(two).ok()).filter(|_| *first == b'%');
        match escaped.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Whether nobody else hears what is said to a host.
fn is_local(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => {
            name == "localhost" || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    }
}

impl Demanded {
    /// How to encrypt a connection to these hosts; `None`: not at all.
    pub(crate) fn encryption(&self, config: &postgres::Config) -> Result<Option<Encryption>, Problem> {
        let local = match config.get_hostaddrs() {
            [] => config.get_hosts().iter().all(is_local),
            addresses => addresses.iter().all(|address| address.is_loopback()),
        };
        let hint =
            "write sslmode=verify-full&sslrootcert=FILE, with the certificate of the authority that the server has";
        let check_name = match self.mode.as_deref() {
            None if local => return Ok(None),
            None => {
                return Err(Problem::refused("the server is on another machine, and the address does not say whether what is said to it is encrypted")
                    .hint(format!("{hint}; or sslmode=disable, on a private network or through a tunnel")));
            }
            Some("disable") => return Ok(None),
            Some("require" | "verify-ca") => false,
            Some("verify-full") => true,
            Some(other) => {
                return Err(Problem::bad(format!("`{other}` is not an sslmode that says what happens"))
                    .hint("one of disable, require, verify-ca, verify-full"));
            }
        };
        if config.get_hosts().iter().any(|host| !matches!(host, Host::Tcp(_))) {
            return Err(Problem::refused("a socket is not encrypted, and the address demands that").hint(
                "nobody else hears what is said over a socket of this machine: leave sslmode out, or name the server",
            ));
        }
        let root = self.root.clone().or_else(|| std::env::var(ROOT_VARIABLE).ok().filter(|file| !file.is_empty()));
        if root.is_none() && self.mode.as_deref() != Some("require") {
            return Err(Problem::bad("nothing says which authority vouches for the server").hint(hint));
        }
        let provider = Arc::new(ring::default_provider());
        let chain = root.map(|file| authority(&file, &provider)).transpose()?;
        let verifier = Verifier { chain, check_name, provider: provider.clone() };
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| Problem::system(format!("encryption cannot be set up: {error}")))?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier))
            .with_no_client_auth();
        Ok(Some(Encryption(Arc::new(config))))
    }
}

/// What vouches for servers: the certificates in a file.
fn authority(file: &str, provider: &Arc<CryptoProvider>) -> Result<Arc<WebPkiServerVerifier>, Problem> {
    let unusable = |because: String| {
        Problem::bad(format!("`{file}` holds no certificates of an authority: {because}"))
            .hint("sslrootcert names a PEM file, as `root.crt` of PostgreSQL")
    };
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(file).map_err(|error| unusable(error.to_string()))? {
        let certificate = certificate.map_err(|error| unusable(error.to_string()))?;
        roots.add(certificate).map_err(|error| unusable(error.to_string()))?;
    }
    WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider.clone())
        .build()
        .map_err(|error| unusable(error.to_string()))
}

/// Who decides whether a server is the right one.
#[derive(Debug)]
struct Verifier {
    /// The authority; without one every certificate is taken.
    chain: Option<Arc<WebPkiServerVerifier>>,
    check_name: bool,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(chain) = &self.chain else { return Ok(ServerCertVerified::assertion()) };
        match chain.verify_server_cert(certificate, between, name, response, now) {
            // The name is looked at last: the authority was right.
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if !self.check_name => Ok(ServerCertVerified::assertion()),
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

/// Makes encrypted connections.
#[derive(Clone)]
pub(crate) struct Encryption(Arc<ClientConfig>);

/// Makes one, to a server of this name.
pub(crate) struct Connecting(TlsConnector, ServerName<'static>);

/// An encrypted connection.
pub(crate) struct Encrypted(client::TlsStream<Socket>);

impl MakeTlsConnect<Socket> for Encryption {
    type Stream = Encrypted;
    type TlsConnect = Connecting;
    type Error = InvalidDnsNameError;

    fn make_tls_connect(&mut self, host: &str) -> Result<Connecting, InvalidDnsNameError> {
        let name = ServerName::try_from(host.to_string())?;
        Ok(Connecting(TlsConnector::from(self.0.clone()), name))
    }
}

impl TlsConnect<Socket> for Connecting {
    type Stream = Encrypted;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Encrypted>> + Send>>;

    fn connect(self, socket: Socket) -> Self::Future {
        Box::pin(async move { self.0.connect(self.1, socket).await.map(Encrypted) })
    }
}

impl TlsStream for Encrypted {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl AsyncRead for Encrypted {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, bytes)
    }
}

impl AsyncWrite for Encrypted {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::demanded;

    #[test]
    fn what_is_about_encryption_is_taken_out_of_an_address() {
        let (rest, found) =
            demanded("postgres://ann@db/books?sslmode=verify-full&options=-c&sslrootcert=%2Fca%20s/root.crt");
        assert_eq!(rest, "postgres://ann@db/books?options=-c");
        assert_eq!((found.mode.as_deref(), found.root.as_deref()), (Some("verify-full"), Some("/ca s/root.crt")));
        let (rest, found) = demanded("postgres://ann@db/books?sslmode=disable");
        assert_eq!((rest.as_str(), found.mode.as_deref()), ("postgres://ann@db/books", Some("disable")));
        assert_eq!(demanded("postgres://ann@db/books").0, "postgres://ann@db/books");
    }

    #[test]
    fn nothing_travels_in_the_open_unless_the_address_says_so() {
        let asked = |address: &str| {
            let (rest, demanded) = demanded(address);
            demanded.encryption(&rest.parse().expect("an address")).map(|encryption| encryption.is_some())
        };
        for local in ["postgres://ann@localhost/b", "postgres://ann@127.0.0.1/b", "postgres://ann@%2Ftmp/b"] {
            assert_eq!(asked(local), Ok(false), "{local}");
        }
        assert_eq!(asked("postgres://ann@db.example.org/b?sslmode=disable"), Ok(false));
        assert_eq!(asked("postgres://ann@db.example.org/b?sslmode=require"), Ok(true));
        for refused in [
            "postgres://ann@db.example.org/b",
            "postgres://ann@localhost,db.example.org/b",
            "postgres://ann@10.0.0.7/b",
            "postgres://ann@db.example.org/b?sslmode=prefer",
            "postgres://ann@localhost/b?sslmode=allow",
            "postgres://ann@db.example.org/b?sslmode=verify-full",
            "postgres://ann@db.example.org/b?sslmode=verify-full&sslrootcert=/nowhere",
        ] {
            let problem = asked(refused).expect_err(refused);
            assert!(problem.hint.is_some(), "{problem}");
        }
    }
}
