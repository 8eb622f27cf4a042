//! All parties of a computation in one thread, with delays and orders from a seed.

mod pieces;
mod promises;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use tacit_crypto::Prg;
use tacit_math::Block;
use tacit_math::field::{BitOctets, BitSliced, Field, GaloisRing, Gf256};

use super::reactors::Reactors;
use super::security::LEAST_STATISTICAL_BITS;
use super::shared::ProgramLink;
use super::wire::Widths;
use crate::error::RunError;
use crate::program::{Task, Value};
use crate::prss::tests::ends_of;
use crate::randomness::Randomness;
use crate::scheme::Scheme;

/// A party's result, once it has arrived.
pub(crate) type Got<E> = Arc<Mutex<Option<Result<Vec<E>, RunError>>>>;

struct Node<F: Field> {
    reactor: Reactors<F>,
    shared: Arc<ProgramLink<F>>,
    /// Messages on their way to this party, by sender.
    links: Vec<VecDeque<Vec<u8>>>,
}

/// A slot for a value at a party.
pub(crate) fn read<F: Field>(task: &Task<F>, value: &Value<F>) -> Got<F::Element> {
    let got = Got::default();
    let slot = got.clone();
    task.read(value, move |result| *slot.lock().expect("not poisoned") = Some(result)).expect("public");
    got
}

/// The value in a slot, if it has arrived.
pub(crate) fn taken<E>(got: &Got<E>) -> Option<Vec<E>> {
    got.lock().expect("not poisoned").take().map(|result| result.expect("no error"))
}

/// Numbers as elements, negative ones below the modulus.
pub(crate) fn elements<F: Field>(field: &F, numbers: &[i64]) -> Vec<F::Element> {
    let element = |number: &i64| match number {
        0.. => field.element(*number as u64),
        _ => field.neg(field.element(number.unsigned_abs())),
    };
    numbers.iter().map(element).collect()
}

/// An input of one party, written at every party.
pub(crate) fn input<F: Field>(task: &Task<F>, owner: usize, numbers: &[i64]) -> Value<F> {
    let given = (task.me() == owner).then(|| elements(task.field(), numbers));
    task.input(owner, numbers.len(), given).expect("an input")
}

/// A computation whose messages and commands are delayed.
pub(crate) struct Simulation<F: Field> {
    nodes: Vec<Node<F>>,
    prg: Prg,
    pub(crate) error: Option<RunError>,
    /// Changes messages on their way, given sender, receiver and message.
    pub(crate) tamper: Option<Tamper>,
}

/// Changes messages.
pub(crate) type Tamper = Box<dyn FnMut(usize, usize, &mut Vec<u8>)>;

impl<F: Field> Simulation<F> {
    /// A simulation of this many parties, which have written nothing.
    pub(crate) fn new(field: &F, parties: usize, threshold: usize, seed: u64) -> (Self, Vec<Task<F>>) {
        Simulation::secured(field, (parties, threshold), LEAST_STATISTICAL_BITS, seed)
    }

    /// As [`Simulation::new`], with this source of randomness.
    pub(crate) fn with_randomness(
        field: &F,
        (parties, threshold): (usize, usize),
        randomness: Randomness,
        seed: u64,
    ) -> (Self, Vec<Task<F>>) {
        let scheme = Scheme::new(field.clone(), parties, threshold).expect("a scheme");
        Simulation::of(&scheme.with_randomness(randomness), LEAST_STATISTICAL_BITS, seed)
    }

    /// As [`Simulation::new`], with this statistical security.
    pub(crate) fn secured(
        field: &F,
        (parties, threshold): (usize, usize),
        statistical_bits: usize,
        seed: u64,
    ) -> (Self, Vec<Task<F>>) {
        let scheme = Scheme::new(field.clone(), parties, threshold).expect("a scheme");
        Simulation::of(&scheme, statistical_bits, seed)
    }

    /// The parties of a scheme.
    pub(crate) fn of(scheme: &Scheme<F>, statistical_bits: usize, seed: u64) -> (Self, Vec<Task<F>>) {
        let parties = scheme.parties();
        let names: Vec<_> = (1..=parties).map(|party| format!("p{party}")).collect();
        let node = |keys: crate::prss::Prss<F>| {
            let secured = (keys.scheme().clone(), statistical_bits);
            let shared = ProgramLink::new(secured, keys.me(), names.clone(), Arc::new(|| {}));
            let shared = Arc::new(shared);
            let prg = Prg::new(Block(u128::from(seed) << 8 | keys.me() as u128));
            let fork = std::cell::RefCell::new(prg);
            let reactor = Reactors::new(&shared, keys, || Ok(Prg::new(fork.borrow_mut().next_block())));
            let reactor = reactor.expect("a reactor");
            let links = (0..parties).map(|_| VecDeque::new()).collect();
            Node { reactor, shared, links }
        };
        let nodes: Vec<_> = ends_of(scheme).into_iter().map(node).collect();
        let tasks = nodes.iter().map(|node| Task::root(node.shared.clone()).expect("a task")).collect();
        (Simulation { nodes, prg: Prg::new(Block(u128::from(seed))), error: None, tamper: None }, tasks)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.prg.next_block().0 % bound as u128) as usize
    }

    /// Runs until nothing is left to do.
    pub(crate) fn run(&mut self) {
        while self.error.is_none() {
            let idle =
                |node: &mut Node<F>| node.reactor.take_some(0) && node.links.iter().all(VecDeque::is_empty);
            if self.nodes.iter_mut().all(idle) {
                return;
            }
            if let Err(error) = self.step() {
                self.error = Some(error);
            }
        }
    }

    /// Runs until nothing is left to do; a party with an error stops and the others continue. Returns each party's error, and whether it waits for
    /// another party.
    pub(crate) fn run_each(&mut self) -> Vec<(Option<RunError>, bool)> {
        let mut errors = vec![None; self.nodes.len()];
        loop {
            let idle = |(node, error): (&mut Node<F>, &Option<RunError>)| {
                error.is_some() || node.reactor.take_some(0) && node.links.iter().all(VecDeque::is_empty)
            };
            if self.nodes.iter_mut().zip(&errors).all(idle) {
                let waits = self.nodes.iter_mut().map(|node| !node.reactor.waiting().is_empty());
                return errors.into_iter().zip(waits).collect();
            }
            let n = self.nodes.len();
            let (party, peer) = (self.below(n), self.below(n));
            if errors[party].is_none()
                && let Err(error) = self.step_of(party, peer)
            {
                errors[party] = Some(error);
            }
        }
    }

    /// Lets one party do something.
    fn step(&mut self) -> Result<(), RunError> {
        let n = self.nodes.len();
        let (party, peer) = (self.below(n), self.below(n));
        self.step_of(party, peer)
    }

    fn step_of(&mut self, party: usize, peer: usize) -> Result<(), RunError> {
        let n = self.nodes.len();
        // Among many parties this is so rare that they send no more than they receive.
        let (some, tell) = (self.below(20), self.below(40 * n.div_ceil(7).pow(3)) == 0);
        let node = &mut self.nodes[party];
        node.reactor.take_some(some);
        if let Some(message) = node.links[peer].pop_front() {
            node.reactor.receive(peer, message[3], &message[4..])?;
        }
        // Messages that were ready before an error still leave.
        let ran = node.reactor.run(usize::MAX);
        if ran.is_ok() {
            if tell {
                node.reactor.tell_progress();
            }
            node.reactor.answer();
        }
        let sent: Vec<_> = (0..n).map(|peer| node.reactor.outgoing(peer)).collect();
        for (to, mut messages) in sent.into_iter().enumerate() {
            if let Some(tamper) = &mut self.tamper {
                messages.iter_mut().for_each(|message| tamper(party, to, message));
            }
            self.nodes[to].links[party].extend(messages);
        }
        ran.map(drop)
    }

    /// Sends messages to a party as if from another.
    pub(crate) fn plant(&mut self, to: usize, from: usize, messages: Vec<Vec<u8>>) {
        self.nodes[to].links[from].extend(messages);
    }

    /// The number of tasks about which a party still keeps something.
    pub(crate) fn tasks(&mut self, party: usize) -> usize {
        self.nodes[party].reactor.tasks()
    }

    /// The number of values that a party still has.
    pub(crate) fn values(&mut self, party: usize) -> usize {
        self.nodes[party].reactor.values()
    }
}

/// The cost of a program when all messages arrive at once: rounds, and bytes of elements of all parties together.
pub(crate) fn cost<F: Field>(
    field: &F,
    (parties, threshold): (usize, usize),
    program: impl Fn(&Task<F>) -> Result<Value<F>, RunError>,
) -> (usize, usize) {
    cost_with(&Scheme::new(field.clone(), parties, threshold).expect("a scheme"), program)
}

/// The same for a scheme.
pub(crate) fn cost_with<F: Field>(
    scheme: &Scheme<F>,
    program: impl Fn(&Task<F>) -> Result<Value<F>, RunError>,
) -> (usize, usize) {
    let (field, parties) = (scheme.field(), scheme.parties());
    let (mut simulation, tasks) = Simulation::of(scheme, LEAST_STATISTICAL_BITS, 1);
    let values: Vec<_> = tasks.iter().map(|task| program(task).expect("a program")).collect();
    let bytes = Widths::of(&Gf256);
    let sliced = BitSliced::for_parties(parties).map_or(bytes, |field| Widths::of(&field));
    let widths = [Widths::of(field), bytes, sliced, Widths::of(&BitOctets), Widths::of(&GaloisRing)];
    let (mut rounds, mut bytes) = (0, 0);
    loop {
        let mut sent = Vec::new();
        for (from, node) in simulation.nodes.iter_mut().enumerate() {
            // A value that is carried to another field is a new command there.
            for _ in 0..8 {
                node.reactor.take_some(usize::MAX);
                node.reactor.run(usize::MAX).expect("a program");
                node.reactor.answer();
            }
            sent.extend((0..parties).flat_map(|to| {
                node.reactor
                    .outgoing(to)
                    .into_iter()
                    .map(move |message| (from, to, message))
                    .collect::<Vec<_>>()
            }));
        }
        if sent.is_empty() {
            drop(values);
            return (rounds, bytes);
        }
        rounds += 1;
        for (from, to, message) in sent {
            let width = widths[usize::from(message[3])];
            let ranges = super::wire::ranges(&message[4..], width);
            bytes += ranges.map(|range| range.expect("well-formed").elements.len()).sum::<usize>();
            simulation.nodes[to].reactor.receive(from, message[3], &message[4..]).expect("expected");
        }
    }
}

/// The result of a program that ends in a public value; checked to be the same at all parties.
pub(crate) fn computed<F: Field>(
    field: &F,
    (parties, threshold): (usize, usize),
    seed: u64,
    program: impl Fn(&Task<F>) -> Result<Value<F>, RunError>,
) -> Vec<F::Element> {
    let scheme = Scheme::new(field.clone(), parties, threshold).expect("a scheme");
    computed_with(&scheme, seed, program)
}

/// The same for a scheme.
pub(crate) fn computed_with<F: Field>(
    scheme: &Scheme<F>,
    seed: u64,
    program: impl Fn(&Task<F>) -> Result<Value<F>, RunError>,
) -> Vec<F::Element> {
    let parties = scheme.parties();
    let (mut simulation, tasks) = Simulation::of(scheme, LEAST_STATISTICAL_BITS, seed);
    let wait = |task: &Task<F>| {
        let got = read(task, &program(task).expect("a program"));
        task.synchronise().expect("alive");
        got
    };
    let got: Vec<_> = tasks.iter().map(wait).collect();
    simulation.run();
    assert!(simulation.error.is_none(), "seed {seed}: {:?}", simulation.error);
    let mut results: Vec<_> = got.iter().map(|got| taken(got).expect("a result")).collect();
    let left: Vec<_> = (0..parties).map(|party| simulation.values(party)).collect();
    assert_eq!(left, vec![0; parties], "values that nothing can read are forgotten");
    let first = results.remove(0);
    assert!(results.iter().all(|other| *other == first), "all parties see the same");
    first
}

/// All tested numbers of parties and thresholds.
pub(crate) const SIZES: [(usize, usize); 7] = [(3, 1), (4, 1), (5, 1), (5, 2), (7, 1), (7, 2), (7, 3)];

/// More parties, whose bits are also shared 64 to an element: with common keys, and with dealt sharings.
pub(crate) const LARGER_SIZES: [(usize, usize); 5] = [(8, 2), (9, 4), (12, 1), (12, 5), (15, 7)];

mod tests {
    use tacit_math::field::{Mersenne61, Montgomery};

    use super::*;
    use crate::parties::Parties;
    use crate::security::Security;

    /// An input of party `owner`.
    fn input<F: Field>(task: &Task<F>, owner: usize, values: &[u64]) -> Value<F> {
        let elements = values.iter().map(|value| task.field().element(*value)).collect();
        let given = (task.me() == owner).then_some(elements);
        task.input(owner, values.len(), given).expect("an input")
    }

    fn computes<F: Field>(field: &F) {
        for (number, size) in SIZES.into_iter().enumerate() {
            let result = computed(field, size, number as u64, |task| {
                let (a, b) = (input(task, 0, &[1, 2, 3]), input(task, size.0 - 1, &[4, 5, 6]));
                let product = task.mul(&a, &b)?;
                let sum = task.add(&product, &task.scale(&a, task.field().element(3))?)?;
                task.open(&task.mul(&sum, &task.shift(&b, task.field().one())?)?)
            });
            let e = |value| field.element(value);
            let expected = |a: u64, b: u64| {
                let sum = field.add(field.mul(e(a), e(b)), field.mul(e(a), e(3)));
                field.mul(sum, field.add(e(b), field.one()))
            };
            assert_eq!(result, [expected(1, 4), expected(2, 5), expected(3, 6)], "{size:?}");
        }
    }

    #[test]
    fn programs_compute_whatever_the_order() {
        computes(&Mersenne61);
        computes(&Gf256);
        computes(&Montgomery::<1>::new(&[65_537]).expect("odd"));
        computes(&Montgomery::<4>::new(&[u64::MAX - 58, 0, 0, 0]).expect("odd"));
    }

    #[test]
    fn random_programs_agree_with_plain_numbers_where_all_is_verified() {
        for seed in 0..40 {
            let (parties, threshold) = SIZES[seed as usize % SIZES.len()];
            let scheme = Scheme::new(Mersenne61, parties, threshold).expect("a scheme");
            let scheme = scheme.with_security(Security::Active);
            let result = computed_with(&scheme, seed, |task| random_program(task, seed));
            assert_eq!(result, random_plain(seed), "seed {seed}");
        }
    }

    /// Runs a random program, with delays and orders from its seed.
    fn agrees_with_plain_numbers(seed: u64) {
        let size = SIZES[seed as usize % SIZES.len()];
        let result = computed(&Mersenne61, size, seed, |task| random_program(task, seed));
        assert_eq!(result, random_plain(seed), "seed {seed}");
    }

    #[test]
    fn random_programs_agree_with_plain_numbers() {
        (0..60).for_each(agrees_with_plain_numbers);
    }

    #[test]
    #[ignore = "minutes"]
    fn thousands_of_random_programs_agree_with_plain_numbers() {
        (60..3000).for_each(agrees_with_plain_numbers);
    }

    /// The steps of a random program: an operation, and the earlier values that are its operands.
    fn steps(seed: u64) -> Vec<(usize, usize, usize)> {
        let mut prg = Prg::new(Block(u128::from(seed) ^ 0xface));
        let mut below = |bound: usize| (prg.next_block().0 % bound as u128) as usize;
        (6..70).map(|made| (below(7), below(made), below(made))).collect()
    }

    fn random_plain(seed: u64) -> Vec<u64> {
        let field = Mersenne61;
        let mut values: Vec<u64> = (0..6).map(|i| i * 1_000_003 + seed).collect();
        for (kind, a, b) in steps(seed) {
            let (a, b) = (values[a], values[b]);
            values.push(match kind {
                0 => field.add(a, b),
                1 => field.sub(a, b),
                2 => field.mul(a, 5),
                _ => field.mul(a, b),
            });
        }
        values
    }

    fn random_program(task: &Task<Mersenne61>, seed: u64) -> Result<Value<Mersenne61>, RunError> {
        let parties = task.names().len();
        let mut values: Vec<_> =
            (0..6).map(|i| input(task, i as usize % parties, &[i * 1_000_003 + seed])).collect();
        let other = task.fork()?;
        for (number, (kind, a, b)) in steps(seed).into_iter().enumerate() {
            let (a, b) = (&values[a], &values[b]);
            let task = if number % 3 == 0 { &other } else { task };
            values.push(match kind {
                0 => task.add(a, b)?,
                1 => task.sub(a, b)?,
                2 => task.scale(a, 5)?,
                6 => task.open(&task.mul(a, b)?)?,
                _ => task.mul(a, b)?,
            });
        }
        let opened: Vec<_> = values.iter().map(|value| task.open(value)).collect::<Result<_, _>>()?;
        other.synchronise()?;
        let parts: Vec<_> = opened.iter().collect();
        task.local(values.len(), true, 0, &parts, |_, given| given.iter().map(|part| part[0]).collect())
    }

    #[test]
    fn programs_compute_among_three_to_twelve_with_every_threshold() {
        for (parties, threshold) in (3..=12).flat_map(|n| (1..=(n - 1) / 2).map(move |t| (n, t))) {
            for randomness in [Randomness::CommonKeys, Randomness::Dealt] {
                // Among three parties nothing is dealt, and among many there are too many sets.
                if !(if randomness == Randomness::Dealt { 4..=12 } else { 3..=7 }).contains(&parties) {
                    continue;
                }
                let size = (parties, threshold);
                let (mut simulation, tasks) = Simulation::with_randomness(
                    &Mersenne61,
                    size,
                    randomness,
                    (parties * 16 + threshold) as u64,
                );
                let written = |task: &Task<Mersenne61>| {
                    let (a, b) = (input(task, 0, &[1, 2, 3]), input(task, parties - 1, &[4, 5, 6]));
                    let (bits, product) = (task.random_bits(3)?, task.mul(&a, &b)?);
                    // The square of a bit is the bit, and the bit is subtracted again.
                    let square = task.sub(&task.mul(&bits, &bits)?, &bits)?;
                    task.open(&task.mul(&task.add(&product, &square)?, &task.add(&product, &a)?)?)
                };
                let got: Vec<_> =
                    tasks.iter().map(|task| read(task, &written(task).expect("a program"))).collect();
                simulation.run();
                assert!(simulation.error.is_none(), "{size:?}: {:?}", simulation.error);
                assert!(got.iter().all(|got| taken(got) == Some(vec![20, 120, 378])), "{size:?}");
            }
        }
    }

    #[test]
    fn what_an_operation_draws_follows_from_its_place_alone() {
        let drawn = |seed: u64| {
            computed(&Mersenne61, (5, 2), seed, |task| {
                let other = task.fork()?;
                let a = input(task, 1, &[7, 8, 9]);
                let parts =
                    [task.random(5)?, other.random(40)?, task.mul(&task.random(3)?, &a)?, task.random(900)?];
                let opened: Vec<_> = parts.iter().map(|part| task.open(part)).collect::<Result<_, _>>()?;
                other.synchronise()?;
                task.concat(&opened.iter().collect::<Vec<_>>())
            })
        };
        let first = drawn(0);
        assert!((1..12).all(|seed| drawn(seed) == first), "messages and turns decide what is drawn");
        let mut distinct = first.clone();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), first.len(), "no element is drawn twice");
    }

    #[test]
    fn long_values_travel_in_pieces() {
        for size in [(3, 1), (5, 2)] {
            let values: Vec<u64> = (0..100_000).collect();
            let result = computed(&Mersenne61, size, 1, |task| {
                let (a, b) = (input(task, 0, &values), input(task, 1, &values));
                task.open(&task.mul(&a, &b)?)
            });
            assert!(result.iter().zip(&values).all(|(result, value)| *result == value * value));
        }
    }

    #[test]
    fn only_those_named_learn_a_value() {
        let (mut simulation, tasks) = Simulation::new(&Mersenne61, 4, 1, 5);
        let opened = |task: &Task<_>| {
            task.open_to(&input(task, 2, &[77]), Parties::from_iter([0, 3])).expect("opened")
        };
        let got: Vec<_> = tasks.iter().map(|task| read(task, &opened(task))).collect();
        simulation.run();
        let got: Vec<_> = got.iter().map(|got| taken(got).expect("a result")).collect();
        assert_eq!(got, [[77], [0], [0], [77]]);
    }

    #[test]
    fn another_program_is_named_with_its_line() {
        for case in 0..4 {
            let (mut simulation, tasks) = Simulation::new(&Mersenne61, 3, 1, case);
            for (party, task) in tasks.iter().enumerate() {
                let a = input(task, 0, &[3, 4]);
                task.at(task.call_site("line 5"));
                let b = match (party, case) {
                    (1, 0) => task.scale(&a, 3),
                    (1, 1) => task.open(&a),
                    (1, 2) => Ok(input(task, 1, &[1, 2, 3])),
                    (1, _) => task.mul(&a, &task.sub(&a, &a).expect("alive")),
                    _ => task.mul(&a, &a),
                };
                task.at(task.call_site("line 6"));
                task.open(&task.scale(&b.expect("alive"), 2).expect("alive")).expect("alive");
                task.synchronise().expect("alive");
            }
            simulation.run();
            for node in &mut simulation.nodes {
                node.reactor.tell_progress();
            }
            for party in 0..3 {
                let node = &mut simulation.nodes[party];
                let sent: Vec<_> = (0..3).map(|peer| node.reactor.outgoing(peer)).collect();
                for (to, messages) in sent.into_iter().enumerate() {
                    simulation.nodes[to].links[party].extend(messages);
                }
            }
            simulation.run();
            let error = simulation.error.expect("they differ").to_string();
            assert!(error.contains("another program") && error.contains("line "), "{case}: {error}");
        }
    }

    #[test]
    fn shares_of_intermediate_values_look_uniform() {
        // In a field of 11 elements, one party's share of a product takes each value equally often.
        let field = Montgomery::<1>::new(&[11]).expect("odd");
        for size in [(3, 1), (5, 2)] {
            let (mut simulation, tasks) = Simulation::new(&field, size.0, size.1, 3);
            let count = 33_000;
            let held: Vec<_> = tasks
                .iter()
                .map(|task| {
                    let a = input(task, 0, &vec![3; count]);
                    let product = task.mul(&a, &a).expect("alive");
                    // Only for tests: this party's shares are treated as public.
                    let seen = task.local(count, true, 0, &[&product], |_, given| given[0].to_vec());
                    (product, seen.expect("alive"))
                })
                .collect();
            let got: Vec<_> = tasks.iter().zip(&held).map(|(task, (_, seen))| read(task, seen)).collect();
            simulation.run();
            for got in &got {
                let shares = taken(got).expect("a result");
                for value in 0..11 {
                    let seen = shares.iter().filter(|share| **share == field.element(value)).count();
                    assert!((2_700..3_300).contains(&seen), "{size:?}: share {value} seen {seen} times");
                }
            }
        }
    }

    #[test]
    fn whoever_opens_something_else_to_some_is_noticed() {
        for size in SIZES {
            for field in 0..2 {
                let (mut simulation, tasks) = Simulation::new(&Mersenne61, size.0, size.1, 6);
                for task in &tasks {
                    let liar = task.me() == 1;
                    // The party adds 1 to its share: parties that open with that share see another value than the others.
                    match field {
                        0 => {
                            let a = input(task, 0, &[3, 4, 5]);
                            let told = task.local(3, false, 0, &[&a], move |_, given| {
                                given[0].iter().map(|share| if liar { share ^ 1 } else { *share }).collect()
                            });
                            task.open(&told.expect("alive")).expect("alive");
                        }
                        _ => {
                            let bytes = task.bytes().expect("a field");
                            let a = input(bytes, 0, &[3, 4, 5]);
                            let told = bytes.local(3, false, 0, &[&a], move |_, given| {
                                given[0].iter().map(|share| share ^ u8::from(liar)).collect()
                            });
                            bytes.open(&told.expect("alive")).expect("alive");
                        }
                    }
                    task.synchronise().expect("alive");
                }
                simulation.run();
                let error = simulation.error;
                assert!(
                    matches!(error, Some(RunError::Equivocation { .. })),
                    "{size:?}: parties go on with different opened values: {error:?}"
                );
            }
        }
    }
}
