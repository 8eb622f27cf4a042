//! Material that is kept in stores and used in later sessions; no failure makes a party use any of it twice.

use std::collections::HashSet;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::{fs, io};

use crate::site::{Site, replace};
use tacit_math::field::{Field, Mersenne61, Montgomery};
use tacit_nparty::RunError;
use tacit_nparty::program::{Task, Value};
use tacit_nparty::stored::Stored;
use tacit_store::{Store, StoreError};

/// Numbers of both signs.
fn numbers(count: usize) -> Vec<i64> {
    (0..count as i64).map(|i| (i * 7919 - 100_000) % 5_000).collect()
}

fn input<F: Field>(task: &Task<F>, numbers: &[i64]) -> Result<Value<F>, RunError> {
    let element = |number: &i64| match number {
        0.. => task.field().element(*number as u64),
        _ => task.field().neg(task.field().element(number.unsigned_abs())),
    };
    task.input(0, numbers.len(), (task.me() == 0).then(|| numbers.iter().map(element).collect()))
}

/// How many of the numbers are negative, computed with as many comparisons.
fn signs<F: Field>(task: &Task<F>, count: usize) -> Result<Vec<F::Element>, RunError> {
    task.wait(&task.open(&task.is_negative(&input(task, &numbers(count))?)?)?)
}

fn plain_signs<F: Field>(field: &F, count: usize) -> Vec<F::Element> {
    numbers(count).iter().map(|number| field.element(u64::from(*number < 0))).collect()
}

#[test]
fn what_is_kept_is_spent_in_a_later_session() {
    for (parties, threshold) in [(3, 1), (5, 2), (9, 1)] {
        let site = Site::new(parties, threshold);
        let empty = site.run(|task| {
            assert_eq!(task.stored(), Stored::default());
            for preparation in [task.keep_comparisons(150)?, task.keep_bits(1500)?, task.keep_masks(8, 10)?] {
                preparation.fill()?;
            }
            // Material kept in this session is for later ones.
            Ok(task.stored())
        });
        assert_eq!(empty, vec![Stored::default(); parties]);
        for session in 0..2 {
            site.run(|task| {
                let stored = task.stored();
                assert_eq!(stored.comparisons, [192, 64][session], "{parties} parties");
                // With many sets of parties comparisons take some bits too, and the rest of an entry is not enough.
                assert!([2048..=2048, 0..=1024][session].contains(&stored.bits), "{stored:?}");
                assert_eq!(stored.masks, [vec![(8, 64)], vec![]][session]);
                // The rest of an entry is not enough.
                assert_eq!(signs(task, 100)?, plain_signs(&Mersenne61, 100));
                assert_eq!(signs(task, 20)?, plain_signs(&Mersenne61, 20));
                assert_eq!(signs(task, 100)?, plain_signs(&Mersenne61, 100));
                let bits = task.wait(&task.open(&task.random_bits(1100)?)?)?;
                let ones = bits.iter().sum::<u64>();
                assert!(bits.iter().all(|bit| *bit < 2) && (400..700).contains(&ones), "{ones}");
                let cut =
                    task.wait(&task.open(&task.truncate(&input(task, &[1000, 255, 0])?, 8, 12)?)?)?;
                assert_eq!(cut, [3, 0, 0]);
                Ok(())
            });
        }
        for party in 0..parties {
            let store = site.open(party).expect("a store");
            assert!(store.list().iter().all(|pool| pool.ready <= 1), "{:?}", store.list());
        }
    }
}

#[test]
fn less_is_sent_with_what_was_kept() {
    let site = Site::new(3, 1);
    site.run(|task| task.keep_comparisons(640)?.fill());
    let sent = |stores: bool| {
        let store = |party| stores.then(|| site.open(party).expect("a store"));
        let results = site.run_in(&Mersenne61, store, |task| {
            assert_eq!(signs(task, 640)?, plain_signs(&Mersenne61, 640));
            Ok(())
        });
        results.into_iter().collect::<Result<Vec<_>, _>>().expect("a good end")
    };
    let before = fs::read_dir(site.store_folder(0)).expect("a folder").count();
    sent(false);
    assert_eq!(fs::read_dir(site.store_folder(0)).expect("a folder").count(), before);
    sent(true);
    assert!(fs::read_dir(site.store_folder(0)).expect("a folder").count() < before, "the segment is erased");
}

#[test]
fn other_fields_have_material_of_their_own() {
    let site = Site::new(4, 1);
    let field = Montgomery::<2>::new(&[u64::MAX, u64::MAX >> 1]).expect("odd");
    let open = |party| Some(site.open(party).expect("a store"));
    for session in 0..2 {
        let results = site.run_in(&field, open, |task| {
            assert_eq!(task.stored().comparisons, [0, 128][session]);
            assert_eq!(signs(task, 70)?, plain_signs(&field, 70));
            task.keep_comparisons(70)?.fill()
        });
        results.into_iter().for_each(|result| result.expect("a good end"));
    }
    // Another modulus.
    for result in site.run_in(&Mersenne61, open, |_| Ok(())) {
        let error = result.expect_err("another modulus");
        assert!(matches!(&error, RunError::Store(cause) if matches!(**cause, StoreError::Elsewhere { .. })));
        assert!(error.to_string().contains("0x1fffffffffffffff"), "{error}");
    }
}

#[test]
fn stores_of_other_computations_are_refused() {
    let mut site = Site::new(5, 1);
    site.run(|task| task.keep_bits(10)?.fill());
    let refused = |site: &Site| {
        let results = site.run_in(
            &Mersenne61,
            |party| if party == 0 { Some(site.open(0).expect("a store")) } else { None },
            |task| task.wait(&task.synchronise()?),
        );
        let elsewhere = |error: &RunError| matches!(error, RunError::Store(cause) if matches!(**cause, StoreError::Elsewhere { .. }));
        assert!(results[0].as_ref().is_err_and(elsewhere), "{:?}", results[0]);
        assert!(results[1..].iter().all(Result::is_err));
    };
    site.threshold = 2;
    refused(&site);
    site.threshold = 1;
    let key = site.keys.pop().expect("a key");
    refused(&site);
    site.keys.push(tacit_net::keys::generate().expect("randomness").0);
    refused(&site);
    // The parties for which the store was filled can still use it.
    site.keys[4] = key;
    assert!(site.run(|task| Ok(task.stored().bits)).iter().all(|bits| *bits == 1024));
    // Another party's store.
    let error = Store::open(&site.store_folder(0), &site.keys[1]).expect_err("another key");
    assert!(matches!(error, StoreError::Foreign { .. }), "{error}");
    // One process at a time.
    let first = site.open(0).expect("a store");
    assert!(matches!(site.open(0), Err(StoreError::Locked { .. })));
    drop(first);
    assert!(site.open(0).is_ok());
}

#[test]
fn only_a_first_task_with_a_store_keeps() {
    let site = Site::new(3, 1);
    site.run(|task| {
        assert!(matches!(task.fork()?.keep_bits(1), Err(RunError::Usage(_))));
        assert!(matches!(task.keep_masks(100, 1), Err(RunError::Usage(_))));
        Ok(())
    });
    let results = site.run_in(&Mersenne61, |_| None, |task| Ok(task.keep_bits(1).is_err()));
    assert!(results.into_iter().all(|refused| refused.expect("a good end")));
}

#[test]
fn what_a_party_lacks_is_used_by_none() {
    let site = Site::new(3, 1);
    site.run(|task| task.keep_comparisons(200)?.fill());
    // A party without a store.
    let results = site.run_in(
        &Mersenne61,
        |party| (party != 2).then(|| site.open(party).expect("a store")),
        |task| {
            assert_eq!(task.stored(), Stored::default());
            signs(task, 70)
        },
    );
    for result in results {
        assert_eq!(result.expect("a good end"), plain_signs(&Mersenne61, 70));
    }
    // A store is restored from a copy: entries that the others have spent are skipped.
    let copy = site.folder.join("copy");
    replace(&site.store_folder(1), &copy);
    site.run(|task| {
        assert_eq!(task.stored().comparisons, 256);
        signs(task, 70)
    });
    replace(&copy, &site.store_folder(1));
    site.run(|task| {
        assert_eq!(task.stored().comparisons, 128);
        signs(task, 70)
    });
    // A store is lost and filled again: its numbers follow those that the others assigned.
    fs::remove_dir_all(site.store_folder(0)).expect("a folder");
    site.run(|task| {
        assert_eq!(task.stored().comparisons, 0);
        task.keep_comparisons(64)?.fill()
    });
    assert_eq!(site.run(|task| Ok(task.stored().comparisons)), [64; 3]);
    let next = |party| site.open(party).expect("a store").list()[0].next;
    assert_eq!([next(0), next(1), next(2)], [5; 3]);
}

type Damage = fn(&Path);

/// Changes a byte of a file.
fn spoil(path: &Path, at: usize) {
    let mut bytes = fs::read(path).expect("a file");
    bytes[at] ^= 1;
    fs::write(path, bytes).expect("a file");
}

#[test]
fn damaged_files_are_named() {
    let cases: [(&str, Damage); 5] = [
        ("00000000.segment", |path| spoil(path, 100)),
        ("00000000.segment", |path| spoil(path, 3)),
        ("00000000.key", |path| spoil(path, 30)),
        ("00000000.segment", |path| {
            let bytes = fs::read(path).expect("a file");
            fs::write(path, &bytes[..bytes.len() - 1]).expect("a file");
        }),
        ("00000000.key", |path| fs::remove_file(path).expect("a file")),
    ];
    for (file, damage) in cases {
        let site = Site::new(3, 1);
        site.run(|task| task.keep_comparisons(64)?.fill());
        damage(&site.store_folder(1).join(file));
        let store = |party| Some(site.open(party).expect("a store"));
        let results = site.run_in(&Mersenne61, store, |task| signs(task, 20));
        let error = results[1].as_ref().expect_err("damaged");
        let corrupt =
            matches!(error, RunError::Store(cause) if matches!(**cause, StoreError::Corrupt { .. }));
        assert!(corrupt && error.to_string().contains(file), "{error}");
        assert!(results[0].is_err() && results[2].is_err());
        // Damaged entries are removed, and not used again.
        site.open(1).expect("a store").prune(false).expect("pruned");
        assert_eq!(site.run(|task| signs(task, 20)), vec![plain_signs(&Mersenne61, 20); 3]);
    }
}

/// What parties have taken from their stores and seen, over all sessions.
#[derive(Default)]
struct Seen {
    taken: [HashSet<(&'static str, u64)>; 3],
    /// Random numbers and masked ones that were opened.
    opened: HashSet<u64>,
    /// Runs of 61 random bits.
    bits: HashSet<u64>,
}

/// Keeps and uses material; returns what was opened.
fn session(task: &Task<Mersenne61>) -> Result<(Vec<u64>, Vec<u64>), RunError> {
    task.keep_comparisons(64)?.fill()?;
    task.keep_bits(2048)?.fill()?;
    assert_eq!(signs(task, 64)?, plain_signs(&Mersenne61, 64));
    let random = task.wait(&task.open(&task.random(50)?)?)?;
    let bits = task.wait(&task.open(&task.random_bits(1024)?)?)?;
    let runs = bits.chunks_exact(61).map(|run| run.iter().fold(0, |run, bit| run << 1 | bit));
    Ok((random, runs.collect()))
}

/// All parties keep and use material. The store of the given party loses everything that it does after a given step: its folder is restored
/// to its state at that step. Returns the steps of that store.
fn crash(site: &Site, seen: &Arc<Mutex<Seen>>, at: Option<(usize, usize)>) -> Vec<&'static str> {
    let steps = Arc::new(Mutex::new(Vec::new()));
    let copy = site.folder.join("copy");
    let store = |party: usize| {
        let mut store = site.open(party).expect("whatever was lost");
        let (steps, seen) = (steps.clone(), seen.clone());
        let (from, to) = (site.store_folder(party), copy.clone());
        let victim = at.filter(|(victim, _)| *victim == party).map(|(_, step)| step);
        store.observe(move |step| {
            let now = if victim.is_some() || at.is_none() && party == 0 {
                let mut steps = steps.lock().expect("no panic");
                steps.push(step.name);
                steps.len()
            } else {
                0
            };
            if victim == Some(now) {
                replace(&from, &to);
            }
            if victim.is_some_and(|last| now >= last) {
                return Err(io::Error::other("lost"));
            }
            if let Some(entry) = step.entry {
                let new = seen.lock().expect("no panic").taken[party].insert((step.name, entry));
                assert!(new, "{} {entry} of party {party} again", step.name);
            }
            Ok(())
        });
        Some(store)
    };
    let results = site.run_in(&Mersenne61, store, session);
    if let Some((victim, _)) = at {
        assert!(results[victim].is_err());
        replace(&copy, &site.store_folder(victim));
    } else {
        let (random, bits) = results[0].as_ref().expect("a good end");
        assert!(results.iter().all(Result::is_ok));
        let mut seen = seen.lock().expect("no panic");
        assert!(random.iter().all(|number| seen.opened.insert(*number)), "a random number again");
        assert!(bits.iter().all(|run| seen.bits.insert(*run)), "random bits again");
    }
    let steps = steps.lock().expect("no panic");
    steps.clone()
}

/// Checks that no randomness is repeated when a party fails at selected steps, given by their numbers among all steps of a
/// session.
fn nothing_comes_again(chosen: impl Fn(&[&'static str]) -> Vec<usize>) {
    let (site, seen) = (Site::new(3, 1), Arc::default());
    crash(&site, &seen, None);
    let steps = crash(&site, &seen, None);
    assert!(steps.len() > 20, "{steps:?}");
    let chosen = chosen(&steps);
    for step in &chosen {
        crash(&site, &seen, Some((1, *step)));
        // All continue, whatever was lost.
        crash(&site, &seen, None);
    }
    let seen = seen.lock().expect("no panic");
    assert!(seen.taken.iter().all(|taken| taken.len() > chosen.len()));
}

#[test]
fn nothing_random_comes_again_whatever_a_party_loses() {
    // Each kind of step once, the first of its kind.
    nothing_comes_again(|steps| {
        let first = |number: &usize| !steps[..number - 1].contains(&steps[number - 1]);
        (1..=steps.len()).filter(first).collect()
    });
}

#[test]
#[ignore = "minutes: all steps"]
fn nothing_random_comes_again_wherever_a_party_is_lost() {
    nothing_comes_again(|steps| (1..=steps.len()).collect());
}
