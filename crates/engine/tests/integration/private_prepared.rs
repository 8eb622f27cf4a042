//! Prepared runs of private functions: results, exact predictions, and that no run is spent twice or on another function.

use std::thread;

use serde_json::{Value, json};
use tacit_engine::private::{
    Accepted, Announced, Held, PrivateError, PrivateReport, Refusal, hold_prepared, prepare, prepare_for,
};
use tacit_engine::{CancelFlag, Failure, RunError, Store, StoreError, block_on};
use tacit_net::NetError;
use tacit_pfe::katz_malka::SchemeName;
use tacit_pfe::{Function, Protocol};

use crate::loopback::Site;
use crate::loopback::pair::Folder;
use crate::loopback::stores::store;
use crate::private_functions::{anything, check_predictions, held, held_for, private, site, terms};

/// Two parties whose stores lie in one folder.
struct Parties {
    site: Site,
    folder: Folder,
}

type Preparations = [Result<PrivateReport, RunError>; 2];
type Runs = (Result<PrivateReport, RunError>, Result<(Value, PrivateReport), RunError>);

impl Parties {
    fn new() -> Parties {
        Parties { site: site(), folder: Folder::new() }
    }

    fn store(&self, index: usize) -> Store {
        store(&self.site, &self.folder, index)
    }

    fn prepare(&self, held: Held, counts: [u64; 2]) -> Preparations {
        let [mut ours, mut theirs] = [0, 1].map(|index| self.store(index));
        let what = (held.interface, held.function);
        let [holder, owner] = [0, 1].map(|index| terms(&self.site, index));
        thread::scope(|scope| {
            let holder =
                scope.spawn(|| block_on(prepare(holder, what, (&mut ours, counts[0]), &CancelFlag::new())));
            let (accepted, cancel) = (anything(), CancelFlag::new());
            let owner = block_on(prepare_for(owner, &accepted, (&mut theirs, counts[1]), &cancel));
            [holder.join().unwrap(), owner.map(|(_, report)| report)]
        })
    }

    /// Prepares `count` more runs of `held(9, 200)` in both stores.
    fn prepared(&self, count: u64) -> [PrivateReport; 2] {
        self.prepare(held(9, 200), [count; 2]).map(Result::unwrap)
    }

    fn run(&self, held: Held, income: u32) -> Runs {
        self.run_with([self.store(0), self.store(1)], held, anything(), income)
    }

    fn run_with(&self, [mut ours, theirs]: [Store; 2], held: Held, accepted: Accepted, income: u32) -> Runs {
        let [holder, owner] = [0, 1].map(|index| terms(&self.site, index));
        thread::scope(|scope| {
            let holder =
                scope.spawn(move || block_on(hold_prepared(holder, held, &mut ours, &CancelFlag::new())));
            let cancel = CancelFlag::new();
            let owner = block_on(async {
                let announced = Announced::meet_prepared(owner, &accepted, theirs, &cancel).await?;
                announced.run(&json!({ "income": income }), &cancel).await
            });
            (holder.join().unwrap(), owner)
        })
    }

    /// Spends a run and returns its entry; checks the result and the predicted cost.
    fn spent(&self, limit: u32, income: u32) -> u64 {
        self.checked(self.run(held(limit, 200), income), limit < income)
    }

    fn checked(&self, (holder, owner): Runs, granted: bool) -> u64 {
        let (outputs, report) = owner.unwrap();
        assert_eq!(outputs, json!({ "granted": u8::from(granted) }));
        let holder = holder.unwrap();
        assert_eq!((&*report.task, report.store_entry), ("a run that was prepared", holder.store_entry));
        check_predictions(&report);
        check_predictions(&holder);
        report.store_entry.unwrap()
    }
}

#[test]
fn prepared_runs_are_spent_one_by_one_on_any_inputs() {
    let parties = Parties::new();
    for report in parties.prepared(3) {
        assert_eq!(report.task, "preparing 3 runs");
        check_predictions(&report);
    }
    let entries = [(9, 10), (9, 9), (200, 255)].map(|(limit, income)| parties.spent(limit, income));
    assert_eq!(entries, [0, 1, 2]);
    let (mut store, cancel) = (parties.store(0), CancelFlag::new());
    let refused = block_on(hold_prepared(terms(&parties.site, 0), held(9, 200), &mut store, &cancel));
    assert_eq!(private(refused.unwrap_err()), PrivateError::NothingPrepared { functions: 0, builds: 0 });
}

#[test]
fn sets_with_the_fewest_runs_are_spent_first_and_both_find_the_same() {
    let parties = Parties::new();
    for count in [2, 1] {
        parties.prepared(count);
    }
    assert_eq!([1, 2, 3].map(|income| parties.spent(9, income)), [0, 0, 1]);
}

#[test]
fn nothing_is_spent_on_another_function_than_was_prepared() {
    let parties = Parties::new();
    parties.prepared(1);
    let mut other = held(9, 200);
    let Function::HalfElGamal(function) = &other.function else { unreachable!() };
    let mut wiring = function.wiring().to_vec();
    wiring.last_mut().unwrap().swap(0, 1);
    let bent = tacit_pfe::PrivateFunction::new(*function.size(), wiring).unwrap();
    let same = bent.wiring() == function.wiring();
    other.function = Function::HalfElGamal(bent);
    let mut store = parties.store(0);
    let refused = block_on(hold_prepared(terms(&parties.site, 0), other, &mut store, &CancelFlag::new()));
    drop(store);
    assert!(!same, "the last gate reads one wire twice; bend another");
    assert_eq!(private(refused.unwrap_err()), PrivateError::NothingPrepared { functions: 1, builds: 0 });
    assert_eq!(parties.spent(9, 10), 0);
}

#[test]
fn an_owner_without_the_runs_says_so_and_nothing_is_lost() {
    let (parties, elsewhere) = (Parties::new(), Folder::new());
    parties.prepared(1);
    let empty = store(&parties.site, &elsewhere, 1);
    let (holder, owner) = parties.run_with([parties.store(0), empty], held(9, 200), anything(), 3);
    assert_eq!(private(holder.unwrap_err()), PrivateError::Refused(Refusal::NothingPrepared));
    assert_eq!(private(owner.unwrap_err()), PrivateError::NothingPrepared { functions: 0, builds: 0 });
    let (holder, owner) = parties.run(held(9, 200), 256);
    assert_eq!(private(holder.unwrap_err()), PrivateError::Refused(Refusal::Declined));
    assert!(matches!(private(owner.unwrap_err()), PrivateError::Data(_)));
    let small = Accepted { max_gates: 10, interface: None };
    let (holder, _) = parties.run_with([parties.store(0), parties.store(1)], held(9, 200), small, 3);
    assert_eq!(private(holder.unwrap_err()), PrivateError::Refused(Refusal::TooLarge));
    assert_eq!(parties.spent(9, 10), 0);
}

#[test]
fn stores_that_have_drifted_apart_go_on_with_what_both_have() {
    let parties = Parties::new();
    parties.prepared(8);
    // The holder loses two entries, as in a crash after they were claimed.
    let mut ours = parties.store(0);
    let binding = ours.list()[0].binding.clone();
    for _ in 0..2 {
        ours.claim(&binding, 0).unwrap().unwrap();
    }
    drop(ours);
    // It had marked one more in advance.
    assert_eq!(parties.spent(9, 10), 3);
    let mut theirs = parties.store(1);
    while theirs.claim(&binding, 0).unwrap().is_some() {}
    drop(theirs);
    let (holder, owner) = parties.run(held(9, 200), 3);
    assert_eq!(private(owner.unwrap_err()), PrivateError::NothingPrepared { functions: 0, builds: 0 });
    assert_eq!(private(holder.unwrap_err()), PrivateError::Refused(Refusal::NothingPrepared));
}

#[test]
fn parties_who_want_different_things_learn_which() {
    let parties = Parties::new();
    for error in parties.prepare(held(9, 200), [1, 2]).map(Result::unwrap_err) {
        let RunError::Failed { source, .. } = &error else { panic!("{error}") };
        assert!(matches!(**source, Failure::Net(NetError::Mismatch { .. })), "{error}");
        let text = error.to_string();
        assert!(text.contains("preparing 1 runs") && text.contains("preparing 2 runs"), "{text}");
    }
}

#[test]
fn universal_circuits_prepare_nothing() {
    let (protocol, parties) = (Protocol::UniversalCircuit, Parties::new());
    let (mut store, cancel) = (parties.store(0), CancelFlag::new());
    let held = || held_for(protocol, 9, 200);
    let spent = block_on(hold_prepared(terms(&parties.site, 0), held(), &mut store, &cancel));
    assert_eq!(private(spent.unwrap_err()), PrivateError::NoSetup { protocol });
    let what = (held().interface, held().function);
    let prepared = block_on(prepare(terms(&parties.site, 0), what, (&mut store, 1), &cancel));
    assert_eq!(private(prepared.unwrap_err()), PrivateError::NoSetup { protocol });
}

#[test]
fn katz_malka_prepares_runs_with_every_scheme() {
    for (scheme, count) in [(SchemeName::EcElgamal, 2), (SchemeName::Djn, 1), (SchemeName::Bfv, 1)] {
        let (protocol, parties) = (Protocol::KatzMalka(scheme), Parties::new());
        for report in parties.prepare(held_for(protocol, 9, 200), [count; 2]).map(Result::unwrap) {
            let task = format!("preparing {count} runs");
            assert_eq!((&report.task, &*report.protocol), (&task, protocol.name()));
            check_predictions(&report);
        }
        let (mut ours, cancel) = (parties.store(0), CancelFlag::new());
        let refused = hold_prepared(terms(&parties.site, 0), held(9, 200), &mut ours, &cancel);
        let nothing = PrivateError::NothingPrepared { functions: 0, builds: 0 };
        assert_eq!(private(block_on(refused).unwrap_err()), nothing);
        drop(ours);
        for (entry, (limit, income)) in (0..count).zip([(9, 10), (200, 9)]) {
            let run = parties.run(held_for(protocol, limit, 200), income);
            assert_eq!(parties.checked(run, limit < income), entry);
        }
    }
}

#[test]
fn a_run_that_breaks_off_has_spent_its_entry() {
    let parties = Parties::new();
    parties.prepared(2);
    let mut ours = parties.store(0);
    ours.observe(|step| match step.name {
        "agreed" => Err(std::io::Error::other("the power is cut")),
        _ => Ok(()),
    });
    let (holder, owner) = parties.run_with([ours, parties.store(1)], held(9, 200), anything(), 3);
    let RunError::Failed { source, .. } = holder.unwrap_err() else { panic!("not told") };
    assert!(matches!(*source, Failure::Store(StoreError::Io { .. })), "{source}");
    owner.unwrap_err();
    assert_eq!(parties.spent(9, 10), 1);
}
