use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tacit_ir::OperationCount;
use tacit_net::{Channel, Counts, Phase};
use tacit_plan::{
    DomainWork, Garbling, Link, MatrixChoice, Mode, Objective, Plan, Prediction, SecurityParams, Side,
    TransferExtension, Work,
};

use crate::deviation::{Deviation, PhaseSeconds};
use crate::processor::thread_time;

/// Version of the report's form.
pub const REPORT_VERSION: u32 = 2;

/// The options of a reactive session, as its report shows them.
pub(crate) struct ReportedOptions {
    pub garbling: Garbling,
    pub transfers: TransferExtension,
    pub matrices: MatrixChoice,
    pub planned_link: Link,
    pub effort: u64,
    pub security: SecurityParams,
}

/// The work and costs of a run at one party. `docs/report.md` explains the JSON form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Version of this form: [`REPORT_VERSION`].
    pub version: u32,
    /// Version of Tacit.
    pub tacit: String,
    /// The program's name.
    pub program: String,
    /// BLAKE3 hash of the program, hexadecimal.
    pub program_hash: String,
    /// BLAKE3 hash of the plan, hexadecimal.
    pub plan_hash: String,
    /// This party.
    pub party: String,
    /// This party's side.
    pub side: Side,
    /// The other party.
    pub peer: String,
    /// When tables were sent.
    pub mode: Mode,
    /// How AND gates were garbled.
    #[serde(default)]
    pub garbling: Garbling,
    /// How oblivious transfers were extended.
    #[serde(default)]
    pub transfers: TransferExtension,
    /// How the triples of matrix products were chosen.
    #[serde(default)]
    pub matrices: MatrixChoice,
    /// The link that the run was planned for.
    #[serde(default)]
    pub planned_link: Link,
    /// The limit on the work of making circuits smaller, in steps.
    #[serde(default)]
    pub effort: u64,
    /// Security parameters.
    pub security: SecurityParams,
    /// The file that lines refer to, without its folder, if known.
    #[serde(default)]
    pub source: Option<String>,
    /// The work of the run.
    pub work: Work,
    /// The work of the run in each domain of its values.
    #[serde(default)]
    pub domains: Vec<DomainWork>,
    /// What the program computes, by line of the source and kind.
    pub operations: Vec<OperationReport>,
    /// The prediction of what is sent, given what earlier runs of the session have already set up.
    pub predicted: Prediction,
    /// The phases, in order.
    pub phases: Vec<PhaseReport>,
    /// The objective that the plan minimised.
    #[serde(default)]
    pub objective: Objective,
    /// The profile that the run was planned by.
    #[serde(default)]
    pub profile: String,
    /// Phases that took another time than predicted.
    #[serde(default)]
    pub deviations: Vec<Deviation>,
    /// Number of the entry of the prepared store that the run spent, if any.
    #[serde(default)]
    pub store_entry: Option<u64>,
    /// Peak resident memory of this process, in bytes, if the system reports it.
    pub peak_memory_bytes: Option<u64>,
}

/// Operations of one kind on one line of the source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperationReport {
    /// The domain in which they ran; several are separated by commas.
    pub domain: String,
    /// What they compute and how often.
    #[serde(flatten)]
    pub operation: OperationCount,
}

/// The costs of one phase at one party.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhaseReport {
    /// Its name: `analysis`, `setup` or `online`.
    pub phase: String,
    /// From its start to the start of the next, in seconds.
    pub seconds: f64,
    /// The part in which this party waited for the network.
    pub network_seconds: f64,
    /// The rest.
    pub compute_seconds: f64,
    /// The part in which this party's thread had a processor, if the system reports it.
    #[serde(default)]
    pub processor_seconds: Option<f64>,
    /// Bytes of the frames sent, their headers included.
    pub bytes_sent: u64,
    /// Bytes of the frames received, their headers included.
    pub bytes_received: u64,
    /// Bytes of the protocol's own messages sent; absent in analysis.
    pub payload_sent: Option<u64>,
    /// Bytes of the protocol's own messages received; absent in analysis.
    pub payload_received: Option<u64>,
    /// Frames with data sent.
    pub messages_sent: u64,
    /// Frames with data received.
    pub messages_received: u64,
    /// How many times the party went from sending to receiving.
    pub rounds: u64,
}

impl PhaseReport {
    /// The times of the phase.
    fn seconds(&self) -> PhaseSeconds<'_> {
        PhaseSeconds {
            phase: &self.phase,
            all: self.seconds,
            network: self.network_seconds,
            compute: self.compute_seconds,
            processor: self.processor_seconds,
        }
    }
}

impl Report {
    pub(crate) fn new(plan: &Plan, program: &str, me: Side, clock: &Clock, counts: [Counts; 3]) -> Report {
        let name = |side| plan.parties().name(side).to_owned();
        Report {
            version: REPORT_VERSION,
            tacit: env!("CARGO_PKG_VERSION").to_owned(),
            program: program.to_owned(),
            program_hash: hex(plan.program_hash()),
            plan_hash: hex(plan.hash()),
            party: name(me),
            side: me,
            peer: name(me.peer()),
            mode: plan.mode(),
            garbling: plan.garbling(),
            transfers: plan.transfers(),
            matrices: plan.matrices(),
            planned_link: plan.link(),
            effort: plan.effort(),
            security: *plan.security(),
            source: None,
            work: *plan.work(),
            domains: plan.domains().to_vec(),
            operations: plan.operations_in_domains().map(in_domain).collect(),
            predicted: *plan.prediction(),
            phases: clock.phases(counts),
            objective: plan.objective(),
            profile: plan.profile().to_string(),
            deviations: Vec::new(),
            store_entry: None,
            peak_memory_bytes: crate::memory::peak_bytes(),
        }
    }

    /// The report of a reactive session: nothing is predicted, since its work was not known before; program and
    /// plan are what both parties appended.
    pub(crate) fn of_session(
        (side, party, peer): (Side, &str, &str),
        options: ReportedOptions,
        work: Work,
        hash: [u8; 32],
        clock: &Clock,
        counts: [Counts; 3],
    ) -> Report {
        Report {
            version: REPORT_VERSION,
            tacit: env!("CARGO_PKG_VERSION").to_owned(),
            program: "reactive session".to_owned(),
            program_hash: hex(&hash),
            plan_hash: hex(&hash),
            party: party.to_owned(),
            side,
            peer: peer.to_owned(),
            mode: Mode::Streamed,
            garbling: options.garbling,
            transfers: options.transfers,
            matrices: options.matrices,
            planned_link: options.planned_link,
            effort: options.effort,
            security: options.security,
            source: None,
            work,
            domains: Vec::new(),
            operations: Vec::new(),
            predicted: Prediction::default(),
            phases: clock.phases(counts),
            objective: Objective::default(),
            profile: String::new(),
            deviations: Vec::new(),
            store_entry: None,
            peak_memory_bytes: crate::memory::peak_bytes(),
        }
    }

    /// Adds the frames since `before`: those that end a session of one run, and grants of credit that were on their way when the run ended.
    pub(crate) fn add_frames(&mut self, now: [Counts; 3], before: [Counts; 3]) {
        for ((phase, now), before) in self.phases.iter_mut().zip(now).zip(before) {
            let late = now.since(before);
            phase.bytes_sent += late.bytes_sent;
            phase.bytes_received += late.bytes_received;
            phase.messages_sent += late.messages_sent;
            phase.messages_received += late.messages_received;
        }
    }

    /// With another prediction, and the run's deviations from it.
    #[must_use]
    pub(crate) fn predicted(mut self, predicted: Prediction) -> Report {
        let times = [(Phase::Setup, predicted.time.setup), (Phase::Online, predicted.time.online)];
        let of = |(phase, time)| self.phase(phase)?.seconds().deviation(time, self.planned_link);
        self.deviations = times.into_iter().filter_map(of).collect();
        Report { predicted, ..self }
    }

    /// A phase by name.
    pub fn phase(&self, phase: Phase) -> Option<&PhaseReport> {
        self.phases.iter().find(|report| report.phase == phase.name())
    }

    /// From the start of the first phase to the end of the last, in seconds.
    pub fn seconds(&self) -> f64 {
        self.phases.iter().map(|phase| phase.seconds).sum()
    }
}

fn in_domain((operation, domain): (&OperationCount, String)) -> OperationReport {
    OperationReport { domain, operation: operation.clone() }
}

/// Bytes of the protocol's own messages in one phase.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Payload {
    sent: u64,
    received: u64,
    rounds: u64,
}

impl Payload {
    /// The payload of a channel since it was opened.
    pub fn of(channel: &Channel) -> Payload {
        Payload { sent: channel.bytes_sent(), received: channel.bytes_received(), rounds: channel.rounds() }
    }

    /// The sum with another channel's payload.
    pub fn and(self, other: Payload) -> Payload {
        Payload {
            sent: self.sent + other.sent,
            received: self.received + other.received,
            rounds: self.rounds + other.rounds,
        }
    }

    /// The payload since `before`.
    pub fn since(self, before: Payload) -> Payload {
        Payload {
            sent: self.sent - before.sent,
            received: self.received - before.received,
            rounds: self.rounds - before.rounds,
        }
    }
}

/// Measures when phases start, and what they send.
#[derive(Debug)]
pub(crate) struct Clock {
    phase: Phase,
    since: Instant,
    spent: [Duration; 3],
    /// The thread's processor time when the current phase started, and in each phase so far.
    processor: Option<Duration>,
    had: [Duration; 3],
    payloads: [Option<Payload>; 3],
}

impl Clock {
    /// Starts analysis now.
    pub fn start() -> Clock {
        Clock {
            phase: Phase::Analysis,
            since: Instant::now(),
            spent: Default::default(),
            processor: thread_time(),
            had: Default::default(),
            payloads: [None; 3],
        }
    }

    /// Ends the current phase and begins another.
    pub fn begin(&mut self, phase: Phase) {
        self.stop();
        self.phase = phase;
    }

    /// Ends the current phase for now.
    pub fn stop(&mut self) {
        let now = Instant::now();
        self.spent[self.phase as usize] += now - self.since;
        self.since = now;
        let processor = thread_time();
        if let (Some(before), Some(now)) = (self.processor, processor) {
            // This is too little if the session has moved to another thread.
            self.had[self.phase as usize] += now.saturating_sub(before);
        }
        self.processor = processor;
    }

    /// Excludes this time of the current phase, in which something else ran.
    pub fn leave_out(&mut self, time: Duration) {
        let spent = &mut self.spent[self.phase as usize];
        *spent = spent.saturating_sub(time);
    }

    /// Adds payload of the current phase.
    pub fn payload(&mut self, payload: Payload) {
        self.payloads[self.phase as usize] = Some(payload);
    }

    /// The current phase.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// The reports of all phases.
    pub(crate) fn phases(&self, counts: [Counts; 3]) -> Vec<PhaseReport> {
        Phase::ALL.iter().zip(counts).map(|(phase, counts)| self.report(*phase, counts)).collect()
    }

    fn report(&self, phase: Phase, counts: Counts) -> PhaseReport {
        let spent = self.spent[phase as usize];
        let waiting = counts.waiting.min(spent);
        let payload = self.payloads[phase as usize];
        PhaseReport {
            phase: phase.name().to_owned(),
            seconds: spent.as_secs_f64(),
            network_seconds: waiting.as_secs_f64(),
            compute_seconds: (spent - waiting).as_secs_f64(),
            processor_seconds: self.processor.map(|_| self.had[phase as usize].as_secs_f64()),
            bytes_sent: counts.bytes_sent,
            bytes_received: counts.bytes_received,
            payload_sent: payload.map(|payload| payload.sent),
            payload_received: payload.map(|payload| payload.received),
            messages_sent: counts.messages_sent,
            messages_received: counts.messages_received,
            rounds: payload.map_or(counts.rounds, |payload| payload.rounds),
        }
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
