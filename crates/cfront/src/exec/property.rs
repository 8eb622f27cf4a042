//! The properties of a check that execution has reached so far.

use std::collections::HashMap;

use crate::Property;
use crate::graph::Word;

/// The properties reached so far, each with the flag that a run violates it.
#[derive(Default)]
pub(super) struct Properties {
    pub list: Vec<Property>,
    pub violated: Vec<Word>,
    /// The index of each property in the list.
    pub numbers: HashMap<Property, usize>,
}
