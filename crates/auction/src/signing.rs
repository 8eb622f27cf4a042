//! A server's signatures of receipts and of the log, made from its database.

use crate::AuctionError;
use crate::ledger::Standing;
use crate::name::Name;
use crate::node::Node;
use crate::receipt::{Digits, SignedHead, SignedReceipt};
use crate::store;

impl Node {
    /// The receipt of an accepted bid that both servers know; `None` if its bidder gave no blinding. It is the same at every request.
    pub async fn receipt(&self, auction: &str, name: &Name) -> Result<Option<SignedReceipt>, AuctionError> {
        let sequence = match self.ledger().standing(name) {
            Some((of, Standing::Accepted(_), sequence)) if of == auction && sequence <= self.confirmed() => {
                sequence
            }
            _ => return Ok(None),
        };
        let bid = *name;
        let read = move |connection: &rusqlite::Connection| {
            let commitment = store::commitment(connection, &bid)?;
            Ok((commitment, store::records(connection, sequence - 1, 1)?.pop()))
        };
        let (Some(commitment), Some((record, chain))) = self.store.run(read).await? else { return Ok(None) };
        let accepted = (sequence, record.time, chain);
        SignedReceipt::sign(&self.key, self.role, (auction, name), Digits(commitment), accepted).map(Some)
    }

    /// The signed head of the log up to an entry that both servers have; without a number, up to the last one. `None` for an entry that they lack.
    pub async fn head(&self, at: Option<u64>) -> Result<Option<SignedHead>, AuctionError> {
        let sequence = at.unwrap_or(self.confirmed());
        if sequence == 0 || sequence > self.confirmed() {
            return Ok(None);
        }
        let chain = self.store.run(move |connection| store::chain_at(connection, sequence)).await?;
        let Some(chain) = chain.and_then(|chain| chain.try_into().ok()) else { return Ok(None) };
        SignedHead::sign(&self.key, self.role, sequence, chain).map(Some)
    }
}
