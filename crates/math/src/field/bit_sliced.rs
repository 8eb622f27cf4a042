//! 64 elements of a small field of characteristic 2 side by side.

use zeroize::DefaultIsZeroes;

use super::Field;

/// 64 lanes, each an element of GF(4), GF(8) or GF(16): word `i` has the coefficients of `x^i` of all lanes.
///
/// What is shared in it are bits, 64 at once: lanes of 0 and 1, which the products of all lanes keep apart. Shamir's points and
/// coefficients are the same in all lanes, so its scheme needs no more elements than there are parties.
/// Differs from a field: an element has an inverse only if all its lanes are nonzero, and the inverse of a zero lane is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitSliced {
    degree: usize,
}

/// An element of [`BitSliced`]: a word for each coefficient, those above the degree zero. It may be secret, so `Debug` doesn't
/// show it.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Slices(pub [u64; 4]);

crate::redacted!(Slices);

impl DefaultIsZeroes for Slices {}

impl BitSliced {
    /// Lanes of an element.
    pub const LANES: usize = 64;

    /// The most parties whose points it has.
    pub const MAX_PARTIES: usize = 15;

    /// Lanes over the smallest field that has a nonzero point for each of so many parties, if there is one.
    pub fn for_parties(parties: usize) -> Option<BitSliced> {
        match parties {
            0..=3 => Some(BitSliced { degree: 2 }),
            4..=7 => Some(BitSliced { degree: 3 }),
            8..=Self::MAX_PARTIES => Some(BitSliced { degree: 4 }),
            _ => None,
        }
    }

    /// The element whose lanes are these bits.
    pub fn bits(&self, bits: u64) -> Slices {
        Slices([bits, 0, 0, 0])
    }
}

impl Field for BitSliced {
    type Element = Slices;
    super::extends_itself!();

    fn one(&self) -> Slices {
        self.bits(u64::MAX)
    }

    /// The polynomial whose coefficients are the low bits, in all lanes.
    fn element(&self, value: u64) -> Slices {
        let word = |bit: usize| if bit < self.degree { (value >> bit & 1).wrapping_neg() } else { 0 };
        Slices([0, 1, 2, 3].map(word))
    }

    #[inline(always)]
    fn add(&self, a: Slices, b: Slices) -> Slices {
        let (Slices(a), Slices(b)) = (a, b);
        Slices([a[0] ^ b[0], a[1] ^ b[1], a[2] ^ b[2], a[3] ^ b[3]])
    }

    #[inline(always)]
    fn sub(&self, a: Slices, b: Slices) -> Slices {
        self.add(a, b)
    }

    #[inline(always)]
    fn mul(&self, a: Slices, b: Slices) -> Slices {
        let (Slices(a), Slices(b)) = (a, b);
        let (low, high) = (a[0] & b[0], a[1] & b[1]);
        let middle = a[0] & b[1] ^ a[1] & b[0];
        if self.degree == 2 {
            // x^2 = x + 1.
            return Slices([low ^ high, middle ^ high, 0, 0]);
        }
        let square = a[0] & b[2] ^ high ^ a[2] & b[0];
        let (cube, fourth) = (a[1] & b[2] ^ a[2] & b[1], a[2] & b[2]);
        if self.degree == 3 {
            // x^3 = x + 1 and x^4 = x^2 + x.
            return Slices([low ^ cube, middle ^ cube ^ fourth, square ^ fourth, 0]);
        }
        // x^4 = x + 1, x^5 = x^2 + x and x^6 = x^3 + x^2.
        let cube = cube ^ a[0] & b[3] ^ a[3] & b[0];
        let fourth = fourth ^ a[1] & b[3] ^ a[3] & b[1];
        let (fifth, sixth) = (a[2] & b[3] ^ a[3] & b[2], a[3] & b[3]);
        Slices([low ^ fourth, middle ^ fourth ^ fifth, square ^ fifth ^ sixth, cube ^ sixth])
    }

    fn order(&self) -> Vec<u64> {
        vec![1 << self.degree]
    }

    fn bytes(&self) -> usize {
        8 * self.degree
    }

    fn encode(&self, element: Slices, bytes: &mut [u8]) {
        for (bytes, word) in bytes.chunks_exact_mut(8).zip(element.0) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
    }

    fn decode(&self, bytes: &[u8]) -> Option<Slices> {
        (bytes.len() == self.bytes()).then(|| self.uniform(bytes))
    }

    fn uniform_bytes(&self) -> usize {
        self.bytes()
    }

    /// Perfect.
    fn uniform_security(&self) -> usize {
        usize::MAX
    }

    fn uniform(&self, bytes: &[u8]) -> Slices {
        let mut words = [0; 4];
        for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(8)) {
            *word = super::word(bytes);
        }
        Slices(words)
    }

    super::loops::loops!(pow inverse pow_all add_assign sub_assign mul_assign add_scaled add_products dot combine encode_all decode_all uniform_all scale_to_ground combine_ground encode_ground decode_ground add_ground add_uniform);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lane 0 as a number.
    fn lane(element: Slices, lane: usize) -> u64 {
        (0..4).map(|bit| (element.0[bit] >> lane & 1) << bit).sum()
    }

    /// By shifts and the polynomial.
    fn plain(a: u64, b: u64, degree: usize) -> u64 {
        let polynomial = [0b111, 0b1011, 0b10011][degree - 2];
        let product = (0..4).fold(0, |product, bit| product ^ if b >> bit & 1 == 1 { a << bit } else { 0 });
        (degree..7).rev().fold(product, |product, bit| match product >> bit & 1 {
            1 => product ^ polynomial << (bit - degree),
            _ => product,
        })
    }

    #[test]
    fn all_products_and_inverses_agree_with_plain_ones() {
        for (parties, degree) in [(3, 2), (7, 3), (15, 4)] {
            let field = BitSliced::for_parties(parties).expect("few parties");
            for a in 0..1 << degree {
                for b in 0..1 << degree {
                    let product = field.mul(field.element(a), field.element(b));
                    assert_eq!(product, field.element(plain(a, b, degree)), "{a} times {b}");
                }
                let product = field.mul(field.element(a), field.inverse(field.element(a)));
                assert_eq!(product, field.element(u64::from(a != 0)), "inverse of {a}");
            }
        }
        assert_eq!(BitSliced::for_parties(16), None);
    }

    #[test]
    fn lanes_do_not_meet_and_come_back() {
        for parties in [3, 5, 9] {
            let field = BitSliced::for_parties(parties).expect("few parties");
            let degree = field.bytes() / 8;
            let bytes =
                |seed: u8| (0..field.bytes() as u8).map(|i| i.wrapping_mul(73) ^ seed).collect::<Vec<_>>();
            let (a, b) = (field.uniform(&bytes(5)), field.uniform(&bytes(190)));
            let product = field.mul(a, b);
            for number in 0..BitSliced::LANES {
                assert_eq!(lane(product, number), plain(lane(a, number), lane(b, number), degree));
            }
            let mut encoded = vec![0; field.bytes()];
            field.encode(product, &mut encoded);
            assert_eq!(field.decode(&encoded), Some(product));
            assert_eq!(field.decode(&encoded[1..]), None);
        }
    }
}
