//! A run at one party: its inputs and its results.

use std::fmt;
use std::sync::Arc;

use tacit_ir::{PortId, Program, Words};
use tacit_net::keys::SecretKey;
use tacit_net::session::Config;
use tacit_plan::Plan;

use crate::{ProgressSink, Report};

/// One party's part of a run: everything except the peer. `Debug` does not show inputs.
pub struct Job {
    /// The program, the same at both parties.
    pub program: Arc<Program>,
    /// The program's plan, from [`crate::plan`].
    pub plan: Arc<Plan>,
    /// What made the program from its source, such as a compiler and its version; shown if the parties' programs differ.
    pub compiler: String,
    /// The name of this party.
    pub party: String,
    /// How the parties meet.
    pub session: Config,
    /// This party's key; not needed on a transport that does not authenticate.
    pub key: Option<SecretKey>,
    /// The columns of every input port of this party's roles. Secret.
    pub inputs: Vec<(PortId, Vec<Words>)>,
    /// Receives the progress of the run.
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

/// The result of a run at one party.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The columns of every output port; none for ports that this party does not learn.
    pub outputs: Vec<Vec<Words>>,
    /// The work and costs of the run.
    pub report: Report,
}
