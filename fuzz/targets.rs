//! What is fuzzed: every function takes any bytes and must neither panic, nor run on, nor take memory that its input does not
//! account for. They have the form that libFuzzer wants, which `target.rs` gives them to; `tests/decoders.rs` drives them on
//! stable Rust.

#[path = "homomorphic.rs"]
mod homomorphic;

use std::path::Path;

use tacit_circuit::formats;
use tacit_compare::{Half, Parameters, Results};
use tacit_engine::RunOptions;
use tacit_engine::private::Interface;
use tacit_he::dgk::ModulusSize;
use tacit_ir::{Program, RoleId, data};
use tacit_lower::CompiledCircuit;
use tacit_net::frame::{HEADER_BYTES, Header};
use tacit_net::session::SessionFile;
use tacit_twoparty::correlations::{MatrixShape, Pool, Requirement};
use tacit_twoparty::yao::prepared::{EvaluatorPrepared, GarblerPrepared};

/// No circuit is larger.
const MAX_WIRES: usize = 1 << 16;

/// A decoder and the name of its corpus.
pub type Target = (&'static str, fn(&[u8]));

/// Every decoder.
pub const TARGETS: &[Target] = &[
    ("ir_binary", ir_binary),
    ("ir_text", ir_text),
    ("circuit", circuit),
    ("aiger", aiger),
    ("blif", blif),
    ("netlist", netlist),
    ("session", session),
    ("inputs", inputs),
    ("llvm", llvm),
    ("frame", frame),
    ("greeting", tacit_net::fuzzing::greeting),
    ("store_index", tacit_store::fuzzing::index),
    ("store_segment", tacit_store::fuzzing::segment),
    ("stored_share", tacit_engine::fuzzing::stored_share),
    ("live_header", tacit_engine::fuzzing::live_header),
    ("live_inputs", tacit_engine::fuzzing::live_inputs),
    ("live_names", tacit_engine::fuzzing::live_names),
    ("interface", interface),
    ("parties_messages", tacit_nparty::fuzzing::messages),
    ("parties_dealt_messages", tacit_nparty::fuzzing::dealt_messages),
    ("parties_holdings", tacit_nparty::fuzzing::holdings),
    ("parties_material", tacit_nparty::fuzzing::material),
    ("prepared", prepared),
    ("pool", pool),
    ("paillier", homomorphic::paillier),
    ("dgk", homomorphic::dgk),
    ("elgamal", homomorphic::elgamal),
    ("bfv", homomorphic::bfv),
    ("half", half),
];

/// A half of a sealed number of as many bits as the first byte says; what is read is written as what was read.
pub fn half(bytes: &[u8]) {
    let Some((bits, bytes)) = bytes.split_first() else { return };
    let size = ModulusSize::insecure(512).expect("a size");
    let Ok(parameters) = Parameters::insecure(size, 64, u32::from(*bits), Results::Revealed) else { return };
    if let Ok(half) = Half::from_bytes(&parameters, bytes) {
        assert_eq!(&half.to_bytes()[..], bytes);
    }
}

/// The interface of a private function; what is written of it is read as the same.
pub fn interface(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(interface) = Interface::parse(text) else { return };
    assert_eq!(Interface::parse(&interface.to_json().to_string()), Ok(interface));
}

/// A program in its binary form; what is read is written as what is read again.
pub fn ir_binary(bytes: &[u8]) {
    let Ok(program) = Program::from_bytes(bytes) else { return };
    assert_eq!(Program::from_bytes(&program.to_bytes()).as_ref(), Ok(&program));
}

/// A program in its text form.
pub fn ir_text(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(program) = Program::parse_text(text) else { return };
    assert_eq!(Program::parse_text(&program.to_text()).as_ref(), Ok(&program));
    assert_eq!(Program::from_bytes(&program.to_bytes()).as_ref(), Ok(&program));
}

/// Bristol, Bristol Fashion and the forms of Fairplay.
pub fn circuit(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let _ = formats::read_file(text, None, MAX_WIRES);
    let (text, names) = text.split_once('\0').unwrap_or((text, ""));
    let _ = formats::read_file(text, Some(names), MAX_WIRES);
}

/// AIGER in both forms.
pub fn aiger(bytes: &[u8]) {
    let _ = formats::aiger::read(bytes, MAX_WIRES);
}

/// BLIF.
pub fn blif(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = formats::blif::read(text, MAX_WIRES);
    }
}

/// Compiled circuits with what they take and give.
pub fn netlist(bytes: &[u8]) {
    let _ = CompiledCircuit::read_netlist(bytes, MAX_WIRES);
}

/// Session files, and the options of runs in them.
pub fn session(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes)
        && let Ok(file) = SessionFile::parse(text, Path::new("session.toml"))
    {
        let _ = RunOptions::of_session(&file);
    }
}

/// Inputs in JSON, of a program with ports of every shape.
pub fn inputs(bytes: &[u8]) {
    let Ok(value) = serde_json::from_slice(bytes) else { return };
    let program = Program::parse_text(PORTS).expect("a program");
    let _ = data::decode_inputs(&program, RoleId(0), &value);
}

const PORTS: &str = include_str!("corpus/ir_text/everything.tacit");

/// LLVM IR as clang writes it.
pub fn llvm(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = tacit_cfront::parse_llvm(text);
    }
}

/// The headers of frames; what is read is what was sent.
pub fn frame(bytes: &[u8]) {
    for header in bytes.as_chunks::<HEADER_BYTES>().0 {
        if let Ok(read) = Header::decode(header) {
            assert_eq!(read.encode(), *header);
        }
    }
}

/// What Yao's protocol has prepared, at either party.
pub fn prepared(bytes: &[u8]) {
    if let Ok(prepared) = GarblerPrepared::from_bytes(bytes) {
        assert!(prepared.own_inputs() <= bytes.len());
        GarblerPrepared::from_bytes(&prepared.to_bytes()).expect("it was read");
    }
    if let Ok(prepared) = EvaluatorPrepared::from_bytes(bytes) {
        assert!(prepared.own_inputs() <= bytes.len());
        EvaluatorPrepared::from_bytes(&prepared.to_bytes()).expect("it was read");
    }
}

/// A pool of what shares take: two bytes say which kinds it is of, the others are it.
pub fn pool(bytes: &[u8]) {
    let Some((kinds, packed)) = bytes.split_first_chunk() else { return };
    let kinds = u16::from_le_bytes(*kinds);
    let of = |kind: u16, count: u64| if kinds >> kind & 1 == 1 { count } else { 0 };
    let matrix = MatrixShape { bits: 9, rows: 2, inner: 3, columns: 1 };
    let requirement = Requirement {
        bit_triples: [(1, of(0, 70)), (3, of(1, 9))].into(),
        word_triples: [(1, of(2, 3)), (128, of(2, 2))].into(),
        square_pairs: [(64, of(3, 2))].into(),
        matrix_triples: [(matrix, of(4, 2))].into(),
        eda_bits: [(5, of(5, 3))].into(),
        nary_triples: [(4, of(6, 5))].into(),
        lookup_tables: [((), of(7, 3))].into(),
        da_bits: [(33, of(8, 3))].into(),
        bit_word_triples: [(17, of(9, 3))].into(),
    };
    if let Ok(pool) = Pool::from_bytes(&requirement, packed) {
        assert_eq!(&pool.to_bytes()[..], packed);
    }
}
