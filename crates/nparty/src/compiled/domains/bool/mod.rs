//! Bits, each shared as 0 or 1 in a field of characteristic 2: exclusive or needs no message, a complement adds 1, and an AND is one product.
//!
//! The field is GF(2^8), where a bit is a byte; or, among three parties, a field whose elements hold eight bits (see [`replicated`](super::replicated)). Among
//! n parties, all domains whose values are bits are this one.

pub(crate) mod circuit;

use std::marker::PhantomData;

use tacit_ir::{Domain, Words};
use tacit_math::field::{BitOctets, Field, Gf256};
use tacit_schedule::walk::{CircuitTask, KernelTask};
use tacit_schedule::{Bundle as Form, Kernel, rules};
use zeroize::Zeroizing;

use super::{BITS, InputColumn, KernelRunner, OpenedElements, SharedDomain, Site, Size};
use crate::compiled::CompiledError;
use crate::compiled::column_bits::ColumnBits;
use crate::compiled::elements::{BitElements, Elements};
use crate::compiled::memory::Bundle;
use crate::parties::Parties;
use crate::program::Value;
use crate::protocol::packed::{packed, unpacked};
use circuit::Run;

/// A field in which bits are shared.
pub(super) trait SharedBitDomain: BitElements {
    /// The number of parties and the threshold.
    fn serves(size: Size) -> bool;
}

impl SharedBitDomain for Gf256 {
    fn serves(size: Size) -> bool {
        !BitOctets::serves(size)
    }
}

/// Bits in a field.
pub(super) struct Bits<G>(PhantomData<G>);

impl<G> Bits<G> {
    pub(super) const NEW: Bits<G> = Bits(PhantomData);
}

impl<G: SharedBitDomain> Bits<G> {
    /// A circuit to be run, and its operands.
    pub(super) fn run<'t, F: Field>(
        &self,
        site: &Site<'_, F>,
        circuit: &'t CircuitTask<'_, Bundle<F>>,
    ) -> Result<(Run, Vec<&'t Value<G>>), CompiledError> {
        let instances = circuit.instances as usize;
        let operands = circuit.operands.iter().map(|operand| G::bits(operand.wires.elements()?));
        let operands = operands.collect::<Result<Vec<_>, _>>()?;
        let run = Run {
            schedule: site.schedule.clone(),
            circuit: circuit.number,
            instances,
            inputs: circuit.operands.iter().map(|one| one.view(one.wires.len(), instances)).collect(),
            outputs: circuit.targets.iter().map(|one| one.view(one.wires.len(), instances)).collect(),
            hash: site.hash,
        };
        Ok((run, operands))
    }

    /// The bundles of a circuit's outputs.
    pub(super) fn bundles<F: Field>(&self, run: &Run, written: Vec<Value<G>>) -> Vec<Bundle<F>> {
        let views = written.into_iter().zip(&run.outputs);
        views.map(|(value, view)| Bundle::written(G::wrap(value, view.elements()))).collect()
    }
}

impl<F: Field, G: SharedBitDomain> SharedDomain<F> for Bits<G> {
    fn domain(&self) -> Domain {
        BITS
    }

    fn has(&self, domain: Domain) -> bool {
        rules(domain).circuits.is_some()
    }

    fn serves(&self, size: Size) -> bool {
        G::serves(size)
    }

    fn input(&self, site: Site<'_, F>, column: &InputColumn<'_>) -> Result<Bundle<F>, CompiledError> {
        let (task, count) = (G::of(site.task)?, column.length);
        let bits = column.words.map(|words| Zeroizing::new(words.to_wires()));
        let elements = bits.map(|bits| packed(task.field(), &bits));
        let shared = task.input_bits(column.owner, (G::words(count), count), elements)?;
        Ok(Bundle::written(G::wrap(shared, count)))
    }

    fn shared_input(&self, bits: &ColumnBits<F>) -> Result<Bundle<F>, CompiledError> {
        let shared = bits.elements();
        // Bits that lie otherwise are not these.
        G::bits(&**shared)?;
        Ok(Bundle::of(shared.clone()))
    }

    fn shared_output(&self, source: &Bundle<F>) -> Result<ColumnBits<F>, CompiledError> {
        G::bits(source.elements()?)?;
        Ok(ColumnBits::of(source.shared()?))
    }

    fn random(&self, site: Site<'_, F>, _: Form, length: usize) -> Result<Bundle<F>, CompiledError> {
        Ok(Bundle::written(G::wrap(G::random(G::of(site.task)?, length)?, length)))
    }

    fn constant(
        &self,
        site: Site<'_, F>,
        words: &Words,
        (form, copies): (Form, u64),
    ) -> Result<Bundle<F>, CompiledError> {
        let task = G::of(site.task)?;
        let bits = repeat(&words.to_wires(), form.lanes as usize, copies as usize);
        Ok(Bundle::written(G::wrap(task.constant(packed(task.field(), &bits))?, bits.len())))
    }

    fn open(
        &self,
        site: Site<'_, F>,
        (source, _): (&Bundle<F>, Form),
        to: Parties,
    ) -> Result<Elements<F>, CompiledError> {
        let (task, count) = (G::of(site.task)?, source.len());
        let opened = task.open_of((G::bits(source.elements()?)?, count), to)?;
        if G::LANES == 1 {
            return Ok(G::wrap(opened, count));
        }
        let field = task.field().clone();
        let bytes = site.task.bytes()?;
        let unpack = move |elements: &[G::Element]| unpacked(&field, elements, count);
        Ok(Elements::Bytes(bytes.carry(task, &opened, (count, site.hash), unpack)?))
    }

    fn words(&self, _: &F, opened: &mut OpenedElements<'_, F>, (bits, lanes): (u32, u64)) -> Option<Words> {
        let wires = opened.bytes.split_off(..bits as usize * lanes as usize)?;
        wires.iter().all(|wire| *wire <= 1).then(|| Words::from_wires(bits, lanes, wires))
    }

    fn circuit(
        &self,
        site: Site<'_, F>,
        circuit: &CircuitTask<'_, Bundle<F>>,
    ) -> Result<(Vec<Bundle<F>>, usize), CompiledError> {
        let (run, operands) = self.run(&site, circuit)?;
        let written = run.write(G::of(site.task)?, &operands)?;
        Ok((self.bundles(&run, written), run.bytes::<G>()))
    }
}

/// A conversion from one domain of bits to another. They are the same here.
impl<F: Field, G: SharedBitDomain> KernelRunner<F> for Bits<G> {
    fn runs(&self, kernel: &Kernel) -> bool {
        kernel.rules().keeps_bits()
    }

    fn serves(&self, size: Size) -> bool {
        G::serves(size)
    }

    fn write(
        &self,
        _: Site<'_, F>,
        task: &KernelTask<'_, Bundle<F>>,
    ) -> Result<Vec<Bundle<F>>, CompiledError> {
        Ok(task.operands.clone())
    }
}

/// The lanes of every wire, repeated `copies` times.
fn repeat(wires: &[u8], lanes: usize, copies: usize) -> Vec<u8> {
    wires.chunks_exact(lanes).flat_map(|wire| wire.repeat(copies)).collect()
}
