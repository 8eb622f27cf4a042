//! A reader of Bristol Fashion that shares nothing with the one under test: text in, bits out.

use std::collections::BTreeMap;

/// A file, line by line.
pub struct Netlist {
    /// Input wires.
    pub inputs: usize,
    /// Output wires.
    pub outputs: usize,
    wires: usize,
    gates: Vec<(String, Vec<usize>)>,
}

impl Netlist {
    /// Takes a file apart.
    pub fn parse(text: &str) -> Netlist {
        let numbers = |line: &str| {
            line.split(' ').map(|field| field.parse().expect("a number")).collect::<Vec<usize>>()
        };
        let mut lines = text.lines().filter(|line| !line.is_empty());
        let mut header = || numbers(lines.next().expect("a header"));
        let (sizes, inputs, outputs) = (header(), header(), header());
        let gate = |line: &str| {
            let (fields, name) = line.rsplit_once(' ').expect("a gate");
            (name.to_owned(), numbers(fields)[2..].to_vec())
        };
        let gates: Vec<_> = lines.map(gate).collect();
        assert_eq!((sizes[0], inputs[0], outputs[0]), (gates.len(), inputs.len() - 1, outputs.len() - 1));
        Netlist {
            inputs: inputs[1..].iter().sum(),
            outputs: outputs[1..].iter().sum(),
            wires: sizes[1],
            gates,
        }
    }

    /// What every wire is.
    pub fn evaluate(&self, inputs: &BTreeMap<usize, bool>) -> Vec<bool> {
        let mut wires: Vec<Option<bool>> = (0..self.wires).map(|wire| inputs.get(&wire).copied()).collect();
        for (name, fields) in &self.gates {
            let wire = |place: usize| wires[fields[place]].expect("a wire that is driven");
            let value = match name.as_str() {
                "AND" => wire(0) & wire(1),
                "XOR" => wire(0) ^ wire(1),
                "INV" => !wire(0),
                "EQW" => wire(0),
                "EQ" => fields[0] == 1,
                other => panic!("a gate {other}"),
            };
            wires[*fields.last().expect("an output")] = Some(value);
        }
        wires.into_iter().map(|wire| wire.expect("every wire is driven")).collect()
    }
}
