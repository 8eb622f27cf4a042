//! What a party has to verify: its shares of what others have sent it, and of what that must be.

use std::collections::BTreeMap;

use tacit_math::Wiped;
use tacit_math::field::Field;

use super::cut::{Cut, Place, Range};
use crate::product::matrices::MatrixSizes;
use crate::runtime::value::{ByNumber, ValueId};

/// A party's shares of what products are made of.
pub(crate) enum Factors<F: Field> {
    /// One of each for each product.
    Elements(Wiped<F::Element>, Wiped<F::Element>),
    /// Two matrices, by rows.
    Matrices(Wiped<F::Element>, Wiped<F::Element>, MatrixSizes),
}

/// An operation whose elements come from others.
pub(crate) struct Record<F: Field> {
    pub(crate) place: Place,
    /// Of products.
    pub(crate) factors: Option<Factors<F>>,
    /// This party's shares of the elements, as they come.
    pub(crate) shares: Wiped<F::Element>,
    missing: usize,
}

/// What is to be verified, in the order of places.
pub(crate) struct Records<F: Field> {
    /// Operations of which elements are missing.
    pending: ByNumber<ValueId, Record<F>>,
    /// Complete ones with their numbers.
    complete: BTreeMap<Place, (u64, Record<F>)>,
    /// How many operations have become complete.
    completed: u64,
    /// Elements of complete ones.
    elements: usize,
}

impl<F: Field> Records<F> {
    pub(crate) fn new() -> Self {
        let (pending, complete) = (ByNumber::default(), BTreeMap::new());
        Records { pending, complete, completed: 0, elements: 0 }
    }

    /// Notes that the elements of an operation will come.
    pub(crate) fn begin(&mut self, value: ValueId, place: Place, length: usize, factors: Option<Factors<F>>) {
        let shares = Wiped::from(vec![F::Element::default(); length]);
        self.pending.insert(value, Record { place, factors, shares, missing: length });
    }

    /// Keeps some elements of an operation, each once.
    pub(crate) fn fill(&mut self, value: ValueId, at: usize, part: &[F::Element]) {
        let Some(record) = self.pending.get_mut(&value) else { return };
        record.shares[at..at + part.len()].copy_from_slice(part);
        record.missing -= part.len();
        if record.missing == 0
            && let Some(record) = self.pending.remove(&value)
        {
            self.completed += 1;
            self.elements += record.shares.len();
            self.complete.insert(record.place, (self.completed, record));
        }
    }

    /// How many operations have become complete so far.
    pub(crate) fn completed(&self) -> u64 {
        self.completed
    }

    /// The number of the complete operation that was the first to become so.
    pub(crate) fn oldest(&self) -> Option<u64> {
        self.complete.values().map(|(number, _)| *number).min()
    }

    /// Elements of complete operations.
    pub(crate) fn elements(&self) -> usize {
        self.elements
    }

    /// All that is complete, or as much as fits.
    pub(crate) fn cut(&self) -> Option<Cut> {
        let places = self.complete.iter().map(|(place, (_, record))| (*place, record.shares.len()));
        Some(Cut::of(places)).filter(|cut| !cut.0.is_empty())
    }

    /// Whether all that a cut names is complete.
    pub(crate) fn has(&self, cut: &Cut) -> bool {
        cut.0.iter().all(|range| {
            let whole = self.within(range).try_fold(range.place.first, |at, (place, (_, record))| {
                (place.first == at).then_some(at + record.shares.len() as u64)
            });
            whole == Some(range.end)
        })
    }

    fn within(&self, range: &Range) -> impl Iterator<Item = (&Place, &(u64, Record<F>))> {
        self.complete.range(range.place..Place { first: range.end, ..range.place })
    }

    /// Takes what a cut names, which [`Records::has`] has found. The least of the numbers is that of what is left or taken.
    pub(crate) fn take(&mut self, cut: &Cut) -> Vec<Record<F>> {
        let places: Vec<_> =
            cut.0.iter().flat_map(|range| self.within(range).map(|(place, _)| *place)).collect();
        let taken = places.iter().filter_map(|place| Some(self.complete.remove(place)?.1));
        let taken: Vec<_> = taken.collect();
        self.elements -= taken.iter().map(|record| record.shares.len()).sum::<usize>();
        taken
    }
}
