//! The public description of one call, on which both parties must agree: counts of ciphertexts, and the tags that begin messages.

use tacit_crypto::Oracle;

use crate::constants::TAG_BYTES;
use crate::inputs::{Form, Inputs};
use crate::positions::{Question, Test};
use crate::{Half, Parameters, Relation, Results};

/// A batch of questions of the same kind.
pub(crate) struct Job {
    pub tests: Vec<Test>,
    pub negate: bool,
    /// Number of questions.
    pub count: usize,
    /// Ciphertexts of the request for each question.
    pub request: usize,
    /// Ciphertexts of the reply to each question, by the groups within which they are permuted.
    pub groups: Vec<usize>,
    oracle: Oracle,
}

impl Job {
    /// Comparisons. `key` is the digest of the key.
    pub fn compare(
        parameters: &Parameters,
        key: &[u8; 32],
        relation: Relation,
        results: Results,
        inputs: &Inputs<'_>,
    ) -> Job {
        let form = inputs.form();
        let question = question(relation, results, form);
        let shape = [form.code(), relation.code(), u8::from(results == Results::Shared)];
        let mut oracle = Job::oracle(parameters, key, "compare", inputs.count()).absorb(&shape);
        oracle = match inputs {
            Inputs::Prices { bids, prices } => {
                prices.iter().fold(names(oracle, bids), |oracle, price| oracle.absorb(&price.to_le_bytes()))
            }
            Inputs::Private { .. } => oracle,
            Inputs::Sealed { left, right } => names(names(oracle, left), right),
        };
        let bits = parameters.bits();
        let groups = question.tests.iter().map(|test| test.positions(bits)).collect();
        let request = form.request(&question.tests, bits);
        Job { tests: question.tests, negate: question.negate, count: inputs.count(), request, groups, oracle }
    }

    /// Another kind of batch, with the given counts.
    pub fn other(
        parameters: &Parameters,
        key: &[u8; 32],
        what: &str,
        count: usize,
        request: usize,
        groups: Vec<usize>,
    ) -> Job {
        let oracle = Job::oracle(parameters, key, what, count);
        Job { tests: Vec::new(), negate: false, count, request, groups, oracle }
    }

    fn oracle(parameters: &Parameters, key: &[u8; 32], what: &str, count: usize) -> Oracle {
        let oracle = Oracle::new("tacit compare v1").absorb(key).absorb(&parameters.to_bytes());
        oracle.absorb(what.as_bytes()).absorb(&(count as u64).to_le_bytes())
    }

    /// The same job, bound to these sealed numbers.
    pub fn of(self, halves: &[Half]) -> Job {
        Job { oracle: names(self.oracle, halves), ..self }
    }

    /// The tag of the message with this name.
    pub fn tag(&self, message: &str) -> [u8; TAG_BYTES] {
        let mut tag = [0; TAG_BYTES];
        tag.copy_from_slice(&self.oracle.clone().absorb(message.as_bytes()).digest()[..TAG_BYTES]);
        tag
    }

    /// Ciphertexts of the reply to one question.
    pub fn reply(&self) -> usize {
        self.groups.iter().sum()
    }
}

/// Absorbs the names of the halves' sealed numbers.
fn names(oracle: Oracle, halves: &[Half]) -> Oracle {
    halves.iter().fold(oracle, |oracle, half| oracle.absorb(&half.name()))
}

/// The tests for a relation.
pub(crate) fn question(relation: Relation, results: Results, form: Form) -> Question {
    match results {
        Results::Revealed => relation.revealed(),
        Results::Shared => relation.shared(form.right_is_known()),
    }
}
