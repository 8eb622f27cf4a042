//! Which instructions the kernels use.

use std::sync::LazyLock;

/// The instructions that the kernels of this crate use: the outputs are equal on all of them.
///
/// A value proves that the machine has the instructions, so it can only be had from the functions here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Backend(pub(crate) Kind);

/// The backends of this target, slowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Portable,
}

/// Detected once.
static BEST: LazyLock<Backend> = LazyLock::new(|| *Backend::available().last().unwrap_or(&Backend::PORTABLE));

impl Backend {
    /// Bitsliced AES in plain Rust, on every machine.
    pub const PORTABLE: Backend = Backend(Kind::Portable);

    /// The backends that this machine has, slowest first, the portable one always among them.
    pub fn available() -> Vec<Backend> {
        vec![Backend::PORTABLE]
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
        }
    }
}
