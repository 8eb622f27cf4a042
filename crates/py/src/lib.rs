//! The extension module `tacit._native`: the engine for Python, and nothing that Python could do as well.

mod calibration;
mod check;
mod errors;
mod interruptible;
mod language;
mod links;
mod lock;
mod open;
mod options;
mod outlook;
mod plans;
mod private;
mod profile;
mod program;
mod run;
mod session;
mod stores;
mod terms;

use pyo3::prelude::*;

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    errors::register(module)?;
    language::register(module)?;
    module.add_class::<program::Program>()?;
    module.add_class::<session::SecretKey>()?;
    module.add_class::<session::Session>()?;
    module.add_class::<session::Listener>()?;
    module.add_class::<run::Cancel>()?;
    module.add_class::<stores::Store>()?;
    module.add_class::<open::OpenSession>()?;
    module.add_class::<check::CheckReport>()?;
    module.add_function(wrap_pyfunction!(check::check_c, module)?)?;
    module.add_function(wrap_pyfunction!(check::verify, module)?)?;
    module.add_class::<private::AnnouncedFunction>()?;
    module.add_function(wrap_pyfunction!(private::private_local, module)?)?;
    module.add_function(wrap_pyfunction!(private::private_interface, module)?)?;
    module.add_function(wrap_pyfunction!(private::private_plan, module)?)?;
    module.add_function(wrap_pyfunction!(private::private_seconds, module)?)?;
    module.add_function(wrap_pyfunction!(private::private_hold, module)?)?;
    module.add_function(wrap_pyfunction!(private::private_prepare, module)?)?;
    module.add_function(wrap_pyfunction!(private::check_private_inputs, module)?)?;
    module.add_function(wrap_pyfunction!(links::link, module)?)?;
    module.add_function(wrap_pyfunction!(links::seconds_among, module)?)?;
    module.add_function(wrap_pyfunction!(options::run_options, module)?)?;
    module.add_function(wrap_pyfunction!(options::check_options, module)?)?;
    module.add_function(wrap_pyfunction!(outlook::outlook, module)?)?;
    module.add_function(wrap_pyfunction!(calibration::calibrate, module)?)?;
    module.add_function(wrap_pyfunction!(calibration::calibrate_with_peer, module)?)?;
    module.add_function(wrap_pyfunction!(calibration::probe, module)?)?;
    module.add_function(wrap_pyfunction!(run::run, module)?)
}
