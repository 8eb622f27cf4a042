//! A stretch of an object's bytes, as cells.

use super::value::Value;
use crate::graph::{Graph, Word};

/// Bytes in a page.
pub(super) const PAGE: u64 = 256;

/// The content of bytes that were never written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fill {
    Undefined,
    /// As [`Fill::Undefined`], but tracked as unwritten.
    Unwritten,
    Zero,
}

impl Fill {
    /// The content of `bytes` unwritten bytes.
    pub(super) fn value(self, graph: &mut Graph, bytes: u64) -> Value {
        match self {
            Fill::Undefined => Value::Undefined,
            Fill::Unwritten => Value::unwritten(graph, bytes as u32 * 8),
            Fill::Zero => Value::Word(graph.number(bytes as u32 * 8, 0)),
        }
    }
}

/// Bytes that were stored together.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cell {
    pub start: u16,
    pub length: u16,
    pub value: Value,
}

/// Cells in order, without overlap. Bytes between them were never written.
#[derive(Clone, Debug, Default)]
pub(super) struct Page {
    cells: Vec<Cell>,
}

impl Cell {
    fn end(&self) -> u16 {
        self.start + self.length
    }

    /// The bytes from `from` to `to`, which are within the cell.
    fn part(&self, graph: &mut Graph, from: u16, to: u16) -> Value {
        match &self.value {
            value if (from, to) == (self.start, self.end()) => value.clone(),
            value => {
                let integer = value.integer(graph, u32::from(self.length) * 8).map(Value::Word);
                let part =
                    |word| graph.slice(word, u32::from(from - self.start) * 8, u32::from(to - from) * 8);
                integer.as_ref().unwrap_or(value).map(part).unwrap_or_default()
            }
        }
    }
}

impl Page {
    /// Index of the first cell that ends after `at`.
    fn first_after(&self, at: u16) -> usize {
        self.cells.partition_point(|cell| cell.end() <= at)
    }

    /// Appends the values of the bytes from `from` to `to` with their lengths.
    pub(super) fn read(&self, graph: &mut Graph, from: u64, to: u64, parts: &mut Vec<(u64, Value)>) {
        let (mut at, to) = (from as u16, to as u16);
        let gap = |from: u16, to: u16, parts: &mut Vec<(u64, Value)>| {
            if from < to {
                parts.push((u64::from(to - from), Value::Undefined));
            }
        };
        for cell in &self.cells[self.first_after(at)..] {
            if cell.start >= to {
                break;
            }
            gap(at, cell.start, parts);
            let (start, end) = (cell.start.max(at), cell.end().min(to));
            parts.push((u64::from(end - start), cell.part(graph, start, end)));
            at = end;
        }
        gap(at, to, parts);
    }

    pub(super) fn write(&mut self, graph: &mut Graph, cell: Cell) {
        let first = self.first_after(cell.start);
        let last = self.cells.partition_point(|other| other.start < cell.end());
        if let Some(same) = self.cells.get_mut(first)
            && (same.start, same.length) == (cell.start, cell.length)
        {
            same.value = cell.value;
            return;
        }
        let mut replacement = Vec::with_capacity(3);
        if let Some(left) = self.cells[..last].get(first)
            && left.start < cell.start
        {
            let value = left.part(graph, left.start, cell.start);
            replacement.push(Cell { start: left.start, length: cell.start - left.start, value });
        }
        let end = cell.end();
        replacement.push(cell);
        if let Some(right) = self.cells[first..last].last()
            && right.end() > end
        {
            let value = right.part(graph, end, right.end());
            replacement.push(Cell { start: end, length: right.end() - end, value });
        }
        self.cells.splice(first..last, replacement);
    }

    /// The end of the cell that holds the byte `at`, or the start of the next one.
    pub(super) fn boundary_after(&self, at: u64) -> Option<u64> {
        let at = at as u16;
        let cell = self.cells.get(self.first_after(at))?;
        if cell.start <= at {
            return Some(cell.end().into());
        }
        // Unwritten bytes, in steps of at most 8 bytes.
        Some(u64::from(cell.start.min(at + 8 - at % 8)))
    }

    /// The cells of `a` if the flag is set, else those of `b`. The content of unwritten bytes is given beside
    /// each page.
    pub(super) fn merge(
        graph: &mut Graph,
        condition: Word,
        (a, a_fill): (&Page, Fill),
        (b, b_fill): (&Page, Fill),
    ) -> Page {
        let mut merged = Page { cells: Vec::with_capacity(a.cells.len().max(b.cells.len())) };
        for (start, end) in Page::common_stretches(a, b) {
            let mut part = |page: &Page, fill: Fill| {
                let mut parts = Vec::new();
                page.read(graph, start.into(), end.into(), &mut parts);
                match parts.pop() {
                    Some((_, Value::Undefined)) | None => fill.value(graph, u64::from(end - start)),
                    Some((_, value)) => value,
                }
            };
            let (x, y) = (part(a, a_fill), part(b, b_fill));
            let value = if x == y { x } else { Value::select(graph, condition, &x, &y) };
            merged.cells.push(Cell { start, length: end - start, value });
        }
        merged
    }

    /// The ranges between all boundaries of both pages that are covered by a cell of either.
    fn common_stretches(a: &Page, b: &Page) -> Vec<(u16, u16)> {
        let same = a.cells.len() == b.cells.len()
            && a.cells.iter().zip(&b.cells).all(|(x, y)| (x.start, x.length) == (y.start, y.length));
        if same {
            return a.cells.iter().map(|cell| (cell.start, cell.end())).collect();
        }
        let cells = || a.cells.iter().chain(&b.cells);
        let mut bounds: Vec<u16> = cells().flat_map(|cell| [cell.start, cell.end()]).collect();
        bounds.sort_unstable();
        bounds.dedup();
        let covered = |from: u16, page: &Page| {
            page.cells.get(page.first_after(from)).is_some_and(|cell| cell.start <= from)
        };
        let stretches = bounds.windows(2).map(|pair| (pair[0], pair[1]));
        stretches.filter(|(from, _)| covered(*from, a) || covered(*from, b)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(graph: &mut Graph, start: u16, length: u16, value: u128) -> Cell {
        Cell { start, length, value: Value::Word(graph.number(u32::from(length) * 8, value)) }
    }

    fn bytes(graph: &mut Graph, page: &Page, from: u64, to: u64) -> Vec<Option<u128>> {
        let mut all = Vec::new();
        for at in from..to {
            let mut parts = Vec::new();
            page.read(graph, at, at + 1, &mut parts);
            all.push(match parts[..] {
                [(1, Value::Word(word))] => graph.value(word).map(crate::int::Int::low_u128),
                _ => None,
            });
        }
        all
    }

    #[test]
    fn writes_split_what_they_overlap() {
        let mut graph = Graph::default();
        let mut page = Page::default();
        for (start, length, value) in [(4, 4, 0x44332211), (5, 2, 0xbbaa), (10, 1, 7), (7, 5, 0x0504030201)] {
            let cell = cell(&mut graph, start, length, value);
            page.write(&mut graph, cell);
        }
        let expected =
            [None, Some(0x11), Some(0xaa), Some(0xbb), Some(1), Some(2), Some(3), Some(4), Some(5), None];
        assert_eq!(bytes(&mut graph, &page, 3, 13), expected);
        assert_eq!(page.boundary_after(0), Some(4));
        assert_eq!(page.boundary_after(8), Some(12));
    }

    #[test]
    fn merging_splits_where_layouts_differ() {
        let mut graph = Graph::default();
        let condition = graph.input(0, 0, 0, 1);
        let (mut a, mut b) = (Page::default(), Page::default());
        let whole = cell(&mut graph, 0, 4, 0x04030201);
        a.write(&mut graph, whole);
        for (start, value) in [(0, 0x0201), (2, 0x0909)] {
            let half = cell(&mut graph, start, 2, value);
            b.write(&mut graph, half);
        }
        let merged = Page::merge(&mut graph, condition, (&a, Fill::Undefined), (&b, Fill::Undefined));
        assert_eq!(bytes(&mut graph, &merged, 0, 3), [Some(1), Some(2), None]);
        assert_eq!(merged.cells.len(), 2);
    }
}
