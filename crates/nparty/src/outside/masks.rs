//! The masks of outside parties in a run of a program, at a computing party, where parties may depart from the protocol.
//!
//! A mask is a random bit of which all computing parties have shares; no message can change it. Eight of them travel as a byte: its share is the sum of their shares, each by a power of
//! two. An outside party answers bits, so an input, the exclusive or of an answer and a mask, is a bit whatever was answered.

use tacit_math::field::{Field, Gf256};
use zeroize::Zeroizing;

use crate::compiled::bit_bytes::{apart, bytes_of_bits};
use crate::compiled::{ColumnBits, Compiled, Split};
use crate::error::{OutsideError, RunError};
use crate::program::{Task, Value};
use crate::reception::OutsideIndex;

/// A bit for each bit of the inputs and results of outside parties.
pub(super) struct RunMasks<'a> {
    split: &'a Split,
    /// By port of the split program and by column.
    bits: Vec<Vec<Value<Gf256>>>,
}

impl<'a> RunMasks<'a> {
    /// Draws the masks of a run.
    ///
    /// Errors: the computation has ended.
    pub(super) fn drawn<F: Field>(
        task: &Task<F>,
        (split, compiled): (&'a Split, &Compiled),
    ) -> Result<RunMasks<'a>, RunError> {
        Ok(RunMasks { split, bits: compiled.masks(task)? })
    }

    /// This party's shares of an outside party's masks: those of its inputs, and those of its results. Blocks.
    ///
    /// Errors: the computation has ended.
    pub(super) fn own_shares(
        &self,
        task: &Task<Gf256>,
        party: OutsideIndex,
    ) -> Result<Zeroizing<Vec<u8>>, RunError> {
        let shares = |ports: Vec<usize>| {
            let bits: Vec<_> = self.columns(&ports).collect();
            task.own_shares(&together(task, &bits)?)
        };
        let [inputs, results] = self.split.mask_ports(party).map(shares);
        Ok(Zeroizing::new([&inputs?[..], &results?[..]].concat()))
    }

    /// Bytes of an outside party's answer.
    pub(super) fn answer_bytes(&self, party: OutsideIndex) -> usize {
        let [inputs, _] = self.split.mask_ports(party);
        bytes_of_bits(self.columns(&inputs).map(Value::len).sum())
    }

    /// Removes the masks of an outside party's inputs from its answer, which is the same at all computing parties. Its ports then have its inputs.
    ///
    /// Errors: the answer is not bits, or the computation has ended.
    pub(super) fn remove(
        &mut self,
        task: &Task<Gf256>,
        (party, name): (OutsideIndex, &str),
        answer: &[u8],
    ) -> Result<(), RunError> {
        let [inputs, _] = self.split.mask_ports(party);
        let bits = apart(answer, self.columns(&inputs).map(Value::len).sum());
        let wrong = || RunError::Outside { peer: name.to_owned(), error: OutsideError::NotBits };
        let mut rest = &bits.ok_or_else(wrong)?[..];
        for port in inputs {
            for column in &mut self.bits[port] {
                let (own, others) = rest.split_at(column.len().min(rest.len()));
                rest = others;
                *column = task.sub(&task.constant(own.to_vec())?, column)?;
            }
        }
        Ok(())
    }

    /// The bits of shared inputs, by port and column: inputs whose masks were removed, and masks of results.
    pub(super) fn shared<F: Field>(self) -> Vec<Vec<ColumnBits<F>>> {
        ColumnBits::of_values(self.bits)
    }

    fn columns<'s>(&'s self, ports: &'s [usize]) -> impl Iterator<Item = &'s Value<Gf256>> {
        ports.iter().flat_map(|port| &self.bits[*port])
    }
}

/// Bytes whose bits are these.
fn together(task: &Task<Gf256>, bits: &[&Value<Gf256>]) -> Result<Value<Gf256>, RunError> {
    let bits = task.concat(bits)?;
    task.local(bytes_of_bits(bits.len()), false, 0x6279, &[&bits], |_, given| {
        let byte = |bits: &[u8]| {
            bits.iter().enumerate().fold(0, |byte, (bit, share)| byte ^ Gf256.mul(1 << bit, *share))
        };
        given[0].chunks(8).map(byte).collect()
    })
}
