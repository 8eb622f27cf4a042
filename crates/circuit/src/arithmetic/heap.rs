//! Sums of weighted bits and of products of two bits.

use std::collections::BTreeMap;

use super::coefficient::{Coefficient, Form};
use super::count::sum_columns;
use super::shallow::layers;
use crate::builder::CircuitBuilder;
use crate::lit::Lit;

/// A sum of bits and of products of two bits, each times an integer, modulo `2^width`. Adding it up costs
/// about one AND for every bit that is removed.
///
/// A product of two bits needs no AND of its own: `2xy = x + y - (x ⊕ y)`. So for many products of few bits,
/// as in a product of two words, twice the sum is added up, with an exclusive or for each product, and then
/// halved.
///
/// Source: bit heaps, de Dinechin and Pasca, FloPoCo (2011). Differs: products become exclusive ors.
#[derive(Clone, Debug)]
pub struct Heap {
    width: usize,
    constant: Coefficient,
    /// By node; a complement is one minus the bit.
    bits: BTreeMap<Lit, Coefficient>,
    /// By two nodes, the lower one first.
    products: BTreeMap<(Lit, Lit), Coefficient>,
}

impl Heap {
    /// An empty sum modulo `2^width`.
    pub fn new(width: usize) -> Self {
        Heap { width, constant: Coefficient::zero(width), bits: BTreeMap::new(), products: BTreeMap::new() }
    }

    /// Bits of the sum.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The number of bits and products in the sum.
    pub fn terms(&self) -> usize {
        self.bits.len() + self.products.len()
    }

    pub(super) fn constant(&self) -> &Coefficient {
        &self.constant
    }

    pub(super) fn set_constant(&mut self, constant: Coefficient) {
        self.constant = constant;
    }

    pub(super) fn add_constant(&mut self, constant: &Coefficient) {
        self.constant.add(constant, self.width);
    }

    pub(super) fn bits(&self) -> impl Iterator<Item = (Lit, &Coefficient)> {
        self.bits.iter().map(|(lit, coefficient)| (*lit, coefficient))
    }

    pub(super) fn products(&self) -> impl Iterator<Item = ((Lit, Lit), &Coefficient)> {
        self.products.iter().map(|(pair, coefficient)| (*pair, coefficient))
    }

    /// The coefficients of bits and products.
    pub(super) fn coefficients(&self) -> impl Iterator<Item = &Coefficient> {
        self.bits.values().chain(self.products.values())
    }

    /// The sum with changed coefficients, including the constant.
    pub(super) fn map(&self, width: usize, change: impl Fn(&Coefficient) -> Coefficient) -> Heap {
        let mut heap = Heap::new(width);
        heap.constant = change(&self.constant);
        self.bits.iter().for_each(|(lit, coefficient)| heap.add_bit(*lit, &change(coefficient)));
        self.products.iter().for_each(|((a, b), coefficient)| heap.add_product(*a, *b, &change(coefficient)));
        heap
    }

    pub(super) fn add_bit(&mut self, lit: Lit, coefficient: &Coefficient) {
        if lit.is_inverted() {
            self.constant.add(coefficient, self.width);
            self.add_bit(!lit, &coefficient.negated(self.width));
        } else if lit != Lit::FALSE {
            add_to(&mut self.bits, lit, coefficient, self.width);
        }
    }

    /// Adds the product of two bits, times the coefficient.
    pub(super) fn add_product(&mut self, a: Lit, b: Lit, coefficient: &Coefficient) {
        if a.is_inverted() {
            self.add_bit(b, coefficient);
            self.add_product(!a, b, &coefficient.negated(self.width));
        } else if b.is_inverted() {
            self.add_bit(a, coefficient);
            self.add_product(a, !b, &coefficient.negated(self.width));
        } else if a == b || a == Lit::FALSE || b == Lit::FALSE {
            self.add_bit(a.min(b), coefficient);
        } else {
            add_to(&mut self.products, (a.min(b), a.max(b)), coefficient, self.width);
        }
    }

    /// The sum, least significant bit first.
    pub fn total(&self, builder: &mut CircuitBuilder) -> Vec<Lit> {
        let (form, mut direct) = self.cheaper_form();
        let Some((twice, mut cost)) = self.twice() else { return self.total_as(builder, form) };
        if !builder.is_shallow() {
            (direct.layers, cost.layers) = (0, 0);
        }
        if direct <= cost {
            return self.total_as(builder, form);
        }
        let mut sum = twice;
        for ((a, b), coefficient) in &self.products {
            sum.add_bit(builder.xor(*a, *b), &coefficient.shifted(0, sum.width).negated(sum.width));
        }
        let mut total = sum.total_as(builder, sum.cheaper_form().0);
        total.remove(0);
        total
    }

    /// Twice the sum without the exclusive ors, and its cost with them. None if there are no products.
    fn twice(&self) -> Option<(Heap, Cost)> {
        if self.products.is_empty() {
            return None;
        }
        let width = self.width + 1;
        let mut twice = Heap::new(width);
        twice.constant = self.constant.shifted(1, width);
        for (lit, coefficient) in &self.bits {
            twice.add_bit(*lit, &coefficient.shifted(1, width));
        }
        for ((a, b), coefficient) in &self.products {
            let coefficient = coefficient.shifted(0, width);
            twice.add_bit(*a, &coefficient);
            twice.add_bit(*b, &coefficient);
        }
        let mut heights = Heights::new(width);
        twice.bits.values().for_each(|coefficient| heights.add(coefficient, Form::Fewest));
        for coefficient in self.products.values() {
            heights.add(&coefficient.shifted(0, width).negated(width), Form::Fewest);
        }
        Some((twice, heights.cost()))
    }

    /// The cheapest form of coefficients, and its cost including the products.
    fn cheaper_form(&self) -> (Form, Cost) {
        let cost = |form| {
            let mut heights = Heights::new(self.width);
            self.bits.values().chain(self.products.values()).for_each(|one| heights.add(one, form));
            let Cost { layers, ands } = heights.cost();
            let products = self.products.len() as u64;
            Cost { layers: layers + u64::from(products > 0), ands: ands + products }
        };
        let (binary, fewest) = (cost(Form::Binary), cost(Form::Fewest));
        if fewest.ands < binary.ands { (Form::Fewest, fewest) } else { (Form::Binary, binary) }
    }

    fn total_as(&self, builder: &mut CircuitBuilder, form: Form) -> Vec<Lit> {
        let mut columns: Vec<Vec<Lit>> = vec![Vec::new(); self.width];
        let mut constant = self.constant.clone();
        let mut place = |lit: Lit, coefficient: &Coefficient| {
            coefficient.for_each_digit(self.width, form, |place, negative| {
                // -x is the complement of x, minus one.
                columns[place].push(lit.flip(negative));
                if negative {
                    constant.add(&Coefficient::power(self.width, place, true), self.width);
                }
            });
        };
        for ((a, b), coefficient) in &self.products {
            let product = builder.and(*a, *b);
            place(product, coefficient);
        }
        self.bits.iter().for_each(|(lit, coefficient)| place(*lit, coefficient));
        let ones: Vec<bool> = (0..self.width).map(|place| constant.bit(place)).collect();
        sum_columns(builder, self.width, &ones, |_, column, bucket| bucket.append(&mut columns[column]))
    }
}

fn add_to<K: Ord>(map: &mut BTreeMap<K, Coefficient>, key: K, coefficient: &Coefficient, width: usize) {
    use std::collections::btree_map::Entry;
    match map.entry(key) {
        Entry::Vacant(vacant) => {
            if !coefficient.is_zero() {
                vacant.insert(coefficient.clone());
            }
        }
        Entry::Occupied(mut known) => {
            known.get_mut().add(coefficient, width);
            if known.get().is_zero() {
                known.remove();
            }
        }
    }
}

/// The cost of a sum; layers count first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Cost {
    layers: u64,
    ands: u64,
}

/// The number of bits in each column.
struct Heights {
    columns: Vec<u64>,
    constant: Coefficient,
}

impl Heights {
    fn new(width: usize) -> Self {
        Heights { columns: vec![0; width], constant: Coefficient::zero(width) }
    }

    fn add(&mut self, coefficient: &Coefficient, form: Form) {
        let width = self.columns.len();
        let Heights { columns, constant } = self;
        coefficient.for_each_digit(width, form, |place, negative| {
            columns[place] += 1;
            if negative {
                constant.add(&Coefficient::power(width, place, true), width);
            }
        });
    }

    /// The cost of adding the columns up; the layers are those until two words are left.
    fn cost(&self) -> Cost {
        let tallest = self.columns.iter().copied().max().unwrap_or(0);
        Cost { layers: layers(tallest), ands: self.and_count() }
    }

    fn and_count(&self) -> u64 {
        let (mut ands, mut carries) = (0, 0);
        for (place, height) in self.columns.iter().enumerate().take(self.columns.len().saturating_sub(1)) {
            let bits = height + carries;
            let pairs = bits.saturating_sub(1).div_ceil(2);
            ands += pairs;
            carries = pairs + u64::from(self.constant.bit(place) && bits % 2 == 1);
        }
        ands
    }
}
