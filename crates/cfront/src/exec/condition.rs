//! Path conditions: which secret decisions lead to a point of the program.

use std::collections::{BTreeMap, HashMap};

use tacit_ir::CompareOp;

use crate::graph::{Facts, Graph, Node, Word};
use crate::int::{Int, IntOp, mask};

/// A set of paths as a Boolean function of decisions; equal functions are equal values.
///
/// Reduced ordered decision diagrams with the latest decision on top, since what forked last usually merges first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Condition(u32);

impl Condition {
    pub(super) const NEVER: Condition = Condition(0);
    pub(super) const ALWAYS: Condition = Condition(1);
}

/// Where the decision `variable` is set, `yes`, else `no`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Choice {
    variable: u32,
    yes: Condition,
    no: Condition,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Operation {
    And,
    Or,
    /// Of both operands, which are the same.
    Not,
    /// A function that is 1 on the first set, 0 on the second and anything elsewhere.
    Tell,
}

/// All conditions of one program.
pub(super) struct Conditions {
    choices: Vec<Choice>,
    known: HashMap<Choice, Condition>,
    results: HashMap<(Operation, Condition, Condition), Condition>,
    decisions: Vec<Word>,
    variables: HashMap<Word, u32>,
    words: HashMap<Condition, Word>,
    /// The decisions `x = value` by `x` and the value, signed.
    equalities: HashMap<Word, BTreeMap<i128, u32>>,
    /// The decisions `limit < x` by `x` and signedness, ascending.
    thresholds: HashMap<(Word, bool), Vec<(i128, u32)>>,
}

/// Boolean operations below a decision are taken apart this deep.
const DEPTH: u32 = 8;

/// Thresholds of a word that are gone through for its bounds.
const MAX_THRESHOLDS: usize = 16;

/// Equalities of a word that are gone through for its value.
const MAX_EQUALITIES: usize = 64;

/// Values of a word that are gone through for what equalities imply.
const LISTED: i128 = 64;

impl Conditions {
    pub(super) fn new() -> Self {
        let leaf = |condition| Choice { variable: 0, yes: condition, no: condition };
        Conditions {
            choices: vec![leaf(Condition::NEVER), leaf(Condition::ALWAYS)],
            known: HashMap::new(),
            results: HashMap::new(),
            decisions: Vec::new(),
            variables: HashMap::new(),
            words: HashMap::new(),
            equalities: HashMap::new(),
            thresholds: HashMap::new(),
        }
    }

    /// Number of distinct choices, as a measure of memory.
    pub(super) fn len(&self) -> usize {
        self.choices.len() + self.results.len()
    }

    /// The paths on which the flag `word` is set.
    pub(super) fn of_word(&mut self, graph: &Graph, word: Word) -> Condition {
        self.of_word_within(graph, word, DEPTH)
    }

    fn of_word_within(&mut self, graph: &Graph, word: Word, depth: u32) -> Condition {
        match *graph.node(word) {
            Node::Constant(ref value) if value.is_zero() => Condition::NEVER,
            Node::Constant(_) => Condition::ALWAYS,
            Node::Not(inner) => {
                let inner = self.of_word_within(graph, inner, depth);
                self.not(inner)
            }
            Node::Binary(op @ (IntOp::And | IntOp::Or), a, b) if depth > 0 => {
                let (a, b) =
                    (self.of_word_within(graph, a, depth - 1), self.of_word_within(graph, b, depth - 1));
                if op == IntOp::And { self.and(a, b) } else { self.or(a, b) }
            }
            _ => self.decision(graph, word),
        }
    }

    fn decision(&mut self, graph: &Graph, word: Word) -> Condition {
        let next = self.decisions.len() as u32;
        let variable = *self.variables.entry(word).or_insert(next);
        if variable == next {
            self.decisions.push(word);
            if let Some((of, value)) = equality(graph, word) {
                self.equalities.entry(of).or_default().insert(value, variable);
            }
            if let Some((of, limit)) = threshold(graph, word) {
                let list = self.thresholds.entry(of).or_default();
                let at = list.partition_point(|(other, _)| *other < limit);
                list.insert(at, (limit, variable));
            }
        }
        self.choice(variable, Condition::ALWAYS, Condition::NEVER)
    }

    /// Whether the flag `word` is decided on every path of `path`.
    pub(super) fn implied(&mut self, graph: &Graph, path: Condition, word: Word) -> Option<bool> {
        self.implied_within(graph, path, word, DEPTH)
    }

    fn implied_within(&mut self, graph: &Graph, path: Condition, word: Word, depth: u32) -> Option<bool> {
        let condition = self.of_word(graph, word);
        let with = self.and(path, condition);
        if with == Condition::NEVER {
            return Some(false);
        }
        if with == path {
            return Some(true);
        }
        match *graph.node(word) {
            Node::Not(inner) => self.implied_within(graph, path, inner, depth).map(|known| !known),
            Node::Binary(op @ (IntOp::And | IntOp::Or), a, b) if depth > 0 => {
                // An And fails where one side fails, perhaps only given the other; an Or holds likewise.
                let decisive = op == IntOp::Or;
                let first = self.of_word(graph, a);
                let first = if decisive { self.not(first) } else { first };
                let rest = self.and(path, first);
                match self.implied_within(graph, path, a, depth - 1) {
                    Some(known) if known == decisive => return Some(decisive),
                    Some(_) => return self.implied_within(graph, path, b, depth - 1),
                    None => {}
                }
                let second = self.implied_within(graph, rest, b, depth - 1);
                second.filter(|known| *known == decisive)
            }
            Node::Compare(CompareOp::Eq, of, value) => {
                let value = graph.value(value)?.to_i128()?;
                self.implied_equality(graph, path, of, value)
            }
            Node::Compare(op, limit, of) => {
                let signed = op == CompareOp::LtS;
                let limit = number(graph, limit, signed)?;
                let (min, max) = self.bounds(graph, path, of, signed)?;
                if limit < min { Some(true) } else { (limit >= max).then_some(false) }
            }
            _ => None,
        }
    }

    /// The bounds of a word on a path, read with or without a sign: what is known anyway, what thresholds say, and
    /// what is left where values at the ends are excluded.
    fn bounds(&mut self, graph: &Graph, path: Condition, of: Word, signed: bool) -> Option<(i128, i128)> {
        let (bits, facts) = (graph.bits(of), *graph.facts(of));
        if bits > 64 {
            return None;
        }
        let (mut min, mut max) = match signed {
            true => (i128::from(facts.min), i128::from(facts.max)),
            false => (i128::from(facts.least()), i128::from(facts.greatest(bits))),
        };
        for threshold_signed in [signed, !signed] {
            let list = self.thresholds.get(&(of, threshold_signed)).cloned().unwrap_or_default();
            let skipped = list.len().saturating_sub(MAX_THRESHOLDS);
            for (limit, variable) in list.into_iter().skip(skipped) {
                let exceeds = self.choice(variable, Condition::ALWAYS, Condition::NEVER);
                let exceeding = self.and(path, exceeds);
                let below = exceeding == Condition::NEVER;
                if threshold_signed == signed {
                    max = if below { max.min(limit) } else { max };
                    min = if exceeding == path { min.max(limit + 1) } else { min };
                } else if signed && below && limit <= Facts::positive(bits) {
                    // Unsigned numbers up to a limit below the sign bit are not negative.
                    (min, max) = (min.max(0), max.min(limit));
                } else if !signed && exceeding == path && limit >= -1 {
                    (min, max) = (min.max(limit + 1), max.min(Facts::positive(bits)));
                }
            }
        }
        // Equalities are kept by signed values.
        let stored =
            |value: i128| if signed { value } else { Int::signed(bits, value).to_i128().unwrap_or(value) };
        if let Some(value) = self.exact(path, of) {
            let value = if signed { value } else { value & mask(bits) as i128 };
            return Some((value, value));
        }
        while min < max && self.excludes(path, of, stored(min)) {
            min += 1;
        }
        while min < max && self.excludes(path, of, stored(max)) {
            max -= 1;
        }
        Some((min, max))
    }

    /// Whether a word has a value on a path, if that is known: no other is left, or it is excluded itself.
    fn implied_equality(&mut self, graph: &Graph, path: Condition, of: Word, value: i128) -> Option<bool> {
        let (min, max) = self.bounds(graph, path, of, true)?;
        if !(min..=max).contains(&value) {
            return Some(false);
        }
        let facts = *graph.facts(of);
        let mut others = (min..=max).filter(|other| *other != value && facts.allow(*other as i64));
        let alone = max - min <= LISTED && others.all(|other| self.excludes(path, of, other));
        alone.then_some(true)
    }

    /// Whether a word has another value than this on every path.
    fn excludes(&mut self, path: Condition, of: Word, value: i128) -> bool {
        let known = self.equalities.get(&of).and_then(|values| values.get(&value));
        let Some(variable) = known.copied() else { return false };
        let equal = self.choice(variable, Condition::ALWAYS, Condition::NEVER);
        self.and(path, equal) == Condition::NEVER
    }

    /// The value that a word has on every path, if it was compared with it.
    fn exact(&mut self, path: Condition, of: Word) -> Option<i128> {
        let values = self.equalities.get(&of)?.clone();
        values.into_iter().take(MAX_EQUALITIES).find_map(|(value, variable)| {
            let equal = self.choice(variable, Condition::ALWAYS, Condition::NEVER);
            (self.and(path, equal) == path).then_some(value)
        })
    }

    pub(super) fn not(&mut self, a: Condition) -> Condition {
        match a {
            Condition::NEVER => Condition::ALWAYS,
            Condition::ALWAYS => Condition::NEVER,
            _ => self.combine(Operation::Not, a, a),
        }
    }

    /// `a` without `b`.
    pub(super) fn minus(&mut self, a: Condition, b: Condition) -> Condition {
        let not_b = self.not(b);
        self.and(a, not_b)
    }

    pub(super) fn and(&mut self, a: Condition, b: Condition) -> Condition {
        match (a, b) {
            (Condition::NEVER, _) | (_, Condition::NEVER) => Condition::NEVER,
            (Condition::ALWAYS, other) | (other, Condition::ALWAYS) => other,
            _ if a == b => a,
            _ => self.combine(Operation::And, a.min(b), a.max(b)),
        }
    }

    pub(super) fn or(&mut self, a: Condition, b: Condition) -> Condition {
        match (a, b) {
            (Condition::ALWAYS, _) | (_, Condition::ALWAYS) => Condition::ALWAYS,
            (Condition::NEVER, other) | (other, Condition::NEVER) => other,
            _ if a == b => a,
            _ => self.combine(Operation::Or, a.min(b), a.max(b)),
        }
    }

    /// The cheapest condition found that holds on `a` and not on `b`, which do not overlap.
    pub(super) fn tell(&mut self, a: Condition, b: Condition) -> Condition {
        match (a, b) {
            (_, Condition::NEVER) => Condition::ALWAYS,
            (Condition::NEVER, _) => Condition::NEVER,
            _ => self.combine(Operation::Tell, a, b),
        }
    }

    fn combine(&mut self, op: Operation, a: Condition, b: Condition) -> Condition {
        if let Some(known) = self.results.get(&(op, a, b)) {
            return *known;
        }
        let (x, y) = (self.choices[a.0 as usize], self.choices[b.0 as usize]);
        let top =
            |condition: Condition, choice: Choice| (condition > Condition::ALWAYS).then_some(choice.variable);
        let variable = top(a, x).max(top(b, y)).unwrap_or(0);
        let split = |condition: Condition, choice: Choice| match top(condition, choice) {
            Some(found) if found == variable => (choice.yes, choice.no),
            _ => (condition, condition),
        };
        let ((a_yes, a_no), (b_yes, b_no)) = (split(a, x), split(b, y));
        let (yes, no) = match op {
            Operation::And => (self.and(a_yes, b_yes), self.and(a_no, b_no)),
            Operation::Or => (self.or(a_yes, b_yes), self.or(a_no, b_no)),
            Operation::Not => (self.not(a_yes), self.not(a_no)),
            Operation::Tell => {
                // A decision that is not needed to keep the sets apart is left out.
                let (any_a, any_b) = (self.or(a_yes, a_no), self.or(b_yes, b_no));
                if self.and(any_a, any_b) == Condition::NEVER {
                    let without = self.tell(any_a, any_b);
                    (without, without)
                } else {
                    (self.tell(a_yes, b_yes), self.tell(a_no, b_no))
                }
            }
        };
        let result = self.choice(variable, yes, no);
        self.results.insert((op, a, b), result);
        result
    }

    fn choice(&mut self, variable: u32, yes: Condition, no: Condition) -> Condition {
        if yes == no {
            return yes;
        }
        let choice = Choice { variable, yes, no };
        let next = Condition(self.choices.len() as u32);
        let condition = *self.known.entry(choice).or_insert(next);
        if condition == next {
            self.choices.push(choice);
        }
        condition
    }

    /// The latest decision that a condition depends on; later ones compare greater.
    pub(super) fn latest(&self, condition: Condition) -> Option<u32> {
        (condition > Condition::ALWAYS).then(|| self.choices[condition.0 as usize].variable)
    }

    /// The condition as a flag.
    pub(super) fn word(&mut self, graph: &mut Graph, condition: Condition) -> Word {
        match condition {
            Condition::NEVER => return graph.flag(false),
            Condition::ALWAYS => return graph.flag(true),
            _ => {}
        }
        if let Some(word) = self.words.get(&condition) {
            return *word;
        }
        let choice = self.choices[condition.0 as usize];
        let (yes, no) = (self.word(graph, choice.yes), self.word(graph, choice.no));
        let word = graph.select(self.decisions[choice.variable as usize], yes, no);
        self.words.insert(condition, word);
        word
    }
}

/// `x` and `value` of a comparison `x = value` with a constant.
fn equality(graph: &Graph, word: Word) -> Option<(Word, i128)> {
    let Node::Compare(CompareOp::Eq, of, value) = *graph.node(word) else { return None };
    Some((of, graph.value(value)?.to_i128()?))
}

/// `x` and `limit` of a comparison `limit < x` with a constant.
fn threshold(graph: &Graph, word: Word) -> Option<((Word, bool), i128)> {
    let Node::Compare(op @ (CompareOp::LtU | CompareOp::LtS), limit, of) = *graph.node(word) else {
        return None;
    };
    let signed = op == CompareOp::LtS;
    Some(((of, signed), number(graph, limit, signed)?))
}

fn number(graph: &Graph, word: Word, signed: bool) -> Option<i128> {
    let value = graph.value(word)?;
    if signed { value.to_i128() } else { value.to_u64().map(i128::from) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setup() -> (Graph, Conditions, Vec<Condition>) {
        let (mut graph, mut conditions) = (Graph::default(), Conditions::new());
        let flags: Vec<_> = (0..4).map(|lane| graph.input(0, 0, lane, 1)).collect();
        let decisions = flags.iter().map(|flag| conditions.of_word(&graph, *flag)).collect();
        (graph, conditions, decisions)
    }

    #[test]
    fn conditions_are_canonical() {
        let (_, mut all, d) = setup();
        let (both, neither) = (all.and(d[0], d[1]), all.or(d[0], d[1]));
        let (first, second) = (all.minus(d[0], d[1]), all.minus(d[1], d[0]));
        let either = all.or(first, second);
        assert_eq!(all.or(either, both), neither);
        let not = all.not(neither);
        assert_eq!(all.or(not, neither), Condition::ALWAYS);
        assert_eq!(all.and(not, neither), Condition::NEVER);
    }

    #[test]
    fn telling_sets_apart_takes_one_decision_where_one_suffices() {
        let (mut graph, mut all, d) = setup();
        let left = all.and(d[0], d[1]);
        let right = all.minus(d[2], d[0]);
        let tell = all.tell(left, right);
        let (word, expected) = (all.word(&mut graph, tell), all.word(&mut graph, d[0]));
        assert_eq!(word, expected);
    }

    #[test]
    fn thresholds_imply_one_another() {
        let (mut graph, mut all, _) = setup();
        let x = graph.input(1, 0, 0, 32);
        let exceeds = |graph: &mut Graph, limit| {
            let limit = graph.number(32, limit);
            graph.compare(CompareOp::LtS, limit, x)
        };
        let (five, ten) = (exceeds(&mut graph, 5), exceeds(&mut graph, 10));
        let above = all.of_word(&graph, ten);
        let not_above_five = {
            let five = all.of_word(&graph, five);
            all.not(five)
        };
        assert_eq!(all.implied(&graph, above, five), Some(true));
        assert_eq!(all.implied(&graph, not_above_five, ten), Some(false));
        assert_eq!(all.implied(&graph, Condition::ALWAYS, five), None);
    }
}
