//! Both ends of Yao's protocol against evaluation in the clear.

use crate::harness::tap::{Edit, Trace};
use crate::harness::{Job, LIMIT, Mode, OUTPUTS, Role, WIDTH, evaluate, garble, run, tap};
use proptest::prelude::*;
use std::collections::HashSet;
use tacit_crypto::Prg;
use tacit_math::{Bits, Block};
use tacit_ot::rot;
use tacit_ot::softspoken::Params;
use tacit_twoparty::garbling::GarblingScheme;
use tacit_twoparty::yao::{LabelOperand, LabelTarget, Region, RevealTo, Side, YaoCost, YaoError, streamed};

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

/// Runs a job and compares what each recipient learns with evaluation in the clear.
fn check(job: &Job, mode: Mode) -> Trace {
    let (garbler, evaluator, trace) = block_on(run(job, mode, [Edit::None; 2], LIMIT));
    let expected = job.clear();
    let (garbler, evaluator) = (garbler.unwrap(), evaluator.unwrap());
    assert_eq!(garbler.is_some(), job.recipients.include_garbler());
    assert_eq!(evaluator.is_some(), job.recipients.include_evaluator());
    for values in [garbler, evaluator].into_iter().flatten() {
        assert!(values == expected, "{mode:?}, {} instances", job.instances);
    }
    trace
}

#[test]
fn random_circuits_agree_with_the_clear_over_many_lanes() {
    for (seed, (instances, share)) in
        [(1, 1), (3, 3), (16, 1), (17, 17), (64, 4), (1000, 1000), (130, 2), (65, 5)].into_iter().enumerate()
    {
        for mode in [Mode::Streamed, Mode::Prepared] {
            for scheme in [GarblingScheme::HalfGates, GarblingScheme::ThreeHalves] {
                let job = Job::random(seed as u128, 150, instances, share, RevealTo::Both);
                check(&job.with(scheme), mode);
            }
        }
    }
}

#[test]
fn only_recipients_learn_outputs() {
    for recipients in [RevealTo::Garbler, RevealTo::Evaluator] {
        for mode in [Mode::Streamed, Mode::Prepared] {
            check(&Job::random(77, 60, 5, 1, recipients), mode);
        }
    }
}

#[test]
fn circuits_without_ands_run_too() {
    for mode in [Mode::Streamed, Mode::Prepared] {
        let job = Job::random(3, 0, 70, 1, RevealTo::Both);
        assert_eq!(job.ands(), 0);
        check(&job, mode);
    }
}

#[test]
fn inputs_longer_than_a_window() {
    for mode in [Mode::Streamed, Mode::Prepared] {
        let job = Job::random(2, 20, 12_000, 1, RevealTo::Both);
        assert!(job.evaluator.len() > 2 << 15);
        check(&job, mode);
    }
}

#[test]
fn flat_circuits_longer_than_a_message() {
    for mode in [Mode::Streamed, Mode::Prepared] {
        for scheme in [GarblingScheme::HalfGates, GarblingScheme::ThreeHalves] {
            let job = Job::random(8, 20_000, 1, 1, RevealTo::Both).with(scheme);
            assert!(job.ands() > 2 * 2048);
            check(&job, mode);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn random_circuits_agree_with_the_clear(seed: u128, gates in 0..400usize, groups in 1..40usize, share in 1..5usize, prepared: bool, three_halves: bool) {
        let mode = if prepared { Mode::Prepared } else { Mode::Streamed };
        let scheme = if three_halves { GarblingScheme::ThreeHalves } else { GarblingScheme::HalfGates };
        check(&Job::random(seed, gates, groups * share, share, RevealTo::Both).with(scheme), mode);
    }
}

#[test]
fn traffic_is_what_the_cost_says() {
    let job = Job::random(21, 300, 100, 4, RevealTo::Both);
    let outputs = (OUTPUTS * job.instances) as u64;
    for (mode, mut cost) in
        [(Mode::Streamed, YaoCost::streamed(Params::K4)), (Mode::Prepared, YaoCost::prepared(Params::K4))]
    {
        cost.garbler_input((WIDTH * job.instances) as u64);
        cost.evaluator_input((WIDTH * job.instances / job.share) as u64);
        cost.circuit(job.executable.and_count, 2 * job.instances as u64);
        cost.reveal(RevealTo::Both, outputs);
        let (from_sender, from_receiver) = Params::K4.setup_bytes();
        let trace = check(&job, mode);
        let total = cost.total();
        assert_eq!(trace[0].bytes as u64, from_sender + total.to_evaluator_bytes, "{mode:?}");
        assert_eq!(trace[1].bytes as u64, from_receiver + total.to_garbler_bytes, "{mode:?}");
    }
}

/// In every shape: few lanes and many, chunks that are not full, messages that end within a circuit.
#[test]
fn tables_of_three_halves_take_the_bytes_that_are_counted() {
    for (gates, instances) in [(0, 5), (300, 1), (300, 100), (77, 67), (20_000, 1)] {
        let bytes = |scheme, mode| {
            let job = Job::random(23, gates, instances, 1, RevealTo::Both).with(scheme);
            let (ands, lanes) = (job.executable.and_count, job.executable.lane_chunk);
            let tables = 2 * scheme.table_bytes(ands, lanes, instances as u64);
            (check(&job, mode)[0].bytes as u64 - tables, tables, job.ands())
        };
        for mode in [Mode::Streamed, Mode::Prepared] {
            let (rest, tables, ands) = bytes(GarblingScheme::ThreeHalves, mode);
            assert_eq!(rest, bytes(GarblingScheme::HalfGates, mode).0, "{gates} {instances} {mode:?}");
            assert!(8 * tables >= 197 * ands && 8 * tables <= 197 * ands + 8 * 40, "{tables} for {ands}");
        }
    }
}

#[test]
fn an_and_costs_32_bytes() {
    let mut bytes = HashSet::new();
    for gates in [10, 2000] {
        let job = Job::random(5, gates, 64, 1, RevealTo::Both);
        let trace = check(&job, Mode::Streamed);
        bytes.insert(trace[0].bytes as u64 - 32 * job.ands());
    }
    assert_eq!(bytes.len(), 1, "what is not tables does not depend on the number of ANDs");
}

#[test]
fn traffic_is_pinned_under_fixed_seeds() {
    let job = Job::simple();
    let hashes = |mode| check(&job, mode).map(|seen| seen.hash.finalize().to_hex()[..16].to_owned());
    let pinned = [["88e0c2d84473e7a0", "e90b93f4c0e31569"], ["9a0913b08187b090", "e310a597ae032061"]];
    assert_eq!([hashes(Mode::Streamed), hashes(Mode::Prepared)], pinned);
    let job = Job::simple().with(GarblingScheme::ThreeHalves);
    let hashes = |mode| check(&job, mode).map(|seen| seen.hash.finalize().to_hex()[..16].to_owned());
    let pinned = [["4416f465f99d2835", "91b92f16ad548ce7"], ["369a55e98c7bf393", "c1e7585e9cdc77bd"]];
    assert_eq!([hashes(Mode::Streamed), hashes(Mode::Prepared)], pinned);
}

#[test]
fn sessions_share_nothing() {
    let job = Job::random(1, 100, 20, 1, RevealTo::Both);
    for mode in [Mode::Streamed, Mode::Prepared] {
        let hash = |seed| {
            let (a, b, trace) = block_on(tap::run(
                [Edit::None; 2],
                LIMIT,
                |end| garble(&job, mode, seed, end),
                |end| evaluate(&job, mode, 2, end),
            ));
            assert_eq!(a.unwrap(), b.unwrap());
            trace[0].hash.finalize()
        };
        assert_ne!(hash(1), hash(3));
    }
}

/// Runs `garbler` beside an evaluator that only sets up.
fn with_streamed_garbler<T>(garbler: impl AsyncFnOnce(&mut streamed::Garbler) -> T) -> T {
    let first = async |mut end: tap::End| {
        let mut prg = Prg::new(Block(1));
        let ots = rot::Sender::setup(&mut end.channel, Params::K1, &[1; 32], &mut prg).await.unwrap();
        let mut side = streamed::Garbler::start(end.channel, ots, prg).await.unwrap();
        garbler(&mut side).await
    };
    let second = async |mut end: tap::End| {
        rot::Receiver::setup(&mut end.channel, Params::K1, &[1; 32], &mut Prg::new(Block(2))).await.unwrap();
    };
    block_on(tap::run([Edit::None; 2], LIMIT, first, second)).0
}

#[test]
fn gate_ids_are_never_used_twice() {
    let job = Job::random(4, 50, 2, 1, RevealTo::Both);
    let region = |first_id| Region { circuit: &job.executable, instances: 2, first_id };
    let outcomes = with_streamed_garbler(async |side| {
        let labels = vec![Block::ZERO; 2 * WIDTH];
        let operand = LabelOperand { labels: &labels, bits: WIDTH as u32, share: 1 };
        let mut outcomes = Vec::new();
        let end = region(100).end_id().unwrap();
        for first_id in [100, 100, end - 1, end, u64::MAX - 1, 1 << 63] {
            let mut output = vec![Block::ZERO; 2 * OUTPUTS];
            let target = LabelTarget { labels: &mut output, bits: OUTPUTS as u32 };
            let outcome = side.circuit(region(first_id), &[operand; 3], &mut [target]).await;
            outcomes.push(match outcome {
                Ok(()) => true,
                Err(YaoError::GateIds { .. }) => false,
                Err(other) => panic!("{other}"),
            });
        }
        outcomes
    });
    assert_eq!(outcomes, [true, false, false, true, false, false]);
}

#[test]
fn shapes_that_do_not_fit_are_refused() {
    let job = Job::random(4, 50, 2, 1, RevealTo::Both);
    with_streamed_garbler(async |side| {
        let labels = vec![Block::ZERO; 4 * WIDTH];
        let operand =
            |count: usize, bits: u32, share: u64| LabelOperand { labels: &labels[..count], bits, share };
        let whole = operand(2 * WIDTH, WIDTH as u32, 1);
        let bad = [
            vec![whole; 2],
            vec![whole; 4],
            vec![whole, whole, operand(2 * WIDTH - 1, WIDTH as u32, 1)],
            vec![whole, whole, operand(2 * WIDTH, 0, 1)],
            vec![whole, whole, operand(2 * WIDTH, WIDTH as u32, 0)],
            vec![whole, whole, operand(2 * WIDTH, WIDTH as u32, 3)],
            vec![whole, whole, operand(3 * WIDTH, WIDTH as u32, 1)],
        ];
        let region = Region { circuit: &job.executable, instances: 2, first_id: 0 };
        for operands in bad {
            let mut output = vec![Block::ZERO; 2 * OUTPUTS];
            let target = LabelTarget { labels: &mut output, bits: OUTPUTS as u32 };
            let outcome = side.circuit(region, &operands, &mut [target]).await;
            assert!(matches!(outcome, Err(YaoError::Shape { .. })), "{outcome:?}");
        }
        let outcome = side.own_input(&Bits::zeros(3), &mut [Block::ZERO; 2]).await;
        assert!(matches!(outcome, Err(YaoError::Shape { .. })));
    });
}

#[test]
fn random_bits_are_unknown_and_the_same_at_both_ends() {
    let count = 4096;
    async fn walk<S: Side>(side: &mut S, count: usize) -> Bits {
        let mut labels = vec![Block::ZERO; count];
        side.random(&mut labels).await.unwrap();
        side.reveal(RevealTo::Both, &labels).await.unwrap().unwrap()
    }
    let garbler = async |mut end: tap::End| {
        let mut prg = Prg::new(Block(1));
        let ots = rot::Sender::setup(&mut end.channel, Params::K4, &[1; 32], &mut prg).await.unwrap();
        walk(&mut streamed::Garbler::start(end.channel, ots, prg).await.unwrap(), count).await
    };
    let evaluator = async |mut end: tap::End| {
        let mut prg = Prg::new(Block(2));
        let ots = rot::Receiver::setup(&mut end.channel, Params::K4, &[1; 32], &mut prg).await.unwrap();
        walk(&mut streamed::Evaluator::start(end.channel, ots).await.unwrap(), count).await
    };
    let (a, b, _) = block_on(tap::run([Edit::None; 2], LIMIT, garbler, evaluator));
    assert_eq!(a, b);
    // Six standard deviations of a fair coin.
    assert!((a.count_ones() as f64 - 2048.0).abs() < 6.0 * 32.0);
}

#[test]
fn inputs_of_prepared_runs_must_be_as_many_as_prepared() {
    use crate::harness::{SESSION, tap::End};
    use tacit_twoparty::yao::prepared;
    let job = Job::random(4, 50, 2, 1, RevealTo::Both);
    let garbler = async |mut end: End| {
        let mut prg = Prg::new(Block(1));
        let ots = rot::Sender::setup(&mut end.channel, Params::K4, &SESSION, &mut prg).await.unwrap();
        let mut setup = prepared::GarblerSetup::start(end.channel, ots, prg);
        job.walk(&mut setup, Role::Garbler).await.unwrap();
        let (prepared, channel, _) = setup.finish().await.unwrap();
        assert_eq!((prepared.own_inputs(), prepared.peer_inputs()), (2 * WIDTH, 2 * WIDTH));
        prepared.start(channel, &Bits::zeros(2 * WIDTH - 1)).await.err()
    };
    let evaluator = async |mut end: End| {
        let mut prg = Prg::new(Block(2));
        let ots = rot::Receiver::setup(&mut end.channel, Params::K4, &SESSION, &mut prg).await.unwrap();
        let mut setup = prepared::EvaluatorSetup::start(end.channel, ots, job.ands()).unwrap();
        job.walk(&mut setup, Role::Evaluator).await.unwrap();
        let (prepared, channel, _) = setup.finish();
        assert_eq!((prepared.own_inputs(), prepared.peer_inputs()), (2 * WIDTH, 2 * WIDTH));
        prepared.start(channel, &Bits::zeros(2 * WIDTH + 1)).await.err()
    };
    let (a, b, _) = block_on(tap::run([Edit::None; 2], LIMIT, garbler, evaluator));
    assert!(matches!(a, Some(YaoError::Shape { .. })) && matches!(b, Some(YaoError::Shape { .. })));
}
