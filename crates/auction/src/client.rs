//! A bidder without a browser: seals a bid, gives each server its half, and asks both for its status.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use serde::Deserialize;
use serde_json::Value;
use tacit_compare::{Parameters, Results, seal};
use tacit_crypto::Prg;
use tacit_he::dgk::ModulusSize;
use tacit_net::keys::PublicKey;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use zeroize::Zeroizing;

use crate::AuctionError;
use crate::constants::BLINDING_BYTES;
use crate::kept::Zeroed;
use crate::name::{Name, to_hex};
use crate::proof::SignedLog;
use crate::receipt::{SignedHead, SignedReceipt};
use crate::terms;

pub use crate::kept::Receipt;

/// The file of the machine's certificate authorities.
const AUTHORITIES: &str = "/etc/ssl/certs/ca-certificates.crt";

/// Maximum bytes of an answer.
const MAX_ANSWER_BYTES: usize = 8 << 20;

/// How long a server has to answer.
const PATIENCE: Duration = Duration::from_secs(40);

/// How often a bid is given until both servers have decided.
const ATTEMPTS: u32 = 20;

/// Both servers as bidders know them: a file in TOML.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServiceFile {
    /// Server A.
    pub a: ServerEntry,
    /// Server B.
    pub b: ServerEntry,
}

/// A server as bidders know it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerEntry {
    /// `https://host:port`.
    pub url: String,
    /// A file with the only certificates to trust, in PEM form; without one the machine's authorities are trusted.
    pub certificate: Option<PathBuf>,
    /// A file with the server's published key, which the other server pins. Without it, the key that both servers name is used.
    pub key: Option<PathBuf>,
}

/// Both servers.
pub struct Service {
    servers: [Remote; 2],
    published: [Option<PublicKey>; 2],
}

/// A server that can be asked.
#[derive(Clone)]
pub struct Remote {
    url: String,
    host: String,
    port: u16,
    tls: Arc<ClientConfig>,
}

/// An open connection, for many requests.
pub struct Connection {
    server: Remote,
    sender: SendRequest<Full<Bytes>>,
}

impl Remote {
    /// A server at `https://host:port`.
    ///
    /// # Errors
    /// [`AuctionError::Config`] for another URL, or certificates that cannot be read.
    pub fn new(url: &str, certificate: Option<&Path>) -> Result<Remote, AuctionError> {
        let fault = || AuctionError::Config {
            file: url.into(),
            reason: "an address such as https://host:port is expected".into(),
        };
        let authority = url.trim_end_matches('/').strip_prefix("https://").ok_or_else(fault)?;
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) => (host, port.parse().map_err(|_| fault())?),
            None => (authority, 443),
        };
        let host = host.trim_matches(['[', ']']).to_owned();
        Ok(Remote { url: format!("https://{authority}"), host, port, tls: Arc::new(tls(certificate)?) })
    }

    /// Connects, and returns the stream within TLS.
    ///
    /// # Errors
    /// [`AuctionError::Socket`] if the server cannot be reached or does not prove its identity.
    pub async fn stream(&self) -> Result<TlsStream<TcpStream>, AuctionError> {
        let name = ServerName::try_from(self.host.clone())
            .map_err(|error| self.failed(std::io::Error::other(error)))?;
        let connecting = async {
            let stream = TcpStream::connect((&self.host[..], self.port)).await?;
            stream.set_nodelay(true)?;
            TlsConnector::from(self.tls.clone()).connect(name, stream).await
        };
        within(connecting).await.map_err(|source| self.failed(source))
    }

    fn failed(&self, source: std::io::Error) -> AuctionError {
        AuctionError::Socket { what: self.url.clone(), source }
    }

    /// Connects for requests.
    ///
    /// # Errors
    /// As [`Remote::stream`].
    pub async fn connect(&self) -> Result<Connection, AuctionError> {
        let stream = self.stream().await?;
        let (sender, connection) = handshake(TokioIo::new(stream))
            .await
            .map_err(|error| self.failed(std::io::Error::other(error)))?;
        // The connection ends with the sender, which reports its errors.
        tokio::spawn(connection);
        Ok(Connection { server: self.clone(), sender })
    }

    /// One request on a connection of its own.
    ///
    /// # Errors
    /// As [`Remote::connect`] and [`Connection::request`].
    pub async fn request(&self, path: &str, body: Option<&Value>) -> Result<(u16, Value), AuctionError> {
        self.connect().await?.request(path, body).await
    }
}

impl Connection {
    /// Gets `path`, or posts `body` to it. Returns the status and the answer.
    ///
    /// # Errors
    /// [`AuctionError::Socket`], [`AuctionError::Answer`] for an answer that is not JSON.
    pub async fn request(&mut self, path: &str, body: Option<&Value>) -> Result<(u16, Value), AuctionError> {
        let method = if body.is_some() { Method::POST } else { Method::GET };
        let bytes = Bytes::from(body.map(Value::to_string).unwrap_or_default());
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("host", format!("{}:{}", self.server.host, self.server.port))
            .header("content-type", "application/json")
            .body(Full::new(bytes))
            .map_err(|error| self.failed(std::io::Error::other(error)))?;
        let answer = self.send(request).await?;
        let reason = "the answer is not JSON".to_owned();
        let value = serde_json::from_slice(answer.body())
            .map_err(|_| AuctionError::Answer { server: self.server.url.clone(), reason })?;
        Ok((answer.status().as_u16(), value))
    }

    /// Sends any request.
    ///
    /// # Errors
    /// [`AuctionError::Socket`].
    pub async fn send(&mut self, request: Request<Full<Bytes>>) -> Result<Response<Bytes>, AuctionError> {
        let answering = async {
            let answer = self.sender.send_request(request).await.map_err(std::io::Error::other)?;
            let (head, body) = answer.into_parts();
            let body = Limited::new(body, MAX_ANSWER_BYTES).collect().await;
            Ok(Response::from_parts(head, body.map_err(std::io::Error::other)?.to_bytes()))
        };
        within(answering).await.map_err(|source| self.failed(source))
    }

    fn failed(&self, source: std::io::Error) -> AuctionError {
        self.server.failed(source)
    }
}

async fn within<T>(work: impl Future<Output = std::io::Result<T>>) -> std::io::Result<T> {
    let late = || std::io::Error::new(std::io::ErrorKind::TimedOut, "no answer in time");
    tokio::time::timeout(PATIENCE, work).await.unwrap_or_else(|_| Err(late()))
}

fn tls(certificate: Option<&Path>) -> Result<ClientConfig, AuctionError> {
    let file = certificate.unwrap_or(Path::new(AUTHORITIES));
    let fault = |reason: String| AuctionError::Config { file: file.display().to_string(), reason };
    let mut roots = RootCertStore::empty();
    for read in CertificateDer::pem_file_iter(file).map_err(|error| fault(error.to_string()))? {
        let read = read.map_err(|error| fault(error.to_string()))?;
        // Authorities that this library cannot read are skipped.
        let added = roots.add(read);
        if certificate.is_some() {
            added.map_err(|error| fault(error.to_string()))?;
        }
    }
    let mut config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_protocol_versions(&[&rustls::version::TLS13])
        .map_err(|error| AuctionError::Tls(error.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

impl Service {
    /// Both servers.
    pub fn new(a: Remote, b: Remote) -> Service {
        Service { servers: [a, b], published: [None, None] }
    }

    /// The keys of A and B, if the file gives both.
    pub fn published(&self) -> Option<[PublicKey; 2]> {
        Some([self.published[0]?, self.published[1]?])
    }

    /// The servers that a file names. Certificates are relative to its folder.
    ///
    /// # Errors
    /// [`AuctionError::File`], [`AuctionError::Config`].
    pub fn load(file: &Path) -> Result<Service, AuctionError> {
        let text =
            fs::read_to_string(file).map_err(|source| AuctionError::File { file: file.into(), source })?;
        let fault = |reason: String| AuctionError::Config { file: file.display().to_string(), reason };
        let ServiceFile { a, b } = toml::from_str(&text).map_err(|error| fault(error.to_string()))?;
        let folder = file.parent().unwrap_or(Path::new("."));
        let remote = |entry: ServerEntry| {
            let certificate = entry.certificate.map(|certificate| folder.join(certificate));
            Remote::new(&entry.url, certificate.as_deref())
        };
        let key = |entry: &ServerEntry| -> Result<Option<PublicKey>, AuctionError> {
            entry.key.as_ref().map(|key| Ok(PublicKey::load(&folder.join(key))?)).transpose()
        };
        let published = [key(&a)?, key(&b)?];
        Ok(Service { servers: [remote(a)?, remote(b)?], published })
    }

    /// Seals a number for an auction, without giving it to anybody.
    ///
    /// Security: `number` is secret.
    ///
    /// # Errors
    /// [`AuctionError::Answer`] if the servers are not one service; [`AuctionError::Compare`] for a number with too many bits.
    pub async fn seal(&self, auction: &str, number: u64) -> Result<Receipt, AuctionError> {
        let (says, keys) = self.meet().await?;
        let bits = says["bits"].as_u64().and_then(|bits| u32::try_from(bits).ok()).unwrap_or(0);
        // Only the bits of these parameters matter to a bidder.
        let parameters = Parameters::new(ModulusSize::MEDIUM, 224, bits, Results::Revealed)?;
        let mut prg = Prg::from_os().map_err(|error| AuctionError::Entropy(error.to_string()))?;
        let halves = seal(&parameters, number, &mut prg)?;
        let name = Name(halves[0].name());
        let halves = halves.map(|half| Zeroed(to_hex(&half.to_bytes())));
        let blindings = [0, 1].map(|_| {
            let mut blinding = Zeroizing::new([0; BLINDING_BYTES]);
            prg.fill_bytes(&mut blinding[..]);
            Zeroed(to_hex(&blinding[..]))
        });
        let keys = keys.map(|key| key.to_string());
        Ok(Receipt { auction: auction.into(), name, halves, blindings, keys, signed: None })
    }

    /// Server A's description of itself, and the keys of both servers, if they are one service.
    pub(crate) async fn meet(&self) -> Result<(Value, [PublicKey; 2]), AuctionError> {
        let [a, b] = &self.servers;
        let (a_says, b_says) = tokio::join!(a.request("/service", None), b.request("/service", None));
        let (a_says, b_says) = (a_says?.1, b_says?.1);
        let roles = (&a_says["role"], &b_says["role"]);
        if roles != (&"a".into(), &"b".into()) || a_says["parameters"] != b_says["parameters"] {
            let reason = format!("it does not serve together with {}", b.url);
            return Err(AuctionError::Answer { server: a.url.clone(), reason });
        }
        let keys = self.keys(&a_says)?;
        Ok((a_says, keys))
    }

    /// The keys that both servers name. They must equal the published ones, where those are known.
    fn keys(&self, says: &Value) -> Result<[PublicKey; 2], AuctionError> {
        let keys = says["parameters"].as_str().and_then(terms::keys);
        let fault = |server: usize, reason: &str| AuctionError::Answer {
            server: self.servers[server].url.clone(),
            reason: reason.into(),
        };
        let keys = keys.ok_or_else(|| fault(0, "it names no keys"))?;
        match (0..2).find(|i| self.published[*i].is_some_and(|published| published != keys[*i])) {
            Some(server) => Err(fault(server, "its key is not the published one")),
            None => Ok(keys),
        }
    }

    /// Gives both servers their halves until both have decided, and returns the bid's status. May be called again with the same receipt. For an
    /// accepted bid, `receipts` in the answer are the checked receipts of A and B; [`Receipt::keep`] stores them.
    ///
    /// # Errors
    /// [`AuctionError::Answer`] if a server refuses the bid, or there is no decision in time.
    pub async fn submit(&self, receipt: &Receipt) -> Result<Value, AuctionError> {
        let path = format!("/auctions/{}/bids", receipt.auction);
        let halves = [0, 1]
            .map(|i| serde_json::json!({ "half": receipt.halves[i].0, "blinding": receipt.blindings[i].0 }));
        let [mut a, mut b] = self.settle(&path, &halves, &format!("bid {}", receipt.name)).await?;
        if a["status"] == "accepted" {
            let given = [a["receipt"].take(), b["receipt"].take()];
            a["receipts"] = serde_json::json!(self.receipts(receipt, given)?);
        }
        Ok(a)
    }

    /// Gives each server its body until both have decided alike, and returns their answers. `what` names the bid or raise in errors.
    pub(crate) async fn settle(
        &self,
        path: &str,
        bodies: &[Value; 2],
        what: &str,
    ) -> Result<[Value; 2], AuctionError> {
        let mut last = None;
        for attempt in 0..ATTEMPTS {
            tokio::time::sleep(Duration::from_millis(u64::from(attempt.min(5)) * 200)).await;
            let give = |i: usize| self.servers[i].request(path, Some(&bodies[i]));
            let (a, b) = tokio::join!(give(0), give(1));
            match (self.judge(0, a)?, self.judge(1, b)?) {
                (Some(a), Some(b)) if a["status"] == b["status"] => return Ok([a, b]),
                (a, b) => last = a.or(b),
            }
        }
        let status = last.map_or("no answer".to_owned(), |last| last["status"].to_string());
        let reason = format!("no decision on {what}: {status}; give it again");
        Err(AuctionError::Answer { server: self.servers[0].url.clone(), reason })
    }

    /// Both servers' receipts, if they are for these halves and signed with the servers' keys.
    fn receipts(&self, receipt: &Receipt, given: [Value; 2]) -> Result<Vec<SignedReceipt>, AuctionError> {
        let each = given.into_iter().enumerate().map(|(i, given)| {
            receipt.checked(i, given).ok_or_else(|| AuctionError::Answer {
                server: self.servers[i].url.clone(),
                reason: format!("it accepted bid {}, but signed no receipt for this half", receipt.name),
            })
        });
        each.collect()
    }

    /// The whole log, signed by both servers. With it anybody can check receipts ([`crate::proof::verify`]).
    ///
    /// # Errors
    /// As [`Service::auction`].
    pub async fn log(&self) -> Result<SignedLog, AuctionError> {
        let strange = |server: usize| AuctionError::Answer {
            server: self.servers[server].url.clone(),
            reason: "its log cannot be read".into(),
        };
        let head = async |server: usize, query: &str| -> Result<SignedHead, AuctionError> {
            let said = self.get(server, &format!("/log/head{query}")).await?;
            serde_json::from_value(said).map_err(|_| strange(server))
        };
        // Up to the entry that both have.
        let last = head(0, "").await?.sequence.min(head(1, "").await?.sequence);
        let at = format!("?at={last}");
        let mut log = SignedLog { heads: [head(0, &at).await?, head(1, &at).await?], entries: Vec::new() };
        while (log.entries.len() as u64) < last {
            let mut page = self.get(0, &format!("/log?after={}", log.entries.len())).await?;
            let page: Vec<crate::proof::LogEntry> =
                serde_json::from_value(page["entries"].take()).map_err(|_| strange(0))?;
            if page.is_empty() {
                return Err(strange(0));
            }
            log.entries.extend(page);
        }
        log.entries.truncate(last as usize);
        Ok(log)
    }

    /// A decision, or `None` if the server must be asked again.
    fn judge(
        &self,
        server: usize,
        said: Result<(u16, Value), AuctionError>,
    ) -> Result<Option<Value>, AuctionError> {
        match said {
            Ok((200, value)) => Ok(Some(value)),
            Ok((202 | 503 | 504 | 408, _)) | Err(AuctionError::Socket { .. }) => Ok(None),
            Ok((_, value)) => {
                let reason = value["message"].as_str().unwrap_or("it refuses the bid").to_owned();
                Err(AuctionError::Answer { server: self.servers[server].url.clone(), reason })
            }
            Err(error) => Err(error),
        }
    }

    /// Server A's description of an auction.
    ///
    /// # Errors
    /// [`AuctionError::Answer`], [`AuctionError::Socket`].
    pub async fn auction(&self, auction: &str) -> Result<Value, AuctionError> {
        self.get(0, &format!("/auctions/{auction}")).await
    }

    /// All auctions, as server A lists them.
    ///
    /// # Errors
    /// As [`Service::auction`].
    pub async fn auctions(&self) -> Result<Value, AuctionError> {
        self.get(0, "/auctions").await
    }

    /// The description of an auction: of one that has ended, on which both servers must agree; of another one, server A's.
    ///
    /// # Errors
    /// [`AuctionError::Answer`] if they contradict each other.
    pub async fn result(&self, auction: &str) -> Result<Value, AuctionError> {
        let path = format!("/auctions/{auction}");
        let (a, b) = tokio::join!(self.get(0, &path), self.get(1, &path));
        let (a, b) = (a?, b?);
        let same = ["winner", "sold_for", "bids", "in_counts"].iter().all(|field| a[*field] == b[*field]);
        if a["phase"] == "ended" && b["phase"] == "ended" && !same {
            let reason = format!("it contradicts {} about {auction}", self.servers[1].url);
            return Err(AuctionError::Answer { server: self.servers[0].url.clone(), reason });
        }
        Ok(a)
    }

    /// The status of a bid at server A.
    ///
    /// # Errors
    /// As [`Service::auction`].
    pub async fn bid(&self, auction: &str, name: &Name) -> Result<Value, AuctionError> {
        self.get(0, &format!("/auctions/{auction}/bids/{name}")).await
    }

    async fn get(&self, server: usize, path: &str) -> Result<Value, AuctionError> {
        let remote = &self.servers[server];
        match remote.request(path, None).await? {
            (200, value) => Ok(value),
            (_, value) => {
                let reason = value["message"].as_str().unwrap_or("it refuses to answer").to_owned();
                Err(AuctionError::Answer { server: remote.url.clone(), reason })
            }
        }
    }
}
