//! The sources and destinations of a run's values besides the two computing parties: outside parties, and stored shares.
//!
//! Outside parties meet the computing parties for one run, in a separate session, and leave: to them it is a run like any other.
//! Before either computing party continues, both have confirmed that they have everything. If one of them lacks something, the run
//! ends at both, and the session continues.

use std::pin::pin;
use std::time::Duration;

use tacit_ir::Words;
use tacit_net::keys::SecretKey;
use tacit_net::session::{Config, Session};
use tacit_net::{Channel, NetError, Phase};

use super::constants::{COMPLETE, LACKING, WAITING};
use super::resources::{OutsideSession, Resources};
use super::run::SessionRun;
use super::scope::SessionScope;
use crate::drive::context::RunContext;
use crate::drive::outputs::RunResults;
use crate::greeting;
use crate::inputs::PartyInputs;
use crate::outside_parties::OutsideParties;
use crate::peer_fault::PeerFault;
use crate::stored_shares::{PartyPair, ShareStore, StoredPorts};
use crate::{Failure, Operation};

/// Outside parties that have joined one run.
struct Joined<'m> {
    /// Their session, if it is separate from that of the computing parties.
    separate: Option<Session>,
    parties: OutsideParties<'m>,
}

/// The external sources and destinations of one run.
pub(crate) struct Externals<'m> {
    joined: Option<Joined<'m>>,
    stored: Option<StoredPorts<'m>>,
    limit: Duration,
}

impl<'a> SessionRun<'a> {
    /// Receives this party's shares of the inputs of outside parties and of stored values. When it succeeds, both
    /// parties have all of theirs.
    pub async fn gather<'m>(
        &mut self,
        inputs: &mut PartyInputs,
        Resources { outside, key, share_store, limit }: Resources<'m>,
    ) -> Result<Externals<'m>, Failure>
    where
        'a: 'm,
    {
        let joined = match outside {
            OutsideSession::None => None,
            OutsideSession::Shared(session) => {
                let parties = receive(self.context, inputs, session, &mut self.operation).await?;
                Some(Joined { separate: None, parties })
            }
            OutsideSession::Separate(config) => Some(self.meet(inputs, &config, key).await?),
        };
        let stored = match share_store {
            Some(store) => Some(self.read(inputs, store).await?),
            None => None,
        };
        Ok(Externals { joined, stored, limit })
    }

    /// Meets the outside parties, and receives shares of their inputs.
    async fn meet<'m>(
        &mut self,
        inputs: &mut PartyInputs,
        config: &Config,
        key: Option<&SecretKey>,
    ) -> Result<Joined<'m>, Failure>
    where
        'a: 'm,
    {
        let context = self.context;
        let RunContext { program, plan, me, .. } = context;
        let fields = greeting::greeting(program, plan, self.compiler);
        let [name, peer] = [me, me.peer()].map(|side| plan.parties().name(side));
        let operation = &mut self.operation;
        let joined = async {
            let session = Session::establish(config, name, key, fields).await?;
            match receive(context, inputs, &session, operation).await {
                Ok(parties) => Ok(Joined { separate: Some(session), parties }),
                Err(error) => {
                    session.abort().await;
                    Err(error)
                }
            }
        };
        let channel = self.wire.channel.as_mut().ok_or_else(|| cancelled(peer))?;
        let joined = waiting(channel, config.timeout, joined).await?;
        match self.together(joined).await? {
            Readiness::Have(joined) => Ok(joined),
            Readiness::Lack(joined, failure) => {
                if let Some(Joined { separate: Some(session), .. }) = joined {
                    session.abort().await;
                }
                Err(failure)
            }
        }
    }

    /// Agrees on stored values, and reads this party's shares of them.
    async fn read<'m>(
        &mut self,
        inputs: &mut PartyInputs,
        store: (&'m mut ShareStore, PartyPair),
    ) -> Result<StoredPorts<'m>, Failure>
    where
        'a: 'm,
    {
        let RunContext { program, plan, me, .. } = self.context;
        let channel = self.wire.stored.take().ok_or_else(|| cancelled(plan.parties().name(me.peer())))?;
        let mut stored = StoredPorts::start((program, plan), store, (channel, self.wire.run_id()));
        let read = match stored.receive(inputs, &mut self.operation).await {
            Err(Failure::Net(error)) => return Err(error.into()),
            read => read,
        };
        match self.together(read).await? {
            Readiness::Have(()) => Ok(stored),
            Readiness::Lack(_, failure) => {
                self.wire.stored = Some(stored.leave());
                Err(failure)
            }
        }
    }

    /// Tells the peer whether this party has what it needs, and learns whether the peer has. If either lacks something, both are in
    /// step.
    async fn together<T>(&mut self, ours: Result<T, Failure>) -> Result<Readiness<T>, Failure> {
        if self.scope == SessionScope::OneRun {
            return ours.map(Readiness::Have);
        }
        let peer = self.context.plan.parties().name(self.context.me.peer());
        let channel = self.wire.channel.as_mut().ok_or_else(|| cancelled(peer))?;
        channel.send(if ours.is_ok() { &COMPLETE } else { &LACKING }).await?;
        let mut word = WAITING;
        while word == WAITING {
            channel.receive_into(&mut word).await?;
        }
        let theirs = match word {
            COMPLETE => true,
            LACKING => false,
            [byte] => return Err(PeerFault::ReadinessWord { byte }.by(channel.peer())),
        };
        Ok(match ours {
            Ok(have) if theirs => Readiness::Have(have),
            ours => {
                self.in_step = true;
                let (have, failure) = match ours {
                    Ok(have) => (Some(have), None),
                    Err(failure) => (None, Some(failure)),
                };
                let aborted = || NetError::Aborted { peer: peer.to_owned() }.into();
                Readiness::Lack(have, failure.unwrap_or_else(aborted))
            }
        })
    }

    /// Releases them unchanged, if the run ends early and in step.
    pub async fn release(&mut self, externals: Externals<'_>) {
        if let Some(stored) = externals.stored {
            self.wire.stored = Some(stored.leave());
        }
        if let Some(Joined { separate: Some(session), .. }) = externals.joined {
            session.abort().await;
        }
    }

    /// Stores kept values and sends outside parties their shares; returns this party's outputs.
    pub async fn deliver(
        &mut self,
        externals: Externals<'_>,
        results: RunResults,
    ) -> Result<Vec<Vec<Words>>, Failure> {
        let RunResults { outputs, shares } = results;
        if let Some(stored) = externals.stored {
            self.wire.stored = Some(stored.give(&shares, &mut self.operation).await?);
        }
        let Some(Joined { separate, parties }) = externals.joined else { return Ok(outputs) };
        let Some(session) = separate else {
            parties.give(&shares, &mut self.operation).await?;
            return Ok(outputs);
        };
        // Whatever happens here, the two computing parties have completed their joint work.
        self.in_step = true;
        session.meter().set_phase(Phase::Online);
        let given = async {
            parties.give(&shares, &mut self.operation).await?;
            Ok(session.close().await?)
        };
        let given: Result<(), Failure> = given.await;
        if given.is_err() {
            session.abort().await;
        }
        self.add_traffic(session.meter().by_phase());
        given.map(|()| outputs)
    }
}

impl Externals<'_> {
    /// Runs `work`, while outside parties wait for their outputs.
    pub async fn with_keep_alive<T>(&mut self, work: impl Future<Output = T>) -> T {
        match &mut self.joined {
            Some(joined) => joined.parties.with_keep_alive(self.limit, work).await,
            None => work.await,
        }
    }
}

/// Receives shares of the inputs of the outside parties in `session`.
async fn receive<'m>(
    context: RunContext<'m>,
    inputs: &mut PartyInputs,
    session: &Session,
    operation: &mut Operation,
) -> Result<OutsideParties<'m>, Failure> {
    let mut parties = OutsideParties::meet(context.program, context.plan, session)?;
    parties.receive(context.me, inputs, operation).await?;
    Ok(parties)
}

/// Whether both parties have what they need.
enum Readiness<T> {
    Have(T),
    /// What this party has, and why it cannot be used.
    Lack(Option<T>, Failure),
}

/// The output of `work`, while the peer is informed now and then that this party still waits.
async fn waiting<T>(
    channel: &mut Channel,
    limit: Duration,
    work: impl Future<Output = T>,
) -> Result<T, NetError> {
    let mut work = pin!(work);
    loop {
        tokio::select! {
            biased;
            done = &mut work => return Ok(done),
            () = tokio::time::sleep(limit / 4) => {
                channel.send(&WAITING).await?;
                channel.flush().await?;
            }
        }
    }
}

fn cancelled(peer: &str) -> NetError {
    NetError::Cancelled { peer: peer.to_owned() }
}
