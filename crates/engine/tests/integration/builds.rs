//! Parties whose builds differ, by the release or by a constant that determines a layout. They refuse each other when they
//! meet, and name the difference.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crate::loopback::pair::{Folder, both, inputs, task, terms};
use crate::loopback::several;
use crate::loopback::stores::{cause, store};
use crate::loopback::{Site, jobs, options};
use tacit_engine::live::{Script, run_live_blocking, side_of};
use tacit_engine::store::{Binding, binding};
use tacit_engine::{
    BlockingSession, CancelFlag, Job, Store, StoreError, block_on, build, plan, run, take_part,
};
use tacit_ir::{Domain, PortId};
use tacit_net::NetError;
use tacit_net::keys::SecretKey;
use tacit_net::session::{Build, Config, Constants, Session, Transport};
use tacit_plan::{ModeChoice, PlanOptions, Side};

const LIMIT: Duration = Duration::from_secs(20);

/// This build with one constant of a crate changed.
fn changed(part: usize, constant: usize) -> Build {
    let here = build();
    let (name, constants) = here.parts()[part];
    let mut constants = constants.to_vec();
    constants[constant].1 += 1;
    let mut parts = here.parts().to_vec();
    let constants: Constants = constants.leak();
    parts[part] = (name, constants);
    Build::new(&parts)
}

/// Builds with one difference from this one, and the name of the difference.
fn others() -> Vec<(Build, String)> {
    let here = build();
    let layout = |(index, (name, constants)): (usize, &(&str, Constants))| {
        (changed(index, constants.len() - 1), format!("layout of {name}"))
    };
    let release = (build().with_release("7.1.0"), "release".to_owned());
    here.parts().iter().enumerate().map(layout).chain([release]).collect()
}

/// Meets `config`'s parties as one of another build would; returns why that fails.
fn meet(config: &Config, me: &str, key: Option<&SecretKey>, other: &Build) -> NetError {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { Session::establish(config, me, key, other.fields()).await.unwrap_err() })
}

fn names(error: &dyn std::fmt::Display, what: &str) {
    let text = error.to_string();
    assert!(text.contains(&format!("the two sides differ in {what}: here")), "{what}: {text}");
}

#[test]
fn each_constant_is_part_of_the_build() {
    let mut hashes = vec![build().hash()];
    for (part, (_, constants)) in build().parts().iter().enumerate() {
        assert!(!constants.is_empty());
        hashes.extend((0..constants.len()).map(|constant| changed(part, constant).hash()));
    }
    let count = hashes.len();
    hashes.sort();
    hashes.dedup();
    assert_eq!(hashes.len(), count);
}

#[test]
fn runs_of_other_builds_are_refused() {
    for (other, what) in others() {
        let site = Site::new(Transport::Tls, LIMIT);
        let (config, key) = (site.configs[1].clone(), site.keys[1].clone());
        let [job, _] = jobs(site, &options(ModeChoice::Streamed));
        let [ours, theirs] = both(|index| match index {
            0 => block_on(run(&job, None, &CancelFlag::new())).unwrap_err().to_string(),
            _ => meet(&config, "B", key.as_ref(), &other).to_string(),
        });
        names(&ours, &what);
        names(&theirs, &what);
    }
}

#[test]
fn open_sessions_of_other_builds_are_refused() {
    for (other, what) in others() {
        let site = Site::new(Transport::Tls, LIMIT);
        let [ours, theirs] = both(|index| match index {
            0 => BlockingSession::open(terms(&site, 0), &CancelFlag::new()).err().unwrap().to_string(),
            _ => meet(&site.configs[1], "B", site.keys[1].as_ref(), &other).to_string(),
        });
        names(&ours, &what);
        names(&theirs, &what);
    }
}

#[test]
fn live_sessions_of_other_builds_are_refused() {
    for (other, what) in others() {
        let site = Site::new(Transport::Tls, LIMIT);
        let [ours, theirs] = both(|index| match index {
            0 => {
                let terms = terms(&site, 0);
                let script = Script::new(side_of(&terms.party, &terms.peer));
                run_live_blocking(terms, &script, &CancelFlag::new(), || {}).unwrap_err().to_string()
            }
            _ => meet(&site.configs[1], "B", site.keys[1].as_ref(), &other).to_string(),
        });
        names(&ours, &what);
        names(&theirs, &what);
    }
}

#[test]
fn outside_parties_and_computing_parties_of_other_builds_refuse_each_other() {
    const NAMES: [&str; 4] = ["A", "B", "C", "D"];
    let program = Arc::new(several::survey(Domain::Yao));
    let plan = Arc::new(plan(&program, &PlanOptions::default()).unwrap());
    let (other, what) = others().remove(1);
    // First the outside party C has another build, then the computing party A.
    for odd in [2, 0] {
        let sites = several::site(&NAMES, ["A", "B"], LIMIT);
        let errors: Vec<String> = thread::scope(|scope| {
            let party = |(index, (session, key)): (usize, (Config, SecretKey))| {
                let owner = |port: &tacit_ir::InputPort| program.roles[port.role.index()] == NAMES[index];
                let own = program.inputs.iter().position(owner);
                let job = Job {
                    program: program.clone(),
                    plan: plan.clone(),
                    compiler: String::new(),
                    party: NAMES[index].to_owned(),
                    session,
                    key: Some(key),
                    inputs: own
                        .map(|port| (PortId(port as u32), several::survey_inputs().swap_remove(port)))
                        .into_iter()
                        .collect(),
                    progress: None,
                };
                let other = &other;
                scope.spawn(move || match index {
                    _ if index == odd => meet(&job.session, &job.party, job.key.as_ref(), other).to_string(),
                    0 | 1 => block_on(run(&job, None, &CancelFlag::new())).unwrap_err().to_string(),
                    _ => block_on(take_part(&job, &CancelFlag::new())).unwrap_err().to_string(),
                })
            };
            let parties: Vec<_> = sites.into_iter().enumerate().map(party).collect();
            parties.into_iter().map(|party| party.join().unwrap()).collect()
        });
        names(&errors[odd], &what);
        let others = errors.iter().enumerate().filter(|(index, _)| *index != odd);
        assert!(others.clone().any(|(_, error)| error.contains(&what)), "{errors:?}");
    }
}

/// Puts entries of this binding into a store.
fn fill(store: &mut Store, binding: &Binding, count: u64) {
    let mut filling = store.reserve(binding, (0, count), [7; 16]).unwrap();
    for _ in 0..count {
        store.append(&mut filling, &mut [1; 100]).unwrap();
    }
    let sealed = store.seal(filling).unwrap();
    store.commit(sealed).unwrap();
}

#[test]
fn entries_of_another_build_are_refused_by_name() {
    let (site, folder) = (Site::new(Transport::Tls, LIMIT), Folder::new());
    let task = task(&crate::loopback::program(), ModeChoice::Precomputed);
    // The same program, prepared by a build that differs in a constant.
    for index in [0, 1] {
        let mut store = store(&site, &folder, index);
        let keys = [0, 1].map(|index| site.keys[index].as_ref().unwrap().public());
        let side = [Side::Garbler, Side::Evaluator][index];
        let mut binding = binding("pair", &task.plan, side, keys[index], keys[1 - index]);
        let here: String = build().hash().iter().map(|byte| format!("{byte:02x}")).collect();
        let there: String = changed(0, 0).hash().iter().map(|byte| format!("{byte:02x}")).collect();
        assert!(binding.description.contains(&here), "{}", binding.description);
        binding.description = binding.description.replace(&here, &there);
        binding.pool.0[0] ^= 1;
        fill(&mut store, &binding, 3);
    }
    let errors = both(|index| {
        let mut session = BlockingSession::open(terms(&site, index), &CancelFlag::new()).unwrap();
        let mut store = store(&site, &folder, index);
        let error =
            session.run_prepared(&task, &inputs(index, 5), &mut store, &CancelFlag::new()).unwrap_err();
        // None of them is spent, and the session continues.
        assert!(store.list().iter().any(|pool| pool.ready == 3));
        session.close(Some(&mut store), &CancelFlag::new()).unwrap();
        error
    });
    for error in errors {
        assert!(matches!(cause(&error), StoreError::Build { ready: 3, .. }), "{error}");
        assert!(error.to_string().contains("tacit prepare"), "{error}");
    }
}
