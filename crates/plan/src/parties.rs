use serde::{Deserialize, Serialize};
use tacit_ir::{Program, RoleId, STORED_ROLE};

use crate::PlanError;

/// One of the two computing parties, by its role in Yao's protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Side {
    /// Garbles.
    Garbler,
    /// Evaluates what the garbler garbled.
    Evaluator,
}

impl Side {
    /// The other side.
    pub fn peer(self) -> Side {
        match self {
            Side::Garbler => Side::Evaluator,
            Side::Evaluator => Side::Garbler,
        }
    }
}

/// Who speaks for a role.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Speaker {
    Garbler,
    Evaluator,
    /// An outside party, which does not compute: it sends shares of its inputs to both computing parties, and
    /// receives shares of outputs.
    Outside(String),
    /// Nobody: shares are kept from run to run.
    Nobody,
}

/// Which party speaks for which role.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Parties {
    garbler: String,
    evaluator: String,
    roles: Vec<Speaker>,
}

impl Parties {
    /// Every role is a party of the same name. The first two compute; the others send them shares of their
    /// inputs.
    ///
    /// # Errors
    /// [`PlanError::PartyCount`] for programs of fewer than two roles.
    pub fn of_roles(program: &Program) -> Result<Parties, PlanError> {
        let names: Vec<String> = program.roles.iter().filter(|role| *role != STORED_ROLE).cloned().collect();
        match &names[..] {
            [first, second, ..] => Parties::among(program, [first, second], |role| Some(role.to_owned())),
            _ => Err(PlanError::PartyCount { found: names }),
        }
    }

    /// Asks `party_of` for the party of each role, in the program's order. All of them compute.
    ///
    /// # Errors
    /// [`PlanError::NoParty`] if a role has no party, [`PlanError::PartyCount`] if the roles do not belong to
    /// exactly two parties.
    pub fn assign(
        program: &Program,
        party_of: impl Fn(&str) -> Option<String>,
    ) -> Result<Parties, PlanError> {
        let mut distinct: Vec<String> = Vec::new();
        for role in program.roles.iter().filter(|role| *role != STORED_ROLE) {
            let name = party_of(role).ok_or_else(|| PlanError::NoParty { role: role.clone() })?;
            if !distinct.contains(&name) {
                distinct.push(name);
            }
        }
        let [first, second]: [String; 2] =
            distinct.try_into().map_err(|found| PlanError::PartyCount { found })?;
        Parties::among(program, [&first, &second], party_of)
    }

    /// Asks `party_of` for the party of each role, in the program's order. Only the two of `computing`
    /// compute: the one that speaks for the program's earlier role garbles, or the first of the two if
    /// neither speaks for a role.
    ///
    /// # Errors
    /// [`PlanError::NoParty`] if a role has no party.
    pub fn among(
        program: &Program,
        computing: [&str; 2],
        party_of: impl Fn(&str) -> Option<String>,
    ) -> Result<Parties, PlanError> {
        let names = program
            .roles
            .iter()
            .map(|role| match &role[..] {
                STORED_ROLE => Ok(None),
                role => party_of(role).map(Some).ok_or_else(|| PlanError::NoParty { role: role.to_owned() }),
            })
            .collect::<Result<Vec<_>, _>>()?;
        let [first, second] = computing;
        let earlier = names.iter().flatten().find(|name| computing.contains(&&name[..]));
        let (garbler, evaluator) = match earlier {
            Some(name) if name == second => (second, first),
            _ => (first, second),
        };
        let speaker = |name: Option<String>| match name {
            None => Speaker::Nobody,
            Some(name) if name == garbler => Speaker::Garbler,
            Some(name) if name == evaluator => Speaker::Evaluator,
            Some(name) => Speaker::Outside(name),
        };
        let roles = names.into_iter().map(speaker).collect();
        Ok(Parties { roles, garbler: garbler.to_owned(), evaluator: evaluator.to_owned() })
    }

    /// With the party as garbler that has this name or, if there is none, that speaks for the role of this
    /// name.
    ///
    /// # Errors
    /// [`PlanError::Garbler`] if that is no computing party.
    pub fn garbled_by(self, program: &Program, name: &str) -> Result<Parties, PlanError> {
        let role = || program.roles.iter().position(|role| role == name);
        let of_role = || self.side(RoleId(role()? as u32));
        match self.side_of(name).or_else(of_role) {
            Some(Side::Garbler) => Ok(self),
            Some(Side::Evaluator) => Ok(self.swapped()),
            None => {
                let computing = [Side::Garbler, Side::Evaluator].map(|side| self.name(side).to_owned());
                Err(PlanError::Garbler { found: name.to_owned(), computing })
            }
        }
    }

    /// With the sides exchanged.
    #[must_use]
    pub fn swapped(self) -> Parties {
        let swapped = |speaker| match speaker {
            Speaker::Garbler => Speaker::Evaluator,
            Speaker::Evaluator => Speaker::Garbler,
            others => others,
        };
        let Parties { garbler, evaluator, roles } = self;
        let roles = roles.into_iter().map(swapped).collect();
        Parties { garbler: evaluator, evaluator: garbler, roles }
    }

    /// The side that speaks for a role; none if both sides have shares.
    pub fn side(&self, role: RoleId) -> Option<Side> {
        match self.roles[role.index()] {
            Speaker::Garbler => Some(Side::Garbler),
            Speaker::Evaluator => Some(Side::Evaluator),
            Speaker::Outside(_) | Speaker::Nobody => None,
        }
    }

    /// The first 64 roles that the garbler speaks for, a bit each.
    pub(crate) fn garbler_roles(&self) -> u64 {
        let of_garbler = |role: &usize| self.roles[*role] == Speaker::Garbler;
        (0..self.roles.len().min(64)).filter(of_garbler).fold(0, |roles, role| roles | 1 << role)
    }

    /// The outside party of a role, if it has one.
    pub fn outside(&self, role: RoleId) -> Option<&str> {
        match &self.roles[role.index()] {
            Speaker::Outside(name) => Some(name),
            _ => None,
        }
    }

    /// The party that speaks for a role; none for [`STORED_ROLE`].
    pub fn party(&self, role: RoleId) -> Option<&str> {
        self.outside(role).or_else(|| self.side(role).map(|side| self.name(side)))
    }

    /// The outside parties, each once, in the order of their first roles.
    pub fn outside_parties(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for role in 0..self.roles.len() {
            let outside = self.outside(RoleId(role as u32));
            names.extend(outside.filter(|name| !names.contains(name)));
        }
        names
    }

    /// Whether any role gives or takes shares.
    pub fn any_shares(&self) -> bool {
        self.roles.iter().any(|speaker| matches!(speaker, Speaker::Outside(_) | Speaker::Nobody))
    }

    /// The name of the party on this side.
    pub fn name(&self, side: Side) -> &str {
        match side {
            Side::Garbler => &self.garbler,
            Side::Evaluator => &self.evaluator,
        }
    }

    /// The side of the party of this name.
    pub fn side_of(&self, party: &str) -> Option<Side> {
        [Side::Garbler, Side::Evaluator].into_iter().find(|side| self.name(*side) == party)
    }

    /// The number of roles that were assigned.
    pub fn role_count(&self) -> usize {
        self.roles.len()
    }
}

#[cfg(test)]
mod tests {
    use tacit_ir::Builder;

    use super::*;

    fn program(roles: &[&str]) -> Program {
        let mut builder = Builder::new("parties");
        roles.iter().for_each(|role| {
            builder.role(role);
        });
        let main = builder.template("main", vec![]);
        builder.finish(main).expect("an empty main is well formed")
    }

    #[test]
    fn first_role_garbles() {
        let parties = Parties::of_roles(&program(&["B", "A"])).unwrap();
        assert_eq!((parties.name(Side::Garbler), parties.name(Side::Evaluator)), ("B", "A"));
        assert_eq!(parties.side(RoleId(1)), Some(Side::Evaluator));
        assert_eq!(parties.side_of("A"), Some(Side::Evaluator));
        assert_eq!(parties.side_of("C"), None);
    }

    #[test]
    fn a_party_may_hold_several_roles() {
        let parties = Parties::assign(&program(&["A", "B", "C"]), |role| {
            Some(if role == "B" { "two" } else { "one" }.to_owned())
        })
        .unwrap();
        assert_eq!(parties.side(RoleId(2)), Some(Side::Garbler));
        assert_eq!(parties.side(RoleId(1)), Some(Side::Evaluator));
    }

    #[test]
    fn other_numbers_of_parties_are_refused() {
        for roles in [&["A"][..], &["A", STORED_ROLE], &[]] {
            assert!(matches!(Parties::of_roles(&program(roles)), Err(PlanError::PartyCount { .. })));
        }
        for roles in [&["A"][..], &["A", "B", "C"], &[]] {
            let all = Parties::assign(&program(roles), |role| Some(role.to_owned()));
            assert!(matches!(all, Err(PlanError::PartyCount { .. })));
        }
        let none = Parties::assign(&program(&["A", "B"]), |role| (role == "A").then(|| "x".to_owned()));
        assert_eq!(none, Err(PlanError::NoParty { role: "B".into() }));
    }

    #[test]
    fn further_roles_share_to_those_that_compute() {
        let parties = Parties::of_roles(&program(&["A", STORED_ROLE, "B", "C"])).unwrap();
        let roles = [0, 1, 2, 3].map(RoleId);
        assert_eq!(
            roles.map(|role| parties.side(role)),
            [Some(Side::Garbler), None, Some(Side::Evaluator), None]
        );
        assert_eq!(roles.map(|role| parties.party(role)), [Some("A"), None, Some("B"), Some("C")]);
        assert_eq!(parties.outside_parties(), ["C"]);
    }

    #[test]
    fn a_garbler_is_named_by_party_or_role() {
        let program = program(&["A", "B", "C", STORED_ROLE]);
        let of = |role: &str| Some(if role == "C" { "three" } else { role }.to_owned());
        let parties = Parties::among(&program, ["B", "A"], of).unwrap();
        let garbler = |name: &str| {
            let parties = parties.clone().garbled_by(&program, name)?;
            assert_eq!(parties.outside_parties(), ["three"]);
            Ok::<_, PlanError>(parties.name(Side::Garbler).to_owned())
        };
        assert_eq!(garbler("A"), Ok("A".to_owned()));
        assert_eq!(garbler("B"), Ok("B".to_owned()));
        for other in ["C", "three", STORED_ROLE, ""] {
            let error = garbler(other).unwrap_err();
            let computing = ["A".to_owned(), "B".to_owned()];
            assert_eq!(error, PlanError::Garbler { found: other.to_owned(), computing });
        }
        // Names of parties come first.
        let crossed = |role: &str| Some(if role == "A" { "B" } else { "A" }.to_owned());
        let two = self::program(&["A", "B"]);
        let crossed = Parties::assign(&two, crossed).unwrap();
        assert_eq!(crossed.clone().garbled_by(&two, "A").unwrap().name(Side::Garbler), "A");
        assert_eq!(crossed.clone().swapped().swapped(), crossed);
        let by_role = Parties::assign(&two, |role| Some(format!("party of {role}"))).unwrap();
        assert_eq!(by_role.garbled_by(&two, "B").unwrap().name(Side::Garbler), "party of B");
    }

    #[test]
    fn parties_may_compute_for_roles_that_are_all_elsewhere() {
        let of = |role: &str| Some(role.to_owned());
        let parties = Parties::among(&program(&["A", "B", "A"]), ["one", "two"], of).unwrap();
        assert_eq!((parties.name(Side::Garbler), parties.name(Side::Evaluator)), ("one", "two"));
        assert_eq!(parties.outside_parties(), ["A", "B"]);
        let parties = Parties::among(&program(&["A", "two", "one"]), ["one", "two"], of).unwrap();
        assert_eq!(parties.name(Side::Garbler), "two");
    }
}
