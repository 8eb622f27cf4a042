//! Writing the text form.

use std::fmt::{self, Display, Write};

use crate::{
    Body, Field, Index, Netlist, NetlistGate, Op, Program, RoleId, Shape, Template, TemplateId, Type,
    ValueId, ValueType, Words,
};

pub(super) fn program(program: &Program) -> String {
    let mut text = String::new();
    write_program(&mut text, program).expect("a string takes any text");
    text
}

fn write_program(text: &mut String, program: &Program) -> fmt::Result {
    writeln!(text, "tacit 1 {}", Quoted(&program.name))?;
    for role in &program.roles {
        writeln!(text, "role {}", Quoted(role))?;
    }
    for field in &program.fields {
        match field {
            Field::Prime(limbs) => writeln!(text, "field prime {}", Hex(limbs))?,
            Field::Gf256 => writeln!(text, "field gf256")?,
        }
    }
    let role = |id: &RoleId| Quoted(program.roles.get(id.index()).map_or("", String::as_str));
    for port in &program.inputs {
        writeln!(text, "input {} of {} : {}", Quoted(&port.name), role(&port.role), Form(&port.shape))?;
    }
    for port in &program.outputs {
        let roles: Vec<_> = port.roles.iter().map(role).collect();
        writeln!(text, "output {} to {} : {}", Quoted(&port.name), List(&roles), Form(&port.shape))?;
    }
    let types = program.all_value_types().unwrap_or_default();
    for (number, template) in program.templates.iter().enumerate() {
        let id = TemplateId(number as u32);
        write_template(text, program, id, template, types.get(number).map_or(&[], Vec::as_slice))?;
    }
    Ok(())
}

fn write_template(
    text: &mut String,
    program: &Program,
    id: TemplateId,
    template: &Template,
    types: &[ValueType],
) -> fmt::Result {
    let keyword = match &template.body {
        Body::Netlist(_) => "netlist",
        Body::Operations { .. } if id == program.main => "main",
        Body::Operations { .. } => "template",
    };
    let (parameters, results) = (List(&template.parameters), List(&template.results));
    writeln!(text, "\n{keyword} {id} {} ({parameters}) -> ({results}) {{", Quoted(&template.name))?;
    match &template.body {
        Body::Netlist(netlist) => write_gates(text, netlist, template)?,
        Body::Operations { operations, results } => {
            let mut next = template.parameters.len();
            for operation in operations {
                let count = operation.op.result_count(&program.templates);
                write_results(text, next, count)?;
                write!(text, "{}", operation.op.name())?;
                write_operands(text, &operation.op)?;
                if let Some(types @ [_, ..]) = types.get(next..next + count) {
                    write!(text, " : {}", List(types))?;
                }
                if operation.line > 0 {
                    write!(text, " ; line {}", operation.line)?;
                }
                writeln!(text)?;
                next += count;
            }
            write_return(text, results)?;
        }
    }
    writeln!(text, "}}")
}

fn write_results(text: &mut String, first: usize, count: usize) -> fmt::Result {
    let results: Vec<_> = (first..first + count).map(|value| ValueId(value as u32)).collect();
    match count {
        0 => write!(text, "  "),
        _ => write!(text, "  {} = ", List(&results)),
    }
}

/// The text after the name of an operation, beginning with a space.
fn write_operands(text: &mut String, op: &Op) -> fmt::Result {
    match op {
        Op::Constant(words) => write!(text, " {} [{}]", Type::Word(words.bits()), Lanes(words)),
        Op::Input { port, column } => write!(text, " {}.{column}", port.0),
        Op::Output { port, column, value } => write!(text, " {}.{column}, {value}", port.0),
        Op::ShiftBy(_, value, amount) => write!(text, " {value}, {amount}"),
        Op::Extend { value, bits, .. } => write!(text, " {value}, {bits}"),
        Op::Slice { value, low, bits } => write!(text, " {value}, {low}, {bits}"),
        Op::Gather(value, index) => write!(text, " {value}, {}", Positions(index)),
        Op::SegmentSum { value, length }
        | Op::Scan { value, length, .. }
        | Op::ArgMin { value, length, .. } => {
            write!(text, " {value}, {length}")
        }
        Op::MatrixProduct { left, right, batch, rows, inner, columns } => {
            write!(text, " {left}, {right}, {batch}, {rows}, {inner}, {columns}")
        }
        Op::Sort { key, payloads, length, .. } => write!(text, " {key}, [{}], {length}", List(payloads)),
        Op::Random(ty) => write!(text, " {ty}"),
        Op::Call { template, arguments } => write!(text, " {template}, [{}]", List(arguments)),
        Op::Map { template, lanes, arguments } => write!(text, " {template}, {lanes}, [{}]", List(arguments)),
        Op::Iterate { template, count, carried, invariant, sliced } => {
            let [carried, invariant, sliced] = [carried, invariant, sliced].map(|values| List(values));
            write!(
                text,
                " {template}, {count}, carried [{carried}], invariant [{invariant}], sliced [{sliced}]"
            )
        }
        Op::Open(_)
        | Op::Pin(..)
        | Op::Unary(..)
        | Op::Binary(..)
        | Op::Shift(..)
        | Op::Compare(..)
        | Op::Select(..)
        | Op::Concat(_)
        | Op::Join(_)
        | Op::Permute { .. }
        | Op::Lookup { .. }
        | Op::Update { .. } => {
            let mut operands = Vec::new();
            op.for_each_operand(|value| operands.push(value));
            write!(text, " {}", List(&operands))
        }
    }
}

fn write_gates(text: &mut String, netlist: &Netlist, template: &Template) -> fmt::Result {
    let bits = |ty: &ValueType| match ty.ty {
        Type::Word(bits) => u64::from(bits).saturating_mul(ty.lanes),
        Type::Field(_) => 0,
    };
    let inputs = template.parameters.iter().map(bits).fold(0, u64::saturating_add);
    for (gate, wire) in netlist.gates.iter().zip(inputs..) {
        match gate {
            NetlistGate::Xor(a, b) => writeln!(text, "  {wire} = xor {a}, {b}")?,
            NetlistGate::And(a, b) => writeln!(text, "  {wire} = and {a}, {b}")?,
            NetlistGate::Not(a) => writeln!(text, "  {wire} = not {a}")?,
            NetlistGate::Constant(value) => writeln!(text, "  {wire} = {value}")?,
        }
    }
    let outputs: Vec<_> = netlist.outputs.iter().map(|wires| format!("[{}]", List(wires))).collect();
    write_return(text, &outputs)
}

fn write_return(text: &mut String, results: &[impl Display]) -> fmt::Result {
    match results {
        [] => writeln!(text, "  return"),
        results => writeln!(text, "  return {}", List(results)),
    }
}

/// Items separated by commas.
struct List<'a, T>(&'a [T]);

impl<T: Display> Display for List<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, item) in self.0.iter().enumerate() {
            f.write_str(if number > 0 { ", " } else { "" })?;
            item.fmt(f)?;
        }
        Ok(())
    }
}

/// A name in quotes, written as in JSON.
struct Quoted<'a>(&'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", serde_json::Value::from(self.0))
    }
}

/// A number of any size in hexadecimal, from its limbs.
struct Hex<'a>(&'a [u64]);

impl Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", crate::field::from_limbs(self.0))
    }
}

/// The lanes of a constant. Those of more than 64 bits are written in full, so that a reader never needs more
/// memory than a multiple of the text's length.
struct Lanes<'a>(&'a Words);

impl Display for Lanes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.0.bits().div_ceil(4) as usize;
        for lane in 0..self.0.lanes() {
            f.write_str(if lane > 0 { ", " } else { "" })?;
            match self.0.lane(lane) {
                [limb] => write!(f, "{limb:#x}")?,
                limbs => write!(f, "0x{:0digits$x}", crate::field::from_limbs(limbs))?,
            }
        }
        Ok(())
    }
}

/// The positions of a gather.
struct Positions<'a>(&'a Index);

impl Display for Positions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Index::List(positions) => write!(f, "[{}]", List(positions)),
            Index::Range { start, step, count } => write!(f, "range({start}, {step}, {count})"),
            Index::Repeat { each, tiles } => write!(f, "repeat({each}, {tiles})"),
        }
    }
}

/// A shape.
struct Form<'a>(&'a Shape);

impl Display for Form<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Shape::Integer { bits, signed } => write!(f, "{}{bits}", if *signed { 'i' } else { 'u' }),
            Shape::Float { bits } => write!(f, "f{bits}"),
            Shape::Array { length, element } => write!(f, "[{length}] {}", Form(element)),
            Shape::Struct(members) => {
                let member = |(name, shape): &(String, Shape)| format!("{}: {}", Quoted(name), Form(shape));
                write!(f, "{{{}}}", List(&members.iter().map(member).collect::<Vec<_>>()))
            }
        }
    }
}
