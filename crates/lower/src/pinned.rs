//! The values that a program puts into a domain itself, and the operations that may be computed elsewhere.

use std::collections::BTreeSet;

use tacit_ir::{Body, Op, Operation, Program, Template};
use tacit_schedule::rules;

use crate::OpClass;

/// The kind of domain in which pins put a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pinned {
    /// Of words.
    Words,
    /// Of bits.
    Bits,
}

/// For each value of a template, where pins put it, if they do: by a pin of its own, or since it is computed from
/// pinned values as [the rules of domains](crate::domains) say, without a choice.
pub(crate) fn pinned(
    templates: &[Template],
    parameters: usize,
    operations: &[Operation],
) -> Vec<Option<Pinned>> {
    let mut pinned = vec![None; parameters];
    for Operation { op, .. } in operations {
        let follows = follows_pin(op, &pinned);
        pinned.resize(pinned.len() + op.result_count(templates), follows);
    }
    pinned
}

/// Where pins put the results of an operation, if they do. Sums and products of words stay words, and everything
/// computed from bits stays bits. What else is computed from words leaves them in any case.
pub(crate) fn follows_pin(op: &Op, pinned: &[Option<Pinned>]) -> Option<Pinned> {
    let is_of_words = |domain: &tacit_ir::Domain| rules(*domain).is_of_words();
    let mut found = [false; 2];
    op.for_each_operand(|value| match pinned[value.index()] {
        Some(Pinned::Words) => found[0] = true,
        Some(Pinned::Bits) => found[1] = true,
        None => {}
    });
    let leaves = matches!(OpClass::of(op), Some(OpClass::Comparisons | OpClass::Choices | OpClass::Bits));
    match op {
        Op::Pin(domain, _) => Some(if is_of_words(domain) { Pinned::Words } else { Pinned::Bits }),
        // Parameters and results of templates are bits of any domain.
        Op::Call { .. } | Op::Map { .. } | Op::Iterate { .. } => None,
        _ if found[0] && !leaves => Some(Pinned::Words),
        _ if found[1] => Some(Pinned::Bits),
        _ => None,
    }
}

/// The classes of which some operation can be assigned to a domain, since no pin decides where it is.
pub fn movable_classes(program: &Program) -> BTreeSet<OpClass> {
    program.templates.iter().flat_map(|template| movable_in(program, template)).collect()
}

fn movable_in(program: &Program, template: &Template) -> BTreeSet<OpClass> {
    let Body::Operations { operations, .. } = &template.body else { return BTreeSet::new() };
    let pinned = pinned(&program.templates, template.parameters.len(), operations);
    let class =
        |Operation { op, .. }: &Operation| OpClass::of(op).filter(|_| follows_pin(op, &pinned).is_none());
    operations.iter().filter_map(class).collect()
}

#[cfg(test)]
mod tests {
    use tacit_ir::{Builder, Domain, Shape};

    use super::*;

    /// The classes that may move if a value is pinned to a domain, and multiplied, compared, chosen by and added.
    fn movable(domain: Domain) -> BTreeSet<OpClass> {
        let shape = Shape::Integer { bits: 8, signed: false };
        let mut builder = Builder::new("pinned");
        let role = builder.role("A");
        let ports = ["x", "y"].map(|name| builder.input(name, role, shape.clone()).unwrap());
        let output = builder.output("z", vec![role], shape).unwrap();
        let mut main = builder.template("main", vec![]);
        let [x, y] = ports.map(|port| main.input(&builder, port).unwrap()[0]);
        let pinned = main.pin(domain, x).unwrap();
        let product = main.mul(pinned, y).unwrap();
        let is_less = main.lt_u(product, y).unwrap();
        let chosen = main.select(is_less, product, y).unwrap();
        let sum = main.add(chosen, y).unwrap();
        main.output(&builder, output, &[sum]).unwrap();
        movable_classes(&builder.finish(main).unwrap())
    }

    #[test]
    fn operations_stay_that_follow_a_pin_without_a_choice() {
        for bits in [Domain::Bool, Domain::Yao] {
            assert!(movable(bits).is_empty());
        }
        let free = BTreeSet::from([OpClass::Comparisons, OpClass::Choices, OpClass::Sums]);
        assert_eq!(movable(Domain::Arith), free);
    }
}
