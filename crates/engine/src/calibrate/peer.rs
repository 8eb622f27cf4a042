//! Measures what two parties need for their plans: the link between them, and the slower of their machines.

use std::time::Duration;

use tacit_net::session::{Field, Session};
use tacit_net::{Connection, NetError, Phase};

use super::constants::STREAM;
use super::link::{MeasuredLink, measure};
use super::machine::{MachineError, OwnMachine, both};
use crate::cancel::{unless_cancelled, unless_interrupted};
use crate::greeting::refuse;
use crate::open::failed;
use crate::{CancelFlag, Operation, ProfileFile, RunError, SessionTerms};

/// The longest that everything takes once the parties have met.
const LIMIT: Duration = Duration::from_secs(300);

/// What two parties have measured together.
#[derive(Clone, Debug)]
pub struct Calibrated {
    /// The link between them, seen from this party.
    pub link: MeasuredLink,
    /// The joint profile of both machines with the rate of the slower one for each unit; the rates are the same at both parties.
    pub profile: ProfileFile,
}

/// Meets the peer, which calls the same, and measures the link between the two over the session's own connection;
/// then both machines, unless they are known. Both parties get the same link and the same rates. `name` is that of the
/// joint profile.
///
/// Cost: about five seconds on most links, and that of [`calibrate`](super::calibrate); at most five minutes.
///
/// # Errors
/// As [`crate::run`], before anything is measured; a peer that sends what is out of bounds; a machine that cannot be measured.
pub async fn calibrate_with_peer(
    terms: &SessionTerms,
    name: &str,
    own: OwnMachine,
    cancel: &CancelFlag,
) -> Result<Calibrated, RunError> {
    let session = meet(terms, cancel).await?;
    match measured(&session, (terms, own), cancel).await {
        Ok((link, machines)) => {
            let closed = session.close().await;
            closed.map_err(|error| failed(terms, Phase::Setup, Operation::Finishing, error.into()))?;
            let first = usize::from(terms.party > terms.peer);
            let profile = joint(name, [&machines[first], &machines[1 - first]], &link);
            Ok(Calibrated { link, profile })
        }
        Err(error) => {
            session.abort().await;
            Err(error)
        }
    }
}

/// Connects with the peer, and compares builds and what is about to happen.
async fn meet(terms: &SessionTerms, cancel: &CancelFlag) -> Result<Session, RunError> {
    let config = terms.of_two();
    let is_other = terms.peer != terms.party && config.parties.iter().any(|party| party.name == terms.peer);
    if !is_other {
        return Err(refuse(&terms.peer, "is not another party of the session"));
    }
    let kind = [Field::text("kind of session", "measuring the link")];
    let fields = crate::build().fields().into_iter().chain(kind).collect();
    let meets = Session::establish(&config, &terms.party, terms.key.as_ref(), fields);
    let session = unless_cancelled(cancel, meets).await;
    session.map_err(|source| failed(terms, Phase::Analysis, Operation::Connecting, source))
}

/// The link, and this party's machine and the peer's, unless it is cancelled.
async fn measured(
    session: &Session,
    (terms, own): (&SessionTerms, OwnMachine),
    cancel: &CancelFlag,
) -> Result<(MeasuredLink, [ProfileFile; 2]), RunError> {
    let links: Vec<Connection> = session.connections().cloned().collect();
    let work = async {
        // An error of this machine is no failure of the link.
        match Box::pin(over(session, terms, own)).await {
            Err(MachineError::Link(failure)) => Err(failure),
            Err(MachineError::Own(error)) => Ok(Err(error)),
            Ok(measured) => Ok(Ok(measured)),
        }
    };
    match unless_interrupted(cancel, links, work).await {
        Ok(ended) => ended,
        Err(source) => Err(failed(terms, Phase::Setup, Operation::Measuring, source)),
    }
}

/// Measures the link, then the machines, this party's first.
async fn over(
    session: &Session,
    terms: &SessionTerms,
    own: OwnMachine,
) -> Result<(MeasuredLink, [ProfileFile; 2]), MachineError> {
    let connection = session.connections().next().ok_or_else(|| closed(terms))?;
    let measured = async {
        let mut channel = connection.open(STREAM)?;
        let link = measure(&mut channel, terms.party < terms.peer).await?;
        let machines = both(&mut channel, own, terms.session.timeout).await?;
        channel.finish().await?;
        Ok((link, machines))
    };
    match tokio::time::timeout(LIMIT, measured).await {
        Ok(measured) => measured,
        Err(_) => {
            let waiting = "measuring the link and both machines".to_owned();
            let (peer, seconds) = (terms.peer.clone(), LIMIT.as_secs_f64());
            Err(NetError::Timeout { peer, waiting, seconds }.into())
        }
    }
}

fn closed(terms: &SessionTerms) -> NetError {
    NetError::Closed { peer: terms.peer.clone() }
}

/// The joint profile of two machines, the first by name first.
fn joint(name: &str, [first, second]: [&ProfileFile; 2], link: &MeasuredLink) -> ProfileFile {
    ProfileFile {
        profile: first.profile.slower(&second.profile, name),
        machine: first.machine.clone(),
        other_machine: Some(second.machine.clone()),
        link: Some(link.shape().form()),
    }
}
