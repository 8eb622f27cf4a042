use std::fmt;

/// Who garbles. The other computing party evaluates.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum GarblerChoice {
    /// The party of the program's first role.
    #[default]
    First,
    /// The party of the program's first role, unless the objective is predicted to be at least 5 % better if
    /// the other party garbles; or no worse, and the time that decides between equals at least 5 % better. In
    /// programs that compute under encryption, whose time is not predicted, always the former.
    Auto,
    /// The party of this name, or else the party that speaks for the role of this name.
    Named(String),
}

impl GarblerChoice {
    /// The choice with this name: `auto`, `first`, or a party or role.
    pub fn named(name: &str) -> GarblerChoice {
        match name {
            "first" => GarblerChoice::First,
            "auto" => GarblerChoice::Auto,
            name => GarblerChoice::Named(name.to_owned()),
        }
    }
}

impl fmt::Display for GarblerChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            GarblerChoice::First => "first",
            GarblerChoice::Auto => "auto",
            GarblerChoice::Named(name) => name,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_have_names() {
        for (name, choice) in [
            ("first", GarblerChoice::First),
            ("auto", GarblerChoice::Auto),
            ("B", GarblerChoice::Named("B".to_owned())),
        ] {
            assert_eq!(GarblerChoice::named(name), choice);
            assert_eq!(choice.to_string(), name);
        }
    }
}
