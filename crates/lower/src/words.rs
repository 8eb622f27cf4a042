//! Word operations as gates.

use tacit_circuit::{CircuitBuilder, Lit, arithmetic, library};
use tacit_ir::{BinaryOp, CompareOp, Index, Op, ScanOp, ShiftOp, UnaryOp};

use crate::wires::Wires;

/// Writes the gates of an operation that applies no template. `operands` are those of `op`, in order; if
/// `shares` instances of the circuit share the operation, they are one instance's share. `None` if the
/// operation has no circuit.
pub(crate) fn write(
    builder: &mut CircuitBuilder,
    op: &Op,
    operands: &[&Wires],
    shares: u64,
) -> Option<Vec<Wires>> {
    let result = match (op, operands) {
        (Op::Open(_) | Op::Pin(..), [a]) => (*a).clone(),
        (Op::Unary(op, _), [a]) => each_lane(a, a.bits(), |a| unary(builder, *op, a))?,
        (Op::Binary(op, ..), [a, b]) => {
            let lanes = a.lanes().zip(b.lanes()).map(|(a, b)| binary(builder, *op, a, b));
            Wires::of_lanes(a.bits(), lanes)
        }
        (Op::ShiftBy(op, _, amount), [a]) => each_lane(a, a.bits(), |a| Some(shift_by(*op, a, *amount)))?,
        (Op::Shift(op, ..), [a, b]) => {
            Wires::of_lanes(a.bits(), a.lanes().zip(b.lanes()).map(|(a, b)| shift(builder, *op, a, b)))
        }
        (Op::Compare(op, ..), [a, b]) => {
            Wires::of_lanes(1, a.lanes().zip(b.lanes()).map(|(a, b)| vec![compare(builder, *op, a, b)]))
        }
        (Op::Select(..), [c, a, b]) => {
            let lanes = c.lits().iter().zip(a.lanes().zip(b.lanes()));
            Wires::of_lanes(a.bits(), lanes.map(|(c, (a, b))| arithmetic::select(builder, *c, a, b)))
        }
        (Op::Extend { bits, signed, .. }, [a]) => widened(a, (*bits, *signed)),
        (Op::Slice { low, bits, .. }, [a]) => {
            each_lane(a, *bits as usize, |a| Some(a[*low as usize..(low + bits) as usize].to_vec()))?
        }
        (Op::Concat(_), parts) => concat(parts),
        (Op::Gather(_, index), [a]) => gather(a, index),
        (Op::Join(_), parts) => {
            Wires::new(parts[0].bits(), parts.iter().flat_map(|part| part.lits()).copied().collect())
        }
        (Op::ArgMin { length, signed, .. }, [a]) => {
            return Some(arg_min(builder, a, *length as usize, *signed));
        }
        (Op::Sort { length, signed, .. }, [key, payloads @ ..]) => {
            return Some(sort(builder, key, payloads, *length as usize, *signed));
        }
        (Op::SegmentSum { length, .. }, [a]) => {
            each_segment(a, *length as usize, |segment| vec![arithmetic::sum(builder, segment, a.bits())])
        }
        (Op::Scan { op, length, .. }, [a]) => each_segment(a, *length as usize, |segment| {
            arithmetic::scan(builder, segment, |c, a, b| accumulate(c, *op, a, b))
        }),
        (Op::MatrixProduct { batch, rows, inner, columns, .. }, [a, b]) => {
            matrix_product(builder, a, b, [batch / shares, *rows, *inner, *columns].map(|n| n as usize))
        }
        (Op::Permute { .. }, [value, order]) => {
            Wires::of_lanes(value.bits(), arithmetic::permute(builder, &lanes(value), &lanes(order)))
        }
        (Op::Lookup { .. }, [table, index]) => {
            let entries = lanes(table);
            let lookup = |index| match library::lookup_known(builder, &entries, index) {
                Some(entry) => entry,
                None => arithmetic::lookup(builder, &entries, index),
            };
            Wires::of_lanes(table.bits(), index.lanes().map(lookup))
        }
        (Op::Update { .. }, [table, index, value]) => {
            let entries = arithmetic::update(builder, &lanes(table), index.lits(), value.lits());
            Wires::of_lanes(table.bits(), entries)
        }
        _ => return None,
    };
    Some(vec![result])
}

fn lanes(wires: &Wires) -> Vec<&[Lit]> {
    wires.lanes().collect()
}

fn each_lane(a: &Wires, bits: usize, mut f: impl FnMut(&[Lit]) -> Option<Vec<Lit>>) -> Option<Wires> {
    let mut lits = Vec::with_capacity(a.lane_count() * bits);
    for lane in a.lanes() {
        lits.extend(f(lane)?);
    }
    Some(Wires::new(bits, lits))
}

fn each_segment(a: &Wires, length: usize, f: impl FnMut(&[&[Lit]]) -> Vec<Vec<Lit>>) -> Wires {
    Wires::of_lanes(a.bits(), lanes(a).chunks(length).flat_map(f))
}

fn unary(builder: &mut CircuitBuilder, op: UnaryOp, a: &[Lit]) -> Option<Vec<Lit>> {
    match op {
        UnaryOp::Neg => Some(arithmetic::negate(builder, a)),
        UnaryOp::Not => Some(a.iter().map(|lit| !*lit).collect()),
        UnaryOp::Invert => None,
    }
}

fn binary(builder: &mut CircuitBuilder, op: BinaryOp, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
    let mut bitwise = |gate: fn(&mut CircuitBuilder, Lit, Lit) -> Lit| {
        a.iter().zip(b).map(|(a, b)| gate(builder, *a, *b)).collect()
    };
    match op {
        BinaryOp::And => bitwise(CircuitBuilder::and),
        BinaryOp::Or => bitwise(CircuitBuilder::or),
        BinaryOp::Xor => bitwise(CircuitBuilder::xor),
        BinaryOp::Add => arithmetic::add(builder, a, b),
        BinaryOp::Sub => arithmetic::subtract(builder, a, b),
        BinaryOp::Mul => arithmetic::multiply(builder, a, b),
        BinaryOp::DivU => arithmetic::divide_unsigned(builder, a, b).0,
        BinaryOp::DivS => arithmetic::divide_signed(builder, a, b).0,
        BinaryOp::RemU => arithmetic::divide_unsigned(builder, a, b).1,
        BinaryOp::RemS => arithmetic::divide_signed(builder, a, b).1,
    }
}

fn shift_by(op: ShiftOp, a: &[Lit], amount: u32) -> Vec<Lit> {
    let amount = (amount as usize).min(a.len());
    let (fill, kept) = match op {
        ShiftOp::Left => return [&vec![Lit::FALSE; amount], &a[..a.len() - amount]].concat(),
        ShiftOp::RightU => (Lit::FALSE, &a[amount..]),
        ShiftOp::RightS => (a[a.len() - 1], &a[amount..]),
    };
    [kept, &vec![fill; amount]].concat()
}

fn shift(builder: &mut CircuitBuilder, op: ShiftOp, a: &[Lit], amount: &[Lit]) -> Vec<Lit> {
    match op {
        ShiftOp::Left => arithmetic::shift_left(builder, a, amount),
        ShiftOp::RightU => arithmetic::shift_right_unsigned(builder, a, amount),
        ShiftOp::RightS => arithmetic::shift_right_signed(builder, a, amount),
    }
}

fn compare(builder: &mut CircuitBuilder, op: CompareOp, a: &[Lit], b: &[Lit]) -> Lit {
    match op {
        CompareOp::Eq => arithmetic::equal(builder, a, b),
        CompareOp::LtU => arithmetic::less_unsigned(builder, a, b),
        CompareOp::LtS => arithmetic::less_signed(builder, a, b),
    }
}

/// Every lane extended to this many bits, with the sign or with zeros.
pub(crate) fn widened(a: &Wires, (bits, signed): (u32, bool)) -> Wires {
    Wires::of_lanes(bits as usize, a.lanes().map(|lane| extend(lane, bits, signed)))
}

/// A word extended to this many bits, with the sign or with zeros.
pub(crate) fn extend(a: &[Lit], bits: u32, signed: bool) -> Vec<Lit> {
    let fill = if signed { a[a.len() - 1] } else { Lit::FALSE };
    let mut word = a.to_vec();
    word.resize(bits as usize, fill);
    word
}

fn concat(parts: &[&Wires]) -> Wires {
    let bits = parts.iter().map(|part| part.bits()).sum();
    let lanes = 0..parts[0].lane_count();
    Wires::new(
        bits,
        lanes.flat_map(|lane| parts.iter().flat_map(move |part| part.lane(lane))).copied().collect(),
    )
}

fn gather(a: &Wires, index: &Index) -> Wires {
    let source = a.lane_count() as u64;
    let lane = |lane| a.lane(index.position(lane, source) as usize);
    Wires::new(a.bits(), (0..index.lanes(source)).flat_map(lane).copied().collect())
}

/// One step of a scan.
pub(crate) fn accumulate(builder: &mut CircuitBuilder, op: ScanOp, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
    match op {
        ScanOp::Add => arithmetic::add(builder, a, b),
        ScanOp::Xor => binary(builder, BinaryOp::Xor, a, b),
        ScanOp::And => binary(builder, BinaryOp::And, a, b),
        ScanOp::Or => binary(builder, BinaryOp::Or, a, b),
        ScanOp::MinU => arithmetic::minimum(builder, a, b, false),
        ScanOp::MinS => arithmetic::minimum(builder, a, b, true),
        ScanOp::MaxU => arithmetic::maximum(builder, a, b, false),
        ScanOp::MaxS => arithmetic::maximum(builder, a, b, true),
    }
}

fn arg_min(builder: &mut CircuitBuilder, a: &Wires, length: usize, signed: bool) -> Vec<Wires> {
    let width = tacit_ir::index_bits(length as u64) as usize;
    let best = |segment: &[&[Lit]]| arithmetic::argument_of_minimum(builder, segment, signed, width);
    let (values, positions): (Vec<_>, Vec<_>) = lanes(a).chunks(length).map(best).unzip();
    vec![Wires::of_lanes(a.bits(), values), Wires::of_lanes(width, positions)]
}

fn sort(
    builder: &mut CircuitBuilder,
    key: &Wires,
    payloads: &[&Wires],
    length: usize,
    signed: bool,
) -> Vec<Wires> {
    // All payloads of a lane move as one word.
    let bits: usize = payloads.iter().map(|payload| payload.bits()).sum();
    let moved = if payloads.is_empty() { Wires::new(1, Vec::new()) } else { concat(payloads) };
    let (mut keys, mut rest) = (Vec::new(), vec![Vec::new(); payloads.len()]);
    for (segment, key) in lanes(key).chunks(length).enumerate() {
        let start = segment * length * bits;
        let words: Vec<&[Lit]> = moved.lits()[start..start + length * bits].chunks(bits.max(1)).collect();
        let (sorted, words) = arithmetic::sort(builder, key, &words, signed);
        keys.extend(sorted);
        for mut word in words.into_iter().map(Vec::into_iter) {
            for (part, payload) in rest.iter_mut().zip(payloads) {
                part.extend(word.by_ref().take(payload.bits()));
            }
        }
    }
    let payloads = payloads.iter().zip(rest).map(|(payload, part)| Wires::new(payload.bits(), part));
    std::iter::once(Wires::of_lanes(key.bits(), keys)).chain(payloads).collect()
}

fn matrix_product(
    builder: &mut CircuitBuilder,
    left: &Wires,
    right: &Wires,
    [batch, rows, inner, columns]: [usize; 4],
) -> Wires {
    let mut lits = Vec::with_capacity(batch * rows * columns * left.bits());
    for product in 0..batch {
        for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
            let pair = |i| {
                let (a, b) = ((product * rows + row) * inner + i, (product * inner + i) * columns + column);
                (left.lane(a), right.lane(b))
            };
            let pairs: Vec<_> = (0..inner).map(pair).collect();
            lits.extend(arithmetic::inner_product(builder, &pairs, left.bits()));
        }
    }
    Wires::new(left.bits(), lits)
}
