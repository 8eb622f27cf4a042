//! The operations that the protocol needs of an additively homomorphic scheme.

use core::ops::Range;

use tacit_crypto::Prg;
use tacit_he::Threads;
use zeroize::{Zeroize, Zeroizing};

use crate::PfeError;
use crate::rows::KeyBytes;

/// Keys for 0 and for 1, encoded.
pub(super) type Pairs<K> = Zeroizing<Vec<[K; 2]>>;

/// Keys or blinds of a scheme.
pub(super) type Numbers<S> = Zeroizing<Vec<<S as Scheme>::Number>>;

/// Seals [`super::Scheme`]: only this crate implements it.
pub trait Sealed {}

/// An additively homomorphic scheme that carries wires' keys, which are the elements of a group.
///
/// Batches are for a window of wires or gates. Several wires may share a ciphertext, and several operands may share a *reply*, the ciphertext that P1 sends for
/// them.
pub trait Scheme: Sealed + Clone + Send + Sync {
    /// A key as it is sent and hashed.
    type Key: KeyBytes;
    /// A key or a blind as it is added.
    type Number: Copy + Send + Sync + Zeroize;
    /// P2's key pair.
    type Secret: Send + Sync;
    /// The public key, with P1's tables.
    type Public: Send + Sync;
    /// A ciphertext of wires' keys.
    type Ciphertext: Send + Sync;
    /// The encrypted blinds of a reply's operands.
    type Mask: Send + Sync;

    /// A number that identifies the scheme and its parameters; both parties compare it.
    fn mark(&self) -> u64;

    /// Bytes of the public key.
    fn public_bytes(&self) -> usize;

    /// Bytes of the ciphertexts of this many wires.
    fn wires_bytes(&self, wires: usize) -> usize;

    /// Bytes of the replies for this many operands.
    fn replies_bytes(&self, operands: usize) -> usize;

    /// P2: a fresh key pair.
    ///
    /// # Errors
    /// [`PfeError::He`].
    fn generate(&self, prg: &mut Prg) -> Result<Self::Secret, PfeError>;

    /// P2: the public key, encoded.
    fn encode_public(&self, secret: &Self::Secret) -> Vec<u8>;

    /// P2: a difference R between the keys for 1 and for 0 of all wires, uniform among the valid ones.
    fn difference(&self, prg: &mut Prg) -> Zeroizing<Self::Number>;

    /// P2: fresh keys of this many wires, and their ciphertexts, encoded.
    ///
    /// # Errors
    /// [`PfeError::He`].
    fn draw(
        &self,
        secret: &Self::Secret,
        difference: &Self::Number,
        wires: usize,
        threads: Threads,
        prg: &mut Prg,
    ) -> Result<(Pairs<Self::Key>, Vec<u8>), PfeError>;

    /// P2: the keys of operands from number `first` on, from their replies.
    ///
    /// # Errors
    /// [`PfeError::Point`], [`PfeError::Operand`], [`PfeError::He`].
    fn decrypt(
        &self,
        secret: &Self::Secret,
        difference: &Self::Number,
        operands: Range<usize>,
        replies: &[u8],
        threads: Threads,
    ) -> Result<Pairs<Self::Key>, PfeError>;

    /// P1: decodes the public key.
    ///
    /// # Errors
    /// [`PfeError::Point`], [`PfeError::He`].
    fn decode_public(&self, bytes: &[u8]) -> Result<Self::Public, PfeError>;

    /// P1: the ciphertexts of wires from number `first` on, checked.
    ///
    /// # Errors
    /// [`PfeError::Point`], [`PfeError::He`].
    fn decode_wires(
        &self,
        public: &Self::Public,
        wires: Range<usize>,
        bytes: &[u8],
        threads: Threads,
    ) -> Result<Vec<Self::Ciphertext>, PfeError>;

    /// P1: fresh blinds r_j of this many operands, and their encryptions, one for each reply.
    ///
    /// # Errors
    /// [`PfeError::He`].
    fn blind(
        &self,
        public: &Self::Public,
        operands: usize,
        threads: Threads,
        prg: &mut Prg,
    ) -> Result<(Numbers<Self>, Vec<Self::Mask>), PfeError>;

    /// P1: the replies for operands that read these wires, with their blinds. P2 only learns the sums of keys and blinds.
    ///
    /// # Errors
    /// [`PfeError::He`].
    fn reply(
        &self,
        public: &Self::Public,
        wires: &[Self::Ciphertext],
        operands: &[u32],
        blinds: (&[Self::Number], Vec<Self::Mask>),
        threads: Threads,
        prg: &mut Prg,
    ) -> Result<Vec<u8>, PfeError>;

    /// P1: blinds for a store, encoded as keys are.
    fn encode_blinds(blinds: &[Self::Number]) -> Zeroizing<Vec<Self::Key>>;

    /// P1: wires' keys, or blinds from a store, decoded and checked.
    ///
    /// # Errors
    /// The index of the first invalid one.
    fn decode_keys(keys: &[Self::Key]) -> Result<Numbers<Self>, usize>;

    /// P1: the keys of operands, encoded, from those of the wires that they read and their blinds.
    fn add(wires: Numbers<Self>, blinds: &[Self::Number]) -> Zeroizing<Vec<Self::Key>>;
}
