//! Operations that run together, as a program of their own.
//!
//! A segment's program has one role, [`CARRIED`], which gives the values that earlier segments left live and receives those that
//! later ones need: the parameters and results of the segment. So it is a program like any other: it is lowered, laid out, hashed
//! and interpreted in the same way.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use tacit_ir::{
    Body, InputPort, Op, Operation, OutputPort, PortId, Program, RoleId, Shape, Template, TemplateId, Type,
    ValueId, ValueType,
};
use tacit_lower::{LowerError, Options, lower};
use tacit_schedule::{Layout, Schedule};

use super::error::LiveError;
use super::library::{Collected, renumber};
use super::script::Calculation;
use super::value::Cell;

/// The role of values that are live between segments.
pub(super) const CARRIED: &str = "kept";

/// A segment, written and planned.
pub(super) struct Segment {
    pub schedule: Schedule,
    pub layout: Layout,
    pub hash: [u8; 32],
    /// Its input values, port by port.
    pub inputs: Vec<Arc<Cell>>,
    /// Its output values, port by port.
    pub outputs: Vec<Arc<Cell>>,
}

/// A segment that is written but not planned.
pub(super) struct Draft {
    program: Program,
    inputs: Vec<Arc<Cell>>,
    outputs: Vec<Arc<Cell>>,
}

impl Draft {
    /// Writes the program of some operations, in an order in which values are made before they are used. Its outputs
    /// are the results whose keys are in `live`.
    pub fn write<'a>(
        operations: impl Iterator<Item = &'a Calculation>,
        live: &HashSet<usize>,
    ) -> Result<Draft, LiveError> {
        let mut writer = DraftWriter::default();
        operations.into_iter().try_for_each(|operation| writer.operation(operation, live))?;
        let mut templates = writer.collected.templates;
        let main = TemplateId(templates.len() as u32);
        templates.push(Template {
            name: "main".to_owned(),
            parameters: Vec::new(),
            results: Vec::new(),
            body: Body::Operations { operations: writer.operations, results: Vec::new() },
        });
        let role = RoleId(0);
        let shape = |cell: &Arc<Cell>| shape(cell.ty);
        let name = |index: usize| index.to_string();
        let inputs = writer.inputs.iter().enumerate();
        let outputs = writer.outputs.iter().enumerate();
        let program = Program {
            name: "segment".to_owned(),
            roles: vec![CARRIED.to_owned()],
            fields: Vec::new(),
            inputs: inputs
                .map(|(index, cell)| Ok(InputPort { name: name(index), role, shape: shape(cell)? }))
                .collect::<Result<_, LiveError>>()?,
            outputs: outputs
                .map(|(index, cell)| {
                    Ok(OutputPort { name: name(index), roles: vec![role], shape: shape(cell)? })
                })
                .collect::<Result<_, LiveError>>()?,
            templates,
            main,
        };
        Ok(Draft { program, inputs: writer.inputs, outputs: writer.outputs })
    }

    /// Lowers it and lays it out. Equal programs yield equal segments everywhere.
    pub fn plan(self, options: &Options) -> Result<Segment, LowerError> {
        let schedule = lower(&self.program, options)?;
        let layout = Layout::new(&schedule);
        Ok(Segment {
            hash: hash(&self.program, &schedule, &layout),
            layout,
            schedule,
            inputs: self.inputs,
            outputs: self.outputs,
        })
    }
}

/// The hash of a segment that both parties compare: of its program, and of the circuits and chunks that each
/// has made from it.
fn hash(program: &Program, schedule: &Schedule, layout: &Layout) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_derive_key("tacit 2026 segment of a live session, version 1");
    postcard::to_io(&(program.hash(), schedule, layout), &mut hasher)
        .expect("a hasher takes any bytes, and all lengths are known");
    *hasher.finalize().as_bytes()
}

#[derive(Default)]
struct DraftWriter {
    operations: Vec<Operation>,
    values: u32,
    names: HashMap<usize, ValueId>,
    inputs: Vec<Arc<Cell>>,
    outputs: Vec<Arc<Cell>>,
    collected: Collected,
}

impl DraftWriter {
    fn operation(&mut self, calculation: &Calculation, live: &HashSet<usize>) -> Result<(), LiveError> {
        let operands: Vec<ValueId> = calculation.operands.iter().map(|cell| self.operand(cell)).collect();
        let mut op = calculation.op.clone();
        let mut missing = false;
        op.for_each_operand_mut(|value| match operands.get(value.index()) {
            Some(name) => *value = *name,
            None => missing = true,
        });
        if let Some(library) = &calculation.library {
            renumber(&mut op, |id| {
                self.collected.take(library, id).unwrap_or_else(|| {
                    missing = true;
                    id
                })
            });
        }
        if missing {
            return Err(LiveError::Foreign);
        }
        self.push(op);
        for cell in &calculation.results {
            let name = self.named();
            self.names.insert(cell.key(), name);
        }
        for cell in calculation.results.iter().filter(|cell| live.contains(&cell.key())) {
            let port = PortId(self.outputs.len() as u32);
            let value = self.names[&cell.key()];
            self.outputs.push(cell.clone());
            self.push(Op::Output { port, column: 0, value });
        }
        Ok(())
    }

    /// The identity of a cell in this program; a cell from elsewhere becomes an input.
    fn operand(&mut self, cell: &Arc<Cell>) -> ValueId {
        if let Some(name) = self.names.get(&cell.key()) {
            return *name;
        }
        let port = PortId(self.inputs.len() as u32);
        self.inputs.push(cell.clone());
        self.push(Op::Input { port, column: 0 });
        let name = self.named();
        self.names.insert(cell.key(), name);
        name
    }

    /// Source lines are each party's own, and not part of the comparison.
    fn push(&mut self, op: Op) {
        self.operations.push(Operation { op, line: 0 });
    }

    fn named(&mut self) -> ValueId {
        self.values += 1;
        ValueId(self.values - 1)
    }
}

/// The shape of a port.
pub(super) fn shape(ty: ValueType) -> Result<Shape, LiveError> {
    let Type::Word(bits) = ty.ty else { return Err(LiveError::Unsupported { what: "a value of a field" }) };
    let element = Shape::Integer { bits, signed: false };
    match (ty.lanes, u32::try_from(ty.lanes)) {
        (1, _) => Ok(element),
        (_, Ok(length)) => Ok(Shape::Array { length, element: Box::new(element) }),
        _ => Err(LiveError::Unsupported { what: "a value of 2^32 lanes" }),
    }
}
