//! A pair of servers on one machine, for trying out and for tests: keys, certificates and configurations in a folder.

use std::fs;
use std::io::ErrorKind;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use tacit_net::keys;

use crate::AuctionError;
use crate::client::{Remote, Service};
use crate::config::{Config, Role};
use crate::definition::Definition;

/// Maximum number of ports that are tried.
const TRIED_PORTS: u32 = 1000;

/// Sizes for a folder of both servers.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Bits of bids.
    pub bits: u32,
    /// Bits of the modulus.
    pub modulus_bits: u32,
    /// Whether to allow sizes too small to protect anything.
    pub insecure: bool,
    /// Seconds that a half waits for the other one.
    pub patience_s: u64,
}

/// Both servers' files: `a.toml` and `b.toml` with the files that they name, and `service.toml` for bidders.
pub struct LocalPair {
    /// The folder.
    pub folder: PathBuf,
    /// Ports of A and B for clients, and of the link.
    pub ports: [u16; 3],
}

impl LocalPair {
    /// Writes the files into a folder. Bidders' pages come from `page_origin`.
    ///
    /// # Errors
    /// [`AuctionError::File`], [`AuctionError::Key`], [`AuctionError::Tls`].
    pub fn create(folder: &Path, sizes: Sizes, page_origin: &str) -> Result<LocalPair, AuctionError> {
        let ports = free_ports()?;
        let pair = LocalPair { folder: folder.into(), ports };
        for role in ["a", "b"] {
            make(&folder.join(format!("auctions-{role}")))?;
            let (secret, public) = keys::generate()?;
            secret.save(&folder.join(format!("{role}.key")))?;
            public.save(&folder.join(format!("{role}.pub")))?;
            certificate(folder, role)?;
        }
        for (role, peer, port) in [("a", "b", ports[0]), ("b", "a", ports[1])] {
            let Sizes { bits, modulus_bits, insecure, patience_s } = sizes;
            let link = ports[2];
            let text = format!(
                "state = \"state-{role}\"\nauctions = \"auctions-{role}\"\npatience_s = {patience_s}\n\n\
                 [link]\naddress = \"127.0.0.1:{link}\"\nkey = \"{role}.key\"\npeer = \"{peer}.pub\"\n\n\
                 [https]\nlisten = \"127.0.0.1:{port}\"\ncertificate = \"{role}.pem\"\nkey = \"{role}-tls.key\"\n\
                 page_origin = \"{page_origin}\"\n\n\
                 [numbers]\nbits = {bits}\nmodulus_bits = {modulus_bits}\ninsecure = {insecure}\n"
            );
            write(&folder.join(format!("{role}.toml")), &text)?;
        }
        let entry = |role: &str, port: u16| {
            format!(
                "[{role}]\nurl = \"https://127.0.0.1:{port}\"\ncertificate = \"{role}.pem\"\nkey = \"{role}.pub\"\n"
            )
        };
        write(&folder.join("service.toml"), &format!("{}\n{}", entry("a", ports[0]), entry("b", ports[1])))?;
        Ok(pair)
    }

    /// The configuration file of a server.
    pub fn file(&self, role: Role) -> PathBuf {
        self.folder.join(format!("{}.toml", role.name()))
    }

    /// The configuration of a server.
    ///
    /// # Errors
    /// As [`Config::load`].
    pub fn config(&self, role: Role) -> Result<Config, AuctionError> {
        Config::load(&self.file(role))
    }

    /// Both servers as bidders know them.
    ///
    /// # Errors
    /// As [`Service::load`].
    pub fn service(&self) -> Result<Service, AuctionError> {
        Service::load(&self.folder.join("service.toml"))
    }

    /// One of both servers, for single requests.
    ///
    /// # Errors
    /// As [`Remote::new`].
    pub fn remote(&self, role: Role) -> Result<Remote, AuctionError> {
        let port = self.ports[usize::from(role == Role::B)];
        let certificate = self.folder.join(format!("{}.pem", role.name()));
        Remote::new(&format!("https://127.0.0.1:{port}"), Some(&certificate))
    }

    /// Gives both servers the definition of an auction; they open it within seconds.
    ///
    /// # Errors
    /// [`AuctionError::File`].
    pub fn define(&self, definition: &Definition) -> Result<(), AuctionError> {
        let text = toml::to_string(definition).map_err(|error| AuctionError::Definition {
            file: definition.id.clone(),
            reason: error.to_string(),
        })?;
        ["a", "b"].iter().try_for_each(|role| {
            let folder = self.folder.join(format!("auctions-{role}"));
            // Renaming makes the file appear complete.
            let draft = folder.join(format!("{}.draft", definition.id));
            write(&draft, &text)?;
            let file = folder.join(format!("{}.toml", definition.id));
            fs::rename(&draft, &file).map_err(|source| AuctionError::File { file, source })
        })
    }
}

/// Distinct ports on which nobody listens now.
fn free_ports() -> Result<[u16; 3], AuctionError> {
    Ok([free_port()?, free_port()?, free_port()?])
}

/// A free port below the system's range of ephemeral ports, because a connection could take one of those before a server listens on it.
fn free_port() -> Result<u16, AuctionError> {
    static ASKED: AtomicU32 = AtomicU32::new(0);
    let mut failed = None;
    for _ in 0..TRIED_PORTS {
        let asked = ASKED.fetch_add(1, Ordering::Relaxed);
        let number = std::process::id().wrapping_mul(131).wrapping_add(asked.wrapping_mul(7));
        let port = 10_000 + (number % 20_000) as u16;
        match TcpListener::bind(("127.0.0.1", port)) {
            Ok(_) => return Ok(port),
            Err(source) => failed = Some(source),
        }
    }
    let source = failed.unwrap_or_else(|| ErrorKind::AddrInUse.into());
    Err(AuctionError::Socket { what: "looking for a free port".into(), source })
}

/// Writes a self-signed certificate for loopback.
fn certificate(folder: &Path, role: &str) -> Result<(), AuctionError> {
    let names = vec!["127.0.0.1".to_owned(), "localhost".to_owned()];
    let made =
        rcgen::generate_simple_self_signed(names).map_err(|error| AuctionError::Tls(error.to_string()))?;
    write(&folder.join(format!("{role}.pem")), &made.cert.pem())?;
    write(&folder.join(format!("{role}-tls.key")), &made.signing_key.serialize_pem())
}

fn make(folder: &Path) -> Result<(), AuctionError> {
    fs::create_dir_all(folder).map_err(|source| AuctionError::File { file: folder.into(), source })
}

fn write(file: &Path, text: &str) -> Result<(), AuctionError> {
    fs::write(file, text).map_err(|source| AuctionError::File { file: file.into(), source })
}
