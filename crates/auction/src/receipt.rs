//! The servers' signatures: a receipt for each accepted half, and the head of the log.
//!
//! A receipt names the half by a commitment: the SHA-256 of 32 random bytes, which the bidder keeps, and the half. So the receipt alone reveals
//! nothing about the half (SHA-256 taken as a random oracle), and its bidder can open it to one half only. The head of a log is the hash of its
//! chain, so a signed head stands for all entries up to it. Signatures are made with the key that the other server pins.

use serde::{Deserialize, Serialize};
use tacit_net::keys::{PublicKey, SecretKey};

use crate::AuctionError;
use crate::config::Role;
use crate::constants::BLINDING_BYTES;
use crate::name::{Name, from_hex, to_hex};

const COMMITMENT: &[u8] = b"tacit 2026 commitment to a half of a sealed bid, version 1\0";
const RECEIPT: &str = "tacit 2026 receipt of a half of a sealed bid, version 1";
const HEAD: &str = "tacit 2026 head of an auction's log, version 1";

/// Public bytes that are written as hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digits<const N: usize>(pub [u8; N]);

impl<const N: usize> Serialize for Digits<N> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&to_hex(&self.0))
    }
}

impl<'de, const N: usize> Deserialize<'de> for Digits<N> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Digits<N>, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = from_hex(&text).and_then(|bytes| bytes.try_into().ok());
        bytes
            .map(Digits)
            .ok_or_else(|| serde::de::Error::custom(format!("{} hexadecimal digits are expected", 2 * N)))
    }
}

/// The blinding of the commitment to a half: random bytes that the bidder keeps.
pub(crate) type Blinding = zeroize::Zeroizing<[u8; BLINDING_BYTES]>;

/// A server's receipt for a half that it has accepted. It is public.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignedReceipt {
    /// The commitment to the half, which the bidder can open.
    pub commitment: Digits<32>,
    /// The entry of the log that accepts the bid.
    pub sequence: u64,
    /// The time of that entry, in milliseconds since 1970.
    pub time: u64,
    /// The hash of the log's chain up to that entry.
    pub chain: Digits<32>,
    /// Signature of all this, the server's role, the auction and the bid's name.
    pub signature: Digits<64>,
}

/// The end of a log, signed by a server. It is public.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignedHead {
    /// The last entry.
    pub sequence: u64,
    /// The hash of the log's chain up to that entry.
    pub chain: Digits<32>,
    /// Signature of this and the server's role.
    pub signature: Digits<64>,
}

/// The commitment to a half, given as its encoding.
///
/// Security: hides the half as long as the blinding is random and secret.
pub(crate) fn commit(blinding: &[u8; BLINDING_BYTES], half: &[u8]) -> Digits<32> {
    let mut hash = ring::digest::Context::new(&ring::digest::SHA256);
    [COMMITMENT, blinding, half].iter().for_each(|part| hash.update(part));
    let mut commitment = [0; 32];
    commitment.copy_from_slice(hash.finish().as_ref());
    Digits(commitment)
}

impl SignedReceipt {
    /// Signs; `accepted` is the entry, its time and the chain.
    pub(crate) fn sign(
        key: &SecretKey,
        role: Role,
        (auction, name): (&str, &Name),
        commitment: Digits<32>,
        (sequence, time, chain): (u64, u64, [u8; 32]),
    ) -> Result<SignedReceipt, AuctionError> {
        let mut receipt =
            SignedReceipt { commitment, sequence, time, chain: Digits(chain), signature: Digits([0; 64]) };
        receipt.signature = Digits(key.sign(RECEIPT, &receipt.text(role, auction, name))?);
        Ok(receipt)
    }

    /// Whether the owner of `key` signed it in this role for this bid.
    pub fn is_of(&self, key: &PublicKey, role: Role, auction: &str, name: &Name) -> bool {
        key.verify(RECEIPT, &self.text(role, auction, name), &self.signature.0)
    }

    /// The signed text. Every part except the auction, which is last, has a fixed length.
    fn text(&self, role: Role, auction: &str, name: &Name) -> Vec<u8> {
        let numbers = [self.sequence.to_le_bytes(), self.time.to_le_bytes()].concat();
        let parts = [role.name().as_bytes(), &name.0, &self.commitment.0, &numbers, &self.chain.0];
        [&parts.concat(), auction.as_bytes()].concat()
    }
}

impl SignedHead {
    pub(crate) fn sign(
        key: &SecretKey,
        role: Role,
        sequence: u64,
        chain: [u8; 32],
    ) -> Result<SignedHead, AuctionError> {
        let mut head = SignedHead { sequence, chain: Digits(chain), signature: Digits([0; 64]) };
        head.signature = Digits(key.sign(HEAD, &head.text(role))?);
        Ok(head)
    }

    /// Whether the owner of `key` signed it in this role.
    pub fn is_of(&self, key: &PublicKey, role: Role) -> bool {
        key.verify(HEAD, &self.text(role), &self.signature.0)
    }

    fn text(&self, role: Role) -> Vec<u8> {
        [role.name().as_bytes(), &self.sequence.to_le_bytes(), &self.chain.0].concat()
    }
}
