//! Programs whose inputs and outputs stay shared, bit by bit, and conversions of their columns.
//!
//! A program whose outputs stay shared leaves their bits in the field in which it computed, and the next program continues there: no message is needed between them.
//! So values that only circuits compute with, such as floating-point numbers, can be computed with one operation at a time.

use std::sync::Arc;

use tacit_ir::Words;
use tacit_math::field::{BitOctets, Field, Gf256};

use super::column_bits::ColumnBits;
use super::domains::Size;
use super::elements::{BitElements, Elements};
use super::walk::Given;
use super::{Compiled, CompiledError, OutputPlace, RunInputs};
use crate::error::{RunError, UsageError};
use crate::program::{Task, Value};
use crate::protocol::packed::{SharedBits, packed};

/// Where the bit of each element of a matrix of this many columns lies in its transpose.
fn transposed(count: usize, columns: usize) -> Arc<[usize]> {
    let rows = count / columns.max(1);
    (0..columns).flat_map(|column| (0..rows).map(move |row| row * columns + column)).collect()
}

impl<F: Field> Task<F> {
    /// Bits of this field, `width` for each word and the lowest first, as the bits of a column.
    ///
    /// Security: as [`Task::to_bytes`]; the elements must be 0 or 1.
    /// Cost: an opening for each bit, and a mask whose last bit is shared in both fields.
    ///
    /// Errors: parties may depart from the protocol, or the computation has ended.
    pub fn column_of_bits(&self, bits: &Value<F>, width: usize) -> Result<ColumnBits<F>, RunError> {
        fn bits_in<F: Field, G: BitElements>(
            task: &Task<F>,
            wires: &Value<F>,
        ) -> Result<Elements<F>, RunError> {
            Ok(G::wrap(task.bits_in(G::of(task)?, wires)?, wires.len()))
        }
        let wires = self.gather(bits, transposed(bits.len(), width))?;
        let elements = match Size::of_bits(self).has_octets() {
            true => bits_in::<F, BitOctets>(self, &wires),
            false => bits_in::<F, Gf256>(self, &wires),
        };
        Ok(ColumnBits::of(Arc::new(elements?)))
    }

    /// The bits of a column of words of `width` bits in this field, those of a word next to each other and the lowest first.
    ///
    /// Cost: an opening in the field of the column's bits, and a random bit in both fields, for each bit.
    ///
    /// Errors: as [`Task::column_of_bits`].
    pub fn bits_of_column(&self, column: &ColumnBits<F>, width: usize) -> Result<Value<F>, RunError> {
        let wires = match &**column.elements() {
            Elements::Bytes(bits) => Gf256::brought(self, bits, bits.len())?,
            Elements::Octets(bits, count) => BitOctets::brought(self, bits, *count)?,
            Elements::Own(_) | Elements::Words(_) => return Err(UsageError::OtherField.into()),
        };
        self.gather(&wires, transposed(wires.len(), wires.len() / width.max(1)))
    }
}

impl Compiled {
    /// Writes a program whose outputs stay shared, and returns their columns, port by port. `own` and `shared` have an entry for each input port: the words of those
    /// that this party gives, and the bits of shared ones. Nothing is waited for.
    ///
    /// Security: as [`Compiled::write`].
    /// Cost: as [`Compiled::write`], without inputs that are shared and without openings.
    ///
    /// Errors: as [`Compiled::write`]; the program has words that are not shared bit by bit, or outputs that somebody receives.
    pub fn compute<F: Field>(
        &self,
        task: &Task<F>,
        own: &[Vec<Words>],
        shared: &[Vec<ColumnBits<F>>],
    ) -> Result<Vec<ColumnBits<F>>, CompiledError> {
        let given = self.given(task, RunInputs { own, shared }, &mut |_, _| Ok(()))?;
        let columns = given.into_iter().zip(&self.outputs).flat_map(|(columns, place)| {
            columns.into_iter().enumerate().map(move |(column, given)| (place, column, given))
        });
        let kept = columns.map(|(place, column, given)| match given {
            Some(Given::Kept(bits)) => Ok(bits),
            Some(Given::Opened(..)) => Err(CompiledError::OtherSchedule),
            None => zeros(task, place, column),
        });
        kept.collect()
    }

    /// Bits and lanes of each column of its outputs.
    pub fn output_columns(&self) -> impl Iterator<Item = (u32, u64)> {
        self.outputs.iter().flat_map(|place| place.columns.iter().copied())
    }

    /// Opens shared columns to the receivers of a program that gives its inputs as they are: the public bits of all outputs, as bytes, one after the other.
    ///
    /// Cost: an opening for each bit.
    ///
    /// Errors: as [`Compiled::write`].
    pub fn opened<F: Field>(
        &self,
        task: &Task<F>,
        shared: &[Vec<ColumnBits<F>>],
    ) -> Result<Value<Gf256>, CompiledError> {
        let own = vec![Vec::new(); self.inputs.len()];
        Ok(self.write_with(task, RunInputs { own: &own, shared }, &mut |_, _| Ok(()))?.bytes)
    }
}

/// A column that no step gives is zero.
fn zeros<F: Field>(
    task: &Task<F>,
    place: &OutputPlace,
    column: usize,
) -> Result<ColumnBits<F>, CompiledError> {
    fn zeros_in<F: Field, G: BitElements>(task: &Task<F>, count: usize) -> Result<Elements<F>, RunError> {
        let task = G::of(task)?;
        Ok(G::wrap(task.constant(packed(task.field(), &vec![0; count]))?, count))
    }
    let count = place.columns.get(column).map_or(0, |column| super::bits_of(*column));
    let elements = match Size::of_bits(task).has_octets() {
        true => zeros_in::<F, BitOctets>(task, count),
        false => zeros_in::<F, Gf256>(task, count),
    };
    Ok(ColumnBits::of(Arc::new(elements?)))
}
