//! Output columns that wait to be revealed.

use tacit_ir::Words;
use tacit_math::Bits;
use tacit_plan::Column;
use tacit_schedule::Bundle;
use tacit_schedule::walk::WalkError;
use tacit_twoparty::Party;
use tacit_twoparty::domains::{Shares, domain_worker};
use zeroize::Zeroizing;

use super::outputs::Revealed;

/// An output column.
pub(super) struct PendingOutput {
    pub column: Column,
    pub bundle: Bundle,
    pub wires: Shares,
}

impl PendingOutput {
    /// This party's shares as wires.
    pub fn shares(&self, party: Party) -> Result<Zeroizing<Bits>, WalkError> {
        domain_worker(self.bundle.domain).opened(party, &self.wires, self.bundle)
    }

    /// This party's share of a value that nobody learns.
    pub fn stored(&self, party: Party) -> Result<Revealed, WalkError> {
        let words = domain_worker(self.bundle.domain).kept(party, &self.wires, self.bundle)?;
        Ok(Revealed { column: self.column, words, shared: true })
    }

    /// The value, from the peer's shares.
    pub fn value(&self, party: Party, theirs: &Bits) -> Result<Words, WalkError> {
        domain_worker(self.bundle.domain).value(party, &self.wires, theirs, self.bundle)
    }
}
