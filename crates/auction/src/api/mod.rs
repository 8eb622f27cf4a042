//! The bidders' interface: HTTP over TLS, described by `/openapi.json`.

mod guard;
mod listen;
mod raises;
mod views;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde::Deserialize;
use serde_json::json;
use tacit_compare::Half;
use tokio::sync::watch;

use crate::AuctionError;
use crate::constants::{BLINDING_BYTES, BODY_TIME, DECISION_TIME, MAX_BODY_BYTES};
use crate::name::{Name, from_hex};
use crate::node::{BidStatus, Node, Refusal};
use crate::receipt::{Digits, commit};
use crate::store;

pub(crate) use listen::{plain, serve};

const OPENAPI: &str = include_str!("openapi.json");

/// Entries of the log in one answer.
const ENTRIES: usize = 200;

/// All routes behind their guard.
pub(crate) fn router(node: Arc<Node>) -> Router {
    Router::new()
        .route("/service", get(service))
        .route("/auctions", get(auctions))
        .route("/auctions/{auction}", get(auction))
        .route("/auctions/{auction}/bids", axum::routing::post(submit))
        .route("/auctions/{auction}/bids/{name}", get(bid))
        .route("/auctions/{auction}/raises", axum::routing::post(raises::submit))
        .route("/log", get(log))
        .route("/log/head", get(head))
        .route("/metrics", get(metrics))
        .route("/openapi.json", get(openapi))
        .fallback(|| async { fault(StatusCode::NOT_FOUND, "not_found", "there is nothing at this address") })
        .layer(axum::middleware::from_fn_with_state(node.clone(), guard::guard))
        .with_state(node)
}

/// An error for clients: a code for programs and a sentence for people.
fn fault(status: StatusCode, error: &str, message: &str) -> Response {
    answer(status, &json!({ "error": error, "message": message }))
}

fn answer(status: StatusCode, body: &serde_json::Value) -> Response {
    (status, [("content-type", "application/json")], body.to_string()).into_response()
}

fn internal(error: &AuctionError) -> Response {
    eprintln!("tacit-auction: {error}");
    fault(StatusCode::SERVICE_UNAVAILABLE, "unavailable", "the server cannot answer now; try again")
}

fn unknown_auction() -> Response {
    fault(StatusCode::NOT_FOUND, "unknown_auction", "there is no such auction")
}

async fn service(State(node): State<Arc<Node>>) -> Response {
    answer(StatusCode::OK, &views::service(&node))
}

async fn auctions(State(node): State<Arc<Node>>) -> Response {
    let ledger = node.ledger();
    let list: Vec<_> =
        ledger.auctions.values().map(|auction| views::auction(&node, auction, false)).collect();
    answer(StatusCode::OK, &json!({ "time": node.clock.now(), "auctions": list }))
}

async fn auction(State(node): State<Arc<Node>>, Path(id): Path<String>) -> Response {
    match node.ledger().auctions.get(&id) {
        Some(auction) => answer(StatusCode::OK, &views::auction(&node, auction, true)),
        None => unknown_auction(),
    }
}

async fn bid(State(node): State<Arc<Node>>, Path((id, name)): Path<(String, String)>) -> Response {
    let Ok(name) = name.parse::<Name>() else {
        return fault(
            StatusCode::BAD_REQUEST,
            "bad_name",
            "a bid's name has 32 lower-case hexadecimal digits",
        );
    };
    match node.status(&id, &name) {
        Some(status) => show(StatusCode::OK, &node, &id, &name, status).await,
        None => fault(StatusCode::NOT_FOUND, "unknown_bid", "this server has no such bid in this auction"),
    }
}

/// The status of a bid, with the receipt if it is accepted.
async fn show(code: StatusCode, node: &Node, id: &str, name: &Name, status: BidStatus) -> Response {
    let mut view = views::bid(node, id, name, status);
    match node.receipt(id, name).await {
        Ok(None) => {}
        Ok(Some(receipt)) => view["receipt"] = json!(receipt),
        Err(error) => return internal(&error),
    }
    answer(code, &view)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Submission<'a> {
    half: &'a str,
    blinding: Option<&'a str>,
}

/// Takes a half. Answers when both servers have decided or, after a while, that it is pending.
async fn submit(State(node): State<Arc<Node>>, Path(id): Path<String>, body: axum::body::Body) -> Response {
    let (half, commitment) = match read_half(&node, body).await {
        Ok(read) => read,
        Err(refused) => return refused,
    };
    let name = Name(half.name());
    let confirmed = node.watch_confirmed();
    match node.submit(&id, half, commitment).await {
        Ok(Ok(())) => {}
        Ok(Err(refusal)) => return refused(refusal),
        Err(error) => return internal(&error),
    }
    decided(&node, &id, &name, confirmed).await
}

/// Answers once both servers have decided on a half or a raise, or after a while.
async fn decided(node: &Node, id: &str, name: &Name, mut confirmed: watch::Receiver<u64>) -> Response {
    let decided = async {
        loop {
            confirmed.mark_unchanged();
            match node.status(id, name) {
                Some(BidStatus::Pending) => {}
                status => return status,
            }
            if confirmed.changed().await.is_err() {
                return None;
            }
        }
    };
    let status = tokio::time::timeout(DECISION_TIME, decided).await.unwrap_or(Some(BidStatus::Pending));
    let Some(status) = status else {
        return fault(StatusCode::SERVICE_UNAVAILABLE, "unavailable", "the bid was not stored; try again");
    };
    let code = if status == BidStatus::Pending { StatusCode::ACCEPTED } else { StatusCode::OK };
    show(code, node, id, name, status).await
}

/// A body within the limits of size and time.
async fn read_body(body: axum::body::Body) -> Result<Bytes, Response> {
    let too_large = || {
        let message = format!("the body is too long; at most {MAX_BODY_BYTES} bytes are allowed");
        fault(StatusCode::PAYLOAD_TOO_LARGE, "too_large", &message)
    };
    // If a body announces too many bytes, none of them is read.
    if axum::body::HttpBody::size_hint(&body).lower() > MAX_BODY_BYTES as u64 {
        return Err(too_large());
    }
    match tokio::time::timeout(BODY_TIME, axum::body::to_bytes(body, MAX_BODY_BYTES)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(_)) => Err(too_large()),
        Err(_) => Err(fault(StatusCode::REQUEST_TIMEOUT, "too_slow", "the body arrived too slowly")),
    }
}

fn malformed(message: &str) -> Response {
    fault(StatusCode::BAD_REQUEST, "malformed", message)
}

/// A half, and the commitment to it if its bidder wants a receipt.
async fn read_half(node: &Node, body: axum::body::Body) -> Result<(Half, Option<Digits<32>>), Response> {
    let bytes = read_body(body).await?;
    let submission: Submission<'_> = serde_json::from_slice(&bytes)
        .map_err(|_| malformed("a JSON object with a half in hexadecimal digits is expected"))?;
    let bytes =
        from_hex(submission.half).ok_or_else(|| malformed("half: hexadecimal digits are expected"))?;
    let bytes = zeroize::Zeroizing::new(bytes);
    let half =
        Half::from_bytes(&node.parameters, &bytes).map_err(|error| malformed(&format!("half: {error}")))?;
    let Some(blinding) = submission.blinding else { return Ok((half, None)) };
    let blinding = from_hex(blinding).map(zeroize::Zeroizing::new);
    let blinding =
        blinding.as_ref().and_then(|blinding| <&[u8; BLINDING_BYTES]>::try_from(&blinding[..]).ok());
    let blinding = blinding.ok_or_else(|| malformed("blinding: 64 hexadecimal digits are expected"))?;
    Ok((half, Some(commit(blinding, &bytes))))
}

fn refused(refusal: Refusal) -> Response {
    match refusal {
        Refusal::UnknownAuction => unknown_auction(),
        Refusal::Expired => fault(StatusCode::GONE, "expired", "the deadline of this auction has passed"),
        Refusal::NameTaken => {
            fault(StatusCode::CONFLICT, "name_taken", "another bid has this name; make a new one")
        }
        Refusal::Full => fault(StatusCode::CONFLICT, "full", "this auction takes no more bids"),
        Refusal::NotLive => fault(
            StatusCode::CONFLICT,
            "not_live",
            "this auction has no live price to raise: give a sealed bid",
        ),
        Refusal::NoPrice => fault(StatusCode::BAD_REQUEST, "no_price", "the ladder has no such price"),
        Refusal::Outbid => fault(StatusCode::CONFLICT, "outbid", "the price is already as high, or higher"),
        Refusal::Unsigned => fault(
            StatusCode::FORBIDDEN,
            "unsigned",
            "the raise is not signed by its bidder for this auction at these servers",
        ),
        Refusal::Busy => {
            fault(StatusCode::SERVICE_UNAVAILABLE, "busy", "too many bids are waiting; try again")
        }
    }
}

#[derive(Deserialize)]
struct After {
    #[serde(default)]
    after: u64,
}

async fn log(State(node): State<Arc<Node>>, Query(After { after }): Query<After>) -> Response {
    let confirmed = node.confirmed();
    match node
        .store
        .run(move |connection| store::records(connection, after.min(i64::MAX as u64), ENTRIES))
        .await
    {
        Ok(records) => {
            let shown = records.into_iter().filter(|(record, _)| record.sequence <= confirmed);
            let shown: Vec<_> = shown.map(|(record, chain)| views::record(&record, &chain)).collect();
            answer(StatusCode::OK, &json!({ "entries": shown }))
        }
        Err(error) => internal(&error),
    }
}

#[derive(Deserialize)]
struct At {
    at: Option<u64>,
}

async fn head(State(node): State<Arc<Node>>, Query(At { at }): Query<At>) -> Response {
    match node.head(at).await {
        Ok(Some(head)) => answer(StatusCode::OK, &json!(head)),
        Ok(None) => fault(StatusCode::NOT_FOUND, "unknown_entry", "the servers have no such entry yet"),
        Err(error) => internal(&error),
    }
}

async fn metrics(State(node): State<Arc<Node>>) -> Response {
    (StatusCode::OK, [("content-type", "text/plain; version=0.0.4")], views::metrics(&node)).into_response()
}

async fn openapi() -> Response {
    (StatusCode::OK, [("content-type", "application/json")], OPENAPI).into_response()
}

/// How long a client may wait for any answer.
pub(crate) const ANSWER_TIME: Duration = Duration::from_secs(30);
