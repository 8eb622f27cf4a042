//! TLS 1.3 with a pinned key on both sides.
//!
//! Each party presents a certificate that it signed itself; the only thing read from it is the public key, which must be
//! the one that the session names. The handshake's signature proves possession of it. There are no authorities, no names, no
//! earlier versions, no resumption and no early data.

use std::fmt;
use std::io;
use std::sync::Arc;

use rustls::client::Resumption;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::server::{NoServerSessionStorage, ParsedCertificate};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, DistinguishedName, Error, OtherError,
    ServerConfig, SignatureScheme, version::TLS13,
};
use tokio_rustls::{TlsAcceptor, TlsConnector, TlsStream};

use crate::keys::{PublicKey, SecretKey};
use crate::socket::ByteStream;

/// The protocol's name, which both sides must speak.
const ALPN: &[u8] = b"tacit/1";

/// Label of the bytes that tie a session to its TLS connection.
const EXPORTER_LABEL: &[u8] = b"EXPERIMENTAL tacit session";

/// Plaintext and records that may wait inside TLS in each direction: one frame.
const BUFFER_LIMIT: usize = 256 * 1024 + 16;

/// A stream protected by TLS, who is at its other end, and bytes that only the two ends know.
pub(crate) struct Secured {
    pub(crate) stream: TlsStream<Box<dyn ByteStream>>,
    pub(crate) peer: PublicKey,
    pub(crate) exporter: [u8; 32],
}

/// This party's proof of identity and the peers that it accepts.
#[derive(Clone)]
pub(crate) struct Identity {
    client: Arc<ClientConfig>,
    server: Arc<ServerConfig>,
}

/// Accepts a peer if, and only if, it holds one of these keys.
#[derive(Debug)]
struct Pinned {
    keys: Vec<PublicKey>,
    provider: Arc<CryptoProvider>,
}

/// The peer holds another key than those pinned.
#[derive(Debug)]
struct WrongKey(String);

impl fmt::Display for WrongKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "it presented {}, which the session does not name", self.0)
    }
}

impl std::error::Error for WrongKey {}

impl Identity {
    /// The identity of the holder of `key`, who accepts peers that hold one of `peers`.
    pub(crate) fn new(key: &SecretKey, peers: Vec<PublicKey>) -> Result<Self, String> {
        Identity::build(key, peers).map_err(|error| error.to_string())
    }

    fn build(key: &SecretKey, keys: Vec<PublicKey>) -> Result<Self, Box<dyn std::error::Error>> {
        let pair = key.pair()?;
        let certificate = rcgen::CertificateParams::new(Vec::new())?.self_signed(&pair)?;
        let chain = vec![certificate.der().clone()];
        let secret = || PrivateKeyDer::try_from(pair.serialize_der());
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let pinned = Arc::new(Pinned { keys, provider: provider.clone() });

        let mut client = ClientConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(&[&TLS13])?
            .dangerous()
            .with_custom_certificate_verifier(pinned.clone())
            .with_client_auth_cert(chain.clone(), secret()?)?;
        client.alpn_protocols = vec![ALPN.to_vec()];
        client.resumption = Resumption::disabled();
        client.enable_sni = false;

        let mut server = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&TLS13])?
            .with_client_cert_verifier(pinned)
            .with_single_cert(chain, secret()?)?;
        server.alpn_protocols = vec![ALPN.to_vec()];
        server.session_storage = Arc::new(NoServerSessionStorage {});
        server.send_tls13_tickets = 0;

        Ok(Identity { client: Arc::new(client), server: Arc::new(server) })
    }

    /// The handshake of the side that dialed.
    ///
    /// On failure the stream is returned too, so that the reason can reach the peer.
    pub(crate) async fn connect(
        &self,
        stream: Box<dyn ByteStream>,
    ) -> Result<Secured, (io::Error, Box<dyn ByteStream>)> {
        let name = ServerName::from(std::net::Ipv4Addr::UNSPECIFIED);
        let connecting = TlsConnector::from(self.client.clone()).connect(name, stream);
        let stream = connecting.into_fallible().await?;
        secured(stream.into())
    }

    /// The handshake of the side that listened.
    pub(crate) async fn accept(
        &self,
        stream: Box<dyn ByteStream>,
    ) -> Result<Secured, (io::Error, Box<dyn ByteStream>)> {
        let accepting = TlsAcceptor::from(self.server.clone()).accept(stream);
        let stream = accepting.into_fallible().await?;
        secured(stream.into())
    }
}

fn secured(mut stream: TlsStream<Box<dyn ByteStream>>) -> Result<Secured, (io::Error, Box<dyn ByteStream>)> {
    let (peer, exporter) = match identify(&mut stream) {
        Ok(found) => found,
        Err(error) => {
            let stream = match stream {
                TlsStream::Client(stream) => stream.into_inner().0,
                TlsStream::Server(stream) => stream.into_inner().0,
            };
            return Err((io::Error::new(io::ErrorKind::InvalidData, error), stream));
        }
    };
    Ok(Secured { stream, peer, exporter })
}

fn identify(stream: &mut TlsStream<Box<dyn ByteStream>>) -> Result<(PublicKey, [u8; 32]), Error> {
    let exporter = match stream {
        TlsStream::Client(stream) => {
            let state = stream.get_mut().1;
            state.set_buffer_limit(Some(BUFFER_LIMIT));
            state.export_keying_material([0; 32], EXPORTER_LABEL, None)?
        }
        TlsStream::Server(stream) => {
            let state = stream.get_mut().1;
            state.set_buffer_limit(Some(BUFFER_LIMIT));
            state.export_keying_material([0; 32], EXPORTER_LABEL, None)?
        }
    };
    let state = stream.get_ref().1;
    if state.alpn_protocol() != Some(ALPN) {
        return Err(Error::General("the other side does not speak this protocol".to_owned()));
    }
    let certificate =
        state.peer_certificates().and_then(|chain| chain.first()).ok_or(Error::NoCertificatesPresented)?;
    Ok((public_key(certificate)?, exporter))
}

fn public_key(certificate: &CertificateDer<'_>) -> Result<PublicKey, Error> {
    let spki = ParsedCertificate::try_from(certificate)?.subject_public_key_info();
    PublicKey::from_spki(&spki).ok_or_else(|| refused("a key that is not Ed25519".to_owned()))
}

fn refused(key: String) -> Error {
    Error::InvalidCertificate(CertificateError::Other(OtherError(Arc::new(WrongKey(key)))))
}

impl Pinned {
    fn check(&self, certificate: &CertificateDer<'_>) -> Result<(), Error> {
        let key = public_key(certificate)?;
        match self.keys.contains(&key) {
            true => Ok(()),
            false => Err(refused(key.to_string())),
        }
    }

    fn check_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }
}

/// TLS 1.2 is never offered; should a peer speak it, this fails.
fn too_old() -> Result<HandshakeSignatureValid, Error> {
    Err(Error::General("only TLS 1.3 is spoken".to_owned()))
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.check(certificate).map(|()| ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        too_old()
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.check_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        vec![SignatureScheme::ED25519]
    }
}

impl ClientCertVerifier for Pinned {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        certificate: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _now: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        self.check(certificate).map(|()| ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        too_old()
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.check_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        vec![SignatureScheme::ED25519]
    }
}
