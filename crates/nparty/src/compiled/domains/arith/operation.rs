//! Operations on words: how large their results can become, and how they are written to a task.

use tacit_ir::Words;
use tacit_math::field::Field;
use tacit_math::zeros;
use tacit_schedule::walk::KernelTask;
use tacit_schedule::{ArithOp, Kernel};

use super::{Integers, centred, check_room, has_room, integer, magnitude};
use crate::compiled::CompiledError;
use crate::compiled::domains::{KernelRunner, Site, Size};
use crate::compiled::elements::Elements;
use crate::compiled::memory::Bundle;
use crate::error::RunError;
use crate::program::{Task, Value, mixed};
use crate::protocol::words::WordSize;

/// Whether a kernel runs on words in any ring. Comparisons and shifts to the right run on bits, and minima at most on words that wrap around.
pub(super) fn runs(kernel: &Kernel) -> bool {
    match kernel {
        Kernel::Arith(op) => {
            !matches!(op, ArithOp::Compare(_) | ArithOp::ShiftRight { .. } | ArithOp::ArgMin { .. })
        }
        _ => false,
    }
}

impl<F: Field> KernelRunner<F> for Integers {
    fn runs(&self, kernel: &Kernel) -> bool {
        runs(kernel)
    }

    fn serves(&self, size: Size) -> bool {
        !size.wraps()
    }

    fn write(
        &self,
        site: Site<'_, F>,
        task: &KernelTask<'_, Bundle<F>>,
    ) -> Result<Vec<Bundle<F>>, CompiledError> {
        let Kernel::Arith(op) = task.kernel else { return Err(CompiledError::OtherSchedule) };
        let bits = task.outputs.first().map_or(0, |target| target.bits);
        let (operands, size) = fitting(site.task, op, &task.operands, bits)?;
        if let (ArithOp::Truncate, Some(words)) = (op, operands.first()) {
            return Ok(vec![words.clone()]);
        }
        let values = operands.iter().map(|operand| operand.elements()?.own());
        let values = values.collect::<Result<Vec<_>, _>>()?;
        let value = write((site.task, site.hash), op, &values)?;
        Ok(vec![Bundle::written(Elements::Own(value)).sized(size)])
    }
}

/// The largest magnitude of results, as a power of two, for operands of these magnitudes.
fn result_size(op: &ArithOp, sizes: &[u32]) -> u32 {
    let largest = sizes.iter().copied().max().unwrap_or(0);
    match op {
        ArithOp::Add | ArithOp::Sub => largest + 1,
        ArithOp::Scale(words) => largest + magnitude(words),
        ArithOp::SegmentSum(length) | ArithOp::Scan(length) => largest + log(*length),
        ArithOp::Mul => sizes.iter().sum(),
        ArithOp::Square => 2 * largest,
        ArithOp::MatrixProduct { inner, .. } => sizes.iter().sum::<u32>() + log(*inner),
        // The other operations change no magnitude.
        _ => largest,
    }
}

/// By how many bits a sum of this many numbers can be longer than its terms.
fn log(count: u64) -> u32 {
    count.next_power_of_two().trailing_zeros()
}

/// The operands, and the largest magnitude of the result. The largest operands are reduced until there is room for
/// the result.
///
/// Errors: there is no room.
fn fitting<F: Field>(
    task: &Task<F>,
    op: &ArithOp,
    operands: &[Bundle<F>],
    bits: u32,
) -> Result<(Vec<Bundle<F>>, u32), CompiledError> {
    let mut operands = operands.to_vec();
    let small = task.small_word(bits as usize) as u32;
    loop {
        let sizes: Vec<_> = operands.iter().map(|operand| operand.size).collect();
        let size = result_size(op, &sizes);
        if has_room(task, (size, bits)) {
            return Ok((operands, size));
        }
        let largest = operands.iter_mut().filter(|operand| operand.size > small);
        match largest.max_by_key(|operand| operand.size) {
            None => return Err(check_room(task, (size, bits)).err().unwrap_or(CompiledError::OtherSchedule)),
            Some(largest) => {
                let of = WordSize { size: largest.size as usize, low: bits as usize };
                let value = task.smaller_words(largest.elements()?.own()?, of)?;
                *largest = Bundle::written(Elements::Own(value)).sized(small);
            }
        }
    }
}

/// Where an operation is written, and the identity of its step.
type Place<'a, F> = (&'a Task<F>, u64);

/// Writes an operation on integers, or on words that wrap around.
pub(super) fn write<F: Field>(
    place: Place<'_, F>,
    op: &ArithOp,
    of: &[&Value<F>],
) -> Result<Value<F>, CompiledError> {
    let (task, field) = (place.0, place.0.field());
    let a = of.first().ok_or(CompiledError::OtherSchedule)?;
    let b = of.last().unwrap_or(a);
    Ok(match op {
        ArithOp::Add => task.add(a, b)?,
        ArithOp::Sub => task.sub(a, b)?,
        ArithOp::Neg => task.scale(a, field.neg(field.one()))?,
        ArithOp::Scale(words) => scale(place, a, words)?,
        ArithOp::SegmentSum(length) => task.sum_runs(a, *length as usize)?,
        ArithOp::Scan(length) => scan(place, a, *length as usize)?,
        ArithOp::Mul => task.mul(a, b)?,
        ArithOp::Square => task.mul(a, a)?,
        &ArithOp::MatrixProduct { rows, inner, columns, .. } => {
            matrices(place, (a, b), [rows, inner, columns].map(|size| size as usize))?
        }
        ArithOp::Truncate | ArithOp::Compare(_) | ArithOp::ShiftRight { .. } | ArithOp::ArgMin { .. } => {
            return Err(CompiledError::OtherSchedule);
        }
    })
}

/// Each lane times a public word.
fn scale<F: Field>((task, hash): Place<'_, F>, a: &Value<F>, words: &Words) -> Result<Value<F>, RunError> {
    let field = task.field().clone();
    let factors: Vec<_> = (0..words.lanes()).map(|lane| integer(&field, centred(words, lane))).collect();
    let hash = words.limbs().iter().fold(hash, |hash, limb| mixed(hash, *limb));
    task.local(a.len(), a.is_public(), hash, &[a], move |_, given| {
        let mut scaled = given[0].to_vec();
        scaled.chunks_mut(factors.len()).for_each(|copy| field.mul_assign(copy, &factors[..copy.len()]));
        scaled
    })
}

/// Running sums over segments of this many lanes.
fn scan<F: Field>((task, hash): Place<'_, F>, a: &Value<F>, length: usize) -> Result<Value<F>, RunError> {
    let field = task.field().clone();
    task.local(a.len(), a.is_public(), hash, &[a], move |_, given| {
        let mut sums = given[0].to_vec();
        for segment in sums.chunks_mut(length) {
            for lane in 1..segment.len() {
                segment[lane] = field.add(segment[lane], segment[lane - 1]);
            }
        }
        sums
    })
}

/// Products of matrices, all those of the step at once.
fn matrices<F: Field>(
    (task, hash): Place<'_, F>,
    (a, b): (&Value<F>, &Value<F>),
    [rows, inner, columns]: [usize; 3],
) -> Result<Value<F>, RunError> {
    let field = task.field().clone();
    let length = a.len() / inner * columns;
    let product = move |_: &_, given: &[&[F::Element]]| {
        let mut products = zeros(length);
        let factors = given[0].chunks_exact(rows * inner).zip(given[1].chunks_exact(inner * columns));
        if (rows, columns) == (1, 1) {
            products.iter_mut().zip(factors).for_each(|(product, (a, b))| *product = field.dot(a, b));
            return products;
        }
        for (products, (a, b)) in products.chunks_exact_mut(rows * columns).zip(factors) {
            let rows_of_b: Vec<_> = b.chunks_exact(columns).collect();
            for (product, row) in products.chunks_exact_mut(columns).zip(a.chunks_exact(inner)) {
                match product {
                    [product] => *product = field.dot(row, b),
                    _ => field.combine(product, &rows_of_b, row),
                }
            }
        }
        products
    };
    match a.is_public() || b.is_public() {
        true => task.local(length, a.is_public() && b.is_public(), hash, &[a, b], product),
        false => task.form(length, hash, &[a, b], product),
    }
}
