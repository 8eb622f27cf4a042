//! Manual bidders: raises of a live price.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;

use super::{decided, internal, malformed, read_body, refused};
use crate::node::Node;
use crate::raise::Raise;

/// Takes a raise. Answers when both servers have decided or, after a while, that it is pending.
pub(super) async fn submit(
    State(node): State<Arc<Node>>,
    Path(id): Path<String>,
    body: axum::body::Body,
) -> Response {
    let bytes = match read_body(body).await {
        Ok(bytes) => bytes,
        Err(refused) => return refused,
    };
    let Ok(raise) = serde_json::from_slice::<Raise>(&bytes) else {
        return malformed("a JSON object with a price, a bidder's key and its signature is expected");
    };
    let confirmed = node.watch_confirmed();
    match node.submit_raise(&id, raise).await {
        Ok(Ok(())) => decided(&node, &id, &raise.name(), confirmed).await,
        Ok(Err(refusal)) => refused(refusal),
        Err(error) => internal(&error),
    }
}
