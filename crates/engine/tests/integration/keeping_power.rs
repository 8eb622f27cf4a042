//! What a power failure leaves of stored shares: everything that a party has told the other that it has.

#[path = "../../../store/src/files/recorded.rs"]
#[expect(dead_code, reason = "the store's own tests use the rest")]
mod recorded;

use std::fs;

use crate::loopback::balance::{Pair, add, deposit};
use crate::loopback::pair::{Folder, both};
use recorded::{Disk, FileRecord, What};
use tacit_engine::{CancelFlag, ShareStatus, ShareStore, block_on, run};
use tacit_ir::{Domain, Program};
use tacit_store::files::{Event, watch};

/// The changes of each party's files while it keeps something in a run, with the steps of its store.
fn keeping(pair: &Pair, program: &Program) -> [Vec<FileRecord>; 2] {
    let jobs = pair.jobs(program, 5);
    both(|index| {
        drop(recorded::take());
        let mut store = pair.store(index);
        store.observe(|step| {
            recorded::mark(step);
            Ok(())
        });
        block_on(run(&jobs[index], Some(store), &CancelFlag::new())).unwrap();
        recorded::take()
    })
}

/// The value kept as `balance` in a folder with these files.
fn kept<'f>(
    pair: &Pair,
    index: usize,
    files: impl Iterator<Item = (&'f str, &'f [u8])>,
) -> Option<ShareStatus> {
    let folder = Folder::new();
    files.for_each(|(name, content)| fs::write(folder.0.join(name), content).unwrap());
    let store = ShareStore::open(&folder.0, &pair.keys[index]).expect("a store that opens");
    let row = store.list().pop();
    assert!(row.as_ref().is_none_or(|row| !row.settled || store.share("balance").is_some()));
    drop((store, recorded::take()));
    row
}

/// Only syncs matter: between two syncs a disk can only hold less.
fn is_sync(record: &FileRecord) -> bool {
    matches!(record.what, What::Synced | What::NamesSynced)
}

#[test]
fn a_power_cut_loses_no_share_that_the_other_party_counts_on() {
    let pair = Pair::new();
    let runs = [deposit(16, Domain::Bool), add(16, Domain::Bool, false)];
    let lives = runs.map(|program| keeping(&pair, &program));
    for index in [0, 1] {
        let mut disk = Disk::default();
        // The version that the other party was told of, and the one that both have confirmed.
        let (mut told, mut settled, mut cuts) = (0, 0, 0);
        for (life, version) in lives.iter().zip(1..) {
            let mut synced = true;
            for record in &life[index] {
                if record.name == "written" {
                    told = version;
                }
                if record.name == "kept" {
                    settled = version;
                }
                if synced || matches!(record.what, What::Mark) {
                    cuts += 1;
                    for row in [kept(&pair, index, disk.after_cut()), kept(&pair, index, disk.now())] {
                        let version = row.as_ref().map_or(0, |row| row.version);
                        assert!(version >= told, "party {index} says that it has {told}, and has {version}");
                        let sure = row.map_or(0, |row| row.version - u64::from(!row.settled));
                        assert!(sure >= settled, "party {index} forgets that both have {settled}");
                    }
                }
                synced = is_sync(record);
                disk.follow(record);
            }
        }
        assert!(settled == 2 && cuts > 12, "{cuts} cuts");
    }
}

/// An existing file is complete: it gets its name when its content is durable, and the name is durable before anything
/// is kept.
#[test]
fn a_new_store_is_written_synced_and_named_in_this_order() {
    let pair = Pair::new();
    for life in keeping(&pair, &deposit(16, Domain::Bool)) {
        let place = |name: &str, what: fn(&What) -> bool| {
            let found = |record: &FileRecord| record.name == name && what(&record.what);
            life.iter().position(found).unwrap_or_else(|| panic!("nothing of the kind happens to {name}"))
        };
        let folder = life.iter().find(|record| matches!(record.what, What::FolderMade)).unwrap();
        let made = place(&folder.name, |what| matches!(what, What::FolderMade));
        assert!(matches!(life[made + 1].what, What::NamesSynced), "a power cut takes the folder away");
        let created = place("shares.new", |what| matches!(what, What::Created));
        let renamed = place("shares.new", |what| matches!(what, What::Renamed { .. }));
        assert!(made < created && created < renamed);
        let last = |what: fn(&What) -> bool| {
            life[..renamed].iter().rposition(|record| record.name == "shares.new" && what(&record.what))
        };
        let (written, synced) = (
            last(|what| matches!(what, What::Written { .. } | What::Resized { .. })),
            last(|what| matches!(what, What::Synced)),
        );
        assert!(written.unwrap() < synced.unwrap(), "a power cut leaves a file that is not whole");
        assert!(matches!(life[renamed + 1].what, What::NamesSynced), "a power cut takes the file away");
        assert_eq!(life[renamed + 1].name, folder.name);
    }
}
