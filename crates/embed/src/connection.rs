use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;
use tacit_engine::{BlockingSession, CancelFlag, RunTask, SessionTerms, plan};
use tacit_ir::RoleId;
use tacit_ir::data::{encode_outputs, merge_outputs};
use tacit_plan::Plan;

use crate::{EmbedError, Function, Inputs, Outputs, Party};

/// An authenticated connection to the peer, over which functions are run one after the other. Every call
/// blocks its thread until it is finished.
///
/// Both parties run the same functions in the same order. After an error of a run the connection cannot be
/// used further, unless both parties know of the error or nothing was sent to the peer yet.
#[derive(Debug)]
pub struct Connection {
    party: Party,
    session: BlockingSession,
    /// Plans of functions that ran before, by the hash of the program.
    plans: HashMap<[u8; 32], Arc<Plan>>,
    cancel: CancelFlag,
}

impl Connection {
    /// Meets the peer.
    ///
    /// # Errors
    /// [`EmbedError::Terms`] and [`EmbedError::Run`]; an absent peer is noticed within the session's time
    /// limit.
    pub fn open(party: &Party) -> Result<Connection, EmbedError> {
        let cancel = CancelFlag::new();
        let terms = SessionTerms {
            party: party.name.clone(),
            peer: party.peer.clone(),
            session: party.config(),
            key: party.key.clone(),
            security: party.security(),
            shares: None,
        };
        let session = BlockingSession::open(terms, &cancel)?;
        Ok(Connection { party: party.clone(), session, plans: HashMap::new(), cancel })
    }

    /// A flag that ends a run early from another thread.
    pub fn cancel_flag(&self) -> CancelFlag {
        self.cancel.clone()
    }

    /// Runs a function with the peer, which must run the same one.
    ///
    /// Security: that of the plan's protocols, with semi-honest parties; `inputs` are secret.
    ///
    /// # Errors
    /// [`EmbedError::Input`] for inputs that do not fit the function, before anything is sent to the peer;
    /// [`EmbedError::Run`].
    pub fn run(&mut self, function: &Function, inputs: &Inputs) -> Result<Outputs, EmbedError> {
        let roles = self.party.roles_in(function)?;
        let columns = inputs.columns(function, &roles)?;
        let task = self.task(function)?;
        let outcome = self.session.run(&task, &columns, &self.cancel)?;
        let program = &function.program;
        let own = |role: &&str| {
            let id = function.role(role)?;
            Ok((id, encode_outputs(program, id, &outcome.outputs)))
        };
        let objects = roles.iter().map(own).collect::<Result<Vec<(RoleId, Value)>, EmbedError>>()?;
        let object = match <[_; 1]>::try_from(objects) {
            Ok([(_, only)]) => only,
            Err(several) => merge_outputs(program, &several)
                .map_err(|source| EmbedError::Input { role: roles.join(", "), source })?,
        };
        match object {
            Value::Object(outputs) => Ok(Outputs(outputs)),
            _ => Err(EmbedError::Terms(format!("the outputs of {} have no names", function.name()))),
        }
    }

    /// Ends the connection, once both parties have finished their runs.
    ///
    /// # Errors
    /// [`EmbedError::Run`] if the peer still expects something, or is gone.
    pub fn close(self) -> Result<(), EmbedError> {
        Ok(self.session.close(None, &self.cancel)?)
    }

    fn task(&mut self, function: &Function) -> Result<RunTask, EmbedError> {
        let hash = function.program.hash();
        let plan = match self.plans.get(&hash) {
            Some(plan) => plan.clone(),
            None => {
                let options = self.party.plan_options(function)?;
                let plan = Arc::new(plan(&function.program, &options).map_err(tacit_engine::RunError::from)?);
                self.plans.insert(hash, plan.clone());
                plan
            }
        };
        Ok(RunTask { program: function.program.clone(), plan, compiler: String::new(), progress: None })
    }
}
