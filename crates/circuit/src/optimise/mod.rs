//! Reduces the ANDs of circuits without changing their functions.
//!
//! Two passes alternate until neither saves anything or the effort is spent. [`sweep`] merges nodes that are
//! equal or complements, including constants. [`cover`] chooses for each node a [cut](cuts) of few other
//! nodes and the [fewest ANDs](recipe) for its function of them; in the end also functions that agree only on
//! values that are [reached](reachable). Both see only the circuit, so the result depends on nothing else.

mod budget;
mod cover;
mod cut;
mod cuts;
pub(crate) mod function;
pub(crate) mod patterns;
pub(crate) mod reachable;
mod recipe;
pub(crate) mod sweep;
#[cfg(test)]
mod tests;
pub(crate) mod window;

use std::ops::RangeInclusive;

use budget::Budget;
use cover::Cover;
use cuts::{Bounds, Cuts};
use reachable::Reachable;
use recipe::Recipes;

use crate::circuit::{Circuit, CircuitError};
use crate::objective::Objective;

/// The amount of work that [`optimise`] may do, in steps: small operations, of which a core does about 2^24
/// in a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptimiserBudget {
    /// No pass begins after this many steps.
    pub steps: u64,
}

/// The progress that [`optimise`] reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Steps done.
    pub steps: u64,
    /// Current number of ANDs.
    pub and_count: u64,
}

/// Nodes of the largest circuit that is optimised, to bound memory to about a gigabyte.
pub(crate) const LARGEST: usize = 1 << 21;
/// From this many steps on, values that nodes never take together are searched for, which takes the most work
/// for its saving.
pub(crate) const REACHABLE_ABOVE: u64 = 1 << 22;
/// Rounds of choosing cuts before the circuit is rewritten.
pub(crate) const ROUNDS: usize = 3;

/// The bounds of the first rounds.
const FIRST: Bounds = Bounds { leaves: 4, cuts: 8 };

/// A circuit with the same functions and at most as many ANDs, and the steps taken. Equal circuits and
/// efforts always give equal results. `progress` is called after every pass.
///
/// Cost: passes of a few hundred steps for each gate until the effort is spent.
pub fn optimise(circuit: Circuit, effort: OptimiserBudget, progress: impl FnMut(Progress)) -> (Circuit, u64) {
    optimise_for(circuit, Objective::Size, effort, progress)
}

/// As [`optimise`], for an objective: if depth counts, the circuit gets no deeper.
pub fn optimise_for(
    circuit: Circuit,
    objective: Objective,
    effort: OptimiserBudget,
    progress: impl FnMut(Progress),
) -> (Circuit, u64) {
    let Optimised { circuit, steps, .. } =
        Optimiser::default().optimise(circuit, objective, effort, progress);
    (circuit, steps)
}

/// The result of [`Optimiser::optimise`].
#[derive(Clone, Debug)]
pub struct Optimised {
    /// The circuit.
    pub circuit: Circuit,
    /// The steps taken.
    pub steps: u64,
    /// All efforts that give the same circuit in the same steps.
    pub efforts: RangeInclusive<u64>,
}

/// Optimises circuits as [`optimise_for`] does, and keeps its results for small functions for the next
/// circuit.
#[derive(Default)]
pub struct Optimiser {
    recipes: Recipes,
}

impl Optimiser {
    /// As [`optimise_for`].
    pub fn optimise(
        &mut self,
        circuit: Circuit,
        objective: Objective,
        effort: OptimiserBudget,
        mut progress: impl FnMut(Progress),
    ) -> Optimised {
        let recipes = &mut self.recipes;
        let (mut best, mut steps, mut round) = (circuit, 0, 0usize);
        let (mut bounds, mut looks) = (FIRST, false);
        let (mut least, mut most) = (0, u64::MAX);
        let is_workable = |circuit: &Circuit| circuit.node_count() <= LARGEST && circuit.and_count() > 0;
        while is_workable(&best) {
            let needed = steps + passes(&best, bounds);
            if needed > effort.steps {
                most = most.min(needed - 1);
                break;
            }
            least = least.max(needed);
            let ands = best.and_count();
            // A circuit that exceeds the general bound is rejected.
            let Ok((swept, swept_steps)) = sweep::sweep(&best, objective) else { break };
            let budget =
                (objective == Objective::Depth).then(|| Budget::new(&swept, round.is_multiple_of(2)));
            let reachable = looks.then(|| Reachable::new(&swept));
            let Ok((next, cover_steps)) = rewritten(&swept, bounds, budget, recipes, reachable) else {
                break;
            };
            round += 1;
            steps += swept_steps + cover_steps + 1;
            best = [swept, next]
                .into_iter()
                .fold(best, |best, other| if better(&other, &best, objective) { other } else { best });
            progress(Progress { steps, and_count: best.and_count() });
            if best.and_count() != ands {
                continue;
            }
            match bounds.leaves {
                function::VARIABLES if looks => break,
                function::VARIABLES if effort.steps <= REACHABLE_ABOVE => {
                    most = most.min(REACHABLE_ABOVE);
                    break;
                }
                function::VARIABLES => {
                    least = least.max(REACHABLE_ABOVE + 1);
                    (bounds, looks) = (FIRST, true);
                }
                _ => bounds = Bounds { leaves: bounds.leaves + 1, cuts: bounds.cuts + 4 },
            }
        }
        Optimised { circuit: best, steps, efforts: least..=most }
    }
}

/// The approximate number of steps of one round of passes.
fn passes(circuit: &Circuit, bounds: Bounds) -> u64 {
    (circuit.node_count() * bounds.cuts * bounds.cuts) as u64
}

/// Fewer layers if they count, or as many and fewer ANDs, or as many and fewer gates.
fn better(a: &Circuit, b: &Circuit, objective: Objective) -> bool {
    let layers = |circuit: &Circuit| match objective {
        Objective::Size => 0,
        Objective::Depth => budget::deepest(circuit, &budget::depths(circuit)),
    };
    let cost = |circuit: &Circuit| (layers(circuit), circuit.and_count(), circuit.node_count());
    cost(a) < cost(b)
}

/// Chooses cuts and rewrites the circuit.
fn rewritten(
    circuit: &Circuit,
    bounds: Bounds,
    budget: Option<Budget>,
    recipes: &mut Recipes,
    reachable: Option<Reachable<'_>>,
) -> Result<(Circuit, u64), CircuitError> {
    let (cuts, mut steps) = Cuts::new(circuit, bounds, recipes, reachable);
    let mut cover = Cover::new(circuit, &cuts, budget);
    for _ in 0..ROUNDS {
        if !cover.improve(recipes) {
            break;
        }
    }
    steps += cover.steps;
    Ok((cover.circuit(recipes)?, steps))
}
