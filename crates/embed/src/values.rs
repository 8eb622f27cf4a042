use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tacit_ir::data::{DataError, decode_inputs};
use tacit_ir::{PortId, Words};

use crate::{EmbedError, Function};

/// The inputs of a party to a run, by the names of variables. Secret; `Debug` hides the values.
#[derive(Clone, Default)]
pub struct Inputs {
    given: Vec<(Option<String>, String, Value)>,
}

impl fmt::Debug for Inputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.given.iter().map(|(_, name, _)| name)).finish()
    }
}

impl Inputs {
    /// No inputs yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets a variable: an integer, an array, or a struct with members of the same names. Setting it again
    /// replaces the value.
    ///
    /// # Errors
    /// [`EmbedError::Value`] for values that JSON cannot represent.
    pub fn set(&mut self, name: &str, value: impl Serialize) -> Result<(), EmbedError> {
        self.put(None, name, value)
    }

    /// As [`Inputs::set`], for a role, if this party speaks for several.
    ///
    /// # Errors
    /// As [`Inputs::set`].
    pub fn set_for(&mut self, role: &str, name: &str, value: impl Serialize) -> Result<(), EmbedError> {
        self.put(Some(role.to_owned()), name, value)
    }

    /// As [`Inputs::set`], in a chain.
    ///
    /// # Errors
    /// As [`Inputs::set`].
    pub fn with(mut self, name: &str, value: impl Serialize) -> Result<Self, EmbedError> {
        self.set(name, value)?;
        Ok(self)
    }

    fn put(&mut self, role: Option<String>, name: &str, value: impl Serialize) -> Result<(), EmbedError> {
        let value = serde_json::to_value(value)
            .map_err(|source| EmbedError::Value { name: name.to_owned(), source })?;
        self.given.retain(|(known_role, known, _)| (known_role, known.as_str()) != (&role, name));
        self.given.push((role, name.to_owned(), value));
        Ok(())
    }

    /// The columns of every input that these roles give to a function. A variable without a role belongs to
    /// the role that has it, or to the first role if none has.
    pub(crate) fn columns(
        &self,
        function: &Function,
        roles: &[&str],
    ) -> Result<Vec<(PortId, Vec<Words>)>, EmbedError> {
        let program = &function.program;
        let gives = |role: &str, name: &str| {
            program.inputs.iter().any(|port| port.name == name && program.roles[port.role.index()] == role)
        };
        let mut objects: Vec<Map<String, Value>> = vec![Map::new(); roles.len()];
        for (role, name, value) in &self.given {
            let place = match role {
                Some(role) => roles.iter().position(|own| own == role).ok_or_else(|| {
                    EmbedError::Terms(format!(
                        "{name} is set for role {role}, for which this party does not speak"
                    ))
                })?,
                // If no role has the variable, the check of the first role refuses it.
                None => roles.iter().position(|own| gives(own, name)).unwrap_or(0),
            };
            if let Some(object) = objects.get_mut(place) {
                object.insert(name.clone(), value.clone());
            }
        }
        let mut columns = Vec::new();
        for (role, object) in roles.iter().zip(objects) {
            let fail = |source: DataError| EmbedError::Input { role: (*role).to_owned(), source };
            columns
                .extend(decode_inputs(program, function.role(role)?, &Value::Object(object)).map_err(fail)?);
        }
        Ok(columns)
    }
}

/// The outputs of a run for a party, by name. `Debug` hides the values.
#[derive(Clone)]
pub struct Outputs(pub(crate) Map<String, Value>);

impl fmt::Debug for Outputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.keys()).finish()
    }
}

impl Outputs {
    /// An output: an integer, a list for an array, or any type with members of the same names for a struct.
    ///
    /// # Errors
    /// [`EmbedError::NoOutput`], and [`EmbedError::Value`] if it has another form.
    pub fn get<T: DeserializeOwned>(&self, name: &str) -> Result<T, EmbedError> {
        let fail = |source| EmbedError::Value { name: name.to_owned(), source };
        serde_json::from_value(self.value(name)?.clone()).map_err(fail)
    }

    /// An output as JSON.
    ///
    /// # Errors
    /// [`EmbedError::NoOutput`].
    pub fn value(&self, name: &str) -> Result<&Value, EmbedError> {
        let missing =
            || EmbedError::NoOutput { name: name.to_owned(), known: self.0.keys().cloned().collect() };
        self.0.get(name).ok_or_else(missing)
    }

    /// All outputs as one JSON object.
    pub fn into_json(self) -> Value {
        Value::Object(self.0)
    }
}
