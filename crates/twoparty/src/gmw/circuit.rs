//! Circuits over many instances, layer by layer, several circuits side by side.

use super::Layer as Opening;
use crate::correlations::{BitTriples, NaryTriples, Requirement};
use crate::end::End;
use crate::error::found;
use crate::yao::{View, Wire, width};
use crate::{Party, ShareError, exchange};
use std::collections::BTreeMap;
use tacit_circuit::{Executable, Layer, Output};
use tacit_math::Bits;
use zeroize::{Zeroize, Zeroizing};

/// Maximum words of the slots of circuits that run side by side (64 MiB); further ones run one after the
/// other.
const MAX_SLOT_WORDS: usize = 1 << 23;

/// Shared bits that a circuit reads; instances see them as in [`crate::yao::LabelOperand`].
#[derive(Clone, Copy, Debug)]
pub struct BitOperand<'a> {
    /// The wires of the bundle.
    pub shares: &'a Bits,
    /// Bits of one lane.
    pub bits: u32,
    /// How many consecutive instances see the same lanes.
    pub share: u64,
}

/// The target of shared bits that a circuit writes; every instance writes its own lanes. It has the right length
/// and is overwritten.
#[derive(Debug)]
pub struct BitTarget<'a> {
    /// The wires of the bundle.
    pub shares: &'a mut Bits,
    /// Bits of one lane.
    pub bits: u32,
}

/// One circuit that runs over many instances.
#[derive(Debug)]
pub struct BitRegion<'a> {
    /// The circuit.
    pub circuit: &'a Executable,
    /// Number of instances.
    pub instances: u64,
    /// The operands in the order of the circuit's inputs.
    pub operands: Vec<BitOperand<'a>>,
    /// The targets in the order of its outputs.
    pub targets: Vec<BitTarget<'a>>,
}

/// Runs circuits that do not depend on each other.
///
/// Memory: the slots of all instances, packed, up to 64 MiB.
/// Cost for each [group](Layer::groups) of ANDs of an instance: a triple with as many products, and a bit each way for each AND and one for the
/// shared operand; for each AND of more operands that of [`super::conjunction`]. ANDs of the same layer of all circuits are packed into one
/// message, and every layer takes one round. If the slots would take more memory, some instances run after others.
///
/// # Errors
/// [`ShareError::Shape`] if operands or targets do not fit their circuit; those of [`super::and`].
pub async fn run(end: &mut End, regions: &mut [BitRegion<'_>]) -> Result<(), ShareError> {
    run_with(end, regions, &Bits::default()).await.map(drop)
}

/// [`run`], with extra bits for the peer in the first message; returns as many extra bits of the peer.
///
/// # Errors
/// As [`run`].
pub async fn run_with(
    end: &mut End,
    regions: &mut [BitRegion<'_>],
    extra: &Bits,
) -> Result<Bits, ShareError> {
    for region in regions.iter() {
        check(region)?;
    }
    let circuits: Vec<_> = regions.iter().map(|region| (region.circuit, region.instances)).collect();
    let mut extra = Extra { own: Some(extra), theirs: Bits::default() };
    for group in groups(&circuits) {
        side_by_side(end, regions, &group, &mut extra).await?;
    }
    match extra.own {
        Some(own) if !own.is_empty() => exchange::exchange(&mut end.channel, own).await,
        _ => Ok(extra.theirs),
    }
}

/// The material of a circuit that runs over this many instances: see [`run`].
pub fn requirement(circuit: &Executable, instances: u64) -> Requirement {
    let mut requirement = Requirement::default();
    for (size, count) in circuit.and_groups() {
        requirement.require::<BitTriples>(size, count.saturating_mul(instances));
    }
    for (operands, count) in circuit.conjunctions() {
        requirement.require::<NaryTriples>(operands, count.saturating_mul(instances));
    }
    requirement
}

/// Bits of each message that a party sends in [`run`] for circuits over these numbers of instances, in order.
pub fn message_bits(circuits: &[(&Executable, u64)]) -> Vec<u64> {
    let mut all: Vec<u64> = Vec::new();
    for group in groups(circuits) {
        let first = all.len();
        for piece in group {
            let layers = circuits[piece.region].0.layers().filter(Layer::has_ands);
            for (number, layer) in layers.enumerate() {
                if all.len() == first + number {
                    all.push(0);
                }
                let wider = layer.conjunctions.iter().map(|conjunction| conjunction.operands().len());
                let operands = layer.and_a.len() + layer.groups().count() + wider.sum::<usize>();
                all[first + number] += (operands * piece.width) as u64;
            }
        }
    }
    all
}

/// Extra bits for the peer in the first message.
struct Extra<'a> {
    /// This party's, until they are sent.
    own: Option<&'a Bits>,
    /// The peer's.
    theirs: Bits,
}

/// Pieces of circuits that run side by side: as many as memory allows, at least one.
fn groups(circuits: &[(&Executable, u64)]) -> Vec<Vec<Piece>> {
    let (mut groups, mut words): (Vec<Vec<Piece>>, usize) = (Vec::new(), 0);
    for (number, (circuit, instances)) in circuits.iter().enumerate() {
        for piece in pieces(number, circuit, *instances) {
            let more = piece.words().saturating_mul(circuit.slots as usize);
            match groups.last_mut() {
                Some(group) if words.saturating_add(more) <= MAX_SLOT_WORDS => {
                    words += more;
                    group.push(piece);
                }
                _ => {
                    words = more;
                    groups.push(vec![piece]);
                }
            }
        }
    }
    groups
}

/// Consecutive instances of a region.
#[derive(Clone, Copy, Debug)]
struct Piece {
    region: usize,
    start: usize,
    width: usize,
}

impl Piece {
    /// Words of one slot.
    fn words(self) -> usize {
        self.width.div_ceil(64)
    }
}

fn pieces(number: usize, circuit: &Executable, instances: u64) -> impl Iterator<Item = Piece> + use<> {
    // `check` has compared it with bundles in memory; a circuit without bundles does nothing.
    let instances = usize::try_from(instances).unwrap_or(usize::MAX);
    let width = (MAX_SLOT_WORDS / (circuit.slots as usize).max(1)).max(1).saturating_mul(64);
    let piece = move |start| Piece { region: number, start, width: width.min(instances - start) };
    (0..instances).step_by(width).map(piece)
}

fn check(region: &BitRegion<'_>) -> Result<(), ShareError> {
    let BitRegion { circuit, instances, operands, targets } = region;
    let mut inputs = 0;
    for operand in operands {
        inputs += width(operand.shares.len(), operand.bits, operand.share, *instances)?;
    }
    crate::error::expect("inputs of a circuit", inputs as usize, circuit.inputs.len())?;
    let mut outputs = 0;
    for target in targets {
        outputs += width(target.shares.len(), target.bits, 1, *instances)?;
    }
    crate::error::expect("outputs of a circuit", outputs as usize, circuit.outputs.len())
}

/// Runs pieces in step, so that ANDs of one layer share a message.
async fn side_by_side(
    end: &mut End,
    regions: &mut [BitRegion<'_>],
    pieces: &[Piece],
    extra: &mut Extra<'_>,
) -> Result<(), ShareError> {
    let mut runs: Vec<PieceRun> =
        pieces.iter().map(|piece| PieceRun::load(end.party, *piece, &regions[piece.region])).collect();
    loop {
        let mut gathered = Gathered::default();
        for run in &mut runs {
            let circuit = regions[run.piece.region].circuit;
            if let Some(layer) = run.next_ands(circuit) {
                run.gather(&layer, &mut gathered);
            }
        }
        if gathered.is_empty() {
            break;
        }
        let mut opening = Opening::default();
        gathered.groups.values().try_for_each(|group| opening.vector(end, &group.common, &group.others))?;
        for wide in gathered.wide.values() {
            opening.conjunction(end, &wide.operands.iter().collect::<Vec<_>>())?;
        }
        // Only the first layer carries extra bits.
        let more = extra.own.take();
        let (products, theirs) = opening.open_with(end, more.unwrap_or(&Bits::default())).await?;
        if more.is_some() {
            extra.theirs = theirs;
        }
        let mut products = products.into_iter();
        for group in gathered.groups.values_mut() {
            let product = |_: &Bits| found(PRODUCTS, products.next());
            group.products = group.others.iter().map(product).collect::<Result<_, _>>()?;
        }
        for wide in gathered.wide.values_mut() {
            wide.product = found(PRODUCTS, products.next())?;
        }
        for run in &mut runs {
            let circuit = regions[run.piece.region].circuit;
            run.scatter(circuit, &mut gathered)?;
        }
    }
    runs.iter().for_each(|run| run.store(&mut regions[run.piece.region]));
    Ok(())
}

/// The name of missing results, if a layer opened less than it gathered.
const PRODUCTS: &str = "products of a layer of ANDs";

/// ANDs that run together.
#[derive(Default)]
struct Gathered {
    /// ANDs of two operands, by how many share one.
    groups: BTreeMap<usize, Group>,
    /// ANDs of more operands, by their number.
    wide: BTreeMap<usize, Wide>,
}

impl Gathered {
    fn is_empty(&self) -> bool {
        self.groups.is_empty() && self.wide.is_empty()
    }
}

/// ANDs, equally many of which share an operand.
struct Group {
    /// The shared operands.
    common: Bits,
    /// The other operands: of the first AND of each group, of the second, and so on.
    others: Vec<Bits>,
    /// Shares of the products, in the order of the other operands.
    products: Vec<Bits>,
    /// Number of products that are taken.
    taken: usize,
}

impl Group {
    fn of(size: usize) -> Group {
        Group { common: Bits::default(), others: vec![Bits::default(); size], products: Vec::new(), taken: 0 }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.common.zeroize();
        self.others.iter_mut().chain(&mut self.products).for_each(Zeroize::zeroize);
    }
}

/// ANDs of equally many operands.
struct Wide {
    /// The first operand of each AND, the second of each and so on.
    operands: Vec<Bits>,
    /// Shares of the products.
    product: Bits,
    /// Number of products that are taken.
    taken: usize,
}

impl Wide {
    fn of(operands: usize) -> Wide {
        Wide { operands: vec![Bits::default(); operands], product: Bits::default(), taken: 0 }
    }
}

impl Drop for Wide {
    fn drop(&mut self) {
        self.operands.iter_mut().chain([&mut self.product]).for_each(Zeroize::zeroize);
    }
}

/// A piece while it runs.
struct PieceRun {
    piece: Piece,
    party: Party,
    /// Words of one slot.
    words: usize,
    /// Number of layers done.
    layer: usize,
    slots: Zeroizing<Vec<u64>>,
    scratch: Zeroizing<Vec<u64>>,
}

impl PieceRun {
    fn load(party: Party, piece: Piece, region: &BitRegion<'_>) -> PieceRun {
        let words = piece.words();
        let slots = Zeroizing::new(vec![0; words * region.circuit.slots as usize]);
        let scratch = Zeroizing::new(vec![0; words]);
        let mut run = PieceRun { piece, party, words, layer: 0, slots, scratch };
        let mut inputs = region.circuit.inputs.iter();
        for operand in &region.operands {
            let (len, instances) = (operand.shares.len(), region.instances as usize);
            let view = View::new(len, operand.bits, operand.share as usize, instances);
            for (wire, slot) in view.wires().zip(&mut inputs) {
                run.read(operand.shares, &view, wire, *slot);
            }
        }
        run
    }

    fn slot(&self, slot: u32) -> &[u64] {
        &self.slots[slot as usize * self.words..][..self.words]
    }

    /// Copies a wire of the piece's instances into a slot.
    fn read(&mut self, shares: &Bits, view: &View, wire: Wire, slot: u32) {
        let Piece { start, width, .. } = self.piece;
        let into = &mut self.slots[slot as usize * self.words..][..self.words];
        if view.is_plain() {
            shares.copy_to(view.place(wire, start), width, into);
        } else {
            for (word, first) in into.iter_mut().zip((0..width).step_by(64)) {
                let bit = |i: usize| u64::from(shares.get(view.place(wire, start + first + i))) << i;
                *word = (0..64.min(width - first)).fold(0, |word, i| word | bit(i));
            }
        }
    }

    /// Runs XORs up to the ANDs of the next layer that has any.
    fn next_ands<'a>(&mut self, circuit: &'a Executable) -> Option<Layer<'a>> {
        while self.layer < circuit.layer_count() {
            let layer = circuit.layer(self.layer);
            self.xors(&layer);
            if layer.has_ands() {
                return Some(layer);
            }
            self.layer += 1;
        }
        None
    }

    fn xors(&mut self, layer: &Layer<'_>) {
        let words = self.words;
        for ((&a, &b), &out) in layer.xor_a.iter().zip(layer.xor_b).zip(layer.xor_out) {
            let (a, b, out) = (a as usize * words, b as usize * words, out as usize * words);
            for i in 0..words {
                self.slots[out + i] = self.slots[a + i] ^ self.slots[b + i];
            }
        }
    }

    /// Appends the operands of the layer's ANDs. Shared operands are not complemented.
    fn gather(&mut self, layer: &Layer<'_>, gathered: &mut Gathered) {
        for group in layer.groups() {
            let into = gathered.groups.entry(group.len()).or_insert_with(|| Group::of(group.len()));
            self.append(layer.and_a[group.start], false, &mut into.common);
            for (and, other) in group.zip(&mut into.others) {
                self.append(layer.and_b[and], layer.and_flip[and] & 2 != 0, other);
            }
        }
        for conjunction in layer.conjunctions {
            let operands = conjunction.operands();
            let into = gathered.wide.entry(operands.len()).or_insert_with(|| Wide::of(operands.len()));
            for ((slot, flip), operand) in operands.zip(&mut into.operands) {
                self.append(slot, flip, operand);
            }
        }
    }

    fn append(&mut self, slot: u32, flip: bool, to: &mut Bits) {
        if flip && self.party == Party::First {
            let slot = &self.slots[slot as usize * self.words..][..self.words];
            self.scratch.iter_mut().zip(slot).for_each(|(to, from)| *to = !from);
            to.extend_words(&self.scratch, self.piece.width);
        } else {
            to.extend_words(self.slot(slot), self.piece.width);
        }
    }

    /// Takes the results of the layer's ANDs, and continues with the next layer. If the shared operand is complemented,
    /// the other operand is added.
    fn scatter(&mut self, circuit: &Executable, gathered: &mut Gathered) -> Result<(), ShareError> {
        if self.layer >= circuit.layer_count() {
            return Ok(());
        }
        let layer = circuit.layer(self.layer);
        for group in layer.groups() {
            let from = found(PRODUCTS, gathered.groups.get_mut(&group.len()))?;
            let width = self.piece.width;
            for (and, (product, other)) in group.zip(from.products.iter().zip(&from.others)) {
                let into = &mut self.slots[layer.and_out[and] as usize * self.words..][..self.words];
                product.copy_to(from.taken, width, into);
                if layer.and_flip[and] & 1 != 0 {
                    other.copy_to(from.taken, width, &mut self.scratch);
                    into.iter_mut().zip(self.scratch.iter()).for_each(|(word, other)| *word ^= other);
                }
            }
            from.taken += width;
        }
        for conjunction in layer.conjunctions {
            let from = found(PRODUCTS, gathered.wide.get_mut(&conjunction.operands().len()))?;
            let into = &mut self.slots[conjunction.out as usize * self.words..][..self.words];
            from.product.copy_to(from.taken, self.piece.width, into);
            from.taken += self.piece.width;
        }
        self.layer += 1;
        Ok(())
    }

    fn store(&self, region: &mut BitRegion<'_>) {
        let Piece { start, width, .. } = self.piece;
        let mut outputs = region.circuit.outputs.iter();
        let mut row = Zeroizing::new(vec![0; self.words]);
        for target in &mut region.targets {
            let view = View::new(target.shares.len(), target.bits, 1, region.instances as usize);
            for (wire, output) in view.wires().zip(&mut outputs) {
                self.output(*output, &mut row);
                if view.is_plain() {
                    target.shares.copy_from(view.place(wire, start), width, &row);
                } else {
                    for i in 0..width {
                        target.shares.set(view.place(wire, start + i), row[i / 64] >> (i % 64) & 1 == 1);
                    }
                }
            }
        }
    }

    fn output(&self, output: Output, row: &mut [u64]) {
        let complement = |flip: bool| 0u64.wrapping_sub(u64::from(flip && self.party == Party::First));
        match output {
            Output::Slot { slot, flip } => {
                row.iter_mut().zip(self.slot(slot)).for_each(|(to, from)| *to = from ^ complement(flip));
            }
            Output::Constant(value) => row.fill(complement(value)),
        }
    }
}
