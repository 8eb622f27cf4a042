//! P2, who has the data.

use core::marker::PhantomData;
use core::ops::Range;

use tacit_crypto::Prg;
use tacit_he::{Threads, map_groups};
use tacit_net::Channel;
use zeroize::Zeroizing;

use super::GROUP;
use super::wiring::Wiring;
use crate::bytes::windows;
use crate::entry;
use crate::evaluation::{self, Labels};
use crate::points::{self, SEED, WirePoints};
use crate::rows::{GATE, KEY, Key, Pair, Rows};
use crate::{PfeError, Size};

/// The owner of the data, with the values that all runs share: the seed of the wires' points and the holder's points of
/// operands.
pub struct Owner<W: Wiring> {
    size: Size,
    seed: [u8; SEED],
    /// Points of operands, encoded.
    operands: Vec<[Key; 2]>,
    /// Whether all of them have been received.
    introduced: bool,
    threads: Threads,
    wiring: PhantomData<W>,
}

/// P2's state between the setup of one run and its online phase.
pub struct OwnerRun {
    size: Size,
    run: [u8; 32],
    inputs: Zeroizing<Vec<Pair>>,
    labels: Labels,
}

impl<W: Wiring> Owner<W> {
    /// The owner for a function of this size.
    pub fn new(size: Size) -> Self {
        Owner {
            size,
            seed: [0; SEED],
            operands: Vec::new(),
            introduced: false,
            threads: Threads::all(),
            wiring: PhantomData,
        }
    }

    /// Receives a function, once, without a run. If this fails, it may be repeated. The function's points are checked when its first run is prepared.
    ///
    /// # Errors
    /// [`PfeError::Size`], [`PfeError::Introduced`], failures of the channel.
    pub async fn introduce(&mut self, channel: &mut Channel) -> Result<(), PfeError> {
        self.begin(channel).await?;
        for window in windows(self.size.gates()) {
            self.receive_window(channel, window).await?;
        }
        self.introduced = true;
        Ok(())
    }

    /// The setup of a run of the introduced function: garbles it under fresh keys. `prg` must be secret and fresh.
    ///
    /// # Errors
    /// [`PfeError::NotIntroduced`]; [`PfeError::Point`] for an operand whose bytes are not a point; failures of the channel.
    pub async fn prepare(&self, channel: &mut Channel, prg: &mut Prg) -> Result<OwnerRun, PfeError> {
        if !self.introduced {
            return Err(PfeError::NotIntroduced);
        }
        let garbler = self.start(channel, prg).await?;
        for window in windows(self.size.gates()) {
            garbler.send_window(channel, window.start, &self.operands[window]).await?;
        }
        channel.flush().await?;
        garbler.finish()
    }

    /// [`Owner::introduce`] and [`Owner::prepare`] at once, using both directions of the channel.
    ///
    /// # Errors
    /// Those of both.
    pub async fn introduce_and_prepare(
        &mut self,
        channel: &mut Channel,
        prg: &mut Prg,
    ) -> Result<OwnerRun, PfeError> {
        self.begin(channel).await?;
        let garbler = self.start(channel, prg).await?;
        for window in windows(self.size.gates()) {
            self.receive_window(channel, window.clone()).await?;
            garbler.send_window(channel, window.start, &self.operands[window]).await?;
        }
        channel.flush().await?;
        self.introduced = true;
        garbler.finish()
    }

    async fn begin(&mut self, channel: &mut Channel) -> Result<(), PfeError> {
        if self.introduced {
            return Err(PfeError::Introduced);
        }
        self.operands.clear();
        self.size.agree(channel).await?;
        channel.receive_into(&mut self.seed).await?;
        Ok(())
    }

    async fn receive_window(&mut self, channel: &mut Channel, window: Range<usize>) -> Result<(), PfeError> {
        self.operands.resize(window.end, [[0; KEY]; 2]);
        let bytes = self.operands[window].as_flattened_mut().as_flattened_mut();
        channel.receive_into(bytes).await?;
        Ok(())
    }

    /// The beginning of step 2: sends the run's name and draws its secrets.
    async fn start(&self, channel: &mut Channel, prg: &mut Prg) -> Result<Garbler<W>, PfeError> {
        let mut run = [0; 32];
        prg.fill_bytes(&mut run);
        let secret = W::draw(prg);
        channel.send(&run).await?;
        W::send_public(&secret, channel).await?;
        channel.flush().await?;
        Ok(Garbler {
            size: self.size,
            rows: Rows::new(&run),
            run,
            secret,
            wires: WirePoints::new(&self.seed),
            labels: Labels::new(prg),
            threads: self.threads,
        })
    }
}

/// The secrets of one run.
struct Garbler<W: Wiring> {
    size: Size,
    run: [u8; 32],
    rows: Rows,
    secret: W::Secret,
    wires: WirePoints,
    labels: Labels,
    threads: Threads,
}

impl<W: Wiring> Garbler<W> {
    async fn send_window(
        &self,
        channel: &mut Channel,
        start: usize,
        operands: &[[Key; 2]],
    ) -> Result<(), PfeError> {
        let work = |first: usize, group: &[[Key; 2]]| self.garble(start + first, group);
        let garbled = map_groups(operands, GROUP, self.threads, work)?;
        channel.send(garbled.as_flattened()).await?;
        channel.flush().await?;
        Ok(())
    }

    /// The garbled gates from `first` on.
    fn garble(&self, first: usize, operands: &[[Key; 2]]) -> Result<Vec<[u8; GATE]>, PfeError> {
        let operands = self.operand_keys(first, operands)?;
        let results = self.result_keys(first, operands.len() / 4);
        let gates = operands.as_chunks::<2>().0.as_chunks::<2>().0.iter().zip(results.iter());
        (first..).zip(gates).map(|(gate, ([l, r], result))| self.rows.garble(gate, [l, r], result)).collect()
    }

    /// The keys of the operands from gate `first` on, encoded.
    fn operand_keys(&self, first: usize, operands: &[[Key; 2]]) -> Result<Zeroizing<Vec<Key>>, PfeError> {
        let points = points::decode_from_peer(operands.as_flattened(), "operand", 2 * first)?;
        Ok(points::encode_doubles(&W::operand_keys(&self.secret, points)))
    }

    /// The keys of the results of `count` gates from `first` on, encoded; for outputs, their labels.
    fn result_keys(&self, first: usize, count: usize) -> Zeroizing<Vec<Pair>> {
        let inner = self.size.inner_gates();
        let (end, inputs) = (first + count, self.size.inputs());
        let mut pairs = Zeroizing::new(Vec::with_capacity(count));
        pairs.extend_from_slice(&self.wire_keys(inputs + first.min(inner)..inputs + end.min(inner)));
        pairs.extend((first.max(inner)..end.max(inner)).map(|gate| self.labels.pair(gate - inner)));
        pairs
    }

    /// The keys of wires, encoded.
    fn wire_keys(&self, wires: Range<usize>) -> Zeroizing<Vec<Pair>> {
        let halves = W::wire_keys(&self.secret, Zeroizing::new(self.wires.halves(wires)));
        Zeroizing::new(points::encode_doubles(&halves).as_chunks::<2>().0.to_vec())
    }

    fn finish(self) -> Result<OwnerRun, PfeError> {
        let inputs = self.wire_keys(0..self.size.inputs());
        Ok(OwnerRun { size: self.size, run: self.run, inputs, labels: self.labels })
    }
}

impl OwnerRun {
    /// The setup as bytes, for a later online phase. Secret.
    pub fn to_entry(&self) -> Zeroizing<Vec<u8>> {
        entry::owner_entry(&self.run, self.labels.secret(), &self.inputs)
    }

    /// The run whose bytes came from [`OwnerRun::to_entry`], for a function of the same size.
    ///
    /// # Errors
    /// [`PfeError::Entry`] for bytes of another size.
    pub fn from_entry(size: Size, entry: &[u8]) -> Result<OwnerRun, PfeError> {
        let (run, labels, inputs) = entry::owner_parts(&size, entry)?;
        Ok(OwnerRun { size, run, inputs, labels: Labels::of(labels) })
    }

    /// Step 3: takes this party's own input bits in order, and returns the outputs.
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
