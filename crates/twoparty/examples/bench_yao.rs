//! Measures streamed garbling between two processes on this machine.
//!
//!     bench_yao [FLAT_ANDS]     # starts the other process; prints rows as JSON objects
//!
//! Two loads: AES-128 over 16 lanes, where each run's output is the next run's input, and one flat circuit of chained
//! AES-128 with about FLAT_ANDS ANDs (default 10^7); then the first load over a link of 100 Mbit/s, with half gates and
//! with three halves. Results are checked in the same run: outputs against evaluation in the clear, ANDs counted by the
//! kernels against gates times repetitions, bytes by the meter.

use std::error::Error;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::Instant;
use tacit_circuit::{Circuit, CircuitBuilder, Executable, Lit, Node, Target as Form, library};
use tacit_crypto::Prg;
use tacit_math::{Bits, Block};
use tacit_net::keys::{self, SecretKey};
use tacit_net::session::{Config, Party, Transport};
use tacit_net::{Channel, Session, StreamId};
use tacit_ot::rot;
use tacit_ot::softspoken::Params;
use tacit_twoparty::garbling::GarblingScheme;
use tacit_twoparty::yao::streamed::{Evaluator, Garbler};
use tacit_twoparty::yao::{LabelOperand, LabelTarget, Region, RevealTo, Side};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Bits of an AES key and of a block.
const BITS: usize = 128;
const LANES: usize = 16;
/// Runs of the circuit over lanes.
const RUNS: u64 = 800;
/// Runs over the narrow link.
const NARROW_RUNS: u64 = 10;
const NARROW: &str = "100 Mbit/s";
const FLAT_ANDS: u64 = 10_000_000;
const GARBLER: &str = "A";
const EVALUATOR: &str = "B";

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [role, kind, load, folder, port] = &arguments[..]
        && role == "--evaluator"
    {
        let place = Place { kind, folder: Path::new(folder), port: port.parse()? };
        return place.run(EVALUATOR, &Load::parse(load)?);
    }
    let flat_ands = arguments.first().map_or(Ok(FLAT_ANDS), |text| text.parse())?;
    let folder = std::env::temp_dir().join(format!("tacit-bench-yao-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let result = garble_all(&folder, flat_ands);
    std::fs::remove_dir_all(&folder)?;
    result
}

fn garble_all(folder: &Path, flat_ands: u64) -> Outcome<()> {
    for name in [GARBLER, EVALUATOR] {
        keys::generate()?.0.save(&key_file(folder, name))?;
    }
    let loads = [
        ("tcp", Load::Lanes),
        ("tls", Load::Lanes),
        ("unix", Load::Lanes),
        ("tcp", Load::flat(flat_ands)?),
        (NARROW, Load::Narrow(GarblingScheme::HalfGates)),
        (NARROW, Load::Narrow(GarblingScheme::ThreeHalves)),
    ];
    for (kind, load) in loads {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let place = Place { kind, folder, port };
        let mut other = place.spawn(&load)?;
        let outcome = place.run(GARBLER, &load);
        let status = other.wait()?;
        outcome?;
        ensure(status.success(), "the evaluator failed")?;
    }
    Ok(())
}

/// The load.
enum Load {
    /// AES over lanes, repeatedly.
    Lanes,
    /// This many AES in one circuit.
    Flat(u64),
    /// As lanes, but with few runs.
    Narrow(GarblingScheme),
}

impl Load {
    fn flat(ands: u64) -> Outcome<Load> {
        // The key schedule is shared by the whole chain.
        let [one, two] = [chain(1)?.stats().and_count, chain(2)?.stats().and_count];
        Ok(Load::Flat(1 + ands.saturating_sub(one) / (two - one)))
    }

    fn parse(text: &str) -> Outcome<Load> {
        Ok(match text {
            "lanes" => Load::Lanes,
            "half-gates" => Load::Narrow(GarblingScheme::HalfGates),
            "three-halves" => Load::Narrow(GarblingScheme::ThreeHalves),
            chained => Load::Flat(chained.parse()?),
        })
    }

    fn argument(&self) -> String {
        match self {
            Load::Lanes => "lanes".to_owned(),
            Load::Flat(chained) => chained.to_string(),
            Load::Narrow(GarblingScheme::HalfGates) => "half-gates".to_owned(),
            Load::Narrow(GarblingScheme::ThreeHalves) => "three-halves".to_owned(),
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Load::Lanes => "AES-128 x 16 lanes",
            Load::Flat(_) => "flat chain of AES-128",
            Load::Narrow(GarblingScheme::HalfGates) => "AES-128 x 16 lanes, half gates",
            Load::Narrow(GarblingScheme::ThreeHalves) => "AES-128 x 16 lanes, three halves",
        }
    }

    fn lanes(&self) -> usize {
        if matches!(self, Load::Flat(_)) { 1 } else { LANES }
    }

    fn scheme(&self) -> GarblingScheme {
        if let Load::Narrow(scheme) = self { *scheme } else { GarblingScheme::HalfGates }
    }

    /// The number of runs of the circuit, and of consecutive AES in them.
    fn runs(&self) -> (u64, u64) {
        match self {
            Load::Lanes => (RUNS, RUNS),
            Load::Flat(chained) => (1, *chained),
            Load::Narrow(_) => (NARROW_RUNS, NARROW_RUNS),
        }
    }

    fn executable(&self) -> Outcome<Executable> {
        Ok(match self {
            Load::Lanes | Load::Narrow(_) => Executable::new(&library::aes128()?, Form::Lanes),
            Load::Flat(chained) => Executable::new(&chain(*chained)?, Form::Flat),
        })
    }
}

/// AES under one key, where each output is the next input.
fn chain(count: u64) -> Outcome<Circuit> {
    let aes = library::aes128()?;
    let mut builder = CircuitBuilder::new();
    let key = builder.input(BITS as u32);
    let mut block = builder.input(BITS as u32);
    for _ in 0..count {
        block = inline(&mut builder, &aes, &[&key[..], &block].concat());
    }
    Ok(builder.finish(vec![block])?)
}

/// Adds the gates of a circuit over other inputs; returns its outputs.
fn inline(builder: &mut CircuitBuilder, circuit: &Circuit, inputs: &[Lit]) -> Vec<Lit> {
    let mut nodes = vec![Lit::FALSE; circuit.node_count()];
    let mut given = inputs.iter();
    let lit = |nodes: &[Lit], lit: Lit| nodes[lit.node() as usize].flip(lit.is_inverted());
    for index in 0..circuit.node_count() as u32 {
        nodes[index as usize] = match circuit.node(index) {
            Node::Constant => Lit::FALSE,
            Node::Input => *given.next().unwrap_or(&Lit::FALSE),
            Node::And(a, b) => builder.and(lit(&nodes, a), lit(&nodes, b)),
            Node::Xor(a, b) => builder.xor(lit(&nodes, a), lit(&nodes, b)),
        };
    }
    circuit.outputs().iter().flatten().map(|&output| lit(&nodes, output)).collect()
}

/// The place where the two processes meet.
struct Place<'a> {
    kind: &'a str,
    folder: &'a Path,
    port: u16,
}

impl Place<'_> {
    fn spawn(&self, load: &Load) -> Outcome<Child> {
        Ok(Command::new(std::env::current_exe()?)
            .args(["--evaluator", self.kind, &load.argument()])
            .arg(self.folder)
            .arg(self.port.to_string())
            .spawn()?)
    }

    fn config(&self) -> Outcome<Config> {
        let party = |name: &str, port: u16| -> Outcome<Party> {
            let address = match self.kind {
                "unix" => format!("unix:{}", self.folder.join(name).display()),
                _ => format!("127.0.0.1:{port}"),
            };
            let key = SecretKey::load(&key_file(self.folder, name))?.public();
            Ok(Party { name: name.to_owned(), address: address.parse()?, key: Some(key) })
        };
        let transport = if self.kind == "tls" { Transport::Tls } else { Transport::Plain };
        Ok(Config {
            transport,
            shape: if self.kind == NARROW { Some("100mbit,1ms".parse()?) } else { None },
            ..Config::new(vec![party(GARBLER, self.port)?, party(EVALUATOR, self.port + 1)?])
        })
    }

    fn run(&self, me: &str, load: &Load) -> Outcome<()> {
        // Before meeting, since a flat circuit takes long to build.
        let executable = load.executable()?;
        tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
            let key = SecretKey::load(&key_file(self.folder, me))?;
            let config = Config { timeout: std::time::Duration::from_secs(300), ..self.config()? };
            let session = Session::establish(&config, me, Some(&key), vec![]).await?;
            let peer = if me == GARBLER { EVALUATOR } else { GARBLER };
            let connection = session.connection(peer).ok_or("there is no link")?;
            let channel = connection.open(StreamId(1))?;
            let bytes = || session.meter().total().bytes_sent;
            if me == GARBLER {
                self.garble(load, &executable, session.id(), channel, bytes).await?;
            } else {
                evaluate(load, &executable, session.id(), channel).await?;
            }
            session.close().await?;
            Ok(())
        })
    }

    async fn garble(
        &self,
        load: &Load,
        executable: &Executable,
        session: [u8; 32],
        mut channel: Channel,
        bytes: impl Fn() -> u64,
    ) -> Outcome<()> {
        let mut prg = Prg::from_os()?;
        let ots = rot::Sender::setup(&mut channel, Params::K4, &session, &mut prg).await?;
        let mut side = Garbler::start(channel, ots, prg).await?.with_scheme(load.scheme());
        let mut walk = Walk::new(load);
        side.own_input(&keys_of(load), &mut walk.key).await?;
        side.peer_input(&mut walk.block).await?;
        // Both are ready when the evaluator has its inputs.
        side.reveal(RevealTo::Both, &walk.key[..1]).await?;
        let (start, busy, before) = (Instant::now(), cpu_seconds(), bytes());
        walk.run(&mut side, load, executable).await?;
        let values = side.reveal(RevealTo::Both, &walk.block).await?.ok_or("there is no output")?;
        let (seconds, busy, bytes) = (start.elapsed().as_secs_f64(), cpu_seconds() - busy, bytes() - before);
        let (runs, chained) = load.runs();
        let ands = runs * load.lanes() as u64 * executable.and_count;
        ensure(side.and_count() == ands, "the kernels counted another number of gates")?;
        ensure(values == expected(load, chained)?, "the output is wrong")?;
        let (name, kind) = (load.name(), self.kind);
        row(&format!("{name}, {kind}"), ands as f64 / seconds, "AND/s");
        row(&format!("traffic of {name}, {kind}"), bytes as f64 / ands as f64, "bytes an AND");
        let mut channel = side.finish().0;
        let busy = busy.max(f64::from_le_bytes(channel.receive(8).await?.try_into()?));
        if busy > 0.0 {
            row(
                &format!("{name}, {kind}, by the busier party's processor time"),
                ands as f64 / busy,
                "AND/s",
            );
        }
        channel.finish().await?;
        Ok(())
    }
}

async fn evaluate(
    load: &Load,
    executable: &Executable,
    session: [u8; 32],
    mut channel: Channel,
) -> Outcome<()> {
    let mut prg = Prg::from_os()?;
    let ots = rot::Receiver::setup(&mut channel, Params::K4, &session, &mut prg).await?;
    let mut side = Evaluator::start(channel, ots).await?.with_scheme(load.scheme());
    let mut walk = Walk::new(load);
    side.peer_input(&mut walk.key).await?;
    side.own_input(&blocks_of(load), &mut walk.block).await?;
    side.reveal(RevealTo::Both, &walk.key[..1]).await?;
    let busy = cpu_seconds();
    walk.run(&mut side, load, executable).await?;
    let values = side.reveal(RevealTo::Both, &walk.block).await?.ok_or("there is no output")?;
    let busy = cpu_seconds() - busy;
    let (runs, chained) = load.runs();
    ensure(
        side.and_count() == runs * load.lanes() as u64 * executable.and_count,
        "the kernels counted another number of gates",
    )?;
    ensure(values == expected(load, chained)?, "the output is wrong")?;
    let mut channel = side.finish().0;
    channel.send(&busy.to_le_bytes()).await?;
    channel.finish().await?;
    Ok(())
}

/// The labels of one party.
struct Walk {
    key: Vec<Block>,
    block: Vec<Block>,
}

impl Walk {
    fn new(load: &Load) -> Walk {
        let labels = || vec![Block::ZERO; BITS * load.lanes()];
        Walk { key: labels(), block: labels() }
    }

    /// Runs the circuit on the block as often as the load requires.
    async fn run<S: Side>(&mut self, side: &mut S, load: &Load, circuit: &Executable) -> Outcome<()> {
        let mut next = vec![Block::ZERO; self.block.len()];
        let mut region = Region { circuit, instances: load.lanes() as u64, first_id: 0 };
        for _ in 0..load.runs().0 {
            let operand = |labels| LabelOperand { labels, bits: BITS as u32, share: 1 };
            let targets = &mut [LabelTarget { labels: &mut next, bits: BITS as u32 }];
            side.circuit(region, &[operand(&self.key), operand(&self.block)], targets).await?;
            std::mem::swap(&mut self.block, &mut next);
            region.first_id = region.end_id()?;
        }
        Ok(())
    }
}

/// The parties' inputs, fixed so that each can check the outputs. Wire-major.
fn keys_of(load: &Load) -> Bits {
    Prg::new(Block(1)).next_bits(BITS * load.lanes())
}

fn blocks_of(load: &Load) -> Bits {
    Prg::new(Block(2)).next_bits(BITS * load.lanes())
}

/// The outputs by evaluation in the clear.
fn expected(load: &Load, chained: u64) -> Outcome<Bits> {
    let aes = Executable::new(&library::aes128()?, Form::Lanes);
    let lanes = load.lanes();
    let words = |bits: &Bits| -> Vec<u64> {
        (0..BITS).map(|b| (0..lanes).map(|l| u64::from(bits.get(b * lanes + l)) << l).sum()).collect()
    };
    let (key, mut block) = (words(&keys_of(load)), words(&blocks_of(load)));
    for _ in 0..chained {
        block = aes.evaluate_lanes(&[&key[..], &block].concat())?;
    }
    Ok(block.iter().flat_map(|word| (0..lanes).map(move |l| word >> l & 1 == 1)).collect())
}

/// The processor time of this thread so far, which is more reliable than the clock on a machine with other users;
/// zero if the system does not report it.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|nanos| nanos.parse::<f64>().ok()).unwrap_or(0.0) / 1e9
}

fn key_file(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.key"))
}

fn row(name: &str, value: f64, unit: &str) {
    println!("{{\"name\":\"{name}\",\"value\":{value},\"unit\":\"{unit}\"}}");
}

fn ensure(holds: bool, otherwise: &str) -> Outcome<()> {
    if holds { Ok(()) } else { Err(otherwise.into()) }
}
