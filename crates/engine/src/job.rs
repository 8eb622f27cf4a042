//! A run as one party sees it: what it gives, and what it gets.

use std::fmt;
use std::sync::Arc;

use tacit_ir::{PortId, Program, Words};
use tacit_net::keys::SecretKey;
use tacit_net::session::Config;
use tacit_plan::Plan;

use crate::{ProgressSink, Report};

/// One party's part of a run: everything but the peer. `Debug` shows nothing of the inputs.
pub struct Job {
    /// The program, the same at both parties.
    pub program: Arc<Program>,
    /// The plan that [`crate::plan`] made of it.
    pub plan: Arc<Plan>,
    /// Who made the program of its source, such as a compiler and its version; shown where the parties' programs differ.
    pub compiler: String,
    /// The name of this party.
    pub party: String,
    /// How the parties meet.
    pub session: Config,
    /// This party's key; not needed on a transport that does not authenticate.
    pub key: Option<SecretKey>,
    /// The columns of every input port of this party's roles. Secret.
    pub inputs: Vec<(PortId, Vec<Words>)>,
    /// Who is told how far the run is.
    pub progress: Option<ProgressSink>,
}

impl fmt::Debug for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Job")
            .field("program", &self.program.name)
            .field("party", &self.party)
            .field("session", &self.session)
            .finish_non_exhaustive()
    }
}

/// What a run gives to one party.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The columns of every output port; none for ports that this party does not learn.
    pub outputs: Vec<Vec<Words>>,
    /// What the run did and cost.
    pub report: Report,
}
