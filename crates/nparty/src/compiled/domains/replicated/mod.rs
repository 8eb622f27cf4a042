//! Bits among three parties of whom one learns nothing, by replicated sharing: an exclusive or needs no message, and an AND is one bit that each party sends to the next.
//!
//! A bit is the exclusive or of three, of which each party has two. To multiply, each party adds up the products of bits that it has of both operands, so that every
//! product is somebody's; hides the sum by a sharing of zero, from keys that it has in common with either other party; and passes it on. Where the field's elements hold eight
//! lanes, shares are those of Shamir's scheme in GF(4), which tell the same two bits ([`BitOctets`]); so conversions are those of all other
//! domains, and products are those of three parties in any field ([`Replicated`](crate::product::Replicated)), with summands of one bit.
//!
//! Source: Araki, Furukawa, Lindell, Nof and Ohara, “High-throughput semi-honest secure three-party computation with an honest majority” (CCS 2016), sections 2.1 and
//! 2.2. Differs: shares in another basis; zeros are addressed by the place of their product in its task, in counter mode, and not drawn in order.
//! Security: against one passive party. Keys are fresh in each session; a place is used once under a task's key.
//! Cost: an AND takes a bit from each party, an input bit a bit to one other party, an output a bit to each party that learns it; all rounded up to bytes for each layer of a circuit and
//! each column.

use tacit_math::field::BitOctets;

use super::Size;
use super::bool::SharedBitDomain;

impl SharedBitDomain for BitOctets {
    fn serves(size: Size) -> bool {
        (size.parties, size.threshold) == BitOctets::PARTIES
    }
}
