use serde::{Deserialize, Serialize};

use crate::PlanError;

/// Security parameters, the same for every protocol of a run.
///
/// Both parties compare them before anything else. The default is 128-bit computational and 40-bit statistical
/// security with oblivious transfers extended at `k = 4`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SecurityParams {
    /// Computational security in bits; 128 is what the protocols offer.
    pub computational_bits: u32,
    /// Statistical security in bits, at least 40.
    pub statistical_bits: u32,
    /// SoftSpokenOT's `k`: 1, 2, 4 or 8. A larger one sends fewer bytes and computes more.
    pub softspoken_k: u32,
}

impl Default for SecurityParams {
    fn default() -> Self {
        SecurityParams { computational_bits: 128, statistical_bits: 40, softspoken_k: 4 }
    }
}

impl SecurityParams {
    /// Refuses parameters that no protocol here offers.
    ///
    /// # Errors
    /// [`PlanError::Security`] names the parameter and its permitted values.
    pub fn check(&self) -> Result<(), PlanError> {
        let refuse = |parameter, value, permitted| Err(PlanError::Security { parameter, value, permitted });
        if self.computational_bits != 128 {
            return refuse("computational_bits", self.computational_bits, "128");
        }
        if !(40..=128).contains(&self.statistical_bits) {
            return refuse("statistical_bits", self.statistical_bits, "40 to 128");
        }
        if !matches!(self.softspoken_k, 1 | 2 | 4 | 8) {
            return refuse("softspoken_k", self.softspoken_k, "1, 2, 4 or 8");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_is_permitted() {
        assert_eq!(SecurityParams::default().check(), Ok(()));
    }

    #[test]
    fn each_parameter_is_checked() {
        let good = SecurityParams::default();
        for bad in [
            SecurityParams { computational_bits: 80, ..good },
            SecurityParams { statistical_bits: 39, ..good },
            SecurityParams { softspoken_k: 3, ..good },
        ] {
            assert!(matches!(bad.check(), Err(PlanError::Security { .. })));
        }
    }
}
