//! The content of entries: shares of bits, or of masks and their bits.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use tacit_math::field::Field;
use tacit_store::StoreError;
use zeroize::Zeroizing;

/// Masks of an entry, as many as lanes of a word.
pub(crate) const MASKS: usize = 64;

/// Random bits of an entry.
pub(crate) const BITS: usize = 1024;

/// The maximum bits of a mask: as many as the largest modulus.
pub(crate) const MAX_ROWS: u32 = 512;

/// A kind of material. Its text is its name in a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Material {
    /// Random bits.
    Bits,
    /// Masks of this many bits, which are shared individually.
    Masks(u32),
    /// Masks of this many bits, which are shared 64 to an element.
    BitMasks(u32),
}

impl fmt::Display for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Material::Bits => write!(f, "shared bits"),
            Material::Masks(rows) => write!(f, "shared masks {rows}"),
            Material::BitMasks(rows) => write!(f, "shared bit masks {rows}"),
        }
    }
}

impl FromStr for Material {
    type Err = ();

    fn from_str(text: &str) -> Result<Material, ()> {
        let rows = |rows: &str| rows.parse().ok().filter(|rows| (1..=MAX_ROWS).contains(rows)).ok_or(());
        if let Some(number) = text.strip_prefix("shared bit masks ") {
            return rows(number).map(Material::BitMasks);
        }
        match text.strip_prefix("shared masks ") {
            Some(number) => rows(number).map(Material::Masks),
            None if text == "shared bits" => Ok(Material::Bits),
            None => Err(()),
        }
    }
}

impl Material {
    /// Bits or masks in an entry.
    pub(crate) fn lanes(self) -> usize {
        match self {
            Material::Bits => BITS,
            Material::Masks(_) | Material::BitMasks(_) => MASKS,
        }
    }

    /// The store's step in which an entry is taken.
    pub(crate) fn taken(self) -> &'static str {
        match self {
            Material::Bits => "bits taken",
            Material::Masks(_) => "masks taken",
            Material::BitMasks(_) => "bit masks taken",
        }
    }

    /// Parts of an entry in the computation's field, then parts on bits.
    pub(crate) fn parts(self) -> (Vec<EntryPart>, Vec<EntryPart>) {
        let parts =
            |rows: u32, step| [rows, rows / 2].map(|rows| EntryPart { rows: rows as usize, step }).to_vec();
        let one = EntryPart { rows: 1, step: self.lanes() };
        match self {
            Material::Bits => (vec![one], vec![]),
            Material::Masks(rows) => ([vec![one], parts(rows, MASKS)].concat(), vec![]),
            Material::BitMasks(rows) => (vec![one], parts(rows, 1)),
        }
    }

    /// The number of entries for this many bits or masks.
    pub(crate) fn entries(self, lanes: usize) -> usize {
        lanes.div_ceil(self.lanes())
    }
}

/// Rows of elements; an entry has the next `step` elements of each.
#[derive(Clone, Copy)]
pub(crate) struct EntryPart {
    pub(crate) rows: usize,
    pub(crate) step: usize,
}

impl EntryPart {
    /// Elements of an entry.
    pub(crate) fn length(self) -> usize {
        self.rows * self.step
    }

    /// The elements of entry `entry` among `all`, encoded and appended to `to`. Secret.
    pub(crate) fn append<F: Field>(self, field: &F, all: &[F::Element], entry: usize, to: &mut Vec<u8>) {
        let width = all.len() / self.rows.max(1);
        for row in all.chunks(width.max(1)).take(self.rows) {
            let start = to.len();
            to.resize(start + self.step * field.bytes(), 0);
            field.encode_all(&row[entry * self.step..][..self.step], &mut to[start..]);
        }
    }

    /// The elements of several entries, row by row; those of an entry begin at byte `at`.
    pub(crate) fn joined<F: Field>(
        self,
        field: &F,
        entries: &[Zeroizing<Vec<u8>>],
        at: usize,
    ) -> Result<Vec<F::Element>, StoreError> {
        let mut all = Vec::with_capacity(entries.len() * self.length());
        for row in 0..self.rows {
            for entry in entries {
                // An entry that is too short yields too few elements, which is refused below.
                let bytes = entry.get(at + row * self.step * field.bytes()..).unwrap_or_default();
                for element in bytes.chunks(field.bytes()).take(self.step) {
                    all.push(field.decode(element).ok_or(StoreError::Malformed)?);
                }
            }
        }
        match all.len() == entries.len() * self.length() {
            true => Ok(all),
            false => Err(StoreError::Malformed),
        }
    }
}

#[cfg(test)]
mod tests {
    use tacit_math::field::Mersenne61;

    use super::*;

    #[test]
    fn names_are_read_as_written() {
        for material in [Material::Bits, Material::Masks(40), Material::BitMasks(61)] {
            assert_eq!(material.to_string().parse(), Ok(material));
        }
        for wrong in ["", "runs", "shared masks", "shared masks 0", "shared masks 513", "shared bits 1"] {
            assert_eq!(wrong.parse::<Material>(), Err(()), "{wrong}");
        }
    }

    #[test]
    fn entries_join_to_what_was_cut() {
        let part = EntryPart { rows: 3, step: 2 };
        let all: Vec<u64> = (0..24).collect();
        let entry = |entry| {
            let mut bytes = Zeroizing::new(vec![9; 5]);
            part.append(&Mersenne61, &all, entry, &mut bytes);
            bytes
        };
        let mut entries: Vec<_> = (0..4).map(entry).collect();
        assert_eq!(part.joined(&Mersenne61, &entries, 5).expect("whole"), all);
        let two = part.joined(&Mersenne61, &entries[1..3], 5).expect("whole");
        assert_eq!(two, [2, 3, 4, 5, 10, 11, 12, 13, 18, 19, 20, 21]);
        assert!(part.joined(&Mersenne61, &entries, 6).is_err(), "too short");
        entries[2][12] = 0xff;
        assert!(part.joined(&Mersenne61, &entries, 5).is_err(), "no element");
    }
}
