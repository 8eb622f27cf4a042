//! Invalid requests of clients.

use std::time::Duration;

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::{Request, Response};
use tacit_auction::Role;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::pair::{BITS, ORIGIN, Pair, definition, start};

/// u for numbers of 16 bits.
const U: u8 = 19;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn malformed_halves_are_refused_and_named() {
    let pair = start("malformed", 20, &[definition("vase", &[5])]).await;
    let zeros = "00".repeat(16 + BITS as usize);
    let high = format!("{}{U:02x}", &zeros[2..]);
    let cases = [
        (&zeros[2..], "expected"),
        (&format!("{zeros}00"), "expected"),
        (&zeros[1..], "hexadecimal"),
        (&zeros.replace('0', "G"), "hexadecimal"),
        (&high, "not below 19"),
        ("", "expected"),
    ];
    for role in [Role::A, Role::B] {
        for (half, why) in &cases {
            let (status, said) = pair.post(role, "vase", half).await;
            assert_eq!((status, &said["error"]), (400, &"malformed".into()), "{half}");
            assert!(said["message"].as_str().unwrap().contains(why), "{said}");
        }
        assert_eq!(pair.post(role, "nothing", &zeros).await.0, 404);
        for body in ["", "[]", "{}", "{\"half\":7}", "{\"half\":\"00\",\"more\":1}", "\u{0}"] {
            assert_eq!(
                send(&pair, role, "POST", "/auctions/vase/bids", &[], body).await.status(),
                400,
                "{body}"
            );
        }
        let large = format!("{{\"half\":\"{}\"}}", "0".repeat(5000));
        assert_eq!(send(&pair, role, "POST", "/auctions/vase/bids", &[], &large).await.status(), 413);
        assert_eq!(send(&pair, role, "GET", "/auctions/vase/bids/xyz", &[], "").await.status(), 400);
        assert_eq!(send(&pair, role, "GET", "/nothing", &[], "").await.status(), 404);
        assert_eq!(send(&pair, role, "DELETE", "/auctions/vase", &[], "").await.status(), 405);
        let view = pair.local.remote(role).unwrap().request("/auctions/vase", None).await.unwrap().1;
        assert_eq!(view["bids"], 0);
    }
    assert!(pair.service.seal("vase", 1 << BITS).await.is_err(), "out of range");
    pair.end().await;
}

/// Maximum bytes of a body.
const BODY: usize = 1024;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bodies_of_any_size_are_answered() {
    let pair = start("bodies", 20, &[definition("vase", &[5])]).await;
    for role in [Role::A, Role::B] {
        for path in ["/auctions/vase/bids", "/auctions/vase/raises"] {
            // Blanks are valid JSON, so that only the size matters.
            for (size, status) in [(BODY, 400), (BODY + 1, 413), (1 << 13, 413)] {
                let answer = send(&pair, role, "POST", path, &[], &" ".repeat(size)).await;
                assert_eq!(answer.status(), status, "{path}, {size} bytes");
            }
            // A client that is still writing when it is refused is disconnected, perhaps before it gets the answer.
            for size in [1 << 20, 20 << 20] {
                let body = Full::new(Bytes::from(vec![b' '; size]));
                let request = Request::post(path).header("host", "localhost");
                let request = request.header("content-type", "application/json").body(body).unwrap();
                let mut connection = pair.local.remote(role).unwrap().connect().await.unwrap();
                if let Ok(answer) = connection.send(request).await {
                    assert_eq!(answer.status(), 413, "{path}, {size} bytes");
                }
            }
        }
        // In chunks, whose total is not announced; and with more bytes announced than allowed, of which none is sent.
        let head =
            "POST /auctions/vase/bids HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";
        let chunk = format!("800\r\n{}\r\n", " ".repeat(0x800));
        let chunked = format!("{head}transfer-encoding: chunked\r\n\r\n{}", chunk.repeat(8));
        let announced = format!("{head}content-length: 99999999999\r\n\r\n");
        for request in [chunked, announced] {
            let mut stream = pair.local.remote(role).unwrap().stream().await.unwrap();
            stream.write_all(request.as_bytes()).await.unwrap();
            let mut answer = [0; 12];
            stream.read_exact(&mut answer).await.unwrap();
            assert_eq!(&answer, b"HTTP/1.1 413");
        }
        let view = pair.local.remote(role).unwrap().request("/auctions/vase", None).await.unwrap().1;
        assert_eq!(view["bids"], 0);
    }
    pair.bid("vase", 7).await;
    pair.end().await;
}

async fn send(
    pair: &Pair,
    role: Role,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Response<Bytes> {
    let mut request = Request::builder().method(method).uri(path).header("host", "localhost");
    if !headers.iter().any(|(name, _)| *name == "content-type") {
        request = request.header("content-type", "application/json");
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Full::new(Bytes::copy_from_slice(body.as_bytes()))).unwrap();
    pair.local.remote(role).unwrap().connect().await.unwrap().send(request).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shares_that_are_no_bits_are_found_and_never_win() {
    let pair = start("no-bits", 20, &[definition("vase", &[5, 10])]).await;
    let honest = pair.bid("vase", 7).await;
    let receipt = pair.service.seal("vase", 3).await.unwrap();
    let [a, b] = receipt.halves();
    // The highest bit becomes 2.
    let share = u8::from_str_radix(&a[a.len() - 2..], 16).unwrap();
    let a = format!("{}{:02x}", &a[..a.len() - 2], (share + 2) % U);
    let ((status, said), (other, _)) =
        tokio::join!(pair.post(Role::A, "vase", &a), pair.post(Role::B, "vase", b));
    assert_eq!((status, other, &said["status"]), (200, 200, &"accepted".into()));
    let path = format!("/auctions/vase/bids/{}", receipt.name);
    let found = pair.until(Role::B, &path, |bid| !bid["valid"].is_null()).await;
    assert_eq!(found["valid"], false);
    pair.pass_deadlines();
    let result = pair.ended("vase").await;
    assert_eq!((&result["winner"], &result["sold_for"]), (&honest.name.to_string().into(), &5.into()));
    pair.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_half_alone_is_refused_at_both() {
    let pair = start("one-half", 1, &[definition("vase", &[5])]).await;
    for given in [Role::A, Role::B] {
        let other = if given == Role::A { Role::B } else { Role::A };
        let receipt = pair.service.seal("vase", 7).await.unwrap();
        let halves = receipt.halves();
        let (status, said) = pair.post(given, "vase", halves[usize::from(given == Role::B)]).await;
        assert_eq!((status, &said["status"], &said["reason"]), (200, &"refused".into(), &"one_half".into()));
        // The other half comes too late.
        let (status, said) = pair.post(other, "vase", halves[usize::from(other == Role::B)]).await;
        assert_eq!((status, &said["status"], &said["reason"]), (200, &"refused".into(), &"one_half".into()));
        let again = pair.service.submit(&receipt).await.unwrap();
        assert_eq!(again["status"], "refused");
    }
    pair.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bids_that_come_again_count_once_and_names_are_not_shared() {
    let vase = definition("vase", &[5]);
    let pair = start("again", 4, &[vase, definition("other", &[5])]).await;
    let receipt = pair.bid("vase", 7).await;
    for _ in 0..3 {
        assert_eq!(pair.service.submit(&receipt).await.unwrap()["place"], 0);
    }
    for role in [Role::A, Role::B] {
        assert_eq!(pair.post(role, "other", receipt.halves()[0]).await.0, 409, "accepted in another auction");
    }
    // Two different halves under one name, before either is decided.
    let waiting = pair.service.seal("vase", 9).await.unwrap();
    let [half, _] = waiting.halves();
    let different = format!("{}{}", &half[..half.len() - 2], if half.ends_with("00") { "01" } else { "00" });
    let first = async { pair.post(Role::A, "vase", half).await };
    let second = async {
        tokio::time::sleep(Duration::from_millis(700)).await;
        let taken = pair.post(Role::A, "vase", &different).await;
        (taken, pair.post(Role::A, "other", half).await)
    };
    let ((_, said), ((other, _), (elsewhere, _))) = tokio::join!(first, second);
    assert_eq!((&said["status"], other, elsewhere), (&"refused".into(), 409, 409));
    // Both halves to one server are one half.
    let crossed = pair.service.seal("vase", 9).await.unwrap();
    let (_, said) = pair.post(Role::B, "vase", crossed.halves()[0]).await;
    assert_eq!(said["status"], "refused");
    let view = pair.service.auction("vase").await.unwrap();
    assert_eq!(view["bids"], 1);
    pair.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn full_and_expired_auctions_take_no_bids() {
    let mut small = definition("small", &[5]);
    small.most_bids = 2;
    let pair = start("expired", 20, &[definition("short", &[5]), small]).await;
    let late = pair.service.seal("short", 7).await.unwrap();
    pair.bid("small", 7).await;
    pair.bid("small", 8).await;
    let third = pair.service.seal("small", 9).await.unwrap();
    assert!(pair.service.submit(&third).await.unwrap_err().to_string().contains("no more bids"));
    pair.pass_deadlines();
    pair.ended("short").await;
    for role in [Role::A, Role::B] {
        let (status, said) = pair.post(role, "short", late.halves()[usize::from(role == Role::B)]).await;
        assert_eq!((status, &said["error"]), (410, &"expired".into()));
    }
    pair.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_pages_may_not_use_the_servers() {
    let pair = start("cross-site", 20, &[definition("vase", &[5])]).await;
    let allow = "access-control-allow-origin";
    for role in [Role::A, Role::B] {
        let from = async |method, origin, kind| {
            let headers = [("origin", origin), ("content-type", kind)];
            send(&pair, role, method, "/auctions/vase/bids", &headers, "{}").await
        };
        for other in ["https://evil.example", "null", "https://bid.example.org.evil.example", ""] {
            for method in ["GET", "POST", "OPTIONS"] {
                let answer = from(method, other, "application/json").await;
                assert_eq!(answer.status(), 403, "{method} {other}");
                assert!(answer.headers().get(allow).is_none());
            }
        }
        let preflight = from("OPTIONS", ORIGIN, "application/json").await;
        assert_eq!(
            (preflight.status().as_u16(), &preflight.headers()[allow]),
            (204, &ORIGIN.parse().unwrap())
        );
        // Requests that forms and images of any page can send without a preflight.
        assert_eq!(from("POST", ORIGIN, "text/plain").await.status(), 415);
        let own = from("POST", ORIGIN, "application/json").await;
        assert_eq!((own.status().as_u16(), &own.headers()[allow]), (400, &ORIGIN.parse().unwrap()));
        assert_eq!(own.headers()["cache-control"], "no-store");
        assert!(own.headers().get("access-control-allow-credentials").is_none());
    }
    pair.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "waits for the time limits of clients"]
async fn slow_clients_are_cut_off() {
    let pair = start("slow", 20, &[definition("vase", &[5])]).await;
    let port = pair.local.ports[0];
    let limit = Duration::from_secs(25);
    // One that never begins the handshake.
    let mut silent = tokio::net::TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let silent = async { silent.read(&mut [0; 64]).await.map_or(0, |read| read) };
    // One that announces a body and sends none.
    let remote = pair.local.remote(Role::A).unwrap();
    let mut stream = remote.stream().await.unwrap();
    let head = "POST /auctions/vase/bids HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 90\r\n\r\n{";
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = [0; 12];
    let body = async { stream.read_exact(&mut answer).await.map(|_| ()) };
    // One that never ends the head.
    let mut unfinished = remote.stream().await.unwrap();
    unfinished.write_all(b"GET / HTTP/1.1\r\nhost").await.unwrap();
    let head = async {
        let mut all = Vec::new();
        // Disconnected, with or without an answer.
        let _ = unfinished.read_to_end(&mut all).await;
        all
    };
    let (read, body, head) = tokio::time::timeout(limit, async { tokio::join!(silent, body, head) })
        .await
        .expect("all are cut off");
    body.unwrap();
    assert_eq!((read, &answer[9..], head.starts_with(b"HTTP/1.1 200")), (0, &b"408"[..], false));
    pair.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_description_has_every_route_and_metrics_count() {
    let pair = start("described", 20, &[definition("vase", &[5])]).await;
    pair.bid("vase", 7).await;
    for role in [Role::A, Role::B] {
        let described = send(&pair, role, "GET", "/openapi.json", &[], "").await;
        let described: serde_json::Value = serde_json::from_slice(described.body()).unwrap();
        let paths = described["paths"].as_object().unwrap();
        for path in [
            "/service",
            "/auctions",
            "/auctions/{auction}",
            "/auctions/{auction}/bids",
            "/auctions/{auction}/bids/{name}",
            "/auctions/{auction}/raises",
            "/log",
            "/log/head",
            "/metrics",
            "/openapi.json",
        ] {
            assert!(paths.contains_key(path), "{path}");
        }
        assert_eq!(paths.len(), 10);
        let metrics = send(&pair, role, "GET", "/metrics", &[], "").await;
        let text = String::from_utf8(metrics.body().to_vec()).unwrap();
        assert!(text.contains("\ntacit_auction_bids_accepted_total 1\n"), "{text}");
        assert!(text.contains("# TYPE tacit_auction_halves_waiting gauge"), "{text}");
    }
    pair.end().await;
}
