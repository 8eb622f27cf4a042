//! Agreement of two parties on an entry that both have, and confirmation that entries are durable.

use tacit_net::Channel;
use tacit_store::{Binding, Claim, Sealed, Store};

use super::constants::STORED;
use super::offer::{self, Offer};
use crate::Failure;
use crate::peer_fault::PeerFault;

/// After this many offers, parties whose stores differ too much give up.
const MAX_OFFERS: u32 = 4096;

/// The result of the agreement, which both parties know.
pub(crate) enum Settled {
    /// An entry, which both have marked as spent.
    Entry(Claim),
    /// There is no entry that both have.
    Nothing,
    /// Their entries with this number were not prepared together.
    Unrelated(u64),
}

/// Finds the first entry that both parties have and neither has claimed before. Every offered entry is durably marked as spent, so an
/// offer also confirms that; equal offers are agreement. `claim` was already offered, and `theirs` was the peer's offer.
pub(crate) async fn settle(
    channel: &mut Channel,
    (store, binding): (&mut Store, &Binding),
    mut claim: Option<Claim>,
    mut theirs: Offer,
) -> Result<Settled, Failure> {
    for _ in 0..MAX_OFFERS {
        let ours = Offer::of(claim.as_ref());
        if ours.number == theirs.number {
            return Ok(match claim {
                None => Settled::Nothing,
                Some(claim) if ours.batch != theirs.batch => Settled::Unrelated(claim.number),
                Some(claim) => Settled::Entry(claim),
            });
        }
        if ours.number < theirs.number {
            claim = store.claim(binding, theirs.number)?;
        }
        theirs = offer::exchange(channel, Offer::of(claim.as_ref())).await?;
    }
    Err(PeerFault::Offers { count: MAX_OFFERS as usize }.by(channel.peer()))
}

/// Makes entries ready, once the peer has confirmed that its own are durable too.
pub(crate) async fn commit(channel: &mut Channel, store: &mut Store, sealed: Sealed) -> Result<(), Failure> {
    channel.send(&STORED).await?;
    let mut said = [0; 1];
    channel.receive_into(&mut said).await?;
    if said != STORED {
        return Err(PeerFault::NotStored { byte: said[0] }.by(channel.peer()));
    }
    store.step("acknowledged")?;
    Ok(store.commit(sealed)?)
}

/// The number of entries of `bytes` each that are made ready together.
pub(crate) fn batch_entries(bytes: u64) -> u64 {
    (super::constants::BATCH_BYTES / bytes.max(1)).clamp(1, super::constants::BATCH_ENTRIES)
}
