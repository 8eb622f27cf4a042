//! Merging nodes that are equal or complements of each other.
//!
//! The values of nodes on some patterns of inputs show which nodes may be equal. With few inputs all patterns
//! are tried, which is a proof. Otherwise a pair is proven equal in a window: nodes that determine both, over
//! all of their values (Mishchenko, Chatterjee, Jiang and Brayton, FRAIGs, 2005, with windows instead of a
//! SAT solver, so that the effort is known).

use foldhash::{HashMap, HashMapExt};

use super::patterns::Patterns;
use super::window::Window;
use crate::builder::CircuitBuilder;
use crate::circuit::{Circuit, CircuitError, Node};
use crate::lit::Lit;
use crate::objective::Objective;

/// After this many failed proofs for nodes that look alike, no more are tried.
pub(crate) const FAILURES: u32 = 6;

/// The circuit with equal nodes merged, and the steps taken. If depth counts, no node is replaced by a deeper
/// one.
pub(super) fn sweep(circuit: &Circuit, objective: Objective) -> Result<(Circuit, u64), CircuitError> {
    let patterns = Patterns::of(circuit);
    let mut steps = (circuit.node_count() * patterns.words) as u64;
    let mut classes: HashMap<&[u64], Class> = HashMap::new();
    let values = patterns.normalised(circuit);
    let depths = (objective == Objective::Depth).then(|| super::budget::depths(circuit));
    let mut builder = CircuitBuilder::new();
    let mut lits: Vec<Lit> = vec![Lit::FALSE];
    for width in circuit.inputs() {
        lits.extend(builder.input(*width));
    }
    for node in 0..circuit.node_count() as u32 {
        let value = &values.words[node as usize * patterns.words..][..patterns.words];
        let flip = values.flipped[node as usize];
        let class = classes.entry(value).or_insert(Class { first: node, failures: 0 });
        let (first, mut equal) = (class.first, false);
        let deeper = depths.as_ref().is_some_and(|depths| depths[first as usize] > depths[node as usize]);
        if first != node && !deeper && circuit.is_gate(node) && class.failures < FAILURES {
            equal = patterns.exhaustive
                || Window::new(circuit, &[first, node]).proves_equal(circuit, first, node, &mut steps);
            class.failures += u32::from(!equal);
        }
        let opposite = values.flipped[first as usize] != flip;
        match circuit.node(node) {
            Node::Constant | Node::Input => {}
            _ if equal => lits.push(lits[first as usize].flip(opposite)),
            Node::And(a, b) => {
                let lit = builder.and(read(&lits, a), read(&lits, b));
                lits.push(lit);
            }
            Node::Xor(a, b) => {
                let lit = builder.xor(read(&lits, a), read(&lits, b));
                lits.push(lit);
            }
        }
    }
    let outputs = circuit.outputs().iter();
    let groups = outputs.map(|group| group.iter().map(|lit| read(&lits, *lit)).collect()).collect();
    Ok((builder.finish(groups)?, steps))
}

fn read(lits: &[Lit], lit: Lit) -> Lit {
    lits[lit.node() as usize].flip(lit.is_inverted())
}

/// Nodes that look alike.
struct Class {
    first: u32,
    failures: u32,
}
