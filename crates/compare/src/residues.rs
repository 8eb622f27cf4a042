//! Arithmetic on shares: the integers modulo u. Constant time in all numbers except u.

use tacit_crypto::Prg;

/// The integers modulo u, which is below 256.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Residues {
    u: u32,
    /// 2^32 / u, rounded down.
    inverse: u64,
}

impl Residues {
    pub fn new(u: u32) -> Residues {
        debug_assert!((3..256).contains(&u));
        Residues { u, inverse: (1 << 32) / u64::from(u) }
    }

    pub fn modulus(self) -> u32 {
        self.u
    }

    /// Any number modulo u, by a multiplication, because a division takes longer for some numbers than for others.
    pub fn reduce(self, number: u32) -> u32 {
        let quotient = ((u64::from(number) * self.inverse) >> 32) as u32;
        let rest = number - quotient * self.u;
        // Less than 2u, since the quotient is short by at most 1.
        let below = rest.wrapping_sub(self.u);
        let mask = 0u32.wrapping_sub(core::hint::black_box(below >> 31));
        below.wrapping_add(self.u & mask)
    }

    pub fn add(self, a: u32, b: u32) -> u32 {
        self.reduce(a + b)
    }

    pub fn sub(self, a: u32, b: u32) -> u32 {
        self.reduce(a + self.u - b)
    }

    pub fn mul(self, a: u32, b: u32) -> u32 {
        self.reduce(a * b)
    }

    /// `1 - 2·bit`.
    pub fn sign(self, bit: u32) -> u32 {
        self.reduce(1 + bit * (self.u - 2))
    }

    /// A uniform number. How often it draws is independent of the number drawn.
    pub fn random(self, prg: &mut Prg) -> u32 {
        below(self.u, prg)
    }

    /// A uniform number other than zero.
    pub fn random_unit(self, prg: &mut Prg) -> u32 {
        1 + below(self.u - 1, prg)
    }
}

/// A uniform number below a public bound, by rejection.
fn below(bound: u32, prg: &mut Prg) -> u32 {
    let mask = bound.next_power_of_two() - 1;
    loop {
        let mut bytes = [0; 1];
        prg.fill_bytes(&mut bytes);
        let candidate = u32::from(bytes[0]) & mask;
        if candidate < bound {
            return candidate;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacit_math::Block;

    #[test]
    fn sums_and_products_are_those_of_integers() {
        for u in [3, 5, 19, 53, 197, 251] {
            let residues = Residues::new(u);
            for a in 0..u {
                for b in 0..u {
                    assert_eq!(residues.add(a, b), (a + b) % u);
                    assert_eq!(residues.sub(a, b), (a + u - b) % u);
                    assert_eq!(residues.mul(a, b), a * b % u);
                }
            }
            assert_eq!([residues.sign(0), residues.sign(1)], [1, u - 1]);
            for number in [u32::from(u16::MAX), 1 << 31, u32::MAX - 1, u32::MAX] {
                assert_eq!(residues.reduce(number), number % u);
            }
        }
    }

    #[test]
    fn random_numbers_reach_every_value_alike() {
        let (residues, mut prg) = (Residues::new(19), Prg::new(Block(1)));
        let (mut all, mut units) = ([0u32; 19], [0u32; 19]);
        for _ in 0..19_000 {
            all[residues.random(&mut prg) as usize] += 1;
            units[residues.random_unit(&mut prg) as usize] += 1;
        }
        assert!(all.iter().all(|count| (850..1150).contains(count)), "{all:?}");
        assert!(units[0] == 0 && units[1..].iter().all(|count| (900..1210).contains(count)), "{units:?}");
    }
}
