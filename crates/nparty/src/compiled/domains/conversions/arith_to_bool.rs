use std::marker::PhantomData;

use tacit_math::field::Field;
use tacit_schedule::Kernel;
use tacit_schedule::walk::KernelTask;

use crate::compiled::CompiledError;
use crate::compiled::domains::bool::SharedBitDomain;
use crate::compiled::domains::{KernelRunner, Site, Size};
use crate::compiled::memory::Bundle;
use crate::protocol::words::WordSize;

/// Words as two addends in bits: the masked word that is opened, and the mask.
pub(in crate::compiled::domains) struct ArithToBool<G>(PhantomData<G>);

impl<G> ArithToBool<G> {
    pub(in crate::compiled::domains) const NEW: ArithToBool<G> = ArithToBool(PhantomData);
}

impl<F: Field, G: SharedBitDomain> KernelRunner<F> for ArithToBool<G> {
    fn runs(&self, kernel: &Kernel) -> bool {
        matches!(kernel, Kernel::ArithToBool(_))
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
        let words = source.elements()?.own()?;
        let addends = site.task.word_addends::<G>(words, of)?;
        Ok(addends.map(|addend| Bundle::written(G::wrap(addend, of.low * words.len()))).into())
    }
}
