//! AIGER, as text and binary, without latches: and-inverter graphs.
//!
//! Readers are strict: every AND is given after its operands. Inputs become one group, and so do outputs. The symbol table
//! and comments are passed over.
//!
//! Source: Biere, The AIGER And-Inverter Graph (AIG) Format (2007).

use crate::builder::CircuitBuilder;
use crate::circuit::Circuit;
use crate::lit::Lit;

/// A file that is not AIGER without latches.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {offset}: {problem}")]
pub struct AigerError {
    /// The offset of the problem in bytes.
    pub offset: usize,
    /// The problem.
    pub problem: AigerProblem,
}

/// A problem of an AIGER file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AigerProblem {
    /// Neither `aag` nor `aig`.
    #[error("an AIGER file begins with “aag” or “aig”")]
    Magic,
    /// The file ends too early.
    #[error("the file ends where {0} should follow")]
    Ends(&'static str),
    /// Not a number, or a number too large.
    #[error("{0} should be here")]
    Expected(&'static str),
    /// A circuit with state.
    #[error("{0} latches: only circuits without state can be read")]
    Latches(usize),
    /// Counts of the header that are impossible.
    #[error("{variables} variables can't be {inputs} inputs and {ands} ANDs")]
    Header {
        /// Variables.
        variables: usize,
        /// Inputs.
        inputs: usize,
        /// ANDs.
        ands: usize,
    },
    /// More variables than can be read.
    #[error("{variables} variables are more than the limit of {limit}")]
    TooLarge {
        /// Variables of the header.
        variables: usize,
        /// The limit.
        limit: usize,
    },
    /// A literal that cannot be defined here.
    #[error("literal {0} is defined twice, or is complemented, or beyond the variables of the header")]
    Definition(usize),
    /// A literal that is read before it is defined.
    #[error("literal {0} is read before it is defined")]
    Undefined(usize),
    /// Text after the circuit that is neither a symbol nor a comment.
    #[error("neither a symbol nor a comment")]
    Trailing,
}

/// Reads a file of at most `max_variables` variables, in either form.
///
/// Errors: [`AigerError`] with the offset.
pub fn read(file: &[u8], max_variables: usize) -> Result<Circuit, AigerError> {
    let mut reader = Reader { file, offset: 0 };
    let is_binary = match file.get(..4) {
        Some(b"aag ") => false,
        Some(b"aig ") => true,
        _ => return Err(reader.error(AigerProblem::Magic)),
    };
    reader.offset = 4;
    let [variables, inputs, latches, outputs, ands] = reader.header()?;
    if latches > 0 {
        return Err(reader.error(AigerProblem::Latches(latches)));
    }
    let limit = max_variables.min(CircuitBuilder::MAX_NODES / 8);
    if variables > limit || outputs > limit {
        return Err(reader.error(AigerProblem::TooLarge { variables: variables.max(outputs), limit }));
    }
    let total = inputs.checked_add(ands);
    if total.is_none_or(|total| total > variables || is_binary && total != variables) {
        return Err(reader.error(AigerProblem::Header { variables, inputs, ands }));
    }
    let mut graph = Graph { builder: CircuitBuilder::new(), lits: vec![None; variables + 1] };
    graph.lits[0] = Some(Lit::FALSE);
    let input = graph.builder.input(inputs as u32);
    for (place, lit) in input.into_iter().enumerate() {
        let literal = if is_binary { 2 * (place + 1) } else { reader.line::<1>("an input")?[0] };
        graph.define(literal, lit).map_err(|problem| reader.error(problem))?;
    }
    let mut driven = Vec::new();
    for _ in 0..outputs {
        let [literal] = reader.line("an output")?;
        driven.push(literal);
    }
    for place in 0..ands {
        let [target, a, b] = match is_binary {
            true => reader.deltas(2 * (inputs + place + 1))?,
            false => reader.line("an AND")?,
        };
        graph.and(target, a, b).map_err(|problem| reader.error(problem))?;
    }
    let outputs = driven.into_iter().map(|literal| graph.literal(literal)).collect::<Result<Vec<Lit>, _>>();
    let outputs = outputs.map_err(|problem| reader.error(problem))?;
    reader.rest()?;
    let too_large =
        |_| AigerError { offset: file.len(), problem: AigerProblem::TooLarge { variables, limit } };
    graph.builder.finish(vec![outputs]).map_err(too_large)
}

struct Graph {
    builder: CircuitBuilder,
    lits: Vec<Option<Lit>>,
}

impl Graph {
    fn literal(&self, literal: usize) -> Result<Lit, AigerProblem> {
        let lit = self.lits.get(literal / 2).copied().flatten().ok_or(AigerProblem::Undefined(literal))?;
        Ok(lit.flip(literal % 2 == 1))
    }

    fn define(&mut self, literal: usize, lit: Lit) -> Result<(), AigerProblem> {
        match self.lits.get_mut(literal / 2) {
            Some(place @ None) if literal.is_multiple_of(2) => *place = Some(lit),
            _ => return Err(AigerProblem::Definition(literal)),
        }
        Ok(())
    }

    fn and(&mut self, target: usize, a: usize, b: usize) -> Result<(), AigerProblem> {
        let (a, b) = (self.literal(a)?, self.literal(b)?);
        let lit = self.builder.and(a, b);
        self.define(target, lit)
    }
}

struct Reader<'a> {
    file: &'a [u8],
    offset: usize,
}

impl Reader<'_> {
    fn error(&self, problem: AigerProblem) -> AigerError {
        AigerError { offset: self.offset, problem }
    }

    /// A number and the byte that ends it.
    fn number(&mut self, what: &'static str) -> Result<(usize, u8), AigerError> {
        let mut value: Option<usize> = None;
        let mut place = self.offset;
        while let Some(digit) = self.file.get(place).filter(|byte| byte.is_ascii_digit()) {
            let next =
                value.unwrap_or(0).checked_mul(10).and_then(|v| v.checked_add(usize::from(digit - b'0')));
            value = Some(next.ok_or_else(|| self.error(AigerProblem::Expected(what)))?);
            place += 1;
        }
        match (value, self.file.get(place)) {
            (Some(value), Some(end)) => {
                self.offset = place + 1;
                Ok((value, *end))
            }
            (_, None) => Err(self.error(AigerProblem::Ends(what))),
            _ => Err(self.error(AigerProblem::Expected(what))),
        }
    }

    /// A line of exactly `N` numbers with one space between each.
    fn line<const N: usize>(&mut self, what: &'static str) -> Result<[usize; N], AigerError> {
        let mut numbers = [0; N];
        for (place, number) in numbers.iter_mut().enumerate() {
            let end;
            (*number, end) = self.number(what)?;
            if end != if place + 1 == N { b'\n' } else { b' ' } {
                return Err(self.error(AigerProblem::Expected(what)));
            }
        }
        Ok(numbers)
    }

    fn header(&mut self) -> Result<[usize; 5], AigerError> {
        self.line("a header of five numbers")
    }

    /// The operands of the AND `target` in binary: the distance of the first below it, and of the second
    /// below the first.
    fn deltas(&mut self, target: usize) -> Result<[usize; 3], AigerError> {
        let mut below = |from: usize| {
            let delta = self.delta()?;
            from.checked_sub(delta).ok_or_else(|| self.error(AigerProblem::Undefined(delta)))
        };
        let first = below(target)?;
        Ok([target, first, below(first)?])
    }

    /// Seven bits for each byte, least significant first; the top bit says that more follow.
    fn delta(&mut self) -> Result<usize, AigerError> {
        let mut value = 0usize;
        for shift in (0..usize::BITS).step_by(7) {
            let byte = *self.file.get(self.offset).ok_or_else(|| self.error(AigerProblem::Ends("an AND")))?;
            self.offset += 1;
            value |= usize::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(self.error(AigerProblem::Expected("an AND")))
    }

    /// Symbols, then comments.
    fn rest(&mut self) -> Result<(), AigerError> {
        for line in self.file[self.offset..].split_inclusive(|byte| *byte == b'\n') {
            match line.first() {
                Some(b'c') => break,
                Some(b'i' | b'o') => self.offset += line.len(),
                _ => return Err(self.error(AigerProblem::Trailing)),
            }
        }
        Ok(())
    }
}
