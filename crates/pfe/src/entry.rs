//! The setup of one run as bytes, for a store: each party's state between setup and online, with long or short keys.
//!
//! | party | bytes |
//! |---|---|
//! | holder | the run's name, the garbled gates, the shifts from wires' keys to operands' keys, each as long as a key |
//! | owner | the run's name, the secret of the outputs' labels, both keys of every input |

use core::ops::Range;

use zeroize::Zeroizing;

use crate::evaluation::LABEL_SECRET;
use crate::rows::{ByteArray, KeyBytes};
use crate::{PfeError, Size};

/// Bytes of a run's name.
pub(crate) const RUN: usize = 32;

/// Bytes of a run's setup at its holder, and at the data's owner.
pub(crate) fn entry_bytes<K: KeyBytes>(size: &Size) -> [usize; 2] {
    let (key, gate) = (size_of::<K>(), size_of::<K::Gate>());
    [RUN + (gate + 2 * key) * size.gates(), RUN + LABEL_SECRET + 2 * key * size.inputs()]
}

/// A holder's entry, filled step by step.
pub(crate) struct HolderEntry<K> {
    bytes: Zeroizing<Vec<u8>>,
    gates: usize,
    key: core::marker::PhantomData<K>,
}

impl<K: KeyBytes> HolderEntry<K> {
    /// An empty entry.
    pub fn new(size: &Size) -> Self {
        let [bytes, _] = entry_bytes::<K>(size);
        let (bytes, gates) = (Zeroizing::new(vec![0; bytes]), size.gates());
        HolderEntry { bytes, gates, key: core::marker::PhantomData }
    }

    /// The run's name.
    pub fn run_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[..RUN]
    }

    /// Some garbled gates.
    pub fn gates_mut(&mut self, gates: Range<usize>) -> &mut [u8] {
        let gate = size_of::<K::Gate>();
        &mut self.bytes[RUN + gate * gates.start..RUN + gate * gates.end]
    }

    /// The shifts of the operands of some gates.
    pub fn shifts_mut(&mut self, gates: Range<usize>) -> &mut [u8] {
        let first = RUN + size_of::<K::Gate>() * self.gates;
        let shifts = 2 * size_of::<K>();
        &mut self.bytes[first + shifts * gates.start..first + shifts * gates.end]
    }

    /// The whole entry.
    pub fn into_bytes(self) -> Zeroizing<Vec<u8>> {
        self.bytes
    }
}

/// An entry's bytes, if their number is the expected one.
fn of_length(entry: &[u8], expected: usize) -> Result<&[u8], PfeError> {
    if entry.len() == expected { Ok(entry) } else { Err(PfeError::Entry { given: entry.len(), expected }) }
}

/// The name of the run at the beginning of an entry, and the rest.
fn run_of(entry: &[u8]) -> ([u8; RUN], &[u8]) {
    let (run, rest) = entry.split_at(RUN);
    let mut name = [0; RUN];
    name.copy_from_slice(run);
    (name, rest)
}

/// A holder's entry: the run's name, the garbled gates, and the shifts of their operands in pairs.
pub(crate) type HolderParts<K> = ([u8; RUN], Vec<<K as KeyBytes>::Gate>, Zeroizing<Vec<[K; 2]>>);

/// The parts of a holder's entry for a function of this size.
pub(crate) fn holder_parts<K: KeyBytes>(size: &Size, entry: &[u8]) -> Result<HolderParts<K>, PfeError> {
    let [expected, _] = entry_bytes::<K>(size);
    let (run, rest) = run_of(of_length(entry, expected)?);
    let (gates, shifts) = rest.split_at(size_of::<K::Gate>() * size.gates());
    Ok((run, ByteArray::of_flat(gates), pairs(shifts)))
}

/// An owner's entry: the run's name, the secret of its labels, the keys of its inputs.
pub(crate) type OwnerParts<K> = ([u8; RUN], Zeroizing<[u8; LABEL_SECRET]>, Zeroizing<Vec<[K; 2]>>);

/// The entry of these parts.
pub(crate) fn owner_entry<K: KeyBytes>(
    run: &[u8; RUN],
    labels: &[u8; LABEL_SECRET],
    inputs: &[[K; 2]],
) -> Zeroizing<Vec<u8>> {
    let inputs = K::flat(inputs.as_flattened());
    let mut entry = Zeroizing::new(Vec::with_capacity(RUN + LABEL_SECRET + inputs.len()));
    for part in [&run[..], labels, inputs] {
        entry.extend_from_slice(part);
    }
    entry
}

/// The parts of an owner's entry for a function of this size.
pub(crate) fn owner_parts<K: KeyBytes>(size: &Size, entry: &[u8]) -> Result<OwnerParts<K>, PfeError> {
    let [_, expected] = entry_bytes::<K>(size);
    let (run, rest) = run_of(of_length(entry, expected)?);
    let (secret, inputs) = rest.split_at(LABEL_SECRET);
    let mut labels = Zeroizing::new([0; LABEL_SECRET]);
    labels.copy_from_slice(secret);
    Ok((run, labels, pairs(inputs)))
}

/// Keys in pairs.
fn pairs<K: KeyBytes>(bytes: &[u8]) -> Zeroizing<Vec<[K; 2]>> {
    let keys = Zeroizing::new(K::of_flat(bytes));
    Zeroizing::new(keys.as_chunks().0.to_vec())
}
