//! Path conditions: the secret decisions that lead to a point of the program.

use std::collections::HashMap;

use super::comparison::Comparison;
use crate::graph::{BuildWordHasher, Graph, Node, Word};
use crate::int::IntOp;

/// A set of paths as a Boolean function of decisions; equal functions are equal values.
///
/// Reduced ordered decision diagrams with the latest decision on top, since the last fork usually merges
/// first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Condition(u32);

impl Condition {
    pub(super) const NEVER: Condition = Condition(0);
    pub(super) const ALWAYS: Condition = Condition(1);
}

/// `yes` if the decision `variable` is set, else `no`.
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
    /// The complement; both operands are the same.
    Not,
    /// A function that is 1 on the first set, 0 on the second and anything elsewhere.
    Tell,
}

/// A hash table that is never iterated over.
type Table<K, V> = HashMap<K, V, BuildWordHasher>;

/// All conditions of one program.
pub(super) struct Conditions {
    choices: Vec<Choice>,
    known: Table<Choice, Condition>,
    results: Table<(Operation, Condition, Condition), Condition>,
    decisions: Vec<Word>,
    variables: Table<Word, u32>,
    words: Table<Condition, Word>,
    /// The comparison of a word with a constant that each decision represents, if any.
    pub(super) comparisons: Vec<Option<Comparison>>,
    /// The condition below a condition's first decision at which its paths meet again, once known.
    meetings: Table<Condition, Condition>,
}

/// The depth to which Boolean operations below a decision are decomposed.
pub(super) const DEPTH: u32 = 8;

impl Conditions {
    pub(super) fn new() -> Self {
        let leaf = |condition| Choice { variable: 0, yes: condition, no: condition };
        Conditions {
            choices: vec![leaf(Condition::NEVER), leaf(Condition::ALWAYS)],
            known: HashMap::default(),
            results: HashMap::default(),
            decisions: Vec::new(),
            variables: HashMap::default(),
            words: HashMap::default(),
            comparisons: Vec::new(),
            meetings: HashMap::default(),
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
            self.comparisons.push(Comparison::of(graph, word));
        }
        self.literal(variable)
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

    /// The cheapest condition found that holds on all of `a` and nowhere on `b`; `a` and `b` do not overlap.
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
                // A decision that is not needed to separate the sets is left out.
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

    /// The condition that is `yes` if a decision is set, else `no`.
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

    /// The paths on which a decision is set.
    fn literal(&mut self, variable: u32) -> Condition {
        self.choice(variable, Condition::ALWAYS, Condition::NEVER)
    }

    /// The decisions that are equal on every path of a condition, latest first, as far as they can be found
    /// without entering parts where paths differ.
    pub(super) fn forced(&mut self, path: Condition) -> Vec<(u32, bool)> {
        let (mut forced, mut at) = (Vec::new(), path);
        while at > Condition::ALWAYS {
            let choice = self.choices[at.0 as usize];
            if choice.no == Condition::NEVER {
                forced.push((choice.variable, true));
            } else if choice.yes == Condition::NEVER {
                forced.push((choice.variable, false));
            }
            at = self.meeting(at);
        }
        forced
    }

    /// The first condition below that all paths share.
    fn meeting(&mut self, condition: Condition) -> Condition {
        let choice = self.choices[condition.0 as usize];
        match (choice.yes, choice.no) {
            (only, Condition::NEVER) | (Condition::NEVER, only) => return only,
            _ => {}
        }
        if let Some(known) = self.meetings.get(&condition) {
            return *known;
        }
        let (mut a, mut b) = (choice.yes, choice.no);
        while a != b {
            if self.latest(a) >= self.latest(b) {
                a = self.meeting(a);
            } else {
                b = self.meeting(b);
            }
        }
        self.meetings.insert(condition, a);
        a
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

#[cfg(test)]
mod tests {
    use tacit_ir::CompareOp;

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
