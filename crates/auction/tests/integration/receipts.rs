//! Receipts of servers, and proofs of bidders.

use tacit_auction::client::{Receipt, Service};
use tacit_auction::proof::{About, verify};
use tacit_auction::{AuctionError, Role};

use crate::pair::{Pair, definition, folder, start};

async fn bid_and_keep(pair: &Pair, number: u64, file: &std::path::Path) -> Receipt {
    let mut receipt = pair.service.seal("vase", number).await.unwrap();
    receipt.save(file).unwrap();
    let said = pair.service.submit(&receipt).await.unwrap();
    receipt.keep(&said, file).unwrap();
    Receipt::load(file).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bidder_proves_what_was_decided_about_its_bid() {
    let folder = folder("proofs");
    let mut pair = start("receipts", 20, &[definition("vase", &[100, 200, 300])]).await;
    let file = folder.join("bid.json");
    let receipt = bid_and_keep(&pair, 250, &file).await;
    pair.bid("vase", 300).await;
    let early = pair.service.log().await.unwrap();
    assert!(verify(&receipt, &early, None).unwrap().right, "accepted");
    pair.pass_deadlines();
    pair.ended("vase").await;
    // Receipts are the same after a restart, and once halves are deleted.
    pair.stop(Role::B).await;
    pair.start(Role::B).await;
    // B may have been stopped before it had the last entry, and A before it knew that B has it.
    pair.ended("vase").await;
    let again = pair.service.submit(&receipt).await.unwrap();
    assert_eq!(again["receipts"], serde_json::to_value(receipt.signed).unwrap());
    let log = pair.service.log().await.unwrap();
    let verdict = verify(&receipt, &log, pair.service.published()).unwrap();
    assert!(verdict.right);
    assert_eq!((verdict.number, verdict.sold_for), (Some(250), Some(300)));
    let about: Vec<About> = verdict.decisions.iter().map(|decision| decision.about).collect();
    let prices = [100, 200, 300].map(About::AtLeast);
    assert_eq!(about, [&[About::Accepted, About::Valid], &prices[..]].concat());
    // The program gives the same verdict from files, without a server.
    pair.stop(Role::A).await;
    std::fs::write(folder.join("log.json"), serde_json::to_string(&log).unwrap()).unwrap();
    let path = |name: &str| folder.join(name).display().to_string();
    let service = pair.local.folder.join("service.toml").display().to_string();
    let arguments = ["verify".into(), path("bid.json"), path("log.json"), "--service".into(), service];
    let code = |arguments: Vec<String>| {
        std::thread::spawn(move || tacit_auction::execute(arguments)).join().unwrap()
    };
    assert_eq!(code(arguments.to_vec()), 0);
    let text = serde_json::to_string(&log).unwrap().replacen("\"still_in\":[true", "\"still_in\":[false", 1);
    std::fs::write(folder.join("log.json"), text).unwrap();
    assert_eq!(code(arguments.to_vec()), 4);
    std::fs::remove_dir_all(folder).unwrap();
    pair.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_and_blindings_are_checked() {
    let pair = start("keys", 20, &[definition("vase", &[5])]).await;
    // A's published key is another one.
    let file = pair.local.folder.join("service.toml");
    let text = std::fs::read_to_string(&file).unwrap().replace("a.pub", "b.pub");
    std::fs::write(&file, text).unwrap();
    let refused = Service::load(&file).unwrap().seal("vase", 7).await.err();
    assert!(matches!(refused, Some(AuctionError::Answer { reason, .. }) if reason.contains("published")));
    let remote = pair.local.remote(Role::A).unwrap();
    let receipt = pair.service.seal("vase", 7).await.unwrap();
    for blinding in ["", "00", "zz"] {
        let body = serde_json::json!({ "half": receipt.halves()[0], "blinding": blinding });
        let (status, said) = remote.request("/auctions/vase/bids", Some(&body)).await.unwrap();
        assert_eq!((status, &said["error"]), (400, &"malformed".into()));
    }
    // Without a blinding there is no receipt, and the client says so.
    let ((_, said), _) = tokio::join!(
        pair.post(Role::A, "vase", receipt.halves()[0]),
        pair.post(Role::B, "vase", receipt.halves()[1])
    );
    assert_eq!((&said["status"], said.get("receipt")), (&"accepted".into(), None));
    let refused = pair.service.submit(&receipt).await.err();
    assert!(matches!(refused, Some(AuctionError::Answer { reason, .. }) if reason.contains("no receipt")));
    for at in ["?at=0", "?at=99999", &format!("?at={}", u64::MAX)] {
        assert_eq!(remote.request(&format!("/log/head{at}"), None).await.unwrap().0, 404);
    }
    pair.end().await;
}
