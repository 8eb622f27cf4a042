//! Bits, each shared as 0 or 1 in GF(2^8): exclusive or needs no message, a complement adds 1, and an AND is one product of one byte.
//!
//! All domains whose values are bits are this one among n parties.

pub(crate) mod circuit;
mod words;

use tacit_ir::{Domain, Words};
use tacit_math::field::Field;
use tacit_schedule::walk::{CircuitTask, KernelTask};
use tacit_schedule::{Bundle as Form, Kernel, rules};

use super::{BITS, InputColumn, KernelRunner, OpenedElements, SharedDomain, Site};
use crate::compiled::CompiledError;
use crate::compiled::elements::Elements;
use crate::compiled::memory::Bundle;
use crate::parties::Parties;
use circuit::Run;

/// Bits in bytes.
pub(super) struct Bits;

impl<F: Field> SharedDomain<F> for Bits {
    fn domain(&self) -> Domain {
        BITS
    }

    fn has(&self, domain: Domain) -> bool {
        rules(domain).circuits.is_some()
    }

    fn input(&self, site: Site<'_, F>, column: &InputColumn<'_>) -> Result<Bundle<F>, CompiledError> {
        let bits = column.words.map(words::from_words);
        let shared = site.task.bytes()?.input(column.owner, column.length, bits)?;
        Ok(Bundle::written(Elements::Bytes(shared)))
    }

    fn random(&self, site: Site<'_, F>, _: Form, length: usize) -> Result<Bundle<F>, CompiledError> {
        Ok(Bundle::written(Elements::Bytes(site.task.bytes()?.random_bits(length)?)))
    }

    fn constant(
        &self,
        site: Site<'_, F>,
        words: &Words,
        (form, copies): (Form, u64),
    ) -> Result<Bundle<F>, CompiledError> {
        let bits = words::repeat(&words::from_words(words), form.lanes as usize, copies as usize);
        Ok(Bundle::written(Elements::Bytes(site.task.bytes()?.constant(bits)?)))
    }

    fn open(
        &self,
        site: Site<'_, F>,
        (source, _): (&Bundle<F>, Form),
        to: Parties,
    ) -> Result<Elements<F>, CompiledError> {
        Ok(Elements::Bytes(site.task.bytes()?.open_to(source.elements()?.bytes()?, to)?))
    }

    fn words(&self, _: &F, opened: &mut OpenedElements<'_, F>, (bits, lanes): (u32, u64)) -> Option<Words> {
        let wires = opened.bytes.split_off(..bits as usize * lanes as usize)?;
        wires.iter().all(|wire| *wire <= 1).then(|| words::to_words(wires, bits, lanes))
    }

    fn circuit(
        &self,
        site: Site<'_, F>,
        circuit: &CircuitTask<'_, Bundle<F>>,
    ) -> Result<(Vec<Bundle<F>>, usize), CompiledError> {
        let instances = circuit.instances as usize;
        let operands = circuit.operands.iter().map(|operand| operand.wires.elements()?.bytes());
        let operands = operands.collect::<Result<Vec<_>, _>>()?;
        let run = Run {
            schedule: site.schedule.clone(),
            circuit: circuit.number,
            instances,
            inputs: circuit.operands.iter().map(|one| one.view(one.wires.len(), instances)).collect(),
            outputs: circuit.targets.iter().map(|one| one.view(one.wires.len(), instances)).collect(),
            hash: site.hash,
        };
        let written = run.write(site.task.bytes()?, &operands)?.into_iter();
        Ok((written.map(|value| Bundle::written(Elements::Bytes(value))).collect(), run.bytes()))
    }
}

/// From one domain of bits to another, which are one here.
impl<F: Field> KernelRunner<F> for Bits {
    fn runs(&self, kernel: &Kernel) -> bool {
        kernel.rules().keeps_bits()
    }

    fn write(
        &self,
        _: Site<'_, F>,
        task: &KernelTask<'_, Bundle<F>>,
    ) -> Result<Vec<Bundle<F>>, CompiledError> {
        Ok(task.operands.clone())
    }
}
