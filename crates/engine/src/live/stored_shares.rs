//! Stored shares in live sessions: the values that a session reads, and those that it keeps when it ends.
//!
//! When the session begins, the parties exchange the names of all their stored values. So the program reads values without asking
//! the peer: those that both had when it began. Values are kept at its end, all or none, as by runs. A value's shares are the
//! colours of its labels, so a value that is read is an input of both parties, and keeping one costs nothing but its space on disk.

use std::collections::BTreeMap;

use tacit_ir::{BinaryOp, Op, Shape, Type, ValueId, ValueType, Words};
use tacit_net::Channel;
use tacit_plan::{Recipients, ShareForm, Side};
use tacit_schedule::Combined;
use tacit_twoparty::yao::live::colours;
use zeroize::Zeroizing;

use super::error::LiveError;
use super::script::{self, LivePath, Open, Opening, Script, SourcePlace};
use super::session_store::SessionStore;
use super::value::LiveValue;
use crate::Failure;
use crate::peer_fault::{LiveFault, PeerFault};
use crate::stored_shares::{self, NewShare, PartyPair, ShareKind, ShareStore, ShareStoreError, Stamps};
use tacit_schedule::walk::WalkError;
use tacit_twoparty::bits;

/// Limits of what a peer can make this party hold: the number of names that it may announce, the bytes of one name, and the bytes of all names.
const MAX_NAMES: usize = 1 << 16;
const MAX_NAME_BYTES: usize = 1 << 12;
const MAX_BYTES: usize = 1 << 21;

impl SessionStore {
    /// Exchanges with the peer the names and versions that each has, and uses those that both have.
    ///
    /// Cost: 50 bytes and the name for every name, and 4 more, each way in one message.
    ///
    /// # Errors
    /// [`ShareStoreError::TooMany`] if this party's store has more names than it may announce; [`NetError::Protocol`] if the peer
    /// announces too many.
    pub async fn open(
        channel: &mut Channel,
        mut store: ShareStore,
        pair: PartyPair,
    ) -> Result<SessionStore, Failure> {
        let ours = store.with(&pair);
        let bytes = ours.iter().map(|(name, _)| name.len()).sum();
        let long = ours.iter().any(|(name, _)| name.len() > MAX_NAME_BYTES);
        if ours.len() > MAX_NAMES || bytes > MAX_BYTES || long {
            return Err(
                ShareStoreError::TooMany { names: ours.len(), bytes, most: [MAX_NAMES, MAX_BYTES] }.into()
            );
        }
        channel.send(&(ours.len() as u32).to_le_bytes()).await?;
        for (name, stamps) in &ours {
            channel.send(&(name.len() as u16).to_le_bytes()).await?;
            channel.send(name.as_bytes()).await?;
            channel.send(&stamps.to_bytes()).await?;
        }
        let theirs = hear(channel).await?;
        let both = ours.iter().filter_map(|(name, stamps)| {
            // Names without a common version are reported when they are read.
            let stamp = stored_shares::agree(name, &pair, *stamps, *theirs.get(name)?).ok()?;
            Some((&name[..], stamp))
        });
        store.settle(&pair, &both.collect::<Vec<_>>())?;
        Ok(SessionStore { store, pair, theirs, to_keep: BTreeMap::new() })
    }

    /// This party's share of the value that both had under a name when the session began. Secret.
    ///
    /// # Errors
    /// [`LiveError::ShareStore`] for a value that does not exist, or is of another type.
    pub fn read(&self, name: &str, kind: &ShareKind) -> Result<Words, LiveError> {
        let refused = |error: ShareStoreError| LiveError::ShareStore { reason: error.to_string() };
        let ours = self.store.with(&self.pair).into_iter().find(|(known, _)| known == name);
        // A party has no stamps of a value that it does not have, so agreeing fails.
        let ours = ours.map(|(_, stamps)| stamps).unwrap_or_default();
        let theirs = self.theirs.get(name).copied().unwrap_or_default();
        stored_shares::agree(name, &self.pair, ours, theirs).map_err(refused)?;
        let columns = self.store.read(&self.pair, name, kind).map_err(refused)?;
        columns.into_iter().next().ok_or(LiveError::Unsupported { what: "a stored value of no columns" })
    }

    /// Keeps a value when the session ends.
    ///
    /// # Errors
    /// [`LiveError::KeptTwice`], [`LiveError::LongName`].
    pub fn put(&mut self, name: &str, kind: ShareKind, value: &LiveValue) -> Result<(), LiveError> {
        if name.len() > MAX_NAME_BYTES {
            return Err(LiveError::LongName { bytes: name.len(), most: MAX_NAME_BYTES });
        }
        if self.to_keep.contains_key(name) {
            return Err(LiveError::KeptTwice { name: name.to_owned() });
        }
        self.to_keep.insert(name.to_owned(), (kind, value.clone()));
        Ok(())
    }

    /// Keeps the registered values, whose names are the same at both parties, and returns the store. `run` is the identity of the
    /// session's link.
    pub async fn close(mut self, channel: &mut Channel, run: &[u8; 32]) -> Result<ShareStore, Failure> {
        if self.to_keep.is_empty() {
            return Ok(self.store);
        }
        let ours: BTreeMap<String, Stamps> = self.store.with(&self.pair).into_iter().collect();
        let latest = |stamps: &BTreeMap<String, Stamps>, name: &str| {
            stamps.get(name).map_or(0, |stamps| stamps.latest())
        };
        let mut shares = Vec::with_capacity(self.to_keep.len());
        for (_, value) in self.to_keep.values() {
            shares.push([share(value)?]);
        }
        let new: Vec<NewShare<'_>> = self
            .to_keep
            .iter()
            .zip(&shares)
            .map(|((name, (kind, _)), share)| {
                let version = latest(&ours, name).max(latest(&self.theirs, name)).saturating_add(1);
                (&name[..], kind.clone(), stored_shares::stamp(run, name, version), &share[..])
            })
            .collect();
        stored_shares::keep(&mut self.store, &self.pair, channel, (run, &new)).await?;
        Ok(self.store)
    }
}

impl Script {
    /// Appends the reading of a value that earlier runs have kept, as it was when the session began: an input of which
    /// each party has a share.
    ///
    /// # Errors
    /// [`LiveError::NoStore`], [`LiveError::ShareStore`] for a value that does not exist or is of another type, as
    /// [`Script::input`].
    pub fn stored(
        &self,
        path: LivePath,
        name: &str,
        shape: &Shape,
        place: &SourcePlace,
    ) -> Result<LiveValue, LiveError> {
        let kind = kind_of(shape)?;
        let share = {
            let state = self.0.state();
            state.shares.as_ref().ok_or(LiveError::NoStore)?.read(name, &kind)?
        };
        let (ty, me) = (share.value_type(), self.side());
        let given = |giver: Side| {
            let words = (giver == me).then(|| share.clone());
            self.input(path, giver, &format!("kept {name} {kind}"), ty, words, place)
        };
        let halves = [given(Side::Garbler)?, given(Side::Evaluator)?];
        let half = |value: ValueId| halves.get(value.index()).cloned();
        let op = Op::Binary(BinaryOp::Xor, ValueId(0), ValueId(1));
        let whole = self.operation(path, op, half, None, &[ty], place)?;
        whole.into_iter().next().ok_or(LiveError::Foreign)
    }

    /// Appends that a value is kept under a name, once, when the session ends.
    ///
    /// # Errors
    /// [`LiveError::NoStore`], [`LiveError::KeptTwice`], [`LiveError::Foreign`] for a value of another type than the shape's.
    pub fn keep(
        &self,
        path: LivePath,
        name: &str,
        shape: &Shape,
        value: &LiveValue,
        place: &SourcePlace,
    ) -> Result<(), LiveError> {
        let kind = kind_of(shape)?;
        let fits =
            |column: &tacit_ir::Column| ValueType::word(column.bits, column.lanes) == value.value_type();
        if !shape.columns().iter().all(fits) {
            return Err(LiveError::Foreign);
        }
        let mut content = blake3::Hasher::new();
        content.update(format!("keep {name} {kind}").as_bytes());
        script::name(&mut content, &value.0);
        self.0.state().shares.as_mut().ok_or(LiveError::NoStore)?.put(name, kind, value)?;
        self.append(path, "keep", place, content, |state, path, number| {
            if state.failure.is_none() {
                let opening: Opening = Box::new(drop);
                state.await_opening((path, number), opening);
            }
            (script::StepKind::Open(Open { value: value.0.clone(), recipients: Recipients::Nobody }), ())
        })
    }
}

/// How values of labels are kept: as bits.
///
/// # Errors
/// [`LiveError::Unsupported`] for a shape of several columns, which no live value has.
fn kind_of(shape: &Shape) -> Result<ShareKind, LiveError> {
    let columns = shape.columns();
    let [column] = &columns[..] else {
        return Err(LiveError::Unsupported { what: "a stored value of several columns" });
    };
    let form =
        ShareForm { bits: column.bits, lanes: column.lanes, combined: Combined::ExclusiveOr, signed: false };
    Ok(ShareKind::new(shape, &[form]))
}

/// This party's share of a value that has labels.
fn share(value: &LiveValue) -> Result<Words, Failure> {
    let labels = value.0.labels().ok_or(Failure::Walk(WalkError::Unwritten))?;
    let Type::Word(width) = value.0.ty.ty else { return Err(WalkError::Domain.into()) };
    Ok(bits::to_words(&Zeroizing::new(colours(labels)), 0, width, value.0.ty.lanes))
}

/// Receives the names and versions of the peer.
async fn hear(channel: &mut Channel) -> Result<BTreeMap<String, Stamps>, Failure> {
    let peer = channel.peer();
    let broken = |fault: LiveFault| PeerFault::from(fault).by(peer.clone());
    let mut count = [0; 4];
    channel.receive_into(&mut count).await?;
    let mut heard = Heard::default();
    for _ in 0..names(count).map_err(broken)? {
        let mut length = [0; 2];
        channel.receive_into(&mut length).await?;
        let length = heard.length(length).map_err(broken)?;
        let (mut name, mut stamps) = (vec![0; length], [0; Stamps::BYTES]);
        channel.receive_into(&mut name).await?;
        channel.receive_into(&mut stamps).await?;
        heard.take(name, &stamps).map_err(broken)?;
    }
    Ok(heard.all)
}

/// The number of names that the peer announces, or why it is refused.
fn names(count: [u8; 4]) -> Result<usize, LiveFault> {
    let count = u32::from_le_bytes(count) as usize;
    match count <= MAX_NAMES {
        true => Ok(count),
        false => Err(LiveFault::StoredNames { count, limit: MAX_NAMES }),
    }
}

/// The peer's names so far.
#[derive(Default)]
struct Heard {
    all: BTreeMap<String, Stamps>,
    /// Bytes of the names.
    bytes: usize,
}

impl Heard {
    /// The length of the next name, after checking the limits.
    fn length(&mut self, bytes: [u8; 2]) -> Result<usize, LiveFault> {
        let length = usize::from(u16::from_le_bytes(bytes));
        if length > MAX_NAME_BYTES {
            return Err(LiveFault::StoredName { length, limit: MAX_NAME_BYTES });
        }
        self.bytes += length;
        match self.bytes <= MAX_BYTES {
            true => Ok(length),
            false => Err(LiveFault::StoredNameBytes { limit: MAX_BYTES }),
        }
    }

    fn take(&mut self, name: Vec<u8>, stamps: &[u8; Stamps::BYTES]) -> Result<(), LiveFault> {
        let name = String::from_utf8(name).map_err(|_| LiveFault::StoredNameText)?;
        self.all.insert(name, Stamps::from_bytes(stamps));
        Ok(())
    }
}

/// See [`crate::fuzzing::live_names`].
pub(crate) fn fuzz(bytes: &[u8]) {
    let Some(heard) = heard(bytes) else { return };
    assert!(heard.all.keys().map(String::len).sum::<usize>() <= heard.bytes && heard.bytes <= MAX_BYTES);
    let mut again = (heard.all.len() as u32).to_le_bytes().to_vec();
    for (name, stamps) in &heard.all {
        again.extend((name.len() as u16).to_le_bytes());
        again.extend(name.as_bytes());
        again.extend(stamps.to_bytes());
    }
    assert!(self::heard(&again).is_some_and(|again| again.all == heard.all));
}

/// As [`hear`], for a peer that sends these bytes.
fn heard(mut bytes: &[u8]) -> Option<Heard> {
    let mut heard = Heard::default();
    for _ in 0..names(*bytes.split_off(..4)?.first_chunk()?).ok()? {
        let length = heard.length(*bytes.split_off(..2)?.first_chunk()?).ok()?;
        let name = bytes.split_off(..length)?.to_vec();
        heard.take(name, bytes.split_off(..Stamps::BYTES)?.first_chunk()?).ok()?;
    }
    Some(heard)
}

#[cfg(test)]
mod tests {
    use tacit_net::{Options, StreamId, memory};

    use super::*;

    /// The result of `hear` for a peer that announces `count` names of this length, and the number of names that the peer
    /// could send.
    async fn heard(count: usize, length: usize) -> (Result<usize, String>, usize) {
        let (peer, me) = memory::pair(Options::default());
        let (mut told, mut channel) = (peer.open(StreamId(5)).unwrap(), me.open(StreamId(5)).unwrap());
        let mut sent = 0;
        let tell = async {
            told.send(&(count as u32).to_le_bytes()).await?;
            for number in 0..count {
                told.send(&(length as u16).to_le_bytes()).await?;
                told.send(format!("{number:0length$}").as_bytes()).await?;
                told.send(&Stamps::default().to_bytes()).await?;
                sent = number + 1;
            }
            told.flush().await
        };
        let hear = async {
            let heard = hear(&mut channel).await;
            me.abort().await;
            heard
        };
        let (_, heard) = tokio::join!(tell, hear);
        (heard.map(|names| names.len()).map_err(|error| error.to_string()), sent)
    }

    #[tokio::test]
    async fn a_peer_cannot_make_a_session_hold_more_than_a_few_megabytes_of_names() {
        let (heard, sent) = heard(MAX_NAMES, MAX_NAME_BYTES).await;
        assert!(heard.unwrap_err().contains("bytes in total"));
        // The peer could at most send what is held, and what a stream's credit lets it send ahead.
        assert!(sent * MAX_NAME_BYTES < MAX_BYTES + Options::default().window + (1 << 20), "{sent} names");
    }

    #[tokio::test]
    async fn as_many_names_as_there_may_be_are_heard() {
        assert_eq!(heard(MAX_NAMES, MAX_BYTES / MAX_NAMES).await.0, Ok(MAX_NAMES));
        let error = heard(MAX_NAMES + 1, 5).await.0.unwrap_err();
        assert!(error.contains("stored values; at most"), "{error}");
    }
}
