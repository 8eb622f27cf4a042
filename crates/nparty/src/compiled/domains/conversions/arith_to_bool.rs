use tacit_math::field::Field;
use tacit_schedule::Kernel;
use tacit_schedule::walk::KernelTask;

use crate::compiled::CompiledError;
use crate::compiled::domains::{KernelRunner, Site};
use crate::compiled::elements::Elements;
use crate::compiled::memory::Bundle;
use crate::protocol::words::WordSize;

/// Words as two addends in bits: the first is what is opened under a mask, the second the mask.
pub(in crate::compiled::domains) struct ArithToBool;

impl<F: Field> KernelRunner<F> for ArithToBool {
    fn runs(&self, kernel: &Kernel) -> bool {
        matches!(kernel, Kernel::ArithToBool(_))
    }

    fn write(
        &self,
        site: Site<'_, F>,
        task: &KernelTask<'_, Bundle<F>>,
    ) -> Result<Vec<Bundle<F>>, CompiledError> {
        let ([source], [target, _]) = (&task.operands[..], &task.outputs[..]) else {
            return Err(CompiledError::OtherSchedule);
        };
        let of = WordSize { size: source.size as usize, low: target.bits as usize };
        let addends = site.task.word_addends(source.elements()?.own()?, of)?;
        Ok(addends.map(|addend| Bundle::written(Elements::Bytes(addend))).into())
    }
}
