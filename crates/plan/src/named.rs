/// A choice among a few values, each of which has a name in session files, on the command line, in Python and
/// in reports.
pub trait Named: Copy + 'static {
    /// All of them.
    const ALL: &'static [Self];

    /// Its name.
    fn name(self) -> &'static str;

    /// The value of this name, if there is one.
    fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|one| one.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use super::*;
    use crate::{
        DomainChoice, Garbling, InsecureLevel, MatrixChoice, ModeChoice, SecurityLevel, TransferChoice,
    };

    fn are_read_back<T: Named + Debug + PartialEq>() {
        for one in T::ALL {
            assert_eq!(T::named(one.name()), Some(*one));
        }
        for other in ["", "Auto", "ferret", "128"] {
            assert_eq!(T::named(other), None);
        }
    }

    #[test]
    fn names_are_read_back() {
        are_read_back::<ModeChoice>();
        are_read_back::<DomainChoice>();
        are_read_back::<Garbling>();
        are_read_back::<TransferChoice>();
        are_read_back::<MatrixChoice>();
        are_read_back::<SecurityLevel>();
        are_read_back::<InsecureLevel>();
    }
}
