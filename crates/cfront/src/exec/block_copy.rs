//! Copies, sets and compares blocks of memory.

use super::Executor;
use super::page::Fill;
use super::places::Places;
use super::pointer::{Pointer, Target};
use super::state::State;
use super::value::Value;
use crate::graph::Word;
use crate::int::Int;
use crate::{CError, PropertyKind};

/// Upper limit on the length of a block.
const MAX_BYTES: u64 = 1 << 24;

impl Executor<'_> {
    /// A number of bytes that must be public.
    pub(super) fn byte_count(&mut self, value: &Value) -> Result<u64, CError> {
        let count = match value {
            Value::Word(word) => self.graph.value(*word).and_then(Int::to_u64),
            _ => None,
        };
        match count {
            Some(count) if count <= MAX_BYTES => Ok(count),
            Some(_) => self.too_large("bytes copied at once", MAX_BYTES),
            None => self.unsupported("copying a secret number of bytes"),
        }
    }

    /// Forbids copies between overlapping blocks; returns whether any path continues. Assignments may copy
    /// `exactly` the same block onto itself; calls of `memcpy` may not.
    pub(super) fn apart(
        &mut self,
        state: &mut State,
        to: &Value,
        from: &Value,
        bytes: u64,
        exactly: bool,
    ) -> bool {
        if !self.checking() || bytes == 0 {
            return true;
        }
        let graph = &mut self.graph;
        let (Some(to), Some(from)) = (to.address(graph), from.address(graph)) else {
            return true;
        };
        let overlap = Pointer::overlap(graph, &to, &from, bytes, exactly);
        overlap.is_none_or(|bad| {
            let reason = "the stretches that `memcpy` copies between overlap";
            self.forbid(state, bad, PropertyKind::Overlap, reason)
        })
    }

    /// Copies `bytes` bytes, which may overlap, in the pieces in which the source holds them.
    pub(super) fn copy(
        &mut self,
        state: &mut State,
        to: &Value,
        from: &Value,
        bytes: u64,
    ) -> Result<Option<()>, CError> {
        let mut pieces = Vec::new();
        let mut at = 0;
        for length in self.pieces(state, from, bytes) {
            let source = self.moved(from, at)?;
            let Some(value) = self.load(state, &source, length)? else { return Ok(None) };
            pieces.push((at, length, value));
            at += length;
        }
        for (at, length, value) in pieces {
            let target = self.moved(to, at)?;
            if self.store(state, &target, length, &value)?.is_none() {
                return Ok(None);
            }
        }
        Ok(Some(()))
    }

    /// The lengths of the cells at an address, taken from its first possible place.
    fn pieces(&mut self, state: &State, address: &Value, bytes: u64) -> Vec<u64> {
        let pointer = address.address(&mut self.graph);
        let alternatives = pointer.map(|pointer| pointer.alternatives).unwrap_or_default();
        for alternative in alternatives {
            let Target::Object(id) = alternative.target else { continue };
            let Some(object) = state.memory.get(id) else { continue };
            let first = match Places::of(&mut self.graph, &alternative.offset, object.size, bytes) {
                Places::One(at) => at,
                Places::Many(table) => table.positions[0],
                Places::None | Places::TooMany => continue,
            };
            return object.cells(first, bytes);
        }
        if bytes == 0 { Vec::new() } else { vec![bytes] }
    }

    /// Sets `bytes` bytes to one value.
    pub(super) fn fill(
        &mut self,
        state: &mut State,
        to: &Value,
        byte: &Value,
        bytes: u64,
    ) -> Result<Option<()>, CError> {
        let Value::Word(byte) = byte else { return Ok(Some(())) };
        let byte = self.graph.slice(*byte, 0, 8);
        if self.clear_whole(state, to, byte, bytes) {
            return Ok(Some(()));
        }
        let mut at = 0;
        for length in self.pieces(state, to, bytes) {
            let word = self.graph.concat(&vec![byte; length as usize]);
            let target = self.moved(to, at)?;
            if self.store(state, &target, length, &Value::Word(word))?.is_none() {
                return Ok(None);
            }
            at += length;
        }
        Ok(Some(()))
    }

    /// Clears a whole object at once if all of it becomes zero.
    fn clear_whole(&mut self, state: &mut State, to: &Value, byte: Word, bytes: u64) -> bool {
        let checking = self.checking();
        let Value::Pointer(pointer) = to else { return false };
        let Some((Target::Object(id), offset)) = pointer.single() else { return false };
        let zero = self.graph.value(byte).is_some_and(Int::is_zero);
        match state.memory.get_mut(id) {
            Some(object) if zero && !checking && *offset == Default::default() && object.size == bytes => {
                object.clear(Fill::Zero);
                true
            }
            _ => false,
        }
    }

    /// The result of `memcmp`: -1, 0 or 1, decided by the first bytes that differ.
    pub(super) fn compare_bytes(
        &mut self,
        state: &mut State,
        a: &Value,
        b: &Value,
        bytes: u64,
        bits: u32,
    ) -> Result<Option<Value>, CError> {
        if bytes == 0 {
            return Ok(Some(Value::Word(self.graph.number(bits, 0))));
        }
        let (Some(a), Some(b)) = (self.load(state, a, bytes)?, self.load(state, b, bytes)?) else {
            return Ok(None);
        };
        let (Some(a), Some(b)) = (self.settled(state, a), self.settled(state, b)) else { return Ok(None) };
        let (Value::Word(a), Value::Word(b)) = (a, b) else { return Ok(Some(Value::Undefined)) };
        let (a, b) = (self.graph.reverse_bytes(a), self.graph.reverse_bytes(b));
        let less = self.graph.compare(tacit_ir::CompareOp::LtU, a, b);
        let greater = self.graph.compare(tacit_ir::CompareOp::LtU, b, a);
        // -1 has every bit set, 1 only the lowest.
        let negative = self.graph.extend(less, bits, true);
        let positive = self.graph.extend(greater, bits, false);
        Ok(Some(Value::Word(self.graph.or(negative, positive))))
    }
}
