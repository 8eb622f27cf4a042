//! Another provider than OTs, for one of the kinds.

use super::harness::*;
use crate::tap::Edit;
use tacit_crypto::Prg;
use tacit_math::Block;
use tacit_net::Channel;
use tacit_ot::softspoken::Params;
use tacit_twoparty::correlations::{
    BitTriples, BitWordTriples, DaBits, EdaBits, LookupTables, MatrixTriples, NaryTriples, Ots, PieceCounts,
    Pool, Provider, Requirement, SquarePairs, WordTriples,
};
use tacit_twoparty::{Dialogue, End, Party, ShareError, arith, mask};

/// Word triples from randomness that a trusted dealer would hand out; all other kinds from OTs.
struct Dealt {
    ots: Ots,
    dealer: Prg,
}

impl Provider<WordTriples> for Dealt {
    fn price(_: &PieceCounts<WordTriples>) -> Dialogue {
        Dialogue::default()
    }

    async fn make(
        &mut self,
        _: &mut Channel,
        counts: &PieceCounts<WordTriples>,
        _: &mut Pool,
    ) -> Result<Vec<WordTriples>, ShareError> {
        let mut all = Vec::new();
        for (&bits, &count) in counts {
            let mut triples = WordTriples::default();
            for _ in 0..count {
                let [a0, a1, b0, b1, c0] = [0; 5].map(|_| self.dealer.next_block().0 & mask(bits));
                let c1 = a0.wrapping_add(a1).wrapping_mul(b0.wrapping_add(b1)).wrapping_sub(c0) & mask(bits);
                let (a, b, c) = if self.ots.party() == Party::First { (a0, b0, c0) } else { (a1, b1, c1) };
                triples.a.push(a);
                triples.b.push(b);
                triples.c.push(c);
            }
            all.push(triples);
        }
        Ok(all)
    }
}

macro_rules! from_ots {
    ($($kind:ident)*) => {
        $(impl Provider<$kind> for Dealt {
            fn ingredients(counts: &PieceCounts<$kind>, requirement: &mut Requirement) {
                <Ots as Provider<$kind>>::ingredients(counts, requirement);
            }

            fn price(counts: &PieceCounts<$kind>) -> Dialogue {
                <Ots as Provider<$kind>>::price(counts)
            }

            async fn make(
                &mut self,
                channel: &mut Channel,
                counts: &PieceCounts<$kind>,
                pool: &mut Pool,
            ) -> Result<Vec<$kind>, ShareError> {
                Provider::<$kind>::make(&mut self.ots, channel, counts, pool).await
            }
        })*
    };
}

from_ots! { BitTriples NaryTriples SquarePairs MatrixTriples EdaBits LookupTables DaBits BitWordTriples }

#[tokio::test]
async fn one_kind_may_come_from_another_provider() {
    let mut requirement = Requirement::default();
    requirement.require::<WordTriples>(32, 100);
    let dealt = requirement.price::<Dealt>();
    assert!(dealt == Dialogue::default() && requirement.price::<Ots>().bytes()[0] > 0);
    requirement.require::<SquarePairs>(32, 100);
    requirement.require::<NaryTriples>(3, 100);
    let run = async |start: Start| -> Result<(Vec<u128>, u64), ShareError> {
        let (party, mut channel) = (start.party, start.link.channel);
        let ots = Ots::setup(&mut channel, party, Params::K4, &SESSION, prg(party, 5)).await?;
        let mut provider = Dealt { ots, dealer: Prg::new(Block(6)) };
        let before = channel.bytes_sent();
        let pool = Pool::make(&mut provider, &mut channel, &requirement).await?;
        let sent = channel.bytes_sent() - before;
        let mut end = End::start(channel, party, pool, prg(party, 7)).await?;
        let own = given(&end, Party::First, (1..=100).collect::<Vec<u128>>());
        let x = arith::input(&mut end, own.as_deref(), 32, 100)?;
        let squares = arith::square(&mut end, &x, 32).await?;
        Ok((arith::multiply(&mut end, &x, &squares, 32).await?, sent))
    };
    let ([first, second], _) = both([Edit::None; 2], LIMIT, run).await;
    let ((x, from_first), (y, from_second)) = (first.unwrap(), second.unwrap());
    assert_eq!(sum([&x, &y], 32), (1..=100).map(|x: u128| x * x * x).collect::<Vec<_>>());
    let dealt = requirement.price::<Dealt>();
    let (ots, bytes) = (dealt.ots(), dealt.bytes());
    assert_eq!(from_first, Params::K4.bytes(ots[1]) + bytes[0]);
    assert_eq!(from_second, Params::K4.bytes(ots[0]) + bytes[1]);
}
