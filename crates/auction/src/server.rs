//! A server from its start to its end.

use std::fs;
use std::net::SocketAddr;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::clock::ClockSource;
use crate::config::{Config, Role};
use crate::link::{self, Engine};
use crate::node::Node;
use crate::steps::Steps;
use crate::{AuctionError, api};

/// How long a stopping server waits until its database is closed.
const CLOSING: Duration = Duration::from_secs(5);

/// Resources that a server may take from its caller.
#[derive(Default)]
pub struct Environment {
    /// The socket on which A listens for B, if it is already bound.
    pub link: Option<Arc<std::net::TcpListener>>,
    /// The socket on which to listen for clients, if it is already bound.
    pub https: Option<std::net::TcpListener>,
    /// A source of time other than the machine's clocks.
    pub clock: Option<ClockSource>,
    #[doc(hidden)]
    pub steps: Steps,
}

/// A server that runs.
pub struct Running {
    /// Where clients reach it.
    pub address: SocketAddr,
    stop: watch::Sender<bool>,
    tasks: JoinSet<Result<(), AuctionError>>,
    /// Its sender is dropped when the database is closed.
    open: watch::Receiver<()>,
    // Held while the folder is in use.
    _lock: fs::File,
}

impl Running {
    /// Starts a server on the current runtime, which must be a multi-threaded one.
    ///
    /// # Errors
    /// Errors for an unusable configuration, database or key; see [`AuctionError`].
    pub async fn start(
        role: Role,
        config: Config,
        environment: Environment,
    ) -> Result<Running, AuctionError> {
        let Environment { link, https, clock, steps } = environment;
        let lock = own(&config.state)?;
        let node = Arc::new(Node::open(role, config, clock, steps).await?);
        node.definitions.read();
        let engine = Engine::open(&node).await?;
        let listener = bound(https, &node.config.https.listen).await?;
        let address = listener.local_addr().map_err(|source| socket("listening", source))?;
        let (stop, stopped) = watch::channel(false);
        let clients = {
            let (node, stopped) = (node.clone(), stopped.clone());
            async move {
                let router = api::router(node.clone());
                api::serve(listener, &node.config.https, router, stopped).await
            }
        };
        let open = node.store.open_until();
        let mut tasks = JoinSet::new();
        tasks.spawn(clients);
        tasks.spawn(link::run(node.clone(), engine, link, stopped.clone()));
        tasks.spawn(rounds(node, stopped));
        Ok(Running { address, stop, tasks, open, _lock: lock })
    }

    /// Waits until the server fails.
    ///
    /// # Errors
    /// The reason of the failure.
    pub async fn failed(&mut self) -> Result<(), AuctionError> {
        let joined = self.tasks.join_next().await;
        self.stop.send_replace(true);
        match joined {
            Some(Ok(outcome)) => outcome,
            Some(Err(panic)) => Err(AuctionError::Damaged(panic.to_string())),
            None => Err(AuctionError::Stopping),
        }
    }

    /// Stops, and returns when the database is closed. All accepted bids are on disk.
    pub async fn stop(mut self) {
        self.stop.send_replace(true);
        // Their results no longer matter.
        while self.tasks.join_next().await.is_some() {}
        // Its last writes take no longer. The database is consistent even if it is not closed.
        let closed = async { while self.open.changed().await.is_ok() {} };
        let _ = tokio::time::timeout(CLOSING, closed).await;
    }
}

/// Once a second, reads new definitions and stores the time.
async fn rounds(node: Arc<Node>, mut stop: watch::Receiver<bool>) -> Result<(), AuctionError> {
    loop {
        tokio::select! {
            () = tokio::time::sleep(Duration::from_secs(1)) => {}
            _ = stop.wait_for(|stop| *stop) => return Ok(()),
        }
        node.definitions.read();
        node.store_time().await?;
    }
}

/// Makes the folder if it does not exist, and locks it.
fn own(folder: &Path) -> Result<fs::File, AuctionError> {
    let failed = |source| AuctionError::File { file: folder.into(), source };
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed)?;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).map_err(failed)?;
    tacit_store::lock_file(&folder.join("lock"))
        .map_err(failed)?
        .ok_or_else(|| AuctionError::InUse(folder.into()))
}

async fn bound(
    given: Option<std::net::TcpListener>,
    address: &str,
) -> Result<tokio::net::TcpListener, AuctionError> {
    match given {
        Some(given) => {
            given.set_nonblocking(true).map_err(|source| socket("listening", source))?;
            tokio::net::TcpListener::from_std(given).map_err(|source| socket("listening", source))
        }
        None => {
            let bound = tokio::net::TcpListener::bind(address).await;
            bound.map_err(|source| socket(&format!("listening on {address}"), source))
        }
    }
}

fn socket(what: &str, source: std::io::Error) -> AuctionError {
    AuctionError::Socket { what: what.into(), source }
}
