//! Links slowed down on purpose.

use std::os::unix::net::UnixStream;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use tacit_net::shape::Shape;
use tacit_net::{Connection, NetError, Options, StreamId};

use crate::ends::{Couple, Kind, limited};

#[test]
fn forms_are_read_back_and_have_three_digits() {
    let shape = |bandwidth_bits_per_s, nanoseconds| Shape {
        bandwidth_bits_per_s,
        latency: Duration::from_nanos(nanoseconds),
    };
    for (exact, form) in [
        (shape(93_149_999, 4_054_999), "93.1mbit,4.05ms"),
        (shape(93_150_001, 4_055_001), "93.2mbit,4.06ms"),
        (shape(9_999_999_999, 999_999), "10gbit,1ms"),
        (shape(1_234_567, 31_415), "1.23mbit,31.4us"),
        (shape(56_000, 0), "56kbit,0us"),
        (shape(1, 7), "0.001kbit,0.007us"),
        (shape(u64::MAX, 3_600_000_000_000), "18400000000gbit,3600000ms"),
    ] {
        assert_eq!(exact.rounded().form(), form);
    }
    for digit in 1..100u64 {
        let exact = shape(digit * 7_919 * digit, digit * 104_729).rounded();
        assert_eq!(exact.rounded(), exact);
        assert_eq!(exact.form().parse(), Ok(exact), "{}", exact.form());
    }
}

#[test]
fn profiles_are_read() {
    let shape = |text: &str| text.parse::<Shape>();
    assert_eq!(shape("lan").unwrap(), Shape::LAN);
    assert_eq!(shape("wan").unwrap(), Shape::WAN);
    let expected = Shape { bandwidth_bits_per_s: 100_000_000, latency: Duration::from_millis(100) };
    assert_eq!(shape("100mbit,100ms").unwrap(), expected);
    assert_eq!(shape("1.5gbit,0.5ms").unwrap().bandwidth_bits_per_s, 1_500_000_000);
    assert_eq!(shape(&expected.to_string()).unwrap(), expected);
    for bad in [
        "",
        "fast",
        "100mbit",
        "100,100ms",
        "-1mbit,1ms",
        "0mbit,1ms",
        "1mbit,infs",
        "1e9mbit,1ms",
        "1mbit,9999s",
    ] {
        assert!(shape(bad).is_err(), "{bad}");
    }
}

fn ends(shape: Shape) -> (Connection, Connection) {
    let (a, b) = tokio::io::duplex(1 << 20);
    let over = |end, peer| Connection::over(shape.apply(Box::new(end)), Options::for_peer(peer));
    (over(a, "B"), over(b, "A"))
}

#[tokio::test]
async fn a_round_trip_takes_twice_the_latency() {
    let (a, b) = ends(Shape { bandwidth_bits_per_s: 1_000_000_000, latency: Duration::from_millis(20) });
    let (mut x, mut y) = (a.open(StreamId(1)).unwrap(), b.open(StreamId(1)).unwrap());
    let start = Instant::now();
    let (_, ()) = tokio::join!(
        async {
            x.send(b"ping").await.unwrap();
            x.receive(4).await.map(|_| ()).unwrap();
        },
        async {
            y.receive(4).await.unwrap();
            y.send(b"pong").await.unwrap();
            y.flush().await.unwrap();
        }
    );
    let elapsed = start.elapsed();
    assert!(elapsed >= Duration::from_millis(40), "{elapsed:?}");
}

#[tokio::test]
async fn bytes_take_their_time_and_keep_their_order() {
    let (a, b) = ends(Shape { bandwidth_bits_per_s: 80_000_000, latency: Duration::from_millis(5) });
    let (mut x, mut y) = (a.open(StreamId(1)).unwrap(), b.open(StreamId(1)).unwrap());
    let sent: Vec<u8> = (0..3_000_000u32).map(|i| (i % 251) as u8).collect();
    let mut received = vec![0; sent.len()];
    let start = Instant::now();
    let (done_x, done_y) = tokio::join!(
        async {
            x.send(&sent).await?;
            x.finish().await?;
            a.close().await
        },
        async {
            y.receive_into(&mut received).await?;
            y.finish().await?;
            b.close().await
        }
    );
    done_x.unwrap();
    done_y.unwrap();
    assert!(received == sent);
    // 3 MB at 10 MB/s.
    let elapsed = start.elapsed();
    assert!(elapsed >= Duration::from_millis(305), "{elapsed:?}");
}

/// One end of a socket behind a link.
fn shaped(stream: UnixStream, peer: &str) -> Connection {
    stream.set_nonblocking(true).unwrap();
    let stream = tokio::net::UnixStream::from_std(stream).unwrap();
    let shape: Shape = "100mbit,5ms".parse().unwrap();
    Connection::over(shape.apply(Box::new(stream)), Options::for_peer(peer))
}

fn on_one_thread<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

/// Like bytes that an operating system has taken.
#[test]
fn bytes_arrive_while_their_sender_computes() {
    let (mine, theirs) = UnixStream::pair().unwrap();
    let (arrived, arrival) = mpsc::channel();
    let receiver = std::thread::spawn(move || {
        on_one_thread(async {
            let connection = shaped(theirs, "A");
            let mut channel = connection.open(StreamId(1)).unwrap();
            channel.send(b"ready").await.unwrap();
            arrived.send(channel.receive(5).await.unwrap().to_vec()).unwrap();
        });
    });
    on_one_thread(async {
        let connection = shaped(mine, "B");
        let mut channel = connection.open(StreamId(1)).unwrap();
        assert_eq!(channel.receive(5).await.unwrap(), b"ready");
        channel.send(b"hello").await.unwrap();
        channel.flush().await.unwrap();
        // This occupies the only thread of the runtime until the bytes have arrived.
        assert_eq!(arrival.recv_timeout(Duration::from_secs(60)).unwrap(), b"hello");
    });
    receiver.join().unwrap();
}

/// The thread that interrupts has no runtime, and the link takes no more bytes for two seconds.
#[test]
fn any_thread_may_interrupt_a_link_with_a_backlog() {
    let (a, b) = tokio::io::duplex(1 << 20);
    on_one_thread(async {
        let over = |end, shape: &str, peer| {
            let shape: Shape = shape.parse().unwrap();
            Connection::over(shape.apply(Box::new(end)), Options::for_peer(peer))
        };
        let (a, b) = (over(a, "64kbit,0ms", "B"), over(b, "1gbit,0ms", "A"));
        let (mut x, mut y) = (a.open(StreamId(1)).unwrap(), b.open(StreamId(1)).unwrap());
        y.send(&[1]).await.unwrap();
        y.flush().await.unwrap();
        x.receive(1).await.unwrap();
        x.send(&[2; 256 * 1024 + 16 * 1024]).await.unwrap();
        x.flush().await.unwrap();
        std::thread::scope(|scope| scope.spawn(|| a.interrupt()).join()).unwrap();
        let error = x.send(&[3]).await.and(x.flush().await).unwrap_err();
        assert!(matches!(error, NetError::Cancelled { .. }), "{error}");
    });
}

#[tokio::test]
async fn a_session_can_be_shaped() {
    let mut couple = Couple::new(Kind::Tls);
    couple.config.shape = Some("200mbit,2ms".parse().unwrap());
    let (a, b) = couple.meet().await;
    let (a, b) = (a.unwrap(), b.unwrap());
    assert_eq!(a.id(), b.id());
    let (closed_a, closed_b) = limited(async { tokio::join!(a.close(), b.close()) }).await;
    closed_a.unwrap();
    closed_b.unwrap();
}
