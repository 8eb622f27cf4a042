//! Prepared runs in stores: filling, spending, and everything that can be wrong with a store.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::loopback::pair::{Folder, copy, expected, in_session, inputs, site, task};
use crate::loopback::stores::{as_predicted, cause, store, with_stores};
use crate::loopback::{Site, program};
use tacit_engine::{BlockingSession, CancelFlag, Class, Outcome, RunError, RunTask, Store, StoreError};
use tacit_net::Phase;
use tacit_net::keys::generate;
use tacit_plan::ModeChoice;

fn precomputed() -> RunTask {
    task(&program(), ModeChoice::Precomputed)
}

fn spend(
    session: &mut BlockingSession,
    store: &mut Store,
    index: usize,
    value: u128,
) -> Result<Outcome, RunError> {
    session.run_prepared(&precomputed(), &inputs(index, value), store, &CancelFlag::new())
}

fn prepare(session: &mut BlockingSession, store: &mut Store, count: u64) -> Result<u64, RunError> {
    let prepared = session.prepare(&precomputed(), store, count, &CancelFlag::new())?;
    as_predicted(&prepared.report, "preparing");
    Ok(prepared.ready)
}

#[test]
fn entries_are_spent_in_order_across_sessions() {
    let (site, folder) = (site(), Folder::new());
    let folders = [&folder; 2];
    let ready = with_stores(&site, folders, |_, session, store| prepare(session, store, 7).unwrap());
    assert_eq!(ready, [7, 7]);
    for start in [0, 3] {
        with_stores(&site, folders, |index, session, store| {
            for entry in start..start + 3 {
                let (a, b) = (u128::from(entry), 4);
                let outcome = spend(session, store, index, [a, b][index]).unwrap();
                assert_eq!(outcome.outputs, expected(a, b));
                assert_eq!(outcome.report.store_entry, Some(entry));
                let setup = outcome.report.phase(Phase::Setup).unwrap();
                assert_eq!((setup.bytes_sent, setup.payload_sent, setup.rounds), (0, Some(0), 0));
                as_predicted(&outcome.report, "spending");
            }
        });
    }
    let more = with_stores(&site, folders, |_, session, store| prepare(session, store, 2).unwrap());
    assert_eq!(more, [3, 3]);
    let numbers = with_stores(&site, folders, |index, session, store| {
        let numbers: Vec<u64> =
            (0..3).map(|_| spend(session, store, index, 1).unwrap().report.store_entry.unwrap()).collect();
        let error = spend(session, store, index, 1).unwrap_err();
        assert!(matches!(cause(&error), StoreError::Empty { ready: 0 }), "{error}");
        assert_eq!(error.class(), Class::Usage);
        // An empty store does not end the session.
        assert_eq!(prepare(session, store, 1).unwrap(), 1);
        assert_eq!(spend(session, store, index, 5).unwrap().outputs, expected(5, 5));
        numbers
    });
    assert_eq!(numbers, [vec![6, 7, 8], vec![6, 7, 8]]);
    for index in [0, 1] {
        let store = store(&site, &folder, index);
        let status = &store.list()[0];
        assert_eq!((status.ready, status.spent, status.next, status.segments), (0, 10, 10, 0));
        drop(store);
        let left = fs::read_dir(folder.party(index)).unwrap().count();
        assert_eq!(left, 2, "spent segments and their keys are erased; index and lock stay");
    }
}

#[test]
fn programs_plans_and_peers_have_entries_of_their_own() {
    let (site, folder) = (site(), Folder::new());
    let mut twin = program();
    twin.name = "twin".to_owned();
    let twin = task(&twin, ModeChoice::Precomputed);
    with_stores(&site, [&folder; 2], |index, session, store| {
        prepare(session, store, 2).unwrap();
        let error = session.run_prepared(&twin, &inputs(index, 1), store, &CancelFlag::new()).unwrap_err();
        assert!(matches!(cause(&error), StoreError::Empty { .. }), "{error}");
        spend(session, store, index, 1).unwrap();
    });
    let mut other = Site { keys: site.keys.clone(), configs: site.configs.clone() };
    let (stranger, public) = generate().unwrap();
    other.keys[1] = Some(stranger);
    other.configs.iter_mut().for_each(|config| config.parties[1].key = Some(public));
    let theirs = Folder::new();
    with_stores(&other, [&folder, &theirs], |index, session, store| {
        let error = spend(session, store, index, 1).unwrap_err();
        assert!(matches!(cause(&error), StoreError::Empty { .. }), "{error}");
    });
}

#[test]
fn streamed_runs_have_nothing_to_prepare() {
    let (site, folder) = (site(), Folder::new());
    let streamed = task(&program(), ModeChoice::Streamed);
    with_stores(&site, [&folder; 2], |_, session, store| {
        let error = session.prepare(&streamed, store, 1, &CancelFlag::new()).unwrap_err();
        assert!(matches!(cause(&error), StoreError::Streamed), "{error}");
    });
}

#[test]
fn parties_prepare_the_same_number() {
    let (site, folder) = (site(), Folder::new());
    with_stores(&site, [&folder; 2], |index, session, store| {
        let error = prepare(session, store, 1 + index as u64).unwrap_err();
        assert!(error.to_string().contains("preparing 2 runs"), "{error}");
        assert_eq!(prepare(session, store, 1).unwrap(), 1);
    });
}

#[test]
fn a_backup_restored_at_one_side_repeats_nothing() {
    let (site, folder, backup) = (site(), Folder::new(), Folder::new());
    with_stores(&site, [&folder; 2], |_, session, store| prepare(session, store, 5).unwrap());
    copy(&folder.party(0), &backup.party(0));
    with_stores(&site, [&folder; 2], |index, session, store| {
        (0..3).for_each(|_| drop(spend(session, store, index, 1).unwrap()));
    });
    let numbers = with_stores(&site, [&backup, &folder], |index, session, store| {
        let number = spend(session, store, index, 1).unwrap().report.store_entry;
        prepare(session, store, 1).unwrap();
        (number, spend(session, store, index, 1).unwrap().report.store_entry)
    });
    assert_eq!(numbers, [(Some(3), Some(4)); 2]);
}

#[test]
fn stores_that_were_not_filled_together_are_noticed() {
    let (site, first, second) = (site(), Folder::new(), Folder::new());
    for folder in [&first, &second] {
        with_stores(&site, [folder; 2], |_, session, store| prepare(session, store, 2).unwrap());
    }
    with_stores(&site, [&first, &second], |index, session, store| {
        let error = spend(session, store, index, 1).unwrap_err();
        assert!(matches!(cause(&error), StoreError::Unrelated { entry: 0 }), "{error}");
    });
    with_stores(&site, [&first; 2], |index, session, store| {
        assert_eq!(spend(session, store, index, 1).unwrap().report.store_entry, Some(1));
    });
}

#[test]
fn a_full_disk_loses_nothing() {
    for refused in ["reserving", "key written", "appending", "syncing", "acknowledged"] {
        let (site, folder) = (site(), Folder::new());
        with_stores(&site, [&folder; 2], |_, session, store| prepare(session, store, 2).unwrap());
        in_session(&site, |index, mut session| {
            let mut store = store(&site, &folder, index);
            if index == 0 {
                // The first step with this name fails; steps that clean up afterwards do not.
                let full = AtomicBool::new(false);
                store.observe(move |step| {
                    match step.name == refused && !full.swap(true, Ordering::Relaxed) {
                        true => Err(io::ErrorKind::StorageFull.into()),
                        false => Ok(()),
                    }
                });
            }
            let result = prepare(&mut session, &mut store, 3);
            if index == 1 && refused == "acknowledged" {
                // This party has everything that it needs, and cannot know that the other does not.
                assert_eq!(result.unwrap(), 5);
                return;
            }
            let error = result.unwrap_err();
            if index == 0 {
                assert!(matches!(cause(&error), StoreError::Full { .. }), "{refused}: {error}");
            } else {
                assert_eq!(error.class(), Class::Abort, "{refused}: {error}");
            }
        });
        with_stores(&site, [&folder; 2], |index, session, store| {
            if index == 0 || refused != "acknowledged" {
                assert_eq!(store.list()[0].ready, 2, "{refused}");
            }
            assert!(store.verify().unwrap().is_empty());
            (0..2).for_each(|_| assert_eq!(spend(session, store, index, 2).unwrap().outputs, expected(2, 2)));
            prepare(session, store, 1).unwrap();
            spend(session, store, index, 1).unwrap();
        });
    }
}

#[test]
fn an_entry_that_cannot_be_marked_is_not_used() {
    let (site, folder) = (site(), Folder::new());
    with_stores(&site, [&folder; 2], |_, session, store| prepare(session, store, 2).unwrap());
    in_session(&site, |index, mut session| {
        let mut store = store(&site, &folder, index);
        if index == 0 {
            store.observe(|step| match step.name {
                "marking" => Err(io::ErrorKind::StorageFull.into()),
                _ => Ok(()),
            });
        }
        let error = spend(&mut session, &mut store, index, 1).unwrap_err();
        assert_eq!(matches!(error.class(), Class::Usage), index == 0, "{error}");
    });
    with_stores(&site, [&folder; 2], |index, session, store| {
        // The evaluator had marked entry 0.
        assert_eq!(spend(session, store, index, 1).unwrap().report.store_entry, Some(1));
    });
}

#[test]
fn a_store_is_locked() {
    let (site, folder) = (site(), Folder::new());
    let first = store(&site, &folder, 0);
    let error = Store::open(&folder.party(0), site.keys[0].as_ref().unwrap()).unwrap_err();
    assert!(matches!(error, StoreError::Locked { .. }), "{error}");
    drop(first);
    store(&site, &folder, 0);
}

#[test]
fn other_folders_and_other_parties_are_refused() {
    let (site, folder) = (site(), Folder::new());
    let key = site.keys[0].as_ref().unwrap();
    let missing = folder.0.join("missing");
    assert!(matches!(Store::inspect(&missing).unwrap_err(), StoreError::NotAStore { .. }));
    fs::write(folder.0.join("file"), "text").unwrap();
    for path in [folder.0.clone(), folder.0.join("file")] {
        let error = Store::open(&path, key).unwrap_err();
        assert!(matches!(error, StoreError::NotAStore { .. }), "{error}");
    }
    assert!(!folder.0.join("lock").exists(), "a folder that is refused is left alone");
    store(&site, &folder, 0);
    let error = Store::open(&folder.party(0), site.keys[1].as_ref().unwrap()).unwrap_err();
    assert!(matches!(error, StoreError::Foreign { .. }), "{error}");
    let mut listed = Store::inspect(&folder.party(0)).unwrap();
    assert!(listed.list().is_empty() && listed.verify().unwrap().is_empty());
}

/// Files of one kind in a party's store.
fn files(folder: &Path, ending: &str) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.extension().is_some_and(|found| found == ending)).collect()
}

#[test]
fn damaged_entries_are_noticed_burned_and_pruned() {
    let (site, folder) = (site(), Folder::new());
    with_stores(&site, [&folder; 2], |_, session, store| {
        prepare(session, store, 3).unwrap();
        prepare(session, store, 2).unwrap();
    });
    let segment = folder.party(0).join("00000000.segment");
    let mut bytes = fs::read(&segment).unwrap();
    bytes[100] ^= 1;
    fs::write(&segment, &bytes).unwrap();
    {
        let mut opened = store(&site, &folder, 0);
        let damage = opened.verify().unwrap();
        assert_eq!(damage.len(), 1);
        assert!(damage[0].error.to_string().contains("entry 0"), "{}", damage[0].error);
    }
    in_session(&site, |index, mut session| {
        let mut store = store(&site, &folder, index);
        let error = spend(&mut session, &mut store, index, 1).unwrap_err();
        if index == 0 {
            assert!(matches!(cause(&error), StoreError::Corrupt { .. }), "{error}");
        }
    });
    // The damaged entry is lost; those after it are intact.
    with_stores(&site, [&folder; 2], |index, session, store| {
        assert_eq!(spend(session, store, index, 1).unwrap().report.store_entry, Some(1));
    });
    bytes.truncate(200);
    fs::write(&segment, &bytes).unwrap();
    {
        let mut opened = Store::inspect(&folder.party(0)).unwrap();
        assert_eq!(opened.verify().unwrap().len(), 1, "lengths are checked without the key too");
        assert_eq!(opened.prune(false).unwrap(), 1);
        assert_eq!(opened.list()[0].ready, 2);
    }
    with_stores(&site, [&folder; 2], |index, session, store| {
        assert_eq!(spend(session, store, index, 1).unwrap().report.store_entry, Some(3));
        assert_eq!(store.prune(true).unwrap(), 1);
        assert_eq!(store.list()[0].ready, 0);
    });
    assert!(files(&folder.party(0), "key").is_empty() && files(&folder.party(1), "segment").is_empty());
}

#[test]
fn keys_and_segments_belong_to_each_other() {
    let (site, folder) = (site(), Folder::new());
    with_stores(&site, [&folder; 2], |_, session, store| {
        prepare(session, store, 1).unwrap();
        prepare(session, store, 1).unwrap();
    });
    let party = folder.party(0);
    let swap = |ending: &str| {
        let [first, second] = [0, 1].map(|id| party.join(format!("{id:08}.{ending}")));
        let kept = fs::read(&first).unwrap();
        fs::copy(&second, &first).unwrap();
        fs::write(&second, kept).unwrap();
    };
    let damaged = || store(&site, &folder, 0).verify().unwrap().len();
    assert_eq!(damaged(), 0);
    for endings in [&["key"][..], &["segment"], &["key", "segment"]] {
        endings.iter().for_each(|ending| swap(ending));
        assert_eq!(damaged(), 2, "{endings:?}");
        endings.iter().for_each(|ending| swap(ending));
    }
    for path in [files(&party, "key"), files(&party, "segment")].concat() {
        let kept = fs::read(&path).unwrap();
        for length in [0, 7, 20, kept.len() - 1, kept.len() + 1] {
            let mut bytes = kept.clone();
            bytes.resize(length, 0);
            fs::write(&path, &bytes).unwrap();
            assert_eq!(damaged(), 1, "{} of {length} bytes", path.display());
        }
        fs::remove_file(&path).unwrap();
        assert_eq!(damaged(), 1);
        fs::write(&path, &kept).unwrap();
    }
}

#[test]
fn a_damaged_index_is_an_error() {
    let (site, folder) = (site(), Folder::new());
    with_stores(&site, [&folder; 2], |_, session, store| prepare(session, store, 1).unwrap());
    let path = folder.party(0).join("index.redb");
    let kept = fs::read(&path).unwrap();
    let open =
        || Store::open(&folder.party(0), site.keys[0].as_ref().unwrap()).and_then(|mut store| store.verify());
    let mut refused = 0;
    for position in (0..kept.len()).step_by(kept.len() / 150) {
        let mut bytes = kept.clone();
        bytes[position] ^= 0x55;
        fs::write(&path, &bytes).unwrap();
        // Much of the file is free space; what matters is that damage is an error or harmless, and no panic.
        refused += usize::from(open().is_err());
    }
    for length in [0, 1, 100, 4096, kept.len() / 2] {
        fs::write(&path, &kept[..length]).unwrap();
        refused += usize::from(open().is_err());
    }
    fs::write(&path, vec![0x5a; kept.len()]).unwrap();
    assert!(open().is_err());
    assert!(refused > 3, "{refused}");
    fs::write(&path, &kept).unwrap();
    assert!(open().unwrap().is_empty());
}
