use tacit_schedule::{Layout, Schedule};

use crate::work::WorkCounts;
use crate::{Forecast, Lattices, MessageOrder, Mode, TransferExtension};

/// One way to run a program, with its predicted cost: everything that a choice needs.
pub(crate) struct Candidate {
    pub(crate) lowering: tacit_lower::Options,
    pub(crate) schedule: Schedule,
    pub(crate) layout: Layout,
    pub(crate) messages: MessageOrder,
    pub(crate) counts: WorkCounts,
    pub(crate) mode: Mode,
    pub(crate) transfers: TransferExtension,
    pub(crate) lattices: Lattices,
    pub(crate) forecast: Forecast,
}
