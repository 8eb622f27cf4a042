//! Selects the instructions that the kernels use.

use std::sync::LazyLock;

/// The instructions that the kernels of this crate use: the outputs are equal on all of them.
///
/// A value proves that the machine has the instructions, so only the functions here can make one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Backend(pub(crate) Kind);

/// The backends of this target, slowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Portable,
    #[cfg(target_arch = "x86_64")]
    AesNi,
    #[cfg(target_arch = "x86_64")]
    Vaes256,
    #[cfg(target_arch = "x86_64")]
    Vaes512,
    #[cfg(target_arch = "aarch64")]
    ArmV8,
}

/// Detected once.
static BEST: LazyLock<Backend> = LazyLock::new(|| *Backend::available().last().unwrap_or(&Backend::PORTABLE));

impl Backend {
    /// Bitsliced AES in plain Rust, on every machine.
    pub const PORTABLE: Backend = Backend(Kind::Portable);

    /// The backends of this machine, slowest first, always including the portable one.
    pub fn available() -> Vec<Backend> {
        Kind::ALL.iter().filter(|kind| kind.is_available()).map(|&kind| Backend(kind)).collect()
    }

    /// The fastest backend of this machine.
    #[inline]
    pub fn best() -> Backend {
        *BEST
    }

    /// The backend's name, as in reports.
    pub const fn name(self) -> &'static str {
        match self.0 {
            Kind::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Kind::AesNi => "aes-ni",
            #[cfg(target_arch = "x86_64")]
            Kind::Vaes256 => "vaes-256",
            #[cfg(target_arch = "x86_64")]
            Kind::Vaes512 => "vaes-512",
            #[cfg(target_arch = "aarch64")]
            Kind::ArmV8 => "armv8",
        }
    }
}

#[cfg(target_arch = "x86_64")]
impl Kind {
    const ALL: &[Kind] = &[Kind::Portable, Kind::AesNi, Kind::Vaes256, Kind::Vaes512];

    /// Whether the processor has every feature that the kernels are compiled for.
    fn is_available(self) -> bool {
        let aes_ni = is_x86_feature_detected!("aes") && is_x86_feature_detected!("avx");
        let vaes_256 = aes_ni && is_x86_feature_detected!("avx2") && is_x86_feature_detected!("vaes");
        let avx512 = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl");
        match self {
            Kind::Portable => true,
            Kind::AesNi => aes_ni,
            Kind::Vaes256 => vaes_256,
            Kind::Vaes512 => vaes_256 && avx512,
        }
    }
}

#[cfg(target_arch = "aarch64")]
impl Kind {
    const ALL: &[Kind] = &[Kind::Portable, Kind::ArmV8];

    /// Whether the processor has every feature that the kernels are compiled for.
    fn is_available(self) -> bool {
        let armv8 =
            std::arch::is_aarch64_feature_detected!("neon") && std::arch::is_aarch64_feature_detected!("aes");
        self == Kind::Portable || armv8
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
impl Kind {
    const ALL: &[Kind] = &[Kind::Portable];

    fn is_available(self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_portable_backend_is_first_and_the_best_last() {
        let available = Backend::available();
        assert_eq!(available.first(), Some(&Backend::PORTABLE));
        assert_eq!(available.last(), Some(&Backend::best()));
    }
}
