//! Templates from elsewhere: circuit files, and programs that other front ends wrote.

use tacit_ir::{Body, Op, Program, Shape, Template, TemplateId, ValueId};

use super::error::{TraceError, Traced, kind, shape as bad_shape};
use super::kind::{Kind, Number};
use super::shape;
use super::tracer::Tracer;
use super::value::Value;

impl Tracer {
    /// Applies a circuit, the only template of `program` except `main`, to unsigned integers, one for each of
    /// its inputs; to arrays element by element.
    pub fn apply_circuit(
        &mut self,
        program: &Program,
        name: &str,
        arguments: &[Value],
    ) -> Traced<Vec<Value>> {
        let Some(template @ Template { body: Body::Netlist(netlist), .. }) = program.templates.first() else {
            return Err(TraceError::Usage(format!("{name} is not a circuit file")));
        };
        if template.parameters.len() != arguments.len() {
            return bad_shape(format!(
                "{name} takes {} inputs, not {}",
                template.parameters.len(),
                arguments.len()
            ));
        }
        let key = format!("circuit {name}");
        let id = match self.templates.get(&key) {
            Some(known) => *known,
            None => {
                let (parameters, results) = (template.parameters.clone(), template.results.clone());
                let id = self.builder.add_netlist(name, parameters, results, netlist.clone())?;
                self.templates.insert(key, id);
                id
            }
        };
        let mut dims = Vec::new();
        for value in arguments {
            dims = shape::broadcast(&dims, &value.shape)?;
        }
        let mut words = Vec::with_capacity(arguments.len());
        for (value, ty) in arguments.iter().zip(&template.parameters) {
            let bits = width(*ty)?;
            let number = value.integer(name)?;
            if number.bits > bits {
                return kind(format!("{name} takes {bits} bits; {} is wider", value.kind));
            }
            let spread = self.spread(value, &dims)?;
            words.push(self.resize(spread, number.bits, number.signed, bits)?);
        }
        let op = match shape::size(&dims) {
            1 => Op::Call { template: id, arguments: words },
            lanes => Op::Map { template: id, lanes, arguments: words },
        };
        let ids = self.emit_all(op)?;
        let mut results = Vec::with_capacity(ids.len());
        for (id, ty) in ids.into_iter().zip(&template.results) {
            let kind = Kind::of(Number::uint(width(*ty)?))?;
            results.push(self.value(id, kind, dims.clone()));
        }
        Ok(results)
    }

    /// Applies a whole program, whose inputs become arguments and whose outputs become results.
    pub fn apply_program(
        &mut self,
        program: &Program,
        name: &str,
        arguments: &[Value],
    ) -> Traced<Vec<Value>> {
        let mut given = Vec::with_capacity(arguments.len());
        for (port, value) in program.inputs.iter().zip(arguments) {
            let (wanted, dims) = plain(&port.shape, &port.name)?;
            if value.kind.join(&wanted)? != wanted {
                return kind(format!("{name} takes {} as {wanted}, not {}", port.name, value.kind));
            }
            let same = self.astype(value, &wanted)?;
            let same = self.broadcast_to(&same, dims)?;
            given.push(self.id(&same)?);
        }
        let id = self.program_template(program, name)?;
        let ids = self.emit_all(Op::Call { template: id, arguments: given })?;
        let mut results = Vec::with_capacity(ids.len());
        for (id, port) in ids.into_iter().zip(&program.outputs) {
            let (kind, dims) = plain(&port.shape, &port.name)?;
            results.push(self.value(id, kind, dims));
        }
        Ok(results)
    }

    /// Adds the templates of a program to this one; `main` gets parameters and results in place of its ports.
    pub(super) fn program_template(&mut self, program: &Program, name: &str) -> Traced<TemplateId> {
        let key = format!(
            "program {}",
            program.hash().iter().map(|byte| format!("{byte:02x}")).collect::<String>()
        );
        if let Some(known) = self.templates.get(&key) {
            return Ok(*known);
        }
        if !program.fields.is_empty() {
            return Err(TraceError::Usage(format!(
                "{name} computes in a field; such a program cannot be \
                applied to arrays"
            )));
        }
        let mut numbers: Vec<TemplateId> = Vec::with_capacity(program.templates.len());
        let mut main = None;
        for (number, template) in program.templates.iter().enumerate() {
            if number == program.main.index() {
                main = Some(self.main_template(program, template, name, &numbers)?);
                break;
            }
            numbers.push(self.copied(template, &numbers)?);
        }
        let main = main.ok_or_else(|| TraceError::Usage(format!("{name} has no main")))?;
        self.templates.insert(key, main);
        Ok(main)
    }

    fn copied(&mut self, template: &Template, numbers: &[TemplateId]) -> Traced<TemplateId> {
        match &template.body {
            Body::Netlist(netlist) => {
                let (parameters, results) = (template.parameters.clone(), template.results.clone());
                Ok(self.builder.add_netlist(&template.name, parameters, results, netlist.clone())?)
            }
            Body::Operations { operations, results } => {
                let mut body = self.builder.template(&template.name, template.parameters.clone());
                for operation in operations {
                    body.push(&self.builder, renumbered(&operation.op, numbers))?;
                }
                Ok(self.builder.add(body, results.clone())?)
            }
        }
    }

    fn main_template(
        &mut self,
        program: &Program,
        main: &Template,
        name: &str,
        numbers: &[TemplateId],
    ) -> Traced<TemplateId> {
        let types = program.inputs.iter().map(|port| port.shape.columns()[0].value_type()).collect();
        let mut body = self.builder.template(name, types);
        let parameters = body.parameters();
        let Body::Operations { operations, .. } = &main.body else {
            return Err(TraceError::Usage(format!("{name} is a circuit, not a program")));
        };
        let mut names: Vec<ValueId> = Vec::new();
        let mut results: Vec<ValueId> = vec![ValueId(0); program.outputs.len()];
        for operation in operations {
            match &operation.op {
                Op::Input { port, .. } => names.push(parameters[port.index()]),
                Op::Output { port, value, .. } => results[port.index()] = names[value.index()],
                op => {
                    let mut op = renumbered(op, numbers);
                    op.for_each_operand_mut(|value| *value = names[value.index()]);
                    names.extend(body.push(&self.builder, op)?);
                }
            }
        }
        Ok(self.builder.add(body, results)?)
    }
}

/// An operation that applies the templates by their new numbers.
fn renumbered(op: &Op, numbers: &[TemplateId]) -> Op {
    let mut op = op.clone();
    if let Op::Call { template, .. } | Op::Map { template, .. } | Op::Iterate { template, .. } = &mut op {
        *template = numbers[template.index()];
    }
    op
}

fn width(ty: tacit_ir::ValueType) -> Traced<u32> {
    match ty {
        tacit_ir::ValueType { ty: tacit_ir::Type::Word(bits), lanes: 1 } => Ok(bits),
        _ => kind("the inputs and outputs of a circuit must be single words"),
    }
}

/// The kind and shape of a port that is a number or an array of them.
fn plain(port: &Shape, name: &str) -> Traced<(Kind, Vec<u64>)> {
    let (mut dims, mut rest) = (Vec::new(), port);
    loop {
        match rest {
            Shape::Array { length, element } => {
                dims.push(u64::from(*length));
                rest = element;
            }
            Shape::Integer { bits, signed } => {
                let number = Number { bits: *bits, signed: *signed, point: None };
                return Ok((Kind::of(number)?, dims));
            }
            Shape::Float { bits } => return Ok((Kind::Float(*bits), dims)),
            Shape::Struct(_) => {
                return kind(format!(
                    "{name} is a struct; arguments and results must be \
                numbers or arrays of numbers"
                ));
            }
        }
    }
}
