//! The operations of a template.

use std::collections::HashSet;

use tacit_ir::{
    BinaryOp, Builder, CompareOp, Domain, Index, Op, PortId, ScanOp, ShiftOp, TemplateBuilder, TemplateId,
    Type, UnaryOp, ValueId, ValueType, Words, index_bits,
};

use crate::{Draw, Size};

/// Why nothing here fails.
pub(crate) const FITS: &str = "what the generator writes is well typed";

/// Writes random operations into a template.
pub(crate) struct Writer<'a> {
    program: &'a Builder,
    size: &'a Size,
    /// Bit operations so far.
    spent: u64,
    /// Values that do not depend on what is drawn.
    usable: Vec<ValueId>,
    /// Operands of the operations so far.
    used: HashSet<ValueId>,
    pub(crate) draw: &'a mut Draw,
    pub(crate) body: TemplateBuilder,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(
        program: &'a Builder,
        draw: &'a mut Draw,
        size: &'a Size,
        body: TemplateBuilder,
    ) -> Self {
        Writer { program, size, spent: 0, usable: body.parameters(), used: HashSet::new(), draw, body }
    }

    /// Takes the columns of an input.
    pub(crate) fn input(&mut self, port: PortId) {
        self.usable.extend(self.body.input(self.program, port).expect(FITS));
    }

    /// Values that no operation used, then others, `count` in all or as many as there are.
    pub(crate) fn results(&mut self, count: usize) -> Vec<ValueId> {
        let mut values = self.usable.clone();
        for last in (1..values.len()).rev() {
            values.swap(last, self.draw.below(last as u64 + 1) as usize);
        }
        values.sort_by_key(|value| self.used.contains(value));
        values.truncate(count);
        values
    }

    /// Appends at least `count` operations; those that would be too large give way to others.
    pub(crate) fn write(&mut self, count: usize) {
        if self.usable.is_empty() {
            self.constant();
        }
        let end = self.body.len() + count;
        for _ in 0..4 * count {
            if self.body.len() >= end {
                return;
            }
            if self.draw.once_in(2) {
                let line = self.draw.below(1000) as u32;
                self.body.set_line(line);
            }
            self.any();
        }
    }

    /// One operation with what it needs, unless it is too large.
    fn any(&mut self) -> Option<Vec<ValueId>> {
        let a = self.value();
        let (bits, lanes) = self.word(a);
        if self.size.pins && self.draw.once_in(4) {
            return self.pinned(a);
        }
        match self.draw.below(28) {
            0..4 => self.binary(a),
            4 => self.unary(a),
            5 => self.shift_by(a),
            6 => self.shift(a),
            7 | 8 => self.compare(a),
            9 | 10 => self.select(a),
            11 => self.extend(a),
            12 => self.slice(a),
            13 => self.concat(a),
            14 => {
                let index = self.index(lanes);
                self.push(Op::Gather(a, index))
            }
            15 => self.join(a),
            16 => {
                let length = self.draw.divisor(lanes);
                self.push(Op::SegmentSum { value: a, length })
            }
            17 => {
                let (op, length) = (self.draw.choose(ScanOp::ALL), self.draw.divisor(lanes));
                self.push(Op::Scan { op, value: a, length })
            }
            18 => self.matrix_product(bits),
            19 => {
                let (length, signed) = (self.draw.divisor(lanes), self.draw.once_in(2));
                self.push(Op::ArgMin { value: a, length, signed })
            }
            20 => self.sort(a),
            21 => self.permute(a, lanes),
            22 => {
                let index = self.position(lanes);
                self.push(Op::Lookup { table: a, index })
            }
            23 => self.update(a),
            24 => self.masked(a),
            25 => self.constant(),
            _ => self.apply(),
        }
    }

    fn binary(&mut self, a: ValueId) -> Option<Vec<ValueId>> {
        let (op, b) = (self.draw.choose(BinaryOp::ALL), self.like(a));
        self.push(Op::Binary(op, a, b))
    }

    fn unary(&mut self, a: ValueId) -> Option<Vec<ValueId>> {
        let op = self.draw.choose(&[UnaryOp::Neg, UnaryOp::Not]);
        self.push(Op::Unary(op, a))
    }

    /// A shift by a public amount, sometimes beyond the width.
    fn shift_by(&mut self, a: ValueId) -> Option<Vec<ValueId>> {
        let (bits, _) = self.word(a);
        let (op, amount) = (self.draw.choose(ShiftOp::ALL), self.draw.below(u64::from(bits) + 4) as u32);
        self.push(Op::ShiftBy(op, a, amount))
    }

    /// A shift by secret amounts.
    fn shift(&mut self, a: ValueId) -> Option<Vec<ValueId>> {
        let (_, lanes) = self.word(a);
        let (op, width) = (self.draw.choose(ShiftOp::ALL), self.draw.width(self.size.bits));
        let amount = self.shaped(width, lanes);
        self.push(Op::Shift(op, a, amount))
    }

    fn compare(&mut self, a: ValueId) -> Option<Vec<ValueId>> {
        let (op, b) = (self.draw.choose(CompareOp::ALL), self.like(a));
        self.push(Op::Compare(op, a, b))
    }

    fn select(&mut self, a: ValueId) -> Option<Vec<ValueId>> {
        let (_, lanes) = self.word(a);
        let (condition, b) = (self.shaped(1, lanes), self.like(a));
        self.push(Op::Select(condition, a, b))
    }

    fn extend(&mut self, a: ValueId) -> Option<Vec<ValueId>> {
        let (least, _) = self.word(a);
        let (bits, signed) = (self.draw.between(u64::from(least), 130) as u32, self.draw.once_in(2));
        self.push(Op::Extend { value: a, bits: bits.max(least), signed })
    }

    fn slice(&mut self, a: ValueId) -> Option<Vec<ValueId>> {
        let (bits, _) = self.word(a);
        let low = self.draw.below(u64::from(bits)) as u32;
        let bits = self.draw.between(1, u64::from(bits - low)) as u32;
        self.push(Op::Slice { value: a, low, bits })
    }

    /// Bits of up to two other values above those of this one.
    fn concat(&mut self, a: ValueId) -> Option<Vec<ValueId>> {
        let (_, lanes) = self.word(a);
        let mut parts = vec![a];
        for _ in 0..self.draw.below(3) {
            let width = self.draw.width(40);
            parts.push(self.shaped(width, lanes));
        }
        self.push(Op::Concat(parts))
    }

    /// Lanes of up to two other values after those of this one.
    fn join(&mut self, a: ValueId) -> Option<Vec<ValueId>> {
        let (bits, _) = self.word(a);
        let mut parts = vec![a];
        for _ in 0..self.draw.below(3) {
            let lanes = self.draw.lanes(self.size.lanes);
            parts.push(self.shaped(bits, lanes));
        }
        self.push(Op::Join(parts))
    }

    /// Sorts by this value, with up to two payloads.
    fn sort(&mut self, key: ValueId) -> Option<Vec<ValueId>> {
        let (_, lanes) = self.word(key);
        let (length, signed) = (self.draw.divisor(lanes), self.draw.once_in(2));
        let payloads: Vec<_> = (0..self.draw.below(3))
            .map(|_| {
                let width = self.draw.width(self.size.bits);
                self.shaped(width, lanes)
            })
            .collect();
        self.push(Op::Sort { key, payloads, length, signed })
    }

    /// Writes an entry of a table at a secret position.
    fn update(&mut self, table: ValueId) -> Option<Vec<ValueId>> {
        let (bits, lanes) = self.word(table);
        let (index, value) = (self.position(lanes), self.shaped(bits, 1));
        let index = self.coerce(index, ValueType::word(self.word(index).0, 1));
        self.push(Op::Update { table, index, value })
    }

    /// A value in a domain that can hold it.
    fn pinned(&mut self, value: ValueId) -> Option<Vec<ValueId>> {
        let narrow = self.word(value).0 <= 128;
        let all = Domain::ALL.iter().copied();
        let domains: Vec<Domain> = all.filter(|one| self.size.encrypted || *one != Domain::He).collect();
        let domain = match self.draw.choose(&domains) {
            domain @ (Domain::Bool | Domain::Yao) => domain,
            // Of words, which hold so many bits.
            domain if narrow => domain,
            _ => Domain::Bool,
        };
        if domain == Domain::He && self.draw.once_in(3) {
            return self.encrypted_product(value);
        }
        self.push(Op::Pin(domain, value))
    }

    /// A product of two values that are encrypted, as it is too. Sums around it keep its numbers small enough for every key.
    fn encrypted_product(&mut self, value: ValueId) -> Option<Vec<ValueId>> {
        let other = self.like(value);
        let mut pinned = |mut value: ValueId, domains: [Domain; 2]| {
            for domain in domains {
                value = *self.push(Op::Pin(domain, value))?.first()?;
            }
            Some(value)
        };
        let x = pinned(value, [Domain::Arith, Domain::He])?;
        let y = pinned(other, [Domain::Arith, Domain::He])?;
        let product = *self.push(Op::Binary(BinaryOp::Mul, x, y))?.first()?;
        let product = *self.push(Op::Pin(Domain::He, product))?.first()?;
        self.push(Op::Pin(Domain::Arith, product))
    }

    /// A value; recent ones more often.
    fn value(&mut self) -> ValueId {
        let count = self.usable.len() as u64;
        let back = match self.draw.once_in(2) {
            true => self.draw.below(count.min(4)),
            false => self.draw.below(count),
        };
        self.usable[(count - 1 - back) as usize]
    }

    fn word(&self, value: ValueId) -> (u32, u64) {
        match self.body.value_type(value) {
            ValueType { ty: Type::Word(bits), lanes } => (bits, lanes),
            ty => unreachable!("{ty} is not generated"),
        }
    }

    /// Another value made to have the type of `a`.
    fn like(&mut self, a: ValueId) -> ValueId {
        let other = self.value();
        self.coerce(other, self.body.value_type(a))
    }

    /// A value made to have that form.
    fn shaped(&mut self, bits: u32, lanes: u64) -> ValueId {
        let value = self.value();
        self.coerce(value, ValueType::word(bits, lanes))
    }

    /// A value with that type that depends on `value`.
    pub(crate) fn coerce(&mut self, value: ValueId, wanted: ValueType) -> ValueId {
        let (mut value, (bits, lanes)) = (value, self.word(value));
        let Type::Word(wanted_bits) = wanted.ty else { unreachable!("{wanted} is not generated") };
        if lanes != wanted.lanes {
            let index = Index::List((0..wanted.lanes).map(|_| self.draw.below(lanes) as u32).collect());
            value = self.certain(Op::Gather(value, index));
        }
        if bits < wanted_bits {
            let signed = self.draw.once_in(2);
            value = self.certain(Op::Extend { value, bits: wanted_bits, signed });
        }
        if bits > wanted_bits {
            let low = self.draw.below(u64::from(bits - wanted_bits) + 1) as u32;
            value = self.certain(Op::Slice { value, low, bits: wanted_bits });
        }
        value
    }

    /// Appends an operation that fits, whatever its size; its results depend on what is drawn.
    fn hidden(&mut self, op: Op) -> Vec<ValueId> {
        op.for_each_operand(|value| {
            self.used.insert(value);
        });
        self.body.push(self.program, op).expect(FITS)
    }

    /// Appends an operation of one result, whatever its size.
    fn certain(&mut self, op: Op) -> ValueId {
        let results = self.hidden(op);
        self.usable.extend(&results);
        results[0]
    }

    /// Appends an operation unless its results or its work are too large.
    fn push(&mut self, op: Op) -> Option<Vec<ValueId>> {
        let (found, work) = self.body.preview(self.program, &op).expect(FITS);
        let bits = |ty: &ValueType| if let Type::Word(bits) = ty.ty { u64::from(bits) * ty.lanes } else { 0 };
        let spent = u128::from(self.spent).saturating_add(work);
        if spent > u128::from(self.size.work) || found.iter().any(|ty| bits(ty) > self.size.value_bits) {
            return None;
        }
        self.spent = spent as u64;
        let results = self.hidden(op);
        self.usable.extend(&results);
        Some(results)
    }

    fn index(&mut self, lanes: u64) -> Index {
        match self.draw.below(3) {
            0 => {
                let count = self.draw.lanes(self.size.lanes);
                Index::List((0..count).map(|_| self.draw.below(lanes) as u32).collect())
            }
            1 => {
                let (start, last) = (self.draw.below(lanes) as i64, self.draw.below(lanes) as i64);
                let distance = (last - start).unsigned_abs();
                let steps = self.draw.divisor(distance.max(1)).min(distance);
                let step = if steps == 0 { 0 } else { (last - start) / steps as i64 };
                Index::Range { start: start as u32, step, count: steps + 1 }
            }
            _ => {
                Index::Repeat { each: self.draw.between(1, 3) as u32, tiles: self.draw.between(1, 3) as u32 }
            }
        }
    }

    /// A secret position in a table, of about its width but sometimes beyond it.
    fn position(&mut self, entries: u64) -> ValueId {
        let bits = match self.draw.below(4) {
            0 => self.draw.width(self.size.bits),
            _ => index_bits(entries) + self.draw.below(2) as u32,
        };
        let lanes = self.draw.lanes(self.size.lanes.min(6));
        self.shaped(bits, lanes)
    }

    fn constant(&mut self) -> Option<Vec<ValueId>> {
        let (bits, lanes) = (self.draw.width(self.size.bits), self.draw.lanes(self.size.lanes));
        let words = self.draw.words(bits, lanes);
        self.push(Op::Constant(words))
    }

    fn matrix_product(&mut self, bits: u32) -> Option<Vec<ValueId>> {
        let [batch, rows, inner, columns] = [0; 4].map(|_| self.draw.between(1, 3));
        let bits = bits.min(self.draw.width(self.size.bits));
        let (left, right) =
            (self.shaped(bits, batch * rows * inner), self.shaped(bits, batch * inner * columns));
        self.push(Op::MatrixProduct { left, right, batch, rows, inner, columns })
    }

    /// A permutation as sorting makes one, and its use.
    fn permute(&mut self, value: ValueId, lanes: u64) -> Option<Vec<ValueId>> {
        let width = self.draw.between(1, 9) as u32;
        let key = self.shaped(width, lanes);
        let positions: Vec<_> = (0..u128::from(lanes)).collect();
        let positions = self.push(Op::Constant(Words::from_u128s(index_bits(lanes), &positions)))?[0];
        let sorted = self.push(Op::Sort { key, payloads: vec![positions], length: lanes, signed: false })?;
        self.push(Op::Permute { value, order: sorted[1] })
    }

    /// A value masked by a random one, perhaps opened, and unmasked again.
    fn masked(&mut self, value: ValueId) -> Option<Vec<ValueId>> {
        let mask = self.hidden(Op::Random(self.body.value_type(value)))[0];
        let (hide, show) =
            self.draw.choose(&[(BinaryOp::Add, BinaryOp::Sub), (BinaryOp::Xor, BinaryOp::Xor)]);
        let mut hidden = self.hidden(Op::Binary(hide, value, mask))[0];
        if self.draw.once_in(2) {
            hidden = self.hidden(Op::Open(hidden))[0];
        }
        self.push(Op::Binary(show, hidden, mask))
    }

    /// Applies a template in one of the three ways.
    fn apply(&mut self) -> Option<Vec<ValueId>> {
        let templates = self.program.templates();
        if templates.is_empty() {
            return None;
        }
        let number = self.draw.below(templates.len() as u64) as usize;
        let (template, signature) = (TemplateId(number as u32), &templates[number]);
        let lanes = self.draw.between(1, 5);
        match self.draw.below(3) {
            0 => {
                let arguments = self.arguments(&signature.parameters, 1);
                self.push(Op::Call { template, arguments })
            }
            1 => {
                let arguments = self.arguments(&signature.parameters, lanes);
                self.push(Op::Map { template, lanes, arguments })
            }
            _ => {
                let parameters = &signature.parameters;
                let same = parameters.iter().zip(&signature.results).take_while(|(a, b)| a == b).count();
                let carried =
                    if self.draw.once_in(4) { self.draw.below(same as u64 + 1) as usize } else { same };
                let whole = self.draw.between(carried as u64, parameters.len() as u64) as usize;
                let invariant = self.arguments(&parameters[carried..whole], 1);
                let sliced = self.arguments(&parameters[whole..], lanes);
                let carried = self.arguments(&parameters[..carried], 1);
                self.push(Op::Iterate { template, count: lanes, carried, invariant, sliced })
            }
        }
    }

    /// Values for parameters, with so many times the lanes.
    fn arguments(&mut self, parameters: &[ValueType], times: u64) -> Vec<ValueId> {
        parameters
            .iter()
            .map(|ty| {
                let value = self.value();
                self.coerce(value, ValueType { lanes: ty.lanes * times, ..*ty })
            })
            .collect()
    }
}
