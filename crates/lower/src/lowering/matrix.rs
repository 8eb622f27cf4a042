//! Large matrix products: one circuit for an inner product, over the lanes of the longer side, in a loop over
//! the shorter. Long inner products with one vector are cut into tiles and their results added, so that no
//! circuit grows with the vector.

use tacit_circuit::{CircuitBuilder, Lit, arithmetic};
use tacit_ir::{Index, Operation, TemplateId};

use super::assemble::Assembler;
use super::{Draft, Lowering, MANY_LANES};
use crate::error::LowerError;
use crate::words;
use tacit_schedule::{Action, BundleId, Operand};

/// Words of a tile of a long inner product: the adder at its end costs about three percent more ANDs.
pub(crate) const TILE: u64 = 32;

/// The longest inner product with one vector that is one circuit, in words. Inner products of two matrices
/// always are one circuit: cutting them would take long to plan, and longer to run.
pub(crate) const LONGEST: u64 = 2 * TILE;

/// `batch` products of a `rows × inner` by an `inner × columns` matrix, in words of `bits` bits.
pub(super) struct Form {
    pub(super) bits: u32,
    pub(super) left: Factor,
    pub(super) right: Factor,
    pub(super) batch: u64,
    pub(super) rows: u64,
    pub(super) inner: u64,
    pub(super) columns: u64,
}

/// A matrix of words that are widened before they are multiplied.
pub(super) struct Factor {
    pub(super) source: BundleId,
    /// Bits of the words before widening.
    pub(super) bits: u32,
    /// The widths to which they are extended in turn, and whether with the sign.
    pub(super) steps: Vec<(u32, bool)>,
}

impl Factor {
    /// A word of the matrix, widened.
    fn word(&self, lits: &[Lit]) -> Vec<Lit> {
        self.steps.iter().fold(lits.to_vec(), |word, (bits, signed)| words::extend(&word, *bits, *signed))
    }
}

/// Lowers a batch of products; returns the bundle of the results.
pub(super) fn lower(
    lowering: &mut Lowering<'_>,
    draft: &mut Draft,
    form: &Form,
    origin: (TemplateId, &Operation),
) -> Result<BundleId, LowerError> {
    lowering.check_ceiling(form)?;
    let many = draft.many || form.batch * form.rows.max(form.columns) >= MANY_LANES;
    let body = product(lowering, form, many, origin)?;
    let target = draft.words(form.bits, form.batch * form.rows * form.columns);
    let arguments = vec![form.left.source, form.right.source];
    let action = Action::Map { body, lanes: form.batch, arguments, results: vec![target] };
    lowering.push(draft, origin.1.line, action)?;
    Ok(target)
}

/// The body of one product.
fn product(
    lowering: &mut Lowering<'_>,
    form: &Form,
    many: bool,
    origin: (TemplateId, &Operation),
) -> Result<u32, LowerError> {
    let Form { bits, rows, inner, columns, .. } = *form;
    let by_rows = rows >= columns;
    let (long, short) = if by_rows { (rows, columns) } else { (columns, rows) };
    let factors = if by_rows { (&form.left, &form.right) } else { (&form.right, &form.left) };
    let line = match short == 1 && inner > LONGEST {
        true => lowering.tiled_line((bits, inner), factors, long, many, origin)?,
        false => lowering.line((bits, inner), factors, long, many, origin)?,
    };
    let mut draft = Draft::empty("matrix product", many, lowering.domain);
    let left = draft.words(form.left.bits, rows * inner);
    let right = draft.words(form.right.bits, inner * columns);
    draft.body.parameters = vec![left, right];
    let transposed = transpose(lowering, &mut draft, right, (inner, columns), form.right.bits)?;
    let (whole, sliced) = if by_rows { (left, transposed) } else { (transposed, left) };
    let mut result = draft.words(bits, rows * columns);
    let (invariant, sliced) = (vec![whole], vec![sliced]);
    let action = Action::Iterate {
        body: line,
        count: short,
        carried: vec![],
        invariant,
        sliced,
        results: vec![result],
    };
    lowering.push(&mut draft, origin.1.line, action)?;
    if by_rows {
        result = transpose(lowering, &mut draft, result, (columns, rows), bits)?;
    }
    draft.body.results = vec![result];
    lowering.push_body(draft)
}

/// ANDs that a product of two words takes at least within any sum of products: those of one alone, without the
/// constant of a sum, which adds at most a bit at each place. Longer sums never take fewer for each, as a column
/// of twice as many bits takes at least twice as many adders.
fn least_ands(form: &Form) -> Option<u64> {
    let mut builder = CircuitBuilder::new();
    let [a, b] = [&form.left, &form.right].map(|factor| factor.word(&builder.input(factor.bits)));
    let product = arithmetic::inner_product(&mut builder, &[(&a, &b)], form.bits as usize);
    let circuit = builder.finish(vec![product]).ok()?;
    Some(circuit.and_count().saturating_sub(u64::from(form.bits) + 1))
}

/// Transposes a matrix.
fn transpose(
    lowering: &Lowering<'_>,
    draft: &mut Draft,
    source: BundleId,
    (rows, columns): (u64, u64),
    bits: u32,
) -> Result<BundleId, LowerError> {
    if rows == 1 || columns == 1 {
        return Ok(source);
    }
    let target = draft.words(bits, rows * columns);
    let column = |column: u64| (0..rows).map(move |row| (row * columns + column) as u32);
    let positions = Index::List((0..columns).flat_map(column).collect());
    lowering.push(draft, 0, Action::Gather { source, positions, target })?;
    Ok(target)
}

impl Lowering<'_> {
    /// Ends lowering if the products alone exceed the ceiling, before the circuit of a long sum is written.
    fn check_ceiling(&self, form: &Form) -> Result<(), LowerError> {
        if self.ceiling.ands == u64::MAX {
            return Ok(());
        }
        let products =
            [form.rows, form.inner, form.columns].into_iter().fold(form.batch, u64::saturating_mul);
        let is_within =
            least_ands(form).is_none_or(|ands| ands.saturating_mul(products) <= self.ceiling.ands);
        if is_within { Ok(()) } else { Err(LowerError::BeyondCeiling) }
    }

    /// As [`Lowering::line`], tile by tile.
    fn tiled_line(
        &mut self,
        (bits, inner): (u32, u64),
        factors: (&Factor, &Factor),
        long: u64,
        many: bool,
        origin: (TemplateId, &Operation),
    ) -> Result<u32, LowerError> {
        // Positions are numbers of 32 bits.
        let words = long.checked_mul(inner).filter(|words| u32::try_from(*words).is_ok());
        let words = words.ok_or_else(|| self.context.too_large(origin.0, origin.1))?;
        let forms = [(factors.0.bits, words), (factors.1.bits, inner)];
        let mut tiled = Assembler::new(self, "long inner products", many, origin, &forms);
        let (tiles, rest) = (inner / TILE, inner % TILE);
        let mut parts = [None, None];
        for (part, (start, tiles, length)) in
            parts.iter_mut().zip([(0, tiles, TILE), (inner - rest, 1, rest)])
        {
            if length > 0 {
                let body = tiled.lowering.line((bits, length), factors, long, many, origin)?;
                *part = Some(tiled.tiles((inner, start), (tiles, length), long, (bits, body))?);
            }
        }
        let parts = tiled.join(&parts)?;
        let count = inner.div_ceil(TILE);
        let by_line = tiled.gather(parts, positions(long, count, |line, part| part * long + line))?;
        let mut sums = tiled.inner("sums of inner products", &[(bits, count)]);
        let sum = sums.sum(sums.parameter(0))?;
        let body = sums.finish(vec![sum])?;
        let target = tiled.bundle(bits, long);
        tiled.push(Action::Map { body, lanes: long, arguments: vec![by_line], results: vec![target] })?;
        tiled.finish(vec![target])
    }

    /// The body that multiplies every line of a matrix, `long` lines of `inner` words, by one vector.
    fn line(
        &mut self,
        (bits, inner): (u32, u64),
        (matrix, vector): (&Factor, &Factor),
        long: u64,
        many: bool,
        (template, operation): (TemplateId, &Operation),
    ) -> Result<u32, LowerError> {
        let too_large = || self.context.too_large(template, operation);
        let width = |factor: &Factor| {
            u32::try_from(inner.saturating_mul(factor.bits.into())).map_err(|_| too_large())
        };
        let widths = (width(matrix)?, width(vector)?);
        if inner.saturating_mul(u64::from(matrix.bits) * u64::from(vector.bits)) > self.context.limit as u64 {
            return Err(too_large());
        }
        let mut builder = self.builder();
        let mut words = |factor: &Factor, width| -> Vec<Vec<Lit>> {
            builder.input(width).chunks(factor.bits as usize).map(|word| factor.word(word)).collect()
        };
        let (a, b) = (words(matrix, widths.0), words(vector, widths.1));
        let pairs: Vec<_> = a.iter().zip(&b).map(|(a, b)| (&a[..], &b[..])).collect();
        let sum = arithmetic::inner_product(&mut builder, &pairs, bits as usize);
        let circuit = builder.finish(vec![sum]).map_err(|_| too_large())?;
        let circuit = self.push_circuit(circuit, many);
        let mut draft = Draft::empty("inner products", many, self.domain);
        let (matrix, vector) = (draft.words(matrix.bits, long * inner), draft.words(vector.bits, inner));
        let target = draft.words(bits, long);
        draft.body.parameters = vec![matrix, vector];
        draft.body.results = vec![target];
        let operand = |bundle, broadcast| Operand { bundle, broadcast };
        let inputs = vec![operand(matrix, false), operand(vector, true)];
        self.push(
            &mut draft,
            operation.line,
            Action::Circuit { circuit, lanes: long, inputs, outputs: vec![target] },
        )?;
        self.push_body(draft)
    }
}

impl Assembler<'_, '_> {
    /// Inner products of `tiles` tiles of `length` words of every line with those of the vector, from word
    /// `start` of `inner` on. Results are ordered by tile, then by line.
    fn tiles(
        &mut self,
        (inner, start): (u64, u64),
        (tiles, length): (u64, u64),
        long: u64,
        (bits, body): (u32, u32),
    ) -> Result<BundleId, LowerError> {
        let (matrix, vector) = (self.parameter(0), self.parameter(1));
        let word = |tile: u64, at: u64| at / length * inner + start + tile * length + at % length;
        let matrix = self.gather(matrix, positions(tiles, long * length, word))?;
        let vector = self.range(vector, start, tiles * length)?;
        let target = self.bundle(bits, tiles * long);
        let arguments = vec![matrix, vector];
        self.push(Action::Map { body, lanes: tiles, arguments, results: vec![target] })?;
        Ok(target)
    }
}

/// The positions of the words of a matrix, row by row.
fn positions(rows: u64, columns: u64, at: impl Fn(u64, u64) -> u64 + Copy) -> Vec<u32> {
    (0..rows).flat_map(|row| (0..columns).map(move |column| at(row, column) as u32)).collect()
}

#[cfg(test)]
mod tests {
    use tacit_circuit::Objective;

    use super::*;

    /// A product of one word by another, widened to `bits` bits.
    fn form(bits: u32, words: [(u32, bool); 2]) -> Form {
        let source = Draft::empty("words", false, tacit_ir::Domain::default()).words(1, 1);
        let factor = |(own, signed)| Factor { source, bits: own, steps: vec![(bits, signed)] };
        let [left, right] = words.map(factor);
        Form { bits, left, right, batch: 1, rows: 1, inner: 1, columns: 1 }
    }

    /// ANDs of the sum of so many products.
    fn ands(form: &Form, count: u32, objective: Objective) -> u64 {
        let mut builder = CircuitBuilder::new().with_objective(objective);
        let mut words = |factor: &Factor| -> Vec<Vec<Lit>> {
            (0..count).map(|_| factor.word(&builder.input(factor.bits))).collect()
        };
        let (a, b) = (words(&form.left), words(&form.right));
        let pairs: Vec<_> = a.iter().zip(&b).map(|(a, b)| (&a[..], &b[..])).collect();
        let sum = arithmetic::inner_product(&mut builder, &pairs, form.bits as usize);
        builder.finish(vec![sum]).unwrap().and_count()
    }

    #[test]
    fn sums_of_products_take_at_least_the_ands_of_each() {
        let words = [1, 2, 3, 8, 16, 24, 32].map(|bits| [(bits, false), (bits, true)]).concat();
        for (a, b) in words.iter().flat_map(|a| words.iter().map(move |b| (*a, *b))) {
            for bits in [8, 24, 40, 64].into_iter().filter(|bits| a.0.max(b.0) <= *bits) {
                let form = form(bits, [a, b]);
                let least = least_ands(&form).unwrap();
                for (count, objective) in [(1, Objective::Size), (2, Objective::Depth), (7, Objective::Size)]
                {
                    let taken = ands(&form, count, objective);
                    assert!(taken >= least * u64::from(count), "{a:?} {b:?} {bits}: {taken} of {count}");
                }
            }
        }
    }
}
