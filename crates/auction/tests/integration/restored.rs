//! Servers that start with an older, new or damaged database.

use std::path::Path;

use tacit_auction::{AuctionError, Environment, Role};

use crate::pair::{definition, start};

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_from_a_backup_at_one_server_stops_both() {
    for restored in [Role::A, Role::B] {
        let mut pair = start("backup", 20, &[definition("vase", &[5])]).await;
        pair.bid("vase", 7).await;
        pair.stop(restored).await;
        let (state, backup) = (pair.state(restored), pair.local.folder.join("backup"));
        copy(&state, &backup);
        pair.start(restored).await;
        pair.bid("vase", 8).await;
        pair.stop(Role::A).await;
        pair.stop(Role::B).await;
        std::fs::remove_dir_all(&state).unwrap();
        copy(&backup, &state);
        pair.start(Role::A).await;
        pair.start(Role::B).await;
        for role in [Role::A, Role::B] {
            let error = pair.fails(role).await;
            let AuctionError::Diverged(text) = &error else { panic!("{error}") };
            assert!(text.contains("older copy"), "{text}");
        }
        pair.end().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_database_at_one_server_stops_both() {
    for lost in [Role::A, Role::B] {
        let mut pair = start("lost", 20, &[definition("vase", &[5])]).await;
        pair.bid("vase", 7).await;
        pair.stop(Role::A).await;
        pair.stop(Role::B).await;
        std::fs::remove_dir_all(pair.state(lost)).unwrap();
        pair.start(Role::A).await;
        pair.start(Role::B).await;
        for role in [Role::A, Role::B] {
            assert!(matches!(pair.fails(role).await, AuctionError::Diverged(_)));
        }
        pair.end().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_key_is_refused() {
    let mut pair = start("key", 20, &[definition("vase", &[5])]).await;
    for role in [Role::A, Role::B] {
        pair.stop(role).await;
        let key = pair.local.folder.join(format!("{}.key", if role == Role::A { "a" } else { "b" }));
        let kept = std::fs::read(&key).unwrap();
        std::fs::remove_file(&key).unwrap();
        tacit_net::keys::generate().unwrap().0.save(&key).unwrap();
        let error = pair.start_with(role, Environment::default()).await.unwrap_err();
        assert!(matches!(error, AuctionError::Foreign { what: "key", .. }), "{error}");
        std::fs::write(&key, kept).unwrap();
        pair.start(role).await;
    }
    pair.opened("vase").await;
    pair.bid("vase", 7).await;
    pair.end().await;
}

/// The DGK key of a database, sealed under the key of its server.
fn dgk_key(state: &Path) -> Option<Vec<u8>> {
    let connection = rusqlite::Connection::open(state.join("auction.sqlite")).ok()?;
    connection.query_row("SELECT value FROM meta WHERE key = 'dgk'", [], |row| row.get(0)).ok()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_dgk_key_is_refused() {
    let mut pair = start("dgk", 20, &[definition("vase", &[5])]).await;
    pair.bid("vase", 7).await;
    pair.stop(Role::A).await;
    pair.stop(Role::B).await;
    // The same server with a new database makes another key.
    let (state, kept) = (pair.state(Role::A), pair.local.folder.join("kept"));
    std::fs::rename(&state, &kept).unwrap();
    pair.start(Role::A).await;
    let other = loop {
        match dgk_key(&state) {
            Some(key) => break key,
            None => tokio::time::sleep(std::time::Duration::from_millis(20)).await,
        }
    };
    pair.stop(Role::A).await;
    std::fs::remove_dir_all(&state).unwrap();
    std::fs::rename(&kept, &state).unwrap();
    let own = dgk_key(&state).unwrap();
    let change = |key: &Vec<u8>| {
        let connection = rusqlite::Connection::open(state.join("auction.sqlite")).unwrap();
        connection.execute("UPDATE meta SET value = ?1 WHERE key = 'dgk'", [key]).unwrap();
    };
    change(&other);
    let error = pair.start_with(Role::A, Environment::default()).await.unwrap_err();
    let AuctionError::Foreign { what: "DGK key", stored, now } = &error else { panic!("{error}") };
    assert_ne!(stored, now);
    // Nothing was lost.
    change(&own);
    pair.start(Role::A).await;
    pair.start(Role::B).await;
    pair.opened("vase").await;
    pair.bid("vase", 8).await;
    pair.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_folder_in_use_is_refused() {
    let mut pair = start("in-use", 20, &[]).await;
    let error = pair.start_with(Role::A, Environment::default()).await.unwrap_err();
    assert!(matches!(error, AuctionError::InUse(_)), "{error}");
    pair.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_was_changed_is_refused() {
    let mut pair = start("changed", 20, &[definition("vase", &[5])]).await;
    pair.bid("vase", 7).await;
    let changes = [
        "DELETE FROM meta WHERE key = 'dgk'",
        "UPDATE log SET chain = zeroblob(32) WHERE sequence = 2",
        "UPDATE log SET record = zeroblob(9) WHERE sequence = 3",
    ];
    pair.stop(Role::A).await;
    let (state, kept) = (pair.state(Role::A), pair.local.folder.join("kept"));
    copy(&state, &kept);
    for change in changes {
        rusqlite::Connection::open(state.join("auction.sqlite")).unwrap().execute(change, []).unwrap();
        let error = pair.start_with(Role::A, Environment::default()).await.unwrap_err();
        assert!(matches!(error, AuctionError::Damaged(_)), "{change}: {error}");
        std::fs::remove_dir_all(&state).unwrap();
        copy(&kept, &state);
    }
    pair.start(Role::A).await;
    pair.bid("vase", 8).await;
    pair.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn halves_are_encrypted_on_disk_and_gone_after_the_end() {
    let mut pair = start("disk", 20, &[definition("vase", &[5])]).await;
    let receipt = pair.bid("vase", 7).await;
    let halves = receipt.halves().map(|half| half[32..].to_owned());
    for over in [false, true] {
        if over {
            pair.pass_deadlines();
            pair.ended("vase").await;
        }
        for (role, shares) in [(Role::A, &halves[0]), (Role::B, &halves[1])] {
            pair.stop(role).await;
            let connection = rusqlite::Connection::open(pair.state(role).join("auction.sqlite")).unwrap();
            let count: u64 =
                connection.query_row("SELECT count(*) FROM halves", [], |row| row.get(0)).unwrap();
            drop(connection);
            assert_eq!(count, u64::from(!over));
            for entry in std::fs::read_dir(pair.state(role)).unwrap() {
                let bytes = std::fs::read(entry.unwrap().path()).unwrap();
                let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                assert!(!digits.contains(shares.as_str()), "a half in the clear");
            }
            pair.start(role).await;
        }
    }
    pair.end().await;
}
