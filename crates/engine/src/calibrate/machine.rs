//! Exchanges how fast both machines compute: the plan of a run uses the rates of the slower one.

use std::fmt;
use std::time::Duration;

use tacit_net::Channel;
use tacit_plan::Profile;
use tacit_schedule::Unit;
use tokio::sync::oneshot;
use tokio::time::sleep;

use super::constants::{BUSY, MOST_MACHINE, READY};
use super::{Programs, calibrate};
use crate::peer_fault::{CalibrationFault, PeerFault};
use crate::{Failure, ProfileFile, RunError};

/// How often the parties tell each other that they still measure.
const TICK: Duration = Duration::from_secs(1);
/// The greatest rate of a peer: a unit of a thousand seconds.
const MOST_RATE: u64 = 1_000_000_000_000_000;

const RATE_BYTES: usize = 8 * Unit::ALL.len();

/// How fast this party's machine computes.
pub enum OwnMachine {
    /// A profile that it has measured before.
    Known(Box<ProfileFile>),
    /// It is measured as by [`calibrate`](super::calibrate), while the peer does the same.
    Measured {
        /// The name of the profile.
        name: String,
        /// How programs are measured.
        programs: Programs,
        /// Gets how many programs of how many have run.
        watch: Box<dyn FnMut(usize, usize) + Send>,
    },
}

impl fmt::Debug for OwnMachine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            OwnMachine::Known(_) => "a known machine",
            OwnMachine::Measured { .. } => "a machine to be measured",
        })
    }
}

/// The profiles of this machine and of the peer's.
pub(super) async fn both(
    channel: &mut Channel,
    own: OwnMachine,
    timeout: Duration,
) -> Result<[ProfileFile; 2], MachineError> {
    let own = measured(channel, own, TICK.min(timeout / 4)).await?;
    let peers = exchanged(channel, &own).await?;
    Ok([own, peers])
}

/// A failure of this machine's measurement, or of the exchange.
pub(super) enum MachineError {
    /// This machine cannot be measured.
    Own(RunError),
    /// The link or the peer.
    Link(Failure),
}

impl<E: Into<Failure>> From<E> for MachineError {
    fn from(error: E) -> MachineError {
        MachineError::Link(error.into())
    }
}

/// Measures this machine on a thread of its own, unless that was done before. Returns once the peer is ready, too.
async fn measured(
    channel: &mut Channel,
    own: OwnMachine,
    tick: Duration,
) -> Result<ProfileFile, MachineError> {
    let (told, mut ends) = oneshot::channel();
    match own {
        OwnMachine::Known(profile) => drop(told.send(Ok(*profile))),
        OwnMachine::Measured { name, programs, mut watch } => {
            let work = move || {
                let measured = calibrate(&name, programs, &mut watch).map(ProfileFile::of_here);
                // The caller may have given up.
                let _ = told.send(measured);
            };
            let thread = std::thread::Builder::new().name("tacit calibrate".into()).spawn(work);
            thread.map_err(|error| MachineError::Own(error.into()))?;
        }
    }
    let mut found = None;
    loop {
        if found.is_none() {
            tokio::select! {
                biased;
                end = &mut ends => found = Some(end),
                () = sleep(tick) => {}
            }
        }
        let is_peer_ready = is_ready(channel, found.is_some()).await?;
        if let (Some(end), true) = (&mut found, is_peer_ready) {
            let stopped = || std::io::Error::other("measuring this machine has stopped").into();
            let end = std::mem::replace(end, Ok(Err(stopped())));
            return end.unwrap_or_else(|_| Err(stopped())).map_err(MachineError::Own);
        }
    }
}

/// Tells the peer whether this party is ready; returns whether the peer is.
async fn is_ready(channel: &mut Channel, own: bool) -> Result<bool, Failure> {
    let mut peers = [0];
    channel.exchange(&[if own { READY } else { BUSY }], &mut peers).await?;
    match peers[0] {
        READY => Ok(true),
        BUSY => Ok(false),
        byte => Err(PeerFault::from(CalibrationFault::State { byte }).by(channel.peer())),
    }
}

/// Sends this machine's profile, and receives the peer's.
async fn exchanged(channel: &mut Channel, own: &ProfileFile) -> Result<ProfileFile, Failure> {
    let mut rates = [0; RATE_BYTES];
    let each = rates.chunks_mut(8).zip(Unit::ALL);
    each.for_each(|(chunk, unit)| chunk.copy_from_slice(&own.profile.rate(*unit).to_le_bytes()));
    let mut peers = [0; RATE_BYTES];
    channel.exchange(&rates, &mut peers).await?;
    let profile = profile(&peers).map_err(|fault| PeerFault::from(fault).by(channel.peer()))?;
    let machine = exchanged_machine(channel, &own.machine).await?;
    Ok(ProfileFile { profile, machine, other_machine: None, link: None })
}

/// The profile of these rates.
fn profile(bytes: &[u8; RATE_BYTES]) -> Result<Profile, CalibrationFault> {
    let mut profile = Profile::default();
    for (unit, chunk) in Unit::ALL.iter().zip(bytes.chunks_exact(8)) {
        let mut little = [0; 8];
        little.copy_from_slice(chunk);
        let picoseconds = u64::from_le_bytes(little);
        if !(1..=MOST_RATE).contains(&picoseconds) {
            return Err(CalibrationFault::Rate { unit: unit.name(), picoseconds });
        }
        profile = profile.with(*unit, picoseconds);
    }
    Ok(profile)
}

/// Sends the description of this machine, and receives that of the peer's: a byte with its length, then its text.
async fn exchanged_machine(channel: &mut Channel, own: &str) -> Result<String, Failure> {
    let own = cut(own);
    let mut length = [0];
    channel.exchange(&[own.len() as u8], &mut length).await?;
    let length = usize::from(length[0]);
    if length > MOST_MACHINE {
        return Err(PeerFault::from(CalibrationFault::Machine { limit: MOST_MACHINE }).by(channel.peer()));
    }
    let mut text = vec![0; length];
    channel.exchange(own.as_bytes(), &mut text).await?;
    let text = String::from_utf8(text).ok().filter(|text| !text.chars().any(char::is_control));
    text.ok_or_else(|| PeerFault::from(CalibrationFault::Machine { limit: MOST_MACHINE }).by(channel.peer()))
}

/// As much of the description as a message may have, without control characters.
fn cut(machine: &str) -> String {
    let mut all = String::new();
    for character in machine.chars().filter(|character| !character.is_control()) {
        if all.len() + character.len_utf8() > MOST_MACHINE {
            break;
        }
        all.push(character);
    }
    all
}

#[cfg(test)]
mod tests {
    use tacit_net::{Options, memory};

    use super::super::constants::STREAM;
    use super::*;

    fn pair() -> (Channel, Channel) {
        let (a, b) = memory::pair(Options::default());
        (a.open(STREAM).expect("a stream"), b.open(STREAM).expect("a stream"))
    }

    fn known(machine: &str, word: u64) -> ProfileFile {
        let profile = Profile::named("p").with(Unit::Word, word);
        ProfileFile { machine: machine.to_owned(), ..ProfileFile::of_here(profile) }
    }

    async fn of_both(channel: &mut Channel, own: ProfileFile) -> Result<[ProfileFile; 2], String> {
        let both = both(channel, OwnMachine::Known(Box::new(own)), Duration::from_secs(4)).await;
        both.map_err(|error| match error {
            MachineError::Own(error) => error.to_string(),
            MachineError::Link(failure) => failure.to_string(),
        })
    }

    #[tokio::test]
    async fn both_parties_have_both_machines() {
        let (mut a, mut b) = pair();
        let own = [known("a fast one", 5), known(&"slow\n".repeat(100), 9)];
        let (at_a, at_b) = tokio::join!(of_both(&mut a, own[0].clone()), of_both(&mut b, own[1].clone()));
        let ([first, second], [other, last]) = (at_a.expect("exchanged"), at_b.expect("exchanged"));
        assert_eq!((first.profile.rate(Unit::Word), second.profile.rate(Unit::Word)), (5, 9));
        assert_eq!((other.profile.rate(Unit::Word), last.profile.rate(Unit::Word)), (9, 5));
        assert_eq!((&second.machine, &last.machine[..]), (&"slow".repeat(50), "a fast one"));
    }

    /// How this party ends if the peer sends these bytes once it is ready.
    async fn refused(sent: &[&[u8]]) -> String {
        let (mut a, mut b) = pair();
        let sends = async {
            for bytes in sent {
                b.send(bytes).await.expect("sent");
            }
            b.flush().await.expect("sent");
        };
        let (at_a, ()) = tokio::join!(of_both(&mut a, known("here", 1)), sends);
        at_a.expect_err("refused")
    }

    #[tokio::test]
    async fn what_a_peer_sends_is_bounded() {
        let one = 1u64.to_le_bytes().repeat(Unit::ALL.len());
        let error = refused(&[&[0x7c]]).await;
        assert!(error.contains("0x7c means neither"), "{error}");
        for rate in [0, MOST_RATE + 1, u64::MAX] {
            let rates = [&rate.to_le_bytes(), &one[8..]].concat();
            let error = refused(&[&[READY], &rates]).await;
            assert!(
                error.contains(&format!("takes {rate} picoseconds for {}", Unit::ALL[0].name())),
                "{error}"
            );
        }
        for (length, text) in [(201, &[b'a'; 201][..]), (2, b"\xff\xff"), (2, b"a\n")] {
            let error = refused(&[&[READY], &one, &[length], text]).await;
            assert!(error.contains("is no text of at most 200 bytes"), "{error}");
        }
    }
}
