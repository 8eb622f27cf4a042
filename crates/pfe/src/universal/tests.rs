use std::sync::Arc;

use proptest::prelude::*;
use tacit_circuit::{Circuit, CircuitBuilder, arithmetic};
use tacit_crypto::Prg;
use tacit_net::{Connection, Options, StreamId, memory};

use super::size::HEADER;
use super::{Construction, UniversalFunction, UniversalSize, bytes, evaluate, hold};
use crate::{FunctionError, InputOwner, MAX_WIRES, PfeError, Size};

const OWNERS: [InputOwner; 2] = [InputOwner::Holder, InputOwner::Owner];

/// The outputs that the owner learns, and the bytes that the holder and the owner sent.
fn run(function: UniversalFunction, holder: &[bool], owner: &[bool]) -> (Vec<bool>, [u64; 2]) {
    let size = function.size().clone();
    let (here, there) = memory::pair(Options::default());
    let open = |connection: &Connection| connection.open(StreamId(1)).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (mut to_owner, mut to_holder) = (open(&here), open(&there));
        let (mut ours, mut theirs) = (Prg::from_os().unwrap(), Prg::from_os().unwrap());
        let (held, found) = tokio::join!(
            hold(&mut to_owner, Arc::new(function), holder, &mut ours),
            evaluate(&mut to_holder, &size, owner, &mut theirs)
        );
        held.unwrap();
        (found.unwrap(), [to_owner.bytes_sent(), to_holder.bytes_sent()])
    })
}

fn bits(value: u64, count: u32) -> Vec<bool> {
    (0..count).map(|i| value >> i & 1 == 1).collect()
}

/// Gates of random operands, of two groups of three inputs.
fn random_circuit(gates: &[(bool, usize, usize, bool, bool)]) -> Circuit {
    let mut builder = CircuitBuilder::new();
    let mut values = [builder.input(3), builder.input(3)].concat();
    for (and, left, right, not_left, not_right) in gates {
        let [a, b] = [(left, not_left), (right, not_right)].map(|(value, not)| {
            let lit = values[value % values.len()];
            if *not { !lit } else { lit }
        });
        values.push(if *and { builder.and(a, b) } else { builder.xor(a, b) });
    }
    let outputs = values.iter().rev().take(9).map(|lit| !*lit).collect();
    builder.finish(vec![outputs]).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn the_owner_learns_what_the_circuit_gives(
        gates in prop::collection::vec((any::<bool>(), any::<usize>(), any::<usize>(), any::<bool>(), any::<bool>()), 0..80),
        owners in any::<[bool; 2]>(), padding in 0..20usize, x in 0..8u64, y in 0..8u64,
        construction in prop::sample::select(&Construction::ALL[..]),
    ) {
        let circuit = random_circuit(&gates);
        let owners = owners.map(|holder| if holder { InputOwner::Holder } else { InputOwner::Owner });
        let least = UniversalFunction::from_circuit(&circuit, &owners, None).unwrap().size().size().gates();
        let function = UniversalFunction::with_construction(&circuit, &owners, Some(least + padding), construction).unwrap();
        let expected = bytes(function.size()).online;
        let of = |who: InputOwner| {
            owners.iter().zip([x, y]).filter(|(owner, _)| **owner == who).flat_map(|(_, value)| bits(value, 3)).collect::<Vec<_>>()
        };
        let (result, sent) = run(function, &of(InputOwner::Holder), &of(InputOwner::Owner));
        prop_assert_eq!(result, circuit.evaluate(&[bits(x, 3), bits(y, 3)].concat()).unwrap());
        prop_assert_eq!(sent, [expected.holder, expected.owner]);
    }
}

fn comparison(width: u32) -> Circuit {
    let mut builder = CircuitBuilder::new();
    let (limit, income) = (builder.input(width), builder.input(width));
    let granted = arithmetic::less_unsigned(&mut builder, &limit, &income);
    builder.finish(vec![vec![granted]]).unwrap()
}

#[test]
fn many_pieces_of_tables_come_in_order() {
    let circuit = comparison(48);
    for (x, y) in [(5, 9), (9, 5), (1 << 47, (1 << 47) + 1)] {
        let function = UniversalFunction::from_circuit(&circuit, &OWNERS, Some(4000)).unwrap();
        let expected = bytes(function.size()).online;
        assert!(expected.holder > 4 * super::stream::PIECE as u64);
        let (result, sent) = run(function, &bits(x, 48), &bits(y, 48));
        assert_eq!((result, sent), (vec![x < y], [expected.holder, expected.owner]));
    }
}

/// Runs an owner with another size, or a holder that stops. Returns how both ended.
fn failing(
    size: UniversalSize,
    holder: &[bool],
    owner: &[bool],
    drop_holder: bool,
) -> [Result<(), PfeError>; 2] {
    let function = UniversalFunction::from_circuit(&comparison(8), &OWNERS, Some(300)).unwrap();
    let (here, there) = memory::pair(Options::default());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (mut to_owner, mut to_holder) =
            (here.open(StreamId(1)).unwrap(), there.open(StreamId(1)).unwrap());
        let (mut ours, mut theirs) = (Prg::from_os().unwrap(), Prg::from_os().unwrap());
        let holds = async move {
            if drop_holder {
                // The first bytes that an honest holder sends, and no more.
                to_owner.send(&[7; 48]).await?;
                to_owner.send(&function.size().size().encode()).await?;
                to_owner.flush().await?;
                drop((to_owner, here));
                return Ok(());
            }
            hold(&mut to_owner, Arc::new(function), holder, &mut ours).await
        };
        let owns = async move {
            let found = evaluate(&mut to_holder, &size, owner, &mut theirs).await.map(drop);
            drop((to_holder, there));
            found
        };
        let (held, found) = tokio::join!(holds, owns);
        [held, found]
    })
}

#[test]
fn what_does_not_fit_is_refused() {
    let size =
        |gates: usize, width: usize| UniversalSize::new(Size::new(8, width, gates, 1).unwrap()).unwrap();
    let [_, other] = failing(size(301, 8), &[true; 8], &[false; 8], false);
    assert!(matches!(other, Err(PfeError::Size { what: "gates", ours: 301, theirs: 300 })), "{other:?}");
    let [_, other] = failing(size(300, 9), &[true; 8], &[false; 9], false);
    assert!(matches!(
        other,
        Err(PfeError::Size { what: "input bits of the data's owner", ours: 9, theirs: 8 })
    ));
    let two_way = UniversalSize::with_construction(*size(300, 8).size(), Construction::TwoWay).unwrap();
    let [_, other] = failing(two_way, &[true; 8], &[false; 8], false);
    let what = "the number of the construction";
    assert!(matches!(other, Err(PfeError::Size { what: found, ours: 2, theirs: 0 }) if found == what));
    let [held, _] = failing(size(300, 8), &[true; 7], &[false; 8], false);
    assert!(matches!(held, Err(PfeError::Inputs { given: 7, announced: 8 })));
    let [_, found] = failing(size(300, 8), &[true; 8], &[false; 7], false);
    assert!(matches!(found, Err(PfeError::Inputs { given: 7, announced: 8 })));
    let [_, found] = failing(size(300, 8), &[true; 8], &[false; 8], true);
    assert!(matches!(found, Err(PfeError::Net(_) | PfeError::Ot(_))), "{found:?}");
    let most = Size::new(1, 1, MAX_WIRES - 2, 1).unwrap();
    assert!(matches!(UniversalSize::new(most), Err(FunctionError::Universal(_))));
    let few = UniversalFunction::from_circuit(&comparison(8), &OWNERS, Some(10));
    assert!(matches!(few, Err(FunctionError::Gates { announced: 10, .. })), "{few:?}");
}

/// The bytes that a holder of both inputs sends for a function of eight gates.
fn view(circuit: &Circuit) -> Vec<u8> {
    let owners = [InputOwner::Holder, InputOwner::Holder];
    let function = UniversalFunction::from_circuit(circuit, &owners, Some(8)).unwrap();
    let length = bytes(function.size()).online.holder as usize;
    let (here, there) = memory::pair(Options::default());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (mut to_owner, mut to_holder) =
            (here.open(StreamId(1)).unwrap(), there.open(StreamId(1)).unwrap());
        let mut seen = vec![0; length];
        let mut prg = Prg::from_os().unwrap();
        let (held, received) = tokio::join!(
            hold(&mut to_owner, Arc::new(function), &[true, false], &mut prg),
            to_holder.receive_into(&mut seen)
        );
        held.and(received.map_err(Into::into)).unwrap();
        seen
    })
}

/// Two functions of one size.
fn functions() -> [Circuit; 2] {
    [false, true].map(|both| {
        let mut builder = CircuitBuilder::new();
        let (x, y) = (builder.input(1)[0], builder.input(1)[0]);
        let output = if both { builder.and(x, y) } else { !x };
        builder.finish(vec![vec![output]]).unwrap()
    })
}

#[test]
fn runs_have_nothing_in_common() {
    let [circuit, _] = functions();
    let views = [view(&circuit), view(&circuit)];
    let [one, other] = views.each_ref().map(|view| &view[HEADER..]);
    let shared = one.chunks_exact(16).filter(|block| other.chunks_exact(16).any(|other| other == *block));
    assert_eq!((one.len(), shared.count()), (other.len(), 0));
}

/// For each function, every bit of labels and tables is 1 about as often as 0.
#[test]
fn views_do_not_tell_functions_of_one_size_apart() {
    const RUNS: usize = 400;
    for circuit in functions() {
        let mut ones = Vec::new();
        for _ in 0..RUNS {
            let view = view(&circuit);
            // The last byte holds the colour of the one output, and padding.
            let secret = &view[HEADER..view.len() - 1];
            ones.resize(8 * secret.len(), 0);
            ones.iter_mut()
                .enumerate()
                .for_each(|(bit, ones)| *ones += usize::from(secret[bit / 8] >> (bit % 8) & 1));
        }
        // Seven standard deviations, for tens of thousands of bits.
        let far = ones.iter().position(|ones| ones.abs_diff(RUNS / 2) > 70);
        assert_eq!(far, None, "of {} bits", ones.len());
    }
}
