//! Clocks that differ or jump.

use std::time::{Duration, Instant};

use tacit_auction::{Environment, Role};

use crate::pair::{definition, seconds, start};

/// A clock that is an hour ahead.
fn ahead() -> Environment {
    let (start, base) = (Instant::now(), (seconds() + 3600) * 1000);
    let source = move || (base + start.elapsed().as_millis() as u64, start.elapsed());
    Environment { clock: Some(Box::new(source)), ..Environment::default() }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_earlier_clock_ends_bidding_and_the_later_one_begins_prices() {
    let mut pair = start("differ", 4, &[definition("vase", &[5])]).await;
    pair.bid("vase", 7).await;
    let late = pair.service.seal("vase", 9).await.unwrap();
    pair.stop(Role::B).await;
    pair.start_with(Role::B, ahead()).await.unwrap();
    let (a, b) = tokio::join!(
        pair.post(Role::A, "vase", late.halves()[0]),
        pair.post(Role::B, "vase", late.halves()[1])
    );
    assert_eq!((b.0, &a.1["status"]), (410, &"refused".into()));
    let view = pair.service.auction("vase").await.unwrap();
    assert_eq!((&view["phase"], &view["bids"], &view["asked"]), (&"bidding".into(), &1.into(), &0.into()));
    pair.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_clock_that_is_set_back_opens_nothing_again() {
    let mut pair = start("back", 1, &[definition("vase", &[5])]).await;
    let receipt = pair.service.seal("vase", 9).await.unwrap();
    pair.stop(Role::A).await;
    pair.start_with(Role::A, ahead()).await.unwrap();
    // The time is stored once a second.
    tokio::time::sleep(Duration::from_millis(1500)).await;
    pair.stop(Role::A).await;
    // An hour earlier.
    pair.start(Role::A).await;
    let view = pair.service.auction("vase").await.unwrap();
    assert_eq!(view["phase"], "closing");
    assert_eq!(pair.post(Role::A, "vase", receipt.halves()[0]).await.0, 410);
    pair.end().await;
}
