use tacit_ir::{InputPort, PortId, Program, Words};
use tacit_plan::{Column, Parties, Side};

use tacit_schedule::walk::WalkError;

/// Why inputs cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    /// An input that this party should give is not there.
    #[error("input {name} of {role} is missing")]
    Missing {
        /// The role.
        role: String,
        /// The input.
        name: String,
    },
    /// There is no such input, it was given twice, or it is another party's.
    #[error("input number {port} was given, but it is not one that this party gives, once")]
    Unexpected {
        /// The port's number.
        port: u32,
    },
    /// A column is not of the port's type. Values are not shown.
    #[error("input {name} of {role}: {reason}")]
    Shape {
        /// The role.
        role: String,
        /// The input.
        name: String,
        /// What does not fit.
        reason: String,
    },
}

/// The inputs that one party gives, checked: for each port its columns, none for the ports of others.
#[derive(Clone, Default)]
pub(crate) struct PartyInputs(Vec<Vec<Words>>);

impl PartyInputs {
    /// Checks that exactly the ports of this side's roles are given, each with columns of its types.
    pub fn check(
        program: &Program,
        parties: &Parties,
        side: Side,
        given: &[(PortId, Vec<Words>)],
    ) -> Result<PartyInputs, InputError> {
        let mut columns: Vec<Option<Vec<Words>>> = vec![None; program.inputs.len()];
        for (id, words) in given {
            let unexpected = || InputError::Unexpected { port: id.0 };
            let port = program.inputs.get(id.index()).ok_or_else(unexpected)?;
            if parties.side(port.role) != Some(side) || columns[id.index()].is_some() {
                return Err(unexpected());
            }
            check_shape(program, port, words)?;
            columns[id.index()] = Some(words.clone());
        }
        let complete = |(port, columns): (&InputPort, Option<Vec<Words>>)| match columns {
            None if parties.side(port.role) == Some(side) => {
                Err(InputError::Missing { role: role(program, port), name: port.name.clone() })
            }
            // The ports of others have no columns here.
            columns => Ok(columns.unwrap_or_default()),
        };
        program.inputs.iter().zip(columns).map(complete).collect::<Result<_, _>>().map(PartyInputs)
    }

    /// Adds this party's shares of a port of which both parties have shares.
    pub fn add_shares(&mut self, port: u32, shares: Vec<Words>) {
        self.0[port as usize] = shares;
    }

    /// The words of a column that this party gives, or its shares of it.
    ///
    /// # Errors
    /// [`WalkError::Input`] if it gives none.
    pub fn column(&self, Column { port, column, .. }: Column) -> Result<&Words, WalkError> {
        let words = self.0.get(port as usize).and_then(|columns| columns.get(column as usize));
        words.ok_or(WalkError::Input { port, column })
    }
}

fn role(program: &Program, port: &InputPort) -> String {
    program.roles[port.role.index()].clone()
}

pub(crate) fn check_shape(program: &Program, port: &InputPort, words: &[Words]) -> Result<(), InputError> {
    let columns = port.shape.columns();
    let fault =
        |reason| Err(InputError::Shape { role: role(program, port), name: port.name.clone(), reason });
    if columns.len() != words.len() {
        return fault(format!("{} columns given, {} expected", words.len(), columns.len()));
    }
    for (index, (column, words)) in columns.iter().zip(words).enumerate() {
        if (column.bits, column.lanes) != (words.bits(), words.lanes()) {
            return fault(format!(
                "column {index} has {} lanes of {} bits, expected {} lanes of {} bits",
                words.lanes(),
                words.bits(),
                column.lanes,
                column.bits
            ));
        }
    }
    Ok(())
}
