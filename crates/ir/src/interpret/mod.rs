//! Programs in the clear: the reference that every back end is tested against.

mod elements;
mod lane;
mod netlist;
mod operation;
mod segment;
#[cfg(test)]
mod tests;
mod vector;

use std::fmt;

use crate::{Body, Operation, Program, Type, ValidateError, ValueId, ValueType, Words};
use vector::Layout;

/// Why a program was not interpreted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InterpretError {
    /// The program is not valid.
    #[error(transparent)]
    Invalid(#[from] ValidateError),
    /// The number of inputs differs from that of input ports, or the number of columns in one of them.
    #[error("{what} has {given} values where the program takes {wanted}")]
    Count {
        /// The inputs, or one of them.
        what: String,
        /// The number given.
        given: usize,
        /// The number expected.
        wanted: usize,
    },
    /// A column of an input has another type.
    #[error("column {column} of input `{name}` is {given} where the program takes {wanted}")]
    Column {
        /// The input.
        name: String,
        /// The index of the column.
        column: usize,
        /// The type given.
        given: ValueType,
        /// The type expected.
        wanted: ValueType,
    },
    /// A value does not fit in memory.
    #[error("a value of {limbs} limbs does not fit in memory")]
    Memory {
        /// Its size in 64-bit limbs.
        limbs: usize,
    },
}

/// Runs a program in the clear.
///
/// `inputs` holds the columns of every input port; the result holds those of every output port. `draw`
/// returns uniformly random 64-bit numbers for [`crate::Op::Random`].
///
/// Cost: linear in the number of executed operations. Memory holds the values of every template once,
/// whatever the number of iterations; large values are dropped after their last use.
/// Errors: an invalid program, or inputs that are not of the ports' types.
pub fn interpret(
    program: &Program,
    inputs: &[Vec<Words>],
    draw: impl FnMut() -> u64,
) -> Result<Vec<Vec<Words>>, InterpretError> {
    Interpreter::new(program)?.run(inputs, draw)
}

/// A program ready to run in the clear, many times.
#[derive(Debug)]
pub struct Interpreter<'p> {
    program: &'p Program,
    templates: Vec<Prepared>,
    frames: Vec<Frame>,
}

/// The properties of a template that running it needs.
#[derive(Debug)]
struct Prepared {
    /// The memory layout of each value; for a netlist, of the parameters, then of the results.
    layouts: Vec<Layout>,
    /// Large values, with the operation that uses each last.
    drops: Vec<(usize, ValueId)>,
}

/// The values of a template while it runs. A template runs at most once at a time, since it applies only
/// earlier templates, so there is one frame for each.
#[derive(Default)]
struct Frame {
    values: Vec<Vec<u64>>,
}

/// The values of a run are inputs and derived from inputs, so they are hidden.
impl fmt::Debug for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Frame({} values)", self.values.len())
    }
}

/// Values of at least this many limbs are dropped after their last use rather than kept for the next
/// iteration.
const LARGE: usize = 4096;

impl<'p> Interpreter<'p> {
    /// Prepares a program.
    ///
    /// Errors: as [`Program::validate`].
    pub fn new(program: &'p Program) -> Result<Self, ValidateError> {
        let types = program.all_value_types()?;
        let templates: Vec<_> = types
            .into_iter()
            .zip(&program.templates)
            .map(|(mut types, template)| {
                if let Body::Netlist(_) = template.body {
                    types.extend(&template.results);
                }
                let layouts: Vec<_> = types.into_iter().map(|ty| layout(program, ty)).collect();
                let drops = drops(&template.body, &layouts, template.parameters.len());
                Prepared { layouts, drops }
            })
            .collect();
        let frames = templates.iter().map(|_| Frame::default()).collect();
        Ok(Interpreter { program, templates, frames })
    }

    /// Runs the program on the columns of every input port; returns those of every output port.
    ///
    /// Errors: inputs that are not of the ports' types.
    pub fn run(
        &mut self,
        inputs: &[Vec<Words>],
        mut draw: impl FnMut() -> u64,
    ) -> Result<Vec<Vec<Words>>, InterpretError> {
        check_inputs(self.program, inputs)?;
        let columns = |port: &crate::OutputPort| port.shape.columns();
        let zero = |column: crate::Column| Words::zero(column.bits, column.lanes);
        let outputs =
            self.program.outputs.iter().map(|port| columns(port).into_iter().map(zero).collect()).collect();
        let (program, templates) = (self.program, &self.templates);
        let mut run = Run { program, templates, inputs, outputs, draw: &mut draw };
        run.template(&mut self.frames[..=program.main.index()])?;
        Ok(run.outputs)
    }
}

fn layout(program: &Program, ty: ValueType) -> Layout {
    let (bits, field) = match ty.ty {
        Type::Word(bits) => (bits, None),
        Type::Field(field) => (program.fields[field.index()].bits(), Some(field)),
    };
    Layout { bits, limbs: bits.div_ceil(64) as usize, lanes: ty.lanes, field }
}

/// The large values of a body that are neither parameters nor results, with the operations that use them last.
fn drops(body: &Body, layouts: &[Layout], parameters: usize) -> Vec<(usize, ValueId)> {
    let Body::Operations { operations, results } = body else {
        return Vec::new();
    };
    let mut last_use = vec![None; layouts.len()];
    for (number, operation) in operations.iter().enumerate() {
        operation.op.for_each_operand(|value| last_use[value.index()] = Some(number));
    }
    results.iter().for_each(|value| last_use[value.index()] = None);
    let mut drops: Vec<_> = (parameters..layouts.len())
        .filter(|value| layouts[*value].size() >= LARGE)
        .filter_map(|value| Some((last_use[value]?, ValueId(value as u32))))
        .collect();
    drops.sort_unstable();
    drops
}

fn check_inputs(program: &Program, inputs: &[Vec<Words>]) -> Result<(), InterpretError> {
    let count = |what: &str, given, wanted| match given == wanted {
        true => Ok(()),
        false => Err(InterpretError::Count { what: what.to_owned(), given, wanted }),
    };
    count("the list of inputs", inputs.len(), program.inputs.len())?;
    for (port, given) in program.inputs.iter().zip(inputs) {
        let columns = port.shape.columns();
        count(&format!("input `{}`", port.name), given.len(), columns.len())?;
        for (number, (column, words)) in columns.into_iter().zip(given).enumerate() {
            let (wanted, given) = (column.value_type(), words.value_type());
            if wanted != given {
                return Err(InterpretError::Column {
                    name: port.name.clone(),
                    column: number,
                    given,
                    wanted,
                });
            }
        }
    }
    Ok(())
}

/// A run in progress.
struct Run<'r> {
    program: &'r Program,
    templates: &'r [Prepared],
    inputs: &'r [Vec<Words>],
    outputs: Vec<Vec<Words>>,
    draw: &'r mut dyn FnMut() -> u64,
}

impl Run<'_> {
    /// Runs the template of the last frame, whose parameters are in place; the earlier frames are free for
    /// the templates that it applies.
    fn template(&mut self, frames: &mut [Frame]) -> Result<(), InterpretError> {
        let Some((frame, below)) = frames.split_last_mut() else { return Ok(()) };
        let (program, templates) = (self.program, self.templates);
        let (template, prepared) = (&program.templates[below.len()], &templates[below.len()]);
        frame.values.resize_with(prepared.layouts.len(), Vec::new);
        match &template.body {
            Body::Netlist(netlist) => {
                let (parameters, results) = frame.values.split_at_mut(template.parameters.len());
                netlist::run(netlist, &prepared.layouts, parameters, results)
            }
            Body::Operations { operations, .. } => {
                self.operations(operations, template.parameters.len(), prepared, &mut frame.values, below)
            }
        }
    }

    fn operations(
        &mut self,
        operations: &[Operation],
        parameters: usize,
        prepared: &Prepared,
        values: &mut [Vec<u64>],
        below: &mut [Frame],
    ) -> Result<(), InterpretError> {
        let mut next = parameters;
        let mut drops = prepared.drops.iter().peekable();
        for (number, operation) in operations.iter().enumerate() {
            let (before, after) = values.split_at_mut(next);
            next += self.operation(&operation.op, &prepared.layouts, before, after, below)?;
            while let Some((_, value)) = drops.next_if(|(last, _)| *last == number) {
                values[value.index()] = Vec::new();
            }
        }
        Ok(())
    }
}
