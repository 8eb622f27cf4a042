//! The dataflow between a program's operations, by line of the source: small however often loops run.

use std::collections::{BTreeMap, BTreeSet};

use tacit_ir::{Body, Op, Operation, Program, Template, ValueId};

/// Most nodes of a drawing.
const MOST_NODES: usize = 400;

/// A node: an input, an output, or the operations of one kind on one line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FlowNode {
    /// An input, by its name.
    Input(String),
    /// Operations.
    Operations {
        /// Line of the source, 0 if unknown.
        line: u32,
        /// Their name.
        kind: &'static str,
    },
    /// An output, by its name.
    Output(String),
}

/// Which nodes use values of which other nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flow {
    /// The nodes.
    pub nodes: Vec<FlowNode>,
    /// Edges from a node to a node that uses its values, by index.
    pub edges: BTreeSet<(usize, usize)>,
}

/// The origins of a value: nodes, and parameters of the template.
#[derive(Clone, Default)]
struct Givers {
    nodes: BTreeSet<usize>,
    parameters: BTreeSet<usize>,
}

impl Givers {
    fn join(&mut self, other: &Givers) {
        self.nodes.extend(&other.nodes);
        self.parameters.extend(&other.parameters);
    }
}

/// A template as seen by its callers.
#[derive(Default)]
struct Seen {
    results: Vec<Givers>,
    /// The nodes that use each parameter.
    takers: BTreeSet<(usize, usize)>,
}

impl Flow {
    /// The flow of a program; none if it is too large to draw.
    pub fn of(program: &Program) -> Option<Flow> {
        let (mut flow, mut places, mut seen) = (Flow::default(), BTreeMap::new(), Vec::new());
        for template in &program.templates {
            let mut drawn =
                Drawn { program, flow: &mut flow, places: &mut places, seen: &seen, here: Seen::default() };
            drawn.template(template)?;
            let here = drawn.here;
            seen.push(here);
        }
        Some(flow)
    }
}

/// A template that is being drawn.
struct Drawn<'a> {
    program: &'a Program,
    flow: &'a mut Flow,
    places: &'a mut BTreeMap<FlowNode, usize>,
    seen: &'a [Seen],
    here: Seen,
}

impl Drawn<'_> {
    fn template(&mut self, template: &Template) -> Option<()> {
        let parameter = |number| Givers { parameters: [number].into(), ..Givers::default() };
        let mut values: Vec<Givers> = (0..template.parameters.len()).map(parameter).collect();
        match &template.body {
            Body::Netlist(_) => {
                let node = self.node(FlowNode::Operations { line: 0, kind: "gate" })?;
                values.iter().for_each(|taken| self.take(taken, node));
                let given = Givers { nodes: [node].into(), ..Givers::default() };
                self.here.results = vec![given; template.results.len()];
            }
            Body::Operations { operations, results } => {
                for operation in operations {
                    let given = self.operation(operation, &values)?;
                    values.extend(given);
                }
                let of = |value: &ValueId| values.get(value.index()).cloned().unwrap_or_default();
                self.here.results = results.iter().map(of).collect();
            }
        }
        Some(())
    }

    /// The origins of the results of an operation.
    fn operation(&mut self, Operation { op, line }: &Operation, values: &[Givers]) -> Option<Vec<Givers>> {
        let mut operands = Vec::new();
        op.for_each_operand(|value| operands.extend(values.get(value.index())));
        if let Some(template) = op.template() {
            return Some(self.apply(template.index(), &operands));
        }
        let node = match op {
            Op::Input { port, .. } => FlowNode::Input(self.program.inputs.get(port.index())?.name.clone()),
            Op::Output { port, .. } => FlowNode::Output(self.program.outputs.get(port.index())?.name.clone()),
            op if op.only_moves() || matches!(op, Op::Open(_)) => {
                let mut all = Givers::default();
                operands.into_iter().for_each(|operand| all.join(operand));
                return Some(vec![all]);
            }
            op => FlowNode::Operations { line: *line, kind: op.name() },
        };
        let node = self.node(node)?;
        operands.into_iter().for_each(|operand| self.take(operand, node));
        Some(vec![
            Givers { nodes: [node].into(), ..Givers::default() };
            op.result_count(&self.program.templates)
        ])
    }

    /// The results of a template for these operands.
    fn apply(&mut self, template: usize, operands: &[&Givers]) -> Vec<Givers> {
        let Some(seen) = self.seen.get(template) else { return Vec::new() };
        for (parameter, node) in &seen.takers {
            if let Some(operand) = operands.get(*parameter) {
                self.take(operand, *node);
            }
        }
        let result = |inner: &Givers| {
            let mut all = Givers { nodes: inner.nodes.clone(), ..Givers::default() };
            inner.parameters.iter().filter_map(|number| operands.get(*number)).for_each(|one| all.join(one));
            all
        };
        seen.results.iter().map(result).collect()
    }

    /// Adds an edge from every origin of a value to the node that uses it.
    fn take(&mut self, value: &Givers, node: usize) {
        self.flow.edges.extend(value.nodes.iter().map(|giver| (*giver, node)));
        self.here.takers.extend(value.parameters.iter().map(|number| (*number, node)));
    }

    fn node(&mut self, node: FlowNode) -> Option<usize> {
        let next = self.flow.nodes.len();
        let place = *self.places.entry(node.clone()).or_insert(next);
        if place == next {
            self.flow.nodes.push(node);
        }
        (next < MOST_NODES || place < next).then_some(place)
    }
}

#[cfg(test)]
mod tests {
    use tacit_ir::{Builder, Shape, ValueType};

    use super::*;

    #[test]
    fn operations_of_templates_are_drawn_once() {
        let integer = Shape::Integer { bits: 8, signed: false };
        let array = Shape::Array { length: 6, element: integer.clone().into() };
        let mut program = Builder::new("drawn");
        let role = program.role("A");
        let (x, z) =
            (program.input("x", role, array).unwrap(), program.output("z", vec![role], integer).unwrap());
        let mut body = program.template("body", vec![ValueType::word(8, 1), ValueType::word(8, 2)]);
        body.set_line(7);
        let [carried, slice] = body.parameters()[..] else { panic!("two parameters") };
        let sum = body.segment_sum(slice, 2).unwrap();
        let next = body.mul(carried, sum).unwrap();
        let body = program.add(body, vec![next]).unwrap();
        let mut main = program.template("main", vec![]);
        main.set_line(3);
        let x = main.input(&program, x).unwrap()[0];
        let doubled = main.add(x, x).unwrap();
        let zero = main.word(8, 0).unwrap();
        let total = main.iterate(&program, body, 3, &[zero], &[], &[doubled]).unwrap()[0];
        main.output(&program, z, &[total]).unwrap();
        let flow = Flow::of(&program.finish(main).unwrap()).unwrap();
        let name = |place: usize| match &flow.nodes[place] {
            FlowNode::Input(name) | FlowNode::Output(name) => name.clone(),
            FlowNode::Operations { line, kind } => format!("{line} {kind}"),
        };
        let edges: BTreeSet<_> = flow.edges.iter().map(|(from, to)| (name(*from), name(*to))).collect();
        let expected =
            [("x", "3 add"), ("3 add", "7 segment_sum"), ("7 segment_sum", "7 mul"), ("7 mul", "z")];
        assert_eq!(edges, expected.map(|(from, to)| (from.to_owned(), to.to_owned())).into());
    }

    #[test]
    fn programs_of_too_many_lines_are_not_drawn() {
        let mut program = Builder::new("long");
        let role = program.role("A");
        let word = Shape::Integer { bits: 8, signed: false };
        let port = program.input("x", role, word.clone()).unwrap();
        let output = program.output("z", vec![role], word).unwrap();
        let mut main = program.template("main", vec![]);
        let mut x = main.input(&program, port).unwrap()[0];
        for line in 0..=MOST_NODES as u32 {
            main.set_line(line + 1);
            x = main.add(x, x).unwrap();
        }
        main.output(&program, output, &[x]).unwrap();
        assert_eq!(Flow::of(&program.finish(main).unwrap()), None);
    }
}
