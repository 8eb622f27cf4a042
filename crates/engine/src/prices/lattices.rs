//! Which products setup makes triples of by lattices, and which by oblivious transfers.

use std::collections::{BTreeMap, BTreeSet};

use tacit_ot::cost;
use tacit_ot::cot::Extension;
use tacit_plan::{Material, MatrixChoice, PlanOptions};
use tacit_schedule::Consumed;
use tacit_twoparty::correlations::{
    LatticeMatrices, LatticeWords, MatrixShape, MatrixTriples, OtKind, Requirement, SquarePairs, WordTriples,
    key_size,
};
use tacit_twoparty::lattice_keys::{KeySize, slot_key_bytes, slot_key_residues};
use tacit_twoparty::transfers::Tally;
use tacit_twoparty::{CountedChannel, CountedOts, Dialogue, Party};

use super::{candidates, extension, softspoken};

/// Seconds to make a byte of products by transfers and to use it, about: of matrices, and of words.
const MATRIX_BYTE_SECONDS: f64 = 7e-9;
const WORD_BYTE_SECONDS: f64 = 1.5e-9;
/// Seconds to make a key and to read the peer's, about, for a residue.
const KEY_SECONDS: f64 = 60e-9;

/// What lattices may make.
#[derive(Clone, Copy)]
enum Piece {
    Matrix(MatrixShape, KeySize),
    /// Products and squares of words.
    Words(Consumed),
}

/// The key that a piece takes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Size(KeySize),
    Slots,
}

/// What making pieces takes.
struct Effort {
    /// Of the busier direction.
    bytes: u64,
    computing: f64,
    /// Bytes aside.
    dialogue: Dialogue,
}

/// The shape of a kind that is a matrix product.
fn shape(kind: Consumed) -> Option<MatrixShape> {
    let Consumed::Matrix { bits, rows, inner, columns } = kind else { return None };
    let [rows, inner, columns] = [rows, inner, columns].map(|side| usize::try_from(side).ok());
    Some(MatrixShape { bits, rows: rows?, inner: inner?, columns: columns? })
}

/// What lattices make for a kind, if they do.
fn piece(kind: Consumed) -> Option<Piece> {
    match shape(kind) {
        Some(shape) => Some(Piece::Matrix(shape, key_size(shape)?)),
        None => LatticeWords::serve(kind).then_some(Piece::Words(kind)),
    }
}

/// The products among what setup makes whose triples lattices make, by the choice, or else if they take less time over the planned
/// link. Pure: parties that agree on material and options agree on this.
pub(super) fn chosen(material: &Material, options: &PlanOptions) -> BTreeSet<Consumed> {
    // What kinds that need the same key gain, and which they are.
    let mut by_key: BTreeMap<Key, (f64, Vec<Consumed>)> = BTreeMap::new();
    for (kind, count) in material.iter() {
        let taken = piece(kind).filter(|_| options.matrices != MatrixChoice::Ot);
        let Some((piece, gain)) = taken.and_then(|piece| Some((piece, piece.gain(count, options)?))) else {
            continue;
        };
        if gain > 0.0 {
            let (sum, kinds) = by_key.entry(piece.key()).or_default();
            *sum += gain;
            kinds.push(kind);
        }
    }
    let worth = |(key, (gain, kinds)): (Key, (f64, Vec<Consumed>))| {
        (gain > key.effort().seconds(options)).then_some(kinds)
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

    /// Seconds that lattices save, keys apart; without end for what is to come from them.
    fn gain(self, count: u64, options: &PlanOptions) -> Option<f64> {
        let lattices = self.by_lattices(count)?;
        if let Piece::Words(_) = self {
            // Words come from lattices only where these send less, the key included.
            let transfers = self.by_transfers(count, options, |effort| effort.bytes as f64)?;
            if transfers <= lattices.bytes.saturating_add(slot_key_bytes()) as f64 {
                return None;
            }
        }
        if options.matrices == MatrixChoice::Lattice {
            return Some(f64::INFINITY);
        }
        let transfers = self.by_transfers(count, options, |effort| effort.seconds(options))?;
        Some(transfers - lattices.seconds(options))
    }

    /// The least that transfers take, by what `measure` says, of those extensions that may be.
    fn by_transfers(
        self,
        count: u64,
        options: &PlanOptions,
        measure: impl Fn(&Effort) -> f64,
    ) -> Option<f64> {
        let dialogue = match self {
            Piece::Matrix(shape, _) => <MatrixTriples as OtKind>::price(shape, count),
            Piece::Words(Consumed::Product { bits }) => <WordTriples as OtKind>::price(bits, count),
            Piece::Words(Consumed::Square { bits }) => <SquarePairs as OtKind>::price(bits, count),
            Piece::Words(_) => return None,
        };
        let byte_seconds = match self {
            Piece::Matrix(..) => MATRIX_BYTE_SECONDS,
            Piece::Words(_) => WORD_BYTE_SECONDS,
        };
        // Both directions of a product of words at once; of others only one is in use.
        let (bytes, ots) = (dialogue.bytes(), dialogue.ots());
        let busier = |[first, second]: [u64; 2]| first.max(second);
        let of = |extension: Extension| {
            let (setup, _) = extension.setup_bytes();
            let free = cost::Link { bits_per_second: f64::INFINITY, round_seconds: 0.0 };
            Effort {
                bytes: busier(bytes).saturating_add(extension.bytes(busier(ots))).saturating_add(setup),
                computing: extension.seconds(ots[0].saturating_add(ots[1]), free)
                    + byte_seconds * bytes[0].saturating_add(bytes[1]) as f64,
                dialogue: dialogue.clone(),
            }
        };
        let all = candidates(options.transfers).iter().map(|one| of(extension(*one, &options.security)));
        all.map(|effort| measure(&effort)).min_by(f64::total_cmp)
    }

    /// Both parties send at the same time.
    fn by_lattices(self, count: u64) -> Option<Effort> {
        let (computing, dialogue) = match self {
            Piece::Matrix(shape, _) => {
                (LatticeMatrices::seconds(shape, count)?, LatticeMatrices::price_of(shape, count)?)
            }
            Piece::Words(kind) => (LatticeWords::seconds(kind, count)?, LatticeWords::price_of(kind, count)?),
        };
        let [first, second] = dialogue.bytes();
        Some(Effort { bytes: first.max(second), computing, dialogue })
    }
}

impl Key {
    fn effort(self) -> Effort {
        let (residues, bytes, dialogue) = match self {
            Key::Size(size) => (size.ring.residues(), size.bytes(), Dialogue::default().key(size)),
            Key::Slots => (slot_key_residues(), slot_key_bytes(), Dialogue::default().slot_key()),
        };
        Effort { bytes, computing: KEY_SECONDS * residues as f64, dialogue }
    }
}

impl Effort {
    /// Seconds on the planned link, those for setting up OTs apart.
    fn seconds(&self, options: &PlanOptions) -> f64 {
        let mut ots = CountedOts { tally: Tally::default(), extension: softspoken(&options.security).into() };
        CountedChannel::default()
            .play(&Dialogue::default().set_up(Party::First).set_up(Party::Second), &mut ots);
        let mut channel = CountedChannel::default();
        channel.play(&self.dialogue, &mut ots);
        let rounds = channel.rounds[0].max(channel.rounds[1]);
        let flip = options.link.round_us as f64 * 1e-6 / 2.0;
        let sending = 8.0 * self.bytes as f64 / options.link.bits_per_second.max(1) as f64;
        self.computing + sending + rounds as f64 * flip
    }
}

/// What of a requirement transfers make, and what lattices do: matrices, then words.
pub(crate) fn split(
    required: &Requirement,
    lattices: &BTreeSet<Consumed>,
) -> (Requirement, LatticeMatrices, LatticeWords) {
    let shapes: BTreeSet<MatrixShape> = lattices.iter().filter_map(|kind| shape(*kind)).collect();
    let mut rest = required.clone();
    let matrices = LatticeMatrices::take_from(&mut rest, |shape| shapes.contains(&shape));
    let words = LatticeWords::take_from(&mut rest, |kind| lattices.contains(&kind));
    (rest, matrices, words)
}
