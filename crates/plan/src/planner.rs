//! Makes candidates, chooses the best, and builds its plan.

use tacit_ir::{Domain, OperationCount, Program, STORED_ROLE};
use tacit_lower::{
    Ceiling, Library, LowerError, lower, lower_with, lower_within, operation_domains, with_wide_ands,
};
use tacit_schedule::{Combined, Layout, Schedule, rules};

use crate::candidate::{Candidate, Sides};
use crate::ceiling::ceiling;
use crate::choice::Planned;
use crate::drafts::{self, Draft, Tried, Ways};
use crate::mixed::Found;
use crate::side_by_side::side_by_side;
use crate::tables::Tables;
use crate::work::WorkCounts;
use crate::{
    DomainChoice, Forecast, GarblerChoice, Goal, Lattices, Limits, MatrixChoice, MessageOrder, Mode,
    Objective, Parties, Plan, PlanError, PlanOptions, Prediction, PricedRun, Prices, Tariff, choice, hash,
    mixed, sharing,
};

/// Plans a run of `program`. A pure function: equal arguments give equal plans everywhere.
///
/// Cost: time and memory of lowering, which its budgets bound; one thread for each way to share values that may
/// be best.
///
/// # Errors
/// [`PlanError`] for parameters that no protocol offers, roles that do not belong to exactly two parties, programs
/// that cannot be put into circuits, and programs beyond the budgets and limits.
pub fn plan(program: &Program, options: &PlanOptions, prices: &dyn Prices) -> Result<Plan, PlanError> {
    plan_watched(program, options, prices, &mut |_| {})
}

/// As [`plan`]; `watch` is called now and then with the number of finished steps of the lowering's effort.
///
/// # Errors
/// As [`plan`].
pub fn plan_watched(
    program: &Program,
    options: &PlanOptions,
    prices: &dyn Prices,
    watch: &mut dyn FnMut(u64),
) -> Result<Plan, PlanError> {
    let planner = Planner::new(program, options, prices)?;
    let planner = Planner { stored: planner.stored(), ..planner };
    let (chosen, drafts) = planner.best(watch)?;
    let chosen = planner.mixed(chosen, &drafts)?;
    let prediction = &chosen.sides.forecast.prediction;
    let needed = (prediction.bytes(), prediction.nanoseconds());
    options.limits.check(needed, |objective| planner.taken_by(objective))?;
    planner.plan(chosen)
}

/// What the run of a plan would send, and how long it would take, if the other party garbled. None if the cost
/// cannot be compared, as of programs that compute under encryption, or is beyond a limit.
///
/// Cost: pricing the plan's schedule once more; nothing is lowered.
pub fn with_other_garbler(
    program: &Program,
    options: &PlanOptions,
    prices: &dyn Prices,
    plan: &Plan,
) -> Option<Prediction> {
    Planner::new(program, options, prices).ok()?.with_other_garbler(plan)
}

/// A candidate, with the circuits that were made for it and others.
struct Made {
    candidate: Candidate,
    library: Library,
}

/// Makes candidates, and a plan of one of them.
pub(crate) struct Planner<'a> {
    program: &'a Program,
    options: &'a PlanOptions,
    /// Who garbles unless the other party is chosen.
    parties: Parties,
    /// The same with the other garbler, if it may be chosen.
    swapped: Option<Parties>,
    prices: &'a dyn Prices,
    /// Properties of the program.
    found: Found,
    /// How stored values must be shared, if that must not depend on the chosen plan.
    stored: Option<Vec<Combined>>,
}

/// Refuses to plan for money if nothing has a price.
fn check(goal: Goal) -> Result<(), PlanError> {
    match goal.objective == Objective::Money && goal.tariff == Tariff::default() {
        true => Err(PlanError::NoTariff),
        false => Ok(()),
    }
}

impl<'a> Planner<'a> {
    /// A planner for a program that accepts stored values shared in any way.
    ///
    /// # Errors
    /// [`PlanError`] for parameters that no protocol offers, for roles that do not belong to exactly two
    /// parties, and for a garbler that is none of them.
    pub(crate) fn new(
        program: &'a Program,
        options: &'a PlanOptions,
        prices: &'a dyn Prices,
    ) -> Result<Planner<'a>, PlanError> {
        options.security.check()?;
        check(options.goal())?;
        let parties = match &options.parties {
            Some(parties) => parties.clone(),
            None => Parties::of_roles(program)?,
        };
        let parties = match &options.garbler {
            GarblerChoice::First | GarblerChoice::Auto => parties,
            GarblerChoice::Named(name) => parties.garbled_by(program, name)?,
        };
        let found = Found::of(program);
        let chooses = options.garbler == GarblerChoice::Auto && !found.encrypts;
        let swapped = chooses.then(|| parties.clone().swapped());
        Ok(Planner { program, options, parties, swapped, prices, found, stored: None })
    }
}

impl Planner<'_> {
    /// The program.
    pub(crate) fn program(&self) -> &Program {
        self.program
    }

    /// The options.
    pub(crate) fn options(&self) -> &PlanOptions {
        self.options
    }

    /// The prices of protocols.
    pub(crate) fn prices(&self) -> &dyn Prices {
        self.prices
    }

    /// A run of a candidate, for pricing.
    pub(crate) fn priced<'c>(&'c self, candidate: &'c Candidate) -> PricedRun<'c> {
        PricedRun {
            program: self.program,
            parties: &candidate.sides.parties,
            schedule: &candidate.schedule,
            layout: &candidate.layout,
            messages: &candidate.sides.messages,
            material: &candidate.counts.material,
            random_bits: candidate.counts.random_bits,
            label_work: &candidate.counts.label_work,
            profile: &self.options.profile,
            link: self.options.link,
            mode: candidate.mode,
            garbling: self.options.garbling,
            transfers: candidate.sides.transfers,
            security: &self.options.security,
            lattices: &candidate.sides.lattices,
        }
    }

    /// How values are shared that the program keeps between runs, or takes from other programs: with `auto`
    /// as in the usual domain, so that all programs agree.
    fn stored(&self) -> Option<Vec<Combined>> {
        let (roles, chooses) = (&self.program.roles, self.options.domain == DomainChoice::Auto);
        if !chooses || roles.iter().all(|role| role != STORED_ROLE) {
            return None;
        }
        let lowering = tacit_lower::Options { effort: 0, ..self.lowering(Domain::default()) };
        lower(self.program, &lowering).ok().map(|schedule| sharing::stored(&schedule, self.program))
    }

    /// Bytes and nanoseconds of the plan by another objective, without limits.
    fn taken_by(&self, objective: Objective) -> Option<(u64, u64)> {
        if objective == self.options.objective {
            return None;
        }
        let options = PlanOptions { objective, limits: Limits::default(), ..self.options.clone() };
        let plan = plan(self.program, &options, self.prices).ok()?;
        Some((plan.prediction().bytes(), plan.prediction().nanoseconds()))
    }

    /// The best candidate of all domains that may be best, and the drafts that selected these domains.
    /// Domains are tried in parallel.
    fn best(&self, watch: &mut dyn FnMut(u64)) -> Result<(Made, Vec<Draft>), PlanError> {
        let domains = self.options.domain.candidates();
        let (tried, drafts) = match domains.len() {
            0 | 1 => (domains.iter().copied().map(Tried::all).collect(), Vec::new()),
            _ => self.worthwhile(&domains, watch)?,
        };
        let made = self.best_among(&tried, watch)?;
        let left_out = domains.iter().filter(|domain| tried.iter().all(|tried| tried.domain != **domain));
        let left_out: Vec<_> = left_out.copied().map(Tried::all).collect();
        let Candidate { lowering, schedule, .. } = &made.candidate;
        let made = match drafts::are_beaten(&drafts, lowering.domain, schedule.and_count()) {
            true if !left_out.is_empty() => self.better(Ok(made), self.best_among(&left_out, watch))?,
            _ => made,
        };
        Ok((made, drafts))
    }

    /// The best candidate of these domains. All their ways are lowered in parallel.
    fn best_among(&self, tried: &[Tried], watch: &mut dyn FnMut(u64)) -> Result<Made, PlanError> {
        let ways: Vec<_> = tried.iter().flat_map(|tried| self.worthwhile_ways(tried)).collect();
        let found = side_by_side(&ways, watch, &|way, watch| self.best_of_way(way, watch));
        // There is none if no domain was offered.
        found.into_iter().reduce(|a, b| self.better(a, b)).unwrap_or(Err(PlanError::NoDomain))
    }

    fn better(&self, a: Result<Made, PlanError>, b: Result<Made, PlanError>) -> Result<Made, PlanError> {
        choice::better_of(a, b, self.options.goal(), |made: &Made| &made.candidate)
    }

    /// The domains that may become the best, by drafts. One is drafted first, so that others need not be
    /// finished.
    fn worthwhile(
        &self,
        domains: &[Domain],
        watch: &mut dyn FnMut(u64),
    ) -> Result<(Vec<Tried>, Vec<Draft>), PlanError> {
        let goal = self.options.goal();
        let every = self.options.every_draft;
        let first = if every { None } else { domains.iter().position(|domain| self.is_drawn_first(*domain)) };
        let mut drawn = first.map(|first| (first, self.drafts(domains[first], None)));
        let known =
            drawn.as_ref().and_then(|(_, drawn)| drafts::least(drawn.iter().flatten().flatten(), goal));
        let rest: Vec<Domain> =
            domains.iter().enumerate().filter(|(at, _)| Some(*at) != first).map(|(_, one)| *one).collect();
        let mut all = side_by_side(&rest, watch, &|domain, _| self.drafts(*domain, known));
        if let Some((first, drawn)) = drawn.take() {
            all.insert(first, drawn);
        }
        drafts::worthwhile(domains, all, goal, every)
    }

    /// Whether this domain is drafted first: one of words if matrices are multiplied, since their circuits
    /// take long to write; else the usual one.
    fn is_drawn_first(&self, domain: Domain) -> bool {
        if self.found.matrices { rules(domain).is_of_words() } else { domain == Domain::default() }
    }

    /// The ways of a domain that may lead to the best plan.
    fn worthwhile_ways(&self, tried: &Tried) -> impl Iterator<Item = tacit_lower::Options> {
        let ways = self.ways(tried.domain).into_iter().enumerate();
        ways.filter(|(number, _)| !tried.without.contains(number)).map(|(_, way)| way)
    }

    /// The best candidate with values shared in this way unless a pin decides.
    fn best_of_way(&self, way: &tacit_lower::Options, watch: &mut dyn FnMut(u64)) -> Result<Made, PlanError> {
        // Circuits that are shared by all its candidates.
        let mut library = Library::default();
        let mut lowered = |lowering: &tacit_lower::Options| self.lowered(lowering, &mut library, watch);
        let candidate = self.best_of(way, &mut lowered)?;
        Ok(Made { candidate, library })
    }

    /// Drafts of the ways of a domain, and what every run with such values takes. With the `known` prediction
    /// of a draft, ways that cannot lead to the best plan are left out.
    fn drafts(&self, domain: Domain, known: Option<u64>) -> Ways {
        let mut library = Library::default();
        let draft = |way: tacit_lower::Options| {
            let way = tacit_lower::Options { effort: 0, ..way };
            let within = known.map(|known| ceiling(known, &way, self.found.pins, self.options));
            let within = within.unwrap_or_default();
            let mut lowered = |lowering: &tacit_lower::Options| self.drawn(lowering, within, &mut library);
            let candidate = match self.best_of(&way, &mut lowered) {
                Err(PlanError::Lower(LowerError::BeyondCeiling)) => return Ok(None),
                candidate => candidate?,
            };
            let least = self.prices.least(candidate.schedule.has_shares(), self.options);
            let Candidate { lowering, sides, schedule, .. } = candidate;
            let (prediction, ands) = (sides.forecast.prediction, schedule.and_count());
            Ok(Some(Draft { lowering, prediction, least, ands }))
        };
        self.ways(domain).into_iter().map(draft).collect()
    }

    /// How values may be shared that are in this domain unless a pin decides. If domains are chosen, one way
    /// has everything on bits in another domain than words.
    fn ways(&self, domain: Domain) -> Vec<tacit_lower::Options> {
        let whole = self.lowering(domain);
        let chooses = self.options.domain == DomainChoice::Auto;
        let divided = mixed::divided(&self.found, &whole).filter(|_| chooses);
        [whole].into_iter().chain(divided).collect()
    }

    /// The best way to lower with these values.
    fn best_of(
        &self,
        lowering: &tacit_lower::Options,
        lowered: &mut dyn FnMut(&tacit_lower::Options) -> Planned,
    ) -> Planned {
        // Comparing and shifting words as words is possible only if some values are words.
        let whole = lowering.assigned == tacit_lower::Options::default().assigned;
        let has_words = self.found.pins || !whole || rules(lowering.domain).is_of_words();
        let directs = self.found.directs.map(|direct| direct && has_words);
        choice::best(lowering, self.options.goal(), directs, lowered)
    }

    /// The lowering with values in a domain unless a pin decides.
    pub(crate) fn lowering(&self, domain: Domain) -> tacit_lower::Options {
        let holder_roles = self.parties.garbler_roles();
        tacit_lower::Options { domain, holder_roles, ..self.options.lowering }
    }

    /// The candidate, or a better one reached from a draft or by moves of classes of operations: see
    /// [`crate::mixed`].
    fn mixed(&self, Made { candidate, mut library }: Made, drafts: &[Draft]) -> Result<Candidate, PlanError> {
        if self.options.domain != DomainChoice::Auto {
            return Ok(candidate);
        }
        let mut lowered = |lowering: &tacit_lower::Options| match lowering.effort {
            0 => self.drawn(lowering, Ceiling::default(), &mut library),
            _ => self.lowered(lowering, &mut library, &mut |_| {}),
        };
        let (found, goal) = (&self.found, self.options.goal());
        let classes = found.movable(self.options.lowering.assigned);
        mixed::improved(found, &classes, candidate, drafts, goal, &mut lowered)
    }

    /// The candidate of a way of lowering, with ANDs of only two operands, if it is within a ceiling.
    fn drawn(&self, lowering: &tacit_lower::Options, ceiling: Ceiling, library: &mut Library) -> Planned {
        let schedule = lower_within(self.program, lowering, ceiling, library, &mut |_| {})?;
        self.candidate(lowering, schedule)
    }

    /// The better candidate of a way of lowering: with ANDs of two operands, or of more.
    fn lowered(
        &self,
        lowering: &tacit_lower::Options,
        library: &mut Library,
        watch: &mut dyn FnMut(u64),
    ) -> Result<Candidate, PlanError> {
        let schedule = lower_with(self.program, lowering, library, watch)?;
        let link = self.options.link;
        let wide = with_wide_ands(&schedule, link.round_bits(), library);
        let narrow = self.candidate(lowering, schedule);
        match wide {
            Some(wide) => choice::better(narrow, self.candidate(lowering, wide), self.options.goal()),
            None => narrow,
        }
    }

    /// The prediction for a schedule.
    pub(crate) fn candidate(
        &self,
        lowering: &tacit_lower::Options,
        schedule: Schedule,
    ) -> Result<Candidate, PlanError> {
        let Planner { program, options, stored, .. } = self;
        if stored.as_ref().is_some_and(|stored| *stored != sharing::stored(&schedule, program)) {
            return Err(PlanError::Stored);
        }
        let layout = Layout::new(&schedule);
        let counts = WorkCounts::new(&schedule);
        let mut tables = Tables::new(&schedule, &layout, options.garbling, self.prices);
        let mut of = |mode| {
            let sides = self.best_sides((&schedule, &mut tables), &layout, (&counts, mode));
            sides.map(|sides| (mode, sides))
        };
        let (usual, other) = match options.mode {
            // What does not depend on inputs is made in setup, and tables travel online, whatever mode was
            // chosen.
            _ if schedule.has_shares() => (Mode::Streamed, None),
            mode => mode.modes(schedule.and_count()),
        };
        let (mut best, goal) = (of(usual), options.goal());
        if let Some(other) = other {
            best = choice::departing(best, of(other), goal, |(_, sides)| &sides.forecast.prediction);
        }
        let (mode, sides) = best?;
        drop(tables);
        let lowering = *lowering;
        Ok(Candidate { lowering, schedule, layout, counts, mode, sides })
    }

    /// The usual sides, or the others if they are so much better that it is worth it.
    fn best_sides(
        &self,
        (schedule, tables): (&Schedule, &mut Tables<'_>),
        layout: &Layout,
        (counts, mode): (&WorkCounts, Mode),
    ) -> Result<Sides, PlanError> {
        let mut of = |parties: &Parties| self.sides(parties, (schedule, tables), layout, (counts, mode));
        let usual = of(&self.parties);
        let might_gain = usual.as_ref().map_or(true, |usual| usual.messages.might_gain_by_swapping());
        let Some(swapped) = self.swapped.as_ref().filter(|_| might_gain) else { return usual };
        choice::departing(usual, of(swapped), self.options.goal(), |sides| &sides.forecast.prediction)
    }

    /// The prediction for a schedule with these sides of the parties.
    fn sides(
        &self,
        parties: &Parties,
        (schedule, tables): (&Schedule, &mut Tables<'_>),
        layout: &Layout,
        (counts, mode): (&WorkCounts, Mode),
    ) -> Result<Sides, PlanError> {
        let Planner { program, options, prices, .. } = self;
        let messages = MessageOrder::new(program, schedule, parties, |action| tables.step(action, 1));
        let (ands, is_beyond) = (schedule.and_count(), counts.is_beyond_counting(&messages));
        if is_beyond || ands > options.max_ands {
            let needed = if is_beyond { u64::MAX } else { ands };
            return Err(PlanError::Budget { what: "ANDs", needed, limit: options.max_ands });
        }
        let (random_bits, material) = (counts.random_bits, &counts.material);
        let ots = messages.evaluator_input_bits().saturating_add(random_bits);
        let lattices = Lattices { triples: prices.lattices(material, options), ..Lattices::default() };
        let transfers = prices.transfers(&material.without(&lattices.triples), ots, options);
        let run = PricedRun {
            program,
            parties,
            schedule,
            layout,
            messages: &messages,
            material,
            random_bits,
            label_work: &counts.label_work,
            profile: &options.profile,
            link: options.link,
            mode,
            garbling: options.garbling,
            transfers,
            security: &options.security,
            lattices: &lattices,
        };
        let (forecast, lattices) = self.multiplied(run)?;
        options.limits.check_memory(forecast.prediction.memory.larger())?;
        Ok(Sides { parties: parties.clone(), messages, transfers, lattices, forecast })
    }

    /// The prediction for a plan with the other garbler. None if it computes under encryption, where the
    /// schedule depends on who garbles, or if it is beyond a limit.
    fn with_other_garbler(&self, plan: &Plan) -> Option<Prediction> {
        (!self.found.encrypts).then(|| self.with(plan, &plan.parties().clone().swapped(), plan.mode()))?
    }

    /// The predictions for a plan in which all values are garbled, with each garbler and each mode from which
    /// the planner chooses.
    pub(crate) fn garbled(&self, plan: &Plan) -> Vec<Prediction> {
        let (usual, other) = self.options.mode.modes(plan.work().and_count);
        let parties = || [&self.parties].into_iter().chain(&self.swapped);
        let modes = [usual].into_iter().chain(other);
        modes.flat_map(|mode| parties().filter_map(move |parties| self.with(plan, parties, mode))).collect()
    }

    /// The prediction for a plan with these sides of the parties and this mode. None if it is beyond a limit.
    fn with(&self, plan: &Plan, parties: &Parties, mode: Mode) -> Option<Prediction> {
        let (schedule, layout) = (plan.schedule(), plan.layout());
        let mut tables = Tables::new(schedule, layout, self.options.garbling, self.prices);
        let work = (&WorkCounts::new(schedule), mode);
        let sides = self.sides(parties, (schedule, &mut tables), layout, work).ok()?;
        Some(sides.forecast.prediction)
    }

    /// The prediction for a run, with products of matrices online or from triples, and the products that
    /// lattices compute then.
    fn multiplied(&self, run: PricedRun<'_>) -> Result<(Forecast, Lattices), PlanError> {
        let (options, prices) = (self.options, self.prices);
        let online = run.lattices.with_matrices_online();
        let predicted =
            |lattices: Lattices| Ok((prices.predict(PricedRun { lattices: &lattices, ..run })?, lattices));
        let triples = || predicted(run.lattices.clone());
        match options.matrices {
            _ if online.online.is_empty() => triples(),
            MatrixChoice::Online => predicted(online),
            MatrixChoice::Ot | MatrixChoice::Lattice => triples(),
            MatrixChoice::Auto => {
                let (triples, online) = (triples()?, predicted(online)?);
                let of = |(forecast, _): &(Forecast, Lattices)| forecast.prediction.of(options.goal());
                Ok(if of(&online) < of(&triples) { online } else { triples })
            }
        }
    }

    /// The plan of the chosen candidate.
    fn plan(self, chosen: Candidate) -> Result<Plan, PlanError> {
        let Planner { program, options, prices, .. } = self;
        let Candidate { lowering, schedule, layout, counts, mode, sides } = chosen;
        let Sides { parties, messages, transfers, lattices, forecast } = sides;
        let operations = program.count_operations().map_err(tacit_lower::LowerError::from)?;
        let operation_domains = match schedule.has_shares() {
            true => {
                // Operations that lowering leaves out have no domain.
                let known = operation_domains(program, &lowering)?;
                let of =
                    |one: &OperationCount| known.get(&(one.line, &one.kind[..])).cloned().unwrap_or_default();
                operations.iter().map(of).collect()
            }
            false => Vec::new(),
        };
        let program_hash = program.hash();
        let how = (options.garbling, transfers, &lattices);
        let hash =
            hash::hash(prices.build(), &program_hash, &schedule, mode, how, &options.security, &parties);
        Ok(Plan {
            work: counts.work(&schedule, &messages),
            domains: counts.domains(&schedule),
            material: counts.material,
            label_work: counts.label_work,
            security: options.security,
            lowering,
            effort: options.lowering.effort,
            garbling: options.garbling,
            matrices: options.matrices,
            lattices,
            link: options.link,
            profile: options.profile.clone(),
            goal: options.goal(),
            layout,
            schedule,
            messages,
            mode,
            transfers,
            parties,
            operations,
            operation_domains,
            forecast,
            program_hash,
            hash,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use tacit_ir::{Builder, Shape};

    use super::*;
    use crate::{
        Forecast, Garbling, Material, ModeChoice, Prediction, SecurityLevel, SecurityParams, Side, Traffic,
        TransferExtension,
    };

    /// Predicts one byte for each event, and this many for each bit of the evaluator's inputs, for a build with
    /// this hash; and these bytes where tables are sent in setup, and where they are streamed.
    #[derive(Default)]
    struct Flat {
        build: [u8; 32],
        input_bit: u64,
        tables: [u64; 2],
    }

    impl Prices for Flat {
        fn build(&self) -> [u8; 32] {
            self.build
        }

        fn table_bytes(&self, _: Garbling, _: &tacit_circuit::Executable, instances: u64) -> u64 {
            instances
        }

        fn predict(&self, run: PricedRun<'_>) -> Result<Forecast, PlanError> {
            let of_inputs = self.input_bit * run.messages.evaluator_input_bits();
            let of_tables = self.tables[usize::from(run.mode == Mode::Streamed)];
            let garbler_bytes = run.messages.events.len() as u64 + of_inputs + of_tables;
            let online = Traffic { garbler_bytes, ..Traffic::default() };
            let prediction = Prediction { online, ..Prediction::default() };
            Ok(Forecast { prediction, ..Forecast::default() })
        }

        fn within(&self, run: PricedRun<'_>) -> Result<Forecast, PlanError> {
            self.predict(run)
        }

        fn least(&self, _: bool, _: &PlanOptions) -> Prediction {
            Prediction::default()
        }

        fn lattices(&self, _: &Material, _: &PlanOptions) -> BTreeSet<tacit_schedule::Consumed> {
            BTreeSet::new()
        }

        fn transfers(&self, _: &Material, _: u64, _: &PlanOptions) -> TransferExtension {
            TransferExtension::SoftSpoken
        }
    }

    /// A program in which A gives an array of so many bytes, and B another; both are revealed to both.
    fn uneven(lengths: [u32; 2]) -> Program {
        let array =
            |length| Shape::Array { length, element: Shape::Integer { bits: 8, signed: false }.into() };
        let mut builder = Builder::new("uneven");
        let roles = [builder.role("A"), builder.role("B")];
        let of = |builder: &mut Builder, index: usize| {
            builder.input("x", roles[index], array(lengths[index])).unwrap()
        };
        let inputs = [0, 1].map(|index| of(&mut builder, index));
        let mut main = builder.template("main", vec![]);
        for (input, length) in inputs.into_iter().zip(lengths) {
            let output = builder.output(&format!("of {}", input.0), roles.to_vec(), array(length)).unwrap();
            let value = main.input(&builder, input).unwrap();
            main.output(&builder, output, &value).unwrap();
        }
        builder.finish(main).unwrap()
    }

    const INPUTS_COST: Flat = Flat { build: [0; 32], input_bit: 16, tables: [0; 2] };

    fn for_bytes(garbler: GarblerChoice) -> PlanOptions {
        PlanOptions { objective: Objective::Bytes, garbler, ..PlanOptions::default() }
    }

    fn planned(program: &Program, garbler: GarblerChoice) -> Result<Plan, PlanError> {
        plan(program, &for_bytes(garbler), &INPUTS_COST)
    }

    fn garbler(program: &Program, garbler: GarblerChoice) -> String {
        planned(program, garbler).unwrap().parties().name(Side::Garbler).to_owned()
    }

    #[test]
    fn who_has_more_input_garbles() {
        let of = |lengths, choice| garbler(&uneven(lengths), choice);
        assert_eq!(of([1, 12_500], GarblerChoice::Auto), "B");
        assert_eq!(of([1, 12_500], GarblerChoice::First), "A");
        for symmetric in [[1, 1], [1000, 1000], [12_500, 1]] {
            assert_eq!(of(symmetric, GarblerChoice::Auto), "A");
        }
        // By less than 5 %.
        assert_eq!(of([96, 100], GarblerChoice::Auto), "A");
        assert_eq!(of([94, 100], GarblerChoice::Auto), "B");
    }

    #[test]
    fn a_named_garbler_garbles() {
        for lengths in [[1, 12_500], [12_500, 1], [1, 1]] {
            for name in ["A", "B"] {
                assert_eq!(garbler(&uneven(lengths), GarblerChoice::named(name)), name);
            }
        }
        let error = planned(&uneven([1, 1]), GarblerChoice::named("C")).unwrap_err();
        assert_eq!(error.to_string(), "garbler: expected auto, first, A, B, or a role of theirs; found C");
    }

    #[test]
    fn plans_with_other_garblers_differ_and_tell_what_the_other_costs() {
        let program = uneven([1, 12_500]);
        let of = |choice| planned(&program, choice).unwrap();
        let [auto, a, b] =
            [GarblerChoice::Auto, GarblerChoice::named("A"), GarblerChoice::named("B")].map(of);
        assert_ne!(a.hash(), b.hash());
        assert_eq!(auto.hash(), b.hash());
        let other = |choice, plan| with_other_garbler(&program, &for_bytes(choice), &INPUTS_COST, plan);
        assert_eq!(other(GarblerChoice::Auto, &auto).as_ref(), Some(a.prediction()));
        assert_eq!(other(GarblerChoice::named("A"), &a).as_ref(), Some(b.prediction()));
    }

    /// Products of 40 numbers of each role.
    fn program() -> Program {
        let shape = Shape::Array { length: 40, element: Shape::Integer { bits: 32, signed: false }.into() };
        let mut builder = Builder::new("products");
        let roles = [builder.role("A"), builder.role("B")];
        let inputs = roles.map(|role| builder.input("x", role, shape.clone()).unwrap());
        let output = builder.output("products", roles.to_vec(), shape).unwrap();
        let mut main = builder.template("main", vec![]);
        let [x, y] = inputs.map(|port| main.input(&builder, port).unwrap()[0]);
        let products = main.mul(x, y).unwrap();
        main.output(&builder, output, &[products]).unwrap();
        builder.finish(main).unwrap()
    }

    fn plan_with(options: PlanOptions) -> Plan {
        plan(&program(), &options, &Flat::default()).unwrap()
    }

    #[test]
    fn tables_are_streamed_where_that_is_better_by_five_percent() {
        let mode = |tables, mode| {
            let prices = Flat { tables, ..Flat::default() };
            plan(&program(), &PlanOptions { mode, ..for_bytes(GarblerChoice::First) }, &prices)
                .unwrap()
                .mode()
        };
        // With 4 bytes for events.
        assert_eq!(mode([996, 947], ModeChoice::Auto), Mode::Precomputed);
        assert_eq!(mode([996, 946], ModeChoice::Auto), Mode::Streamed);
        assert_eq!(mode([996, 0], ModeChoice::Precomputed), Mode::Precomputed);
        assert_eq!(mode([0, 996], ModeChoice::Auto), Mode::Precomputed);
        assert_eq!(mode([0, 996], ModeChoice::Streamed), Mode::Streamed);
    }

    #[test]
    fn money_needs_a_price() {
        let goal = Goal { objective: Objective::Money, ..Goal::default() };
        assert_eq!(check(goal), Err(PlanError::NoTariff));
        let priced = Goal { tariff: Tariff { gigabyte: 1, core_hour: 0 }, ..goal };
        assert_eq!(check(priced), Ok(()));
        assert_eq!(check(Goal { objective: Objective::Bytes, ..goal }), Ok(()));
    }

    #[test]
    fn counts_are_exact_and_printed() {
        let plan = plan_with(PlanOptions::default());
        assert_eq!(plan.work().and_count, 40 * 559);
        assert_eq!((plan.work().garbler_input_bits, plan.work().evaluator_input_bits), (1280, 1280));
        assert_eq!((plan.work().output_bits, plan.work().ot_count()), (1280, 1280));
        assert_eq!(plan.prediction().online.bytes_sent(Side::Garbler), 4);
        let text = plan.to_string();
        for part in [
            "22360 AND",
            "level long",
            "garbler    A",
            "evaluator  B",
            "yao, half-gates, precomputed",
            "4 bytes to the evaluator",
        ] {
            assert!(text.contains(part), "{text}");
        }
    }

    #[test]
    fn equal_arguments_give_equal_hashes_and_others_do_not() {
        let base = PlanOptions::default();
        let hash = |options: PlanOptions| *plan_with(options).hash();
        assert_eq!(hash(base.clone()), hash(base.clone()));
        let swapped = Parties::assign(&program(), |role| Some(format!("party of {role}"))).unwrap();
        let security = SecurityParams { statistical_bits: 64, ..SecurityParams::default() };
        let level = SecurityParams { level: SecurityLevel::Medium, ..SecurityParams::default() };
        let lowering = tacit_lower::Options { vector_lanes: 100, ..Default::default() };
        for other in [
            PlanOptions { mode: ModeChoice::Streamed, ..base.clone() },
            PlanOptions { garbling: Garbling::ThreeHalves, ..base.clone() },
            PlanOptions { security, ..base.clone() },
            PlanOptions { security: level, ..base.clone() },
            PlanOptions { parties: Some(swapped), ..base.clone() },
            PlanOptions { garbler: GarblerChoice::named("B"), ..base.clone() },
            PlanOptions { lowering, ..base.clone() },
        ] {
            assert_ne!(hash(other), hash(base.clone()));
        }
    }

    #[test]
    fn another_build_makes_another_plan() {
        let hash = |build| {
            let prices = Flat { build, ..Flat::default() };
            *plan(&program(), &PlanOptions::default(), &prices).unwrap().hash()
        };
        assert_eq!(hash([0; 32]), hash([0; 32]));
        assert_ne!(hash([0; 32]), hash([1; 32]));
    }

    #[test]
    fn budgets_count_work() {
        let options = PlanOptions { max_ands: 40 * 559 - 1, ..PlanOptions::default() };
        let error = plan(&program(), &options, &Flat::default()).unwrap_err();
        assert_eq!(error, PlanError::Budget { what: "ANDs", needed: 22360, limit: 22359 });
        assert!(error.to_string().contains("22360 ANDs"), "{error}");
    }
}
