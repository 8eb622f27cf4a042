//! Bits among three parties, of whom no single one learns anything, by replicated sharing. An exclusive or needs no message; for an AND each party sends one
//! bit to the next.
//!
//! A bit is the exclusive or of three bits, of which each party has two. To multiply, each party adds the products of the bits that it has of both operands;
//! every product is computed by one of the parties. It hides the sum by a sharing of zero, from keys that it has in common with each other party, and sends it
//! on. Shares are those of Shamir's scheme in GF(4), eight lanes to an element, and determine the same two bits ([`BitOctets`]). So
//! conversions are those of all other domains, and products are those of three parties in any field ([`Replicated`](crate::product::Replicated)), with summands
//! of one bit.
//!
//! Source: Araki, Furukawa, Lindell, Nof and Ohara, “High-throughput semi-honest secure three-party computation with an honest majority” (CCS 2016), sections 2.1 and
//! 2.2. Differs: shares in another basis; zeros are addressed by the place of their product in its task, in counter mode, and not drawn in order.
//! Security: against one passive party. Keys are fresh in each session; a place is used once under a task's key.
//! Cost: for an AND each party sends a bit, for an input bit its owner sends a bit to one other party, for an output a bit goes to each party that learns it.
//! All are rounded up to bytes for each layer of a circuit and each column.

use tacit_math::field::BitOctets;

use super::Size;
use super::bool::SharedBitDomain;

impl SharedBitDomain for BitOctets {
    fn serves(size: Size) -> bool {
        !size.active && (size.parties, size.threshold) == BitOctets::PARTIES
    }
}
