//! Limits how far a program is written ahead of its computation.

use std::collections::VecDeque;

use tacit_math::field::Field;

use super::elements::Elements;
use super::{CompiledError, Wait};
use crate::program::Task;

/// How many parts the window has; the writer waits for one part at a time.
pub(crate) const PARTS: usize = 4;

/// Bytes counted for each operation in addition to its shares.
const OPERATION_BYTES: usize = 256;

/// Limits how far the writer is ahead of the computation.
pub(super) struct Pace<'a, F: Field> {
    /// Bytes between two markers.
    part: usize,
    /// Bytes written since the last marker.
    written: usize,
    /// Elements that are known as soon as everything written before them is.
    markers: VecDeque<Elements<F>>,
    wait: Wait<'a, F>,
}

impl<'a, F: Field> Pace<'a, F> {
    pub(super) fn new(part: usize, wait: Wait<'a, F>) -> Pace<'a, F> {
        Pace { part, written: 0, markers: VecDeque::new(), wait }
    }

    /// Counts elements of this many bytes that were written, and waits if the writer is too far ahead.
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
