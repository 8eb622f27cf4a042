//! A port at which parties that don't compute arrive one by one, for as long as a party of the computation takes them in.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::task::{AbortHandle, JoinSet};

use super::accept::Acceptor;
use super::config::{Config, Party};
use super::fault::SessionFault;
use super::handshake::{Link, Meeting};
use super::hello::Field;
use super::meet::{Me, listen};
use super::{Session, abort_all, agree, greeting, sorted};
use crate::keys::SecretKey;
use crate::socket::Listener;
use crate::{Meter, NetError};

/// Takes in the parties that don't compute, each in a session of its own, in which it [visits](Session::visit) this party.
///
/// Whoever fails to prove who it is or wants to run something else is turned away, and nobody else waits for it.
pub struct Reception {
    meeting: Arc<Meeting>,
    listener: Listener,
    acceptor: Acceptor,
    agreeing: JoinSet<Option<Session>>,
    /// The latest link of each party that greetings were last compared with.
    latest: HashMap<String, AbortHandle>,
}

impl Reception {
    /// Opens the port of party `me`, which computes, for all parties that don't. `fields` are as in [`Session::establish`].
    ///
    /// Errors: [`NetError::Listen`]; [`NetError::Session`] for a configuration that cannot work.
    pub async fn open(
        config: &Config,
        (me, key): (&str, Option<&SecretKey>),
        fields: Vec<Field>,
    ) -> Result<Reception, NetError> {
        let parties = sorted(&config.parties)?;
        let hello = greeting(me, (config, &parties), fields)?;
        let outside = |party: &&Party| !config.computes(&party.name);
        let expected: Vec<_> = parties.iter().filter(outside).cloned().collect();
        if !config.computes(me) {
            return Err(SessionFault::NoParty { name: me.to_owned() }.into());
        }
        let end = Me { config, name: me, key, hello: &hello, meter: &Meter::new() };
        let (own, meeting) = end.meeting(&parties, expected)?;
        let listener = listen(config, &own).await?;
        let acceptor = Acceptor::new(meeting.clone(), None);
        let (agreeing, latest) = (JoinSet::new(), HashMap::new());
        Ok(Reception { meeting, listener, acceptor, agreeing, latest })
    }

    /// What was sent and received over all links.
    pub fn meter(&self) -> &Meter {
        &self.meeting.meter
    }

    /// The session with the next party that arrives. A party may arrive several times. May be dropped and called again: nobody is lost.
    pub async fn next(&mut self) -> Session {
        loop {
            tokio::select! {
                biased;
                Some(agreed) = self.agreeing.join_next() => {
                    if let Ok(Some(session)) = agreed {
                        return session;
                    }
                }
                arrived = self.acceptor.next(&self.listener) => {
                    // Whoever failed may come again, and is told so by its own end.
                    if let Ok(link) = arrived {
                        self.agree(link);
                    }
                }
            }
        }
    }
}

impl Reception {
    /// Compares greetings on a link, the latest of its party: one that comes again has given up on the one before.
    fn agree(&mut self, link: Link) {
        let name = link.name.clone();
        let agreeing = self.agreeing.spawn(agree_with(link, self.meeting.clone()));
        if let Some(older) = self.latest.insert(name, agreeing) {
            older.abort();
        }
    }
}

/// Compares greetings with a party that has arrived; nothing if they differ or it has gone.
async fn agree_with(link: Link, meeting: Arc<Meeting>) -> Option<Session> {
    let Meeting { config, hello, meter, .. } = &*meeting;
    let mut links = [link];
    match agree(hello, config, &mut links).await {
        Ok(id) => Some(Session::over(id, &hello.from, links.into(), meter.clone())),
        Err(_) => {
            abort_all(links.iter().map(|link| &link.connection)).await;
            None
        }
    }
}
