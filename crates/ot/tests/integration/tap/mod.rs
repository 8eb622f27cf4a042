//! A connection between two parties in one thread that counts, hashes, cuts or corrupts what they send.

use std::future::Future;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tacit_net::frame::{HEADER_BYTES, Header};
use tacit_net::{Channel, Connection, Options, StreamId};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, ReadHalf, WriteHalf, duplex, split};

/// Maximum duration of a test.
const TEST_LIMIT: Duration = Duration::from_secs(120);

/// What happens to the bytes of one direction.
#[derive(Clone, Copy, Debug, Default)]
pub enum Edit {
    /// Nothing.
    #[default]
    None,
    /// Bit 0 of this payload byte is flipped.
    Flip(usize),
    /// The link ends, in both directions, before this payload byte.
    Cut(usize),
    /// Nothing more arrives from this payload byte on, but the link stays.
    Stall(usize),
}

/// The bytes seen in one direction.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// Payload bytes.
    pub bytes: usize,
    /// Hash over the payload.
    pub hash: blake3::Hasher,
    /// The payload itself.
    pub content: Vec<u8>,
}

/// One party's end: its channel, and the connection that must live as long.
pub struct End {
    pub channel: Channel,
    /// Keeps the connection open; only other crates that include this file read it.
    #[allow(dead_code)]
    pub connection: Connection,
}

/// The bytes seen from the first party, and from the second.
pub type Trace = [Seen; 2];

/// Runs two parties over a tapped link. `edits` apply to the bytes of the first and of the second party. Waits end after
/// `limit`.
pub async fn run<A, B, FA, FB>(
    edits: [Edit; 2],
    limit: Duration,
    first: impl FnOnce(End) -> FA,
    second: impl FnOnce(End) -> FB,
) -> (A, B, Trace)
where
    FA: Future<Output = A>,
    FB: Future<Output = B>,
{
    let options = Options { timeout: limit, ..Options::default() };
    let (near_a, far_a) = duplex(1 << 16);
    let (near_b, far_b) = duplex(1 << 16);
    let seen: [Arc<Mutex<Seen>>; 2] = Default::default();
    let (read_a, write_a) = split(far_a);
    let (read_b, write_b) = split(far_b);
    let to_b = relay(read_a, write_b, edits[0], seen[0].clone());
    let to_a = relay(read_b, write_a, edits[1], seen[1].clone());
    // A cut in either direction ends both.
    let link = tokio::spawn(async move {
        tokio::select! {
            () = to_b => {}
            () = to_a => {}
        }
    });
    let end = |io, name: &str| {
        let connection = Connection::over(io, Options { peer: name.into(), ..options.clone() });
        End { channel: connection.open(StreamId(1)).unwrap(), connection }
    };
    let (a, b) = (end(near_a, "second"), end(near_b, "first"));
    let both = async { tokio::join!(first(a), second(b)) };
    let (a, b) = tokio::time::timeout(TEST_LIMIT, both).await.expect("the parties hang");
    link.abort();
    let seen = seen.map(|seen| seen.lock().unwrap().clone());
    (a, b, seen)
}

/// Copies frames until a cut, at which it returns; the sender's end only ends this direction.
async fn relay(
    mut from: ReadHalf<DuplexStream>,
    mut to: WriteHalf<DuplexStream>,
    edit: Edit,
    seen: Arc<Mutex<Seen>>,
) {
    let mut payload = Vec::new();
    loop {
        let mut header = [0; HEADER_BYTES];
        if from.read_exact(&mut header).await.is_err() {
            let _ = to.shutdown().await;
            return std::future::pending().await;
        }
        payload.resize(Header::decode(&header).unwrap().length(), 0);
        if from.read_exact(&mut payload).await.is_err() {
            return;
        }
        let position = {
            let mut seen = seen.lock().unwrap();
            seen.hash.update(&payload);
            seen.bytes += payload.len();
            seen.content.extend_from_slice(&payload);
            seen.bytes - payload.len()
        };
        let within = |at: usize| (position..position + payload.len()).contains(&at).then(|| at - position);
        match edit {
            Edit::Flip(at) => {
                if let Some(at) = within(at) {
                    payload[at] ^= 1;
                }
            }
            Edit::Cut(at) if within(at).is_some() => return,
            Edit::Stall(at) if within(at).is_some() => return std::future::pending().await,
            _ => {}
        }
        if to.write_all(&header).await.is_err() || to.write_all(&payload).await.is_err() {
            return std::future::pending().await;
        }
    }
}
