//! Inputs: one party gives elements, and all get shares of them.

use tacit_math::field::Field;
use tacit_math::{Wiped, zeros};

use super::operation::TaskOperation;
use super::pending_exchange::{AwaitedMessage, ElementRun, Opening, PendingExchange, ResultRange};
use super::reactor::Reactor;
use super::value::ValueElements;
use super::wire::MessageKind;
use crate::error::{RunError, UsageError};
use crate::parties::PartyIndex;
use crate::product::Products;

impl<F: Field> Reactor<F> {
    /// Runs an input of a party, with its elements if this is the party; it may have to consist of bits.
    pub(super) fn input(
        &mut self,
        operation: &TaskOperation<F>,
        (owner, bits): (PartyIndex, bool),
        elements: Option<Vec<F::Element>>,
    ) -> Result<(), RunError> {
        let given = elements.filter(|_| owner == self.me).map(Wiped::from);
        self.begin_input(operation, bits);
        let products = self.products.clone();
        match (given, &*products) {
            (None, _) if owner == self.me => {
                let (owner, length) = (self.names[owner].clone(), operation.length);
                Err(UsageError::Input { owner, length, given: None }.into())
            }
            (Some(mut given), Products::Replicated(replicated)) if self.derives_inputs() => {
                let (prss, given) = (&self.tasks.get(operation.task).prss, given.take_elements());
                let (previous, (own, rest)) =
                    (replicated.previous(), replicated.give(prss, operation.position, given));
                self.send_input(operation, previous, rest);
                self.know(operation, own);
                Ok(())
            }
            (None, Products::Replicated(replicated))
                if self.derives_inputs() && owner == replicated.previous() =>
            {
                let prss = &self.tasks.get(operation.task).prss;
                let own = replicated.draw(prss, operation.position, operation.length);
                self.know(operation, own);
                Ok(())
            }
            (Some(given), _) => {
                let mut shares = self.keys.scheme().share(&given, &mut self.prg);
                let own = std::mem::take(&mut shares[owner]);
                for (peer, elements) in shares.into_iter().enumerate().filter(|(peer, _)| *peer != owner) {
                    self.send_input(operation, peer, elements);
                }
                self.know(operation, own);
                Ok(())
            }
            (None, _) => self.await_input(operation, owner),
        }
    }

    /// Sends a peer its shares of this party's input.
    fn send_input(&mut self, operation: &TaskOperation<F>, peer: PartyIndex, elements: Vec<F::Element>) {
        let (task, first, length) = (operation.task, operation.position, operation.length);
        let (targets, how) = (vec![ResultRange::of(operation)], Opening::default());
        let run = ElementRun { task, first, elements, targets, how, masked: Vec::new() };
        self.send(peer, MessageKind::Input, &run, first, length);
    }

    /// Completes an input with this party's shares.
    fn know(&mut self, operation: &TaskOperation<F>, own: Vec<F::Element>) {
        self.complete(operation.out, ValueElements::from(own));
        self.keep_unverified(operation.out, operation.length);
        self.done(operation.task, operation.length);
    }

    /// Waits for the message of an input's owner.
    fn await_input(&mut self, operation: &TaskOperation<F>, owner: PartyIndex) -> Result<(), RunError> {
        let own = zeros(operation.length);
        let (place, targets) = ((operation.task, operation.position), [ResultRange::of(operation)]);
        self.advance(PendingExchange::new(place, (AwaitedMessage::Input, vec![owner]), own, targets.into()))
    }
}
