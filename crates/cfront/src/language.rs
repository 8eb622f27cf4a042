//! The languages of sources.

use std::path::Path;

/// The language of a source, by the ending of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// `.c`, and any other ending.
    C,
    /// `.cpp`, `.cc`, `.cxx`.
    Cpp,
    /// `.rs`.
    Rust,
}

impl Language {
    /// The language of the source of this name.
    pub fn of(source: &Path) -> Self {
        match source.extension().and_then(|ending| ending.to_str()) {
            Some("cpp" | "cc" | "cxx") => Language::Cpp,
            Some("rs") => Language::Rust,
            _ => Language::C,
        }
    }

    /// Flags that select the language in clang: C++ without exceptions, run-time types and a standard
    /// library.
    pub(crate) fn flags(self) -> &'static [&'static str] {
        match self {
            Language::C | Language::Rust => &[],
            Language::Cpp => &[
                "-x",
                "c++",
                "-std=c++20",
                "-nostdinc++",
                "-fno-exceptions",
                "-fno-rtti",
                "-fno-threadsafe-statics",
            ],
        }
    }
}
