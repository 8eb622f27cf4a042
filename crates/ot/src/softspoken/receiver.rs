//! The extension's receiver, who knows every seed and learns choices.

use super::fold::Folder;
use super::{BASE_OTS, CHUNK, CHUNK_BLOCKS, GRANULE, Params, check_count, pprf};
use crate::endemic;
use crate::error::OtError;
use tacit_crypto::{Oracle, Prg};
use tacit_math::{Bits, Block, transpose};
use tacit_net::Channel;
use zeroize::{Zeroize, Zeroizing};

/// The receiver of correlated OTs with random choices.
pub struct Receiver {
    params: Params,
    trees: Vec<Folder>,
    salt: Block,
    /// Granules made so far: the position in every PRG.
    granules: u64,
    /// OTs handed out so far.
    count: u64,
    rows: Zeroizing<Vec<Block>>,
    spare: Spare,
}

/// OTs of the last granule that have not been handed out.
#[derive(Default)]
struct Spare {
    blocks: Vec<Block>,
    choices: Bits,
}

impl Receiver {
    /// Runs the base OTs as their sender, and sends the messages that the peer's [`super::Sender::setup`] expects.
    ///
    /// `session` is unique to this extension session and the same at both parties; `prg` must be secret and fresh.
    /// Cost: two flows that may cross, and one more; [`Params::setup_bytes`].
    ///
    /// # Errors
    /// Those of [`endemic::send`].
    pub async fn setup(
        channel: &mut Channel,
        params: Params,
        session: &[u8; 32],
        prg: &mut Prg,
    ) -> Result<Receiver, OtError> {
        // 1. Base OTs: two random blocks for each bit of delta.
        let base = Zeroizing::new(endemic::send(channel, session, BASE_OTS, prg).await?);
        Receiver::grow(channel, params, session, &base, prg).await
    }

    /// A session from existing base OTs: `base` holds both blocks of each.
    pub(crate) async fn grow(
        channel: &mut Channel,
        params: Params,
        session: &[u8; 32],
        base: &[[Block; 2]],
        prg: &mut Prg,
    ) -> Result<Receiver, OtError> {
        // 2. A tree over each k of them. The trees' corrections and a salt for hashing are sent to the peer.
        let mut trees = Vec::with_capacity(params.trees());
        for base in base.chunks_exact(params.k()) {
            let (leaves, corrections) = pprf::full(base);
            channel.send(Block::as_bytes(corrections.as_flattened())).await?;
            trees.push(Folder::new(&leaves, false));
        }
        let salt = prg.next_block();
        channel.send(&salt.to_bytes()).await?;
        channel.flush().await?;
        Ok(Receiver {
            params,
            trees,
            salt: hash_salt(session, salt),
            granules: 0,
            count: 0,
            rows: Zeroizing::new(vec![Block::ZERO; 128 * CHUNK_BLOCKS]),
            spare: Spare::default(),
        })
    }

    /// Fills `out` with the blocks t\[i\] of fresh OTs and returns their choices c\[i\], uniform bits: the sender's
    /// blocks are t\[i\] ^ c\[i\]·delta. The sender asks for as many; the parties may split the same total into calls
    /// differently.
    ///
    /// Choices and blocks are secret. Nothing is flushed; waiting for an answer of the peer flushes.
    /// Cost: [`Params::bytes`] to the sender, less what earlier calls left over; no round.
    ///
    /// # Errors
    /// [`OtError::Exhausted`] past 2^56 OTs; failures of the channel. After an error the session cannot be used.
    pub async fn extend(&mut self, channel: &mut Channel, out: &mut [Block]) -> Result<Bits, OtError> {
        self.count = check_count(self.count, out.len())?;
        let mut choices = self.spare.take(out);
        let out = &mut out[choices.len()..];
        let (whole, rest) = out.split_at_mut(out.len() - out.len() % GRANULE);
        for chunk in whole.chunks_mut(CHUNK) {
            choices.extend_bits(&self.make(channel, chunk).await?);
        }
        if !rest.is_empty() {
            let mut granule = Zeroizing::new([Block::ZERO; GRANULE]);
            let fresh = self.make(channel, granule.as_mut()).await?;
            self.spare = Spare { blocks: granule.to_vec(), choices: fresh };
            choices.extend_bits(&self.spare.take(rest));
        }
        Ok(choices)
    }

    /// The next whole granules of OTs, at most a chunk.
    async fn make(&mut self, channel: &mut Channel, out: &mut [Block]) -> Result<Bits, OtError> {
        let (k, width, corrected) = (self.params.k(), out.len() / GRANULE, self.params.trees() - 1);
        let rows = &mut self.rows[..128 * width];
        let message = channel.reserve(corrected * width * Block::BYTES).await?;
        // 1. u and v of every tree: v goes to the rows of its piece.
        let (mut first, mut u) = ([Block::ZERO; CHUNK_BLOCKS], [Block::ZERO; CHUNK_BLOCKS]);
        let (first, u) = (&mut first[..width], &mut u[..width]);
        for (i, (tree, rows)) in self.trees.iter().zip(rows.chunks_exact_mut(k * width)).enumerate() {
            if i == 0 {
                tree.fold(self.granules, rows, first);
                continue;
            }
            tree.fold(self.granules, rows, u);
            // 2. The correction from this u to that of the first tree, granule by granule.
            let places = message.as_chunks_mut().0.iter_mut().skip(i - 1).step_by(corrected);
            places.zip(&*u).zip(&*first).for_each(|((to, &u), &first)| *to = (u ^ first).to_bytes());
        }
        // 3. Columns of v are the blocks, bits of the first u the choices.
        transpose::to_columns(rows, out);
        self.granules += width as u64;
        let words = first.iter().flat_map(|block| [block.0 as u64, (block.0 >> 64) as u64]).collect();
        Ok(Bits::from_words(words, out.len()))
    }

    /// OTs handed out so far: the index of the next one.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// OTs made but not yet handed out: fewer than [`GRANULE`].
    pub(crate) fn spare(&self) -> usize {
        self.spare.blocks.len()
    }

    /// A key for hashing this session's blocks, the same at both parties and not secret.
    pub fn salt(&self) -> Block {
        self.salt
    }
}

/// The hash key from the receiver's salt, bound to the session.
pub(super) fn hash_salt(session: &[u8; 32], salt: Block) -> Block {
    Oracle::new("tacit softspoken v1: hash key").absorb(session).absorb(&salt.to_bytes()).block()
}

impl Spare {
    /// Moves as many OTs as are left, or as fit, to the front of `out`. Returns their choices.
    fn take(&mut self, out: &mut [Block]) -> Bits {
        let count = self.blocks.len().min(out.len());
        out[..count].copy_from_slice(&self.blocks[..count]);
        self.blocks[..count].zeroize();
        self.blocks.drain(..count);
        let taken = self.choices.slice(0..count);
        self.choices = self.choices.slice(count..self.choices.len());
        taken
    }
}

impl Drop for Spare {
    fn drop(&mut self) {
        self.blocks.zeroize();
    }
}
