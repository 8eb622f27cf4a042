//! Compares verified programs with computations on plain numbers, and tests parties that change their
//! messages.

use std::cell::RefCell;
use std::rc::Rc;

use tacit_crypto::Prg;
use tacit_math::Block;
use tacit_math::field::{Field, Gf256, Mersenne61, Montgomery};

use super::check::FIRST_STEP;
use super::cut::RANGE_BYTES;
use crate::error::RunError;
use crate::parties::Parties;
use crate::program::{Task, Value};
use crate::protocol::order::{Extreme, Rows};
use crate::runtime::security::{LEAST_STATISTICAL_BITS, check_verifiable};
use crate::runtime::simulation::{SIZES, Simulation, computed_with, cost_with, elements, input, read};
use crate::runtime::wire::{self, MessageKind, Widths};
use crate::scheme::Scheme;
use crate::security::Security;

/// A scheme of parties that may depart from the protocol.
fn active<F: Field>(field: &F, (parties, threshold): (usize, usize)) -> Scheme<F> {
    Scheme::new(field.clone(), parties, threshold).expect("a scheme").with_security(Security::Active)
}

/// 2^127 - 1.
fn wide() -> Montgomery<2> {
    Montgomery::new(&[u64::MAX, u64::MAX >> 1]).expect("odd")
}

type Program<F> = fn(&Task<F>, &Value<F>, &Value<F>) -> Result<Value<F>, RunError>;

/// A computation on two vectors, and its result.
struct Case<F: Field> {
    name: &'static str,
    program: Program<F>,
    expected: &'static [i64],
}

const A: [i64; 4] = [3, -7, 1000, 5];
const B: [i64; 4] = [4, 6, -2, 5];

fn case<F: Field>(name: &'static str, expected: &'static [i64], program: Program<F>) -> Case<F> {
    Case { name, program, expected }
}

/// Operations on [`A`] and [`B`].
fn operations<F: Field>() -> Vec<Case<F>> {
    vec![
        case("opening", &[-1, -13, 1002, 0], |t, a, b| t.sub(a, b)),
        case("product", &[12, -42, -2000, 25], |t, a, b| t.mul(a, b)),
        case("product of products", &[36, 294, -2_000_000, 125], |t, a, b| t.mul(&t.mul(a, b)?, a)),
        case("inner product", &[-2005], |t, a, b| t.dot(a, b)),
        case("matrices", &[26, -17, 3990, 6025], |t, a, b| t.matmul(a, b, (2, 2, 2))),
        case("one by many", &[9, -21, 3000, 15], |t, a, _| t.mul(a, &t.gather(a, [0].into())?)),
        case("power", &[27, -343, 1_000_000_000, 125], |t, a, _| t.pow(a, &[3])),
        case("inverse", &A, |t, a, b| t.mul(&t.mul(&t.inverse(b)?, a)?, b)),
        case("random elements", &A, |t, a, _| {
            let random = t.random(4)?;
            let less = t.shift(&random, t.field().neg(t.field().one()))?;
            let taken = t.add(&t.mul(&random, &random)?, &t.mul(a, &less)?)?;
            t.sub(&t.mul(&t.add(a, &random)?, &random)?, &taken)
        }),
        case("random bits", &A, |t, a, _| {
            let bits = t.random_bits(4)?;
            t.add(a, &t.sub(&t.mul(&bits, &bits)?, &bits)?)
        }),
        case("square root", &[9, 49, 1_000_000, 25], |t, a, _| {
            let root = t.sqrt(&t.mul(a, a)?)?;
            t.mul(&root, &root)
        }),
    ]
}

/// Comparisons of numbers as large as the field.
fn comparisons<F: Field>() -> Vec<Case<F>> {
    vec![
        case("less", &[1, 1, 0, 0], |t, a, b| t.less(a, b)),
        case("equal", &[0, 0, 0, 1], |t, a, b| t.equal(a, b)),
        case("greatest", &[1000], |t, a, _| {
            Ok(t.extremes(a, Extreme::Greatest, Rows { length: 4, bits: None })?.0)
        }),
    ]
}

/// Operations that need a field larger than the numbers.
fn within<F: Field>() -> Vec<Case<F>> {
    vec![
        case("less within", &[1, 1, 0, 0], |t, a, b| t.less_within(a, b, 12)),
        case("equal within", &[0, 0, 0, 1], |t, a, b| t.equal_within(a, b, 12)),
        case("truncation", &[0, -2, 250, 1], |t, a, _| t.truncate(a, 2, 12)),
        case("remainder", &[9, 1, 0, 9], |t, a, _| t.remainder(&t.mul(a, a)?, 4, 24)),
        case("bits", &[0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 1, 0], |t, _, b| {
            t.bits(&t.mul(b, b)?, 6)
        }),
        case("Toft's comparison", &[0, 0, 1, 1], |t, a, b| {
            let positive = |a| t.shift(a, t.field().element(100));
            t.greater_than_equal_toft(&positive(a)?, &positive(b)?, 12)
        }),
    ]
}

/// Operations on [`A`] and [`B`] as bytes of GF(2^8).
fn in_bytes() -> Vec<Case<Gf256>> {
    let mut cases: Vec<Case<Gf256>> = vec![
        case("opening", &[7, 1, 234, 0], |t, a, b| t.sub(a, b)),
        case("product", &[12, 18, 203, 17], |t, a, b| t.mul(a, b)),
        case("matrices", &[2, 17, 135, 87], |t, a, b| t.matmul(a, b, (2, 2, 2))),
        case("inner product", &[196], |t, a, b| t.dot(a, b)),
        case("one by many", &[5, 9, 35, 15], |t, a, _| t.mul(a, &t.gather(a, [0].into())?)),
    ];
    let alike = ["inverse", "random elements", "random bits"];
    cases.extend(operations().into_iter().filter(|case| alike.contains(&case.name)));
    cases
}

fn computes<F: Field>(field: &F, size: (usize, usize), case: &Case<F>, seed: u64) {
    let result = computed_with(&active(field, size), seed, |task| {
        let (a, b) = (input(task, 0, &A), input(task, size.0 - 1, &B));
        task.open(&(case.program)(task, &a, &b)?)
    });
    assert_eq!(result, elements(field, case.expected), "{} among {size:?}", case.name);
}

#[test]
fn all_operations_agree_with_plain_numbers() {
    for (seed, size) in SIZES.into_iter().enumerate() {
        operations().iter().for_each(|case| computes(&Mersenne61, size, case, seed as u64));
    }
    for (seed, size) in [(3, 1), (4, 1), (5, 2)].into_iter().enumerate() {
        within().iter().for_each(|case| computes(&wide(), size, case, seed as u64));
        operations().iter().for_each(|case| computes(&wide(), size, case, seed as u64));
    }
    for (seed, size) in [(3, 1), (5, 1), (5, 2), (7, 3)].into_iter().enumerate() {
        comparisons().iter().for_each(|case| computes(&Mersenne61, size, case, seed as u64));
    }
}

#[test]
fn bytes_are_verified_in_an_extension() {
    for (seed, size) in SIZES.into_iter().enumerate() {
        in_bytes().iter().for_each(|case| computes(&Gf256, size, case, seed as u64));
    }
    assert!(check_verifiable(&Gf256, 54).is_ok());
    for (bits, field_bits) in [(55, check_verifiable(&Gf256, 55)), (51, check_verifiable(&Mersenne61, 51))] {
        let error = field_bits.expect_err("too small").to_string();
        assert!(error.contains(&format!("for {bits} bits of statistical security")), "{error}");
    }
}

/// Rounds and bytes of products of two inputs among three parties, with their opening, where everything is
/// verified.
fn verified_cost<F: Field>(field: &F, count: usize) -> (usize, usize) {
    cost_with(&active(field, (3, 1)), |task| {
        let numbers: Vec<i64> = (0..count as i64).collect();
        let (a, b) = (input(task, 0, &numbers), input(task, 1, &numbers));
        task.open(&task.mul(&a, &b)?)
    })
}

#[test]
fn verifications_send_what_they_say() {
    // Two requests to start; the cut to two others; from each to two others its hash with the commitment to coins, each coin, the masked sum, and the last claim.
    let fixed = |coins: usize| 2 + 2 * 2 * RANGE_BYTES + 6 * 64 * (1 + coins) + 6 * 8 * (1 + 3);
    // The inputs to two others, a product to the next, and the opening to two others; 2k products to the next for the last k.
    let bytes = |count: usize, width: usize| count * width * (4 + 3 + 6);
    assert_eq!(verified_cost(&Mersenne61, 4), (9, fixed(2) + bytes(4, 8) + 3 * 8 * 8));
    assert_eq!(verified_cost(&Gf256, 4), (9, fixed(2) + bytes(4, 1) + 3 * 8 * 8));
    assert_eq!(verified_cost(&Gf256, 32), (9, fixed(2) + bytes(32, 1) + 3 * 8 * 64));
    // 32 pieces of 2 elements have 62 points that are not tied; two elements are left.
    assert_eq!(verified_cost(&Gf256, 64), (11, fixed(3) + bytes(64, 1) + 3 * 8 * (62 + 4)));
}

#[test]
fn bytes_beside_a_prime_field_are_verified_too() {
    let scheme = active(&Mersenne61, (3, 1));
    let (mut simulation, tasks) = Simulation::of(&scheme, LEAST_STATISTICAL_BITS, 3);
    let opened = |task: &Task<Mersenne61>| {
        let bytes = task.bytes().expect("alive");
        let a = bytes.input(0, 2, (task.me() == 0).then(|| vec![3, 7])).expect("an input");
        let product = bytes.mul(&a, &a).expect("a product");
        let got = read(bytes, &bytes.open(&product).expect("opened"));
        task.synchronise().expect("alive");
        got
    };
    let got: Vec<_> = tasks.iter().map(opened).collect();
    // The party before it computes no product of its own.
    let mut changed = false;
    simulation.tamper = Some(Box::new(move |from, _, message| {
        let ranges = wire::ranges(&message[4..], Widths::of(&Gf256));
        let start = message.as_ptr() as usize;
        let found: Vec<_> = ranges
            .filter_map(Result::ok)
            .filter(|range| range.range.kind == MessageKind::Replicated)
            .map(|range| range.elements.as_ptr() as usize - start)
            .collect();
        if let (Some(at), false, 1) = (found.first(), changed, from) {
            (message[*at], changed) = (message[*at] ^ 1, true);
        }
    }));
    let errors = simulation.run_each();
    assert!(errors.iter().any(|(error, _)| error.is_some()));
    for got in got {
        assert!(!matches!(got.lock().expect("alive").take(), Some(Ok(_))), "a wrong product is opened");
    }
}

#[test]
fn inputs_that_must_be_bits_are_bits() {
    for (bits, right) in [([1, 0, 0, 1], true), ([1, 0, 2, 1], false), ([255, 0, 1, 1], false)] {
        for size in LIED_AMONG {
            let (mut simulation, tasks) = Simulation::of(&active(&Gf256, size), LEAST_STATISTICAL_BITS, 5);
            let opened = |task: &Task<Gf256>| {
                let given = (task.me() == 1).then(|| bits.to_vec());
                let value = task.input_bits(1, (4, 4), given).expect("an input");
                read(task, &task.open(&value).expect("opened"))
            };
            let got: Vec<_> = tasks.iter().map(opened).collect();
            let errors = simulation.run_each();
            for (got, (error, _)) in got.iter().zip(&errors) {
                let result = got.lock().expect("alive").take();
                assert_eq!(matches!(result, Some(Ok(_))), right, "{bits:?} among {size:?}: {error:?}");
            }
            let told = errors.iter().filter_map(|(error, _)| error.as_ref()).map(ToString::to_string);
            assert!(told.into_iter().all(|error| error.contains("a wrong message for a product")));
            assert_eq!(errors.iter().all(|(error, _)| error.is_none()), right);
        }
    }
}

#[test]
fn long_values_and_many_tasks_are_verified() {
    for size in [(3, 1), (4, 1), (5, 2)] {
        let numbers: Vec<i64> = (0..6000).collect();
        let result = computed_with(&active(&Mersenne61, size), 2, |task| {
            let (a, mut tasks) = (input(task, 0, &numbers), Vec::new());
            let mut sums = vec![task.mul(&a, &a)?];
            for number in 0..20 {
                let other = task.fork()?;
                sums.push(other.mul(&sums[number / 2], &other.scale(&a, 0)?)?);
                let few = other.gather(&sums[number], [number].into())?;
                other.open(&few)?;
                tasks.push(other);
            }
            let opened = task.open(&task.add(&sums[0], &sums[20])?)?;
            tasks.iter().try_for_each(|other| other.synchronise().map(drop))?;
            Ok(opened)
        });
        assert!(result.iter().zip(0u64..).all(|(result, number)| *result == number * number), "{size:?}");
    }
}

#[test]
fn only_those_named_learn_a_verified_value() {
    let (mut simulation, tasks) = Simulation::of(&active(&Mersenne61, (4, 1)), LEAST_STATISTICAL_BITS, 5);
    let opened = |task: &Task<_>| {
        let a = input(task, 2, &[7]);
        let product = task.mul(&a, &a).expect("a product");
        task.open_to(&product, Parties::from_iter([0, 3])).expect("opened")
    };
    let got: Vec<_> = tasks.iter().map(|task| read(task, &opened(task))).collect();
    assert!(simulation.run_each().iter().all(|(error, _)| error.is_none()));
    let got: Vec<_> = got.iter().map(|got| got.lock().expect("alive").take().expect("a result")).collect();
    assert_eq!(got.into_iter().collect::<Result<Vec<_>, _>>().expect("no error"), [[49], [0], [0], [49]]);
}

#[test]
fn what_is_not_verified_is_refused() {
    let (_, tasks) = Simulation::of(&active(&Mersenne61, (3, 1)), LEAST_STATISTICAL_BITS, 1);
    let a = input(&tasks[0], 0, &[1]);
    let refused = [
        tasks[0].sliced().err(),
        tasks[0].to_bytes(&a).err(),
        tasks[0].from_bytes(&tasks[0].bytes().expect("alive").constant(vec![1]).expect("alive")).err(),
        tasks[0].greater_than_equal_in_bytes(&a, &a, 8).err(),
        tasks[0].form(1, 0, &[&a], |_, given| given[0].to_vec()).err(),
    ];
    for error in refused {
        let error = error.expect("refused").to_string();
        assert!(error.contains("only possible with security = \"passive\""), "{error}");
    }
}

/// Adds a number to one of the elements in some bytes.
fn alter<G: Field>(field: &G, bytes: &mut [u8], mut below: impl FnMut(usize) -> usize) {
    let width = field.bytes();
    let at = below(bytes.len() / width) * width;
    let bytes = &mut bytes[at..][..width];
    let element = field.decode(bytes).expect("an element");
    field.encode(field.add(element, field.element(1 + below(200) as u64)), bytes);
}

/// How a party changes its messages.
#[derive(Default)]
pub(crate) struct Liar {
    me: usize,
    /// The index of the change to make.
    target: usize,
    /// The number of possible changes so far.
    seen: usize,
    /// What it has changed.
    pub(crate) changed: Option<(MessageKind, u64)>,
}

impl Liar {
    pub(crate) fn new(me: usize, target: usize) -> Liar {
        Liar { me, target, ..Liar::default() }
    }

    /// Adds a number to an element, or flips a bit of something else, if it is its turn.
    pub(crate) fn change<F: Field>(&mut self, field: &F, from: usize, message: &mut [u8]) {
        if from != self.me {
            return;
        }
        let start = message.as_ptr() as usize;
        let found: Vec<_> = wire::ranges(&message[4..], Widths::of(field))
            .map(|range| range.expect("well-formed"))
            .map(|range| (range.range, range.elements.as_ptr() as usize - start, range.elements.len()))
            .collect();
        for (head, at, length) in found {
            // Keep-alives have no effect, and programs are compared elsewhere.
            if matches!(head.kind, MessageKind::Progress | MessageKind::Agree) {
                continue;
            }
            self.seen += 1;
            if self.seen != self.target + 1 {
                continue;
            }
            self.changed = Some((head.kind, head.first));
            let mut prg = Prg::new(Block(self.target as u128));
            let mut below = |bound: usize| (prg.next_block().0 % bound as u128) as usize;
            let (bytes, width) = (&mut message[at..at + length], field.extension().bytes());
            let is_seed = head.kind == MessageKind::Verify && length == 64 && head.first >= FIRST_STEP;
            match head.kind {
                MessageKind::Sync => bytes[below(length)] ^= 1 << below(8),
                MessageKind::Verify if is_seed || length % width > 0 || head.first < FIRST_STEP => {
                    bytes[below(length)] ^= 1 << below(8);
                }
                MessageKind::Verify => alter(&field.extension(), bytes, below),
                _ => alter(field, bytes, below),
            }
        }
    }
}

/// The outcome of a run in which one party changed a message.
struct Outcome {
    changed: Option<(MessageKind, u64)>,
    /// Honest parties that got their result, and that ended with an error.
    right: usize,
    ended: usize,
}

/// Runs a case with a liar, and checks that no honest party gets a wrong result, and that each gets a result or an
/// error, or waits.
fn outcome<F: Field>(
    field: &F,
    size: (usize, usize),
    case: &Case<F>,
    (me, target): (usize, usize),
) -> Outcome {
    // The order of messages is the same in all runs, so that each is changed once.
    let (mut simulation, tasks) = Simulation::of(&active(field, size), LEAST_STATISTICAL_BITS, 7);
    let liar = Rc::new(RefCell::new(Liar::new(me, target)));
    let (lying, lied_in) = (liar.clone(), field.clone());
    simulation.tamper =
        Some(Box::new(move |from, _, message| lying.borrow_mut().change(&lied_in, from, message)));
    let got: Vec<_> = tasks
        .iter()
        .map(|task| {
            let (a, b) = (input(task, 0, &A), input(task, size.0 - 1, &B));
            let value = (case.program)(task, &a, &b).expect("a program");
            let got = read(task, &task.open(&value).expect("opened"));
            task.synchronise().expect("alive");
            got
        })
        .collect();
    let errors = simulation.run_each();
    let changed = liar.borrow().changed;
    let mut outcome = Outcome { changed, right: 0, ended: 0 };
    let expected = elements(field, case.expected);
    // A liar may change its own input: all parties agree on the changed one.
    for party in (0..size.0).filter(|party| *party != me) {
        let what =
            format!("{} among {size:?}: party {party} after party {me} changed {changed:?}", case.name);
        let result = got[party].lock().expect("alive").take();
        let (error, waits) = &errors[party];
        match result {
            Some(Ok(result)) => {
                assert_eq!(result, expected, "{what}");
                outcome.right += 1;
            }
            _ => assert!(error.is_some() || *waits, "{what} has neither a result nor an error"),
        }
        outcome.ended += usize::from(error.is_some());
    }
    outcome
}

/// Changes every message of a liar once; returns in how many of the runs somebody noticed.
fn all_changes<F: Field>(field: &F, size: (usize, usize), case: &Case<F>, me: usize, step: usize) -> usize {
    let (mut noticed, mut kinds) = (0, Vec::new());
    for target in (0..).step_by(step) {
        let outcome = outcome(field, size, case, (me, target));
        let Some((kind, _)) = outcome.changed else { break };
        kinds.push(kind);
        noticed += usize::from(outcome.ended > 0);
    }
    assert!(
        step > 1 || kinds.contains(&MessageKind::Open) && kinds.contains(&MessageKind::Verify),
        "{kinds:?}"
    );
    noticed
}

/// The sizes with which liars are tested.
const LIED_AMONG: [(usize, usize); 4] = [(3, 1), (4, 1), (5, 1), (5, 2)];

#[test]
fn no_changed_message_makes_a_wrong_result() {
    for size in LIED_AMONG {
        for case in &operations::<Mersenne61>()[..5] {
            for me in [0, size.0 - 1] {
                assert!(all_changes(&Mersenne61, size, case, me, 1) > 4, "{} among {size:?}", case.name);
            }
        }
    }
}

#[test]
fn no_changed_message_makes_a_wrong_result_of_bytes() {
    for size in LIED_AMONG {
        for case in &in_bytes()[..3] {
            for me in [0, size.0 - 1] {
                assert!(all_changes(&Gf256, size, case, me, 1) > 4, "{} among {size:?}", case.name);
            }
        }
    }
}

#[test]
fn no_changed_message_makes_a_wrong_result_of_longer_programs() {
    for size in [(3, 1), (5, 2)] {
        for (case, step) in operations::<Mersenne61>()[5..].iter().zip([1, 1, 2, 2, 3, 3]) {
            assert!(all_changes(&Mersenne61, size, case, 1, step) > 2, "{} among {size:?}", case.name);
        }
        for case in &within::<Montgomery<2>>()[..3] {
            assert!(all_changes(&wide(), size, case, 1, 7) > 2, "{} among {size:?}", case.name);
        }
        let less = &comparisons::<Mersenne61>()[0];
        assert!(all_changes(&Mersenne61, size, less, 0, 9) > 2, "less among {size:?}");
    }
}

#[test]
fn a_wrong_product_is_always_noticed_before_it_is_opened() {
    for size in LIED_AMONG {
        let case = &operations::<Mersenne61>()[1];
        for (me, target) in (0..size.0).flat_map(|me| (0..40).map(move |target| (me, target))) {
            let outcome = outcome(&Mersenne61, size, case, (me, target));
            let of_product = [MessageKind::Replicated, MessageKind::ToKing, MessageKind::FromKing];
            if outcome.changed.is_some_and(|(kind, _)| of_product.contains(&kind)) {
                assert_eq!(outcome.right, 0, "{size:?}: the product of {:?} is opened", outcome.changed);
                assert!(outcome.ended > 0);
            }
        }
    }
}
