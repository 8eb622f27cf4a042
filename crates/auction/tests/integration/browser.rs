//! The bidders' page in headless Chromium, driven by keys over the DevTools protocol; its splitting in Node.
//!
//! Skipped where the programs are absent.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tacit_auction::client::Receipt;
use tacit_auction::local::{LocalPair, Sizes};
use tacit_auction::page::{self, Page};
use tacit_auction::proof::verify;
use tacit_auction::{
    Definition, Event, Kind, Leader, Outcome, Role, live_in_the_clear, outcome_in_the_clear,
};
use tacit_compare::{Parameters, Results, seal};
use tacit_crypto::Prg;
use tacit_he::dgk::ModulusSize;
use tacit_math::Block;

use crate::pair::{BITS, Pair, definition, folder};

const CHROMIUM: &str = "/usr/bin/chromium";

/// A browser, controlled through two pipes; messages end with a zero byte.
struct Browser {
    process: Child,
    to: File,
    from: File,
    read: Vec<u8>,
    next: u64,
    session: Value,
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Browser {
    /// Opens a page in a fresh profile, as wide as a phone.
    fn open(folder: &Path, url: &str) -> Browser {
        let [to, from] = ["to", "from"].map(|name| folder.join(name));
        assert!(Command::new("mkfifo").args([&to, &from]).status().unwrap().success());
        let command = format!(
            "exec '{CHROMIUM}' --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
             --ignore-certificate-errors --window-size=390,800 --remote-debugging-pipe --user-data-dir='{}' about:blank 3<'{}' 4>'{}'",
            folder.join("profile").display(),
            to.display(),
            from.display()
        );
        let process = Command::new("sh")
            .args(["-c", &command])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let to = OpenOptions::new().write(true).open(to).unwrap();
        let from = File::open(from).unwrap();
        let mut browser = Browser { process, to, from, read: Vec::new(), next: 0, session: Value::Null };
        let target = browser.call("Target.createTarget", json!({ "url": url }))["targetId"].clone();
        let attached = browser.call("Target.attachToTarget", json!({ "targetId": target, "flatten": true }));
        browser.session = attached["sessionId"].clone();
        browser
    }

    fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.next += 1;
        let mut message = json!({ "id": self.next, "method": method, "params": parameters });
        if !self.session.is_null() {
            message["sessionId"] = self.session.clone();
        }
        self.to.write_all(format!("{message}\0").as_bytes()).unwrap();
        loop {
            let answer = self.message();
            if answer["id"] == self.next {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].clone();
            }
        }
    }

    fn message(&mut self) -> Value {
        loop {
            if let Some(end) = self.read.iter().position(|byte| *byte == 0) {
                let message: Vec<u8> = self.read.drain(..=end).collect();
                return serde_json::from_slice(&message[..end]).unwrap();
            }
            let mut bytes = [0; 4096];
            let read = self.from.read(&mut bytes).unwrap();
            assert!(read > 0, "the browser has ended");
            self.read.extend_from_slice(&bytes[..read]);
        }
    }

    fn evaluate(&mut self, expression: &str) -> Value {
        let result = self.call("Runtime.evaluate", json!({ "expression": expression, "awaitPromise": true }));
        assert!(result["exceptionDetails"].is_null(), "{expression}: {result}");
        result["result"]["value"].clone()
    }

    fn press(&mut self, key: &str, code: u32) {
        for kind in ["keyDown", "keyUp"] {
            let text = if key == "Enter" && kind == "keyDown" { "\r" } else { "" };
            let event =
                json!({ "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code, "text": text });
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    /// Writes a picture of the page, for people.
    fn screenshot(&mut self, file: &str) {
        let picture = self.call("Page.captureScreenshot", json!({ "format": "png" }));
        let mut decode = Command::new("base64")
            .arg("-d")
            .stdin(Stdio::piped())
            .stdout(File::create(file).unwrap())
            .spawn()
            .unwrap();
        decode.stdin.take().unwrap().write_all(picture["data"].as_str().unwrap().as_bytes()).unwrap();
        assert!(decode.wait().unwrap().success());
    }

    /// Waits until an expression is true.
    fn until(&mut self, expression: &str) {
        let start = Instant::now();
        while self.evaluate(expression) != true {
            if start.elapsed() > Duration::from_secs(90) {
                let text = self.evaluate("document.body.innerText");
                panic!("{expression} never became true: {text}");
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

/// Both servers with an open auction, the origin of its page, and a folder; `None` without a browser.
async fn with_page(name: &str, vase: &Definition) -> Option<(Pair, String, PathBuf)> {
    if !Path::new(CHROMIUM).exists() {
        eprintln!("skipped: there is no {CHROMIUM}");
        return None;
    }
    let listener = page::listen(0).await.unwrap();
    let (origin, folder) = (page::origin(&listener).unwrap(), folder(name));
    let sizes = Sizes { bits: BITS, modulus_bits: 256, insecure: true, patience_s: 20 };
    let local = LocalPair::create(&folder, sizes, &origin).unwrap();
    local.define(vase).unwrap();
    let mut pair = Pair { service: local.service().unwrap(), local, running: [None, None] };
    pair.start(Role::A).await;
    pair.start(Role::B).await;
    pair.opened("vase").await;
    let [a, b] = [0, 1].map(|role: usize| format!("https://127.0.0.1:{}", pair.local.ports[role]));
    tokio::spawn(page::serve(listener, Page::new(&a, &b).unwrap()));
    Some((pair, origin, folder))
}

/// Bids with the keyboard only: the tab key reaches the field.
fn bid_by_keyboard(browser: &mut Browser, amount: u64) {
    browser.until(
        "document.getElementById('bid')?.hidden === false && document.getElementById('range').textContent !== ''",
    );
    browser.until("!document.getElementById('send').disabled");
    browser.evaluate("document.activeElement.blur()");
    for _ in 0..6 {
        if browser.evaluate("document.activeElement.id") == "amount" {
            break;
        }
        browser.press("Tab", 9);
    }
    assert_eq!(browser.evaluate("document.activeElement.id"), "amount");
    browser.call("Input.insertText", json!({ "text": amount.to_string() }));
    browser.press("Enter", 13);
    browser.until("document.getElementById('outcome').textContent.startsWith('Accepted')");
    browser.until("!document.getElementById('send').disabled");
    browser.evaluate("document.getElementById('outcome').textContent = ''");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
#[ignore = "starts a browser"]
async fn bidders_use_the_page_in_a_browser() {
    let prices = [100, 200, 300, 400, 500, 600];
    let vase = Definition { interval_ms: 200, ..definition("vase", &prices) };
    let Some((pair, origin, folder)) = with_page("browser", &vase).await else { return };
    pair.bid("vase", 310).await;
    let receipt = folder.join("bid.json");
    let kept = receipt.clone();
    let by_keyboard = tokio::task::spawn_blocking(move || {
        let mut browser = Browser::open(&folder, &format!("{origin}/"));
        bid_by_keyboard(&mut browser, 555);
        // The last file that the page offers.
        browser.evaluate("const made = URL.createObjectURL; URL.createObjectURL = (blob) => made.call(URL, globalThis.saved = blob); 0");
        bid_by_keyboard(&mut browser, 420);
        if let Ok(file) = std::env::var("TACIT_SCREENSHOT") {
            browser.screenshot(&file);
        }
        // Nothing is wider than a phone.
        assert_eq!(browser.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), true);
        let waiting = "(JSON.parse(localStorage.getItem('tacit-auction waiting')) ?? []).length";
        assert_eq!(browser.evaluate(waiting), 0, "no half is kept");
        let saved = browser.evaluate("saved.text()");
        std::fs::write(&kept, saved.as_str().unwrap()).unwrap();
        browser.evaluate(
            "document.getElementById('amount').value = '99999999'; document.getElementById('send').click()",
        );
        browser.until("document.getElementById('outcome').textContent.includes('whole number')");
        browser
    });
    let mut browser = by_keyboard.await.unwrap();
    pair.pass_deadlines();
    let result = pair.ended("vase").await;
    let Outcome::Sold { bid: 1, price } = outcome_in_the_clear(&[310, 555, 420], &prices) else {
        panic!("the second")
    };
    assert_eq!((&result["sold_for"], &result["bids"]), (&prices[price].into(), &3.into()));
    let (receipt, log) = (Receipt::load(&receipt).unwrap(), pair.service.log().await.unwrap());
    let verdict = verify(&receipt, &log, pair.service.published()).unwrap();
    assert_eq!((verdict.right, verdict.number), (true, Some(420)), "what the page saves is a receipt");
    tokio::task::spawn_blocking(move || {
        browser.until("document.getElementById('news').textContent.startsWith('You won, for 500')");
        browser.until("document.getElementById('own').textContent.includes('out:')");
    })
    .await
    .unwrap();
    pair.end().await;
}

/// Raises with the keyboard only, to the price that is `down` steps below the first one offered.
fn raise_by_keyboard(browser: &mut Browser, down: u32) {
    browser.until("!document.getElementById('raising').hidden && !document.getElementById('sign').disabled");
    browser.evaluate("document.activeElement.blur()");
    for _ in 0..12 {
        if browser.evaluate("document.activeElement.id") == "step" {
            break;
        }
        browser.press("Tab", 9);
    }
    assert_eq!(browser.evaluate("document.activeElement.id"), "step");
    (0..down).for_each(|_| browser.press("ArrowDown", 40));
    browser.press("Tab", 9);
    assert_eq!(browser.evaluate("document.activeElement.id"), "sign");
    browser.press("Enter", 13);
    browser.until("document.getElementById('raised').textContent.startsWith('Accepted')");
    browser.until("!document.getElementById('sign').disabled");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
#[ignore = "starts a browser"]
async fn manual_bidders_raise_on_the_page_beside_sealed_bids() {
    let prices = [100, 200, 300, 400, 500, 600, 700];
    let vase = Definition { kind: Kind::Live, ..definition("vase", &prices) };
    let Some((pair, origin, folder)) = with_page("browser-live", &vase).await else { return };
    pair.bid("vase", 450).await;
    let file = folder.join("bidder.key");
    let kept = file.clone();
    let by_keyboard = tokio::task::spawn_blocking(move || {
        let mut browser = Browser::open(&folder, &format!("{origin}/"));
        browser.until("document.getElementById('leader')?.textContent === 'a sealed bid'");
        browser.evaluate("const made = URL.createObjectURL; URL.createObjectURL = (blob) => made.call(URL, globalThis.saved = blob); 0");
        raise_by_keyboard(&mut browser, 1);
        // The sealed bid raises in its turn.
        browser.until("document.getElementById('price').textContent.startsWith('400')");
        browser.until("document.getElementById('leader').textContent === 'a sealed bid'");
        raise_by_keyboard(&mut browser, 0);
        browser.until("document.getElementById('leader').textContent === 'you'");
        // A price that has passed is no longer valid, and the page says so.
        browser.evaluate(
            "document.getElementById('step').append(new Option('100', 100)); document.getElementById('step').value = 100; document.getElementById('sign').click()",
        );
        browser.until("document.getElementById('raised').textContent.startsWith('Refused')");
        if let Ok(file) = std::env::var("TACIT_SCREENSHOT") {
            browser.screenshot(&file);
        }
        assert_eq!(browser.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), true);
        let saved = browser.evaluate("saved.text()");
        std::fs::write(&kept, saved.as_str().unwrap()).unwrap();
        browser
    });
    let mut browser = by_keyboard.await.unwrap();
    pair.bid("vase", 120).await;
    pair.pass_deadlines();
    let result = pair.ended("vase").await;
    let events = [Event::Bid(450), Event::Raise(2), Event::Raise(4), Event::Bid(120)];
    let Some((Leader::Manual(_), price)) = live_in_the_clear(&events, &prices) else { panic!("a raise") };
    assert_eq!(result["sold_for"], prices[price]);
    // What the page saves is the key that won, as the command line reads it.
    std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let key = tacit_net::keys::SecretKey::load(&file).unwrap();
    assert_eq!(result["winner"], hex(&key.public().to_bytes()));
    tokio::task::spawn_blocking(move || {
        browser.until("document.getElementById('news').textContent.startsWith('You won, for 500')");
        browser.until("document.getElementById('raising').hidden");
    })
    .await
    .unwrap();
    pair.end().await;
}

#[test]
fn the_page_splits_bids_as_the_library_does() {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/src/page/seal.js");
    let program = format!(
        "{}\nlet [bits, u, number, stream] = process.argv.slice(1); stream = Buffer.from(stream, 'hex'); let used = 0;\n\
         const random = (count) => stream.subarray(used, used += count);\n\
         console.log(seal(BigInt(number), Number(bits), Number(u), random).map(hex).join(' '));",
        std::fs::read_to_string(source).unwrap()
    );
    for (bits, number) in
        [(1, 0), (1, 1), (16, 0), (16, 54321), (32, 0xdead_beef), (64, u64::MAX), (64, 1 << 63)]
    {
        let size = ModulusSize::insecure(512).unwrap();
        let parameters = Parameters::insecure(size, 64, bits, Results::Revealed).unwrap();
        let seed = Block(0x5ea1 + u128::from(number));
        let halves = seal(&parameters, number, &mut Prg::new(seed)).unwrap();
        let expected = halves.map(|half| hex(&half.to_bytes())).join(" ");
        let mut stream = vec![0; 1000];
        Prg::new(seed).fill_bytes(&mut stream);
        let arguments =
            [bits.to_string(), parameters.plaintexts().to_string(), number.to_string(), hex(&stream)];
        let Ok(run) = Command::new("node").args(["-e", &program, "--"]).args(arguments).output() else {
            eprintln!("skipped: there is no node");
            return;
        };
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        assert_eq!(String::from_utf8(run.stdout).unwrap().trim(), expected, "{number} in {bits} bits");
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
