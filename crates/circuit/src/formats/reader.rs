use super::{FormatError, Problem};
use crate::builder::CircuitBuilder;
use crate::circuit::Circuit;
use crate::lit::Lit;

/// The gates that a format supports.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    Bristol,
    Fashion,
}

/// The lines that are not blank, with their numbers.
pub(super) struct Lines<'a> {
    rest: std::iter::Enumerate<std::str::Lines<'a>>,
    line: usize,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Lines { rest: text.lines().enumerate(), line: 0 }
    }

    fn next(&mut self) -> Option<&'a str> {
        let (index, line) = self.rest.find(|(_, line)| !line.trim().is_empty())?;
        self.line = index + 1;
        Some(line)
    }

    fn error(&self, problem: Problem) -> FormatError {
        FormatError { line: self.line.max(1), problem }
    }

    fn numbers(&mut self, what: &'static str) -> Result<Vec<usize>, FormatError> {
        let line = self.next().ok_or_else(|| self.error(Problem::Ends(what)))?;
        line.split_ascii_whitespace()
            .map(|field| number(field).map_err(|problem| self.error(problem)))
            .collect()
    }

    /// A line of exactly `N` numbers.
    pub(super) fn numbers_exactly<const N: usize>(
        &mut self,
        what: &'static str,
    ) -> Result<[usize; N], FormatError> {
        let numbers = self.numbers(what)?;
        let found = numbers.len();
        numbers.try_into().map_err(|_| self.error(Problem::Fields { expected: N, found }))
    }

    /// A line with a count and that many numbers.
    pub(super) fn counted(&mut self, what: &'static str) -> Result<Vec<usize>, FormatError> {
        let mut numbers = self.numbers(what)?;
        let (count, found) = (numbers.remove(0), numbers.len());
        match count == found {
            true => Ok(numbers),
            false => Err(self.error(Problem::Fields { expected: count.saturating_add(1), found: found + 1 })),
        }
    }
}

/// A number without a sign.
pub(super) fn number(field: &str) -> Result<usize, Problem> {
    let digits = !field.is_empty() && field.bytes().all(|byte| byte.is_ascii_digit());
    digits
        .then(|| field.parse().ok())
        .flatten()
        .ok_or_else(|| Problem::NotANumber(field.chars().take(40).collect()))
}

/// Reads the gates after the header.
pub(super) fn read_gates(
    mut lines: Lines<'_>,
    dialect: Dialect,
    (gates, wires): (usize, usize),
    inputs: Vec<usize>,
    outputs: Vec<usize>,
    max_wires: usize,
) -> Result<Circuit, FormatError> {
    let limit = max_wires.min(CircuitBuilder::MAX_NODES / 8);
    if wires > limit {
        return Err(lines.error(Problem::TooLarge { wires, limit }));
    }
    let total = |widths: &[usize]| widths.iter().fold(0usize, |sum, width| sum.saturating_add(*width));
    let (input_bits, output_bits) = (total(&inputs), total(&outputs));
    if input_bits > wires || output_bits > wires {
        return Err(lines.error(Problem::Header { wires, inputs: input_bits, outputs: output_bits }));
    }
    let mut netlist = Netlist::new(wires, &inputs);
    for _ in 0..gates {
        let line = lines.next().ok_or_else(|| lines.error(Problem::Ends("a gate")))?;
        netlist.gate(line, dialect).map_err(|problem| lines.error(problem))?;
    }
    if lines.next().is_some() {
        return Err(lines.error(Problem::Trailing(gates)));
    }
    if netlist.undriven > 0 {
        return Err(lines.error(Problem::Missing(netlist.undriven)));
    }
    netlist.finish(&outputs).map_err(|problem| lines.error(problem))
}

/// A circuit being read.
struct Netlist {
    builder: CircuitBuilder,
    wires: Vec<Option<Lit>>,
    undriven: usize,
    fields: Vec<usize>,
}

impl Netlist {
    fn new(wires: usize, inputs: &[usize]) -> Self {
        let mut builder = CircuitBuilder::new();
        let mut driven: Vec<Option<Lit>> =
            inputs.iter().flat_map(|width| builder.input(*width as u32)).map(Some).collect();
        let undriven = wires - driven.len();
        driven.resize(wires, None);
        Netlist { builder, wires: driven, undriven, fields: Vec::new() }
    }

    fn read(&self, wire: usize) -> Result<Lit, Problem> {
        self.wires.get(wire).ok_or(Problem::NoSuchWire(wire))?.ok_or(Problem::Undriven(wire))
    }

    fn drive(&mut self, wire: usize, lit: Lit) -> Result<(), Problem> {
        let target = self.wires.get_mut(wire).ok_or(Problem::NoSuchWire(wire))?;
        if target.is_some() {
            return Err(Problem::DrivenTwice(wire));
        }
        *target = Some(lit);
        self.undriven -= 1;
        Ok(())
    }

    fn gate(&mut self, line: &str, dialect: Dialect) -> Result<(), Problem> {
        let (numbers, name) =
            line.trim_end().rsplit_once([' ', '\t']).ok_or(Problem::Fields { expected: 5, found: 1 })?;
        let mut fields = std::mem::take(&mut self.fields);
        fields.clear();
        for field in numbers.split_ascii_whitespace() {
            fields.push(number(field)?);
        }
        let result = self.gate_of(&fields, name, dialect);
        self.fields = fields;
        result
    }

    fn gate_of(&mut self, fields: &[usize], name: &str, dialect: Dialect) -> Result<(), Problem> {
        let &[inputs, outputs, ref wires @ ..] = fields else {
            return Err(Problem::Fields { expected: 5, found: fields.len() + 1 });
        };
        let expected = inputs.saturating_add(outputs);
        if wires.len() != expected {
            return Err(Problem::Fields { expected: expected.saturating_add(3), found: fields.len() + 1 });
        }
        let arity = |gate| Problem::Arity { gate, inputs, outputs };
        match (name, wires) {
            ("AND", &[a, b, out]) if outputs == 1 => self.and(a, b, out),
            ("XOR", &[a, b, out]) if outputs == 1 => {
                let (a, b) = (self.read(a)?, self.read(b)?);
                let lit = self.builder.xor(a, b);
                self.drive(out, lit)
            }
            ("INV" | "NOT", &[a, out]) if outputs == 1 => self.drive(out, !self.read(a)?),
            ("EQ", &[bit, out]) if outputs == 1 && dialect == Dialect::Fashion => match bit {
                0 | 1 => self.drive(out, Lit::constant(bit == 1)),
                _ => Err(Problem::NotABit(bit)),
            },
            ("EQW", &[a, out]) if outputs == 1 && dialect == Dialect::Fashion => {
                self.drive(out, self.read(a)?)
            }
            ("MAND", _)
                if outputs > 0 && Some(inputs) == outputs.checked_mul(2) && dialect == Dialect::Fashion =>
            {
                (0..outputs).try_for_each(|i| self.and(wires[i], wires[outputs + i], wires[inputs + i]))
            }
            ("AND", _) => Err(arity("AND")),
            ("XOR", _) => Err(arity("XOR")),
            ("INV" | "NOT", _) => Err(arity("INV")),
            ("EQ", _) if dialect == Dialect::Fashion => Err(arity("EQ")),
            ("EQW", _) if dialect == Dialect::Fashion => Err(arity("EQW")),
            ("MAND", _) if dialect == Dialect::Fashion => Err(arity("MAND")),
            _ => Err(Problem::UnknownGate(name.chars().take(40).collect())),
        }
    }

    fn and(&mut self, a: usize, b: usize, out: usize) -> Result<(), Problem> {
        let (a, b) = (self.read(a)?, self.read(b)?);
        let lit = self.builder.and(a, b);
        self.drive(out, lit)
    }

    /// The circuit whose outputs are the last wires.
    fn finish(self, outputs: &[usize]) -> Result<Circuit, Problem> {
        let mut next = self.wires.len() - outputs.iter().sum::<usize>();
        let mut groups = Vec::with_capacity(outputs.len());
        for width in outputs {
            let group: Result<Vec<Lit>, Problem> = (next..next + width).map(|wire| self.read(wire)).collect();
            groups.push(group?);
            next += width;
        }
        let wires = self.wires.len();
        let limit = CircuitBuilder::MAX_NODES;
        self.builder.finish(groups).map_err(|_| Problem::TooLarge { wires, limit })
    }
}
