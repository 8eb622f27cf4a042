/// The quantity that circuits minimise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Objective {
    /// The fewest ANDs, whatever the depth: for garbling, where every AND is sent.
    #[default]
    Size,
    /// The fewest layers of ANDs, then the fewest ANDs: for shares by exclusive or, where every layer is a round.
    Depth,
}
