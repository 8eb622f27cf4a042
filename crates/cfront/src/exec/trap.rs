//! The meaning of the traps that clang inserts.

use super::value::Value;
use crate::PropertyKind;
use crate::graph::Graph;
use crate::int::Int;

/// The meaning of clang's number of a check, or of a trap without one.
pub(super) fn trap(graph: &Graph, number: Option<&Value>) -> (PropertyKind, &'static str) {
    let number = match number {
        Some(Value::Word(word)) => graph.value(*word).and_then(Int::to_u64),
        _ => None,
    };
    match number {
        Some(0) => (PropertyKind::SignedOverflow, "a signed sum does not fit its type"),
        Some(1) => (PropertyKind::Unreachable, "a place marked as unreachable is reached"),
        Some(3) => (PropertyKind::DivisionOverflow, "a signed quotient does not fit its type"),
        Some(5) => (PropertyKind::FloatConversion, "a floating-point number does not fit the integer type"),
        Some(8) => (
            PropertyKind::Argument,
            "the zeros of zero are counted, or an assumption given to the compiler does not hold",
        ),
        Some(11) => (PropertyKind::Unreachable, "a function ends without the value that it returns"),
        Some(12) => (PropertyKind::SignedOverflow, "a signed product does not fit its type"),
        Some(13) => (PropertyKind::SignedOverflow, "the negative of a signed number does not fit its type"),
        Some(18) => (PropertyKind::Bounds, "an index lies outside of its array"),
        Some(20) => (PropertyKind::Shift, "the amount or the result of a shift does not fit the type"),
        Some(21) => (PropertyKind::SignedOverflow, "a signed difference does not fit its type"),
        Some(24) => (PropertyKind::ArrayLength, "the length of an array is not positive"),
        _ => (PropertyKind::Unreachable, "a trap is reached"),
    }
}
