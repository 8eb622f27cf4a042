//! Shares that are kept between the runs of open sessions, from session to session, and from sessions to single
//! runs.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use crate::loopback::balance::{Pair, add, deposit, sum, values};
use crate::loopback::pair::{both, expected, run, task, task_with, terms};
use crate::loopback::{jobs_of, program};
use tacit_engine::{BlockingSession, CancelFlag, Outcome, RunError, RunTask, ShareStore, Store, block_on};
use tacit_ir::{Domain, PortId, Words};
use tacit_plan::{ModeChoice, PlanOptions};

/// Opens a session of both parties with their stores and runs `work` in it. `change` may change the stores.
fn in_session<T: Send>(
    pair: &Pair,
    change: impl Fn(usize, &mut ShareStore) + Sync,
    work: impl Fn(usize, BlockingSession) -> T + Sync,
) -> [T; 2] {
    let site = pair.site();
    both(|index| {
        let mut terms = terms(&site, index);
        let mut store = pair.store(index);
        change(index, &mut store);
        terms.shares = Some(store);
        work(index, BlockingSession::open(terms, &CancelFlag::new()).unwrap())
    })
}

fn close(session: BlockingSession) {
    session.close(None, &CancelFlag::new()).unwrap();
}

/// A party's inputs to a program of the balance.
fn given(task: &RunTask, index: usize, value: u128) -> Vec<(PortId, Vec<Words>)> {
    let ports = task.program.inputs.iter().enumerate();
    let own = ports.filter(|(_, port)| task.program.roles[port.role.index()] == ["A", "B"][index]);
    own.map(|(number, port)| (PortId(number as u32), vec![values(port.shape.columns()[0].bits, value)]))
        .collect()
}

fn keep(
    session: &mut BlockingSession,
    task: &RunTask,
    index: usize,
    value: u128,
) -> Result<Outcome, RunError> {
    session.run(task, &given(task, index, value), &CancelFlag::new())
}

#[test]
fn a_balance_lives_in_a_session_from_session_to_session_and_in_single_runs() {
    for (domain, bits) in [(Domain::Yao, 16), (Domain::Bool, 33), (Domain::Arith, 13), (Domain::Arith, 128)] {
        let pair = Pair::new();
        let streamed = |program| task(&program, ModeChoice::Streamed);
        let first = streamed(deposit(bits, domain));
        let (silent, told) = (streamed(add(bits, domain, false)), streamed(add(bits, domain, true)));
        in_session(
            &pair,
            |_, _| {},
            |index, mut session| {
                keep(&mut session, &first, index, 5).unwrap();
                for value in [900, 31, 77] {
                    keep(&mut session, &silent, index, value).unwrap();
                }
                // Programs that keep nothing run in between.
                let other = task(&program(), ModeChoice::Streamed);
                assert_eq!(run(&mut session, &other, index, 3).unwrap().outputs, expected(3, 3));
                let outcome = keep(&mut session, &told, index, 2).unwrap();
                let all = sum(bits, &[5, 900, 31, 77, 2]);
                assert_eq!(outcome.outputs, [if index == 0 { all } else { vec![] }], "{domain:?}");
                close(session);
            },
        );
        in_session(
            &pair,
            |_, _| {},
            |index, mut session| {
                keep(&mut session, &silent, index, 1).unwrap();
                close(session);
            },
        );
        let mut jobs = jobs_of(&told.program, [vec![], vec![]], pair.site(), &PlanOptions::default());
        jobs[1].inputs = given(&told, 1, 10);
        let [a, _] = both(|index| {
            block_on(tacit_engine::run(&jobs[index], Some(pair.store(index)), &CancelFlag::new())).unwrap()
        });
        assert_eq!(a.outputs, [sum(bits, &[5, 900, 31, 77, 2, 1, 10])], "{domain:?}");
        for index in [0, 1] {
            let kept = pair.store(index).list();
            assert!(kept.iter().all(|row| row.settled && row.version == 7), "{kept:?}");
        }
    }
}

#[test]
fn prepared_runs_keep_shares() {
    let pair = Pair::new();
    let precomputed = |program| {
        task_with(&program, &PlanOptions { mode: ModeChoice::Precomputed, ..PlanOptions::default() })
    };
    let tasks = [precomputed(deposit(16, Domain::Yao)), precomputed(add(16, Domain::Yao, true))];
    in_session(
        &pair,
        |_, _| {},
        |index, mut session| {
            let folder = pair.folder.0.join(["prepared A", "prepared B"][index]);
            let mut store = Store::open(&folder, &pair.keys[index]).unwrap();
            let spend = |session: &mut BlockingSession, task: &RunTask, value, store: &mut Store| {
                session.run_prepared(task, &given(task, index, value), store, &CancelFlag::new())
            };
            for task in &tasks {
                assert_eq!(session.prepare(task, &mut store, 2, &CancelFlag::new()).unwrap().ready, 2);
            }
            // Nothing is kept yet, but the entry is not lost.
            let error = spend(&mut session, &tasks[1], 7, &mut store).unwrap_err().to_string();
            assert!(error.contains("nothing is kept as balance"), "{error}");
            spend(&mut session, &tasks[0], 5, &mut store).unwrap();
            for terms in [vec![5, 7], vec![5, 7, 8]] {
                let outcome = spend(&mut session, &tasks[1], *terms.last().unwrap(), &mut store).unwrap();
                let all = if index == 0 { sum(16, &terms) } else { vec![] };
                assert_eq!(outcome.outputs, [all]);
            }
            let error = spend(&mut session, &tasks[1], 7, &mut store).unwrap_err().to_string();
            assert!(error.contains("prepared"), "{error}");
            let outcome = keep(&mut session, &tasks[1], index, 9).unwrap();
            let all = if index == 0 { sum(16, &[5, 7, 8, 9]) } else { vec![] };
            assert_eq!(outcome.outputs, [all]);
            session.close(Some(&mut store), &CancelFlag::new()).unwrap();
        },
    );
}

#[test]
fn what_is_lacking_is_named_and_the_session_goes_on() {
    let pair = Pair::new();
    let streamed = |program| task(&program, ModeChoice::Streamed);
    let (first, told) = (streamed(deposit(16, Domain::Yao)), streamed(add(16, Domain::Yao, true)));
    let (wider, sums) = (streamed(add(17, Domain::Yao, true)), streamed(add(16, Domain::Arith, true)));
    in_session(
        &pair,
        |_, _| {},
        |index, mut session| {
            let refused = |session: &mut BlockingSession, task: &RunTask, why: &str| {
                let error = keep(session, task, index, 1).unwrap_err().to_string();
                assert!(error.contains(why), "{error}");
            };
            refused(&mut session, &told, "nothing is kept as balance");
            keep(&mut session, &first, index, 5).unwrap();
            refused(&mut session, &wider, "was kept as u16[3] in bool or yao, but the program reads u17[3]");
            refused(&mut session, &sums, "but the program reads u16[3] in arith");
            let outcome = keep(&mut session, &told, index, 7).unwrap();
            assert_eq!(outcome.outputs, [if index == 0 { sum(16, &[5, 7]) } else { vec![] }]);
            close(session);
        },
    );
}

#[test]
fn a_store_of_one_party_that_fails_to_read_ends_the_run_at_both_and_not_the_session() {
    let pair = Pair::new();
    let streamed = |program| task(&program, ModeChoice::Streamed);
    let (first, told) = (streamed(deposit(16, Domain::Yao)), streamed(add(16, Domain::Yao, true)));
    in_session(
        &pair,
        |_, _| {},
        |index, mut session| {
            keep(&mut session, &first, index, 5).unwrap();
            close(session);
        },
    );
    // A's store is gone; B's is not.
    std::fs::remove_dir_all(pair.folder.party(0)).unwrap();
    in_session(
        &pair,
        |_, _| {},
        |index, mut session| {
            let error = keep(&mut session, &told, index, 1).unwrap_err().to_string();
            assert!(error.contains("nothing is kept as balance"), "{error}");
            keep(&mut session, &first, index, 6).unwrap();
            let outcome = keep(&mut session, &told, index, 7).unwrap();
            assert_eq!(outcome.outputs, [if index == 0 { sum(16, &[6, 7]) } else { vec![] }]);
            close(session);
        },
    );
}

#[test]
fn a_session_without_a_store_says_so_before_the_peer_hears_of_it() {
    let pair = Pair::new();
    let first = task(&deposit(16, Domain::Yao), ModeChoice::Streamed);
    let site = pair.site();
    both(|index| {
        let mut session = BlockingSession::open(terms(&site, index), &CancelFlag::new()).unwrap();
        let error = keep(&mut session, &first, index, 5).unwrap_err().to_string();
        assert!(error.contains("name a folder"), "{error}");
        let other = task(&program(), ModeChoice::Streamed);
        assert_eq!(run(&mut session, &other, index, 3).unwrap().outputs, expected(3, 3));
        close(session);
    });
    both(|index| {
        let mut terms = terms(&site, index);
        // Each has the store of the other.
        terms.shares = Some(ShareStore::open(&pair.folder.party(1 - index), &pair.keys[1 - index]).unwrap());
        let mut session = BlockingSession::open(terms, &CancelFlag::new()).unwrap();
        let error = keep(&mut session, &first, index, 5).unwrap_err().to_string();
        assert!(error.contains("belong to"), "{error}");
        close(session);
    });
}

/// Ends one party's work at every step of its store, in the third run of a session: the next session finds a complete value that
/// some run kept.
#[test]
fn wherever_a_party_ends_in_a_session_both_have_one_value() {
    let streamed = |program| task(&program, ModeChoice::Streamed);
    let first = streamed(deposit(16, Domain::Bool));
    let (silent, told) = (streamed(add(16, Domain::Bool, false)), streamed(add(16, Domain::Bool, true)));
    for failing in [0, 1] {
        for last in 1..=4 {
            let pair = Pair::new();
            let observe = |index: usize, store: &mut ShareStore| {
                if index == failing {
                    let steps = AtomicU64::new(0);
                    // Four steps for each of two runs before.
                    store.observe(move |_| match steps.fetch_add(1, Ordering::SeqCst) + 1 == 8 + last {
                        true => Err(io::Error::other("the end")),
                        false => Ok(()),
                    });
                }
            };
            in_session(&pair, observe, |index, mut session| {
                keep(&mut session, &first, index, 5).unwrap();
                keep(&mut session, &silent, index, 100).unwrap();
                let ended = keep(&mut session, &silent, index, 6);
                assert!(index != failing || ended.is_err());
                if ended.is_err() {
                    let error = keep(&mut session, &told, index, 1).unwrap_err().to_string();
                    assert!(error.contains("aborted"), "{error}");
                }
            });
            let [a, _] = in_session(
                &pair,
                |_, _| {},
                |index, mut session| {
                    let outcome = keep(&mut session, &told, index, 7).unwrap();
                    close(session);
                    outcome
                },
            );
            let (old, new) = (sum(16, &[5, 100, 7]), sum(16, &[5, 100, 6, 7]));
            let kept = if last >= 3 { [&new, &new] } else { [&old, &new] };
            assert!(kept.contains(&&a.outputs[0]), "party {failing}, step {last}");
            if last == 1 {
                assert_eq!(a.outputs[0], old, "party {failing}");
            }
        }
    }
}

#[test]
fn a_crash_between_runs_loses_nothing() {
    let pair = Pair::new();
    let streamed = |program| task(&program, ModeChoice::Streamed);
    let (first, told) = (streamed(deposit(16, Domain::Arith)), streamed(add(16, Domain::Arith, true)));
    let mut terms_so_far = vec![5];
    for round in 0..3u128 {
        in_session(
            &pair,
            |_, _| {},
            |index, mut session| {
                if round == 0 {
                    keep(&mut session, &first, index, 5).unwrap();
                }
                keep(&mut session, &told, index, 10 + round).unwrap();
                // Dropped without being closed, which is a crash to the peer.
                thread::yield_now();
                drop(session);
            },
        );
        terms_so_far.push(10 + round);
    }
    let [a, _] = in_session(
        &pair,
        |_, _| {},
        |index, mut session| {
            let outcome = keep(&mut session, &told, index, 1).unwrap();
            close(session);
            outcome
        },
    );
    terms_so_far.push(1);
    assert_eq!(a.outputs, [sum(16, &terms_so_far)]);
}
