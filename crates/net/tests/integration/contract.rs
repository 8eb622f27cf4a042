//! The guarantees of every transport.

use std::time::Duration;

use tacit_net::{Channel, Connection, MAX_RESERVE, NetError, Options, Phase, StreamId, memory};
use tokio::time::Instant;

use crate::ends::{KINDS, Kind, Numbers, limited, pair};

/// Small windows, so that credit keeps running out.
const WINDOW: usize = Options::MIN_WINDOW;

/// The byte at a position of a stream in one direction.
fn byte(stream: u32, from_first: bool, position: u64) -> u8 {
    let mixed = (position + u64::from(from_first)).wrapping_mul(0x9e37_79b9_7f4a_7c15 + u64::from(stream));
    (mixed >> 56) as u8
}

/// One end of a stream, with what it has sent and received.
struct Script {
    channel: Channel,
    first: bool,
    sent: u64,
    received: u64,
    calls: Numbers,
}

impl Script {
    fn new(connection: &Connection, stream: u32, first: bool) -> Self {
        let channel = connection.open(StreamId(stream)).unwrap();
        let calls = Numbers(u64::from(2 * stream + u32::from(first)) + 77);
        Script { channel, first, sent: 0, received: 0, calls }
    }

    /// Follows the turns that both ends know: who sends, and how many bytes.
    async fn run(mut self, turns: &[(bool, usize)]) {
        for (first, bytes) in turns {
            match *first == self.first {
                true => self.send(*bytes).await,
                false => self.receive(*bytes).await,
            }
        }
        self.channel.finish().await.unwrap();
    }

    async fn send(&mut self, mut bytes: usize) {
        let stream = self.channel.stream().0;
        while bytes > 0 {
            let n = (1 + self.calls.below(MAX_RESERVE)).min(bytes);
            let expected = (0..n as u64).map(|i| byte(stream, self.first, self.sent + i));
            match self.calls.below(5) {
                0 => self.channel.send(&expected.collect::<Vec<_>>()).await.unwrap(),
                4 => self.channel.give(expected.collect()).await.unwrap(),
                1 => {
                    self.channel.send(&expected.collect::<Vec<_>>()).await.unwrap();
                    self.channel.flush().await.unwrap();
                }
                _ => {
                    let target = self.channel.reserve(n).await.unwrap();
                    target.iter_mut().zip(expected).for_each(|(target, byte)| *target = byte);
                }
            }
            self.sent += n as u64;
            bytes -= n;
        }
        self.channel.flush().await.unwrap();
    }

    async fn receive(&mut self, mut bytes: usize) {
        let stream = self.channel.stream().0;
        while bytes > 0 {
            let n = (1 + self.calls.below(MAX_RESERVE)).min(bytes);
            let (mut own, frame) = match self.calls.below(3) {
                0 => (vec![], self.channel.receive_frame(n).await.unwrap()),
                _ => (vec![0; n], None),
            };
            let got = match &frame {
                Some(frame) => frame,
                None if own.is_empty() => self.channel.receive(n).await.unwrap(),
                None => {
                    self.channel.receive_into(&mut own).await.unwrap();
                    &own
                }
            };
            assert_eq!(got.len(), n);
            let wrong = got
                .iter()
                .enumerate()
                .position(|(i, got)| *got != byte(stream, !self.first, self.received + i as u64));
            assert_eq!(wrong, None, "stream {stream} at {}", self.received);
            self.received += n as u64;
            bytes -= n;
        }
    }
}

/// Turns of random sizes, from nothing to several windows.
fn turns(numbers: &mut Numbers) -> Vec<(bool, usize)> {
    let sizes = [0, 1, 15, 16, 17, 4096, 32 * 1024, MAX_RESERVE, WINDOW, 3 * WINDOW + 5];
    let one = |_| (numbers.below(2) == 0, sizes[numbers.below(sizes.len())] + numbers.below(3));
    (0..24).map(one).collect()
}

async fn interleave(kind: Kind) {
    let (a, b) = pair(kind, WINDOW).await;
    let mut tasks = tokio::task::JoinSet::new();
    let mut numbers = Numbers(kind as u64 + 5);
    for stream in 0..5 {
        let turns = turns(&mut numbers);
        for (connection, first) in [(&a, true), (&b, false)] {
            let script = Script::new(connection, stream, first);
            let turns = turns.clone();
            tasks.spawn(async move { script.run(&turns).await });
        }
    }
    while let Some(done) = tasks.join_next().await {
        done.unwrap();
    }
    let (closed_a, closed_b) = tokio::join!(a.close(), b.close());
    closed_a.unwrap();
    closed_b.unwrap();
    let (counts_a, counts_b) = (a.meter().total(), b.meter().total());
    assert_eq!(counts_a.bytes_sent, counts_b.bytes_received);
    assert_eq!(counts_b.bytes_sent, counts_a.bytes_received);
    assert_eq!(counts_a.messages_sent, counts_b.messages_received);
    assert_eq!(counts_b.messages_sent, counts_a.messages_received);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn streams_interleave_on_many_threads() {
    for kind in KINDS {
        limited(interleave(kind)).await;
    }
}

#[tokio::test]
async fn streams_interleave_on_one_thread() {
    for kind in KINDS {
        limited(interleave(kind)).await;
    }
}

#[tokio::test]
async fn both_sides_can_send_more_than_everything_buffers() {
    for kind in KINDS {
        limited(async {
            let (a, b) = pair(kind, WINDOW).await;
            let (mut x, mut y) = (a.open(StreamId(1)).unwrap(), b.open(StreamId(2)).unwrap());
            let (mut from_y, mut from_x) = (a.open(StreamId(2)).unwrap(), b.open(StreamId(1)).unwrap());
            let block = vec![9; 40 * WINDOW];
            let (mut first, mut second) = (vec![0; block.len()], vec![0; block.len()]);
            let sent = async {
                tokio::try_join!(x.send(&block), y.send(&block))?;
                tokio::try_join!(x.flush(), y.flush())
            };
            let received =
                async { tokio::try_join!(from_y.receive_into(&mut first), from_x.receive_into(&mut second)) };
            tokio::try_join!(sent, received).unwrap();
            assert!(first == block && second == block);
        })
        .await;
    }
}

#[tokio::test]
async fn exchanges_take_one_round_whatever_everything_buffers() {
    const SIZES: [usize; 6] = [0, 1, MAX_RESERVE, MAX_RESERVE + 1, WINDOW + 7, 40 * WINDOW];
    for kind in KINDS {
        limited(async {
            let (a, b) = pair(kind, WINDOW).await;
            let [mut x, mut y] = [&a, &b].map(|connection| connection.open(StreamId(1)).unwrap());
            for (of_x, of_y) in SIZES.into_iter().flat_map(|x| SIZES.map(|y| (x, y))) {
                let bytes = |first, count| (0..count as u64).map(|i| byte(1, first, i)).collect::<Vec<_>>();
                let (from_x, from_y) = (bytes(true, of_x), bytes(false, of_y));
                let (mut at_x, mut at_y) = (vec![0; of_y], vec![0; of_x]);
                let before = [x.rounds(), y.rounds()];
                let exchanged = tokio::join!(x.exchange(&from_x, &mut at_x), y.exchange(&from_y, &mut at_y));
                exchanged.0.unwrap();
                exchanged.1.unwrap();
                assert!(at_x == from_y && at_y == from_x, "{of_x} and {of_y} bytes");
                let rounds = [x.rounds() - before[0], y.rounds() - before[1]];
                assert_eq!(rounds, [of_x, of_y].map(|bytes| u64::from(bytes > 0)));
            }
            assert_eq!([x.bytes_sent(), x.bytes_received()], [y.bytes_received(), y.bytes_sent()]);
            // An exchange is compatible with a peer that sends and then receives.
            let (mut at_x, mut at_y) = (vec![0; 5], vec![0; 9]);
            let (sent, received) = tokio::join!(x.exchange(&[7; 9], &mut at_x), async {
                y.send(&[8; 5]).await.unwrap();
                y.receive_into(&mut at_y).await
            });
            sent.unwrap();
            received.unwrap();
            assert_eq!((at_x, at_y), (vec![8; 5], vec![7; 9]));
        })
        .await;
    }
}

/// One task can wait in several places: the end of one wait must not remove the others' wakers.
#[tokio::test]
async fn a_wait_that_ends_leaves_other_waits_of_its_task() {
    for kind in KINDS {
        limited(async {
            let (a, b) = pair(kind, WINDOW).await;
            let open = |connection: &Connection| [1, 2].map(|id| connection.open(StreamId(id)).unwrap());
            let ([mut first, mut second], [mut to_first, mut to_second]) = (open(&a), open(&b));
            let (arrived, seen) = tokio::sync::oneshot::channel();
            // The first is polled before the second ends its wait; then only its own bytes can wake the task.
            let received = tokio::spawn(async move {
                tokio::join!(
                    biased;
                    async { first.receive(1).await.map(<[u8]>::to_vec) },
                    async {
                        let bytes = second.receive(1).await.map(<[u8]>::to_vec);
                        arrived.send(()).unwrap();
                        bytes
                    },
                )
            });
            tokio::task::yield_now().await;
            to_second.send(&[2]).await.unwrap();
            to_second.flush().await.unwrap();
            seen.await.unwrap();
            to_first.send(&[1]).await.unwrap();
            to_first.flush().await.unwrap();
            // A lost wake-up is recovered only when the connection's time limit ends, which is too late.
            let received = tokio::time::timeout(Duration::from_secs(15), received);
            let (first, second) = received.await.expect("a wake-up was lost").unwrap();
            assert_eq!((first.unwrap(), second.unwrap()), (vec![1], vec![2]));
        })
        .await;
    }
}

#[tokio::test]
async fn bytes_that_are_given_away_arrive_in_a_frame_of_their_own() {
    const LENGTH: usize = 100_000;
    for kind in KINDS {
        limited(async {
            let (a, b) = pair(kind, 1 << 20).await;
            let (mut x, mut y) = (a.open(StreamId(1)).unwrap(), b.open(StreamId(1)).unwrap());
            // What leaves at the start of a message is cut into shorter frames.
            x.give(vec![7; 8 * 16 * 1024]).await.unwrap();
            x.flush().await.unwrap();
            assert!(y.receive_frame(8 * 16 * 1024).await.unwrap().is_none());
            y.receive_into(&mut [0; 8 * 16 * 1024]).await.unwrap();
            let (before, mut kept, mut written) = (a.meter().total(), Vec::new(), 0);
            for number in 0..40_u8 {
                let given = vec![number; LENGTH + usize::from(number)];
                let memory = given.as_ptr();
                x.send(&[number]).await.unwrap();
                x.give(given).await.unwrap();
                let (flushed, first) = tokio::join!(x.flush(), async {
                    assert!(y.receive_frame(2).await.unwrap().is_none());
                    y.receive(1).await.map(|head| head[0])
                });
                flushed.unwrap();
                assert_eq!(first.unwrap(), number);
                let frame = y.receive_frame(LENGTH + usize::from(number)).await.unwrap().unwrap();
                assert!(
                    frame.len() == LENGTH + usize::from(number) && frame.iter().all(|byte| *byte == number)
                );
                assert_eq!(format!("{frame:?}"), format!("Received({})", frame.len()));
                // Those that are held do not change as others arrive.
                kept.extend((number % 8 == 0).then_some(frame));
                while let Some(back) = x.take_written() {
                    written += 1;
                    assert_eq!((back.as_ptr(), back.len()), (memory, LENGTH + usize::from(number)));
                }
            }
            assert!(
                kept.iter()
                    .zip((0..).step_by(8))
                    .all(|(frame, number)| frame.iter().all(|byte| *byte == number))
            );
            let sent = a.meter().total();
            let payload = (0..40).map(|number| LENGTH as u64 + 1 + number).sum::<u64>();
            assert_eq!(sent.bytes_sent - before.bytes_sent, payload + 80 * 16);
            assert_eq!(
                (written, x.bytes_sent(), y.bytes_received()),
                (40, payload + 131_072, payload + 131_072)
            );
            let (done_x, done_y) = tokio::join!(x.finish(), y.finish());
            done_x.unwrap();
            done_y.unwrap();
        })
        .await;
    }
}

#[tokio::test]
async fn bytes_are_metered_exactly_and_by_phase() {
    const HEADER: u64 = 16;
    for kind in KINDS {
        limited(async {
            let (a, b) = pair(kind, WINDOW).await;
            let before = [a.meter().counts(Phase::Analysis), b.meter().counts(Phase::Analysis)];
            a.meter().set_phase(Phase::Setup);
            b.meter().set_phase(Phase::Setup);
            let (mut x, mut y) = (a.open(StreamId(1)).unwrap(), b.open(StreamId(1)).unwrap());
            x.send(&[1; 1000]).await.unwrap();
            x.send(&[2; 24]).await.unwrap();
            x.flush().await.unwrap();
            y.receive(1024).await.unwrap();
            b.meter().set_phase(Phase::Online);
            y.send(&[3; 7]).await.unwrap();
            y.flush().await.unwrap();
            x.receive(7).await.unwrap(); // Ahead of its own phase.
            a.meter().set_phase(Phase::Online);
            let (done_x, done_y) = tokio::join!(x.finish(), y.finish());
            done_x.unwrap();
            done_y.unwrap();

            let setup = a.meter().counts(Phase::Setup);
            assert_eq!((setup.bytes_sent, setup.messages_sent, setup.rounds), (2 * HEADER + 1024, 1, 1));
            let setup = b.meter().counts(Phase::Setup);
            assert_eq!((setup.bytes_sent, setup.bytes_received), (HEADER, 2 * HEADER + 1024));
            let online = a.meter().counts(Phase::Online);
            assert_eq!((online.bytes_sent, online.messages_sent, online.rounds), (HEADER, 0, 0));
            assert_eq!(online.messages_received, 1);
            let online = b.meter().counts(Phase::Online);
            assert_eq!((online.bytes_sent, online.messages_sent, online.rounds), (2 * HEADER + 7, 1, 0));
            for phase in [Phase::Setup, Phase::Online] {
                let [a, b] = [a.meter().counts(phase), b.meter().counts(phase)];
                assert_eq!((a.bytes_sent, a.messages_sent), (b.bytes_received, b.messages_received));
                assert_eq!((b.bytes_sent, b.messages_sent), (a.bytes_received, a.messages_received));
            }
            assert_eq!(a.meter().total().bytes_sent, b.meter().total().bytes_received);
            assert_eq!(b.meter().total().bytes_sent, a.meter().total().bytes_received);
            let after = [a.meter().counts(Phase::Analysis), b.meter().counts(Phase::Analysis)];
            assert_eq!(before.map(|counts| counts.bytes_sent), after.map(|counts| counts.bytes_sent));
        })
        .await;
    }
}

#[tokio::test]
async fn rounds_are_turns_from_sending_to_receiving() {
    let (a, b) = pair(Kind::Memory, WINDOW).await;
    let (mut x, mut y) = (a.open(StreamId(1)).unwrap(), b.open(StreamId(1)).unwrap());
    limited(async {
        for _ in 0..3 {
            x.send(&[1, 2]).await.unwrap();
            x.send(&[3]).await.unwrap();
            let ((), ()) = tokio::join!(async { x.receive(1).await.map(|_| ()).unwrap() }, async {
                y.receive(1).await.unwrap();
                y.receive(2).await.unwrap();
                y.send(&[4, 5]).await.unwrap();
                y.flush().await.unwrap();
            });
            x.receive(1).await.unwrap();
        }
    })
    .await;
    assert_eq!((x.rounds(), y.rounds()), (3, 2));
    assert_eq!(a.meter().total().rounds, 3);
}

#[tokio::test]
async fn limits_of_one_call_are_errors() {
    let (a, _b) = pair(Kind::Memory, WINDOW).await;
    let mut x = a.open(StreamId(1)).unwrap();
    assert!(matches!(x.reserve(MAX_RESERVE + 1).await, Err(NetError::TooLong { .. })));
    assert!(matches!(x.receive(MAX_RESERVE + 1).await, Err(NetError::TooLong { .. })));
    assert_eq!(x.reserve(0).await.unwrap(), b"");
    assert_eq!(x.receive(0).await.unwrap(), b"");
    x.receive_into(&mut []).await.unwrap();
}

#[tokio::test]
async fn a_stream_number_serves_once() {
    let (a, b) = pair(Kind::Memory, WINDOW).await;
    let x = a.open(StreamId(1)).unwrap();
    assert!(matches!(a.open(StreamId(1)), Err(NetError::StreamReused { stream: StreamId(1) })));
    let y = b.open(StreamId(1)).unwrap();
    let (done_x, done_y) = limited(async { tokio::join!(x.finish(), y.finish()) }).await;
    done_x.unwrap();
    done_y.unwrap();
    assert!(matches!(a.open(StreamId(1)), Err(NetError::StreamReused { .. })));
    drop(a.open(StreamId(2)).unwrap());
    assert!(matches!(a.open(StreamId(2)), Err(NetError::StreamReused { .. })));
}

#[tokio::test]
async fn bytes_that_nobody_asked_for_are_an_error() {
    for kind in KINDS {
        limited(async {
            let (a, b) = pair(kind, WINDOW).await;
            let (mut x, mut y) = (a.open(StreamId(1)).unwrap(), b.open(StreamId(1)).unwrap());
            x.send(&[1; 100]).await.unwrap();
            x.flush().await.unwrap();
            y.receive(99).await.unwrap();
            let error = y.finish().await.unwrap_err();
            assert!(matches!(error, NetError::Protocol { .. }), "{error}");
        })
        .await;
    }
}

#[tokio::test]
async fn a_stream_that_ends_early_is_an_error() {
    for kind in KINDS {
        limited(async {
            let (a, b) = pair(kind, WINDOW).await;
            let (mut x, mut y) = (a.open(StreamId(1)).unwrap(), b.open(StreamId(1)).unwrap());
            x.send(&[1; 100]).await.unwrap();
            let receive = async {
                let error = y.receive(101).await.unwrap_err();
                assert!(matches!(error, NetError::Protocol { .. }), "{error}");
                drop(y);
                b.abort().await;
            };
            let (finished, ()) = tokio::join!(x.finish(), receive);
            let error = finished.unwrap_err();
            assert!(matches!(error, NetError::Aborted { .. }), "{error}");
        })
        .await;
    }
}

#[tokio::test]
async fn the_last_bytes_are_never_lost() {
    for kind in KINDS {
        limited(async {
            let (a, b) = pair(kind, 4 * WINDOW).await;
            let (mut x, mut y) = (a.open(StreamId(1)).unwrap(), b.open(StreamId(1)).unwrap());
            let sender = async {
                x.send(&[7; 2 * WINDOW]).await.unwrap();
                x.flush().await.unwrap();
                drop(x);
                a.close().await
            };
            let receiver = async {
                let mut bytes = vec![0; 2 * WINDOW];
                y.receive_into(&mut bytes).await.unwrap();
                assert!(bytes.iter().all(|byte| *byte == 7));
                let error = y.receive(1).await.unwrap_err();
                assert!(matches!(error, NetError::Finished { .. }), "{error}");
                b.close().await
            };
            let (sent, received) = tokio::join!(sender, receiver);
            sent.unwrap();
            received.unwrap();
        })
        .await;
    }
}

#[tokio::test]
async fn a_peer_that_vanishes_is_told_from_one_that_finished() {
    for kind in KINDS {
        limited(async {
            let (a, b) = pair(kind, WINDOW).await;
            let mut y = b.open(StreamId(1)).unwrap();
            drop(a);
            let error = y.receive(1).await.unwrap_err();
            assert!(matches!(&error, NetError::Closed { peer } if peer == "A"), "{error}");
            assert!(matches!(b.close().await, Err(NetError::Closed { .. })));
        })
        .await;
    }
}

#[tokio::test]
async fn an_abort_reaches_everyone_who_waits() {
    for kind in KINDS {
        limited(async {
            let (a, b) = pair(kind, WINDOW).await;
            let (mut x, mut y) = (a.open(StreamId(1)).unwrap(), b.open(StreamId(1)).unwrap());
            let mut own = a.open(StreamId(2)).unwrap();
            let (far, near, mine, ()) = tokio::join!(
                async {
                    let error = y.receive(1).await.unwrap_err();
                    drop((y, b));
                    error
                },
                async { x.receive(1).await.unwrap_err() },
                async { own.receive(1).await.unwrap_err() },
                a.abort(),
            );
            assert!(matches!(&far, NetError::Aborted { peer } if peer == "A"), "{far}");
            assert!(matches!(near, NetError::Cancelled { .. }), "{near}");
            assert!(matches!(mine, NetError::Cancelled { .. }), "{mine}");
        })
        .await;
    }
}

#[tokio::test]
async fn what_was_said_before_an_abort_is_read_on_a_stream_that_is_opened_after_it() {
    for kind in KINDS {
        limited(async {
            let (a, b) = pair(kind, WINDOW).await;
            let mut x = a.open(StreamId(1)).unwrap();
            let mut silent = b.open(StreamId(9)).unwrap();
            x.send(b"the reason").await.unwrap();
            x.flush().await.unwrap();
            let ((), aborted) = tokio::join!(a.abort(), silent.arrival());
            assert!(matches!(aborted, Err(NetError::Aborted { .. })), "{aborted:?}");
            let mut y = b.open(StreamId(1)).unwrap();
            assert_eq!(y.receive(10).await.unwrap(), b"the reason");
            assert!(matches!(y.receive(1).await, Err(NetError::Aborted { .. })));
            let mut z = b.open(StreamId(2)).unwrap();
            assert!(matches!(z.receive(1).await, Err(NetError::Aborted { .. })));
            z.send(&[1]).await.unwrap();
            assert!(matches!(z.flush().await, Err(NetError::Aborted { .. })));
            assert!(matches!(b.open(StreamId(1)), Err(NetError::StreamReused { .. })));
        })
        .await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_abort_waits_for_a_peer_that_does_not_react_two_seconds_in_all() {
    // The other end exists, but nobody reads there.
    let (a, _b) = memory::pair(Options::default());
    let before = Instant::now();
    a.abort().await;
    assert_eq!(before.elapsed(), Duration::from_secs(2));
}

#[tokio::test(start_paused = true)]
async fn an_abort_does_not_wait_for_a_peer_that_has_let_a_time_limit_pass() {
    let (a, _b) = memory::pair(Options::default());
    let error = a.open(StreamId(1)).unwrap().receive(1).await.unwrap_err();
    assert!(matches!(error, NetError::Timeout { .. }), "{error}");
    let before = Instant::now();
    a.abort().await;
    assert_eq!(before.elapsed(), Duration::ZERO);
    let (a, _b) = memory::pair(Options::default());
    a.expect_nothing();
    a.abort().await;
    assert_eq!(before.elapsed(), Duration::ZERO);
}

#[tokio::test]
async fn an_interruption_reaches_the_peer_from_a_thread_without_a_runtime() {
    for kind in KINDS {
        limited(async {
            let (a, b) = pair(kind, WINDOW).await;
            let mut own = a.open(StreamId(1)).unwrap();
            let mut theirs = b.open(StreamId(1)).unwrap();
            let other = a.clone();
            std::thread::spawn(move || other.interrupt()).join().unwrap();
            let error = theirs.receive(1).await.unwrap_err();
            assert!(matches!(&error, NetError::Aborted { peer } if peer == "A"), "{error}");
            let error = own.receive(1).await.unwrap_err();
            assert!(matches!(error, NetError::Cancelled { .. }), "{error}");
        })
        .await;
    }
}

#[tokio::test]
async fn a_recording_does_not_depend_on_framing() {
    let mut hashes = Vec::new();
    for piece in [1, 7, 100_000] {
        let ((a, recorder), (b, other)) = memory::recorded_pair(Options::default());
        let (mut x, mut y) = (a.open(StreamId(1)).unwrap(), b.open(StreamId(1)).unwrap());
        let bytes: Vec<u8> = (0..100_000u32).map(|i| i as u8).collect();
        for part in bytes.chunks(piece) {
            x.send(part).await.unwrap();
            if piece > 1 {
                x.flush().await.unwrap();
            }
        }
        let mut received = vec![0; bytes.len()];
        let (finished, ()) = limited(async {
            tokio::join!(x.finish(), async {
                y.receive_into(&mut received).await.unwrap();
                y.finish().await.unwrap();
            })
        })
        .await;
        finished.unwrap();
        assert_eq!(other.sent(StreamId(1)), other.sent(StreamId(2)), "nothing was sent");
        assert_ne!(recorder.sent(StreamId(1)), other.sent(StreamId(1)));
        hashes.push(recorder.sent(StreamId(1)));
    }
    assert!(hashes.iter().all(|hash| *hash == hashes[0]));
}

#[tokio::test]
async fn the_first_bytes_of_a_message_leave_before_the_rest_is_made() {
    let first = 16 * 1024;
    let (a, b) = memory::pair(Options::default());
    let (mut a, mut b) = (a.open(StreamId(1)).unwrap(), b.open(StreamId(1)).unwrap());
    for _ in 0..2 {
        // A byte more than the first part, and no flush.
        a.send(&vec![7; first + 1]).await.unwrap();
        assert_eq!(limited(b.receive(first)).await.unwrap(), vec![7; first]);
        // The rest leaves before the answer is awaited.
        b.send(&[1]).await.unwrap();
        b.flush().await.unwrap();
        assert_eq!(limited(a.receive(1)).await.unwrap(), [1]);
        assert_eq!(limited(b.receive(1)).await.unwrap(), [7]);
    }
}
