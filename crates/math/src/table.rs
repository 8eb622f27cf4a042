//! Large arrays of blocks that are read at random places.
#![allow(unsafe_code)]

use crate::Block;
use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;
use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use zeroize::Zeroize;

/// The size of a large page of memory on common machines; tables from this size on request such pages.
const LARGE_PAGE: usize = 2 << 20;

/// An array of blocks, initially zero and overwritten when dropped. Large arrays request large pages of
/// memory from the system (transparent huge pages, on Linux), so that random reads find their page in the
/// processor's TLB.
pub struct Table {
    blocks: NonNull<Block>,
    len: usize,
}

// SAFETY: a table owns its blocks, as a vector does.
unsafe impl Send for Table {}
// SAFETY: as above; shared access only reads.
unsafe impl Sync for Table {}

impl Table {
    /// A table of `len` blocks.
    ///
    /// # Panics
    /// If it is larger than half the address space. If memory runs out, the process ends, as with a vector.
    pub fn new(len: usize) -> Table {
        let layout = layout(len);
        if layout.size() == 0 {
            return Table { blocks: NonNull::dangling(), len };
        }
        // SAFETY: the layout is not of size zero.
        let Some(blocks) = NonNull::new(unsafe { alloc_zeroed(layout) }) else { handle_alloc_error(layout) };
        ask_for_large_pages(blocks, layout);
        Table { blocks: blocks.cast(), len }
    }
}

/// The layout of tables: large ones are aligned to large pages.
fn layout(len: usize) -> Layout {
    let bytes = len.checked_mul(Block::BYTES);
    let align = if bytes.is_some_and(|bytes| bytes < LARGE_PAGE) { align_of::<Block>() } else { LARGE_PAGE };
    let layout = bytes.and_then(|bytes| Layout::from_size_align(bytes, align).ok());
    layout.unwrap_or_else(|| panic!("a table of {len} blocks"))
}

/// Advises the system to use large pages for this memory, where supported; nothing depends on it.
fn ask_for_large_pages(memory: NonNull<u8>, layout: Layout) {
    #[cfg(all(target_os = "linux", not(miri)))]
    if layout.align() == LARGE_PAGE {
        // SAFETY: advice on memory that was just allocated, which neither moves nor changes it.
        unsafe { libc::madvise(memory.as_ptr().cast(), layout.size(), libc::MADV_HUGEPAGE) };
    }
    #[cfg(not(all(target_os = "linux", not(miri))))]
    let _ = (memory, layout);
}

impl Deref for Table {
    type Target = [Block];

    fn deref(&self) -> &[Block] {
        // SAFETY: the memory was allocated for `len` blocks, all of them initialised, and is borrowed with the table.
        unsafe { core::slice::from_raw_parts(self.blocks.as_ptr(), self.len) }
    }
}

impl DerefMut for Table {
    fn deref_mut(&mut self) -> &mut [Block] {
        // SAFETY: as above, and the borrow is exclusive.
        unsafe { core::slice::from_raw_parts_mut(self.blocks.as_ptr(), self.len) }
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        self.zeroize();
        let layout = layout(self.len);
        if layout.size() > 0 {
            // SAFETY: the memory was allocated with this layout.
            unsafe { dealloc(self.blocks.as_ptr().cast(), layout) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_any_size_are_zero_and_keep_what_is_written() {
        for len in [0, 1, 1000, (1 << 17) - 1, 1 << 17, (1 << 17) + 5] {
            let mut table = Table::new(len);
            assert_eq!(table.len(), len);
            assert!(table.iter().all(|block| *block == Block::ZERO));
            for (i, block) in table.iter_mut().enumerate() {
                *block = Block(i as u128);
            }
            assert!(table.iter().enumerate().all(|(i, block)| block.0 == i as u128));
        }
    }

    #[test]
    #[should_panic(expected = "a table of")]
    fn impossible_sizes_are_refused() {
        Table::new(usize::MAX / 8);
    }
}
