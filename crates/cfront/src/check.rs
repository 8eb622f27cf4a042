//! Proof obligations: a program whose outputs say what goes wrong in a run of another program.

use std::collections::BTreeSet;
use std::path::Path;

use tacit_ir::Program;

use crate::clang::Purpose;
use crate::compile::{in_thread, link, version};
use crate::emit::emit_checks;
use crate::exec::execute_checks;
use crate::ports::{self, Place, Port};
use crate::rewrite::expose_ports;
use crate::runtime;
use crate::workspace::Workspace;
use crate::{CError, Location, Options, Property};

/// A program that reports whether a run of the C program violates a property.
#[derive(Clone, Debug)]
pub struct Checked {
    /// Its inputs are those of the C program. Its only output, `violated`, is for every role: an array of one
    /// bit for each of `properties`, in their order. Without properties it is one bit that is never set.
    ///
    /// A run ends at its first violation, so at most one bit is set; none is set if an assumption does not
    /// hold.
    pub program: Program,
    /// The properties that no run may violate, in the order in which execution reaches them.
    pub properties: Vec<Property>,
    /// The C variables of the program's inputs, in their order.
    pub inputs: Vec<InputVariable>,
    /// The version that the C compiler reports.
    pub compiler_version: String,
}

/// The C variable of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputVariable {
    /// Its name.
    pub name: String,
    /// Where it is declared in the program.
    pub place: InputPlace,
    /// The source line of its declaration.
    pub location: Location,
    /// The C name of its type, if it has one.
    pub type_name: Option<String>,
}

/// Where an input variable is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputPlace {
    /// Outside of functions.
    Global,
    /// In a function.
    Local,
    /// This parameter of the main function, counted from 0.
    Parameter(u32),
}

impl InputVariable {
    fn of(port: &Port) -> Self {
        let place = match port.place {
            Place::Global => InputPlace::Global,
            Place::Local { .. } => InputPlace::Local,
            Place::Parameter { position, .. } => InputPlace::Parameter(position.saturating_sub(1)),
        };
        InputVariable {
            name: port.variable.clone(),
            place,
            location: port.location.clone(),
            type_name: port.type_name.clone(),
        }
    }
}

/// Builds the program that reports violations.
///
/// The C is compiled without optimisation and without wrapping arithmetic, with clang's checks for undefined
/// behaviour as traps. Execution adds what clang does not check: memory accesses, values that were never set,
/// divisions by zero, `assert`, `abort` and the bounds of [`Options::unwind`].
///
/// # Errors
/// See [`CError`]; undefined behaviour is not an error here.
pub fn check(sources: &[&Path], options: &Options) -> Result<Checked, CError> {
    let compiler_version = version(sources, options)?;
    let workspace = Workspace::new()?;
    let translate = |source: &&Path| workspace.translate(options, source, Purpose::Check);
    let mut units = sources.iter().map(translate).collect::<Result<Vec<_>, _>>()?;
    units.extend(runtime::unit(&link(&units)?, &workspace, options, Purpose::Check)?);
    let (program, properties, inputs) = in_thread(|| {
        let interface = ports::find(&link(&units)?, options.function.as_deref(), &BTreeSet::new())?;
        let exposed: Vec<String> = units.iter().map(|unit| expose_ports(unit, &interface)).collect();
        let checks = execute_checks(&link(&exposed)?, &interface, options)?;
        let inputs = interface.inputs.iter().map(InputVariable::of).collect();
        Ok((emit_checks(&interface, &checks)?, checks.properties, inputs))
    })?;
    Ok(Checked { program, properties, inputs, compiler_version })
}
