//! Tests of long products, which run in pieces.

use tacit_math::field::Mersenne61;

use super::*;
use crate::runtime::pieces::{LEAST, PIECE};
use crate::runtime::wire::{HEADER, MessageKind, RangeHead, outbox, ranges};

/// Small numbers that differ.
fn numbers(length: usize, step: i64) -> Vec<i64> {
    (0..length as i64).map(|i| i * step % 1009 + 2).collect()
}

/// Products of products, squares, products with a single number, and of values that become known in different ways, as a value of the
/// last length.
fn chain<F: Field>(task: &Task<F>, length: usize) -> Result<Value<F>, RunError> {
    let (a, b) = (input(task, 0, &numbers(length, 1)), input(task, 1, &numbers(length, 7)));
    let one = task.mul(&input(task, 2, &[3]), &input(task, 0, &[5]))?;
    let square = task.mul(&a, &a)?;
    let scaled = task.mul(&one, &task.mul(&square, &b)?)?;
    let sum = task.add(&task.mul(&scaled, &square)?, &b)?;
    task.mul(&task.mul(&sum, &scaled)?, &task.mul(&sum, &one)?)
}

fn expected<F: Field>(field: &F, length: usize) -> Vec<F::Element> {
    let product = |a, b| field.mul(a, b);
    let all = elements(field, &numbers(length, 1)).into_iter().zip(elements(field, &numbers(length, 7)));
    all.map(|(a, b)| {
        let (one, square) = (field.mul(field.element(3), field.element(5)), product(a, a));
        let scaled = product(one, product(square, b));
        let sum = field.add(product(scaled, square), b);
        product(product(sum, scaled), product(sum, one))
    })
    .collect()
}

fn chains_are_right<F: Field>(field: &F) {
    for (seed, length) in [LEAST - 1, LEAST, LEAST + 1, 3 * PIECE, 3 * PIECE + 77].into_iter().enumerate() {
        let opened = computed(field, (3, 1), seed as u64, |task| task.open(&chain(task, length)?));
        assert!(opened == expected(field, length), "{length} elements");
    }
}

#[test]
fn chains_of_long_products_are_right_whatever_the_order() {
    chains_are_right(&Mersenne61);
    chains_are_right(&GaloisRing);
}

#[test]
fn long_products_send_what_they_would_send_as_a_whole() {
    let length = 3 * PIECE + 5;
    let cost = cost(&Mersenne61, (3, 1), |task| {
        let (a, b) = (input(task, 0, &numbers(length, 1)), input(task, 1, &numbers(length, 7)));
        let product = task.mul(&task.mul(&a, &b)?, &b)?;
        task.mul(&product, &product)
    });
    // A message of each input, and one of each party for each product.
    assert_eq!(cost, (4, 8 * length * (2 + 3 * 3)));
}

/// A message with its sender and receiver.
type Sent = (usize, usize, Vec<u8>);

impl Simulation<Mersenne61> {
    /// Lets all parties run; returns what they send.
    fn turn(&mut self) -> Vec<Sent> {
        let n = self.nodes.len();
        let mut sent = Vec::new();
        for (from, node) in self.nodes.iter_mut().enumerate() {
            node.reactor.take_some(usize::MAX);
            node.reactor.run(usize::MAX).expect("a program");
            node.reactor.answer();
            (0..n)
                .for_each(|to| sent.extend(node.reactor.outgoing(to).into_iter().map(|one| (from, to, one))));
        }
        sent
    }

    fn deliver(&mut self, (from, to, message): &Sent) -> Result<(), RunError> {
        self.nodes[*to].reactor.receive(*from, message[3], &message[4..])
    }
}

/// The positions and numbers of elements in a message.
fn places((_, _, message): &Sent) -> Vec<(u64, usize)> {
    let found = ranges(&message[4..], Widths::of(&Mersenne61)).map(|found| found.expect("well-formed").range);
    found.map(|range| (range.first, range.count)).collect()
}

/// A simulation in which two products of three pieces follow one another, the values that keep them alive, and the messages of the first, which are not
/// delivered.
fn two_products() -> (Simulation<Mersenne61>, Vec<Value<Mersenne61>>, Vec<Sent>) {
    let (mut simulation, tasks) = Simulation::new(&Mersenne61, 3, 1, 1);
    let written = |task: &Task<Mersenne61>| {
        let a = input(task, 0, &numbers(3 * PIECE, 1));
        task.mul(&task.mul(&a, &a).expect("alive"), &a).expect("alive")
    };
    let values: Vec<_> = tasks.iter().map(written).collect();
    let inputs = simulation.turn();
    let kind = |(_, _, message): &Sent| message[4];
    let (inputs, mut products): (Vec<_>, Vec<_>) =
        inputs.into_iter().partition(|sent| kind(sent) == MessageKind::Input as u8);
    inputs.iter().for_each(|sent| simulation.deliver(sent).expect("an input"));
    products.extend(simulation.turn());
    (simulation, values, products)
}

#[test]
fn a_piece_leaves_before_the_rest_of_its_operands_arrives() {
    let (mut simulation, _values, products) = two_products();
    let all = 3 * PIECE as u64;
    assert!(products.iter().flat_map(places).all(|(first, _)| first < all), "only the first product");
    let (first, later): (Vec<_>, Vec<_>) =
        products.into_iter().partition(|sent| places(sent).iter().any(|(first, _)| *first == 0));
    assert_eq!((first.len(), later.is_empty()), (3, false), "the messages of each party have pieces");
    first.iter().for_each(|sent| simulation.deliver(sent).expect("a product"));
    let next = simulation.turn();
    let places_of =
        |me: usize| next.iter().filter(move |sent| sent.0 == me).flat_map(places).collect::<Vec<_>>();
    for me in 0..3 {
        let got = places(first.iter().find(|sent| sent.1 == me).expect("a message"));
        let moved: Vec<_> = got.iter().map(|(first, count)| (first + all, *count)).collect();
        assert_eq!(places_of(me), moved, "as many elements leave as have arrived");
    }
    later.iter().for_each(|sent| simulation.deliver(sent).expect("a product"));
    let rest = simulation.turn();
    assert!(rest.iter().flat_map(places).all(|(first, _)| first > all));
    next.iter().chain(&rest).for_each(|sent| simulation.deliver(sent).expect("a product"));
    assert!(simulation.turn().is_empty());
    assert!(simulation.nodes.iter_mut().all(|node| node.reactor.waiting().is_empty()));
}

#[test]
fn what_arrives_for_a_waiting_product_is_checked_as_any_other() {
    // The element at this position in the first range becomes larger than the field.
    let (mut simulation, _values, products) = two_products();
    let mut wrong = products.into_iter().find(|sent| sent.1 == 1).expect("a message");
    let place = 4 + HEADER + 8 * 300;
    wrong.2[place..place + 8].fill(0xff);
    let told = simulation.deliver(&wrong).expect_err("not in the field").to_string();
    assert!(told.contains("p1") && told.contains("field"), "{told}");

    // Some of the elements have arrived before.
    let (mut simulation, _values, products) = two_products();
    let first = products.into_iter().find(|sent| sent.1 == 1).expect("a message");
    let found = ranges(&first.2[4..], Widths::of(&Mersenne61)).next().expect("a range").expect("well-formed");
    let (head, elements) = (found.range, found.elements);
    let mut again = outbox(3);
    let part = RangeHead { first: head.first + 5, count: 3, ..head };
    again[1].range(part, [].into_iter(), 8).copy_from_slice(&elements[..24]);
    let mut early = again[1].take().remove(0);
    early[3] = first.2[3];
    simulation.deliver(&(0, 1, early)).expect("early");
    let told = simulation.deliver(&first).expect_err("repeated").to_string();
    assert!(told.contains("p1") && told.contains("repeat"), "{told}");

    // The sender's program differs.
    let (mut simulation, _values, products) = two_products();
    let mut other = products.into_iter().find(|sent| sent.1 == 1).expect("a message");
    other.2[4 + 9] ^= 1;
    let told = simulation.deliver(&other).expect_err("another program").to_string();
    assert!(told.contains("p1") && told.contains("another program"), "{told}");
}
