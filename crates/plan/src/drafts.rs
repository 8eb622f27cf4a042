//! Which domains are worth optimising, judged by drafts: candidates with unoptimised circuits.
//!
//! Writing circuits takes little of the planning time; making them smaller takes most of it. Both parties
//! make the same drafts, so they leave out the same domains.

use tacit_ir::Domain;

use crate::{Goal, Objective, PhaseTime, PlanError, Prediction};

/// Making circuits smaller leaves at least 1 part in `LEAST_LEFT` of the computing and sending of a draft
/// beyond what every run takes.
pub(crate) const LEAST_LEFT: u64 = 3;
/// Wider ANDs leave at least 1 in `LEAST_ROUNDS_LEFT` of its rounds.
pub(crate) const LEAST_ROUNDS_LEFT: u64 = 2;

/// The prediction for a domain before any optimisation.
pub(crate) struct Draft {
    /// How it is lowered.
    pub(crate) lowering: tacit_lower::Options,
    pub(crate) prediction: Prediction,
    /// The least that any run with values shared in this way takes.
    pub(crate) least: Prediction,
    /// ANDs.
    pub(crate) ands: u64,
}

impl Draft {
    fn drawn(&self, goal: Goal) -> u64 {
        self.prediction.of(goal).0
    }

    /// A lower bound on the objective after all optimisation.
    fn bound(&self, goal: Goal) -> u64 {
        let [drawn, least] = [&self.prediction, &self.least];
        let setup = least_time(drawn.time.setup, least.time.setup);
        let online = least_time(drawn.time.online, least.time.online);
        match goal.objective {
            Objective::Total => setup.saturating_add(online),
            Objective::Online => online,
            Objective::Bytes => between(least.bytes(), drawn.bytes(), LEAST_LEFT),
            Objective::Money => {
                let [drawn, least] = [drawn, least].map(|one| one.money(goal.tariff));
                between(least, drawn, LEAST_LEFT)
            }
            Objective::Memory => between(0, drawn.memory.larger().bytes, LEAST_LEFT),
        }
    }
}

/// A lower bound on the nanoseconds of a phase.
fn least_time(drawn: PhaseTime, least: PhaseTime) -> u64 {
    between(least.computing_ns, drawn.computing_ns, LEAST_LEFT)
        .saturating_add(between(least.sending_ns, drawn.sending_ns, LEAST_LEFT))
        .saturating_add(between(least.waiting_ns, drawn.waiting_ns, LEAST_ROUNDS_LEFT))
}

/// The point one `parts`-th of the way from the first to the second.
fn between(least: u64, drawn: u64, parts: u64) -> u64 {
    least.saturating_add(drawn.saturating_sub(least) / parts)
}

/// Whether making circuits smaller has left less of `ands` in a domain than is assumed of all domains, so that
/// what was left out may be better after all.
pub(crate) fn are_beaten(drafts: &[Draft], domain: Domain, ands: u64) -> bool {
    let own = drafts.iter().filter(|draft| draft.lowering.domain == domain);
    own.map(|draft| draft.ands).min().is_some_and(|drawn| ands.saturating_mul(LEAST_LEFT) < drawn)
}

/// The drafts of a domain, one for each way to lower it; `None` for a way that cannot lead to the best plan.
pub(crate) type Ways = Vec<Result<Option<Draft>, PlanError>>;

/// A domain whose best candidate may be the best overall.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Tried {
    pub(crate) domain: Domain,
    /// The indices of ways to lower it that are left out.
    pub(crate) without: Vec<usize>,
}

impl Tried {
    /// A domain with all of its ways.
    pub(crate) fn all(domain: Domain) -> Tried {
        Tried { domain, without: Vec::new() }
    }
}

/// The smallest objective among drafts.
pub(crate) fn least<'d>(drafts: impl Iterator<Item = &'d Draft>, goal: Goal) -> Option<u64> {
    drafts.map(|draft| draft.drawn(goal)).min()
}

/// The domains whose best candidates may be the best overall, and all drafts. A domain whose draft exceeds a
/// budget is included, since smaller circuits may be within it. With `every`, no way is left out.
///
/// # Errors
/// That of the first draft, if no domain is left.
pub(crate) fn worthwhile(
    domains: &[Domain],
    drawn: Vec<Ways>,
    goal: Goal,
    every: bool,
) -> Result<(Vec<Tried>, Vec<Draft>), PlanError> {
    let best = least(drawn.iter().flatten().flatten().flatten(), goal).unwrap_or(u64::MAX);
    let may_be_best = |draft: &Draft| draft.drawn(goal) == best || draft.bound(goal) < best;
    let tried = domains.iter().zip(&drawn).filter_map(|(domain, ways)| {
        // Judge a domain by the best of its ways, and by the first error if there is none.
        let drafts = ways.iter().flatten().flatten();
        let is_tried = match drafts.min_by_key(|draft| draft.prediction.of(goal)) {
            Some(draft) => may_be_best(draft),
            None => matches!(ways.iter().find_map(|way| way.as_ref().err()), Some(PlanError::Budget { .. })),
        };
        let is_left_out = |way: &Result<Option<Draft>, PlanError>| match way {
            Ok(Some(draft)) => !every && !may_be_best(draft),
            Ok(None) => true,
            Err(_) => false,
        };
        let without = (0..ways.len()).filter(|way| is_left_out(&ways[*way])).collect();
        is_tried.then_some(Tried { domain: *domain, without })
    });
    let tried: Vec<Tried> = tried.collect();
    let mut errors = Vec::new();
    let drafts =
        drawn.into_iter().flatten().filter_map(|way| way.map_err(|error| errors.push(error)).ok()).flatten();
    let drafts: Vec<Draft> = drafts.collect();
    match tried.is_empty() {
        true => Err(errors.into_iter().next().unwrap_or(PlanError::NoDomain)),
        false => Ok((tried, drafts)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PredictedTime;

    const DOMAINS: [Domain; 3] = [Domain::Yao, Domain::Arith, Domain::Bool];

    /// A draft with these online times, of which every run takes at least `least`.
    fn draft(computing_ns: u64, waiting_ns: u64, least: u64) -> Result<Option<Draft>, PlanError> {
        let of = |computing_ns, waiting_ns| {
            let online = PhaseTime { computing_ns, waiting_ns, ..PhaseTime::default() };
            Prediction { time: PredictedTime { online, ..PredictedTime::default() }, ..Prediction::default() }
        };
        let lowering = tacit_lower::Options::default();
        let ands = computing_ns;
        Ok(Some(Draft { lowering, prediction: of(computing_ns, waiting_ns), least: of(least, 0), ands }))
    }

    fn beyond() -> Result<Option<Draft>, PlanError> {
        Err(PlanError::Budget { what: "ANDs", needed: 2, limit: 1 })
    }

    fn tried(drafts: [Result<Option<Draft>, PlanError>; 3]) -> Result<Vec<Domain>, PlanError> {
        let ways = drafts.into_iter().map(|draft| vec![draft]).collect();
        let tried = worthwhile(&DOMAINS, ways, Goal::default(), false)?.0;
        Ok(tried.into_iter().map(|tried| tried.domain).collect())
    }

    #[test]
    fn ways_that_cannot_become_the_best_are_left_out() {
        let ways = |every| {
            let first = vec![draft(100, 0, 0), draft(300, 0, 0)];
            let rest = [vec![draft(400, 0, 0), draft(200, 0, 0)], vec![Ok(None), Ok(None)]];
            let all = [first].into_iter().chain(rest).collect();
            worthwhile(&DOMAINS, all, Goal::default(), every).unwrap().0
        };
        let [yao, arith, _] = DOMAINS;
        let of = |domain, without: &[usize]| Tried { domain, without: without.to_vec() };
        assert_eq!(ways(false), [of(yao, &[1]), of(arith, &[0])]);
        assert_eq!(ways(true), [Tried::all(yao), Tried::all(arith)]);
    }

    #[test]
    fn domains_that_cannot_become_the_best_are_left_out() {
        let [yao, arith, bool] = DOMAINS;
        assert_eq!(tried([draft(100, 0, 0), draft(299, 0, 0), draft(300, 0, 0)]), Ok(vec![yao, arith]));
        assert_eq!(tried([draft(0, 200, 0), draft(0, 100, 0), draft(0, 199, 0)]), Ok(vec![arith, bool]));
        // Optimisation cannot reduce what every run takes.
        assert_eq!(tried([draft(110, 0, 90), draft(120, 0, 110), draft(400, 0, 10)]), Ok(vec![yao]));
        assert_eq!(tried([draft(100, 0, 0), draft(100, 0, 0), draft(900, 0, 0)]), Ok(vec![yao, arith]));
    }

    #[test]
    fn circuits_that_nearly_vanish_put_everything_in_doubt() {
        let drafts: Vec<_> = [300, 100].map(|ands| draft(ands, 0, 0).unwrap().unwrap()).into();
        let domain = tacit_lower::Options::default().domain;
        assert!(!are_beaten(&drafts, domain, 34) && are_beaten(&drafts, domain, 33));
        assert!(!are_beaten(&drafts, Domain::Bool, 0) && !are_beaten(&[], domain, 0));
    }

    #[test]
    fn domains_beyond_a_budget_are_tried_and_others_without_a_draft_are_not() {
        let [yao, arith, bool] = DOMAINS;
        assert_eq!(tried([beyond(), draft(1, 0, 0), Err(PlanError::NoDomain)]), Ok(vec![yao, arith]));
        assert_eq!(tried([Err(PlanError::NoDomain), beyond(), beyond()]), Ok(vec![arith, bool]));
        let none = [0, 1, 2].map(|_| Err(PlanError::NoDomain));
        assert_eq!(tried(none), Err(PlanError::NoDomain));
    }
}
