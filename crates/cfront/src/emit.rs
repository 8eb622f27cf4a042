//! Writing the words that outputs need as a program.

use std::collections::HashMap;
use std::rc::Rc;

use tacit_ir::{BuildError, Builder, CompareOp, Index, PortId, Program, RoleId, TemplateBuilder, ValueId};

use crate::debug::Layout;
use crate::exec::Execution;
use crate::graph::{Graph, Node, Word};
use crate::int::{Int, IntOp};
use crate::ports::{Interface, Port};
use crate::{CError, Location};

/// The program of an execution.
pub(crate) fn emit(interface: &Interface, execution: &Execution) -> Result<Program, CError> {
    let mut line = 0;
    write(interface, execution, &mut line).map_err(|error| CError::Build {
        location: Location { file: interface.name.clone(), line },
        reason: error.to_string(),
    })
}

type Built<T = ValueId> = Result<T, BuildError>;

fn write(interface: &Interface, execution: &Execution, line: &mut u32) -> Built<Program> {
    let mut program = Builder::new(&interface.name);
    let roles: Vec<RoleId> = interface.roles.iter().map(|name| program.role(name)).collect();
    let mut inputs = Vec::new();
    for port in &interface.inputs {
        inputs.push(program.input(&port.name, roles[port.roles[0]], port.layout.shape.clone())?);
    }
    let mut outputs = Vec::new();
    for port in &interface.outputs {
        outputs.push(output(&mut program, &roles, port)?);
    }
    if let Some(Layout { shape, .. }) = &interface.result {
        outputs.push(program.output("return", roles.clone(), shape.clone())?);
    }
    let mut main = program.template("main", Vec::new());
    let mut columns = Vec::new();
    for port in inputs {
        columns.push(main.input(&program, port)?);
    }
    let graph = &execution.graph;
    let mut writer = Writer { graph, main, columns, values: HashMap::new(), vectors: HashMap::new() };
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

/// The words that outputs depend on and that need an operation of their own, ascending. Lanes of inputs and updated
/// tables that only occur in tables do not.
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

/// What lanes of a vector come from.
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
    values: HashMap<Word, ValueId>,
    vectors: HashMap<Rc<[Word]>, ValueId>,
}

impl Writer<'_> {
    fn operations(&mut self, words: &[Word], line: &mut u32) -> Built<()> {
        for word in words {
            *line = self.graph.line(*word);
            self.main.set_line(*line);
            let value = self.operation(*word)?;
            self.values.insert(*word, value);
        }
        Ok(())
    }

    fn value(&self, word: Word) -> ValueId {
        self.values[&word]
    }

    fn operation(&mut self, word: Word) -> Built {
        let node = self.graph.node(word).clone();
        match node {
            Node::Constant(value) => self.constants(&[value.as_ref()]),
            Node::Input { port, column, lane, .. } => {
                let source = self.columns[port as usize][column as usize];
                self.lanes(source, lane, 1)
            }
            Node::Lane(update, lane) => {
                let source = self.value(update);
                self.lanes(source, lane, 1)
            }
            Node::Not(a) => self.main.not(self.value(a)),
            Node::Binary(op, a, b) => self.binary(op, a, b),
            Node::Compare(op, a, b) => {
                let (a, b) = (self.value(a), self.value(b));
                match op {
                    CompareOp::Eq => self.main.eq(a, b),
                    CompareOp::LtU => self.main.lt_u(a, b),
                    CompareOp::LtS => self.main.lt_s(a, b),
                }
            }
            Node::Select(condition, a, b) => self.main.select(self.value(condition), self.value(a), self.value(b)),
            Node::Extend { value, bits, signed: true } => self.main.sign_extend(self.value(value), bits),
            Node::Extend { value, bits, signed: false } => self.main.zero_extend(self.value(value), bits),
            Node::Slice { value, low, bits } => self.main.slice(self.value(value), low, bits),
            Node::Concat(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| self.value(*part)).collect();
                self.main.concat(&parts)
            }
            Node::ShiftLeftBy(a, amount) => self.main.shift_by(tacit_ir::ShiftOp::Left, self.value(a), amount),
            Node::Shift(op, a, amount) => self.main.shift(op, self.value(a), self.value(amount)),
            Node::CountOnes(a) => self.count_ones(a),
            Node::Lookup(table, index) => {
                let table = self.table(&table)?;
                self.main.lookup(table, self.value(index))
            }
            Node::Update(update) => {
                let table = self.table(&update.table)?;
                self.main.update(table, self.value(update.index), self.value(update.value))
            }
        }
    }

    fn binary(&mut self, op: IntOp, a: Word, b: Word) -> Built {
        if op == IntOp::Sub && self.graph.value(a).is_some_and(Int::is_zero) {
            return self.main.neg(self.value(b));
        }
        let (a, b) = (self.value(a), self.value(b));
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
        let value = self.value(a);
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

    /// `count` lanes of a value from `start`; the value itself where these are all.
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

    /// Words as the lanes of one value; neighbours from one place are taken together.
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
                Source::Word => self.value(*first),
                Source::Constants => {
                    let values: Vec<&Int> = run.iter().filter_map(|word| self.graph.value(*word)).collect();
                    self.constants(&values)?
                }
                Source::Column(port, column) => {
                    self.lanes(self.columns[port as usize][column as usize], start, count as u64)?
                }
                Source::Table(update) => self.lanes(self.value(update), start, count as u64)?,
            });
        }
        match pieces[..] {
            [only] => Ok(only),
            _ => self.main.join(&pieces),
        }
    }
}
