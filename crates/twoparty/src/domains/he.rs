//! Encrypted words: constants, the holder's own words, the kernels that the holder computes alone, and those of products and
//! comparisons, for which it needs the key's owner.

use tacit_ir::Words;
use tacit_schedule::Bundle;
use tacit_schedule::domains::he::HeOp;
use tacit_schedule::walk::{KernelTask, WalkError, Wires};

use super::counted::{CountedComparison, CountedLayer, CountedProduct};
use super::domain_worker::{DomainWorker, InputColumn};
use super::kernel_worker::{KernelWorker, lanes, operands};
use super::openings::{Multiplied, Openings, SealedComparison};
use super::shares::Shares;
use crate::he::{Lane, add, multiply, negate_all, weighted};
use crate::{End, Party, ShareError, bits};
use zeroize::Zeroizing;

pub(super) struct He;

impl DomainWorker for He {
    /// Words of the holder, which keeps them in the clear. Those of the key's owner come from another domain.
    fn input(
        &self,
        end: &mut End,
        InputColumn { own, is_shared, signed }: InputColumn<'_>,
        bundle: Bundle,
        target: Shares,
    ) -> Result<Shares, ShareError> {
        if is_shared || own.is_some() != (end.party() == Party::First) {
            return Err(WalkError::Domain.into());
        }
        let Some(words) = own else { return Ok(target) };
        let words = Zeroizing::new(bits::resized(words, bundle.bits, signed));
        Ok(target.with_lanes(words.iter().map(|word| Lane::held(*word)).collect())?)
    }

    /// Random words come from another domain.
    fn random(&self, _: &mut End, _: Bundle, _: Shares) -> Result<Shares, ShareError> {
        Err(WalkError::Domain.into())
    }

    fn constant(
        &self,
        _: Party,
        (words, copies): (&Words, u64),
        bundle: Bundle,
        target: Shares,
    ) -> Result<Shares, ShareError> {
        let words = bits::resized(words, bundle.bits, false).repeat(copies as usize);
        Ok(target.with_lanes(words.into_iter().map(Lane::Public).collect())?)
    }
}

impl KernelWorker for HeOp {
    fn alone(&self, party: Party, task: KernelTask<'_, Shares>) -> Result<Vec<Shares>, ShareError> {
        let bits = task.outputs.first().ok_or(WalkError::Unwritten)?.bits;
        let lanes = task.operands.iter().map(Shares::lanes).collect::<Result<Vec<_>, _>>()?;
        let x = *lanes.first().ok_or(WalkError::Unwritten)?;
        let y = || lanes.get(1).copied().ok_or(WalkError::Unwritten);
        let result = match self {
            _ if party == Party::Second => None,
            HeOp::Add => Some(sums(x, y()?, bits)?),
            HeOp::Sub { lift } => Some(sums(x, &negated(y()?, bits, *lift)?, bits)?),
            HeOp::Neg { lift } => Some(negated(x, bits, *lift)?),
            HeOp::Flip { lift } => Some(flipped(x, bits, *lift)?),
            HeOp::Mul { lift } => Some(multiply(&x.iter().zip(y()?).collect::<Vec<_>>(), bits, *lift)?),
            HeOp::ShiftLeft(by) => Some(shifted(x, *by, bits)?),
            HeOp::Truncate => Some(x.iter().map(|lane| truncated(lane, bits)).collect()),
            HeOp::SegmentSum(length) => Some(segment_sums(x, *length as usize, bits)?),
            HeOp::Scan(length) => Some(running_sums(x, *length as usize, bits)?),
            HeOp::MatrixProduct { .. } => Some(matrix_product(self, [x, y()?], bits)?),
            HeOp::BlindedProduct { .. } | HeOp::Compare { .. } => return Err(WalkError::Domain.into()),
        };
        let [target] = operands(task.targets)?;
        Ok(vec![match result {
            Some(lanes) => target.with_lanes(lanes)?,
            None => target,
        }])
    }

    fn open<'s>(
        &self,
        at: usize,
        task: KernelTask<'s, Shares>,
        openings: &mut Openings<'s>,
    ) -> Result<(), ShareError> {
        let width =
            |bundles: &[Bundle]| Ok::<_, WalkError>(bundles.first().ok_or(WalkError::Unwritten)?.bits);
        let (read, written) = (width(&task.inputs)?, width(&task.outputs)?);
        let (operands, [target]) = (operands(task.operands)?, operands(task.targets)?);
        match *self {
            HeOp::BlindedProduct { rows, inner, columns, factor_bits, .. } => {
                let shape = [rows, inner, columns].map(|n| n as usize);
                let (factors, bits) = (operands, written);
                openings.multiplied.push(Multiplied { at, factors, shape, bits, factor_bits, target });
            }
            HeOp::Compare { relation, lift, value_bits } => {
                let bits = read;
                let one = SealedComparison { at, relation, operands, bits, lift, value_bits, target };
                openings.sealed.push(one);
            }
            _ => return Err(WalkError::Domain.into()),
        }
        Ok(())
    }

    fn count<'s>(&self, task: &KernelTask<'s, Wires<()>>, layer: &mut CountedLayer<'s>) {
        let results = lanes(&task.targets);
        match *self {
            HeOp::BlindedProduct { inner, factor_bits, .. } => {
                let factors = lanes(&task.operands);
                layer.multiplied.push(CountedProduct { factors, inner, results, factor_bits });
            }
            HeOp::Compare { relation, value_bits, .. } => {
                let bits = task.inputs.first().map_or(0, |input| input.bits);
                layer.sealed.push(CountedComparison { relation, lanes: results, bits, value_bits });
            }
            _ => {}
        }
    }
}

fn sums(x: &[Lane], y: &[Lane], bits: u32) -> Result<Vec<Lane>, ShareError> {
    x.iter().zip(y).map(|(x, y)| Ok(add(x, y, bits)?)).collect()
}

fn negated(x: &[Lane], bits: u32, lift: u32) -> Result<Vec<Lane>, ShareError> {
    Ok(negate_all(x, bits, lift)?)
}

/// One less each word.
fn flipped(x: &[Lane], bits: u32, lift: u32) -> Result<Vec<Lane>, ShareError> {
    let one = |negative: &Lane| Ok(add(negative, &Lane::Public(1), bits)?);
    negated(x, bits, lift)?.iter().map(one).collect()
}

/// Constants are reduced to the width of their words; the higher bits of encrypted numbers have no meaning.
fn truncated(lane: &Lane, bits: u32) -> Lane {
    match lane {
        Lane::Public(word) => Lane::Public(word & crate::mask(bits)),
        Lane::Held(word) => Lane::held(**word & crate::mask(bits)),
        Lane::Sealed(_) => lane.clone(),
    }
}

/// Each word times 2^by.
fn shifted(x: &[Lane], by: u32, bits: u32) -> Result<Vec<Lane>, ShareError> {
    let mut shifted = x.to_vec();
    // Doubling is one multiplication of ciphertexts.
    for _ in 0..by {
        shifted = sums(&shifted, &shifted, bits)?;
    }
    Ok(shifted)
}

fn total(lanes: &[Lane], bits: u32) -> Result<Lane, ShareError> {
    let Some((first, others)) = lanes.split_first() else { return Ok(Lane::default()) };
    Ok(others.iter().try_fold(first.clone(), |sum, lane| add(&sum, lane, bits))?)
}

fn segment_sums(x: &[Lane], length: usize, bits: u32) -> Result<Vec<Lane>, ShareError> {
    x.chunks(length).map(|segment| total(segment, bits)).collect()
}

fn running_sums(x: &[Lane], length: usize, bits: u32) -> Result<Vec<Lane>, ShareError> {
    let mut sums: Vec<Lane> = Vec::with_capacity(x.len());
    for (at, lane) in x.iter().enumerate() {
        let sum = match sums.last() {
            Some(before) if at % length != 0 => add(before, lane, bits)?,
            _ => lane.clone(),
        };
        sums.push(sum);
    }
    Ok(sums)
}

/// Maximum products in memory at a time, unless one result has more.
const BATCH: usize = 1 << 12;

/// Products of matrices.
fn matrix_product(op: &HeOp, [x, y]: [&[Lane]; 2], bits: u32) -> Result<Vec<Lane>, ShareError> {
    let HeOp::MatrixProduct { rows, inner, columns, lift, known_bits, .. } = *op else {
        return Err(WalkError::Domain.into());
    };
    let [rows, inner, columns] = [rows, inner, columns].map(|n| n as usize);
    let mut results = Vec::new();
    for (x, y) in x.chunks(rows * inner).zip(y.chunks(inner * columns)) {
        let column = |column: usize| y.iter().skip(column).step_by(columns);
        // The left side's rows are the weights of the right side's columns, or the other way round.
        let by_columns = (0..columns)
            .map(|at| weighted(column(at), x.chunks(inner).map(|row| row.iter().collect()), known_bits[0]));
        if let Some(found) = by_columns.collect::<Result<Option<Vec<_>>, _>>()? {
            results.extend((0..rows * columns).map(|at| found[at % columns][at / columns].clone()));
            continue;
        }
        for row in x.chunks(inner) {
            match weighted(row.iter(), (0..columns).map(|at| column(at).collect()), known_bits[1])? {
                Some(found) => results.extend(found),
                None => row_product(row, y, columns, (bits, lift), &mut results)?,
            }
        }
    }
    Ok(results)
}

/// A row times a matrix, in parts of the result.
fn row_product(
    row: &[Lane],
    matrix: &[Lane],
    columns: usize,
    (bits, lift): (u32, u32),
    results: &mut Vec<Lane>,
) -> Result<(), ShareError> {
    let inner = row.len();
    for first in (0..columns).step_by((BATCH / inner).max(1)) {
        let some = first..columns.min(first + (BATCH / inner).max(1));
        let pairs: Vec<_> = some
            .flat_map(|column| (0..inner).map(move |k| (&row[k], &matrix[k * columns + column])))
            .collect();
        let products = multiply(&pairs, bits, lift)?;
        for column in products.chunks(inner) {
            results.push(total(column, bits)?);
        }
    }
    Ok(())
}
