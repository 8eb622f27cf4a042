//! Numbers modulo q as residues modulo its primes: messages in and out, and changes of the modulus. Constant time.

use tacit_math::Wiped;
use tacit_math::ntt::Ntt;

/// How messages of `bits` bits become `round(q·m/t)` with `t = 2^bits`.
pub(super) struct Plaintexts {
    bits: u32,
    /// q modulo 2^64.
    modulus: u64,
    /// `1 / t` modulo each prime.
    inverses: Vec<u64>,
}

impl Plaintexts {
    pub fn new(ntts: &[Ntt], bits: u32) -> Plaintexts {
        let inverse = |ntt: &Ntt| {
            let half = ntt.modulus().div_ceil(2);
            (0..bits).fold(1, |power, _| ntt.product(power, half))
        };
        Plaintexts {
            bits,
            modulus: ntts.iter().fold(1u64, |product, ntt| product.wrapping_mul(ntt.modulus())),
            inverses: ntts.iter().map(inverse).collect(),
        }
    }

    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// Whether all numbers are below t, in constant time but for the answer.
    pub fn hold(&self, numbers: &[u64]) -> bool {
        let all = numbers.iter().fold(0, |all, number| all | number);
        self.bits == 64 || all >> self.bits == 0
    }

    /// Adds `round(q·m/t)` to residues of coefficients, for the message's first coefficients.
    ///
    /// `q·m` is `t·round(q·m/t) + r` with r from -t/2 to t/2 - 1, which is known modulo t; so modulo a prime of q the rounded
    /// quotient is `-r / t`.
    pub fn add(&self, ntts: &[Ntt], residues: &mut [u64], message: &[u64]) {
        let spare = 64 - self.bits;
        for ((ntt, inverse), residues) in
            ntts.iter().zip(&self.inverses).zip(residues.chunks_exact_mut(ntts[0].degree()))
        {
            for (residue, m) in residues.iter_mut().zip(message) {
                let rest = (self.modulus.wrapping_mul(*m) << spare) as i64 >> spare;
                let quotient = ntt.product(ntt.reduce_signed(rest), *inverse);
                *residue = ntt.difference(*residue, quotient);
            }
        }
    }
}

/// The first few primes of q, whose product is the modulus of a reply or q itself.
pub(super) struct Level {
    /// `1 / (q/q_i)` modulo q_i, for each i.
    lifts: Vec<u64>,
    /// `floor(2^192 / q_i)`, least significant word first.
    fractions: Vec<[u64; 3]>,
    size: f64,
}

impl Level {
    pub fn new(ntts: &[Ntt]) -> Level {
        let lift = |ntt: &Ntt| {
            let others = ntts.iter().filter(|other| other.modulus() != ntt.modulus());
            let product = others.fold(1, |product, other| ntt.product(product, ntt.reduce(other.modulus())));
            ntt.invert(product)
        };
        Level {
            lifts: ntts.iter().map(lift).collect(),
            fractions: ntts.iter().map(|ntt| fraction(ntt.modulus())).collect(),
            size: ntts.iter().map(|ntt| ntt.modulus() as f64).product(),
        }
    }

    /// The modulus, approximately.
    pub fn size(&self) -> f64 {
        self.size
    }

    /// `round(t·x/q)` modulo `t = 2^bits` of each coefficient, and what was rounded away as a fraction of 1, of 64 bits with a
    /// sign: `t/q` times the noise.
    ///
    /// `x/q` is the sum of `[x/(q/q_i)]_(q_i) / q_i` modulo 1, which is taken to 192 bits behind the point. Each term is too small
    /// by less than 2^-140.
    pub fn round(&self, ntts: &[Ntt], residues: &[u64], bits: u32) -> (Wiped<u64>, Wiped<u64>) {
        let count = residues.len() / self.lifts.len();
        let (mut message, mut rests) = (Wiped::from(vec![0; count]), Wiped::from(vec![0; count]));
        for (i, (number, rest)) in message.iter_mut().zip(rests.iter_mut()).enumerate() {
            let mut sum = [0u64; 3];
            for ((ntt, lift), (fraction, residues)) in
                ntts.iter().zip(&self.lifts).zip(self.fractions.iter().zip(residues.chunks_exact(count)))
            {
                add_product(&mut sum, fraction, ntt.product(residues[i], *lift));
            }
            // The half that makes rounding of cutting: bit 191 - bits.
            let place = 191 - bits;
            let mut half = [0; 3];
            half[(place / 64) as usize] = 1 << (place % 64);
            add_product(&mut sum, &half, 1);
            let [_, middle, high] = sum;
            (*number, *rest) = match bits {
                64 => (high, middle ^ 1 << 63),
                _ => (high >> (64 - bits), (high << bits | middle >> (64 - bits)) ^ 1 << 63),
            };
        }
        (message, rests)
    }
}

/// `floor(2^192 / q)`.
fn fraction(q: u64) -> [u64; 3] {
    let mut rest = 1u128;
    let mut digits = [0; 3];
    for digit in digits.iter_mut().rev() {
        let wide = rest << 64;
        *digit = (wide / u128::from(q)) as u64;
        rest = wide % u128::from(q);
    }
    digits
}

/// `sum += a · b` modulo 2^192.
#[inline]
fn add_product(sum: &mut [u64; 3], a: &[u64; 3], b: u64) {
    let mut carry = 0u128;
    for (sum, a) in sum.iter_mut().zip(a) {
        let wide = u128::from(*sum) + u128::from(*a) * u128::from(b) + carry;
        *sum = wide as u64;
        carry = wide >> 64;
    }
}

/// Divides by the last prime of as many as there are residues, rounding to the nearest, and drops its residues.
pub(super) fn drop_prime(ntts: &[Ntt], residues: &mut Vec<u64>, each: usize) {
    let Some((last, others)) = ntts.split_last() else { return };
    let kept = others.len() * each;
    let (rest, dropped) = residues.split_at_mut(kept);
    let half = last.modulus() / 2;
    for (ntt, residues) in others.iter().zip(rest.chunks_exact_mut(each.max(1))) {
        let inverse = ntt.invert(ntt.reduce(last.modulus()));
        for (residue, dropped) in residues.iter_mut().zip(&*dropped) {
            // All ones where the residue stands for a negative number.
            let above = half.wrapping_sub(*dropped) >> 63;
            let centred = dropped.wrapping_sub(last.modulus() & above.wrapping_neg()) as i64;
            *residue = ntt.product(ntt.difference(*residue, ntt.reduce_signed(centred)), inverse);
        }
    }
    residues.truncate(kept);
}
