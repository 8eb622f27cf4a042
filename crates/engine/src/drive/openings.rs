//! What the tasks of a layer open: they are sorted by what they share a message with.

use tacit_ir::Domain;
use tacit_math::{Bits, Block};
use tacit_schedule::ArithOp;
use tacit_twoparty::arith::{self, Comparison, Factors, Relation, Resize, Resized};
use tacit_twoparty::convert::ToLabels;
use tacit_twoparty::correlations::MatrixShape;
use tacit_twoparty::{batch, gmw, yao};
use zeroize::Zeroizing;

use super::shares::Shares;
use tacit_schedule::walk::{
    Buffer, CircuitOperand, CircuitTarget, CircuitTask, SumTask, Task, WalkError, Wires,
};

/// The tasks of a layer, by what they share a message with.
#[derive(Default)]
pub(super) struct Openings<'s> {
    pub labels: Vec<OpenedLabels<'s>>,
    pub words: Vec<OpenedWords<'s>>,
    pub gates: Vec<OpenedGates<'s>>,
    pub compared: Vec<Compared>,
    pub shifted: Vec<Shifted>,
}

impl<'s> Openings<'s> {
    /// Sorts tasks that open something and do not depend on each other.
    pub fn sort(tasks: Vec<(Task<'s, Shares>, u32)>) -> Result<Openings<'s>, WalkError> {
        let mut all = Openings::default();
        for (at, (task, _)) in tasks.into_iter().enumerate() {
            match task {
                Task::Circuit(task) => all.gates.push(OpenedGates { at, task }),
                Task::Convert { source, to, target, .. } if to.domain == Domain::Yao => {
                    let (shares, target) = (source.bits()?, target.into_labels()?);
                    all.labels.push(OpenedLabels { at, shares: LabelSource::Bits(shares), target });
                }
                Task::Sum(SumTask { circuit, instances, first_id, source, target }) => {
                    let (shares, target) = (source.words()?.clone(), target.into_labels()?);
                    let region = yao::Region { circuit, instances, first_id };
                    all.labels.push(OpenedLabels { at, shares: LabelSource::Words(shares, region), target });
                }
                Task::Convert { source, from, to, signed, target } => {
                    let lanes = target.elements();
                    let bits = widened(&*source.bits()?, (from.bits, to.bits), lanes, signed);
                    all.words.push(OpenedWords {
                        at,
                        operands: Operands::Wires(bits),
                        bits: to.bits,
                        target,
                    });
                }
                Task::Arith { op: ArithOp::Compare(how), bits, operands, target, .. } => {
                    let operands = all_words(&operands)?;
                    all.compared.push(Compared { at, relation: relation(*how), operands, bits, target });
                }
                Task::Arith { op: &ArithOp::ShiftRight { by, signed }, bits, operands, target, .. } => {
                    let [x] = <[_; 1]>::try_from(all_words(&operands)?).map_err(|_| WalkError::Domain)?;
                    all.shifted.push(Shifted { at, how: shift(by, signed), x, bits, target });
                }
                Task::Arith { op, bits, operands, target, .. } => {
                    let operands = all_words(&operands)?;
                    all.words.push(OpenedWords { at, operands: Operands::Words(op, operands), bits, target });
                }
                _ => return Err(WalkError::Domain),
            }
        }
        Ok(all)
    }
}

/// A circuit on shared bits.
pub(super) struct OpenedGates<'s> {
    /// Which task of its layer.
    pub at: usize,
    pub task: CircuitTask<'s, Shares>,
}

impl OpenedGates<'_> {
    pub fn region(&mut self) -> Result<gmw::BitRegion<'_>, WalkError> {
        let CircuitTask { circuit, instances, operands, targets, .. } = &mut self.task;
        Ok(gmw::BitRegion {
            circuit,
            instances: *instances,
            operands: operands.iter().map(shared_operand).collect::<Result<_, _>>()?,
            targets: targets.iter_mut().map(shared_target).collect::<Result<_, _>>()?,
        })
    }

    pub fn written(self) -> Vec<Shares> {
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
    /// Which task of its layer.
    pub at: usize,
    pub shares: LabelSource<'s>,
    pub target: Wires<Block>,
}

pub(super) enum LabelSource<'s> {
    Bits(Zeroizing<Bits>),
    /// Words, and what adds them. Their higher bits are of no meaning to it.
    Words(Wires<u128>, yao::Region<'s>),
}

impl LabelSource<'_> {
    /// ANDs that it takes.
    pub fn and_count(&self) -> u64 {
        match self {
            LabelSource::Bits(_) => 0,
            LabelSource::Words(_, region) => region.circuit.and_count * region.instances,
        }
    }
}

impl OpenedLabels<'_> {
    pub fn shares(&mut self) -> ToLabels<'_> {
        let labels = self.target.elements_mut();
        match &self.shares {
            LabelSource::Bits(shares) => ToLabels::Bits { shares, labels },
            LabelSource::Words(shares, region) => ToLabels::Sum(yao::Sum { region: *region, shares, labels }),
        }
    }
}

/// An operation on words that opens something.
pub(super) struct OpenedWords<'s> {
    /// Which task of its layer.
    pub at: usize,
    operands: Operands<'s>,
    /// Width of the words.
    bits: u32,
    pub target: Shares,
}

/// A comparison of words.
pub(super) struct Compared {
    /// Which task of its layer.
    pub at: usize,
    relation: Relation,
    operands: Vec<Wires<u128>>,
    /// Width of the words.
    bits: u32,
    pub target: Shares,
}

impl Compared {
    pub fn comparison(&self) -> Result<Comparison<'_>, WalkError> {
        let [x, y] = &self.operands[..] else { return Err(WalkError::Domain) };
        let (x, y) = (arith::ComparisonOperand::Shared(x), arith::ComparisonOperand::Shared(y));
        Ok(Comparison { relation: self.relation, x, y, bits: self.bits })
    }
}

/// Words that are shifted to the right.
pub(super) struct Shifted {
    /// Which task of its layer.
    pub at: usize,
    how: Resize,
    x: Wires<u128>,
    /// Width of the words.
    bits: u32,
    pub target: Shares,
}

impl Shifted {
    pub fn resized(&self) -> Resized<'_> {
        Resized { how: self.how, x: &self.x, bits: self.bits }
    }
}

/// The protocol's name for a shift.
pub(crate) fn shift(by: u32, signed: bool) -> Resize {
    if signed { Resize::Arithmetic { by } } else { Resize::Logical { by } }
}

/// The protocol's name for a relation.
pub(crate) fn relation(relation: tacit_schedule::Relation) -> Relation {
    match relation {
        tacit_schedule::Relation::LessUnsigned => Relation::LessUnsigned,
        tacit_schedule::Relation::LessSigned => Relation::LessSigned,
        tacit_schedule::Relation::LessWithin => Relation::LessWithin,
        tacit_schedule::Relation::Equal => Relation::Equal,
    }
}

pub(super) enum Operands<'s> {
    /// Bits that become words.
    Wires(Zeroizing<Bits>),
    Words(&'s ArithOp, Vec<Wires<u128>>),
}

impl OpenedWords<'_> {
    pub fn operation(&self) -> Result<batch::WordOperation<'_>, WalkError> {
        let bits = self.bits;
        Ok(match &self.operands {
            Operands::Wires(shares) => {
                batch::WordOperation::BoolToArith { shares, bits, lanes: self.target.elements() }
            }
            Operands::Words(op, operands) => match (op, &operands[..]) {
                (ArithOp::Square, [x]) => batch::WordOperation::Square { x, bits },
                (ArithOp::Mul, [x, y]) => batch::WordOperation::Multiply(Factors { x, y, bits }),
                (ArithOp::MatrixProduct { rows, inner, columns, .. }, [x, y]) => {
                    let [rows, inner, columns] = [rows, inner, columns].map(|n| *n as usize);
                    batch::WordOperation::MatrixProduct {
                        shape: MatrixShape { bits, rows, inner, columns },
                        x,
                        y,
                    }
                }
                _ => return Err(WalkError::Domain),
            },
        })
    }
}

pub(super) fn all_words(operands: &[Shares]) -> Result<Vec<Wires<u128>>, WalkError> {
    operands.iter().map(|operand| operand.words().cloned()).collect()
}

/// Wires of more bits: zeros on top, or copies of the topmost.
fn widened(wires: &Bits, (from, to): (u32, u32), lanes: usize, signed: bool) -> Zeroizing<Bits> {
    let mut wide = Zeroizing::new(wires.clone());
    let top = match signed {
        true => wires.slice((from as usize - 1) * lanes..from as usize * lanes),
        false => Bits::zeros(lanes),
    };
    (from..to).for_each(|_| wide.extend_bits(&top));
    wide
}
