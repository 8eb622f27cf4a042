//! Words modulo a power of two among three parties, of whom no single one learns anything, by replicated sharing modulo 2^64. Sums need no message. For a
//! product of words or vectors, or an element of a product of matrices, each party sends one word to the next.
//!
//! A word is the sum of three words, of which each party has two. Shares are those of Shamir's scheme in a ring in which three points have differences with
//! inverses ([`GaloisRing`]): they determine the same two words, and all operations are those of the prime fields. Products are those of three parties in any
//! field ([`Replicated`](crate::product::Replicated)), with summands of one word. In a narrower word only the low bits count. The bits above are never
//! revealed: results are multiplied by a power of two before they are opened.
//!
//! Source: Araki, Furukawa, Lindell, Nof and Ohara, “High-throughput semi-honest secure three-party computation with an honest majority” (CCS 2016), sections 2.1 and
//! 2.2. Differs: shares in another basis; zeros are addressed by the place of their product in its task, in counter mode, and not drawn in order.
//! Security: against one passive party. Keys are fresh in each session; a place is used once under a task's key.
//! Cost: a product takes 8 bytes from each party, an input word 8 bytes to one other party, an output 8 bytes to each party that learns it.

use tacit_ir::{Domain, Words};
use tacit_math::field::{Field, GaloisElement, GaloisRing};
use tacit_schedule::walk::KernelTask;
use tacit_schedule::{ArithOp, Bundle as Form, Kernel};

use super::operation::{runs, write};
use crate::compiled::CompiledError;
use crate::compiled::domains::{InputColumn, KernelRunner, OpenedElements, SharedDomain, Site, Size};
use crate::compiled::elements::Elements;
use crate::compiled::memory::Bundle;
use crate::parties::Parties;
use crate::program::Value;
use crate::protocol::minimum::shape::Shape;

/// Bytes of an opened word.
const WORD_BYTES: usize = GaloisRing::BITS as usize / 8;

/// Words modulo 2^64.
pub(in crate::compiled::domains) struct WrappingWords;

/// Words as a bundle.
pub(in crate::compiled::domains) fn bundle<F: Field>(value: Value<GaloisRing>) -> Bundle<F> {
    Bundle::written(Elements::Words(value))
}

impl<F: Field> SharedDomain<F> for WrappingWords {
    fn domain(&self) -> Domain {
        Domain::Arith
    }

    fn serves(&self, size: Size) -> bool {
        size.wraps()
    }

    fn input(&self, site: Site<'_, F>, column: &InputColumn<'_>) -> Result<Bundle<F>, CompiledError> {
        let given = column.words.map(|words| {
            // The bits above repeat the sign, because they count where words are stored wider.
            let above = if column.signed { GaloisRing::BITS - words.bits() } else { 0 };
            let number = |word: &u64| GaloisRing.element(((word << above) as i64 >> above) as u64);
            words.limbs().iter().map(number).collect()
        });
        Ok(bundle(site.task.ring()?.input(column.owner, column.length, given)?))
    }

    fn random(&self, site: Site<'_, F>, _: Form, length: usize) -> Result<Bundle<F>, CompiledError> {
        Ok(bundle(site.task.ring()?.random_words(length, GaloisRing::BITS as usize)?))
    }

    fn constant(
        &self,
        site: Site<'_, F>,
        words: &Words,
        (_, copies): (Form, u64),
    ) -> Result<Bundle<F>, CompiledError> {
        let elements: Vec<_> = words.limbs().iter().map(|word| GaloisRing.element(*word)).collect();
        Ok(bundle(site.task.ring()?.constant(elements.repeat(copies as usize))?))
    }

    fn open(
        &self,
        site: Site<'_, F>,
        (source, form): (&Bundle<F>, Form),
        to: Parties,
    ) -> Result<Elements<F>, CompiledError> {
        let (ring, words) = (site.task.ring()?, source.elements()?.words()?);
        // The bits above those that count are never revealed: those that count are moved to the top.
        let above = GaloisRing::BITS.saturating_sub(form.bits);
        let counted = ring.scale(words, GaloisRing.element(1 << above))?;
        let opened = ring.open_to(&counted, to)?;
        let low = move |word: &GaloisElement| (GaloisRing.ground(*word) >> above).to_le_bytes();
        let unpack = move |words: &[GaloisElement]| words.iter().flat_map(low).collect();
        let length = (words.len() * WORD_BYTES, site.hash);
        Ok(Elements::Bytes(site.task.bytes()?.carry(ring, &opened, length, unpack)?))
    }

    fn words(&self, _: &F, opened: &mut OpenedElements<'_, F>, (bits, lanes): (u32, u64)) -> Option<Words> {
        let bytes = opened.bytes.split_off(..lanes as usize * WORD_BYTES)?;
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
        Words::from_limbs(bits, lanes, bytes.chunks_exact(WORD_BYTES).map(word).collect())
    }
}

impl<F: Field> KernelRunner<F> for WrappingWords {
    fn runs(&self, kernel: &Kernel) -> bool {
        runs(kernel) || matches!(kernel, Kernel::Arith(ArithOp::ArgMin { .. }))
    }

    fn serves(&self, size: Size) -> bool {
        size.wraps()
    }

    fn write(
        &self,
        site: Site<'_, F>,
        task: &KernelTask<'_, Bundle<F>>,
    ) -> Result<Vec<Bundle<F>>, CompiledError> {
        let Kernel::Arith(op) = task.kernel else { return Err(CompiledError::OtherSchedule) };
        if let (ArithOp::Truncate, Some(words)) = (op, task.operands.first()) {
            return Ok(vec![words.clone()]);
        }
        let values = task.operands.iter().map(|operand| operand.elements()?.words());
        let values = values.collect::<Result<Vec<_>, _>>()?;
        if let (&ArithOp::ArgMin { length, difference }, [words]) = (op, &values[..]) {
            let (length, bits) = (length as usize, difference);
            let shape = Shape { length, runs: words.len() / length, bits };
            let found = site.task.ring()?.first_least(words, (shape, site.hash))?;
            return Ok(found.map(bundle).into());
        }
        Ok(vec![bundle(write((site.task.ring()?, site.hash), op, &values)?)])
    }
}
