//! Bits shared by exclusive or.

use tacit_circuit::Executable;
use tacit_ir::Words;
use tacit_schedule::walk::Buffer;
use tacit_schedule::{Bundle, Computing, Unit};
use zeroize::Zeroizing;

use super::domain_worker::{DomainWorker, InputColumn};
use super::shares::Shares;
use crate::{End, Party, ShareError, bits, gmw};

pub(super) struct Bool;

impl DomainWorker for Bool {
    fn input(
        &self,
        end: &mut End,
        InputColumn { own, is_shared, .. }: InputColumn<'_>,
        _: Bundle,
        target: Shares,
    ) -> Result<Shares, ShareError> {
        let own = own.map(|words| Zeroizing::new(bits::of_words(words)));
        let shares = match own {
            Some(shares) if is_shared => shares,
            own => Zeroizing::new(gmw::input(end, own.as_deref(), target.elements())?),
        };
        Ok(target.with_bits(&shares)?)
    }

    fn layers(&self, circuit: &Executable, instances: u64) -> Computing {
        let gates = circuit.and_count.saturating_add(circuit.xor_count());
        Computing::of(Unit::ShareGate, gates)
            .and(Unit::ShareGateWord, gates.saturating_mul(instances.div_ceil(64)))
            .and(Unit::ShareAnd, circuit.and_count.saturating_mul(instances))
    }

    fn random(&self, end: &mut End, _: Bundle, target: Shares) -> Result<Shares, ShareError> {
        let shares = gmw::random(end, target.elements());
        Ok(target.with_bits(&shares)?)
    }

    fn constant(
        &self,
        party: Party,
        (words, copies): (&Words, u64),
        _: Bundle,
        target: Shares,
    ) -> Result<Shares, ShareError> {
        Ok(target.with_bits(&gmw::constant(party, &bits::of_copies(words, copies)))?)
    }
}
