//! What parties say before each run of an open session.

use tacit_net::Channel;
use tacit_net::session::{Field, compare_fields};

use crate::Failure;
use crate::peer_fault::PeerFault;

/// What a party offers to do next with its store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Offer {
    /// Number of an entry; [`Offer::NONE`]'s if there is none.
    pub number: u64,
    /// The preparation that it is from.
    pub batch: [u8; 16],
}

impl Offer {
    /// Nothing to offer.
    pub const NONE: Offer = Offer { number: u64::MAX, batch: [0; 16] };

    const BYTES: usize = 24;

    fn to_bytes(self) -> [u8; Offer::BYTES] {
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
pub(super) async fn offer(channel: &mut Channel, ours: Offer) -> Result<Offer, Failure> {
    channel.send(&ours.to_bytes()).await?;
    let mut bytes = [0; Offer::BYTES];
    channel.receive_into(&mut bytes).await?;
    Ok(Offer::from_bytes(bytes))
}

/// Compares what is to be done, and exchanges offers with it.
///
/// Cost: 56 bytes each way in one message; the fields themselves follow only where they differ.
///
/// # Errors
/// [`NetError::Mismatch`] at both parties, which names the first field that differs, and after which both are in step.
pub(super) async fn agree(
    channel: &mut Channel,
    me: &str,
    fields: Vec<Field>,
    ours: Offer,
) -> Result<Offer, Failure> {
    let hash = hash(&fields);
    channel.send(&hash).await?;
    channel.send(&ours.to_bytes()).await?;
    let (mut theirs, mut bytes) = ([0; 32], [0; Offer::BYTES]);
    channel.receive_into(&mut theirs).await?;
    channel.receive_into(&mut bytes).await?;
    if theirs == hash {
        return Ok(Offer::from_bytes(bytes));
    }
    compare_fields(channel, me, fields).await?;
    Err(PeerFault::Contradiction.by(channel.peer()))
}

fn hash(fields: &[Field]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_derive_key("tacit 2026 run of an open session, version 1");
    for field in fields {
        hasher.update(&(field.name.len() as u64).to_le_bytes()).update(field.name.as_bytes());
        hasher.update(&field.hash);
    }
    *hasher.finalize().as_bytes()
}

#[cfg(test)]
mod tests {
    use tacit_net::{Options, memory};

    use super::*;

    #[test]
    fn offers_come_back() {
        let offer = Offer { number: 0x0102_0304_0506_0708, batch: [9; 16] };
        assert_eq!(Offer::from_bytes(offer.to_bytes()), offer);
    }

    #[tokio::test]
    async fn differences_are_named_at_both_sides_and_leave_them_in_step() {
        let (alice, bob) = memory::pair(Options::default());
        let (mut alice, mut bob) = (
            alice.open(crate::open::constants::STREAM).unwrap(),
            bob.open(crate::open::constants::STREAM).unwrap(),
        );
        let fields = |plan| vec![Field::text("program", "p"), Field::text("plan", plan)];
        for round in 0..2 {
            let (first, second) = tokio::join!(
                agree(&mut alice, "A", fields("x"), Offer::NONE),
                agree(&mut bob, "B", fields("y"), Offer::NONE)
            );
            for error in [first.unwrap_err(), second.unwrap_err()] {
                assert!(error.to_string().contains("differ in plan"), "{round}: {error}");
            }
        }
        let mine = Offer { number: 7, batch: [1; 16] };
        let (first, second) = tokio::join!(
            agree(&mut alice, "A", fields("x"), mine),
            agree(&mut bob, "B", fields("x"), Offer::NONE)
        );
        assert_eq!((first.unwrap(), second.unwrap()), (Offer::NONE, mine));
    }
}
