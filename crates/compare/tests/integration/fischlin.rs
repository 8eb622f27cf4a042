//! Fischlin's protocol: decisions, errors, refusals.

use tacit_compare::CompareError;
use tacit_compare::fischlin::{Assistant, Parameters, Server, seal};
use tacit_crypto::Prg;
use tacit_he::Threads;
use tacit_he::goldwasser_micali::ModulusSize;
use tacit_math::Block;

use crate::pair::channels;

fn toy(bits: u32, entries: u32) -> Parameters {
    Parameters::new(ModulusSize::insecure(128).unwrap(), bits, entries).unwrap()
}

fn parties(parameters: Parameters, number: u64, prg: &mut Prg) -> (Server, Assistant) {
    let sealed = seal(&parameters, number, prg).unwrap();
    let server = Server::new(parameters, &sealed.key).unwrap();
    (server, Assistant::new(parameters, &sealed.bits, Threads::ONE).unwrap())
}

#[tokio::test]
async fn all_pairs_of_small_numbers() {
    let (parameters, mut prg) = (toy(3, 40), Prg::new(Block(1)));
    let ([mut a, mut b], _connections) = channels();
    for number in 0..8 {
        let (server, assistant) = parties(parameters, number, &mut prg);
        for price in 0..8 {
            let before = b.bytes_sent();
            let (greater, done) =
                tokio::join!(server.reveal(&mut a, price), assistant.reveal(&mut b, price, &mut prg));
            done.unwrap();
            assert_eq!(greater.unwrap(), number > price, "{number} {price}");
            assert_eq!(b.bytes_sent() - before, parameters.reply_bytes() as u64);
        }
    }
}

/// Wrong decisions among `trials` at ℓ = 16. Only numbers that are not greater can be decided wrongly.
async fn errors(entries: u32, trials: usize) -> usize {
    let (parameters, mut prg) = (toy(16, entries), Prg::new(Block(u128::from(entries))));
    let ([mut a, mut b], _connections) = channels();
    let (server, assistant) = parties(parameters, 40_000, &mut prg);
    let mut wrong = 0;
    for trial in 0..trials as u64 {
        let price = 40_000 + trial * 25_535 / trials as u64;
        let (greater, done) =
            tokio::join!(server.reveal(&mut a, price), assistant.reveal(&mut b, price, &mut prg));
        done.unwrap();
        wrong += usize::from(greater.unwrap());
    }
    wrong
}

#[tokio::test]
async fn errors_are_as_rare_as_the_bound() {
    let wrong = errors(8, 150).await;
    assert!((1..=150 * 5 * 16 / 256).contains(&wrong), "{wrong}");
}

#[tokio::test]
#[ignore = "thousands of comparisons: a minute"]
async fn errors_are_as_rare_as_the_bound_for_longer_rows() {
    for entries in 8..=12 {
        let trials = 4000;
        let (wrong, bound) = (errors(entries, trials).await, (trials * 5 * 16) >> entries);
        println!("λ = {entries}: {wrong} wrong of {trials}, the bound allows {bound}");
        assert!(wrong <= bound, "{wrong} of {bound}");
    }
}

#[tokio::test]
async fn what_does_not_fit_is_refused() {
    let (parameters, mut prg) = (toy(4, 8), Prg::new(Block(3)));
    assert!(matches!(Parameters::new(ModulusSize::MEDIUM, 65, 8), Err(CompareError::Bits(65))));
    assert!(matches!(Parameters::new(ModulusSize::MEDIUM, 4, 0), Err(CompareError::Count { .. })));
    assert!(matches!(seal(&parameters, 16, &mut prg), Err(CompareError::Range { bits: 4, .. })));
    let sealed = seal(&parameters, 15, &mut prg).unwrap();
    assert!(Server::new(parameters, &sealed.key[1..]).is_err());
    let short = Assistant::new(parameters, &sealed.bits[1..], Threads::ONE);
    assert!(matches!(short, Err(CompareError::Count { .. })));
    let ([mut a, mut b], _connections) = channels();
    let (server, assistant) = parties(parameters, 9, &mut prg);
    let (greater, done) = tokio::join!(server.reveal(&mut a, 3), assistant.reveal(&mut b, 4, &mut prg));
    done.unwrap();
    assert!(matches!(greater, Err(CompareError::Disagree { .. })));
}
