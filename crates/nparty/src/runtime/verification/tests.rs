//! Programs where all is verified, against plain numbers; and parties that change what they send.

use std::cell::RefCell;
use std::rc::Rc;

use tacit_crypto::Prg;
use tacit_math::Block;
use tacit_math::field::{Field, Mersenne61, Montgomery};

use super::check::FIRST_STEP;
use crate::error::RunError;
use crate::parties::Parties;
use crate::program::{Task, Value};
use crate::protocol::order::{Extreme, Rows};
use crate::runtime::security::LEAST_STATISTICAL_BITS;
use crate::runtime::simulation::{SIZES, Simulation, computed_with, elements, input, read};
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

/// What is computed of two vectors, and what comes out.
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

/// What takes a field that is larger than numbers.
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
        tasks[0].bytes().err(),
        tasks[0].to_bytes(&a).err(),
        tasks[0].greater_than_equal_in_bytes(&a, &a, 8).err(),
        tasks[0].form(1, 0, &[&a], |_, given| given[0].to_vec()).err(),
    ];
    for error in refused {
        let error = error.expect("refused").to_string();
        assert!(error.contains("security = \"passive\" alone"), "{error}");
    }
}

/// What a party does to what it sends.
#[derive(Default)]
struct Liar {
    me: usize,
    /// Which of the things that it could change it does.
    target: usize,
    /// How many there were so far.
    seen: usize,
    /// What it has changed.
    changed: Option<(MessageKind, u64)>,
}

impl Liar {
    /// Adds something to an element, or changes a bit of something else, if it is its turn.
    fn change<F: Field>(&mut self, field: &F, from: usize, message: &mut [u8]) {
        if from != self.me {
            return;
        }
        let start = message.as_ptr() as usize;
        let found: Vec<_> = wire::ranges(&message[4..], Widths::of(field))
            .map(|range| range.expect("well-formed"))
            .map(|range| (range.range, range.elements.as_ptr() as usize - start, range.elements.len()))
            .collect();
        for (head, at, length) in found {
            // Signs of life say nothing, and programs are compared elsewhere.
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
            let (bytes, width) = (&mut message[at..at + length], field.bytes());
            let is_seed = head.kind == MessageKind::Verify && length == 64 && head.first >= FIRST_STEP;
            match head.kind {
                MessageKind::Sync => bytes[below(length)] ^= 1 << below(8),
                MessageKind::Verify if is_seed || length % width > 0 || head.first < FIRST_STEP => {
                    bytes[below(length)] ^= 1 << below(8);
                }
                _ => {
                    let bytes = &mut bytes[below(length / width) * width..][..width];
                    let element = field.decode(bytes).expect("an element");
                    let error = field.element(1 + below(1 << 20) as u64);
                    field.encode(field.add(element, error), bytes);
                }
            }
        }
    }
}

/// What came of a run in which one party changed something.
struct Outcome {
    changed: Option<(MessageKind, u64)>,
    /// Honest parties that got their result, and that ended with an error.
    right: usize,
    ended: usize,
}

/// Runs a case with a liar, and checks that no honest party gets a wrong result, and that none is left without a reason.
fn outcome<F: Field>(
    field: &F,
    size: (usize, usize),
    case: &Case<F>,
    (me, target): (usize, usize),
) -> Outcome {
    // The same order of messages in all runs, so that each is changed once.
    let (mut simulation, tasks) = Simulation::of(&active(field, size), LEAST_STATISTICAL_BITS, 7);
    let liar = Rc::new(RefCell::new(Liar { me, target, ..Liar::default() }));
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
    // What it gives itself may be anything: a liar's own input is what all agree on.
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

/// Every message of a liar is changed once; in how many of the runs somebody noticed.
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

/// The sizes that liars are tested among.
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
