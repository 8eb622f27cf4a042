//! The form that FairplayMP's converter writes: comma-separated, inputs, gates, outputs.
//!
//! ```text
//! FMT - Input:
//! input,alice,input,0,1
//! input,bob,input,2,3
//! Gates:
//! gate,4,2,0 0 0 1,2,0
//! FMT - Output:
//! output,alice,output,4,-2
//! ```
//!
//! A gate has its wire, its number of inputs, its table, and the wires that it reads; the first is bit 0 of
//! the index into the table. The wire -1 is the constant 1, and -2 the constant 0.

use super::super::reader::number;
use super::super::{FormatError, PlayersCircuit, Port, Problem};
use super::lines::{Fields, Lines, bits, short};
use super::netlist::Netlist;
use crate::lit::Lit;

/// Reads a file of at most `max_wires` wires.
///
/// Errors: [`FormatError`] with the line.
pub fn read(text: &str, max_wires: usize) -> Result<PlayersCircuit, FormatError> {
    let mut lines = Lines::new(text);
    let mut netlist = Netlist::new(max_wires.min(text.len()));
    heading(&mut lines, "FMT - Input:")?;
    loop {
        let line = lines.expect("Gates:")?;
        if line == "Gates:" {
            break;
        }
        let read = input(&mut netlist, line);
        lines.checked(read)?;
    }
    loop {
        let line = lines.expect("FMT - Output:")?;
        if line == "FMT - Output:" {
            break;
        }
        let read = gate(&mut netlist, line);
        lines.checked(read)?;
    }
    while let Some(line) = lines.next() {
        let read = output(&mut netlist, line);
        lines.checked(read)?;
    }
    let circuit = netlist.finish();
    lines.checked(circuit)
}

fn heading(lines: &mut Lines<'_>, expected: &'static str) -> Result<(), FormatError> {
    match lines.expect(expected)? {
        line if line == expected => Ok(()),
        found => Err(lines.error(Problem::Expected { expected, found: short(found) })),
    }
}

fn port(fields: &mut Fields<'_>) -> Result<Port, Problem> {
    let player = fields.take("a player")?.to_owned();
    Ok(Port { player, name: fields.take("a name")?.to_owned() })
}

fn input(netlist: &mut Netlist, line: &str) -> Result<(), Problem> {
    let mut fields = Fields::split(line, ',');
    fields.literal("input")?;
    let port = port(&mut fields)?;
    netlist.input(port, &fields.numbers("a wire")?)
}

fn gate(netlist: &mut Netlist, line: &str) -> Result<(), Problem> {
    let mut fields = Fields::split(line, ',');
    fields.literal("gate")?;
    let (wire, arity) = (fields.number("a wire")?, fields.number("a number of inputs")?);
    let table = bits(&Fields::words(fields.take("a table")?).numbers("a bit")?)?;
    let inputs = fields.numbers("a wire")?;
    match inputs.len() == arity {
        true => netlist.gate(wire, &table, &inputs),
        false => Err(Problem::Inputs { expected: arity, found: inputs.len() }),
    }
}

fn output(netlist: &mut Netlist, line: &str) -> Result<(), Problem> {
    let mut fields = Fields::split(line, ',');
    fields.literal("output")?;
    let port = port(&mut fields)?;
    let mut lits = Vec::new();
    while let Some(field) = fields.peek() {
        let lit = match field {
            "-1" => Ok(Lit::TRUE),
            "-2" => Ok(Lit::FALSE),
            wire => number(wire).and_then(|wire| netlist.read(wire)),
        };
        lits.push(lit?);
        fields.take("a wire")?;
    }
    netlist.output_of(port, lits)
}
