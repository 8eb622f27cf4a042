//! Private functions, as Python sees them.

use std::collections::BTreeMap;
use std::error::Error;

use pyo3::prelude::*;
use tacit_circuit::Circuit;
use tacit_engine::block_on;
use tacit_ir::{Program as Ir, RoleId, Shape, Words, data};
use tacit_pfe::{FunctionError, InputOwner, PrivateFunction, local};

use crate::errors::{AbortError, ProgramError, UsageError};
use crate::interruptible::interruptible;
use crate::program::Program;

/// Evaluates a program as a private function of all other roles on the data of the role `owner`, both parties in this process.
/// Returns what `owner` learns, and the announced number of gates.
#[pyfunction]
#[pyo3(signature = (program, owner, inputs, gates = None))]
pub fn private_local(
    py: Python<'_>,
    program: &Program,
    owner: &str,
    inputs: BTreeMap<String, String>,
    gates: Option<usize>,
) -> PyResult<(String, usize)> {
    let role = program.role(owner)?;
    fits(&program.ir, role)?;
    let columns = program.columns(&inputs, program.all_roles())?;
    let circuit = program.flat(py, None, "size")?;
    let ir = program.ir.clone();
    interruptible(py, move || -> Result<_, PyErr> {
        let function = function(&ir, role, &circuit, gates)?;
        let size = function.size().gates();
        let bits = |owners: bool| -> Vec<bool> {
            let ports = ir.inputs.iter().zip(&columns).filter(|(port, _)| (port.role == role) == owners);
            ports.flat_map(|(_, columns)| columns.iter().flat_map(bits_of)).collect()
        };
        let (holder, owner) = (bits(false), bits(true));
        let work = async { Ok::<_, Box<dyn Error>>(local::both(function, &holder, &owner).await?) };
        let outputs = block_on(work).map_err(|error| AbortError::new_err(error.to_string()))?;
        Ok((data::encode_outputs(&ir, role, &words_of(&ir, &outputs)).to_string(), size))
    })?
}

/// Refuses programs of which somebody else would have to learn something, or that read what is kept as shares.
fn fits(ir: &Ir, owner: RoleId) -> PyResult<()> {
    if let Some(port) = ir.inputs.iter().find(|port| port.is_stored(ir)) {
        return Err(ProgramError::new_err(format!(
            "{} is kept as shares; a private function has none",
            port.name
        )));
    }
    match ir.outputs.iter().find(|port| !port.roles.contains(&owner)) {
        None => Ok(()),
        Some(port) => Err(ProgramError::new_err(format!(
            "output {} is not for role {}, and the data's owner alone learns the outputs of a private function",
            port.name,
            ir.roles[owner.index()]
        ))),
    }
}

fn function(ir: &Ir, owner: RoleId, circuit: &Circuit, gates: Option<usize>) -> PyResult<PrivateFunction> {
    let of = |role| if role == owner { InputOwner::Owner } else { InputOwner::Holder };
    let owners: Vec<InputOwner> = ir.inputs.iter().map(|port| of(port.role)).collect();
    PrivateFunction::from_circuit(circuit, &owners, gates).map_err(|error| match error {
        FunctionError::Gates { .. } | FunctionError::FewGates { .. } => {
            UsageError::new_err(format!("--gates: {error}"))
        }
        _ => ProgramError::new_err(error.to_string()),
    })
}

/// The bits of a column as circuits take them: lane after lane, least significant first.
fn bits_of(words: &Words) -> impl Iterator<Item = bool> + '_ {
    (0..words.lanes()).flat_map(move |lane| (0..words.bits()).map(move |bit| words.bit(lane, bit)))
}

/// The columns of every output of a program, from the bits of all.
fn words_of(ir: &Ir, bits: &[bool]) -> Vec<Vec<Words>> {
    let mut bits = bits.iter();
    let mut columns = |shape: &Shape| -> Vec<Words> {
        let mut read = |mut words: Words| {
            for lane in 0..words.lanes() {
                for (bit, value) in (0..words.bits()).zip(bits.by_ref()) {
                    words.set_bit(lane, bit, *value);
                }
            }
            words
        };
        shape.columns().into_iter().map(|column| read(Words::zero(column.bits, column.lanes))).collect()
    };
    ir.outputs.iter().map(|port| columns(&port.shape)).collect()
}
