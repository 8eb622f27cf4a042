//! What runs may not do, as far as a check has met it.

use std::collections::HashMap;

use crate::Property;
use crate::graph::Word;

/// The properties met so far, with the flags that tell whether a run violates them.
#[derive(Default)]
pub(super) struct Properties {
    pub list: Vec<Property>,
    pub violated: Vec<Word>,
    /// Which of the list each is.
    pub numbers: HashMap<Property, usize>,
}
