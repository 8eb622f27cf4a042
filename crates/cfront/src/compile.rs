use std::collections::BTreeSet;
use std::path::Path;

use tacit_ir::{Program, Words};

use crate::clang::Purpose;
use crate::emit::emit;
use crate::estimate::and_gates;
use crate::exec::execute;
use crate::llvm::{Module, parse};
use crate::ports::{self, Interface};
use crate::rewrite::expose_ports;
use crate::secrets::expose_literals;
use crate::workspace::Workspace;
use crate::{CError, Language, Optimisation, Options, Warning, runtime, rust};

/// A compiled program.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The program.
    pub program: Program,
    /// The version that the C compiler reports.
    pub compiler_version: String,
    /// Undefined behaviour that is assumed not to happen.
    pub warnings: Vec<Warning>,
    /// For every input, the columns of the initial value of its variable in the source; zero if it has none.
    pub initial: Vec<Vec<Words>>,
}

/// Stack size of the thread that executes programs; calls of the program nest on it.
const STACK_BYTES: usize = 1 << 28;

/// Compiles C sources to one program.
///
/// The result depends only on the sources and the compiler.
///
/// Cost: time and memory grow with the operations of the program and the number of executed instructions.
///
/// # Errors
/// See [`CError`]; its messages name file, line and construct.
pub fn compile(sources: &[&Path], options: &Options) -> Result<Compiled, CError> {
    Translation::new(sources, options)?.compile(options.optimisation, &[])
}

/// Sources translated by clang, to be compiled once or in several ways.
pub struct Translation {
    units: Vec<String>,
    workspace: Workspace,
    options: Options,
    compiler_version: String,
}

impl Translation {
    /// Has clang translate sources.
    ///
    /// # Errors
    /// [`CError::NoCompiler`], [`CError::File`], or [`CError::Clang`] with clang's message.
    pub fn new(sources: &[&Path], options: &Options) -> Result<Self, CError> {
        let compiler_version = version(sources, options)?;
        let workspace = Workspace::new()?;
        let translate = |source: &&Path| workspace.translate(options, source, Purpose::Program);
        let mut units = sources.iter().map(translate).collect::<Result<Vec<_>, _>>()?;
        units.extend(runtime::unit(&link(&units)?, &workspace, options, Purpose::Program)?);
        Ok(Translation { units, workspace, options: options.clone(), compiler_version })
    }

    /// The names of fixed values that [`Translation::compile`] could turn into inputs: variables with initial
    /// values first, then integers of the source.
    ///
    /// # Errors
    /// See [`CError`].
    pub fn fixed(&self) -> Result<Vec<String>, CError> {
        let none = BTreeSet::new();
        let mut names = ports::fixed(&link(&self.units)?, self.options.function.as_deref())?;
        for (unit, text) in self.units.iter().enumerate() {
            names.extend(expose_literals(text, unit, &none).1.into_iter().map(|literal| literal.symbol));
        }
        Ok(names)
    }

    /// Compiles to one program in which the values named in `fixed` are inputs, too, given alternately by
    /// roles A and B. [`Compiled::initial`] holds their values in the source.
    ///
    /// # Errors
    /// See [`CError`].
    pub fn compile(&self, optimisation: Optimisation, fixed: &[String]) -> Result<Compiled, CError> {
        let chosen: BTreeSet<String> = fixed.iter().cloned().collect();
        let (program, warnings, initial) = in_thread(|| {
            let (mut units, mut literals) = (Vec::new(), Vec::new());
            for (unit, text) in self.units.iter().enumerate() {
                let (text, found) = expose_literals(text, unit, &chosen);
                units.push(text);
                literals.extend(found.into_iter().filter(|literal| chosen.contains(&literal.symbol)));
            }
            let module = link(&units)?;
            let mut interface = ports::find(&module, self.options.function.as_deref(), &chosen)?;
            ports::add_literals(&mut interface, &literals);
            let exposed: Vec<String> = units.iter().map(|unit| expose_ports(unit, &interface)).collect();
            let plain = || run(&exposed, &interface, &self.options);
            let at = |level: &'static str| {
                let optimise = |unit: &String| self.workspace.optimise(&self.options, unit, level);
                let units = exposed.iter().map(optimise).collect::<Result<Vec<_>, _>>()?;
                run(&units, &interface, &self.options)
            };
            match optimisation {
                Optimisation::None => plain(),
                Optimisation::One => at("-O1"),
                Optimisation::Two => at("-O2"),
                Optimisation::Smallest => smaller(smaller(plain(), || at("-O1")), || at("-O2")),
            }
        })?;
        let compiler_version = self.compiler_version.clone();
        Ok(Compiled { program, compiler_version, warnings, initial })
    }
}

type Run = Result<(Program, Vec<Warning>, Vec<Vec<Words>>), CError>;

/// How often paths were dropped because of values that were never set. Optimisation should not add any.
fn unset(warnings: &[Warning]) -> usize {
    warnings.iter().filter(|warning| warning.reason.contains("never set")).count()
}

/// The smaller of two programs, or the only one. Values that the unoptimised program leaves undefined are
/// reported even if optimisation has removed them; a program that exceeded its limits is not tried again.
fn smaller(plain: Run, optimised: impl FnOnce() -> Run) -> Run {
    if let Err(CError::Undefined { .. } | CError::Variable { .. } | CError::TooLarge { .. }) = plain {
        return plain;
    }
    match (plain, optimised()) {
        (Ok(plain), Ok(optimised)) => {
            let optimised_is_smaller =
                unset(&optimised.1) <= unset(&plain.1) && and_gates(&optimised.0) < and_gates(&plain.0);
            Ok(if optimised_is_smaller { optimised } else { plain })
        }
        (Err(_), Ok(optimised)) => Ok(optimised),
        (plain, Err(_)) => plain,
    }
}

/// The versions that the compilers of these sources report.
pub(crate) fn version(sources: &[&Path], options: &Options) -> Result<String, CError> {
    let clang = options.compiler.version()?;
    match sources.iter().any(|source| Language::of(source) == Language::Rust) {
        true => Ok(format!("{} and {clang}", rust::version()?)),
        false => Ok(clang),
    }
}

/// Runs `work` on a thread with a large stack.
pub(crate) fn in_thread<T: Send>(work: impl FnOnce() -> Result<T, CError> + Send) -> Result<T, CError> {
    let failed = |reason: String| CError::File { path: "a thread".into(), reason };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
        let thread = thread.map_err(|error| failed(error.to_string()))?;
        thread.join().unwrap_or_else(|payload| std::panic::resume_unwind(payload))
    })
}

pub(crate) fn link(units: &[String]) -> Result<Module, CError> {
    let mut module = Module::default();
    for (index, unit) in units.iter().enumerate() {
        parse(&mut module, index as u32 + 1, unit)?;
    }
    Ok(module)
}

/// Executes translation units whose ports are globals.
fn run(units: &[String], interface: &Interface, options: &Options) -> Run {
    let execution = execute(&link(units)?, interface, options)?;
    let program = emit(interface, &execution)?;
    Ok((program, execution.warnings, execution.initial))
}
