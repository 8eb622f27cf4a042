//! The extension's sender, who holds delta.

use super::fold::Folder;
use super::receiver::hash_salt;
use super::{CHUNK, CHUNK_BLOCKS, GRANULE, Params, check_count, pprf};
use crate::endemic;
use crate::error::OtError;
use tacit_crypto::{Prg, Secret};
use tacit_math::{Bits, Block, transpose};
use tacit_net::Channel;
use zeroize::{Zeroize, Zeroizing};

/// The sender of correlated OTs.
pub struct Sender {
    params: Params,
    delta: Secret<[Block; 1]>,
    trees: Vec<Folder>,
    salt: Block,
    granules: u64,
    count: u64,
    rows: Zeroizing<Vec<Block>>,
    /// OTs of the last granule that have not been handed out.
    spare: Zeroizing<Vec<Block>>,
}

impl Sender {
    /// Draws delta, runs the base OTs as their receiver, and reads the messages of the peer's [`super::Receiver::setup`].
    ///
    /// Arguments and cost are those of [`super::Receiver::setup`].
    ///
    /// # Errors
    /// Those of [`endemic::receive`].
    pub async fn setup(
        channel: &mut Channel,
        params: Params,
        session: &[u8; 32],
        prg: &mut Prg,
    ) -> Result<Sender, OtError> {
        // 1. Base OTs with the complement of delta as choices: in each level, the side without the hole.
        let delta = prg.next_block();
        let choices = Bits::from_fn(128, |i| !delta.bit(i));
        let base = Zeroizing::new(endemic::receive(channel, session, &choices, prg).await?);
        Sender::grow(channel, params, session, delta, &base).await
    }

    /// A session from existing base OTs: `base` holds, for each, the block of the complement of delta's bit.
    pub(crate) async fn grow(
        channel: &mut Channel,
        params: Params,
        session: &[u8; 32],
        delta: Block,
        base: &[Block],
    ) -> Result<Sender, OtError> {
        // 2. The trees, each with a hole at its piece of delta.
        let hole = Zeroizing::new(std::array::from_fn::<bool, 128, _>(|i| delta.bit(i)));
        let mut corrections = vec![[Block::ZERO; 2]; params.k() - 1];
        let mut trees = Vec::with_capacity(params.trees());
        for (base, hole) in base.chunks_exact(params.k()).zip(hole.chunks_exact(params.k())) {
            channel.receive_into(Block::as_bytes_mut(corrections.as_flattened_mut())).await?;
            trees.push(Folder::new(&pprf::punctured(base, hole, &corrections), true));
        }
        // 3. The salt. (Checks of the seeds against a malicious peer would follow.)
        let mut salt = [0; 16];
        channel.receive_into(&mut salt).await?;
        Ok(Sender {
            params,
            delta: Secret::new([delta]),
            trees,
            salt: hash_salt(session, Block::from_bytes(salt)),
            granules: 0,
            count: 0,
            rows: Zeroizing::new(vec![Block::ZERO; 128 * CHUNK_BLOCKS]),
            spare: Zeroizing::default(),
        })
    }

    /// Fills `out` with the blocks q\[i\] of fresh OTs, of which the receiver learns q\[i\] ^ c\[i\]·delta for a uniform
    /// c\[i\]. The receiver asks for as many; the parties may split the same total into calls differently.
    ///
    /// Blocks are secret.
    /// Cost: receives [`Params::bytes`], less what earlier calls left over; no round.
    ///
    /// # Errors
    /// [`OtError::Exhausted`] past 2^56 OTs; failures of the channel. After an error the session cannot be used.
    pub async fn extend(&mut self, channel: &mut Channel, out: &mut [Block]) -> Result<(), OtError> {
        self.count = check_count(self.count, out.len())?;
        let spare = self.take_spare(out);
        let out = &mut out[spare..];
        let (whole, rest) = out.split_at_mut(out.len() - out.len() % GRANULE);
        for chunk in whole.chunks_mut(CHUNK) {
            self.make(channel, chunk).await?;
        }
        if !rest.is_empty() {
            let mut granule = Zeroizing::new(vec![Block::ZERO; GRANULE]);
            self.make(channel, &mut granule).await?;
            self.spare = granule;
            self.take_spare(rest);
        }
        Ok(())
    }

    /// The next whole granules of OTs, at most a chunk.
    async fn make(&mut self, channel: &mut Channel, out: &mut [Block]) -> Result<(), OtError> {
        let (k, width, corrected) = (self.params.k(), out.len() / GRANULE, self.params.trees() - 1);
        let delta = self.delta();
        let rows = &mut self.rows[..128 * width];
        // 1. w = v ^ piece·u of every tree, without knowing u or v.
        let mut unused = [Block::ZERO; CHUNK_BLOCKS];
        for (tree, rows) in self.trees.iter().zip(rows.chunks_exact_mut(k * width)) {
            tree.fold(self.granules, rows, &mut unused[..width]);
        }
        // 2. Corrections move every tree but the first to the first's u: w ^= piece·correction.
        let (corrections, _) = channel.receive(corrected * width * Block::BYTES).await?.as_chunks();
        for (bit, row) in rows.chunks_exact_mut(width).enumerate().skip(k) {
            let mask = Block::mask(delta.bit(bit));
            let corrections = corrections.iter().skip(bit / k - 1).step_by(corrected);
            row.iter_mut().zip(corrections).for_each(|(row, &by)| *row ^= Block::from_bytes(by) & mask);
        }
        // 3. Columns of w are the blocks.
        transpose::to_columns(rows, out);
        self.granules += width as u64;
        Ok(())
    }

    /// Moves as many spare OTs as are left, or as fit, to the front of `out`. Returns their number.
    fn take_spare(&mut self, out: &mut [Block]) -> usize {
        let count = self.spare.len().min(out.len());
        out[..count].copy_from_slice(&self.spare[..count]);
        self.spare[..count].zeroize();
        self.spare.drain(..count);
        count
    }

    /// The correlation. Secret.
    pub fn delta(&self) -> Block {
        self.delta.expose()[0]
    }

    /// OTs handed out so far: the index of the next one.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// OTs made but not yet handed out: fewer than [`GRANULE`].
    pub(crate) fn spare(&self) -> usize {
        self.spare.len()
    }

    /// A key for hashing this session's blocks, the same at both parties and not secret.
    pub fn salt(&self) -> Block {
        self.salt
    }
}
