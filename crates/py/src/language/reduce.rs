//! Reductions: sums, products, extrema.

use tacit_ir::{BinaryOp, Op, ValueId, index_bits};

use super::empty::nonempty;
use super::error::{Traced, shape as bad_shape};
use super::kind::Kind;
use super::shape::{self, View};
use super::tracer::Tracer;
use super::value::Value;

/// The axes of a reduction: all of them, or these.
pub type Axes<'a> = Option<&'a [i64]>;

/// An array whose elements to be reduced together are adjacent.
struct Segments {
    id: ValueId,
    /// Number of consecutive elements that become one.
    length: u64,
    /// The remaining shape.
    dims: Vec<u64>,
}

impl Segments {
    fn lanes(&self) -> u64 {
        shape::size(&self.dims)
    }
}

impl Tracer {
    /// Moves the axes of a reduction to the end.
    fn segments(&mut self, value: &Value, axes: Axes<'_>) -> Traced<Segments> {
        let rank = value.shape.len();
        let id = self.id(value)?;
        let Some(axes) = axes else {
            return Ok(Segments { id, length: value.lanes(), dims: vec![] });
        };
        let mut last = Vec::new();
        for axis in axes {
            let axis = shape::axis(*axis, rank)?;
            if last.contains(&axis) {
                return bad_shape(format!("axis {axis} is named twice"));
            }
            last.push(axis);
        }
        let first: Vec<usize> = (0..rank).filter(|axis| !last.contains(axis)).collect();
        let dims = first.iter().map(|axis| value.shape[*axis]).collect();
        let length = last.iter().map(|axis| value.shape[*axis]).product();
        last.sort_unstable();
        let order = [first, last].concat();
        let id = self.view(id, value.lanes(), &View::whole(&value.shape).permuted(&order))?;
        Ok(Segments { id, length, dims })
    }

    /// The sum.
    pub fn sum(&mut self, value: &Value, axes: Axes<'_>) -> Traced<Value> {
        if let Kind::Field(_) = value.kind {
            let integers = self.as_integers(value)?;
            let sum = self.sum(&integers, axes)?;
            return self.as_field(&sum, &value.kind);
        }
        if let Kind::Float(_) = value.kind {
            return self.float_sum(value, axes);
        }
        let segments = self.segments(value, axes)?;
        let number = value.number("sum")?;
        let grown = if value.wrapping { number } else { number.sum_of(segments.length) };
        let kind = Kind::of(grown)?;
        let wide = self.fit(segments.id, number, grown)?;
        let id = match segments.length {
            0 => self.word(grown.bits, 0, segments.lanes())?,
            length => self.segment_sum(wide, length)?,
        };
        Ok(Value { wrapping: value.wrapping, ..self.value(id, kind, segments.dims) })
    }

    pub(super) fn segment_sum(&mut self, value: ValueId, length: u64) -> Traced<ValueId> {
        if length == 1 { Ok(value) } else { self.emit(Op::SegmentSum { value, length }) }
    }

    /// The product, by a tree.
    pub fn prod(&mut self, value: &Value, axes: Axes<'_>) -> Traced<Value> {
        let start = match value.kind {
            Kind::Bool => self.astype(value, &Kind::Uint(1))?,
            _ => value.clone(),
        };
        let one = |tracer: &mut Tracer, none: &Value| tracer.pow(none, 0);
        self.tree(&start, axes, one, Tracer::mul)
    }

    /// Whether any element is not zero.
    pub fn any(&mut self, value: &Value, axes: Axes<'_>) -> Traced<Value> {
        let truth = self.astype(value, &Kind::Bool)?;
        let none = |tracer: &mut Tracer, none: &Value| tracer.truths(false, none);
        self.tree(&truth, axes, none, |tracer, a, b| tracer.bitwise(BinaryOp::Or, a, b))
    }

    /// Whether no element is zero.
    pub fn all(&mut self, value: &Value, axes: Axes<'_>) -> Traced<Value> {
        let truth = self.astype(value, &Kind::Bool)?;
        let all = |tracer: &mut Tracer, none: &Value| tracer.truths(true, none);
        self.tree(&truth, axes, all, |tracer, a, b| tracer.bitwise(BinaryOp::And, a, b))
    }

    /// A public truth value at each position of an array.
    fn truths(&mut self, truth: bool, like: &Value) -> Traced<Value> {
        let id = self.word(1, u128::from(truth), like.lanes())?;
        Ok(self.like(like, id, like.shape.clone()))
    }

    /// Combines the halves of each segment until one element is left. `neutral` makes an array of a shape
    /// with the result for no elements.
    pub(super) fn tree(
        &mut self,
        value: &Value,
        axes: Axes<'_>,
        neutral: impl Fn(&mut Tracer, &Value) -> Traced<Value>,
        join: impl Fn(&mut Tracer, &Value, &Value) -> Traced<Value>,
    ) -> Traced<Value> {
        let Segments { id, mut length, dims } = self.segments(value, axes)?;
        if length == 0 {
            return neutral(self, &Value { shape: dims, ..value.clone() });
        }
        let outer = shape::size(&dims);
        let mut rest = self.like(value, id, vec![outer, length]);
        while length > 1 {
            let half = length / 2;
            let part = |start: u64, count: u64| {
                let mut view = View::whole(&[outer, length]);
                view.slice(1, start, 1, count);
                view
            };
            let (low, high) = (self.seen(&rest, &part(0, half))?, self.seen(&rest, &part(half, half))?);
            let odd = (length % 2 == 1).then(|| self.seen(&rest, &part(length - 1, 1))).transpose()?;
            let mut joined = join(self, &low, &high)?;
            if let Some(odd) = odd {
                joined = self.concatenate(&[joined, odd], 1)?;
            }
            (rest, length) = (joined, length.div_ceil(2));
        }
        rest.shape = dims;
        Ok(rest)
    }

    /// The smallest or largest element.
    pub fn extremum(&mut self, value: &Value, axes: Axes<'_>, largest: bool) -> Traced<Value> {
        if let Kind::Float(_) = value.kind {
            let name = if largest { "max" } else { "min" };
            let none = |_: &mut Tracer, _: &Value| bad_shape(format!("{name} of no elements has no value"));
            return self.tree(value, axes, none, |tracer, a, b| tracer.picked(a, b, largest));
        }
        let (id, _, segments) = self.extrema(value, axes, largest)?;
        Ok(self.like(value, id, segments.dims))
    }

    /// The position of the first smallest or largest element.
    pub fn arg_extremum(&mut self, value: &Value, axes: Axes<'_>, largest: bool) -> Traced<Value> {
        let (_, id, segments) = self.extrema(value, axes, largest)?;
        Ok(self.value(id, Kind::Uint(index_bits(segments.length)), segments.dims))
    }

    /// The extrema and their positions. The largest is the complement of the smallest complement.
    fn extrema(
        &mut self,
        value: &Value,
        axes: Axes<'_>,
        largest: bool,
    ) -> Traced<(ValueId, ValueId, Segments)> {
        let name = if largest { "max" } else { "min" };
        let number = value.number(name)?;
        let segments = self.segments(value, axes)?;
        nonempty(segments.length, name)?;
        if segments.length == 1 {
            let first = self.word(1, 0, segments.lanes())?;
            return Ok((segments.id, first, segments));
        }
        let turned = if largest { self.not(segments.id)? } else { segments.id };
        let op = Op::ArgMin { value: turned, length: segments.length, signed: number.signed };
        let results = self.emit_all(op)?;
        let extreme = if largest { self.not(results[0])? } else { results[0] };
        Ok((extreme, results[1], segments))
    }
}
