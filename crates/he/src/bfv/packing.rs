//! Packing: single coefficients of many ciphertexts into one reply.
//!
//! A single coefficient of a ciphertext is an encryption under learning with errors. A tree of automorphisms of the ring puts up to n of them into one
//! ciphertext. Each level doubles the coefficients, so they are divided by n modulo q first.
//!
//! Source: Chen, Dai, Kim and Song, “Efficient homomorphic conversion between (ring) LWE ciphertexts” (ACNS'21), algorithms 1 to 3.
//! Differs: keys are decomposed only by the primes of q, and all bounds are for the largest noise, not the likely one. Switching keys adds `K = L·n·q_1/2·B`
//! for L primes. A level of the tree takes a noise of N on both its sides to `4·N + K`, and a level of the trace after it takes N to `2·N + K`.
//! Security: the keys encrypt functions of the secret under itself. Ring-LWE alone does not imply that this is safe; all uses of such keys assume it (circular
//! security).

use tacit_crypto::Prg;
use tacit_math::ntt::Ntt;
use tacit_math::{Block, Wiped};

use super::{Ciphertext, Parameters, PublicKey, Reply, SEED, SecretKey, bits, block, masked, noise, sample};
use crate::HeError;
use crate::scheme::check_length;

/// Keys that the key's owner sends, once per session, to the party that packs replies: encryptions of the secret's images
/// under automorphisms.
///
/// Cost: 1.2 MB for n = 4096 and 6 MB for n = 8192 with three primes.
pub struct PackingKeys {
    key: u64,
    /// For the automorphism `x ↦ x^(2^j + 1)`, from j = 1 on.
    switches: Vec<Switch>,
}

/// Takes a ciphertext from a turned secret back to the secret.
struct Switch(Vec<Digit>);

/// `(-a·s + e + g·τ(s), a)` as values, where g is 1 modulo one prime and 0 modulo the others.
struct Digit {
    seed: Block,
    parts: [Vec<u64>; 2],
}

tacit_math::redacted!(PackingKeys);

/// Both parts of a ciphertext, as residues of coefficients. All of this is public.
type Pair = [Vec<u64>; 2];

impl Parameters {
    /// The places of a packed reply's coefficients, in the order in which they were given.
    pub fn packed_places(&self, count: usize) -> Vec<usize> {
        let stride = self.degree() / count.next_power_of_two().min(self.degree());
        (0..count).map(|i| i * stride).collect()
    }

    /// Number of automorphisms that have keys.
    fn levels(&self) -> usize {
        self.degree().trailing_zeros() as usize
    }

    /// What packing adds to the noise.
    fn packing_noise(&self, tree: usize) -> f64 {
        let largest = self.ntts().iter().map(|ntt| ntt.modulus() as f64).fold(0.0, f64::max);
        let switch = (self.count() * self.degree()) as f64 * largest / 2.0 * f64::from(noise::ERROR);
        (0..self.levels()).fold(0.0, |noise, level| {
            let factor = if level < tree { 4.0 } else { 2.0 };
            noise::sum(noise::product(noise, factor), switch)
        })
    }

    /// Residues of coefficients, turned by `x ↦ x^power`.
    fn turned(&self, residues: &[u64], power: usize) -> Vec<u64> {
        let degree = self.degree();
        let mut turned = vec![0; residues.len()];
        let pairs = turned.chunks_exact_mut(degree).zip(residues.chunks_exact(degree));
        for (ntt, (turned, residues)) in self.ntts().iter().zip(pairs) {
            let mut place = 0;
            for residue in residues {
                let negated = ntt.difference(0, *residue);
                turned[place & (degree - 1)] = if place < degree { *residue } else { negated };
                place = (place + power) & (2 * degree - 1);
            }
        }
        turned
    }

    /// Residues of coefficients, times `x^power` for a power below 2n.
    fn moved(&self, residues: &[u64], power: usize) -> Vec<u64> {
        let degree = self.degree();
        let mut moved = vec![0; residues.len()];
        let pairs = moved.chunks_exact_mut(degree).zip(residues.chunks_exact(degree));
        for (ntt, (moved, residues)) in self.ntts().iter().zip(pairs) {
            for (i, residue) in residues.iter().enumerate() {
                let place = (i + power) & (2 * degree - 1);
                let negated = ntt.difference(0, *residue);
                moved[place & (degree - 1)] = if place < degree { *residue } else { negated };
            }
        }
        moved
    }
}

impl SecretKey {
    /// Public keys for packing.
    pub fn packing_keys(&self, prg: &mut Prg) -> PackingKeys {
        let parameters = &self.public.parameters;
        let mut secret = self.secret.clone();
        parameters.each(&mut secret, Ntt::inverse);
        let switch = |j: usize| {
            let mut turned = Wiped::from(parameters.turned(&secret, (1 << j) + 1));
            parameters.each(&mut turned, Ntt::forward);
            let digits = (0..parameters.count()).map(|i| {
                let seed = prg.next_block();
                let whole = sample::uniform(parameters.ntts(), seed);
                let errors = sample::errors(parameters.degree(), prg);
                let mut part = masked(parameters, &whole, &self.secret, &errors, &[]);
                let own = i * parameters.degree()..(i + 1) * parameters.degree();
                parameters.ntts()[i].add(&mut part[own.clone()], &turned[own]);
                Digit { seed, parts: [part, whole] }
            });
            Switch(digits.collect())
        };
        let switches = (1..=parameters.levels()).map(switch).collect();
        PackingKeys { key: self.public.tag(), switches }
    }
}

impl PublicKey {
    /// Bytes of encoded keys for packing.
    pub fn packing_keys_bytes(&self) -> usize {
        let parameters = &self.parameters;
        parameters.levels() * parameters.count() * (SEED + parameters.part_bytes())
    }

    /// The canonical encoding.
    ///
    /// # Errors
    /// [`HeError::OtherKey`].
    pub fn encode_packing_keys(&self, keys: &PackingKeys) -> Result<Vec<u8>, HeError> {
        self.owned(keys.key, "a packing key")?;
        let mut bytes = Vec::with_capacity(self.packing_keys_bytes());
        for digit in keys.switches.iter().flat_map(|switch| &switch.0) {
            bytes.extend_from_slice(&digit.seed.to_bytes());
            bits::push(self.parameters.ntts(), &digit.parts[0], self.parameters.degree(), &mut bytes);
        }
        Ok(bytes)
    }

    /// The keys of an encoding.
    ///
    /// # Errors
    /// [`HeError::Length`]; [`HeError::Range`] for a value that is not below its prime.
    pub fn decode_packing_keys(&self, bytes: &[u8]) -> Result<PackingKeys, HeError> {
        let parameters = &self.parameters;
        check_length("BFV packing keys", bytes, 1, self.packing_keys_bytes())?;
        let each = SEED + parameters.part_bytes();
        let digit = |bytes: &[u8]| {
            let (seed, part) = bytes.split_at(SEED);
            let part = bits::take(parameters.ntts(), part, parameters.degree(), "a value of a packing key")?;
            let seed = block(seed);
            Ok(Digit { seed, parts: [part, sample::uniform(parameters.ntts(), seed)] })
        };
        let switch =
            |bytes: &[u8]| bytes.chunks_exact(each).map(digit).collect::<Result<_, HeError>>().map(Switch);
        let switches = bytes.chunks_exact(each * parameters.count()).map(switch).collect::<Result<_, _>>()?;
        Ok(PackingKeys { key: self.tag(), switches })
    }

    /// One reply with coefficients of several ciphertexts, each given with its places. The key's owner finds them at
    /// [`Parameters::packed_places`] and learns nothing else, as with [`PublicKey::reply`]: zeros and floods come
    /// first, and packing only uses their results.
    ///
    /// Cost: a key switch for each coefficient, which is `L² + 2L` transforms for L primes.
    ///
    /// # Errors
    /// [`HeError::Count`] for none or more than n coefficients; [`HeError::Range`] for a place beyond the last;
    /// [`HeError::Noise`], [`HeError::OtherKey`].
    pub fn packed_reply(
        &self,
        keys: &PackingKeys,
        sources: &[(&Ciphertext, &[usize])],
        prg: &mut Prg,
    ) -> Result<Reply, HeError> {
        let parameters = &self.parameters;
        self.owned(keys.key, "a packing key")?;
        let count = sources.iter().map(|(_, places)| places.len()).sum::<usize>();
        if !(1..=parameters.degree()).contains(&count) {
            return Err(HeError::Count { what: "coefficients", given: count, expected: parameters.degree() });
        }
        let tree = count.next_power_of_two().trailing_zeros() as usize;
        for (ciphertext, places) in sources {
            self.owned(ciphertext.key, "a ciphertext")?;
            if places.iter().any(|place| *place >= parameters.degree()) {
                return Err(HeError::Range { what: "the place of a coefficient" });
            }
            parameters.reply_noise(ciphertext.noise, parameters.packing_noise(tree))?;
        }
        let mut singles = Vec::with_capacity(count);
        for (ciphertext, places) in sources {
            let hidden = self.hidden(ciphertext, prg);
            singles.extend(places.iter().map(|place| self.single(&hidden, *place)));
        }
        let mut packed = self.tree(keys, &singles, 0, 1, tree).unwrap_or_default();
        for j in tree + 1..=parameters.levels() {
            let turned = self.automorphism(&keys.switches[j - 1], &packed, j);
            packed = self.sum(packed, &turned);
        }
        Ok(self.switched(packed, &parameters.packed_places(count)))
    }

    /// A ciphertext whose coefficient 0 is the given one's coefficient at `place`, divided by n. All other coefficients of c0 are zero.
    fn single(&self, [first, whole]: &Pair, place: usize) -> Pair {
        let parameters = &self.parameters;
        let degree = parameters.degree();
        let mut whole = parameters.moved(whole, (2 * degree - place) % (2 * degree));
        let mut constant = vec![0; first.len()];
        for (i, ntt) in parameters.ntts().iter().enumerate() {
            let inverse = ntt.invert(ntt.reduce(degree as u64));
            constant[i * degree] = ntt.product(first[i * degree + place], inverse);
            let own = &mut whole[i * degree..][..degree];
            own.iter_mut().for_each(|residue| *residue = ntt.product(*residue, inverse));
        }
        [constant, whole]
    }

    /// The ciphertexts from number `start` on, each `stride` apart, in a tree of `levels`; `None` if there are none.
    fn tree(
        &self,
        keys: &PackingKeys,
        singles: &[Pair],
        start: usize,
        stride: usize,
        levels: usize,
    ) -> Option<Pair> {
        let Some(below) = levels.checked_sub(1) else { return singles.get(start).cloned() };
        let even = self.tree(keys, singles, start, 2 * stride, below)?;
        let odd = self.tree(keys, singles, start + stride, 2 * stride, below);
        let (mut sum, mut difference) = (even.clone(), even);
        if let Some(odd) = odd {
            let moved = odd.map(|part| self.parameters.moved(&part, self.parameters.degree() >> levels));
            sum = self.sum(sum, &moved);
            for (part, moved) in difference.iter_mut().zip(&moved) {
                self.parameters.each_with(part, moved, Ntt::subtract);
            }
        }
        let turned = self.automorphism(&keys.switches[levels - 1], &difference, levels);
        Some(self.sum(sum, &turned))
    }

    fn sum(&self, mut a: Pair, b: &Pair) -> Pair {
        for (part, other) in a.iter_mut().zip(b) {
            self.parameters.each_with(part, other, Ntt::add);
        }
        a
    }

    /// A ciphertext of the plaintext under `x ↦ x^(2^j + 1)`.
    fn automorphism(&self, switch: &Switch, [first, whole]: &Pair, j: usize) -> Pair {
        let parameters = &self.parameters;
        let (degree, power) = (parameters.degree(), (1 << j) + 1);
        let whole = parameters.turned(whole, power);
        let mut sums = [0, 1].map(|_| vec![0; whole.len()]);
        for ((digit, residues), own) in switch.0.iter().zip(whole.chunks_exact(degree)).zip(parameters.ntts())
        {
            // The residue modulo one prime, taken between minus and plus half that prime, reduced modulo all primes.
            let half = own.modulus() / 2;
            let centred = residues.iter().map(|residue| match *residue > half {
                true => *residue as i64 - own.modulus() as i64,
                false => *residue as i64,
            });
            let values = parameters.values(&centred.collect::<Vec<_>>(), half + 1);
            for (sum, part) in sums.iter_mut().zip(&digit.parts) {
                let lists = sum
                    .chunks_exact_mut(degree)
                    .zip(values.chunks_exact(degree).zip(part.chunks_exact(degree)));
                for (ntt, (sum, (values, part))) in parameters.ntts().iter().zip(lists) {
                    ntt.multiply_add(sum, values, part);
                }
            }
        }
        for sum in &mut sums {
            parameters.each(sum, Ntt::inverse);
        }
        let turned = parameters.turned(first, power);
        parameters.each_with(&mut sums[0], &turned, Ntt::add);
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PublicKey as _, SecretKey as _};
    use tacit_math::ntt;

    fn toy(plain_bits: u32, primes: usize) -> SecretKey {
        let primes: Vec<u64> = ntt::primes(50, 16).take(primes).collect();
        let parameters = Parameters::new(16, &primes, plain_bits).unwrap();
        SecretKey::generate(&parameters, &mut Prg::new(Block(1))).unwrap()
    }

    fn ciphertexts(key: &SecretKey, count: usize) -> (Vec<Vec<u64>>, Vec<Ciphertext>) {
        let parameters = key.public().parameters();
        let mut prg = Prg::new(Block(2));
        let mut message = || {
            let shift = 64 - parameters.plain_bits();
            (0..parameters.degree()).map(|_| prg.next_u64() >> shift).collect::<Vec<_>>()
        };
        let messages: Vec<Vec<u64>> = (0..count).map(|_| message()).collect();
        let mut prg = Prg::new(Block(3));
        let encrypt =
            |message: &Vec<u64>| key.encrypt(&parameters.plain(message).unwrap(), &mut prg).unwrap();
        let encrypted = messages.iter().map(encrypt).collect();
        (messages, encrypted)
    }

    #[test]
    fn coefficients_of_many_ciphertexts_come_in_one_reply() {
        let key = toy(32, 3);
        let (public, mut prg) = (key.public(), Prg::new(Block(4)));
        let sent = public.encode_packing_keys(&key.packing_keys(&mut prg)).unwrap();
        assert_eq!(sent.len(), public.packing_keys_bytes());
        let keys = public.decode_packing_keys(&sent).unwrap();
        let (messages, encrypted) = ciphertexts(&key, 3);
        let whole: Vec<usize> = (0..16).rev().collect();
        for places in [
            [&[3][..], &[], &[]],
            [&[0, 15], &[], &[7]],
            [&[1, 2, 3], &[9, 0], &[14, 4, 5, 6]],
            [&[], &whole, &[]],
        ] {
            let sources: Vec<(&Ciphertext, &[usize])> = encrypted.iter().zip(places).collect();
            let reply = public.packed_reply(&keys, &sources, &mut prg).unwrap();
            let expected: Vec<u64> =
                messages.iter().zip(places).flat_map(|(m, places)| places.iter().map(|i| m[*i])).collect();
            let at = public.parameters().packed_places(expected.len());
            let received = public.decode_reply(at.len(), &public.encode_reply(&reply).unwrap()).unwrap();
            assert_eq!(key.decrypt_reply(&received, &at).unwrap()[..], expected, "{places:?}");
        }
    }

    #[test]
    fn a_real_ring_packs() {
        let parameters = Parameters::n8192(32).unwrap();
        let key = SecretKey::generate(&parameters, &mut Prg::new(Block(1))).unwrap();
        let keys = key.packing_keys(&mut Prg::new(Block(4)));
        let (messages, encrypted) = ciphertexts(&key, 2);
        let sources = [(&encrypted[0], &[0, 8191][..]), (&encrypted[1], &[5])];
        let reply = key.public().packed_reply(&keys, &sources, &mut Prg::new(Block(5))).unwrap();
        let found = key.decrypt_reply(&reply, &parameters.packed_places(3)).unwrap();
        assert_eq!(found[..], [messages[0][0], messages[0][8191], messages[1][5]]);
    }

    #[test]
    fn noise_stays_below_its_bound() {
        let key = toy(32, 3);
        let (public, mut prg) = (key.public(), Prg::new(Block(4)));
        let parameters = public.parameters();
        let keys = key.packing_keys(&mut prg);
        let (_, encrypted) = ciphertexts(&key, 1);
        let places: Vec<usize> = (0..16).collect();
        let bound = parameters.reply_noise(encrypted[0].noise, parameters.packing_noise(4)).unwrap();
        for _ in 0..10 {
            let reply = public.packed_reply(&keys, &[(&encrypted[0], &places)], &mut prg).unwrap();
            let (_, rests) = key.reply_and_rest(&reply, &parameters.packed_places(16)).unwrap();
            let most = rests.iter().map(|rest| (*rest as i64).unsigned_abs()).max().unwrap() as f64;
            let size = parameters.level(parameters.reply_primes()).size();
            assert!(most / (64.0 + 32.0f64).exp2() * size <= bound);
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let (key, narrow) = (toy(32, 3), toy(40, 2));
        let (public, mut prg) = (key.public(), Prg::new(Block(4)));
        let keys = key.packing_keys(&mut prg);
        let (_, encrypted) = ciphertexts(&key, 1);
        let reply = |places: &[usize]| {
            public.packed_reply(&keys, &[(&encrypted[0], places)], &mut Prg::new(Block(1)))
        };
        assert!(matches!(reply(&[]), Err(HeError::Count { given: 0, .. })));
        assert!(matches!(reply(&[0; 17]), Err(HeError::Count { given: 17, expected: 16, .. })));
        assert_eq!(reply(&[16]).err(), Some(HeError::Range { what: "the place of a coefficient" }));
        let (_, foreign) = ciphertexts(&narrow, 1);
        let bytes = public.encode_packing_keys(&keys).unwrap();
        assert!(matches!(public.decode_packing_keys(&bytes[1..]), Err(HeError::Length { .. })));
        let mut bad = bytes.clone();
        bad[16..30].fill(0xff);
        assert_eq!(
            public.decode_packing_keys(&bad).err(),
            Some(HeError::Range { what: "a value of a packing key" })
        );
        // There is room for a reply, but not for a packed one.
        assert!(narrow.public().reply(&foreign[0], &[0], &mut prg).is_ok());
        let of_narrow = narrow.packing_keys(&mut prg);
        assert!(matches!(
            narrow.public().packed_reply(&of_narrow, &[(&foreign[0], &[0])], &mut prg),
            Err(HeError::Noise { .. })
        ));
        // Keys of the same seed, but of other parameters.
        let refused = narrow.public().packed_reply(&keys, &[(&foreign[0], &[0])], &mut prg);
        assert_eq!(refused.err(), Some(HeError::OtherKey { what: "a packing key" }));
        let other = SecretKey::generate(&public.parameters(), &mut Prg::new(Block(77))).unwrap();
        let of_other = Some(HeError::OtherKey { what: "a packing key" });
        assert_eq!(other.public().encode_packing_keys(&keys).err(), of_other);
        assert_eq!(other.public().packed_reply(&keys, &[(&encrypted[0], &[0])], &mut prg).err(), of_other);
        let own = other.packing_keys(&mut prg);
        let of_other = Some(HeError::OtherKey { what: "a ciphertext" });
        assert_eq!(other.public().packed_reply(&own, &[(&encrypted[0], &[0])], &mut prg).err(), of_other);
        assert_eq!(format!("{own:?}"), "PackingKeys(..)");
    }
}
