//! Agreement of two parties on the shares that both have stored, and on storing new ones.

use tacit_crypto::Prg;
use tacit_ir::{InputPort, OutputPort, Program, Words};
use tacit_math::Block;
use tacit_net::Channel;
use tacit_plan::Plan;
use zeroize::Zeroizing;

use super::{PartyPair, ShareKind, ShareStore, ShareStoreError, Stamp, Stamps};
use crate::inputs::PartyInputs;
use crate::peer_fault::PeerFault;
use crate::{Failure, Operation, sharing};

/// The message that a party's shares are durable.
pub(crate) const WRITTEN: [u8; 1] = [0x6b];

/// A port whose value is read from a store, or kept in it.
struct StoredPort<'p> {
    number: u32,
    name: &'p str,
    kind: ShareKind,
}

/// Whether a program reads or keeps shares.
pub(crate) fn keeps(program: &Program) -> bool {
    program.inputs.iter().any(|port| port.is_stored(program))
        || program.outputs.iter().any(|port| port.is_stored(program))
}

/// The ports of a run that are read from a store or kept in it.
pub(crate) struct StoredPorts<'s> {
    store: &'s mut ShareStore,
    pair: PartyPair,
    channel: Channel,
    run: [u8; 32],
    reads: Vec<StoredPort<'s>>,
    keeps: Vec<StoredPort<'s>>,
    /// The latest version of each name that is kept again, at either party.
    latest: Vec<u64>,
}

impl<'s> StoredPorts<'s> {
    /// Starts for a run of a program that [`keeps`]. `run` is its identity: the same at both parties, and unique.
    pub fn start(
        (program, plan): (&'s Program, &Plan),
        (store, pair): (&'s mut ShareStore, PartyPair),
        (channel, run): (Channel, [u8; 32]),
    ) -> StoredPorts<'s> {
        let inputs = (0..).zip(&program.inputs).filter(|(_, port)| port.is_stored(program));
        let outputs = (0..).zip(&program.outputs).filter(|(_, port)| port.is_stored(program));
        let read = |(number, port): (u32, &'s InputPort)| {
            let kind = ShareKind::new(&port.shape, &plan.input_forms(program, number));
            StoredPort { number, name: &port.name, kind }
        };
        let kept = |(number, port): (u32, &'s OutputPort)| {
            let kind = ShareKind::new(&port.shape, &plan.output_forms(program, number));
            StoredPort { number, name: &port.name, kind }
        };
        let (reads, keeps) = (inputs.map(read).collect(), outputs.map(kept).collect());
        StoredPorts { store, pair, channel, run, reads, keeps, latest: Vec::new() }
    }

    /// Agrees on the values that both parties have, and reads this party's shares of them.
    ///
    /// Cost: 48 bytes each way for every name, in one message.
    pub async fn receive(
        &mut self,
        inputs: &mut PartyInputs,
        operation: &mut Operation,
    ) -> Result<(), Failure> {
        *operation = Operation::StoredShares;
        let ports = || self.reads.iter().chain(&self.keeps);
        let ours: Vec<Stamps> = ports().map(|port| self.store.stamps(&self.pair, port.name)).collect();
        let bytes: Vec<u8> = ours.iter().flat_map(|stamps| stamps.to_bytes()).collect();
        self.channel.send(&bytes).await?;
        let mut theirs = Vec::with_capacity(ours.len());
        for _ in &ours {
            let mut bytes = [0; Stamps::BYTES];
            self.channel.receive_into(&mut bytes).await?;
            theirs.push(Stamps::from_bytes(&bytes));
        }
        let (ours_read, ours_kept) = ours.split_at(self.reads.len());
        let (theirs_read, theirs_kept) = theirs.split_at(self.reads.len());
        let agreed = self.reads.iter().zip(ours_read.iter().zip(theirs_read));
        let mut agreed: Vec<(&str, Stamp)> = agreed
            .map(|(port, (ours, theirs))| Ok((port.name, agree(port.name, &self.pair, *ours, *theirs)?)))
            .collect::<Result<_, ShareStoreError>>()?;
        // A value that is replaced without being read need not exist, but it is not lost before.
        let replaced = self.keeps.iter().zip(ours_kept.iter().zip(theirs_kept));
        agreed.extend(replaced.filter_map(|(port, (ours, theirs))| {
            Some((port.name, agree(port.name, &self.pair, *ours, *theirs).ok()?))
        }));
        self.latest = ours_kept.iter().zip(theirs_kept).map(|(a, b)| a.latest().max(b.latest())).collect();
        self.store.settle(&self.pair, &agreed)?;
        for port in &self.reads {
            inputs.add_shares(port.number, self.store.read(&self.pair, port.name, &port.kind)?);
        }
        Ok(())
    }

    /// Keeps this party's shares of outputs, once the other has written its own. Returns the stream.
    pub async fn give(
        mut self,
        shares: &[Vec<Words>],
        operation: &mut Operation,
    ) -> Result<Channel, Failure> {
        *operation = Operation::StoredShares;
        let kept: Vec<NewShare<'_>> = self
            .keeps
            .iter()
            .zip(&self.latest)
            .map(|(port, latest)| {
                let stamp = stamp(&self.run, port.name, latest.saturating_add(1));
                (port.name, port.kind.clone(), stamp, &shares[port.number as usize][..])
            })
            .collect();
        keep(self.store, &self.pair, &mut self.channel, (&self.run, &kept)).await?;
        Ok(self.channel)
    }

    /// Ends without keeping anything. Returns the stream.
    pub fn leave(self) -> Channel {
        self.channel
    }
}

/// A new share to store: its name, its kind, its stamp, and this party's share.
pub(crate) type NewShare<'k> = (&'k str, ShareKind, Stamp, &'k [Words]);

/// Keeps this party's renewed shares of values of the run with this identity, once the other party has written its own.
pub(crate) async fn keep(
    store: &mut ShareStore,
    pair: &PartyPair,
    channel: &mut Channel,
    (run, kept): (&[u8; 32], &[NewShare<'_>]),
) -> Result<(), Failure> {
    store.step("keeping")?;
    let anew: Vec<Vec<Words>> = kept
        .iter()
        .map(|(name, kind, stamp, columns)| renew(pair, (run, *name, stamp.version), kind, columns))
        .collect();
    let renewed: Vec<NewShare<'_>> = kept
        .iter()
        .zip(&anew)
        .map(|((name, kind, stamp, _), columns)| (*name, kind.clone(), *stamp, &columns[..]))
        .collect();
    store.keep(pair, &renewed)?;
    store.step("written")?;
    channel.send(&WRITTEN).await?;
    let mut said = [0];
    channel.receive_into(&mut said).await?;
    if said != WRITTEN {
        return Err(PeerFault::NotKept { byte: said[0] }.by(channel.peer()));
    }
    store.step("acknowledged")?;
    let stamped: Vec<(&str, Stamp)> = kept.iter().map(|(name, _, stamp, _)| (*name, *stamp)).collect();
    store.settle(pair, &stamped)?;
    Ok(store.step("kept")?)
}

/// Identifies the value that a run keeps under a name: the same at both parties, and unique.
pub(crate) fn stamp(run: &[u8; 32], name: &str, version: u64) -> Stamp {
    let mut hasher = blake3::Hasher::new_derive_key("tacit 2026 identity of a kept value, version 1");
    hasher.update(run).update(&version.to_le_bytes()).update(name.as_bytes());
    let mut id = [0; 16];
    hasher.finalize_xof().fill(&mut id);
    Stamp { version, id }
}

/// A share of the same value that reveals nothing together with any share of an earlier run.
///
/// A run may keep a value that it read, or a sum of such values. Then shares would not change, and one party's old folder and the other's new
/// one would determine the value. So one party adds words to its share, and the other subtracts them from its own. Both expand them from `run`,
/// the identity of the link and the run, which includes the TLS exporter, and neither stores them. The stored stamp is another hash of it.
///
/// Security: the words are pseudorandom to anyone who has not seen the run itself (BLAKE3 as a key derivation, AES in counter mode). `columns` are
/// secret.
fn renew(
    pair: &PartyPair,
    (run, name, version): (&[u8; 32], &str, u64),
    kind: &ShareKind,
    columns: &[Words],
) -> Vec<Words> {
    let mut hasher = blake3::Hasher::new_derive_key("tacit 2026 fresh shares of a kept value, version 1");
    hasher.update(run).update(&version.to_le_bytes()).update(name.as_bytes());
    let mut seed = Zeroizing::new([0; 16]);
    hasher.finalize_xof().fill(&mut *seed);
    let mut prg = Prg::new(Block(u128::from_le_bytes(*seed)));
    let forms = kind.forms();
    let renewed = forms.iter().zip(columns).map(|(form, share)| {
        let common = sharing::expand(form, &mut prg);
        match pair.key < pair.peer_key {
            true => sharing::combine(form, [share, &common]),
            false => sharing::complement(form, share, &common),
        }
    });
    renewed.collect()
}

/// The latest value that both parties have.
pub(crate) fn agree(
    name: &str,
    pair: &PartyPair,
    ours: Stamps,
    theirs: Stamps,
) -> Result<Stamp, ShareStoreError> {
    let both = ours.all().filter(|stamp| theirs.all().any(|other| other == *stamp));
    if let Some(stamp) = both.max_by_key(|stamp| stamp.version) {
        return Ok(stamp);
    }
    let (name, peer) = (name.to_owned(), pair.peer.clone());
    Err(match (ours.latest(), theirs.latest()) {
        (ours, 0) => ShareStoreError::Missing { name, peer, here: ours > 0 },
        (0, _) => ShareStoreError::Missing { name, peer, here: false },
        (ours, theirs) if ours == theirs => ShareStoreError::Unrelated { name, peer, version: ours },
        (ours, theirs) => ShareStoreError::Apart { name, peer, ours, theirs },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamps(current: u64, pending: u64) -> Stamps {
        let stamp = |version: u64| {
            (version > 0).then_some(Stamp { version: version & 0xff, id: [(version >> 8) as u8; 16] })
        };
        Stamps { current: stamp(current), pending: stamp(pending) }
    }

    fn agreed(ours: Stamps, theirs: Stamps) -> Result<u64, String> {
        let pair = PartyPair { key: [1; 32], peer_key: [2; 32], peer: "B".to_owned() };
        agree("x", &pair, ours, theirs).map(|stamp| stamp.version).map_err(|error| error.to_string())
    }

    #[test]
    fn the_latest_that_both_have_counts_wherever_either_ended() {
        assert_eq!(agreed(stamps(3, 0), stamps(3, 0)), Ok(3));
        // One party or both have written, and neither, one or the other knew it.
        assert_eq!(agreed(stamps(3, 4), stamps(3, 0)), Ok(3));
        assert_eq!(agreed(stamps(3, 4), stamps(3, 4)), Ok(4));
        assert_eq!(agreed(stamps(4, 0), stamps(3, 4)), Ok(4));
        assert_eq!(agreed(stamps(0, 1), stamps(1, 0)), Ok(1));
        // Two runs wrote the same version.
        assert_eq!(agreed(stamps(3, 0x104), stamps(3, 0x204)), Ok(3));
    }

    #[test]
    fn who_is_ahead_is_said() {
        let message = |ours, theirs| agreed(ours, theirs).unwrap_err();
        assert!(message(stamps(5, 0), stamps(3, 0)).contains("this party is ahead"));
        assert!(message(stamps(3, 0), stamps(5, 6)).contains("B is ahead"));
        assert!(message(stamps(0x103, 0), stamps(0x203, 0)).contains("version 3 is of one run here"));
        assert!(message(stamps(0, 0), stamps(0, 0)).contains("nothing is kept as x with B"));
        assert!(message(stamps(1, 0), stamps(0, 0)).contains("only here"));
        assert!(message(stamps(0, 0), stamps(1, 0)).contains("nothing is kept as x"));
    }
}
