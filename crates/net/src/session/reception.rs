//! A port at which parties that do not compute arrive one by one, as long as a computing party accepts them.

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

/// Accepts the parties that do not compute, each in its own session, in which it [visits](Session::visit)
/// this party.
///
/// A party that fails to prove who it is, or wants to run something else, is turned away without delaying
/// others.
pub struct Reception {
    meeting: Arc<Meeting>,
    listener: Listener,
    acceptor: Acceptor,
    agreeing: JoinSet<Option<Session>>,
    /// The latest link of each party on which greetings are being compared.
    latest: HashMap<String, AbortHandle>,
}

impl Reception {
    /// Opens the port of party `me`, which computes, for all parties that do not. `fields` are as in
    /// [`Session::establish`].
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

    /// The counters of all links together.
    pub fn meter(&self) -> &Meter {
        &self.meeting.meter
    }

    /// The session with the next party that arrives. A party may arrive several times. The future may be
    /// dropped and called again: nobody is lost.
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
                    // A party that failed may come again; its own end tells it so.
                    if let Ok(link) = arrived {
                        self.agree(link);
                    }
                }
            }
        }
    }
}

impl Reception {
    /// Compares greetings on a link, the latest of its party: a party that comes again has given up on the
    /// previous link.
    fn agree(&mut self, link: Link) {
        let name = link.name.clone();
        let agreeing = self.agreeing.spawn(agree_with(link, self.meeting.clone()));
        if let Some(older) = self.latest.insert(name, agreeing) {
            older.abort();
        }
    }
}

/// Compares greetings with a party that has arrived; none if they differ or it has left.
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
