//! Offers, by which two parties choose the entry of their stores to spend next.

use tacit_net::{Channel, NetError};
use tacit_store::Claim;

/// The entry that a party offers to spend next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Offer {
    /// The entry's number, or that of [`Offer::NONE`].
    pub number: u64,
    /// The preparation that it comes from.
    pub batch: [u8; 16],
}

impl Offer {
    /// No entry to offer.
    pub const NONE: Offer = Offer { number: u64::MAX, batch: [0; 16] };

    const BYTES: usize = 24;

    /// The offer of an entry, if there is one.
    pub fn of(claim: Option<&Claim>) -> Offer {
        claim.map_or(Offer::NONE, |claim| Offer { number: claim.number, batch: claim.batch })
    }

    /// Receives the peer's offer.
    pub async fn receive(channel: &mut Channel) -> Result<Offer, NetError> {
        let mut bytes = [0; Offer::BYTES];
        channel.receive_into(&mut bytes).await?;
        Ok(Offer::from_bytes(bytes))
    }

    pub fn to_bytes(self) -> [u8; Offer::BYTES] {
        let mut bytes = [0; Offer::BYTES];
        bytes[..8].copy_from_slice(&self.number.to_le_bytes());
        bytes[8..].copy_from_slice(&self.batch);
        bytes
    }

    fn from_bytes(bytes: [u8; Offer::BYTES]) -> Offer {
        let [n0, n1, n2, n3, n4, n5, n6, n7, batch @ ..] = bytes;
        Offer { number: u64::from_le_bytes([n0, n1, n2, n3, n4, n5, n6, n7]), batch }
    }
}

/// Exchanges offers.
pub(crate) async fn exchange(channel: &mut Channel, ours: Offer) -> Result<Offer, NetError> {
    channel.send(&ours.to_bytes()).await?;
    Offer::receive(channel).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offers_come_back() {
        let offer = Offer { number: 0x0102_0304_0506_0708, batch: [9; 16] };
        assert_eq!(Offer::from_bytes(offer.to_bytes()), offer);
    }
}
