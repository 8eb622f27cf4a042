//! BLIF, the Berkeley Logic Interchange Format: one model of tables, without latches and submodels.
//!
//! Inputs become one group in the order of the file, and so do outputs. Tables may be in any order.
//!
//! Source: University of California, Berkeley, Berkeley Logic Interchange Format (1992).

use std::collections::{HashMap, HashSet};

use crate::builder::CircuitBuilder;
use crate::circuit::Circuit;
use crate::lit::Lit;

/// A file that is not one model of tables.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct BlifError {
    /// The line, from 1.
    pub line: usize,
    /// The problem.
    pub problem: BlifProblem,
}

/// A problem of a line of a BLIF file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BlifProblem {
    /// A construct other than a table.
    #[error("“{0}” can't be read: only .model, .inputs, .outputs, .names and .end")]
    Construct(String),
    /// A row that does not fit its table.
    #[error("“{0}” is not a row of this table")]
    Row(String),
    /// A signal that is driven twice.
    #[error("“{0}” is driven twice")]
    DrivenTwice(String),
    /// A signal that nothing drives.
    #[error("nothing drives “{0}”")]
    Undriven(String),
    /// A signal that depends on itself.
    #[error("“{0}” depends on itself")]
    Cycle(String),
    /// More signals than can be read.
    #[error("more than {0} signals or gates")]
    TooLarge(usize),
}

/// A signal's rows: the output is 1 if a row matches, or 0 if the rows say so.
struct Table<'a> {
    line: usize,
    inputs: Vec<&'a str>,
    rows: Vec<&'a str>,
    on: Option<bool>,
}

/// Reads a file of at most `max_signals` signals.
///
/// Errors: [`BlifError`] with the line.
pub fn read(text: &str, max_signals: usize) -> Result<Circuit, BlifError> {
    let mut model = Model::default();
    for (line, fields) in logical_lines(text) {
        if model.tables.len() > max_signals || model.inputs.len() > max_signals {
            return Err(BlifError { line, problem: BlifProblem::TooLarge(max_signals) });
        }
        if !model.line(line, &fields).map_err(|problem| BlifError { line, problem })? {
            break;
        }
    }
    model.circuit(max_signals)
}

/// The fields of each line that is not blank, without comments and with continued lines joined, and the
/// line's number.
fn logical_lines(text: &str) -> impl Iterator<Item = (usize, Vec<&str>)> {
    let mut lines = text.lines().enumerate();
    std::iter::from_fn(move || {
        let (mut fields, mut number) = (Vec::new(), 0);
        for (index, line) in lines.by_ref() {
            number = if fields.is_empty() { index + 1 } else { number };
            let line = line.split('#').next().unwrap_or_default().trim_end();
            let (line, goes_on) = line.strip_suffix('\\').map_or((line, false), |line| (line, true));
            fields.extend(line.split_ascii_whitespace());
            if !goes_on && !fields.is_empty() {
                return Some((number, fields));
            }
        }
        (!fields.is_empty()).then_some((number, fields))
    })
}

#[derive(Default)]
struct Model<'a> {
    inputs: Vec<(usize, &'a str)>,
    outputs: Vec<(usize, &'a str)>,
    tables: Vec<(&'a str, Table<'a>)>,
}

fn quoted(text: &str) -> String {
    text.chars().take(40).collect()
}

impl<'a> Model<'a> {
    /// Processes a line; returns whether more may follow.
    fn line(&mut self, line: usize, fields: &[&'a str]) -> Result<bool, BlifProblem> {
        match fields {
            [".model", ..] => {}
            [".inputs", names @ ..] => self.inputs.extend(names.iter().map(|name| (line, *name))),
            [".outputs", names @ ..] => self.outputs.extend(names.iter().map(|name| (line, *name))),
            [".names", inputs @ .., output] => {
                let table = Table { line, inputs: inputs.to_vec(), rows: Vec::new(), on: None };
                self.tables.push((*output, table));
            }
            [".end", ..] => return Ok(false),
            [row @ .., value] => match self.tables.last_mut() {
                Some((_, table)) if !fields[0].starts_with('.') => table.row(row, value)?,
                _ => return Err(BlifProblem::Construct(quoted(fields[0]))),
            },
            [] => {}
        }
        Ok(true)
    }

    fn circuit(&self, max_signals: usize) -> Result<Circuit, BlifError> {
        let fail = |line: usize, problem: BlifProblem| BlifError { line, problem };
        let mut builder = CircuitBuilder::with_limit(max_signals.saturating_mul(16));
        let mut lits: HashMap<&str, Lit> = HashMap::new();
        let input = builder.input(self.inputs.len() as u32);
        for ((line, name), lit) in self.inputs.iter().zip(input) {
            if lits.insert(*name, lit).is_some() {
                return Err(fail(*line, BlifProblem::DrivenTwice(quoted(name))));
            }
        }
        let mut tables: HashMap<&str, &Table<'a>> = HashMap::new();
        for (name, table) in &self.tables {
            if lits.contains_key(name) || tables.insert(name, table).is_some() {
                return Err(fail(table.line, BlifProblem::DrivenTwice(quoted(name))));
            }
        }
        let mut output = Vec::with_capacity(self.outputs.len());
        for (line, name) in &self.outputs {
            resolve(&mut builder, &tables, &mut lits, (*line, name))?;
            output.push(lits[name]);
        }
        builder.finish(vec![output]).map_err(|_| fail(1, BlifProblem::TooLarge(max_signals)))
    }
}

/// Writes the gates of a signal and of everything that it depends on.
fn resolve<'a>(
    builder: &mut CircuitBuilder,
    tables: &HashMap<&'a str, &Table<'a>>,
    lits: &mut HashMap<&'a str, Lit>,
    (line, name): (usize, &'a str),
) -> Result<(), BlifError> {
    // Signals whose operands are being written, each with the number of operands already written.
    let mut open: Vec<(&'a str, usize, usize)> = vec![(name, 0, line)];
    let mut opened = HashSet::from([name]);
    while let Some((name, next, line)) = open.pop() {
        if lits.contains_key(name) {
            continue;
        }
        let fail = |problem: BlifProblem| BlifError { line, problem };
        let table = tables.get(name).ok_or_else(|| fail(BlifProblem::Undriven(quoted(name))))?;
        match table.inputs.get(next) {
            Some(operand) => {
                open.push((name, next + 1, line));
                if !lits.contains_key(operand) {
                    if !opened.insert(*operand) {
                        return Err(BlifError {
                            line: table.line,
                            problem: BlifProblem::Cycle(quoted(operand)),
                        });
                    }
                    open.push((operand, 0, table.line));
                }
            }
            None => {
                let lit = table.write(builder, lits);
                lits.insert(name, lit);
            }
        }
    }
    Ok(())
}

impl<'a> Table<'a> {
    fn row(&mut self, row: &[&'a str], value: &'a str) -> Result<(), BlifProblem> {
        let wrong = || BlifProblem::Row(quoted(row.first().unwrap_or(&value)));
        let row = match row {
            [] => "",
            [row] => row,
            _ => return Err(wrong()),
        };
        let on = match value {
            "1" => true,
            "0" => false,
            _ => return Err(wrong()),
        };
        let fits = row.len() == self.inputs.len() && row.bytes().all(|byte| b"01-".contains(&byte));
        if !fits || self.on.is_some_and(|before| before != on) {
            return Err(wrong());
        }
        self.on = Some(on);
        self.rows.push(row);
        Ok(())
    }

    fn write(&self, builder: &mut CircuitBuilder, lits: &HashMap<&str, Lit>) -> Lit {
        let inputs: Vec<Lit> = self.inputs.iter().map(|name| lits[name]).collect();
        let mut any = Lit::FALSE;
        for row in &self.rows {
            let mut all = Lit::TRUE;
            for (lit, byte) in inputs.iter().zip(row.bytes()).filter(|(_, byte)| *byte != b'-') {
                all = builder.and(all, lit.flip(byte == b'0'));
            }
            any = builder.or(any, all);
        }
        any.flip(self.on == Some(false))
    }
}
