//! SHDL, the text form of Fairplay's circuits: a line for each wire.
//!
//! ```text
//! 0 input                                         //output$input.alice$0
//! 1 input                                         //output$input.bob$0
//! 2 gate arity 0 table [ 1 ] inputs [ ]
//! 3 gate arity 3 table [ 0 1 1 0 1 0 0 1 ] inputs [ 0 1 2 ]
//! 4 output gate arity 1 table [ 0 1 ] inputs [ 3 ]  //output$output.bob$0
//! ```
//!
//! Entry `i` of a table is the value when the first input carries bit 0 of `i`, the second bit 1, and so on.
//! The file of the same name that ends in `.fmt`, or these comments, say which wires form a number, and
//! whose.

use super::super::{FormatError, PlayersCircuit, Problem};
use super::lines::{Fields, Lines, bits, short};
use super::names::{self, Collector, Named};
use super::netlist::Netlist;

/// Reads a file of at most `max_wires` wires; `names` is the text of the `.fmt` file, if there is one.
///
/// Errors: [`FormatError`] with the line, which is one of the `.fmt` file if the error says so.
pub fn read(text: &str, names: Option<&str>, max_wires: usize) -> Result<PlayersCircuit, FormatError> {
    match names {
        Some(names) => {
            let names = names::read(names).map_err(in_names)?;
            let mut netlist = netlist_with(&names.inputs, text, max_wires).map_err(in_names)?;
            let declared = names.inputs.iter().flat_map(|named| &named.wires).copied().collect();
            gates(text, &mut netlist, Inputs::Declared(declared), &mut None)?;
            finish(netlist, names.outputs).map_err(in_names)
        }
        None => {
            let inputs = commented_inputs(text)?;
            let mut netlist = netlist_with(&inputs, text, max_wires)?;
            let mut outputs = Some(Collector::default());
            gates(text, &mut netlist, Inputs::Commented, &mut outputs)?;
            finish(netlist, outputs.unwrap_or_default().finish()?)
        }
    }
}

/// The same error, for the `.fmt` file.
fn in_names(error: FormatError) -> FormatError {
    FormatError { line: error.line, problem: Problem::InNames(Box::new(error.problem)) }
}

/// Where the inputs are declared: the wires of the `.fmt` file, or comments.
enum Inputs {
    Declared(std::collections::HashSet<usize>),
    Commented,
}

/// A wire of the file.
struct Wire<'a> {
    number: usize,
    kind: Kind,
    /// The comment after it.
    comment: &'a str,
}

enum Kind {
    Input,
    Gate { is_output: bool, table: Vec<bool>, inputs: Vec<usize> },
}

fn wire(line: &str) -> Result<Wire<'_>, Problem> {
    let (code, comment) = line.split_once("//").unwrap_or((line, ""));
    let mut fields = Fields::words(code);
    let number = fields.number("a wire")?;
    let kind = match fields.take("input, gate or output")? {
        "input" => Kind::Input,
        "gate" => gate(&mut fields, false)?,
        "output" => {
            fields.literal("gate")?;
            gate(&mut fields, true)?
        }
        found => return Err(Problem::Expected { expected: "input, gate or output", found: short(found) }),
    };
    fields.end()?;
    Ok(Wire { number, kind, comment: comment.trim() })
}

fn gate(fields: &mut Fields<'_>, is_output: bool) -> Result<Kind, Problem> {
    fields.literal("arity")?;
    let arity = fields.number("a number of inputs")?;
    fields.literal("table")?;
    let table = bits(&fields.bracketed("a bit")?)?;
    fields.literal("inputs")?;
    let inputs = fields.bracketed("a wire")?;
    match inputs.len() == arity {
        true => Ok(Kind::Gate { is_output, table, inputs }),
        false => Err(Problem::Inputs { expected: arity, found: inputs.len() }),
    }
}

/// The inputs, from the comments after them.
fn commented_inputs(text: &str) -> Result<Vec<Named>, FormatError> {
    let mut lines = Lines::new(text);
    let mut inputs = Collector::default();
    while let Some(line) = lines.next() {
        let wire = lines.checked(wire(line))?;
        if matches!(wire.kind, Kind::Input) {
            let added = inputs.add(lines.number(), wire.number, wire.comment);
            lines.checked(added)?;
        }
    }
    inputs.finish()
}

/// A netlist of these inputs. Every wire has its own line, so wire numbers are below the length of the file
/// in bytes.
fn netlist_with(inputs: &[Named], text: &str, max_wires: usize) -> Result<Netlist, FormatError> {
    let mut netlist = Netlist::new(max_wires.min(text.len()));
    for Named { line, port, wires } in inputs {
        netlist.input(port.clone(), wires).map_err(|problem| FormatError { line: *line, problem })?;
    }
    Ok(netlist)
}

/// Reads the gates; outputs go to the collector, if there is one.
fn gates(
    text: &str,
    netlist: &mut Netlist,
    mut inputs: Inputs,
    outputs: &mut Option<Collector>,
) -> Result<(), FormatError> {
    let mut lines = Lines::new(text);
    while let Some(line) = lines.next() {
        let wire = lines.checked(wire(line))?;
        let read = match &wire.kind {
            Kind::Input => declared(&mut inputs, wire.number),
            Kind::Gate { table, inputs, .. } => netlist.gate(wire.number, table, inputs),
        };
        lines.checked(read)?;
        if let (Kind::Gate { is_output: true, .. }, Some(outputs)) = (&wire.kind, &mut *outputs) {
            let added = outputs.add(lines.number(), wire.number, wire.comment);
            lines.checked(added)?;
        }
    }
    match inputs {
        Inputs::Declared(left) if !left.is_empty() => {
            Err(lines.error(Problem::NoInput(left.into_iter().min().unwrap_or(0))))
        }
        _ => Ok(()),
    }
}

/// Removes an input from the list of declared ones.
fn declared(inputs: &mut Inputs, wire: usize) -> Result<(), Problem> {
    let known = match inputs {
        Inputs::Commented => true,
        Inputs::Declared(left) => left.remove(&wire),
    };
    if known { Ok(()) } else { Err(Problem::Unnamed(wire)) }
}

fn finish(mut netlist: Netlist, outputs: Vec<Named>) -> Result<PlayersCircuit, FormatError> {
    let last = outputs.last().map_or(1, |named| named.line);
    for Named { line, port, wires } in outputs {
        netlist.output(port, &wires).map_err(|problem| FormatError { line, problem })?;
    }
    netlist.finish().map_err(|problem| FormatError { line: last, problem })
}
