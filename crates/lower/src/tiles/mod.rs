//! Computes long vectors tile by tile, so that memory holds a tile of them rather than the whole.
//!
//! Operations of `main` that act on each row of their operands form groups of makers and row-wise readers of
//! values. A group becomes a template that computes some rows and is applied once for each tile. For a sum
//! over all rows, each tile gives its own sum, and these are added at the end. Rows that other operations
//! read are joined. Long inputs and outputs are taken and given in the same tiles: see [`Parts`].
//!
//! This is only done for programs whose values are all garbled: tiles do not add rounds there, since tables
//! only travel one way and inputs come in windows anyway.

mod flow;
mod group;
mod write;

use std::collections::{BTreeMap, BTreeSet};

use tacit_ir::{Body, Domain, Op, Program, TemplateId, ValueId, ValueType};
use tacit_schedule::rules;

use crate::classes::Assigned;
use crate::options::Options;

/// The most tiles of a group.
pub(crate) const MOST_TILES: u64 = 1024;
/// A value must be this many times as large as a tile for its group to be cut.
pub(crate) const WORTH: u64 = 4;

/// Properties of a program in tiles that its operations do not show: of values of `main`, and of templates.
#[derive(Debug)]
pub(crate) struct Parts {
    /// Templates that compute tiles. They are not inlined.
    pub(crate) tiles: BTreeSet<TemplateId>,
    /// Inputs that are taken in parts, where ranges of their lanes are gathered in order.
    pub(crate) inputs: BTreeSet<ValueId>,
    /// Values that are given to outputs part by part, in the order in which they are joined.
    pub(crate) outputs: BTreeSet<ValueId>,
    /// For each such part, the columns of output ports to which it is given as soon as it is available.
    pub(crate) given: BTreeMap<ValueId, Vec<(u32, u32)>>,
}

impl Parts {
    const fn none() -> Parts {
        Parts {
            tiles: BTreeSet::new(),
            inputs: BTreeSet::new(),
            outputs: BTreeSet::new(),
            given: BTreeMap::new(),
        }
    }
}

/// For programs that are not in tiles.
pub(crate) static NO_PARTS: Parts = Parts::none();

/// A program whose long vectors are computed in tiles, or none if it has no long vectors; `types` are those
/// of its values.
pub(crate) fn tiled(
    program: &Program,
    types: &[Vec<ValueType>],
    options: &Options,
) -> Option<(Program, Parts)> {
    let types = types.get(program.main.index())?;
    let is_large = |ty: &ValueType| labels(*ty) >= options.tile_labels.saturating_mul(WORTH);
    if !types.iter().any(is_large) || !is_garbled(program, options) {
        return None;
    }
    let groups = group::groups(program, types, options)?;
    write::written(program, types, &groups)
}

/// Labels of a value.
fn labels(ty: ValueType) -> u64 {
    crate::cost::size(ty)
}

/// Whether all values of a program are labels.
fn is_garbled(program: &Program, options: &Options) -> bool {
    let pinned = |op: &Op, domain: Domain| matches!(op, Op::Pin(pin, _) if *pin != domain);
    let elsewhere = program.templates.iter().any(|template| match &template.body {
        Body::Operations { operations, .. } => operations.iter().any(|one| pinned(&one.op, options.domain)),
        Body::Netlist(_) => false,
    });
    rules(options.domain).is_garbled() && options.assigned == Assigned::default() && !elsewhere
}
