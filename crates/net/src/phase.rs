/// A part of a run, as named in reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Phase {
    /// Connecting, authenticating, and comparing what is to be run.
    Analysis = 0,
    /// Everything that does not depend on inputs.
    Setup = 1,
    /// From inputs to outputs.
    Online = 2,
}

impl Phase {
    /// All phases in order.
    pub const ALL: [Phase; 3] = [Phase::Analysis, Phase::Setup, Phase::Online];

    /// The phase of this number.
    pub(crate) fn decode(number: u8) -> Option<Phase> {
        Phase::ALL.get(usize::from(number)).copied()
    }

    /// The name used in reports.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Analysis => "analysis",
            Phase::Setup => "setup",
            Phase::Online => "online",
        }
    }
}
