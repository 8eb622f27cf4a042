//! The two streams of a run, counted.

use tacit_plan::{Recipients, Traffic};
use tacit_schedule::{Computing, Effort, Tally, Unit};
use tacit_twoparty::{CountedChannel, CountedOts, Dialogue, Party, yao};

use super::BLOCK;

/// What is sent on the stream of labels, on which oblivious transfers are also made, and on that of shares.
#[derive(Debug, Default)]
pub(super) struct StreamDialogues {
    pub labels: Dialogue,
    pub shares: Dialogue,
}

impl StreamDialogues {
    /// With further messages on the stream of shares.
    pub fn with_shares(self, more: Dialogue) -> StreamDialogues {
        StreamDialogues { shares: self.shares.then(more), ..self }
    }

    /// This dialogue for each of `count` entries of a store, in batches, each confirmed by a byte each way.
    pub fn entries(self, count: u64, batch: u64) -> StreamDialogues {
        let labels = Dialogue::default().windows(count, batch.max(1), |size| {
            Dialogue::default().repeat(size, self.labels.clone()).exchange([1; 2])
        });
        StreamDialogues { labels, shares: Dialogue::default().repeat(count, self.shares) }
    }
}

/// Both streams of a run, and its oblivious transfers.
pub(super) struct Streams {
    labels: CountedChannel,
    shares: CountedChannel,
    ots: CountedOts,
}

impl Streams {
    pub fn new(ots: CountedOts) -> Streams {
        Streams { labels: CountedChannel::default(), shares: CountedChannel::default(), ots }
    }

    pub fn play(&mut self, StreamDialogues { labels, shares }: &StreamDialogues) {
        self.labels(labels);
        self.shares(shares);
    }

    pub fn labels(&mut self, dialogue: &Dialogue) {
        self.labels.play(dialogue, &mut self.ots);
    }

    pub fn shares(&mut self, dialogue: &Dialogue) {
        self.shares.play(dialogue, &mut self.ots);
    }

    /// Counts what both parties compute.
    pub fn compute(&mut self, computing: &Computing) {
        self.shares.compute(computing);
    }

    /// What was sent in the phase that ends, and the effort of computing and waiting.
    pub fn end_phase(&mut self) -> (Traffic, Effort) {
        let [labels, shares] = [&mut self.labels, &mut self.shares].map(std::mem::take);
        let both = |of: fn(&CountedChannel) -> [u64; 2]| {
            let (labels, shares) = (of(&labels), of(&shares));
            [0, 1].map(|i| labels[i].saturating_add(shares[i]))
        };
        let ([garbler_bytes, evaluator_bytes], [garbler_rounds, evaluator_rounds]) =
            (both(|channel| channel.bytes), both(|channel| channel.rounds));
        let mut effort = labels.effort();
        effort.add(&shares.effort());
        effort.compute(Unit::Message, effort.flights);
        let sent = garbler_bytes.saturating_add(evaluator_bytes);
        effort.compute(Unit::SentByte, sent.saturating_sub(effort.table_bytes));
        let tables = Computing::of(Unit::SentByte, effort.table_bytes);
        effort.streamed.iter_mut().for_each(|party| party.add(&tables, 1));
        (Traffic { garbler_bytes, evaluator_bytes, garbler_rounds, evaluator_rounds }, effort)
    }
}

/// Labels of bits that only the evaluator knows: of random ones, or `corrected` to its inputs.
pub(super) fn labels(bits: u64, corrected: bool) -> Dialogue {
    Dialogue::default().windows(bits, yao::INPUT_WINDOW as u64, |bits| {
        let transfer = Dialogue::default().transfer([bits, 0]);
        let transfer = transfer.compute(Unit::Label, bits);
        let asked = if corrected { transfer.send(Party::Second, bits.div_ceil(8)) } else { transfer };
        asked.send(Party::First, BLOCK * bits)
    })
}

/// Labels of this many bits, opened together.
pub(super) fn reveal_labels(recipients: Recipients, bits: u64) -> Dialogue {
    let all = Dialogue::default().compute(Unit::LabelMoved, bits);
    all.windows(bits, yao::REVEAL_WINDOW as u64, |bits| reveal_shares(recipients, bits))
}

/// Shares of this many bits, opened together: in one message, however many they are.
pub(super) fn reveal_shares(recipients: Recipients, bits: u64) -> Dialogue {
    let (bytes, opened) = (bits.div_ceil(8), Dialogue::default());
    match recipients {
        _ if bits == 0 => opened,
        Recipients::Evaluator => opened.send(Party::First, bytes),
        Recipients::Garbler => opened.send(Party::Second, bytes),
        Recipients::Both => opened.exchange([bytes; 2]),
        Recipients::Nobody => opened,
    }
}
