use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;

use tacit_ir::{Program, Words};

use crate::clang::{Compiler, Purpose, Workspace};
use crate::emit::emit;
use crate::estimate::and_gates;
use crate::exec::execute;
use crate::llvm::{Module, parse};
use crate::ports::{self, Interface};
use crate::rewrite::expose_ports;
use crate::secrets::expose_literals;
use crate::{CError, IntWidth, Language, Location, Unwind, runtime, rust};

/// How to compile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The C compiler.
    pub compiler: Compiler,
    /// The main function; found by itself where there is only one candidate.
    pub function: Option<String>,
    /// Further arguments for the C compiler, such as `-DNAME` or `-std=c17`.
    pub flags: Vec<OsString>,
    /// What clang does before execution.
    pub optimisation: Optimisation,
    /// Bounds on the program.
    pub limits: Limits,
    /// How often loops and recursion that inputs decide go round. Runs that would go on are taken not to happen;
    /// [`crate::check`] makes that a condition. Without a bound it is an error where execution finds none.
    pub unwind: Unwind,
    /// Bits of `int` in C.
    pub int_width: IntWidth,
}

/// What clang does before execution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Optimisation {
    /// Nothing.
    None,
    /// Its first level.
    One,
    /// Its second level, without vectors.
    Two,
    /// All are tried, and the program that promises the smallest circuit is taken; of equals the first.
    #[default]
    Smallest,
}

/// Bounds on a program, so that one without end is an error. They count work, never time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Iterations of one loop whose end is public.
    pub iterations: u64,
    /// Iterations of one loop whose end depends on inputs.
    pub secret_iterations: u64,
    /// Calls within calls.
    pub recursion: u32,
    /// Operations of the program before those without use are dropped.
    pub operations: u64,
    /// Bytes of one variable.
    pub object_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            iterations: 1 << 24,
            secret_iterations: 4096,
            recursion: 1000,
            operations: 4_000_000,
            object_bytes: 1 << 26,
        }
    }
}

impl Options {
    /// The usual way with this compiler.
    pub fn new(compiler: Compiler) -> Self {
        Options {
            compiler,
            function: None,
            flags: Vec::new(),
            optimisation: Optimisation::default(),
            limits: Limits::default(),
            unwind: Unwind::default(),
            int_width: IntWidth::default(),
        }
    }
}

/// A compiled program.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The program.
    pub program: Program,
    /// What the C compiler says it is.
    pub compiler_version: String,
    /// What was taken not to happen.
    pub warnings: Vec<Warning>,
    /// For every input, the columns of the value that the source gives its variable; zero where it gives none.
    pub initial: Vec<Vec<Words>>,
}

/// Undefined behaviour that was taken not to happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Where.
    pub location: Location,
    /// What.
    pub reason: String,
}

/// The stack of the thread that executes programs; calls of the program nest on it.
const STACK_BYTES: usize = 1 << 28;

/// Compiles C sources to one program.
///
/// The result depends on the sources and the compiler alone.
///
/// Cost: time and memory grow with the operations of the program and the instructions that running it takes.
///
/// # Errors
/// See [`CError`]; its messages name file, line and construct.
pub fn compile(sources: &[&Path], options: &Options) -> Result<Compiled, CError> {
    Translation::new(sources, options)?.compile(options.optimisation, &[])
}

/// Sources that clang has translated, to be compiled once or in several ways.
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
    /// [`CError::NoCompiler`], [`CError::File`], or [`CError::Clang`] with what clang says.
    pub fn new(sources: &[&Path], options: &Options) -> Result<Self, CError> {
        let compiler_version = version(sources, options)?;
        let workspace = Workspace::new()?;
        let translate = |source: &&Path| workspace.translate(options, source, Purpose::Program);
        let mut units = sources.iter().map(translate).collect::<Result<Vec<_>, _>>()?;
        units.extend(runtime::unit(&link(&units)?, &workspace, options, Purpose::Program)?);
        Ok(Translation { units, workspace, options: options.clone(), compiler_version })
    }

    /// The names of what the program fixes and [`Translation::compile`] could make inputs of: variables with initial
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

    /// Compiles to one program, with inputs also of what `fixed` names: given in turn by roles A and B. Their values in
    /// the source are [`Compiled::initial`].
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

/// How often paths were dropped because of values that were never set. Optimisation has no reason to add any.
fn unset(warnings: &[Warning]) -> usize {
    warnings.iter().filter(|warning| warning.reason.contains("never set")).count()
}

/// The smaller of two programs, or the one that there is. What the unoptimised program leaves undefined counts, even
/// where optimisation has made something of it; and one that outgrew its limits is not tried again.
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

/// What the compilers of these sources say they are.
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
