//! A run that spends an entry in both stores.

use tacit_ir::Words;
use tacit_net::Phase;
use tacit_plan::Side;
use tacit_twoparty::yao::prepared::{EvaluatorPrepared, GarblerPrepared};

use super::resources::Resources;
use super::run::SessionRun;
use crate::drive::outputs::{Revealed, RunResults};
use crate::inputs::PartyInputs;
use crate::store::offer::{self, Offer};
use crate::store::settle::{self, Settled};
use crate::store::{Binding, Claim, Step, Store, StoreError, nothing_left};
use crate::{Failure, Operation};

/// The description of what is about to run.
const WHAT: &str = "a run that was prepared";

impl SessionRun<'_> {
    /// Spends an entry; returns its number, and the columns of every output port.
    pub async fn run_prepared(
        &mut self,
        (mut inputs, resources): (PartyInputs, Resources<'_>),
        store: &mut Store,
        binding: &Binding,
    ) -> Result<(u64, Vec<Vec<Words>>), Failure> {
        // An entry is not spent on a run that lacks something.
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

    /// Agrees on an entry of both stores. The first offer is sent with the compared fields, unless these are
    /// `agreed` already.
    async fn settle_on(
        &mut self,
        store: &mut Store,
        binding: &Binding,
        agreed: bool,
    ) -> Result<Claim, Failure> {
        let ready = store.ready(binding);
        let claim = store.claim(binding, 0)?;
        let ours = Offer::of(claim.as_ref());
        let theirs = match agreed {
            true => offer::exchange(self.channel(Operation::Connecting)?, ours).await?,
            false => self.agree(WHAT.to_owned(), Vec::new(), ours).await?,
        };
        let channel = self.channel(Operation::Connecting)?;
        let settled = settle::settle(channel, (store, binding), claim, theirs).await?;
        let error = match settled {
            Settled::Entry(claim) => return Ok(claim),
            Settled::Nothing => nothing_left(store, binding, ready),
            Settled::Unrelated(entry) => StoreError::Unrelated { entry },
        };
        self.in_step = true;
        Err(error.into())
    }
}
