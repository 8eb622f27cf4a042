//! P2, who has the data.

use core::ops::Range;

use tacit_crypto::Prg;
use tacit_he::{Threads, map_groups};
use tacit_net::Channel;
use zeroize::Zeroizing;

use super::bytes::{agree, flush};
use super::scheme::Pairs;
use super::{GROUP, Scheme};
use crate::bytes::windows;
use crate::entry::{self, RUN};
use crate::evaluation::{self, Labels};
use crate::rows::{ByteArray, KeyBytes, Rows};
use crate::{PfeError, Size};

/// The owner of the data, with a key pair that serves many runs.
pub struct Owner<S: Scheme> {
    scheme: S,
    size: Size,
    secret: S::Secret,
    introduced: bool,
    threads: Threads,
}

/// P2's state after setupN of a run: the keys of all wires.
pub struct OwnerWires<'a, S: Scheme> {
    owner: &'a Owner<S>,
    run: [u8; RUN],
    difference: Zeroizing<S::Number>,
    keys: Pairs<S::Key>,
}

/// P2's state between the setup of one run and its online phase.
pub struct OwnerRun<S: Scheme> {
    size: Size,
    run: [u8; RUN],
    inputs: Pairs<S::Key>,
    labels: Labels,
}

impl<S: Scheme> Owner<S> {
    /// The owner for functions of this size, with a fresh key pair. The peer must use the same scheme. `prg` must be secret and fresh.
    ///
    /// # Errors
    /// [`PfeError::He`].
    pub fn new(scheme: S, size: Size, prg: &mut Prg) -> Result<Owner<S>, PfeError> {
        let secret = scheme.generate(prg)?;
        Ok(Owner { scheme, size, secret, introduced: false, threads: Threads::all() })
    }

    /// Precomputation: sends the public key, once for all runs. If it fails, it may be repeated.
    ///
    /// # Errors
    /// [`PfeError::Introduced`], [`PfeError::Scheme`], [`PfeError::Size`], failures of the channel.
    pub async fn introduce(&mut self, channel: &mut Channel) -> Result<(), PfeError> {
        if self.introduced {
            return Err(PfeError::Introduced);
        }
        agree(&self.scheme, &self.size, channel).await?;
        channel.send(&self.scheme.encode_public(&self.secret)).await?;
        flush(channel).await?;
        self.introduced = true;
        Ok(())
    }

    /// setupN of a run: draws the keys of all wires and sends their ciphertexts. `prg` must be secret and fresh.
    ///
    /// # Errors
    /// [`PfeError::NotIntroduced`], [`PfeError::He`], failures of the channel.
    pub async fn setup_size(
        &self,
        channel: &mut Channel,
        prg: &mut Prg,
    ) -> Result<OwnerWires<'_, S>, PfeError> {
        if !self.introduced {
            return Err(PfeError::NotIntroduced);
        }
        let mut run = [0; RUN];
        prg.fill_bytes(&mut run);
        channel.send(&run).await?;
        let difference = self.scheme.difference(prg);
        let mut keys = Zeroizing::new(Vec::with_capacity(self.size.outgoing()));
        for window in windows(self.size.outgoing()) {
            let (pairs, ciphertexts) =
                self.scheme.draw(&self.secret, &difference, window.len(), self.threads, prg)?;
            keys.extend_from_slice(&pairs);
            channel.send(&ciphertexts).await?;
            flush(channel).await?;
        }
        Ok(OwnerWires { owner: self, run, difference, keys })
    }

    /// The setup of a run: [`Owner::setup_size`] and [`OwnerWires::setup_function`].
    ///
    /// # Errors
    /// Those of both.
    pub async fn prepare(&self, channel: &mut Channel, prg: &mut Prg) -> Result<OwnerRun<S>, PfeError> {
        self.setup_size(channel, prg).await?.setup_function(channel, prg).await
    }

    /// [`Owner::introduce`] and [`Owner::prepare`], one after the other.
    ///
    /// # Errors
    /// Those of both.
    pub async fn introduce_and_prepare(
        &mut self,
        channel: &mut Channel,
        prg: &mut Prg,
    ) -> Result<OwnerRun<S>, PfeError> {
        self.introduce(channel).await?;
        self.prepare(channel, prg).await
    }
}

impl<S: Scheme> OwnerWires<'_, S> {
    /// setupf: decrypts the operands' keys and garbles all gates. `prg` must be secret and fresh.
    ///
    /// # Errors
    /// [`PfeError::Point`], [`PfeError::Operand`] or [`PfeError::He`] for invalid replies; failures of the channel.
    pub async fn setup_function(self, channel: &mut Channel, prg: &mut Prg) -> Result<OwnerRun<S>, PfeError> {
        let (size, labels, rows) = (self.owner.size, Labels::new(prg), Rows::new(&self.run));
        for window in windows(size.gates()) {
            let mut replies = vec![0; self.owner.scheme.replies_bytes(2 * window.len())];
            channel.receive_into(&mut replies).await?;
            let garbled = self.garble(window, &replies, &rows, &labels)?;
            channel.send(ByteArray::flat(&garbled)).await?;
            flush(channel).await?;
        }
        let inputs = Zeroizing::new(self.keys[..size.inputs()].to_vec());
        Ok(OwnerRun { size, run: self.run, inputs, labels })
    }

    fn garble(
        &self,
        window: Range<usize>,
        replies: &[u8],
        rows: &Rows,
        labels: &Labels,
    ) -> Result<Vec<<S::Key as KeyBytes>::Gate>, PfeError> {
        let (owner, start) = (self.owner, window.start);
        let operands = 2 * window.start..2 * window.end;
        let operands =
            owner.scheme.decrypt(&owner.secret, &self.difference, operands, replies, owner.threads)?;
        map_groups(operands.as_chunks::<2>().0, GROUP, owner.threads, |first, group| {
            let gates = (start + first..).zip(group);
            gates
                .map(|(gate, [left, right])| rows.garble(gate, [left, right], &self.result(gate, labels)))
                .collect()
        })
    }

    /// The keys of a gate's result; for an output, its labels.
    fn result(&self, gate: usize, labels: &Labels) -> [S::Key; 2] {
        let size = &self.owner.size;
        match gate.checked_sub(size.inner_gates()) {
            Some(output) => labels.pair(output),
            None => self.keys[size.inputs() + gate],
        }
    }
}

impl<S: Scheme> OwnerRun<S> {
    /// The setup as bytes, for a later online phase. Secret.
    pub fn to_entry(&self) -> Zeroizing<Vec<u8>> {
        entry::owner_entry(&self.run, self.labels.secret(), &self.inputs)
    }

    /// The run whose bytes came from [`OwnerRun::to_entry`], for a function of the same size.
    ///
    /// # Errors
    /// [`PfeError::Entry`] for bytes of another size.
    pub fn from_entry(size: Size, entry: &[u8]) -> Result<Self, PfeError> {
        let (run, labels, inputs) = entry::owner_parts(&size, entry)?;
        Ok(OwnerRun { size, run, inputs, labels: Labels::of(labels) })
    }

    /// onlinex: takes this party's own input bits in order, and returns the outputs.
    ///
    /// # Errors
    /// [`PfeError::Inputs`], [`PfeError::Label`], [`PfeError::Progress`], [`PfeError::Ot`], failures of the channel.
    pub async fn evaluate(
        self,
        channel: &mut Channel,
        inputs: &[bool],
        prg: &mut Prg,
    ) -> Result<Vec<bool>, PfeError> {
        evaluation::conclude(channel, &self.size, &self.run, (&self.inputs, &self.labels), inputs, prg).await
    }
}
