use std::borrow::Cow;
use std::fmt;

use tacit_ir::{InputPort, PortId, Program, Words};
use tacit_plan::{Column, Parties, Side};

use tacit_schedule::walk::WalkError;

/// Why inputs cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    /// An input of this party is missing.
    #[error("input {name} of {role} is missing")]
    Missing {
        /// The role.
        role: String,
        /// The input.
        name: String,
    },
    /// There is no such input, it was given twice, or it is another party's.
    #[error("input number {port} was given, but it is given twice, does not exist or is another party's")]
    Unexpected {
        /// The port's number.
        port: u32,
    },
    /// An input has other columns than its type.
    #[error("input {name} of {role}: {given} columns given, {expected} expected")]
    Columns {
        /// The role.
        role: String,
        /// The input.
        name: String,
        /// How many were given.
        given: usize,
        /// How many its type has.
        expected: usize,
    },
    /// A column is not of the port's type. Values are not shown.
    #[error("input {name} of {role}: column {column} has {given}, expected {expected}")]
    Column {
        /// The role.
        role: String,
        /// The input.
        name: String,
        /// The column's number, from 0.
        column: usize,
        /// What was given.
        given: ColumnSize,
        /// What its type has.
        expected: ColumnSize,
    },
}

/// The size of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnSize {
    /// Bits of each word.
    pub bits: u32,
    /// How many words.
    pub lanes: u64,
}

impl fmt::Display for ColumnSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} lanes of {} bits", self.lanes, self.bits)
    }
}

/// The inputs of one party, checked: for each port its columns, none for the ports of others.
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

    /// Adds this party's shares of a port that both parties have shares of.
    pub fn add_shares(&mut self, port: u32, shares: Vec<Words>) {
        self.0[port as usize] = shares;
    }

    /// The words in some lanes of a column that this party gives, or its shares of them.
    ///
    /// # Errors
    /// [`WalkError::Input`] if it gives none.
    pub fn lanes(
        &self,
        Column { port, column, start, lanes, .. }: Column,
    ) -> Result<Cow<'_, Words>, WalkError> {
        let words = self.0.get(port as usize).and_then(|columns| columns.get(column as usize));
        let words = words.filter(|words| start.checked_add(lanes).is_some_and(|end| end <= words.lanes()));
        let words = words.ok_or(WalkError::Input { port, column })?;
        Ok(match (start, lanes) == (0, words.lanes()) {
            true => Cow::Borrowed(words),
            false => Cow::Owned(words.range(start, lanes)),
        })
    }
}

fn role(program: &Program, port: &InputPort) -> String {
    program.roles[port.role.index()].clone()
}

pub(crate) fn check_shape(program: &Program, port: &InputPort, words: &[Words]) -> Result<(), InputError> {
    let columns = port.shape.columns();
    let (role, name) = (|| role(program, port), || port.name.clone());
    if columns.len() != words.len() {
        let (given, expected) = (words.len(), columns.len());
        return Err(InputError::Columns { role: role(), name: name(), given, expected });
    }
    for (column, (wanted, words)) in columns.iter().zip(words).enumerate() {
        let expected = ColumnSize { bits: wanted.bits, lanes: wanted.lanes };
        let given = ColumnSize { bits: words.bits(), lanes: words.lanes() };
        if given != expected {
            return Err(InputError::Column { role: role(), name: name(), column, given, expected });
        }
    }
    Ok(())
}
