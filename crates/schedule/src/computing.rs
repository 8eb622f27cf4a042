//! The computing of the parties, in units whose time depends only on the machine.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Tally;

macro_rules! units {
    ($($(#[$doc:meta])* $unit:ident $name:literal,)*) => {
        /// A unit of computing. If both parties compute at the same time, it counts the time of the slower
        /// one.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Unit {
            $($(#[$doc])* $unit,)*
        }

        impl Unit {
            /// All of them.
            pub const ALL: &'static [Unit] = &[$(Unit::$unit,)*];

            /// The name in profiles.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Unit::$unit => $name,)*
                }
            }
        }
    };
}

units! {
    /// The base oblivious transfers for the extension in one direction.
    BaseTransfers "base-transfers",
    /// A transfer by SoftSpokenOT with k of 1 or 2.
    SoftSpoken2 "softspoken-2",
    /// A transfer by SoftSpokenOT with k = 4.
    SoftSpoken4 "softspoken-4",
    /// A transfer by SoftSpokenOT with k = 8.
    SoftSpoken8 "softspoken-8",
    /// The start of small silent transfers.
    SilentSmallStart "silent-small-start",
    /// A small silent transfer.
    SilentSmall "silent-small",
    /// The start of large silent transfers.
    SilentLargeStart "silent-large-start",
    /// A large silent transfer.
    SilentLarge "silent-large",
    /// An AND triple, without its transfers.
    AndTriple "and-triple",
    /// A bit that is opened to make a triple of more operands.
    NaryBit "nary-bit",
    /// A table of random entries, without its transfers.
    LookupTable "lookup-table",
    /// A word of at most 64 bits that a transfer carries under a mask.
    MaskedWord "masked-word",
    /// A byte of longer words or of several words that a transfer carries under masks.
    MaskedByte "masked-byte",
    /// A label that the evaluator gets by a transfer, without the transfer.
    Label "label",
    /// A residue of a lattice key.
    LatticeKey "lattice-key",
    /// A residue that is encrypted.
    LatticeFresh "lattice-fresh",
    /// A residue of a product of ciphertext and factor.
    LatticeProduct "lattice-product",
    /// A residue of a reply.
    LatticeReply "lattice-reply",
    /// An AND that is garbled by half gates.
    HalfGatesGarbled "half-gates-garbled",
    /// An AND by half gates that is evaluated.
    HalfGatesEvaluated "half-gates-evaluated",
    /// An AND that is garbled by three halves.
    ThreeHalvesGarbled "three-halves-garbled",
    /// An AND by three halves that is evaluated.
    ThreeHalvesEvaluated "three-halves-evaluated",
    /// An exclusive or of labels.
    LabelXor "label-xor",
    /// A gate on labels, over all instances that run side by side, without the work for each.
    LabelGate "label-gate",
    /// An AND that a layer of gates on labels lacks to keep a processor busy until the next layer may begin.
    LabelIdle "label-idle",
    /// A label that is an input, is opened, or moves.
    LabelMoved "label-moved",
    /// A label that is copied to where other operations read it.
    LabelGathered "label-gathered",
    /// A gate of a circuit on shared bits, however many lanes it has.
    ShareGate "share-gate",
    /// 64 lanes of a gate of a circuit on shared bits.
    ShareGateWord "share-gate-word",
    /// An AND of shared bits, in addition to its gate.
    ShareAnd "share-and",
    /// A word that an operation on words reads or writes.
    Word "word",
    /// A product of two words, as part of a product of matrices.
    WordProduct "word-product",
    /// A bit of a word that is opened, compared, or converted to or from bits.
    WordBit "word-bit",
    /// A step of the schedule, however many lanes it has.
    Step "step",
    /// A message, without its latency.
    Message "message",
    /// A byte that is sent or received.
    SentByte "sent-byte",
    /// A byte of memory that a run takes from the system, and wipes in the end.
    FreshByte "fresh-byte",
    /// An operation on shares among three parties or more, however many elements it has.
    SharedStep "shared-step",
    /// A byte of shares among three parties or more that is added or scaled.
    SharedByte "shared-byte",
    /// A byte of shares among three parties or more that any other local operation computes.
    DerivedByte "derived-byte",
    /// A byte of random shares among three parties or more, once for each key or dealer that it comes from.
    SharedRandomByte "shared-random-byte",
    /// Eight products of bits among three parties.
    OctetProduct "octet-product",
    /// A byte of products of bits among more than three parties.
    SlicedProduct "sliced-product",
    /// A product in GF(2^8).
    ByteProduct "byte-product",
    /// A product modulo 2^64 among three parties.
    RingProduct "ring-product",
    /// A byte of a product in a prime field.
    FieldProduct "field-product",
    /// A product of two words, as part of a product of matrices among three parties.
    SharedWordProduct "shared-word-product",
    /// A product of two elements of a prime field, as part of a product of matrices.
    FieldWordProduct "field-word-product",
    /// A gate of a circuit on bits among three parties or more, however many lanes it has.
    SharedGate "shared-gate",
    /// Eight lanes of a gate of a circuit on bits among three parties or more.
    SharedGateByte "shared-gate-byte",
    /// A byte of an input among three parties or more, once for each party.
    SharedInputByte "shared-input-byte",
    /// A byte of a product among more than three parties, once for each party.
    KingByte "king-byte",
    /// A byte of an opening among three parties or more, once for each party.
    OpenedByte "opened-byte",
    /// A byte of a product or an input that is verified, where parties may depart from the protocol.
    VerifiedByte "verified-byte",
    /// A byte that is sent or received among three parties or more.
    SharedSentByte "shared-sent-byte",
    /// A message among three parties or more that another one waits for, to each other party, without its latency.
    SharedRound "shared-round",
}

impl Unit {
    /// The unit of this name, if there is one.
    pub fn named(name: &str) -> Option<Unit> {
        Unit::ALL.iter().copied().find(|unit| unit.name() == name)
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How often each unit is computed. Counts saturate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Computing([u64; Unit::ALL.len()]);

impl Default for Computing {
    fn default() -> Computing {
        Computing([0; Unit::ALL.len()])
    }
}

impl Computing {
    /// `count` of one unit.
    pub fn of(unit: Unit, count: u64) -> Computing {
        Computing::default().and(unit, count)
    }

    /// The same with `count` more of one unit.
    #[must_use]
    pub fn and(mut self, unit: Unit, count: u64) -> Computing {
        self.add_of(unit, count);
        self
    }

    /// Counts more of one unit.
    pub fn add_of(&mut self, unit: Unit, count: u64) {
        self.0[unit as usize].add(&count, 1);
    }

    /// The count of one unit.
    pub fn count(&self, unit: Unit) -> u64 {
        self.0[unit as usize]
    }

    /// The increase over the earlier `before`.
    #[must_use]
    pub fn since(&self, before: &Computing) -> Computing {
        let mut more = *self;
        more.0.iter_mut().zip(before.0).for_each(|(now, before)| *now -= before.min(*now));
        more
    }

    /// The units with a count above zero, and their counts.
    pub fn iter(&self) -> impl Iterator<Item = (Unit, u64)> {
        Unit::ALL.iter().map(|unit| (*unit, self.count(*unit))).filter(|(_, count)| *count > 0)
    }
}

impl Tally for Computing {
    fn add(&mut self, other: &Computing, times: u64) {
        self.0.iter_mut().zip(&other.0).for_each(|(count, other)| count.add(other, times));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn units_are_known_by_their_names() {
        let names: BTreeSet<&str> = Unit::ALL.iter().map(|unit| unit.name()).collect();
        assert_eq!(names.len(), Unit::ALL.len());
        for (number, unit) in Unit::ALL.iter().enumerate() {
            assert_eq!((*unit as usize, Unit::named(unit.name())), (number, Some(*unit)));
        }
        assert_eq!(Unit::named("nothing"), None);
    }

    #[test]
    fn counts_saturate() {
        let mut all = Computing::of(Unit::Word, u64::MAX - 1).and(Unit::Step, 3);
        all.add(&Computing::of(Unit::Word, 2), 5);
        assert_eq!((all.count(Unit::Word), all.count(Unit::Step), all.count(Unit::Label)), (u64::MAX, 3, 0));
        assert_eq!(all.since(&Computing::of(Unit::Step, 1)).count(Unit::Step), 2);
        assert_eq!(Computing::of(Unit::Step, 3).iter().collect::<Vec<_>>(), [(Unit::Step, 3)]);
    }
}
