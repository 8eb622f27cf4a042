//! Tests of the receivers of messages, of when results are released, and of what is forgotten.

use tacit_math::field::Mersenne61;

use super::*;
use crate::parties::Parties;
use crate::runtime::identity::TaskId;
use crate::runtime::shared::RING;
use crate::runtime::wire::{self, MAX_COUNT, MessageKind, RangeHead, Widths, ranges};

/// Elements on a link.
#[derive(Debug, PartialEq, Eq)]
struct Sent {
    from: usize,
    to: usize,
    kind: MessageKind,
    elements: usize,
    bytes: usize,
}

impl Simulation<Mersenne61> {
    /// Delivers everything that was written and sent, until nothing is left to do; a party with an error stops. Returns the messages and the errors.
    fn exchange(&mut self) -> (Vec<Sent>, Vec<Option<RunError>>) {
        let n = self.nodes.len();
        let (mut sent, mut errors) = (Vec::new(), vec![None; n]);
        loop {
            let mut moved = Vec::new();
            for (from, node) in self.nodes.iter_mut().enumerate() {
                if errors[from].is_some() {
                    continue;
                }
                node.reactor.take_some(usize::MAX);
                errors[from] = node.reactor.run(usize::MAX).err();
                if errors[from].is_none() {
                    node.reactor.answer();
                }
                for to in 0..n {
                    moved.extend(node.reactor.outgoing(to).into_iter().map(|message| (from, to, message)));
                }
            }
            if moved.is_empty() {
                return (sent, errors);
            }
            for (from, to, message) in moved {
                for arrived in
                    ranges(&message[4..], Widths::of(&Mersenne61)).map(|range| range.expect("well-formed"))
                {
                    let (range, bytes) = (arrived.range, arrived.elements.len());
                    sent.push(Sent { from, to, kind: range.kind, elements: range.count, bytes });
                }
                if errors[to].is_none() {
                    errors[to] = self.nodes[to].reactor.receive(from, message[3], &message[4..]).err();
                }
            }
        }
    }
}

#[test]
fn what_is_wrong_with_a_message_is_told_with_its_number() {
    let (mut simulation, _tasks) = Simulation::new(&Mersenne61, 3, 1, 1);
    let reactor = &mut simulation.nodes[0].reactor;
    let mut refused =
        |field, message: &[u8]| reactor.receive(1, field, message).expect_err("malformed").to_string();
    let head = |kind: u8, count: u8, operations: u8| {
        let mut head = vec![kind];
        head.resize(wire::HEADER, 0);
        (head[22], head[30]) = (count, operations);
        head
    };
    let open = MessageKind::Open as u8;
    assert_eq!(refused(0, &head(18, 1, 0)), "p2's message 1 has an unknown type (18)");
    assert_eq!(refused(9, &[]), "p2's message 2 belongs to field 9, which this computation does not have");
    assert!(refused(0, &head(open, 0, 0)).contains("message 3 announces 0 elements"));
    assert!(refused(0, &head(open, 2, 2)).contains("message 4 announces 3 operations for 2 elements"));
    assert!(refused(0, &head(open, 2, 1)).contains("message 5 ends 18 bytes before"));
    assert!(refused(0, &head(open, 1, 0)[..20]).contains("message 6 ends 13 bytes before"));
    let mut far = head(open, 2, 0);
    far[17..22].fill(0xff);
    assert!(refused(0, &far).contains("message 7 has elements up to position 1099511627777;"));
    let outside = [head(open, 1, 0), vec![0xff; 8]].concat();
    assert!(refused(0, &outside).contains("message 8 has a number that is not in the field"));
    let hash = [head(MessageKind::Sync as u8, 5, 0), vec![0; 5]].concat();
    assert!(refused(0, &hash).contains("message 9 has a hash of 5 bytes; hashes of opened values have 16"));
    let busy = [head(MessageKind::Busy as u8, 1, 0), vec![0]].concat();
    assert!(refused(0, &busy).contains("message 10 has a keep-alive together with other content"));
    // Words modulo 2^64, whose summands have 8 bytes.
    let words = |bytes| [head(MessageKind::Replicated as u8, 2, 0), vec![0; bytes]].concat();
    assert!(refused(RING as u8, &words(14)).contains("message 11 ends 2 bytes before"));
    assert!(refused(RING as u8, &words(16 + wire::HEADER)).contains("message 12 has an unknown type (0)"));
    let one = [head(open, 1, 0), vec![0; 8]].concat();
    reactor.receive(1, 0, &one).expect("well-formed");
    let error = reactor.receive(1, 0, &one).expect_err("sent before").to_string();
    assert!(error.contains("p2's message 14 repeats some of the 1 elements at position 0"), "{error}");
}

#[test]
fn opening_to_some_sends_shares_to_them_alone() {
    for (size, to) in [((4, 1), vec![0, 3]), ((5, 2), vec![1]), ((3, 1), vec![2])] {
        let (mut simulation, tasks) = Simulation::new(&Mersenne61, size.0, size.1, 5);
        let secrets: Vec<_> = tasks.iter().map(|task| input(task, 2, &[77, 78, 79])).collect();
        simulation.exchange();
        let opened: Vec<_> = tasks
            .iter()
            .zip(&secrets)
            .map(|(task, secret)| task.open_to(secret, Parties::from_iter(to.clone())).expect("opened"))
            .collect();
        let (sent, errors) = simulation.exchange();
        assert!(errors.iter().all(Option::is_none), "{errors:?}");
        // Each receiver of the value gets t shares of 3 elements of 8 bytes; the others get nothing.
        for party in 0..size.0 {
            let heard: Vec<_> = sent.iter().filter(|sent| sent.to == party).collect();
            let expected = if to.contains(&party) { size.1 } else { 0 };
            assert_eq!(heard.len(), expected, "{size:?}, opened to {to:?}: party {party} heard {heard:?}");
            let right = |sent: &&Sent| (sent.kind, sent.elements, sent.bytes) == (MessageKind::Open, 3, 24);
            assert!(heard.iter().all(right), "{heard:?}");
        }
        drop(opened);
    }
}

#[test]
fn nothing_is_delivered_of_another_later_operation_of_a_range() {
    // All products are ready together, and so are all openings: each party sends them as one range.
    for size in [(3, 1), (4, 1), (5, 2)] {
        let (mut simulation, tasks) = Simulation::new(&Mersenne61, size.0, size.1, 1);
        let mut got = Vec::new();
        for task in &tasks {
            let (a, b) = (input(task, 0, &[3]), input(task, 2, &[5]));
            let other = task.me() == 1;
            let products = [task.mul(&a, &a), task.mul(if other { &b } else { &a }, &b), task.mul(&b, &b)];
            let opened = products.map(|product| task.open(&product.expect("alive")).expect("alive"));
            got.push(opened.map(|opened| read(task, &opened)));
        }
        let (_, errors) = simulation.exchange();
        for (party, got) in got.iter().enumerate() {
            let expected = [9, if party == 1 { 25 } else { 15 }, 25];
            for (got, expected) in got.iter().zip(expected) {
                let value = taken(got);
                assert!(value.is_none() || value == Some(vec![expected]), "{size:?}: p{party} got {value:?}");
            }
        }
        let found = |error: &RunError| matches!(error, RunError::OtherProgram { .. });
        assert!(errors.iter().flatten().any(found), "{errors:?}");
    }
}

#[test]
fn a_range_is_used_before_the_program_has_come_to_its_end() {
    // One party waits for the first result before it writes the second operation, which the others send together with the first.
    let (mut simulation, tasks) = Simulation::new(&Mersenne61, 3, 1, 1);
    let inputs: Vec<_> = tasks.iter().map(|task| input(task, 0, &[3])).collect();
    let write = |party: usize, more: bool| {
        let (task, a) = (&tasks[party], &inputs[party]);
        let wrote = |a: &Value<Mersenne61>| {
            let opened =
                task.open_to(&task.mul(a, a).expect("alive"), Parties::from_iter([0])).expect("alive");
            read(task, &opened)
        };
        let first = wrote(a);
        (first, more.then(|| wrote(a)))
    };
    let (first, _) = write(0, false);
    let others: Vec<_> = (1..3).map(|party| write(party, true)).collect();
    let (_, errors) = simulation.exchange();
    assert!(errors.iter().all(Option::is_none), "{errors:?}");
    assert_eq!(taken(&first), Some(vec![9]));
    drop(others);
}

#[test]
fn a_party_may_be_thousands_of_tasks_ahead() {
    let (mut simulation, roots) = Simulation::new(&Mersenne61, 3, 1, 1);
    let count = 5000;
    let write = |root: &Task<Mersenne61>| -> Vec<_> {
        let each = |_| {
            let task = root.fork().expect("a task");
            read(&task, &task.synchronise().expect("alive"))
        };
        (0..count).map(each).collect()
    };
    let ahead = write(&roots[0]);
    let (_, errors) = simulation.exchange();
    assert!(errors.iter().all(Option::is_none), "{errors:?}");
    assert_eq!(simulation.tasks(0), count + 1, "all of them wait");
    let behind = [write(&roots[1]), write(&roots[2])];
    let (_, errors) = simulation.exchange();
    assert!(errors.iter().all(Option::is_none), "{errors:?}");
    assert!(ahead.iter().chain(behind.iter().flatten()).all(|got| taken(got).is_some()));
    assert_eq!([0, 1, 2].map(|party| simulation.tasks(party)), [1; 3], "only the first task goes on");
}

/// Sequential tasks, each of which multiplies and opens, and is dropped before its results arrive.
fn run_tasks(simulation: &mut Simulation<Mersenne61>, roots: &[Task<Mersenne61>], count: u64) -> usize {
    let mut most = 0;
    for round in 0..count.div_ceil(100) {
        let mut got = Vec::new();
        for number in (100 * round..count).take(100) {
            for root in roots {
                let task = root.fork().expect("a task");
                let secret = input(&task, number as usize % roots.len(), &[number as i64, 7]);
                let product = task.mul(&secret, &secret).expect("alive");
                got.push((number, read(&task, &task.open(&product).expect("alive"))));
                task.synchronise().expect("alive");
            }
        }
        let (_, errors) = simulation.exchange();
        assert!(errors.iter().all(Option::is_none), "{errors:?}");
        for (number, got) in got {
            assert_eq!(taken(&got), Some(vec![number * number, 49]));
        }
        most = most.max(simulation.tasks(0));
    }
    most
}

#[test]
fn finished_tasks_are_forgotten() {
    for size in [(3, 1), (5, 2)] {
        let (mut simulation, roots) = Simulation::new(&Mersenne61, size.0, size.1, 1);
        assert_eq!(run_tasks(&mut simulation, &roots, 1000), 1, "after each hundred only the first is left");
        assert!((0..size.0).all(|party| simulation.values(party) == 0));
    }
}

/// Set in the process in which the test below runs alone.
const ALONE: &str = "TACIT_TEST_ALONE";

/// In a process of its own: the system reports the memory of a whole process, and other tests in it take some
/// too.
#[test]
#[ignore = "a minute"]
fn a_million_tasks_take_little_memory() {
    if std::env::var_os(ALONE).is_none() {
        let name = "runtime::simulation::promises::a_million_tasks_take_little_memory";
        let mut alone = std::process::Command::new(std::env::current_exe().expect("a test"));
        let ended = alone.args(["--exact", name, "--ignored", "--nocapture"]).env(ALONE, "1").status();
        return assert!(ended.expect("the same program").success());
    }
    let resident = || -> usize {
        let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
        let line = status.lines().find(|line| line.starts_with("VmHWM")).expect("a high-water mark");
        line.split_whitespace().nth(1).and_then(|kib| kib.parse().ok()).expect("a number")
    };
    let (mut simulation, roots) = Simulation::new(&Mersenne61, 3, 1, 1);
    let start = std::time::Instant::now();
    for part in 1..=4 {
        assert_eq!(run_tasks(&mut simulation, &roots, 250_000), 1);
        println!("{part} · 250000 tasks: {:?}, at most {} KiB", start.elapsed(), resident());
    }
    assert!(resident() < 300_000, "{} KiB for all three parties", resident());
}

#[test]
fn the_name_of_a_finished_task_is_not_given_again() {
    // The second task would repeat random elements and messages of the first.
    let (mut simulation, roots) = Simulation::new(&Mersenne61, 3, 1, 1);
    for root in &roots {
        let task = root.named("bid").expect("a task");
        task.synchronise().expect("alive");
    }
    simulation.exchange();
    assert_eq!(simulation.tasks(0), 1, "it is over");
    for root in &roots {
        assert!(root.named("bid").is_err());
    }
}

#[test]
fn early_messages_of_all_fields_count_together() {
    let (mut simulation, _tasks) = Simulation::new(&Mersenne61, 3, 1, 1);
    let node = &mut simulation.nodes[0].reactor;
    let mut early = |field: u8, width: usize, counts: u64| {
        for number in 0..counts {
            let mut outgoing = wire::outbox(1);
            let (task, first) = (TaskId(77), number * MAX_COUNT as u64);
            let range =
                RangeHead { kind: MessageKind::Open, task, chain: 1, first, count: MAX_COUNT, number };
            outgoing[0].range(range, [].into_iter(), width).fill(0);
            for message in outgoing[0].take() {
                node.receive(1, field, &message[4..]).expect("early");
            }
        }
    };
    // 36 and 35 MB.
    early(0, 8, 110);
    early(1, 1, 350);
    assert!(node.is_crowded(1), "64 MiB are promised for all fields together");
    assert!(!node.is_crowded(2));
}
