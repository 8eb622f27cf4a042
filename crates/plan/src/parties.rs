use serde::{Deserialize, Serialize};
use tacit_ir::{Program, RoleId};

use crate::PlanError;

/// One of the two computing parties, by what it does in Yao's protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Side {
    /// Garbles: the party of the program's first role.
    Garbler,
    /// Evaluates what the other garbled.
    Evaluator,
}

impl Side {
    /// The other one.
    pub fn peer(self) -> Side {
        match self {
            Side::Garbler => Side::Evaluator,
            Side::Evaluator => Side::Garbler,
        }
    }
}

/// Which party speaks for which role.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Parties {
    garbler: String,
    evaluator: String,
    roles: Vec<Side>,
}

impl Parties {
    /// Every role is a party of its own name, which fits programs of exactly two roles.
    ///
    /// # Errors
    /// As [`Parties::assign`].
    pub fn of_roles(program: &Program) -> Result<Parties, PlanError> {
        Parties::assign(program, |role| Some(role.to_owned()))
    }

    /// Asks `party_of` for the party of each role, in the program's order.
    ///
    /// # Errors
    /// [`PlanError::NoParty`] where a role has none, [`PlanError::PartyCount`] where the roles do not belong to
    /// exactly two parties.
    pub fn assign(
        program: &Program,
        party_of: impl Fn(&str) -> Option<String>,
    ) -> Result<Parties, PlanError> {
        let names = program
            .roles
            .iter()
            .map(|role| party_of(role).ok_or_else(|| PlanError::NoParty { role: role.clone() }))
            .collect::<Result<Vec<_>, _>>()?;
        let mut distinct: Vec<String> = Vec::new();
        names.iter().for_each(|name| {
            if !distinct.contains(name) {
                distinct.push(name.clone());
            }
        });
        let [garbler, evaluator]: [String; 2] =
            distinct.try_into().map_err(|found| PlanError::PartyCount { found })?;
        let side = |name: &String| if *name == garbler { Side::Garbler } else { Side::Evaluator };
        Ok(Parties { roles: names.iter().map(side).collect(), garbler, evaluator })
    }

    /// The side that speaks for a role.
    pub fn side(&self, role: RoleId) -> Side {
        self.roles[role.index()]
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
        assert_eq!(parties.side(RoleId(1)), Side::Evaluator);
        assert_eq!(parties.side_of("A"), Some(Side::Evaluator));
        assert_eq!(parties.side_of("C"), None);
    }

    #[test]
    fn a_party_may_hold_several_roles() {
        let parties = Parties::assign(&program(&["A", "B", "C"]), |role| {
            Some(if role == "B" { "two" } else { "one" }.to_owned())
        })
        .unwrap();
        assert_eq!(parties.side(RoleId(2)), Side::Garbler);
        assert_eq!(parties.side(RoleId(1)), Side::Evaluator);
    }

    #[test]
    fn other_numbers_of_parties_are_refused() {
        for roles in [&["A"][..], &["A", "B", "C"], &[]] {
            assert!(matches!(Parties::of_roles(&program(roles)), Err(PlanError::PartyCount { .. })));
        }
        let none = Parties::assign(&program(&["A", "B"]), |role| (role == "A").then(|| "x".to_owned()));
        assert_eq!(none, Err(PlanError::NoParty { role: "B".into() }));
    }
}
