//! Requirements of a run for all kinds of correlated randomness, and pools that hold them.
//!
//! Security: everything that a pool holds is secret, and wiped on drop. Seal its bytes before they are
//! stored.

use super::columns::{Part, Read, Size};
use super::kind::{CorrelationKind, PieceCounts};
use super::{Pool, Requirement};
use crate::ShareError;
use crate::pack::{WordReader, WordWriter};
use crate::stored::StoredFault;
use std::collections::BTreeMap;
use tacit_math::Bits;
use zeroize::Zeroizing;

/// A kind that is counted in requirements and held in pools.
pub trait Registered: CorrelationKind {
    /// The counts of this kind in a requirement.
    fn counts(requirement: &mut Requirement) -> &mut PieceCounts<Self>;

    /// The pieces in a pool.
    fn batches(pool: &mut Pool) -> &mut Batches<Self>;
}

/// Pieces of each shape.
pub type Batches<K> = BTreeMap<<K as CorrelationKind>::Shape, Batch<K>>;

/// Pieces of one shape, of which the first ones may be spent.
pub struct Batch<K> {
    pieces: K,
    spent: usize,
    made: usize,
}

impl<K: CorrelationKind> Batch<K> {
    pub(super) fn is_spent(&self) -> bool {
        self.spent == self.made
    }

    fn left(&self) -> usize {
        self.made - self.spent
    }

    /// Spends the next `count` pieces, which must exist; without a copy if these are all.
    fn take(&mut self, shape: K::Shape, count: usize) -> K {
        let start = self.spent;
        self.spent += count;
        match count == self.made {
            true => std::mem::take(&mut self.pieces),
            false => self.pieces.columns(shape, &mut Part(start..start + count)),
        }
    }

    /// Removes the last `count` pieces, which must exist.
    fn split_off(&mut self, shape: K::Shape, count: usize) -> K {
        let end = self.made;
        self.made -= count;
        if self.made == 0 {
            return std::mem::take(&mut self.pieces);
        }
        let last = self.pieces.columns(shape, &mut Part(self.made..end));
        self.pieces = self.pieces.columns(shape, &mut Part(0..self.made));
        last
    }
}

impl Requirement {
    /// Adds `count` pieces.
    pub fn require<K: Registered>(&mut self, shape: K::Shape, count: u64) {
        add::<K>(K::counts(self), shape, count);
    }

    /// Whether nothing is needed.
    pub fn is_empty(&self) -> bool {
        *self == Requirement::default()
    }

    /// Bytes of a pool for this requirement, packed to be stored; `None` if the number overflows, or for impossible
    /// shapes.
    pub fn packed_bytes(&self) -> Option<u64> {
        self.packed_bits().map(|bits| bits.div_ceil(8) as u64)
    }
}

impl Pool {
    /// The next `count` pieces of a shape.
    ///
    /// # Errors
    /// [`ShareError::Exhausted`] if fewer are left.
    pub fn take<K: Registered>(&mut self, shape: K::Shape, count: usize) -> Result<K, ShareError> {
        self.with(shape, count, Batch::take)
    }

    /// Removes the last `count` pieces of a shape, as ingredients of others.
    pub(super) fn split_off<K: Registered>(
        &mut self,
        shape: K::Shape,
        count: usize,
    ) -> Result<K, ShareError> {
        self.with(shape, count, Batch::split_off)
    }

    fn with<K: Registered>(
        &mut self,
        shape: K::Shape,
        count: usize,
        take: impl FnOnce(&mut Batch<K>, K::Shape, usize) -> K,
    ) -> Result<K, ShareError> {
        let batch = K::batches(self).get_mut(&shape);
        let left = batch.as_ref().map_or(0, |batch| batch.left());
        match batch {
            _ if count > left => {
                let (what, asked, left) = (K::NAME, count as u64, left as u64);
                Err(ShareError::Exhausted { what, asked, left })
            }
            Some(batch) if count > 0 => Ok(take(batch, shape, count)),
            _ => Ok(K::default().columns(shape, &mut Part(0..0))),
        }
    }

    /// The bytes of an unused pool, as many as [`Requirement::packed_bytes`]: the columns of all kinds and shapes
    /// without gaps. Secret, wiped on drop.
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        let mut writer = WordWriter::default();
        self.pack(&mut writer);
        let packed = writer.finish();
        Zeroizing::new(packed.to_bytes())
    }

    /// Reads the bytes of [`Pool::to_bytes`] from a pool that was made for `requirement`.
    ///
    /// # Errors
    /// [`ShareError::Stored`] for bytes of another length, before anything is allocated.
    pub fn from_bytes(requirement: &Requirement, bytes: &[u8]) -> Result<Pool, ShareError> {
        let (count, found) = (requirement.packed_bits(), bytes.len() as u64);
        let expected = requirement.packed_bytes().unwrap_or(u64::MAX);
        let count = count.filter(|_| expected == found);
        let count = count.ok_or(ShareError::Stored(StoredFault::Length { found, expected }))?;
        let packed = Bits::from_bytes(bytes, count)
            .map_err(|_| ShareError::Stored(StoredFault::Padding { bits: count as u64 }))?;
        Ok(Pool::unpack(requirement, &mut WordReader::new(packed.words())))
    }
}

/// Adds to the counts of pieces.
pub(super) fn add<K: CorrelationKind>(counts: &mut PieceCounts<K>, shape: K::Shape, count: u64) {
    if count > 0 {
        let sum = counts.entry(shape).or_default();
        *sum = sum.saturating_add(count);
    }
}

/// The unused pieces that were made of each shape.
pub(super) fn batches<K: CorrelationKind>(
    counts: &PieceCounts<K>,
    made: impl IntoIterator<Item = K>,
) -> Batches<K> {
    let batch = |((shape, count), pieces): ((&K::Shape, &u64), K)| {
        (*shape, Batch { pieces, spent: 0, made: *count as usize })
    };
    counts.iter().zip(made).map(batch).collect()
}

/// Refuses impossible shapes.
pub(super) fn check<K: CorrelationKind>(counts: &PieceCounts<K>) -> Result<(), ShareError> {
    counts.keys().try_for_each(|shape| K::check(*shape))
}

/// The size of a piece.
fn size<K: CorrelationKind>(shape: K::Shape) -> Size {
    let mut size = Size::default();
    let _ = K::default().columns(shape, &mut size);
    size
}

/// Bits of all pieces, packed.
pub(super) fn packed_bits<K: CorrelationKind>(counts: &PieceCounts<K>) -> Option<u64> {
    check::<K>(counts).ok()?;
    let bits = |(shape, count): (&K::Shape, &u64)| size::<K>(*shape).packed.checked_mul(*count);
    counts.iter().map(bits).try_fold(0u64, |sum, bits| sum.checked_add(bits?))
}

/// Bytes of all pieces in memory, approximately; saturates.
pub(super) fn kept_bytes<K: CorrelationKind>(counts: &PieceCounts<K>) -> u64 {
    let bytes = |(shape, count): (&K::Shape, &u64)| (size::<K>(*shape).kept.saturating_mul(*count)) / 8;
    counts.iter().map(bytes).fold(0, u64::saturating_add)
}

/// Writes all pieces.
pub(super) fn pack<K: CorrelationKind>(batches: &Batches<K>, writer: &mut WordWriter) {
    for (shape, batch) in batches {
        let _ = batch.pieces.columns(*shape, writer);
    }
}

/// Reads all pieces.
pub(super) fn unpack<K: CorrelationKind>(counts: &PieceCounts<K>, reader: &mut WordReader<'_>) -> Batches<K> {
    let read =
        |(shape, count): (&K::Shape, &u64)| K::default().columns(*shape, &mut Read(reader, *count as usize));
    batches::<K>(counts, counts.iter().map(read))
}

/// Requirements and pools of the kinds, in the order in which they are made and stored.
macro_rules! register {
    ($($(#[$of:meta])* $field:ident: $kind:ident,)*) => {
        /// The number of pieces of each kind and shape that a run needs. Counts saturate instead of wrapping: the maximum
        /// exceeds every limit that it is compared with.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct Requirement {
            $($(#[$of])* pub $field: PieceCounts<$kind>,)*
        }

        /// Correlated randomness that setup has made and the run uses, each piece once and in order.
        #[derive(Default)]
        pub struct Pool {
            $($field: Batches<$kind>,)*
        }

        $(impl Registered for $kind {
            fn counts(requirement: &mut Requirement) -> &mut PieceCounts<$kind> {
                &mut requirement.$field
            }

            fn batches(pool: &mut Pool) -> &mut Batches<$kind> {
                &mut pool.$field
            }
        })*

        impl Requirement {
            /// Adds `other`, `times` times.
            pub fn add(&mut self, other: &Requirement, times: u64) {
                $(for (shape, count) in &other.$field {
                    self.require::<$kind>(*shape, count.saturating_mul(times));
                })*
            }

            /// Adds what kernels consume, `count` times. Comparisons and shifts of words take several messages, so that their
            /// requirement depends on which run together; labels take oblivious transfers. Both add nothing here.
            pub fn consume(&mut self, kind: Consumed, count: u64) {
                $(if let Some(shape) = <$kind>::consumed(kind) {
                    self.require::<$kind>(shape, count);
                })*
            }

            /// With the ingredients that a provider needs to make it.
            fn with_ingredients<P: $(Provider<$kind> +)*>(&self) -> Requirement {
                let mut all = self.clone();
                $(<P as Provider<$kind>>::ingredients(&self.$field, &mut all);)*
                all
            }

            /// The cost of making it with a provider.
            pub fn price<P: $(Provider<$kind> +)*>(&self) -> Dialogue {
                let all = self.with_ingredients::<P>();
                [$(<P as Provider<$kind>>::price(&all.$field),)*].into_iter().sum()
            }

            /// Bytes that each party keeps until the run uses them, approximately.
            pub fn kept_bytes(&self) -> u64 {
                [$(pool::kept_bytes::<$kind>(&self.$field),)*].into_iter().fold(0, u64::saturating_add)
            }

            fn check(&self) -> Result<(), ShareError> {
                $(pool::check::<$kind>(&self.$field)?;)*
                Ok(())
            }

            fn packed_bits(&self) -> Option<usize> {
                let mut parts = [$(pool::packed_bits::<$kind>(&self.$field),)*].into_iter();
                usize::try_from(parts.try_fold(0u64, |sum, part| sum.checked_add(part?))?).ok()
            }
        }

        impl Pool {
            /// Makes everything in the requirement. The peer does the same.
            ///
            /// Cost: [`Requirement::price`].
            ///
            /// # Errors
            /// [`ShareError::Width`] and [`ShareError::Shape`] for impossible shapes; those of the provider.
            pub async fn make<P: $(Provider<$kind> +)*>(
                provider: &mut P,
                channel: &mut Channel,
                requirement: &Requirement,
            ) -> Result<Pool, ShareError> {
                requirement.check()?;
                let (all, mut pool) = (requirement.with_ingredients::<P>(), Pool::default());
                $(
                    let made = Provider::<$kind>::make(provider, channel, &all.$field, &mut pool).await?;
                    pool.$field = pool::batches(&all.$field, made);
                )*
                channel.flush().await?;
                Ok(pool)
            }

            /// Whether everything that was made is used.
            pub fn is_spent(&self) -> bool {
                true $(&& self.$field.values().all(|batch| batch.is_spent()))*
            }

            fn pack(&self, writer: &mut WordWriter) {
                $(pool::pack::<$kind>(&self.$field, writer);)*
            }

            fn unpack(requirement: &Requirement, reader: &mut WordReader<'_>) -> Pool {
                Pool { $($field: pool::unpack::<$kind>(&requirement.$field, reader),)* }
            }
        }
    };
}

pub(super) use register;
