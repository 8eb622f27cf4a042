//! The identity of a build of Tacit: its release, and the constants by which its crates lay out messages and
//! material.

use super::hello::{Field, absorb};

/// Constants of one crate that determine layouts, by name.
pub type Constants = &'static [(&'static str, u64)];

/// A build: its release, and for each of its crates the constants that determine layouts.
///
/// Two different builds would misread each other's bytes. So both ends of a session compare
/// [`Build::fields`], and prepared material is bound to [`Build::hash`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Build {
    release: String,
    parts: Vec<(&'static str, Constants)>,
}

impl Build {
    /// This release with these crates, by name.
    pub fn new(parts: &[(&'static str, Constants)]) -> Build {
        Build { release: env!("CARGO_PKG_VERSION").to_owned(), parts: parts.to_vec() }
    }

    /// The same crates in another release.
    pub fn with_release(self, release: impl Into<String>) -> Build {
        Build { release: release.into(), ..self }
    }

    /// The release.
    pub fn release(&self) -> &str {
        &self.release
    }

    /// The crates and their constants.
    pub fn parts(&self) -> &[(&'static str, Constants)] {
        &self.parts
    }

    /// The fields that must be equal at both ends: the release, and the layout of each crate, which the error
    /// names if it differs.
    ///
    /// Cost: about 70 bytes for each crate in the greeting.
    pub fn fields(&self) -> Vec<Field> {
        let layout = |(name, constants): &(&str, Constants)| {
            let hash = hash_of(name, constants);
            let digits: String = hash[..4].iter().map(|byte| format!("{byte:02x}")).collect();
            Field::new(format!("layout of {name}"), hash, format!("{digits} of release {}", self.release))
        };
        [Field::text("release", &self.release)].into_iter().chain(self.parts.iter().map(layout)).collect()
    }

    /// The hash of release and layouts.
    pub fn hash(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key("tacit 2026 build, version 1");
        absorb(&mut hasher, self.release.as_bytes());
        for (name, constants) in &self.parts {
            hasher.update(&hash_of(name, constants));
        }
        *hasher.finalize().as_bytes()
    }
}

fn hash_of(name: &str, constants: Constants) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_derive_key("tacit 2026 layout of a crate, version 1");
    absorb(&mut hasher, name.as_bytes());
    for (name, value) in constants {
        absorb(&mut hasher, name.as_bytes());
        hasher.update(&value.to_le_bytes());
    }
    *hasher.finalize().as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_change_is_another_build_and_is_named() {
        let build = Build::new(&[("net", &[("A", 1), ("B", 2)]), ("ot", &[("C", 3)])]);
        let changed: [&[(&'static str, Constants)]; 5] = [
            &[("net", &[("A", 1), ("B", 3)]), ("ot", &[("C", 3)])],
            &[("net", &[("A", 2), ("B", 1)]), ("ot", &[("C", 3)])],
            &[("net", &[("A", 1)]), ("ot", &[("B", 2), ("C", 3)])],
            &[("net", &[("A", 1), ("B", 2)]), ("ot", &[])],
            &[("net", &[("A", 1), ("B", 2)]), ("ot", &[("D", 3)])],
        ];
        for parts in changed {
            assert_ne!(Build::new(parts).hash(), build.hash(), "{parts:?}");
            let (ours, theirs) = (build.fields(), Build::new(parts).fields());
            let first = ours.iter().zip(&theirs).find(|(ours, theirs)| ours != theirs);
            let (ours, theirs) = first.expect("some field differs");
            assert!(ours.name == theirs.name && ours.name.starts_with("layout of "), "{ours:?} {theirs:?}");
        }
        let later = build.clone().with_release("7.0.0");
        assert_ne!(later.hash(), build.hash());
        assert_eq!(later.fields()[0].description, "7.0.0");
    }
}
