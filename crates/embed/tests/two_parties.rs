//! Two parties, each a thread with its own connection over TLS on a Unix socket.

use std::path::{Path, PathBuf};
use std::thread;

use serde_json::{Value, json};
use tacit_embed::{Connection, EmbedError, Function, Inputs, Outputs, Party};
use tacit_ir::{Builder, Program, Shape};
use tacit_lower::{CompiledCircuit, flatten};
use tacit_net::keys;

/// A folder of a session's files, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("tacit-embed-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        let folder = Folder(path);
        let mut session = "[limits]\ntimeout_s = 60\n".to_owned();
        for (party, role) in [("alice", "A"), ("bob", "B")] {
            let (secret, public) = keys::generate().expect("randomness");
            secret.save(&folder.file(&format!("{party}.key"))).expect("a new file");
            public.save(&folder.file(&format!("{party}.pub"))).expect("a new file");
            session += &format!(
                "[party.{party}]\naddress = \"unix:{party}.socket\"\nkey = \"{party}.pub\"\n[role.{role}]\nparty = \"{party}\"\n"
            );
        }
        std::fs::write(folder.file("session.toml"), session).expect("a new file");
        folder
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn party(&self, name: &str) -> Party {
        let key = self.file(&format!("{name}.key"));
        Party::load(&self.file("session.toml"), name, &key).expect("a party of the session")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let removed = std::fs::remove_dir_all(&self.0);
        drop(removed);
    }
}

/// A gives signed numbers, B a factor; both learn the products, and A their sum.
fn program() -> Program {
    let integer = |bits| Shape::Integer { bits, signed: true };
    let list = Shape::Array { length: 3, element: Box::new(integer(16)) };
    let mut program = Builder::new("scale");
    let (a, b) = (program.role("A"), program.role("B"));
    let numbers = program.input("numbers", a, list.clone()).expect("a name");
    let factor = program.input("factor", b, Shape::Struct(vec![("by".into(), integer(16))])).expect("a name");
    let products = program.output("products", vec![a, b], list).expect("a name");
    let sum = program.output("sum", vec![a], integer(16)).expect("a name");
    let mut main = program.template("main", vec![]);
    let x = main.input(&program, numbers).expect("columns")[0];
    let y = main.input(&program, factor).expect("columns")[0];
    let y = main.gather(y, tacit_ir::Index::Range { start: 0, step: 0, count: 3 }).expect("a vector");
    let all = main.mul(x, y).expect("products");
    let total = main.segment_sum(all, 3).expect("a sum");
    main.output(&program, products, &[all]).expect("columns");
    main.output(&program, sum, &[total]).expect("columns");
    program.finish(main).expect("a program")
}

/// The outputs of both parties of two runs over one connection.
fn run_both(folder: &Folder, function: &Function, inputs: [[Inputs; 2]; 2]) -> [Vec<Outputs>; 2] {
    let run = |name: &'static str, inputs: [Inputs; 2]| {
        let party = folder.party(name);
        let function = function.clone();
        thread::spawn(move || {
            let mut connection = Connection::open(&party)?;
            let outputs =
                inputs.iter().map(|inputs| connection.run(&function, inputs)).collect::<Result<_, _>>()?;
            connection.close()?;
            Ok::<Vec<Outputs>, EmbedError>(outputs)
        })
    };
    let [alice, bob] = inputs;
    let (alice, bob) = (run("alice", alice), run("bob", bob));
    [alice, bob].map(|thread| thread.join().expect("no panic").expect("runs"))
}

fn load(folder: &Folder, name: &str, bytes: &[u8]) -> Function {
    let path = folder.file(name);
    std::fs::write(&path, bytes).expect("a new file");
    Function::load(&path).expect("a function")
}

#[test]
fn a_function_in_every_form_runs_between_two_parties() {
    let folder = Folder::new("forms");
    let program = program();
    let compiled =
        CompiledCircuit::new(&program, flatten(&program, 1 << 20).expect("a circuit")).expect("its own");
    let (mut netlist, mut bristol) = (Vec::new(), Vec::new());
    compiled.write_netlist(&mut netlist).expect("memory takes it");
    compiled.write_bristol(&mut bristol).expect("memory takes it");
    for (name, bytes) in [("scale.tacit", program.to_bytes()), ("scale.netlist", netlist)] {
        let function = load(&folder, name, &bytes);
        assert_eq!((function.name(), function.roles()), ("scale", &["A".to_owned(), "B".to_owned()][..]));
        let numbers = |list: [i16; 3]| Inputs::new().with("numbers", list).expect("a list");
        let factor = |by: i16| Inputs::new().with("factor", json!({ "by": by })).expect("a struct");
        let given = [[numbers([1, -2, 300]), numbers([7, 8, 9])], [factor(-3), factor(5)]];
        let [alice, bob] = run_both(&folder, &function, given);
        assert_eq!(alice[0].get::<[i16; 3]>("products").expect("a list"), [-3, 6, -900]);
        assert_eq!(alice[0].get::<i64>("sum").expect("a number"), -897);
        assert_eq!(bob[1].get::<Vec<i32>>("products").expect("a list"), [35, 40, 45]);
        let missing = bob[1].get::<i64>("sum").expect_err("for A alone").to_string();
        assert_eq!(missing, "there is no output sum; there are products");
        assert!(matches!(alice[1].get::<u8>("products"), Err(EmbedError::Value { .. })));
        assert_eq!(bob[0].clone().into_json(), json!({ "products": [-3, 6, -900] }));
    }
    let function = load(&folder, "scale.txt", &bristol);
    let word = |name: &str, value: u64| Inputs::new().with(name, value).expect("a number");
    let given = [[word("in0", 2), word("in0", 3 << 16)], [word("in1", 10), word("in1", 10)]];
    let [alice, _] = run_both(&folder, &function, given);
    assert_eq!(
        [alice[0].get::<u64>("out0").expect("a number"), alice[1].get("out0").expect("a number")],
        [20, 30 << 16]
    );
}

#[test]
fn inputs_are_refused_before_the_peer_is_asked() {
    let folder = Folder::new("inputs");
    let function = Function::from(program());
    let run = |name: &'static str| {
        let (party, function) = (folder.party(name), function.clone());
        thread::spawn(move || {
            let mut connection = Connection::open(&party)?;
            let mut refused = Vec::new();
            if name == "alice" {
                for (variable, value) in
                    [("numbers", json!([1, 2])), ("number", json!(1)), ("numbers", Value::Null)]
                {
                    let error = connection.run(&function, &Inputs::new().with(variable, value)?);
                    refused.push(error.expect_err("no such inputs").to_string());
                }
                let mut inputs = Inputs::new();
                inputs.set_for("B", "factor", 1)?;
                refused.push(connection.run(&function, &inputs).expect_err("bob's").to_string());
            }
            let given =
                if name == "alice" { ("numbers", json!([1, 2, 3])) } else { ("factor", json!({"by": 2})) };
            let outputs = connection.run(&function, &Inputs::new().with(given.0, given.1)?)?;
            connection.close()?;
            Ok::<_, EmbedError>((refused, outputs.get::<[i16; 3]>("products")?))
        })
    };
    let (alice, bob) = (run("alice"), run("bob"));
    let (refused, products) = alice.join().expect("no panic").expect("runs");
    assert_eq!(products, [2, 4, 6]);
    assert_eq!(refused[0], "role A: numbers: 2 elements where 3 are expected");
    assert_eq!(refused[1], "role A: number is unknown; expected numbers");
    assert!(refused[2].starts_with("role A: numbers: null"), "{}", refused[2]);
    assert_eq!(refused[3], "factor is set for role B, for which this party does not speak");
    assert_eq!(bob.join().expect("no panic").expect("runs").1, [2, 4, 6]);
}

#[test]
fn runs_are_planned_for_the_link_of_the_session_file() {
    let folder = Folder::new("links");
    let text = std::fs::read_to_string(folder.file("session.toml")).expect("a file");
    for (name, link) in [("alice", "lan"), ("bob", "40mbit,15ms")] {
        let text = format!("{text}[link]\nplanned = \"{link}\"\n");
        std::fs::write(folder.file(&format!("{name}.toml")), text).expect("a new file");
    }
    let run = |name: &'static str, inputs: Inputs| {
        let key = folder.file(&format!("{name}.key"));
        let party = Party::load(&folder.file(&format!("{name}.toml")), name, &key).expect("a party");
        thread::spawn(move || {
            let mut connection = Connection::open(&party).expect("a peer");
            connection.run(&Function::from(program()), &inputs).expect_err("another link").to_string()
        })
    };
    let numbers = Inputs::new().with("numbers", json!([1, 2, 3])).expect("a list");
    let factor = Inputs::new().with("factor", json!({"by": 2})).expect("a struct");
    for thread in [run("alice", numbers), run("bob", factor)] {
        let refused = thread.join().expect("no panic");
        for part in ["planned link", "1000 Mbit/s, 0.25 ms", "40 Mbit/s, 15 ms"] {
            assert!(refused.contains(part), "{refused}");
        }
    }
}

#[test]
fn options_of_runs_are_those_of_the_session_file_and_then_of_the_party() {
    let folder = Folder::new("options");
    let text = std::fs::read_to_string(folder.file("session.toml")).expect("a file");
    let text =
        format!("[run]\ndomain = \"arith\"\neffort = 5\n[security]\ngarbling = \"three-halves\"\n{text}");
    std::fs::write(folder.file("session.toml"), text).expect("a file");
    let run = |name: &'static str, change: Option<(&'static str, &'static str)>, inputs: Inputs| {
        let mut party = folder.party(name);
        if let Some((option, value)) = change {
            party = party.with_option(option, value).expect("an option");
        }
        thread::spawn(move || {
            let mut connection = Connection::open(&party)?;
            let outputs = connection.run(&Function::from(program()), &inputs)?;
            connection.close()?;
            outputs.get::<Vec<i64>>("products")
        })
    };
    let numbers = || Inputs::new().with("numbers", json!([1, 2, 3])).expect("a list");
    let factor = || Inputs::new().with("factor", json!({"by": 2})).expect("a struct");
    for thread in [run("alice", None, numbers()), run("bob", None, factor())] {
        assert_eq!(thread.join().expect("no panic").expect("a run"), [2, 4, 6]);
    }
    // All of them affect the plan: a party with another option is told how the parties differ.
    for (change, parts) in [
        (("garbling", "half-gates"), ["differ in garbling", "three-halves"]),
        (("planned_link", "wan"), ["differ in planned link", "100 Mbit/s, 50 ms"]),
        (("domain", "yao"), ["differ in domain", "yao"]),
        (("security", "medium"), ["differ in security parameters", "level medium"]),
    ] {
        for thread in [run("alice", Some(change), numbers()), run("bob", None, factor())] {
            let refused = thread.join().expect("no panic").expect_err("another option").to_string();
            assert!(parts.iter().all(|part| refused.contains(part)), "{change:?}: {refused}");
        }
    }
    let refused =
        |name, value| folder.party("alice").with_option(name, value).expect_err("refused").to_string();
    assert!(
        refused("colour", "red").starts_with("there is no option colour; the options are mode, domain, ")
    );
    assert_eq!(
        refused("mode", "loud"),
        "mode: expected \"auto\", \"precomputed\" or \"streamed\"; found \"loud\""
    );
}

#[test]
fn what_is_no_function_or_party_is_refused() {
    let folder = Folder::new("refused");
    let missing = Function::load(&folder.file("nothing")).expect_err("no file");
    assert!(matches!(missing, EmbedError::File { .. }));
    for bytes in [&b"TACITN\x01\x00\xff"[..], b"TACITP\x01\x00", b"hello", b"\xff\xfe", b""] {
        let refused = Function::from_bytes(bytes, "bad").expect_err("no function");
        assert!(matches!(&refused, EmbedError::Program { name, .. } if name == "bad"), "{refused}");
    }
    let session = folder.file("session.toml");
    let load = |session: &Path, name: &str, key: &str| {
        Party::load(session, name, &folder.file(key)).expect_err("refused")
    };
    assert_eq!(
        load(&session, "carol", "bob.key").to_string(),
        "carol is not a party of the session; there are alice, bob"
    );
    assert!(matches!(load(&session, "bob", "bob.pub"), EmbedError::Key(_)));
    assert!(matches!(load(&folder.file("bob.pub"), "bob", "bob.key"), EmbedError::Session(_)));
}
