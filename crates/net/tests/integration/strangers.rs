//! Strangers that connect to a party's port or answer in a party's place: they end no session and delay none.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use tacit_net::keys::{self, SecretKey};
use tacit_net::session::{Config, Party, SessionFile, Transport, Wrap};
use tacit_net::socket::{Address, ByteStream};
use tacit_net::{NetError, Session};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::runtime::Runtime;

use crate::ends::{Couple, Kind, fields, limited};

/// A TLS record with a fatal alert, in the clear: anyone can send it.
const ALERT: [u8; 7] = [0x15, 3, 3, 0, 2, 2, 0x2a];

/// Upper limit on the bytes that a dialing party sends in its handshake.
const HANDSHAKE_BYTES: u64 = 900;

/// The number of sockets of each kind: a thousand, or as many as the limit of open files permits.
fn thousand() -> usize {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let files = limits.lines().find_map(|line| line.strip_prefix("Max open files"));
    let files: usize = files.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(1000);
    1000.min(files / 6)
}

/// The first bytes of a party with its own key.
async fn client_hello() -> Vec<u8> {
    let couple = Couple::new(Kind::Tls);
    let listener = couple.config.parties[1].address.listen().await.unwrap();
    let dialing = Session::establish(&couple.config, "B", Some(&couple.keys[1]), fields());
    let reading = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut hello = vec![0; 5];
        stream.read_exact(&mut hello).await.unwrap();
        hello.resize(5 + usize::from(u16::from_be_bytes([hello[3], hello[4]])), 0);
        stream.read_exact(&mut hello[5..]).await.unwrap();
        hello
    };
    tokio::select! {
        hello = limited(reading) => hello,
        _ = dialing => panic!("nobody answers"),
    }
}

/// Sends an alert, and nothing more, in place of the byte at an offset.
struct AlertAt {
    inner: Box<dyn ByteStream>,
    left: u64,
    alert: &'static [u8],
}

impl AlertAt {
    fn wrap(offset: u64) -> Wrap {
        Arc::new(move |inner| Box::new(AlertAt { inner, left: offset, alert: &ALERT }))
    }
}

impl AsyncRead for AlertAt {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(cx, buf)
    }
}

impl AsyncWrite for AlertAt {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        while self.left == 0 {
            let alert = self.alert;
            if alert.is_empty() {
                return Poll::Ready(Ok(bytes.len()));
            }
            let written = std::task::ready!(Pin::new(&mut self.inner).poll_write(cx, alert))?;
            self.alert = &alert[written..];
        }
        let part = bytes.len().min(usize::try_from(self.left).unwrap());
        let written = std::task::ready!(Pin::new(&mut self.inner).poll_write(cx, &bytes[..part]))?;
        self.left -= written as u64;
        Poll::Ready(Ok(written))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}

/// Strangers at one address, on their own thread, until dropped.
struct Crowd {
    runtime: Option<Runtime>,
    address: Address,
}

impl Crowd {
    /// Arrives once somebody listens.
    async fn at(address: &Address) -> Crowd {
        let waiting = async {
            while address.connect().await.is_err() {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        };
        limited(waiting).await;
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        Crowd { runtime: Some(runtime.unwrap()), address: address.clone() }
    }

    fn spawn<F: Future<Output = ()> + Send + 'static>(&self, stranger: F) -> tokio::task::JoinHandle<()> {
        self.runtime.as_ref().unwrap().spawn(stranger)
    }

    /// Each of `count` sends some bytes and then keeps the connection as long as it may.
    fn saying(&self, count: usize, words: impl Fn(usize) -> Vec<u8>) -> Vec<tokio::task::JoinHandle<()>> {
        let one = |words: Vec<u8>| {
            let address = self.address.clone();
            self.spawn(async move {
                let Ok(mut stream) = address.connect().await else { return };
                let _ = stream.write_all(&words).await;
                tokio::spawn(async move { stream.read_to_end(&mut Vec::new()).await });
            })
        };
        (0..count).map(|index| one(words(index))).collect()
    }

    /// Parties of the session `config` with keys that they made themselves, which send an alert at an offset
    /// if one is given.
    fn impostors(&self, config: &Config, name: &'static str, offsets: impl Iterator<Item = Option<u64>>) {
        let key = Arc::new(keys::generate().unwrap().0);
        for offset in offsets {
            let mut config = config.clone();
            let own = config.parties.iter_mut().find(|party| party.name == name).unwrap();
            own.key = Some(key.public());
            config.wrap_wire = offset.map(AlertAt::wrap);
            let key = key.clone();
            self.spawn(async move {
                let _ = Session::establish(&config, name, Some(&key), fields()).await;
            });
        }
    }

    /// All kinds at once; returns when all silent ones have arrived.
    async fn everything(&self, many: usize, config: &Config, name: &'static str) {
        let hello = client_hello().await;
        let silent = self.saying(many, |_| Vec::new());
        self.saying(many, |index| vec![index as u8; 4000]);
        self.saying(hello.len() + 1, |at| [&hello[..at], &ALERT].concat());
        self.saying(many / 4, |index| hello[..hello.len() - index % 2].to_vec());
        self.impostors(config, name, (0..HANDSHAKE_BYTES).step_by(3).map(Some));
        self.impostors(config, name, (0..many / 10).map(|_| None));
        for stranger in silent {
            stranger.await.unwrap();
        }
    }
}

impl Drop for Crowd {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// The session of a party, in a task of its own.
fn establish(
    config: &Config,
    name: &'static str,
    key: &Arc<SecretKey>,
) -> tokio::task::JoinHandle<Result<Session, NetError>> {
    let (config, key) = (config.clone(), key.clone());
    tokio::spawn(async move { Session::establish(&config, name, Some(&key), fields()).await })
}

/// Three parties that can meet in one process.
struct Trio {
    config: Config,
    keys: [Arc<SecretKey>; 3],
    /// Their addresses are reserved as long as these exist.
    _networks: [Couple; 2],
}

const NAMES: [&str; 3] = ["A", "B", "C"];

impl Trio {
    fn new(timeout: Duration) -> Self {
        let networks = [Couple::new(Kind::Tls), Couple::new(Kind::Tls)];
        let keys = [(); 3].map(|()| Arc::new(keys::generate().unwrap().0));
        let addresses =
            networks.iter().flat_map(|couple| couple.config.parties.iter().map(|party| &party.address));
        let parties = NAMES.iter().zip(&keys).zip(addresses).map(|((name, key), address)| Party {
            name: (*name).to_owned(),
            address: address.clone(),
            key: Some(key.public()),
        });
        let config = Config { timeout, ..Config::new(parties.collect()) };
        Trio { config, keys, _networks: networks }
    }

    /// The session file with two parties' keys exchanged.
    fn exchanged(&self, first: usize, second: usize) -> Config {
        let mut config = self.config.clone();
        let key = config.parties[first].key;
        config.parties[first].key = config.parties[second].key;
        config.parties[second].key = key;
        config
    }

    /// Runs each party with a session and a key; returns the results.
    async fn meet(&self, configs: [&Config; 3], keys: [usize; 3]) -> [Result<Session, NetError>; 3] {
        let party = |who: usize| establish(configs[who], NAMES[who], &self.keys[keys[who]]);
        let (a, b, c) = limited(async { tokio::join!(party(0), party(1), party(2)) }).await;
        [a, b, c].map(Result::unwrap)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_peer_connects_in_time_through_everything_that_strangers_do() {
    let couple = Couple::new(Kind::Tls);
    let [a, b] = couple.keys.each_ref().map(|key| Arc::new(key.clone()));
    let listening = establish(&couple.config, "A", &a);
    let crowd = Crowd::at(&couple.config.parties[1].address).await;
    crowd.everything(thousand(), &couple.config, "B").await;
    let start = Instant::now();
    let dialing = establish(&couple.config, "B", &b);
    let (near, far) = limited(async { tokio::join!(listening, dialing) }).await;
    assert_eq!(near.unwrap().unwrap().id(), far.unwrap().unwrap().id());
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
}

/// Names the folder of a session to the process that plays A with few files.
const FOLDER: &str = "TACIT_TEST_FEW_FILES";

/// A's part in the test below, in its own process.
#[tokio::test]
async fn a_with_few_files() {
    let Some(folder) = std::env::var_os(FOLDER).map(std::path::PathBuf::from) else { return };
    let config = SessionFile::load(&folder.join("s.toml")).unwrap().config();
    let key = SecretKey::load(&folder.join("A.key")).unwrap();
    Session::establish(&config, "A", Some(&key), fields()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_party_that_runs_out_of_files_meets_its_peer() {
    let couple = Couple::new(Kind::Tls);
    let folder = std::env::temp_dir().join(format!("tacit-net-files-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let party = |party: &Party| {
        let (name, address, key) = (&party.name, &party.address, party.key.unwrap());
        format!("[party.{name}]\naddress = \"{address}\"\nkey = \"{key}\"\n")
    };
    let text: String = couple.config.parties.iter().map(party).collect();
    std::fs::write(folder.join("s.toml"), text).unwrap();
    couple.keys[0].save(&folder.join("A.key")).unwrap();
    let test = std::env::current_exe().unwrap();
    let mut listening = std::process::Command::new("sh")
        .args(["-c", "ulimit -n 100; exec \"$0\" --exact strangers::a_with_few_files"])
        .arg(test)
        .env(FOLDER, &folder)
        .spawn()
        .unwrap();
    let crowd = Crowd::at(&couple.config.parties[1].address).await;
    for stranger in crowd.saying(thousand(), |_| Vec::new()) {
        stranger.await.unwrap();
    }
    let b = Arc::new(couple.keys[1].clone());
    limited(establish(&couple.config, "B", &b)).await.unwrap().unwrap();
    assert!(listening.wait().unwrap().success());
    std::fs::remove_dir_all(folder).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn strangers_that_come_back_at_once_hold_up_nobody() {
    let couple = Couple::new(Kind::Tls);
    let [a, b] = couple.keys.each_ref().map(|key| Arc::new(key.clone()));
    let listening = establish(&couple.config, "A", &a);
    let crowd = Crowd::at(&couple.config.parties[1].address).await;
    let (came, mut coming) = tokio::sync::mpsc::unbounded_channel();
    for _ in 0..thousand() / 2 {
        let (address, came) = (crowd.address.clone(), came.clone());
        crowd.spawn(async move {
            while let Ok(mut stream) = address.connect().await {
                let _ = came.send(());
                let _ = stream.read_to_end(&mut Vec::new()).await;
            }
        });
    }
    for _ in 0..thousand() {
        limited(coming.recv()).await.unwrap();
    }
    let dialing = establish(&couple.config, "B", &b);
    let (near, far) = limited(async { tokio::join!(listening, dialing) }).await;
    assert_eq!(near.unwrap().unwrap().id(), far.unwrap().unwrap().id());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn strangers_at_every_port_keep_three_parties_from_nothing() {
    for guest in [false, true] {
        let mut trio = Trio::new(Duration::from_secs(30));
        if guest {
            trio.config.computing = vec!["A".to_owned(), "B".to_owned()];
        }
        let listening = [0, 1].map(|who| establish(&trio.config, NAMES[who], &trio.keys[who]));
        let mut crowds = Vec::new();
        for party in &trio.config.parties[..2] {
            let crowd = Crowd::at(&party.address).await;
            crowd.everything(50, &trio.config, "C").await;
            crowds.push(crowd);
        }
        let last = establish(&trio.config, NAMES[2], &trio.keys[2]);
        let mut identities = Vec::new();
        for party in listening.into_iter().chain([last]) {
            identities.push(limited(party).await.unwrap().unwrap().id());
        }
        identities.dedup();
        assert_eq!(identities.len(), 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_came_instead_of_the_peer_is_told() {
    let mut couple = Couple::new(Kind::Tls);
    couple.config.timeout = Duration::from_millis(1500);
    let key = Arc::new(couple.keys[0].clone());
    let listening = establish(&couple.config, "A", &key);
    let crowd = Crowd::at(&couple.config.parties[1].address).await;
    crowd.saying(3, |_| Vec::new());
    crowd.saying(4, |_| vec![0x55; 400]);
    crowd.saying(1, |_| ALERT.to_vec());
    crowd.impostors(&couple.config, "B", [None, None].into_iter());
    let text = limited(listening).await.unwrap().unwrap_err().to_string();
    assert!(text.starts_with("B: did not connect to 127."), "{text}");
    for words in [
        "3 that took too long to prove who they are (at 127.",
        "4 that did not speak this protocol (last: ",
        "1 that refused this party's key (at 127.",
        "2 with a wrong key (last: it presented tacit-key:ed25519:",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
}

#[tokio::test]
async fn whoever_answers_in_the_peers_place_is_dialed_past() {
    let couple = Couple::new(Kind::Tls);
    let [a, b] = couple.keys.each_ref().map(|key| Arc::new(key.clone()));
    let dialing = establish(&couple.config, "B", &b);
    let address = &couple.config.parties[1].address;
    for words in [&[0x55; 400][..], &ALERT, &[]] {
        let listener = address.listen().await.unwrap();
        let (mut stream, _) = limited(listener.accept()).await.unwrap();
        let _ = stream.write_all(words).await;
    }
    let mut other = couple.config.clone();
    let impostor = keys::generate().unwrap().0;
    other.parties[1].key = Some(impostor.public());
    other.timeout = Duration::from_millis(500);
    let refused = limited(Session::establish(&other, "A", Some(&impostor), fields())).await.unwrap_err();
    assert!(refused.to_string().contains("refused this party's key"), "{refused}");
    let listening = establish(&couple.config, "A", &a);
    let (near, far) = limited(async { tokio::join!(listening, dialing) }).await;
    assert_eq!(near.unwrap().unwrap().id(), far.unwrap().unwrap().id());
}

#[tokio::test]
async fn whoever_answered_in_the_peers_place_is_told() {
    let mut couple = Couple::new(Kind::Tls);
    couple.config.timeout = Duration::from_millis(1500);
    let impostor = keys::generate().unwrap().0;
    let mut other = couple.config.clone();
    other.parties[1].key = Some(impostor.public());
    let (_, dialed) = tokio::join!(
        Session::establish(&other, "A", Some(&impostor), fields()),
        Session::establish(&couple.config, "B", Some(&couple.keys[1]), fields()),
    );
    let error = dialed.unwrap_err();
    assert!(matches!(&error, NetError::Unreachable { peer, .. } if peer == "A"), "{error}");
    assert!(error.to_string().contains(&impostor.public().to_string()), "{error}");
}

#[tokio::test]
async fn a_flood_in_the_clear_holds_up_nobody_either() {
    let couple = Couple::new(Kind::Tcp);
    let config = Config { transport: Transport::Plain, ..couple.config.clone() };
    let [a, b] = couple.keys.each_ref().map(|key| Arc::new(key.clone()));
    let listening = establish(&config, "A", &a);
    let crowd = Crowd::at(&config.parties[1].address).await;
    crowd.saying(300, |_| Vec::new());
    crowd.saying(300, |index| vec![index as u8; 4000]);
    // A party of another run, which greets properly.
    let mut others = Config::new(config.parties.clone());
    others.transport = Transport::Plain;
    others.parties[0].name = "Z".to_owned();
    let turned_away = crowd.spawn(async move {
        let _ = Session::establish(&others, "Z", None, fields()).await;
    });
    limited(turned_away).await.unwrap();
    let dialing = establish(&config, "B", &b);
    let (near, far) = limited(async { tokio::join!(listening, dialing) }).await;
    assert_eq!(near.unwrap().unwrap().id(), far.unwrap().unwrap().id());
}

/// If one key were accepted for any name, a party could speak as another: here two parties hold each other's
/// keys, and their own session files say so.
#[tokio::test]
async fn a_party_that_holds_anothers_key_is_refused_by_name() {
    let trio = Trio::new(Duration::from_millis(1500));
    for (first, second, honest) in [(1, 2, 0), (0, 2, 1), (0, 1, 2)] {
        let theirs = trio.exchanged(first, second);
        let (mut configs, mut held) = ([&theirs; 3], [0, 1, 2]);
        configs[honest] = &trio.config;
        held.swap(first, second);
        let results = trio.meet(configs, held).await;
        let errors = results.map(|result| result.expect_err("no session").to_string());
        let text = &errors[honest];
        match honest {
            // It listens, and the holder of C's key calls itself B, or the other way round.
            0 => assert!(text.contains("authentication failed: it calls itself"), "{text}"),
            // They dial A and find another party's key, or the holder of A's key connects to them.
            _ => {
                assert!(text.starts_with("A: "), "{text}");
                let held = [first, second].map(|who| trio.keys[who].public().to_string());
                assert!(held.iter().any(|key| text.contains(key)), "{text}");
            }
        }
    }
}

/// A session file in which two other parties' keys are exchanged, at one of three parties.
#[tokio::test]
async fn exchanged_keys_in_one_session_file_are_noticed_by_name() {
    let trio = Trio::new(Duration::from_millis(1500));
    for (first, second, misled) in [(1, 2, 0), (0, 2, 1), (0, 1, 2)] {
        let wrong = trio.exchanged(first, second);
        let mut configs = [&trio.config; 3];
        configs[misled] = &wrong;
        let errors = trio.meet(configs, [0, 1, 2]).await.map(|result| result.expect_err("no session"));
        let text = errors[misled].to_string();
        match misled {
            0 => assert!(text.contains("authentication failed: it calls itself"), "{text}"),
            _ => {
                assert!(text.starts_with("A: "), "{text}");
                let held = [first, second].map(|who| trio.keys[who].public().to_string());
                assert!(held.iter().any(|key| text.contains(key)), "{text}");
            }
        }
        for error in errors {
            assert!(error.peer().is_some_and(|peer| NAMES.contains(&peer)), "{error}");
        }
    }
}

/// The same session file at all three parties, in which two keys are exchanged: those two parties know their
/// own keys.
#[tokio::test]
async fn exchanged_keys_in_every_session_file_are_noticed_before_anything_is_sent() {
    let trio = Trio::new(Duration::from_millis(500));
    let wrong = trio.exchanged(1, 2);
    let [a, b, c] = trio.meet([&wrong; 3], [0, 1, 2]).await.map(|result| result.expect_err("no session"));
    assert!(matches!(a.peer(), Some("B" | "C")), "{a}");
    for (error, name) in [(b, "B"), (c, "C")] {
        let expected = format!("the secret key is not the one that the session names for {name}");
        assert!(error.to_string().contains(&expected), "{error}");
    }
}
