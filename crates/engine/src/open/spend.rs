//! A run that spends an entry of both stores.

use tacit_ir::Words;
use tacit_net::Phase;
use tacit_plan::Side;
use tacit_twoparty::yao::prepared::{EvaluatorPrepared, GarblerPrepared};

use super::agree::{self, Offer};
use super::resources::Resources;
use super::run::SessionRun;
use crate::drive::outputs::{Revealed, RunResults};
use crate::inputs::PartyInputs;
use crate::peer_fault::PeerFault;
use crate::store::{Binding, Claim, Step, Store, StoreError, nothing_left};
use crate::{Failure, Operation};

/// Offers after which parties whose stores have drifted apart give up.
const MAX_OFFERS: u32 = 4096;
/// What is to be done, in words.
const WHAT: &str = "a run that was prepared";

impl SessionRun<'_> {
    /// Spends an entry. Its number, and the columns of every output port.
    pub async fn run_prepared(
        &mut self,
        (mut inputs, resources): (PartyInputs, Resources<'_>),
        store: &mut Store,
        binding: &Binding,
    ) -> Result<(u64, Vec<Vec<Words>>), Failure> {
        // An entry is not spent on a run for which something is lacking.
        let agreed = !resources.is_empty();
        if agreed {
            self.agree(WHAT.to_owned(), Vec::new(), Offer::NONE).await?;
        }
        let mut externals = self.gather(&mut inputs, resources).await?;
        let claim = match self.settle_on(store, binding, agreed).await {
            Ok(claim) => claim,
            Err(error) => {
                self.release(externals).await;
                return Err(error);
            }
        };
        store.tell(Step { name: "agreed", entry: Some(claim.number) })?;
        self.operation = Operation::Starting;
        self.begin(Phase::Setup, 0);
        let revealed = externals.with_keep_alive(self.spend(&claim, &inputs)).await?;
        store.step("spent")?;
        let results = RunResults::new(self.context.program, revealed);
        Ok((claim.number, self.deliver(externals, results).await?))
    }

    async fn spend(&mut self, claim: &Claim, inputs: &PartyInputs) -> Result<Vec<Revealed>, Failure> {
        match self.context.me {
            _ if self.context.plan.schedule().has_shares() => {
                self.spend_domains(&claim.material, inputs).await
            }
            Side::Garbler => {
                let prepared = GarblerPrepared::from_bytes(&claim.material)?;
                self.spend_garbler(prepared, inputs).await
            }
            Side::Evaluator => {
                let prepared = EvaluatorPrepared::from_bytes(&claim.material)?;
                self.spend_evaluator(prepared, inputs).await
            }
        }
    }

    /// Finds the first entry that neither party has claimed before and both have. Every offer is of an entry that is
    /// durably marked as spent, so an offer is also the word that it is; equal offers are agreement. The first travels with
    /// what is compared, unless that is `agreed` already.
    async fn settle_on(
        &mut self,
        store: &mut Store,
        binding: &Binding,
        agreed: bool,
    ) -> Result<Claim, Failure> {
        let ready = store.ready(binding);
        let mut claim = store.claim(binding, 0)?;
        let ours = offer(claim.as_ref());
        let mut theirs = match agreed {
            true => agree::offer(self.channel(Operation::Connecting)?, ours).await?,
            false => self.agree(WHAT.to_owned(), Vec::new(), ours).await?,
        };
        for _ in 0..MAX_OFFERS {
            let ours = offer(claim.as_ref());
            if ours.number == theirs.number {
                // Both know it now, whatever it is.
                self.in_step = true;
                let claim = claim.ok_or_else(|| nothing_left(store, binding, ready))?;
                if ours.batch != theirs.batch {
                    return Err(StoreError::Unrelated { entry: claim.number }.into());
                }
                self.in_step = false;
                return Ok(claim);
            }
            if ours.number < theirs.number {
                claim = store.claim(binding, theirs.number)?;
            }
            theirs = agree::offer(self.channel(Operation::Connecting)?, offer(claim.as_ref())).await?;
        }
        let peer = self.context.plan.parties().name(self.context.me.peer());
        Err(PeerFault::Offers { count: MAX_OFFERS as usize }.by(peer))
    }
}

fn offer(claim: Option<&Claim>) -> Offer {
    claim.map_or(Offer::NONE, |claim| Offer { number: claim.number, batch: claim.batch })
}
