//! The bidders' page: one self-contained file, served from its own origin.
//!
//! A page served by one of the servers could send that server whole bids. So the page comes from a third host or from the bidder's own
//! disk, and its hash is published. The servers' addresses are part of the file and of its hash, and it may connect to nothing else.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use axum::routing::get;
use tokio::net::TcpListener;

use crate::AuctionError;
use crate::cli::{Arguments, interrupted};
use crate::name::to_hex;

const HTML: &str = include_str!("page/index.html");
const STYLE: &str = include_str!("page/style.css");
const SEAL: &str = include_str!("page/seal.js");
const RECEIPT: &str = include_str!("page/receipt.js");
const RAISE: &str = include_str!("page/raise.js");
const SCRIPT: &str = include_str!("page/page.js");

/// The page for one pair of servers.
#[derive(Clone, Debug)]
pub struct Page {
    text: String,
    policy: String,
}

impl Page {
    /// The page for bidding at these servers.
    ///
    /// # Errors
    /// [`AuctionError::Usage`] for addresses that are not `https://host` or `https://host:port`.
    pub fn new(a: &str, b: &str) -> Result<Page, AuctionError> {
        let [a, b] = [address(a)?, address(b)?];
        if a == b {
            return Err(AuctionError::Usage("both servers have the same address".into()));
        }
        let servers = format!("const SERVERS = [\"{a}\", \"{b}\"];\n");
        let script = [&servers[..], SEAL, RECEIPT, RAISE, SCRIPT].concat();
        let hash = |text: &str| base64(&sha256(text.as_bytes()));
        let policy = format!(
            "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; connect-src {a} {b}; base-uri 'none'; form-action 'none'",
            hash(&script),
            hash(STYLE)
        );
        let text =
            HTML.replace("{{policy}}", &policy).replace("{{style}}", STYLE).replace("{{script}}", &script);
        Ok(Page { text, policy })
    }

    /// The file.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// SHA-256 of the file, in hexadecimal digits.
    pub fn hash(&self) -> String {
        to_hex(&sha256(self.text.as_bytes()))
    }
}

/// The origin of an address, in a form that is safe in a script and in a policy.
fn address(url: &str) -> Result<String, AuctionError> {
    let fault = || AuctionError::Usage(format!("{url}: https://host or https://host:port is expected"));
    let authority = url.strip_prefix("https://").ok_or_else(fault)?.trim_end_matches('/');
    let plain = |c: char| c.is_ascii_alphanumeric() || "-.:[]".contains(c);
    match !authority.is_empty() && authority.chars().all(plain) {
        true => Ok(format!("https://{}", authority.to_ascii_lowercase())),
        false => Err(fault()),
    }
}

fn sha256(bytes: &[u8]) -> Vec<u8> {
    ring::digest::digest(&ring::digest::SHA256, bytes).as_ref().to_vec()
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let group =
            chunk.iter().fold(0u32, |group, byte| group << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for digit in 0..4 {
            let index = (group >> (18 - 6 * digit) & 63) as usize;
            text.push(if digit <= chunk.len() { DIGITS[index] as char } else { '=' });
        }
    }
    text
}

pub(crate) async fn command(arguments: Arguments) -> Result<(), AuctionError> {
    let page = Page::new(arguments.needed("a")?, arguments.needed("b")?)?;
    if let Some(file) = arguments.option("write") {
        std::fs::write(file, page.text())
            .map_err(|source| AuctionError::File { file: file.into(), source })?;
        println!("{}  {file}", page.hash());
        return Ok(());
    }
    let listener = listen(arguments.port()?.unwrap_or(8080)).await?;
    println!("the page is at {}; its SHA-256 is {}", origin(&listener)?, page.hash());
    tokio::select! {
        served = serve(listener, page) => served,
        () = interrupted() => Ok(()),
    }
}

/// Listens on loopback. Another program, or any host of static files, can publish the page.
///
/// # Errors
/// [`AuctionError::Socket`].
pub async fn listen(port: u16) -> Result<TcpListener, AuctionError> {
    let failed = |source| AuctionError::Socket { what: format!("listening on port {port}"), source };
    TcpListener::bind(("127.0.0.1", port)).await.map_err(failed)
}

/// The origin that a browser sees.
///
/// # Errors
/// [`AuctionError::Socket`].
pub fn origin(listener: &TcpListener) -> Result<String, AuctionError> {
    let failed = |source| AuctionError::Socket { what: "listening".into(), source };
    Ok(format!("http://{}", listener.local_addr().map_err(failed)?))
}

/// Serves the page forever.
///
/// # Errors
/// None: errors on a connection only concern its client.
pub async fn serve(listener: TcpListener, page: Page) -> Result<(), AuctionError> {
    let router = Router::new()
        .route("/", get(show))
        .fallback(|| async { StatusCode::NOT_FOUND })
        .with_state(Arc::new(page));
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            continue;
        };
        tokio::spawn(crate::api::plain(stream, router.clone()));
    }
}

async fn show(State(page): State<Arc<Page>>) -> impl IntoResponse {
    let headers = [
        ("content-type", "text/html; charset=utf-8".to_owned()),
        ("content-security-policy", format!("{}; frame-ancestors 'none'", page.policy)),
        ("x-content-type-options", "nosniff".to_owned()),
        ("referrer-policy", "no-referrer".to_owned()),
        ("cache-control", "no-cache".to_owned()),
    ];
    (headers, page.text.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_and_digits_are_the_standards() {
        assert_eq!(to_hex(&sha256(b"abc"))[..16], *"ba7816bf8f01cfea");
        assert_eq!([base64(b"Man"), base64(b"Ma"), base64(b"M")], ["TWFu", "TWE=", "TQ=="]);
    }

    #[test]
    fn the_page_names_its_servers_and_no_others() {
        let page = Page::new("https://a.example:8443/", "https://b.example").unwrap();
        assert!(page.text().contains("const SERVERS = [\"https://a.example:8443\", \"https://b.example\"];"));
        assert!(page.text().contains("connect-src https://a.example:8443 https://b.example;"));
        assert!(!page.text().contains("{{"), "everything is filled in");
        for (a, b) in [("http://a", "https://b"), ("https://a\"", "https://b"), ("https://a", "https://a/")] {
            assert!(Page::new(a, b).is_err(), "{a} {b}");
        }
        let other = Page::new("https://a.example", "https://b.example").unwrap();
        assert_ne!(page.hash(), other.hash());
    }
}
