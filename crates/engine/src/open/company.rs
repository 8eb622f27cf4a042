//! Whom and what one turn has to do with besides the peer: parties that do not compute, and shares that are kept.
//!
//! Parties that do not compute meet those that do for one run, in a session of their own beside the open one, and leave: to them it is a run
//! like any other. Before either computing party goes on, both have said that they have everything: what one of them lacks
//! ends the turn at both, and not the session.

use std::pin::pin;
use std::time::Duration;

use tacit_ir::Words;
use tacit_net::keys::SecretKey;
use tacit_net::session::{Config, Session};
use tacit_net::{Channel, NetError, Phase};

use super::Scope;
use super::turn::Turn;
use crate::drive::{Context, Results};
use crate::guests::Guests;
use crate::inputs::Inputs;
use crate::kept::{Keeping, KeptStore, Pair};
use crate::{Failure, Operation, run};

/// What a party says to the peer while it waits for others, and when it has all or lacks something.
pub(crate) const WAITING: [u8; 1] = [0x77];
pub(crate) const COMPLETE: [u8; 1] = [0x78];
pub(crate) const LACKING: [u8; 1] = [0x79];

/// Where parties that do not compute are met.
pub(crate) enum Meeting<'m> {
    /// There are none.
    Nobody,
    /// In the session of the two that compute.
    Here(&'m Session),
    /// In a session beside it, for this turn alone.
    Beside(Config),
}

/// What a session has for turns that need it.
pub(crate) struct Means<'m> {
    pub meeting: Meeting<'m>,
    pub key: Option<&'m SecretKey>,
    /// The store of what is kept, and whose it is, for programs that keep something.
    pub kept: Option<(&'m mut KeptStore, Pair)>,
    pub limit: Duration,
}

impl Means<'_> {
    /// Whether nobody and nothing besides the peer is needed.
    pub fn is_empty(&self) -> bool {
        matches!(self.meeting, Meeting::Nobody) && self.kept.is_none()
    }
}

/// Parties that do not compute, met for one turn.
struct Visit<'m> {
    /// The session beside that of the two, if there is one.
    beside: Option<Session>,
    guests: Guests<'m>,
}

/// All of one turn's.
pub(crate) struct Company<'m> {
    visit: Option<Visit<'m>>,
    keeping: Option<Keeping<'m>>,
    limit: Duration,
}

impl<'a> Turn<'a> {
    /// Takes in this party's shares of what others give and of what was kept; both parties have all of theirs then.
    pub async fn gather<'m>(
        &mut self,
        inputs: &mut Inputs,
        Means { meeting, key, kept, limit }: Means<'m>,
    ) -> Result<Company<'m>, Failure>
    where
        'a: 'm,
    {
        let visit = match meeting {
            Meeting::Nobody => None,
            Meeting::Here(session) => {
                let guests = receive(self.context, inputs, session, &mut self.operation).await?;
                Some(Visit { beside: None, guests })
            }
            Meeting::Beside(config) => Some(self.meet(inputs, &config, key).await?),
        };
        let keeping = match kept {
            Some(kept) => Some(self.read(inputs, kept).await?),
            None => None,
        };
        Ok(Company { visit, keeping, limit })
    }

    /// Meets the parties that do not compute, and takes in shares of their inputs.
    async fn meet<'m>(
        &mut self,
        inputs: &mut Inputs,
        config: &Config,
        key: Option<&SecretKey>,
    ) -> Result<Visit<'m>, Failure>
    where
        'a: 'm,
    {
        let context = self.context;
        let Context { program, plan, me, .. } = context;
        let fields = run::greeting(program, plan, self.compiler);
        let [name, peer] = [me, me.peer()].map(|side| plan.parties().name(side));
        let operation = &mut self.operation;
        let visit = async {
            let session = Session::establish(config, name, key, fields).await?;
            match receive(context, inputs, &session, operation).await {
                Ok(guests) => Ok(Visit { beside: Some(session), guests }),
                Err(error) => {
                    session.abort().await;
                    Err(error)
                }
            }
        };
        let channel = self.wire.channel.as_mut().ok_or_else(|| cancelled(peer))?;
        let visit = waiting(channel, config.timeout, visit).await?;
        match self.together(visit).await? {
            Both::Have(visit) => Ok(visit),
            Both::Lack(visit, failure) => {
                if let Some(Visit { beside: Some(session), .. }) = visit {
                    session.abort().await;
                }
                Err(failure)
            }
        }
    }

    /// Agrees on what is kept, and takes in this party's shares of what is read.
    async fn read<'m>(
        &mut self,
        inputs: &mut Inputs,
        kept: (&'m mut KeptStore, Pair),
    ) -> Result<Keeping<'m>, Failure>
    where
        'a: 'm,
    {
        let Context { program, plan, me, .. } = self.context;
        let channel = self.wire.kept.take().ok_or_else(|| cancelled(plan.parties().name(me.peer())))?;
        let mut keeping = Keeping::start((program, plan), kept, (channel, self.wire.run_id()));
        let read = match keeping.receive(inputs, &mut self.operation).await {
            Err(Failure::Net(error)) => return Err(error.into()),
            read => read,
        };
        match self.together(read).await? {
            Both::Have(()) => Ok(keeping),
            Both::Lack(_, failure) => {
                self.wire.kept = Some(keeping.leave());
                Err(failure)
            }
        }
    }

    /// Tells the peer whether this party has what it needs, and hears whether the peer has. Where either lacks something both are in
    /// step.
    async fn together<T>(&mut self, ours: Result<T, Failure>) -> Result<Both<T>, Failure> {
        if self.scope == Scope::OneRun {
            return ours.map(Both::Have);
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
            _ => {
                let detail =
                    "it says neither that it has all it needs nor that it lacks something".to_owned();
                return Err(NetError::Protocol { peer: channel.peer(), detail }.into());
            }
        };
        Ok(match ours {
            Ok(have) if theirs => Both::Have(have),
            ours => {
                self.in_step = true;
                let (have, failure) = match ours {
                    Ok(have) => (Some(have), None),
                    Err(failure) => (None, Some(failure)),
                };
                let aborted = || NetError::Aborted { peer: peer.to_owned() }.into();
                Both::Lack(have, failure.unwrap_or_else(aborted))
            }
        })
    }

    /// Leaves others and what is kept as they are, where the turn ends early and in step.
    pub async fn leave(&mut self, company: Company<'_>) {
        if let Some(keeping) = company.keeping {
            self.wire.kept = Some(keeping.leave());
        }
        if let Some(Visit { beside: Some(session), .. }) = company.visit {
            session.abort().await;
        }
    }

    /// Keeps what is kept and gives others their shares; the outputs of this party.
    pub async fn part(&mut self, company: Company<'_>, results: Results) -> Result<Vec<Vec<Words>>, Failure> {
        let Results { outputs, shares } = results;
        if let Some(keeping) = company.keeping {
            self.wire.kept = Some(keeping.give(&shares, &mut self.operation).await?);
        }
        let Some(Visit { beside, guests }) = company.visit else { return Ok(outputs) };
        let Some(session) = beside else {
            guests.give(&shares, &mut self.operation).await?;
            return Ok(outputs);
        };
        // Whatever comes of this, the two that compute have done all that they do together.
        self.in_step = true;
        session.meter().set_phase(Phase::Online);
        let given = async {
            guests.give(&shares, &mut self.operation).await?;
            Ok(session.close().await?)
        };
        let given: Result<(), Failure> = given.await;
        if given.is_err() {
            session.abort().await;
        }
        self.beside(session.meter().by_phase());
        given.map(|()| outputs)
    }
}

impl Company<'_> {
    /// Does `work`, while others wait for their outputs.
    pub async fn patiently<T>(&mut self, work: impl Future<Output = T>) -> T {
        match &mut self.visit {
            Some(visit) => visit.guests.patiently(self.limit, work).await,
            None => work.await,
        }
    }
}

/// Takes in shares of the inputs of parties that do not compute, who are in `session`.
async fn receive<'m>(
    context: Context<'m>,
    inputs: &mut Inputs,
    session: &Session,
    operation: &mut Operation,
) -> Result<Guests<'m>, Failure> {
    let mut guests = Guests::meet(context.program, context.plan, session)?;
    guests.receive(context.me, inputs, operation).await?;
    Ok(guests)
}

/// Whether both parties have what they need.
enum Both<T> {
    Have(T),
    /// What this party has, and why that is of no use.
    Lack(Option<T>, Failure),
}

/// What `work` gives, while the peer is told now and then that this party still waits.
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
