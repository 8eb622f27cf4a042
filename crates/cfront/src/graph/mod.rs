//! Word operations as a graph in which equal operations are one node.
//!
//! Constants are folded and operations simplified as they are made, so only words that depend on secrets
//! remain. Nodes refer only to earlier ones; [`crate::emit`] writes those that outputs need.

mod arithmetic;
mod bits;
mod compare;
mod count;
mod facts;
mod hasher;
mod select;
mod table;
#[cfg(test)]
pub(crate) mod tests;

use std::collections::HashMap;
use std::rc::Rc;

use tacit_ir::{CompareOp, ShiftOp};

use crate::int::{Int, IntOp};
pub(crate) use facts::Facts;
pub(crate) use hasher::BuildWordHasher;

/// A node of the graph: a word that is a constant or depends on secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Word(u32);

/// How a word is computed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    Constant(Rc<Int>),
    /// A lane of a column of an input port.
    Input {
        port: u32,
        column: u32,
        lane: u32,
        bits: u32,
    },
    Not(Word),
    /// Any operation except shifts, on words of one width.
    Binary(IntOp, Word, Word),
    Compare(CompareOp, Word, Word),
    Select(Word, Word, Word),
    Extend {
        value: Word,
        bits: u32,
        signed: bool,
    },
    Slice {
        value: Word,
        low: u32,
        bits: u32,
    },
    /// The first is the least significant.
    Concat(Rc<[Word]>),
    ShiftLeftBy(Word, u32),
    Shift(ShiftOp, Word, Word),
    /// The number of ones, in as many bits as the operand has.
    CountOnes(Word),
    Lookup(Rc<[Word]>, Word),
    /// A table, not a word: used through [`Node::Lane`] only.
    Update(Rc<Update>),
    Lane(Word, u32),
}

/// A table with the entry at a secret position replaced; unchanged if the position is beyond its end.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Update {
    pub table: Rc<[Word]>,
    pub index: Word,
    pub value: Word,
}

#[derive(Default)]
pub(crate) struct Graph {
    nodes: Vec<Node>,
    bits: Vec<u32>,
    lines: Vec<u32>,
    facts: Vec<Facts>,
    known: HashMap<Node, Word, BuildWordHasher>,
    gated: HashMap<(Word, Word, u32), Word, BuildWordHasher>,
    line: u32,
    operations: u64,
    keeps_unset: bool,
}

impl Graph {
    /// The source line of the nodes made from now on.
    pub(crate) fn set_line(&mut self, line: u32) {
        self.line = line;
    }

    /// From now on, values that were never set are tracked on their paths, also where they merge with set
    /// values.
    pub(crate) fn keep_unset(&mut self) {
        self.keeps_unset = true;
    }

    pub(crate) fn keeps_unset(&self) -> bool {
        self.keeps_unset
    }

    /// The number of nodes that are not constants.
    pub(crate) fn operations(&self) -> u64 {
        self.operations
    }

    pub(crate) fn node(&self, word: Word) -> &Node {
        &self.nodes[word.0 as usize]
    }

    pub(crate) fn bits(&self, word: Word) -> u32 {
        self.bits[word.0 as usize]
    }

    pub(crate) fn line(&self, word: Word) -> u32 {
        self.lines[word.0 as usize]
    }

    pub(crate) fn facts(&self, word: Word) -> &Facts {
        &self.facts[word.0 as usize]
    }

    pub(crate) fn value(&self, word: Word) -> Option<&Int> {
        match self.node(word) {
            Node::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// The value of a public flag.
    pub(crate) fn flag_value(&self, word: Word) -> Option<bool> {
        self.value(word).map(|value| !value.is_zero())
    }

    pub(crate) fn constant(&mut self, value: Int) -> Word {
        let (bits, facts) = (value.bits(), Facts::of_constant(&value));
        self.intern(Node::Constant(Rc::new(value)), bits, facts)
    }

    pub(crate) fn number(&mut self, bits: u32, value: u128) -> Word {
        self.constant(Int::new(bits, value))
    }

    pub(crate) fn flag(&mut self, value: bool) -> Word {
        self.constant(Int::flag(value))
    }

    pub(crate) fn input(&mut self, port: u32, column: u32, lane: u32, bits: u32) -> Word {
        self.intern(Node::Input { port, column, lane, bits }, bits, Facts::unknown(bits))
    }

    /// The node, made if it is new; a constant if its value is known.
    fn add(&mut self, node: Node, bits: u32, facts: Facts) -> Word {
        if let Some(value) = facts.constant(bits) {
            return self.constant(value);
        }
        self.intern(node, bits, facts)
    }

    /// Adds facts about a word, which must hold for every use of it.
    fn refine(&mut self, word: Word, facts: &Facts) {
        let bits = self.bits(word);
        let refined = self.facts(word).both(facts).tightened(bits);
        self.facts[word.index()] = refined;
    }

    fn intern(&mut self, node: Node, bits: u32, facts: Facts) -> Word {
        if let Some(word) = self.known.get(&node) {
            return *word;
        }
        let word = Word(self.nodes.len() as u32);
        self.operations += u64::from(!matches!(node, Node::Constant(_)));
        self.known.insert(node.clone(), word);
        self.nodes.push(node);
        self.bits.push(bits);
        self.lines.push(self.line);
        self.facts.push(facts);
        word
    }
}

impl Word {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }

    pub(crate) fn from_index(index: usize) -> Self {
        Word(index as u32)
    }
}

impl Node {
    /// Calls `visit` for each word that the node is computed from.
    pub(crate) fn for_each_operand(&self, mut visit: impl FnMut(Word)) {
        match self {
            Node::Constant(_) | Node::Input { .. } => {}
            Node::Not(a) | Node::ShiftLeftBy(a, _) | Node::CountOnes(a) | Node::Lane(a, _) => visit(*a),
            Node::Extend { value, .. } | Node::Slice { value, .. } => visit(*value),
            Node::Binary(_, a, b) | Node::Compare(_, a, b) | Node::Shift(_, a, b) => {
                [*a, *b].into_iter().for_each(visit)
            }
            Node::Select(a, b, c) => [*a, *b, *c].into_iter().for_each(visit),
            Node::Concat(words) => words.iter().copied().for_each(visit),
            Node::Lookup(table, index) => table.iter().copied().chain([*index]).for_each(visit),
            Node::Update(update) => {
                update.table.iter().copied().chain([update.index, update.value]).for_each(visit);
            }
        }
    }
}
