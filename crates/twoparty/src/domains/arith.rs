//! Words shared by sum: their values, and the kernels of their operations.

use tacit_ir::Words;
use tacit_math::Bits;
use tacit_schedule::walk::{Buffer, KernelTask, WalkError, Wires};
use tacit_schedule::{ArithOp, Bundle, Computing, Unit};
use zeroize::Zeroizing;

use super::counted::CountedLayer;
use super::domain_worker::{DomainWorker, InputColumn};
use super::kernel_worker::{KernelWorker, lanes, operands};
use super::openings::{Compared, OpenedWords, Openings, Shifted, WordOpening};
use super::shares::Shares;
use crate::arith::{self, ComparisonShape, Resize};
use crate::correlations::MatrixShape;
use crate::{End, Party, ShareError, bits, mask, wires};

pub(super) struct Arith;

impl DomainWorker for Arith {
    fn input(
        &self,
        end: &mut End,
        InputColumn { own, is_shared, signed }: InputColumn<'_>,
        bundle: Bundle,
        target: Shares,
    ) -> Result<Shares, ShareError> {
        let own = own.map(|words| Zeroizing::new(bits::resized(words, bundle.bits, signed)));
        let shares = match own {
            Some(shares) if is_shared => shares,
            own => {
                let own = own.as_ref().map(|own| &own[..]);
                Zeroizing::new(arith::input(end, own, bundle.bits, target.elements())?)
            }
        };
        Ok(target.with_words(&shares)?)
    }

    fn random(&self, end: &mut End, bundle: Bundle, target: Shares) -> Result<Shares, ShareError> {
        let shares = Zeroizing::new(arith::random(end, bundle.bits, target.elements())?);
        Ok(target.with_words(&shares)?)
    }

    fn constant(
        &self,
        party: Party,
        (words, copies): (&Words, u64),
        bundle: Bundle,
        target: Shares,
    ) -> Result<Shares, ShareError> {
        let words = bits::resized(words, bundle.bits, false).repeat(copies as usize);
        Ok(target.with_words(&arith::constant(party, &words, bundle.bits))?)
    }

    fn opened(&self, _: Party, shares: &Shares, column: Bundle) -> Result<Zeroizing<Bits>, WalkError> {
        Ok(Zeroizing::new(wires::from_words(shares.words()?, column.bits)))
    }

    fn kept(&self, _: Party, shares: &Shares, column: Bundle) -> Result<Words, WalkError> {
        let shares = shares.words()?.iter().map(|share| share & mask(column.bits));
        Ok(Words::from_u128s(column.bits, &Zeroizing::new(shares.collect::<Vec<u128>>())))
    }

    fn value(&self, _: Party, shares: &Shares, theirs: &Bits, column: Bundle) -> Result<Words, WalkError> {
        let theirs = Zeroizing::new(wires::to_words(theirs, column.bits));
        let sum = |(x, y): (&u128, &u128)| x.wrapping_add(*y) & mask(column.bits);
        let own = shares.words()?;
        if own.len() != theirs.len() {
            return Err(WalkError::Domain);
        }
        let words = Zeroizing::new(own.iter().zip(theirs.iter()).map(sum).collect::<Vec<u128>>());
        Ok(Words::from_u128s(column.bits, &words))
    }
}

impl KernelWorker for ArithOp {
    fn alone(&self, _: Party, task: KernelTask<'_, Shares>) -> Result<Vec<Shares>, ShareError> {
        let (bits, copies) = (self.width_at(task.site()), task.copies as usize);
        let words = all_words(&task.operands)?;
        let x = words.first().ok_or(WalkError::Unwritten)?;
        let y = || words.get(1).map(|y| &y[..]).ok_or(WalkError::Unwritten);
        let result = Zeroizing::new(match self {
            ArithOp::Add => arith::add(x, y()?, bits),
            ArithOp::Sub => arith::subtract(x, y()?, bits),
            ArithOp::Neg => arith::negate(x, bits),
            ArithOp::Truncate => arith::truncate(x, bits),
            ArithOp::Scale(by) => {
                let by = bits::resized(by, bits, false).repeat(copies);
                arith::multiply_public(x, &by, bits)
            }
            ArithOp::SegmentSum(length) => arith::segment_sum(x, *length as usize, bits),
            ArithOp::Scan(length) => arith::scan(x, *length as usize, bits),
            ArithOp::Square
            | ArithOp::Mul
            | ArithOp::MatrixProduct { .. }
            | ArithOp::Compare(_)
            | ArithOp::ShiftRight { .. }
            | ArithOp::ArgMin { .. } => return Err(WalkError::Domain.into()),
        });
        let [target] = operands(task.targets)?;
        Ok(vec![target.with_words(&result)?])
    }

    fn open<'s>(
        &self,
        at: usize,
        task: KernelTask<'s, Shares>,
        openings: &mut Openings<'s>,
    ) -> Result<(), ShareError> {
        let bits = self.width_at(task.site());
        let words = all_words(&task.operands)?;
        let [target] = operands(task.targets)?;
        let how = match *self {
            ArithOp::Compare(relation) => {
                let operands = operands(words)?;
                openings.compared.push(Compared { at, relation, operands, bits, target });
                return Ok(());
            }
            ArithOp::ShiftRight { by, signed } => {
                let [x] = operands(words)?;
                openings.shifted.push(Shifted { at, how: shift(by, signed), x, bits, target });
                return Ok(());
            }
            ArithOp::Mul => WordOpening::Product(operands(words)?),
            ArithOp::Square => {
                let [x] = operands(words)?;
                WordOpening::Square(x)
            }
            ArithOp::MatrixProduct { rows, inner, columns, .. } => {
                let shape = matrix_shape(bits, [rows, inner, columns]);
                WordOpening::Matrices { shape, factors: operands(words)? }
            }
            _ => return Err(WalkError::Domain.into()),
        };
        openings.words.push(OpenedWords { at, how, bits, target });
        Ok(())
    }

    fn computing(&self, task: &KernelTask<'_, Wires<()>>) -> Computing {
        let (given, read) = (lanes(&task.targets), lanes(&task.operands));
        let words = Computing::of(Unit::Word, given.saturating_add(read));
        let bits = u64::from(self.width_at(task.site()));
        match *self {
            // One product for each of the differences that were opened.
            ArithOp::MatrixProduct { inner, .. } => {
                words.and(Unit::WordProduct, given.saturating_mul(inner).saturating_mul(2))
            }
            ArithOp::Compare(_) => words.and(Unit::WordBit, given.saturating_mul(bits)),
            // The dropped bits and the kept bits are compared.
            ArithOp::ShiftRight { .. } => words.and(Unit::WordBit, given.saturating_mul(2 * bits)),
            _ => words,
        }
    }

    fn count<'s>(&self, task: &KernelTask<'s, Wires<()>>, layer: &mut CountedLayer<'s>) {
        let (bits, given) = (self.width_at(task.site()), lanes(&task.targets));
        match *self {
            ArithOp::Compare(relation) => {
                layer.comparisons.push(ComparisonShape { relation, shared: [true; 2], bits, lanes: given });
            }
            ArithOp::ShiftRight { by, signed } => layer.shifts.push((shift(by, signed), bits, given)),
            ArithOp::MatrixProduct { rows, inner, columns, .. } => {
                let shape = matrix_shape(bits, [rows, inner, columns]);
                let products = given / (shape.product() as u64).max(1);
                *layer.matrices.entry(shape).or_default() += products;
            }
            _ => layer.words += u64::from(bits) * lanes(&task.operands),
        }
    }
}

/// The protocol's form of a shape: rows, columns of the left matrix, and of the right one.
fn matrix_shape(bits: u32, sides: [u64; 3]) -> MatrixShape {
    let [rows, inner, columns] = sides.map(|side| side as usize);
    MatrixShape { bits, rows, inner, columns }
}

/// The protocol's form of a shift.
fn shift(by: u32, signed: bool) -> Resize {
    if signed { Resize::Arithmetic { by } } else { Resize::Logical { by } }
}

fn all_words(operands: &[Shares]) -> Result<Vec<Wires<u128>>, WalkError> {
    operands.iter().map(|operand| operand.words().cloned()).collect()
}
