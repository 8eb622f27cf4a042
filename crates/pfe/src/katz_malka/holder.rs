//! P1, who has the function.

use core::ops::Range;

use tacit_crypto::Prg;
use tacit_he::Threads;
use tacit_net::Channel;
use zeroize::Zeroizing;

use super::Scheme;
use super::bytes::{agree, flush};
use crate::bytes::{lead, windows};
use crate::entry::{self, HolderEntry, RUN};
use crate::evaluation::{self, Gates};
use crate::rows::{ByteArray, KeyBytes, Rows};
use crate::{FunctionError, PfeError, PrivateFunction, Size};

/// The holder of private functions of one size, with the owner's public key.
pub struct Holder<S: Scheme> {
    scheme: S,
    size: Size,
    public: Option<S::Public>,
    threads: Threads,
}

/// P1's state after setupN of a run: the wires' ciphertexts, and blinds for the operands of any function of the size.
pub struct HolderWires<'a, S: Scheme> {
    holder: &'a Holder<S>,
    public: &'a S::Public,
    run: [u8; RUN],
    wires: Vec<S::Ciphertext>,
    blinds: Zeroizing<Vec<S::Number>>,
    /// The encrypted blinds of each window.
    masks: Vec<Vec<S::Mask>>,
}

/// P1's state between the setup of one run and its online phase.
pub struct HolderRun<'a, S: Scheme> {
    function: &'a PrivateFunction,
    run: [u8; RUN],
    blinds: Zeroizing<Vec<S::Number>>,
    garbled: Vec<<S::Key as KeyBytes>::Gate>,
    threads: Threads,
}

impl<S: Scheme> Holder<S> {
    /// The holder of functions of this size. The peer must use the same scheme.
    pub fn new(scheme: S, size: Size) -> Holder<S> {
        Holder { scheme, size, public: None, threads: Threads::all() }
    }

    /// The public size.
    pub fn size(&self) -> &Size {
        &self.size
    }

    /// Precomputation: receives the peer's public key, once for all runs. If it fails, it may be repeated.
    ///
    /// # Errors
    /// [`PfeError::Introduced`], [`PfeError::Scheme`], [`PfeError::Size`], [`PfeError::Point`] or [`PfeError::He`] for an unusable
    /// key, failures of the channel.
    pub async fn introduce(&mut self, channel: &mut Channel) -> Result<(), PfeError> {
        if self.public.is_some() {
            return Err(PfeError::Introduced);
        }
        agree(&self.scheme, &self.size, channel).await?;
        let mut bytes = vec![0; self.scheme.public_bytes()];
        channel.receive_into(&mut bytes).await?;
        self.public = Some(self.scheme.decode_public(&bytes)?);
        Ok(())
    }

    /// setupN of a run: receives the ciphertexts of all wires and encrypts blinds. `prg` must be secret and fresh.
    ///
    /// # Errors
    /// [`PfeError::NotIntroduced`]; [`PfeError::Point`] or [`PfeError::He`] for invalid ciphertexts; failures of the channel.
    pub async fn setup_size(
        &self,
        channel: &mut Channel,
        prg: &mut Prg,
    ) -> Result<HolderWires<'_, S>, PfeError> {
        let public = self.public.as_ref().ok_or(PfeError::NotIntroduced)?;
        let (outgoing, gates) = (self.size.outgoing(), self.size.gates());
        let mut run = [0; RUN];
        channel.receive_into(&mut run).await?;
        let blinds = Zeroizing::new(Vec::with_capacity(2 * gates));
        let mut wires =
            HolderWires { holder: self, public, run, wires: Vec::new(), blinds, masks: Vec::new() };
        let (mut received, mut blinded) = (windows(outgoing), windows(gates));
        for _ in 0..windows(outgoing.max(gates)).count() {
            if let Some(window) = received.next() {
                wires.receive(channel, window).await?;
            }
            if let Some(window) = blinded.next() {
                wires.blind(window.len(), prg)?;
            }
        }
        Ok(wires)
    }

    /// The setup of a run of this function: [`Holder::setup_size`] and [`HolderWires::setup_function`].
    ///
    /// # Errors
    /// Those of both.
    pub async fn prepare<'a>(
        &'a self,
        channel: &mut Channel,
        function: &'a PrivateFunction,
        prg: &mut Prg,
    ) -> Result<HolderRun<'a, S>, PfeError> {
        self.check(function)?;
        self.setup_size(channel, prg).await?.setup_function(channel, function, prg).await
    }

    /// [`Holder::introduce`] and [`Holder::prepare`], one after the other.
    ///
    /// # Errors
    /// Those of both.
    pub async fn introduce_and_prepare<'a>(
        &'a mut self,
        channel: &mut Channel,
        function: &'a PrivateFunction,
        prg: &mut Prg,
    ) -> Result<HolderRun<'a, S>, PfeError> {
        self.check(function)?;
        self.introduce(channel).await?;
        self.prepare(channel, function, prg).await
    }

    /// Checks that a function has the announced size.
    fn check(&self, function: &PrivateFunction) -> Result<(), PfeError> {
        Ok(self.size.check(function.size()).map_err(|(what, announced, given)| FunctionError::Count {
            what,
            given,
            announced,
        })?)
    }
}

impl<'a, S: Scheme> HolderWires<'a, S> {
    async fn receive(&mut self, channel: &mut Channel, window: Range<usize>) -> Result<(), PfeError> {
        let scheme = &self.holder.scheme;
        let mut bytes = vec![0; scheme.wires_bytes(window.len())];
        channel.receive_into(&mut bytes).await?;
        self.wires.extend(scheme.decode_wires(self.public, window, &bytes, self.holder.threads)?);
        Ok(())
    }

    fn blind(&mut self, gates: usize, prg: &mut Prg) -> Result<(), PfeError> {
        let (blinds, masks) = self.holder.scheme.blind(self.public, 2 * gates, self.holder.threads, prg)?;
        self.blinds.extend_from_slice(&blinds);
        self.masks.push(masks);
        Ok(())
    }

    /// setupf: sends the blinded key of the wire that each operand reads, encrypted, and receives the garbled gates. `prg` must be secret and fresh.
    ///
    /// # Errors
    /// [`PfeError::Function`] for a function of another size, before anything is sent; [`PfeError::He`]; failures of the channel.
    pub async fn setup_function(
        mut self,
        channel: &mut Channel,
        function: &'a PrivateFunction,
        prg: &mut Prg,
    ) -> Result<HolderRun<'a, S>, PfeError> {
        self.holder.check(function)?;
        let gates = function.size().gates();
        let mut garbled = Vec::with_capacity(gates);
        let lead = lead(channel, size_of::<<S::Key as KeyBytes>::Gate>());
        let ahead = windows(gates).map(Some).chain(core::iter::repeat_n(None, lead));
        let behind = core::iter::repeat_n(None, lead).chain(windows(gates).map(Some));
        let mut masks = core::mem::take(&mut self.masks).into_iter();
        for (sent, received) in ahead.zip(behind) {
            if let (Some(window), Some(masks)) = (sent, masks.next()) {
                self.send(channel, function, window, masks, prg).await?;
            }
            if let Some(window) = received {
                garbled.resize(window.end, <S::Key as KeyBytes>::Gate::ZERO);
                channel.receive_into(ByteArray::flat_mut(&mut garbled[window])).await?;
            }
        }
        let HolderWires { holder, run, blinds, .. } = self;
        Ok(HolderRun { function, run, blinds, garbled, threads: holder.threads })
    }

    async fn send(
        &self,
        channel: &mut Channel,
        function: &PrivateFunction,
        window: Range<usize>,
        masks: Vec<S::Mask>,
        prg: &mut Prg,
    ) -> Result<(), PfeError> {
        let blinds = &self.blinds[2 * window.start..2 * window.end];
        let operands = function.wiring()[window].as_flattened();
        let (scheme, threads) = (&self.holder.scheme, self.holder.threads);
        let replies = scheme.reply(self.public, &self.wires, operands, (blinds, masks), threads, prg)?;
        channel.send(&replies).await?;
        flush(channel).await
    }
}

impl<'a, S: Scheme> HolderRun<'a, S> {
    /// The setup as bytes, for a later online phase. Secret.
    pub fn to_entry(&self) -> Zeroizing<Vec<u8>> {
        let gates = 0..self.garbled.len();
        let mut entry = HolderEntry::<S::Key>::new(self.function.size());
        entry.run_mut().copy_from_slice(&self.run);
        entry.gates_mut(gates.clone()).copy_from_slice(ByteArray::flat(&self.garbled));
        entry.shifts_mut(gates).copy_from_slice(ByteArray::flat(&S::encode_blinds(&self.blinds)));
        entry.into_bytes()
    }

    /// The run whose bytes came from [`HolderRun::to_entry`], for the same function.
    ///
    /// # Errors
    /// [`PfeError::Entry`] for bytes of another size, [`PfeError::Shift`] for invalid blinds.
    pub fn from_entry(function: &'a PrivateFunction, entry: &[u8]) -> Result<Self, PfeError> {
        let (run, garbled, blinds) = entry::holder_parts::<S::Key>(function.size(), entry)?;
        let blinds =
            S::decode_keys(blinds.as_flattened()).map_err(|place| PfeError::Shift { gate: place / 2 })?;
        Ok(HolderRun { function, run, blinds, garbled, threads: Threads::all() })
    }

    /// onlinex: evaluates the function, with this party's own input bits in order. The owner learns the result.
    ///
    /// # Errors
    /// [`PfeError::Inputs`], [`PfeError::Point`], [`PfeError::Row`], [`PfeError::Ot`], failures of the channel.
    pub async fn evaluate(
        self,
        channel: &mut Channel,
        inputs: &[bool],
        prg: &mut Prg,
    ) -> Result<(), PfeError> {
        let gates =
            Evaluator::<S> { rows: Rows::new(&self.run), blinds: &self.blinds, garbled: &self.garbled };
        evaluation::evaluate(channel, self.function, &self.run, &gates, inputs, self.threads, prg).await
    }
}

struct Evaluator<'a, S: Scheme> {
    rows: Rows,
    blinds: &'a [S::Number],
    garbled: &'a [<S::Key as KeyBytes>::Gate],
}

impl<S: Scheme> Gates for Evaluator<'_, S> {
    type Key = S::Key;
    type Wire = S::Number;

    fn wires(&self, keys: &[S::Key]) -> Result<Zeroizing<Vec<S::Number>>, usize> {
        S::decode_keys(keys)
    }

    fn evaluate(&self, first: usize, wiring: &[[u32; 2]], wires: &[S::Number]) -> Vec<S::Key> {
        let read = wiring.as_flattened().iter().map(|wire| wires[*wire as usize]);
        let operands = S::add(Zeroizing::new(read.collect()), &self.blinds[2 * first..][..2 * wiring.len()]);
        let gates = (first..).zip(&self.garbled[first..]).zip(operands.as_chunks::<2>().0);
        gates
            .map(|((gate, garbled), [left, right])| self.rows.evaluate(gate, garbled, [left, right]))
            .collect()
    }
}
