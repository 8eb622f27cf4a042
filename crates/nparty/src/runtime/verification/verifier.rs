//! A party's operations to verify, and its progress.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;

use tacit_math::field::Field;

use super::check::Failure;
use super::cut::Cut;
use super::line::{Heard, Line};
use super::records::Records;
use crate::error::SharingError;
use crate::parties::PartyIndex;
use crate::product::Products;
use crate::product::opening::CheckedOpening;
use crate::prss::Prss;
use crate::runtime::operation::TaskOperation;
use crate::scheme::Scheme;

/// The party that decides what is verified next.
pub(crate) const FIRST_PARTY: PartyIndex = 0;

/// The steps before the protocol's own.
pub(crate) const WISH: u64 = 0;
pub(crate) const CUT: u64 = 1;

/// The maximum number of steps of a verification.
pub(crate) const MOST_STEPS: u64 = 160;

/// After this many elements, a verification starts even if nothing is opened, so that memory is bounded.
pub(crate) const MOST_UNVERIFIED: usize = if cfg!(test) { 1 << 12 } else { 1 << 20 };

/// Verifying an element takes about the time of copying this many.
pub(crate) const COST: usize = 16;

/// Bytes of memory that count for a message besides its own, including maps: at least what it really takes.
pub(crate) const MESSAGE_BYTES: usize = 256;

type Running = Pin<Box<dyn Future<Output = Result<(), Failure>> + Send>>;

/// A verification in progress, and its messages.
pub(crate) struct Ongoing {
    pub(crate) line: Line,
    pub(crate) running: Running,
    /// The smallest number of an operation that it verifies.
    pub(crate) oldest: u64,
    /// The approximate time of its steps, in elements that are copied.
    pub(crate) cost: usize,
}

/// A party's operations to verify, and its progress.
pub(crate) struct Verifier<F: Field> {
    pub(crate) records: Records<F>,
    /// Openings that wait until operations up to a number are verified.
    pub(crate) held: Vec<(u64, TaskOperation<F>)>,
    /// The number of verifications that have passed.
    pub(crate) passed: u64,
    pub(crate) wished: bool,
    /// What the first party has chosen to verify next.
    pub(crate) cut: Option<Cut>,
    pub(crate) ongoing: Option<Ongoing>,
    /// Messages of the next verification and of the one after it, by its number.
    pub(crate) early: HashMap<u64, Heard>,
    /// Bytes of them, by peer.
    pub(crate) waiting: Vec<usize>,
    pub(crate) opening: CheckedOpening<F>,
    pub(crate) large: Large<F>,
}

/// The means of verifications, in the extension of the field.
pub(crate) struct Large<F: Field> {
    pub(crate) keys: Prss<F::Extension>,
    pub(crate) products: Arc<Products<F::Extension>>,
    pub(crate) opening: Arc<CheckedOpening<F::Extension>>,
}

impl<F: Field> Large<F> {
    fn new(scheme: &Scheme<F>, keys: &Prss<F>) -> Result<Self, SharingError> {
        let extension = scheme.field().extension();
        let large = Scheme::new(extension, scheme.parties(), scheme.threshold())?;
        let large = large.with_security(scheme.security());
        Ok(Large {
            products: Arc::new(Products::new(&large, keys.me())?),
            opening: Arc::new(CheckedOpening::new(&large)?),
            keys: keys.for_verification(large),
        })
    }
}

impl<F: Field> Verifier<F> {
    /// The verifier of a party with these keys.
    pub(crate) fn new(scheme: &Scheme<F>, keys: &Prss<F>) -> Result<Self, SharingError> {
        Ok(Verifier {
            records: Records::new(),
            held: Vec::new(),
            passed: 0,
            wished: false,
            cut: None,
            ongoing: None,
            early: HashMap::new(),
            waiting: vec![0; scheme.parties()],
            opening: CheckedOpening::new(scheme)?,
            large: Large::new(scheme, keys)?,
        })
    }

    /// The maximum bytes that a peer's messages take while they wait.
    pub(crate) fn early_bytes(&self, peer: PartyIndex) -> usize {
        self.waiting[peer]
    }

    /// The number of the first operation that is complete and not verified.
    pub(crate) fn oldest(&self) -> Option<u64> {
        let ongoing = self.ongoing.as_ref().map(|ongoing| ongoing.oldest);
        ongoing.into_iter().chain(self.records.oldest()).min()
    }

    /// Keeps an opening if a complete operation is not verified; else returns it.
    pub(crate) fn hold(&mut self, operation: TaskOperation<F>) -> Option<TaskOperation<F>> {
        match self.records.elements() > 0 || self.ongoing.is_some() {
            true => {
                self.held.push((self.records.completed(), operation));
                None
            }
            false => Some(operation),
        }
    }

    /// The openings that need not wait any longer.
    pub(crate) fn release(&mut self) -> Vec<TaskOperation<F>> {
        let oldest = self.oldest().unwrap_or(u64::MAX);
        self.held.extract_if(.., |(number, _)| *number < oldest).map(|(_, operation)| operation).collect()
    }

    pub(crate) fn wants(&self) -> bool {
        !self.held.is_empty() || self.records.elements() >= MOST_UNVERIFIED
    }
}
