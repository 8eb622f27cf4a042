//! Addresses, listeners and sockets of the operating system.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::str::FromStr;

use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};

/// Connections that may wait to be accepted; the operating system's own limit may be lower.
const BACKLOG: i32 = 4096;

/// A byte stream in both directions, of any kind.
pub trait ByteStream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> ByteStream for T {}

/// The address on which a party listens: `host:port`, or `unix:` and the path of a socket for parties on one
/// machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A host's name or number and a port.
    Tcp(String),
    /// A Unix socket.
    Unix(PathBuf),
    /// No address: for a party that always dials.
    Nowhere,
}

/// Why a text is not an address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// `unix:` with nothing after it.
    #[error("expected a path after unix:")]
    NoPath,
    /// Neither a host with a port nor a path.
    #[error("expected host:port or unix:path, found \"{found}\"")]
    Form {
        /// The text.
        found: String,
    },
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        if let Some(path) = text.strip_prefix("unix:") {
            return match path.is_empty() {
                true => Err(AddressError::NoPath),
                false => Ok(Address::Unix(path.into())),
            };
        }
        match text.rsplit_once(':') {
            Some((host, port)) if !host.is_empty() && port.parse::<u16>().is_ok() => {
                Ok(Address::Tcp(text.to_owned()))
            }
            _ => Err(AddressError::Form { found: text.to_owned() }),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Tcp(text) => f.write_str(text),
            Address::Unix(path) => write!(f, "unix:{}", path.display()),
            Address::Nowhere => f.write_str("no address"),
        }
    }
}

impl Address {
    /// Connects once.
    pub async fn connect(&self) -> io::Result<Box<dyn ByteStream>> {
        match self {
            Address::Tcp(address) => Ok(Box::new(prepared(TcpStream::connect(address).await?)?)),
            Address::Unix(path) => Ok(Box::new(UnixStream::connect(path).await?)),
            Address::Nowhere => Err(nowhere()),
        }
    }

    /// Starts to listen.
    pub async fn listen(&self) -> io::Result<Listener> {
        match self {
            Address::Tcp(address) => Listener::Tcp(TcpListener::bind(address).await?).roomy(),
            Address::Unix(path) => {
                remove_stale(path).await?;
                Listener::Unix(UnixListener::bind(path)?, path.clone()).roomy()
            }
            Address::Nowhere => Err(nowhere()),
        }
    }
}

/// The error for a missing address.
fn nowhere() -> io::Error {
    io::Error::new(io::ErrorKind::AddrNotAvailable, "the session names no address")
}

/// Small messages must be sent without delay.
fn prepared(stream: TcpStream) -> io::Result<TcpStream> {
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Removes the socket of a process that has ended; anything else at the path is left, so that binding reports
/// it.
async fn remove_stale(path: &PathBuf) -> io::Result<()> {
    match UnixStream::connect(path).await {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => std::fs::remove_file(path),
        _ => Ok(()),
    }
}

/// A listening socket; a Unix socket's file is removed with it.
#[derive(Debug)]
pub enum Listener {
    /// On a TCP port.
    Tcp(TcpListener),
    /// On a Unix socket at a path.
    Unix(UnixListener, PathBuf),
}

impl Listener {
    /// Listens on a socket that is already bound. Must be called on a tokio runtime.
    pub fn from_bound(bound: &std::net::TcpListener) -> io::Result<Listener> {
        let own = bound.try_clone()?;
        own.set_nonblocking(true)?;
        Listener::Tcp(TcpListener::from_std(own)?).roomy()
    }

    /// Asks the operating system for the largest possible backlog, so that a crowd keeps nobody out.
    fn roomy(self) -> io::Result<Listener> {
        match &self {
            Listener::Tcp(listener) => SockRef::from(listener).listen(BACKLOG)?,
            Listener::Unix(listener, _) => SockRef::from(listener).listen(BACKLOG)?,
        }
        Ok(self)
    }

    /// The next stream, and a description of its other end.
    pub async fn accept(&self) -> io::Result<(Box<dyn ByteStream>, String)> {
        match self {
            Listener::Tcp(listener) => {
                let (stream, from) = listener.accept().await?;
                Ok((Box::new(prepared(stream)?), from.to_string()))
            }
            Listener::Unix(listener, path) => {
                let (stream, _) = listener.accept().await?;
                Ok((Box::new(stream), format!("unix:{}", path.display())))
            }
        }
    }

    /// The address, with the port that the operating system chose if port 0 was requested.
    pub fn address(&self) -> io::Result<Address> {
        match self {
            Listener::Tcp(listener) => Ok(Address::Tcp(listener.local_addr()?.to_string())),
            Listener::Unix(_, path) => Ok(Address::Unix(path.clone())),
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Listener::Unix(_, path) = self {
            // Nothing is lost if the file is already gone; a leftover file is removed at the next start.
            let _ = std::fs::remove_file(path);
        }
    }
}
