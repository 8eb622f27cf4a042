use super::{aiger, blif};
use crate::circuit::Circuit;

/// The values of the outputs for all values of the inputs, each as a number.
fn table(circuit: &Circuit) -> Vec<u32> {
    let inputs = circuit.input_bits();
    let value = |x: u32| {
        let bits: Vec<bool> = (0..inputs).map(|bit| x >> bit & 1 == 1).collect();
        let output = circuit.evaluate(&bits).expect("all inputs");
        output.iter().enumerate().fold(0, |sum, (bit, value)| sum | u32::from(*value) << bit)
    };
    (0..1 << inputs).map(value).collect()
}

/// A half adder.
const ASCII: &str = "aag 7 2 0 2 3\n2\n4\n6\n12\n6 13 15\n12 2 4\n14 3 5\ni0 x\no0 s\nc\nanything\n";

fn half_adder() -> Vec<u32> {
    (0..4u32).map(|x| (x >> 1 & 1) + (x & 1)).collect()
}

#[test]
fn aiger_in_both_forms() {
    let ordered = "aag 5 2 0 2 3\n2\n4\n10\n6\n6 4 2\n8 5 3\n10 9 7\n";
    let ascii = aiger::read(ordered.as_bytes(), 100).expect("a good file");
    assert_eq!(table(&ascii), half_adder());
    let mut binary = b"aig 5 2 0 2 3\n10\n6\n".to_vec();
    binary.extend([2, 2, 3, 2, 1, 2]);
    binary.extend(b"i0 x\nc\nthe rest\xff");
    assert_eq!(aiger::read(&binary, 100), Ok(ascii));
}

#[test]
fn broken_aiger_is_refused_with_its_place() {
    let fails = |text: &str, offset: usize, part: &str| {
        let error = aiger::read(text.as_bytes(), 100).expect_err(text);
        assert_eq!(error.offset, offset, "{text}: {error}");
        assert!(error.to_string().contains(part), "{error}");
    };
    fails("", 0, "begins with");
    fails("aag 1 1 0 1", 10, "the file ends");
    fails("aag 1 1 1 0 0\n2\n", 14, "1 latches");
    fails("aag 1 2 0 0 0\n", 14, "can't be 2 inputs");
    fails("aag 101 1 0 0 0\n", 16, "limit of 100");
    fails("aag 99999999999999999999999 1 0 0 0\n", 4, "header of five numbers");
    fails("aag 1 1 0 1 0\n3\n2\n", 16, "defined twice, or is complemented");
    fails("aag 2 1 0 0 1\n2\n2 2 2\n", 22, "defined twice");
    fails(ASCII, 31, "read before");
    fails("aag 1 1 0 1 0\n2\n4\n", 18, "read before");
    fails("aag 1 1 0 1 0\n2\n2\nrubbish\n", 18, "neither");
    fails("aig 2 1 0 1 1\n4\n", 16, "ends where an AND");
    fails("aig 2 1 0 1 1\n4\n\x7f\x01", 17, "read before");
}

#[test]
fn blif_tables_in_any_order() {
    let text = ".model adder\n.inputs a \\\n b # two\n.outputs s c\n.names p c s\n10 1\n\n.names a b c\n11 1\n\
                .names a b p\n00 0\n.end\nnot read\n";
    assert_eq!(table(&blif::read(text, 100).expect("a good file")), half_adder());
    let constants =
        ".model k\n.inputs a\n.outputs zero one same\n.names zero\n.names one\n1\n.names a same\n1 1\n";
    assert_eq!(table(&blif::read(constants, 100).expect("a good file")), [2, 6]);
}

#[test]
fn broken_blif_is_refused_with_its_line() {
    let fails = |text: &str, line: usize, part: &str| {
        let error = blif::read(text, 10).expect_err(text);
        assert_eq!(error.line, line, "{text}: {error}");
        assert!(error.to_string().contains(part), "{error}");
    };
    fails(".inputs a\n.latch a b\n", 2, "“.latch”");
    fails(".inputs a a\n", 1, "driven twice");
    fails(".inputs a\n.names a\n1\n", 2, "driven twice");
    fails(".outputs z\n", 1, "nothing drives “z”");
    fails(".inputs a\n.outputs z\n.names a y z\n11 1\n.names z y\n1 1\n", 5, "depends on itself");
    fails(".inputs a\n.outputs z\n.names a z\n11 1\n", 4, "not a row");
    fails(".inputs a\n.outputs z\n.names a z\n1 1\n0 0\n", 5, "not a row");
    fails(".inputs a b c d e f g h i j k\n.outputs a\n.end\n", 2, "more than 10");
    fails("11 1\n", 1, "“11”");
}
