//! What operations will send, before they run: a fold over what a task writes.
//!
//! A value is followed by the round after which each party has its part of it, where a message takes one round and computing none. So rounds are those of a run
//! in which everything that is ready leaves at once; how messages are grouped over real links changes neither elements nor who sends them.

use tacit_math::field::Field;

use super::operation::{Command, OperationKind, TaskOperation, Written};
use super::shared::ProgramLink;
use super::value::{ByNumber, ValueId};
use crate::error::SharingError;
use crate::parties::{Parties, PartyIndex};
use crate::product::king::{King, REIGN, king_of};
use crate::scheme::Scheme;

/// By party, the round after which it has its part of a value.
type Rounds = Box<[u64]>;

/// What a program sends, the same whatever the order in which messages arrive.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Prediction {
    /// Bytes of an element.
    pub element_bytes: u64,
    /// Elements by sender, then by receiver.
    pub sent: Vec<Vec<u64>>,
    /// Elements of inputs, by the party that gives them.
    pub inputs: Vec<u64>,
    /// Products of two shared elements.
    pub products: u64,
    /// Elements opened, each counted once however many learn it.
    pub opened: u64,
    /// Random elements or bits drawn by themselves: those that hide products aside.
    pub drawn: u64,
    /// Messages that follow one another until the last one has arrived.
    pub rounds: u64,
}

impl Prediction {
    fn of(parties: usize, element_bytes: usize) -> Prediction {
        Prediction {
            element_bytes: element_bytes as u64,
            sent: vec![vec![0; parties]; parties],
            inputs: vec![0; parties],
            ..Prediction::default()
        }
    }

    /// Bytes of elements that a party sends to all others.
    pub fn bytes_sent(&self, party: PartyIndex) -> u64 {
        self.sent[party].iter().sum::<u64>() * self.element_bytes
    }

    /// Bytes of elements that a party receives from all others.
    pub fn bytes_received(&self, party: PartyIndex) -> u64 {
        self.sent.iter().map(|sent| sent[party]).sum::<u64>() * self.element_bytes
    }
}

/// A prediction in the making.
pub(crate) struct Forecast<F: Field> {
    threshold: usize,
    /// By king; unused among three.
    kings: Vec<King<F>>,
    known: ByNumber<ValueId, Rounds>,
    prediction: Prediction,
    room: Written<F>,
}

impl<F: Field> Forecast<F> {
    /// Errors: the scheme has no products.
    pub(crate) fn new(scheme: &Scheme<F>) -> Result<Self, SharingError> {
        let parties = scheme.parties();
        Ok(Forecast {
            threshold: scheme.threshold(),
            kings: (0..parties).map(|king| King::new(scheme, king)).collect::<Result<_, _>>()?,
            known: ByNumber::default(),
            prediction: Prediction::of(parties, scheme.field().bytes()),
            room: Written::default(),
        })
    }

    /// Counts what was written since the last time.
    pub(crate) fn take(&mut self, link: &ProgramLink<F>) {
        let mut room = std::mem::take(&mut self.room);
        link.take(&mut room);
        for command in room.commands.drain(..) {
            if let Command::Operation(operation) = command {
                let rounds = self.operation(&operation);
                self.known.insert(operation.out, rounds);
            }
        }
        for value in room.released.drain(..) {
            self.known.remove(&value);
        }
        self.room = room;
    }

    /// The end of it, of a task that has drawn so much.
    pub(crate) fn end(&mut self, drawn: u64) -> Prediction {
        Prediction { drawn, ..std::mem::take(&mut self.prediction) }
    }

    fn parties(&self) -> usize {
        self.kings.len()
    }

    fn operation(&mut self, operation: &TaskOperation<F>) -> Rounds {
        let mut ready: Rounds = vec![0; self.parties()].into();
        operation.work.each_input(|input| {
            let input = self.known.get(&input).into_iter().flatten();
            ready.iter_mut().zip(input).for_each(|(ready, input)| *ready = (*ready).max(*input));
        });
        let (first, length) = (operation.position, operation.length as u64);
        match &operation.work {
            // Nothing of it is sent.
            _ if length == 0 => ready,
            OperationKind::Input(owner, _) => self.input(*owner, length),
            OperationKind::Product(..) | OperationKind::Form(..) => self.products(&ready, first, length),
            OperationKind::Open { to, .. } => self.opening(&ready, *to, length),
            // What is compared is no element; all else is computed alone.
            _ => ready,
        }
    }

    /// Elements leave after a round.
    fn send(&mut self, (from, to): (PartyIndex, PartyIndex), elements: u64, after: u64) -> u64 {
        self.prediction.sent[from][to] += elements;
        self.prediction.rounds = self.prediction.rounds.max(after + 1);
        after + 1
    }

    fn input(&mut self, owner: PartyIndex, length: u64) -> Rounds {
        self.prediction.inputs[owner] += length;
        let parties = 0..self.parties();
        parties.map(|peer| if peer == owner { 0 } else { self.send((owner, peer), length, 0) }).collect()
    }

    fn opening(&mut self, ready: &Rounds, to: Parties, length: u64) -> Rounds {
        self.prediction.opened += length;
        let (n, mut opened) = (self.parties(), ready.clone());
        for party in 0..n {
            for peer in (1..=self.threshold).map(|step| (party + step) % n).filter(|peer| to.contains(*peer))
            {
                opened[peer] = opened[peer].max(self.send((party, peer), length, ready[party]));
            }
        }
        opened
    }

    fn products(&mut self, ready: &Rounds, first: u64, length: u64) -> Rounds {
        self.prediction.products += length;
        let (n, mut made) = (self.parties(), ready.clone());
        if n == 3 {
            for party in 0..n {
                let next = (party + 1) % n;
                made[next] = made[next].max(self.send((party, next), length, ready[party]));
            }
            return made;
        }
        let (mut at, end) = (first, first + length);
        while at < end {
            let until = end.min((at / REIGN + 1) * REIGN);
            self.reign(ready, king_of(at, n), until - at, &mut made);
            at = until;
        }
        made
    }

    /// Products with one king.
    fn reign(&mut self, ready: &Rounds, king: PartyIndex, count: u64, made: &mut Rounds) {
        let (n, mut opened) = (self.parties(), ready[king]);
        for party in (0..n).filter(|party| *party != king) {
            if self.kings[king].speaks(party) {
                opened = opened.max(self.send((party, king), count, ready[party]));
            }
        }
        made[king] = made[king].max(opened);
        for party in 0..n {
            if self.kings[king].is_told(party) {
                made[party] = made[party].max(self.send((king, party), count, opened));
            }
        }
    }
}
