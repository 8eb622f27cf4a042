//! Inputs and outputs of programs, symbols shared by several sources, and the cost of memory accesses.

use crate::native;
use std::path::PathBuf;

use tacit_cfront::{CError, Compiled, Options, compile};
use tacit_ir::{Program, RoleId, Shape};

fn write(name: &str, text: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("interface");
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(name);
    std::fs::write(&path, text).expect("a file");
    path
}

fn compiled(name: &str, text: &str) -> Compiled {
    compile(&[&write(name, text)], &Options::new(native::compiler())).expect("a program")
}

/// How often an operation occurs.
fn count(program: &Program, operation: &str) -> usize {
    program.to_text().matches(&format!(" = {operation} ")).count()
}

#[test]
fn two_roles_at_least() {
    let program = compiled("one.c", "int f(int INPUT_A_x) { return INPUT_A_x; }\n").program;
    assert_eq!(program.roles, ["A", "B"]);
    assert_eq!(program.outputs[0].roles, [RoleId(0), RoleId(1)]);
    let text = "int INPUT_B_x, INPUT_ALICE_x, INPUT_C2_x;\nint f(void) { return INPUT_B_x + INPUT_ALICE_x + INPUT_C2_x; }\n";
    let program = compiled("three.c", text).program;
    assert_eq!(program.roles, ["ALICE", "B", "C2"]);
    assert_eq!(program.inputs.len(), 3);
}

#[test]
fn outputs_go_to_whom_their_names_say() {
    let text = "int OUTPUT_B_x;\nint OUTPUT_c_x;\nint OUTPUT_all;\n\
                void f(int INPUT_A_x) { OUTPUT_B_x = OUTPUT_c_x = INPUT_A_x; OUTPUT_all = -INPUT_A_x; }\n";
    let program = compiled("names.c", text).program;
    let ports: Vec<_> = program.outputs.iter().map(|port| (port.name.as_str(), port.roles.len())).collect();
    assert_eq!(ports, [("x", 1), ("c_x", 2), ("all", 2)]);
}

/// The line and reason of `compile`'s refusal of an output.
fn refused(name: &str, output: &str) -> (u32, String) {
    let text = format!(
        "int INPUT_ALICE_x, INPUT_B_y;\nint f(void) {{\n    int {output} = INPUT_ALICE_x;\n    return INPUT_B_y;\n}}\n"
    );
    match compile(&[&write(name, &text)], &Options::new(native::compiler())) {
        Err(CError::Variable { location, reason, .. }) => (location.line, reason),
        Err(other) => panic!("{output}: {other}"),
        Ok(compiled) => panic!("{output} is given to {:?}", compiled.program.outputs[0].roles),
    }
}

/// A misspelt role must not become part of a name: all roles would receive what is meant for one.
#[test]
fn an_output_of_a_role_that_there_is_not_is_refused() {
    for output in ["OUTPUT_C_total", "OUTPUT_ALCIE_total", "OUTPUT_Alcie_total", "OUTPUT_TOTAL"] {
        let (line, reason) = refused("unknown_role.c", output);
        assert_eq!(line, 3);
        let role = output.split('_').nth(1).expect("a role");
        assert!(reason.contains(&format!("no role {role}")) && reason.contains("ALICE, B"), "{reason}");
    }
    for output in ["OUTPUT_alice_total", "OUTPUT_Alice_total", "OUTPUT_b_total"] {
        let (_, reason) = refused("small_role.c", output);
        assert!(
            reason.contains("write OUTPUT_ALICE_total") || reason.contains("write OUTPUT_B_total"),
            "{reason}"
        );
    }
    for output in ["OUTPUT_ALICE", "OUTPUT_ALICE_"] {
        assert!(refused("nameless.c", output).1.contains("needs a name"));
    }
}

#[test]
fn a_role_without_inputs_is_declared() {
    let text = "TACIT_ROLE(C);\nint OUTPUT_C_total;\n\
                void f(int INPUT_A_x, int INPUT_B_y) { OUTPUT_C_total = INPUT_A_x + INPUT_B_y; }\n";
    let program = compiled("declared.c", text).program;
    assert_eq!(program.roles, ["A", "B", "C"]);
    assert_eq!(
        (program.outputs[0].name.as_str(), &program.outputs[0].roles[..]),
        ("total", &[RoleId(2)][..])
    );
    let own =
        compiled("declared_b.c", "TACIT_ROLE(BOB);\nint f(int INPUT_ALICE_x) { return INPUT_ALICE_x; }\n")
            .program;
    assert_eq!(own.roles, ["ALICE", "BOB"]);
    let plus = compiled("declared.cpp", &format!("{text}int OUTPUT_A_x = 1;\n")).program;
    assert_eq!(plus.roles, ["A", "B", "C"]);
    let twice =
        [write("declared_1.c", text), write("declared_2.c", "TACIT_ROLE(C);\nint g(void) { return 1; }\n")];
    let paths: Vec<_> = twice.iter().map(PathBuf::as_path).collect();
    let both = compile(&paths, &Options::new(native::compiler())).expect("a program").program;
    assert_eq!(both.roles, ["A", "B", "C"]);
    let small =
        compile(&[&write("small.c", &text.replace("(C)", "(carol)"))], &Options::new(native::compiler()));
    let error = small.expect_err("it is refused").to_string();
    assert!(error.starts_with("small.c:1: TACIT_ROLE_carol: `carol` is not a role"), "{error}");
}

#[test]
fn shapes_follow_the_types() {
    let text = "enum e { ONE = 1 };\ntypedef struct { enum e kind; unsigned char list[2][3]; } item;\n\
                const item INPUT_A_items[4];\nstatic _Bool INPUT_B_flag;\nstatic long OUTPUT_sum;\n\
                void f(void) { OUTPUT_sum = INPUT_A_items[1].kind + INPUT_B_flag + INPUT_A_items[3].list[1][2]; }\n";
    let program = compiled("shapes.c", text).program;
    let integer = |bits, signed| Shape::Integer { bits, signed };
    let array = |length, element| Shape::Array { length, element: Box::new(element) };
    let item = Shape::Struct(vec![
        ("kind".into(), integer(32, false)),
        ("list".into(), array(2, array(3, integer(8, false)))),
    ]);
    assert_eq!(program.inputs[0].shape, array(4, item));
    assert_eq!(program.inputs[1].shape, integer(1, false));
    assert_eq!(program.outputs[0].shape, integer(64, true));
}

#[test]
fn compiling_twice_gives_the_same_bytes() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    for name in ["machine.c", "nearest.c", "heap.c", "state_machine.c"] {
        let options = Options::new(native::compiler());
        let compile = || compile(&[&folder.join(name)], &options).expect("a program").program.to_bytes();
        assert_eq!(compile(), compile(), "{name}");
    }
}

#[test]
fn the_folder_of_a_source_does_not_matter() {
    let text = "static const char *name = __FILE__;\nint f(int INPUT_A_x) { return INPUT_A_x + name[2]; }\n";
    let (one, other) = (write("here.c", text), write("here.c", text));
    let folder = other.parent().expect("a folder").join("elsewhere");
    std::fs::create_dir_all(&folder).expect("a folder");
    let other = folder.join("here.c");
    std::fs::write(&other, text).expect("a file");
    let options = Options::new(native::compiler());
    let hash = |path| compile(&[path], &options).expect("a program").program.hash();
    assert_eq!(hash(one.as_path()), hash(other.as_path()));
}

#[test]
fn several_sources_are_one_program() {
    write("shared.h", "extern int INPUT_A_x[3];\nint mean(void);\n");
    let first = "#include \"shared.h\"\nint INPUT_A_x[3];\nstatic int scale(int x) { return 2 * x; }\n\
                 int f(int INPUT_B_y) { return scale(mean()) + INPUT_B_y; }\n";
    let second = "#include \"shared.h\"\nstatic int scale(int x) { return x / 4; }\n\
                  int mean(void) { return scale(INPUT_A_x[0] + INPUT_A_x[1] + INPUT_A_x[2]); }\n";
    let paths = [write("first.c", first), write("second.c", second)];
    let paths: Vec<_> = paths.iter().map(PathBuf::as_path).collect();
    let program = compile(&paths, &Options::new(native::compiler())).expect("a program").program;
    let words = |values: &[u128]| tacit_ir::Words::from_u128s(32, values);
    let outputs = tacit_ir::interpret(&program, &[vec![words(&[10, 20, 30])], vec![words(&[5])]], || 0);
    assert_eq!(outputs.expect("outputs")[0][0].low_u128(0), 35);
}

#[test]
fn the_compiler_is_named() {
    let version = compiled("version.c", "int f(int INPUT_A_x) { return INPUT_A_x; }\n").compiler_version;
    assert!(version.contains("clang version"), "{version}");
}

#[test]
fn a_secret_index_costs_only_what_it_can_reach() {
    let masked = "int INPUT_A_a[100];\nint f(unsigned INPUT_B_i) { return INPUT_A_a[INPUT_B_i & 3]; }\n";
    let program = compiled("masked.c", masked).program;
    assert!(program.to_text().contains("range(0, 1, 4)"), "{}", program.to_text());
    assert_eq!(count(&program, "lookup"), 1);
    let rows = "int INPUT_A_a[6][50];\nint f(unsigned INPUT_B_i) { return INPUT_A_a[INPUT_B_i][7]; }\n";
    let program = compiled("rows.c", rows).program;
    assert!(program.to_text().contains(": w32x6"), "{}", program.to_text());
    let few = "int INPUT_A_a[100];\nint f(int INPUT_B_i) { return INPUT_A_a[INPUT_B_i > 5 ? 90 : 7]; }\n";
    let program = compiled("few.c", few).program;
    assert_eq!((count(&program, "lookup"), count(&program, "select")), (0, 1));
    let public = "int INPUT_A_a[9];\nint f(void) {\n    int s = 0;\n    for (int i = 0; i < 9; i++)\n        s += INPUT_A_a[i];\n    \
                  return s;\n}\n";
    assert_eq!(count(&compiled("public.c", public).program, "lookup"), 0);
}

#[test]
fn a_conditional_write_costs_one_update() {
    let text = "unsigned char INPUT_A_a[8];\nunsigned char OUTPUT_a[8];\n\
                void f(_Bool INPUT_B_c, unsigned char INPUT_B_i) {\n    if (INPUT_B_c)\n        INPUT_A_a[INPUT_B_i & 7] = 5;\n    \
                for (int i = 0; i < 8; i++)\n        OUTPUT_a[i] = INPUT_A_a[i];\n}\n";
    let program = compiled("conditional.c", text).program;
    assert_eq!((count(&program, "update"), count(&program, "select")), (1, 0), "{}", program.to_text());
}
