//! Merges two layers of ANDs into one, by ANDs of up to four operands.
//!
//! The result of an AND of the previous layer is a sum of products of values that are ready before that
//! layer. A product of two such values is a sum of products again: (p·q)·(g ^ r·s) = p·q·g ^ p·q·r·s. If no
//! product has more than [`MAX_OPERANDS`] operands, and there are not too many products, an AND is computed
//! in the same layer as those that it waits for. So a carry step over twice the span takes the rounds of one,
//! and a circuit takes about half as many.
//!
//! Layers are numbered from 1. A value is *ready* at the layer after which it is known; inputs are ready at
//! 0.
//!
//! Source: the adders of *ABY2.0* (USENIX Security'21), §5, applied to arbitrary circuits.

use super::gates::Gates;
use crate::builder::table::{Place, Table};
use crate::circuit::{Circuit, Node};
use crate::lit::Lit;

/// Maximum operands of one AND.
pub(crate) const MAX_OPERANDS: u8 = 4;
/// Maximum products that replace one AND.
pub(crate) const MAX_PRODUCTS: u16 = 4;
/// Maximum gates that are visited to find the products of one AND.
pub(crate) const MAX_GATES: u16 = 64;

/// A circuit, and the fewest layers after which each of its values can be ready.
pub(super) struct Collapse<'a> {
    circuit: &'a Circuit,
    sums: Sums,
}

impl<'a> Collapse<'a> {
    pub(super) fn new(circuit: &'a Circuit) -> Collapse<'a> {
        Collapse { circuit, sums: Sums::new(circuit) }
    }

    /// The fewest layers.
    pub(super) fn depth(&self) -> u32 {
        self.circuit.outputs.iter().flatten().map(|lit| self.sums.ready(*lit)).max().unwrap_or(0)
    }

    /// The circuit in at most `depth` layers, at least the fewest; ANDs are kept if that causes no excessive
    /// delay.
    pub(super) fn within(&self, depth: u32) -> Wide {
        let needed = Needed::new(self.circuit, &self.sums, depth);
        Writer::new(self.circuit, &self.sums).write(&needed)
    }
}

/// The part that is added to products.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rest {
    Constant(bool),
    /// Values that are ready before the layer.
    Values,
}

impl Rest {
    fn flip(self, flip: bool) -> Rest {
        match self {
            Rest::Constant(value) => Rest::Constant(value ^ flip),
            Rest::Values => Rest::Values,
        }
    }

    fn is_zero(self) -> bool {
        self == Rest::Constant(false)
    }
}

/// The shape of a value as a sum of products of values that are ready before a layer. Counts are upper bounds.
#[derive(Clone, Copy)]
struct Sum {
    /// The layer at which the value is ready, using products of that layer.
    ready: u32,
    products: u16,
    /// Operands of the longest product.
    operands: u8,
    rest: Rest,
    /// Gates of that layer that form the value.
    gates: u16,
}

impl Sum {
    const ZERO: Sum = Sum { ready: 0, products: 0, operands: 0, rest: Rest::Constant(false), gates: 0 };

    /// The shape of the value in a layer.
    fn at(self, layer: u32) -> Sum {
        match self.rest {
            Rest::Constant(_) if self.products == 0 => self,
            _ if self.ready < layer => Sum { rest: Rest::Values, ..Sum::ZERO },
            _ => self,
        }
    }

    fn flip(self, flip: bool) -> Sum {
        Sum { rest: self.rest.flip(flip), ..self }
    }

    fn xor(self, other: Sum) -> Sum {
        let ready = self.ready.max(other.ready);
        let (a, b) = (self.at(ready), other.at(ready));
        let rest = match (a.rest, b.rest) {
            (Rest::Constant(a), rest) => rest.flip(a),
            (rest, Rest::Constant(b)) => rest.flip(b),
            _ => Rest::Values,
        };
        let products = a.products.saturating_add(b.products);
        let gates = a.gates.saturating_add(b.gates).saturating_add(1);
        Sum { ready, products, operands: a.operands.max(b.operands), rest, gates }
    }

    /// The AND, and whether it is computed in the layer of its operands.
    fn and(self, other: Sum) -> (Sum, bool) {
        let layer = self.ready.max(other.ready);
        let (a, b) = (self.at(layer), other.at(layer));
        let gates = a.gates.saturating_add(b.gates).saturating_add(1);
        let terms = |sum: &Sum| sum.products.saturating_add(u16::from(!sum.rest.is_zero()));
        let both_rests = a.rest == Rest::Values && b.rest == Rest::Values;
        let rest = match (a.rest, b.rest) {
            (Rest::Constant(true), rest) | (rest, Rest::Constant(true)) => rest,
            _ => Rest::Constant(false),
        };
        // A constant part of a sum adds products as they are, not longer ones.
        let products = terms(&a).saturating_mul(terms(&b)) - u16::from(!rest.is_zero());
        let longest = |sum: &Sum| sum.operands.max(u8::from(sum.rest == Rest::Values));
        let operands = longest(&a) + longest(&b);
        let fits = products <= MAX_PRODUCTS && operands <= MAX_OPERANDS && gates <= MAX_GATES;
        if layer > 0 && fits {
            let operands =
                if products == u16::from(both_rests) { 2 * u8::from(both_rests) } else { operands };
            return (Sum { ready: layer, products, operands, rest, gates }, true);
        }
        (Sum { ready: layer + 1, products: 1, operands: 2, rest: Rest::Constant(false), gates: 1 }, false)
    }
}

/// The sums of all nodes, each in the first possible layer.
struct Sums {
    of_node: Vec<Sum>,
    /// Whether an AND is computed in the layer of its operands.
    joined: Vec<bool>,
}

impl Sums {
    fn new(circuit: &Circuit) -> Sums {
        let first = circuit.first_gate();
        let mut sums = Sums { of_node: Vec::with_capacity(circuit.node_count()), joined: vec![false; first] };
        sums.of_node.push(Sum::ZERO);
        sums.of_node.resize(first, Sum { rest: Rest::Values, ..Sum::ZERO });
        for (_, gate) in circuit.gates() {
            let (sum, joined) = match gate {
                Node::And(a, b) => sums.of(a).and(sums.of(b)),
                Node::Xor(a, b) => (sums.of(a).xor(sums.of(b)), false),
                Node::Constant | Node::Input => (Sum::ZERO, false),
            };
            sums.of_node.push(sum);
            sums.joined.push(joined);
        }
        sums
    }

    fn of(&self, lit: Lit) -> Sum {
        self.of_node[lit.node() as usize].flip(lit.is_inverted())
    }

    fn ready(&self, lit: Lit) -> u32 {
        self.of_node[lit.node() as usize].ready
    }
}

/// The layer after which each node must be known; the largest number if it is not needed.
struct Needed(Vec<u32>);

impl Needed {
    fn new(circuit: &Circuit, sums: &Sums, depth: u32) -> Needed {
        let mut needed = Needed(vec![u32::MAX; circuit.node_count()]);
        circuit.outputs.iter().flatten().for_each(|lit| needed.by(*lit, depth));
        let mut open = Vec::new();
        for node in (circuit.first_gate()..circuit.node_count()).rev() {
            let Some(by) = needed.of(node) else { continue };
            match circuit.node(node as u32) {
                Node::And(a, b) if sums.ready(a).max(sums.ready(b)) < by => {
                    needed.by(a, by - 1);
                    needed.by(b, by - 1);
                }
                Node::And(a, b) => {
                    // The operands themselves are not written, only the factors of their products.
                    open.extend([a, b]);
                    while let Some(lit) = open.pop() {
                        needed.part(circuit, sums, (lit, by), &mut open);
                    }
                }
                Node::Xor(a, b) => {
                    needed.by(a, by);
                    needed.by(b, by);
                }
                Node::Constant | Node::Input => {}
            }
        }
        needed
    }

    fn of(&self, node: usize) -> Option<u32> {
        Some(self.0[node]).filter(|layer| *layer != u32::MAX)
    }

    fn by(&mut self, lit: Lit, layer: u32) {
        let needed = &mut self.0[lit.node() as usize];
        *needed = layer.min(*needed);
    }

    /// Adds the nodes that a part of a sum needs in a layer, or the parts that it consists of.
    fn part(&mut self, circuit: &Circuit, sums: &Sums, (lit, layer): (Lit, u32), parts: &mut Vec<Lit>) {
        match circuit.node(lit.node()) {
            _ if sums.ready(lit) < layer => self.by(lit, layer - 1),
            Node::And(a, b) if !sums.joined[lit.node() as usize] => {
                self.by(a, layer - 1);
                self.by(b, layer - 1);
            }
            Node::And(a, b) | Node::Xor(a, b) => parts.extend([a, b]),
            Node::Constant | Node::Input => {}
        }
    }
}

/// Gates whose ANDs have two to four operands.
pub(super) struct Wide {
    input_bits: usize,
    gates: Vec<Gate>,
    outputs: Vec<Lit>,
}

/// Literals in order, without repetition: the operands of a gate, or the factors of a product.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Product {
    literals: [Lit; MAX_OPERANDS as usize],
    count: u8,
}

impl Product {
    const ONE: Product = Product { literals: [Lit::FALSE; MAX_OPERANDS as usize], count: 0 };

    fn literals(&self) -> &[Lit] {
        &self.literals[..self.count.into()]
    }

    /// The product of two literals; `None` if it is 0.
    fn of(a: Lit, b: Lit) -> Option<Product> {
        Product::ONE.times(a)?.times(b)
    }

    /// The product with a literal; `None` if it is 0.
    fn times(mut self, lit: Lit) -> Option<Product> {
        let place = self.literals().partition_point(|other| *other < lit);
        // Complements are adjacent.
        let at = |place: usize| self.literals().get(place).copied();
        let below = place.checked_sub(1).and_then(at);
        match (below, at(place)) {
            _ if lit == Lit::TRUE => return Some(self),
            _ if lit == Lit::FALSE => return None,
            (_, Some(here)) if here == lit => return Some(self),
            (Some(other), _) | (_, Some(other)) if other == !lit => return None,
            _ => {}
        }
        let count = usize::from(self.count);
        self.literals.copy_within(place..count, place + 1);
        self.literals[place] = lit;
        self.count += 1;
        Some(self)
    }

    /// The product of two products; `None` if it is 0.
    fn and(self, other: Product) -> Option<Product> {
        other.literals().iter().try_fold(self, |product, lit| product.times(*lit))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Gate {
    operands: Product,
    is_and: bool,
}

impl Gate {
    fn operands(&self) -> &[Lit] {
        self.operands.literals()
    }

    /// The place of the gate in the table: near its youngest operand.
    fn place(&self) -> Place {
        let youngest = self.operands().iter().map(|lit| lit.node()).max().unwrap_or(0);
        let all = self.operands.literals.iter().fold(u64::from(self.is_and), |all, lit| {
            (all.rotate_left(23) ^ u64::from(lit.0)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        });
        Place::new(youngest, all)
    }
}

impl Gates for Wide {
    fn first_gate(&self) -> usize {
        self.input_bits + 1
    }

    fn node_count(&self) -> usize {
        self.first_gate() + self.gates.len()
    }

    fn operands(&self, gate: usize) -> &[Lit] {
        self.gates[gate - self.first_gate()].operands()
    }

    fn is_and(&self, node: usize) -> bool {
        node.checked_sub(self.first_gate()).is_some_and(|gate| self.gates[gate].is_and)
    }

    fn outputs(&self) -> impl Iterator<Item = Lit> {
        self.outputs.iter().copied()
    }
}

impl Wide {
    /// The same without unused gates.
    fn swept(mut self) -> Wide {
        let first = self.first_gate();
        let mut used = vec![false; self.node_count()];
        self.outputs.iter().for_each(|lit| used[lit.node() as usize] = true);
        for gate in self.gates().rev() {
            if used[gate] {
                self.operands(gate).iter().for_each(|lit| used[lit.node() as usize] = true);
            }
        }
        let mut place: Vec<u32> = (0..first as u32).collect();
        let mut kept = Vec::new();
        for (gate, used) in self.gates.iter().zip(&used[first..]) {
            place.push((first + kept.len()) as u32);
            if *used {
                let mut gate = *gate;
                for lit in &mut gate.operands.literals {
                    *lit = Lit::new(place[lit.node() as usize], lit.is_inverted());
                }
                kept.push(gate);
            }
        }
        self.gates = kept;
        self.outputs
            .iter_mut()
            .for_each(|lit| *lit = Lit::new(place[lit.node() as usize], lit.is_inverted()));
        self
    }
}

/// A value as a sum of products of written literals.
struct Terms {
    rest: Lit,
    products: Vec<Product>,
}

/// Writes gates, without duplicates.
struct Writer<'a> {
    circuit: &'a Circuit,
    sums: &'a Sums,
    wide: Wide,
    known: Table,
    /// The literal for each node.
    place: Vec<Lit>,
}

impl<'a> Writer<'a> {
    fn new(circuit: &'a Circuit, sums: &'a Sums) -> Writer<'a> {
        let wide = Wide { input_bits: circuit.input_bits(), gates: Vec::new(), outputs: Vec::new() };
        let mut place: Vec<Lit> = (0..circuit.first_gate() as u32).map(Lit::of_node).collect();
        place.resize(circuit.node_count(), Lit::FALSE);
        Writer { circuit, sums, wide, known: Table::with_capacity(circuit.node_count()), place }
    }

    fn write(mut self, needed: &Needed) -> Wide {
        let circuit = self.circuit;
        for (node, gate) in circuit.gates() {
            let Some(by) = needed.of(node as usize) else { continue };
            self.place[node as usize] = match gate {
                Node::And(a, b) if self.sums.ready(a).max(self.sums.ready(b)) < by => {
                    self.product(Product::of(self.lit(a), self.lit(b)))
                }
                Node::And(a, b) => {
                    let terms = self.joined(a, b, by);
                    self.sum(terms)
                }
                Node::Xor(a, b) => self.xor(self.lit(a), self.lit(b)),
                Node::Constant | Node::Input => continue,
            };
        }
        self.wide.outputs = circuit.outputs.iter().flatten().map(|lit| self.lit(*lit)).collect();
        self.wide.swept()
    }

    fn lit(&self, lit: Lit) -> Lit {
        self.place[lit.node() as usize].flip(lit.is_inverted())
    }

    /// A literal in the layer that makes it ready, or unchanged if it was ready before.
    fn terms(&mut self, lit: Lit, layer: u32) -> Terms {
        let mut terms = match self.circuit.node(lit.node()) {
            _ if self.sums.ready(lit) < layer => {
                Terms { rest: self.place[lit.node() as usize], products: Vec::new() }
            }
            Node::And(a, b) if self.sums.joined[lit.node() as usize] => self.joined(a, b, layer),
            Node::And(a, b) => {
                let (a, b) = (self.lit(a), self.lit(b));
                Terms { rest: Lit::FALSE, products: Product::of(a, b).into_iter().collect() }
            }
            Node::Xor(a, b) => {
                let (a, mut b) = (self.terms(a, layer), self.terms(b, layer));
                let mut terms = Terms { rest: self.xor(a.rest, b.rest), products: a.products };
                b.products.drain(..).for_each(|product| self.add(&mut terms, product));
                terms
            }
            Node::Constant | Node::Input => Terms { rest: Lit::FALSE, products: Vec::new() },
        };
        terms.rest = terms.rest.flip(lit.is_inverted());
        terms
    }

    /// The AND of two literals, from products that are made in the layer.
    fn joined(&mut self, a: Lit, b: Lit, layer: u32) -> Terms {
        let (a, b) = (self.terms(a, layer), self.terms(b, layer));
        let mut terms = Terms { rest: Lit::FALSE, products: Vec::new() };
        let factors = |terms: &Terms| -> Vec<Product> {
            Product::ONE.times(terms.rest).into_iter().chain(terms.products.iter().copied()).collect()
        };
        let (left, right) = (factors(&a), factors(&b));
        for left in left {
            for right in &right {
                if let Some(product) = left.and(*right) {
                    self.add(&mut terms, product);
                }
            }
        }
        terms
    }

    /// Adds a product to a sum: two equal ones cancel, and products of fewer than two operands are not
    /// products.
    fn add(&mut self, terms: &mut Terms, product: Product) {
        match product.literals()[..] {
            [] => terms.rest = !terms.rest,
            [single] => terms.rest = self.xor(terms.rest, single),
            _ => match terms.products.iter().position(|other| *other == product) {
                Some(equal) => drop(terms.products.swap_remove(equal)),
                None => terms.products.push(product),
            },
        }
    }

    fn sum(&mut self, terms: Terms) -> Lit {
        terms.products.iter().fold(terms.rest, |sum, product| {
            let product = self.product(Some(*product));
            self.xor(sum, product)
        })
    }

    fn product(&mut self, product: Option<Product>) -> Lit {
        match product {
            None => Lit::FALSE,
            Some(Product { count: 0, .. }) => Lit::TRUE,
            Some(Product { count: 1, literals }) => literals[0],
            Some(operands) => Lit::of_node(self.gate(Gate { operands, is_and: true })),
        }
    }

    fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let flip = a.is_inverted() != b.is_inverted();
        let (a, b) = (Lit::of_node(a.node().max(b.node())), Lit::of_node(a.node().min(b.node())));
        match () {
            () if a == b => Lit::constant(flip),
            () if b == Lit::FALSE => a.flip(flip),
            () => {
                let operands = Product { literals: [a, b, Lit::FALSE, Lit::FALSE], count: 2 };
                Lit::of_node(self.gate(Gate { operands, is_and: false })).flip(flip)
            }
        }
    }

    fn gate(&mut self, gate: Gate) -> u32 {
        let (gates, first) = (&mut self.wide.gates, self.wide.input_bits as u32 + 1);
        self.known.reserve(|node| gates[(node - first) as usize].place());
        match self.known.find(gate.place(), |node| gates[(node - first) as usize] == gate) {
            Ok(node) => node,
            Err(vacant) => {
                let node = first + gates.len() as u32;
                self.known.insert(vacant, node);
                gates.push(gate);
                node
            }
        }
    }
}
