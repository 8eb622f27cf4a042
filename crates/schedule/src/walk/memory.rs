use tacit_ir::Index;

use super::WalkError;
use crate::bundle::Bundle;

/// Where the elements of bundles are during a walk, and how they move: buffers of shares or labels, or handles of values that are not
/// there yet.
///
/// In each wire of a bundle the lanes stand instance after instance where a body runs in several instances side by side; a copy is the
/// lanes of one wire of one instance.
pub trait Memory {
    /// The elements of a bundle in all instances. Written by one step, then shared by those that read it: a copy is cheap.
    type Wires: Clone;
    /// Elements that are being put together from those of others.
    type Parts;
    /// Why elements can't be had or moved.
    type Error: From<WalkError>;

    /// Says which step of which body comes next, by number.
    fn at(&mut self, _body: usize, _step: usize) {}

    /// Elements for a task to write, for `lanes` lanes in all instances.
    ///
    /// # Errors
    /// Where there is no room.
    fn allocate(&mut self, bundle: Bundle, lanes: u64) -> Result<Self::Wires, Self::Error>;

    /// Takes back what the walk does not read again.
    fn release(&mut self, wires: Self::Wires);

    /// From every copy of the source (of `from` lanes) the lanes at `positions`, as a bundle of `lanes` lanes in all instances.
    ///
    /// # Errors
    /// Where there is no room, or the elements are of another domain.
    fn gather(
        &mut self,
        source_from: (&Self::Wires, u64),
        positions: &Index,
        bundle_lanes: (Bundle, u64),
    ) -> Result<Self::Wires, Self::Error>;

    /// Begins a bundle of `lanes` lanes in all instances that is put together.
    ///
    /// # Errors
    /// Where there is no room.
    fn begin(&mut self, bundle: Bundle, lanes: u64) -> Result<Self::Parts, Self::Error>;

    /// Puts `count` lanes from lane `offset` of each copy of the source (of `from` lanes) to lane `at` of each copy (of `to` lanes), where
    /// the lanes that were put before end.
    ///
    /// # Errors
    /// Where the elements are of another domain.
    fn put(
        &mut self,
        parts: &mut Self::Parts,
        source_from_offset: (&Self::Wires, usize, usize),
        to_at: (usize, usize),
        count: usize,
    ) -> Result<(), Self::Error>;

    /// What was put together, when all lanes are there.
    ///
    /// # Errors
    /// Where the elements can't be had.
    fn finish(&mut self, parts: Self::Parts) -> Result<Self::Wires, Self::Error>;
}
