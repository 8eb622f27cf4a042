//! Fischlin's comparison, changed so that the client may leave: a baseline for measurements of DGK's.
//!
//! The client makes a key of Goldwasser and Micali's cryptosystem, sends the secret half to the server and encryptions of its bits
//! to the assistant. For each bit i the assistant makes a row of λ ciphertexts: of zeros if `m_i = 1`, `x_i = 0` and all higher bits
//! are equal, else of uniform bits. The server decrypts the rows, in a random order: a row of only zeros means that `m > x`.
//!
//! Source: Fischlin, “A cost-effective pay-per-multiplication comparison method for millionaires” (CT-RSA 2001), as Geisler's report
//! changes it (section 2.5.1, Figure 2.2). The conjunction of bits is that of Sander, Young and Yung: a condition that does not hold adds an
//! independent random bit to each entry of a row, and one that holds adds nothing.
//! Security: semi-honest; the party with the key and the party with the encryptions must not collude. The answer is wrong with a probability of at
//! most `5ℓ·2^-λ`: a row of uniform bits may be zero by chance, so the answer may be “greater” where the number is not greater.
//! Cost: `ℓ·λ` ciphertexts from the assistant.

use tacit_crypto::{Oracle, Prg};
use tacit_he::goldwasser_micali::{Ciphertext, ModulusSize, PublicKey, SecretKey};
use tacit_he::{PublicKey as _, SecretKey as _, Threads};
use tacit_math::Wiped;
use tacit_net::Channel;

use crate::constants::{MAX_BITS, TAG_BYTES};
use crate::permute::permute;
use crate::{CompareError, wire};

/// Maximum entries of a row.
const MAX_ENTRIES: u32 = 256;

/// The parameters on which client and servers agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    size: ModulusSize,
    bits: u32,
    /// λ.
    entries: u32,
}

impl Parameters {
    /// Numbers of `bits` bits, the paper's ℓ, and rows of `entries`, the paper's λ, under keys of the given size.
    ///
    /// # Errors
    /// [`CompareError::Bits`] unless there are 1 to 64 bits; [`CompareError::Count`] for no entries or more than 256.
    pub fn new(size: ModulusSize, bits: u32, entries: u32) -> Result<Parameters, CompareError> {
        if !(1..=MAX_BITS).contains(&bits) {
            return Err(CompareError::Bits(bits));
        }
        let held = entries.clamp(1, MAX_ENTRIES);
        CompareError::check_count("entries of a row", entries as usize, held as usize)?;
        Ok(Parameters { size, bits, entries })
    }

    /// Bytes of a comparison, all from the assistant.
    pub fn reply_bytes(&self) -> usize {
        TAG_BYTES + self.bits as usize * self.row_bytes()
    }

    fn row_bytes(&self) -> usize {
        self.entries as usize * self.ciphertext_bytes()
    }

    fn ciphertext_bytes(&self) -> usize {
        self.size.bits() as usize / 8
    }

    fn check(&self, what: &'static str, number: u64) -> Result<(), CompareError> {
        let high = self.bits < 64 && number >> self.bits != 0;
        if high { Err(CompareError::Range { what, index: 0, bits: self.bits }) } else { Ok(()) }
    }

    fn bits_of(&self, number: u64) -> impl DoubleEndedIterator<Item = bool> {
        (0..self.bits).map(move |i| number >> i & 1 == 1)
    }

    /// The tag that begins the assistant's message, so that both use the same key and price.
    fn tag(&self, key: &PublicKey, price: u64) -> [u8; TAG_BYTES] {
        let oracle = Oracle::new("tacit compare v1: fischlin").absorb(&key.to_bytes());
        let shape = [u64::from(self.bits), u64::from(self.entries), price].map(u64::to_le_bytes);
        let mut tag = [0; TAG_BYTES];
        tag.copy_from_slice(&oracle.absorb(shape.as_flattened()).digest()[..TAG_BYTES]);
        tag
    }
}

/// A client's messages.
pub struct Sealed {
    /// To the server: the secret key.
    pub key: Wiped<u8>,
    /// To the assistant: the public key, then the encrypted bits.
    pub bits: Vec<u8>,
}

/// The client's part: makes its messages.
///
/// # Errors
/// [`CompareError::Range`] if the number has more bits than the parameters allow; [`CompareError::He`].
pub fn seal(parameters: &Parameters, number: u64, prg: &mut Prg) -> Result<Sealed, CompareError> {
    parameters.check("the sealed number", number)?;
    let key = SecretKey::generate(&parameters.size, prg)?;
    let plains: Vec<bool> = parameters.bits_of(number).collect();
    let encrypted = key.public().encrypt_all(&plains, Threads::ONE, prg)?;
    let bits = [key.public().to_bytes(), key.public().encode(&encrypted)?].concat();
    Ok(Sealed { key: key.to_bytes(), bits })
}

/// The server, for one client: it learns whether the client's number is greater than a price.
pub struct Server {
    parameters: Parameters,
    key: SecretKey,
}

impl Server {
    /// # Errors
    /// [`CompareError::He`] if the client's bytes are not a key.
    pub fn new(parameters: Parameters, key: &[u8]) -> Result<Server, CompareError> {
        Ok(Server { parameters, key: SecretKey::from_bytes(&parameters.size, key)? })
    }

    /// Whether the number is greater than the price.
    ///
    /// Cost: two exponentiations modulo a prime for each row of uniform bits, on average.
    ///
    /// # Errors
    /// [`CompareError::Disagree`], [`CompareError::Malformed`], [`CompareError::Net`]; [`CompareError::Range`].
    pub async fn reveal(&self, channel: &mut Channel, price: u64) -> Result<bool, CompareError> {
        self.parameters.check("the price", price)?;
        let public = self.key.public();
        let count = (self.parameters.bits * self.parameters.entries) as usize;
        let length = count * public.ciphertext_bytes();
        let bytes = wire::receive(channel, self.parameters.tag(public, price), length).await?;
        let entries =
            public.decode(count, &bytes).map_err(|source| wire::malformed(channel, "ciphertexts", source))?;
        let mut greater = false;
        for row in entries.chunks_exact(self.parameters.entries as usize) {
            greater |= self.all_zero(row)?;
        }
        Ok(greater)
    }

    fn all_zero(&self, row: &[Ciphertext]) -> Result<bool, CompareError> {
        for entry in row {
            if self.key.decrypt(entry)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The assistant, for one client: it learns nothing.
pub struct Assistant {
    parameters: Parameters,
    key: PublicKey,
    /// Encryptions of the number's bits, lowest first.
    bits: Vec<Ciphertext>,
    threads: Threads,
}

impl Assistant {
    /// # Errors
    /// [`CompareError::Count`], [`CompareError::He`] unless the client's bytes are a key and as many ciphertexts as bits.
    pub fn new(parameters: Parameters, bytes: &[u8], threads: Threads) -> Result<Assistant, CompareError> {
        let each = parameters.ciphertext_bytes();
        let expected = (parameters.bits as usize + 1) * each;
        CompareError::check_count("bytes of encrypted bits", bytes.len(), expected)?;
        let (key, bits) = bytes.split_at(each);
        let key = PublicKey::from_bytes(&parameters.size, key)?;
        let bits = key.decode(parameters.bits as usize, bits)?;
        Ok(Assistant { parameters, key, bits, threads })
    }

    /// Compares with a public price.
    ///
    /// # Errors
    /// [`CompareError::Range`], [`CompareError::Net`].
    pub async fn reveal(&self, channel: &mut Channel, price: u64, prg: &mut Prg) -> Result<(), CompareError> {
        self.parameters.check("the price", price)?;
        let bytes = self.key.encode(&self.rows(price, prg)?)?;
        let rows = permute(&bytes, self.parameters.row_bytes(), &[self.bits.len()], prg);
        wire::send(channel, self.parameters.tag(&self.key, price), &rows).await
    }

    /// The rows, highest bit first.
    fn rows(&self, price: u64, prg: &mut Prg) -> Result<Vec<Ciphertext>, CompareError> {
        let mut rows = Vec::with_capacity((self.parameters.bits * self.parameters.entries) as usize);
        let none = self.key.encrypt(&false, prg)?;
        // Conditions that hold for all higher bits.
        let mut higher = vec![none; self.parameters.entries as usize];
        for (bit, price) in self.bits.iter().rev().zip(self.parameters.bits_of(price).rev()) {
            let one = self.key.encrypt(&true, prg)?;
            let is_zero = self.key.add(bit, &one)?;
            let plains: Vec<bool> = higher.iter().map(|_| price & (prg.next_u64() & 1 == 1)).collect();
            let row = self.with_condition(&higher, &is_zero, prg)?;
            let fresh = self.key.encrypt_all(&plains, self.threads, prg)?;
            rows.extend(self.key.add_all(&row, &fresh, self.threads)?);
            let differs = self.key.add(bit, &self.key.multiply(&one, &price)?)?;
            higher = self.with_condition(&higher, &differs, prg)?;
        }
        Ok(rows)
    }

    /// The row, with an independent random bit added to each entry if `fails` encrypts one.
    fn with_condition(
        &self,
        row: &[Ciphertext],
        fails: &Ciphertext,
        prg: &mut Prg,
    ) -> Result<Vec<Ciphertext>, CompareError> {
        let coins: Vec<bool> = row.iter().map(|_| prg.next_u64() & 1 == 1).collect();
        let conditions = self.key.multiply_all(&vec![fails.clone(); row.len()], &coins, self.threads)?;
        Ok(self.key.add_all(row, &conditions, self.threads)?)
    }
}
