use proptest::prelude::*;

use super::*;
use crate::formats::{MAX_WIRES, bristol_fashion};
use crate::library;

fn written(circuit: &Circuit, interface: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(circuit, interface, &mut bytes).expect("memory takes it");
    bytes
}

fn read_all(bytes: &[u8]) -> Result<(Circuit, Vec<u8>), NetlistError> {
    read(bytes, 1 << 20)
}

#[test]
fn circuits_come_back() {
    let mut builder = CircuitBuilder::new();
    let (a, _, c) = (builder.input(2), builder.input(0), builder.input(1));
    let both = builder.and(a[0], !c[0]);
    let outputs = vec![vec![!both, both, !a[1], a[1]], vec![], vec![Lit::TRUE, Lit::FALSE, c[0]]];
    let odd = builder.finish(outputs).expect("a small circuit");
    for circuit in [
        odd,
        library::aes128().expect("a small circuit"),
        library::sha256_compression().expect("a small circuit"),
    ] {
        let (back, interface) = read_all(&written(&circuit, b"who")).expect("what was written");
        assert_eq!((back, &interface[..]), (circuit, &b"who"[..]));
    }
}

#[test]
fn netlists_take_a_fifth_of_bristol_fashion() {
    for circuit in [library::aes128(), library::sha256_compression()] {
        let circuit = circuit.expect("a small circuit");
        let mut text = Vec::new();
        bristol_fashion::write(&circuit, &mut text).expect("memory takes it");
        assert!(written(&circuit, &[]).len() * 5 < text.len());
    }
}

/// A netlist's header, then these numbers.
fn netlist(numbers: &[u64]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    numbers.iter().for_each(|one| put(&mut bytes, *one).expect("memory takes it"));
    bytes
}

#[test]
fn what_is_no_netlist_is_refused() {
    let fails = |bytes: &[u8]| read_all(bytes).expect_err("no netlist").to_string();
    assert_eq!(fails(b""), "this is not a netlist");
    assert_eq!(fails(b"TACITP\x01\x00"), "this is not a netlist");
    assert_eq!(fails(b"TACITN\x02\x00"), "the netlist has format 2; this version reads format 1");
    assert_eq!(fails(&netlist(&[])), "the netlist ends where the length of the interface should follow");
    assert_eq!(fails(&netlist(&[5, 0])), "the netlist ends where the interface should follow");
    assert_eq!(
        fails(&netlist(&[u64::MAX])),
        "18446744073709551615 bytes of the interface are more than the limit of 67108864"
    );
    assert_eq!(
        fails(&netlist(&[0, 2, 1 << 19, u64::MAX])),
        "18446744073709551615 input bits are more than the limit of 1048576"
    );
    assert_eq!(
        fails(&netlist(&[0, 1, 1, u64::MAX])),
        "18446744073709551615 inputs and gates are more than the limit of 1048576"
    );
    // Two inputs; a gate that reads itself, the node before node 0, and far beyond.
    assert_eq!(fails(&netlist(&[0, 1, 2, 1, 3 << 1, 0])), "gate 0 reads an operand that is not before it");
    assert_eq!(fails(&netlist(&[0, 1, 2, 1, 0, 2])), "gate 0 reads an operand that is not before it");
    assert_eq!(
        fails(&netlist(&[0, 1, 2, 1, u64::MAX, u64::MAX])),
        "gate 0 reads an operand that is not before it"
    );
    assert_eq!(fails(&netlist(&[0, 1, 2, 0, 1, 1, 3 << 2])), "bit 0 of output 0 is not in the circuit");
    assert_eq!(fails(&netlist(&[0, 1, 2, 0, 1, 1, 1 << 1])), "bit 0 of output 0 is not in the circuit");
    assert_eq!(
        fails(&netlist(&[0, 1, 2, 0, u64::MAX])),
        "the netlist ends where the width of an output should follow"
    );
    assert_eq!(fails(&netlist(&[0, 1, 2, 0, 0, 0])), "the netlist continues after its end");
    let mut long = netlist(&[]);
    long.extend([0xff; 11]);
    assert_eq!(fails(&long), "the length of the interface is not a number of at most 64 bits");
}

#[test]
fn every_truncation_is_refused() {
    let mut builder = CircuitBuilder::new();
    let (a, b) = (builder.input(8), builder.input(8));
    let sum = crate::arithmetic::add(&mut builder, &a, &b);
    let bytes = written(&builder.finish(vec![sum]).expect("a small circuit"), b"interface");
    for length in 0..bytes.len() {
        assert!(read_all(&bytes[..length]).is_err(), "{length} bytes of {}", bytes.len());
    }
    assert!(read(&bytes[..], 16).is_err(), "more gates than the caller takes");
    assert!(read(&bytes[..], MAX_WIRES).is_ok());
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(body in proptest::collection::vec(any::<u8>(), 0..200)) {
        let mut bytes = netlist(&[]);
        bytes.extend(body);
        if let Ok((circuit, interface)) = read_all(&bytes) {
            let (again, same) = read_all(&written(&circuit, &interface)).expect("what was written");
            prop_assert_eq!(same, interface);
            prop_assert_eq!(again.output_bits(), circuit.output_bits());
        }
    }

    #[test]
    fn damaged_netlists_are_read_or_refused(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = written(&small(), b"interface");
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let _ = read_all(&bytes);
    }
}

fn small() -> Circuit {
    let mut builder = CircuitBuilder::new();
    let (a, b) = (builder.input(16), builder.input(16));
    let product = crate::arithmetic::multiply(&mut builder, &a, &b);
    builder.finish(vec![product]).expect("a small circuit")
}
