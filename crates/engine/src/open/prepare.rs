//! Prepares runs: fills both stores.

use tacit_ir::Program;
use tacit_net::Phase;
use tacit_plan::{Plan, PlanError, Side, TABLE_BYTES};
use zeroize::Zeroizing;

use super::run::SessionRun;
use crate::store::offer::Offer;
use crate::store::{Binding, Store, settle};
use crate::{Failure, Operation, Report, prices};

/// The result of preparing runs.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// Entries of the program that this party can use now, including older ones.
    pub ready: u64,
    /// The report of the preparation.
    pub report: Report,
}

impl SessionRun<'_> {
    /// Makes `count` entries, batch after batch.
    pub async fn prepare(&mut self, store: &mut Store, binding: &Binding, count: u64) -> Result<(), Failure> {
        let ours = store.next_number(binding);
        let what = format!("preparing {count} runs");
        let theirs = self.agree(what, Vec::new(), Offer { number: ours, batch: [0; 16] }).await?;
        self.begin(Phase::Setup, 0);
        let mut next = ours.max(theirs.number);
        let mut left = count;
        while left > 0 {
            let size = left.min(batch_entries(self.context.program, self.context.plan)?);
            self.batch(store, binding, (next, size)).await?;
            next = next.saturating_add(size);
            left -= size;
        }
        Ok(())
    }

    async fn batch(
        &mut self,
        store: &mut Store,
        binding: &Binding,
        (first, count): (u64, u64),
    ) -> Result<(), Failure> {
        self.operation = Operation::Starting;
        let mut filling = store.reserve(binding, (first, count), self.batch_id(binding, first))?;
        for _ in 0..count {
            let mut material = self.material().await?;
            store.append(&mut filling, &mut material)?;
        }
        let sealed = store.seal(filling)?;
        settle::commit(self.channel(Operation::Finishing)?, store, sealed).await
    }

    /// The setup of one run, as bytes. Secret.
    async fn material(&mut self) -> Result<Zeroizing<Vec<u8>>, Failure> {
        Ok(match self.context.me {
            _ if self.context.plan.schedule().has_shares() => self.domains_material().await?,
            Side::Garbler => self.garble().await?.to_bytes(),
            Side::Evaluator => self.receive_tables().await?.to_bytes(),
        })
    }

    /// Identifies the runs that are prepared together; the same at both parties, and never repeated.
    fn batch_id(&self, binding: &Binding, first: u64) -> [u8; 16] {
        let mut hasher = blake3::Hasher::new_derive_key("tacit 2026 batch of prepared runs, version 1");
        hasher.update(&self.wire.link).update(&binding.pool.0).update(&first.to_le_bytes());
        let mut id = [0; 16];
        hasher.finalize_xof().fill(&mut id);
        id
    }
}

/// Entries of a batch: the maximum that a crash or a full disk can waste.
pub(super) fn batch_entries(program: &Program, plan: &Plan) -> Result<u64, PlanError> {
    let bytes = match plan.schedule().has_shares() {
        true => prices::entry_bytes(program, plan)?,
        false => plan.work().and_count.saturating_mul(TABLE_BYTES),
    };
    Ok(settle::batch_entries(bytes))
}
