//! Numbers modulo q as residues modulo its primes: messages in and out, and changes of the modulus. Constant time.

use tacit_math::Wiped;
use tacit_math::ntt::Ntt;

/// The plaintext modulus t.
#[derive(Clone)]
pub(super) enum PlainModulus {
    /// `t = 2^bits`, from 1 to 64 bits.
    Power(u32),
    /// A prime whose transform takes a plaintext to n slots.
    Prime(Ntt),
}

impl PlainModulus {
    /// Bits of a number below t.
    pub fn bits(&self) -> u32 {
        match self {
            PlainModulus::Power(bits) => *bits,
            PlainModulus::Prime(ntt) => 64 - ntt.modulus().leading_zeros(),
        }
    }

    /// t.
    pub fn size(&self) -> f64 {
        match self {
            PlainModulus::Power(bits) => f64::from(*bits).exp2(),
            PlainModulus::Prime(ntt) => ntt.modulus() as f64,
        }
    }

    /// t where it is prime, else 0.
    pub fn prime(&self) -> u64 {
        match self {
            PlainModulus::Power(_) => 0,
            PlainModulus::Prime(ntt) => ntt.modulus(),
        }
    }
}

/// How messages modulo t become `round(q·m/t)`.
pub(super) struct Plaintexts {
    modulus: PlainModulus,
    /// q modulo 2^64, or modulo the prime.
    rest: u64,
    /// `1 / t` modulo each prime of q.
    inverses: Vec<u64>,
}

impl Plaintexts {
    pub fn new(ntts: &[Ntt], modulus: PlainModulus) -> Plaintexts {
        let inverse = |ntt: &Ntt| match &modulus {
            PlainModulus::Power(bits) => {
                let half = ntt.modulus().div_ceil(2);
                (0..*bits).fold(1, |power, _| ntt.product(power, half))
            }
            PlainModulus::Prime(plain) => ntt.invert(ntt.reduce(plain.modulus())),
        };
        let inverses = ntts.iter().map(inverse).collect();
        let rest = ntts.iter().fold(1u64, |product, ntt| match &modulus {
            PlainModulus::Power(_) => product.wrapping_mul(ntt.modulus()),
            PlainModulus::Prime(plain) => plain.product(product, plain.reduce(ntt.modulus())),
        });
        Plaintexts { modulus, rest, inverses }
    }

    pub fn modulus(&self) -> &PlainModulus {
        &self.modulus
    }

    /// Whether all numbers are below t. Constant time except for the answer.
    pub fn hold(&self, numbers: &[u64]) -> bool {
        let most = match &self.modulus {
            PlainModulus::Power(bits) => u64::MAX >> (64 - bits),
            PlainModulus::Prime(ntt) => ntt.modulus() - 1,
        };
        !numbers.iter().fold(false, |beyond, number| beyond | (*number > most))
    }

    /// Adds `round(q·m/t)` to residues of coefficients, for the message's first coefficients.
    ///
    /// `q·m` is `t·round(q·m/t) + r` with r from -t/2 to t/2, which is known modulo t; so modulo a prime of q the rounded
    /// quotient is `-r / t`.
    pub fn add(&self, ntts: &[Ntt], residues: &mut [u64], message: &[u64]) {
        match &self.modulus {
            PlainModulus::Power(bits) => {
                let spare = 64 - bits;
                let rest = |m: u64| (self.rest.wrapping_mul(m) << spare) as i64 >> spare;
                self.add_rounded(ntts, residues, message, rest);
            }
            PlainModulus::Prime(plain) => {
                let rest = |m: u64| centred(plain.modulus(), plain.product(self.rest, m));
                self.add_rounded(ntts, residues, message, rest);
            }
        }
    }

    /// Adds `-r / t`, where `rest` gives r.
    fn add_rounded(&self, ntts: &[Ntt], residues: &mut [u64], message: &[u64], rest: impl Fn(u64) -> i64) {
        // r is at most half of t in absolute value, so at most half of 2^bits.
        let most = 1u64 << (self.modulus.bits() - 1);
        for ((ntt, inverse), residues) in
            ntts.iter().zip(&self.inverses).zip(residues.chunks_exact_mut(ntts[0].degree()))
        {
            let rests = message.iter().map(|m| rest(*m));
            meet(ntt, most, residues, rests, |residue, rest| {
                ntt.difference(residue, ntt.product(rest, *inverse))
            });
        }
    }

    /// From `x/q` as a fraction of 192 bits: the message `round(t·x/q)` modulo t, and the rounding error.
    fn split(&self, fraction: [u64; 3]) -> (u64, u64) {
        let [_, middle, high] = fraction;
        match &self.modulus {
            PlainModulus::Power(bits) => {
                // Adding this half turns truncation into rounding: bit 191 - bits.
                let place = 191 - bits;
                let mut half = [0; 3];
                half[(place / 64) as usize] = 1 << (place % 64);
                let mut sum = fraction;
                add_product(&mut sum, &half, 1);
                let [_, middle, high] = sum;
                match bits {
                    64 => (high, middle ^ 1 << 63),
                    _ => (high >> (64 - bits), (high << bits | middle >> (64 - bits)) ^ 1 << 63),
                }
            }
            PlainModulus::Prime(plain) => {
                let t = u128::from(plain.modulus());
                let product = u128::from(high) * t + ((u128::from(middle) * t) >> 64);
                let rounded = ((product + (1 << 63)) >> 64) as u64;
                // `zero` is 1 where the rounded number is t, which stands for 0.
                let other = rounded ^ plain.modulus();
                let zero = (other.wrapping_sub(1) & !other) >> 63;
                (rounded & zero.wrapping_sub(1), product as u64)
            }
        }
    }
}

/// Replaces each residue by `step` of it and of its number modulo the same prime. Numbers are at most `most` in absolute value.
fn meet(
    ntt: &Ntt,
    most: u64,
    residues: &mut [u64],
    numbers: impl Iterator<Item = i64>,
    step: impl Fn(u64, u64) -> u64,
) {
    let pairs = residues.iter_mut().zip(numbers);
    match most < ntt.modulus() {
        true => pairs.for_each(|(residue, number)| *residue = step(*residue, ntt.lift(number))),
        false => pairs.for_each(|(residue, number)| *residue = step(*residue, ntt.reduce_signed(number))),
    }
}

/// The representative of smallest absolute value of a number below a modulus, without a branch.
pub(super) fn centred(modulus: u64, number: u64) -> i64 {
    let above = (modulus / 2).wrapping_sub(number) >> 63;
    number.wrapping_sub(modulus & above.wrapping_neg()) as i64
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

    /// `round(t·x/q)` modulo t of each coefficient, and the rounding error, which is `t/q` times the noise, as a fraction of
    /// 64 bits with a sign.
    ///
    /// `x/q` is the sum of `[x/(q/q_i)]_(q_i) / q_i` modulo 1, which is computed to 192 bits after the point. Each term is too small by less than 2^-140.
    pub fn round(&self, ntts: &[Ntt], residues: &[u64], plaintexts: &Plaintexts) -> (Wiped<u64>, Wiped<u64>) {
        let count = residues.len() / self.lifts.len();
        let (mut message, mut rests) = (Wiped::from(vec![0; count]), Wiped::from(vec![0; count]));
        for (i, (number, rest)) in message.iter_mut().zip(rests.iter_mut()).enumerate() {
            let mut sum = [0u64; 3];
            for ((ntt, lift), (fraction, residues)) in
                ntts.iter().zip(&self.lifts).zip(self.fractions.iter().zip(residues.chunks_exact(count)))
            {
                add_product(&mut sum, fraction, ntt.product(residues[i], *lift));
            }
            (*number, *rest) = plaintexts.split(sum);
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

/// Divides by the last of the primes that the residues have, rounds to the nearest, and drops that prime's residues.
pub(super) fn drop_prime(ntts: &[Ntt], residues: &mut Vec<u64>, each: usize) {
    let Some((last, others)) = ntts.split_last() else { return };
    let kept = others.len() * each;
    let (rest, dropped) = residues.split_at_mut(kept);
    for (ntt, residues) in others.iter().zip(rest.chunks_exact_mut(each.max(1))) {
        let inverse = ntt.invert(ntt.reduce(last.modulus()));
        let numbers = dropped.iter().map(|dropped| centred(last.modulus(), *dropped));
        meet(ntt, last.modulus() / 2, residues, numbers, |residue, number| {
            ntt.product(ntt.difference(residue, number), inverse)
        });
    }
    residues.truncate(kept);
}
