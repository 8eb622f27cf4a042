//! Keys, tweaks and deltas of oblivious transfers are used only once.

use crate::tap;
use crate::tap::Edit;
use std::collections::HashSet;
use std::time::Duration;
use tacit_crypto::Prg;
use tacit_crypto::mitccrh::Mitccrh;
use tacit_math::Block;
use tacit_ot::cot::{self, Extension};
use tacit_ot::{ferret, rot, softspoken};

const LIMIT: Duration = Duration::from_secs(30);
const EXTENSIONS: [Extension; 2] =
    [Extension::SoftSpoken(softspoken::Params::K4), Extension::Ferret(ferret::Params::Small)];
/// Sizes of three calls.
const CALLS: [usize; 3] = [5000, 1, 300];

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

/// The results of a session's sender, with the same randomness in every session.
struct Sent {
    delta: Block,
    salt: Block,
    correlated: Vec<Block>,
    random: [Vec<Block>; 2],
}

/// Correlated OTs, and the random OTs made from them in another, identical session.
fn sent(extension: Extension, session: [u8; 32], seed: u128) -> Sent {
    let prg = |party: u128| Prg::new(Block(seed << 1 | party));
    let sender = async |mut end: tap::End| {
        let mut ots = cot::Sender::setup(&mut end.channel, extension, &session, &mut prg(0)).await.unwrap();
        let mut correlated = Vec::new();
        for count in CALLS {
            let mut out = vec![Block::ZERO; count];
            ots.extend(&mut end.channel, &mut out).await.unwrap();
            correlated.extend(out);
        }
        end.channel.finish().await.unwrap();
        (ots.delta(), ots.salt(), correlated)
    };
    let receiver = async |mut end: tap::End| {
        let mut ots = cot::Receiver::setup(&mut end.channel, extension, &session, &mut prg(1)).await.unwrap();
        for count in CALLS {
            ots.extend(&mut end.channel, &mut vec![Block::ZERO; count]).await.unwrap();
        }
        end.channel.finish().await.unwrap();
    };
    let (delta, salt, correlated) = block_on(tap::run([Edit::None; 2], LIMIT, sender, receiver)).0;
    let sender = async |mut end: tap::End| {
        let mut ots = rot::Sender::setup(&mut end.channel, extension, &session, &mut prg(0)).await.unwrap();
        let mut random = [vec![], vec![]];
        for count in CALLS {
            let (mut zeros, mut ones) = (vec![Block::ZERO; count], vec![Block::ZERO; count]);
            ots.extend(&mut end.channel, &mut zeros, &mut ones).await.unwrap();
            random[0].extend(zeros);
            random[1].extend(ones);
        }
        end.channel.finish().await.unwrap();
        random
    };
    let receiver = async |mut end: tap::End| {
        let mut ots = rot::Receiver::setup(&mut end.channel, extension, &session, &mut prg(1)).await.unwrap();
        for count in CALLS {
            ots.extend(&mut end.channel, &mut vec![Block::ZERO; count]).await.unwrap();
        }
        end.channel.finish().await.unwrap();
    };
    let random = block_on(tap::run([Edit::None; 2], LIMIT, sender, receiver)).0;
    Sent { delta, salt, correlated, random }
}

/// All OTs of a session, whichever call made them, are hashed under their own tweaks, which count them.
#[test]
fn every_transfer_has_a_tweak_of_its_own() {
    for extension in EXTENSIONS {
        let Sent { delta, salt, correlated, random } = sent(extension, [1; 32], 11);
        for (kind, offset) in [(0, Block::ZERO), (1, delta)] {
            for (tweak, (block, hashed)) in correlated.iter().zip(&random[kind]).enumerate() {
                let mut expected = [*block ^ offset];
                Mitccrh::new(salt).hash(tweak as u64, &mut expected);
                assert_eq!(*hashed, expected[0], "transfer {tweak} of {extension:?}");
            }
        }
    }
}

/// Parties that use the same randomness twice hash under other keys in another session.
#[test]
fn sessions_have_hash_keys_of_their_own() {
    for extension in EXTENSIONS {
        let salts: HashSet<Block> =
            [[1; 32], [2; 32]].into_iter().map(|session| sent(extension, session, 7).salt).collect();
        assert_eq!(salts.len(), 2, "{extension:?}");
    }
}

#[test]
fn deltas_are_fresh_and_random_in_every_bit() {
    for extension in EXTENSIONS {
        let deltas: Vec<Block> = (0..12).map(|seed| sent(extension, [1; 32], seed).delta).collect();
        let ever = deltas.iter().fold(Block::ZERO, |all, delta| Block(all.0 | delta.0));
        let always = deltas.iter().fold(Block::ONES, |all, delta| Block(all.0 & delta.0));
        // A bit is the same in all of them with probability 2^-11; ten such bits do not occur.
        let same = (!ever.0 | always.0).count_ones();
        assert!(same < 10, "{extension:?}: {same} bits of delta are always the same");
    }
}
