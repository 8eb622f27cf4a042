//! Two connected ends over each transport.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

use tacit_net::keys::{self, SecretKey};
use tacit_net::session::{Config, Field, Party, Transport};
use tacit_net::{Connection, NetError, Options, Session, memory};

/// Longest time for one test; reaching it is a failure.
const TEST_LIMIT: Duration = Duration::from_secs(60);

/// Runs a test with a limit.
pub async fn limited<T>(test: impl Future<Output = T>) -> T {
    tokio::time::timeout(TEST_LIMIT, test).await.expect("the test hangs")
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Memory,
    Tcp,
    Unix,
    Tls,
}

pub const KINDS: [Kind; 4] = [Kind::Memory, Kind::Tcp, Kind::Unix, Kind::Tls];

/// Two parties that can establish a session in one process.
pub struct Couple {
    pub config: Config,
    pub keys: [SecretKey; 2],
    folder: PathBuf,
}

impl Couple {
    pub fn new(kind: Kind) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Relaxed);
        let folder = std::env::temp_dir().join(format!("tacit-net-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let keys = [keys::generate().unwrap().0, keys::generate().unwrap().0];
        let party = |name: &str, key: &SecretKey| Party {
            name: name.to_owned(),
            address: match kind {
                Kind::Unix => format!("unix:{}", folder.join(name).display()),
                _ => free_address(number),
            }
            .parse()
            .unwrap(),
            key: Some(key.public()),
        };
        let parties = vec![party("B", &keys[1]), party("A", &keys[0])];
        let transport = match kind {
            Kind::Tls => Transport::Tls,
            _ => Transport::Plain,
        };
        let config = Config { transport, timeout: Duration::from_secs(30), ..Config::new(parties) };
        Couple { config, keys, folder }
    }

    /// Both sides establish the session with the same settings.
    pub async fn meet(&self) -> (Result<Session, NetError>, Result<Session, NetError>) {
        self.meet_with(&self.config, &self.config, fields(), fields()).await
    }

    /// Each side establishes the session with its own settings and fields.
    pub async fn meet_with(
        &self,
        a: &Config,
        b: &Config,
        a_fields: Vec<Field>,
        b_fields: Vec<Field>,
    ) -> (Result<Session, NetError>, Result<Session, NetError>) {
        let a = Session::establish(a, "A", Some(&self.keys[0]), a_fields);
        let b = Session::establish(b, "B", Some(&self.keys[1]), b_fields);
        limited(async { tokio::join!(a, b) }).await
    }
}

impl Drop for Couple {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// An address of this machine that no other test uses: each test has its own loopback network.
fn free_address(number: u32) -> String {
    let process = std::process::id();
    let host = format!("127.{}.{}.{}", 1 + process % 250, number % 256, 1 + number / 256);
    let listener = std::net::TcpListener::bind((host.as_str(), 0)).unwrap();
    listener.local_addr().unwrap().to_string()
}

pub fn fields() -> Vec<Field> {
    ["program", "plan", "parameters", "roles"].map(|name| Field::text(name, format!("the {name}"))).to_vec()
}

/// Two ends, the first of party A.
pub async fn pair(kind: Kind, window: usize) -> (Connection, Connection) {
    if kind == Kind::Memory {
        let options = |peer: &str| Options { window, ..Options::for_peer(peer) };
        return memory::pair_with(options("B"), options("A"));
    }
    let mut couple = Couple::new(kind);
    couple.config.window = window;
    let (a, b) = couple.meet().await;
    let end = |session: Session, peer: &str| session.connection(peer).unwrap().clone();
    (end(a.unwrap(), "B"), end(b.unwrap(), "A"))
}

/// Pseudorandom numbers, the same each time.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 16) as usize % limit
    }
}
