//! Which matrix products setup makes triples of by lattices, and which by oblivious transfers.

use std::collections::{BTreeMap, BTreeSet};

use tacit_plan::{Material, MatrixChoice, PlanOptions};
use tacit_schedule::{Consumed, Unit};
use tacit_twoparty::correlations::{
    LatticeMatrices, MatrixShape, MatrixTriples, OtKind, Requirement, key_size,
};
use tacit_twoparty::lattice_keys::KeySize;
use tacit_twoparty::transfers::Tally;
use tacit_twoparty::{CountedChannel, CountedOts, Dialogue, Party};

use super::softspoken;

/// The shape of a kind that is a matrix product.
fn shape(kind: Consumed) -> Option<MatrixShape> {
    let Consumed::Matrix { bits, rows, inner, columns } = kind else { return None };
    let [rows, inner, columns] = [rows, inner, columns].map(|side| usize::try_from(side).ok());
    Some(MatrixShape { bits, rows: rows?, inner: inner?, columns: columns? })
}

/// The products among what setup makes whose triples lattices make, by the choice, or else if they take less time over the planned
/// link. Pure: parties that agree on material and options agree on this.
pub(super) fn chosen(material: &Material, options: &PlanOptions) -> BTreeSet<Consumed> {
    // What shapes that need the same key gain, in nanoseconds, and which they are.
    let mut by_key: BTreeMap<KeySize, (u64, Vec<Consumed>)> = BTreeMap::new();
    for (kind, count) in material.iter() {
        let taken = shape(kind).and_then(|shape| Some((shape, key_size(shape)?)));
        let Some((shape, key)) = taken.filter(|_| options.matrices != MatrixChoice::Ot) else { continue };
        let gain = match options.matrices {
            MatrixChoice::Lattice => u64::MAX,
            _ => by_transfers(shape, count, options).saturating_sub(by_lattices(shape, count, options)),
        };
        if gain > 0 {
            let (sum, kinds) = by_key.entry(key).or_default();
            *sum = sum.saturating_add(gain);
            kinds.push(kind);
        }
    }
    let worth = |(key, (gain, kinds)): (KeySize, (u64, Vec<Consumed>))| {
        (gain > nanoseconds(&Dialogue::default().key(key), options)).then_some(kinds)
    };
    by_key.into_iter().filter_map(worth).flatten().collect()
}

/// How long a dialogue takes on the planned link once OTs are set up.
fn nanoseconds(dialogue: &Dialogue, options: &PlanOptions) -> u64 {
    let mut ots = CountedOts { tally: Tally::default(), extension: softspoken(&options.security).into() };
    CountedChannel::default().play(&Dialogue::default().set_up(Party::First).set_up(Party::Second), &mut ots);
    let mut channel = CountedChannel::default();
    channel.play(dialogue, &mut ots);
    let mut effort = channel.effort();
    effort.compute(Unit::SentByte, channel.bytes[0].saturating_add(channel.bytes[1]));
    options.profile.time(&effort, options.link).nanoseconds()
}

fn by_transfers(shape: MatrixShape, count: u64, options: &PlanOptions) -> u64 {
    nanoseconds(&<MatrixTriples as OtKind>::price(shape, count), options)
}

fn by_lattices(shape: MatrixShape, count: u64, options: &PlanOptions) -> u64 {
    LatticeMatrices::price_of(shape, count).map_or(u64::MAX, |dialogue| nanoseconds(&dialogue, options))
}

/// What of a requirement transfers make, and what lattices do.
pub(crate) fn split(required: &Requirement, lattices: &BTreeSet<Consumed>) -> (Requirement, LatticeMatrices) {
    let shapes: BTreeSet<MatrixShape> = lattices.iter().filter_map(|kind| shape(*kind)).collect();
    let mut rest = required.clone();
    let chosen = LatticeMatrices::take_from(&mut rest, |shape| shapes.contains(&shape));
    (rest, chosen)
}
