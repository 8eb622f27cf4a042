use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::sync::Arc;

use tacit_circuit::formats::{self, CircuitFile, MAX_WIRES, netlist};
use tacit_ir::{Program, RoleId};
use tacit_lower::{CompiledCircuit, program_from_circuit, program_from_players};

use crate::EmbedError;

/// The most bytes of a file.
const MAX_BYTES: u64 = 1 << 30;

/// A compiled function, which must be the same at both parties.
#[derive(Clone, Debug)]
pub struct Function {
    pub(crate) program: Arc<Program>,
}

impl Function {
    /// Loads a function from a file: a compiled program, a netlist, or a circuit file of Bristol or Fairplay;
    /// the format is detected.
    ///
    /// # Errors
    /// [`EmbedError::File`] and [`EmbedError::Program`].
    pub fn load(path: &Path) -> Result<Function, EmbedError> {
        let fail = |source| EmbedError::File { path: path.to_owned(), source };
        let mut bytes = Vec::new();
        File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes)).map_err(fail)?;
        let name = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        let names = match std::fs::read_to_string(path.with_extension("fmt")) {
            Ok(names) => Some(names),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(fail(error)),
        };
        decode(&bytes, &name, names.as_deref())
            .map_err(|reason| EmbedError::Program { name: path.display().to_string(), reason })
    }

    /// As [`Function::load`], from memory. A circuit file contains no name, so `name` becomes that of the
    /// program.
    ///
    /// # Errors
    /// [`EmbedError::Program`].
    pub fn from_bytes(bytes: &[u8], name: &str) -> Result<Function, EmbedError> {
        decode(bytes, name, None).map_err(|reason| EmbedError::Program { name: name.to_owned(), reason })
    }

    /// The function's name.
    pub fn name(&self) -> &str {
        &self.program.name
    }

    /// The roles of the function.
    pub fn roles(&self) -> &[String] {
        &self.program.roles
    }

    /// The number of a role.
    pub(crate) fn role(&self, name: &str) -> Result<RoleId, EmbedError> {
        let index = self.program.roles.iter().position(|known| known == name);
        let unknown = || EmbedError::Terms(format!("{} has no role {name}", self.name()));
        index.map(|index| RoleId(index as u32)).ok_or_else(unknown)
    }
}

impl From<Program> for Function {
    fn from(program: Program) -> Function {
        Function { program: Arc::new(program) }
    }
}

fn decode(bytes: &[u8], name: &str, names: Option<&str>) -> Result<Function, String> {
    if bytes.len() as u64 > MAX_BYTES {
        return Err(format!("more than {MAX_BYTES} bytes"));
    }
    if bytes.starts_with(netlist::MAGIC) {
        let compiled = CompiledCircuit::read_netlist(bytes, MAX_WIRES).map_err(|error| error.to_string())?;
        return Ok(compiled.program().map_err(|error| error.to_string())?.into());
    }
    let Some(text) = std::str::from_utf8(bytes).ok().filter(|text| text.is_ascii() && !text.contains('\0'))
    else {
        return Ok(Program::from_bytes(bytes).map_err(|error| error.to_string())?.into());
    };
    let file = formats::read_file(text, names, MAX_WIRES).map_err(|error| error.to_string())?;
    let program = match file {
        CircuitFile::Plain(circuit) => program_from_circuit(&circuit, name),
        CircuitFile::Players(circuit) => program_from_players(&circuit, name),
    };
    Ok(program.map_err(|error| error.to_string())?.into())
}
