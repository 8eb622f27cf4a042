//! Chooses the products whose triples setup makes by lattices; the others come from oblivious transfers.

use std::collections::{BTreeMap, BTreeSet};

use tacit_ot::cot::Extension;
use tacit_plan::{Lattices, Material, MatrixChoice, PlanOptions};
use tacit_schedule::{Consumed, Unit};
use tacit_twoparty::correlations::{
    LatticeMatrices, LatticeWords, MatrixShape, MatrixTriples, OtKind, Requirement, SquarePairs, WordTriples,
    key_size,
};
use tacit_twoparty::lattice_keys::{KeySize, slot_key_bytes};
use tacit_twoparty::transfers::Tally;
use tacit_twoparty::{CountedChannel, CountedOts, Dialogue, Party};

use super::{candidates, extension, softspoken};

/// Material that lattices can make.
#[derive(Clone, Copy)]
enum Piece {
    Matrix(MatrixShape, KeySize),
    /// Products and squares of words.
    Words(Consumed),
}

/// The key that a piece needs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Size(KeySize),
    Slots,
}

/// The shape of a kind that is a matrix product.
fn shape(kind: Consumed) -> Option<MatrixShape> {
    let Consumed::Matrix { bits, rows, inner, columns } = kind else { return None };
    let [rows, inner, columns] = [rows, inner, columns].map(|side| usize::try_from(side).ok());
    Some(MatrixShape { bits, rows: rows?, inner: inner?, columns: columns? })
}

/// What lattices make for a kind, or `None`.
fn piece(kind: Consumed) -> Option<Piece> {
    match shape(kind) {
        Some(shape) => Some(Piece::Matrix(shape, key_size(shape)?)),
        None => LatticeWords::serve(kind).then_some(Piece::Words(kind)),
    }
}

/// The products whose triples lattices make in setup: as chosen, or else those that take less time over the planned link. Pure:
/// parties that agree on material and options agree on this.
pub(super) fn chosen(material: &Material, options: &PlanOptions) -> BTreeSet<Consumed> {
    // For each key, the gain of the kinds that need it, in nanoseconds, and these kinds.
    let mut by_key: BTreeMap<Key, (u64, Vec<Consumed>)> = BTreeMap::new();
    for (kind, count) in material.iter() {
        let taken = piece(kind).filter(|_| options.matrices != MatrixChoice::Ot);
        let Some((piece, gain)) = taken.and_then(|piece| Some((piece, piece.gain(count, options)?))) else {
            continue;
        };
        if gain > 0 {
            let (sum, kinds) = by_key.entry(piece.key()).or_default();
            *sum = sum.saturating_add(gain);
            kinds.push(kind);
        }
    }
    let transfers = softspoken(&options.security).into();
    let worth = |(key, (gain, kinds)): (Key, (u64, Vec<Consumed>))| {
        (gain > nanoseconds(&key.dialogue(), transfers, options)).then_some(kinds)
    };
    by_key.into_iter().filter_map(worth).flatten().collect()
}

impl Piece {
    fn key(self) -> Key {
        match self {
            Piece::Matrix(_, size) => Key::Size(size),
            Piece::Words(_) => Key::Slots,
        }
    }

    /// Nanoseconds that lattices save, without keys; the maximum for material that must come from them.
    fn gain(self, count: u64, options: &PlanOptions) -> Option<u64> {
        let lattices = match self {
            Piece::Matrix(shape, _) => LatticeMatrices::price_of(shape, count)?,
            Piece::Words(kind) => LatticeWords::price_of(kind, count)?,
        };
        let transfers = match self {
            Piece::Matrix(shape, _) => <MatrixTriples as OtKind>::price(shape, count),
            Piece::Words(Consumed::Product { bits }) => <WordTriples as OtKind>::price(bits, count),
            Piece::Words(Consumed::Square { bits }) => <SquarePairs as OtKind>::price(bits, count),
            Piece::Words(_) => return None,
        };
        let extensions = candidates(options.transfers).iter().map(|one| extension(*one, &options.security));
        if let Piece::Words(_) = self {
            // Words only come from lattices if these send less, including the key.
            let [first, second] = lattices.bytes();
            if extensions.clone().map(|extension| sent(&transfers, extension)).min()?
                <= first.max(second).saturating_add(slot_key_bytes())
            {
                return None;
            }
        }
        if matches!(options.matrices, MatrixChoice::Lattice | MatrixChoice::Online) {
            return Some(u64::MAX);
        }
        let least = extensions.map(|extension| nanoseconds(&transfers, extension, options)).min()?;
        Some(least.saturating_sub(nanoseconds(&lattices, softspoken(&options.security).into(), options)))
    }
}

impl Key {
    fn dialogue(self) -> Dialogue {
        match self {
            Key::Size(size) => Dialogue::default().key(size),
            Key::Slots => Dialogue::default().slot_key(),
        }
    }
}

/// Bytes of the busier direction, including those of setting up OTs.
fn sent(dialogue: &Dialogue, extension: Extension) -> u64 {
    let mut ots = CountedOts { tally: Tally::default(), extension };
    let mut channel = CountedChannel::default();
    channel.play(&set_up(), &mut ots);
    channel.play(dialogue, &mut ots);
    channel.bytes[0].max(channel.bytes[1])
}

/// How long a dialogue takes on the planned link after OTs are set up.
fn nanoseconds(dialogue: &Dialogue, extension: Extension, options: &PlanOptions) -> u64 {
    let mut ots = CountedOts { tally: Tally::default(), extension };
    CountedChannel::default().play(&set_up(), &mut ots);
    let mut channel = CountedChannel::default();
    channel.play(dialogue, &mut ots);
    let mut effort = channel.effort();
    effort.compute(Unit::SentByte, channel.bytes[0].saturating_add(channel.bytes[1]));
    options.profile.time(&effort, options.link).nanoseconds()
}

fn set_up() -> Dialogue {
    Dialogue::default().set_up(Party::First).set_up(Party::Second)
}

/// The shapes of matrices that are multiplied online.
pub(super) fn online(lattices: &Lattices) -> BTreeSet<MatrixShape> {
    lattices.online.iter().filter_map(|kind| shape(*kind)).collect()
}

/// Splits a requirement into the parts that transfers make and that lattices make: matrices, then words.
pub(crate) fn split(
    required: &Requirement,
    lattices: &Lattices,
) -> (Requirement, LatticeMatrices, LatticeWords) {
    let lattices = lattices.all();
    let shapes: BTreeSet<MatrixShape> = lattices.iter().filter_map(|kind| shape(*kind)).collect();
    let mut rest = required.clone();
    let matrices = LatticeMatrices::take_from(&mut rest, |shape| shapes.contains(&shape));
    let words = LatticeWords::take_from(&mut rest, |kind| lattices.contains(&kind));
    (rest, matrices, words)
}
