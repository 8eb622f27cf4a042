//! The arguments of kernels: gates with checked slots, delta and tweaks.

use core::fmt;
use core::ops::Range;
use tacit_math::Block;
use zeroize::ZeroizeOnDrop;

/// The size of an AND gate's table in bytes: the garbler's half, then the evaluator's.
pub const TABLE_BYTES: usize = 32;

/// Why gates cannot be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
    /// The slices that describe the gates differ in length.
    #[error("the slices that describe the gates have the lengths {0:?}")]
    Gates([usize; 4]),
    /// A gate uses a slot that the circuit does not have.
    #[error("a gate uses slot {slot}, but there are {slots}")]
    Slot {
        /// The largest slot used.
        slot: u32,
        /// The number of slots.
        slots: usize,
    },
    /// There are too few labels.
    #[error("{slots} slots in {width} lanes take more than {labels} labels")]
    Labels {
        /// The number of slots that the gates may use.
        slots: usize,
        /// The number of lanes.
        width: usize,
        /// The number of labels given.
        labels: usize,
    },
    /// The size of the tables does not fit the gates.
    #[error("{gates} AND gates in {width} lanes take {each} bytes each, not {bytes} in all")]
    Tables {
        /// The number of gates.
        gates: usize,
        /// The number of lanes.
        width: usize,
        /// The bytes for each gate.
        each: usize,
        /// The bytes given.
        bytes: usize,
    },
    /// A tweak does not fit.
    #[error("a gate's number is 2^63 or more")]
    Tweaks,
}

/// AND gates, mutually independent, whose slots are known to be below a bound.
#[derive(Clone, Copy, Debug)]
pub struct AndGates<'a> {
    pub(crate) a: &'a [u32],
    pub(crate) b: &'a [u32],
    pub(crate) out: &'a [u32],
    pub(crate) flip: &'a [u8],
    pub(crate) slots: usize,
}

impl<'a> AndGates<'a> {
    /// Gate g maps slots `a[g]` and `b[g]` to slot `out[g]`; the first is complemented if bit 0 of `flip[g]`
    /// is set, the second if bit 1 is. Other bits of a flip are ignored.
    ///
    /// Cost: reads each slot once; the result can be kept and [sliced](AndGates::slice) without another
    /// check.
    ///
    /// # Errors
    /// If the slices differ in length or a slot is not below `slots`.
    pub fn new(
        a: &'a [u32],
        b: &'a [u32],
        out: &'a [u32],
        flip: &'a [u8],
        slots: usize,
    ) -> Result<AndGates<'a>, ShapeError> {
        if a.len() != b.len() || a.len() != out.len() || a.len() != flip.len() {
            return Err(ShapeError::Gates([a.len(), b.len(), out.len(), flip.len()]));
        }
        check_slots(&[a, b, out], slots)?;
        Ok(AndGates { a, b, out, flip, slots })
    }

    /// How many gates there are.
    pub fn len(&self) -> usize {
        self.a.len()
    }

    /// Whether there is no gate.
    pub fn is_empty(&self) -> bool {
        self.a.is_empty()
    }

    /// The gates of `range`.
    ///
    /// # Panics
    /// If the range ends past the last gate or before its start.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> AndGates<'a> {
        AndGates {
            a: &self.a[range.clone()],
            b: &self.b[range.clone()],
            out: &self.out[range.clone()],
            flip: &self.flip[range],
            slots: self.slots,
        }
    }
}

/// XOR gates whose slots are known to be below a bound.
#[derive(Clone, Copy, Debug)]
pub struct XorGates<'a> {
    pub(crate) a: &'a [u32],
    pub(crate) b: &'a [u32],
    pub(crate) out: &'a [u32],
    pub(crate) slots: usize,
}

impl<'a> XorGates<'a> {
    /// Gate g maps slots `a[g]` and `b[g]` to slot `out[g]`.
    ///
    /// # Errors
    /// If the slices differ in length or a slot is not below `slots`.
    pub fn new(a: &'a [u32], b: &'a [u32], out: &'a [u32], slots: usize) -> Result<XorGates<'a>, ShapeError> {
        if a.len() != b.len() || a.len() != out.len() {
            return Err(ShapeError::Gates([a.len(), b.len(), out.len(), a.len()]));
        }
        check_slots(&[a, b, out], slots)?;
        Ok(XorGates { a, b, out, slots })
    }

    /// How many gates there are.
    pub fn len(&self) -> usize {
        self.a.len()
    }

    /// Whether there is no gate.
    pub fn is_empty(&self) -> bool {
        self.a.is_empty()
    }
}

/// The garbler's global difference between the labels of one and zero. Its least significant bit is one, so
/// that the two labels of a wire have different colours. Secret: `Debug` hides it and dropping
/// overwrites it.
#[derive(Clone, ZeroizeOnDrop)]
pub struct Delta(Block);

impl Delta {
    /// The difference from random bits, with the least significant bit set.
    pub const fn new(random: Block) -> Delta {
        Delta(random.with_lsb())
    }

    /// The difference as a block.
    #[inline]
    pub const fn expose(&self) -> Block {
        self.0
    }

    /// The label of one, from that of zero.
    #[inline]
    pub fn one(&self, zero: Block) -> Block {
        zero ^ self.0
    }

    /// The label of `value`, from that of zero, without a branch. `value` may be secret.
    #[inline]
    pub fn label(&self, zero: Block, value: bool) -> Block {
        zero ^ (self.0 & Block::mask(value))
    }
}

impl fmt::Debug for Delta {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Delta(..)")
    }
}

/// The numbering of the gates of a call: gate g in lane l has the number `first_id` + l * `lane_stride` + g,
/// all below 2^63.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tweaks {
    /// The random start S of the hash, fresh for each garbled circuit. The evaluator learns it.
    pub start: Block,
    /// The number of the first gate in the first lane.
    pub first_id: u64,
    /// The distance between the numbers of adjacent lanes.
    pub lane_stride: u64,
}

impl Tweaks {
    /// The number of a gate in a lane; wraps only in cases that [`check_ands`] refuses.
    #[inline]
    pub(crate) const fn id(&self, gate: usize, lane: usize) -> u64 {
        self.first_id.wrapping_add(self.lane_stride.wrapping_mul(lane as u64)).wrapping_add(gate as u64)
    }

    /// The number of the last gate in the last lane, if all numbers are below 2^63.
    fn last(&self, gates: usize, width: usize) -> Option<u64> {
        let lanes = self.lane_stride.checked_mul(width.saturating_sub(1) as u64)?;
        let last = self.first_id.checked_add(lanes)?.checked_add(gates.saturating_sub(1) as u64)?;
        (last >> 63 == 0).then_some(last)
    }
}

/// Checks that `labels` holds `slots` slots in `width` lanes.
pub(crate) fn check_labels(labels: &[Block], width: usize, slots: usize) -> Result<(), ShapeError> {
    match slots.checked_mul(width) {
        Some(needed) if needed <= labels.len() => Ok(()),
        _ => Err(ShapeError::Labels { slots, width, labels: labels.len() }),
    }
}

/// Checks everything that a kernel for half gates relies on.
pub(crate) fn check_ands(
    labels: &[Block],
    width: usize,
    gates: AndGates<'_>,
    tweaks: Tweaks,
    tables: &[u8],
) -> Result<(), ShapeError> {
    check_gates(labels, width, gates, tweaks)?;
    check_tables(gates, width, TABLE_BYTES, tables.len())
}

/// Checks labels and tweaks of AND gates.
pub(crate) fn check_gates(
    labels: &[Block],
    width: usize,
    gates: AndGates<'_>,
    tweaks: Tweaks,
) -> Result<(), ShapeError> {
    check_labels(labels, width, gates.slots)?;
    tweaks.last(gates.len(), width).ok_or(ShapeError::Tweaks)?;
    Ok(())
}

/// Checks that there are `each` bytes for each gate in each lane.
pub(crate) fn check_tables(
    gates: AndGates<'_>,
    width: usize,
    each: usize,
    bytes: usize,
) -> Result<(), ShapeError> {
    let needed = gates.len().checked_mul(width).and_then(|count| count.checked_mul(each));
    if needed != Some(bytes) {
        return Err(ShapeError::Tables { gates: gates.len(), width, each, bytes });
    }
    Ok(())
}

/// Checks that every slot is below `slots`. The maximum of a slice compiles to vector code.
fn check_slots(slices: &[&[u32]], slots: usize) -> Result<(), ShapeError> {
    let greatest = |slice: &&[u32]| slice.iter().fold(0, |most, &slot| most.max(slot));
    match slices.iter().filter(|slice| !slice.is_empty()).map(greatest).max() {
        Some(slot) if slot as usize >= slots => Err(ShapeError::Slot { slot, slots }),
        _ => Ok(()),
    }
}
