//! Auctions with a live price: manual bidders beside sealed bids.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tacit_auction::proof::{About, verify};
use tacit_auction::{Definition, Environment, Event, Kind, Leader, Raise, Role, live_in_the_clear};
use tacit_net::keys::{SecretKey, generate};

use crate::pair::{Pair, definition, folder, seconds, start};

pub fn live(id: &str, prices: &[u64]) -> Definition {
    Definition { kind: Kind::Live, ..definition(id, prices) }
}

fn key() -> SecretKey {
    generate().unwrap().0
}

fn digits(key: &SecretKey) -> String {
    key.public().to_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

async fn raise(pair: &Pair, auction: &str, price: u64, key: &SecretKey) -> Value {
    let raise = pair.service.sign_raise(auction, price, key).await.unwrap();
    pair.service.raise(auction, &raise).await.unwrap()
}

async fn post(pair: &Pair, role: Role, auction: &str, body: &Value) -> (u16, Value) {
    let path = format!("/auctions/{auction}/raises");
    pair.local.remote(role).unwrap().request(&path, Some(body)).await.unwrap()
}

/// Waits until both servers have this price and this leader.
async fn stands(pair: &Pair, auction: &str, price: u64, leader: &str) {
    for role in [Role::A, Role::B] {
        let path = format!("/auctions/{auction}");
        pair.until(role, &path, |state| state["price"] == price && state["leader"] == leader).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn manual_bidders_raise_the_price_beside_sealed_bids() {
    let prices = [100, 200, 300, 400, 500, 600, 700];
    let pair = start("live", 20, &[live("vase", &prices)]).await;
    let (one, other) = (key(), key());
    let first = pair.bid("vase", 450).await;
    stands(&pair, "vase", 100, &first.name.to_string()).await;
    assert_eq!(raise(&pair, "vase", 300, &one).await["status"], "accepted");
    stands(&pair, "vase", 400, &first.name.to_string()).await;
    assert_eq!(raise(&pair, "vase", 500, &other).await["status"], "accepted");
    stands(&pair, "vase", 500, &digits(&other)).await;
    let second = pair.bid("vase", 640).await;
    stands(&pair, "vase", 600, &second.name.to_string()).await;
    let own =
        pair.until(Role::B, &format!("/auctions/vase/bids/{}", first.name), |bid| bid["in"] == false).await;
    assert_eq!((&own["leads"], &own["won"]), (&false.into(), &false.into()));
    pair.bid("vase", 90).await;
    pair.pass_deadlines();
    let result = pair.ended("vase").await;
    let events = [Event::Bid(450), Event::Raise(2), Event::Raise(4), Event::Bid(640), Event::Bid(90)];
    assert_eq!(live_in_the_clear(&events, &prices), Some((Leader::Sealed(1), 5)));
    assert_eq!((&result["winner"], &result["sold_for"]), (&second.name.to_string().into(), &600.into()));
    let moves: Vec<(u64, bool)> = result["moves"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| (step["price"].as_u64().unwrap(), step["manual"].as_bool().unwrap()))
        .collect();
    assert_eq!(moves, [(100, false), (300, true), (400, false), (500, true), (600, false)]);
    // Each price once, in the log, with its bidder's signature.
    let log = serde_json::to_value(pair.service.log().await.unwrap()).unwrap();
    let entries = log["entries"].as_array().unwrap().iter();
    let raised: Vec<&Value> = entries.filter_map(|entry| entry["entry"].get("raise")).collect();
    assert_eq!(
        raised.iter().map(|entry| entry["raise"]["price"].as_u64().unwrap()).collect::<Vec<_>>(),
        [300, 500]
    );
    assert_eq!(raised[1]["raise"]["bidder"], digits(&other));
    pair.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_manual_bidder_wins_and_sealed_bidders_prove_what_was_decided() {
    let folder = folder("live-proof");
    let pair = start("live-won", 20, &[live("vase", &[100, 200, 300])]).await;
    let file = folder.join("bid.json");
    let mut receipt = pair.service.seal("vase", 250).await.unwrap();
    receipt.save(&file).unwrap();
    let said = pair.service.submit(&receipt).await.unwrap();
    receipt.keep(&said, &file).unwrap();
    stands(&pair, "vase", 100, &receipt.name.to_string()).await;
    let winner = key();
    // The command line raises, with a key that it makes and then uses again.
    let arguments = |price: &str| -> Vec<String> {
        let service = pair.local.folder.join("service.toml").display().to_string();
        let key = folder.join("mine.key").display().to_string();
        ["raise", "vase", price, "--service", &service, "--key", &key].map(String::from).into()
    };
    for (price, code) in [("150", 6), ("x", 2), ("200", 0), ("200", 0), ("100", 6)] {
        let given = arguments(price);
        assert_eq!(
            tokio::task::spawn_blocking(|| tacit_auction::execute(given)).await.unwrap(),
            code,
            "{price}"
        );
    }
    raise(&pair, "vase", 300, &winner).await;
    pair.pass_deadlines();
    let result = pair.ended("vase").await;
    assert_eq!((&result["winner"], &result["sold_for"]), (&digits(&winner).into(), &300.into()));
    // Servers show what both have: A may hear a moment later that B has the last entry.
    let verdict = loop {
        let log = pair.service.log().await.unwrap();
        let verdict = verify(&receipt, &log, pair.service.published()).unwrap();
        if verdict.winner.is_some() {
            break verdict;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    assert!(verdict.right);
    assert_eq!((verdict.winner, verdict.sold_for), (Some(digits(&winner)), Some(300)));
    let about: Vec<(About, bool)> = verdict.decisions.iter().map(|each| (each.about, each.said)).collect();
    assert_eq!(about[..3], [(About::Accepted, true), (About::Valid, true), (About::AtLeast(100), true)]);
    pair.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn raises_that_come_again_or_are_not_the_bidders_change_nothing() {
    let pair = start(
        "live-bad",
        2,
        &[live("vase", &[100, 200, 300]), live("other", &[100]), definition("ladder", &[100])],
    )
    .await;
    let (mine, thief) = (key(), key());
    let sign =
        async |auction: &'static str, price| pair.service.sign_raise(auction, price, &mine).await.unwrap();
    let raise = sign("vase", 200).await;
    let body = json!(raise);
    for _ in 0..3 {
        assert_eq!(pair.service.raise("vase", &raise).await.unwrap()["status"], "accepted");
    }
    let lower = sign("vase", 100).await;
    let same = pair.service.sign_raise("vase", 200, &thief).await.unwrap();
    let mut forged = body.clone();
    forged["price"] = 300.into();
    let mut stolen = body.clone();
    stolen["bidder"] = digits(&thief).into();
    let absent = sign("vase", 250).await;
    let short = json!({ "price": 300, "bidder": "00", "signature": "00" });
    for role in [Role::A, Role::B] {
        for (auction, body, status, error) in [
            ("vase", json!(lower), 409, "outbid"),
            ("vase", json!(same), 409, "outbid"),
            ("vase", forged.clone(), 403, "unsigned"),
            ("vase", stolen.clone(), 403, "unsigned"),
            ("vase", json!(absent), 400, "no_price"),
            ("vase", short.clone(), 400, "malformed"),
            ("vase", json!({}), 400, "malformed"),
            ("vase", json!({ "price": -1, "bidder": "", "signature": "" }), 400, "malformed"),
            ("other", json!(sign("vase", 100).await), 403, "unsigned"),
            ("other", body.clone(), 409, "name_taken"),
            ("ladder", json!(sign("ladder", 100).await), 409, "not_live"),
            ("nothing", body.clone(), 404, "unknown_auction"),
        ] {
            let (code, said) = post(&pair, role, auction, &body).await;
            assert_eq!((code, &said["error"]), (status, &error.into()), "{auction} {body}");
        }
    }
    // If a raise is given to one server only, both refuse it; then the price is free.
    let alone = sign("vase", 300).await;
    let (_, said) = post(&pair, Role::A, "vase", &json!(alone)).await;
    assert_eq!((&said["status"], &said["reason"]), (&"refused".into(), &"one_half".into()));
    let (_, said) = post(&pair, Role::B, "vase", &json!(alone)).await;
    assert_eq!(said["status"], "refused");
    let state = pair.service.auction("vase").await.unwrap();
    assert_eq!((&state["price"], &state["leader"]), (&200.into(), &digits(&mine).into()));
    assert_eq!(state["moves"].as_array().unwrap().len(), 1);
    let next = pair.service.sign_raise("vase", 300, &thief).await.unwrap();
    assert_eq!(pair.service.raise("vase", &next).await.unwrap()["leads"], true);
    pair.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn raises_at_once_set_each_price_once() {
    let prices: Vec<u64> = (1..=12).collect();
    let pair = std::sync::Arc::new(start("live-race", 20, &[live("vase", &prices)]).await);
    pair.bid("vase", 7).await;
    let mut bidders = tokio::task::JoinSet::new();
    for _ in 0..4 {
        let (pair, mine) = (pair.clone(), key());
        bidders.spawn(async move {
            let mut taken = Vec::new();
            for price in 1..=12 {
                let signed = pair.service.sign_raise("vase", price, &mine).await.unwrap();
                // If somebody else was faster, one server refuses it at once, or both refuse it later.
                if let Ok(said) = pair.service.raise("vase", &signed).await
                    && said["status"] == "accepted"
                {
                    taken.push((price, digits(&mine)));
                }
            }
            taken
        });
    }
    let mut taken: Vec<(u64, String)> = Vec::new();
    while let Some(done) = bidders.join_next().await {
        taken.extend(done.unwrap());
    }
    taken.sort_unstable();
    pair.pass_deadlines();
    let result = pair.ended("vase").await;
    let moves = result["moves"].as_array().unwrap();
    let logged: Vec<(u64, String)> = moves
        .iter()
        .filter(|step| step["manual"] == true)
        .map(|step| (step["price"].as_u64().unwrap(), step["by"].as_str().unwrap().to_owned()))
        .collect();
    assert_eq!(logged, taken, "what bidders were told");
    assert!(moves.windows(2).all(|pair| pair[0]["price"].as_u64() < pair[1]["price"].as_u64()));
    assert_eq!(
        (&result["sold_for"], &result["winner"]),
        (&12.into(), &taken.last().unwrap().1.clone().into())
    );
}

/// A clock that is an hour ahead.
fn ahead() -> Environment {
    let (start, base) = (Instant::now(), (seconds() + 3600) * 1000);
    let source = move || (base + start.elapsed().as_millis() as u64, start.elapsed());
    Environment { clock: Some(Box::new(source)), ..Environment::default() }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_earlier_clock_ends_raises() {
    let mut pair = start("live-late", 4, &[live("vase", &[100, 200])]).await;
    let mine = key();
    let [first, late] = [100, 200].map(|price| pair.service.sign_raise("vase", price, &mine));
    let (first, late): (Raise, Raise) = (first.await.unwrap(), late.await.unwrap());
    pair.service.raise("vase", &first).await.unwrap();
    pair.stop(Role::B).await;
    pair.start_with(Role::B, ahead()).await.unwrap();
    let late = json!(late);
    let (a, b) = tokio::join!(post(&pair, Role::A, "vase", &late), post(&pair, Role::B, "vase", &late));
    assert_eq!((b.0, &b.1["error"], &a.1["status"]), (410, &"expired".into(), &"refused".into()));
    assert_eq!(pair.service.auction("vase").await.unwrap()["price"], 100);
    pair.pass_deadlines();
    assert_eq!(pair.ended("vase").await["sold_for"], 100);
    for role in [Role::A, Role::B] {
        let expired = pair.service.sign_raise("vase", 200, &mine).await.unwrap();
        let (code, said) = post(&pair, role, "vase", &json!(expired)).await;
        // The same raise is already decided, and the decision is final.
        assert_eq!((code, &said["status"]), (200, &"refused".into()));
        let other = pair.service.sign_raise("vase", 200, &key()).await.unwrap();
        assert_eq!(post(&pair, role, "vase", &json!(other)).await.0, 410);
    }
    tokio::time::sleep(Duration::from_millis(10)).await;
    pair.end().await;
}
