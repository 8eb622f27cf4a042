//! The guard of all requests: checks the origin, and restricts what browsers may do with answers.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::{ANSWER_TIME, fault};
use crate::node::Node;

/// Refuses requests from pages other than the bidders', and bodies that are not JSON; answers preflights; limits the time.
pub(super) async fn guard(State(node): State<Arc<Node>>, request: Request, next: Next) -> Response {
    let allowed = &node.config.https.page_origin;
    let from_page = match origin(request.headers()) {
        None => false,
        Some(origin) if origin == allowed.as_bytes() => true,
        Some(_) => {
            return refuse(
                &node,
                fault(StatusCode::FORBIDDEN, "origin", "this page may not use this server"),
            );
        }
    };
    let mut response = if request.method() == Method::OPTIONS {
        preflight()
    } else if request.method() == Method::POST && !is_json(request.headers()) {
        let refused = fault(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "not_json",
            "the content type application/json is expected",
        );
        refuse(&node, refused)
    } else {
        node.metrics.requests.add(1);
        let late = || fault(StatusCode::GATEWAY_TIMEOUT, "too_slow", "the request took too long");
        tokio::time::timeout(ANSWER_TIME, next.run(request)).await.unwrap_or_else(|_| late())
    };
    let headers = response.headers_mut();
    if from_page && let Ok(allowed) = HeaderValue::from_str(allowed) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, allowed);
    }
    let fixed: [(HeaderName, &str); 6] = [
        (header::VARY, "origin"),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::STRICT_TRANSPORT_SECURITY, "max-age=31536000"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// The origin of the page for which a browser sends the request; `None` for other clients.
fn origin(headers: &HeaderMap) -> Option<&[u8]> {
    headers.get(header::ORIGIN).map(HeaderValue::as_bytes)
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.split(';').next().is_some_and(|kind| kind.trim() == "application/json"))
}

fn preflight() -> Response {
    let allow = [
        (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, POST"),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, "content-type"),
        (header::ACCESS_CONTROL_MAX_AGE, "600"),
    ];
    (StatusCode::NO_CONTENT, allow).into_response()
}

fn refuse(node: &Node, response: Response) -> Response {
    node.metrics.refused_requests.add(1);
    response
}
