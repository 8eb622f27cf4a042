//! The thread on which a computing party serves outside parties.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use tacit_net::session::Reception;
use tacit_net::{Channel, Session};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::message::{FromComputing, FromOutside, STREAM, encode, receive as receive_message, send};
use super::parties::{Ended, OutsideIndex, OutsideParties};
use crate::error::{OutsideError, RunError};

/// Bytes of an answer besides its elements.
const HEAD_BYTES: usize = 32;

/// The maximum time in which a party that comes again can read why it is refused.
const REFUSAL_LIMIT: Duration = Duration::from_secs(1);

/// The thread of a reception. It ends after the computation.
pub(crate) struct Receiving {
    thread: JoinHandle<()>,
}

impl Receiving {
    /// Waits until everyone has been sent everything, or a time limit has passed.
    pub(crate) fn finish(self) {
        // Errors of its tasks only concern the links of outside parties.
        let _ = self.thread.join();
    }
}

/// Serves outside parties on a thread of its own; `computation` is the identity of the computing parties' session.
///
/// Errors: the thread cannot be started.
pub(crate) fn receive(
    open: impl Future<Output = Result<Reception, RunError>> + Send + 'static,
    parties: impl FnOnce(&Reception) -> Arc<OutsideParties> + Send + 'static,
    computation: [u8; 32],
    limit: Duration,
) -> Result<(Arc<OutsideParties>, Receiving), RunError> {
    let system = |what, cause| RunError::System { what, cause: Arc::new(cause) };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|cause| system("event loop", cause))?;
    let (sender, opened) = std::sync::mpsc::sync_channel(1);
    let body = move || {
        runtime.block_on(async {
            match open.await {
                Ok(reception) => {
                    let parties = parties(&reception);
                    // The thread that started this one waits for it.
                    let _ = sender.send(Ok(parties.clone()));
                    serve_all(reception, parties, (computation, limit)).await;
                }
                Err(error) => drop(sender.send(Err(error))),
            }
        });
    };
    let thread = std::thread::Builder::new().name("tacit reception".into()).spawn(body);
    let thread = thread.map_err(|cause| system("thread", cause))?;
    let parties = opened.recv().unwrap_or(Err(RunError::Panicked))?;
    Ok((parties, Receiving { thread }))
}

/// Accepts outside parties until the computation is over, and then for a time limit those for whom results wait; everyone gets the
/// remaining messages.
async fn serve_all(
    mut reception: Reception,
    parties: Arc<OutsideParties>,
    (computation, limit): ([u8; 32], Duration),
) {
    let mut ended = parties.ended();
    let mut serving = JoinSet::new();
    loop {
        tokio::select! {
            biased;
            _ = ended.wait_for(Option::is_some) => break,
            Some(_) = serving.join_next() => {}
            session = reception.next() => {
                serving.spawn(serve(session, parties.clone(), computation));
            }
        }
    }
    let told = async {
        while !serving.is_empty() || parties.has_results_for_absent() {
            tokio::select! {
                biased;
                Some(_) = serving.join_next() => {}
                session = reception.next() => {
                    serving.spawn(serve(session, parties.clone(), computation));
                }
            }
        }
    };
    // A party that does not come for this long, or reads nothing, does not get the rest.
    let _ = timeout(limit, told).await;
}

/// Serves one party from its arrival to its end.
async fn serve(session: Session, parties: Arc<OutsideParties>, computation: [u8; 32]) {
    let index = session.peers().next().and_then(|peer| parties.names.iter().position(|name| name == peer));
    let Some(index) = index else { return session.abort().await };
    let again = !parties.enter(index);
    let served = match again {
        // A party that does not read the refusal is not waited for any longer.
        true => timeout(REFUSAL_LIMIT, refuse(&session)).await.unwrap_or(Err(RunError::Over)),
        false => attend(&session, index, &parties, computation).await,
    };
    if !again {
        parties.leave(index);
    }
    match served {
        Ok(()) => drop(session.close().await),
        Err(_) => session.abort().await,
    }
}

fn open(session: &Session) -> Result<Channel, RunError> {
    let connection = session.connections().next().ok_or(RunError::Over)?;
    Ok(connection.open(STREAM)?)
}

/// Informs a party that it has visited before.
async fn refuse(session: &Session) -> Result<(), RunError> {
    part(open(session)?, &FromComputing::Again, HEAD_BYTES).await
}

/// Sends the last message to a party, and waits until it has read it. Inputs of up to `limit` bytes that it sent before are too late.
async fn part(mut channel: Channel, last: &FromComputing, limit: usize) -> Result<(), RunError> {
    send(&mut channel, &encode(last)?).await?;
    channel.flush().await?;
    while matches!(receive_message(&mut channel, limit).await?, FromOutside::Given(_)) {}
    Ok(channel.finish().await?)
}

/// Sends a party its messages, and takes its inputs.
///
/// Errors: the link fails, the party violates the protocol, or the computation has failed.
async fn attend(
    session: &Session,
    party: OutsideIndex,
    parties: &OutsideParties,
    computation: [u8; 32],
) -> Result<(), RunError> {
    let (mut ended, news) = (parties.ended(), parties.news(party));
    let mut channel = open(session)?;
    send(&mut channel, &encode(&FromComputing::Computation(computation))?).await?;
    loop {
        // Read before the remaining messages are taken, so that none is left at the end.
        let over = *ended.borrow_and_update();
        while let Some(message) = parties.next_message(party) {
            send(&mut channel, &message).await?;
        }
        match over {
            Some(Ended::Well) => break,
            Some(Ended::Failed) => return Err(RunError::Over),
            None => channel.flush().await?,
        }
        tokio::select! {
            biased;
            _ = ended.changed() => {}
            () = news.notified() => {}
            arrived = channel.arrival() => {
                arrived?;
                let given = match receive_message(&mut channel, longest(party, parties)).await? {
                    FromOutside::Given(given) => parties.give(party, given),
                    FromOutside::Over => Err(OutsideError::NotDue { what: "the end of the visit" }),
                };
                given.map_err(|error| RunError::Outside { peer: channel.peer(), error })?;
            }
            () = sleep(parties.tick) => send(&mut channel, &encode(&FromComputing::Waiting)?).await?,
        }
    }
    part(channel, &FromComputing::Over, longest(party, parties)).await
}

/// Bytes of the longest message that a party may send.
fn longest(party: OutsideIndex, parties: &OutsideParties) -> usize {
    parties.most(party) + HEAD_BYTES
}
