//! A peer whose messages are too short or too long, at every message of a program in all domains: frames are complete and
//! in order, but one has a byte less or more than the protocol sends.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::thread;
use std::time::{Duration, Instant};

use crate::loopback::{Site, jobs_of, run_pair};
use tacit_engine::{Class, RunError};
use tacit_ir::{Builder, Domain, Program, Shape, ShiftOp, Words, interpret};
use tacit_net::session::Transport;
use tacit_net::socket::ByteStream;
use tacit_plan::PlanOptions;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

const LIMIT: Duration = Duration::from_secs(2);
const SLACK: Duration = Duration::from_secs(28);
const HEADER_BYTES: usize = 16;
const DATA: u8 = 1;
const END: u8 = 3;
/// The stream of the greeting, which belongs to no protocol.
const GREETING: u32 = u32::MAX;

/// A byte stream on which one message changes its length.
struct Resized {
    inner: Box<dyn ByteStream>,
    /// The index of the message, counted from 0.
    target: u64,
    longer: bool,
    seen: u64,
    /// By how much later positions on a stream have moved.
    moved: HashMap<u32, i64>,
    frame: Vec<u8>,
    ready: VecDeque<u8>,
}

impl Resized {
    fn take_in(&mut self, byte: u8) {
        self.frame.push(byte);
        if self.frame.len() < HEADER_BYTES {
            return;
        }
        let length = u32::from_le_bytes([self.frame[1], self.frame[2], self.frame[3], 0]) as usize;
        if self.frame.len() == HEADER_BYTES + length {
            let frame = std::mem::take(&mut self.frame);
            self.pass(frame, length);
        }
    }

    fn pass(&mut self, mut frame: Vec<u8>, length: usize) {
        let stream = u32::from_le_bytes(frame[4..8].try_into().unwrap());
        let kind = frame[0] & 0xf;
        if matches!(kind, DATA | END) {
            let position = u64::from_le_bytes(frame[8..16].try_into().unwrap());
            let moved = self.moved.get(&stream).copied().unwrap_or(0);
            frame[8..16].copy_from_slice(&position.wrapping_add_signed(moved).to_le_bytes());
        }
        if kind == DATA && stream != GREETING {
            if self.seen == self.target {
                *self.moved.entry(stream).or_default() += if self.longer { 1 } else { -1 };
                let length = if self.longer { length + 1 } else { length - 1 };
                frame.resize(HEADER_BYTES + length, 0x5a);
                frame[1..4].copy_from_slice(&(length as u32).to_le_bytes()[..3]);
                if length == 0 {
                    frame.clear();
                }
            }
            self.seen += 1;
        }
        self.ready.extend(frame);
    }

    fn poll_drain(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.ready.is_empty() {
            let n = ready!(Pin::new(&mut self.inner).poll_write(cx, self.ready.as_slices().0))?;
            self.ready.drain(..n);
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncRead for Resized {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(cx, buf)
    }
}

impl AsyncWrite for Resized {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        ready!(self.poll_drain(cx))?;
        bytes.iter().for_each(|byte| self.take_in(*byte));
        // Bytes that cannot be written now are written with the next write or flush.
        match self.poll_drain(cx) {
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            _ => Poll::Ready(Ok(bytes.len())),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_drain(cx))?;
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_drain(cx))?;
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}

/// Every conversion, and operations in every domain, each of which opens something.
fn everything() -> Program {
    let shape = |bits| Shape::Array { length: 5, element: Shape::Integer { bits, signed: false }.into() };
    let mut builder = Builder::new("everything");
    let [a, b] = ["A", "B"].map(|name| builder.role(name));
    let inputs = [a, b].map(|role| builder.input("x", role, shape(9)).unwrap());
    let outputs = [("first", vec![a, b], 9), ("second", vec![a], 9), ("third", vec![b], 1)]
        .map(|(name, roles, bits)| builder.output(name, roles, shape(bits)).unwrap());
    let mut main = builder.template("main", vec![]);
    let [x, y] = inputs.map(|port| main.input(&builder, port).unwrap()[0]);
    let mut pinned = |domain| [x, y].map(|value| main.pin(domain, value).unwrap());
    let ([xa, ya], [xb, yb]) = (pinned(Domain::Arith), pinned(Domain::Bool));
    let product = main.mul(xa, ya).unwrap();
    let square = main.mul(xa, xa).unwrap();
    let both = main.and(xb, yb).unwrap();
    // A to Y and B to Y, then Y to B and Y to A.
    let (from_a, from_b) = (main.pin(Domain::Yao, product).unwrap(), main.pin(Domain::Yao, both).unwrap());
    let less = main.lt_u(from_a, from_b).unwrap();
    let chosen = main.select(less, from_a, from_b).unwrap();
    let back = main.pin(Domain::Bool, chosen).unwrap();
    let again = main.xor(back, xb).unwrap();
    let mixed = main.and(again, yb).unwrap();
    // B to A and A to B.
    let as_sum = main.pin(Domain::Arith, mixed).unwrap();
    let scaled = main.mul(as_sum, square).unwrap();
    let as_bits = main.pin(Domain::Bool, scaled).unwrap();
    let last = main.and(as_bits, both).unwrap();
    for (port, value) in outputs.into_iter().zip([scaled, last, less]) {
        main.output(&builder, port, &[value]).unwrap();
    }
    builder.finish(main).unwrap()
}

/// Operations on sums that exchange messages of their own: comparisons without conversion, matrix products, selections, and
/// operations that convert to bits; and operations on words in `bool` that depend on many bits.
fn more() -> Program {
    let shape =
        |length, bits| Shape::Array { length, element: Shape::Integer { bits, signed: false }.into() };
    let mut builder = Builder::new("more");
    let [a, b] = ["A", "B"].map(|name| builder.role(name));
    let inputs = [a, b].map(|role| builder.input("x", role, shape(5, 9)).unwrap());
    let outputs = [
        ("less", 5, 1),
        ("matrix", 1, 9),
        ("chosen", 5, 9),
        ("shifted", 5, 9),
        ("least", 1, 9),
        ("quotient", 5, 9),
    ]
    .map(|(name, length, bits)| builder.output(name, vec![a, b], shape(length, bits)).unwrap());
    let mut main = builder.template("main", vec![]);
    let [x, y] = inputs.map(|port| main.input(&builder, port).unwrap()[0]);
    let [xa, ya] = [x, y].map(|value| main.pin(Domain::Arith, value).unwrap());
    let [xb, yb] = [x, y].map(|value| main.pin(Domain::Bool, value).unwrap());
    let less = main.lt_s(xa, ya).unwrap();
    let equal = main.eq(xa, ya).unwrap();
    let compared = main.or(less, equal).unwrap();
    let matrix = main.matrix_product(xa, ya, 1, 1, 5, 1).unwrap();
    let chosen = main.select(compared, xa, ya).unwrap();
    let chosen = main.pin(Domain::Arith, chosen).unwrap();
    let shifted = main.shift_by(ShiftOp::RightU, xa, 2).unwrap();
    let (least, _) = main.arg_min(xb, 5, false).unwrap();
    let quotient = main.div_u(xb, yb).unwrap();
    for (port, value) in outputs.into_iter().zip([compared, matrix, chosen, shifted, least, quotient]) {
        main.output(&builder, port, &[value]).unwrap();
    }
    builder.finish(main).unwrap()
}

/// Options by which comparisons of sums are not converted, however few they are.
fn planned() -> PlanOptions {
    let lowering = tacit_lower::Options { direct_comparisons: true, ..Default::default() };
    PlanOptions { lowering, ..PlanOptions::default() }
}

fn values() -> [Vec<Words>; 2] {
    [[7, 511, 0, 300, 2], [1, 511, 9, 17, 256]].map(|lanes| vec![Words::from_u128s(9, &lanes)])
}

/// Runs with one message resized; `None` for a party that ended normally.
fn resized(program: &Program, sender: usize, target: u64, longer: bool) -> [Option<Class>; 2] {
    let mut site = Site::new(Transport::Plain, LIMIT);
    site.configs[sender].wrap_frames = Some(Arc::new(move |inner| {
        let (frame, ready) = (Vec::new(), VecDeque::new());
        Box::new(Resized { inner, target, longer, seen: 0, moved: HashMap::new(), frame, ready })
    }));
    let inputs = values().map(|columns| vec![columns]);
    let jobs = jobs_of(program, inputs, site, &planned());
    let context = format!("message {target} of party {sender}, longer {longer}");
    let start = Instant::now();
    let expected = interpret(program, &values(), || 0).unwrap();
    let classes = run_pair(&jobs).map(|result| match result {
        Ok(outcome) => {
            for (got, expected) in outcome.outputs.iter().zip(&expected) {
                assert!(got.is_empty() || got == expected, "{context}");
            }
            None
        }
        Err(error) => {
            assert!(matches!(error, RunError::Failed { .. }), "{context}: {error}");
            assert!(matches!(error.class(), Class::Peer | Class::Abort), "{context}: {error}");
            Some(error.class())
        }
    });
    assert!(start.elapsed() < LIMIT + SLACK, "{context}: took {:?}", start.elapsed());
    classes
}

/// Messages of each party in a normal run, without those of the greeting.
fn messages(program: &Program) -> [u64; 2] {
    let inputs = values().map(|columns| vec![columns]);
    let jobs = jobs_of(program, inputs, Site::new(Transport::Plain, LIMIT), &planned());
    run_pair(&jobs).map(|outcome| {
        let report = outcome.unwrap().report;
        report.phases.iter().skip(1).map(|phase| phase.messages_sent).sum()
    })
}

/// Resizes every `step`-th message of either party.
fn strike(program: &Program, step: usize) {
    let cases: Vec<(usize, u64, bool)> = messages(program)
        .into_iter()
        .enumerate()
        .flat_map(|(sender, count)| (0..count).map(move |target| (sender, target)))
        .flat_map(|(sender, target)| [false, true].map(|longer| (sender, target, longer)))
        .step_by(step)
        .collect();
    assert!(cases.len() * step > 40, "{}", cases.len());
    for some in cases.chunks(16) {
        thread::scope(|scope| {
            let run = |case: &(usize, u64, bool)| {
                let (sender, target, longer) = *case;
                let ended = scope.spawn(move || resized(program, sender, target, longer));
                (sender, target, longer, ended)
            };
            let running: Vec<_> = some.iter().map(run).collect();
            for (sender, target, longer, ended) in running {
                let ended = ended.join().unwrap();
                let noticed = ended[1 - sender].is_some();
                assert!(noticed, "message {target} of party {sender}, longer {longer}: {ended:?}");
            }
        });
    }
}

#[test]
fn messages_of_wrong_length_are_errors() {
    strike(&everything(), 5);
}

#[test]
fn messages_of_wrong_length_in_other_operations_are_errors() {
    strike(&more(), 9);
}

#[test]
#[ignore = "a minute: every message"]
fn every_message_of_wrong_length_is_an_error() {
    strike(&everything(), 1);
    strike(&more(), 1);
}
