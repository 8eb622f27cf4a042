//! Connections of clients: TLS, then HTTP/1.1, each within limits of number and time.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

use crate::AuctionError;
use crate::config::HttpsConfig;
use crate::constants::{CONNECTION_TIME, HEAD_TIME, MAX_CONNECTIONS};

/// Accepts clients until `stop`.
pub(crate) async fn serve(
    listener: TcpListener,
    config: &HttpsConfig,
    router: Router,
    mut stop: watch::Receiver<bool>,
) -> Result<(), AuctionError> {
    let acceptor = TlsAcceptor::from(Arc::new(tls(config)?));
    // Connections end when this is dropped.
    let mut clients = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept(), if clients.len() < MAX_CONNECTIONS => accepted,
            Some(_) = clients.join_next() => continue,
            _ = stop.wait_for(|stop| *stop) => return Ok(()),
        };
        let Ok((stream, _)) = accepted else {
            // Too many open files, or a client that disconnected: neither may end the server.
            tokio::time::sleep(Duration::from_millis(20)).await;
            continue;
        };
        let connection = connection(stream, acceptor.clone(), router.clone());
        // Errors on a client's connection only concern that client.
        clients.spawn(async { drop(tokio::time::timeout(CONNECTION_TIME, connection).await) });
    }
}

async fn connection(stream: TcpStream, acceptor: TlsAcceptor, router: Router) {
    if stream.set_nodelay(true).is_err() {
        return;
    }
    let Ok(Ok(stream)) = tokio::time::timeout(HEAD_TIME, acceptor.accept(stream)).await else { return };
    http(stream, router).await;
}

/// A connection without TLS, for the page on loopback.
pub(crate) async fn plain(stream: TcpStream, router: Router) {
    // As with TLS, errors only concern the client.
    let _ = tokio::time::timeout(CONNECTION_TIME, http(stream, router)).await;
}

async fn http(stream: impl AsyncRead + AsyncWrite + Unpin, router: Router) {
    // A client that disconnects gets no answer, and needs none.
    let _ = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(16 * 1024)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
        .await;
}

fn tls(config: &HttpsConfig) -> Result<ServerConfig, AuctionError> {
    let fault =
        |file: &Path, reason: String| AuctionError::Config { file: file.display().to_string(), reason };
    let certificates = CertificateDer::pem_file_iter(&config.certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| fault(&config.certificate, error.to_string()))?;
    let key =
        PrivateKeyDer::from_pem_file(&config.key).map_err(|error| fault(&config.key, error.to_string()))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut made = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])
        .map_err(|error| AuctionError::Tls(error.to_string()))?
        .with_no_client_auth()
        .with_single_cert(certificates, key)
        .map_err(|error| fault(&config.certificate, error.to_string()))?;
    made.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(made)
}
