//! Shares that are kept between runs: values that outlive a run, and every way in which two stores can
//! diverge.

use crate::loopback;
use std::fs;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use crate::loopback::balance::{Pair, add, deposit, sum, values};
use crate::loopback::jobs_of;
use crate::loopback::pair::copy;
use tacit_engine::{CancelFlag, Job, Outcome, RunError, ShareStore, block_on, run};
use tacit_ir::{Domain, PortId, Program, Words};
use tacit_net::keys::generate;
use tacit_plan::PlanOptions;

impl Pair {
    pub fn jobs(&self, program: &Program, value: u128) -> [Job; 2] {
        let mut jobs = jobs_of(program, [vec![], vec![]], self.site(), &PlanOptions::default());
        for (index, port) in program.inputs.iter().enumerate() {
            let role = &program.roles[port.role.index()];
            if let Some(job) = jobs.iter_mut().find(|job| job.party == *role) {
                let bits = port.shape.columns()[0].bits;
                job.inputs = vec![(PortId(index as u32), vec![values(bits, value)])];
            }
        }
        jobs
    }

    fn run(&self, program: &Program, value: u128) -> [Result<Outcome, RunError>; 2] {
        let jobs = self.jobs(program, value);
        thread::scope(|scope| {
            let run = |index: usize| {
                let job = &jobs[index];
                let store = self.store(index);
                move || block_on(run(job, Some(store), &CancelFlag::new()))
            };
            let (first, second) = (run(0), run(1));
            let first = scope.spawn(first);
            let second = second();
            [first.join().unwrap(), second]
        })
    }

    fn errors(&self, program: &Program) -> Vec<String> {
        self.run(program, 1).into_iter().map(|outcome| outcome.unwrap_err().to_string()).collect()
    }

    fn versions(&self) -> [Vec<(u64, bool)>; 2] {
        [0, 1].map(|index| {
            self.store(index).list().iter().map(|status| (status.version, status.settled)).collect()
        })
    }
}

#[test]
fn a_balance_lives_from_run_to_run_in_every_domain() {
    for (domain, bits) in [(Domain::Yao, 16), (Domain::Bool, 33), (Domain::Arith, 13), (Domain::Arith, 128)] {
        let pair = Pair::new();
        let _ = pair.run(&deposit(bits, domain), 5).map(Result::unwrap);
        let _ = pair.run(&add(bits, domain, false), 900).map(Result::unwrap);
        let [a, b] = pair.run(&add(bits, domain, true), 31).map(Result::unwrap);
        assert_eq!(a.outputs, [sum(bits, &[5, 900, 31])], "{domain:?}");
        assert_eq!(b.outputs, [Vec::<Words>::new()]);
        assert_eq!(pair.versions(), [vec![(3, true)], vec![(3, true)]]);
    }
}

#[test]
fn shares_of_labels_are_those_of_bits() {
    let pair = Pair::new();
    let _ = pair.run(&deposit(9, Domain::Yao), 5).map(Result::unwrap);
    let [a, _] = pair.run(&add(9, Domain::Bool, true), 7).map(Result::unwrap);
    assert_eq!(a.outputs, [sum(9, &[5, 7])]);
    let [a, _] = pair.run(&add(9, Domain::Yao, true), 8).map(Result::unwrap);
    assert_eq!(a.outputs, [sum(9, &[5, 7, 8])]);
}

#[test]
fn what_is_not_kept_or_is_of_another_type_is_named() {
    let pair = Pair::new();
    for error in pair.errors(&add(16, Domain::Yao, true)) {
        assert!(error.contains("nothing is kept as balance"), "{error}");
    }
    let _ = pair.run(&deposit(16, Domain::Yao), 5).map(Result::unwrap);
    let named = |errors: Vec<String>, text: &str| {
        assert!(errors.iter().any(|error| error.contains(text)), "{errors:?}");
    };
    named(
        pair.errors(&add(17, Domain::Yao, true)),
        "balance was kept as u16[3] in bool or yao, but the program reads u17[3]",
    );
    named(pair.errors(&add(16, Domain::Arith, true)), "but the program reads u16[3] in arith");
    // Nothing is lost.
    let [a, _] = pair.run(&add(16, Domain::Yao, true), 1).map(Result::unwrap);
    assert_eq!(a.outputs, [sum(16, &[5, 1])]);
}

#[test]
fn another_peer_has_shares_of_its_own() {
    let mut pair = Pair::new();
    let _ = pair.run(&deposit(16, Domain::Bool), 5).map(Result::unwrap);
    // B is another party now, whose store is empty.
    pair.keys[1] = generate().unwrap().0;
    fs::remove_dir_all(pair.folder.party(1)).unwrap();
    for error in pair.errors(&add(16, Domain::Bool, true)) {
        assert!(error.contains("nothing is kept as balance"), "{error}");
    }
}

#[test]
fn a_store_is_its_partys_alone() {
    let pair = Pair::new();
    let (folder, [first, second]) = (pair.folder.party(0), &pair.keys);
    let open = ShareStore::open(&folder, first).unwrap();
    assert!(ShareStore::open(&folder, first).unwrap_err().to_string().contains("another process"));
    drop(open);
    assert!(ShareStore::open(&folder, second).unwrap_err().to_string().contains("belong to"));
    fs::write(folder.join("shares.redb"), b"no database").unwrap();
    ShareStore::open(&folder, first).unwrap_err();
}

#[test]
fn a_program_that_keeps_needs_a_store() {
    let pair = Pair::new();
    let jobs = pair.jobs(&deposit(16, Domain::Yao), 5);
    let both = loopback::run_pair(&jobs);
    for outcome in both {
        let error = outcome.unwrap_err().to_string();
        assert!(error.contains("name a folder") || error.contains("gave up"), "{error}");
    }
}

#[test]
fn a_backup_at_one_party_is_noticed_and_who_is_ahead_is_said() {
    let pair = Pair::new();
    let _ = pair.run(&deposit(16, Domain::Yao), 5).map(Result::unwrap);
    let backup = pair.folder.0.join("backup");
    copy(&pair.folder.party(1), &backup);
    let _ = pair.run(&add(16, Domain::Yao, false), 6).map(Result::unwrap);
    let _ = pair.run(&add(16, Domain::Yao, false), 7).map(Result::unwrap);
    copy(&backup, &pair.folder.party(1));
    let errors = pair.errors(&add(16, Domain::Yao, true));
    let said = |text: &str| assert!(errors.iter().any(|error| error.contains(text)), "{errors:?}");
    said("balance: version");
    said("ahead");
}

#[test]
fn shares_of_two_runs_are_never_mixed() {
    let pair = Pair::new();
    // B's store comes from the first run, A's from the second.
    let _ = pair.run(&deposit(16, Domain::Yao), 5).map(Result::unwrap);
    fs::remove_dir_all(pair.folder.party(0)).unwrap();
    let saved = pair.folder.0.join("saved");
    copy(&pair.folder.party(1), &saved);
    fs::remove_dir_all(pair.folder.party(1)).unwrap();
    let _ = pair.run(&deposit(16, Domain::Yao), 6).map(Result::unwrap);
    copy(&saved, &pair.folder.party(1));
    for error in pair.errors(&add(16, Domain::Yao, true)) {
        assert!(error.contains("of one run here and of another") || error.contains("gave up"), "{error}");
    }
}

/// Ends both parties' work at every step of either store in turn; the next run finds a complete value that some run
/// kept.
#[test]
fn wherever_a_party_ends_both_have_one_value() {
    for index in [0, 1] {
        for last in 1..=4 {
            let pair = Pair::new();
            let (before, change) = (deposit(16, Domain::Bool), add(16, Domain::Bool, false));
            let _ = pair.run(&before, 5).map(Result::unwrap);
            let jobs = pair.jobs(&change, 6);
            let ended: Vec<Result<Outcome, RunError>> = thread::scope(|scope| {
                let run = |party: usize| {
                    let (job, mut store) = (&jobs[party], pair.store(party));
                    if party == index {
                        let steps = AtomicU64::new(0);
                        store.observe(move |_| match steps.fetch_add(1, Ordering::SeqCst) + 1 == last {
                            true => Err(io::Error::other("the end")),
                            false => Ok(()),
                        });
                    }
                    scope.spawn(move || block_on(run(job, Some(store), &CancelFlag::new())))
                };
                [run(0), run(1)].map(|party| party.join().unwrap()).into_iter().collect()
            });
            assert!(ended[index].is_err());
            // Until both have written, the old value counts, and then the new one.
            let [a, _] = pair.run(&add(16, Domain::Bool, true), 7).map(Result::unwrap);
            let (old, new) = (sum(16, &[5, 7]), sum(16, &[5, 6, 7]));
            let kept = if last >= 3 { [&new, &new] } else { [&old, &new] };
            assert!(kept.contains(&&a.outputs[0]), "party {index}, step {last}");
            if last == 1 {
                assert_eq!(a.outputs[0], old, "party {index}");
            }
            assert!(pair.versions().iter().all(|rows| rows.iter().all(|(_, settled)| *settled)));
        }
    }
}

#[test]
fn nothing_readable_is_in_the_file() {
    let pair = Pair::new();
    let mut jobs = pair.jobs(&deposit(64, Domain::Bool), 5);
    let secret = Words::from_u128s(64, &[0x1122_3344_5566_7788; 3]);
    jobs[0].inputs[0].1 = vec![secret];
    thread::scope(|scope| {
        let runs = [0, 1].map(|index| {
            let (job, store) = (&jobs[index], pair.store(index));
            scope.spawn(move || block_on(run(job, Some(store), &CancelFlag::new())))
        });
        runs.into_iter().for_each(|run| drop(run.join().unwrap().unwrap()));
    });
    let pattern = 0x1122_3344_5566_7788u64.to_le_bytes();
    for index in [0, 1] {
        let bytes = fs::read(pair.folder.party(index).join("shares.redb")).unwrap();
        assert!(!bytes.windows(8).any(|window| window == pattern));
    }
    let mut store = pair.store(0);
    assert!(store.forget("balance").unwrap());
    assert!(!store.forget("balance").unwrap());
    assert_eq!(store.list(), []);
}
