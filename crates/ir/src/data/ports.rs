use serde_json::{Map, Value};

use super::decode::{Path, check_names, decode_at, object};
use super::{DataError, encode};
use crate::{OutputPort, PortId, Program, RoleId, Words};

/// The columns of every input that `role` gives, from an object of variable names to values.
///
/// `value` is secret. Columns are in the order of the program's inputs.
/// Errors: an unknown or missing variable, or a value that does not fit, with the path to it.
pub fn decode_inputs(
    program: &Program,
    role: RoleId,
    value: &Value,
) -> Result<Vec<(PortId, Vec<Words>)>, DataError> {
    let root = Path::Variable("");
    let object = object(&root, value)?;
    let ports = program.inputs.iter().enumerate().filter(|(_, port)| port.role == role);
    check_names(&root, object, ports.clone().map(|(_, port)| port.name.as_str()))?;
    let decode = |(number, port): (usize, &crate::InputPort)| {
        let missing = || DataError::Missing { path: port.name.clone() };
        let value = object.get(&port.name).ok_or_else(missing)?;
        let columns = decode_at(&Path::Variable(&port.name), &port.shape, value)?;
        Ok((PortId(number as u32), columns))
    };
    ports.map(decode).collect()
}

/// The outputs that `role` receives, as an object of names and values.
///
/// `outputs` holds the columns of every output port of the program; those of ports that only other roles
/// receive are ignored and may be empty.
///
/// # Panics
/// If the columns of a port that the role receives are not of its shape.
pub fn encode_outputs(program: &Program, role: RoleId, outputs: &[Vec<Words>]) -> Value {
    let ports = program.outputs.iter().zip(outputs).filter(|(port, _)| port.roles.contains(&role));
    Value::Object(ports.map(|(port, columns)| (port.name.clone(), encode(&port.shape, columns))).collect())
}

/// The outputs of all roles, in one object with names as in [`merge_outputs`].
///
/// # Panics
/// If the columns of a port are not of its shape.
pub fn encode_all_outputs(program: &Program, outputs: &[Vec<Words>]) -> Value {
    let ports = program.outputs.iter().zip(outputs);
    Value::Object(
        ports.map(|(port, columns)| (merged_name(program, port), encode(&port.shape, columns))).collect(),
    )
}

/// The outputs of several roles in one object.
///
/// An output keeps its name unless others have the same name: then it is preceded by the roles that receive
/// it, as in `A.x`, or `A+B.x` for several roles.
/// Errors: a missing output, or one on which two roles disagree.
pub fn merge_outputs(program: &Program, objects: &[(RoleId, Value)]) -> Result<Value, DataError> {
    let mut merged = Map::new();
    for port in &program.outputs {
        let name = merged_name(program, port);
        for (_, object) in objects.iter().filter(|(role, _)| port.roles.contains(role)) {
            let value = object.get(&port.name).ok_or_else(|| DataError::Missing { path: name.clone() })?;
            match merged.get(&name) {
                Some(other) if other != value => return Err(DataError::Disagreement { path: name }),
                Some(_) => {}
                None => drop(merged.insert(name.clone(), value.clone())),
            }
        }
    }
    Ok(Value::Object(merged))
}

fn merged_name(program: &Program, port: &OutputPort) -> String {
    if program.outputs.iter().filter(|other| other.name == port.name).count() == 1 {
        return port.name.clone();
    }
    let roles: Vec<_> = port.roles.iter().map(|role| program.roles[role.index()].as_str()).collect();
    format!("{}.{}", roles.join("+"), port.name)
}
