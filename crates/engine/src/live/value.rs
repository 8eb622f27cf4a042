//! Values that are live between batches.

use std::fmt;
use std::sync::{Arc, OnceLock};

use tacit_ir::{Type, ValueType};
use tacit_math::Block;

use tacit_schedule::walk::Wires;

/// Identity of a path of the program: a hash of its name.
pub(super) type PathId = [u8; 16];

/// A value of a live session, held by the front end. Clones are the same value. When the last clone is dropped, and every
/// step that uses it has run, its labels are overwritten and freed.
///
/// Currently a value is a bundle of Yao's labels; shares of other protocols would be other contents of the same
/// cell.
#[derive(Clone)]
pub struct LiveValue(pub(super) Arc<Cell>);

impl LiveValue {
    /// The value's type.
    pub fn value_type(&self) -> ValueType {
        self.0.ty
    }
}

impl fmt::Debug for LiveValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LiveValue({})", self.0.ty)
    }
}

/// The state behind a value.
pub(super) struct Cell {
    /// The path, step and result number that identify it, the same at both parties.
    pub path: PathId,
    pub step: u64,
    pub result: u32,
    pub ty: ValueType,
    labels: OnceLock<Wires<Block>>,
}

impl Cell {
    pub fn new(path: PathId, step: u64, result: u32, ty: ValueType) -> Arc<Cell> {
        Arc::new(Cell { path, step, result, ty, labels: OnceLock::new() })
    }

    /// The labels, once they are known.
    pub fn labels(&self) -> Option<&Wires<Block>> {
        self.labels.get()
    }

    /// Sets the labels; a second time changes nothing.
    pub fn set(&self, labels: Wires<Block>) {
        // A cell is the result of one step, which runs once.
        let _ = self.labels.set(labels);
    }

    /// Identifies cells within one process.
    pub fn key(self: &Arc<Cell>) -> usize {
        Arc::as_ptr(self) as usize
    }
}

/// The number of wires of a value.
pub(super) fn bits_of(ty: ValueType) -> usize {
    match ty.ty {
        Type::Word(bits) => (u64::from(bits) * ty.lanes) as usize,
        Type::Field(_) => 0,
    }
}
