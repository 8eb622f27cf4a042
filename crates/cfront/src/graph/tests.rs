//! Every simplification keeps the value, and all facts hold: random operations against plain arithmetic.

use std::collections::HashMap;

use tacit_ir::{CompareOp, ShiftOp};

use super::{Graph, Node, Word};
use crate::int::{Int, IntOp, sign_extend};

/// Number of assignments of the inputs that are tried side by side.
const TRIALS: usize = 12;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    fn number(&mut self, bits: u32) -> Int {
        let any = u128::from(self.next()) << 64 | u128::from(self.next());
        match self.below(6) {
            0 => Int::new(bits, any % 4),
            1 => Int::new(bits, (any % 4).wrapping_neg()),
            2 => Int::new(bits, 1u128.checked_shl(self.below(bits as usize) as u32).unwrap_or(0)),
            3 => Int::new(bits, (1u128 << (bits.min(128) - 1)).wrapping_add(any % 3).wrapping_sub(1)),
            _ => Int::new(bits, any),
        }
    }
}

/// The value of a word under one assignment of the inputs, by lane number.
pub(crate) struct Evaluation<'g> {
    graph: &'g Graph,
    inputs: &'g [Int],
    known: HashMap<Word, Int>,
}

impl<'g> Evaluation<'g> {
    pub(crate) fn new(graph: &'g Graph, inputs: &'g [Int]) -> Self {
        Evaluation { graph, inputs, known: HashMap::new() }
    }

    pub(crate) fn value(&mut self, word: Word) -> Int {
        if let Some(known) = self.known.get(&word) {
            return known.clone();
        }
        let value = self.compute(word);
        assert_eq!(value.bits(), self.graph.bits(word));
        self.known.insert(word, value.clone());
        value
    }

    fn compute(&mut self, word: Word) -> Int {
        match self.graph.node(word).clone() {
            Node::Constant(value) => value.as_ref().clone(),
            Node::Input { lane, .. } => self.inputs[lane as usize].clone(),
            Node::Not(a) => self.value(a).not(),
            Node::Binary(op, a, b) => self.value(a).binary(op, &self.value(b)),
            Node::Compare(op, a, b) => compare(op, &self.value(a), &self.value(b)),
            Node::Select(c, a, b) => {
                if self.value(c).is_zero() {
                    self.value(b)
                } else {
                    self.value(a)
                }
            }
            Node::Extend { value, bits, signed } => self.value(value).extend(bits, signed),
            Node::Slice { value, low, bits } => self.value(value).slice(low, bits),
            Node::Concat(parts) => {
                let parts: Vec<Int> = parts.iter().map(|part| self.value(*part)).collect();
                parts[1..].iter().fold(parts[0].clone(), |low, high| low.concat(high))
            }
            Node::ShiftLeftBy(a, amount) => {
                let a = self.value(a);
                a.binary(IntOp::ShiftLeft, &Int::new(a.bits(), amount.into()))
            }
            Node::Shift(op, a, amount) => {
                let a = self.value(a);
                let amount = self.value(amount).extend(a.bits().max(128), false).slice(0, a.bits());
                a.binary(shift_op(op), &amount)
            }
            Node::CountOnes(a) => {
                let a = self.value(a);
                Int::new(a.bits(), a.count_ones().into())
            }
            Node::Lookup(table, index) => {
                let index = self.value(index).to_u64().expect("a small index");
                let position = tacit_ir::lookup_position(table.len() as u64, index);
                self.value(table[position as usize])
            }
            Node::Update(_) => panic!("a table is not a word"),
            Node::Lane(update, lane) => {
                let Node::Update(update) = self.graph.node(update).clone() else { panic!("not an update") };
                let hit = self.value(update.index).to_u64() == Some(lane.into());
                self.value(if hit { update.value } else { update.table[lane as usize] })
            }
        }
    }
}

fn compare(op: CompareOp, a: &Int, b: &Int) -> Int {
    Int::flag(match op {
        CompareOp::Eq => a == b,
        CompareOp::LtU => a.less_unsigned(b),
        CompareOp::LtS => a.less_signed(b),
    })
}

fn shift_op(op: ShiftOp) -> IntOp {
    match op {
        ShiftOp::Left => IntOp::ShiftLeft,
        ShiftOp::RightU => IntOp::ShiftRightU,
        ShiftOp::RightS => IntOp::ShiftRightS,
    }
}

/// A word and its expected value under each assignment.
#[derive(Clone)]
struct Expected {
    word: Word,
    values: Vec<Int>,
}

struct Test {
    random: Random,
    graph: Graph,
    words: Vec<Expected>,
}

const WIDTHS: [u32; 8] = [1, 2, 5, 8, 13, 32, 64, 100];

impl Test {
    fn new(seed: u64) -> (Self, Vec<Vec<Int>>) {
        let mut test = Test { random: Random(seed << 32), graph: Graph::default(), words: Vec::new() };
        let widths: Vec<u32> = (0..8).map(|_| WIDTHS[test.random.below(WIDTHS.len())]).collect();
        let assignments: Vec<Vec<Int>> =
            (0..TRIALS).map(|_| widths.iter().map(|bits| test.random.number(*bits)).collect()).collect();
        for (lane, bits) in widths.iter().enumerate() {
            let word = test.graph.input(0, 0, lane as u32, *bits);
            let values = assignments.iter().map(|inputs| inputs[lane].clone()).collect();
            test.words.push(Expected { word, values });
        }
        (test, assignments)
    }

    fn any(&mut self) -> Expected {
        // Recent words more often, so that operations nest.
        let count = self.words.len();
        let index = if self.random.below(2) == 0 {
            self.random.below(count)
        } else {
            count - 1 - self.random.below(count.min(6))
        };
        self.words[index].clone()
    }

    /// A word of a width: resized if necessary, sometimes a constant.
    fn of_width(&mut self, bits: u32) -> Expected {
        if self.random.below(4) == 0 {
            let value = self.random.number(bits);
            return Expected { word: self.graph.constant(value.clone()), values: vec![value; TRIALS] };
        }
        let any = self.any();
        let signed = self.random.below(2) == 0;
        let resize = |value: &Int| match value.bits() < bits {
            true => value.extend(bits, signed),
            false => value.slice(0, bits),
        };
        Expected {
            word: self.graph.resize(any.word, bits, signed),
            values: any.values.iter().map(resize).collect(),
        }
    }

    fn make(&mut self) -> Expected {
        let a = self.any();
        let bits = self.graph.bits(a.word);
        let each =
            |values: &Expected, f: &dyn Fn(&Int) -> Int| values.values.iter().map(f).collect::<Vec<_>>();
        let both = |a: &Expected, b: &Expected, f: &dyn Fn(&Int, &Int) -> Int| {
            a.values.iter().zip(&b.values).map(|(a, b)| f(a, b)).collect::<Vec<_>>()
        };
        match self.random.below(12) {
            0..=3 => {
                let ops = [IntOp::Add, IntOp::Sub, IntOp::Mul, IntOp::And, IntOp::Or, IntOp::Xor];
                let op = ops[self.random.below(ops.len())];
                let b = self.of_width(bits);
                let (a, b) = if self.random.below(2) == 0 { (a, b) } else { (b, a) };
                Expected {
                    word: self.graph.binary(op, a.word, b.word),
                    values: both(&a, &b, &|a, b| a.binary(op, b)),
                }
            }
            4 => {
                let ops = [IntOp::DivU, IntOp::DivS, IntOp::RemU, IntOp::RemS];
                let op = ops[self.random.below(ops.len())];
                // Division by zero is undefined in C.
                let mut b = self.of_width(bits);
                let one = self.graph.number(bits, 1);
                b.word = self.graph.or(b.word, one);
                b.values.iter_mut().for_each(|value| *value = value.binary(IntOp::Or, &Int::new(bits, 1)));
                Expected {
                    word: self.graph.binary(op, a.word, b.word),
                    values: both(&a, &b, &|a, b| a.binary(op, b)),
                }
            }
            5 => {
                let op = [CompareOp::Eq, CompareOp::LtU, CompareOp::LtS][self.random.below(3)];
                let b = self.of_width(bits);
                let (a, b) = if self.random.below(2) == 0 { (a, b) } else { (b, a) };
                Expected {
                    word: self.graph.compare(op, a.word, b.word),
                    values: both(&a, &b, &|a, b| compare(op, a, b)),
                }
            }
            6 | 7 => {
                let (c, b) = (self.of_width(1), self.of_width(bits));
                let pairs = a.values.iter().zip(&b.values);
                let chosen = c
                    .values
                    .iter()
                    .zip(pairs)
                    .map(|(c, (a, b))| if c.is_zero() { b.clone() } else { a.clone() });
                let values = chosen.collect();
                Expected { word: self.graph.select(c.word, a.word, b.word), values }
            }
            8 => Expected { word: self.graph.not(a.word), values: each(&a, &Int::not) },
            9 => {
                let low = self.random.below(bits as usize) as u32;
                let width = 1 + self.random.below((bits - low) as usize) as u32;
                Expected {
                    word: self.graph.slice(a.word, low, width),
                    values: each(&a, &|a| a.slice(low, width)),
                }
            }
            10 => self.shift_or_count(a),
            _ => {
                let b = self.any();
                if bits + self.graph.bits(b.word) > 128 {
                    return a;
                }
                Expected {
                    word: self.graph.concat(&[a.word, b.word]),
                    values: both(&a, &b, &|a, b| a.concat(b)),
                }
            }
        }
    }

    fn shift_or_count(&mut self, a: Expected) -> Expected {
        let bits = self.graph.bits(a.word);
        let zeros = |value: &Int, from_top: bool| {
            let order: Vec<u32> = if from_top { (0..bits).rev().collect() } else { (0..bits).collect() };
            let count = order.iter().position(|bit| value.bit(*bit)).unwrap_or(bits as usize);
            Int::new(bits, count as u128)
        };
        match self.random.below(5) {
            0 => {
                let values = a.values.iter().map(|value| Int::new(bits, value.count_ones().into())).collect();
                Expected { word: self.graph.count_ones(a.word), values }
            }
            1 => {
                let values = a.values.iter().map(|value| zeros(value, false)).collect();
                Expected { word: self.graph.trailing_zeros(a.word), values }
            }
            2 => {
                let values = a.values.iter().map(|value| zeros(value, true)).collect();
                Expected { word: self.graph.leading_zeros(a.word), values }
            }
            _ => {
                let op = [IntOp::ShiftLeft, IntOp::ShiftRightU, IntOp::ShiftRightS][self.random.below(3)];
                // An amount of the width or more is undefined in C.
                let below = 31 - bits.leading_zeros();
                let mut amount = self.of_width(bits);
                let mask = Int::new(bits, (1 << below) - 1);
                let mask_word = self.graph.constant(mask.clone());
                amount.word = self.graph.and(amount.word, mask_word);
                amount.values.iter_mut().for_each(|value| *value = value.binary(IntOp::And, &mask));
                let pairs = a.values.iter().zip(&amount.values);
                let values = pairs.map(|(a, amount)| a.binary(op, amount)).collect();
                Expected { word: self.graph.shift(op, a.word, amount.word), values }
            }
        }
    }

    /// The word as an expression, up to a depth.
    fn describe(&self, word: Word, depth: u32) -> String {
        let node = self.graph.node(word);
        let mut text = format!("{node:?}:{}", self.graph.bits(word));
        if depth > 0 {
            let mut inner = Vec::new();
            node.for_each_operand(|operand| inner.push(self.describe(operand, depth - 1)));
            text = format!("{text} [{}]", inner.join("; "));
        }
        text
    }

    /// The word has its expected values, and its facts hold.
    fn check(&self, made: &Expected, assignments: &[Vec<Int>]) {
        for (inputs, expected) in assignments.iter().zip(&made.values) {
            let mut evaluation = Evaluation { graph: &self.graph, inputs, known: HashMap::new() };
            let value = evaluation.value(made.word);
            assert_eq!(&value, expected, "{} of {inputs:?}", self.describe(made.word, 5));
            if value.bits() <= 64 {
                let (facts, bits) = (self.graph.facts(made.word), value.low_u128() as u64);
                let signed = sign_extend(value.low_u128(), value.bits()) as i64;
                let holds = bits & facts.zeros == 0 && bits & facts.ones == facts.ones;
                let within = (facts.min..=facts.max).contains(&signed);
                assert!(holds && within, "{facts:?} of {value:?}: {:?}", self.graph.node(made.word));
            }
        }
    }
}

#[test]
fn simplified_words_keep_their_values() {
    for seed in 0..400 {
        let (mut test, assignments) = Test::new(seed);
        for _ in 0..120 {
            let made = test.make();
            test.check(&made, &assignments);
            if test.graph.bits(made.word) <= 128 {
                test.words.push(made);
            }
        }
    }
}

#[test]
fn tables_keep_their_values_under_conditions() {
    for seed in 0..300 {
        let (mut test, assignments) = Test::new(seed);
        let length = 2 + test.random.below(6);
        let mut table: Vec<Expected> = (0..length).map(|_| test.of_width(8)).collect();
        let index_bits = tacit_ir::index_bits(length as u64);
        for _ in 0..6 {
            // One or two writes at secret positions, kept if a condition holds.
            let before = table.clone();
            for _ in 0..1 + test.random.below(2) {
                let (index, value) = (test.of_width(index_bits), test.of_width(8));
                let words: Vec<Word> = table.iter().map(|entry| entry.word).collect();
                let lanes = test.graph.update(&words, index.word, value.word);
                for (lane, (entry, word)) in table.iter_mut().zip(lanes).enumerate() {
                    entry.word = word;
                    for (trial, old) in entry.values.iter_mut().enumerate() {
                        if index.values[trial].to_u64() == Some(lane as u64) {
                            *old = value.values[trial].clone();
                        }
                    }
                }
            }
            let condition = test.of_width(1);
            for (entry, old) in table.iter_mut().zip(&before) {
                let (yes, no) = if seed % 2 == 0 { (entry.word, old.word) } else { (old.word, entry.word) };
                entry.word = test.graph.select(condition.word, yes, no);
                for trial in 0..TRIALS {
                    if condition.values[trial].is_zero() == (seed % 2 == 0) {
                        entry.values[trial] = old.values[trial].clone();
                    }
                }
                test.check(entry, &assignments);
            }
            let index = test.of_width(index_bits);
            let words: Vec<Word> = table.iter().map(|entry| entry.word).collect();
            let word = test.graph.lookup(&words, index.word);
            let position = |trial: usize| {
                let index = index.values[trial].to_u64().unwrap_or(0);
                tacit_ir::lookup_position(length as u64, index) as usize
            };
            let values = (0..TRIALS).map(|trial| table[position(trial)].values[trial].clone()).collect();
            let found = Expected { word, values };
            test.check(&found, &assignments);
            test.words.push(found);
        }
    }
}
