//! Checks that a schedule follows its rules.

use tacit_ir::{Index, MAX_LANES};

use crate::bundle::Bundle;
use crate::kernel::Site;
use crate::rules::{Checked, require};
use crate::schedule::{Action, Body, BundleId, Operand, Schedule};

/// A schedule that violates a rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("body {body}, step {step}: {reason}")]
pub struct ScheduleError {
    /// The body.
    pub body: usize,
    /// The step, or the number of steps where the body as a whole is at fault.
    pub step: usize,
    /// The rule.
    pub reason: &'static str,
}

impl Schedule {
    /// Checks every rule that a walk relies on: everything named exists, every bundle is written once and
    /// before it is read, types fit, bodies apply only earlier bodies, AND counts are right. Linear time.
    ///
    /// Errors: the first violated rule.
    pub fn validate(&self) -> Result<(), ScheduleError> {
        for (number, body) in self.bodies.iter().enumerate() {
            let error = |step| move |reason| ScheduleError { body: number, step, reason };
            let mut checker =
                Checker { schedule: self, number, body, written: vec![false; body.bundles.len()] };
            checker.begin().map_err(error(0))?;
            let mut ands = 0u64;
            for (index, step) in body.steps.iter().enumerate() {
                let here = error(index);
                require(step.and_base == ands, "ANDs are numbered from another base").map_err(here)?;
                checker.step(&step.action).map_err(here)?;
                let count = Schedule::and_count_of(&self.circuits, &self.bodies, &step.action);
                ands =
                    count.and_then(|count| count.checked_add(ands)).ok_or("too many ANDs").map_err(here)?;
            }
            let end = error(body.steps.len());
            require(ands == body.and_count, "the body has another number of ANDs").map_err(end)?;
            checker.read_all(&body.results).map_err(end)?;
        }
        let main =
            self.bodies.get(self.main).filter(|main| main.parameters.is_empty() && main.results.is_empty());
        let reason = "main is missing, or has parameters or results";
        main.map(drop).ok_or(ScheduleError { body: self.main, step: 0, reason })
    }
}

struct Checker<'a> {
    schedule: &'a Schedule,
    number: usize,
    body: &'a Body,
    written: Vec<bool>,
}

impl Checker<'_> {
    fn begin(&mut self) -> Checked {
        let sound = |bundle: &Bundle| {
            let narrow = bundle.bits <= bundle.rules().max_bits();
            bundle.bits > 0 && narrow && (1..=MAX_LANES).contains(&bundle.lanes)
        };
        require(self.body.bundles.iter().all(sound), "a bundle has no bits, no lanes or too many")?;
        let crossing = self.body.parameters.iter().chain(&self.body.results);
        let crossing = crossing.filter_map(|id| self.body.bundles.get(id.index()));
        let known = !crossing.map(Bundle::rules).any(|rules| rules.is_encrypted());
        require(known, "a body takes or gives encrypted words, whose size is unknown")?;
        self.body.parameters.iter().try_for_each(|parameter| self.write(*parameter))
    }

    fn write(&mut self, bundle: BundleId) -> Checked {
        let written = self.written.get_mut(bundle.index()).ok_or("there is no such bundle")?;
        require(!std::mem::replace(written, true), "a bundle is written twice")
    }

    fn read(&self, bundle: BundleId) -> Result<Bundle, &'static str> {
        let written = self.written.get(bundle.index()).ok_or("there is no such bundle")?;
        require(*written, "a bundle is read before it is written")?;
        Ok(self.bundle(bundle))
    }

    fn read_all(&self, bundles: &[BundleId]) -> Checked {
        bundles.iter().try_for_each(|bundle| self.read(*bundle).map(drop))
    }

    /// The type of a bundle that exists.
    fn bundle(&self, bundle: BundleId) -> Bundle {
        self.body.bundles[bundle.index()]
    }

    fn step(&mut self, action: &Action) -> Checked {
        let mut sources = Ok(());
        action.for_each_source(|bundle| {
            if let Err(reason) = self.read(bundle) {
                sources = Err(reason);
            }
        });
        sources?;
        action.targets().iter().try_for_each(|target| self.write(*target))?;
        match action {
            Action::Output { .. } => self.only_main(),
            Action::Input { bits, signed, target, .. } => {
                let target = self.bundle(*target);
                let fits = match target.rules().is_of_words() {
                    true => (1..=target.bits).contains(bits),
                    false => *bits == target.bits && !signed,
                };
                require(fits, "an input has another type")?;
                self.only_main()
            }
            Action::Kernel { kernel, inputs, targets } => {
                let [inputs, targets] =
                    [inputs, targets].map(|all| all.iter().map(|id| self.bundle(*id)).collect::<Vec<_>>());
                let site = Site { inputs: &inputs, targets: &targets };
                kernel.rules().check(site, &self.schedule.circuits)
            }
            Action::Random { .. } => Ok(()),
            Action::Constant { words, target } => {
                let bundle = self.bundle(*target);
                require(
                    (words.bits(), words.lanes()) == (bundle.bits, bundle.lanes),
                    "a constant has another type",
                )
            }
            Action::Gather { source, positions, target } => self.gather(*source, positions, *target),
            Action::Join { sources, target } => self.join(sources, *target),
            Action::Circuit { circuit, lanes, inputs, outputs } => {
                self.circuit(*circuit, *lanes, inputs, outputs)
            }
            Action::Call { body, arguments, results } => self.apply(*body, 1, arguments, results),
            Action::Map { body, lanes, arguments, results } => self.apply(*body, *lanes, arguments, results),
            Action::Iterate { body, count, carried, invariant, sliced, results } => {
                self.iterate(*body, *count, [carried, invariant, sliced], results)
            }
        }
    }

    fn only_main(&self) -> Checked {
        require(self.number == self.schedule.main, "only main has inputs and outputs")
    }

    fn gather(&self, source: BundleId, positions: &Index, target: BundleId) -> Checked {
        let (source, target) = (self.bundle(source), self.bundle(target));
        let fits = source.is_like(target) && positions.lanes(source.lanes) == target.lanes;
        require(fits, "a gather has another type")?;
        let within = match positions {
            Index::List(list) => list.iter().all(|position| u64::from(*position) < source.lanes),
            Index::Range { start, step, count } => {
                let last = i128::from(*start) + i128::from(*step) * (i128::from(*count) - 1);
                [i128::from(*start), last]
                    .iter()
                    .all(|position| (0..i128::from(source.lanes)).contains(position))
            }
            Index::Repeat { .. } => true,
        };
        require(within, "a gather reads beyond its source")
    }

    fn join(&self, sources: &[BundleId], target: BundleId) -> Checked {
        let target = self.bundle(target);
        let lanes = sources.iter().fold(0u64, |sum, source| sum.saturating_add(self.bundle(*source).lanes));
        let bits = sources.iter().all(|source| self.bundle(*source).is_like(target));
        require(bits && lanes == target.lanes, "a join has another type")
    }

    fn circuit(&self, circuit: u32, lanes: u64, inputs: &[Operand], outputs: &[BundleId]) -> Checked {
        let circuit = self.schedule.circuits.get(circuit as usize).ok_or("there is no such circuit")?;
        require(lanes > 0, "a circuit runs over no lanes")?;
        let all = inputs.iter().map(|input| input.bundle).chain(outputs.iter().copied());
        let first = outputs.first().map(|output| self.bundle(*output)).ok_or("a circuit has no outputs")?;
        let mut domains = all.map(|id| self.bundle(id).domain);
        let rules = first.rules();
        require(
            rules.circuits.is_some() && domains.all(|other| other == first.domain),
            "a circuit is of several domains",
        )?;
        let fits = rules.is_layered() || circuit.conjunctions().is_empty();
        require(fits, "a circuit that is garbled has ANDs of more than two operands")?;
        let width = |bundle: Bundle, broadcast: bool| match broadcast {
            true => Some(bundle.lanes.saturating_mul(bundle.bits.into())),
            false => {
                bundle.lanes.is_multiple_of(lanes).then(|| bundle.lanes / lanes * u64::from(bundle.bits))
            }
        };
        let add = |sum: Option<u64>, width: Option<u64>| sum?.checked_add(width?);
        let taken = inputs.iter().map(|operand| width(self.bundle(operand.bundle), operand.broadcast));
        require(taken.fold(Some(0), add) == Some(circuit.inputs.len() as u64), "a circuit has other inputs")?;
        let given = outputs.iter().map(|bundle| width(self.bundle(*bundle), false));
        require(given.fold(Some(0), add) == Some(circuit.outputs.len() as u64), "a circuit has other outputs")
    }

    /// The body applied, which must come before this one.
    fn applied(&self, body: u32) -> Result<&Body, &'static str> {
        let before = &self.schedule.bodies[..self.number];
        before.get(body as usize).ok_or("a body applies a body that is not before it")
    }

    /// Checks that bundles are those of an applied body, with `times` its lanes.
    fn fit(&self, outer: &[BundleId], body: &Body, inner: &[BundleId], times: u64) -> Checked {
        let pair = |(outer, inner): (&BundleId, &BundleId)| {
            let (outer, inner) = (self.bundle(*outer), body.bundles.get(inner.index()));
            inner.is_some_and(|inner| {
                outer.is_like(*inner) && Some(outer.lanes) == inner.lanes.checked_mul(times)
            })
        };
        let fits = outer.len() == inner.len() && outer.iter().zip(inner).all(pair);
        require(fits, "arguments or results have other types")
    }

    fn apply(&self, body: u32, lanes: u64, arguments: &[BundleId], results: &[BundleId]) -> Checked {
        let body = self.applied(body)?;
        self.fit(arguments, body, &body.parameters, lanes)?;
        self.fit(results, body, &body.results, lanes)
    }

    fn iterate(
        &self,
        body: u32,
        count: u64,
        [carried, invariant, sliced]: [&[BundleId]; 3],
        results: &[BundleId],
    ) -> Checked {
        let body = self.applied(body)?;
        require(count > 0, "an iteration runs no times")?;
        let whole = carried.len() + invariant.len();
        let counts = body.parameters.len() == whole + sliced.len() && body.results.len() >= carried.len();
        require(
            counts && results.len() == body.results.len(),
            "an iteration has other arguments or results",
        )?;
        self.fit(&[carried, invariant].concat(), body, &body.parameters[..whole], 1)?;
        self.fit(sliced, body, &body.parameters[whole..], count)?;
        self.fit(carried, body, &body.results[..carried.len()], 1)?;
        self.fit(&results[..carried.len()], body, &body.results[..carried.len()], 1)?;
        self.fit(&results[carried.len()..], body, &body.results[carried.len()..], count)
    }
}
