//! P1, who has the function.

use core::ops::Range;

use curve25519_dalek::ristretto::{RistrettoBasepointTable, RistrettoPoint};
use curve25519_dalek::scalar::Scalar;
use tacit_crypto::Prg;
use tacit_he::{Threads, map_groups};
use tacit_math::Block;
use tacit_net::Channel;
use zeroize::Zeroizing;

use super::GROUP;
use crate::bytes::{LEAD, WINDOW};
use crate::evaluation::{self, Gates};
use crate::points::{self, SEED, WirePoints};
use crate::rows::{GATE, KEY, Key, Rows};
use crate::{PfeError, PrivateFunction};

/// The holder of a private function, with what stays from run to run: the seed of the wires' points and the blinds r_j.
pub struct Holder {
    function: PrivateFunction,
    seed: [u8; SEED],
    /// For each [`GROUP`] gates.
    blinds: Zeroizing<Vec<Block>>,
    /// The wires' points, until the function is introduced.
    wires: Option<Vec<RistrettoPoint>>,
    threads: Threads,
}

/// What P1 keeps from the setup of one run to its online phase.
pub struct HolderRun<'a> {
    holder: &'a Holder,
    run: [u8; 32],
    gates: Vec<[u8; GATE]>,
    /// r_j·A.
    shifts: Zeroizing<Vec<[RistrettoPoint; 2]>>,
}

impl Holder {
    /// Computes the wires' points, on all cores. `prg` must be secret and fresh.
    ///
    /// # Errors
    /// None at present.
    pub fn new(function: PrivateFunction, prg: &mut Prg) -> Result<Holder, PfeError> {
        let mut seed = [0; SEED];
        prg.fill_bytes(&mut seed);
        let mut blinds = Zeroizing::new(vec![Block::ZERO; function.size().gates().div_ceil(GROUP)]);
        prg.fill(&mut blinds);
        let threads = Threads::all();
        let (points, wires) = (WirePoints::new(&seed), vec![(); function.size().outgoing()]);
        let half = |first: usize, group: &[()]| -> Result<_, PfeError> {
            Ok((first..first + group.len()).map(|wire| points.half(wire)).collect())
        };
        let wires = map_groups(&wires, GROUP, threads, half)?;
        Ok(Holder { function, seed, blinds, wires: Some(wires), threads })
    }

    /// The function.
    pub fn function(&self) -> &PrivateFunction {
        &self.function
    }

    /// Introduces the function to the peer, once, without a run.
    ///
    /// # Errors
    /// [`PfeError::Size`], [`PfeError::Introduced`], failures of the channel.
    pub async fn introduce(&mut self, channel: &mut Channel) -> Result<(), PfeError> {
        let wires = self.begin(channel).await?;
        for window in self.windows() {
            self.send_window(channel, window, &wires).await?;
        }
        channel.flush().await?;
        Ok(())
    }

    /// The setup of a run of the function that was introduced.
    ///
    /// # Errors
    /// [`PfeError::NotIntroduced`]; [`PfeError::Point`]; failures of the channel.
    pub async fn prepare(&self, channel: &mut Channel) -> Result<HolderRun<'_>, PfeError> {
        if self.wires.is_some() {
            return Err(PfeError::NotIntroduced);
        }
        self.exchange(channel, None).await
    }

    /// [`Holder::introduce`] and [`Holder::prepare`] at once: both directions of the channel are in use.
    ///
    /// # Errors
    /// Those of both.
    pub async fn introduce_and_prepare(&mut self, channel: &mut Channel) -> Result<HolderRun<'_>, PfeError> {
        let wires = self.begin(channel).await?;
        self.exchange(channel, Some(wires)).await
    }

    async fn begin(&mut self, channel: &mut Channel) -> Result<Vec<RistrettoPoint>, PfeError> {
        let wires = self.wires.take().ok_or(PfeError::Introduced)?;
        self.function.size().agree(channel).await?;
        channel.send(&self.seed).await?;
        Ok(wires)
    }

    fn windows(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let gates = self.function.size().gates();
        (0..gates).step_by(WINDOW).map(move |first| first..gates.min(first + WINDOW))
    }

    /// Step 1 for some gates: V_j = W_π(j) + r_j·P.
    async fn send_window(
        &self,
        channel: &mut Channel,
        window: Range<usize>,
        wires: &[RistrettoPoint],
    ) -> Result<(), PfeError> {
        let start = window.start;
        let blinded = |first: usize, gates: &[[u32; 2]]| -> Result<_, PfeError> {
            let mut prg = self.blinds_of(start + first);
            let blind = |wire: &u32| wires[*wire as usize] + RistrettoPoint::mul_base(&next_blind(&mut prg));
            let halves: Vec<RistrettoPoint> = gates.as_flattened().iter().map(blind).collect();
            Ok(points::encode_doubles(&halves).to_vec())
        };
        let points = map_groups(&self.function.wiring()[window], GROUP, self.threads, blinded)?;
        channel.send(points.as_flattened()).await?;
        channel.flush().await?;
        Ok(())
    }

    /// The generator of the r_j / 2 of the group that begins with this gate.
    fn blinds_of(&self, gate: usize) -> Prg {
        Prg::new(self.blinds[gate / GROUP])
    }

    /// Step 2, and step 1 ahead of it where the wires' points are given.
    async fn exchange(
        &self,
        channel: &mut Channel,
        wires: Option<Vec<RistrettoPoint>>,
    ) -> Result<HolderRun<'_>, PfeError> {
        let (run, shifts) = receive_run(channel).await?;
        let gates = self.function.size().gates();
        let shifted = Zeroizing::new(Vec::with_capacity(gates));
        let mut prepared = HolderRun { holder: self, run, gates: Vec::with_capacity(gates), shifts: shifted };
        let lead = if wires.is_some() { LEAD } else { 0 };
        let ahead = self.windows().map(Some).chain(core::iter::repeat_n(None, lead));
        let behind = core::iter::repeat_n(None, lead).chain(self.windows().map(Some));
        for (sent, received) in ahead.zip(behind) {
            if let (Some(window), Some(wires)) = (sent, &wires) {
                self.send_window(channel, window, wires).await?;
            }
            if let Some(window) = received {
                prepared.receive_window(channel, window, &shifts).await?;
            }
        }
        Ok(prepared)
    }
}

/// r_j / 2.
fn next_blind(prg: &mut Prg) -> Scalar {
    points::random_scalar(prg)
}

/// The name of a run, and a table of A.
async fn receive_run(channel: &mut Channel) -> Result<([u8; 32], RistrettoBasepointTable), PfeError> {
    let mut message = [[0; KEY]; 2];
    channel.receive_into(message.as_flattened_mut()).await?;
    let point = points::decode_from_peer(&message[1], "public key", 0)?;
    Ok((message[0], RistrettoBasepointTable::create(&point)))
}

impl HolderRun<'_> {
    /// Garbled gates of the peer, and meanwhile the r_j·A of their operands.
    async fn receive_window(
        &mut self,
        channel: &mut Channel,
        window: Range<usize>,
        table: &RistrettoBasepointTable,
    ) -> Result<(), PfeError> {
        let (holder, start) = (self.holder, window.start);
        let shift = |first: usize, gates: &[[u32; 2]]| -> Result<_, PfeError> {
            let mut prg = holder.blinds_of(start + first);
            let mut next = || {
                let blind = next_blind(&mut prg);
                &(blind + blind) * table
            };
            Ok(gates.iter().map(|_| [next(), next()]).collect())
        };
        self.shifts.extend(map_groups(
            &holder.function.wiring()[window.clone()],
            GROUP,
            holder.threads,
            shift,
        )?);
        self.gates.resize(window.end, [0; GATE]);
        channel.receive_into(self.gates[window].as_flattened_mut()).await?;
        Ok(())
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
        let gates = Evaluator { rows: Rows::new(&self.run), run: &self };
        let function = &self.holder.function;
        evaluation::evaluate(channel, function, &self.run, &gates, inputs, self.holder.threads, prg).await
    }
}

struct Evaluator<'a> {
    rows: Rows,
    run: &'a HolderRun<'a>,
}

impl Gates for Evaluator<'_> {
    type Wire = RistrettoPoint;

    fn wire(&self, key: &Key) -> Option<RistrettoPoint> {
        points::decode(key)
    }

    fn evaluate(&self, first: usize, wiring: &[[u32; 2]], wires: &[RistrettoPoint]) -> Vec<Key> {
        let shifts = &self.run.shifts[first..][..wiring.len()];
        let pairs = wiring.as_flattened().iter().zip(shifts.as_flattened());
        let operands: Zeroizing<Vec<RistrettoPoint>> =
            Zeroizing::new(pairs.map(|(wire, shift)| wires[*wire as usize] + shift).collect());
        let operands = points::encode_doubles(&operands);
        let gates = (first..).zip(&self.run.gates[first..]).zip(operands.as_chunks::<2>().0);
        gates
            .map(|((gate, garbled), [left, right])| self.rows.evaluate(gate, garbled, [left, right]))
            .collect()
    }
}
