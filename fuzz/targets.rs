//! What is fuzzed: every function takes any bytes and must neither panic, nor run on, nor take memory that its input does not
//! account for. They have the form that libFuzzer wants; `tests/decoders.rs` drives them on stable Rust.

use std::path::Path;

use tacit_circuit::formats;
use tacit_ir::{Program, RoleId, data};
use tacit_lower::CompiledCircuit;
use tacit_net::frame::{HEADER_BYTES, Header};
use tacit_net::session::SessionFile;

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
];

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

/// Session files.
pub fn session(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = SessionFile::parse(text, Path::new("session.toml"));
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
