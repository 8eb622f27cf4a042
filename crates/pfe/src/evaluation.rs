//! The online phase: keys of inputs, level after level of garbled gates, labels of outputs.

use core::ops::Range;

use subtle::ConstantTimeEq;
use tacit_crypto::{Oracle, Prg};
use tacit_he::{Threads, map_groups, map_secret_groups};
use tacit_net::Channel;
use zeroize::Zeroizing;

use crate::bytes::{PROGRESS, signs};
use crate::rows::{ByteArray, KeyBytes, add};
use crate::{PfeError, PrivateFunction, Size, inputs};

/// Gates of a level that a thread works on at a time.
const GROUP: usize = 64;

/// A sign of progress.
pub(crate) const SIGN: u8 = 1;

/// The garbled gates of a run at the holder.
pub(crate) trait Gates: Sync {
    /// A wire's key, encoded.
    type Key: KeyBytes;

    /// A wire's key, decoded.
    type Wire: Copy + Send + Sync + zeroize::Zeroize;

    /// Decodes and checks wires' keys.
    ///
    /// # Errors
    /// The index of the first invalid one.
    fn wires(&self, keys: &[Self::Key]) -> Result<Zeroizing<Vec<Self::Wire>>, usize>;

    /// The keys of the results of the gates from `first` on, whose operands read the wires in `wiring`.
    fn evaluate(&self, first: usize, wiring: &[[u32; 2]], wires: &[Self::Wire]) -> Vec<Self::Key>;
}

/// The holder's online phase.
pub(crate) async fn evaluate<G: Gates>(
    channel: &mut Channel,
    function: &PrivateFunction,
    run: &[u8; 32],
    gates: &G,
    bits: &[bool],
    threads: Threads,
    prg: &mut Prg,
) -> Result<(), PfeError> {
    let size = function.size();
    check_inputs(bits, size.holder_inputs())?;
    let mut wires = Zeroizing::new(Vec::with_capacity(size.outgoing()));
    let owners = inputs::receive_own::<G::Key>(channel, size.owner_inputs()).await?;
    let own = Zeroizing::new(inputs::choose::<G::Key>(channel, run, bits, prg).await?);
    for (keys, first) in [(&*own, 0), (&owners, own.len())] {
        let what = "key of input";
        let decoded = gates.wires(keys).map_err(|place| PfeError::Point { what, index: first + place })?;
        wires.extend_from_slice(&decoded);
    }
    let (mut done, inner) = (0, size.inner_gates());
    for level in function.levels().flat_map(|level| pieces(level, inner)) {
        if level.start >= inner {
            break;
        }
        done += level.len();
        let work = |first: usize, wiring: &[[u32; 2]]| -> Result<_, PfeError> {
            let first = level.start + first;
            let keys = Zeroizing::new(gates.evaluate(first, wiring, &wires));
            gates.wires(&keys).map_err(|place| PfeError::Row { gate: first + place })
        };
        let results = map_secret_groups(&function.wiring()[level.clone()], GROUP, threads, work)?;
        wires.extend_from_slice(&results);
        if done / PROGRESS != (done - level.len()) / PROGRESS {
            channel.send(&[SIGN]).await?;
            channel.flush().await?;
        }
    }
    let work = |first: usize, wiring: &[[u32; 2]]| -> Result<_, PfeError> {
        Ok(gates.evaluate(inner + first, wiring, &wires))
    };
    let labels: Vec<G::Key> = map_groups(&function.wiring()[inner..], GROUP, threads, work)?;
    channel.send(G::Key::flat(&labels)).await?;
    channel.flush().await?;
    Ok(())
}

/// A level's inner gates, divided at the multiples of [`PROGRESS`].
fn pieces(level: Range<usize>, inner: usize) -> impl Iterator<Item = Range<usize>> {
    let end = level.end.min(inner);
    let mut next = level.start;
    core::iter::from_fn(move || {
        let start = next;
        next = end.min((start / PROGRESS + 1) * PROGRESS);
        (start < end).then_some(start..next)
    })
}

/// The owner's online phase. `pairs` are the keys of all inputs, the holder's first.
pub(crate) async fn conclude<K: KeyBytes>(
    channel: &mut Channel,
    size: &Size,
    run: &[u8; 32],
    (pairs, labels): (&[[K; 2]], &Labels),
    bits: &[bool],
    prg: &mut Prg,
) -> Result<Vec<bool>, PfeError> {
    check_inputs(bits, size.owner_inputs())?;
    let (holders, own) = pairs.split_at(size.holder_inputs());
    inputs::send_own(channel, own, bits).await?;
    inputs::transfer(channel, run, holders, prg).await?;
    for _ in 0..signs(size) {
        let mut sign = [0];
        channel.receive_into(&mut sign).await?;
        if sign != [SIGN] {
            return Err(PfeError::Progress { given: sign[0] });
        }
    }
    let mut returned = vec![K::ZERO; size.outputs()];
    channel.receive_into(K::flat_mut(&mut returned)).await?;
    returned.iter().enumerate().map(|(output, label)| labels.decode(output, label)).collect()
}

pub(crate) fn check_inputs(bits: &[bool], announced: usize) -> Result<(), PfeError> {
    let given = bits.len();
    if given == announced { Ok(()) } else { Err(PfeError::Inputs { given, announced }) }
}

/// Bytes of the secret from which a run's output labels are derived.
pub(crate) const LABEL_SECRET: usize = 32;

/// The labels of a run's outputs, which only the owner can read.
pub(crate) struct Labels {
    secret: Zeroizing<[u8; LABEL_SECRET]>,
    oracle: Oracle,
}

impl Labels {
    /// Fresh labels.
    pub fn new(prg: &mut Prg) -> Labels {
        let mut secret = Zeroizing::new([0; LABEL_SECRET]);
        prg.fill_bytes(&mut *secret);
        Labels::of(secret)
    }

    /// The labels derived from a secret.
    pub fn of(secret: Zeroizing<[u8; LABEL_SECRET]>) -> Labels {
        let oracle = Oracle::new("tacit private functions v1: output").absorb(&*secret);
        Labels { secret, oracle }
    }

    /// The secret from which the labels are derived.
    pub fn secret(&self) -> &[u8; LABEL_SECRET] {
        &self.secret
    }

    /// The two labels of one output.
    pub fn pair<K: KeyBytes>(&self, output: usize) -> [K; 2] {
        let place = (output as u64).to_le_bytes();
        [0, 1].map(|bit| {
            let mut label = K::ZERO;
            let answer = self.oracle.clone().absorb(&place).absorb(&[bit]).digest();
            add(label.as_mut(), &answer);
            label
        })
    }

    fn decode<K: KeyBytes>(&self, output: usize, label: &K) -> Result<bool, PfeError> {
        let pair: [K; 2] = self.pair(output);
        let [zero, one] = pair.map(|known| bool::from(known.as_ref().ct_eq(label.as_ref())));
        if zero | one { Ok(one) } else { Err(PfeError::Label { output }) }
    }
}
