//! The shapes of arrays, as in NumPy: broadcasting, and views as public selections of lanes.

use tacit_ir::{Index, MAX_LANES};

use super::error::{Traced, shape};

/// Number of elements.
pub fn size(dims: &[u64]) -> u64 {
    dims.iter().product()
}

/// A shape in NumPy's notation.
pub fn text(dims: &[u64]) -> String {
    let list: Vec<_> = dims.iter().map(u64::to_string).collect();
    format!("({}{})", list.join(", "), if dims.len() == 1 { "," } else { "" })
}

/// Checks that a shape does not have too many elements, ignoring empty axes.
pub fn check(dims: &[u64]) -> Traced<()> {
    let total = dims.iter().try_fold(1u64, |total, dim| total.checked_mul((*dim).max(1)));
    match total {
        Some(total) if total <= MAX_LANES => Ok(()),
        _ => shape(format!("an array of shape {} has more than {MAX_LANES} elements", text(dims))),
    }
}

/// The shape that two shapes broadcast to.
pub fn broadcast(a: &[u64], b: &[u64]) -> Traced<Vec<u64>> {
    let rank = a.len().max(b.len());
    let dim = |dims: &[u64], axis: usize| (axis + dims.len()).checked_sub(rank).map_or(1, |axis| dims[axis]);
    (0..rank)
        .map(|axis| match (dim(a, axis), dim(b, axis)) {
            (x, y) if x == y || y == 1 => Ok(x),
            (1, y) => Ok(y),
            _ => shape(format!("shapes {} and {} do not broadcast together", text(a), text(b))),
        })
        .collect()
}

/// An axis counted from the front.
pub fn axis(axis: i64, rank: usize) -> Traced<usize> {
    let front = if axis < 0 { axis + rank as i64 } else { axis };
    match usize::try_from(front) {
        Ok(front) if front < rank => Ok(front),
        _ => shape(format!("an array of {rank} dimensions has no axis {axis}")),
    }
}

/// A view on the elements of another array through strides, row-major.
#[derive(Clone, Debug)]
pub struct View {
    offset: i64,
    dims: Vec<(u64, i64)>,
}

impl View {
    /// The whole of an array.
    pub fn whole(dims: &[u64]) -> View {
        let mut stride = 1;
        let mut view: Vec<_> = dims
            .iter()
            .rev()
            .map(|dim| {
                let here = stride;
                stride *= *dim as i64;
                (*dim, here)
            })
            .collect();
        view.reverse();
        View { offset: 0, dims: view }
    }

    /// The shape of the view.
    pub fn shape(&self) -> Vec<u64> {
        self.dims.iter().map(|(count, _)| *count).collect()
    }

    /// Whether the view is empty.
    pub fn is_empty(&self) -> bool {
        self.dims.iter().any(|(count, _)| *count == 0)
    }

    /// Repeats axes of length 1, and the whole, until the shape is `target`, to which this one broadcasts.
    pub fn broadcast_to(mut self, target: &[u64]) -> View {
        let new = target.len() - self.dims.len();
        let mut dims: Vec<_> = target[..new].iter().map(|count| (*count, 0)).collect();
        dims.extend(
            self.dims.iter().zip(&target[new..]).map(|((count, stride), wanted)| {
                if count == wanted { (*count, *stride) } else { (*wanted, 0) }
            }),
        );
        self.dims = dims;
        self
    }

    /// Takes `count` positions of an axis, from `start` in steps of `step`.
    pub fn slice(&mut self, axis: usize, start: u64, step: i64, count: u64) {
        let (_, stride) = self.dims[axis];
        self.offset += start as i64 * stride;
        self.dims[axis] = (count, stride * step);
    }

    /// Takes one position of an axis, which is removed.
    pub fn pick(&mut self, axis: usize, position: u64) {
        let (_, stride) = self.dims.remove(axis);
        self.offset += position as i64 * stride;
    }

    /// Inserts an axis of length 1.
    pub fn insert(&mut self, axis: usize) {
        self.dims.insert(axis, (1, 0));
    }

    /// The axes in another order.
    pub fn permuted(mut self, order: &[usize]) -> View {
        self.dims = order.iter().map(|axis| self.dims[*axis]).collect();
        self
    }

    /// The selection among `lanes` lanes; none if it is all of them in order.
    pub fn index(&self, lanes: u64) -> Option<Index> {
        let merged = self.merged();
        match merged[..] {
            [] => (lanes != 1).then_some(Index::Range { start: self.offset as u32, step: 1, count: 1 }),
            [(count, 1)] if count == lanes => None,
            [(count, 0)] if lanes == 1 => repeat(count, 1),
            [(count, step)] => Some(Index::Range { start: self.offset as u32, step, count }),
            [(tiles, 0), (whole, 1)] if whole == lanes => repeat(1, tiles),
            [(whole, 1), (each, 0)] if whole == lanes => repeat(each, 1),
            [(tiles, 0), (whole, 1), (each, 0)] if whole == lanes => repeat(each, tiles),
            _ => Some(Index::List(self.positions())),
        }
        .or_else(|| (!self.is_whole(lanes)).then(|| Index::List(self.positions())))
    }

    fn is_whole(&self, lanes: u64) -> bool {
        let merged = self.merged();
        self.offset == 0 && (merged == [(lanes, 1)] || (merged.is_empty() && lanes == 1))
    }

    /// The axes, with those merged that are equivalent to one.
    fn merged(&self) -> Vec<(u64, i64)> {
        let mut merged: Vec<(u64, i64)> = Vec::with_capacity(self.dims.len());
        for (count, stride) in self.dims.iter().copied().filter(|(count, _)| *count != 1) {
            match merged.last_mut() {
                Some((outer, above)) if *above == stride * count as i64 => {
                    (*outer, *above) = (*outer * count, stride);
                }
                _ => merged.push((count, stride)),
            }
        }
        merged
    }

    /// Every position, in order.
    pub fn positions(&self) -> Vec<u32> {
        let mut positions = vec![self.offset];
        for (count, stride) in &self.dims {
            let steps = 0..*count as i64;
            positions =
                positions.iter().flat_map(|base| steps.clone().map(move |i| base + i * stride)).collect();
        }
        positions.into_iter().map(|position| position as u32).collect()
    }
}

/// A repetition, if the numbers of copies fit.
fn repeat(each: u64, tiles: u64) -> Option<Index> {
    let (each, tiles) = (u32::try_from(each).ok()?, u32::try_from(tiles).ok()?);
    Some(Index::Repeat { each, tiles })
}
