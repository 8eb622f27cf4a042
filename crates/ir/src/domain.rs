use serde::{Deserialize, Serialize};

macro_rules! domains {
    ($($(#[$doc:meta])* $domain:ident = $name:literal,)*) => {
        /// How computing parties share a value. Programs pin values to domains by these names; back ends with
        /// only one way of sharing ignore them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Domain {
            $($(#[$doc])* $domain,)*
        }

        impl Domain {
            /// Every domain.
            pub const ALL: &'static [Self] = &[$(Domain::$domain),*];

            /// The domain's name, as the text form writes it.
            pub fn name(self) -> &'static str {
                match self {
                    $(Domain::$domain => $name,)*
                }
            }
        }
    };
}

domains! {
    /// By sum modulo `2^bits`.
    Arith = "arith",
    /// Bit by bit, by exclusive or.
    Bool = "bool",
    /// Bit by bit, by labels of a garbled circuit.
    Yao = "yao",
    /// Encrypted: one party holds it under the other's key.
    He = "he",
}

impl Domain {
    /// The domains that unpinned values may be in. The others have costs that only the program's author can
    /// weigh.
    pub const UNPINNED: &'static [Domain] = &[Domain::Arith, Domain::Bool, Domain::Yao];
}

impl Default for Domain {
    /// The domain of values that nothing else decides.
    fn default() -> Domain {
        Domain::Yao
    }
}
