//! Setups that both parties keep as bytes, for every protocol with a setup.

use tacit_net::{Connection, memory};
use tacit_pfe::katz_malka::SchemeName;
use tacit_pfe::parties::{Holder, HolderRun, Owner, OwnerRun};
use tacit_pfe::{Function, InputOwner, PfeError, Protocol, Size, Traffic};

use crate::parties::{LIMIT, bits, block_on, open, pair, prg, random_circuit, wide_pair};

const PREPARING: [Protocol; 4] = [
    Protocol::HalfElGamal,
    Protocol::KatzMalka(SchemeName::EcElgamal),
    Protocol::KatzMalka(SchemeName::Djn),
    Protocol::KatzMalka(SchemeName::Bfv),
];

fn function(protocol: Protocol, circuit: &tacit_circuit::Circuit, gates: usize) -> Function {
    let owners = [InputOwner::Holder, InputOwner::Owner];
    Function::from_circuit(protocol, circuit, &owners, Some(gates)).unwrap()
}

struct Prepared {
    held: Vec<Vec<u8>>,
    owned: Vec<Vec<u8>>,
    sent: Traffic,
    rounds: Traffic,
}

/// An introduction and `count` setups.
async fn prepare(function: Function, count: usize, (a, b): (Connection, Connection)) -> Prepared {
    let (protocol, size) = (function.protocol(), *function.size());
    let holder = async {
        let (mut channel, mut prg, mut entries) = (open(&a), prg(1), Vec::new());
        let mut holder = Holder::new(function, &mut prg)?;
        let early = holder.prepare_entry(&mut channel, &mut prg).await;
        assert!(matches!(early, Err(PfeError::NotIntroduced)));
        holder.introduce(&mut channel).await?;
        for _ in 0..count {
            entries.push(holder.prepare_entry(&mut channel, &mut prg).await?.to_vec());
        }
        let counts = (channel.bytes_sent(), channel.rounds());
        channel.finish().await?;
        Ok::<_, PfeError>((entries, counts))
    };
    let owner = async {
        let (mut channel, mut prg, mut entries) = (open(&b), prg(2), Vec::new());
        let mut owner = Owner::new(protocol, size, &mut prg)?;
        owner.introduce(&mut channel).await?;
        for _ in 0..count {
            entries.push(owner.prepare_entry(&mut channel, &mut prg).await?.to_vec());
        }
        let counts = (channel.bytes_sent(), channel.rounds());
        channel.finish().await?;
        Ok((entries, counts))
    };
    let (holder, owner) = tokio::try_join!(holder, owner).unwrap();
    let both = |pick: fn((u64, u64)) -> u64| Traffic { holder: pick(holder.1), owner: pick(owner.1) };
    Prepared {
        sent: both(|counts| counts.0),
        rounds: both(|counts| counts.1),
        held: holder.0,
        owned: owner.0,
    }
}

/// The online phase of one setup, over another link.
async fn spend(function: &Function, [held, owned]: [&[u8]; 2], inputs: [&[bool]; 2]) -> Vec<bool> {
    let (a, b) = pair(LIMIT);
    let (mut ours, mut theirs) = (open(&a), open(&b));
    let run = HolderRun::from_entry(function, held).unwrap();
    let own = OwnerRun::from_entry(function.protocol(), *function.size(), owned).unwrap();
    let (mut first, mut second) = (prg(3), prg(4));
    let online = tokio::try_join!(
        run.evaluate(&mut ours, inputs[0], &mut first),
        own.evaluate(&mut theirs, inputs[1], &mut second)
    );
    online.unwrap().1
}

fn check_costs(prepared: &Prepared, protocol: Protocol, size: &Size, count: u64) {
    let (bytes, _) = protocol.cost(size).unwrap();
    let sent = Traffic {
        holder: bytes.introduction.holder + count * bytes.setup.holder,
        owner: bytes.introduction.owner + count * bytes.setup.owner,
    };
    assert_eq!((prepared.sent, prepared.rounds), (sent, protocol.prepared_rounds(size, count)));
    let [holder, owner] = protocol.entry_bytes(size).unwrap();
    assert!(prepared.held.iter().all(|entry| entry.len() == holder));
    assert!(prepared.owned.iter().all(|entry| entry.len() == owner));
}

#[test]
fn setups_that_were_kept_give_what_others_give() {
    let circuit = random_circuit(9, [2, 2], 20, 4);
    for protocol in PREPARING {
        for gates in [90, 1024 + 70] {
            let function = || function(protocol, &circuit, gates);
            let prepared = block_on(prepare(function(), 3, wide_pair(LIMIT)));
            check_costs(&prepared, protocol, function().size(), 3);
            for (place, value) in [3, 9, 14].into_iter().enumerate() {
                let (holder, owner) = (bits(value, 2), bits(value >> 2, 2));
                let entries = [&prepared.held[place][..], &prepared.owned[place]];
                let result = block_on(spend(&function(), entries, [&holder, &owner]));
                assert_eq!(result, circuit.evaluate(&[holder, owner].concat()).unwrap(), "{protocol:?}");
            }
        }
    }
}

#[test]
fn rounds_of_setups_longer_than_what_is_sent_ahead_are_predicted() {
    let circuit = random_circuit(9, [2, 2], 20, 4);
    for protocol in &PREPARING[..2] {
        let function = || function(*protocol, &circuit, 16 * 1024 + 1);
        let prepared = block_on(prepare(function(), 2, wide_pair(LIMIT)));
        check_costs(&prepared, *protocol, function().size(), 2);
    }
}

/// Two setups of one introduction have no secret in common.
#[test]
fn setups_share_no_secret() {
    let circuit = random_circuit(9, [2, 2], 20, 4);
    for protocol in PREPARING {
        let prepared = block_on(prepare(function(protocol, &circuit, 90), 2, wide_pair(LIMIT)));
        for entries in [&prepared.held, &prepared.owned] {
            let words = |entry: &[u8]| entry.as_chunks::<16>().0.to_vec();
            let (first, second) = (words(&entries[0]), words(&entries[1]));
            assert!(first.iter().all(|word| !second.contains(word)), "{protocol:?}");
        }
    }
}

#[test]
fn entries_of_another_size_or_with_other_contents_are_refused() {
    let circuit = random_circuit(9, [2, 2], 20, 4);
    for protocol in PREPARING {
        let function = function(protocol, &circuit, 90);
        let [held, owned] = protocol.entry_bytes(function.size()).unwrap();
        for given in [0, held - 1, held + 1] {
            let refused = HolderRun::from_entry(&function, &vec![0; given]).err();
            assert!(matches!(refused, Some(PfeError::Entry { expected, .. }) if expected == held));
        }
        for given in [0, owned - 1, owned + 1] {
            let refused = OwnerRun::from_entry(protocol, *function.size(), &vec![0; given]).err();
            assert!(matches!(refused, Some(PfeError::Entry { expected, .. }) if expected == owned));
        }
    }
    for protocol in &PREPARING[..2] {
        let function = function(*protocol, &circuit, 90);
        let [held, _] = protocol.entry_bytes(function.size()).unwrap();
        let refused = HolderRun::from_entry(&function, &vec![0; held]).err();
        assert!(matches!(refused, Some(PfeError::Shift { gate: 0 })));
    }
}

#[test]
fn universal_circuits_have_no_setup() {
    let (protocol, circuit) = (Protocol::UniversalCircuit, random_circuit(9, [2, 2], 20, 4));
    let function = || function(protocol, &circuit, 90);
    assert_eq!(protocol.entry_bytes(function().size()), None);
    assert!(matches!(HolderRun::from_entry(&function(), &[]).err(), Some(PfeError::NoSetup)));
    let refused = OwnerRun::from_entry(protocol, *function().size(), &[]).err();
    assert!(matches!(refused, Some(PfeError::NoSetup)));
    block_on(async {
        let (a, b) = memory::pair(tacit_net::Options::default());
        let (mut here, mut there, mut random) = (open(&a), open(&b), prg(1));
        let mut holder = Holder::new(function(), &mut random).unwrap();
        let mut owner = Owner::new(protocol, *function().size(), &mut random).unwrap();
        assert!(matches!(holder.introduce(&mut here).await, Err(PfeError::NoSetup)));
        assert!(matches!(owner.introduce(&mut there).await, Err(PfeError::NoSetup)));
        assert!(matches!(holder.prepare_entry(&mut here, &mut random).await, Err(PfeError::NoSetup)));
        assert!(matches!(owner.prepare_entry(&mut there, &mut random).await, Err(PfeError::NoSetup)));
    });
}
