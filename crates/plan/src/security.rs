use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Named, PlanError};

/// The amount of work that an attacker must face, by its name in TASTY.
///
/// A level is the minimum security of every protocol in a run. Garbled circuits and oblivious transfer offer
/// 128 bits at every level; a level chooses the key sizes of cryptography that has several.
///
/// Source: TASTY, section 4.3, table 4. Differs: its levels of 80 and 96 bits are [`InsecureLevel`]s, only
/// for measurements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(clippy::manual_non_exhaustive, reason = "hidden levels are for measuring and for tests")]
pub enum SecurityLevel {
    /// 112 bits.
    Medium,
    /// 128 bits.
    #[default]
    Long,
    /// 72 bits, which is not enough: see [`InsecureLevel`].
    #[doc(hidden)]
    #[serde(rename = "1024-bit", skip_deserializing)]
    Bits1024,
    /// 80 bits, which is not enough: see [`InsecureLevel`].
    #[doc(hidden)]
    #[serde(rename = "ultra-short", skip_deserializing)]
    UltraShort,
    /// 96 bits, which is not enough: see [`InsecureLevel`].
    #[doc(hidden)]
    #[serde(skip_deserializing)]
    Short,
    /// No security: the shortest possible keys, for tests. No option and no file can select it.
    #[doc(hidden)]
    #[serde(skip_deserializing)]
    Toy,
}

impl SecurityLevel {
    /// The minimum computational security of everything in a run, in bits.
    pub fn least_bits(self) -> u32 {
        match self {
            SecurityLevel::Toy => 0,
            SecurityLevel::Bits1024 => 72,
            SecurityLevel::UltraShort => 80,
            SecurityLevel::Short => 96,
            SecurityLevel::Medium => 112,
            SecurityLevel::Long => 128,
        }
    }
}

impl fmt::Display for SecurityLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Named for SecurityLevel {
    const ALL: &'static [SecurityLevel] = &[SecurityLevel::Medium, SecurityLevel::Long];

    fn name(self) -> &'static str {
        match self {
            SecurityLevel::Toy => "toy",
            SecurityLevel::Bits1024 => "1024-bit",
            SecurityLevel::UltraShort => "ultra-short",
            SecurityLevel::Short => "short",
            SecurityLevel::Medium => "medium",
            SecurityLevel::Long => "long",
        }
    }
}

/// A level below what is secure today, for repeating published measurements. No session should use it
/// otherwise.
///
/// Source: TASTY, section 4.3, table 4. Earlier publications use moduli of 1024 bits, which ECRYPT II rates
/// at 72 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InsecureLevel {
    /// 72 bits: moduli of 1024 bits.
    Bits1024,
    /// 80 bits: moduli of 1248 bits.
    UltraShort,
    /// 96 bits: moduli of 1776 bits.
    Short,
}

impl InsecureLevel {
    /// The corresponding level of runs.
    pub fn level(self) -> SecurityLevel {
        match self {
            InsecureLevel::Bits1024 => SecurityLevel::Bits1024,
            InsecureLevel::UltraShort => SecurityLevel::UltraShort,
            InsecureLevel::Short => SecurityLevel::Short,
        }
    }
}

impl Named for InsecureLevel {
    const ALL: &'static [InsecureLevel] =
        &[InsecureLevel::Bits1024, InsecureLevel::UltraShort, InsecureLevel::Short];

    fn name(self) -> &'static str {
        self.level().name()
    }
}

/// Security parameters, the same for every protocol of a run.
///
/// Both parties compare them before anything else. The default is the level `long`: 128-bit computational and 40-bit
/// statistical security, with oblivious transfers extended at `k = 4`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SecurityParams {
    /// The minimum security of everything in the run.
    pub level: SecurityLevel,
    /// Computational security of garbled circuits and oblivious transfer in bits; these protocols offer 128
    /// at every level.
    pub computational_bits: u32,
    /// Statistical security in bits, at least 40.
    pub statistical_bits: u32,
    /// SoftSpokenOT's `k`: 1, 2, 4 or 8. A larger one sends fewer bytes and computes more.
    pub softspoken_k: u32,
}

impl Default for SecurityParams {
    fn default() -> Self {
        SecurityParams {
            level: SecurityLevel::Long,
            computational_bits: 128,
            statistical_bits: 40,
            softspoken_k: 4,
        }
    }
}

impl fmt::Display for SecurityParams {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SecurityParams { level, computational_bits, statistical_bits, softspoken_k } = self;
        write!(
            f,
            "level {level} (at least {} bits), {computational_bits} bits computational, \
             {statistical_bits} bits statistical, SoftSpokenOT with k = {softspoken_k}",
            level.least_bits()
        )
    }
}

impl SecurityParams {
    /// Refuses parameters that no protocol here supports.
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

    #[test]
    fn parameters_offer_what_their_level_asks_for() {
        for level in SecurityLevel::ALL.iter().copied() {
            assert!(level.least_bits() <= SecurityParams { level, ..Default::default() }.computational_bits);
        }
    }
}
