//! Both parties of a live session in one process, over memory, for tests and experiments.

use std::sync::Arc;

use tacit_crypto::Prg;
use tacit_net::session::Config;
use tacit_net::{Connection, Options, Phase, memory};
use tacit_plan::Side;

use super::{LiveOptions, Script, side_of};
use crate::open::{Link, OpenSession, SessionTerms};
use crate::{CancelFlag, Operation, Report, RunError};

/// One end of a link in memory.
#[derive(Debug)]
pub struct MemoryEnd {
    connection: Connection,
    link: [u8; 32],
    party: String,
    peer: String,
    options: Options,
}

/// Two ends of a link in memory, of parties with these names. The ends may be used on different threads.
///
/// # Errors
/// [`RunError::System`] without randomness.
pub fn memory_pair(first: &str, second: &str, options: &Options) -> Result<[MemoryEnd; 2], RunError> {
    let mut link = [0; 32];
    Prg::from_os().map_err(std::io::Error::other)?.fill_bytes(&mut link);
    let named =
        |peer: &str| Options { peer: peer.to_owned(), meter: tacit_net::Meter::new(), ..options.clone() };
    let (one, other) = (named(second), named(first));
    let (a, b) = memory::pair_with(one.clone(), other.clone());
    let end = |connection, party: &str, peer: &str, options| MemoryEnd {
        connection,
        link,
        party: party.to_owned(),
        peer: peer.to_owned(),
        options,
    };
    Ok([end(a, first, second, one), end(b, second, first, other)])
}

impl MemoryEnd {
    /// The script that this end runs, with the default options.
    pub fn script(&self) -> Script {
        self.script_with(LiveOptions::default())
    }

    /// The script that this end runs. Its options must be those of the other end.
    pub fn script_with(&self, options: LiveOptions) -> Script {
        Script::with_options(self.side(), options)
    }

    /// The side of this end.
    pub fn side(&self) -> Side {
        side_of(&self.party, &self.peer)
    }

    /// As [`super::run_live_blocking`], over memory.
    ///
    /// # Errors
    /// As there.
    pub fn run_blocking(
        self,
        script: &Script,
        cancel: &CancelFlag,
        ready: impl FnOnce(),
    ) -> Result<Report, Arc<RunError>> {
        super::runtime(script)?.block_on(self.run(script, cancel, ready))
    }

    /// As [`super::run_live`], over memory.
    ///
    /// # Errors
    /// As there.
    pub async fn run(
        self,
        script: &Script,
        cancel: &CancelFlag,
        ready: impl FnOnce(),
    ) -> Result<Report, Arc<RunError>> {
        let session = self.session(script).map_err(|error| script.fails(error))?;
        super::whole(session, script, cancel, ready).await
    }

    /// The session of this end, for a program and runs with the same security parameters.
    ///
    /// # Errors
    /// [`RunError::Failed`] if the link has ended.
    pub fn session(self, script: &Script) -> Result<OpenSession, RunError> {
        let terms = SessionTerms {
            party: self.party,
            peer: self.peer,
            session: Config { timeout: self.options.timeout, ..Config::new(Vec::new()) },
            key: None,
            security: script.options().security,
            shares: None,
        };
        let peer = terms.peer.clone();
        OpenSession::over(Link::Memory(self.connection, self.link), terms).map_err(|error| {
            let (phase, operation) = (Phase::Analysis, Operation::Connecting);
            RunError::Failed { peer, phase, operation, source: Box::new(error.into()) }
        })
    }
}
