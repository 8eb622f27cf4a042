use std::marker::PhantomData;

use tacit_math::field::Field;
use tacit_schedule::Kernel;
use tacit_schedule::walk::KernelTask;

use crate::compiled::CompiledError;
use crate::compiled::domains::bool::SharedBitDomain;
use crate::compiled::domains::{KernelRunner, Site, Size, arith};
use crate::compiled::memory::Bundle;

/// Bits as words that are at least as wide.
pub(in crate::compiled::domains) struct BoolToArith<G>(PhantomData<G>);

impl<G> BoolToArith<G> {
    pub(in crate::compiled::domains) const NEW: BoolToArith<G> = BoolToArith(PhantomData);
}

impl<F: Field, G: SharedBitDomain> KernelRunner<F> for BoolToArith<G> {
    fn runs(&self, kernel: &Kernel) -> bool {
        matches!(kernel, Kernel::BoolToArith(_))
    }

    fn serves(&self, size: Size) -> bool {
        G::serves(size) && !size.wraps()
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
        let wires = G::bits(source.elements()?)?;
        let bits = from.bits as usize;
        let word = ((bits, source.len() / bits), kernel.signed);
        // First make sure that there is room: fields of characteristic 2 have no integers.
        arith::check_room(site.task, (target.bits, target.bits))?;
        let (value, size) = site.task.words_of_bits(wires, word, target.bits as usize)?;
        Ok(vec![arith::bundle(site.task, value, (size as u32, target.bits))?])
    }
}
