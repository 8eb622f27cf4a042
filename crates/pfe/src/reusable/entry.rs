//! The setup of one run as bytes, for a store: what either party keeps from setup to online.
//!
//! | party | bytes |
//! |---|---|
//! | holder | the run's name, the garbled gates, the shifts of their operands |
//! | owner | the run's name, the secret of the outputs' labels, both keys of every input |

use core::ops::Range;

use zeroize::Zeroizing;

use crate::evaluation::LABEL_SECRET;
use crate::rows::{GATE, KEY, Pair};
use crate::{PfeError, Size};

/// Bytes of a run's name.
pub(crate) const RUN: usize = 32;

/// Bytes of the shifts of a gate's operands.
pub(crate) const SHIFTS: usize = 2 * KEY;

/// Bytes of a run's setup at its holder, and at the data's owner.
pub(crate) fn entry_bytes(size: &Size) -> [usize; 2] {
    [RUN + (GATE + SHIFTS) * size.gates(), RUN + LABEL_SECRET + 2 * KEY * size.inputs()]
}

/// A holder's entry that is being filled.
pub(super) struct HolderEntry {
    bytes: Zeroizing<Vec<u8>>,
    shifts: usize,
}

impl HolderEntry {
    /// An empty one.
    pub fn new(size: &Size) -> HolderEntry {
        let [bytes, _] = entry_bytes(size);
        HolderEntry { bytes: Zeroizing::new(vec![0; bytes]), shifts: RUN + GATE * size.gates() }
    }

    /// The run's name.
    pub fn run_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[..RUN]
    }

    /// Some garbled gates.
    pub fn gates_mut(&mut self, gates: Range<usize>) -> &mut [u8] {
        &mut self.bytes[RUN + GATE * gates.start..RUN + GATE * gates.end]
    }

    /// The shifts of the operands of some gates.
    pub fn shifts_mut(&mut self, gates: Range<usize>) -> &mut [Pair] {
        let bytes = &mut self.bytes[self.shifts + SHIFTS * gates.start..self.shifts + SHIFTS * gates.end];
        bytes.as_chunks_mut().0.as_chunks_mut().0
    }

    /// The whole.
    pub fn into_bytes(self) -> Zeroizing<Vec<u8>> {
        self.bytes
    }
}

/// An entry's bytes, if there are as many as there should be.
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

/// A holder's entry: the run's name, the garbled gates, the shifts of their operands.
pub(super) type HolderParts<'a> = ([u8; RUN], &'a [[u8; GATE]], &'a [Pair]);

/// The parts of a holder's entry for a function of this size.
pub(super) fn holder_parts<'a>(size: &Size, entry: &'a [u8]) -> Result<HolderParts<'a>, PfeError> {
    let [expected, _] = entry_bytes(size);
    let (run, rest) = run_of(of_length(entry, expected)?);
    let (gates, shifts) = rest.split_at(GATE * size.gates());
    Ok((run, gates.as_chunks().0, shifts.as_chunks().0.as_chunks().0))
}

/// An owner's entry: the run's name, the secret of its labels, the keys of its inputs.
pub(super) type OwnerParts<'a> = ([u8; RUN], Zeroizing<[u8; LABEL_SECRET]>, &'a [Pair]);

/// The entry of these parts.
pub(super) fn owner_entry(
    run: &[u8; RUN],
    labels: &[u8; LABEL_SECRET],
    inputs: &[Pair],
) -> Zeroizing<Vec<u8>> {
    let inputs = inputs.as_flattened().as_flattened();
    let mut entry = Zeroizing::new(Vec::with_capacity(RUN + LABEL_SECRET + inputs.len()));
    for part in [&run[..], labels, inputs] {
        entry.extend_from_slice(part);
    }
    entry
}

/// The parts of an owner's entry for a function of this size.
pub(super) fn owner_parts<'a>(size: &Size, entry: &'a [u8]) -> Result<OwnerParts<'a>, PfeError> {
    let [_, expected] = entry_bytes(size);
    let (run, rest) = run_of(of_length(entry, expected)?);
    let (secret, inputs) = rest.split_at(LABEL_SECRET);
    let mut labels = Zeroizing::new([0; LABEL_SECRET]);
    labels.copy_from_slice(secret);
    Ok((run, labels, inputs.as_chunks().0.as_chunks().0))
}
