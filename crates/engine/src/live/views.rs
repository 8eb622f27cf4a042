//! Tests what either party of a live session sees, at toy sizes: even if later inputs depend on opened values, the view has the
//! same distribution for all inputs, except for opened values.
//!
//! Every lane is a session of its own in which `x0 & y0` is opened to both; then `x1` and `y1` are chosen depending on it, `x1 & y1` is
//! opened to the evaluator and `(x0 ^ y1) & y0` to the garbler. Lanes have all combinations of inputs in turn.

#[path = "../../tests/integration/loopback/tap.rs"]
#[expect(dead_code, reason = "the integration tests use the rest")]
mod tap;

use std::collections::HashSet;
use std::time::Duration;

use tacit_ir::{BinaryOp, Op, ValueId, ValueType, Words};
use tacit_math::{Bits, Block};
use tacit_net::session::Config;
use tacit_net::{Connection, Options};
use tacit_plan::{SecurityParams, Side};
use tacit_twoparty::yao::live::colours;
use tap::Tap;
use tokio::sync::oneshot;

use super::{LivePath, LiveValue, Script, SourcePlace, recipients};
use crate::CancelFlag;
use crate::open::{Link, OpenSession, SessionTerms};

/// Combinations of `x0`, `y0`, and the other inputs before they are changed by the opened value.
const COMBINATIONS: usize = 16;
const LANES: usize = COMBINATIONS << 10;
const BIT: ValueType = ValueType::word(1, LANES as u64);

/// One of the four bits of a lane's combination.
fn chosen(place: usize) -> Bits {
    (0..LANES).map(|lane| lane >> place & 1 == 1).collect()
}

fn words(bits: &Bits) -> Words {
    tacit_twoparty::bits::to_words(bits, 0, 1, LANES as u64)
}

/// One party's program.
struct ScriptWriter {
    script: Script,
    path: LivePath,
}

impl ScriptWriter {
    fn input(&self, giver: Side, own: &Bits) -> LiveValue {
        let own = (giver == self.script.side()).then(|| words(own));
        self.script.input(self.path, giver, "bit", BIT, own, &SourcePlace::default()).unwrap()
    }

    fn join(&self, op: BinaryOp, operands: [&LiveValue; 2]) -> LiveValue {
        let operand = |value: ValueId| operands.get(value.index()).map(|value| (*value).clone());
        let op = Op::Binary(op, ValueId(0), ValueId(1));
        self.script
            .operation(self.path, op, operand, None, &[BIT], &SourcePlace::default())
            .unwrap()
            .remove(0)
    }

    /// Opens a value, and returns it if this party learns it.
    async fn open(&self, value: &LiveValue, to: [bool; 2]) -> Option<Bits> {
        let (tell, told) = oneshot::channel();
        let opening = Box::new(move |opened| drop(tell.send(opened)));
        let recipients = recipients(to[0], to[1]).unwrap();
        self.script.open(self.path, value, recipients, &SourcePlace::default(), opening).unwrap();
        self.script.submit();
        told.await.unwrap().unwrap().map(|words| tacit_twoparty::bits::of_words(&words))
    }
}

/// What a party holds at the end.
struct Seen {
    /// Its labels of `x0`, `y0`, `x0 & y0`, `x1`, `y1`, `x1 & y1` and `(x0 ^ y1) & y0`.
    labels: [Vec<Block>; 7],
    /// What was opened to it: the first, third and second of these.
    opened: [Option<Bits>; 3],
    /// Everything that it sent, stream by stream.
    sent: Vec<Vec<u8>>,
    path: LivePath,
}

async fn write(script: Script) -> ([LiveValue; 7], [Option<Bits>; 3], LivePath) {
    let writer = ScriptWriter { path: script.path("main").unwrap(), script };
    let [x0, y0] =
        [(Side::Garbler, 0), (Side::Evaluator, 1)].map(|(giver, place)| writer.input(giver, &chosen(place)));
    let z0 = writer.join(BinaryOp::And, [&x0, &y0]);
    let first = writer.open(&z0, [true, true]).await.unwrap();
    let by_opened = |place: usize| {
        let mut bits = chosen(place);
        bits ^= &first;
        bits
    };
    let [x1, y1] = [(Side::Garbler, 2), (Side::Evaluator, 3)]
        .map(|(giver, place)| writer.input(giver, &by_opened(place)));
    let z1 = writer.join(BinaryOp::And, [&x1, &y1]);
    let second = writer.open(&z1, [false, true]).await;
    let mixed = writer.join(BinaryOp::Xor, [&x0, &y1]);
    let z2 = writer.join(BinaryOp::And, [&mixed, &y0]);
    let third = writer.open(&z2, [true, false]).await;
    writer.script.close();
    ([x0, y0, z0, x1, y1, z1, z2], [Some(first), second, third], writer.path)
}

/// One session over memory, in which what each party sends is recorded.
async fn session() -> [Seen; 2] {
    let ((first, second), taps) = (tokio::io::duplex(1 << 20), [Tap::default(), Tap::default()]);
    let options = Options { timeout: Duration::from_secs(60), ..Options::default() };
    let party = async |stream, tap: &Tap, side: Side| {
        let connection = Connection::over(tap.wrap()(Box::new(stream)), options.clone());
        let script = Script::new(side);
        let terms = SessionTerms {
            party: "one".to_owned(),
            peer: "other".to_owned(),
            session: Config { timeout: options.timeout, ..Config::new(Vec::new()) },
            key: None,
            security: SecurityParams::default(),
            shares: None,
        };
        let mut session = OpenSession::over(Link::Memory(connection, [7; 32]), terms).unwrap();
        let cancel = CancelFlag::new();
        let run = async {
            let report = session.live(&script, &cancel, || ()).await;
            session.close(None, &cancel).await.unwrap();
            report
        };
        let (report, (values, opened, path)) = tokio::join!(run, write(script.clone()));
        report.unwrap();
        let labels = values.map(|value| value.0.labels().unwrap().to_vec());
        Seen { labels, opened, sent: tap.sent(), path }
    };
    tokio::join!(party(first, &taps[0], Side::Garbler), party(second, &taps[1], Side::Evaluator)).into()
}

/// The values of all wires, in order.
fn values() -> [Bits; 7] {
    let both = |a: &Bits, b: &Bits| {
        let mut both = a.clone();
        both &= b;
        both
    };
    let either = |a: &Bits, b: &Bits| {
        let mut either = a.clone();
        either ^= b;
        either
    };
    let [x0, y0] = [0, 1].map(chosen);
    let z0 = both(&x0, &y0);
    let [x1, y1] = [2, 3].map(|place| either(&chosen(place), &z0));
    let (z1, z2) = (both(&x1, &y1), both(&either(&x0, &y1), &y0));
    [x0, y0, z0, x1, y1, z1, z2]
}

/// Fails unless the bits are jointly uniform in the lanes of each combination of inputs; false alarms occur about once in
/// 10^8 tests.
fn assert_alike(bits: &[Bits], what: &str) {
    let cells = 1 << bits.len();
    let expected = (LANES / COMBINATIONS) as f64 / cells as f64;
    for combination in 0..COMBINATIONS {
        let mut counts = vec![0.0; cells];
        for lane in (combination..LANES).step_by(COMBINATIONS) {
            counts[bits.iter().fold(0, |sum, bits| sum << 1 | usize::from(bits.get(lane)))] += 1.0;
        }
        let chi_square: f64 = counts.iter().map(|count| (count - expected).powi(2) / expected).sum();
        let freedom = cells as f64 - 1.0;
        assert!(chi_square < freedom + 9.0 * (2.0 * freedom).sqrt() + 10.0, "{what}, for {combination:04b}");
    }
}

/// Whether a message of bits is among what was sent.
fn was_sent(seen: &Seen, bits: &Bits) -> bool {
    let bytes = bits.to_bytes();
    seen.sent.iter().any(|stream| stream.windows(bytes.len()).any(|window| window == &bytes[..]))
}

/// The bits with which the evaluator turns the choices of its transfers into its inputs, both times.
fn corrections(seen: &Seen) -> [Bits; 2] {
    let inputs = &seen.sent[0];
    let head = [&1u32.to_le_bytes()[..], &seen.path.0].concat();
    let again = inputs.windows(head.len()).rposition(|window| window == &head[..]).expect("a second input");
    // Before the second input, and before the number of those that follow, which is 0.
    [again, inputs.len() - 4].map(|end| {
        let bytes = &inputs[end - LANES / 8..end];
        Bits::from_bytes(bytes, LANES).unwrap()
    })
}

#[test]
fn views_differ_in_what_is_opened_alone() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let [garbler, evaluator] = runtime.block_on(session());
    let values = values();
    let [_, _, z0, _, _, z1, z2] = values.each_ref();
    assert_eq!(garbler.opened, [Some(z0.clone()), None, Some(z2.clone())]);
    assert_eq!(evaluator.opened, [Some(z0.clone()), Some(z1.clone()), None]);
    let [zero, active] = [&garbler, &evaluator].map(|seen| seen.labels.each_ref().map(|all| colours(all)));
    for ((zero, active), value) in zero.iter().zip(&active).zip(&values) {
        let mut sum = zero.clone();
        sum ^= active;
        assert_eq!(sum, *value, "the colours at both ends are the value");
    }

    // The evaluator holds one label of each wire. Besides these it gets the garbler's colours of the values opened to it.
    assert_alike(&active, "what the evaluator holds");
    for (wire, labels) in evaluator.labels.iter().enumerate() {
        let planes = |shift: usize| -> Vec<Bits> {
            let bit = |place: usize| labels.iter().map(|label| label.0 >> (shift + place) & 1 == 1).collect();
            (0..4).map(bit).collect()
        };
        (0..128).step_by(4).for_each(|shift| assert_alike(&planes(shift), &format!("label of wire {wire}")));
    }
    let distinct: HashSet<Block> = evaluator.labels.iter().flatten().copied().collect();
    assert_eq!(distinct.len(), 7 * LANES, "a label is used for two wires");
    let told: Vec<bool> = zero.iter().map(|colours| was_sent(&garbler, colours)).collect();
    assert_eq!(told, [false, false, true, false, false, true, false], "the evaluator is told of these wires");

    // Besides its own labels, the garbler sees how the choices of transfers become inputs, and the colours of the values opened to it.
    let [first, second] = corrections(&evaluator);
    let own = [&zero[0], &zero[1], &zero[2], &zero[4]].map(Bits::clone);
    assert_alike(&[&[first, second][..], &own].concat(), "what the garbler is sent");
    let told: Vec<bool> = active.iter().map(|colours| was_sent(&evaluator, colours)).collect();
    assert_eq!(told, [false, false, true, false, false, false, true], "the garbler is told of these wires");
}
