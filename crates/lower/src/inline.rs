//! Writes operations, including applied templates, as gates of one circuit.

use std::borrow::Cow;

use tacit_circuit::{CircuitBuilder, Lit};
use tacit_ir::{
    Body, Netlist, NetlistGate, Op, Operation, Program, Template, TemplateId, ValueId, ValueType,
};

use crate::cost::{self, Profile};
use crate::error::LowerError;
use crate::sums;
use crate::tiles::Parts;
use crate::wires::Wires;
use crate::words;

/// The context in which every circuit of a program is written.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) program: &'a Program,
    /// Types of the values of every template.
    pub(crate) types: &'a [Vec<ValueType>],
    pub(crate) profiles: &'a [Profile],
    /// The most nodes of a circuit.
    pub(crate) limit: usize,
    /// The inputs and outputs of `main` that are taken and given in parts.
    pub(crate) parts: &'a Parts,
}

impl<'a> Context<'a> {
    pub(crate) fn template(&self, template: TemplateId) -> &'a Template {
        &self.program.templates[template.index()]
    }

    /// Number of values an operation defines.
    pub(crate) fn result_count(&self, op: &Op) -> u32 {
        op.result_count(&self.program.templates) as u32
    }

    /// The error of an operation that does not fit in the circuit.
    pub(crate) fn too_large(&self, template: TemplateId, operation: &Operation) -> LowerError {
        LowerError::TooLarge {
            template: self.template(template).name.clone(),
            line: operation.line,
            operation: operation.op.name(),
            limit: self.limit,
        }
    }

    pub(crate) fn unsupported(
        &self,
        template: TemplateId,
        operation: &Operation,
        reason: &'static str,
    ) -> LowerError {
        LowerError::Unsupported {
            template: self.template(template).name.clone(),
            line: operation.line,
            operation: operation.op.name(),
            reason,
        }
    }

    /// Writes one operation of a template, or one instance's share of it if `shares` instances share it. Its
    /// result may stay a sum if `defer` holds.
    pub(crate) fn operation(
        &self,
        builder: &mut CircuitBuilder,
        (template, operation): (TemplateId, &Operation),
        operands: &[&Wires],
        shares: u64,
        defer: bool,
    ) -> Result<Vec<Wires>, LowerError> {
        let types = &self.types[template.index()];
        let too_large = || self.too_large(template, operation);
        let ands = match operation.op.template() {
            Some(_) => 0,
            None => cost::ands(&operation.op, types, self.profiles, shares),
        };
        if ands.max(cost::result_size(&operation.op, types, shares)) > self.limit as u64 {
            return Err(too_large());
        }
        if let Some(sum) = sums::write(builder, &operation.op, operands, defer) {
            return if builder.is_full() { Err(too_large()) } else { Ok(vec![sum]) };
        }
        let settled: Vec<Cow<'_, Wires>> = operands.iter().map(|operand| operand.settle(builder)).collect();
        let operands = &settled.iter().map(AsRef::as_ref).collect::<Vec<&Wires>>()[..];
        let results = match &operation.op {
            Op::Constant(words) => Some(vec![Wires::constant(words, 0, words.lanes())]),
            Op::Call { template, .. } => Some(self.apply(builder, *template, operands)?),
            Op::Map { template, lanes, .. } => {
                Some(self.map(builder, *template, (lanes / shares) as usize, operands)?)
            }
            Op::Iterate { template, count, carried, invariant, .. } => {
                let (carried, rest) = operands.split_at(carried.len());
                Some(self.iterate(builder, *template, *count, carried, rest.split_at(invariant.len()))?)
            }
            op => words::write(builder, op, operands, shares),
        };
        match results {
            _ if builder.is_full() => Err(too_large()),
            Some(results) => Ok(results),
            None => Err(self.unsupported(template, operation, "has no Boolean circuit")),
        }
    }

    /// Writes a whole template.
    pub(crate) fn apply(
        &self,
        builder: &mut CircuitBuilder,
        template: TemplateId,
        arguments: &[&Wires],
    ) -> Result<Vec<Wires>, LowerError> {
        let body = self.template(template);
        match &body.body {
            Body::Netlist(netlist) => {
                let wires = arguments.iter().flat_map(|argument| argument.lits()).copied().collect();
                Ok(write_netlist(builder, netlist, &body.results, wires))
            }
            Body::Operations { operations, results } => {
                let mut values = Values::new(*self, operations, results, arguments);
                for operation in operations {
                    values.write(*self, builder, (template, operation))?;
                }
                Ok(results.iter().map(|value| values.take(*value)).collect())
            }
        }
    }

    /// Writes `main`, from the columns of all inputs to those of all outputs.
    pub(crate) fn main(
        &self,
        builder: &mut CircuitBuilder,
        inputs: &[Vec<Wires>],
    ) -> Result<Vec<Vec<Wires>>, LowerError> {
        let columns =
            |port: &tacit_ir::OutputPort| vec![Wires::new(1, Vec::new()); port.shape.columns().len()];
        let mut outputs: Vec<Vec<Wires>> = self.program.outputs.iter().map(columns).collect();
        let main = self.program.main;
        if let Body::Operations { operations, results } = &self.template(main).body {
            let mut values = Values::new(*self, operations, results, &[]);
            for operation in operations {
                match operation.op {
                    Op::Input { port, column } => {
                        values.define(vec![inputs[port.index()][column as usize].clone()]);
                    }
                    Op::Output { port, column, value } => {
                        outputs[port.index()][column as usize] = values.take(value);
                    }
                    _ => values.write(*self, builder, (main, operation))?,
                }
            }
        }
        Ok(outputs)
    }

    fn map(
        &self,
        builder: &mut CircuitBuilder,
        template: TemplateId,
        lanes: usize,
        arguments: &[&Wires],
    ) -> Result<Vec<Wires>, LowerError> {
        let mut stacks = Stacks::default();
        for lane in 0..lanes {
            let shares: Vec<Wires> = arguments.iter().map(|argument| argument.share(lane, lanes)).collect();
            stacks.push(self.apply(builder, template, &shares.iter().collect::<Vec<_>>())?);
        }
        Ok(stacks.finish())
    }

    fn iterate(
        &self,
        builder: &mut CircuitBuilder,
        template: TemplateId,
        count: u64,
        carried: &[&Wires],
        (invariant, sliced): (&[&Wires], &[&Wires]),
    ) -> Result<Vec<Wires>, LowerError> {
        let mut carried: Vec<Wires> = carried.iter().map(|value| (*value).clone()).collect();
        let mut stacks = Stacks::default();
        for iteration in 0..count as usize {
            let slices: Vec<Wires> =
                sliced.iter().map(|value| value.share(iteration, count as usize)).collect();
            let arguments: Vec<&Wires> =
                carried.iter().chain(invariant.iter().copied()).chain(slices.iter()).collect();
            let mut results = self.apply(builder, template, &arguments)?;
            stacks.push(results.split_off(carried.len()));
            carried = results;
        }
        carried.extend(stacks.finish());
        Ok(carried)
    }
}

/// Values that grow by some lanes at a time.
#[derive(Default)]
struct Stacks(Vec<(usize, Vec<Lit>)>);

impl Stacks {
    fn push(&mut self, values: Vec<Wires>) {
        self.0.resize_with(values.len(), Default::default);
        for ((bits, stack), value) in self.0.iter_mut().zip(values) {
            *bits = value.bits();
            stack.extend(value.into_lits());
        }
    }

    fn finish(self) -> Vec<Wires> {
        self.0.into_iter().map(|(bits, lits)| Wires::new(bits, lits)).collect()
    }
}

/// The values of a template while it is written; each is dropped after its last use.
struct Values {
    wires: Vec<Option<std::rc::Rc<Wires>>>,
    uses: Vec<u32>,
    /// Values that may stay sums.
    deferrable: Vec<bool>,
}

impl Values {
    fn new(
        context: Context<'_>,
        operations: &[Operation],
        results: &[ValueId],
        arguments: &[&Wires],
    ) -> Self {
        let mut count = arguments.len() as u32;
        let mut first_result = Vec::with_capacity(operations.len());
        for operation in operations {
            first_result.push(count);
            count += context.result_count(&operation.op);
        }
        let deferrable = sums::deferrable(operations, &first_result, results, count as usize);
        let mut uses = vec![0; arguments.len()];
        let mut count = |value: ValueId| {
            uses.resize(uses.len().max(value.index() + 1), 0);
            uses[value.index()] += 1;
        };
        operations.iter().for_each(|operation| operation.op.for_each_operand(&mut count));
        results.iter().for_each(|value| count(*value));
        let wires = arguments.iter().map(|argument| Some(std::rc::Rc::new((*argument).clone()))).collect();
        Values { wires, uses, deferrable }
    }

    /// The operands in order; those used for the last time are removed.
    fn operands(&mut self, op: &Op) -> Vec<std::rc::Rc<Wires>> {
        let mut operands = Vec::new();
        op.for_each_operand(|value| operands.extend(self.read(value)));
        operands
    }

    fn read(&mut self, value: ValueId) -> Option<std::rc::Rc<Wires>> {
        let uses = &mut self.uses[value.index()];
        *uses -= 1;
        match uses {
            0 => self.wires[value.index()].take(),
            _ => self.wires[value.index()].clone(),
        }
    }

    fn take(&mut self, value: ValueId) -> Wires {
        self.read(value).map_or(Wires::new(1, Vec::new()), std::rc::Rc::unwrap_or_clone)
    }

    /// Writes one operation and defines its results.
    fn write(
        &mut self,
        context: Context<'_>,
        builder: &mut CircuitBuilder,
        origin: (TemplateId, &Operation),
    ) -> Result<(), LowerError> {
        let operands = self.operands(&origin.1.op);
        let refs: Vec<&Wires> = operands.iter().map(AsRef::as_ref).collect();
        let defer = self.deferrable.get(self.wires.len()).is_some_and(|defer| *defer);
        let written = context.operation(builder, origin, &refs, 1, defer)?;
        self.define(written);
        Ok(())
    }

    fn define(&mut self, results: Vec<Wires>) {
        for wires in results {
            let used = self.uses.get(self.wires.len()).is_some_and(|uses| *uses > 0);
            self.wires.push(used.then(|| std::rc::Rc::new(wires)));
        }
    }
}

fn write_netlist(
    builder: &mut CircuitBuilder,
    netlist: &Netlist,
    results: &[ValueType],
    mut wires: Vec<Lit>,
) -> Vec<Wires> {
    wires.reserve(netlist.gates.len());
    for gate in &netlist.gates {
        let lit = match *gate {
            NetlistGate::Xor(a, b) => builder.xor(wires[a as usize], wires[b as usize]),
            NetlistGate::And(a, b) => builder.and(wires[a as usize], wires[b as usize]),
            NetlistGate::Not(a) => !wires[a as usize],
            NetlistGate::Constant(bit) => Lit::constant(bit),
        };
        wires.push(lit);
    }
    let read = |output: &Vec<u32>| output.iter().map(|wire| wires[*wire as usize]).collect();
    let pairs = netlist.outputs.iter().zip(results);
    pairs.map(|(output, ty)| Wires::new((cost::size(*ty) / ty.lanes) as usize, read(output))).collect()
}

impl Context<'_> {
    /// A whole template as one circuit: its parameters in, its results out, one group each.
    pub(crate) fn circuit_of(&self, template: TemplateId) -> Result<tacit_circuit::Circuit, LowerError> {
        let body = self.template(template);
        let too_large = || LowerError::TooLarge {
            template: body.name.clone(),
            line: 0,
            operation: "netlist",
            limit: self.limit,
        };
        if body.parameters.iter().any(|ty| cost::size(*ty) > self.limit as u64) {
            return Err(too_large());
        }
        let mut builder = CircuitBuilder::with_limit(self.limit);
        let input = |ty: &ValueType| {
            Wires::new((cost::size(*ty) / ty.lanes) as usize, builder.input(cost::size(*ty) as u32))
        };
        let arguments: Vec<Wires> = body.parameters.iter().map(input).collect();
        let results = self.apply(&mut builder, template, &arguments.iter().collect::<Vec<_>>())?;
        builder.finish(results.into_iter().map(Wires::into_lits).collect()).map_err(|_| too_large())
    }
}
