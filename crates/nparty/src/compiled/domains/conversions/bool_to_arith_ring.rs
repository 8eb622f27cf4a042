use tacit_math::field::{BitOctets, Field};
use tacit_schedule::Kernel;
use tacit_schedule::walk::KernelTask;

use crate::compiled::CompiledError;
use crate::compiled::domains::arith::ring;
use crate::compiled::domains::{KernelRunner, Site, Size};
use crate::compiled::elements::BitElements;
use crate::compiled::memory::Bundle;

/// Bits as words modulo 2^64 among three parties; the words are at least as wide.
pub(in crate::compiled::domains) struct BoolToArithRing;

impl<F: Field> KernelRunner<F> for BoolToArithRing {
    fn runs(&self, kernel: &Kernel) -> bool {
        matches!(kernel, Kernel::BoolToArith(_))
    }

    fn serves(&self, size: Size) -> bool {
        size.wraps()
    }

    fn write(
        &self,
        site: Site<'_, F>,
        task: &KernelTask<'_, Bundle<F>>,
    ) -> Result<Vec<Bundle<F>>, CompiledError> {
        let (Kernel::BoolToArith(kernel), [source], [from], [target]) =
            (task.kernel, &task.operands[..], &task.inputs[..], &task.outputs[..])
        else {
            return Err(CompiledError::OtherSchedule);
        };
        let wires = <BitOctets as BitElements>::bits(source.elements()?)?;
        let bits = from.bits as usize;
        let word = ((bits, source.len() / bits), kernel.signed);
        Ok(vec![ring::bundle(site.task.replicated_words(wires, word, target.bits as usize)?)])
    }
}
