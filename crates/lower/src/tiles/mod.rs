//! Long vectors computed tile by tile, so that memory holds a tile of them and not the whole.
//!
//! Operations of `main` that act on each row of their operands form groups: what makes a value and what reads it row by row.
//! A group becomes a template that computes some rows, applied once for each tile. Of a sum over all rows a tile gives its own
//! sum, and these are added at the end. Rows that others read are joined. Inputs and outputs that are long are taken and given
//! in the same tiles: see [`Parts`].
//!
//! Only for programs all of whose values are garbled: there a run has as many rounds in tiles as without, since tables only
//! travel one way and inputs come in windows anyway.

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
/// How many times as large as a tile a value must be for its group to be cut.
pub(crate) const WORTH: u64 = 4;

/// What of a program in tiles is not said by its operations: values of `main`, and templates.
#[derive(Debug)]
pub(crate) struct Parts {
    /// Templates that compute tiles. They stay bodies of their own.
    pub(crate) tiles: BTreeSet<TemplateId>,
    /// Inputs that are taken where ranges of their lanes are gathered, one after the other.
    pub(crate) inputs: BTreeSet<ValueId>,
    /// Values that are given to outputs part by part, as they are joined.
    pub(crate) outputs: BTreeSet<ValueId>,
    /// Parts of these: the columns of output ports to which each is given as soon as it is there.
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

/// Of programs that are not in tiles.
pub(crate) static NO_PARTS: Parts = Parts::none();

/// A program whose long vectors are computed in tiles, or none where there are none; `types` are those of its values.
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
