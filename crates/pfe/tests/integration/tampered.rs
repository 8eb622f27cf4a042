//! Bits flipped in transit: a run ends with an error or with the right result, never with a wrong one.

use std::time::Duration;

use tacit_crypto::Prg;
use tacit_net::{Channel, Connection, Options};
use tacit_pfe::katz_malka::{self, EcElgamal};
use tacit_pfe::{Bytes, PfeError, PrivateFunction, half_elgamal};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, ReadHalf, WriteHalf};

use crate::parties::{block_on, open, prg, private, random_circuit};

/// How long a party waits for a peer that has stopped.
const LIMIT: Duration = Duration::from_millis(300);

/// Number of places in each party's bytes at which a bit is flipped.
const PLACES: usize = 24;

/// Copies bytes from one stream to another and flips a bit of the byte at one place.
async fn carry(mut from: ReadHalf<DuplexStream>, mut to: WriteHalf<DuplexStream>, flipped: Option<usize>) {
    let (mut buffer, mut passed) = ([0; 4096], 0);
    while let Ok(count @ 1..) = from.read(&mut buffer).await {
        if let Some(at) = flipped.filter(|place| (passed..passed + count).contains(place)) {
            buffer[at - passed] ^= 1 << (at % 8);
        }
        passed += count;
        if to.write_all(&buffer[..count]).await.is_err() {
            return;
        }
    }
}

/// The ends of a link on which one bit is flipped, in the byte at a place among those that the first or the second end sends.
fn link(side: usize, place: usize) -> (Connection, Connection) {
    let [(a, near), (b, far)] = [(); 2].map(|()| tokio::io::duplex(1 << 16));
    let [(near_in, near_out), (far_in, far_out)] = [near, far].map(tokio::io::split);
    tokio::spawn(carry(near_in, far_out, (side == 0).then_some(place)));
    tokio::spawn(carry(far_in, near_out, (side == 1).then_some(place)));
    let end = |stream| Connection::over(Box::new(stream), Options { timeout: LIMIT, ..Options::default() });
    (end(a), end(b))
}

/// The owner's result of a run by one protocol on such a link.
macro_rules! run {
    ($name:ident, $hold:expr, $own:expr) => {
        async fn $name(side: usize, place: usize) -> Result<Vec<bool>, PfeError> {
            let (a, b) = link(side, place);
            let holder = async {
                let (mut channel, mut prg) = (open(&a), prg(1));
                let result: Result<(), PfeError> = $hold(&mut channel, &mut prg).await;
                result
            };
            let owner = async {
                let (mut channel, mut prg) = (open(&b), prg(2));
                $own(&mut channel, &mut prg).await
            };
            tokio::join!(holder, owner).1
        }
    };
}

fn function() -> PrivateFunction {
    private(&random_circuit(5, [2, 2], 9, 2), Some(30))
}

const OWN: [bool; 2] = [true, false];

run!(
    by_half_elgamal,
    async |channel: &mut Channel, prg: &mut Prg| {
        let mut holder = half_elgamal::Holder::new(function(), prg)?;
        holder.introduce_and_prepare(channel).await?.evaluate(channel, &[true; 2], prg).await
    },
    async |channel: &mut Channel, prg: &mut Prg| {
        let mut owner = half_elgamal::Owner::new(*function().size());
        owner.introduce_and_prepare(channel, prg).await?.evaluate(channel, &OWN, prg).await
    }
);

run!(
    by_katz_malka,
    async |channel: &mut Channel, prg: &mut Prg| {
        let function = function();
        let mut holder = katz_malka::Holder::new(EcElgamal, *function.size());
        holder.introduce_and_prepare(channel, &function, prg).await?.evaluate(channel, &[true; 2], prg).await
    },
    async |channel: &mut Channel, prg: &mut Prg| {
        let mut owner = katz_malka::Owner::new(EcElgamal, *function().size(), prg)?;
        owner.introduce_and_prepare(channel, prg).await?.evaluate(channel, &OWN, prg).await
    }
);

/// Flips bits all over the bytes that each side sends in a run. `sent` is the number of bytes of the protocol's own messages.
fn check<F>(sent: [u64; 2], run: impl Fn(usize, usize) -> F)
where
    F: Future<Output = Result<Vec<bool>, PfeError>>,
{
    let expected = random_circuit(5, [2, 2], 9, 2).evaluate(&[&[true; 2][..], &OWN].concat()).unwrap();
    assert_eq!(block_on(run(0, usize::MAX)).unwrap(), expected);
    let mut failed = 0;
    for (side, sent) in sent.into_iter().enumerate() {
        for place in (0..PLACES).map(|step| 7 + step * sent as usize / PLACES) {
            match block_on(run(side, place)) {
                Ok(result) => assert_eq!(result, expected, "byte {place} of side {side}"),
                Err(_) => failed += 1,
            }
        }
    }
    // Most of the rest is in gates that no output needs, or in rows that are not read.
    assert!(failed >= PLACES / 2, "{failed}");
}

/// What holder and owner send in a run.
fn sent(bytes: &Bytes) -> [u64; 2] {
    let phases = [bytes.introduction, bytes.setup, bytes.online];
    [phases.map(|phase| phase.holder), phases.map(|phase| phase.owner)].map(|sent| sent.iter().sum())
}

#[test]
fn half_elgamal_never_gives_a_wrong_result() {
    check(sent(&half_elgamal::bytes(function().size())), by_half_elgamal);
}

#[test]
fn katz_malka_never_gives_a_wrong_result() {
    check(sent(&katz_malka::bytes(&EcElgamal, function().size())), by_katz_malka);
}
