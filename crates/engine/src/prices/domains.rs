//! Costs of runs with values in several domains.

use std::collections::{BTreeSet, HashSet};

use tacit_circuit::Executable;
use tacit_plan::{Column, Material, Named, PlanError, PricedRun, Recipients, Side};
use tacit_schedule::walk::{self, Pool, Task, WalkError, Walker, Wires};
use tacit_schedule::{Computing, Consumed, Tally, Unit, label_work, rules};
use tacit_twoparty::correlations::{self, MatrixShape, OnlineMatrices, Requirement};
use tacit_twoparty::domains::{self, CountedLayer, count};
use tacit_twoparty::he::{CiphertextCount, HeParameters, StoredEncryption};
use tacit_twoparty::{Dialogue, Party, ShareError, gmw, yao};

use super::constants::MAX_MATERIAL_BYTES;
use super::garbled::garbling;
use super::lattices::split;
use super::streams::{StreamDialogues, Streams, labels, reveal_shares};
use super::{BLOCK, he_parameters, table_bytes};
use crate::drive::labels::random_batch;

/// Why the messages of operations on words cannot be counted.
fn uncountable(error: ShareError) -> PlanError {
    match error {
        ShareError::Width { bits } => PlanError::ShiftWidth { bits },
        // No other sizes are refused.
        _ => WalkError::Domain.into(),
    }
}

/// What the setup of a run sends.
///
/// # Errors
/// [`PlanError::Budget`].
pub(super) fn setup(
    run: PricedRun<'_>,
    required: &SetupRequirement<'_>,
) -> Result<StreamDialogues, PlanError> {
    let StreamDialogues { labels, shares } = start();
    Ok(StreamDialogues { labels: labels.then(made(run, required)?), shares })
}

/// What setup sends on the stream of labels after transfers are set up.
///
/// # Errors
/// [`PlanError::Budget`].
pub(super) fn made(run: PricedRun<'_>, required: &SetupRequirement<'_>) -> Result<Dialogue, PlanError> {
    let needed = required.pool.kept_bytes();
    if needed > MAX_MATERIAL_BYTES {
        return Err(PlanError::Budget { what: "bytes of triples", needed, limit: MAX_MATERIAL_BYTES });
    }
    // The material of shares, the start of the hash, labels, and sums.
    let tables: u64 =
        required.sums.iter().map(|sum| table_bytes(run.garbling, sum.circuit, sum.instances)).sum();
    let (by_transfers, matrices, words) = split(&required.pool, run.lattices);
    let all = Dialogue::default()
        .then(by_transfers.price::<correlations::Ots>())
        .then(matrices.price())
        .then(words.price())
        .then(OnlineMatrices::meeting(&required.online))
        .send(Party::First, BLOCK)
        .then(labels(required.labels as u64 + required.sum_wires(), false));
    let garbled = required.sums.iter().map(|sum| sum.circuit.and_count.saturating_mul(sum.instances));
    let [garbled, _] = garbling(run.garbling, garbled.fold(0, u64::saturating_add));
    Ok(if tables > 0 { all.stream(tables, [garbled, Computing::default()]) } else { all })
}

/// The beginning of every setup.
pub(super) fn start() -> StreamDialogues {
    let labels = Dialogue::default().set_up(Party::First).set_up(Party::Second);
    // The common randomness.
    StreamDialogues { labels, shares: Dialogue::default().announce([BLOCK; 2]) }
}

/// Selects what is counted of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counted {
    /// Everything.
    Whole,
    /// Everything except inputs, random values, constants and outputs.
    Within,
}

/// Counts what a run sends online after this setup, by walking it without values.
///
/// # Errors
/// [`PlanError::Uncountable`].
pub(super) fn online(
    run: PricedRun<'_>,
    required: &SetupRequirement<'_>,
    counted: Counted,
    streams: &mut Streams,
) -> Result<(), PlanError> {
    let mut walk = CountedRun {
        run,
        streams,
        ready: required.labels as u64,
        sums: required.sums.iter().map(|sum| sum.first_id).collect(),
        random: Fetched { left: run.random_bits, ready: 0 },
        batches: run.messages.evaluator_inputs().collect::<Vec<_>>().into_iter(),
        inputs: 0,
        opened: [0; 4],
        he: required.he,
        online: &required.online,
    };
    walk.prefetch();
    let gathered = run.label_work.count(Unit::LabelGathered);
    walk.streams.compute(&Computing::of(Unit::LabelGathered, gathered));
    let mut walker = Walker::<Pool<Wires<()>>>::new(run.schedule, run.layout);
    loop {
        let walk::Layer { tasks, opens } = walker.layer()?;
        if tasks.is_empty() {
            break;
        }
        let mut layer = CountedLayer::default();
        for (task, _) in tasks {
            if counted == Counted::Within && !matches!(task, Task::Kernel(_) | Task::Circuit(_)) {
                walker.supply(written(task))?;
                continue;
            }
            walk.streams.compute(&domains::computing(&task));
            match opens {
                true => count(&mut layer, &task),
                false => walk.task(&task),
            }
            walker.supply(written(task))?;
        }
        walk.layer(&layer)?;
    }
    walk.reveal();
    Ok(())
}

/// The material that setup makes for a run with values in several domains.
pub(crate) struct SetupRequirement<'s> {
    /// For protocols on shares.
    pub pool: Requirement,
    /// Labels of random bits, of the evaluator's inputs and of its shares of values that become labels.
    pub labels: usize,
    /// Sums that become labels, as far as they are garbled in setup.
    pub sums: Vec<yao::Region<'s>>,
    /// Ciphertexts that are sent online, whose randomness setup computes.
    pub ciphertexts: CiphertextCount,
    /// The randomness of compared bits, of the second and of the first party.
    pub compared_bits: [u64; 2],
    /// Their parameters.
    pub he: HeParameters,
    /// Matrices that lattices multiply online, for which the pool has no triples.
    pub online: BTreeSet<MatrixShape>,
}

impl<'s> SetupRequirement<'s> {
    /// Counts the material of a run, with at most `most` labels; a run from a store takes triples for all products. The material of comparisons and shifts depends on which of them run together, and only the walk
    /// knows the ids of sums.
    ///
    /// # Errors
    /// [`PlanError::Uncountable`], [`PlanError::ShiftWidth`], [`PlanError::Plaintext`].
    pub fn new(run: PricedRun<'s>, most: u64, is_stored: bool) -> Result<SetupRequirement<'s>, PlanError> {
        let PricedRun { schedule, layout, messages, material, random_bits, security, lattices, .. } = run;
        let made = if is_stored { material.clone() } else { material.without(&lattices.online) };
        let online = if is_stored { BTreeSet::new() } else { super::lattices::online(lattices) };
        let mut required = SetupRequirement {
            pool: without_dialogues(&made),
            labels: 0,
            sums: Vec::new(),
            ciphertexts: CiphertextCount::default(),
            compared_bits: [0; 2],
            he: he_parameters(security),
            online,
        };
        let dialogues = material.iter().any(|(kind, _)| {
            matches!(kind, Consumed::Comparison { .. } | Consumed::Shift { .. } | Consumed::Ciphertext)
        });
        let all_sums = material.count(Consumed::SumLabel);
        let (mut room, mut left, mut full) = (most, all_sums, false);
        let mut walker = Walker::<Pool<Wires<()>>>::new(schedule, layout);
        while dialogues || left > 0 && !full {
            let walk::Layer { tasks, opens } = walker.layer()?;
            if tasks.is_empty() {
                break;
            }
            let mut layer = CountedLayer::default();
            let limit = required.he.most_bits();
            let plaintext = |needed: u32| match needed <= limit {
                true => Ok(()),
                false => Err(PlanError::Plaintext { needed, limit, level: security.level.name() }),
            };
            for (task, _) in tasks {
                if opens {
                    count(&mut layer, &task);
                }
                if let Task::Kernel(task) = &task {
                    // Values that are lifted before decryption need room as well.
                    plaintext(task.kernel.rules().lift().map_or(0, |lift| lift.saturating_add(1)))?;
                }
                walker.supply(written(task))?;
            }
            layer
                .dialogues()
                .map_err(uncountable)?
                .iter()
                .for_each(|cost| required.pool.add(&cost.requirement, 1));
            plaintext(layer.widest_plaintext(&required.he))?;
            required.ciphertexts.add(layer.ciphertexts(&required.he).map_err(uncountable)?);
            let compared = layer.compared_bits(&required.he).map_err(uncountable)?;
            required.compared_bits = [0, 1].map(|i| required.compared_bits[i].saturating_add(compared[i]));
            for sum in layer.sums {
                left = left.saturating_sub(wires(sum));
                // All sums after one that has no room are garbled online, too.
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

    /// Bytes of the keys for encrypted words and for comparisons of these; `None` for keys that are not
    /// needed.
    ///
    /// # Errors
    /// None for the sizes of sessions.
    fn key_bytes(&self) -> Result<[Option<u64>; 2], PlanError> {
        let words = (!self.ciphertexts.is_empty()).then(|| self.he.key_bytes());
        let compares = words.is_some() && self.compared_bits != [0; 2];
        let comparisons = compares.then(|| self.he.comparison_key_bytes()).transpose();
        Ok([words, comparisons.map_err(|error| uncountable(error.into()))?])
    }

    /// The session's keys for encrypted words, if this is the first run that needs them.
    ///
    /// # Errors
    /// None for the sizes of sessions.
    pub fn keys(&self) -> Result<Dialogue, PlanError> {
        let [words, comparisons] = self.key_bytes()?;
        let keys = words.map_or_else(Dialogue::default, |bytes| Dialogue::default().encryption_key(bytes));
        Ok(match comparisons {
            Some(bytes) => keys.comparison_key(bytes),
            None => keys,
        })
    }

    /// The keys for encrypted words of each entry of a store.
    ///
    /// # Errors
    /// None for the sizes of sessions.
    pub fn entry_keys(&self) -> Result<Dialogue, PlanError> {
        let keys = self.key_bytes()?.into_iter().flatten();
        Ok(keys.map(|bytes| Dialogue::default().send(Party::Second, bytes)).sum())
    }

    /// The material of the encrypted words of a run from a store, if there are any.
    pub fn stored_encryption(&self) -> Option<StoredEncryption> {
        let SetupRequirement { he: parameters, ciphertexts, compared_bits, .. } = *self;
        let stored = StoredEncryption { parameters, ciphertexts, compared_bits };
        (!ciphertexts.is_empty()).then_some(stored)
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

/// The material that setup makes for everything except comparisons and shifts of words, which take several
/// messages.
pub(crate) fn without_dialogues(material: &Material) -> Requirement {
    let mut requirement = Requirement::default();
    material.iter().for_each(|(kind, count)| requirement.consume(kind, count));
    requirement
}

/// A run that is walked without values.
struct CountedRun<'a> {
    run: PricedRun<'a>,
    streams: &'a mut Streams,
    /// Labels that setup has made and that are not used yet.
    ready: u64,
    /// The ids of sums that setup has garbled.
    sums: HashSet<u64>,
    random: Fetched,
    /// Batches of the evaluator's inputs that are not yet fetched.
    batches: std::vec::IntoIter<&'a [Column]>,
    /// Labels of inputs that were fetched together.
    inputs: u64,
    /// Bits that are opened at the end, by [`Recipients`].
    opened: [u64; 4],
    he: HeParameters,
    online: &'a BTreeSet<MatrixShape>,
}

/// Labels of random bits.
struct Fetched {
    /// Bits not yet fetched.
    left: u64,
    /// Labels not yet taken.
    ready: u64,
}

impl CountedRun<'_> {
    /// Counts a task that is not opened together with others.
    fn task(&mut self, task: &Task<'_, Wires<()>>) {
        match task {
            Task::Output { port, bundle, .. } => {
                let PricedRun { program, parties, .. } = self.run;
                let who = Recipients::ALL.into_iter().filter(|who| who.receive(program, *port, parties));
                who.for_each(|who| self.opened[who as usize] += u64::from(bundle.bits) * bundle.lanes);
            }
            Task::Input { port, bundle, target, .. } if bundle.rules().is_garbled() => {
                self.input(*port, target.len() as u64);
            }
            Task::Random { bundle, target } if bundle.rules().is_garbled() => {
                self.random(target.len() as u64)
            }
            Task::Circuit(task) if rules(task.domain).is_garbled() => {
                self.garbled([(task.circuit, task.instances)]);
            }
            // Others send nothing.
            _ => {}
        }
    }

    /// Labels of a column of inputs, from the party that gives it or from both.
    fn input(&mut self, port: u32, count: u64) {
        let PricedRun { program, parties, .. } = self.run;
        let giver = parties.side(program.inputs[port as usize].role);
        if giver != Some(Side::Evaluator) {
            self.streams.labels(&Dialogue::default().send(Party::First, BLOCK * count));
        }
        if giver != Some(Side::Garbler) {
            if self.inputs < count {
                let batch = self.batches.next().unwrap_or_default();
                self.inputs = batch.iter().map(|column| column.label_count()).sum();
                self.labels(self.inputs, true);
            }
            self.inputs = self.inputs.saturating_sub(count);
        }
    }

    fn random(&mut self, mut count: u64) {
        while count > 0 && self.random.ready + self.random.left > 0 {
            if self.random.ready == 0 {
                self.prefetch();
            }
            let now = count.min(self.random.ready);
            self.random.ready -= now;
            count -= now;
        }
    }

    /// Counts the next batch of random bits.
    fn prefetch(&mut self) {
        let batch = random_batch(self.random.left);
        self.labels(batch, false);
        self.random = Fetched { left: self.random.left - batch, ready: batch };
    }

    /// Counts labels of bits that only the evaluator knows, first those that setup has made.
    fn labels(&mut self, count: u64, corrected: bool) {
        let ready = count.min(self.ready);
        self.ready -= ready;
        if corrected && ready > 0 {
            self.streams.labels(&Dialogue::default().send(Party::Second, ready.div_ceil(8)));
        }
        self.streams.labels(&labels(count - ready, corrected));
    }

    /// Counts circuits whose tables are sent while they are evaluated, each over this many instances.
    fn garbled<'c>(&mut self, circuits: impl IntoIterator<Item = (&'c Executable, u64)>) {
        let scheme = self.run.garbling;
        let (mut bytes, mut computing) = (0u64, [Computing::default(); 2]);
        for (circuit, instances) in circuits {
            bytes = bytes.saturating_add(table_bytes(scheme, circuit, instances));
            let ands = garbling(scheme, circuit.and_count.saturating_mul(instances));
            let on_labels = label_work(circuit, instances);
            computing.iter_mut().zip(ands).for_each(|(all, ands)| {
                all.add(&ands, 1);
                all.add(&on_labels, 1);
            });
        }
        self.streams.labels(&Dialogue::default().stream(bytes, computing));
    }

    /// Counts the messages of operations that run together.
    fn layer(&mut self, layer: &CountedLayer<'_>) -> Result<(), PlanError> {
        self.sums(layer);
        let mut messages = gmw::message_bits(&layer.circuits);
        let words = layer.opened_words(self.online);
        match messages.first_mut() {
            Some(first) => *first += words,
            None => messages.push(words),
        }
        let exchange = |bits: u64| Dialogue::default().exchange([bits.div_ceil(8); 2]);
        self.streams.shares(&messages.into_iter().map(exchange).sum());
        self.streams.shares(&layer.online_matrices(self.online));
        let dialogues = layer.dialogues().map_err(uncountable)?;
        dialogues.iter().for_each(|cost| self.streams.shares(&cost.dialogue));
        self.streams.shares(&layer.encrypted_messages(&self.he).map_err(uncountable)?);
        Ok(())
    }

    /// Counts shares that become labels, as [`tacit_twoparty::convert::to_labels`] converts them.
    fn sums(&mut self, layer: &CountedLayer<'_>) {
        let ready = |sum: &&yao::Region<'_>| sum.circuit.and_count > 0 && self.sums.contains(&sum.first_id);
        let (ready, garbled): (Vec<_>, Vec<_>) = layer.sums.iter().partition(ready);
        let all = |sums: &[&yao::Region<'_>]| sums.iter().map(|sum| wires(**sum)).sum::<u64>();
        let (ready_wires, addends) = (all(&ready), all(&garbled));
        if addends > 0 {
            self.streams.labels(&Dialogue::default().send(Party::First, BLOCK * addends));
        }
        if layer.labels + addends > 0 {
            self.labels(layer.labels + addends, true);
        }
        if ready_wires > 0 {
            let added = Dialogue::default()
                .send(Party::Second, ready_wires.div_ceil(8))
                .send(Party::First, BLOCK * (ready_wires + ready.len() as u64));
            self.streams.labels(&added);
        }
        self.garbled(garbled.into_iter().map(|sum| (sum.circuit, sum.instances)));
    }

    /// Counts all outputs, those of the same recipients together.
    fn reveal(&mut self) {
        let of = |who: Recipients| reveal_shares(who, self.opened[who as usize]);
        let all: Dialogue = Recipients::ALL.into_iter().map(of).sum();
        self.streams.shares(&all);
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
    use tacit_twoparty::transfers::Tally;

    use super::*;
    use crate::prices::{RunKind, predict_run, softspoken};

    /// Checks a walk that fails: otherwise setup and messages would be counted as nothing.
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
        let tally = || Tally::new(softspoken(plan.security()));
        assert!(predict_run(plan.priced(&program), RunKind::Whole, tally()).is_ok());
        let run = PricedRun { schedule: &schedule, ..plan.priced(&program) };
        let error = predict_run(run, RunKind::Whole, tally()).unwrap_err();
        assert!(matches!(error, PlanError::Uncountable(WalkError::Unwritten)), "{error}");
    }
}
