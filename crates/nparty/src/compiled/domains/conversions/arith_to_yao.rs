use std::marker::PhantomData;

use tacit_math::field::{BitOctets, Field, Gf256};
use tacit_schedule::Kernel;
use tacit_schedule::walk::{CircuitOperand, CircuitTarget, KernelTask};

use crate::compiled::CompiledError;
use crate::compiled::domains::bool::circuit::Run;
use crate::compiled::domains::bool::{Bits, SharedBitDomain};
use crate::compiled::domains::yao::circuit::Duties;
use crate::compiled::domains::{KernelRunner, Site, Size, yao};
use crate::compiled::memory::Bundle;
use crate::error::RunError;
use crate::program::{Task, Value};
use crate::protocol::packed::SharedBits;
use crate::protocol::words::WordSize;

/// Words as the sum of two addends in bits, those of the conversion to bits. A circuit adds them, which is garbled where circuits are.
pub(in crate::compiled::domains) struct ArithToYao<G>(PhantomData<G>);

impl<G> ArithToYao<G> {
    pub(in crate::compiled::domains) const NEW: ArithToYao<G> = ArithToYao(PhantomData);
}

/// The same for words modulo 2^64 among three parties. Where the circuit is garbled, the garbler alone knows one addend, so none of it is sent.
pub(in crate::compiled::domains) struct ArithRingToYao;

/// A field of bits in which the circuit runs.
pub(in crate::compiled::domains) trait Adds: SharedBitDomain {
    fn sum(run: &Run, task: &Task<Self>, addends: &[&Value<Self>]) -> Result<Vec<Value<Self>>, RunError>;
}

impl Adds for Gf256 {
    fn sum(run: &Run, task: &Task<Gf256>, addends: &[&Value<Gf256>]) -> Result<Vec<Value<Gf256>>, RunError> {
        run.write(task, addends)
    }
}

impl Adds for BitOctets {
    fn sum(
        run: &Run,
        task: &Task<BitOctets>,
        addends: &[&Value<BitOctets>],
    ) -> Result<Vec<Value<BitOctets>>, RunError> {
        yao::circuit::write(run, task, addends)
    }
}

impl<F: Field, G: Adds> KernelRunner<F> for ArithToYao<G> {
    fn runs(&self, kernel: &Kernel) -> bool {
        matches!(kernel, Kernel::ArithToYao(_))
    }

    fn serves(&self, size: Size) -> bool {
        G::serves(size) && !size.wraps()
    }

    fn write(
        &self,
        site: Site<'_, F>,
        task: &KernelTask<'_, Bundle<F>>,
    ) -> Result<Vec<Bundle<F>>, CompiledError> {
        let (source, target) = super::ends(task)?;
        let of = WordSize { size: source.size as usize, low: target.bits as usize };
        let addends = site.task.word_addends::<G>(source.elements()?.own()?, of)?;
        sum(&site, task, &addends)
    }
}

impl<F: Field> KernelRunner<F> for ArithRingToYao {
    fn runs(&self, kernel: &Kernel) -> bool {
        matches!(kernel, Kernel::ArithToYao(_))
    }

    fn serves(&self, size: Size) -> bool {
        size.wraps()
    }

    fn write(
        &self,
        site: Site<'_, F>,
        task: &KernelTask<'_, Bundle<F>>,
    ) -> Result<Vec<Bundle<F>>, CompiledError> {
        let (source, target) = super::ends(task)?;
        let (words, low) = (source.elements()?.words()?, target.bits as usize);
        if !task.circuit.is_some_and(yao::circuit::is_garbled) {
            return sum(&site, task, &site.task.replicated_addends(words, low)?);
        }
        let duties = Duties::of(site.hash);
        let [own, common] = site.task.apart_addends(words, low, [duties.garbler, duties.helper])?;
        let run = run(&site, task)?;
        let garbled = |_| (duties, low);
        let sum = yao::circuit::write_with(&run, BitOctets::of(site.task)?, &[&own, &common], garbled)?;
        Ok(bundles(&run, sum))
    }
}

/// The sum of the addends of all words, as bits.
fn sum<F: Field, G: Adds>(
    site: &Site<'_, F>,
    task: &KernelTask<'_, Bundle<F>>,
    addends: &[Value<G>; 2],
) -> Result<Vec<Bundle<F>>, CompiledError> {
    let run = run(site, task)?;
    let sum = G::sum(&run, G::of(site.task)?, &[&addends[0], &addends[1]])?;
    Ok(bundles(&run, sum))
}

/// The circuit that adds two addends of all words.
fn run<F: Field>(site: &Site<'_, F>, task: &KernelTask<'_, Bundle<F>>) -> Result<Run, CompiledError> {
    let (Kernel::ArithToYao(kernel), [target]) = (task.kernel, &task.outputs[..]) else {
        return Err(CompiledError::OtherSchedule);
    };
    let (instances, bits) = (task.instances as usize, target.bits);
    let elements = instances * bits as usize;
    Ok(Run {
        schedule: site.schedule.clone(),
        circuit: kernel.circuit as usize,
        instances,
        inputs: vec![CircuitOperand { wires: (), bits, share: 1 }.view(elements, instances); 2],
        outputs: vec![CircuitTarget { wires: (), bits }.view(elements, instances)],
        hash: site.hash,
    })
}

fn bundles<F: Field, G: SharedBitDomain>(run: &Run, written: Vec<Value<G>>) -> Vec<Bundle<F>> {
    Bits::<G>::NEW.bundles(run, written)
}
