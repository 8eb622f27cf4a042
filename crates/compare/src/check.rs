//! The check of a submission: that both halves of each sealed number decode to bits, without anyone seeing them.
//!
//! Modulo the prime u, the roots of `f(m) = m² - m` are exactly the bits. With `m = a + b`, `f(m) = (a² - a) + 2ab + (b² - b)`:
//! the server sends encryptions of `a` and `a² - a`, and the assistant computes encryptions of `T = Σ ρ_i·f(m_i)` for
//! secret uniform ρ. If all `m_i` are bits, every T is zero; else T is uniform, whatever the shares are. A single T would miss a wrong
//! submission with probability 1/u, so the check is repeated until that is at most 2^-40 ([`Parameters::repetitions`]).
//!
//! Security: semi-honest servers; the client may do anything, since the assistant draws ρ after the shares have arrived and keeps it
//! secret. The server sees numbers that are all zero or all uniform, so it only learns whether the submission is right; the
//! assistant sees ciphertexts and the verdict.

use tacit_he::PublicKey as _;
use tacit_he::dgk::Ciphertext;
use tacit_math::Wiped;
use tacit_net::Channel;

use crate::job::Job;
use crate::{Assistant, CompareError, Half, Parameters, Server, wire};

impl Server {
    /// Checks, together with [`Assistant::check`], whether both halves of each submission decode to bits. Both servers learn the
    /// verdicts, in order.
    ///
    /// Cost: [`crate::Cost::check`]. Soundness: a wrong submission passes with a probability of at most 2^-40.
    ///
    /// # Errors
    /// As [`Server::reveal`].
    pub async fn check(&mut self, channel: &mut Channel, halves: &[Half]) -> Result<Vec<bool>, CompareError> {
        Half::check_all(&self.parameters, halves)?;
        let job = job(&self.parameters, &self.identity, halves);
        let residues = self.parameters.residues();
        let mut plains = Vec::with_capacity(job.count * job.request);
        for half in halves {
            plains.extend(half.shares());
            plains.extend(half.shares().map(|share| residues.mul(share, residues.sub(share, 1))));
        }
        let zeros = self.ask(channel, &job, &Wiped::from(plains)).await?;
        let verdicts: Vec<bool> =
            zeros.chunks_exact(job.groups.len()).map(|zeros| zeros.iter().all(|zero| *zero)).collect();
        let mut bytes = vec![0; verdicts.len().div_ceil(8)];
        verdicts.iter().enumerate().for_each(|(i, verdict)| bytes[i / 8] |= u8::from(*verdict) << (i % 8));
        wire::send(channel, job.tag("verdict"), &bytes).await?;
        Ok(verdicts)
    }
}

impl Assistant {
    /// The assistant's end of [`Server::check`].
    ///
    /// Cost: [`crate::Cost::check`]; for each bit of a submission as many short powers as there are repetitions.
    ///
    /// # Errors
    /// As [`Assistant::reveal`].
    pub async fn check(&mut self, channel: &mut Channel, halves: &[Half]) -> Result<Vec<bool>, CompareError> {
        Half::check_all(&self.parameters, halves)?;
        let job = job(&self.parameters, &self.identity, halves);
        let request = self.hear(channel, &job).await?;
        let mut tests = Vec::with_capacity(job.count * job.reply());
        for (half, request) in halves.iter().zip(request.chunks_exact(job.request)) {
            let roots = self.roots(half, request)?;
            self.combinations(&roots, &mut tests)?;
        }
        self.answer(channel, &job, &tests, None).await?;
        let verdicts = wire::receive(channel, job.tag("verdict"), job.count.div_ceil(8)).await?;
        Ok((0..job.count).map(|i| verdicts[i / 8] >> (i % 8) & 1 == 1).collect())
    }

    /// Encryptions of `f(m_i)`.
    fn roots(&self, half: &Half, request: &[Ciphertext]) -> Result<Vec<Ciphertext>, CompareError> {
        let residues = self.parameters.residues();
        let (linear, square) = request.split_at(request.len() / 2);
        let twice = Wiped::from(half.shares().map(|share| residues.add(share, share)).collect::<Vec<_>>());
        let own = half.shares().map(|share| residues.mul(share, residues.sub(share, 1)));
        let own = Wiped::from(own.collect::<Vec<_>>());
        let crossed = self.key.multiply_all_short(linear, &twice, self.threads)?;
        let sums = self.key.add_all(square, &crossed, self.threads)?;
        Ok(self.key.add_all_plain(&sums, &own, self.threads)?)
    }

    /// An encryption of a random combination for each repetition.
    fn combinations(&mut self, roots: &[Ciphertext], into: &mut Vec<Ciphertext>) -> Result<(), CompareError> {
        let residues = self.parameters.residues();
        let repeated = vec![roots; self.parameters.repetitions()].concat();
        let factors: Vec<u32> = repeated.iter().map(|_| residues.random(&mut self.prg)).collect();
        let products = self.key.multiply_all_short(&repeated, &Wiped::from(factors), self.threads)?;
        for products in products.chunks_exact(roots.len()) {
            let mut sum = products[0].clone();
            for product in &products[1..] {
                sum = self.key.add(&sum, product)?;
            }
            into.push(sum);
        }
        Ok(())
    }
}

/// Each repetition is a group of its own, since all of them must be zero.
fn job(parameters: &Parameters, key: &[u8; 32], halves: &[Half]) -> Job {
    let groups = vec![1; parameters.repetitions()];
    Job::other(parameters, key, "check", halves.len(), 2 * parameters.bits() as usize, groups).of(halves)
}
