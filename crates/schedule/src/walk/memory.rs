use tacit_ir::Index;

use super::WalkError;
use crate::bundle::Bundle;

/// Where the elements of bundles are stored during a walk, and how they move: buffers of shares or labels, or
/// handles of values that are not yet computed.
///
/// In each wire of a bundle, lanes are stored instance after instance if a body runs in several instances
/// side by side; a copy is the lanes of one wire of one instance.
pub trait Memory {
    /// The elements of a bundle in all instances. Written by one step, then shared by those that read it: a copy is cheap.
    type Wires: Clone;
    /// A bundle that is being assembled from elements of others.
    type Parts;
    /// Why elements are unavailable or cannot be moved.
    type Error: From<WalkError>;

    /// Announces the next step of a body, both by number.
    fn at(&mut self, _body: usize, _step: usize) {}

    /// Elements for a task to write, for `lanes` lanes in all instances.
    ///
    /// # Errors
    /// If there is no memory.
    fn allocate(&mut self, bundle: Bundle, lanes: u64) -> Result<Self::Wires, Self::Error>;

    /// Takes back elements that the walk does not read again.
    fn release(&mut self, wires: Self::Wires);

    /// From every copy of the source (of `from` lanes) the lanes at `positions`, as a bundle of `lanes` lanes in all instances.
    ///
    /// # Errors
    /// If there is no memory, or the elements are of another domain.
    fn gather(
        &mut self,
        source_from: (&Self::Wires, u64),
        positions: &Index,
        bundle_lanes: (Bundle, u64),
    ) -> Result<Self::Wires, Self::Error>;

    /// Begins to assemble a bundle of `lanes` lanes in all instances.
    ///
    /// # Errors
    /// If there is no memory.
    fn begin(&mut self, bundle: Bundle, lanes: u64) -> Result<Self::Parts, Self::Error>;

    /// Copies `count` lanes from lane `offset` of each copy of the source (of `from` lanes) to lane `at` of
    /// each copy (of `to` lanes), which must be where the lanes copied before end.
    ///
    /// # Errors
    /// If the elements are of another domain.
    fn put(
        &mut self,
        parts: &mut Self::Parts,
        source_from_offset: (&Self::Wires, usize, usize),
        to_at: (usize, usize),
        count: usize,
    ) -> Result<(), Self::Error>;

    /// The assembled bundle, once all lanes are copied.
    ///
    /// # Errors
    /// If the elements are unavailable.
    fn finish(&mut self, parts: Self::Parts) -> Result<Self::Wires, Self::Error>;
}
