//! The values that a program puts into a domain itself, and the operations that may be computed elsewhere.

use std::collections::BTreeSet;

use tacit_ir::{Body, Op, Operation, Program, Template};

use crate::OpClass;

/// For each value of a template, whether the program pins it, or only moves and reshapes pinned values to get it.
pub(crate) fn pinned(templates: &[Template], parameters: usize, operations: &[Operation]) -> Vec<bool> {
    let mut pinned = vec![false; parameters];
    for Operation { op, .. } in operations {
        let is_pinned = matches!(op, Op::Pin(..)) || op.only_moves() && has_pinned(op, &pinned);
        pinned.resize(pinned.len() + op.result_count(templates), is_pinned);
    }
    pinned
}

/// Whether an operand is pinned.
pub(crate) fn has_pinned(op: &Op, pinned: &[bool]) -> bool {
    let mut found = false;
    op.for_each_operand(|value| found |= pinned[value.index()]);
    found
}

/// The classes of which some operation can be assigned to a domain, since none of its operands is pinned.
pub fn movable_classes(program: &Program) -> BTreeSet<OpClass> {
    program.templates.iter().flat_map(|template| movable_in(program, template)).collect()
}

fn movable_in(program: &Program, template: &Template) -> BTreeSet<OpClass> {
    let Body::Operations { operations, .. } = &template.body else { return BTreeSet::new() };
    let pinned = pinned(&program.templates, template.parameters.len(), operations);
    let class = |Operation { op, .. }: &Operation| OpClass::of(op).filter(|_| !has_pinned(op, &pinned));
    operations.iter().filter_map(class).collect()
}

#[cfg(test)]
mod tests {
    use tacit_ir::{Builder, Domain, Shape};

    use super::*;

    #[test]
    fn operations_on_pinned_values_stay_where_these_are() {
        let shape = Shape::Integer { bits: 8, signed: false };
        let mut builder = Builder::new("pinned");
        let role = builder.role("A");
        let port = builder.input("x", role, shape.clone()).unwrap();
        let output = builder.output("y", vec![role], shape).unwrap();
        let mut main = builder.template("main", vec![]);
        let x = main.input(&builder, port).unwrap()[0];
        let pinned = main.pin(Domain::Arith, x).unwrap();
        let product = main.mul(pinned, x).unwrap();
        let sum = main.add(product, x).unwrap();
        main.output(&builder, output, &[sum]).unwrap();
        let program = builder.finish(main).unwrap();
        assert_eq!(movable_classes(&program), BTreeSet::from([OpClass::Sums]));
    }
}
