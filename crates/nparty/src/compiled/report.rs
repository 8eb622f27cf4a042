//! The report of a run among n parties: what ran, what it sent, and what was predicted. `docs/report.md` explains its
//! JSON form.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use tacit_ir::{Domain, OperationCount, Program};
use tacit_lower::operation_domains;
use tacit_schedule::Action;

use super::domains::{Size, domain_of};
use super::work::{DomainWork, WorkCounts};
use super::{Compiled, CompiledError, Plan, among};
use crate::parties::PartyIndex;
use crate::runtime::PeerTraffic;

/// Domains by line and name of operations.
type OperationDomains = BTreeMap<(u32, &'static str), BTreeSet<Domain>>;

/// Runs of a compiled program, seen from one party.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunReport {
    /// The program's name.
    pub program: String,
    /// BLAKE3 hash of the program, hexadecimal.
    pub program_hash: String,
    /// BLAKE3 hash of the plan, hexadecimal.
    pub plan_hash: String,
    /// The number of runs in this report, all with this plan.
    pub times: u64,
    /// The party of each role.
    pub roles: BTreeMap<String, String>,
    /// Where random sharings come from.
    pub random_sharings: &'static str,
    /// The limit on the work of making circuits smaller, in steps.
    pub effort: Option<u64>,
    /// The file that lines refer to, without its folder, where it is known.
    pub source: Option<String>,
    /// The work of a run.
    pub work: RunWork,
    /// The work of a run in each domain of its values.
    pub domains: Vec<DomainWork>,
    /// What the program computes, by line of the source and kind.
    pub operations: Vec<OperationReport>,
    /// What each of the runs was predicted to send.
    pub predicted: PredictedRun,
    /// Bytes of elements that went to each other party and came from it, in all of the runs.
    pub peers: BTreeMap<String, PeerBytes>,
}

/// The work of a run, with loops multiplied out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunWork {
    /// AND gates, each a product.
    pub and_count: u64,
    /// The largest number of ANDs that follow one another.
    pub and_depth: u64,
    /// XOR gates.
    pub xor_count: u64,
    /// Bits of each party's inputs.
    pub input_bits: BTreeMap<String, u64>,
    /// Random bits.
    pub random_bits: u64,
    /// Bits of outputs; those for several parties count once.
    pub output_bits: u64,
}

/// Operations of one kind on one line of the source.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OperationReport {
    /// The domain in which they ran.
    pub domain: String,
    /// What they compute and how often.
    #[serde(flatten)]
    pub operation: OperationCount,
}

/// What a run was predicted to send.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PredictedRun {
    /// Products of two shared elements.
    pub products: u64,
    /// Opened elements; those for several parties count once.
    pub opened: u64,
    /// The smallest number of messages that follow one another.
    pub rounds: u64,
    /// Bytes of elements that this party sends to all others.
    pub payload_sent: u64,
    /// Bytes of elements that it receives.
    pub payload_received: u64,
    /// The same by sender, then by receiver.
    pub sent: BTreeMap<String, BTreeMap<String, u64>>,
}

/// Bytes of elements between this party and another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PeerBytes {
    /// Bytes sent to it.
    pub payload_sent: u64,
    /// Bytes received from it that were used.
    pub payload_received: u64,
}

impl Compiled {
    /// The report of `times` runs by a plan, with the measured traffic; lines of the program refer to the file `source`. This party is `me`, and `names` are
    /// those of all parties.
    ///
    /// Errors: the program is not valid.
    pub fn report(
        &self,
        (plan, program, source): (&Plan, &Program, Option<&str>),
        (me, names): (PartyIndex, &[String]),
        (times, traffic): (u64, &[PeerTraffic]),
    ) -> Result<RunReport, CompiledError> {
        let counts = WorkCounts::new(&self.schedule, plan.size());
        let domains = counts.domains(&self.schedule, plan.size());
        let operations = program.count_operations().map_err(tacit_lower::LowerError::from)?;
        let known = self.operation_domains(program, &domains)?;
        let in_domain = |operation| OperationReport {
            domain: domains_of(&operation, (&known, plan.size()), &domains),
            operation,
        };
        let bytes = |(name, traffic): (&String, &PeerTraffic)| {
            let bytes = PeerBytes { payload_sent: traffic.sent, payload_received: traffic.received };
            (name.clone(), bytes)
        };
        let peers = names.iter().zip(traffic).enumerate().filter(|(peer, _)| *peer != me);
        Ok(RunReport {
            program: program.name.clone(),
            program_hash: hex(plan.program_hash()),
            plan_hash: hex(plan.hash()),
            times,
            roles: plan.roles().iter().cloned().collect(),
            random_sharings: plan.randomness().describe(),
            effort: plan.effort(),
            source: source.map(str::to_owned),
            work: self.work(&counts, names),
            operations: operations.into_iter().map(in_domain).collect(),
            domains,
            predicted: predicted(plan, me, names),
            peers: peers.map(|(_, peer)| bytes(peer)).collect(),
        })
    }

    /// The domains of operations; none are known where all are the same, or the program was not lowered for this run.
    fn operation_domains(
        &self,
        program: &Program,
        domains: &[DomainWork],
    ) -> Result<OperationDomains, CompiledError> {
        match self.lowering {
            Some((options, pins)) if domains.len() > 1 => {
                let (pinned, options) = among(program, &options, pins);
                Ok(operation_domains(&pinned, &options)?)
            }
            _ => Ok(OperationDomains::new()),
        }
    }

    fn work(&self, counts: &WorkCounts, names: &[String]) -> RunWork {
        let stats = self.schedule.stats();
        RunWork {
            and_count: self.and_count(),
            and_depth: self.schedule.and_depth(),
            xor_count: stats.xor_count,
            input_bits: self.input_bits(names),
            random_bits: counts.random_bits,
            output_bits: stats.outputs,
        }
    }

    /// Bits of inputs that are used, by party.
    fn input_bits(&self, names: &[String]) -> BTreeMap<String, u64> {
        let main = &self.schedule.bodies[self.schedule.main];
        let mut by_party = BTreeMap::new();
        for step in &main.steps {
            if let Action::Input { port, bits, target, .. } = &step.action
                && let Some(name) =
                    self.inputs[*port as usize].giver.party().and_then(|party| names.get(party))
            {
                let lanes = main.bundles[target.index()].lanes;
                *by_party.entry(name.clone()).or_default() += u64::from(*bits) * lanes;
            }
        }
        by_party
    }
}

/// The domains in which an operation runs, of all that the program has.
fn domains_of(
    operation: &OperationCount,
    (known, size): (&OperationDomains, Size),
    all: &[DomainWork],
) -> String {
    let mut names: Vec<_> = match known.get(&(operation.line, &operation.kind[..])) {
        Some(domains) => domains.iter().map(|domain| domain_of(size, *domain).name()).collect(),
        // Gates of circuits, and applications of bodies, which may be in all domains.
        None => all.iter().map(|work| &work.domain[..]).collect(),
    };
    names.dedup();
    names.join(", ")
}

fn predicted(plan: &Plan, me: PartyIndex, names: &[String]) -> PredictedRun {
    let prediction = plan.prediction();
    // In a program with one role, the other computing parties have no names.
    let to = |(from, (name, sent)): (usize, (&String, &Vec<u64>))| {
        let others = names.iter().zip(sent).enumerate().filter(|(to, _)| *to != from);
        (name.clone(), others.map(|(_, (name, bytes))| (name.clone(), *bytes)).collect())
    };
    PredictedRun {
        products: prediction.products,
        opened: prediction.opened,
        rounds: prediction.rounds,
        payload_sent: prediction.bytes_sent(me),
        payload_received: prediction.bytes_received(me),
        sent: names.iter().zip(&prediction.sent).enumerate().map(to).collect(),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
