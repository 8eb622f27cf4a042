//! Auctions from their opening to their end.

use tacit_auction::{Name, Outcome, Role, outcome_in_the_clear};

use crate::pair::{definition, start};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_bidders_get_what_the_rule_says_in_the_clear() {
    let prices = [100, 200, 300, 400, 500, 600, 700, 800];
    let bids = [250, 99, 640, 300, 710, 100, 555, 730, 0, 410];
    let pair = start("ten", 20, &[definition("vase", &prices), definition("none", &[65535])]).await;
    let mut names: Vec<Name> = Vec::new();
    for bid in bids {
        let receipt = pair.service.seal("vase", bid).await.unwrap();
        let said = pair.service.submit(&receipt).await.unwrap();
        assert_eq!((&said["status"], &said["place"]), (&"accepted".into(), &names.len().into()));
        names.push(receipt.name);
    }
    pair.pass_deadlines();
    let result = pair.ended("vase").await;
    let Outcome::Sold { bid, price } = outcome_in_the_clear(&bids, &prices) else { panic!("sold") };
    assert_eq!((bid, prices[price]), (4, 700));
    assert_eq!(result["winner"], names[bid].to_string());
    assert_eq!(result["sold_for"], prices[price]);
    let counts: Vec<usize> = prices[..result["in_counts"].as_array().unwrap().len()]
        .iter()
        .map(|price| bids.iter().filter(|bid| *bid >= price).count())
        .collect();
    assert_eq!(result["in_counts"], serde_json::json!(counts));
    let won = pair.service.bid("vase", &names[bid]).await.unwrap();
    assert_eq!((&won["won"], &won["valid"]), (&true.into(), &true.into()));
    let lost = pair.service.bid("vase", &names[1]).await.unwrap();
    assert_eq!((&lost["won"], &lost["in"]), (&false.into(), &false.into()));
    let unsold = pair.ended("none").await;
    assert!(unsold["winner"].is_null() && unsold["bids"] == 0);
    assert_eq!(pair.service.result("vase").await.unwrap()["winner"], result["winner"]);
    let (a, b) = (log(&pair, Role::A).await, log(&pair, Role::B).await);
    assert_eq!(a, b);
    pair.end().await;
}

async fn log(pair: &crate::pair::Pair, role: Role) -> serde_json::Value {
    pair.local.remote(role).unwrap().request("/log?after=0", None).await.unwrap().1
}
