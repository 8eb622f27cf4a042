//! Operations on words with masked operands: the operands are opened in one message for all, and the results
//! follow.

use crate::end::End;
use crate::error::found;
use crate::{ShareError, gmw};
use tacit_math::Bits;

/// Computes shares of the result from both parties' openings, this party's first.
type Finish = Box<dyn FnOnce(&Bits, &Bits) -> Vec<u128> + Send>;

/// An operation whose masked operands will be opened.
pub(crate) struct Masked {
    own: Bits,
    finish: Finish,
}

impl Masked {
    pub(crate) fn new(own: Bits, finish: impl FnOnce(&Bits, &Bits) -> Vec<u128> + Send + 'static) -> Masked {
        Masked { own, finish: Box::new(finish) }
    }

    /// [`open`] of this operation alone.
    pub(crate) async fn open(self, end: &mut End) -> Result<Vec<u128>, ShareError> {
        let mut results = open(end, vec![self], &mut []).await?;
        found("results of operations on words", results.pop())
    }
}

/// Opens the operands of all operations in the first message of circuits on shared bits; returns shares of the operations' results,
/// in order.
pub(crate) async fn open(
    end: &mut End,
    operations: Vec<Masked>,
    regions: &mut [gmw::BitRegion<'_>],
) -> Result<Vec<Vec<u128>>, ShareError> {
    let mut message = Bits::default();
    operations.iter().for_each(|masked| message.extend_bits(&masked.own));
    let theirs = gmw::run_with(end, regions, &message).await?;
    let mut position = 0;
    let finish = |Masked { own, finish }: Masked| {
        let start = position;
        position += own.len();
        finish(&own, &theirs.slice(start..position))
    };
    Ok(operations.into_iter().map(finish).collect())
}
