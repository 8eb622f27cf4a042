//! The example in C, compiled and linked against the library, as two processes; and invalid calls.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::ptr::{null, null_mut};
use std::time::{Duration, Instant};

use tacit_ir::{Builder, Shape};
use tacit_net::keys;
use tacit_run::*;

/// The longest time for anything.
const TIME_LIMIT: Duration = Duration::from_secs(120);

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("tacit-capi-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.file(name), content).expect("a new file");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let removed = std::fs::remove_dir_all(&self.0);
        drop(removed);
    }
}

/// The millionaires' program, as compiled from C.
fn millionaires() -> Vec<u8> {
    let word = |bits, signed| Shape::Integer { bits, signed };
    let mut program = Builder::new("millionaires");
    let (a, b) = (program.role("A"), program.role("B"));
    let x = program.input("mil", a, word(32, false)).expect("a name");
    let y = program.input("mil", b, word(32, false)).expect("a name");
    let richer = program.output("richer", vec![a, b], word(1, false)).expect("a name");
    let mut main = program.template("main", vec![]);
    let x = main.input(&program, x).expect("columns")[0];
    let y = main.input(&program, y).expect("columns")[0];
    let less = main.lt_u(y, x).expect("a comparison");
    main.output(&program, richer, &[less]).expect("columns");
    program.finish(main).expect("a program").to_bytes()
}

fn session(folder: &Folder) {
    let mut text = "[limits]\ntimeout_s = 60\n".to_owned();
    for (party, role) in [("alice", "A"), ("bob", "B")] {
        let (secret, public) = keys::generate().expect("randomness");
        secret.save(&folder.file(&format!("{party}.key"))).expect("a new file");
        public.save(&folder.file(&format!("{party}.pub"))).expect("a new file");
        text += &format!(
            "[party.{party}]\naddress = \"unix:{party}.socket\"\nkey = \"{party}.pub\"\n[role.{role}]\nparty = \"{party}\"\n"
        );
    }
    folder.write("session.toml", text);
}

/// The first working command among those that may compile C.
fn compiler() -> Option<Vec<String>> {
    let zig = std::env::var("TACIT_ZIG").ok().map(|zig| vec![zig, "cc".to_owned()]);
    let named = std::env::var("CC").ok().map(|cc| vec![cc]);
    let usual = ["cc", "gcc", "clang"].map(|cc| Some(vec![cc.to_owned()]));
    let works = |command: &Vec<String>| {
        let output = Command::new(&command[0]).args(&command[1..]).arg("--version").output();
        output.is_ok_and(|output| output.status.success())
    };
    [named].into_iter().chain(usual).chain([zig]).flatten().find(works)
}

/// The folder of the library that this test is linked against.
fn library_folder() -> PathBuf {
    let test = std::env::current_exe().expect("this program's path");
    let folders = test.ancestors().skip(1).take(2);
    let holds = |folder: &&Path| {
        folder
            .join(format!("{}tacit_run{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX))
            .exists()
    };
    folders.into_iter().find(holds).expect("the library beside the test").to_owned()
}

/// The output of a process, within the time limit.
fn finish(mut child: Child) -> String {
    let start = Instant::now();
    while child.try_wait().expect("a child").is_none() {
        if start.elapsed() > TIME_LIMIT {
            child.kill().expect("a child");
            panic!("the process does not end");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let output = child.wait_with_output().expect("its output");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn a_program_in_c_runs_a_function_with_another() {
    let Some(compiler) = compiler() else {
        eprintln!("there is no C compiler here");
        return;
    };
    let folder = Folder::new("c");
    session(&folder);
    folder.write("millionaires.tacit", millionaires());
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let compiled = Command::new(&compiler[0])
        .args(&compiler[1..])
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror"])
        .arg("-I")
        .arg(root.join("include"))
        .arg(root.join("../../examples/embed/embed.c"))
        .arg("-L")
        .arg(library_folder())
        .args(["-ltacit_run", "-o"])
        .arg(folder.file("embed"))
        .output()
        .expect("a compiler");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let start = |party: &str, number: &str| {
        let mut command = Command::new(folder.file("embed"));
        command.arg(folder.file("millionaires.tacit")).arg(folder.file("session.toml")).arg(party);
        command.arg(folder.file(&format!("{party}.key"))).arg(number);
        command.env("LD_LIBRARY_PATH", library_folder()).env("DYLD_LIBRARY_PATH", library_folder());
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the compiled program")
    };
    let (alice, bob) = (start("alice", "1000000"), start("bob", "999999"));
    assert_eq!([alice, bob].map(finish), ["1 1\n1 1\n", "1 1\n1 1\n"]);
}

fn message() -> String {
    // SAFETY: the message is a string that ends in NUL, and no other call is made before it is copied.
    unsafe { CStr::from_ptr(tacit_error_message()) }.to_str().expect("UTF-8").to_owned()
}

#[test]
fn calls_that_mean_nothing_are_errors() {
    let folder = Folder::new("errors");
    session(&folder);
    folder.write("millionaires.tacit", millionaires());
    let c = |text: &str| CString::new(text).expect("no NUL");
    let path = |name: &str| c(folder.file(name).to_str().expect("UTF-8"));
    let bad: *const c_char = c"\xff".as_ptr();
    // SAFETY: every pointer is null or a string that ends in NUL; handles are used before they are freed.
    unsafe {
        assert!(tacit_function_load(null()).is_null());
        assert_eq!(message(), "the path is NULL");
        assert!(tacit_function_load(bad).is_null());
        assert_eq!(message(), "the path is not UTF-8");
        assert!(tacit_function_load(path("nothing").as_ptr()).is_null());
        assert!(message().contains("nothing"), "{}", message());
        let function = tacit_function_load(path("millionaires.tacit").as_ptr());
        assert!(!function.is_null());
        assert!(
            tacit_connect(path("session.toml").as_ptr(), c"carol".as_ptr(), path("bob.key").as_ptr())
                .is_null()
        );
        assert_eq!(message(), "carol is not a party of the session; there are alice, bob");
        let name = c"mil".as_ptr();
        assert_eq!(tacit_set_i64(null_mut(), name, 1), TACIT_ARGUMENT);
        assert_eq!(tacit_set_u64(null_mut(), name, 1), TACIT_ARGUMENT);
        assert_eq!(tacit_set_json(null_mut(), name, c"{".as_ptr()), TACIT_ARGUMENT);
        assert_eq!(tacit_set_json(null_mut(), name, null()), TACIT_ARGUMENT);
        assert_eq!(tacit_run(null_mut(), function), TACIT_ARGUMENT);
        assert_eq!(message(), "the connection is NULL");
        assert_eq!(tacit_get_i64(null(), name, null_mut()), TACIT_ARGUMENT);
        assert_eq!(tacit_get_u64(null(), name, null_mut()), TACIT_ARGUMENT);
        assert_eq!(tacit_get_json(null(), name, null_mut(), 0, null_mut()), TACIT_ARGUMENT);
        assert_eq!(tacit_close(null_mut()), TACIT_OK);
        tacit_function_free(null_mut());
        tacit_function_free(function);
    }
}

#[test]
fn misuse_of_an_open_connection_is_an_error_and_ends_nothing() {
    let folder = Folder::new("open");
    session(&folder);
    folder.write("millionaires.tacit", millionaires());
    let party = |name: &'static str, number: u64| {
        let text = |file: &str| CString::new(folder.file(file).to_str().expect("UTF-8")).expect("no NUL");
        let files = [text("session.toml"), text(&format!("{name}.key")), text("millionaires.tacit")];
        std::thread::spawn(move || {
            let name = CString::new(name).expect("no NUL");
            let mil = c"mil".as_ptr();
            let (mut value, mut small, mut needed) = (0i64, [0 as c_char; 1], 0usize);
            // SAFETY: every pointer is null, a string that ends in NUL, or a place for what is written to it.
            unsafe {
                let function = tacit_function_load(files[2].as_ptr());
                let connection = tacit_connect(files[0].as_ptr(), name.as_ptr(), files[1].as_ptr());
                assert!(!connection.is_null(), "{}", message());
                assert_eq!(tacit_get_i64(connection, mil, &raw mut value), TACIT_ARGUMENT);
                assert_eq!(tacit_run(connection, null()), TACIT_ARGUMENT);
                assert_eq!(tacit_run(connection, function), TACIT_FAILED);
                assert!(message().contains("mil is missing"), "{}", message());
                assert_eq!(tacit_set_i64(connection, mil, -1), TACIT_OK);
                assert_eq!(tacit_run(connection, function), TACIT_FAILED);
                assert!(message().contains("does not fit in 32 bits unsigned"), "{}", message());
                assert_eq!(tacit_set_u64(connection, mil, number), TACIT_OK);
                assert_eq!(tacit_run(connection, function), TACIT_OK, "{}", message());
                assert_eq!(tacit_get_i64(connection, mil, &raw mut value), TACIT_FAILED);
                assert_eq!(message(), "there is no output mil; there are richer");
                let richer = c"richer".as_ptr();
                assert_eq!(tacit_get_i64(connection, richer, null_mut()), TACIT_ARGUMENT);
                assert_eq!(
                    tacit_get_json(connection, richer, small.as_mut_ptr(), 1, &raw mut needed),
                    TACIT_RANGE
                );
                assert_eq!(needed, 2);
                assert_eq!(tacit_get_i64(connection, richer, &raw mut value), TACIT_OK);
                assert_eq!(tacit_close(connection), TACIT_OK, "{}", message());
                tacit_function_free(function);
            }
            value
        })
    };
    let threads = [party("alice", 5), party("bob", 7)];
    assert_eq!(threads.map(|thread| thread.join().expect("no panic")), [0, 0]);
}
