//! What runs with values in several domains cost.

use std::collections::HashSet;

use tacit_plan::{
    Event, Garbling, Material, MessageOrder, Plan, PlanError, Prediction, PricedRun, Recipients,
    SecurityParams, Traffic, TransferExtension,
};
use tacit_schedule::walk::{self, Pool, Task, Walker, Wires};
use tacit_schedule::{Consumed, Layout, Schedule, rules};
use tacit_twoparty::correlations::{self, Requirement};
use tacit_twoparty::domains::{CountedLayer, count, required};
use tacit_twoparty::he::{CiphertextCount, HeParameters};
use tacit_twoparty::transfers::Tally;
use tacit_twoparty::{Party, gmw, yao};

use super::constants::{MAX_MATERIAL_BYTES, MAX_READY_LABELS};
use super::{
    BLOCK, CountedChannel, CountedOts, INPUT_WINDOW, extension, he_parameters, table_bytes, windows,
};
use crate::drive::labels::random_batch;

/// Bytes between two flips of the direction when both parties send shares.
const SHARE_WINDOW: u64 = tacit_twoparty::SHARE_WINDOW as u64;

/// What a run with values in several domains sends. `tally` are the oblivious transfers that are there already.
pub(super) fn predict(
    run: PricedRun<'_>,
    random_bits: u64,
    security: &SecurityParams,
    tally: Tally,
) -> Result<Prediction, PlanError> {
    let mut ots = CountedOts { tally, extension: extension(run.transfers, security) };
    let walk = (run.schedule, run.layout);
    let needs = (run.messages, random_bits, security);
    let required = SetupRequirement::new(walk, needs, run.material, MAX_READY_LABELS)?;
    let mut setup = setup(run, &required, &mut ots)?;
    required.key(&mut setup, &mut ots.tally);
    Ok(Prediction { setup, online: online(run, random_bits, (&required, ots))? })
}

/// Why a plan whose steps cannot all be walked has no price.
fn uncountable(error: impl std::fmt::Display) -> PlanError {
    PlanError::Uncountable { reason: error.to_string() }
}

/// What a run sends online after such a setup.
pub(super) fn online(
    run: PricedRun<'_>,
    random_bits: u64,
    (required, ots): (&SetupRequirement<'_>, CountedOts),
) -> Result<Traffic, PlanError> {
    let sums = required.sums.iter().map(|sum| sum.first_id).collect();
    let (labels, shares) = Default::default();
    let mut channel =
        CountedChannels { labels, shares, ots, ready: required.labels as u64, sums, he: required.he };
    channel.walk(run, random_bits)?;
    Ok(channel.traffic())
}

/// Entries of a store, batch after batch, each confirmed by a byte each way.
pub(super) fn preparing(
    run: PricedRun<'_>,
    required: &SetupRequirement<'_>,
    ots: &mut CountedOts,
    (count, batch): (u64, u64),
) -> Result<Traffic, PlanError> {
    let mut sum = Traffic::default();
    for size in windows(count, batch) {
        for _ in 0..size {
            let one = setup(run, required, ots)?;
            sum.garbler_bytes += one.garbler_bytes;
            sum.evaluator_bytes += one.evaluator_bytes;
            sum.garbler_rounds += one.garbler_rounds;
            sum.evaluator_rounds += one.evaluator_rounds;
        }
        let Traffic { garbler_bytes, evaluator_bytes, garbler_rounds, evaluator_rounds } = &mut sum;
        [garbler_bytes, evaluator_bytes, garbler_rounds, evaluator_rounds].into_iter().for_each(|n| *n += 1);
    }
    Ok(sum)
}

/// What setup makes for a run of a plan, at most `most` labels of it.
pub(super) fn plan_requirement(plan: &Plan, most: u64) -> Result<SetupRequirement<'_>, PlanError> {
    let walk = (plan.schedule(), plan.layout());
    let needs = (plan.messages(), plan.work().random_bits, plan.security());
    SetupRequirement::new(walk, needs, plan.material(), most)
}

/// The setup of a run with values in several domains. Bytes are exact; rounds are within a few.
fn setup(
    run: PricedRun<'_>,
    required: &SetupRequirement<'_>,
    ots: &mut CountedOts,
) -> Result<Traffic, PlanError> {
    let SetupRequirement { pool: requirement, sums, .. } = required;
    let needed = requirement.kept_bytes();
    if needed > MAX_MATERIAL_BYTES {
        return Err(PlanError::Budget { what: "bytes of triples", needed, limit: MAX_MATERIAL_BYTES });
    }
    let price = requirement.price::<correlations::Ots>();
    let mut bytes = price.bytes;
    let mut rounds =
        price.flips + if run.transfers == TransferExtension::SoftSpoken { price.ot_flips } else { 0 };
    let mut add = |more: [u64; 2]| bytes = [0, 1].map(|i| bytes[i].saturating_add(more[i]));
    for sender in [Party::First, Party::Second] {
        rounds += u64::from(!ots.tally.has(ots.extension, sender));
        add(ots.tally.set_up(ots.extension, sender));
    }
    for (sender, count) in [Party::First, Party::Second].into_iter().zip(price.ots) {
        add(ots.tally.take(ots.extension, sender, count));
    }
    // The randomness that both know, the start of the hash, labels, and sums.
    add([BLOCK; 2]);
    add([BLOCK, 0]);
    let labels = required.labels as u64 + required.sum_wires();
    add(ots.tally.take(ots.extension, Party::First, labels));
    add([BLOCK * labels, 0]);
    sums.iter().for_each(|sum| add([table_bytes(run.garbling, sum.circuit, sum.instances), 0]));
    rounds += 1 + windows(labels, INPUT_WINDOW).count() as u64;
    let [garbler_bytes, evaluator_bytes] = bytes;
    Ok(Traffic { garbler_bytes, evaluator_bytes, garbler_rounds: rounds, evaluator_rounds: rounds })
}

/// What setup makes for a run with values in several domains.
pub(crate) struct SetupRequirement<'s> {
    /// For protocols on shares.
    pub pool: Requirement,
    /// Labels of random bits, of the evaluator's inputs and of its shares of what becomes labels.
    pub labels: usize,
    /// Sums that become labels, as far as they are garbled in setup.
    pub sums: Vec<yao::Region<'s>>,
    /// Ciphertexts that are sent online, whose randomness setup computes.
    pub ciphertexts: CiphertextCount,
    /// Their parameters.
    pub he: HeParameters,
}

impl<'s> SetupRequirement<'s> {
    /// Counts what a run takes, with at most `most` labels. What comparisons and shifts take depends on which of them are done together, and only the walk knows the
    /// ids of sums.
    ///
    /// # Errors
    /// [`PlanError::Uncountable`].
    pub fn new(
        (schedule, layout): (&'s Schedule, &'s Layout),
        (messages, random_bits, security): (&MessageOrder, u64, &SecurityParams),
        material: &Material,
        most: u64,
    ) -> Result<SetupRequirement<'s>, PlanError> {
        let mut required = SetupRequirement {
            pool: without_dialogues(material),
            labels: 0,
            sums: Vec::new(),
            ciphertexts: CiphertextCount::default(),
            he: he_parameters(security),
        };
        let dialogues = material.iter().any(|(kind, _)| {
            matches!(kind, Consumed::Comparison { .. } | Consumed::Shift { .. } | Consumed::Ciphertext)
        });
        let all_sums = material.count(Consumed::SumLabel);
        let (mut room, mut left, mut full) = (most, all_sums, false);
        let mut walker = Walker::<Pool<Wires<()>>>::new(schedule, layout);
        while dialogues || left > 0 && !full {
            let walk::Layer { tasks, opens } = walker.layer().map_err(uncountable)?;
            if tasks.is_empty() {
                break;
            }
            let mut layer = CountedLayer::default();
            for (task, _) in tasks {
                if opens {
                    count(&mut layer, &task);
                }
                walker.supply(written(task)).map_err(uncountable)?;
            }
            layer
                .dialogues()
                .map_err(uncountable)?
                .iter()
                .for_each(|cost| required.pool.add(&cost.requirement, 1));
            let (needed, limit) = (layer.widest_plaintext(), required.he.most_bits());
            if needed > limit {
                return Err(PlanError::Plaintext { needed, limit, level: security.level });
            }
            required.ciphertexts.add(layer.ciphertexts(&required.he).map_err(uncountable)?);
            for sum in layer.sums {
                left = left.saturating_sub(wires(sum));
                // Those that come after one for which there is no room are garbled online, too.
                full |= wires(sum) > room;
                if !full && sum.circuit.and_count > 0 {
                    room -= wires(sum);
                    required.sums.push(sum);
                }
            }
        }
        let inputs = messages.evaluator_inputs().flatten().map(|column| column.label_count());
        let labels =
            inputs.fold(random_bits.saturating_add(material.count(Consumed::Label)), u64::saturating_add);
        let later = all_sums.saturating_sub(required.sum_wires());
        required.labels = labels.saturating_add(later).min(room) as usize;
        Ok(required)
    }

    /// The session's key for encrypted words, if the run is the first that takes one.
    pub fn key(&self, setup: &mut Traffic, tally: &mut Tally) {
        if self.ciphertexts.is_empty() || tally.has_he_key() {
            return;
        }
        *tally = tally.with_he_key(true);
        setup.evaluator_bytes += self.he.key_bytes();
        setup.evaluator_rounds += 1;
    }

    /// Labels of all sums that are garbled in setup.
    fn sum_wires(&self) -> u64 {
        self.sums.iter().map(|sum| wires(*sum)).sum()
    }
}

/// Labels of a sum.
fn wires(sum: yao::Region<'_>) -> u64 {
    sum.instances.saturating_mul(sum.circuit.outputs.len() as u64)
}

/// What setup makes for anything but comparisons and shifts of words, which take several messages.
pub(crate) fn without_dialogues(material: &Material) -> Requirement {
    let mut requirement = Requirement::default();
    material.iter().for_each(|(kind, count)| required(&mut requirement, kind, count));
    requirement
}

/// What a run with values in several domains sends online, by walking it without values. Bytes are exact; rounds
/// are those of shares and of the evaluator's inputs, which may overlap.
struct CountedChannels {
    labels: CountedChannel,
    shares: CountedChannel,
    ots: CountedOts,
    /// Labels that setup has made and nothing has used yet.
    ready: u64,
    /// The ids of sums that setup has garbled.
    sums: HashSet<u64>,
    he: HeParameters,
}

impl CountedChannels {
    fn walk(&mut self, run: PricedRun<'_>, random_bits: u64) -> Result<(), PlanError> {
        let mut left = random_bits;
        while left > 0 {
            let batch = random_batch(left);
            self.labels(batch, false);
            left -= batch;
        }
        for event in &run.messages.events {
            match event {
                Event::GarblerInput(column) => self.labels.garbler_sends(BLOCK * column.label_count()),
                Event::EvaluatorInputs(batch) => {
                    let count = batch.iter().map(|column| column.label_count()).sum();
                    self.labels(count, true);
                }
                Event::Gates(_) | Event::Reveal(_) => {}
            }
        }
        let mut walker = Walker::<Pool<Wires<()>>>::new(run.schedule, run.layout);
        let mut opened = [0u64; 4];
        loop {
            let walk::Layer { tasks, opens } = walker.layer().map_err(uncountable)?;
            if tasks.is_empty() {
                break;
            }
            let mut layer = CountedLayer::default();
            for (task, _) in tasks {
                if let Task::Output { port, bundle, .. } = &task {
                    for who in
                        Recipients::ALL.into_iter().filter(|who| who.receive(run.program, *port, run.parties))
                    {
                        opened[who as usize] += u64::from(bundle.bits) * bundle.lanes;
                    }
                }
                if let Task::Circuit(task) = &task
                    && rules(task.domain).is_garbled()
                {
                    self.labels.garbler_sends(table_bytes(run.garbling, task.circuit, task.instances));
                }
                if opens {
                    count(&mut layer, &task);
                }
                walker.supply(written(task)).map_err(uncountable)?;
            }
            self.layer(&layer, run.garbling)?;
        }
        for who in Recipients::ALL {
            let bytes = opened[who as usize].div_ceil(8);
            match who {
                Recipients::Nobody => {}
                _ if bytes == 0 => {}
                Recipients::Both => self.both(bytes),
                Recipients::Evaluator => self.shares.garbler_sends(bytes),
                Recipients::Garbler => self.shares.evaluator_sends(bytes),
            }
        }
        Ok(())
    }

    /// Labels of bits that only the evaluator knows, first those that setup has made.
    fn labels(&mut self, count: u64, corrected: bool) {
        let ready = count.min(self.ready);
        self.ready -= ready;
        if corrected && ready > 0 {
            self.labels.evaluator_sends(ready.div_ceil(8));
        }
        self.labels.labels(count - ready, &mut self.ots, corrected);
    }

    /// The messages of operations that are done together.
    fn layer(&mut self, layer: &CountedLayer<'_>, garbling: Garbling) -> Result<(), PlanError> {
        let ready = |sum: &&yao::Region<'_>| sum.circuit.and_count > 0 && self.sums.contains(&sum.first_id);
        let (ready, garbled): (Vec<_>, Vec<_>) = layer.sums.iter().partition(ready);
        let all = |sums: &[&yao::Region<'_>]| sums.iter().map(|sum| wires(**sum)).sum::<u64>();
        let (ready_wires, addends) = (all(&ready), all(&garbled));
        if addends > 0 {
            self.labels.garbler_sends(BLOCK * addends);
        }
        if layer.labels + addends > 0 {
            self.labels(layer.labels + addends, true);
        }
        if ready_wires > 0 {
            self.labels.evaluator_sends(ready_wires.div_ceil(8));
            self.labels.garbler_sends(BLOCK * (ready_wires + ready.len() as u64));
        }
        let tables = garbled.iter().map(|sum| table_bytes(garbling, sum.circuit, sum.instances)).sum();
        if tables > 0 {
            self.labels.garbler_sends(tables);
        }
        let mut messages = gmw::message_bits(&layer.circuits);
        match messages.first_mut() {
            Some(first) => *first += layer.words,
            None => messages.push(layer.words),
        }
        messages.into_iter().filter(|bits| *bits > 0).for_each(|bits| self.both_bits(bits));
        for cost in layer.dialogues().map_err(uncountable)? {
            let ends = [&mut self.shares.garbler, &mut self.shares.evaluator];
            for (end, bytes) in ends.into_iter().zip(cost.bytes) {
                end.bytes += bytes;
                end.rounds += cost.rounds;
            }
        }
        self.ciphertexts(layer.ciphertexts(&self.he).map_err(uncountable)?);
        Ok(())
    }

    /// Encrypted words and masked ones cross.
    fn ciphertexts(&mut self, count: CiphertextCount) {
        let [garbler, evaluator] = count.bytes(&self.he);
        for start in (0..garbler.max(evaluator)).step_by(SHARE_WINDOW as usize) {
            let window = |bytes: u64| bytes.saturating_sub(start).min(SHARE_WINDOW);
            self.shares.garbler.send(window(garbler));
            self.shares.evaluator.send(window(evaluator));
            self.shares.garbler.receive();
            self.shares.evaluator.receive();
        }
    }

    fn both_bits(&mut self, bits: u64) {
        self.both(bits.div_ceil(8));
    }

    /// Both parties send, window by window.
    fn both(&mut self, bytes: u64) {
        for window in windows(bytes, SHARE_WINDOW) {
            self.shares.garbler.send(window);
            self.shares.evaluator.send(window);
            self.shares.garbler.receive();
            self.shares.evaluator.receive();
        }
    }

    fn traffic(&self) -> Traffic {
        let (labels, shares) = (self.labels.traffic(), self.shares.traffic());
        Traffic {
            garbler_bytes: labels.garbler_bytes + shares.garbler_bytes,
            evaluator_bytes: labels.evaluator_bytes + shares.evaluator_bytes,
            garbler_rounds: labels.garbler_rounds + shares.garbler_rounds,
            evaluator_rounds: labels.evaluator_rounds + shares.evaluator_rounds,
        }
    }
}

/// The targets of a task.
fn written(task: Task<'_, Wires<()>>) -> Vec<Wires<()>> {
    match task {
        Task::Output { .. } => Vec::new(),
        Task::Input { target, .. } | Task::Random { target, .. } | Task::Constant { target, .. } => {
            vec![target]
        }
        Task::Kernel(task) => task.targets,
        Task::Circuit(task) => task.targets.into_iter().map(|target| target.wires).collect(),
    }
}

#[cfg(test)]
mod tests {
    use tacit_ir::{Builder, Domain, Shape};
    use tacit_plan::{DomainChoice, PlanOptions};

    use super::*;

    /// Where a walk failed, what setup would make and what the run would send counted as nothing.
    #[test]
    fn what_cannot_be_walked_has_no_price() {
        let word = || Shape::Integer { bits: 32, signed: false };
        let mut builder = Builder::new("less");
        let roles = [builder.role("A"), builder.role("B")];
        let inputs = roles.map(|role| builder.input("x", role, word()).unwrap());
        let output =
            builder.output("less", roles.to_vec(), Shape::Integer { bits: 1, signed: false }).unwrap();
        let mut main = builder.template("main", vec![]);
        let [x, y] = inputs.map(|port| main.input(&builder, port).unwrap()[0]);
        let less = main.lt_u(x, y).unwrap();
        main.output(&builder, output, &[less]).unwrap();
        let program = builder.finish(main).unwrap();
        let options = PlanOptions { domain: DomainChoice::In(Domain::Bool), ..PlanOptions::default() };
        let plan = crate::plan(&program, &options).unwrap();
        let mut schedule = plan.schedule().clone();
        let main = schedule.main;
        schedule.bodies[main].steps.remove(0);
        let run = |schedule| PricedRun {
            program: &program,
            parties: plan.parties(),
            schedule,
            layout: plan.layout(),
            messages: plan.messages(),
            material: plan.material(),
            garbling: plan.garbling(),
            transfers: plan.transfers(),
        };
        let tally = || Tally::new(super::super::softspoken(plan.security()));
        assert!(predict(run(plan.schedule()), 0, plan.security(), tally()).is_ok());
        let error = predict(run(&schedule), 0, plan.security(), tally()).unwrap_err();
        assert!(matches!(error, PlanError::Uncountable { .. }), "{error}");
    }
}
