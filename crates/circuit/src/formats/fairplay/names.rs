//! The owners, names and wires of inputs and outputs.

use super::super::{FormatError, Port, Problem};
use super::lines::{Fields, Lines, short};

/// An input or output, with its wires from the least significant bit on, and the line where it was read.
pub(super) struct Named {
    pub(super) line: usize,
    pub(super) port: Port,
    pub(super) wires: Vec<usize>,
}

/// Inputs and outputs.
#[derive(Default)]
pub(super) struct Names {
    pub(super) inputs: Vec<Named>,
    pub(super) outputs: Vec<Named>,
}

/// Reads an accompanying file, whose lines are like `Alice input integer "input.alice=" [ 0 1 2 ]`.
///
/// The player is the first word; where the name begins with that word, as `bidder[2].input` does with `bidder`, it is the
/// name's first part.
pub(super) fn read(text: &str) -> Result<Names, FormatError> {
    let mut lines = Lines::new(text);
    let mut names = Names::default();
    while let Some(line) = lines.next() {
        let (is_input, port, wires) = lines.checked(named(line))?;
        let place = if is_input { &mut names.inputs } else { &mut names.outputs };
        place.push(Named { line: lines.number(), port, wires });
    }
    Ok(names)
}

fn named(line: &str) -> Result<(bool, Port, Vec<usize>), Problem> {
    let mut parts = line.splitn(3, '"');
    let mut head = Fields::words(parts.next().unwrap_or_default());
    let word = head.take("a player")?;
    let is_input = match head.take("input or output")? {
        "input" => true,
        "output" => false,
        found => return Err(Problem::Expected { expected: "input or output", found: short(found) }),
    };
    head.take("a type")?;
    head.end()?;
    let name = parts.next().ok_or(Problem::Lacks("a name in quotation marks"))?;
    let name = name.trim().trim_end_matches('=');
    let mut tail = Fields::words(parts.next().unwrap_or_default());
    let wires = tail.bracketed("a wire")?;
    tail.end()?;
    let first = name.split('.').next().unwrap_or_default();
    let stem = first.split('[').next().unwrap_or_default();
    let player = if stem.eq_ignore_ascii_case(word) { first } else { word };
    Ok((is_input, Port { player: player.to_owned(), name: name.to_owned() }, wires))
}

/// Collects inputs or outputs from comments like `output$input.alice.age$3`: bit 3 of `input.alice.age`, which
/// belongs to `alice`.
#[derive(Default)]
pub(super) struct Collector {
    groups: Vec<Group>,
    places: std::collections::HashMap<String, usize>,
}

struct Group {
    line: usize,
    name: String,
    wires: Vec<(usize, usize)>,
}

impl Collector {
    /// Adds a wire with the comment after it.
    pub(super) fn add(&mut self, line: usize, wire: usize, comment: &str) -> Result<(), Problem> {
        let unnamed = || Problem::Unnamed(wire);
        let label = comment.split_ascii_whitespace().next().ok_or_else(unnamed)?;
        let (name, bit) = label.rsplit_once('$').ok_or_else(unnamed)?;
        let bit = super::super::reader::number(bit).map_err(|_| unnamed())?;
        let name = name.split_once('$').map_or(name, |(_, name)| name);
        let place = *self.places.entry(name.to_owned()).or_insert_with(|| {
            self.groups.push(Group { line, name: name.to_owned(), wires: Vec::new() });
            self.groups.len() - 1
        });
        self.groups[place].wires.push((bit, wire));
        Ok(())
    }

    /// The collected names, in the order of their first mention.
    pub(super) fn finish(self) -> Result<Vec<Named>, FormatError> {
        self.groups.into_iter().map(Group::finish).collect()
    }
}

impl Group {
    fn finish(mut self) -> Result<Named, FormatError> {
        self.wires.sort_unstable();
        if self.wires.iter().enumerate().any(|(place, (bit, _))| place != *bit) {
            return Err(FormatError { line: self.line, problem: Problem::Gaps(short(&self.name)) });
        }
        let port = Port { player: player_of(&self.name).to_owned(), name: self.name };
        Ok(Named { line: self.line, port, wires: self.wires.into_iter().map(|(_, wire)| wire).collect() })
    }
}

/// `alice` for `input.alice.age[2]`; for other names, their first part.
fn player_of(name: &str) -> &str {
    let mut parts = name.split('.');
    let first = parts.next().unwrap_or_default();
    let player = match (first, parts.next()) {
        ("input" | "output", Some(second)) => second,
        _ => first,
    };
    player.split('[').next().unwrap_or_default()
}
