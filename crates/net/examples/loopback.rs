//! Throughput of one stream between two processes on this machine, as rows of JSON.
//!
//! `cargo run --release -p tacit-net --example loopback [MEGABYTES [TRANSPORT...]]`. The example starts
//! itself again as the sending party. Each row is one transport; `raw tcp` is a plain socket with calls of
//! the same sizes and no framing, for comparison.

use std::error::Error;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use tacit_net::keys::{self, SecretKey};
use tacit_net::session::{Config, Party, Transport};
use tacit_net::{MAX_RESERVE, Session, StreamId};

type Outcome = Result<(), Box<dyn Error>>;

/// Bytes of one call on the raw socket: one of the largest frames.
const RAW_BYTES: usize = 256 * 1024;

/// Round trips to measure.
const ROUNDS: u32 = 2000;

fn main() -> Outcome {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [role, kind, folder, megabytes, port] = &arguments[..]
        && role == "--sender"
    {
        return sender(kind, Path::new(folder), megabytes.parse()?, port.parse()?);
    }
    let megabytes = arguments.first().map_or(Ok(4000), |text| text.parse())?;
    let folder = std::env::temp_dir().join(format!("tacit-loopback-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let result = receive_all(&folder, megabytes, arguments.get(1..).unwrap_or_default());
    std::fs::remove_dir_all(&folder)?;
    result
}

fn receive_all(folder: &Path, megabytes: u64, chosen: &[String]) -> Outcome {
    for kind in ["raw", "tcp", "unix", "tls"] {
        match kind {
            _ if !chosen.is_empty() && chosen.iter().all(|name| name != kind) => {}
            "raw" => raw_receiver(folder, megabytes)?,
            _ => receiver(kind, folder, megabytes)?,
        }
    }
    Ok(())
}

fn spawn(kind: &str, folder: &Path, megabytes: u64, port: u16) -> Result<Child, Box<dyn Error>> {
    let child = Command::new(std::env::current_exe()?)
        .args(["--sender", kind])
        .arg(folder)
        .args([megabytes.to_string(), port.to_string()])
        .spawn()?;
    Ok(child)
}

/// Processor seconds of this process; the machine may be busy with other work, so this says more than elapsed
/// time.
fn computed() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|nanos| nanos.parse::<f64>().ok()).unwrap_or(f64::NAN) / 1e9
}

/// The measurements of one transport.
struct Row<'a> {
    transport: &'a str,
    bytes: u64,
    time: Duration,
    sender_seconds: f64,
    receiver_seconds: f64,
    round_trip: Option<Duration>,
}

impl Row<'_> {
    fn print(&self) {
        let gigabytes = self.bytes as f64 / 1e9;
        let round_trip =
            self.round_trip.map_or("null".to_owned(), |time| format!("{:.1}", 1e6 * time.as_secs_f64()));
        println!(
            "{{\"transport\": \"{}\", \"bytes\": {}, \"seconds\": {:.4}, \"gigabytes_per_second\": {:.3}, \
             \"sender_cpu_seconds_per_gigabyte\": {:.3}, \"receiver_cpu_seconds_per_gigabyte\": {:.3}, \
             \"round_trip_us\": {round_trip}}}",
            self.transport,
            self.bytes,
            self.time.as_secs_f64(),
            gigabytes / self.time.as_secs_f64(),
            self.sender_seconds / gigabytes,
            self.receiver_seconds / gigabytes,
        );
    }
}

fn raw_receiver(folder: &Path, megabytes: u64) -> Outcome {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let mut child = spawn("raw", folder, megabytes, listener.local_addr()?.port())?;
    let (mut stream, _) = listener.accept()?;
    let mut buffer = vec![0; RAW_BYTES];
    stream.read_exact(&mut buffer[..1])?;
    let (start, before, mut received) = (Instant::now(), computed(), 0);
    let bytes = megabytes * 1_000_000;
    while received < bytes {
        match stream.read(&mut buffer[..(bytes - received).min(RAW_BYTES as u64) as usize])? {
            0 => return Err("the sender ended early".into()),
            n => received += n as u64,
        }
    }
    let (time, receiver_seconds) = (start.elapsed(), computed() - before);
    let mut seconds = [0; 8];
    stream.read_exact(&mut seconds)?;
    let sender_seconds = f64::from_le_bytes(seconds);
    Row { transport: "raw tcp", bytes, time, sender_seconds, receiver_seconds, round_trip: None }.print();
    child.wait()?;
    Ok(())
}

fn raw_sender(megabytes: u64, port: u16) -> Outcome {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.write_all(&[0])?;
    let buffer = vec![7; RAW_BYTES];
    let (before, mut left) = (computed(), megabytes * 1_000_000);
    while left > 0 {
        let n = left.min(RAW_BYTES as u64);
        stream.write_all(&buffer[..n as usize])?;
        left -= n;
    }
    stream.write_all(&(computed() - before).to_le_bytes())?;
    Ok(())
}

/// The two parties; the receiver `A` listens. Fresh keys are written to the folder.
fn config(kind: &str, folder: &Path, port: u16) -> Result<Config, Box<dyn Error>> {
    let party = |name: &str, port: u16| -> Result<Party, Box<dyn Error>> {
        let address = match kind {
            "unix" => format!("unix:{}", folder.join(name).display()),
            _ => format!("127.0.0.1:{port}"),
        };
        let key = SecretKey::load(&key_file(folder, name))?.public();
        Ok(Party { name: name.to_owned(), address: address.parse()?, key: Some(key) })
    };
    let transport = if kind == "tls" { Transport::Tls } else { Transport::Plain };
    Ok(Config { transport, ..Config::new(vec![party("A", port)?, party("B", port + 1)?]) })
}

fn key_file(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.key"))
}

fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}

fn receiver(kind: &str, folder: &Path, megabytes: u64) -> Outcome {
    for name in ["A", "B"] {
        if !key_file(folder, name).exists() {
            keys::generate()?.0.save(&key_file(folder, name))?;
        }
    }
    let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let mut child = spawn(kind, folder, megabytes, port)?;
    runtime()?.block_on(receive(kind, folder, megabytes, port))?;
    child.wait()?;
    Ok(())
}

async fn receive(kind: &str, folder: &Path, megabytes: u64, port: u16) -> Outcome {
    let config = config(kind, folder, port)?;
    let key = SecretKey::load(&key_file(folder, "A"))?;
    let session = Session::establish(&config, "A", Some(&key), vec![]).await?;
    let connection = session.connection("B").ok_or("no link to B")?;
    let mut channel = connection.open(StreamId(1))?;

    let start = Instant::now();
    for _ in 0..ROUNDS {
        channel.send(&[1]).await?;
        channel.receive(1).await?;
    }
    let round_trip = start.elapsed() / ROUNDS;

    let bytes = megabytes * 1_000_000;
    let (start, before, mut received, mut sum) = (Instant::now(), computed(), 0, 0);
    while received < bytes {
        let n = (bytes - received).min(MAX_RESERVE as u64);
        sum += u64::from(channel.receive(n as usize).await?[0]);
        received += n;
    }
    let (time, receiver_seconds) = (start.elapsed(), computed() - before);
    let mut seconds = [0; 8];
    channel.receive_into(&mut seconds).await?;
    assert_eq!(sum, 7 * bytes.div_ceil(MAX_RESERVE as u64), "what was sent arrived");
    let metered = session.meter().total().bytes_received;
    assert!((bytes..bytes + bytes / 1000 + 100_000).contains(&metered), "{metered} bytes metered");
    let sender_seconds = f64::from_le_bytes(seconds);
    Row { transport: kind, bytes, time, sender_seconds, receiver_seconds, round_trip: Some(round_trip) }
        .print();
    channel.finish().await?;
    session.close().await?;
    Ok(())
}

fn sender(kind: &str, folder: &Path, megabytes: u64, port: u16) -> Outcome {
    match kind {
        "raw" => raw_sender(megabytes, port),
        _ => runtime()?.block_on(send(kind, folder, megabytes, port)),
    }
}

async fn send(kind: &str, folder: &Path, megabytes: u64, port: u16) -> Outcome {
    let config = config(kind, folder, port)?;
    let key = SecretKey::load(&key_file(folder, "B"))?;
    let session = Session::establish(&config, "B", Some(&key), vec![]).await?;
    let connection = session.connection("A").ok_or("no link to A")?;
    let mut channel = connection.open(StreamId(1))?;

    for _ in 0..ROUNDS {
        channel.receive(1).await?;
        channel.send(&[1]).await?;
    }
    channel.flush().await?;

    let (before, mut left) = (computed(), megabytes * 1_000_000);
    while left > 0 {
        let n = left.min(MAX_RESERVE as u64);
        channel.reserve(n as usize).await?[0] = 7;
        left -= n;
    }
    channel.flush().await?;
    channel.send(&(computed() - before).to_le_bytes()).await?;
    channel.finish().await?;
    session.close().await?;
    Ok(())
}
