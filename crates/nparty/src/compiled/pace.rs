//! How far a program is written ahead of what is computed.

use std::collections::VecDeque;

use tacit_math::field::Field;

use super::elements::Elements;
use super::{CompiledError, Wait};
use crate::program::Task;

/// How many parts of the window are waited for one by one.
pub(crate) const PARTS: usize = 4;

/// What each operation counts besides its shares.
const OPERATION_BYTES: usize = 256;

/// How far the writer may be ahead of what is computed.
pub(super) struct Pace<'a, F: Field> {
    /// Bytes between two markers.
    part: usize,
    /// Bytes written since the last marker.
    written: usize,
    /// Elements that are known when what was written before them is.
    markers: VecDeque<Elements<F>>,
    wait: Wait<'a, F>,
}

impl<'a, F: Field> Pace<'a, F> {
    pub(super) fn new(part: usize, wait: Wait<'a, F>) -> Pace<'a, F> {
        Pace { part, written: 0, markers: VecDeque::new(), wait }
    }

    /// Notes that elements were written that take so many bytes, and waits where the writer is too far ahead.
    pub(super) fn wrote(
        &mut self,
        task: &Task<F>,
        elements: &Elements<F>,
        bytes: usize,
    ) -> Result<(), CompiledError> {
        self.written = self.written.saturating_add(bytes).saturating_add(OPERATION_BYTES);
        if self.written < self.part {
            return Ok(());
        }
        self.written = 0;
        self.markers.push_back(elements.marker(task)?);
        if self.markers.len() >= PARTS
            && let Some(first) = self.markers.pop_front()
        {
            (self.wait)(task, &first)?;
        }
        Ok(())
    }
}
