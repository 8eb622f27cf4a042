//! Turns ready operations into messages, and messages into results.

use std::ops::Range;

use tacit_math::field::Field;
use tacit_math::{Wiped, zeros};
use zeroize::Zeroizing;

use super::identity::CallSite;
use super::inbox::Hashes;
use super::pending_exchange::{AwaitedMessage, ElementRun, PendingExchange, ResultRange, Waiting};
use super::reactor::{AT_ONCE, Reactor};
use super::value::ValueElements;
use super::wire::{Arrived, MessageKind, RANGE, RangeHead, Widths, tag_of};
use crate::error::{MessageError, RunError, VerificationError};
use crate::parties::PartyIndex;
use crate::product::Products;
use crate::product::king::{REIGN, king_of};

impl<F: Field> Reactor<F> {
    pub(super) fn threshold(&self) -> usize {
        self.keys.scheme().threshold()
    }

    /// Puts elements of a run into the outbox.
    pub(super) fn send(
        &mut self,
        peer: PartyIndex,
        kind: MessageKind,
        run: &ElementRun<F>,
        first: u64,
        count: usize,
    ) {
        let elements = &run.elements[(first - run.first) as usize..][..count];
        for (first, elements) in (first..).step_by(RANGE).zip(elements.chunks(RANGE)) {
            self.send_range(peer, (kind, run.task), (elements, first), run.operations(first, elements.len()));
        }
    }

    /// Puts elements from a position on, of these operations, into the outbox; at most as many as a range has.
    pub(super) fn send_range(
        &mut self,
        peer: PartyIndex,
        (kind, task): (MessageKind, u32),
        (elements, first): (&[F::Element], u64),
        operations: &[ResultRange],
    ) {
        let encode = |field: &F, room: &mut [u8]| match kind.is_of_ground() {
            true => field.encode_ground(elements, room),
            false => field.encode_all(elements, room),
        };
        self.write_range(peer, (kind, task), (elements.len(), first), operations, encode);
    }

    /// Puts so many elements, which `write` encodes, from a position on, of these operations, into the outbox.
    pub(super) fn write_range(
        &mut self,
        peer: PartyIndex,
        (kind, task): (MessageKind, u32),
        (count, first): (usize, u64),
        operations: &[ResultRange],
        write: impl FnOnce(&F, &mut [u8]),
    ) {
        let Some((begun, others)) = operations.split_first() else { return };
        let (task, width) = (self.tasks.get(task), kind.width(Widths::of(&self.field)));
        let (number, chain, task_id) = (begun.number, begun.chain, task.id);
        task.traffic.sent(peer, (count, width));
        let range = RangeHead { kind, task: task_id, chain, first, count, number };
        let tags = others.iter().map(|target| tag_of(target.chain));
        write(&self.field, self.outbox[peer].range(range, tags, width));
    }

    /// Turns ready local products into messages.
    pub(super) fn multiply(&mut self, mut run: ElementRun<F>) -> Result<(), RunError> {
        let products = self.products.clone();
        let prss = &self.tasks.get(run.task).prss;
        match &*products {
            Products::Replicated(replicated) => {
                let (next, previous) = (replicated.next(), replicated.previous());
                for Range { start, end } in run.unmasked() {
                    let products = (start - run.first) as usize..(end - run.first) as usize;
                    replicated.mask(prss, start, &mut run.elements[products]);
                }
                self.send(next, MessageKind::Replicated, &run, run.first, run.elements.len());
                let (task, base) = (run.task, run.first);
                let targets = run.targets(base, run.end());
                let awaited = (AwaitedMessage::Replicated, vec![previous]);
                let own = std::mem::take(&mut run.elements);
                self.advance(PendingExchange::new((task, base), awaited, own, targets))
            }
            Products::Kings(kings) => {
                let mut random = Zeroizing::new(self.values.spare.take(run.elements.len()));
                random.resize_with(run.elements.len(), F::Element::default);
                match &self.dealer {
                    // Each king has masks of its own.
                    _ if self.verifier.is_some() => {}
                    // The mask is the same with every king.
                    None => kings[0].mask(prss, run.first, &mut run.elements, &mut random),
                    Some(_) => self.take_double(run.task, run.first, &mut run.elements, &mut random),
                }
                let mut first = run.first;
                while first < run.end() {
                    let end = run.end().min((first / REIGN + 1) * REIGN);
                    let reign = (first - run.first) as usize..(end - run.first) as usize;
                    if self.verifier.is_some() {
                        let prss = &self.tasks.get(run.task).prss;
                        let king = &kings[king_of(first, kings.len())];
                        king.mask_apart(
                            prss,
                            first,
                            &mut run.elements[reign.clone()],
                            &mut random[reign.clone()],
                        );
                    }
                    let masks = random[reign].to_vec();
                    self.multiply_with_king(&run, first, masks)?;
                    first = end;
                }
                for memory in [std::mem::take(&mut run.elements), std::mem::take(&mut *random)] {
                    self.values.spare.give(Wiped::from(memory));
                }
                Ok(())
            }
        }
    }

    /// Handles masked products at positions with one king, and the masks that are subtracted at the end.
    fn multiply_with_king(
        &mut self,
        run: &ElementRun<F>,
        first: u64,
        masks: Vec<F::Element>,
    ) -> Result<(), RunError> {
        let (n, me, count) = (self.names.len(), self.me, masks.len());
        let king = king_of(first, n);
        let products = self.products.clone();
        let Products::Kings(kings) = &*products else { return Ok(()) };
        let reign = &kings[king];
        let mut own = zeros(count);
        let awaited = if king == me {
            reign.hear(me, &run.elements[(first - run.first) as usize..][..count], &mut own);
            (AwaitedMessage::Hear, (0..n).filter(|party| *party != me && reign.speaks(*party)).collect())
        } else {
            (AwaitedMessage::Told, if reign.is_told(me) { vec![king] } else { vec![] })
        };
        if king != me && reign.speaks(me) {
            self.send(king, MessageKind::ToKing, run, first, count);
        }
        let targets = run.targets(first, first + count as u64);
        let mut exchange = PendingExchange::new((run.task, first), awaited, own, targets);
        exchange.masks = masks;
        self.advance(exchange)
    }

    /// Advances an exchange as far as messages have arrived, and waits for the rest.
    pub(super) fn advance(&mut self, mut exchange: PendingExchange<F>) -> Result<(), RunError> {
        let (kind, id) = (exchange.awaited.kind(), self.tasks.get(exchange.task).id);
        while exchange.cursor < exchange.end() {
            let available =
                exchange.sources.iter().map(|peer| self.inbox.available(&(kind, id, *peer), exchange.cursor));
            let count = available.fold(exchange.open(), usize::min);
            if count == 0 {
                self.exchanges.insert(exchange);
                return Ok(());
            }
            self.check_programs(&exchange, count)?;
            self.complete_exchange(&mut exchange, count)?;
        }
        Ok(())
    }

    /// Compares the program at the senders of the next elements with the program here, at each of their operations: no result is made from
    /// elements of another program.
    fn check_programs(&self, exchange: &PendingExchange<F>, count: usize) -> Result<(), RunError> {
        let (kind, id) = (exchange.awaited.kind(), self.tasks.get(exchange.task).id);
        for peer in &exchange.sources {
            let Some(hashes) = self.inbox.hashes(&(kind, id, *peer), exchange.cursor) else { continue };
            self.compare_program(*peer, hashes, exchange, count)?;
        }
        Ok(())
    }

    fn compare_program(
        &self,
        peer: PartyIndex,
        hashes: &Hashes,
        exchange: &PendingExchange<F>,
        count: usize,
    ) -> Result<(), RunError> {
        let mut operations = exchange.next_operations(count);
        let differs = operations.find(|target| !hashes.agree(target.number, target.chain));
        differs.map_or(Ok(()), |differs| Err(self.other_program(peer, differs.call_site)))
    }

    /// The error for a party whose program differs at this operation or before.
    pub(super) fn other_program(&self, peer: PartyIndex, call_site: CallSite) -> RunError {
        RunError::OtherProgram { peer: self.names[peer].clone(), call_site: self.call_sites.name(call_site) }
    }

    /// Uses summands where a product waits for exactly these, without keeping them in between; returns whether one does.
    ///
    /// Errors: some are not in the field; they belong to another program.
    pub(super) fn arrive_in_exchange(
        &mut self,
        peer: PartyIndex,
        arrived: &Arrived<'_>,
        hashes: &Hashes,
    ) -> Result<bool, RunError> {
        let RangeHead { kind, task, first, count, .. } = arrived.range;
        if kind != MessageKind::Replicated || count < AT_ONCE {
            return Ok(false);
        }
        let products = self.products.clone();
        let (Products::Replicated(replicated), Some(number)) = (&*products, self.tasks.number(task)) else {
            return Ok(false);
        };
        let awaits = |exchange: &PendingExchange<F>| {
            (exchange.awaited, exchange.cursor) == (AwaitedMessage::Replicated, first)
                && exchange.sources == [peer]
                && exchange.open() >= count
        };
        let overlapping = self.exchanges.overlapping(kind, number, first, first + count as u64);
        let [key] = overlapping[..] else { return Ok(false) };
        if !self.exchanges.get(&key).is_some_and(awaits)
            || self.inbox.arrived(&(kind, task, peer), first, count) > 0
        {
            return Ok(false);
        }
        let Some(mut exchange) = self.exchanges.remove(&key) else { return Ok(false) };
        self.compare_program(peer, hashes, &exchange, count)?;
        let mut own = std::mem::take(&mut exchange.own);
        let at = (first - exchange.base) as usize;
        let result = match exchange.summands_at(at..at + count, self.field.ground_bytes()) {
            None => replicated.finish_encoded(&self.field, &mut own[at..at + count], arrived.elements),
            Some(summands) => {
                let both = [summands, arrived.elements];
                replicated.finish_all_encoded(&self.field, &mut own[at..at + count], both);
                Ok(())
            }
        };
        exchange.own = own;
        result.map_err(|_| self.wrong(peer, MessageError::NotInField { first, count }))?;
        self.know_elements(&mut exchange, count);
        // After its last element the task may be over.
        if exchange.cursor < exchange.end() {
            self.advance(exchange)?;
        }
        Ok(true)
    }

    /// Uses the next `count` elements of all sources of an exchange.
    fn complete_exchange(&mut self, exchange: &mut PendingExchange<F>, count: usize) -> Result<(), RunError> {
        let first = exchange.cursor;
        let mut own = std::mem::take(&mut exchange.own);
        let offset = (first - exchange.base) as usize;
        let result = self.finish(exchange, first, &mut own[offset..][..count]);
        exchange.own = own;
        result?;
        self.know_elements(exchange, count);
        Ok(())
    }

    /// The next `count` elements of an exchange are known.
    fn know_elements(&mut self, exchange: &mut PendingExchange<F>, count: usize) {
        self.arrivals += 1;
        let traffic = &self.tasks.get(exchange.task).traffic;
        let width = exchange.awaited.kind().width(Widths::of(&self.field));
        exchange.sources.iter().for_each(|peer| traffic.received(*peer, (count, width)));
        let (first, alone) = (exchange.cursor, exchange.is_of_one_value());
        let mut own = std::mem::take(&mut exchange.own);
        let end = first + count as u64;
        while exchange.cursor < end
            && let Some((value, at, length)) = exchange.next_target(end)
        {
            let behind = (exchange.cursor - exchange.base) as usize;
            let waiters = match alone {
                // All elements become the value when the last have arrived.
                true if behind < own.len() => Vec::new(),
                true => {
                    self.spare_summands.give(std::mem::take(&mut exchange.summands));
                    self.values.complete(value, ValueElements::from(std::mem::take(&mut own)))
                }
                false => self.values.fill(value, at, &own[behind - length..behind]),
            };
            self.in_pieces.extend(self.values.followers(value));
            self.wake(waiters);
            self.keep_unverified(value, length);
        }
        exchange.own = own;
        self.done(exchange.task, count);
    }

    /// Makes results from a party's own elements, from position `first` on, and those that arrived.
    ///
    /// Errors: opened shares are inconsistent, where that is checked.
    fn finish(
        &mut self,
        exchange: &PendingExchange<F>,
        first: u64,
        own: &mut [F::Element],
    ) -> Result<(), RunError> {
        let (products, derives_inputs) = (self.products.clone(), self.derives_inputs());
        let (task, count) = (self.tasks.get(exchange.task), own.len());
        let masks = exchange.masks.get((first - exchange.base) as usize..).unwrap_or_default();
        let (kind, inbox, field) = (exchange.awaited.kind(), &mut self.inbox, &self.field);
        let mut heard = |peer: PartyIndex, then: &mut dyn FnMut(&[F::Element])| {
            inbox.take(&(kind, task.id, peer), first, count, then)
        };
        match (exchange.awaited, &*products) {
            (AwaitedMessage::Replicated, Products::Replicated(replicated)) => {
                let at = (first - exchange.base) as usize;
                if let Some(summands) = exchange.summands_at(at..at + count, field.ground_bytes()) {
                    // All bytes are elements of a ground below the field.
                    let _ = field.decode_ground(summands, own);
                }
                heard(replicated.previous(), &mut |theirs| replicated.finish(field, own, theirs));
            }
            (AwaitedMessage::Input, Products::Replicated(replicated)) if derives_inputs => {
                heard(replicated.next(), &mut |theirs| own.copy_from_slice(theirs));
                replicated.take(field, own);
            }
            (AwaitedMessage::Hear, Products::Kings(kings)) => {
                let king = &kings[self.me];
                for peer in &exchange.sources {
                    heard(*peer, &mut |theirs| king.hear(*peer, theirs, own));
                }
                let opened = Wiped::from(own.to_vec());
                let Some((head, tags)) = exchange.told((MessageKind::FromKing, task.id), first, count) else {
                    return Ok(());
                };
                for peer in (0..self.names.len()).filter(|peer| king.is_told(*peer)) {
                    task.traffic.sent(peer, (count, field.bytes()));
                    king.shares_of(peer, &opened, own);
                    let room = self.outbox[peer].range(head, tags.iter().copied(), field.bytes());
                    field.encode_all(own, room);
                }
                king.shares_of(self.me, &opened, own);
                field.sub_assign(own, &masks[..count]);
            }
            (AwaitedMessage::Told, _) => {
                for peer in &exchange.sources {
                    heard(*peer, &mut |theirs| own.copy_from_slice(theirs));
                }
                field.sub_assign(own, &masks[..count]);
            }
            (AwaitedMessage::Open(..), _) if self.verifier.is_some() => {
                let mut all = vec![Vec::new(); self.names.len()];
                for peer in &exchange.sources {
                    heard(*peer, &mut |theirs| all[*peer] = theirs.to_vec());
                }
                all[self.me] = own.to_vec();
                let all: Vec<_> = all.iter().map(|shares| &shares[..]).collect();
                let opened = self.verifier.as_ref().and_then(|verifier| verifier.opening.open(&all));
                let opened = opened.ok_or_else(|| self.departed(None, VerificationError::Opening))?;
                own.copy_from_slice(&opened);
            }
            (AwaitedMessage::Open(..) | AwaitedMessage::HearOpening(_), _) => {
                for (peer, coefficient) in exchange.sources.iter().zip(&self.opening[1..]) {
                    heard(*peer, &mut |theirs| field.add_scaled(own, theirs, *coefficient));
                }
            }
            _ => {
                for peer in &exchange.sources {
                    heard(*peer, &mut |theirs| own.copy_from_slice(theirs));
                }
            }
        }
        self.learn(exchange, first, own);
        Ok(())
    }

    /// The parties that are waited for once a program concludes: any, as long as this party has not sent its last hash to the others; then those whose last hash has
    /// not arrived. A party that has left in good order has received everyone's hash before, and nobody needs its unfinished operations.
    pub(crate) fn waiting_to_conclude(&self) -> Vec<Waiting> {
        match self.has_synchronised() {
            true => self.unheard(),
            false => self.waiting(),
        }
    }

    /// The parties that are waited for, and by which operations.
    pub(crate) fn waiting(&self) -> Vec<Waiting> {
        let mut found = self.unheard();
        found.extend(self.untold());
        found.extend(self.unverified());
        found.extend(self.undealt());
        found.extend(self.not_handed());
        for exchange in self.exchanges.iter() {
            let (kind, id) = (exchange.awaited.kind(), self.tasks.get(exchange.task).id);
            let Some(target) = exchange.targets.front() else { continue };
            let silent = |peer: &&PartyIndex| {
                exchange.open() > 0 && self.inbox.available(&(kind, id, **peer), exchange.cursor) == 0
            };
            found.extend(exchange.sources.iter().filter(silent).map(|peer| Waiting {
                peer: *peer,
                task: exchange.task,
                call_site: target.call_site,
            }));
        }
        found
    }
}
