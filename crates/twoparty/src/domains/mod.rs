//! What two parties do with the values of each domain, and with each kernel.
//!
//! Each domain is a file here; the rest of the crate only uses this file. [`Openings`] collects what the tasks of a layer open, and
//! [`CountedLayer`] counts it.

mod arith;
mod bool;
mod conversions;
mod counted;
mod domain_worker;
mod he;
mod kernel_worker;
mod openings;
mod shares;
mod yao;

pub use counted::CountedLayer;
pub use domain_worker::{DomainWorker, InputColumn};
pub use openings::{Openings, circuit};
pub use shares::{Shares, labels_task};

use tacit_ir::Domain;
use tacit_schedule::walk::{KernelTask, Task, WalkError, Wires};
use tacit_schedule::{Bundle, Computing, Kernel, Unit};

use crate::{Party, ShareError};
use kernel_worker::KernelWorker;
use openings::OpenedGates;

/// What two parties do with the values of a domain.
pub fn domain_worker(domain: Domain) -> &'static dyn DomainWorker {
    match domain {
        Domain::Arith => &arith::Arith,
        Domain::Bool => &bool::Bool,
        Domain::He => &he::He,
        Domain::Yao => &yao::Yao,
    }
}

/// What two parties do for a kernel.
fn kernel_worker(kernel: &Kernel) -> &dyn KernelWorker {
    match kernel {
        Kernel::Arith(kernel) => kernel,
        Kernel::ArithToBool(kernel) => kernel,
        Kernel::ArithToHe(kernel) => kernel,
        Kernel::ArithToYao(kernel) => kernel,
        Kernel::BoolToArith(kernel) => kernel,
        Kernel::BoolToYao(kernel) => kernel,
        Kernel::He(kernel) => kernel,
        Kernel::HeToArith(kernel) => kernel,
        Kernel::YaoToBool(kernel) => kernel,
    }
}

/// Runs a kernel without messages; returns what it wrote.
///
/// # Errors
/// The kernel needs messages, or its operands are of another domain.
pub fn alone(party: Party, task: KernelTask<'_, Shares>) -> Result<Vec<Shares>, ShareError> {
    kernel_worker(task.kernel).alone(party, task)
}

/// Adds a task that opens something and does not depend on the others of its layer.
///
/// # Errors
/// The task opens nothing, or its operands are of another domain.
pub fn open<'s>(openings: &mut Openings<'s>, task: Task<'s, Shares>) -> Result<(), ShareError> {
    let at = openings.next();
    match task {
        Task::Circuit(task) => openings.gates.push(OpenedGates { at, task }),
        Task::Kernel(task) => kernel_worker(task.kernel).open(at, task, openings)?,
        // These open nothing together with others.
        Task::Input { .. } | Task::Output { .. } | Task::Random { .. } | Task::Constant { .. } => {
            return Err(WalkError::Domain.into());
        }
    }
    Ok(())
}

/// What both parties compute for a task online, besides what setup computes for it and without garbled
/// circuits.
pub fn computing(task: &Task<'_, Wires<()>>) -> Computing {
    let moved = |bundle: &Bundle, elements: &Wires<()>| {
        let rules = bundle.rules();
        let unit = match (rules.is_of_words(), rules.is_garbled()) {
            (true, _) => Unit::Word,
            (_, true) => Unit::LabelMoved,
            _ => Unit::WordBit,
        };
        Computing::of(unit, elements.len() as u64)
    };
    let computed = match task {
        Task::Circuit(task) => domain_worker(task.domain).layers(task.circuit, task.instances),
        Task::Kernel(task) => kernel_worker(task.kernel).computing(task),
        Task::Output { bundle, source, .. } => moved(bundle, source),
        Task::Input { bundle, target, .. }
        | Task::Random { bundle, target }
        | Task::Constant { bundle, target, .. } => moved(bundle, target),
    };
    computed.and(Unit::Step, 1)
}

/// Counts a task that opens something.
pub fn count<'s>(layer: &mut CountedLayer<'s>, task: &Task<'s, Wires<()>>) {
    match task {
        Task::Circuit(task) => layer.circuits.push((task.circuit, task.instances)),
        Task::Kernel(task) => kernel_worker(task.kernel).count(task, layer),
        // These open nothing together with others.
        Task::Input { .. } | Task::Output { .. } | Task::Random { .. } | Task::Constant { .. } => {}
    }
}
