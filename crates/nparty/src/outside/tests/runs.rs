//! Compiled programs in which outside parties speak for roles.

use tacit_arbitrary as arbitrary;
use tacit_ir::{BinaryOp, Builder, Op, Program, RoleId, Shape, Words, interpret};

use super::*;
use crate::compiled::{Compiled, Sharing, Speaker, Split};

/// A program in which outside parties have some roles, ready to run among the parties of a task.
fn split<F: Field>(task: &Task<F>, program: &Program, speakers: &[Speaker]) -> (Split, Compiled) {
    let size = (task.names().len(), task.scheme().threshold());
    let sharing = Sharing::of(task.scheme().security());
    let split = Split::new(program, speakers, size, sharing).expect("a program");
    let compiled =
        Compiled::lowered(split.program(), &Compiled::bit_options(), split.parties()).expect("circuits");
    let compiled = compiled.with_shared_inputs(&split.shared_inputs());
    (split, compiled)
}

/// Checks that what a task has sent is what was predicted of its run.
fn sent_as_predicted<F: Field>(task: &Task<F>, compiled: &Compiled) -> Result<(), RunError> {
    task.wait(&task.synchronise()?)?;
    let size = (task.names().len(), task.scheme().threshold());
    let predicted = compiled.prediction_against(task.scheme().security(), size).expect("a prediction");
    let sent: Vec<_> = task.payload().iter().map(|peer| peer.sent).collect();
    assert_eq!(sent, predicted.sent[task.me()], "{size:?}");
    Ok(())
}

/// Who speaks for the two roles of a random program, in turn.
const CASTS: [[Speaker; 2]; 3] = [
    [Speaker::Outside(0), Speaker::Computing(0)],
    [Speaker::Computing(0), Speaker::Outside(0)],
    [Speaker::Outside(1), Speaker::Outside(0)],
];

/// Runs a random program for whose roles outside parties speak, alone or with p0, and compares the results of
/// all with the interpreter, and what was sent with the prediction.
fn runs_with_others_outside<F: Field>(field: F, seed: u64, size: (usize, usize), security: Security) {
    let shape = arbitrary::Size { bits: 7, lanes: 5, ..arbitrary::Size::default() };
    let program = arbitrary::program(seed, &shape);
    let inputs = arbitrary::inputs(&program, seed);
    let expected = interpret(&program, &inputs, || 7).expect("a value");
    let speakers = CASTS[seed as usize % CASTS.len()];
    let speaker = |role: usize| speakers[role];
    let outside = speakers.iter().filter(|speaker| matches!(speaker, Speaker::Outside(_))).count();
    let setting = Setting::new(field, size, outside, security);
    let roles_of = |wanted: usize| -> Vec<RoleId> {
        let roles = (0..speakers.len()).filter(|role| speaker(*role) == Speaker::Outside(wanted));
        roles.map(|role| RoleId(role as u32)).collect()
    };
    let own: Vec<Vec<Words>> = program
        .inputs
        .iter()
        .zip(&inputs)
        .map(|(port, columns)| match speaker(port.role.index()) {
            Speaker::Computing(_) => columns.clone(),
            Speaker::Outside(_) => Vec::new(),
        })
        .collect();
    let source = program.clone();
    let computing = setting.compute(move |task| {
        let (split, compiled) = split(task, &source, &speakers);
        let run = SplitRun { program: (&source, &speakers), split: &split, compiled: &compiled };
        let mine = if task.me() == 0 { own.clone() } else { vec![Vec::new(); own.len()] };
        let outputs = run.run(task, &mine, LONG).expect("a run");
        sent_as_predicted(task, &compiled)?;
        Ok(outputs)
    });
    let visit_run = |outside: usize| {
        let run = OutsideRun::new(&program, &roles_of(outside), &inputs);
        let terms = setting.terms(&format!("o{outside}"));
        spawn(move || visit::<F, RunError>(terms, vec![run], |_| Ok(vec![]), || Ok(())))
    };
    let visits = (0..outside).map(visit_run).collect();
    let own_outputs = ended(computing).remove(0);
    for (port, (outputs, expected)) in program.outputs.iter().zip(own_outputs.iter().zip(&expected)) {
        let mine = port.roles.iter().any(|role| speaker(role.index()) == Speaker::Computing(0));
        assert!(if mine { outputs == expected } else { outputs.is_empty() }, "seed {seed}");
    }
    for (outside, visited) in ended(visits).into_iter().enumerate() {
        let roles = roles_of(outside);
        let told = program.outputs.iter().zip(&expected);
        let told = told.filter(|(port, _)| roles.iter().any(|role| port.roles.contains(role)));
        let told: Vec<_> = told.map(|(_, columns)| columns.clone()).collect();
        let ran: Vec<_> = visited.ran.into_iter().map(|ran| ran.outputs).collect();
        assert!(ran == vec![told], "seed {seed}, o{outside}");
    }
}

#[test]
fn random_programs_of_which_others_outside_speak_for_roles_agree_with_the_interpreter() {
    for seed in 0..12 {
        match seed % 3 {
            0 => runs_with_others_outside(Gf256, seed, (3, 1), Security::Passive),
            1 => runs_with_others_outside(Mersenne61, seed, (5, 2), Security::Passive),
            _ => runs_with_others_outside(Gf256, seed, (4, 1), Security::Passive),
        }
    }
}

#[test]
fn verified_programs_of_which_others_outside_speak_for_roles_agree_with_the_interpreter() {
    for (seed, size) in
        [(3, 1), (4, 1), (5, 2), (7, 3), (5, 1), (3, 1), (3, 1), (5, 2)].into_iter().enumerate()
    {
        match seed % 2 {
            0 => runs_with_others_outside(Gf256, seed as u64, size, Security::Active),
            _ => runs_with_others_outside(Mersenne61, seed as u64, size, Security::Active),
        }
    }
}

/// The width of the numbers of [`sum`]: their last byte is not full.
const BITS: u32 = 13;

/// A program that adds numbers of each of two roles, and reveals the sums to both.
fn sum(name: &str, length: u32) -> Program {
    let mut program = Builder::new(name);
    let roles = ["a", "b"].map(|role| program.role(role));
    let element = Box::new(Shape::Integer { bits: BITS, signed: false });
    let shape = Shape::Array { length, element };
    let ports = roles.map(|role| program.input("x", role, shape.clone()).expect("a port"));
    let told = program.output("sum", roles.to_vec(), shape).expect("a port");
    let mut main = program.template("main", vec![]);
    let [x, y] = ports.map(|port| main.input(&program, port).expect("a column")[0]);
    let sum = main.push(&program, Op::Binary(BinaryOp::Add, x, y)).expect("words");
    main.output(&program, told, &sum).expect("a column");
    program.finish(main).expect("a program")
}

const SPEAKERS: [Speaker; 2] = [Speaker::Computing(0), Speaker::Outside(0)];

/// This many numbers for [`sum`], all equal.
fn numbers(length: u32, number: u64) -> Words {
    let mut words = Words::zero(BITS, length.into());
    (0..length.into()).for_each(|lane| words.lane_mut(lane)[0] = number);
    words
}

/// A run of [`sum`] in which p0 gives numbers that are all 5 and o0 has the role b.
fn run_sum<F: Field>(task: &Task<F>, length: u32, within: Duration) -> Result<Vec<Vec<Words>>, String> {
    let program = sum("sum", length);
    let (split, compiled) = split(task, &program, &SPEAKERS);
    let run = SplitRun { program: (&program, &SPEAKERS), split: &split, compiled: &compiled };
    let mine = if task.me() == 0 { vec![numbers(length, 5)] } else { vec![] };
    run.run(task, &[mine, vec![]], within).map_err(|error| error.to_string())
}

/// The results of the computing parties in [`run_sum`] of one number.
fn sums<F: Field>(setting: &Setting<F>, within: Duration) -> Computing<Result<Vec<Vec<Words>>, String>> {
    setting.compute(move |task| Ok(run_sum(task, 1, within)))
}

/// The role b of [`sum`], whose numbers are all -3.
fn role_b(name: &str, length: u32) -> OutsideRun {
    OutsideRun::new(&sum(name, length), &[RoleId(1)], &[vec![], vec![numbers(length, (1 << BITS) - 3)]])
}

fn visit_sum<F: Field>(
    setting: &Setting<F>,
    name: &str,
) -> JoinHandle<Result<Visited<Vec<F::Element>>, RunError>> {
    let (terms, run) = (setting.terms("o0"), role_b(name, 1));
    spawn(move || visit(terms, vec![run], |_| Ok(vec![]), || Ok(())))
}

#[test]
fn a_run_without_the_inputs_of_a_role_outside_names_its_party() {
    for security in Security::ALL {
        let setting = Setting::new(Gf256, (3, 1), 1, security);
        for result in ended(sums(&setting, Duration::from_secs(1))) {
            let error = result.expect_err("nobody gives b.x");
            assert!(error.contains("o0 has not given its inputs in time"), "{error}");
        }
    }
}

#[test]
fn a_party_outside_takes_part_in_its_own_programs_alone() {
    for security in Security::ALL {
        let setting = Setting::new(Gf256, (3, 1), 1, security);
        let (computing, visit) = (sums(&setting, LONG), visit_sum(&setting, "other sum"));
        let error = visit.join().expect("no panic").expect_err("another program").to_string();
        assert!(error.contains("runs sum, in which this party speaks for b"), "{error}");
        for result in ended(computing) {
            assert!(result.expect_err("o0 has gone").contains("o0 has not given its inputs"));
        }
    }
}

#[test]
fn parties_with_roles_outside_get_results_and_those_that_compute_only_their_own() {
    for security in Security::ALL {
        let setting = Setting::new(Gf256, (3, 1), 1, security);
        let (computing, visit) = (sums(&setting, LONG), visit_sum(&setting, "sum"));
        assert_eq!(ended(vec![visit])[0].ran[0].outputs, [[numbers(1, 2)]]);
        let results = ended(computing);
        assert_eq!(results[0], Ok(vec![vec![numbers(1, 2)]]));
        assert_eq!(results[1], Ok(vec![vec![]]));
    }
}

#[test]
fn pieces_are_for_parties_that_follow_the_protocol() {
    let setting = Setting::new(Gf256, (3, 1), 1, Security::Active);
    let computing = setting.compute(|task| {
        let program = sum("sum", 1);
        let split = Split::new(&program, &SPEAKERS, (3, 1), Sharing::Pieces).expect("a program");
        let compiled = Compiled::lowered(split.program(), &Compiled::bit_options(), split.parties());
        let compiled = compiled.expect("circuits");
        let run = SplitRun { program: (&program, &SPEAKERS), split: &split, compiled: &compiled };
        Ok(run.run(task, &[vec![], vec![]], LONG).map_err(|error| error.to_string()))
    });
    for result in ended(computing) {
        assert!(result.expect_err("it is not verified").contains("passive"));
    }
}

/// Checks that o0 refuses what p1 changes in its messages to it, with this error; and returns what the computing parties get.
fn is_refused(
    size: (usize, usize),
    refused: &str,
    lie: fn(&mut FromComputing),
) -> Vec<Result<Vec<Vec<Words>>, String>> {
    let setting = Setting::new(Mersenne61, size, 1, Security::Active);
    let computing = setting.compute(move |task| {
        if task.me() == 1 {
            task.outside().expect("o0").change(lie);
        }
        Ok(run_sum(task, 1, LONG))
    });
    let error = visit_sum(&setting, "sum").join().expect("no panic").expect_err("p1 lies").to_string();
    assert!(error.contains(refused), "{error}");
    ended(computing)
}

#[test]
fn wrong_shares_of_the_masks_of_a_run_are_noticed() {
    // The masks of 13 bits of input and as many of results, each in two bytes.
    for size in [(3, 1), (5, 2), (7, 3)] {
        let wrong: [fn(&mut FromComputing); 2] = [
            |message| {
                if let FromComputing::Runs { shares, .. } = message {
                    shares[1] ^= 1;
                }
            },
            |message| {
                if let FromComputing::Runs { shares, .. } = message {
                    shares[2] ^= 0x80;
                }
            },
        ];
        for lie in wrong {
            for result in is_refused(size, "wrong share of the mask for sum", lie) {
                assert!(result.expect_err("o0 has gone").contains("o0 has not given its inputs"));
            }
        }
    }
    let missing = |message: &mut FromComputing| {
        if let FromComputing::Runs { shares, .. } = message {
            shares.pop();
        }
    };
    is_refused((3, 1), "p1 describes sum differently", missing);
}

#[test]
fn another_result_of_a_run_than_the_others_tell_is_noticed() {
    for size in [(3, 1), (5, 2)] {
        let results = is_refused(size, "describes sum differently", |message| {
            if let FromComputing::Computed { masked, .. } = message {
                masked[0] ^= 1;
            }
        });
        // They had ended before.
        assert_eq!(results[0], Ok(vec![vec![numbers(1, 2)]]));
    }
}

/// What o0 is asked for next: the number of the run, and shares of masks.
async fn asked_for_run(channel: &mut Channel) -> (u64, Vec<u8>) {
    loop {
        let message: FromComputing = receive(channel, MAX_BYTES).await.expect("a message");
        if let FromComputing::Runs { number, shares, .. } = message {
            return (number, shares.to_vec());
        }
    }
}

/// What the computing parties get when o0 answers each of them with these bytes, of masks that it cannot know.
fn answered(within: Duration, bytes: impl Fn(usize, u64) -> Vec<u8>) -> Vec<Result<Vec<Vec<Words>>, String>> {
    let mut setting = Setting::new(Mersenne61, (3, 1), 1, Security::Active);
    setting.timeout = Duration::from_secs(4);
    let computing = sums(&setting, within);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let mut links = links(&setting, "o0").await;
        for (party, (_, channel)) in links.iter_mut().enumerate() {
            let (number, _) = asked_for_run(channel).await;
            channel.send(&bytes(party, number)).await.expect("a link");
            channel.flush().await.expect("a link");
        }
        tokio::task::spawn_blocking(move || ended(computing)).await.expect("no panic")
    })
}

#[test]
fn whoever_answers_a_run_with_different_things_or_no_bits_ends_it() {
    let ends_with = |words: &str, bytes: &dyn Fn(usize, u64) -> Vec<u8>| {
        for result in answered(Duration::from_secs(2), bytes) {
            let error = result.expect_err("nothing is computed");
            assert!(error.contains(words), "{error}");
        }
    };
    let given = |number, masked: &[u8]| framed(Given { number, masked: masked.to_vec().into() });
    let different = "o0 has not sent all computing parties the same masked inputs";
    ends_with(different, &|party, number| given(number, &[7, u8::from(party == 1)]));
    // Of 13 bits, the second byte has five.
    ends_with("o0 has sent masked inputs of the program that are not bits", &|_, number| {
        given(number, &[0, 32])
    });
    // Too few bytes, too many, for another run, no message, and nothing at all to one of them.
    let absent = "o0 has not given its inputs in time";
    ends_with(absent, &|_, number| given(number, &[0]));
    ends_with(absent, &|_, number| given(number, &[0; 3]));
    ends_with(absent, &|_, number| given(number ^ 1, &[0; 2]));
    ends_with(absent, &|_, _| vec![0xff; 4]);
    ends_with(absent, &|party, number| if party == 2 { Vec::new() } else { given(number, &[0; 2]) });
    // Any bits are an input, which o0 alone does not know.
    let results = answered(LONG, |_, number| given(number, &[0xff, 0x1f]));
    assert!(results.iter().all(Result::is_ok), "{results:?}");
}

/// What o0 has seen of a run: its masks, of inputs and of results, and the masked results.
struct Seen {
    shares: Vec<Vec<u8>>,
    masks: Vec<u8>,
    told: Vec<u8>,
}

/// Runs [`sum`] several times in one session of three, in one task and in others, and returns what o0 sees whose numbers are all 0.
fn seen(length: u32) -> Vec<Seen> {
    let setting = Setting::new(Mersenne61, (3, 1), 1, Security::Active);
    let computing = setting.compute(move |task| {
        for task in [task, task, &task.fork()?] {
            run_sum(task, length, LONG).expect("a run");
        }
        Ok(())
    });
    let scheme = crate::scheme::Scheme::new(Gf256, 3, 1).expect("a scheme");
    let bytes = (BITS * length).div_ceil(8) as usize;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let mut links = links(&setting, "o0").await;
        let mut all = Vec::new();
        for _ in 0..3 {
            let (mut shares, mut numbers) = (Vec::new(), Vec::new());
            for (_, channel) in &mut links {
                let (number, own) = asked_for_run(channel).await;
                numbers.push(number);
                shares.push(own);
            }
            let given: Vec<_> = shares.iter().enumerate().map(|(party, own)| (party, &own[..])).collect();
            let masks = scheme.open(&given, 1).expect("shares that fit");
            for ((_, channel), number) in links.iter_mut().zip(numbers) {
                let given = Given { number, masked: masks[..bytes].to_vec().into() };
                send(channel, &encode(&FromOutside::Given(given)).expect("a message")).await.expect("a link");
                channel.flush().await.expect("a link");
            }
            let mut told = Vec::new();
            for (_, channel) in &mut links {
                told = loop {
                    let message: FromComputing = receive(channel, MAX_BYTES).await.expect("a message");
                    if let FromComputing::Computed { masked, .. } = message {
                        break masked.to_vec();
                    }
                };
            }
            all.push(Seen { shares, masks, told });
        }
        tokio::task::spawn_blocking(move || drop(ended(computing))).await.expect("no panic");
        all
    })
}

#[test]
fn masks_of_runs_are_uniform_and_never_used_twice() {
    const LENGTH: u32 = 400;
    let runs = seen(LENGTH);
    let chunks = |bytes: &[u8]| bytes.chunks(8).map(<[u8]>::to_vec).collect::<Vec<_>>();
    let mut all: Vec<Vec<u8>> = Vec::new();
    for run in &runs {
        let (inputs, results) = run.masks.split_at(run.masks.len() / 2);
        for bytes in [inputs, results].into_iter().chain(run.shares.iter().map(|own| &own[..])) {
            let ones: u32 = bytes.iter().map(|byte| byte.count_ones()).sum();
            let half = 4 * bytes.len() as u32;
            assert!(ones.abs_diff(half) < half / 10, "{ones} of {}", 2 * half);
            all.extend(chunks(bytes));
        }
        // All results are 5, so what the computing parties see of them is their masks.
        all.push(run.told.clone());
        let different: std::collections::HashSet<_> = run.told.chunks(2).collect();
        assert!(different.len() > LENGTH as usize * 8 / 10, "{} sums under masks", different.len());
    }
    let different: std::collections::HashSet<_> = all.iter().collect();
    assert_eq!(different.len(), all.len());
}
