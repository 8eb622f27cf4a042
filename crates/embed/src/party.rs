use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;

use tacit_net::keys::SecretKey;
use tacit_net::session::{Config, SessionFile};
use tacit_plan::{Garbling, Link, Parties, PlanOptions, SecurityParams, TransferChoice};

use crate::{EmbedError, Function};

/// Who this program is among the parties of a session.
#[derive(Clone, Debug)]
pub struct Party {
    session: SessionFile,
    pub(crate) name: String,
    pub(crate) peer: String,
    pub(crate) key: Option<SecretKey>,
    listener: Option<Arc<TcpListener>>,
}

impl Party {
    /// The party `name` of a session file of two parties, with its secret key.
    ///
    /// # Errors
    /// [`EmbedError::Session`], [`EmbedError::Key`], and [`EmbedError::Terms`] where it is no party of the session, or where
    /// there are not two.
    pub fn load(session: &Path, name: &str, key: &Path) -> Result<Party, EmbedError> {
        Party::new(SessionFile::load(session)?, name, Some(SecretKey::load(key)?))
    }

    /// As [`Party::load`], of what is in memory. A session whose transport does not authenticate needs no key.
    ///
    /// # Errors
    /// [`EmbedError::Terms`].
    pub fn new(session: SessionFile, name: &str, key: Option<SecretKey>) -> Result<Party, EmbedError> {
        let names: Vec<&str> = session.parties.iter().map(|party| party.name.as_str()).collect();
        let peer = match names[..] {
            [first, second] if first == name => second.to_owned(),
            [first, second] if second == name => first.to_owned(),
            [_, _] => {
                return Err(EmbedError::Terms(format!(
                    "{name} is no party of the session; there are {}",
                    names.join(", ")
                )));
            }
            _ => {
                return Err(EmbedError::Terms(format!(
                    "a session of two parties is needed, and this has {}",
                    names.len()
                )));
            }
        };
        Ok(Party { session, name: name.to_owned(), peer, key, listener: None })
    }

    /// Awaits the peer at a place that is already bound, in the place of the session file's.
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
    /// [`EmbedError::Session`] where the session gives a role to nobody.
    pub fn roles_in<'f>(&self, function: &'f Function) -> Result<Vec<&'f str>, EmbedError> {
        let mut roles = Vec::new();
        for role in function.roles() {
            if self.session.party_of_role(role)? == self.name {
                roles.push(role.as_str());
            }
        }
        Ok(roles)
    }

    pub(crate) fn config(&self) -> Config {
        Config { listener: self.listener.clone(), ..self.session.config() }
    }

    pub(crate) fn security(&self) -> Result<SecurityParams, EmbedError> {
        let given = &self.session.security;
        let level = given.level.parse();
        Ok(SecurityParams {
            level: level.map_err(|error| EmbedError::Terms(format!("security.level: {error}")))?,
            computational_bits: given.computational_bits,
            statistical_bits: given.statistical_bits,
            softspoken_k: given.softspoken_k,
        })
    }

    /// What runs of a function are planned for.
    pub(crate) fn plan_options(&self, function: &Function) -> Result<PlanOptions, EmbedError> {
        let garbling = match self.session.security.garbling.as_deref() {
            Some(name) => name
                .parse()
                .map_err(|error: tacit_plan::UnknownGarbling| EmbedError::Terms(error.to_string()))?,
            None => Garbling::default(),
        };
        let transfers = match self.session.security.transfers.as_deref() {
            Some(name) => name
                .parse()
                .map_err(|error: tacit_plan::UnknownTransfers| EmbedError::Terms(error.to_string()))?,
            None => TransferChoice::default(),
        };
        let planned = self.session.link.planned;
        let link =
            planned.map_or(Link::default(), |link| Link::one_way(link.bandwidth_bits_per_s, link.latency));
        // A role of no party is refused by `Parties::assign`.
        let party_of = |role: &str| self.session.party_of_role(role).ok().map(str::to_owned);
        let parties = Parties::assign(&function.program, party_of).map_err(tacit_engine::RunError::from)?;
        Ok(PlanOptions {
            garbling,
            transfers,
            link,
            security: self.security()?,
            parties: Some(parties),
            ..PlanOptions::default()
        })
    }
}
