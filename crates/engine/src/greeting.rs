//! The parties of a run, and the fields of the run that they compare when they meet.

use tacit_ir::Program;
use tacit_net::session::{Config, Field};
use tacit_plan::{Plan, SecurityParams, Side};

use crate::RunError;
use crate::constants::build;

/// The session without parties that take no part in the run.
pub(crate) fn session_with(plan: &Plan, session: &Config) -> Result<Config, RunError> {
    let parties = plan.parties();
    let computing = [Side::Garbler, Side::Evaluator].map(|side| parties.name(side));
    let outside_parties = parties.outside_parties();
    let mut session = session.clone();
    session
        .parties
        .retain(|party| computing.contains(&&party.name[..]) || outside_parties.contains(&&party.name[..]));
    session.computing = match outside_parties.is_empty() {
        true => Vec::new(),
        false => computing.map(str::to_owned).to_vec(),
    };
    let absent = |name: &&&str| session.parties.iter().all(|party| party.name != ***name);
    let missing = computing.iter().chain(&outside_parties).find(absent);
    match missing {
        Some(name) => Err(refuse(name, "speaks for a role of the program but is not in the session")),
        None => Ok(session),
    }
}

pub(crate) fn refuse(party: &str, reason: &'static str) -> RunError {
    RunError::Party { party: party.to_owned(), reason }
}

/// The fields that must be the same at both parties of a session of one run, the most informative first.
pub(crate) fn greeting(program: &Program, plan: &Plan, compiler: &str) -> Vec<Field> {
    let kind = [Field::text("kind of session", "one run")];
    build().fields().into_iter().chain(kind).chain(fields(program, plan, compiler)).collect()
}

/// The fields of a run that must be the same at both parties, the most informative first: choices before
/// their consequences.
pub(crate) fn fields(program: &Program, plan: &Plan, compiler: &str) -> Vec<Field> {
    let parties = plan.parties();
    let role = |(index, name): (usize, &String)| {
        let role = tacit_ir::RoleId(index as u32);
        match (parties.party(role), parties.side(role)) {
            (Some(party), Some(_)) => format!("{name} is {party}"),
            (Some(party), None) => format!("{name} is {party}, which does not compute"),
            (None, _) => "shares are kept".to_owned(),
        }
    };
    let roles: Vec<_> = program.roles.iter().enumerate().map(role).collect();
    let mut domains: Vec<_> = plan.domains().iter().map(|work| work.domain.clone()).collect();
    let classes = plan.lowering().assigned;
    domains.extend((!classes.is_empty()).then(|| classes.to_string()));
    let made = if compiler.is_empty() { String::new() } else { format!(", made by {compiler}") };
    vec![
        Field::new(
            "program",
            *plan.program_hash(),
            format!("{} {}{made}", program.name, short(plan.program_hash())),
        ),
        Field::text("roles", roles.join(", ")),
        security_field(plan.security()),
        Field::text("planned link", plan.link().to_string()),
        Field::text("objective", plan.goal().to_string()),
        Field::new("profile", plan.profile().hash(), plan.profile().to_string()),
        Field::text("effort", plan.effort().to_string()),
        Field::text("domain", domains.join(", ")),
        Field::text("garbler", parties.name(Side::Garbler)),
        Field::text("mode", plan.mode().to_string()),
        Field::text("garbling", plan.garbling().to_string()),
        Field::text("oblivious transfers", plan.transfers().to_string()),
        Field::text("products by lattices online", plan.lattices().online.len().to_string()),
        Field::text("products by lattices", plan.lattices().all().len().to_string()),
        Field::new("plan", *plan.hash(), short(plan.hash())),
    ]
}

/// The security parameters, for comparison.
pub(crate) fn security_field(security: &SecurityParams) -> Field {
    Field::text("security parameters", security.to_string())
}

/// The first digits of a hash.
fn short(hash: &[u8; 32]) -> String {
    hash[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}
