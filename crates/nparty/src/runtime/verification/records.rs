//! What a party has to verify: its shares of elements that others have sent it, and what these must be.

use std::collections::BTreeMap;

use tacit_math::field::Field;

use super::cut::{Cut, Place, Range};
use crate::product::matrices::MatrixSizes;
use crate::runtime::value::{ByNumber, ValueElements, ValueId};

/// A party's shares of the factors of products: those of values, whose memory they share.
pub(crate) enum Factors<F: Field> {
    /// One left and one right factor for each product, or a single one for all.
    Elements(ValueElements<F::Element>, ValueElements<F::Element>),
    /// Two matrices, by rows.
    Matrices(ValueElements<F::Element>, ValueElements<F::Element>, MatrixSizes),
}

impl<F: Field> Factors<F> {
    /// The number of left factors for this many products.
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

/// An operation whose elements come from other parties.
pub(crate) struct Record<F: Field> {
    /// The factors of products.
    pub(crate) factors: Option<Factors<F>>,
    /// This party's shares of the elements.
    pub(crate) shares: ValueElements<F::Element>,
}

impl<F: Field> Record<F> {
    /// The number of elements.
    pub(crate) fn length(&self) -> usize {
        self.shares.as_slice().len()
    }
}

/// What the elements of an operation must be.
pub(crate) enum Incoming<F: Field> {
    /// Any elements of a party's choice.
    Elements,
    /// The same, but zeros and ones: each is its own square.
    Bits,
    Products(Factors<F>),
}

/// An operation with missing elements.
struct Incomplete<F: Field> {
    place: Place,
    factors: Incoming<F>,
    missing: usize,
}

/// Operations to verify, in the order of places.
pub(crate) struct Records<F: Field> {
    /// Operations with missing elements.
    pending: ByNumber<ValueId, Incomplete<F>>,
    /// Complete operations with their numbers.
    complete: BTreeMap<Place, (u64, Record<F>)>,
    /// How many operations have become complete.
    completed: u64,
    /// Number of elements of complete operations.
    elements: usize,
}

impl<F: Field> Records<F> {
    pub(crate) fn new() -> Self {
        let (pending, complete) = (ByNumber::default(), BTreeMap::new());
        Records { pending, complete, completed: 0, elements: 0 }
    }

    /// Notes that the elements of an operation will arrive.
    pub(crate) fn begin(&mut self, value: ValueId, place: Place, length: usize, factors: Incoming<F>) {
        self.pending.insert(value, Incomplete { place, factors, missing: length });
    }

    /// Notes that this many elements of an operation have arrived, each once; returns whether these are the
    /// last.
    pub(crate) fn came(&mut self, value: ValueId, count: usize) -> bool {
        let Some(record) = self.pending.get_mut(&value) else { return false };
        record.missing -= count;
        record.missing == 0
    }

    /// Takes the elements of an operation, all of which have arrived.
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

    /// The number of operations that have become complete so far.
    pub(crate) fn completed(&self) -> u64 {
        self.completed
    }

    /// The number of the operation that became complete first, among those not yet taken.
    pub(crate) fn oldest(&self) -> Option<u64> {
        self.complete.values().map(|(number, _)| *number).min()
    }

    /// Elements of complete operations.
    pub(crate) fn elements(&self) -> usize {
        self.elements
    }

    /// The cut of everything that is complete, or as much as fits.
    pub(crate) fn cut(&self) -> Option<Cut> {
        let places = self.complete.iter().map(|(place, (_, record))| (*place, record.length()));
        Some(Cut::of(places)).filter(|cut| !cut.0.is_empty())
    }

    /// Whether everything that a cut names is complete.
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

    /// Takes what a cut names, which [`Records::has`] has found.
    pub(crate) fn take(&mut self, cut: &Cut) -> Vec<Record<F>> {
        let places: Vec<_> =
            cut.0.iter().flat_map(|range| self.within(range).map(|(place, _)| *place)).collect();
        let taken = places.iter().filter_map(|place| Some(self.complete.remove(place)?.1));
        let taken: Vec<_> = taken.collect();
        self.elements -= taken.iter().map(Record::length).sum::<usize>();
        taken
    }
}
