//! Tables at secret positions.

use tacit_ir::{Index, Op, ValueId};

use super::empty::nonempty;
use super::error::{Traced, kind, shape as bad_shape};
use super::shape::{self, View};
use super::tracer::Tracer;
use super::value::Value;

impl Tracer {
    /// The entries of a table, along its first axis, at secret positions.
    pub fn lookup(&mut self, table: &Value, position: &Value) -> Traced<Value> {
        position.integer("lookup")?;
        if position.kind.signed() {
            return kind(format!("lookup at {}, which may be negative", position.kind));
        }
        let (packed, entries, width) = self.packed(table)?;
        if !position.is_empty() {
            nonempty(entries, "lookup in a table")?;
        }
        let index = self.id(position)?;
        let found = self.emit(Op::Lookup { table: packed, index })?;
        let lanes = position.lanes();
        let id = self.unpacked(found, table.kind.bits(), width, lanes)?;
        let dims = [position.shape.as_slice(), &table.shape[1..]].concat();
        Ok(self.like(table, id, dims))
    }

    /// A table with the entry at a secret position replaced.
    pub fn update(&mut self, table: &Value, position: &Value, entry: &Value) -> Traced<Value> {
        position.integer("update")?;
        if position.kind.signed() || !position.shape.is_empty() {
            return bad_shape("update takes one unsigned position");
        }
        let (packed, entries, width) = self.packed(table)?;
        if table.kind.join(&entry.kind)? != table.kind {
            return kind(format!("an entry of {} in a table of {}", entry.kind, table.kind));
        }
        let entry = self.astype(entry, &table.kind)?;
        let entry = self.broadcast_to(&entry, table.shape[1..].to_vec())?;
        let mut one = entry;
        one.shape.insert(0, 1);
        let (value, ..) = self.packed(&one)?;
        let index = self.id(position)?;
        let updated = self.emit(Op::Update { table: packed, index, value })?;
        let id = self.unpacked(updated, table.kind.bits(), width, entries)?;
        Ok(self.like(table, id, table.shape.clone()))
    }

    /// A table with each entry as one word, the number of entries, and the number of elements of each.
    fn packed(&mut self, table: &Value) -> Traced<(ValueId, u64, u64)> {
        let Some((entries, rest)) = table.shape.split_first() else {
            return bad_shape("a single value is not a table; use an array");
        };
        let (id, width) = (self.id(table)?, shape::size(rest));
        if width == 1 || table.is_empty() {
            return Ok((id, *entries, width));
        }
        let mut columns = Vec::with_capacity(width as usize);
        for column in 0..width {
            let step = width as i64;
            let index = Index::Range { start: column as u32, step, count: *entries };
            columns.push(self.emit(Op::Gather(id, index))?);
        }
        Ok((self.emit(Op::Concat(columns))?, *entries, width))
    }

    /// The elements of words that hold `width` elements each.
    fn unpacked(&mut self, id: ValueId, bits: u32, width: u64, lanes: u64) -> Traced<ValueId> {
        if width == 1 || width * lanes == 0 {
            return Ok(id);
        }
        let mut columns = Vec::with_capacity(width as usize);
        for column in 0..width as u32 {
            columns.push(self.slice(id, column * bits, bits)?);
        }
        let all = self.emit(Op::Join(columns))?;
        self.view(all, width * lanes, &View::whole(&[width, lanes]).permuted(&[1, 0]))
    }
}
