//! The content of a plan, as JSON for `tacit plan`.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Value, json};
use tacit_engine::OperationReport;
use tacit_ir::{Domain, Program as Ir};
use tacit_lower::movable_classes;
use tacit_plan::{
    DomainChoice, Flow, FlowNode, Limits, Named, Objective, OperationCost, PhaseTime, Plan, PlanError,
    PlanOptions, Prediction, Side, Tariff, Traffic,
};
use tacit_schedule::{Effort, Tally};

use crate::interruptible::interruptible;
use crate::options::plan_options;
use crate::program::Program;

/// The plan of a run between parties with the roles' names, and its alternatives, as JSON. With `moves` it
/// includes the cost of the plan with each class of operations in another domain, with `bound` how far the
/// plan may be from the best, and with `graph` the dataflow between operations. `alternatives` are plans with one
/// domain throughout, and with the other garbler.
#[pyfunction]
#[pyo3(signature = (program, *, moves = false, bound = false, graph = false, alternatives = true, **given))]
pub fn outlook(
    py: Python<'_>,
    program: &Program,
    moves: bool,
    bound: bool,
    graph: bool,
    alternatives: bool,
    given: Option<&Bound<'_, PyDict>>,
) -> PyResult<String> {
    let (options, ir) = (plan_options(given, "for a plan alone")?, program.ir.clone());
    let more = More { moves, bound, graph, alternatives };
    let told = interruptible(py, move || told(&ir, &options, more))?;
    told.map(|told| told.to_string()).map_err(|error| program.error(error.into()))
}

/// The parts beside the plan and its alternatives.
#[derive(Clone, Copy)]
struct More {
    moves: bool,
    bound: bool,
    graph: bool,
    alternatives: bool,
}

fn told(ir: &Ir, options: &PlanOptions, more: More) -> Result<Value, PlanError> {
    let plan = tacit_engine::plan(ir, options)?;
    let (prediction, forecast) = (plan.prediction(), plan.forecast());
    let party = |side| plan.parties().name(side);
    Ok(json!({
        "program": ir.name,
        "plan_hash": hex(plan.hash()),
        "program_hash": hex(plan.program_hash()),
        "garbler": party(Side::Garbler),
        "evaluator": party(Side::Evaluator),
        "outside_parties": plan.parties().outside_parties(),
        "inputs": inputs(ir, &plan),
        "outputs": outputs(ir, &plan),
        "security": plan.security().to_string(),
        "mode": plan.mode().to_string(),
        "garbling": plan.garbling().to_string(),
        "transfers": plan.transfers().to_string(),
        "link": plan.link().to_string(),
        "profile": plan.profile().to_string(),
        "objective": plan.goal().to_string(),
        "work": plan.work(),
        "domains": plan.domains(),
        "classes": plan.lowering().assigned.to_string(),
        "operations": plan.operations_in_domains().map(|(operation, domain)| {
            OperationReport { domain, operation: operation.clone() }
        }).collect::<Vec<_>>(),
        "predicted": {
            "seconds": prediction.nanoseconds() as f64 * 1e-9,
            "bytes": prediction.bytes(),
            "processor_seconds": prediction.processor_ns as f64 * 1e-9,
            "money": money(prediction, options),
            "setup": phase(&prediction.setup, prediction.time.setup),
            "online": phase(&prediction.online, prediction.time.online),
            "memory": prediction.memory,
        },
        "computing": computing(&plan, [&forecast.setup, &forecast.online]),
        "label_bytes": plan.layout().bodies[plan.schedule().main].peak_labels.saturating_mul(16),
        "alternatives": if more.alternatives { alternatives(ir, options, &plan) } else { Vec::new() },
        "other_garbler": if more.alternatives { other_garbler(ir, options, &plan) } else { None },
        "moves": if more.moves { others(ir, options, &plan) } else { Vec::new() },
        "bound": more.bound.then(|| bounded(ir, options, &plan)),
        "graph": if more.graph { graph(ir, options) } else { None },
    }))
}

/// The price of a run, if prices are known.
fn money(prediction: &Prediction, options: &PlanOptions) -> Option<f64> {
    let priced = options.tariff != Tariff::default();
    priced.then(|| prediction.money(options.tariff) as f64 * 1e-12)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn inputs(ir: &Ir, plan: &Plan) -> Vec<Value> {
    let told =
        |port: &tacit_ir::InputPort| json!({ "name": port.name, "party": plan.parties().party(port.role) });
    ir.inputs.iter().map(told).collect()
}

fn outputs(ir: &Ir, plan: &Plan) -> Vec<Value> {
    let told = |port: &tacit_ir::OutputPort| {
        let parties: Vec<_> = port.roles.iter().map(|role| plan.parties().party(*role)).collect();
        json!({ "name": port.name, "parties": parties })
    };
    ir.outputs.iter().map(told).collect()
}

fn phase(traffic: &Traffic, time: PhaseTime) -> Value {
    let seconds = |nanoseconds: u64| nanoseconds as f64 * 1e-9;
    json!({
        "seconds": time.seconds(),
        "computing_seconds": seconds(time.computing_ns),
        "sending_seconds": seconds(time.sending_ns),
        "waiting_seconds": seconds(time.waiting_ns),
        "garbler_bytes": traffic.garbler_bytes,
        "evaluator_bytes": traffic.evaluator_bytes,
        "rounds": traffic.garbler_rounds.max(traffic.evaluator_rounds),
    })
}

/// The computing of the plan, longest first; where both parties compute while tables travel, the garbler's.
fn computing(plan: &Plan, efforts: [&Effort; 2]) -> Vec<Value> {
    let mut all = tacit_schedule::Computing::default();
    for effort in efforts {
        all.add(&effort.computing, 1);
        let slower = effort.streamed.iter().max_by_key(|one| plan.profile().picoseconds(one));
        slower.into_iter().for_each(|one| all.add(one, 1));
    }
    let seconds = |(unit, count): (tacit_schedule::Unit, u64)| {
        (count as f64 * plan.profile().rate(unit) as f64 * 1e-12, unit, count)
    };
    let mut told: Vec<_> = all.iter().map(seconds).collect();
    told.sort_by(|a, b| b.0.total_cmp(&a.0));
    told.into_iter()
        .map(|(seconds, unit, count)| json!({ "unit": unit.name(), "count": count, "seconds": seconds }))
        .collect()
}

/// The cost of another plan.
fn beside(options: &PlanOptions, ir: &Ir, plan: &Plan) -> Value {
    // Plans beyond a limit are reported, too.
    let unlimited = PlanOptions { limits: Limits::default(), ..options.clone() };
    match tacit_engine::plan(ir, &unlimited) {
        Ok(other) => compared(other.prediction(), options, plan),
        Err(error) => json!({ "error": error.to_string() }),
    }
}

/// A prediction, compared with that of the plan.
fn compared(found: &Prediction, options: &PlanOptions, plan: &Plan) -> Value {
    let told = plan.prediction();
    let times = |other: u64, own: u64| other as f64 / own.max(1) as f64;
    json!({
        "seconds": found.nanoseconds() as f64 * 1e-9,
        "online_seconds": found.time.online.seconds(),
        "bytes": found.bytes(),
        "memory_bytes": found.memory.larger().bytes,
        "money": money(found, options),
        "times": times(found.nanoseconds(), told.nanoseconds()),
        "online_times": times(found.time.online.nanoseconds(), told.time.online.nanoseconds()),
        "bytes_times": times(found.bytes(), told.bytes()),
    })
}

/// The plan with the other party as garbler, if its cost is known.
fn other_garbler(ir: &Ir, options: &PlanOptions, plan: &Plan) -> Option<Value> {
    let found = tacit_engine::with_other_garbler(ir, options, plan)?;
    let mut told = compared(&found, options, plan);
    told["garbler"] = json!(plan.parties().name(Side::Evaluator));
    Some(told)
}

/// How far the plan may be from the best, in the unit of its objective: seconds, bytes, or money.
fn bounded(ir: &Ir, options: &PlanOptions, plan: &Plan) -> Value {
    let unit = match options.objective {
        Objective::Total | Objective::Online => 1e-9,
        Objective::Bytes | Objective::Memory => 1.0,
        Objective::Money => 1e-12,
    };
    match tacit_engine::bound(ir, options, plan) {
        Ok(bound) => json!({
            "least": bound.least as f64 * unit,
            "found": bound.found as f64 * unit,
            "gap": bound.gap(),
        }),
        Err(reason) => json!({ "unknown": reason.to_string() }),
    }
}

/// The dataflow between operations, and the cost of each operation alone in every domain.
fn graph(ir: &Ir, options: &PlanOptions) -> Option<Value> {
    let flow = Flow::of(ir)?;
    let node = |node: &FlowNode| match node {
        FlowNode::Input(name) => json!({ "input": name }),
        FlowNode::Output(name) => json!({ "output": name }),
        FlowNode::Operations { line, kind } => json!({ "line": line, "kind": kind }),
    };
    let cost = |cost: &OperationCost| {
        json!({
            "line": cost.line,
            "kind": cost.kind,
            "domain": cost.domain.name(),
            "seconds": cost.nanoseconds as f64 * 1e-9,
            "bytes": cost.bytes,
        })
    };
    Some(json!({
        "nodes": flow.nodes.iter().map(node).collect::<Vec<_>>(),
        "edges": flow.edges,
        "costs": tacit_engine::operation_costs(ir, options).iter().map(cost).collect::<Vec<_>>(),
    }))
}

/// The plans with each other choice of one domain throughout, and with the chosen domain throughout if classes
/// of operations have others.
fn alternatives(ir: &Ir, options: &PlanOptions, plan: &Plan) -> Vec<Value> {
    let throughout = options.without_classes();
    let has_classes = !options.lowering.assigned.is_empty();
    let others = DomainChoice::ALL.iter().filter(|choice| has_classes || **choice != options.domain);
    let told = |choice: &DomainChoice| {
        let mut told = beside(&PlanOptions { domain: *choice, ..throughout.clone() }, ir, plan);
        told["domain"] = json!(choice.name());
        told
    };
    others.map(told).collect()
}

/// The plans with a class of operations in another domain.
fn others(ir: &Ir, options: &PlanOptions, plan: &Plan) -> Vec<Value> {
    let mut all = Vec::new();
    let lowering = plan.lowering();
    for class in movable_classes(ir) {
        for domain in Domain::UNPINNED.iter().filter(|domain| class.works_in(**domain)) {
            let mut moved = options.clone();
            moved.domain = DomainChoice::In(lowering.domain);
            moved.lowering.assigned = lowering.assigned.with(class, Some(*domain));
            let mut told = beside(&moved, ir, plan);
            told["class"] = json!(class.name());
            told["domain"] = json!(domain.name());
            all.push(told);
        }
    }
    all
}
