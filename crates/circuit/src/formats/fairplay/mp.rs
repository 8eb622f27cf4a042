//! The form that FairplayMP 2.1 writes: fields between colons; players' inputs, their results, gates of two inputs.
//!
//! ```text
//! // general info
//! input_player:alice:2:1
//! input:alice.input:2
//! input_player:bob:2:1
//! input:bob.input:2
//!
//! result_player:alice:1
//! result:alice.output:1:4
//!
//! gate:0:4:0:2:6
//! ```
//!
//! Inputs drive the wires from 0 on. A player's line has the number of its bits and inputs, or of its
//! results. A gate has its number, its wire, the two wires that it reads, and its table as a number of four
//! bits: from the highest, the values for 00, 01, 10 and 11, where the first wire is the first digit.

use super::super::{FormatError, PlayersCircuit, Port, Problem};
use super::lines::{Fields, Lines, short};
use super::netlist::Netlist;

/// A line that names a result, to be read once its wires are driven.
struct Awaited {
    line: usize,
    port: Port,
    wires: Vec<usize>,
}

/// Reads a file of at most `max_wires` wires.
///
/// Errors: [`FormatError`] with the line.
pub fn read(text: &str, max_wires: usize) -> Result<PlayersCircuit, FormatError> {
    let mut lines = Lines::new(text);
    let mut netlist = Netlist::new(max_wires);
    let mut results = Vec::new();
    let (mut wires, mut gates) = (0, 0);
    while let Some(line) = lines.next() {
        let mut fields = Fields::split(line, ':');
        let kind = lines.checked(fields.take("the kind of the line"))?;
        match kind {
            "input_player" => inputs(&mut lines, fields, &mut netlist, &mut wires)?,
            "result_player" => self::results(&mut lines, fields, &mut results)?,
            "gate" => {
                let read = gate(&mut netlist, fields, gates);
                lines.checked(read)?;
                gates += 1;
            }
            other => {
                let expected = "input_player, result_player or gate";
                return Err(lines.error(Problem::Expected { expected, found: short(other) }));
            }
        }
    }
    for Awaited { line, port, wires } in results {
        netlist.output(port, &wires).map_err(|problem| FormatError { line, problem })?;
    }
    let circuit = netlist.finish();
    lines.checked(circuit)
}

/// The inputs of a player.
fn inputs(
    lines: &mut Lines<'_>,
    mut fields: Fields<'_>,
    netlist: &mut Netlist,
    wires: &mut usize,
) -> Result<(), FormatError> {
    let (player, bits) = (lines.checked(fields.take("a player"))?, lines.checked(fields.number("bits"))?);
    let count =
        lines.checked(fields.number("a number of inputs").and_then(|count| fields.end().map(|()| count)))?;
    let first = *wires;
    for _ in 0..count {
        let line = lines.expect("an input")?;
        let read = input(netlist, player, line, wires);
        lines.checked(read)?;
    }
    match *wires - first {
        found if found == bits => Ok(()),
        found => Err(lines.error(Problem::PlayerBits { player: short(player), expected: bits, found })),
    }
}

fn input(netlist: &mut Netlist, player: &str, line: &str, wires: &mut usize) -> Result<(), Problem> {
    let mut fields = Fields::split(line, ':');
    fields.literal("input")?;
    let port = Port { player: player.to_owned(), name: fields.take("a name")?.to_owned() };
    let end = netlist.within(wires.saturating_add(fields.number("bits")?))?;
    fields.end()?;
    netlist.input(port, &(*wires..end).collect::<Vec<_>>())?;
    *wires = end;
    Ok(())
}

/// The results of a player.
fn results(lines: &mut Lines<'_>, mut fields: Fields<'_>, all: &mut Vec<Awaited>) -> Result<(), FormatError> {
    let player = lines.checked(fields.take("a player"))?;
    let count =
        lines.checked(fields.number("a number of results").and_then(|count| fields.end().map(|()| count)))?;
    for _ in 0..count {
        let line = lines.expect("a result")?;
        let (port, wires) = lines.checked(result(player, line))?;
        all.push(Awaited { line: lines.number(), port, wires });
    }
    Ok(())
}

fn result(player: &str, line: &str) -> Result<(Port, Vec<usize>), Problem> {
    let mut fields = Fields::split(line, ':');
    fields.literal("result")?;
    let port = Port { player: player.to_owned(), name: fields.take("a name")?.to_owned() };
    let bits = fields.number("bits")?;
    let wires = fields.numbers("a wire")?;
    match wires.len() == bits {
        true => Ok((port, wires)),
        false => Err(Problem::Inputs { expected: bits, found: wires.len() }),
    }
}

fn gate(netlist: &mut Netlist, mut fields: Fields<'_>, number: usize) -> Result<(), Problem> {
    let found = fields.number("the gate's number")?;
    if found != number {
        return Err(Problem::Expected { expected: "the next gate's number", found: found.to_string() });
    }
    let [wire, first, second, table] = [
        fields.number("a wire")?,
        fields.number("a wire")?,
        fields.number("a wire")?,
        fields.number("a table")?,
    ];
    fields.end()?;
    if table >= 16 {
        return Err(Problem::Expected { expected: "a table below 16", found: table.to_string() });
    }
    let values = [8, 4, 2, 1].map(|bit| table & bit != 0);
    netlist.gate(wire, &values, &[second, first])
}
