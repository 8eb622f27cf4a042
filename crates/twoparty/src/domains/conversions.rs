//! The kernels of conversions.

use tacit_math::Bits;
use tacit_schedule::walk::{Buffer, KernelTask, WalkError, Wires};
use tacit_schedule::{
    ArithToBool, ArithToHe, ArithToYao, BoolToArith, BoolToYao, Bundle, Computing, HeToArith, Unit, YaoToBool,
};
use zeroize::Zeroizing;

use super::counted::CountedLayer;
use super::kernel_worker::{KernelWorker, lanes, operands};
use super::openings::{Encrypted, LabelSource, OpenedLabels, OpenedWords, Openings, Replied, WordOpening};
use super::shares::Shares;
use crate::{Party, ShareError, convert, yao};

impl KernelWorker for YaoToBool {
    fn computing(&self, task: &KernelTask<'_, Wires<()>>) -> Computing {
        Computing::of(Unit::LabelMoved, lanes(&task.targets))
    }

    fn alone(&self, _: Party, task: KernelTask<'_, Shares>) -> Result<Vec<Shares>, ShareError> {
        let ([source], [target]) = (operands(task.operands)?, operands(task.targets)?);
        Ok(vec![target.with_bits(&*source.bits()?)?])
    }
}

impl KernelWorker for ArithToBool {
    fn computing(&self, task: &KernelTask<'_, Wires<()>>) -> Computing {
        Computing::of(Unit::WordBit, bits_of(&task.inputs, &task.operands))
    }

    fn alone(&self, party: Party, task: KernelTask<'_, Shares>) -> Result<Vec<Shares>, ShareError> {
        let width = task.outputs.first().ok_or(WalkError::Unwritten)?.bits;
        let ([source], [first, second]) = (operands(task.operands)?, operands(task.targets)?);
        let [a, b] = convert::a2b_addends(party, source.words()?, width)?;
        Ok(vec![first.with_bits(&Zeroizing::new(a))?, second.with_bits(&Zeroizing::new(b))?])
    }
}

impl KernelWorker for BoolToYao {
    fn computing(&self, task: &KernelTask<'_, Wires<()>>) -> Computing {
        Computing::of(Unit::LabelMoved, lanes(&task.targets))
    }

    fn open<'s>(
        &self,
        at: usize,
        task: KernelTask<'s, Shares>,
        openings: &mut Openings<'s>,
    ) -> Result<(), ShareError> {
        let ([source], [target]) = (operands(task.operands)?, operands(task.targets)?);
        let (shares, target) = (LabelSource::Bits(source.bits()?), target.into_labels()?);
        openings.labels.push(OpenedLabels { at, shares, target });
        Ok(())
    }

    fn count<'s>(&self, task: &KernelTask<'s, Wires<()>>, layer: &mut CountedLayer<'s>) {
        layer.labels += lanes(&task.targets);
    }
}

impl KernelWorker for ArithToYao {
    fn computing(&self, task: &KernelTask<'_, Wires<()>>) -> Computing {
        Computing::of(Unit::LabelMoved, lanes(&task.targets))
    }

    fn open<'s>(
        &self,
        at: usize,
        task: KernelTask<'s, Shares>,
        openings: &mut Openings<'s>,
    ) -> Result<(), ShareError> {
        let region = region(&task).ok_or(WalkError::Unwritten)?;
        let ([source], [target]) = (operands(task.operands)?, operands(task.targets)?);
        let (shares, target) = (source.words()?.clone(), target.into_labels()?);
        openings.labels.push(OpenedLabels { at, shares: LabelSource::Words(shares, region), target });
        Ok(())
    }

    fn count<'s>(&self, task: &KernelTask<'s, Wires<()>>, layer: &mut CountedLayer<'s>) {
        layer.sums.extend(region(task));
    }
}

impl KernelWorker for ArithToHe {
    fn open<'s>(
        &self,
        at: usize,
        task: KernelTask<'s, Shares>,
        openings: &mut Openings<'s>,
    ) -> Result<(), ShareError> {
        let bits = task.outputs.first().ok_or(WalkError::Unwritten)?.bits;
        let ([source], [target]) = (operands(task.operands)?, operands(task.targets)?);
        openings.encrypted.push(Encrypted { at, shares: source.words()?.clone(), bits, target });
        Ok(())
    }

    fn count<'s>(&self, task: &KernelTask<'s, Wires<()>>, layer: &mut CountedLayer<'s>) {
        layer.encrypted += lanes(&task.targets);
    }
}

impl KernelWorker for HeToArith {
    fn open<'s>(
        &self,
        at: usize,
        task: KernelTask<'s, Shares>,
        openings: &mut Openings<'s>,
    ) -> Result<(), ShareError> {
        let bits = task.outputs.first().ok_or(WalkError::Unwritten)?.bits;
        let ([source], [target]) = (operands(task.operands)?, operands(task.targets)?);
        openings.replied.push(Replied { at, source, bits, value_bits: self.value_bits, target });
        Ok(())
    }

    fn count<'s>(&self, task: &KernelTask<'s, Wires<()>>, layer: &mut CountedLayer<'s>) {
        layer.replied.push((self.value_bits, lanes(&task.targets)));
    }
}

/// Number of bits of all words.
fn bits_of(bundles: &[Bundle], words: &[Wires<()>]) -> u64 {
    let bits =
        |(bundle, words): (&Bundle, &Wires<()>)| u64::from(bundle.bits).saturating_mul(words.len() as u64);
    bundles.iter().zip(words).map(bits).fold(0, u64::saturating_add)
}

/// The circuit of the sum.
fn region<'s, W>(task: &KernelTask<'s, W>) -> Option<yao::Region<'s>> {
    let (instances, first_id) = (task.instances, task.first_id);
    task.circuit.map(|circuit| yao::Region { circuit, instances, first_id })
}

impl KernelWorker for BoolToArith {
    fn computing(&self, task: &KernelTask<'_, Wires<()>>) -> Computing {
        Computing::of(Unit::WordBit, bits_of(&task.outputs, &task.targets))
    }

    fn open<'s>(
        &self,
        at: usize,
        task: KernelTask<'s, Shares>,
        openings: &mut Openings<'s>,
    ) -> Result<(), ShareError> {
        let ([from], [to]) = (operands(task.inputs)?, operands(task.outputs)?);
        let ([source], [target]) = (operands(task.operands)?, operands(task.targets)?);
        let wires = widened(&*source.bits()?, (from.bits, to.bits), target.elements(), self.signed);
        openings.words.push(OpenedWords { at, how: WordOpening::Wires(wires), bits: to.bits, target });
        Ok(())
    }

    fn count<'s>(&self, task: &KernelTask<'s, Wires<()>>, layer: &mut CountedLayer<'s>) {
        let bits: u32 = task.outputs.iter().map(|to| to.bits).sum();
        layer.words += u64::from(bits) * lanes(&task.targets);
    }
}

/// Wires of wider words: filled with zeros, or copies of the topmost wire.
fn widened(wires: &Bits, (from, to): (u32, u32), lanes: usize, signed: bool) -> Zeroizing<Bits> {
    let mut wide = Zeroizing::new(wires.clone());
    let top = match signed {
        true => wires.slice((from as usize - 1) * lanes..from as usize * lanes),
        false => Bits::zeros(lanes),
    };
    (from..to).for_each(|_| wide.extend_bits(&top));
    wide
}
