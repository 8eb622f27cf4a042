//! Yao's protocol with everything done in setup that does not depend on inputs.
//!
//! Each party walks its program twice, with the same calls of [`Side`](super::Side):
//!
//! 1. Setup, before inputs are known: [`GarblerSetup`] garbles everything and sends the tables under a mask;
//!    [`EvaluatorSetup`] stores them and draws labels of random bits for its inputs. The bits passed to `own_input`
//!    are ignored, the evaluator's labels have no meaning, and `reveal` reveals nothing. `finish` returns
//!    [`GarblerPrepared`] or [`EvaluatorPrepared`].
//! 2. Online: each side starts with all bits of its inputs, in the order of the walk. The evaluator sends corrections,
//!    the garbler labels and then the key of the mask and the start of the gate hash: one round for all inputs, 16
//!    bytes an input bit. Then [`EvaluatorOnline`] walks and evaluates; [`GarblerOnline`] walks for its outputs, with
//!    labels that have no meaning.
//!
//! Prepared material is spent by one run: both `start`s take it by value. A garbling that is evaluated on two
//! inputs reveals both.
//!
//! Security: a garbling sent before inputs are chosen is proven secure only if inputs do not depend on it (selective
//! security). Here everything that depends on the garbling stays hidden until both parties' inputs are fixed, by a mask
//! that a simulator can still open to anything (adaptive security). In the ideal-cipher model, AES-128 under a fresh
//! key that nobody has queried yet is a random permutation independent of everything seen. So a simulator sends random
//! bytes as masked tables; when inputs are fixed, it simulates the garbling and programs the cipher under the key to
//! map counters to the difference. It fails if the key was guessed (q queries: q / 2^128) or two of the n blocks of the
//! difference are equal (n^2 / 2^129; for 10^9 ANDs 2^-67). The labels of inputs that are sent in setup are uniform
//! whatever the inputs are.

pub(crate) mod encoding;
mod evaluator;
mod garbler;

pub use evaluator::{EvaluatorOnline, EvaluatorPrepared, EvaluatorSetup};
pub use garbler::{GarblerOnline, GarblerPrepared, GarblerSetup};

use super::YaoError;
use std::ops::Range;

/// A position in a list of prepared items, each of which is used once and in order.
#[derive(Default)]
struct Spent {
    next: usize,
}

impl Spent {
    /// The range of the next `count` of `total` items.
    fn take(&mut self, what: &'static str, count: usize, total: usize) -> Result<Range<usize>, YaoError> {
        let left = total - self.next;
        if count > left {
            return Err(YaoError::NotPrepared { what, asked: count as u64, left: left as u64 });
        }
        self.next += count;
        Ok(self.next - count..self.next)
    }
}
