use std::path::Path;

use tacit_ir::Program;

use crate::clang::{Compiler, Purpose, Workspace};
use crate::emit::emit;
use crate::estimate::and_gates;
use crate::exec::execute;
use crate::llvm::{Module, parse};
use crate::ports::{self, Interface};
use crate::rewrite::expose_ports;
use crate::{CError, Location, Unwind};

/// How to compile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The C compiler.
    pub compiler: Compiler,
    /// The main function; found by itself where there is only one candidate.
    pub function: Option<String>,
    /// What clang does before execution.
    pub optimisation: Optimisation,
    /// Bounds on the program.
    pub limits: Limits,
    /// How often loops and recursion that inputs decide go round. Runs that would go on are taken not to happen;
    /// [`crate::check`] makes that a condition. Without a bound it is an error where execution finds none.
    pub unwind: Unwind,
}

/// What clang does before execution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Optimisation {
    /// Nothing.
    None,
    /// Its first level.
    One,
    /// Both are tried, and the program that promises the smaller circuit is taken.
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
            optimisation: Optimisation::default(),
            limits: Limits::default(),
            unwind: Unwind::default(),
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
    let compiler_version = options.compiler.version()?;
    let workspace = Workspace::new()?;
    let units = sources
        .iter()
        .map(|source| workspace.translate(&options.compiler, source, Purpose::Program))
        .collect::<Result<Vec<_>, _>>()?;
    let (program, warnings) = in_thread(|| {
        let interface = ports::find(&link(&units)?, options.function.as_deref())?;
        let exposed: Vec<String> = units.iter().map(|unit| expose_ports(unit, &interface)).collect();
        let plain = || run(&exposed, &interface, options);
        let optimised = || {
            let optimise = |unit: &String| workspace.optimise(&options.compiler, unit, "-O1");
            let units = exposed.iter().map(optimise).collect::<Result<Vec<_>, _>>()?;
            run(&units, &interface, options)
        };
        match options.optimisation {
            Optimisation::None => plain(),
            Optimisation::One => optimised(),
            Optimisation::Smallest => smaller(plain(), optimised),
        }
    })?;
    Ok(Compiled { program, compiler_version, warnings })
}

type Run = Result<(Program, Vec<Warning>), CError>;

/// The smaller of two programs, or the one that there is. What the unoptimised program leaves undefined counts, even
/// where optimisation has made something of it; and one that outgrew its limits is not tried again.
fn smaller(plain: Run, optimised: impl FnOnce() -> Run) -> Run {
    if let Err(CError::Undefined { .. } | CError::Variable { .. } | CError::TooLarge { .. }) = plain {
        return plain;
    }
    match (plain, optimised()) {
        (Ok(plain), Ok(optimised)) => {
            let optimised_is_smaller = and_gates(&optimised.0) < and_gates(&plain.0);
            Ok(if optimised_is_smaller { optimised } else { plain })
        }
        (Err(_), Ok(optimised)) => Ok(optimised),
        (plain, Err(_)) => plain,
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
    Ok((program, execution.warnings))
}
