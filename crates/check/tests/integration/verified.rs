//! Circuits as they are run compute what their programs say, and native programs agree.

use crate::programs::{compiler, write};
use tacit_cfront::{Compiled, Options, compile};
use tacit_check::{Limits, NativeRuns, Stop, Verification, run_natively, verify};
use tacit_lower::{Options as Lowering, lower};

const PROGRAM: &str = "struct pair { short low; _Bool high : 1; int rest : 7; } INPUT_B_pairs[3];\n\
    static unsigned char list[4] = {3, 1, 4, 1};\n\
    long mix(int INPUT_A_x, unsigned _BitInt(37) INPUT_A_wide)\n{\n    unsigned OUTPUT_sum = 0;\n    \
    struct pair OUTPUT_last = INPUT_B_pairs[2];\n    \
    for (int i = 0; i < 3; i++) OUTPUT_sum += INPUT_B_pairs[i].rest * list[INPUT_A_x & 3];\n    \
    OUTPUT_last.low ^= INPUT_A_x;\n    return (long)INPUT_A_wide / (INPUT_A_x | 1) + OUTPUT_sum;\n}\n";

fn compiled(name: &str, text: &str) -> (std::path::PathBuf, Options, Compiled) {
    let path = write(name, text);
    let options = Options::new(compiler());
    let compiled = compile(&[&path], &options).expect("a program");
    (path, options, compiled)
}

#[test]
fn what_is_run_is_what_was_meant() {
    let (_, _, compiled) = compiled("mix.c", PROGRAM);
    let schedule = lower(&compiled.program, &Lowering::default()).expect("a schedule");
    let limits = Limits::default();
    assert_eq!(verify(&compiled.program, &schedule, &limits).expect("circuits"), Verification::Equal);
}

#[test]
fn a_wrong_schedule_is_found() {
    let (_, _, right) =
        compiled("right.c", "int f(int INPUT_A_x, int INPUT_B_y) { return INPUT_A_x > INPUT_B_y; }");
    let (_, _, wrong) =
        compiled("wrong.c", "int f(int INPUT_A_x, int INPUT_B_y) { return INPUT_A_x >= INPUT_B_y; }");
    let schedule = lower(&wrong.program, &Lowering::default()).expect("a schedule");
    let Ok(Verification::Different(inputs)) = verify(&right.program, &schedule, &Limits::default()) else {
        panic!("not found");
    };
    assert_eq!(inputs[0][0], inputs[1][0]);
}

#[test]
fn native_runs_agree() {
    let (path, options, compiled) = compiled("mix.c", PROGRAM);
    let runs = run_natively(&compiled.program, &[&path], &options, 128, &Stop::default()).expect("runs");
    assert_eq!(runs, NativeRuns { agreed: 128, ..NativeRuns::default() });
}

#[test]
fn undefined_runs_are_told_apart() {
    let text = "int f(int INPUT_A_x, int INPUT_B_y) { int list[2] = {5, 6}; return INPUT_B_y / INPUT_A_x + list[0]; }";
    let (path, options, compiled) = compiled("divide.c", text);
    let runs = run_natively(&compiled.program, &[&path], &options, 64, &Stop::default()).expect("runs");
    assert!(runs.undefined > 0 && runs.agreed > 0 && runs.different.is_none(), "{runs:?}");
    let (_, _, other) = self::compiled(
        "other.c",
        "int f(int INPUT_A_x, int INPUT_B_y) { return INPUT_B_y / (INPUT_A_x | 1) + 5; }",
    );
    let runs = run_natively(&other.program, &[&path], &options, 64, &Stop::default()).expect("runs");
    assert!(runs.different.is_some());
}

/// Native runs are made even if proofs have used up the time; if they are not made, the report says so.
#[test]
fn native_runs_do_not_depend_on_the_time_that_is_left() {
    let (path, options, program) = compiled("timely.c", PROGRAM);
    let due = Stop::after(std::time::Duration::ZERO);
    assert!(due.is_due());
    let runs = run_natively(&program.program, &[&path], &options, 64, &due).expect("runs");
    assert_eq!(runs, NativeRuns { agreed: 64, ..NativeRuns::default() });
    due.stop();
    let runs = run_natively(&program.program, &[&path], &options, 128, &due).expect("runs");
    assert_eq!(runs, NativeRuns { left_out: 128, ..NativeRuns::default() });
    assert!(!runs.are_complete());
}
