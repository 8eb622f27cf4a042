use tacit_ir::{Op, TemplateId, ValueId};
use tacit_schedule::rules;

use super::{Partition, Source};
use crate::cost;
use crate::inline::Context;
use crate::lowering::MANY_LANES;
use crate::lowering::long::minimum::PAIRED;
use crate::lowering::matrix::LONGEST;
use crate::options::Options;

/// The most lanes that wiring within a circuit may make of external values.
pub(crate) const WIRED_LANES: u64 = 4096;
/// The most lanes of a finer operation that join each lane of a coarser one.
pub(crate) const FUSED_LANES: u64 = 32;

/// How an operation is lowered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// As its own step.
    Step,
    /// As part of a circuit over this many lanes.
    Lanes(u64),
}

/// The place of every operation; none for constants, other names, copies, and operations without effect.
pub(super) fn places(
    context: Context<'_>,
    options: &Options,
    partition: &Partition<'_>,
    live: &[bool],
    results: &[ValueId],
) -> Vec<Option<Place>> {
    let mut chooser = Chooser { context, options, partition, places: vec![None; live.len()], copied: 0 };
    for index in (0..live.len()).filter(|index| live[*index]) {
        chooser.places[index] = chooser.place(index);
    }
    fuse(partition, &mut chooser.places, results);
    chooser.places
}

struct Chooser<'a> {
    context: Context<'a>,
    options: &'a Options,
    partition: &'a Partition<'a>,
    places: Vec<Option<Place>>,
    /// ANDs of the templates copied so far.
    copied: u64,
}

impl Chooser<'_> {
    fn place(&mut self, index: usize) -> Option<Place> {
        let op = &self.partition.operations[index].op;
        let lanes = |value: ValueId| self.partition.lanes(value);
        let result = self.partition.results(index).next();
        let wide = |lanes: u64| {
            if lanes >= self.options.vector_lanes { Place::Lanes(lanes) } else { Place::Lanes(1) }
        };
        let place = match op {
            Op::Constant(_) | Op::Open(_) => return None,
            Op::Gather(..)
                if result.is_some_and(|r| matches!(self.partition.source(r), Source::Copies(_))) =>
            {
                return None;
            }
            Op::Pin(_, value) if self.partition.is_name(op, *value) => return None,
            _ if rules(self.partition.domains.of_operation[index]).is_of_words() => Place::Step,
            Op::Pin(..) | Op::Input { .. } | Op::Output { .. } | Op::Random(_) => Place::Step,
            Op::Unary(_, value)
            | Op::Binary(_, value, _)
            | Op::ShiftBy(_, value, _)
            | Op::Shift(_, value, _)
            | Op::Compare(_, value, _)
            | Op::Select(value, ..)
            | Op::Extend { value, .. }
            | Op::Slice { value, .. } => wide(lanes(*value)),
            Op::Concat(values) => wide(lanes(values[0])),
            Op::Gather(value, _) if self.partition.parts.inputs.contains(value) => Place::Step,
            Op::Join(_) if result.is_some_and(|value| self.partition.parts.outputs.contains(&value)) => {
                Place::Step
            }
            Op::Call { template, .. } if self.context.parts.tiles.contains(template) => Place::Step,
            Op::Gather(value, _) => self.gather(*value, result.map_or(1, lanes)),
            Op::Join(values) => self.join(values),
            Op::ArgMin { value, length, .. }
                if self.options.paired_minima
                    && rules(self.partition.domains.of_operation[index]).is_layered()
                    && *length >= PAIRED
                    && lanes(*value) / length < MANY_LANES =>
            {
                Place::Step
            }
            Op::SegmentSum { value, length }
            | Op::Scan { value, length, .. }
            | Op::ArgMin { value, length, .. }
            | Op::Sort { key: value, length, .. } => self.long(op, wide(lanes(*value) / length)),
            Op::Lookup { index, .. } => self.long(op, wide(lanes(*index))),
            Op::Permute { .. } | Op::Update { .. } => self.long(op, Place::Lanes(1)),
            // Tile by tile.
            Op::MatrixProduct { rows, inner, columns, .. }
                if *rows.min(columns) == 1 && rows != columns && *inner > LONGEST =>
            {
                Place::Step
            }
            Op::MatrixProduct { left, right, batch, columns, .. } => {
                let bits =
                    self.partition.narrow_bits(*left).saturating_mul(self.partition.narrow_bits(*right));
                let each = bits.saturating_add(cost::size(self.partition.types[left.index()]) / lanes(*left));
                self.matrix_product(lanes(*left).saturating_mul(*columns).saturating_mul(each), *batch)
            }
            Op::Call { template, .. } => self.copy_or_step(*template, 1),
            Op::Iterate { template, count, .. } => self.copy_or_step(*template, *count),
            Op::Map { template, lanes, .. } => self.map(*template, *lanes),
        };
        Some(place)
    }

    /// Whether a value is available in a flattened circuit, or small enough to be brought there.
    fn flat(&self, value: ValueId) -> bool {
        let root = self.partition.root(value);
        let lanes = self.partition.lanes(root);
        lanes < self.options.vector_lanes
            || match self.partition.source(root) {
                Source::Parameter => false,
                Source::Constant(_) | Source::Copies(_) => lanes <= WIRED_LANES,
                Source::Operation(definer) => self.places[definer] == Some(Place::Lanes(1)),
            }
    }

    fn gather(&self, source: ValueId, lanes: u64) -> Place {
        match lanes < self.options.vector_lanes || self.flat(source) && lanes <= WIRED_LANES {
            true => Place::Lanes(1),
            false => Place::Step,
        }
    }

    fn join(&self, values: &[ValueId]) -> Place {
        let lanes = values.iter().fold(0u64, |sum, value| sum.saturating_add(self.partition.lanes(*value)));
        let few = lanes <= WIRED_LANES.max(self.options.vector_lanes.saturating_mul(values.len() as u64));
        match few && values.iter().all(|value| self.flat(*value)) {
            true => Place::Lanes(1),
            false => Place::Step,
        }
    }

    /// A place for an operation on vectors, unless these are so long that it needs its own steps.
    fn long(&self, op: &Op, place: Place) -> Place {
        let shares = if let Place::Lanes(lanes) = place { lanes } else { 1 };
        match cost::ands(op, self.partition.types, self.context.profiles, shares) > self.options.map_ands {
            true => Place::Step,
            false => place,
        }
    }

    /// A place for products of this many ANDs in total.
    fn matrix_product(&self, ands: u64, batch: u64) -> Place {
        match () {
            _ if batch >= self.options.vector_lanes && ands / batch <= self.options.map_ands => {
                Place::Lanes(batch)
            }
            _ if ands <= self.options.map_ands => Place::Lanes(1),
            _ => Place::Step,
        }
    }

    /// A call or loop: copied into the flattened circuit if it is small or the only use of the template.
    fn copy_or_step(&mut self, template: TemplateId, count: u64) -> Place {
        let profile = self.context.profiles[template.index()];
        let ands = profile.ands.saturating_mul(count);
        let gates = profile.widest.saturating_mul(count);
        let scalar = profile.pure && profile.lanes < self.options.vector_lanes;
        let alone = profile.uses == 1 && count == 1;
        let limit = self.options.max_gates as u64 / 8;
        let small = ands <= self.options.inline_ands && gates <= self.options.inline_ands.saturating_mul(16);
        if scalar && self.copied.saturating_add(ands) <= limit && gates <= limit && (small || alone) {
            self.copied += ands;
            return Place::Lanes(1);
        }
        Place::Step
    }

    fn map(&mut self, template: TemplateId, lanes: u64) -> Place {
        let profile = self.context.profiles[template.index()];
        let one_circuit = profile.pure
            && profile.ands <= self.options.map_ands
            && profile.widest <= self.options.map_ands.saturating_mul(16);
        match () {
            _ if !one_circuit => Place::Step,
            _ if lanes >= self.options.vector_lanes => Place::Lanes(lanes),
            _ if self.copy_or_step(template, lanes) == Place::Lanes(1) => Place::Lanes(1),
            _ => Place::Lanes(lanes),
        }
    }
}

/// Lets an operation on each lane join the coarser circuit that alone reads its results, so that products are
/// summed at once and nothing is stored in between.
fn fuse(partition: &Partition<'_>, places: &mut [Option<Place>], results: &[ValueId]) {
    // For each operation, the class of all its readers so far; `Step` if they differ.
    let domains = &partition.domains.of_operation;
    let mut readers: Vec<Option<Place>> = vec![None; places.len()];
    let read = |readers: &mut Vec<Option<Place>>, definer: usize, place: Place| {
        readers[definer] = match readers[definer] {
            None => Some(place),
            Some(other) if other == place => Some(place),
            Some(_) => Some(Place::Step),
        };
    };
    results
        .iter()
        .filter_map(|value| partition.definer(*value))
        .for_each(|d| read(&mut readers, d, Place::Step));
    for index in (0..places.len()).rev() {
        let (Some(place), op) = (places[index], &partition.operations[index].op) else { continue };
        if let (Place::Lanes(fine), Some(Place::Lanes(coarse))) = (place, readers[index])
            && by_lane(op)
            && coarse > 1
            && coarse < fine
            && fine.is_multiple_of(coarse)
            && fine / coarse <= FUSED_LANES
        {
            places[index] = Some(Place::Lanes(coarse));
        }
        // An operation without a place is a step.
        let place = places[index].unwrap_or(Place::Step);
        partition.for_each_definer(index, |definer, whole| {
            let apart = whole || domains[definer] != domains[index];
            read(&mut readers, definer, if apart { Place::Step } else { place });
        });
    }
}

/// Whether an operation acts on each lane separately.
fn by_lane(op: &Op) -> bool {
    matches!(
        op,
        Op::Unary(..)
            | Op::Binary(..)
            | Op::ShiftBy(..)
            | Op::Shift(..)
            | Op::Compare(..)
            | Op::Select(..)
            | Op::Extend { .. }
            | Op::Slice { .. }
            | Op::Concat(_)
    )
}
