//! Circuits of the Fairplay compilers, whose inputs and outputs belong to players and have names.
//!
//! | form | written by |
//! |---|---|
//! | [`shdl`], with the names in comments or in an accompanying file `.fmt` | Fairplay, FairplayMP 1 |
//! | [`cnv`] | FairplayMP 1's converter |
//! | [`mp`] | FairplayMP 2.1 |
//!
//! Gates are truth tables of up to [`MAX_FAN_IN`](crate::arithmetic::MAX_FAN_IN) inputs, which become few
//! ANDs.
//! Sources: Malkhi, Nisan, Pinkas, Sella, "Fairplay – a secure two-party computation system", 2004; Ben-David, Nisan,
//! Pinkas, "FairplayMP: a system for secure multi-party computation", 2008.

pub mod cnv;
mod lines;
pub mod mp;
mod names;
mod netlist;
pub mod shdl;

use super::{FormatError, PlayersCircuit};

/// The forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Shdl,
    Cnv,
    Mp,
}

/// The form of a text, if it is one of these, by its first line that is neither blank nor a comment.
pub(super) fn form_of(text: &str) -> Option<Form> {
    let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with("//"))?;
    if first.starts_with("FMT") {
        return Some(Form::Cnv);
    }
    if first.starts_with("input_player:") || first.starts_with("result_player:") {
        return Some(Form::Mp);
    }
    let second = first.split_ascii_whitespace().nth(1);
    second.is_some_and(|word| matches!(word, "input" | "output" | "gate")).then_some(Form::Shdl)
}

/// Reads any of the forms; `names` is the text of the `.fmt` file, which only [`shdl`] has.
pub(super) fn read(
    form: Form,
    text: &str,
    names: Option<&str>,
    max_wires: usize,
) -> Result<PlayersCircuit, FormatError> {
    match form {
        Form::Shdl => shdl::read(text, names, max_wires),
        Form::Cnv => cnv::read(text, max_wires),
        Form::Mp => mp::read(text, max_wires),
    }
}

#[cfg(test)]
mod tests;
