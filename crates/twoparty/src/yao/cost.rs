//! Costs of calls of [`Side`](super::Side) in bytes, without the framing of the transport.

use super::RevealTo;
use crate::half_gates::TABLE_BYTES;
use tacit_ot::softspoken::Params;

/// Bytes in each direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct YaoTraffic {
    /// From garbler to evaluator.
    pub to_evaluator_bytes: u64,
    /// From evaluator to garbler.
    pub to_garbler_bytes: u64,
}

/// Adds up the cost of a run, call by call, in either mode. The setup of the OT session ([`Params::setup_bytes`]) is not
/// included, and the session is assumed to have no OTs left over.
#[derive(Clone, Copy, Debug)]
pub struct YaoCost {
    params: Params,
    prepared: bool,
    setup: YaoTraffic,
    online: YaoTraffic,
    ots: u64,
}

impl YaoCost {
    /// A run of [`super::streamed`].
    pub fn streamed(params: Params) -> YaoCost {
        let online = YaoTraffic { to_evaluator_bytes: 16, to_garbler_bytes: 0 };
        YaoCost { params, prepared: false, setup: YaoTraffic::default(), online, ots: 0 }
    }

    /// A run of [`super::prepared`].
    pub fn prepared(params: Params) -> YaoCost {
        let online = YaoTraffic { to_evaluator_bytes: 32, to_garbler_bytes: 0 };
        YaoCost { params, prepared: true, setup: YaoTraffic::default(), online, ots: 0 }
    }

    /// An input of the garbler.
    pub fn garbler_input(&mut self, bits: u64) {
        self.online.to_evaluator_bytes += 16 * bits;
    }

    /// An input of the evaluator. (In a prepared run all corrections are packed together: pass all bits at once.)
    pub fn evaluator_input(&mut self, bits: u64) {
        self.random(bits);
        self.online.to_garbler_bytes += bits.div_ceil(8);
        if self.prepared {
            self.online.to_evaluator_bytes += 16 * bits;
        }
    }

    /// Random bits.
    pub fn random(&mut self, bits: u64) {
        self.ots += bits;
        self.early().to_evaluator_bytes += 16 * bits;
    }

    /// A circuit with this many ANDs over instances, with half gates.
    pub fn circuit(&mut self, and_count: u64, instances: u64) {
        self.early().to_evaluator_bytes += and_count * instances * TABLE_BYTES as u64;
    }

    /// Circuits whose tables take this many bytes ([`crate::garbling::GarblingScheme::table_bytes`]).
    pub fn tables(&mut self, bytes: u64) {
        self.early().to_evaluator_bytes += bytes;
    }

    /// An output.
    pub fn reveal(&mut self, recipients: RevealTo, bits: u64) {
        self.online.to_evaluator_bytes += if recipients.include_evaluator() { bits.div_ceil(8) } else { 0 };
        self.online.to_garbler_bytes += if recipients.include_garbler() { bits.div_ceil(8) } else { 0 };
    }

    /// What is sent in setup; nothing in a streamed run.
    pub fn setup(&self) -> YaoTraffic {
        let mut setup = self.setup;
        setup.to_garbler_bytes += if self.prepared { self.params.bytes(self.ots) } else { 0 };
        setup
    }

    /// What is sent online.
    pub fn online(&self) -> YaoTraffic {
        let mut online = self.online;
        online.to_garbler_bytes += if self.prepared { 0 } else { self.params.bytes(self.ots) };
        online
    }

    /// Both phases.
    pub fn total(&self) -> YaoTraffic {
        let (setup, online) = (self.setup(), self.online());
        YaoTraffic {
            to_evaluator_bytes: setup.to_evaluator_bytes + online.to_evaluator_bytes,
            to_garbler_bytes: setup.to_garbler_bytes + online.to_garbler_bytes,
        }
    }

    /// Traffic that does not depend on inputs: in setup if the run is prepared.
    fn early(&mut self) -> &mut YaoTraffic {
        if self.prepared { &mut self.setup } else { &mut self.online }
    }
}
