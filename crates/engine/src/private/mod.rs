//! Private functions over sessions: one party holds a function, the other has the data and alone learns the result.
//!
//! The parties meet as for every run, and compare who holds the function. The holder then announces the function's
//! [`Interface`], which is all that the owner ever learns of it beside the result, and which names the [`Protocol`]. The owner compares it with the
//! one that it was given, if any, and with the size that it accepts, before it allocates or sends anything for it; then both go on with
//! the protocol, or both end.
//!
//! | party | calls |
//! |---|---|
//! | the function's holder | [`hold`] |
//! | the data's owner | [`Announced::meet`], then [`Announced::run`] or [`Announced::decline`] |
//!
//! Security: semi-honest, see `docs/private-functions.md`. Whatever the peer announces, the owner allocates at most 64 bytes for each of the
//! gates and inputs that it accepts (for universal circuits 128, outputs counted too), and a few megabytes.

pub(crate) mod constants;
mod error;
mod interface;
mod meeting;
mod report;
#[cfg(test)]
mod tests;

pub use error::{InterfaceError, PrivateError, Refusal};
pub use interface::{Interface, bits_of_words};
pub use report::{PredictedPhase, PrivateReport, PrivateSide};

use serde_json::Value;
use tacit_crypto::Prg;
use tacit_net::{NetError, Phase};
use tacit_pfe::universal::{self, UniversalSize};
use tacit_pfe::{Function, PfeError, Protocol, Size, half_elgamal};
use tokio::runtime::Runtime;

use crate::open::SessionTerms;
use crate::{CancelFlag, Failure, Operation, RunError};
use constants::{ACCEPTED, DECLINED, MAX_INTERFACE_BYTES, OTHER_INTERFACE, TOO_LARGE};
use meeting::Meeting;

/// A function to hold: what is public of it, the function, and the holder's own input bits, which are secret too.
pub struct Held {
    /// What is announced.
    pub interface: Interface,
    /// The function, of the same size and for the same protocol.
    pub function: Function,
    /// The holder's own input bits.
    pub inputs: Vec<bool>,
}

/// Takes part as the function's holder; returns what it cost.
///
/// # Errors
/// [`RunError::Failed`]: with [`PrivateError::Refused`] where the data's owner does not go on, else as [`crate::run`].
pub async fn hold(terms: SessionTerms, held: Held, cancel: &CancelFlag) -> Result<PrivateReport, RunError> {
    let function = (held.function.protocol(), *held.function.size());
    let mut meeting = Meeting::meet(terms, PrivateSide::Holder, cancel).await?;
    match meeting.cancellable(cancel, announce(&held.interface)).await? {
        ACCEPTED => {}
        refused => {
            let refusal = match refused {
                OTHER_INTERFACE => PrivateError::Refused(Refusal::OtherInterface),
                TOO_LARGE => PrivateError::Refused(Refusal::TooLarge),
                DECLINED => PrivateError::Refused(Refusal::Declined),
                byte => PrivateError::Answer { byte },
            };
            return Err(meeting.part(refusal, cancel).await);
        }
    }
    meeting.cancellable(cancel, evaluate(held)).await?;
    meeting.close(function, cancel).await
}

/// Sends the interface; gives the owner's answer.
fn announce(interface: &Interface) -> impl AsyncFnOnce(&mut Meeting) -> Result<u8, Failure> {
    let text = interface.to_json().to_string();
    async move |meeting: &mut Meeting| {
        meeting.operation = Operation::Announcing;
        meeting.channel()?.send(&(text.len() as u32).to_le_bytes()).await?;
        meeting.channel()?.send(text.as_bytes()).await?;
        let mut answer = [0];
        meeting.channel()?.receive_into(&mut answer).await?;
        Ok(answer[0])
    }
}

fn evaluate(held: Held) -> impl AsyncFnOnce(&mut Meeting) -> Result<(), Failure> {
    async move |meeting: &mut Meeting| {
        let mut prg = Prg::from_os()?;
        meeting.begin(Phase::Setup, Operation::Introducing);
        match held.function {
            Function::HalfElGamal(function) => {
                let mut holder = half_elgamal::Holder::new(function, &mut prg)?;
                let run = holder.introduce_and_prepare(meeting.channel()?).await?;
                meeting.begin(Phase::Online, Operation::Evaluating);
                Ok(run.evaluate(meeting.channel()?, &held.inputs, &mut prg).await?)
            }
            Function::UniversalCircuit(function) => {
                meeting.begin(Phase::Online, Operation::Evaluating);
                Ok(universal::hold(meeting.channel()?, function, &held.inputs, &mut prg).await?)
            }
        }
    }
}

/// The data's owner's part: the bits of the result, which are secret.
async fn own(
    meeting: &mut Meeting,
    (protocol, size): (Protocol, Size),
    inputs: &[bool],
) -> Result<Vec<bool>, Failure> {
    let mut prg = Prg::from_os()?;
    meeting.begin(Phase::Setup, Operation::Introducing);
    match protocol {
        Protocol::HalfElGamal => {
            let mut owner = half_elgamal::Owner::new(size);
            let run = owner.introduce_and_prepare(meeting.channel()?, &mut prg).await?;
            meeting.begin(Phase::Online, Operation::Evaluating);
            Ok(run.evaluate(meeting.channel()?, inputs, &mut prg).await?)
        }
        Protocol::UniversalCircuit => {
            meeting.begin(Phase::Online, Operation::Evaluating);
            let size = UniversalSize::new(size).map_err(PfeError::from)?;
            Ok(universal::evaluate(meeting.channel()?, &size, inputs, &mut prg).await?)
        }
    }
}

/// What the data's owner goes by when a function is announced.
#[derive(Clone, Debug)]
pub struct Accepted {
    /// Most gates and inputs together.
    pub max_gates: usize,
    /// The interface that the function must have, if it is known.
    pub interface: Option<Interface>,
}

/// A function that the peer has announced to this party, the data's owner, who has sent nothing of its data yet.
///
/// Dropping it looks to the peer like a crash.
#[derive(Debug)]
pub struct Announced {
    meeting: Meeting,
    interface: Interface,
}

impl Announced {
    /// Meets the holder of a function and hears what it is.
    ///
    /// # Errors
    /// [`RunError::Failed`], with [`PrivateError::TooLarge`], [`PrivateError::OtherInterface`], [`PrivateError::Announced`], of which
    /// the holder is told; else as [`crate::run`].
    pub async fn meet(
        terms: SessionTerms,
        accepted: &Accepted,
        cancel: &CancelFlag,
    ) -> Result<Announced, RunError> {
        let mut meeting = Meeting::meet(terms, PrivateSide::Owner, cancel).await?;
        let text = meeting.cancellable(cancel, hear).await?;
        let interface =
            match String::from_utf8(text).map_err(|_| InterfaceError::Form("it is no text".into())) {
                Ok(text) => Interface::parse(&text),
                Err(error) => Err(error),
            };
        let interface = match interface {
            Ok(interface) => interface,
            Err(error) => return Err(meeting.refuse(DECLINED, PrivateError::Announced(error), cancel).await),
        };
        match accepted.refuses(&interface) {
            None => Ok(Announced { meeting, interface }),
            Some((word, error)) => Err(meeting.refuse(word, error, cancel).await),
        }
    }

    /// What is public of the function.
    pub fn interface(&self) -> &Interface {
        &self.interface
    }

    /// Gives this party's data, an object of variables to values, to the function; returns the result, and what it cost. `inputs` are secret.
    ///
    /// # Errors
    /// [`PrivateError::Data`] for data that do not fit, of which the holder hears only that this party does not go on; else as [`crate::run`].
    pub async fn run(
        mut self,
        inputs: &Value,
        cancel: &CancelFlag,
    ) -> Result<(Value, PrivateReport), RunError> {
        let bits = match self.interface.encode(inputs) {
            Ok(bits) => bits,
            Err(error) => return Err(self.meeting.refuse(DECLINED, error.into(), cancel).await),
        };
        let function = (self.interface.protocol(), *self.interface.size());
        let work = async |meeting: &mut Meeting| {
            meeting.channel()?.send(&[ACCEPTED]).await?;
            meeting.channel()?.flush().await?;
            own(meeting, function, &bits).await
        };
        let outputs = self.meeting.cancellable(cancel, work).await?;
        let report = self.meeting.close(function, cancel).await?;
        Ok((self.interface.decode(&outputs), report))
    }

    /// Does not give data to the function, and tells its holder so.
    ///
    /// # Errors
    /// [`RunError::Failed`] where the holder is gone.
    pub async fn decline(self, cancel: &CancelFlag) -> Result<(), RunError> {
        match self.meeting.refuse(DECLINED, PrivateError::Declined, cancel).await {
            RunError::Failed { source, .. }
                if matches!(*source, Failure::Private(PrivateError::Declined)) =>
            {
                Ok(())
            }
            error => Err(error),
        }
    }
}

/// Receives the text of an interface, of a length that is checked first.
async fn hear(meeting: &mut Meeting) -> Result<Vec<u8>, Failure> {
    meeting.operation = Operation::Announcing;
    let mut length = [0; 4];
    meeting.channel()?.receive_into(&mut length).await?;
    let given = u32::from_le_bytes(length) as usize;
    if given > MAX_INTERFACE_BYTES {
        return Err(PrivateError::Announced(InterfaceError::Length { given }).into());
    }
    let mut text = vec![0; given];
    meeting.channel()?.receive_into(&mut text).await?;
    Ok(text)
}

impl Accepted {
    /// Why a function is not accepted, and the word that says so to its holder.
    fn refuses(&self, announced: &Interface) -> Option<(u8, PrivateError)> {
        let wires = announced.size().wires();
        if wires > self.max_gates {
            let error = PrivateError::TooLarge { announced: wires, limit: self.max_gates };
            return Some((TOO_LARGE, error));
        }
        let (what, ours, theirs) = self.interface.as_ref()?.difference(announced)?;
        Some((OTHER_INTERFACE, PrivateError::OtherInterface { what, ours, theirs }))
    }
}

impl From<PfeError> for Failure {
    fn from(error: PfeError) -> Failure {
        match error {
            PfeError::Net(error) => Failure::Net(error),
            PfeError::Ot(error) => error.into(),
            PfeError::Entropy(error) => Failure::Entropy(error),
            other => Failure::Pfe(other),
        }
    }
}

/// An [`Announced`] function for callers without a runtime of their own: each call blocks its thread until it is done.
#[derive(Debug)]
pub struct BlockingAnnounced {
    announced: Announced,
    runtime: Runtime,
}

impl BlockingAnnounced {
    /// As [`Announced::meet`].
    ///
    /// # Errors
    /// As there, and [`RunError::System`].
    pub fn meet(
        terms: SessionTerms,
        accepted: &Accepted,
        cancel: &CancelFlag,
    ) -> Result<BlockingAnnounced, RunError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let announced = runtime.block_on(Announced::meet(terms, accepted, cancel))?;
        Ok(BlockingAnnounced { announced, runtime })
    }

    /// As [`Announced::interface`].
    pub fn interface(&self) -> &Interface {
        self.announced.interface()
    }

    /// As [`Announced::run`].
    ///
    /// # Errors
    /// As there.
    pub fn run(self, inputs: &Value, cancel: &CancelFlag) -> Result<(Value, PrivateReport), RunError> {
        self.runtime.block_on(self.announced.run(inputs, cancel))
    }

    /// As [`Announced::decline`].
    ///
    /// # Errors
    /// As there.
    pub fn decline(self, cancel: &CancelFlag) -> Result<(), RunError> {
        self.runtime.block_on(self.announced.decline(cancel))
    }
}

/// What a channel is missing for, where a session is over.
fn over(peer: &str) -> NetError {
    NetError::Cancelled { peer: peer.to_owned() }
}
