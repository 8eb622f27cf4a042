//! The server: it has the secret key and learns revealed results. It is A in the paper.

use std::sync::Arc;

use tacit_crypto::{Oracle, Prg};
use tacit_he::dgk::SecretKey;
use tacit_he::{PublicKey as _, SecretKey as _, Threads};
use tacit_math::Wiped;
use tacit_net::Channel;
use zeroize::Zeroizing;

use crate::inputs::Inputs;
use crate::job::Job;
use crate::pool::Pool;
use crate::{CompareError, Half, Parameters, Relation, Results, wire};

/// The server with its key and its prepared randomness.
pub struct Server {
    pub(crate) parameters: Parameters,
    key: Arc<SecretKey>,
    /// Digest of the public key.
    pub(crate) identity: [u8; 32],
    pool: Pool,
    threads: Threads,
    prg: Prg,
}

impl core::fmt::Debug for Server {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(formatter, "Server({:?}, {} prepared)", self.key.public(), self.pool.len())
    }
}

impl Server {
    /// A server with a new key. It computes on `threads`.
    ///
    /// # Errors
    /// [`CompareError::Entropy`], [`CompareError::He`].
    pub fn generate(parameters: Parameters, threads: Threads) -> Result<Server, CompareError> {
        let mut prg = Prg::from_os()?;
        let key = SecretKey::generate(&parameters.key(), &mut prg)?;
        Ok(Server::new(parameters, Arc::new(key), threads, prg))
    }

    /// A server with the key that [`Server::key_bytes`] returned.
    ///
    /// # Errors
    /// [`CompareError::He`] for bytes that are not a key of these parameters; [`CompareError::Entropy`].
    pub fn with_key(parameters: Parameters, bytes: &[u8], threads: Threads) -> Result<Server, CompareError> {
        let key = SecretKey::from_bytes(&parameters.key(), bytes)?;
        Ok(Server::new(parameters, Arc::new(key), threads, Prg::from_os()?))
    }

    /// A server with the same key and no prepared randomness.
    ///
    /// # Errors
    /// [`CompareError::Entropy`].
    pub fn unprepared(&self) -> Result<Server, CompareError> {
        Ok(Server::new(self.parameters, self.key.clone(), self.threads, Prg::from_os()?))
    }

    /// The parameters.
    pub fn parameters(&self) -> Parameters {
        self.parameters
    }

    /// Sets the number of bits of the numbers to compare from now on; the assistant must do the same.
    ///
    /// # Errors
    /// Those of [`Parameters::of`]; then nothing changes.
    pub fn set_bits(&mut self, bits: u32) -> Result<(), CompareError> {
        self.parameters = self.parameters.with_bits(bits)?;
        Ok(())
    }

    fn new(parameters: Parameters, key: Arc<SecretKey>, threads: Threads, prg: Prg) -> Server {
        let identity = identity(&key.public().to_bytes());
        Server { parameters, key, identity, pool: Pool::default(), threads, prg }
    }

    /// The secret key, to be stored.
    pub fn key_bytes(&self) -> Wiped<u8> {
        self.key.to_bytes()
    }

    /// The digest of the public key, the same at both servers.
    pub fn identity(&self) -> [u8; 32] {
        self.identity
    }

    /// Sends the public key, once, for [`crate::Assistant::meet`].
    ///
    /// Cost: [`crate::Cost::key_bytes`].
    ///
    /// # Errors
    /// Failures of the channel.
    pub async fn introduce(&self, channel: &mut Channel) -> Result<(), CompareError> {
        wire::send(channel, key_tag(&self.parameters), &self.key.public().to_bytes()).await
    }

    /// Prepares `count` pieces of randomness, as [`crate::Cost::server_randomness`] counts them.
    ///
    /// # Errors
    /// [`CompareError::He`] if the hardware makes an error.
    pub fn prepare(&mut self, count: usize) -> Result<(), CompareError> {
        self.pool.add(self.key.randomness_all(count, self.threads, &mut self.prg)?);
        Ok(())
    }

    /// Takes the prepared randomness out, as bytes to store. They are secret, and each piece still serves once.
    ///
    /// # Errors
    /// None for randomness that this server has prepared.
    pub fn take_randomness(&mut self) -> Result<Wiped<u8>, CompareError> {
        Ok(self.key.public().encode_randomness(self.pool.take_all())?)
    }

    /// Adds `count` pieces that [`Server::take_randomness`] returned for the same key.
    ///
    /// # Errors
    /// [`CompareError::He`] for invalid bytes.
    pub fn add_randomness(&mut self, count: usize, bytes: &[u8]) -> Result<(), CompareError> {
        self.pool.add(self.key.public().decode_randomness(count, bytes)?);
        Ok(())
    }

    /// Number of pieces of randomness left.
    pub fn prepared(&self) -> usize {
        self.pool.len()
    }

    /// Compares, and learns the results in order; the assistant learns nothing.
    ///
    /// Cost: [`crate::Cost::compare`]. Security: semi-honest; see the crate.
    ///
    /// # Errors
    /// Errors for inputs that do not fit the parameters, for invalid messages of the assistant, and failures of the channel.
    pub async fn reveal(
        &mut self,
        channel: &mut Channel,
        relation: Relation,
        inputs: Inputs<'_>,
    ) -> Result<Vec<bool>, CompareError> {
        // The server may reveal them.
        Ok(self.compare(channel, relation, Results::Revealed, inputs).await?.to_vec())
    }

    /// Compares, and returns a random bit for each result, whose XOR with the assistant's bit is the result.
    ///
    /// Cost: [`crate::Cost::compare`]. Security: semi-honest; see the crate.
    ///
    /// # Errors
    /// As [`Server::reveal`]; [`CompareError::Revealed`] with parameters for revealed results.
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
        let plains = Wiped::from(self.plains(&job, &inputs));
        let zeros = self.ask(channel, &job, &plains).await?;
        // For shared results, the assistant negates its share.
        let turned = job.negate && results == Results::Revealed;
        let answers = zeros.chunks_exact(job.groups.len());
        Ok(Zeroizing::new(answers.map(|zeros| zeros.iter().fold(turned, |sum, zero| sum ^ zero)).collect()))
    }

    /// The plaintexts of this party's ciphertexts.
    fn plains(&self, job: &Job, inputs: &Inputs<'_>) -> Vec<u32> {
        let (parameters, residues) = (&self.parameters, self.parameters.residues());
        let mut plains = Vec::with_capacity(job.count * job.request);
        match inputs {
            Inputs::Prices { bids, prices } => {
                for (bid, price) in bids.iter().zip(*prices) {
                    let (differences, unequal) = self.linear(bid, *price);
                    for test in &job.tests {
                        test.combine(residues, &differences, &unequal, &mut plains);
                    }
                }
            }
            Inputs::Private { numbers } => {
                plains.extend(numbers.iter().flat_map(|number| parameters.bits_of(*number)));
            }
            Inputs::Sealed { left, right } => {
                for (left, right) in left.iter().zip(*right) {
                    let sum = |(l, r)| residues.sub(residues.add(l, r), residues.mul(2, residues.mul(l, r)));
                    plains.extend(left.shares());
                    plains.extend(right.shares());
                    plains.extend(left.shares().zip(right.shares()).map(sum));
                }
            }
        }
        plains
    }

    /// This party's shares of `x_i - m_i` and of `m_i xor x_i`, without constants, which the assistant adds.
    fn linear(&self, bid: &Half, price: u64) -> (Wiped<u32>, Wiped<u32>) {
        let residues = self.parameters.residues();
        let differences: Vec<u32> = bid.shares().map(|share| residues.sub(0, share)).collect();
        let bits = bid.shares().zip(self.parameters.bits_of(price));
        let unequal: Vec<u32> = bits.map(|(share, bit)| residues.mul(share, residues.sign(bit))).collect();
        (Wiped::from(differences), Wiped::from(unequal))
    }

    /// Sends encryptions of numbers below u. Returns for each group of the reply whether it has a zero.
    pub(crate) async fn ask(
        &mut self,
        channel: &mut Channel,
        job: &Job,
        plains: &[u32],
    ) -> Result<Zeroizing<Vec<bool>>, CompareError> {
        let public = self.key.public();
        let randomness = self.pool.take(plains.len())?;
        let request = public.encrypt_all_with(plains, randomness, self.threads)?;
        wire::send(channel, job.tag("request"), &public.encode(&request)?).await?;
        let count = job.count * job.reply();
        let reply = wire::receive_ciphertexts(channel, job.tag("reply"), public, count).await?;
        let zeros = Zeroizing::new(self.key.are_zero(&reply, self.threads)?);
        let mut rest = &zeros[..];
        let groups = job.groups.iter().cycle().take(job.count * job.groups.len());
        let any = |length: &usize| {
            let (group, later) = rest.split_at(*length);
            rest = later;
            group.iter().fold(false, |any, zero| any | zero)
        };
        Ok(Zeroizing::new(groups.map(any).collect()))
    }
}

/// Checks that the parameters allow results of this kind.
pub(crate) fn check_results(parameters: &Parameters, results: Results) -> Result<(), CompareError> {
    let allowed = results == Results::Revealed || parameters.results() == Results::Shared;
    if allowed { Ok(()) } else { Err(CompareError::Revealed) }
}

/// The digest of a public key.
pub(crate) fn identity(key: &[u8]) -> [u8; 32] {
    Oracle::new("tacit compare v1: key").absorb(key).digest()
}

/// The tag of the message with the key.
pub(crate) fn key_tag(parameters: &Parameters) -> [u8; crate::constants::TAG_BYTES] {
    Job::other(parameters, &[0; 32], "key", 0, 0, Vec::new()).tag("key")
}
