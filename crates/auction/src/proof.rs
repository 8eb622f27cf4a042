//! Proofs for third parties: a bidder opens both halves, and anyone with the signed log can check each decision about the bid.
//!
//! Security: a proof holds as long as the servers' signatures cannot be forged and nobody finds two halves for one commitment. It shows
//! that a decision is wrong and that both servers signed the log with it, but not which of them deviated. Whoever gets the proof learns the bid.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use tacit_compare::{Half, Parameters, Results, open};
use tacit_he::dgk::ModulusSize;
use tacit_net::keys::PublicKey;

use crate::config::Role;
use crate::constants::{MAX_LOG_BYTES, NAME_BYTES};
use crate::kept::Receipt;
use crate::ledger::{Auction, Entry, Ledger, Record, Standing};
use crate::name::Name;
use crate::receipt::{Digits, SignedHead, commit};
use crate::{AuctionError, terms};

const ROLES: [Role; 2] = [Role::A, Role::B];

/// A log from its beginning, as both servers signed it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignedLog {
    /// The end of the log, signed by A and by B.
    pub heads: [SignedHead; 2],
    /// All entries up to the end.
    pub entries: Vec<LogEntry>,
}

/// An entry as `/log` shows it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogEntry {
    /// From 1.
    pub sequence: u64,
    /// Server A's time, in milliseconds since 1970.
    pub time: u64,
    entry: Entry,
    /// The hash of the chain up to this entry.
    pub chain: Digits<32>,
}

/// A decision about a bid, and whether it is right.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Decision {
    /// The entry of the log; for an acceptance, the one that the receipts name.
    pub sequence: u64,
    /// What was decided.
    pub about: About,
    /// The decision in the log.
    pub said: bool,
    /// Whether that decision is right.
    pub right: bool,
}

/// The subject of a decision about a bid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum About {
    /// That it is accepted, at the place of the log that the receipts name.
    Accepted,
    /// Whether its halves decode to bits.
    Valid,
    /// Whether it is at least this price.
    AtLeast(u64),
}

/// The result of checking a receipt against a log.
#[derive(Clone, Debug, Serialize)]
pub struct Verdict {
    /// The auction.
    pub auction: String,
    /// The bid's name.
    pub name: Name,
    /// The bid; `None` if its halves do not decode to bits.
    pub number: Option<u64>,
    /// All decisions about the bid.
    pub decisions: Vec<Decision>,
    /// Whether all of them are right.
    pub right: bool,
    /// The winner according to the log: the name of a bid, or the key of a manual bidder.
    pub winner: Option<String>,
    /// What the winner pays.
    pub sold_for: Option<u64>,
    /// The keys of A and B that receipts and log are signed with, as the log names them.
    pub keys: [String; 2],
}

impl SignedLog {
    /// Reads a file.
    ///
    /// # Errors
    /// [`AuctionError::File`], [`AuctionError::Config`].
    pub fn load(file: &Path) -> Result<SignedLog, AuctionError> {
        use std::io::Read as _;
        let mut text = String::new();
        let read = fs::File::open(file).and_then(|open| open.take(MAX_LOG_BYTES).read_to_string(&mut text));
        read.map_err(|source| AuctionError::File { file: file.into(), source })?;
        serde_json::from_str(&text).map_err(|error| AuctionError::Config {
            file: file.display().to_string(),
            reason: format!("no signed log: {error}"),
        })
    }
}

/// Checks every decision about the receipt's bid. `published` are the servers' published keys. Without them, the keys are those that the log
/// names, and the caller must compare [`Verdict::keys`].
///
/// # Errors
/// [`AuctionError::Unproven`] if log, receipts or halves were altered or belong to other servers.
pub fn verify(
    receipt: &Receipt,
    log: &SignedLog,
    published: Option<[PublicKey; 2]>,
) -> Result<Verdict, AuctionError> {
    judge(receipt, log, published).map_err(AuctionError::Unproven)
}

fn judge(receipt: &Receipt, log: &SignedLog, published: Option<[PublicKey; 2]>) -> Result<Verdict, String> {
    let keys = keys(log)?;
    if published.is_some_and(|published| published != keys) {
        return Err("the log belongs to other servers than those whose keys are given".into());
    }
    let number = opened(receipt, &keys)?;
    let (ledger, mut decisions) = replay(receipt, log, number)?;
    signed(log, &ledger, &keys)?;
    decisions.insert(0, acceptance(receipt, log, &ledger)?);
    let sold = ledger.auctions.get(&receipt.auction).and_then(|auction| {
        let (winner, price) = auction.winner()?;
        Some((winner.to_string(), auction.definition.prices[price]))
    });
    Ok(Verdict {
        auction: receipt.auction.clone(),
        name: receipt.name,
        number,
        right: decisions.iter().all(|decision| decision.right),
        decisions,
        sold_for: sold.as_ref().map(|(_, price)| *price),
        winner: sold.map(|(winner, _)| winner),
        keys: keys.map(|key| key.to_string()),
    })
}

/// The keys that the log's first entry names.
fn keys(log: &SignedLog) -> Result<[PublicKey; 2], String> {
    match log.entries.first().map(|first| &first.entry) {
        Some(Entry::Meet { parameters, .. }) => terms::keys(parameters),
        _ => None,
    }
    .ok_or_else(|| "the log does not begin with the servers' keys".into())
}

/// Checks both receipts, and that both halves are the ones that the receipts name. Returns the bid.
fn opened(receipt: &Receipt, keys: &[PublicKey; 2]) -> Result<Option<u64>, String> {
    let signed = receipt.signed.as_ref().ok_or("the servers have signed no receipts for this bid")?;
    let bits = receipt.halves()[0].len() / 2;
    let bits = bits.checked_sub(NAME_BYTES).and_then(|bits| u32::try_from(bits).ok()).unwrap_or(0);
    // Decoding halves only depends on the bits.
    let parameters = Parameters::new(ModulusSize::MEDIUM, 224, bits, Results::Revealed)
        .map_err(|error| format!("the halves: {error}"))?;
    let mut halves = Vec::with_capacity(2);
    for (i, (role, key)) in ROLES.iter().zip(keys).enumerate() {
        let who = role.name().to_uppercase();
        if !signed[i].is_of(key, *role, &receipt.auction, &receipt.name) {
            return Err(format!("the receipt of server {who} was altered, or belongs to another server"));
        }
        let (bytes, blinding) =
            receipt.opening(i).ok_or(format!("the half for server {who} is not in hexadecimal digits"))?;
        if commit(&blinding, &bytes) != signed[i].commitment {
            return Err(format!("the half for server {who} is not the one that its receipt is for"));
        }
        let half =
            Half::from_bytes(&parameters, &bytes).map_err(|error| format!("the half for {who}: {error}"))?;
        if half.name() != receipt.name.0 {
            return Err(format!("the half for server {who} has another name than the bid"));
        }
        halves.push(half);
    }
    let halves: [Half; 2] = halves.try_into().map_err(|_| "two halves are expected")?;
    open(&parameters, &halves).map_err(|error| error.to_string())
}

/// Replays the log by its rules, and collects its decisions about the bid.
fn replay(
    receipt: &Receipt,
    log: &SignedLog,
    number: Option<u64>,
) -> Result<(Ledger, Vec<Decision>), String> {
    let (mut ledger, mut decisions) = (Ledger::default(), Vec::new());
    for LogEntry { sequence, time, entry, chain } in &log.entries {
        let before = ledger.auctions.get(&receipt.auction);
        let found = before.and_then(|auction| decided(auction, receipt, number, entry));
        let record = Record { sequence: *sequence, time: *time, entry: entry.clone() };
        ledger.apply(&record).map_err(|reason| format!("the log breaks its rules: {reason}"))?;
        if ledger.chain != chain.0 {
            return Err(format!("entry {sequence} of the log was altered"));
        }
        decisions.extend(found.map(|(about, said, right)| Decision {
            sequence: *sequence,
            about,
            said,
            right,
        }));
    }
    Ok((ledger, decisions))
}

/// An entry's decision about the bid: its subject, the decision, and whether it is right. The rules are checked afterwards.
fn decided(
    auction: &Auction,
    receipt: &Receipt,
    number: Option<u64>,
    entry: &Entry,
) -> Option<(About, bool, bool)> {
    match entry {
        Entry::Check { auction: of, bids, valid } if *of == receipt.auction => {
            let place = bids.iter().position(|name| *name == receipt.name)?;
            let said = *valid.get(place)?;
            Some((About::Valid, said, said == number.is_some()))
        }
        Entry::Price { auction: of, index, still_in } if *of == receipt.auction => {
            let asked = auction.asked_of();
            let place = asked.iter().position(|bid| auction.bids[*bid].name == receipt.name)?;
            let (said, price) = (*still_in.get(place)?, *auction.definition.prices.get(*index)?);
            Some((About::AtLeast(price), said, said == number.is_some_and(|number| number >= price)))
        }
        _ => None,
    }
}

/// Checks that both servers signed the end of the log.
fn signed(log: &SignedLog, ledger: &Ledger, keys: &[PublicKey; 2]) -> Result<(), String> {
    for ((head, role), key) in log.heads.iter().zip(ROLES).zip(keys) {
        let same = (head.sequence, head.chain.0) == (ledger.sequence, ledger.chain);
        if !same || !head.is_of(key, role) {
            return Err(format!("server {} did not sign this log", role.name().to_uppercase()));
        }
    }
    Ok(())
}

/// Whether the log accepts the bid at the entry that both receipts name. Signatures are valid, so otherwise a server contradicted itself.
fn acceptance(receipt: &Receipt, log: &SignedLog, ledger: &Ledger) -> Result<Decision, String> {
    let signed = receipt.signed.as_ref().ok_or("no receipts")?;
    let standing = ledger.standing(&receipt.name);
    let said = matches!(standing, Some((of, Standing::Accepted(_), _)) if of == receipt.auction);
    let as_promised = signed.iter().all(|signed| {
        let there = log.entries.iter().find(|entry| entry.sequence == signed.sequence);
        there.is_some_and(|entry| entry.chain == signed.chain && entry.time == signed.time)
            && standing.is_some_and(|(.., sequence)| sequence == signed.sequence)
    });
    if signed.iter().any(|signed| signed.sequence > ledger.sequence) {
        return Err("the log ends before the bid was accepted; get a later one".into());
    }
    Ok(Decision { sequence: signed[0].sequence, about: About::Accepted, said, right: said && as_promised })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tacit_compare::seal;
    use tacit_crypto::Prg;
    use tacit_math::Block;
    use tacit_net::keys::{SecretKey, generate};

    use super::*;
    use crate::config::Numbers;
    use crate::definition::Definition;
    use crate::name::to_hex;
    use crate::receipt::SignedReceipt;

    const DEADLINE: u64 = 1_900_000_000;
    const NUMBER: u64 = 25;

    /// The files of a bidder and a third party, as JSON, for tests to alter.
    struct Case {
        keys: [SecretKey; 2],
        receipt: Value,
        log: Value,
    }

    fn price(index: usize, still_in: &[bool]) -> Entry {
        Entry::Price { auction: "vase".into(), index, still_in: still_in.to_vec() }
    }

    /// An auction with this bid and another one, with these entries after the deadline.
    fn case(valid: bool, prices: &[Entry]) -> Case {
        let keys = [0, 1].map(|_| generate().unwrap().0);
        let parameters = Parameters::new(ModulusSize::MEDIUM, 224, 8, Results::Revealed).unwrap();
        let halves = seal(&parameters, NUMBER, &mut Prg::new(Block::from(7u128))).unwrap();
        let (name, other) = (Name(halves[0].name()), Name([9; 16]));
        let words = terms::words(Numbers::default(), [0, 1].map(|i| keys[i].public()));
        let definition = Definition {
            id: "vase".into(),
            title: "A vase".into(),
            unit: "EUR".into(),
            kind: crate::definition::Kind::Ladder,
            deadline: DEADLINE,
            prices: vec![10, 20, 30],
            interval_ms: 0,
            most_bids: 3,
        };
        let auction = || "vase".to_owned();
        let mut entries = vec![
            Entry::Meet { key: "k".into(), parameters: words },
            Entry::Open { definition },
            Entry::Accept { auction: auction(), bids: vec![name, other] },
            Entry::Close { auction: auction() },
            Entry::Check { auction: auction(), bids: vec![name, other], valid: vec![valid, true] },
        ];
        entries.extend_from_slice(prices);
        let (log, accepted) = written(&keys, entries);
        let blindings = [[1; 32], [2; 32]];
        let signed: Vec<SignedReceipt> = (0..2)
            .map(|i| {
                let commitment = commit(&blindings[i], &halves[i].to_bytes());
                SignedReceipt::sign(&keys[i], ROLES[i], ("vase", &name), commitment, accepted).unwrap()
            })
            .collect();
        let published = [0, 1].map(|i| keys[i].public().to_string());
        let receipt = json!({
            "auction": "vase", "name": name, "signed": signed,
            "halves": halves.map(|half| to_hex(&half.to_bytes())), "blindings": blindings.map(|bytes| to_hex(&bytes)),
            "keys": published,
        });
        Case { keys, receipt, log }
    }

    /// A log of these entries that both servers signed, and its third entry.
    fn written(keys: &[SecretKey; 2], entries: Vec<Entry>) -> (Value, (u64, u64, [u8; 32])) {
        let (mut ledger, mut shown, mut accepted) = (Ledger::default(), Vec::new(), (0, 0, [0; 32]));
        for entry in entries {
            let time = DEADLINE * 1000 + ledger.sequence;
            let record = ledger.next(time, entry.clone());
            ledger.apply(&record).unwrap();
            if record.sequence == 3 {
                accepted = (3, time, ledger.chain);
            }
            shown.push(json!({ "sequence": record.sequence, "time": time, "entry": entry, "chain": Digits(ledger.chain) }));
        }
        let head = |i: usize| SignedHead::sign(&keys[i], ROLES[i], ledger.sequence, ledger.chain).unwrap();
        (json!({ "heads": [head(0), head(1)], "entries": shown }), accepted)
    }

    impl Case {
        fn judge(&self) -> Result<Verdict, AuctionError> {
            let receipt = serde_json::from_value(self.receipt.clone()).unwrap();
            let published = [0, 1].map(|i| self.keys[i].public());
            verify(&receipt, &serde_json::from_value(self.log.clone()).unwrap(), Some(published))
        }

        fn unproven(&self) -> String {
            match self.judge() {
                Err(AuctionError::Unproven(reason)) => reason,
                other => panic!("{other:?}"),
            }
        }
    }

    fn honest() -> Case {
        case(true, &[price(0, &[true, true]), price(1, &[true, true]), price(2, &[false, true])])
    }

    #[test]
    fn right_decisions_are_found_right() {
        let verdict = honest().judge().unwrap();
        assert!(verdict.right);
        let about: Vec<(About, bool)> =
            verdict.decisions.iter().map(|found| (found.about, found.said)).collect();
        let prices = [(About::AtLeast(10), true), (About::AtLeast(20), true), (About::AtLeast(30), false)];
        assert_eq!(about, [&[(About::Accepted, true), (About::Valid, true)], &prices[..]].concat());
        assert_eq!(
            (verdict.number, verdict.winner, verdict.sold_for),
            (Some(NUMBER), Some(Name([9; 16]).to_string()), Some(30))
        );
    }

    #[test]
    fn a_bidder_proves_wrong_decisions() {
        let out_too_early = case(true, &[price(0, &[true, true]), price(1, &[false, true])]).judge().unwrap();
        let wrong: Vec<About> =
            out_too_early.decisions.iter().filter(|found| !found.right).map(|found| found.about).collect();
        assert_eq!((out_too_early.right, wrong), (false, vec![About::AtLeast(20)]));
        let invalid = case(false, &[price(0, &[true])]).judge().unwrap();
        assert!(!invalid.right && invalid.decisions[1].about == About::Valid && !invalid.decisions[1].right);
    }

    #[test]
    fn a_server_that_signs_another_log_is_found() {
        let (mut case, other) = (
            honest(),
            Entry::Refuse {
                auction: "vase".into(),
                bids: vec![Name([8; 16])],
                reason: crate::ledger::Reason::OneHalf,
            },
        );
        let log: SignedLog = serde_json::from_value(case.log.clone()).unwrap();
        let mut entries: Vec<Entry> = log.entries.into_iter().map(|entry| entry.entry).collect();
        // Another bid was refused before, which the log in the receipts does not have.
        entries.insert(2, other);
        case.log = written(&case.keys, entries).0;
        let verdict = case.judge().unwrap();
        assert!(!verdict.right && !verdict.decisions[0].right && verdict.decisions[0].said);
    }

    #[test]
    fn altered_logs_prove_nothing() {
        let mut changed = honest();
        changed.log["entries"][6]["entry"]["price"]["still_in"][0] = json!(false);
        assert!(changed.unproven().contains("entry 7"));
        let mut shorter = honest();
        shorter.log["entries"].as_array_mut().unwrap().pop();
        assert!(shorter.unproven().contains("server A did not sign"));
        let mut rewritten = honest();
        let strangers = [0, 1].map(|_| generate().unwrap().0);
        let log: SignedLog = serde_json::from_value(rewritten.log.clone()).unwrap();
        let entries: Vec<Entry> = log.entries.into_iter().map(|entry| entry.entry).collect();
        rewritten.log = written(&strangers, entries).0;
        assert!(rewritten.unproven().contains("server A did not sign"));
        let mut swapped = honest();
        swapped.log["heads"].as_array_mut().unwrap().reverse();
        assert!(swapped.unproven().contains("did not sign"));
        let mut headless = honest();
        headless.log["entries"].as_array_mut().unwrap().remove(0);
        assert!(headless.unproven().contains("keys"));
    }

    #[test]
    fn altered_halves_and_receipts_prove_nothing() {
        for field in ["halves", "blindings"] {
            let mut case = honest();
            let text = case.receipt[field][1].as_str().unwrap().to_owned();
            let last = if text.ends_with('0') { "1" } else { "0" };
            case.receipt[field][1] = json!(format!("{}{last}", &text[..text.len() - 1]));
            assert!(case.unproven().contains("half for server B is not the one"), "{field}");
        }
        for (field, value) in
            [("sequence", json!(4)), ("time", json!(1)), ("commitment", json!("00".repeat(32)))]
        {
            let mut case = honest();
            case.receipt["signed"][0][field] = value;
            assert!(case.unproven().contains("receipt of server A was altered"), "{field}");
        }
        let mut elsewhere = honest();
        elsewhere.receipt["auction"] = json!("other");
        assert!(elsewhere.unproven().contains("altered"));
        let mut unsigned = honest();
        unsigned.receipt["signed"] = Value::Null;
        assert!(unsigned.unproven().contains("no receipts"));
    }

    #[test]
    fn receipts_and_logs_of_other_servers_prove_nothing() {
        let mut swapped = honest();
        swapped.receipt["signed"].as_array_mut().unwrap().reverse();
        assert!(swapped.unproven().contains("another server"));
        let (mut mine, other) = (honest(), honest());
        mine.receipt["signed"] = other.receipt["signed"].clone();
        assert!(mine.unproven().contains("another server"));
        let mut foreign = honest();
        foreign.keys = other.keys;
        assert!(foreign.unproven().contains("other servers"));
    }
}
