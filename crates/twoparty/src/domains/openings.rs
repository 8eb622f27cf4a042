//! The openings of the tasks of a layer, sorted by the messages that they share.

use std::collections::BTreeMap;

use tacit_math::{Bits, Block};
use tacit_schedule::walk::{Buffer, CircuitOperand, CircuitTarget, CircuitTask, WalkError, Wires};
use zeroize::Zeroizing;

use super::shares::Shares;
use crate::arith::{self, Comparison, ComparisonOperand, Factors, Relation, Resize, Resized};
use crate::convert::{self, ToLabels};
use crate::correlations::MatrixShape;
use crate::he::{self, Asked, FromHe, IntoHe, Product};
use crate::{End, ShareError, batch, gmw, yao};

/// The openings of the tasks of a layer, by the messages that they share.
#[derive(Default)]
pub struct Openings<'s> {
    pub(super) labels: Vec<OpenedLabels<'s>>,
    pub(super) words: Vec<OpenedWords>,
    pub(super) gates: Vec<OpenedGates<'s>>,
    pub(super) compared: Vec<Compared>,
    pub(super) shifted: Vec<Shifted>,
    pub(super) encrypted: Vec<Encrypted>,
    pub(super) replied: Vec<Replied>,
    pub(super) multiplied: Vec<Multiplied>,
    pub(super) sealed: Vec<SealedComparison>,
    tasks: usize,
}

impl<'s> Openings<'s> {
    /// The number of the next task.
    pub(super) fn next(&mut self) -> usize {
        self.tasks += 1;
        self.tasks - 1
    }

    /// Runs all: labels in one transfer, then shares in as many messages as the deepest circuit has layers. Returns what each task
    /// wrote, and the number of ANDs.
    ///
    /// # Errors
    /// Those of the protocols.
    pub async fn run<S: yao::Adds>(
        self,
        side: &mut S,
        end: &mut End,
    ) -> Result<(Vec<Vec<Shares>>, u64), ShareError> {
        let Openings {
            mut labels,
            words,
            mut gates,
            compared,
            shifted,
            encrypted,
            replied,
            multiplied,
            sealed,
            tasks,
        } = self;
        let mut written: Vec<Vec<Shares>> = (0..tasks).map(|_| Vec::new()).collect();
        if !labels.is_empty() {
            let shares = labels.iter_mut().map(OpenedLabels::shares).collect();
            convert::to_labels(side, end.party(), shares).await?;
        }
        let (online, words): (Vec<_>, Vec<_>) = words.into_iter().partition(|opened| opened.is_online(end));
        if !words.is_empty() || !gates.is_empty() {
            side.flush().await?;
            let operations: Vec<_> = words.iter().map(OpenedWords::operation).collect::<Result<_, _>>()?;
            let mut regions: Vec<_> = gates.iter_mut().map(OpenedGates::region).collect::<Result<_, _>>()?;
            let results = batch::run(end, &operations, &mut regions).await?;
            for (opened, result) in words.into_iter().zip(results) {
                written[opened.at] = vec![opened.target.with_words(&Zeroizing::new(result))?];
            }
        }
        if !online.is_empty() {
            side.flush().await?;
            multiply_online(end, online, &mut written).await?;
        }
        if !compared.is_empty() {
            side.flush().await?;
            let asked: Vec<_> = compared.iter().map(Compared::comparison).collect();
            let answers = arith::compare_all(end, &asked).await?;
            for (compared, answer) in compared.into_iter().zip(answers) {
                written[compared.at] = vec![compared.target.with_bits(&Zeroizing::new(answer))?];
            }
        }
        if !shifted.is_empty() {
            side.flush().await?;
            let asked: Vec<_> = shifted.iter().map(Shifted::resized).collect();
            let results = arith::resize_all(end, &asked).await?;
            for (shifted, result) in shifted.into_iter().zip(results) {
                written[shifted.at] = vec![shifted.target.with_words(&Zeroizing::new(result))?];
            }
        }
        let under_encryption = UnderEncryption { encrypted, replied, multiplied, sealed };
        if !under_encryption.is_empty() {
            side.flush().await?;
            under_encryption.exchange(end, &mut written).await?;
        }
        let mut ands = 0;
        for gates in gates {
            ands += gates.task.circuit.and_count * gates.task.instances;
            let at = gates.at;
            written[at] = gates.written();
        }
        for labels in labels {
            ands += labels.shares.and_count();
            written[labels.at] = vec![Shares::Labels(labels.target)];
        }
        Ok((written, ands))
    }
}

/// Words to encrypt, decrypt, multiply or compare under encryption.
struct UnderEncryption {
    encrypted: Vec<Encrypted>,
    replied: Vec<Replied>,
    multiplied: Vec<Multiplied>,
    sealed: Vec<SealedComparison>,
}

impl UnderEncryption {
    fn is_empty(&self) -> bool {
        self.encrypted.is_empty()
            && self.replied.is_empty()
            && self.multiplied.is_empty()
            && self.sealed.is_empty()
    }

    async fn exchange(self, end: &mut End, written: &mut [Vec<Shares>]) -> Result<(), ShareError> {
        let into: Vec<_> = self.encrypted.iter().map(Encrypted::shares).collect();
        let from = self.replied.iter().map(Replied::lanes).collect::<Result<Vec<_>, _>>()?;
        let products = self.multiplied.iter().map(Multiplied::product).collect::<Result<Vec<_>, _>>()?;
        let comparisons =
            self.sealed.iter().map(SealedComparison::comparison).collect::<Result<Vec<_>, _>>()?;
        let asked = Asked { into: &into, from: &from, products: &products, comparisons: &comparisons };
        let done = he::exchange(end, asked).await?;
        for (encrypted, lanes) in self.encrypted.into_iter().zip(done.encrypted) {
            written[encrypted.at] = vec![encrypted.target.with_lanes(lanes)?];
        }
        for (replied, shares) in self.replied.into_iter().zip(done.shares) {
            written[replied.at] = vec![replied.target.with_words(&shares)?];
        }
        for (multiplied, lanes) in self.multiplied.into_iter().zip(done.multiplied) {
            written[multiplied.at] = vec![multiplied.target.with_lanes(lanes)?];
        }
        for (sealed, lanes) in self.sealed.into_iter().zip(done.compared) {
            written[sealed.at] = vec![sealed.target.with_lanes(lanes)?];
        }
        Ok(())
    }
}

/// Runs one circuit on shared bits; returns what it wrote.
///
/// # Errors
/// Those of [`gmw::run`], or the operands are of another domain.
pub async fn circuit(end: &mut End, task: CircuitTask<'_, Shares>) -> Result<Vec<Shares>, ShareError> {
    let mut gates = OpenedGates { at: 0, task };
    gmw::run(end, &mut [gates.region()?]).await?;
    Ok(gates.written())
}

/// A circuit on shared bits.
pub(super) struct OpenedGates<'s> {
    /// The index of its task in the layer.
    pub at: usize,
    pub task: CircuitTask<'s, Shares>,
}

impl OpenedGates<'_> {
    fn region(&mut self) -> Result<gmw::BitRegion<'_>, WalkError> {
        let CircuitTask { circuit, instances, operands, targets, .. } = &mut self.task;
        Ok(gmw::BitRegion {
            circuit,
            instances: *instances,
            operands: operands.iter().map(shared_operand).collect::<Result<_, _>>()?,
            targets: targets.iter_mut().map(shared_target).collect::<Result<_, _>>()?,
        })
    }

    fn written(self) -> Vec<Shares> {
        self.task.targets.into_iter().map(|target| target.wires).collect()
    }
}

fn shared_operand(operand: &CircuitOperand<Shares>) -> Result<gmw::BitOperand<'_>, WalkError> {
    Ok(gmw::BitOperand { shares: operand.wires.packed()?, bits: operand.bits, share: operand.share })
}

fn shared_target(target: &mut CircuitTarget<Shares>) -> Result<gmw::BitTarget<'_>, WalkError> {
    Ok(gmw::BitTarget { shares: target.wires.packed_mut()?, bits: target.bits })
}

/// Shares that become labels.
pub(super) struct OpenedLabels<'s> {
    /// The index of its task in the layer.
    pub at: usize,
    pub shares: LabelSource<'s>,
    pub target: Wires<Block>,
}

pub(super) enum LabelSource<'s> {
    Bits(Zeroizing<Bits>),
    /// Words, and the circuit that adds them, which ignores their higher bits.
    Words(Wires<u128>, yao::Region<'s>),
}

impl LabelSource<'_> {
    /// Number of ANDs.
    fn and_count(&self) -> u64 {
        match self {
            LabelSource::Bits(_) => 0,
            LabelSource::Words(_, region) => region.circuit.and_count * region.instances,
        }
    }
}

impl OpenedLabels<'_> {
    fn shares(&mut self) -> ToLabels<'_> {
        let labels = self.target.elements_mut();
        match &self.shares {
            LabelSource::Bits(shares) => ToLabels::Bits { shares, labels },
            LabelSource::Words(shares, region) => ToLabels::Sum(yao::Sum { region: *region, shares, labels }),
        }
    }
}

/// An operation on words that opens something.
pub(super) struct OpenedWords {
    /// The index of its task in the layer.
    pub at: usize,
    pub how: WordOpening,
    /// Width of the words.
    pub bits: u32,
    pub target: Shares,
}

/// The opening of an operation on words.
pub(super) enum WordOpening {
    /// Bits that become words.
    Wires(Zeroizing<Bits>),
    Product([Wires<u128>; 2]),
    Square(Wires<u128>),
    Matrices {
        shape: MatrixShape,
        factors: [Wires<u128>; 2],
    },
}

/// Multiplies matrices from their shares, those of a shape together.
async fn multiply_online(
    end: &mut End,
    online: Vec<OpenedWords>,
    written: &mut [Vec<Shares>],
) -> Result<(), ShareError> {
    let mut by_shape: BTreeMap<MatrixShape, Vec<OpenedWords>> = BTreeMap::new();
    for opened in online {
        let WordOpening::Matrices { shape, .. } = opened.how else { return Err(WalkError::Domain.into()) };
        by_shape.entry(shape).or_default().push(opened);
    }
    for (shape, all) in by_shape {
        let [left, right] = [0, 1].map(|side| factors(&all, side));
        let End { matrices, own, channel, .. } = end;
        let products = matrices.multiply(own, channel, shape, [&left, &right]).await?;
        let mut rest = &products[..];
        for opened in all {
            let (product, others) =
                rest.split_at_checked(opened.target.elements()).ok_or(WalkError::Unwritten)?;
            rest = others;
            written[opened.at] = vec![opened.target.with_words(product)?];
        }
    }
    Ok(())
}

/// The left or the right factors of products of matrices.
fn factors(all: &[OpenedWords], side: usize) -> Zeroizing<Vec<u128>> {
    let of = |opened: &OpenedWords| match &opened.how {
        WordOpening::Matrices { factors, .. } => Some(factors[side].clone()),
        _ => None,
    };
    let all: Vec<_> = all.iter().filter_map(of).collect();
    // Reserved at once, so that no part of it is freed without being wiped.
    let mut words = Zeroizing::new(Vec::with_capacity(all.iter().map(|factor| factor.len()).sum()));
    all.iter().for_each(|factor| words.extend_from_slice(factor));
    words
}

impl OpenedWords {
    /// Whether it is a product without a triple.
    fn is_online(&self, end: &End) -> bool {
        matches!(self.how, WordOpening::Matrices { shape, .. } if end.matrices.serve(shape))
    }

    fn operation(&self) -> Result<batch::WordOperation<'_>, ShareError> {
        let bits = self.bits;
        Ok(match &self.how {
            WordOpening::Wires(shares) => {
                batch::WordOperation::BoolToArith { shares, bits, lanes: self.target.elements() }
            }
            WordOpening::Square(x) => batch::WordOperation::Square { x, bits },
            WordOpening::Product([x, y]) => batch::WordOperation::Multiply(Factors { x, y, bits }),
            WordOpening::Matrices { shape, factors: [x, y] } => {
                batch::WordOperation::MatrixProduct { shape: *shape, x, y }
            }
        })
    }
}

/// A comparison of words.
pub(super) struct Compared {
    /// The index of its task in the layer.
    pub at: usize,
    pub relation: Relation,
    pub operands: [Wires<u128>; 2],
    /// Width of the words.
    pub bits: u32,
    pub target: Shares,
}

impl Compared {
    fn comparison(&self) -> Comparison<'_> {
        let [x, y] = self.operands.each_ref().map(|operand| ComparisonOperand::Shared(operand));
        Comparison { relation: self.relation, x, y, bits: self.bits }
    }
}

/// Words that are shifted to the right.
pub(super) struct Shifted {
    /// The index of its task in the layer.
    pub at: usize,
    pub how: Resize,
    pub x: Wires<u128>,
    /// Width of the words.
    pub bits: u32,
    pub target: Shares,
}

impl Shifted {
    fn resized(&self) -> Resized<'_> {
        Resized { how: self.how, x: &self.x, bits: self.bits }
    }
}

/// Words that are encrypted.
pub(super) struct Encrypted {
    /// The index of its task in the layer.
    pub at: usize,
    pub shares: Wires<u128>,
    /// Width of the words.
    pub bits: u32,
    pub target: Shares,
}

impl Encrypted {
    fn shares(&self) -> IntoHe<'_> {
        IntoHe { shares: &self.shares, bits: self.bits }
    }
}

/// Encrypted words that become shares.
pub(super) struct Replied {
    /// The index of its task in the layer.
    pub at: usize,
    pub source: Shares,
    /// Width of the words.
    pub bits: u32,
    /// Bits of the encrypted numbers.
    pub value_bits: u32,
    pub target: Shares,
}

impl Replied {
    fn lanes(&self) -> Result<FromHe<'_>, WalkError> {
        Ok(FromHe { lanes: self.source.lanes()?, bits: self.bits, value_bits: self.value_bits })
    }
}

/// Encrypted words that are multiplied.
pub(super) struct Multiplied {
    /// The index of its task in the layer.
    pub at: usize,
    pub factors: [Shares; 2],
    /// Rows of the left matrix, its columns, and columns of the right matrix.
    pub shape: [usize; 3],
    /// Width of the words.
    pub bits: u32,
    /// Bits of the encrypted numbers.
    pub factor_bits: u32,
    pub target: Shares,
}

impl Multiplied {
    fn product(&self) -> Result<Product<'_>, WalkError> {
        let ([left, right], [rows, inner, columns]) = (&self.factors, self.shape);
        let (left, right) = (left.lanes()?, right.lanes()?);
        let Multiplied { bits, factor_bits, .. } = *self;
        Ok(Product { left, right, rows, inner, columns, bits, factor_bits })
    }
}

/// Encrypted words that are compared.
pub(super) struct SealedComparison {
    /// The index of its task in the layer.
    pub at: usize,
    pub relation: Relation,
    pub operands: [Shares; 2],
    /// Width of the words.
    pub bits: u32,
    pub lift: u32,
    /// Bits of the encrypted differences.
    pub value_bits: u32,
    pub target: Shares,
}

impl SealedComparison {
    fn comparison(&self) -> Result<he::Comparison<'_>, WalkError> {
        let [left, right] = &self.operands;
        let (left, right) = (left.lanes()?, right.lanes()?);
        let SealedComparison { relation, bits, lift, value_bits, .. } = *self;
        Ok(he::Comparison { left, right, relation, bits, lift, value_bits })
    }
}
