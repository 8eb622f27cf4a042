//! Long products in pieces. A piece runs as soon as its part of the operands has arrived: parties compute and send at the same time, and elements
//! stay in the cache from the message that brings them to the message that leaves.

use std::ops::Range;

use tacit_math::field::Field;

use super::operation::{OperationKind, TaskOperation};
use super::pending_exchange::{AwaitedMessage, PendingExchange, ResultRange};
use super::reactor::Reactor;
use super::value::ValueId;
use super::wire::{MessageKind, RANGE};
use crate::error::RunError;
use crate::parties::PartyIndex;
use crate::product::{Products, Replicated};

/// Elements of a piece: what arrives together.
pub(super) const PIECE: usize = RANGE;

/// Shorter products run as a whole.
pub(super) const LEAST: usize = 2 * PIECE;

impl<F: Field> Reactor<F> {
    /// Whether an operation runs in pieces. Products that are verified later, or whose masks are dealt, run as a whole.
    pub(super) fn runs_in_pieces(&self, operation: &TaskOperation<F>) -> bool {
        let long = operation.length >= LEAST && matches!(operation.work, OperationKind::Product(..));
        let passed_on = matches!(*self.products, Products::Replicated(_));
        long && passed_on && self.verifier.is_none() && self.dealer.is_none()
    }

    /// The approximate time of a piece, in elements that are copied.
    fn piece_cost(&self) -> usize {
        PIECE * (1 + self.keys.keys() / 2)
    }

    /// Runs pieces whose operands have arrived, within about the time of `most` elements; returns the time that is left, or nothing if pieces may be left.
    ///
    /// Errors: messages do not belong to this program.
    pub(super) fn run_pieces(&mut self, most: usize) -> Result<Option<usize>, RunError> {
        let mut left = most;
        while let Some(serial) = self.in_pieces.front().copied() {
            if left < self.piece_cost() {
                return Ok(None);
            }
            match self.run_piece(serial)? {
                true => left -= self.piece_cost(),
                false => {
                    self.in_pieces.pop_front();
                }
            }
        }
        Ok(Some(left))
    }

    /// Runs the next piece of a product; returns whether there was one whose operands have arrived.
    fn run_piece(&mut self, serial: u64) -> Result<bool, RunError> {
        let products = self.products.clone();
        let (Some(waiting), Products::Replicated(replicated)) = (self.pending.get(&serial), &*products)
        else {
            return Ok(false);
        };
        let OperationKind::Product(a, b) = waiting.operation.work else { return Ok(false) };
        let (task, target) = (waiting.operation.task, ResultRange::of(&waiting.operation));
        let key = (MessageKind::Replicated, task, target.end());
        let begun = self.exchanges.get(&key).map_or(0, |exchange| exchange.ready);
        let piece = begun..target.length.min(begun + PIECE);
        if self.part(a, &piece).is_none() || self.part(b, &piece).is_none() {
            return Ok(false);
        }
        let exchange = self.exchanges.remove(&key);
        let mut exchange = exchange.unwrap_or_else(|| self.begin_pieces(task, replicated, target));
        self.multiply_piece(&mut exchange, replicated, (a, b), &piece);
        self.send_piece(&exchange, replicated.next(), &piece, target);
        if piece.end == target.length {
            self.pending.remove(&serial);
            [a, b].into_iter().for_each(|value| self.values.read(value));
        }
        self.advance(exchange)?;
        Ok(true)
    }

    /// The exchange of a product that runs in pieces.
    fn begin_pieces(
        &mut self,
        task: u32,
        replicated: &Replicated<F>,
        target: ResultRange,
    ) -> PendingExchange<F> {
        let ResultRange { value, start: base, length, .. } = target;
        let own = self.values.spare.take_all(length);
        let summands = match self.field.ground_bytes() {
            each if each < self.field.bytes() => self.spare_summands.take_all(length * each),
            _ => Vec::new(),
        };
        let awaited = (AwaitedMessage::Replicated, vec![replicated.previous()]);
        let mut exchange = PendingExchange::new((task, base), awaited, own, [target].into());
        (exchange.summands, exchange.ready) = (summands.into(), 0);
        self.values.begin_exchange(value, (task, exchange.end()));
        exchange
    }

    /// Multiplies and masks a piece.
    fn multiply_piece(
        &self,
        exchange: &mut PendingExchange<F>,
        replicated: &Replicated<F>,
        (a, b): (ValueId, ValueId),
        piece: &Range<usize>,
    ) {
        let (prss, first) = (&self.tasks.get(exchange.task).prss, exchange.base + piece.start as u64);
        let (Some(a), Some(b)) = (self.part(a, piece), self.part(b, piece)) else { return };
        match exchange.summands.is_empty() {
            true => replicated.multiply(prss, first, (a, b), &mut exchange.own[piece.clone()]),
            false => {
                let each = self.field.ground_bytes();
                let summands = &mut exchange.summands[each * piece.start..each * piece.end];
                replicated.multiply_encoded(prss, first, (a, b), summands);
            }
        }
        exchange.ready = piece.end;
    }

    /// Puts the summands of a piece into the outbox.
    fn send_piece(
        &mut self,
        exchange: &PendingExchange<F>,
        peer: PartyIndex,
        piece: &Range<usize>,
        target: ResultRange,
    ) {
        let (kind, first) = ((MessageKind::Replicated, exchange.task), target.start + piece.start as u64);
        match exchange.summands_at(piece.clone(), self.field.ground_bytes()) {
            None => self.send_range(peer, kind, (&exchange.own[piece.clone()], first), &[target]),
            Some(summands) => {
                let copy = |_: &F, room: &mut [u8]| room.copy_from_slice(summands);
                self.write_range(peer, kind, (piece.len(), first), &[target], copy);
            }
        }
    }

    /// Some elements of a value, if they are known; or its only element.
    fn part(&self, value: ValueId, piece: &Range<usize>) -> Option<&[F::Element]> {
        if let Some((task, end)) = self.values.exchange(value) {
            return self.exchanges.get(&(MessageKind::Replicated, task, end))?.known().get(piece.clone());
        }
        match self.values.get(value) {
            one @ [_] => Some(one),
            known => known.get(piece.clone()),
        }
    }
}
