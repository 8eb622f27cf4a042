use tacit_math::field::{BitOctets, Field};
use tacit_schedule::Kernel;
use tacit_schedule::walk::KernelTask;

use crate::compiled::CompiledError;
use crate::compiled::domains::{KernelRunner, Site, Size};
use crate::compiled::elements::BitElements;
use crate::compiled::memory::Bundle;

/// Words modulo 2^64 among three parties as two addends in bits: the sum of the three summands' bits without carries, and the carries.
pub(in crate::compiled::domains) struct ArithRingToBool;

impl<F: Field> KernelRunner<F> for ArithRingToBool {
    fn runs(&self, kernel: &Kernel) -> bool {
        matches!(kernel, Kernel::ArithToBool(_))
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
        let addends = site.task.replicated_addends(words, low)?;
        Ok(addends.map(|addend| Bundle::written(BitOctets::wrap(addend, low * words.len()))).into())
    }
}
