//! Agreement of the parties before each run of an open session.

use tacit_net::Channel;
use tacit_net::session::{Field, compare_fields};

use crate::Failure;
use crate::peer_fault::PeerFault;
use crate::store::offer::Offer;

/// Compares the fields of what is about to run, and exchanges offers with them.
///
/// Cost: 56 bytes each way in one message; the fields themselves follow only if they differ.
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
    let mut theirs = [0; 32];
    channel.receive_into(&mut theirs).await?;
    let offered = Offer::receive(channel).await?;
    if theirs == hash {
        return Ok(offered);
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
