/// The scope of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SessionScope {
    /// Any number of runs, each of which is agreed on.
    Runs,
    /// One run, on which the parties agreed when they met, and whose other parties are in the session.
    OneRun,
}
