//! Which matrix products setup makes triples of by lattices, and which by oblivious transfers.

use std::collections::{BTreeMap, BTreeSet};

use tacit_ot::cost;
use tacit_plan::{Material, MatrixChoice, PlanOptions};
use tacit_schedule::Consumed;
use tacit_twoparty::correlations::{
    LatticeMatrices, MatrixShape, MatrixTriples, OtKind, Requirement, key_size,
};
use tacit_twoparty::lattice_keys::KeySize;
use tacit_twoparty::transfers::Tally;
use tacit_twoparty::{CountedChannel, CountedOts, Dialogue, Party};

use super::softspoken;

/// Seconds to make a byte of products by transfers and to use it, about.
const BYTE_SECONDS: f64 = 7e-9;
/// Seconds to make a key and to read the peer's, about, for a residue.
const KEY_SECONDS: f64 = 60e-9;

/// The shape of a kind that is a matrix product.
fn shape(kind: Consumed) -> Option<MatrixShape> {
    let Consumed::Matrix { bits, rows, inner, columns } = kind else { return None };
    let [rows, inner, columns] = [rows, inner, columns].map(|side| usize::try_from(side).ok());
    Some(MatrixShape { bits, rows: rows?, inner: inner?, columns: columns? })
}

/// The products among what setup makes whose triples lattices make, by the choice, or else if they take less time over the planned
/// link. Pure: parties that agree on material and options agree on this.
pub(super) fn chosen(material: &Material, options: &PlanOptions) -> BTreeSet<Consumed> {
    // What shapes that need the same key gain, and which they are.
    let mut by_key: BTreeMap<KeySize, (f64, Vec<Consumed>)> = BTreeMap::new();
    for (kind, count) in material.iter() {
        let taken = shape(kind).and_then(|shape| Some((shape, key_size(shape)?)));
        let Some((shape, key)) = taken.filter(|_| options.matrices != MatrixChoice::Ot) else { continue };
        let gain = match options.matrices {
            MatrixChoice::Lattice => f64::INFINITY,
            _ => by_transfers(shape, count, options) - by_lattices(shape, count, options),
        };
        if gain > 0.0 {
            let (sum, kinds) = by_key.entry(key).or_default();
            *sum += gain;
            kinds.push(kind);
        }
    }
    let worth = |(key, (gain, kinds)): (KeySize, (f64, Vec<Consumed>))| {
        let computing = KEY_SECONDS * key.ring.residues() as f64;
        let sent = sending(key.bytes(), &Dialogue::default().key(key), options);
        (gain > computing + sent).then_some(kinds)
    };
    by_key.into_iter().filter_map(worth).flatten().collect()
}

/// Seconds that `bytes` and the rounds of a dialogue take on the planned link, those for setting up OTs apart.
fn sending(bytes: u64, dialogue: &Dialogue, options: &PlanOptions) -> f64 {
    let mut ots = CountedOts { tally: Tally::default(), extension: softspoken(&options.security).into() };
    CountedChannel::default().play(&Dialogue::default().set_up(Party::First).set_up(Party::Second), &mut ots);
    let mut channel = CountedChannel::default();
    channel.play(dialogue, &mut ots);
    let rounds = channel.rounds[0].max(channel.rounds[1]);
    let flip = options.link.round_us as f64 * 1e-6 / 2.0;
    8.0 * bytes as f64 / options.link.bits_per_second.max(1) as f64 + rounds as f64 * flip
}

/// One party sends after the other.
fn by_transfers(shape: MatrixShape, count: u64, options: &PlanOptions) -> f64 {
    let dialogue = <MatrixTriples as OtKind>::price(shape, count);
    let both = |[first, second]: [u64; 2]| first.saturating_add(second);
    let (bytes, ots) = (both(dialogue.bytes()), both(dialogue.ots()));
    let link = cost::Link {
        bits_per_second: options.link.bits_per_second.max(1) as f64,
        round_seconds: options.link.round_us as f64 * 1e-6,
    };
    let extension: tacit_ot::cot::Extension = softspoken(&options.security).into();
    extension.seconds(ots, link) + BYTE_SECONDS * bytes as f64 + sending(bytes, &dialogue, options)
}

/// Both parties send at the same time.
fn by_lattices(shape: MatrixShape, count: u64, options: &PlanOptions) -> f64 {
    let seconds = LatticeMatrices::seconds(shape, count).zip(LatticeMatrices::price_of(shape, count));
    let Some((computing, dialogue)) = seconds else { return f64::INFINITY };
    computing + sending(dialogue.bytes()[0], &dialogue, options)
}

/// What of a requirement transfers make, and what lattices do.
pub(crate) fn split(required: &Requirement, lattices: &BTreeSet<Consumed>) -> (Requirement, LatticeMatrices) {
    let shapes: BTreeSet<MatrixShape> = lattices.iter().filter_map(|kind| shape(*kind)).collect();
    let mut rest = required.clone();
    let chosen = LatticeMatrices::take_from(&mut rest, |shape| shapes.contains(&shape));
    (rest, chosen)
}
