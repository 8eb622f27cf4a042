use tacit_schedule::Peak;

use crate::{Objective, PlanError};

/// Upper limits on the predicted cost of a run. Each party has its own: it refuses a run beyond them, and
/// they never change the plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of both parties, setup included.
    pub bytes: Option<u64>,
    /// Milliseconds of setup and online together.
    pub milliseconds: Option<u64>,
    /// Bytes of memory of the party that takes more.
    pub memory: Option<u64>,
}

impl Limits {
    /// Refuses a plan of this many bytes and nanoseconds if it exceeds a limit; `least` returns the cost of a
    /// plan by another objective.
    ///
    /// # Errors
    /// [`PlanError::Limit`] names the limit that is exceeded most.
    pub(crate) fn check(
        self,
        (bytes, nanoseconds): (u64, u64),
        least: impl FnOnce(Objective) -> Option<(u64, u64)>,
    ) -> Result<(), PlanError> {
        let milliseconds = |nanoseconds: u64| nanoseconds.div_ceil(1_000_000);
        let bytes = (Objective::Bytes, bytes, self.bytes);
        let time = (Objective::Total, milliseconds(nanoseconds), self.milliseconds);
        let beyond = [bytes, time].into_iter().filter_map(|(by, needed, limit)| {
            let limit = limit.filter(|limit| needed > *limit)?;
            Some((by, needed, limit))
        });
        // Thousandths of the limit.
        let share =
            |(_, needed, limit): &(_, u64, u64)| u128::from(*needed) * 1000 / u128::from((*limit).max(1));
        match beyond.max_by_key(share) {
            Some((by, needed, limit)) => {
                let of = |(bytes, time)| if by == Objective::Bytes { bytes } else { milliseconds(time) };
                let least = least(by).map_or(needed, of).min(needed);
                let what = if by == Objective::Bytes { "bytes" } else { "milliseconds" };
                Err(PlanError::Limit { what, needed, limit, excess: needed - limit, least, by })
            }
            None => Ok(()),
        }
    }

    /// Refuses a plan if a party's memory exceeds the limit.
    ///
    /// # Errors
    /// [`PlanError::Memory`] names the step that takes most.
    pub(crate) fn check_memory(self, Peak { bytes: needed, line }: Peak) -> Result<(), PlanError> {
        match self.memory.filter(|limit| needed > *limit) {
            Some(limit) => Err(PlanError::Memory { needed, limit, excess: needed - limit, line }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The refusal of a run of 1000 bytes and just over 3 ms.
    fn refused(bytes: Option<u64>, milliseconds: Option<u64>) -> Option<String> {
        Limits { bytes, milliseconds, memory: None }
            .check((1000, 3_000_001), |_| Some((800, 2_500_000)))
            .err()
            .map(|error| error.to_string())
    }

    #[test]
    fn runs_within_limits_are_allowed() {
        assert_eq!(refused(None, None), None);
        assert_eq!(refused(Some(1000), Some(4)), None);
    }

    #[test]
    fn the_step_that_takes_most_memory_is_named() {
        let refused = |memory, line| {
            let limits = Limits { memory, ..Limits::default() };
            limits.check_memory(Peak { bytes: 1000, line }).err().map(|error| error.to_string())
        };
        assert_eq!(refused(None, 7), None);
        assert_eq!(refused(Some(1000), 7), None);
        let beyond = refused(Some(999), 7).unwrap();
        assert!(beyond.contains("1000 bytes of memory for line 7, 1 more than the limit of 999"), "{beyond}");
        let beyond = refused(Some(0), 0).unwrap();
        assert!(beyond.contains("1000 bytes of memory, 1000 more than the limit of 0"), "{beyond}");
    }

    #[test]
    fn the_limit_that_binds_most_is_named() {
        let beyond = refused(Some(999), None).unwrap();
        assert!(beyond.contains("1000 bytes, 1 more than the limit of 999"), "{beyond}");
        assert!(beyond.ends_with("; plan by objective bytes, which takes 800"), "{beyond}");
        let beyond = refused(Some(900), Some(2)).unwrap();
        assert!(beyond.contains("4 milliseconds, 2 more than the limit of 2"), "{beyond}");
        assert!(beyond.contains("; no plan was found that takes fewer than 3; raise the limit"), "{beyond}");
        let beyond = refused(Some(0), Some(0)).unwrap();
        assert!(beyond.contains("1000 bytes, 1000 more than the limit of 0"), "{beyond}");
    }
}
