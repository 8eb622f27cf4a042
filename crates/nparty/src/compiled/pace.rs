//! How far a program is written ahead of what is computed.

use std::collections::VecDeque;

use tacit_math::field::Gf256;

use super::{CompiledError, Wait};
use crate::program::{Task, Value};

/// How many parts of the window are waited for one by one.
pub(crate) const PARTS: usize = 4;

/// What each operation counts besides its shares.
const OPERATION_BYTES: usize = 256;

/// How far the writer may be ahead of what is computed.
pub(super) struct Pace<'a> {
    /// Bytes between two markers.
    part: usize,
    /// Bytes written since the last marker.
    written: usize,
    /// Values that are known when what was written before them is.
    markers: VecDeque<Value<Gf256>>,
    wait: Wait<'a>,
}

impl<'a> Pace<'a> {
    pub(super) fn new(part: usize, wait: Wait<'a>) -> Pace<'a> {
        Pace { part, written: 0, markers: VecDeque::new(), wait }
    }

    /// Notes that a value was written that takes so many bytes, and waits where the writer is too far ahead.
    pub(super) fn wrote(
        &mut self,
        task: &Task<Gf256>,
        value: &Value<Gf256>,
        bytes: usize,
    ) -> Result<(), CompiledError> {
        self.written = self.written.saturating_add(bytes).saturating_add(OPERATION_BYTES);
        if self.written < self.part {
            return Ok(());
        }
        self.written = 0;
        // What is public of it is only that it is there.
        self.markers.push_back(task.local(1, true, 0x6d61, &[value], |_, _| vec![0])?);
        if self.markers.len() >= PARTS
            && let Some(first) = self.markers.pop_front()
        {
            (self.wait)(task, &first)?;
        }
        Ok(())
    }
}
