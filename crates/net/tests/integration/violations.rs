//! Peers that violate the transport's rules, played by hand.

use std::time::Duration;

use proptest::prelude::*;
use tacit_net::frame::{HEADER_BYTES, Header, MAX_PAYLOAD};
use tacit_net::{Channel, Connection, NetError, Options, StreamId};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

use crate::ends::limited;

const DATA: u8 = 1;
const CREDIT: u8 = 2;
const END: u8 = 3;
const CLOSE: u8 = 4;
const ABORT: u8 = 5;

/// Bytes that may be sent before the other side has opened the stream.
const FIRST_CREDIT: usize = MAX_PAYLOAD;

/// A header according to the format's table, written independently of the code under test.
fn header(kind: u8, length: u32, stream: u32, position: u64) -> Vec<u8> {
    let mut bytes = vec![kind];
    bytes.extend(&length.to_le_bytes()[..3]);
    bytes.extend(stream.to_le_bytes());
    bytes.extend(position.to_le_bytes());
    bytes
}

fn data(stream: u32, position: u64, payload: &[u8]) -> Vec<u8> {
    [header(DATA, payload.len() as u32, stream, position), payload.to_vec()].concat()
}

fn ends(timeout: Duration) -> (Connection, Channel, DuplexStream) {
    let (near, far) = tokio::io::duplex(8 << 20);
    let options = Options { timeout, window: Options::MIN_WINDOW, ..Options::for_peer("Mallory") };
    let connection = Connection::over(near, options);
    let channel = connection.open(StreamId(1)).unwrap();
    (connection, channel, far)
}

/// The error of a channel that reads everything the peer sends, and what the peer is told.
async fn outcome(bytes: &[u8]) -> (NetError, Vec<u8>) {
    let (connection, mut channel, mut far) = ends(Duration::from_secs(20));
    far.write_all(bytes).await.unwrap();
    let error = loop {
        if let Err(error) = channel.receive(1).await {
            break error;
        }
    };
    drop((connection, channel));
    let mut told = Vec::new();
    far.read_to_end(&mut told).await.unwrap();
    (error, told)
}

async fn assert_violation(bytes: &[u8], words: &str) {
    let (error, told) = limited(outcome(bytes)).await;
    assert!(matches!(&error, NetError::Protocol { peer, .. } if peer == "Mallory"), "{error}");
    assert!(error.to_string().contains(words), "{error}");
    assert!(told.ends_with(&header(ABORT, 0, 0, 0)), "the peer is told of {words}");
}

#[tokio::test]
async fn broken_frames_end_the_connection() {
    assert_violation(&header(9, 0, 1, 0), "unknown frame kind 9").await;
    assert_violation(&header(0, 0, 0, 0), "unknown frame kind 0").await;
    assert_violation(&header(DATA, MAX_PAYLOAD as u32 + 1, 1, 0), "at most 262144").await;
    assert_violation(&header(DATA, 0xff_ffff, 1, 0), "at most 262144").await;
    assert_violation(&header(DATA, 0, 1, 0), "empty data frame").await;
    assert_violation(&header(CREDIT, 1, 1, 1 << 20), "with a payload").await;
    assert_violation(&header(CLOSE, 0, 1, 0), "with a stream").await;
    assert_violation(&header(ABORT, 0, 0, 1), "with a stream").await;
    assert_violation(&header(DATA, 2, 1, u64::MAX - 1), "beyond 64 bits").await;
}

#[tokio::test]
async fn frames_out_of_turn_end_the_connection() {
    let first = data(1, 0, b"abc");
    assert_violation(&[&first[..], &first].concat(), "position 0 where 3 was due").await;
    let swapped = [data(1, 3, b"def"), first.clone()].concat();
    assert_violation(&swapped, "position 3 where 0 was due").await;
    let omitted = [first.clone(), data(1, 6, b"ghi")].concat();
    assert_violation(&omitted, "position 6 where 3 was due").await;
    let early_end = [first.clone(), header(END, 0, 1, 2)].concat();
    assert_violation(&early_end, "position 2 where 3 was due").await;
    let other_ended = [header(END, 0, 2, 0), data(2, 0, b"x")].concat();
    assert_violation(&other_ended, "frame after the end").await;
    let ended_twice = [header(END, 0, 2, 0), header(END, 0, 2, 0)].concat();
    assert_violation(&ended_twice, "frame after the end").await;
    let after_farewell = [header(CLOSE, 0, 0, 0), first].concat();
    let (error, _) = limited(outcome(&after_farewell)).await;
    assert!(matches!(error, NetError::Protocol { .. } | NetError::Finished { .. }), "{error}");
}

#[tokio::test]
async fn a_truncated_frame_makes_the_next_one_wrong() {
    let mut bytes = data(1, 0, b"abcdef");
    bytes.pop();
    bytes.extend(data(1, 6, b"ghi"));
    let (error, _) = limited(outcome(&bytes)).await;
    assert!(matches!(error, NetError::Protocol { .. }), "{error}");
}

#[tokio::test]
async fn nobody_sends_beyond_the_credit() {
    let block = vec![1; MAX_PAYLOAD];
    let within = [data(2, 0, &block[..FIRST_CREDIT - 1]), data(2, FIRST_CREDIT as u64 - 1, b"x")].concat();
    let beyond = [&within[..], &data(2, FIRST_CREDIT as u64, b"y")].concat();
    assert_violation(&beyond, "1 bytes beyond the credit").await;

    // The window of stream 1 is known, but moves as bytes are read; so the test uses the stream that nobody
    // reads.
    let (connection, channel, mut far) = ends(Duration::from_secs(20));
    let mut unread = connection.open(StreamId(7)).unwrap();
    let blocks = Options::MIN_WINDOW / MAX_PAYLOAD;
    for index in 0..=blocks {
        far.write_all(&data(7, (index * MAX_PAYLOAD) as u64, &block)).await.unwrap();
    }
    let error = limited(async {
        let mut channel = channel;
        channel.receive(1).await.unwrap_err()
    })
    .await;
    assert!(error.to_string().contains("beyond the credit"), "{error}");
    assert!(unread.receive(1).await.is_ok(), "what came within the credit can still be read");
}

#[tokio::test]
async fn credit_only_grows_and_stays_sane() {
    let grant = header(CREDIT, 0, 1, 1 << 20);
    assert_violation(&[&grant[..], &grant].concat(), "credit does not advance").await;
    assert_violation(&header(CREDIT, 0, 1, FIRST_CREDIT as u64), "credit does not advance").await;
    assert_violation(&header(CREDIT, 0, 1, u64::MAX), "credit does not advance").await;
}

#[tokio::test]
async fn streams_that_were_not_opened_are_limited() {
    let flood: Vec<u8> = (100..200).flat_map(|stream| data(stream, 0, b"x")).collect();
    assert_violation(&flood, "more than 64 streams").await;
}

#[tokio::test]
async fn an_end_inside_a_frame_is_a_lost_peer() {
    let frame = data(1, 0, &vec![5; 100_000]);
    for length in [1, HEADER_BYTES - 1, HEADER_BYTES, HEADER_BYTES + 1, frame.len() - 1] {
        let (_connection, mut channel, mut far) = ends(Duration::from_secs(20));
        far.write_all(&frame[..length]).await.unwrap();
        drop(far);
        let error = limited(channel.receive(1)).await.map(<[u8]>::len).unwrap_err();
        assert!(matches!(error, NetError::Closed { .. }), "{length}: {error}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_silent_peer_is_noticed_within_the_limit() {
    let limit = Duration::from_secs(30);
    let (connection, mut channel, mut far) = ends(limit);
    let start = tokio::time::Instant::now();
    let error = channel.receive(1).await.map(<[u8]>::len).unwrap_err();
    assert!(matches!(&error, NetError::Timeout { peer, .. } if peer == "Mallory"), "{error}");
    assert!(error.to_string().contains("stream 1"), "{error}");
    assert!(start.elapsed() >= limit && start.elapsed() < 2 * limit);

    // Neither part of a frame nor a frame of another stream is progress.
    let start = tokio::time::Instant::now();
    let dribble = async {
        for byte in data(1, 0, &[0; 20]) {
            far.write_all(&[byte]).await.unwrap();
            tokio::time::sleep(limit / 10).await;
        }
    };
    let (error, ()) = tokio::join!(async { channel.receive(1).await.map(<[u8]>::len).unwrap_err() }, dribble);
    assert!(matches!(error, NetError::Timeout { .. }), "{error}");
    assert!(start.elapsed() < 5 * limit);
    assert!(matches!(connection.close().await, Err(NetError::Timeout { .. })));
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_takes_nothing_is_noticed_within_the_limit() {
    let (_connection, mut channel, _far) = ends(Duration::from_secs(30));
    let block = vec![0; 1 << 20];
    let error = loop {
        if let Err(error) = channel.send(&block).await {
            break error;
        }
    };
    assert!(matches!(&error, NetError::Timeout { peer, .. } if peer == "Mallory"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn each_frame_gives_a_slow_peer_the_whole_limit_again() {
    let limit = Duration::from_secs(30);
    let (_connection, mut channel, mut far) = ends(limit);
    let slow = async {
        for position in 0..5 {
            tokio::time::sleep(limit / 10 * 9).await;
            far.write_all(&data(1, position, b"x")).await.unwrap();
        }
    };
    let (bytes, ()) = tokio::join!(channel.receive(5), slow);
    assert_eq!(bytes.unwrap(), b"xxxxx");
}

proptest! {
    #[test]
    fn headers_decode_to_themselves_or_fail(bytes in any::<[u8; HEADER_BYTES]>(), kind in 0u8..7) {
        let mut bytes = bytes;
        for kind in [bytes[0], kind] {
            bytes[0] = kind;
            if let Ok(header) = Header::decode(&bytes) {
                prop_assert_eq!(header.encode(), bytes);
                prop_assert!(header.length() <= MAX_PAYLOAD);
            }
        }
    }

    #[test]
    fn a_header_of_the_table_decodes(length in 1..=MAX_PAYLOAD as u32, stream: u32, position in 0..u64::MAX / 2) {
        let bytes: [u8; HEADER_BYTES] = header(DATA, length, stream, position).try_into().unwrap();
        let header = Header::decode(&bytes).unwrap();
        prop_assert_eq!(header.length(), length as usize);
        prop_assert_eq!(header.stream(), StreamId(stream));
        prop_assert_eq!(header.position(), position);
    }

    #[test]
    fn any_bytes_end_in_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..4000)) {
        run_closed(&bytes);
    }

    #[test]
    fn any_frames_end_in_an_error(
        frames in proptest::collection::vec((0u8..6, 0u32..300, 0u32..3, 0u64..400), 0..60),
    ) {
        let bytes = frames.iter().flat_map(|(kind, length, stream, position)| {
            let length = if *kind == DATA { *length } else { 0 };
            [header(*kind, length, *stream, *position), vec![7; length as usize]].concat()
        });
        run_closed(&bytes.collect::<Vec<_>>());
    }

    #[test]
    fn a_flipped_bit_in_any_header_is_noticed_or_harmless(frame in 0usize..6, byte in 0..HEADER_BYTES, bit in 0u8..8) {
        let mut bytes = Vec::new();
        for position in 0..6 {
            bytes.extend(data(1, position * 50, &[position as u8; 50]));
        }
        bytes[frame * (HEADER_BYTES + 50) + byte] ^= 1 << bit;
        run_closed(&bytes);
    }
}

/// Sends the bytes and closes; a reader must end with an error about the peer.
fn run_closed(bytes: &[u8]) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(limited(async {
        let (_connection, mut channel, mut far) = ends(Duration::from_secs(20));
        far.write_all(bytes).await.unwrap();
        drop(far);
        let mut received = 0;
        let error = loop {
            match channel.receive(1).await {
                Ok(_) => received += 1,
                Err(error) => break error,
            }
        };
        assert!(received <= bytes.len());
        assert_eq!(error.peer(), Some("Mallory"), "{error}");
        assert!(!matches!(error, NetError::Timeout { .. }), "{error}");
    }));
}
