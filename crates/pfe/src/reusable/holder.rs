//! P1, who has the function.

use core::marker::PhantomData;
use core::ops::Range;

use tacit_crypto::Prg;
use tacit_he::{Threads, map_groups, map_secret_groups};
use tacit_math::ristretto::Point;
use tacit_net::Channel;
use zeroize::Zeroizing;

use super::GROUP;
use super::blinds::Blinds;
use super::wiring::Wiring;
use crate::bytes::{lead, windows};
use crate::entry::{self, HolderEntry};
use crate::evaluation::{self, Gates};
use crate::points::{self, SEED, WirePoints};
use crate::rows::{GATE, Key, Pair, Rows};
use crate::{PfeError, PrivateFunction};

/// The holder of a private function, with the secrets that all runs share: the seed of the wires' points and the key of the operands' blinds.
pub struct Holder<W: Wiring> {
    function: PrivateFunction,
    seed: [u8; SEED],
    blinds: Blinds,
    /// The wires' points, until the whole function has been introduced.
    wires: Option<Vec<Point>>,
    threads: Threads,
    wiring: PhantomData<W>,
}

/// P1's state between the setup of one run and its online phase.
pub struct HolderRun<'a, W: Wiring> {
    function: &'a PrivateFunction,
    garbled: Garbled<W>,
    threads: Threads,
}

/// The garbled gates of a run received so far.
struct Garbled<W: Wiring> {
    run: [u8; 32],
    gates: Vec<[u8; GATE]>,
    /// The shifts of both operands of each gate.
    shifts: Zeroizing<Vec<W::Shift>>,
}

impl<W: Wiring> Holder<W> {
    /// Computes the wires' points, on all cores. `prg` must be secret and fresh.
    ///
    /// # Errors
    /// None at present.
    pub fn new(function: PrivateFunction, prg: &mut Prg) -> Result<Self, PfeError> {
        let mut seed = [0; SEED];
        prg.fill_bytes(&mut seed);
        let blinds = Blinds::new(prg);
        let threads = Threads::all();
        let (points, wires) = (WirePoints::new(&seed), vec![(); function.size().outgoing()]);
        let half = |first: usize, group: &[()]| Ok::<_, PfeError>(points.halves(first..first + group.len()));
        let wires = map_groups(&wires, GROUP, threads, half)?;
        Ok(Holder { function, seed, blinds, wires: Some(wires), threads, wiring: PhantomData })
    }

    /// The function.
    pub fn function(&self) -> &PrivateFunction {
        &self.function
    }

    /// Introduces the function to the peer, once, without a run. If this fails, it may be repeated and sends the same points; a peer that has received all of them
    /// refuses the repetition.
    ///
    /// # Errors
    /// [`PfeError::Size`], [`PfeError::Introduced`], failures of the channel.
    pub async fn introduce(&mut self, channel: &mut Channel) -> Result<(), PfeError> {
        let wires = self.begin(channel).await?;
        for window in self.windows() {
            self.send_window(channel, window, wires).await?;
        }
        channel.flush().await?;
        self.wires = None;
        Ok(())
    }

    /// The setup of a run of the introduced function.
    ///
    /// # Errors
    /// [`PfeError::NotIntroduced`]; [`PfeError::Point`]; failures of the channel.
    pub async fn prepare(&self, channel: &mut Channel) -> Result<HolderRun<'_, W>, PfeError> {
        if self.wires.is_some() {
            return Err(PfeError::NotIntroduced);
        }
        let garbled = self.exchange(channel, None).await?;
        Ok(HolderRun { function: &self.function, garbled, threads: self.threads })
    }

    /// As [`Holder::prepare`], for a later online phase: returns the setup as bytes, which [`HolderRun::from_entry`] reads. Secret.
    ///
    /// # Errors
    /// As [`Holder::prepare`].
    pub async fn prepare_entry(&self, channel: &mut Channel) -> Result<Zeroizing<Vec<u8>>, PfeError> {
        if self.wires.is_some() {
            return Err(PfeError::NotIntroduced);
        }
        let mut entry = HolderEntry::<Key>::new(self.function.size());
        channel.receive_into(entry.run_mut()).await?;
        let public = W::receive_public(channel).await?;
        for window in self.windows() {
            let shifts = self.stored_shifts(window.clone(), &public)?;
            entry.shifts_mut(window.clone()).copy_from_slice(shifts.as_flattened().as_flattened());
            channel.receive_into(entry.gates_mut(window)).await?;
        }
        Ok(entry.into_bytes())
    }

    /// The shifts of some gates' operands, encoded as in entries.
    fn stored_shifts(
        &self,
        window: Range<usize>,
        public: &W::Public,
    ) -> Result<Zeroizing<Vec<Pair>>, PfeError> {
        let work = |first: usize, gates: &[[u32; 2]]| -> Result<_, PfeError> {
            let blinds = self.blinds.of_group(window.start + first).next_blinds(2 * gates.len());
            let shifts = W::stored_shifts(&blinds, public);
            Ok(Zeroizing::new(shifts.as_chunks().0.to_vec()))
        };
        map_secret_groups(&self.function.wiring()[window.clone()], GROUP, self.threads, work)
    }

    /// [`Holder::introduce`] and [`Holder::prepare`] at once, using both directions of the channel.
    ///
    /// # Errors
    /// Those of both.
    pub async fn introduce_and_prepare(
        &mut self,
        channel: &mut Channel,
    ) -> Result<HolderRun<'_, W>, PfeError> {
        let wires = self.begin(channel).await?;
        let garbled = self.exchange(channel, Some(wires)).await?;
        self.wires = None;
        Ok(HolderRun { function: &self.function, garbled, threads: self.threads })
    }

    async fn begin(&self, channel: &mut Channel) -> Result<&[Point], PfeError> {
        let wires = self.wires.as_deref().ok_or(PfeError::Introduced)?;
        self.function.size().agree(channel).await?;
        channel.send(&self.seed).await?;
        Ok(wires)
    }

    fn windows(&self) -> impl Iterator<Item = Range<usize>> + use<W> {
        windows(self.function.size().gates())
    }

    /// Step 1 for some gates: sends their operands' points.
    async fn send_window(
        &self,
        channel: &mut Channel,
        window: Range<usize>,
        wires: &[Point],
    ) -> Result<(), PfeError> {
        let start = window.start;
        let blinded = |first: usize, gates: &[[u32; 2]]| -> Result<_, PfeError> {
            let blinds = self.blinds.of_group(start + first).next_blinds(2 * gates.len());
            let mut halves = read(wires, gates);
            W::operands(&mut halves, &blinds);
            Ok(points::encode_doubles(&halves).to_vec())
        };
        let points = map_groups(&self.function.wiring()[window], GROUP, self.threads, blinded)?;
        channel.send(points.as_flattened()).await?;
        channel.flush().await?;
        Ok(())
    }

    /// Step 2, and ahead of it step 1 if the wires' points are given.
    async fn exchange(&self, channel: &mut Channel, wires: Option<&[Point]>) -> Result<Garbled<W>, PfeError> {
        let mut run = [0; 32];
        channel.receive_into(&mut run).await?;
        let public = W::receive_public(channel).await?;
        let gates = self.function.size().gates();
        let shifts = Zeroizing::new(Vec::with_capacity(2 * gates));
        let mut garbled = Garbled { run, gates: Vec::with_capacity(gates), shifts };
        let lead = if wires.is_some() { lead(channel, GATE) } else { 0 };
        let ahead = self.windows().map(Some).chain(core::iter::repeat_n(None, lead));
        let behind = core::iter::repeat_n(None, lead).chain(self.windows().map(Some));
        for (sent, received) in ahead.zip(behind) {
            if let (Some(window), Some(wires)) = (sent, wires) {
                self.send_window(channel, window, wires).await?;
            }
            if let Some(window) = received {
                self.receive_window(channel, window, &public, &mut garbled).await?;
            }
        }
        Ok(garbled)
    }

    /// Receives garbled gates, and meanwhile computes the shifts of their operands.
    async fn receive_window(
        &self,
        channel: &mut Channel,
        window: Range<usize>,
        public: &W::Public,
        garbled: &mut Garbled<W>,
    ) -> Result<(), PfeError> {
        let start = window.start;
        let shift = |first: usize, gates: &[[u32; 2]]| -> Result<_, PfeError> {
            let blinds = self.blinds.of_group(start + first).next_blinds(2 * gates.len());
            Ok(W::shifts(&blinds, public))
        };
        let wiring = &self.function.wiring()[window.clone()];
        garbled.shifts.extend_from_slice(&map_secret_groups(wiring, GROUP, self.threads, shift)?);
        garbled.gates.resize(window.end, [0; GATE]);
        channel.receive_into(garbled.gates[window].as_flattened_mut()).await?;
        Ok(())
    }
}

impl<'a, W: Wiring> HolderRun<'a, W> {
    /// The run whose bytes came from [`Holder::prepare_entry`], for the same function.
    ///
    /// # Errors
    /// [`PfeError::Entry`] for bytes of another size, [`PfeError::Shift`] for invalid shifts.
    pub fn from_entry(function: &'a PrivateFunction, entry: &[u8]) -> Result<Self, PfeError> {
        let threads = Threads::all();
        let (run, gates, shifts) = entry::holder_parts::<Key>(function.size(), entry)?;
        let read = |first: usize, shifts: &[Pair]| -> Result<_, PfeError> {
            let gate = |place: usize| first + place / 2;
            W::read_shifts(shifts.as_flattened()).map_err(|place| PfeError::Shift { gate: gate(place) })
        };
        let shifts = map_secret_groups(&shifts, GROUP, threads, read)?;
        Ok(HolderRun { function, garbled: Garbled { run, gates, shifts }, threads })
    }

    /// Step 3: evaluates the function, with this party's own input bits in order. The owner learns the result.
    ///
    /// # Errors
    /// [`PfeError::Inputs`], [`PfeError::Point`], [`PfeError::Row`], [`PfeError::Ot`], failures of the channel.
    pub async fn evaluate(
        self,
        channel: &mut Channel,
        inputs: &[bool],
        prg: &mut Prg,
    ) -> Result<(), PfeError> {
        let gates = Evaluator { rows: Rows::new(&self.garbled.run), garbled: &self.garbled };
        let run = &self.garbled.run;
        evaluation::evaluate(channel, self.function, run, &gates, inputs, self.threads, prg).await
    }
}

/// The points of the wires that gates read.
fn read(wires: &[Point], gates: &[[u32; 2]]) -> Zeroizing<Vec<Point>> {
    Zeroizing::new(gates.as_flattened().iter().map(|wire| wires[*wire as usize]).collect())
}

struct Evaluator<'a, W: Wiring> {
    rows: Rows,
    garbled: &'a Garbled<W>,
}

impl<W: Wiring> Gates for Evaluator<'_, W> {
    type Key = Key;
    type Wire = Point;

    fn wires(&self, keys: &[Key]) -> Result<Zeroizing<Vec<Point>>, usize> {
        points::decode(keys)
    }

    fn evaluate(&self, first: usize, wiring: &[[u32; 2]], wires: &[Point]) -> Vec<Key> {
        let mut operands = read(wires, wiring);
        W::keys(&mut operands, &self.garbled.shifts[2 * first..][..2 * wiring.len()]);
        let operands = points::encode_doubles(&operands);
        let gates = (first..).zip(&self.garbled.gates[first..]).zip(operands.as_chunks::<2>().0);
        gates
            .map(|((gate, garbled), [left, right])| self.rows.evaluate(gate, garbled, [left, right]))
            .collect()
    }
}
