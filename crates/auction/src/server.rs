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

/// How long a server that stops waits for its database to be closed.
const CLOSING: Duration = Duration::from_secs(5);

/// What a server takes from its caller beyond its configuration.
#[derive(Default)]
pub struct Environment {
    /// Where A listens for B, if it was bound before.
    pub link: Option<Arc<std::net::TcpListener>>,
    /// Where clients are awaited, if it was bound before.
    pub https: Option<std::net::TcpListener>,
    /// Other clocks than the machine's.
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
    /// Has no sender any more once the database is closed.
    open: watch::Receiver<()>,
    // Held while the folder is used.
    _lock: fs::File,
}

impl Running {
    /// Starts a server on the current runtime, which must be a multi-threaded one.
    ///
    /// # Errors
    /// For a configuration, database or key that cannot be used; see [`AuctionError`].
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

    /// Waits until the server fails, which it does if it must not go on.
    ///
    /// # Errors
    /// Why.
    pub async fn failed(&mut self) -> Result<(), AuctionError> {
        let joined = self.tasks.join_next().await;
        self.stop.send_replace(true);
        match joined {
            Some(Ok(outcome)) => outcome,
            Some(Err(panic)) => Err(AuctionError::Damaged(panic.to_string())),
            None => Err(AuctionError::Stopping),
        }
    }

    /// Stops, and returns when the database is closed. What was accepted is on disk.
    pub async fn stop(mut self) {
        self.stop.send_replace(true);
        // How they ended is of no matter any more.
        while self.tasks.join_next().await.is_some() {}
        // What it still has to write takes no longer; it is whole whoever closes it.
        let closed = async { while self.open.changed().await.is_ok() {} };
        let _ = tokio::time::timeout(CLOSING, closed).await;
    }
}

/// What is done once a second: new definitions are read, and the time is stored.
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

/// Makes the folder if there is none, and keeps others away.
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
