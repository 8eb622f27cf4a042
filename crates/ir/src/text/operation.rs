//! Reading the operations of a template.

use super::ParseError;
use super::lexer::Token;
use super::parser::{Parser, at, element_type};
use crate::field::to_limbs;
use crate::{
    BinaryOp, Builder, CompareOp, Domain, Index, Op, PortId, ScanOp, ShiftOp, TemplateBuilder, Type, UnaryOp,
    ValueId, Words,
};

type Parsed<T> = Result<T, ParseError>;

impl Parser<'_> {
    /// Operations up to `return`, its values, and the closing brace; returns the values.
    pub(super) fn operations(
        &mut self,
        program: &Builder,
        body: &mut TemplateBuilder,
    ) -> Parsed<Vec<ValueId>> {
        while *self.peek() != Token::Word("return") {
            self.operation(program, body)?;
        }
        self.word("return")?;
        let values = body.value_count();
        self.until('}', |parser| {
            let place = parser.place();
            let value = parser.value()?;
            match value.index() < values {
                true => Ok(value),
                false => Err(place.error(format!("{value} is not defined"))),
            }
        })
    }

    fn operation(&mut self, program: &Builder, body: &mut TemplateBuilder) -> Parsed<()> {
        let place = self.place();
        let mut named = Vec::new();
        if *self.peek() == Token::Mark('%') {
            named = self.separated(Self::value)?;
            self.mark('=')?;
        }
        let start = self.place();
        let Token::Word(name) = self.take()? else { return Err(start.error("an operation is missing")) };
        let op = self.op(name)?.ok_or_else(|| start.error(format!("`{name}` is not an operation")))?;
        let declared = match self.take_if(':')? {
            true => Some((self.place(), self.separated(Self::value_type)?)),
            false => None,
        };
        body.set_line(self.line()?);
        let results = body.push(program, op).map_err(at(start))?;
        if results != named {
            let results: Vec<_> = results.iter().map(ToString::to_string).collect();
            return Err(place.error(format!("the results of `{name}` are [{}]", results.join(", "))));
        }
        if let Some((place, declared)) = declared {
            let found = results.iter().map(|value| body.value_type(*value));
            self.check_types("gives", place, &declared, found)?;
        }
        Ok(())
    }

    fn line(&mut self) -> Parsed<u32> {
        match self.take_if(';')? {
            true => self.word("line").and_then(|()| self.number()),
            false => Ok(0),
        }
    }

    /// The operands of the operation with this name, if there is one.
    fn op(&mut self, name: &str) -> Parsed<Option<Op>> {
        if let Some(op) = named(UnaryOp::ALL, UnaryOp::name, name) {
            return self.value().map(|value| Some(Op::Unary(op, value)));
        }
        if let Some(op) = named(BinaryOp::ALL, BinaryOp::name, name) {
            return self.values().map(|[a, b]| Some(Op::Binary(op, a, b)));
        }
        if let Some(op) = named(CompareOp::ALL, CompareOp::name, name) {
            return self.values().map(|[a, b]| Some(Op::Compare(op, a, b)));
        }
        if let Some(op) = named(ShiftOp::ALL, ShiftOp::name, name) {
            return self.values().map(|[a, b]| Some(Op::Shift(op, a, b)));
        }
        if let Some(op) = name.strip_suffix("_by").and_then(|name| named(ShiftOp::ALL, ShiftOp::name, name)) {
            let value = self.value()?;
            return Ok(Some(Op::ShiftBy(op, value, self.after_comma()?)));
        }
        if let Some(domain) = named(Domain::ALL, Domain::name, name) {
            return self.value().map(|value| Some(Op::Pin(domain, value)));
        }
        if let Some(op) = named(ScanOp::ALL, ScanOp::name, name) {
            let value = self.value()?;
            return Ok(Some(Op::Scan { op, value, length: self.after_comma()? }));
        }
        self.other(name)
    }

    fn other(&mut self, name: &str) -> Parsed<Option<Op>> {
        Ok(Some(match name {
            "constant" => self.constant()?,
            "input" => {
                let (port, column) = self.column()?;
                Op::Input { port, column }
            }
            "output" => {
                let (port, column) = self.column()?;
                self.mark(',')?;
                Op::Output { port, column, value: self.value()? }
            }
            "open" => Op::Open(self.value()?),
            "select" => self.values().map(|[a, b, c]| Op::Select(a, b, c))?,
            "zero_extend" | "sign_extend" => {
                let value = self.value()?;
                Op::Extend { value, bits: self.after_comma()?, signed: name == "sign_extend" }
            }
            "slice" => {
                let (value, low) = (self.value()?, self.after_comma()?);
                Op::Slice { value, low, bits: self.after_comma()? }
            }
            "concat" => Op::Concat(self.separated(Self::value)?),
            "join" => Op::Join(self.separated(Self::value)?),
            "gather" => {
                let value = self.value()?;
                self.mark(',')?;
                Op::Gather(value, self.index()?)
            }
            "segment_sum" => {
                let value = self.value()?;
                Op::SegmentSum { value, length: self.after_comma()? }
            }
            "arg_min_u" | "arg_min_s" => {
                let value = self.value()?;
                Op::ArgMin { value, length: self.after_comma()?, signed: name == "arg_min_s" }
            }
            "matrix_product" => self.matrix_product()?,
            "sort_u" | "sort_s" => {
                let (key, payloads) = (self.value()?, self.list()?);
                Op::Sort { key, payloads, length: self.after_comma()?, signed: name == "sort_s" }
            }
            "permute" => self.values().map(|[value, order]| Op::Permute { value, order })?,
            "lookup" => self.values().map(|[table, index]| Op::Lookup { table, index })?,
            "update" => self.values().map(|[table, index, value]| Op::Update { table, index, value })?,
            "random" => Op::Random(self.value_type()?),
            "call" => Op::Call { template: self.template_id()?, arguments: self.list()? },
            "map" => {
                let (template, lanes) = (self.template_id()?, self.after_comma()?);
                Op::Map { template, lanes, arguments: self.list()? }
            }
            "iterate" => self.iterate()?,
            _ => return Ok(None),
        }))
    }

    fn constant(&mut self) -> Parsed<Op> {
        let place = self.place();
        let bits = match self.take()? {
            Token::Word(text) => {
                element_type(text).and_then(|ty| if let Type::Word(bits) = ty { Some(bits) } else { None })
            }
            _ => None,
        };
        let bits = bits.ok_or_else(|| place.error("the type of a constant such as `w32` is missing"))?;
        self.mark('[')?;
        let (mut limbs, width) = (Vec::new(), bits.div_ceil(64) as usize);
        let lanes = self.until(']', |parser| {
            let place = parser.place();
            let digits = parser.hex()?;
            // A lane of many limbs is written in full, so that memory is bounded by the length of the text.
            if bits > 64 && digits.len() != bits.div_ceil(4) as usize {
                return Err(place.error(format!("a lane of {bits} bits has {} digits", bits.div_ceil(4))));
            }
            let lane = to_limbs(&digits);
            if lane.len() > width {
                return Err(place.error(format!("it does not fit in {bits} bits")));
            }
            limbs.extend(lane.iter().copied().chain(std::iter::repeat(0)).take(width));
            Ok(())
        })?;
        let words = Words::from_limbs(bits, lanes.len() as u64, limbs);
        words.map(Op::Constant).ok_or_else(|| place.error(format!("a lane does not fit in {bits} bits")))
    }

    fn column(&mut self) -> Parsed<(PortId, u32)> {
        let port = self.number()?;
        self.mark('.')?;
        Ok((PortId(port), self.number()?))
    }

    fn index(&mut self) -> Parsed<Index> {
        let place = self.place();
        match self.take()? {
            Token::Mark('[') => self.until(']', Self::number).map(Index::List),
            Token::Word("range") => {
                self.mark('(')?;
                let start = self.number()?;
                self.mark(',')?;
                let step = self.signed()?;
                let count = self.after_comma()?;
                self.mark(')')?;
                Ok(Index::Range { start, step, count })
            }
            Token::Word("repeat") => {
                self.mark('(')?;
                let (each, tiles) = (self.number()?, self.after_comma()?);
                self.mark(')')?;
                Ok(Index::Repeat { each, tiles })
            }
            token => Err(place.error(format!("{} is not a choice of lanes", token.describe()))),
        }
    }

    fn signed(&mut self) -> Parsed<i64> {
        let place = self.place();
        let negative = self.take_if('-')?;
        let magnitude = i128::from(self.number::<u64>()?);
        let value = if negative { -magnitude } else { magnitude };
        i64::try_from(value).map_err(|_| place.error(format!("{value} is not in range")))
    }

    fn matrix_product(&mut self) -> Parsed<Op> {
        let [left, right] = self.values()?;
        let (batch, rows) = (self.after_comma()?, self.after_comma()?);
        let (inner, columns) = (self.after_comma()?, self.after_comma()?);
        Ok(Op::MatrixProduct { left, right, batch, rows, inner, columns })
    }

    fn iterate(&mut self) -> Parsed<Op> {
        let (template, count) = (self.template_id()?, self.after_comma()?);
        let mut part = |name| {
            self.mark(',')?;
            self.word(name)?;
            self.mark('[')?;
            self.until(']', Self::value)
        };
        let (carried, invariant, sliced) = (part("carried")?, part("invariant")?, part("sliced")?);
        Ok(Op::Iterate { template, count, carried, invariant, sliced })
    }

    /// `N` values separated by commas.
    fn values<const N: usize>(&mut self) -> Parsed<[ValueId; N]> {
        let mut values = [ValueId(0); N];
        for (number, value) in values.iter_mut().enumerate() {
            if number > 0 {
                self.mark(',')?;
            }
            *value = self.value()?;
        }
        Ok(values)
    }

    /// A comma and a list of values.
    fn list(&mut self) -> Parsed<Vec<ValueId>> {
        self.mark(',')?;
        self.mark('[')?;
        self.until(']', Self::value)
    }

    /// A comma and a number.
    fn after_comma<T: std::str::FromStr>(&mut self) -> Parsed<T> {
        self.mark(',')?;
        self.number()
    }
}

/// The operation of that name among `all`.
fn named<T: Copy>(all: &[T], name_of: fn(T) -> &'static str, name: &str) -> Option<T> {
    all.iter().copied().find(|op| name_of(*op) == name)
}
