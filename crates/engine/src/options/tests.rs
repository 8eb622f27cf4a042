use std::path::Path;

use super::*;

fn text(value: &str) -> Scalar {
    Scalar::Text(value.to_owned())
}

/// The options of a session file with these lines.
fn of_file(lines: &str) -> Result<RunOptions, String> {
    let parties = "[party.A]\naddress = \"a:1\"\n[party.B]\naddress = \"b:2\"\n";
    let written = format!("{lines}\n{parties}").replace("[link]", "[link]\ntransport = \"tcp\"");
    let written =
        if written.contains("[link]") { written } else { format!("[link]\ntransport = \"tcp\"\n{written}") };
    let file = SessionFile::parse(&written, Path::new("s.toml")).map_err(|error| error.to_string())?;
    RunOptions::of_session(&file).map_err(|error| error.to_string())
}

#[test]
fn every_option_is_had_from_a_file_and_by_keyword() {
    let profile = std::env::temp_dir().join(format!("tacit-options-{}.json", std::process::id()));
    std::fs::write(&profile, ProfileFile::of_here(Profile::named("mine")).to_text()).unwrap();
    // For each option, a value other than the default.
    let values = [
        ("mode", text("streamed")),
        ("domain", text("bool")),
        ("classes", text("sums=arith,comparisons=yao")),
        ("garbler", text("B")),
        ("garbling", text("three-halves")),
        ("transfers", text("silent")),
        ("matrices", text("lattice")),
        ("security", text("medium")),
        ("insecure_bench", text("short")),
        ("computational_bits", Scalar::Integer(128)),
        ("statistical_bits", Scalar::Integer(64)),
        ("softspoken_k", Scalar::Integer(8)),
        ("effort", Scalar::Integer(77)),
        ("objective", text("online")),
        ("gigabyte_price", text("0.09")),
        ("core_hour_price", Scalar::Integer(2)),
        ("most_bytes", Scalar::Integer(1000)),
        ("most_ms", Scalar::Integer(0)),
        ("most_memory", Scalar::Integer(1 << 30)),
        ("profile", text(profile.to_str().unwrap())),
        ("planned_link", text("wan")),
        ("net", text("lan")),
    ];
    assert_eq!(values.len(), RUN_OPTIONS.len());
    let usual = format!("{:?}", RunOptions::default());
    for (option, (name, value)) in RUN_OPTIONS.iter().zip(&values) {
        assert_eq!(option.name, *name);
        let (table, key) = option.entry.split_once('.').unwrap();
        let of_file = of_file(&format!("[{table}]\n{key} = {value}")).unwrap();
        assert!(*name == "computational_bits" || format!("{of_file:?}") != usual, "{name}");
        let given = RunOptions::default().with([(*name, value)]);
        if option.file_only {
            assert_eq!(given.unwrap_err(), OptionError::Unknown { name: (*name).to_owned() });
            continue;
        }
        let given = RunOptions { level_by: None, ..given.unwrap() };
        assert_eq!(format!("{given:?}"), format!("{of_file:?}"), "{name}");
        let written = format!("--{}", name.replace('_', "-"));
        assert_eq!(RunOption::of_keyword(&written).unwrap().name, *name);
    }
    std::fs::remove_file(profile).unwrap();
}

#[test]
fn keywords_go_before_the_file() {
    let file = of_file("[run]\nmode = \"streamed\"\neffort = 5\n[link]\nnet = \"lan\"").unwrap();
    let given = file.with([("mode", &text("precomputed")), ("net", &text("wan"))]).unwrap();
    assert_eq!((given.plan.mode, given.plan.lowering.effort), (ModeChoice::Precomputed, 5));
    assert_eq!((file.net, given.net), (Some(Shape::LAN), Some(Shape::WAN)));
    assert_eq!((file.effort(), RunOptions::default().effort()), (Some(5), None));
}

#[test]
fn what_is_wrong_is_named_with_what_may_be_there() {
    let wrong = |lines: &str| of_file(lines).unwrap_err();
    let cases = [
        (
            "[security]\ngarbling = \"yao\"",
            "s.toml:4: security.garbling: expected \"half-gates\" or \"three-halves\"; found \"yao\"",
        ),
        (
            "[security]\nstatistical_bits = 1000",
            "s.toml:4: security.statistical_bits: expected 40 to 128; found 1000",
        ),
        ("[security]\nsoftspoken_k = 3", "s.toml:4: security.softspoken_k: expected 1, 2, 4 or 8; found 3"),
        ("[security]\ncomputational_bits = 80", "security.computational_bits: expected 128; found 80"),
        ("[security]\nlevel = 128", "security.level: expected \"medium\" or \"long\"; found 128"),
        (
            "[security]\nlevels = \"long\"",
            "s.toml:4: security.levels: there is no such entry; the table has garbling, ",
        ),
        ("[run]\neffort = -1", "run.effort: expected 0 to 4611686018427387904; found -1"),
        (
            "[run]\ncolour = 1",
            "run.colour: there is no such entry; the table has mode, domain, classes, garbler, effort",
        ),
        (
            "[run]\nclasses = \"sums\"",
            "run.classes: expected CLASS=DOMAIN, separated by commas, each CLASS once; sums in arith, bool or yao; products in arith, bool or yao; comparisons in arith, bool or yao; choices in bool or yao; bits in bool or yao; found \"sums\"",
        ),
        (
            "[run]\ngarbler = 1",
            "run.garbler: expected \"auto\", \"first\", or the name of a party or a role; found 1",
        ),
        (
            "[link]\nplanned = \"fast\"",
            "s.toml:3: link.planned: expected lan, wan, mobile or a form like 100mbit,20ms; found \"fast\"",
        ),
        ("[link]\nplanned = 5", "link.planned: expected lan, wan, mobile"),
        (
            "[run]\ngigabyte_price = -1",
            "run.gigabyte_price: expected a price of at most six digits after the point, like \"0.09\", in any currency; found -1",
        ),
        ("[run]\ncore_hour_price = \"cheap\"", "in any currency; found \"cheap\""),
    ];
    for (lines, words) in cases {
        let error = wrong(lines);
        assert!(error.contains(words), "{error}");
    }
    let given =
        |name: &str, value: &Scalar| RunOptions::default().with([(name, value)]).unwrap_err().to_string();
    assert_eq!(
        given("--planned-link", &text("fast")),
        "--planned-link: expected lan, wan, mobile or a form like 100mbit,20ms; found \"fast\""
    );
    assert_eq!(
        given("mode", &text("loud")),
        "mode: expected \"auto\", \"precomputed\" or \"streamed\"; found \"loud\""
    );
    assert!(
        given("colour", &text("red"))
            .starts_with("there is no option colour; the options are mode, domain, ")
    );
}

#[test]
fn one_level_is_given_in_a_file_and_one_in_calls() {
    let error = of_file("[security]\nlevel = \"long\"\ninsecure_bench = \"short\"").unwrap_err();
    let words = "security.insecure_bench and security.level contradict each other";
    assert!(error.starts_with("s.toml:4: ") && error.contains(words), "{error}");

    let usual = RunOptions::default();
    let both = [("--insecure-bench", &text("short")), ("--security", &text("medium"))];
    let error = usual.with(both).unwrap_err().to_string();
    assert!(error.starts_with("--insecure-bench and --security contradict each other, "), "{error}");
    let long = usual.with([("security", &text("long"))]).unwrap();
    let error = long.with([("insecure_bench", &text("short"))]).unwrap_err();
    let contradiction = |first: &str, second: &str| OptionError::Contradiction {
        first: first.to_owned(),
        second: second.to_owned(),
    };
    assert_eq!(error, contradiction("security", "insecure_bench"));
    assert_eq!(long.with([("security", &text("medium"))]).unwrap().plan.security.level.least_bits(), 112);

    let file = of_file("[security]\nlevel = \"long\"").unwrap();
    let given = file.with([("insecure_bench", &text("short"))]).unwrap();
    assert_eq!(given.plan.security.level.least_bits(), 96);
}

#[test]
fn what_is_wrong_with_a_profile_is_said() {
    let given = |value| RunOptions::default().with([("--profile", &value)]);
    let error = given(text("nowhere/p.json")).unwrap_err().to_string();
    assert!(error.starts_with("--profile: expected \"built-in\" or a file"), "{error}");
    assert!(error.contains("; found nowhere/p.json: "), "{error}");
    let error = given(Scalar::Integer(3)).unwrap_err().to_string();
    assert_eq!(error, "--profile: expected \"built-in\" or the path of a profile; found 3");
    assert_eq!(given(text("built-in")).unwrap().plan.profile.name(), "built-in");
}

#[test]
fn unfit_options_are_named() {
    let given = |name, value| RunOptions::default().with([(name, &text(value))]).unwrap();
    let error = given("net", "lan").without_a_link("in one process").map(drop).unwrap_err().to_string();
    assert!(error.starts_with("net cannot be 1000000kbit,0.25ms in one process: "), "{error}");
    let error = given("mode", "streamed").prepared().map(drop).unwrap_err().to_string();
    assert!(error.starts_with("mode cannot be streamed for prepared runs: "), "{error}");
    assert_eq!(given("mode", "auto").prepared().unwrap().plan.mode, ModeChoice::Precomputed);
}
