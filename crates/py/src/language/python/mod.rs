//! The language as Python sees it.

mod among;
mod array;
mod bit_programs;
mod bitwise;
mod computation;
mod dispatch;
mod errors;
mod frames;
mod functions;
mod graph;
mod inbox;
mod index;
mod integers;
mod kind;
mod live;
mod live_runs;
mod numbers;
mod operand;
mod operations;
mod operators;
mod ordered;
mod outside_party;
mod outside_values;
mod party;
mod party_report;
mod quotient;
mod ranged;
mod reduced;
mod root;
mod run_time;
mod running;
mod running_task;
mod share;
mod shared;
mod shared_tracer;
mod tables;
mod written;

use pyo3::prelude::*;

/// Adds the language to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    errors::register(module)?;
    module.add_class::<array::Array>()?;
    module.add_class::<graph::Graph>()?;
    module.add_class::<kind::PyKind>()?;
    module.add_class::<shared_tracer::PyLivePath>()?;
    module.add_class::<live::LiveEnd>()?;
    module.add_class::<live::Live>()?;
    module.add_class::<live_runs::LiveWork>()?;
    module.add_class::<kind::ArrayType>()?;
    module.add_class::<party::PartyEnd>()?;
    module.add_class::<computation::PartyTask>()?;
    module.add_function(wrap_pyfunction!(functions::concatenate, module)?)?;
    module.add_function(wrap_pyfunction!(functions::stack, module)?)?;
    module.add_function(wrap_pyfunction!(functions::ports, module)?)?;
    module.add_function(wrap_pyfunction!(running::clear_by_role, module)?)?;
    module.add_function(wrap_pyfunction!(party::largest_threshold, module)?)?;
    module.add_function(wrap_pyfunction!(outside_party::visit, module)?)?;
    module.add_function(wrap_pyfunction!(among::prediction_among, module)?)?;
    module.add_function(wrap_pyfunction!(running::plan, module)?)?;
    module.add_function(wrap_pyfunction!(running::in_process, module)?)
}
