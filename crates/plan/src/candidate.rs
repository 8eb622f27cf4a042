use tacit_schedule::{Layout, Schedule};

use crate::work::WorkCounts;
use crate::{Forecast, Lattices, MessageOrder, Mode, Parties, TransferExtension};

/// One way to run a program, with its predicted cost: everything that a choice needs.
pub(crate) struct Candidate {
    pub(crate) lowering: tacit_lower::Options,
    pub(crate) schedule: Schedule,
    pub(crate) layout: Layout,
    pub(crate) counts: WorkCounts,
    pub(crate) mode: Mode,
    pub(crate) sides: Sides,
}

/// Who garbles, and what depends on it.
pub(crate) struct Sides {
    pub(crate) parties: Parties,
    pub(crate) messages: MessageOrder,
    pub(crate) transfers: TransferExtension,
    pub(crate) lattices: Lattices,
    pub(crate) forecast: Forecast,
}
