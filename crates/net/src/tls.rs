//! TLS 1.3 with a pinned key on both sides.
//!
//! Each party presents a self-signed certificate; only its public key is used, which must be the one in the
//! session. The handshake's signature proves possession of it. There are no authorities, names, earlier
//! versions, resumption or early data.

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

/// Label of the exported bytes that bind a session to its TLS connection.
const EXPORTER_LABEL: &[u8] = b"EXPERIMENTAL tacit session";

/// Plaintext and records that may wait inside TLS in each direction: one frame.
const BUFFER_LIMIT: usize = 256 * 1024 + 16;

/// Bytes of a record with its header: a cache line less than the most of 16 KiB of text. rustls copies each text between two buffers, and buffers of
/// 16 KiB that the allocator puts one behind the other begin at almost the same place of a page, where some processors copy ten times slower.
const RECORD_BYTES: usize = 16 * 1024 - 64 + 5;

/// A stream protected by TLS, the identity of its other end, and bytes that only the two ends know.
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
        write!(f, "it presented {}, which the session does not name for it", self.0)
    }
}

impl std::error::Error for WrongKey {}

impl Identity {
    /// The identity of the holder of `key`, which accepts peers that hold one of `peers`.
    ///
    /// Errors: objections of the TLS and certificate libraries to the keys.
    pub(crate) fn new(
        key: &SecretKey,
        keys: Vec<PublicKey>,
    ) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        let pair = key.pair()?;
        let certificate = rcgen::CertificateParams::new(Vec::new())?.self_signed(&pair)?;
        let chain = vec![certificate.der().clone()];
        let secret = || PrivateKeyDer::try_from(pair.serialize_der());
        let provider = Arc::new(provider());
        let pinned = Arc::new(Pinned { keys, provider: provider.clone() });

        let mut client = ClientConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(&[&TLS13])?
            .dangerous()
            .with_custom_certificate_verifier(pinned.clone())
            .with_client_auth_cert(chain.clone(), secret()?)?;
        client.alpn_protocols = vec![ALPN.to_vec()];
        client.resumption = Resumption::disabled();
        client.enable_sni = false;
        client.max_fragment_size = Some(RECORD_BYTES);

        let mut server = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&TLS13])?
            .with_client_cert_verifier(pinned)
            .with_single_cert(chain, secret()?)?;
        server.alpn_protocols = vec![ALPN.to_vec()];
        server.session_storage = Arc::new(NoServerSessionStorage {});
        server.send_tls13_tickets = 0;
        server.max_fragment_size = Some(RECORD_BYTES);

        Ok(Identity { client: Arc::new(client), server: Arc::new(server) })
    }

    /// The same identity, which accepts only one peer when it dials.
    pub(crate) fn only(&self, peer: PublicKey) -> Self {
        let mut client = ClientConfig::clone(&self.client);
        let pinned = Pinned { keys: vec![peer], provider: client.crypto_provider().clone() };
        client.dangerous().set_certificate_verifier(Arc::new(pinned));
        Identity { client: Arc::new(client), server: self.server.clone() }
    }

    /// The handshake of the side that dialed.
    ///
    /// On failure the stream is returned, too, so that the reason can reach the peer.
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

/// The cryptography used: AES-128-GCM first, which is as strong as the rest of the system and the fastest.
fn provider() -> CryptoProvider {
    use rustls::crypto::ring::cipher_suite::{
        TLS13_AES_128_GCM_SHA256, TLS13_AES_256_GCM_SHA384, TLS13_CHACHA20_POLY1305_SHA256,
    };
    let cipher_suites =
        vec![TLS13_AES_128_GCM_SHA256, TLS13_AES_256_GCM_SHA384, TLS13_CHACHA20_POLY1305_SHA256];
    CryptoProvider { cipher_suites, ..rustls::crypto::ring::default_provider() }
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

/// TLS 1.2 is never offered; if a peer uses it, this fails.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys;
    use std::time::Duration;

    type Outcome = Result<Secured, (io::Error, Box<dyn ByteStream>)>;

    /// Both handshakes over memory; the client's comes first.
    async fn shake(client: &Identity, server: &Identity) -> (Outcome, Outcome) {
        let (a, b) = tokio::io::duplex(1 << 16);
        let both = async {
            tokio::join!(async { client.connect(Box::new(a)).await }, async {
                server.accept(Box::new(b)).await
            })
        };
        tokio::time::timeout(Duration::from_secs(20), both).await.expect("no hang")
    }

    fn error(outcome: Outcome) -> crate::NetError {
        crate::NetError::from_io("peer", outcome.err().expect("must fail").0)
    }

    #[tokio::test]
    async fn both_ends_export_the_same_bytes_and_no_other_connection_does() {
        let [(a, a_public), (b, b_public)] = [keys::generate().unwrap(), keys::generate().unwrap()];
        let client = Identity::new(&a, vec![b_public]).unwrap();
        let server = Identity::new(&b, vec![a_public]).unwrap();
        let mut exporters = Vec::new();
        for _ in 0..2 {
            let (near, far) = shake(&client, &server).await;
            let (near, far) = (near.ok().unwrap(), far.ok().unwrap());
            assert_eq!(near.exporter, far.exporter);
            assert_eq!((near.peer, far.peer), (b_public, a_public));
            let state = near.stream.get_ref().1;
            assert_eq!(state.protocol_version(), Some(rustls::ProtocolVersion::TLSv1_3));
            assert_eq!(state.handshake_kind(), Some(rustls::HandshakeKind::Full));
            exporters.push(near.exporter);
        }
        assert_ne!(exporters[0], exporters[1]);
    }

    #[tokio::test]
    async fn a_key_that_is_not_pinned_is_named_and_refused() {
        let [(a, _), (b, b_public), (_, other)] =
            [keys::generate().unwrap(), keys::generate().unwrap(), keys::generate().unwrap()];
        let (near, far) =
            shake(&Identity::new(&a, vec![other]).unwrap(), &Identity::new(&b, vec![]).unwrap()).await;
        let near = error(near);
        assert!(matches!(near, crate::NetError::Authentication { .. }), "{near}");
        assert!(near.to_string().contains(&b_public.to_string()), "{near}");
        assert!(matches!(error(far), crate::NetError::Authentication { .. }));
    }

    #[tokio::test]
    async fn a_client_without_a_certificate_is_refused() {
        let (b, b_public) = keys::generate().unwrap();
        let pinned = Pinned { keys: vec![b_public], provider: Arc::new(provider()) };
        let mut config = ClientConfig::builder_with_provider(Arc::new(provider()))
            .with_protocol_versions(&[&TLS13])
            .unwrap()
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(pinned))
            .with_no_client_auth();
        config.alpn_protocols = vec![ALPN.to_vec()];
        let server = Identity::new(&b, vec![keys::generate().unwrap().1]).unwrap();
        let client = Identity { client: Arc::new(config), server: server.server.clone() };
        let (_, far) = shake(&client, &server).await;
        assert!(matches!(error(far), crate::NetError::Protocol { .. }));
    }

    #[tokio::test]
    async fn another_application_protocol_is_refused() {
        let [(a, a_public), (b, b_public)] = [keys::generate().unwrap(), keys::generate().unwrap()];
        let mut client = Identity::new(&a, vec![b_public]).unwrap();
        let server = Identity::new(&b, vec![a_public]).unwrap();
        for protocols in [vec![], vec![b"h2".to_vec()]] {
            Arc::make_mut(&mut client.client).alpn_protocols = protocols;
            let (_, far) = shake(&client, &server).await;
            assert!(matches!(error(far), crate::NetError::Protocol { .. }));
        }
    }

    #[tokio::test]
    async fn a_certificate_without_its_key_is_refused() {
        // The client presents the pinned party's certificate but signs with its own key.
        let [(a, a_public), (b, b_public), (mallory, _)] =
            [keys::generate().unwrap(), keys::generate().unwrap(), keys::generate().unwrap()];
        let stolen =
            rcgen::CertificateParams::new(Vec::new()).unwrap().self_signed(&a.pair().unwrap()).unwrap();
        let secret = PrivateKeyDer::try_from(mallory.pair().unwrap().serialize_der()).unwrap();
        let signing = rustls::crypto::ring::sign::any_eddsa_type(&match secret {
            PrivateKeyDer::Pkcs8(der) => der,
            _ => panic!("an Ed25519 key is in PKCS#8 form"),
        })
        .unwrap();
        let certified = rustls::sign::CertifiedKey::new(vec![stolen.der().clone()], signing);
        let mut client = Identity::new(&mallory, vec![b_public]).unwrap();
        let resolver = rustls::sign::SingleCertAndKey::from(certified);
        Arc::make_mut(&mut client.client).client_auth_cert_resolver = Arc::new(resolver);
        let (_, far) = shake(&client, &Identity::new(&b, vec![a_public]).unwrap()).await;
        assert!(matches!(
            error(far),
            crate::NetError::Authentication { .. } | crate::NetError::Protocol { .. }
        ));
    }
}
