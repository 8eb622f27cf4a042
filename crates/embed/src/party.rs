use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;

use tacit_engine::RunOptions;
use tacit_net::keys::SecretKey;
use tacit_net::session::{Config, Scalar, SessionFile};
use tacit_plan::{PlanOptions, SecurityParams};

use crate::{EmbedError, Function};

/// This program's identity among the parties of a session.
#[derive(Clone, Debug)]
pub struct Party {
    session: SessionFile,
    options: RunOptions,
    pub(crate) name: String,
    pub(crate) peer: String,
    pub(crate) key: Option<SecretKey>,
    listener: Option<Arc<TcpListener>>,
}

impl Party {
    /// The party `name` of a session file of two parties, with its secret key.
    ///
    /// # Errors
    /// [`EmbedError::Session`], [`EmbedError::Key`], and [`EmbedError::Terms`] if there is no such party in
    /// the session, or not exactly two parties.
    pub fn load(session: &Path, name: &str, key: &Path) -> Result<Party, EmbedError> {
        Party::new(SessionFile::load(session)?, name, Some(SecretKey::load(key)?))
    }

    /// As [`Party::load`], from memory. A session whose transport does not authenticate needs no key.
    ///
    /// # Errors
    /// [`EmbedError::Terms`]; [`EmbedError::Session`] for unknown options of runs.
    pub fn new(session: SessionFile, name: &str, key: Option<SecretKey>) -> Result<Party, EmbedError> {
        let names: Vec<&str> = session.parties.iter().map(|party| party.name.as_str()).collect();
        let peer = match names[..] {
            [first, second] if first == name => second.to_owned(),
            [first, second] if second == name => first.to_owned(),
            [_, _] => {
                return Err(EmbedError::Terms(format!(
                    "{name} is not a party of the session; there are {}",
                    names.join(", ")
                )));
            }
            _ => {
                return Err(EmbedError::Terms(format!(
                    "the session must have two parties, but it has {}",
                    names.len()
                )));
            }
        };
        let options = RunOptions::of_session(&session)?;
        Ok(Party { session, options, name: name.to_owned(), peer, key, listener: None })
    }

    /// Awaits the peer on an already bound listener, instead of the session file's address.
    #[must_use]
    pub fn listening(mut self, listener: TcpListener) -> Party {
        self.listener = Some(Arc::new(listener));
        self
    }

    /// The party's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The roles of a function that this party speaks for.
    ///
    /// # Errors
    /// [`EmbedError::Session`] if a role has no party in the session.
    pub fn roles_in<'f>(&self, function: &'f Function) -> Result<Vec<&'f str>, EmbedError> {
        let mut roles = Vec::new();
        for role in function.roles() {
            if self.session.party_of_role(role)? == self.name {
                roles.push(role.as_str());
            }
        }
        Ok(roles)
    }

    /// Sets an option of runs, overriding the session file. Names are those of [`tacit_engine::RUN_OPTIONS`].
    ///
    /// # Errors
    /// [`EmbedError::Option`].
    pub fn with_option(mut self, name: &str, value: impl Into<Scalar>) -> Result<Party, EmbedError> {
        self.options = self.options.with([(name, &value.into())])?;
        Ok(self)
    }

    pub(crate) fn config(&self) -> Config {
        Config { listener: self.listener.clone(), ..self.options.session(&self.session) }
    }

    pub(crate) fn security(&self) -> SecurityParams {
        self.options.plan.security
    }

    /// The plan options for runs of a function.
    pub(crate) fn plan_options(&self, function: &Function) -> Result<PlanOptions, EmbedError> {
        // A role without a party is refused here.
        let options = self.options.plan_for(&function.program, &self.session);
        Ok(options.map_err(tacit_engine::RunError::from)?)
    }
}
