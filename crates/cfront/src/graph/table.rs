//! Reading and writing tables at secret positions.

use std::rc::Rc;

use super::{Facts, Graph, Node, Update, Word};

impl Graph {
    /// The entry of `table` at a secret position below its length.
    pub(crate) fn lookup(&mut self, table: &[Word], index: Word) -> Word {
        let first = table[0];
        if table.iter().all(|entry| *entry == first) {
            return first;
        }
        if let Some(index) = self.value(index).and_then(crate::int::Int::to_u64) {
            return table[tacit_ir::lookup_position(table.len() as u64, index) as usize];
        }
        if let [no, yes] = *table {
            let condition = self.bit(index, 0);
            return self.select(condition, yes, no);
        }
        let bits = self.bits(first);
        let facts =
            table[1..].iter().fold(*self.facts(first), |facts, entry| facts.union(self.facts(*entry)));
        self.add(Node::Lookup(table.into(), index), bits, facts)
    }

    /// The lanes of `table` with the entry at the secret position `index` replaced by `value`; all entries and the
    /// value have one width. Positions beyond the table replace nothing.
    pub(crate) fn update(&mut self, table: &[Word], index: Word, value: Word) -> Vec<Word> {
        if let Some(index) = self.value(index).and_then(crate::int::Int::to_u64) {
            let keep = |lane: usize| if lane as u64 == index { value } else { table[lane] };
            return (0..table.len()).map(keep).collect();
        }
        let update = self.update_node(Update { table: table.into(), index, value });
        (0..table.len()).map(|lane| self.lane(update, lane as u32)).collect()
    }

    fn update_node(&mut self, update: Update) -> Word {
        let bits = self.bits(update.value);
        self.intern(Node::Update(Rc::new(update)), bits, Facts::unknown(bits))
    }

    fn lane(&mut self, update: Word, lane: u32) -> Word {
        let Node::Update(content) = self.node(update) else { return update };
        let (entry, value) = (content.table[lane as usize], content.value);
        if entry == value {
            return entry;
        }
        let facts = self.facts(entry).union(self.facts(value));
        self.add(Node::Lane(update, lane), self.bits(value), facts)
    }

    /// A choice between an updated entry and the previous entry is an update that the condition can switch
    /// off.
    pub(super) fn select_gated(&mut self, condition: Word, a: Word, b: Word) -> Option<Word> {
        if let Some((update, lane, depth)) = self.updates_since(a, b) {
            let gated = self.gate(update, condition, depth);
            return Some(self.lane(gated, lane));
        }
        let (update, lane, depth) = self.updates_since(b, a)?;
        let no = self.not(condition);
        let gated = self.gate(update, no, depth);
        Some(self.lane(gated, lane))
    }

    /// The updates, at least one, that lead from the entry `old` to the entry `new`.
    fn updates_since(&self, new: Word, old: Word) -> Option<(Word, u32, u32)> {
        let Node::Lane(newest, lane) = *self.node(new) else { return None };
        let (mut update, mut depth) = (newest, 1);
        loop {
            let Node::Update(content) = self.node(update) else { return None };
            let before = content.table[lane as usize];
            if before == old {
                return Some((newest, lane, depth));
            }
            match *self.node(before) {
                Node::Lane(earlier, same) if same == lane => (update, depth) = (earlier, depth + 1),
                _ => return None,
            }
        }
    }

    /// The update and the `depth - 1` updates before it, made only if `condition` is set: otherwise an
    /// additional high index bit leads beyond the table.
    fn gate(&mut self, update: Word, condition: Word, depth: u32) -> Word {
        if let Some(gated) = self.gated.get(&(update, condition, depth)) {
            return *gated;
        }
        let Node::Update(content) = self.node(update).clone() else { return update };
        let mut table = content.table.to_vec();
        if depth > 1 {
            for (index, entry) in table.iter_mut().enumerate() {
                if let Node::Lane(earlier, lane) = *self.node(*entry)
                    && lane as usize == index
                {
                    let gated = self.gate(earlier, condition, depth - 1);
                    *entry = self.lane(gated, lane);
                }
            }
        }
        let skip = self.not(condition);
        let width = tacit_ir::index_bits(table.len() as u64).max(self.bits(content.index));
        let index = self.extend(content.index, width, false);
        let index = self.concat(&[index, skip]);
        let gated = self.update_node(Update { table: table.into(), index, value: content.value });
        self.gated.insert((update, condition, depth), gated);
        gated
    }
}
