use serde::{Deserialize, Serialize};
use tacit_ir::{OperationCount, Program};
use tacit_lower::{Schedule, lower};

use crate::tables::Tables;
use crate::{
    Agenda, Garbling, Layout, Mode, ModeChoice, Parties, PlanError, Prediction, Prices, SecurityParams, Work,
    hash,
};

/// How values are represented between operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Domain {
    /// Two labels a wire at the garbler, one of them at the evaluator.
    Yao,
}

impl Domain {
    /// The name used in reports.
    pub fn name(self) -> &'static str {
        match self {
            Domain::Yao => "yao",
        }
    }
}

/// What a plan is made for.
#[derive(Clone, Debug)]
pub struct PlanOptions {
    /// When tables travel.
    pub mode: ModeChoice,
    /// How AND gates are garbled.
    pub garbling: Garbling,
    /// Security parameters.
    pub security: SecurityParams,
    /// Which party speaks for which role; where it is `None` every role is a party of its own name.
    pub parties: Option<Parties>,
    /// Most ANDs of a run, loops multiplied out.
    pub max_ands: u64,
    /// Budgets of lowering.
    pub lowering: tacit_lower::Options,
}

impl Default for PlanOptions {
    fn default() -> Self {
        PlanOptions {
            mode: ModeChoice::default(),
            garbling: Garbling::default(),
            security: SecurityParams::default(),
            parties: None,
            max_ands: 1 << 42,
            lowering: tacit_lower::Options::default(),
        }
    }
}

/// What is run, how, by whom, and what it costs. The same at both parties, which compare its hash.
#[derive(Clone, Debug)]
pub struct Plan {
    schedule: Schedule,
    layout: Layout,
    agenda: Agenda,
    domains: Vec<Domain>,
    mode: Mode,
    garbling: Garbling,
    security: SecurityParams,
    parties: Parties,
    work: Work,
    operations: Vec<OperationCount>,
    prediction: Prediction,
    program_hash: [u8; 32],
    hash: [u8; 32],
}

/// Plans a run of `program`. A pure function: equal arguments give equal plans everywhere.
///
/// Cost: time and memory of lowering, which its budgets bound.
///
/// # Errors
/// [`PlanError`] for parameters that no protocol offers, roles that do not belong to exactly two parties, programs
/// that cannot be put into circuits, and programs beyond the budgets.
pub fn plan(program: &Program, options: &PlanOptions, prices: &dyn Prices) -> Result<Plan, PlanError> {
    options.security.check()?;
    let parties = match &options.parties {
        Some(parties) => parties.clone(),
        None => Parties::of_roles(program)?,
    };
    let schedule = lower(program, &options.lowering)?;
    let layout = Layout::new(&schedule);
    let mut tables = Tables::new(&schedule, &layout, options.garbling, prices);
    let agenda = Agenda::new(program, &schedule, &parties, &mut tables);
    let beyond = |needed| PlanError::Budget { what: "ANDs", needed, limit: options.max_ands };
    let work = Work::new(&schedule, &agenda).ok_or(beyond(u64::MAX))?;
    if work.and_count > options.max_ands {
        return Err(beyond(work.and_count));
    }
    let mode = options.mode.resolve(work.and_count);
    let prediction = prices.predict(&agenda, work.random_bits, mode, &options.security);
    let program_hash = program.hash();
    let hash = hash::hash(&program_hash, &schedule, mode, options.garbling, &options.security, &parties);
    Ok(Plan {
        layout,
        domains: vec![Domain::Yao; schedule.bodies.len()],
        security: options.security,
        schedule,
        agenda,
        mode,
        garbling: options.garbling,
        parties,
        work,
        operations: program.count_operations().map_err(tacit_lower::LowerError::from)?,
        prediction,
        program_hash,
        hash,
    })
}

impl Plan {
    /// The program as circuits.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// When bundles are dropped, and how many instances of a mapped body run at a time.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Which inputs and outputs travel together.
    pub fn agenda(&self) -> &Agenda {
        &self.agenda
    }

    /// The domain in which the circuits of a body of the schedule run.
    pub fn domain(&self, body: usize) -> Domain {
        self.domains[body]
    }

    /// When tables travel.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// How AND gates are garbled.
    pub fn garbling(&self) -> Garbling {
        self.garbling
    }

    /// Security parameters.
    pub fn security(&self) -> &SecurityParams {
        &self.security
    }

    /// The two parties, and which speaks for which role.
    pub fn parties(&self) -> &Parties {
        &self.parties
    }

    /// What the run consists of.
    pub fn work(&self) -> &Work {
        &self.work
    }

    /// What the program computes, by line and kind.
    pub fn operations(&self) -> &[OperationCount] {
        &self.operations
    }

    /// What the run sends.
    pub fn prediction(&self) -> &Prediction {
        &self.prediction
    }

    /// BLAKE3 hash of the program's canonical form.
    pub fn program_hash(&self) -> &[u8; 32] {
        &self.program_hash
    }

    /// BLAKE3 hash over everything that the parties must agree on: program, schedule, mode, garbling, parameters,
    /// parties.
    pub fn hash(&self) -> &[u8; 32] {
        &self.hash
    }
}

#[cfg(test)]
mod tests {
    use tacit_ir::{Builder, Shape};

    use super::*;
    use crate::SecurityLevel;
    use crate::{Side, Traffic};

    /// Predicts one byte for each event.
    struct Flat;

    impl Prices for Flat {
        fn table_bytes(&self, _: Garbling, _: &tacit_circuit::Executable, instances: u64) -> u64 {
            instances
        }

        fn predict(&self, agenda: &Agenda, _: u64, _: Mode, _: &SecurityParams) -> Prediction {
            let online = Traffic { garbler_bytes: agenda.events.len() as u64, ..Traffic::default() };
            Prediction { setup: Traffic::default(), online }
        }
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
        plan(&program(), &options, &Flat).unwrap()
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
            PlanOptions { lowering, ..base.clone() },
        ] {
            assert_ne!(hash(other), hash(base.clone()));
        }
    }

    #[test]
    fn budgets_count_work() {
        let options = PlanOptions { max_ands: 40 * 559 - 1, ..PlanOptions::default() };
        let error = plan(&program(), &options, &Flat).unwrap_err();
        assert_eq!(error, PlanError::Budget { what: "ANDs", needed: 22360, limit: 22359 });
        assert!(error.to_string().contains("22360 ANDs"), "{error}");
    }
}
