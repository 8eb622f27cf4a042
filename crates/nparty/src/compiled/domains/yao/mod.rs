//! Circuits among three parties that are garbled: two rounds for a circuit of any depth.
//!
//! Bits are shared between circuits as in the domain of bits ([`replicated`](super::replicated)): each two of the parties have one of three bits in common, whose exclusive or
//! is the bit. For a circuit, one party is the garbler, the next the evaluator, and the third a helper:
//!
//! 1. Helper and garbler draw the garbler's difference and a label for each input bit, from their common key. The helper hands the evaluator this label, plus the difference
//!    if the bit is one that the helper and the evaluator have in common. The garbler takes it as the label of its own two bits' exclusive or. So no label needs a transfer.
//! 2. The garbler garbles the circuit by half gates, and hands the tables to the evaluator, who evaluates them. The start of the hash comes from their common key.
//! 3. An output bit is the exclusive or of the colours of the garbler's label of zero and of the evaluator's label. Both are shared as the summands of a product are.
//!
//! Circuits with few layers of ANDs take no more rounds as products, and are computed so.
//!
//! Source: Mohassel, Rosulek and Zhang, “Fast and secure three-party computation: the garbled circuit approach” (CCS 2015), section 3; Mohassel and Rindal, “ABY3” (CCS
//! 2018), section 5.2. Differs: one party garbles, as none departs from the protocol; the garbler has two of the three bits of an input in its labels, so one label is sent for
//! each input bit; outputs become shares without a circuit.
//! Security: against one passive party, as half gates ([`tacit_crypto::half_gates`]). The evaluator sees a label for each wire, with a difference that is drawn for each
//! circuit and chunk of lanes; the helper and the garbler see nothing but masked outputs.
//! Cost: for each AND the garbler sends 32 bytes, for each input bit the helper sends 16, and for each output bit each party sends one bit. Which party does what goes around.

pub(crate) mod circuit;
mod labels;

use tacit_circuit::Executable;
use tacit_ir::{Domain, Words};
use tacit_math::field::{BitOctets, Field};
use tacit_schedule::walk::CircuitTask;
use tacit_schedule::{Bundle as Form, Circuits, rules};

use super::bool::Bits;
use super::{InputColumn, OpenedElements, SharedDomain, Site, Size};
use crate::compiled::CompiledError;
use crate::compiled::column_bits::ColumnBits;
use crate::compiled::elements::Elements;
use crate::compiled::memory::Bundle;
use crate::parties::Parties;
use crate::protocol::packed::SharedBits;

/// Bits whose circuits are garbled.
pub(super) struct Garbled;

/// How they are shared.
const BITS: &Bits<BitOctets> = &Bits::NEW;

impl<F: Field> SharedDomain<F> for Garbled {
    fn domain(&self) -> Domain {
        Domain::Yao
    }

    fn has(&self, domain: Domain) -> bool {
        rules(domain).circuits == Some(Circuits::Garbled)
    }

    fn serves(&self, size: Size) -> bool {
        SharedDomain::<F>::serves(BITS, size)
    }

    fn input(&self, site: Site<'_, F>, column: &InputColumn<'_>) -> Result<Bundle<F>, CompiledError> {
        BITS.input(site, column)
    }

    fn shared_input(&self, bits: &ColumnBits<F>) -> Result<Bundle<F>, CompiledError> {
        BITS.shared_input(bits)
    }

    fn shared_output(&self, source: &Bundle<F>) -> Result<ColumnBits<F>, CompiledError> {
        BITS.shared_output(source)
    }

    fn random(&self, site: Site<'_, F>, form: Form, length: usize) -> Result<Bundle<F>, CompiledError> {
        BITS.random(site, form, length)
    }

    fn constant(
        &self,
        site: Site<'_, F>,
        words: &Words,
        form_copies: (Form, u64),
    ) -> Result<Bundle<F>, CompiledError> {
        BITS.constant(site, words, form_copies)
    }

    fn open(
        &self,
        site: Site<'_, F>,
        source_form: (&Bundle<F>, Form),
        to: Parties,
    ) -> Result<Elements<F>, CompiledError> {
        BITS.open(site, source_form, to)
    }

    fn words(&self, field: &F, opened: &mut OpenedElements<'_, F>, column: (u32, u64)) -> Option<Words> {
        BITS.words(field, opened, column)
    }

    fn garbles(&self, circuit: &Executable) -> bool {
        circuit::is_garbled(circuit)
    }

    fn circuit(
        &self,
        site: Site<'_, F>,
        task: &CircuitTask<'_, Bundle<F>>,
    ) -> Result<(Vec<Bundle<F>>, usize), CompiledError> {
        let (run, operands) = BITS.run(&site, task)?;
        let written = circuit::write(&run, BitOctets::of(site.task)?, &operands)?;
        Ok((BITS.bundles(&run, written), circuit::bytes(&run)))
    }
}
