//! A manual bidder's raise of a live price: signed by the bidder, public, and given to both servers.
//!
//! Security: a raise names the pair of servers, the auction with its deadline, and the price, so nobody can give it for another price or
//! elsewhere, and an auction takes each price once. Its name follows from the signature, so that nobody else can take the name beforehand.

use serde::{Deserialize, Serialize};
use tacit_net::keys::{PublicKey, SecretKey};

use crate::AuctionError;
use crate::constants::NAME_BYTES;
use crate::definition::Definition;
use crate::name::Name;
use crate::receipt::Digits;

const RAISE: &str = "tacit 2026 raise of an auction's price, version 1";
const NAME: &[u8] = b"tacit 2026 name of a raise of an auction's price, version 1\0";

/// A raise, which is public.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Raise {
    /// The price, one of the ladder.
    pub price: u64,
    /// The bidder's public key.
    pub bidder: Digits<32>,
    /// The bidder's signature of the servers, the auction and the price.
    pub signature: Digits<64>,
}

/// The auction that a raise is for.
#[derive(Clone, Copy)]
pub(crate) struct About<'a> {
    /// The keys of A and B.
    pub servers: [PublicKey; 2],
    /// The auction's name.
    pub auction: &'a str,
    /// Its deadline, in milliseconds since 1970.
    pub deadline: u64,
}

impl<'a> About<'a> {
    pub fn new(servers: [PublicKey; 2], definition: &'a Definition) -> About<'a> {
        About { servers, auction: &definition.id, deadline: definition.deadline_ms() }
    }

    /// The signed text. Every part except the auction, which is last, has a fixed length.
    fn text(&self, price: u64) -> Vec<u8> {
        let [a, b] = self.servers.map(PublicKey::to_bytes);
        [&a[..], &b, &self.deadline.to_le_bytes(), &price.to_le_bytes(), self.auction.as_bytes()].concat()
    }
}

impl Raise {
    /// Signs a raise with a bidder's key.
    ///
    /// # Errors
    /// [`AuctionError::Key`].
    pub(crate) fn sign(key: &SecretKey, about: About<'_>, price: u64) -> Result<Raise, AuctionError> {
        let signature = Digits(key.sign(RAISE, &about.text(price))?);
        Ok(Raise { price, bidder: Digits(key.public().to_bytes()), signature })
    }

    /// Whether its bidder signed it for this auction.
    pub(crate) fn is_about(&self, about: About<'_>) -> bool {
        PublicKey::from_bytes(self.bidder.0).verify(RAISE, &about.text(self.price), &self.signature.0)
    }

    /// The raise's name, which nobody else knows before its bidder publishes the raise.
    pub(crate) fn name(&self) -> Name {
        let mut hash = ring::digest::Context::new(&ring::digest::SHA256);
        let parts = [NAME, &self.price.to_le_bytes(), &self.bidder.0, &self.signature.0];
        parts.iter().for_each(|part| hash.update(part));
        let mut name = [0; NAME_BYTES];
        name.copy_from_slice(&hash.finish().as_ref()[..NAME_BYTES]);
        Name(name)
    }

    /// The bytes that are stored.
    pub(crate) fn to_bytes(self) -> Vec<u8> {
        // Postcard cannot fail on these types when it writes to memory.
        postcard::to_stdvec(&self).unwrap_or_default()
    }

    /// The raise of these bytes.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Raise> {
        postcard::from_bytes(bytes).ok()
    }
}

#[cfg(test)]
mod tests {
    use tacit_net::keys::generate;

    use super::*;

    #[test]
    fn a_raise_holds_for_what_it_names_alone() {
        let [a, b, bidder] = [0; 3].map(|_| generate().unwrap().0);
        let servers = [a.public(), b.public()];
        let about = About { servers, auction: "vase", deadline: 5000 };
        let raise = Raise::sign(&bidder, about, 300).unwrap();
        assert!(raise.is_about(about));
        assert_eq!(Raise::from_bytes(&raise.to_bytes()), Some(raise));
        let swapped = [b.public(), a.public()];
        for other in [
            About { servers: swapped, ..about },
            About { auction: "vas", ..about },
            About { deadline: 6000, ..about },
        ] {
            assert!(!raise.is_about(other));
        }
        for other in [Raise { price: 400, ..raise }, Raise { bidder: Digits(a.public().to_bytes()), ..raise }]
        {
            assert!(!other.is_about(about));
            assert_ne!(other.name(), raise.name());
        }
    }
}
