//! Writes a program of the words that outputs need.

use std::collections::HashMap;
use std::rc::Rc;

use tacit_ir::{
    BuildError, Builder, CompareOp, Index, PortId, Program, RoleId, Shape, TemplateBuilder, ValueId,
};

use crate::debug::Layout;
use crate::exec::{Checks, Execution};
use crate::graph::{BuildWordHasher, Graph, Node, Word};
use crate::int::{Int, IntOp};
use crate::ports::{Interface, Port};
use crate::{CError, Location};

/// The program of an execution.
pub(crate) fn emit(interface: &Interface, execution: &Execution) -> Result<Program, CError> {
    let mut line = 0;
    write(interface, execution, &mut line).map_err(|error| build_error(interface, line, &error))
}

fn build_error(interface: &Interface, line: u32, error: &BuildError) -> CError {
    let location = Location { file: interface.name.clone(), line };
    CError::Build { location, reason: error.to_string() }
}

type Built<T = ValueId> = Result<T, BuildError>;

/// The program that reports which of the properties of a check a run violates.
pub(crate) fn emit_checks(interface: &Interface, checks: &Checks) -> Result<Program, CError> {
    let mut line = 0;
    write_checks(interface, checks, &mut line).map_err(|error| build_error(interface, line, &error))
}

fn write_checks(interface: &Interface, checks: &Checks, line: &mut u32) -> Built<Program> {
    let (mut program, roles, inputs) = begin(interface)?;
    let bit = Shape::Integer { bits: 1, signed: false };
    let shape = match checks.violated.len() {
        0 => bit,
        length => Shape::Array { length: length as u32, element: Box::new(bit) },
    };
    let violated = program.output("violated", roles, shape)?;
    let lanes = vec![vec![checks.violated.clone()]];
    let mut writer = Writer::new(&checks.graph, &program, inputs)?;
    writer.operations(&needed(&checks.graph, &lanes), line)?;
    let value = match checks.violated.is_empty() {
        true => writer.constants(&[&Int::flag(false)])?,
        false => writer.vector(&checks.violated)?,
    };
    writer.main.output(&program, violated, &[value])?;
    program.finish(writer.main)
}

/// The program of one word, computed from the ports `a`, `b` and so on, of these widths.
pub(crate) fn emit_word(name: &str, graph: &Graph, inputs: &[u32], word: Word) -> Built<Program> {
    let mut program = Builder::new(name);
    let role = program.role("A");
    let integer = |bits| Shape::Integer { bits, signed: false };
    let mut ports = Vec::new();
    for (letter, bits) in ('a'..='z').zip(inputs) {
        ports.push(program.input(&letter.to_string(), role, integer(*bits))?);
    }
    let result = program.output("result", vec![role], integer(graph.bits(word)))?;
    let mut writer = Writer::new(graph, &program, ports)?;
    writer.operations(&needed(graph, &[vec![vec![word]]]), &mut 0)?;
    let value = writer.vector(&[word])?;
    writer.main.output(&program, result, &[value])?;
    program.finish(writer.main)
}

/// A program with its inputs.
fn begin(interface: &Interface) -> Built<(Builder, Vec<RoleId>, Vec<PortId>)> {
    let mut program = Builder::new(&interface.name);
    let roles: Vec<RoleId> = interface.roles.iter().map(|name| program.role(name)).collect();
    let mut inputs = Vec::new();
    for port in &interface.inputs {
        inputs.push(program.input(&port.name, roles[port.roles[0]], port.layout.shape.clone())?);
    }
    Ok((program, roles, inputs))
}

fn write(interface: &Interface, execution: &Execution, line: &mut u32) -> Built<Program> {
    let (mut program, roles, inputs) = begin(interface)?;
    let mut outputs = Vec::new();
    for port in &interface.outputs {
        outputs.push(output(&mut program, &roles, port)?);
    }
    if let Some(Layout { shape, .. }) = &interface.result {
        outputs.push(program.output("return", roles.clone(), shape.clone())?);
    }
    let graph = &execution.graph;
    let mut writer = Writer::new(graph, &program, inputs)?;
    writer.operations(&needed(graph, &execution.outputs), line)?;
    for (port, lanes) in outputs.into_iter().zip(&execution.outputs) {
        let columns = lanes.iter().map(|lanes| writer.vector(lanes)).collect::<Built<Vec<_>>>()?;
        writer.main.output(&program, port, &columns)?;
    }
    program.finish(writer.main)
}

fn output(program: &mut Builder, roles: &[RoleId], port: &Port) -> Built<PortId> {
    let roles = port.roles.iter().map(|role| roles[*role]).collect();
    program.output(&port.name, roles, port.layout.shape.clone())
}

/// The words that outputs depend on and that need their own operation, ascending. Lanes of inputs and updated
/// tables that occur only in tables need none.
fn needed(graph: &Graph, outputs: &[Vec<Vec<Word>>]) -> Vec<Word> {
    let mut marks: Vec<bool> = Vec::new();
    let mut mark = |word: Word| {
        if marks.len() <= word.index() {
            marks.resize(word.index() + 1, false);
        }
        let new = !marks[word.index()];
        marks[word.index()] = true;
        new
    };
    let mut open: Vec<Word> = Vec::new();
    let member = |word: Word| match *graph.node(word) {
        Node::Input { .. } | Node::Constant(_) => None,
        Node::Lane(update, _) => Some(update),
        _ => Some(word),
    };
    open.extend(outputs.iter().flatten().flatten().filter_map(|word| member(*word)));
    open.retain(|word| mark(*word));
    while let Some(word) = open.pop() {
        let mut visit = |operand: Option<Word>| {
            if let Some(operand) = operand
                && mark(operand)
            {
                open.push(operand);
            }
        };
        match graph.node(word) {
            Node::Lookup(table, index) => {
                table.iter().for_each(|entry| visit(member(*entry)));
                visit(Some(*index));
            }
            Node::Update(update) => {
                update.table.iter().for_each(|entry| visit(member(*entry)));
                visit(Some(update.index));
                visit(Some(update.value));
            }
            node => node.for_each_operand(|operand| visit(Some(operand))),
        }
    }
    let indices = marks.iter().enumerate().filter(|(_, marked)| **marked);
    indices.map(|(index, _)| Word::from_index(index)).collect()
}

/// A value whose widening, by zeros or by its sign, is a word.
#[derive(Clone, Copy)]
struct Form {
    value: ValueId,
    bits: u32,
    signed: bool,
}

/// Whether the low bits of a result depend only on the low bits of the operands.
fn is_low_to_high(op: IntOp) -> bool {
    matches!(op, IntOp::Add | IntOp::Sub | IntOp::Mul | IntOp::And | IntOp::Or | IntOp::Xor)
}

/// The origin of the lanes of a vector.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Constants,
    Column(u32, u32),
    Table(Word),
    Word,
}

struct Writer<'g> {
    graph: &'g Graph,
    main: TemplateBuilder,
    columns: Vec<Vec<ValueId>>,
    forms: HashMap<Word, Form, BuildWordHasher>,
    /// Words in fewer or more bits than their forms have.
    resized: HashMap<(Word, u32), ValueId, BuildWordHasher>,
    vectors: HashMap<Rc<[Word]>, ValueId>,
}

impl<'g> Writer<'g> {
    fn new(graph: &'g Graph, program: &Builder, inputs: Vec<PortId>) -> Built<Self> {
        let mut main = program.template("main", Vec::new());
        let mut columns = Vec::new();
        for port in inputs {
            columns.push(main.input(program, port)?);
        }
        let (forms, resized, vectors) = Default::default();
        Ok(Writer { graph, main, columns, forms, resized, vectors })
    }
}

impl Writer<'_> {
    fn operations(&mut self, words: &[Word], line: &mut u32) -> Built<()> {
        for word in words {
            *line = self.graph.line(*word);
            self.main.set_line(*line);
            let form = self.form(*word)?;
            self.forms.insert(*word, form);
        }
        Ok(())
    }

    fn value(&mut self, word: Word) -> Built {
        self.low(word, self.graph.bits(word))
    }

    /// The low `bits` bits of a word; beyond the word's width, its sign extension.
    fn low(&mut self, word: Word, bits: u32) -> Built {
        let form = self.forms[&word];
        if form.bits == bits {
            return Ok(form.value);
        }
        if let Some(known) = self.resized.get(&(word, bits)) {
            return Ok(*known);
        }
        let value = match (self.graph.value(word), bits < form.bits, form.signed) {
            // A slice of a constant would become its own circuit, and other circuits would not see a
            // constant.
            (Some(value), true, _) => self.constants(&[&value.slice(0, bits)])?,
            (None, true, _) => self.main.truncate(form.value, bits)?,
            (_, false, true) => self.main.sign_extend(form.value, bits)?,
            (_, false, false) => self.main.zero_extend(form.value, bits)?,
        };
        self.resized.insert((word, bits), value);
        Ok(value)
    }

    fn form(&mut self, word: Word) -> Built<Form> {
        let bits = self.graph.bits(word);
        match *self.graph.node(word) {
            Node::Extend { value, signed, .. } => {
                let form = self.forms[&value];
                // Two widenings are one, unless this would lose the sign of a value that was widened with
                // zeros.
                let inner = self.graph.bits(value);
                if form.bits == inner || form.signed == signed {
                    return Ok(Form { signed, ..form });
                }
                Ok(Form { value: self.value(value)?, bits: inner, signed })
            }
            Node::Slice { value, low: 0, bits } => {
                Ok(Form { value: self.low(value, bits)?, bits, signed: false })
            }
            Node::Binary(op, a, b) if is_low_to_high(op) => {
                self.narrow(word, &[a, b], |writer, values| writer.binary(op, values[0], values[1]))
            }
            Node::Select(condition, a, b) => {
                let condition = self.value(condition)?;
                self.narrow(word, &[a, b], |writer, values| {
                    writer.main.select(condition, values[0], values[1])
                })
            }
            _ => Ok(Form { value: self.operation(word)?, bits, signed: false }),
        }
    }

    /// Computes a word in no more bits than its values need; `compute` takes the operands' low bits.
    fn narrow(
        &mut self,
        word: Word,
        operands: &[Word],
        compute: impl FnOnce(&mut Self, &[ValueId]) -> Built,
    ) -> Built<Form> {
        let (bits, facts) = (self.graph.bits(word), *self.graph.facts(word));
        let signed = facts.min < 0;
        let needed = if signed { facts.significant_signed(bits) } else { facts.significant(bits).max(1) };
        let needed = needed.min(bits);
        let values = operands.iter().map(|operand| self.low(*operand, needed)).collect::<Built<Vec<_>>>()?;
        Ok(Form { value: compute(self, &values)?, bits: needed, signed })
    }

    fn compare(&mut self, op: CompareOp, a: Word, b: Word) -> Built {
        let (bits, x, y) = (self.graph.bits(a), self.graph.facts(a), self.graph.facts(b));
        let unsigned = x.min >= 0 && y.min >= 0 && bits <= 64 || op == CompareOp::LtU;
        let needed = match unsigned {
            true => x.significant(bits).max(y.significant(bits)),
            false => x.significant_signed(bits).max(y.significant_signed(bits)),
        };
        let needed = needed.clamp(1, bits);
        let (a, b) = (self.low(a, needed)?, self.low(b, needed)?);
        match op {
            CompareOp::Eq => self.main.eq(a, b),
            CompareOp::LtS if !unsigned => self.main.lt_s(a, b),
            CompareOp::LtU | CompareOp::LtS => self.main.lt_u(a, b),
        }
    }

    fn operation(&mut self, word: Word) -> Built {
        match self.graph.node(word).clone() {
            Node::Constant(value) => self.constants(&[value.as_ref()]),
            Node::Input { port, column, lane, .. } => {
                let source = self.columns[port as usize][column as usize];
                self.lanes(source, lane, 1)
            }
            Node::Lane(update, lane) => {
                let source = self.value(update)?;
                self.lanes(source, lane, 1)
            }
            Node::Not(a) => {
                let a = self.value(a)?;
                self.main.not(a)
            }
            Node::Compare(op, a, b) => self.compare(op, a, b),
            Node::Slice { value, low, bits } => {
                let value = self.value(value)?;
                self.main.slice(value, low, bits)
            }
            Node::Concat(parts) => {
                let parts = parts.iter().map(|part| self.value(*part)).collect::<Built<Vec<_>>>()?;
                self.main.concat(&parts)
            }
            Node::ShiftLeftBy(a, amount) => {
                let a = self.value(a)?;
                self.main.shift_by(tacit_ir::ShiftOp::Left, a, amount)
            }
            Node::Shift(op, a, amount) => {
                let (a, amount) = (self.value(a)?, self.value(amount)?);
                self.main.shift(op, a, amount)
            }
            Node::CountOnes(a) => self.count_ones(a),
            Node::Lookup(table, index) => {
                let (table, index) = (self.table(&table)?, self.value(index)?);
                self.main.lookup(table, index)
            }
            Node::Update(update) => {
                let table = self.table(&update.table)?;
                let (index, value) = (self.value(update.index)?, self.value(update.value)?);
                self.main.update(table, index, value)
            }
            Node::Binary(op, a, b) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                self.binary(op, a, b)
            }
            Node::Select(..) | Node::Extend { .. } => self.value(word),
        }
    }

    fn binary(&mut self, op: IntOp, a: ValueId, b: ValueId) -> Built {
        let main = &mut self.main;
        match op {
            IntOp::Add => main.add(a, b),
            IntOp::Sub => main.sub(a, b),
            IntOp::Mul => main.mul(a, b),
            IntOp::DivU => main.div_u(a, b),
            IntOp::DivS => main.div_s(a, b),
            IntOp::RemU => main.rem_u(a, b),
            IntOp::RemS => main.rem_s(a, b),
            IntOp::And => main.and(a, b),
            IntOp::Or => main.or(a, b),
            IntOp::Xor => main.xor(a, b),
            IntOp::ShiftLeft => main.shift(tacit_ir::ShiftOp::Left, a, b),
            IntOp::ShiftRightU => main.shift(tacit_ir::ShiftOp::RightU, a, b),
            IntOp::ShiftRightS => main.shift(tacit_ir::ShiftOp::RightS, a, b),
        }
    }

    /// The bits as lanes, wide enough for the count, summed.
    fn count_ones(&mut self, a: Word) -> Built {
        let bits = self.graph.bits(a);
        let value = self.value(a)?;
        let lanes = (0..bits).map(|bit| self.main.slice(value, bit, 1)).collect::<Built<Vec<_>>>()?;
        let lanes = self.main.join(&lanes)?;
        let width = tacit_ir::index_bits(u64::from(bits) + 1);
        let lanes = self.main.zero_extend(lanes, width)?;
        let sum = self.main.segment_sum(lanes, bits.into())?;
        self.main.zero_extend(sum, bits)
    }

    fn constants(&mut self, values: &[&Int]) -> Built {
        let bits = values.first().map_or(1, |value| value.bits());
        self.main.constant(Int::to_words(bits, values.iter().copied()))
    }

    /// `count` lanes of a value from `start`; the value itself if these are all its lanes.
    fn lanes(&mut self, source: ValueId, start: u32, count: u64) -> Built {
        if self.main.value_type(source).lanes == count {
            return Ok(source);
        }
        self.main.gather(source, Index::Range { start, step: 1, count })
    }

    fn table(&mut self, table: &Rc<[Word]>) -> Built {
        if let Some(known) = self.vectors.get(table) {
            return Ok(*known);
        }
        let value = self.vector(table)?;
        self.vectors.insert(table.clone(), value);
        Ok(value)
    }

    fn source(&self, word: Word) -> (Source, u32) {
        match *self.graph.node(word) {
            Node::Constant(_) => (Source::Constants, 0),
            Node::Input { port, column, lane, .. } => (Source::Column(port, column), lane),
            Node::Lane(update, lane) => (Source::Table(update), lane),
            _ => (Source::Word, 0),
        }
    }

    /// Words as the lanes of one value; neighbours with the same origin are taken together.
    fn vector(&mut self, words: &[Word]) -> Built {
        let mut pieces = Vec::new();
        let mut rest = words;
        while let Some(first) = rest.first() {
            let (source, start) = self.source(*first);
            let follows = |(index, word): (usize, &Word)| match source {
                Source::Word => index == 0,
                Source::Constants => self.source(*word).0 == source,
                Source::Column(..) | Source::Table(_) => self.source(*word) == (source, start + index as u32),
            };
            let count = rest.iter().enumerate().take_while(|one| follows(*one)).count();
            let (run, tail) = rest.split_at(count);
            rest = tail;
            pieces.push(match source {
                Source::Word => self.value(*first)?,
                Source::Constants => {
                    let values: Vec<&Int> = run.iter().filter_map(|word| self.graph.value(*word)).collect();
                    self.constants(&values)?
                }
                Source::Column(port, column) => {
                    self.lanes(self.columns[port as usize][column as usize], start, count as u64)?
                }
                Source::Table(update) => {
                    let table = self.value(update)?;
                    self.lanes(table, start, count as u64)?
                }
            });
        }
        match pieces[..] {
            [only] => Ok(only),
            _ => self.main.join(&pieces),
        }
    }
}
