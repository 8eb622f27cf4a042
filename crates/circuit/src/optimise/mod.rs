//! Fewer ANDs for the same functions.
//!
//! Two passes in turn, until neither saves anything or the effort is spent. [`sweep`] merges nodes that are equal or
//! complements, constants among them. [`cover`] chooses, for each node, a [cut](cuts) of few others and the
//! [least ANDs](recipe) for its function of them. Both see the circuit alone, so that what comes out depends on nothing
//! else.

mod cover;
mod cuts;
mod function;
mod recipe;
mod sweep;
#[cfg(test)]
mod tests;

use cover::Cover;
use cuts::{Bounds, Cuts};
use recipe::Recipes;

use crate::circuit::{Circuit, CircuitError};

/// How much work [`optimise`] may do, in steps: about as many are done in a second as a core does 2^24 small things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Steps after which no further pass is begun.
    pub steps: u64,
}

/// What [`optimise`] tells while it works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Steps done.
    pub steps: u64,
    /// ANDs now.
    pub and_count: u64,
}

/// Nodes of the largest circuit that is worked on, so that memory is bounded: about a gigabyte.
const LARGEST: usize = 1 << 21;
/// Rounds of choosing cuts before the circuit is written anew.
const ROUNDS: usize = 3;

/// A circuit of the same functions with at most as many ANDs, and the steps taken; equal circuits and efforts give equal
/// ones everywhere. `progress` is called after every pass.
///
/// Cost: passes of a few hundred steps for each gate until the effort is spent.
pub fn optimise(circuit: Circuit, effort: Effort, mut progress: impl FnMut(Progress)) -> (Circuit, u64) {
    let mut recipes = Recipes::default();
    let (mut best, mut steps) = (circuit, 0);
    let mut bounds = Bounds { leaves: 4, cuts: 8 };
    let is_workable = |circuit: &Circuit| circuit.node_count() <= LARGEST && circuit.and_count() > 0;
    while is_workable(&best) && steps + passes(&best, bounds) <= effort.steps {
        let ands = best.and_count();
        // What outgrows the bound of all circuits is not taken.
        let Ok((swept, swept_steps)) = sweep::sweep(&best) else { break };
        let Ok((next, cover_steps)) = rewritten(&swept, bounds, &mut recipes) else { break };
        steps += swept_steps + cover_steps + 1;
        best = [swept, next]
            .into_iter()
            .fold(best, |best, other| if smaller(&other, &best) { other } else { best });
        progress(Progress { steps, and_count: best.and_count() });
        if best.and_count() == ands {
            if bounds.leaves == function::VARIABLES {
                break;
            }
            bounds = Bounds { leaves: bounds.leaves + 1, cuts: bounds.cuts + 4 };
        }
    }
    (best, steps)
}

/// About the steps of one round of passes.
fn passes(circuit: &Circuit, bounds: Bounds) -> u64 {
    (circuit.node_count() * bounds.cuts * bounds.cuts) as u64
}

/// Fewer ANDs, or as many and fewer gates.
fn smaller(a: &Circuit, b: &Circuit) -> bool {
    (a.and_count(), a.node_count()) < (b.and_count(), b.node_count())
}

/// Chooses cuts and writes the circuit anew.
fn rewritten(
    circuit: &Circuit,
    bounds: Bounds,
    recipes: &mut Recipes,
) -> Result<(Circuit, u64), CircuitError> {
    let (cuts, mut steps) = Cuts::new(circuit, bounds, recipes);
    let mut cover = Cover::new(circuit, &cuts);
    for _ in 0..ROUNDS {
        if !cover.improve() {
            break;
        }
    }
    steps += cover.steps;
    Ok((cover.circuit(recipes)?, steps))
}
