//! The exact costs of a batch: randomness to prepare, and bytes sent.

use crate::constants::TAG_BYTES;
use crate::inputs::Form;
use crate::job::question;
use crate::{Parameters, Relation, Results};

/// The cost of one call. It has one round: a message of the server, then the assistant's reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Pieces of randomness that the server must have prepared; it sends as many ciphertexts to the assistant.
    pub server_randomness: usize,
    /// Pieces of randomness that the assistant must have prepared; it sends as many ciphertexts back, and the server tests them for
    /// zero.
    pub assistant_randomness: usize,
    /// Bytes from the server.
    pub request_bytes: usize,
    /// Bytes from the assistant.
    pub reply_bytes: usize,
    /// Bytes from the server after the reply.
    pub verdict_bytes: usize,
}

impl Cost {
    /// `count` comparisons.
    pub fn compare(
        parameters: &Parameters,
        form: Form,
        relation: Relation,
        results: Results,
        count: usize,
    ) -> Cost {
        let tests = question(relation, results, form).tests;
        let reply = tests.iter().map(|test| test.positions(parameters.bits())).sum();
        Cost::of(parameters, count, form.request(&tests, parameters.bits()), reply)
    }

    /// The check of `count` submissions.
    pub fn check(parameters: &Parameters, count: usize) -> Cost {
        let cost = Cost::of(parameters, count, 2 * parameters.bits() as usize, parameters.repetitions());
        Cost { verdict_bytes: TAG_BYTES + count.div_ceil(8), ..cost }
    }

    /// `count` comparisons of masked numbers ([`crate::Server::compare_masked`]).
    pub fn masked(parameters: &Parameters, count: usize) -> Cost {
        let bits = parameters.bits() as usize;
        Cost::of(parameters, count, 2 * bits + 1, bits + 2)
    }

    /// Bytes of the key, which is sent once.
    pub fn key_bytes(parameters: &Parameters) -> usize {
        TAG_BYTES + 3 * parameters.ciphertext_bytes()
    }

    fn of(parameters: &Parameters, count: usize, request: usize, reply: usize) -> Cost {
        let bytes = |each: usize| TAG_BYTES + count * each * parameters.ciphertext_bytes();
        Cost {
            server_randomness: count * request,
            assistant_randomness: count * reply,
            request_bytes: bytes(request),
            reply_bytes: bytes(reply),
            verdict_bytes: 0,
        }
    }
}
