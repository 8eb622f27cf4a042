//! What a party has to verify: its shares of what others have sent it, and of what that must be.

use std::collections::BTreeMap;

use tacit_math::field::Field;

use super::cut::{Cut, Place, Range};
use crate::product::matrices::MatrixSizes;
use crate::runtime::value::{ByNumber, ValueElements, ValueId};

/// A party's shares of what products are made of: those of values, whose memory they share.
pub(crate) enum Factors<F: Field> {
    /// One of each for each product, or a single one for all.
    Elements(ValueElements<F::Element>, ValueElements<F::Element>),
    /// Two matrices, by rows.
    Matrices(ValueElements<F::Element>, ValueElements<F::Element>, MatrixSizes),
}

impl<F: Field> Factors<F> {
    /// How many of the first kind there are for as many products.
    pub(crate) fn length(&self, products: usize) -> usize {
        match self {
            Factors::Elements(..) => products,
            Factors::Matrices(a, ..) => a.as_slice().len(),
        }
    }
}

impl<F: Field> Factors<F> {
    /// The same in the extension.
    pub(crate) fn lifted(&self, field: &F) -> Factors<F::Extension> {
        match self {
            Factors::Elements(a, b) => Factors::Elements(lifted(field, a), lifted(field, b)),
            Factors::Matrices(a, b, sizes) => Factors::Matrices(lifted(field, a), lifted(field, b), *sizes),
        }
    }
}

/// Elements in the extension.
pub(crate) fn lifted<F: Field>(
    field: &F,
    elements: &ValueElements<F::Element>,
) -> ValueElements<<F::Extension as Field>::Element> {
    match elements {
        ValueElements::One(one) => ValueElements::from(field.lift(&[*one])),
        ValueElements::Many(many) => ValueElements::Many(field.lift_shared(many)),
    }
}

/// An operation whose elements come from others.
pub(crate) struct Record<F: Field> {
    /// Of products.
    pub(crate) factors: Option<Factors<F>>,
    /// This party's shares of the elements.
    pub(crate) shares: ValueElements<F::Element>,
}

impl<F: Field> Record<F> {
    /// How many elements there are.
    pub(crate) fn length(&self) -> usize {
        self.shares.as_slice().len()
    }
}

/// What the elements of an operation must be.
pub(crate) enum Incoming<F: Field> {
    /// Whatever a party gives.
    Elements,
    /// The same, but zeros and ones: each is its own square.
    Bits,
    Products(Factors<F>),
}

/// An operation of which elements are missing.
struct Incomplete<F: Field> {
    place: Place,
    factors: Incoming<F>,
    missing: usize,
}

/// What is to be verified, in the order of places.
pub(crate) struct Records<F: Field> {
    /// Operations of which elements are missing.
    pending: ByNumber<ValueId, Incomplete<F>>,
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
    pub(crate) fn begin(&mut self, value: ValueId, place: Place, length: usize, factors: Incoming<F>) {
        self.pending.insert(value, Incomplete { place, factors, missing: length });
    }

    /// Notes that so many elements of an operation have come, each once; whether those are the last.
    pub(crate) fn came(&mut self, value: ValueId, count: usize) -> bool {
        let Some(record) = self.pending.get_mut(&value) else { return false };
        record.missing -= count;
        record.missing == 0
    }

    /// Takes the elements of an operation, of which all have come.
    pub(crate) fn complete(&mut self, value: ValueId, shares: ValueElements<F::Element>) {
        let Some(Incomplete { place, factors, .. }) = self.pending.remove(&value) else { return };
        let factors = match factors {
            Incoming::Products(factors) => Some(factors),
            Incoming::Bits => Some(Factors::Elements(shares.clone(), shares.clone())),
            Incoming::Elements => None,
        };
        let record = Record { factors, shares };
        self.completed += 1;
        self.elements += record.length();
        self.complete.insert(place, (self.completed, record));
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
        let places = self.complete.iter().map(|(place, (_, record))| (*place, record.length()));
        Some(Cut::of(places)).filter(|cut| !cut.0.is_empty())
    }

    /// Whether all that a cut names is complete.
    pub(crate) fn has(&self, cut: &Cut) -> bool {
        cut.0.iter().all(|range| {
            let whole = self.within(range).try_fold(range.place.first, |at, (place, (_, record))| {
                (place.first == at).then_some(at + record.length() as u64)
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
        self.elements -= taken.iter().map(Record::length).sum::<usize>();
        taken
    }
}
