//! Proves that a C program does nothing forbidden, or finds inputs with which it does.

use std::path::Path;

use serde_json::{Value, json};
use tacit_cfront::{CError, Checked, Options, Property};
use tacit_ir::{Program, interpret};
use tacit_lower::{LowerError, flatten};

use crate::inputs::{self, Inputs};
use crate::minimise::minimise;
use crate::prove::{Outcome, never_set};
use crate::{Limits, solver};

/// The largest program that is checked, in gates.
const MAX_GATES: usize = 1 << 25;

/// The verdict on a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// No input violates it.
    Proven,
    /// These inputs violate it.
    Violated(Inputs),
    /// The limit was reached first.
    Undecided,
}

/// The result of a check.
#[derive(Clone, Debug)]
pub struct Report {
    /// The checked program, from the front end.
    pub checked: Checked,
    /// The verdict on each of its properties, in their order.
    pub findings: Vec<Finding>,
    /// The solver's name and version.
    pub solver: String,
}

/// A program that could not be checked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// It does not compile.
    #[error(transparent)]
    C(#[from] CError),
    /// It is too large for one circuit.
    #[error(transparent)]
    Lower(#[from] LowerError),
    /// The circuit and the program disagree about inputs: a bug in Tacit.
    #[error(
        "internal error, please report it: {property} is violated in the circuit but not in the program, by {inputs}"
    )]
    Unconfirmed {
        /// The property.
        property: String,
        /// The inputs as JSON.
        inputs: String,
    },
}

/// Checks a C program: every property is proven, violated by inputs that are found, or undecided within the limits.
///
/// The inputs are simplified, and confirmed by running the program in [`interpret`]. `known` is called with
/// the number of decided properties and the number of all.
///
/// Source: Clarke, Kroening, Lerda: A Tool for Checking ANSI-C Programs (TACAS 2004).
///
/// Cost: up to `limits.conflicts` conflicts of the solver for each property.
///
/// # Errors
/// [`CheckError`].
pub fn check(
    sources: &[&Path],
    options: &Options,
    limits: &Limits,
    mut known: impl FnMut(usize, usize),
) -> Result<Report, CheckError> {
    let checked = tacit_cfront::check(sources, options)?;
    let circuit = flatten(&checked.program, MAX_GATES)?;
    let (numbers, signs) = (inputs::numbers(&checked.program), inputs::signs(&checked.program));
    let total = checked.properties.len();
    let outcomes = never_set(&circuit, &numbers, limits, |count| known(count.min(total), total));
    let mut findings = Vec::with_capacity(total);
    for (output, outcome) in outcomes.into_iter().enumerate().take(total) {
        findings.push(match outcome {
            Outcome::Never => Finding::Proven,
            Outcome::Undecided => Finding::Undecided,
            Outcome::Set(bits) => {
                let bits = minimise(&circuit, output, &numbers, &signs, bits, &limits.stop);
                let inputs = inputs::from_bits(&checked.program, &bits);
                confirm(&checked, output, &inputs)?;
                Finding::Violated(inputs)
            }
        });
    }
    Ok(Report { checked, findings, solver: solver::best().name() })
}

/// Runs the program on inputs that violate a property.
fn confirm(checked: &Checked, property: usize, inputs: &Inputs) -> Result<(), CheckError> {
    let outputs = interpret(&checked.program, inputs, || 0);
    let violated = outputs.ok().is_some_and(|outputs| {
        let words = outputs.first().and_then(|columns| columns.first());
        words.is_some_and(|words| words.lanes() > property as u64 && words.bit(property as u64, 0))
    });
    match violated {
        true => Ok(()),
        false => Err(CheckError::Unconfirmed {
            property: describe(&checked.properties[property]),
            inputs: inputs::to_json(&checked.program, inputs).to_string(),
        }),
    }
}

/// A description of a property: location, kind and details.
pub(crate) fn describe(property: &Property) -> String {
    let Property { kind, location, function, description } = property;
    match description.is_empty() {
        true => format!("{location}: {kind} in {function}"),
        false => format!("{location}: {kind} in {function}: {description}"),
    }
}

impl Report {
    /// The program whose runs are checked.
    pub fn program(&self) -> &Program {
        &self.checked.program
    }

    /// The numbers of proven, violated and undecided properties.
    pub fn counts(&self) -> [usize; 3] {
        let count = |of: fn(&Finding) -> bool| self.findings.iter().filter(|finding| of(finding)).count();
        [
            count(|finding| *finding == Finding::Proven),
            count(|finding| matches!(finding, Finding::Violated(_))),
            count(|finding| *finding == Finding::Undecided),
        ]
    }

    /// The result as JSON: `program`, `compiler`, `solver`, the counts, and `properties`, each with `kind`,
    /// `file`, `line`, `function`, `description`, `verdict`, and `inputs` by role if it is violated.
    pub fn to_json(&self) -> Value {
        let [proven, violated, undecided] = self.counts();
        let property = |(property, finding): (&Property, &Finding)| {
            let mut object = json!({
                "kind": property.kind.to_string(),
                "file": property.location.file,
                "line": property.location.line,
                "function": property.function,
                "description": property.description,
                "verdict": finding.name(),
            });
            if let Finding::Violated(inputs) = finding {
                object["inputs"] = inputs::to_json(self.program(), inputs);
            }
            object
        };
        let properties: Vec<Value> =
            self.checked.properties.iter().zip(&self.findings).map(property).collect();
        json!({
            "program": self.program().name,
            "compiler": self.checked.compiler_version,
            "solver": self.solver,
            "proven": proven,
            "violated": violated,
            "undecided": undecided,
            "properties": properties,
        })
    }
}

impl Finding {
    /// One word: `proven`, `violated` or `undecided`.
    pub fn name(&self) -> &'static str {
        match self {
            Finding::Proven => "proven",
            Finding::Violated(_) => "violated",
            Finding::Undecided => "undecided",
        }
    }
}
