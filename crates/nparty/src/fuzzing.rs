//! Private decoders, for fuzzing. Not part of the interface.

use std::sync::Arc;

use tacit_crypto::{Prg, Secret};
use tacit_math::Block;
use tacit_math::field::{Field, Gf256, Mersenne61, Montgomery};
use zeroize::Zeroizing;

use crate::error::RunError;
use crate::parties::PartyIndex;
use crate::program::{Task, Value};
use crate::prss::Prss;
use crate::runtime::reactors::Reactors;
use crate::runtime::security::LEAST_STATISTICAL_BITS;
use crate::runtime::shared::ProgramLink;
use crate::scheme::Scheme;
use crate::stored::agree;
use crate::stored::material::Material;

const PARTIES: PartyIndex = 3;
const DEALERS: PartyIndex = 5;

/// The maximum number of copied elements whose work runs at once.
const MOST_ELEMENTS: usize = 1 << 20;

/// Messages to the first of three parties, whose program waits for them: each has its sender, as a byte, and its
/// head.
pub fn messages(bytes: &[u8]) {
    said_to_the_first(PARTIES, bytes);
}

/// The same among five parties, who deal their randomness.
pub fn dealt_messages(bytes: &[u8]) {
    said_to_the_first(DEALERS, bytes);
}

fn said_to_the_first(parties: PartyIndex, bytes: &[u8]) {
    let (mut reactors, task) = party(0, parties);
    let values = program(&task).expect("a program");
    let _ = hear(&mut reactors, parties, bytes);
    drop(values);
}

fn hear(reactors: &mut Reactors<Mersenne61>, parties: PartyIndex, mut bytes: &[u8]) -> Result<(), RunError> {
    reactors.take_written();
    reactors.run(MOST_ELEMENTS)?;
    while let Some(([sender, l0, l1, l2, field], rest)) = bytes.split_first_chunk() {
        let length = u32::from_le_bytes([*l0, *l1, *l2, 0]) as usize;
        let message;
        (message, bytes) = rest.split_at(length.min(rest.len()));
        let sender = 1 + PartyIndex::from(*sender) % (parties - 1);
        let received = reactors.receive(sender, *field, message);
        let after = received.and_then(|()| reactors.run(MOST_ELEMENTS));
        if let Err(error) = after {
            reactors.tell_failure(&error);
            reactors.end(&error);
            return Err(error);
        }
        reactors.is_crowded(sender);
        reactors.late();
        reactors.tell_progress();
        reactors.answer();
    }
    Ok(())
}

/// The state of a party, with known keys.
fn party(me: PartyIndex, parties: PartyIndex) -> (Reactors<Mersenne61>, Task<Mersenne61>) {
    let scheme = Scheme::new(Mersenne61, parties, (parties - 1) / 2).expect("a scheme");
    let all = scheme.sets().expect("few sets");
    let key =
        |set: &crate::Parties| Secret::new(Block(set.iter().fold(77, |key, one| key * 31 + one as u128)));
    let keys: Vec<_> = all.iter().filter(|set| set.contains(me)).map(key).collect();
    let keys = Prss::new(scheme.clone(), me, &keys).expect("a key for each set");
    let names = (0..parties).map(|party| party.to_string()).collect();
    let shared = Arc::new(ProgramLink::new((scheme, LEAST_STATISTICAL_BITS), me, names, Arc::new(|| {})));
    let reactors = Reactors::new(&shared, keys, || Ok(Prg::new(Block(me as u128)))).expect("a state");
    (reactors, Task::root(shared).expect("a task"))
}

/// Inputs, products, openings and a synchronisation in two fields.
fn program(task: &Task<Mersenne61>) -> Result<(Value<Mersenne61>, Value<Gf256>), RunError> {
    let bytes = task.bytes()?;
    let own = both(task)?;
    let in_bytes = both(bytes)?;
    task.synchronise()?;
    Ok((own, in_bytes))
}

fn both<F: Field>(task: &Task<F>) -> Result<Value<F>, RunError> {
    let given = |owner| (task.me() == owner).then(|| vec![task.field().element(owner as u64 + 3); 4]);
    let (a, b) = (task.input(1, 4, given(1))?, task.input(2, 4, given(2))?);
    task.open(&task.mul(&task.mul(&a, &b)?, &b)?)
}

/// A peer's list of its stored material.
pub fn holdings(bytes: &[u8]) {
    agree::fuzz(bytes);
}

/// The kind of an entry in a store, a line, and the entry.
pub fn material(bytes: &[u8]) {
    let Some(end) = bytes.iter().position(|byte| *byte == b'\n') else { return };
    let Ok(kind) = str::from_utf8(&bytes[..end]) else { return };
    let Ok(material) = kind.parse::<Material>() else { return };
    assert_eq!(material.to_string().parse(), Ok(material));
    let entry = &bytes[end + 1..];
    joined(&Mersenne61, material, entry);
    joined(&Gf256, material, entry);
    joined(&Montgomery::<1>::new(&[11]).expect("odd"), material, entry);
}

fn joined<F: Field>(field: &F, material: Material, entry: &[u8]) {
    let entries = [Zeroizing::new(entry.to_vec()), Zeroizing::new(entry.to_vec())];
    let (parts, _) = material.parts();
    let mut at = 0;
    for part in parts {
        if let Ok(all) = part.joined(field, &entries, at) {
            assert_eq!(all.len(), 2 * part.length());
            let mut again = Vec::new();
            part.append(field, &all, 1, &mut again);
            // Every entry contains a part without rows, however short it is.
            assert!(entry.get(at..).unwrap_or_default().starts_with(&again));
        }
        at += part.length() * field.bytes();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// The messages of the others to the first party, and whether it received what the program opens.
    fn said(parties: PartyIndex) -> (Vec<u8>, bool) {
        let (mut states, tasks): (Vec<_>, Vec<_>) = (0..parties).map(|me| party(me, parties)).unzip();
        let values: Vec<_> = tasks.iter().map(|task| program(task).expect("a program")).collect();
        let got = Arc::new(Mutex::new(None));
        let read = got.clone();
        let reply = move |opened| *read.lock().expect("not poisoned") = Some(opened);
        tasks[0].read(&values[0].0, reply).expect("public");
        let mut said = Vec::new();
        for _ in 0..8 {
            let sent: Vec<Vec<_>> = states
                .iter_mut()
                .map(|state| {
                    state.take_written();
                    state.run(MOST_ELEMENTS).expect("one program");
                    state.answer();
                    (0..parties).map(|peer| state.outgoing(peer)).collect()
                })
                .collect();
            for (from, to) in (0..parties).flat_map(|from| (0..parties).map(move |to| (from, to))) {
                for message in &sent[from][to] {
                    states[to].receive(from, message[3], &message[4..]).expect("well-formed");
                    if to == 0 {
                        said.push(from as u8 - 1);
                        said.extend(message);
                    }
                }
            }
        }
        let got = got.lock().expect("not poisoned").take();
        (said, got.is_some_and(|opened| opened.is_ok_and(|opened| opened == [4 * 5 * 5; 4])))
    }

    #[test]
    fn what_parties_say_is_understood() {
        for parties in [PARTIES, DEALERS] {
            let (said, opened) = said(parties);
            assert!(opened, "{parties} parties");
            let (mut state, task) = party(0, parties);
            let _values = program(&task).expect("a program");
            hear(&mut state, parties, &said).expect("one program");
            assert!(state.waiting().is_empty());
        }
    }

    #[test]
    fn whatever_is_changed_of_what_dealers_say_ends_in_results_or_an_error() {
        let (said, _) = said(DEALERS);
        for place in (0..said.len()).step_by(7) {
            for change in [1, 0x80] {
                let mut changed = said.clone();
                changed[place] ^= change;
                dealt_messages(&changed);
            }
            dealt_messages(&said[..place]);
        }
    }
}
