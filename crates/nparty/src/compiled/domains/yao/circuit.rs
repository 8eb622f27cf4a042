//! One circuit over many lanes, which one party garbles and another one evaluates.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tacit_circuit::Executable;
use tacit_crypto::Prg;
use tacit_crypto::half_gates::{Delta, TABLE_BYTES};
use tacit_math::field::{BitOctets, Octet};
use tacit_math::{Block, Wiped, wipe, zeros};
use tacit_schedule::walk::View;

use super::labels::Labels;
use crate::compiled::domains::bool::circuit::{Run, take_lanes};
use crate::error::RunError;
use crate::parties::{Parties, PartyIndex};
use crate::program::{Task, Value, mixed};
use crate::protocol::binary::BinaryField;
use crate::protocol::packed::copy_bits;
use crate::prss::{Prss, Purpose};

/// The maximum bytes of a chunk's labels, which stay in the cache.
pub(crate) const LABEL_BYTES: usize = 1 << 20;

/// Bytes of tables that are sent together, so that they are evaluated while others are garbled.
pub(crate) const PART_BYTES: usize = 1 << 16;

/// Circuits of at most so many layers of ANDs take no more rounds by products.
pub(crate) const FLAT_LAYERS: usize = 2;

/// Whether a circuit is garbled, and not computed by products.
pub(in crate::compiled::domains) fn is_garbled(circuit: &Executable) -> bool {
    circuit.layers().filter(|layer| !layer.and_out.is_empty()).count() > FLAT_LAYERS
}

/// Writes a circuit to a task, and returns the bundles of its outputs.
pub(in crate::compiled::domains) fn write(
    run: &Run,
    task: &Task<BitOctets>,
    operands: &[&Value<BitOctets>],
) -> Result<Vec<Value<BitOctets>>, RunError> {
    if !is_garbled(run.executable()) {
        return run.write(task, operands);
    }
    // Parties take turns, so that each has about as much to do.
    write_with(run, task, operands, |chunk| (Duties::of(run.hash.wrapping_add(chunk)), 0))
}

/// Garbles a circuit. For each chunk of lanes, `duties` says who does what, and how many input bits come first that the garbler alone knows: its parts of them, while the others
/// have zeros.
pub(in crate::compiled::domains) fn write_with(
    run: &Run,
    task: &Task<BitOctets>,
    operands: &[&Value<BitOctets>],
    duties: impl Fn(u64) -> (Duties, usize),
) -> Result<Vec<Value<BitOctets>>, RunError> {
    let each = run.executable().slots as usize * Block::BYTES * BitOctets::LANES;
    let chunk = (LABEL_BYTES / each).max(1) * BitOctets::LANES;
    run.write_chunks(task, chunk, |range| {
        let (duties, alone) = duties((range.start / chunk) as u64);
        let (drawn, hash) = (task.draw(Block::BYTES), mixed(run.hash, range.start as u64));
        let labels = Mutex::default();
        let chunk = Chunk { run: run.clone(), range, duties, alone, drawn, me: task.me(), hash, labels };
        Arc::new(chunk).write(task, operands)
    })
}

/// Bytes that are sent and kept for a circuit.
pub(in crate::compiled::domains) fn bytes(run: &Run) -> usize {
    if !is_garbled(run.executable()) {
        return run.bytes::<BitOctets>();
    }
    let tables = usize::try_from(run.executable().and_count).unwrap_or(usize::MAX);
    tables.saturating_mul(run.instances).saturating_mul(TABLE_BYTES)
}

/// Which party does what.
#[derive(Clone, Copy)]
pub(in crate::compiled::domains) struct Duties {
    pub(in crate::compiled::domains) garbler: PartyIndex,
    evaluator: PartyIndex,
    /// Knows the garbler's labels of shared inputs, and hands the evaluator those of the bits that these two have in common.
    pub(in crate::compiled::domains) helper: PartyIndex,
}

impl Duties {
    /// Those of a turn.
    pub(in crate::compiled::domains) fn of(turn: u64) -> Duties {
        let garbler = (turn % 3) as PartyIndex;
        Duties { garbler, evaluator: (garbler + 1) % 3, helper: (garbler + 2) % 3 }
    }
}

/// A circuit over some lanes.
struct Chunk {
    run: Run,
    range: Range<usize>,
    duties: Duties,
    /// How many input bits come first that the garbler alone knows.
    alone: usize,
    /// The place of its randomness.
    drawn: u64,
    me: PartyIndex,
    hash: u64,
    /// This party's, once it has those of all inputs.
    labels: Mutex<Option<Labels>>,
}

/// Labels that pass through a message, and how many bytes of them have passed.
#[derive(Default)]
struct Passing {
    labels: Wiped<Block>,
    bytes: usize,
}

impl Chunk {
    fn lanes(&self) -> usize {
        self.range.len()
    }

    fn labels(&self) -> MutexGuard<'_, Option<Labels>> {
        self.labels.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Labels of the inputs that the garbler alone knows, and of the shared ones, in all lanes.
    fn inputs(&self) -> [usize; 2] {
        let shared = self.run.executable().inputs.len() - self.alone;
        [self.alone, shared].map(|bits| bits * self.lanes())
    }

    /// Writes the circuit, and returns the bits of all its outputs, each in a row of elements.
    fn write(
        self: Arc<Self>,
        task: &Task<BitOctets>,
        operands: &[&Value<BitOctets>],
    ) -> Result<Value<BitOctets>, RunError> {
        let mut handed = vec![self.hand_labels(task, operands)?];
        let tables = self.run.executable().and_count as usize * self.lanes() * TABLE_BYTES;
        let given: Vec<_> = operands.iter().copied().chain(&handed).collect();
        let part = |first: usize| self.hand_tables(task, &given, first..tables.min(first + PART_BYTES));
        let parts = (0..tables).step_by(PART_BYTES).map(part).collect::<Result<Vec<_>, _>>()?;
        handed.extend(parts);
        self.share_colours(task, &handed)
    }

    /// The helper hands the evaluator the labels of shared inputs.
    fn hand_labels(
        self: &Arc<Self>,
        task: &Task<BitOctets>,
        operands: &[&Value<BitOctets>],
    ) -> Result<Value<BitOctets>, RunError> {
        let (way, length) = ((self.duties.helper, self.duties.evaluator), self.inputs()[1] * Block::BYTES);
        let (helper, mut leaving) = (self.clone(), Passing::default());
        let give = move |prss: &Prss<BitOctets>, given: &[&[Octet]], room: &mut [u8]| {
            if leaving.labels.is_empty() {
                let (delta, mut labels) = helper.drawn(prss);
                let with_evaluator = |[_, part]: [u8; 2]| part;
                helper.add_bits(given, (&delta, with_evaluator), (helper.alone, &mut labels));
                leaving.labels = labels;
            }
            let first = leaving.bytes;
            leaving.bytes += room.len();
            let bytes = Block::as_bytes(&leaving.labels).get(first..leaving.bytes);
            bytes.map(|bytes| room.copy_from_slice(bytes)).is_some()
        };
        let (evaluator, mut arriving) = (self.clone(), Passing::default());
        let take = move |prss: &Prss<BitOctets>, bytes: &[u8]| {
            if arriving.labels.is_empty() {
                arriving.labels = Wiped::blocks(evaluator.inputs()[1]);
            }
            let first = arriving.bytes;
            arriving.bytes += bytes.len();
            let Some(room) = Block::as_bytes_mut(&mut arriving.labels).get_mut(first..arriving.bytes) else {
                return false;
            };
            room.copy_from_slice(bytes);
            if arriving.bytes == length {
                let (start, alone) = evaluator.drawn_alone(prss);
                let slots = evaluator.placed([&alone, &arriving.labels]);
                *evaluator.labels() = Some(Labels::new(slots, Delta::new(Block::ZERO), start));
            }
            true
        };
        task.hand(way, (length, mixed(self.hash, 0x6c62)), operands, give, take)
    }

    /// The garbler hands the evaluator some bytes of the tables.
    fn hand_tables(
        self: &Arc<Self>,
        task: &Task<BitOctets>,
        given: &[&Value<BitOctets>],
        range: Range<usize>,
    ) -> Result<Value<BitOctets>, RunError> {
        let way = (self.duties.garbler, self.duties.evaluator);
        let (garbler, mut at) = (self.clone(), range.start);
        let give = move |prss: &Prss<BitOctets>, given: &[&[Octet]], room: &mut [u8]| {
            let mut labels = garbler.labels();
            let labels = labels.get_or_insert_with(|| garbler.begun(prss, given));
            let given = labels.garble((garbler.run.executable(), garbler.lanes()), (at, room));
            at += room.len();
            given.is_ok_and(|all| all)
        };
        let (evaluator, mut at) = (self.clone(), range.start);
        let take = move |_: &Prss<BitOctets>, bytes: &[u8]| {
            let (mut labels, place) = (evaluator.labels(), at);
            at += bytes.len();
            let Some(labels) = labels.as_mut() else { return false };
            let taken = labels.evaluate((evaluator.run.executable(), evaluator.lanes()), (place, bytes));
            taken.is_ok_and(|all| all)
        };
        let hash = mixed(mixed(self.hash, 0x7462), range.start as u64);
        task.hand(way, (range.len(), hash), given, give, take)
    }

    /// The garbler's labels of the inputs.
    fn begun(&self, prss: &Prss<BitOctets>, given: &[&[Octet]]) -> Labels {
        let ((delta, mut shared), (start, mut alone)) = (self.drawn(prss), self.drawn_alone(prss));
        let both = |[one, other]: [u8; 2]| one ^ other;
        self.add_bits(given, (&delta, both), (0, &mut alone));
        self.add_bits(given, (&delta, both), (self.alone, &mut shared));
        Labels::new(self.placed([&alone, &shared]), delta, start)
    }

    /// 16 bytes that exactly two parties know.
    fn seed(&self, prss: &Prss<BitOctets>, one: PartyIndex, other: PartyIndex) -> Block {
        prss.common_seed(Parties::from_iter([one, other]), Purpose::GARBLED, self.drawn)
    }

    /// The difference and the labels of shared inputs, which helper and garbler draw.
    fn drawn(&self, prss: &Prss<BitOctets>) -> (Delta, Wiped<Block>) {
        let mut prg = Prg::new(self.seed(prss, self.duties.helper, self.duties.garbler));
        let (delta, mut labels) = (Delta::new(prg.next_block()), Wiped::blocks(self.inputs()[1]));
        prg.fill(&mut labels);
        (delta, labels)
    }

    /// The start of the hash and the labels of the garbler's inputs, which garbler and evaluator draw.
    fn drawn_alone(&self, prss: &Prss<BitOctets>) -> (Block, Wiped<Block>) {
        let mut prg = Prg::new(self.seed(prss, self.duties.garbler, self.duties.evaluator));
        let (start, mut labels) = (prg.next_block(), Wiped::blocks(self.inputs()[0]));
        prg.fill(&mut labels);
        (start, labels)
    }

    /// Adds the difference to labels of inputs, from a number on, in the lanes where `part` of this party's share is one.
    fn add_bits(
        &self,
        given: &[&[Octet]],
        (delta, part): (&Delta, impl Fn([u8; 2]) -> u8),
        (first, labels): (usize, &mut [Block]),
    ) {
        let (lanes, inputs) = (self.lanes(), self.run.inputs.iter().zip(given));
        let add = |label: &mut Block, octet: u8, place: usize| {
            *label = delta.label(*label, octet >> place & 1 == 1);
        };
        if lanes < BitOctets::LANES {
            for lane in 0..lanes {
                let seen = inputs.clone().flat_map(|(view, wires)| {
                    view.seen(self.range.start + lane).map(move |at| (wires[at / 8], at % 8))
                });
                for ((octet, place), labels) in seen.skip(first).zip(labels.chunks_exact_mut(lanes)) {
                    add(&mut labels[lane], part(BitOctets.parts(octet)), place);
                }
            }
            return;
        }
        let mut row = Wiped::from(vec![Octet::default(); BitOctets::words(lanes)]);
        let bits = inputs.flat_map(|(view, wires)| (0..view.width()).map(move |bit| (view, *wires, bit)));
        for ((view, wires, bit), labels) in bits.skip(first).zip(labels.chunks_exact_mut(lanes)) {
            row.fill(Octet::default());
            take_lanes(&BitOctets, (wires, view), (bit, self.range.start), (&mut row, lanes));
            for (octet, labels) in row.iter().zip(labels.chunks_mut(BitOctets::LANES)) {
                let octet = part(BitOctets.parts(*octet));
                labels.iter_mut().enumerate().for_each(|(lane, label)| add(label, octet, lane));
            }
        }
    }

    /// Slots with the labels of inputs: of the garbler's, and of shared ones.
    fn placed(&self, labels: [&[Block]; 2]) -> Wiped<Block> {
        let (executable, lanes) = (self.run.executable(), self.lanes());
        let mut slots = Wiped::blocks(executable.slots as usize * lanes);
        let labels = labels.into_iter().flat_map(|labels| labels.chunks_exact(lanes));
        for (slot, labels) in executable.inputs.iter().zip(labels) {
            slots[*slot as usize * lanes..][..lanes].copy_from_slice(labels);
        }
        slots
    }

    /// Shares the outputs: each bit is the exclusive or of the garbler's and the evaluator's colour.
    fn share_colours(
        self: &Arc<Self>,
        task: &Task<BitOctets>,
        handed: &[Value<BitOctets>],
    ) -> Result<Value<BitOctets>, RunError> {
        let (lanes, outputs) = (self.lanes(), self.run.outputs.iter().map(View::width).sum::<usize>());
        let (chunk, dense) = (self.clone(), BitOctets::words(outputs * lanes));
        let body = move |_: &_, _: &[&[Octet]]| {
            let (mut bits, garbles) = (zeros(dense), chunk.me == chunk.duties.garbler);
            let done = match chunk.labels().as_mut() {
                Some(labels) => labels.colours((chunk.run.executable(), lanes), garbles, &mut bits),
                // The helper's.
                None => Ok(true),
            };
            if !done.is_ok_and(|all| all) {
                wipe(&mut bits);
                bits.clear();
            }
            bits
        };
        let ands = self.run.executable().and_count as usize * lanes;
        let handed: Vec<_> = handed.iter().collect();
        let colours = task.form_of((dense, ands), mixed(self.hash, 0x636f), &handed, body)?;
        if lanes % BitOctets::LANES == 0 {
            return Ok(colours);
        }
        let row = BitOctets::words(lanes);
        task.local(outputs * row, false, mixed(self.hash, 0x726f), &[&colours], move |_, given| {
            let mut rows = zeros(outputs * row);
            for (number, to) in rows.chunks_exact_mut(row).enumerate() {
                copy_bits(&BitOctets, (given[0], number * lanes), (to, 0), lanes);
            }
            rows
        })
    }
}
