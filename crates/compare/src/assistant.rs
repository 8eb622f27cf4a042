//! The assisting server: it computes on ciphertexts, blinds them and permutes them. It is B in the paper.

use std::sync::Arc;

use tacit_crypto::Prg;
use tacit_he::dgk::{Ciphertext, PublicKey};
use tacit_he::{PublicKey as _, Threads};
use tacit_math::Wiped;
use tacit_net::Channel;
use zeroize::Zeroizing;

use crate::encrypted::Encrypted;
use crate::inputs::Inputs;
use crate::job::Job;
use crate::permute::permute;
use crate::pool::Pool;
use crate::server::{check_results, identity, key_tag};
use crate::{CompareError, Parameters, Relation, Results, wire};

/// The assisting server with the server's public key and the randomness that it has prepared.
pub struct Assistant {
    pub(crate) parameters: Parameters,
    pub(crate) key: Arc<PublicKey>,
    /// Digest of the key.
    pub(crate) identity: [u8; 32],
    pool: Pool,
    pub(crate) threads: Threads,
    pub(crate) prg: Prg,
}

impl core::fmt::Debug for Assistant {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(formatter, "Assistant({:?}, {} prepared)", self.key, self.pool.len())
    }
}

impl Assistant {
    /// The assistant of a server that sends its key by [`crate::Server::introduce`].
    ///
    /// # Errors
    /// [`CompareError::Disagree`] if the server has other parameters, [`CompareError::Malformed`] for an invalid key.
    pub async fn meet(
        parameters: Parameters,
        threads: Threads,
        channel: &mut Channel,
    ) -> Result<Assistant, CompareError> {
        let length = 3 * parameters.ciphertext_bytes();
        let bytes = wire::receive(channel, key_tag(&parameters), length).await?;
        let key = PublicKey::from_bytes(&parameters.key(), &bytes)
            .map_err(|source| wire::malformed(channel, "a public key", source))?;
        Assistant::new(parameters, Arc::new(key), threads)
    }

    /// The assistant of a server whose public key is known, from the bytes that [`Assistant::key_bytes`] returned.
    ///
    /// # Errors
    /// [`CompareError::He`] for bytes that are not a key of these parameters.
    pub fn with_key(
        parameters: Parameters,
        bytes: &[u8],
        threads: Threads,
    ) -> Result<Assistant, CompareError> {
        let key = PublicKey::from_bytes(&parameters.key(), bytes)?;
        Assistant::new(parameters, Arc::new(key), threads)
    }

    /// An assistant with the same key and no prepared randomness.
    ///
    /// # Errors
    /// [`CompareError::Entropy`].
    pub fn unprepared(&self) -> Result<Assistant, CompareError> {
        Assistant::new(self.parameters, self.key.clone(), self.threads)
    }

    /// The parameters.
    pub fn parameters(&self) -> Parameters {
        self.parameters
    }

    /// Sets the number of bits of the numbers to compare from now on; the server must do the same.
    ///
    /// # Errors
    /// Those of [`Parameters::of`]; then nothing changes.
    pub fn set_bits(&mut self, bits: u32) -> Result<(), CompareError> {
        self.parameters = self.parameters.with_bits(bits)?;
        Ok(())
    }

    fn new(parameters: Parameters, key: Arc<PublicKey>, threads: Threads) -> Result<Assistant, CompareError> {
        let identity = identity(&key.to_bytes());
        Ok(Assistant { parameters, key, identity, pool: Pool::default(), threads, prg: Prg::from_os()? })
    }

    /// The server's public key, to be stored.
    pub fn key_bytes(&self) -> Vec<u8> {
        self.key.to_bytes()
    }

    /// The digest of the public key, the same at both servers.
    pub fn identity(&self) -> [u8; 32] {
        self.identity
    }

    /// Prepares `count` pieces of randomness, as [`crate::Cost::assistant_randomness`] counts them.
    pub fn prepare(&mut self, count: usize) {
        self.pool.add(self.key.randomness_all(count, self.threads, &mut self.prg));
    }

    /// Takes the prepared randomness out, as bytes to store. They are secret, and each piece still serves once.
    ///
    /// # Errors
    /// None for randomness that this assistant has prepared.
    pub fn take_randomness(&mut self) -> Result<Wiped<u8>, CompareError> {
        Ok(self.key.encode_randomness(self.pool.take_all())?)
    }

    /// Adds `count` pieces that [`Assistant::take_randomness`] returned for the same key.
    ///
    /// # Errors
    /// [`CompareError::He`] for invalid bytes.
    pub fn add_randomness(&mut self, count: usize, bytes: &[u8]) -> Result<(), CompareError> {
        self.pool.add(self.key.decode_randomness(count, bytes)?);
        Ok(())
    }

    /// Number of pieces of randomness left.
    pub fn prepared(&self) -> usize {
        self.pool.len()
    }

    /// Compares. The server learns the results; this party learns nothing.
    ///
    /// Cost: [`crate::Cost::compare`]. Security: semi-honest; see the crate.
    ///
    /// # Errors
    /// Errors for inputs that do not fit the parameters, for invalid messages of the server, and failures of the channel.
    pub async fn reveal(
        &mut self,
        channel: &mut Channel,
        relation: Relation,
        inputs: Inputs<'_>,
    ) -> Result<(), CompareError> {
        self.compare(channel, relation, Results::Revealed, inputs).await.map(drop)
    }

    /// Compares, and returns a random bit for each result, whose XOR with the server's bit is the result.
    ///
    /// Cost: [`crate::Cost::compare`]. Security: semi-honest; see the crate.
    ///
    /// # Errors
    /// As [`Assistant::reveal`]; [`CompareError::Revealed`] with parameters for revealed results.
    pub async fn share(
        &mut self,
        channel: &mut Channel,
        relation: Relation,
        inputs: Inputs<'_>,
    ) -> Result<Zeroizing<Vec<bool>>, CompareError> {
        self.compare(channel, relation, Results::Shared, inputs).await
    }

    async fn compare(
        &mut self,
        channel: &mut Channel,
        relation: Relation,
        results: Results,
        inputs: Inputs<'_>,
    ) -> Result<Zeroizing<Vec<bool>>, CompareError> {
        check_results(&self.parameters, results)?;
        inputs.check(&self.parameters)?;
        let job = Job::compare(&self.parameters, &self.identity, relation, results, &inputs);
        let masks = self.masks(&job);
        let request = self.hear(channel, &job).await?;
        let positions = match inputs {
            Inputs::Prices { .. } => request,
            Inputs::Private { numbers } => {
                Encrypted::private(&self.parameters, &self.key, self.threads, &request, numbers)?
                    .positions(&job.tests)?
            }
            Inputs::Sealed { left, right } => {
                Encrypted::sealed(&self.parameters, &self.key, self.threads, &request, left, right)?
                    .positions(&job.tests)?
            }
        };
        let positions =
            self.key.add_all_plain(&positions, &self.plains(&job, &inputs, &masks), self.threads)?;
        let counting = self.counting(&job, &inputs, &masks);
        self.answer(channel, &job, &positions, counting.as_deref()).await?;
        let shares = masks.chunks_exact(job.tests.len());
        let share = |masks: &[u32]| masks.iter().fold(u32::from(job.negate), |sum, mask| sum ^ mask) == 1;
        Ok(Zeroizing::new(shares.map(share).collect()))
    }

    /// A secret bit for each test that has one, else zero.
    fn masks(&mut self, job: &Job) -> Wiped<u32> {
        let tests = job.tests.iter().cycle().take(job.count * job.tests.len());
        let mask = |test: &crate::positions::Test| u32::from(test.masked()) & self.prg.next_u64() as u32 & 1;
        Wiped::from(tests.map(mask).collect::<Vec<_>>())
    }

    /// This party's summands of the positions: its shares of them, and constants.
    fn plains(&self, job: &Job, inputs: &Inputs<'_>, masks: &[u32]) -> Wiped<u32> {
        let (residues, bits) = (self.parameters.residues(), self.parameters.bits());
        let mut plains = Vec::with_capacity(job.count * job.reply());
        for (masks, i) in masks.chunks_exact(job.tests.len()).zip(0..) {
            for (test, mask) in job.tests.iter().zip(masks) {
                let first = plains.len();
                test.constants(residues, bits, *mask, &mut plains);
                let mut shares = Vec::with_capacity(plains.len() - first);
                if let Inputs::Prices { bids, prices } = inputs {
                    let (differences, unequal) = self.linear(&bids[i], prices[i]);
                    test.combine(residues, &differences, &unequal, &mut shares);
                }
                let shares = Wiped::from(shares);
                for (plain, share) in plains[first..].iter_mut().zip(&shares[..]) {
                    *plain = residues.add(*plain, *share);
                }
            }
        }
        Wiped::from(plains)
    }

    /// This party's shares of `x_i - m_i` and of `m_i xor x_i`.
    fn linear(&self, bid: &crate::Half, price: u64) -> (Wiped<u32>, Wiped<u32>) {
        let residues = self.parameters.residues();
        let bits = || bid.shares().zip(self.parameters.bits_of(price));
        let differences: Vec<u32> = bits().map(|(share, bit)| residues.sub(bit, share)).collect();
        let unequal = |(share, bit)| residues.add(bit, residues.mul(share, residues.sign(bit)));
        (Wiped::from(differences), Wiped::from(bits().map(unequal).collect::<Vec<_>>()))
    }

    /// Which positions count, where not all do.
    fn counting(&self, job: &Job, inputs: &Inputs<'_>, masks: &[u32]) -> Option<Wiped<u32>> {
        let numbers = match inputs {
            Inputs::Prices { prices, .. } => prices,
            Inputs::Private { numbers } => numbers,
            Inputs::Sealed { .. } => return None,
        };
        let mut counting = Vec::with_capacity(job.count * job.reply());
        for (masks, number) in masks.chunks_exact(job.tests.len()).zip(*numbers) {
            for (test, mask) in job.tests.iter().zip(masks) {
                let bits: Vec<u32> = self.parameters.bits_of(*number).collect();
                test.counting(bits.into_iter(), *mask, &mut counting);
            }
        }
        (!counting.is_empty()).then(|| Wiped::from(counting))
    }

    /// Receives the server's ciphertexts. If too little randomness is prepared for the answer, nothing is read, and the call may be repeated. A request for
    /// something else is refused, so that the server need not wait.
    pub(crate) async fn hear(
        &mut self,
        channel: &mut Channel,
        job: &Job,
    ) -> Result<Vec<Ciphertext>, CompareError> {
        self.pool.check(job.count * job.reply())?;
        let count = job.count * job.request;
        let heard = wire::receive_ciphertexts(channel, job.tag("request"), &self.key, count).await;
        if let Err(CompareError::Disagree { .. } | CompareError::Malformed { .. }) = &heard {
            wire::refuse(channel).await?;
        }
        heard
    }

    /// Sends positions such that the server learns which groups have a zero, and nothing else: each position is multiplied by a
    /// uniform number other than zero, re-randomised with prepared randomness, and moved to a random place of its group. In place of
    /// positions that do not count, the server gets encryptions of uniform numbers other than zero.
    pub(crate) async fn answer(
        &mut self,
        channel: &mut Channel,
        job: &Job,
        positions: &[Ciphertext],
        counting: Option<&[u32]>,
    ) -> Result<(), CompareError> {
        let residues = self.parameters.residues();
        let randomness = self.pool.take(positions.len())?;
        let mut factors: Vec<u32> = positions.iter().map(|_| residues.random_unit(&mut self.prg)).collect();
        let mut others = Wiped::from(vec![0; positions.len()]);
        for (i, counts) in counting.into_iter().flatten().enumerate() {
            others[i] = factors[i] * (1 - counts);
            factors[i] *= counts;
        }
        let factors = Wiped::from(factors);
        let mut blinded = self.key.multiply_all_short(positions, &factors, self.threads)?;
        if counting.is_some() {
            blinded = self.key.add_all_plain(&blinded, &others, self.threads)?;
        }
        let fresh = self.key.rerandomise_all_with(&blinded, randomness)?;
        let bytes = self.key.encode(&fresh)?;
        let reply = permute(&bytes, self.key.ciphertext_bytes(), &job.groups, &mut self.prg);
        wire::send(channel, job.tag("reply"), &reply).await
    }
}
