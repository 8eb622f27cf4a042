"""The command line itself: help, versions, keys, wrong usage."""

from __future__ import annotations

import shutil
import stat
import sys
from pathlib import Path

import pytest

from conftest import EXAMPLES, Tacit
from tacit import UsageError
from tacit.compiler import clang_command

MILLIONAIRES = EXAMPLES / "millionaires.c"
LOCAL = ["run", MILLIONAIRES, "--local", "--input", 'A={"mil": 1}', "--input", 'B={"mil": 2}']
PREPARED = ["run", MILLIONAIRES, "--as", "A", "--session", "s.toml", "--key", "A.key", "--store", "d"]


def test_help_documents_the_exit_codes(tacit: Tacit) -> None:
    result = tacit("--help")
    assert result.code == 0
    for word in ("keygen", "run", "compile", "130 interrupted"):
        assert word in result.stdout


@pytest.mark.parametrize("command", ["keygen", "run", "compile"])
def test_every_command_has_help(tacit: Tacit, command: str) -> None:
    assert tacit(command, "--help").code == 0


@pytest.mark.parametrize("command", [[], ["run"], ["store", "list"], ["plot"]])
def test_help_has_a_short_name(tacit: Tacit, command: list[str]) -> None:
    assert tacit(*command, "-h").stdout == tacit(*command, "--help").stdout != ""


def test_options_stand_in_groups_with_their_defaults(tacit: Tacit) -> None:
    told = tacit("run", "-h").stdout
    groups = [
        "Options",
        "Parties",
        "Inputs",
        "Output",
        "Three parties and more",
        "C, C++ and Rust",
        "Options of runs",
    ]
    places = [told.index(f"─ {group} ─") for group in groups]
    assert places == sorted(places)
    for option, group, default in (("--as", 1, ""), ("--int-width", 5, "32"), ("--domain", 6, "yao")):
        text = told[places[group] : [*places, len(told)][group + 1]]
        assert option in text and default in text


@pytest.mark.parametrize("command", ["bench", "plot", "report", "calibrate", "compile"])
def test_output_options_have_one_name(tacit: Tacit, command: str) -> None:
    told = tacit(command, "--help").stdout
    assert "--output" in told and "-o" in told and "--out " not in told


@pytest.mark.parametrize(("words", "wanted"), [("tacit key", "keygen"), ("tacit run --gar", "--garbling")])
def test_shells_complete(tacit: Tacit, words: str, wanted: str) -> None:
    place = str(len(words.split()) - 1)
    asked = {"_TACIT_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": place}
    assert wanted in tacit.start(environment=asked).wait().stdout.split()


def test_modules_of_a_user_stand_in_nobodys_way(tacit: Tacit) -> None:
    tacit.write("rich.py", "raise SystemExit('not this one')")
    tacit.write(
        "app.py", "import tacit as t\n\n@t.function\ndef same(a):\n    a.output('x', a.input('x', t.u8))\n"
    )
    unsafe = {"PYTHONSAFEPATH": ""}
    assert "Parties" in tacit.start("run", "-h", environment=unsafe).wait().stdout
    ran = tacit.start("run", "app.py:same", "--clear", "--input", '{"x": 3}', environment=unsafe).wait()
    assert ran.outputs == {"x": 3}


def test_version(tacit: Tacit) -> None:
    assert tacit("--version").stdout.startswith("tacit 0.")


def test_keygen_writes_a_private_and_a_public_key(tacit: Tacit) -> None:
    result = tacit("keygen", "alice")
    assert (result.code, result.stdout) == (0, "")
    assert stat.S_IMODE((tacit.folder / "alice.key").stat().st_mode) == 0o600
    assert "PRIVATE KEY" in (tacit.folder / "alice.key").read_text()
    assert "PRIVATE KEY" not in (tacit.folder / "alice.pub").read_text()


def test_keygen_never_overwrites(tacit: Tacit) -> None:
    assert tacit("keygen", "alice").code == 0
    before = (tacit.folder / "alice.key").read_text()
    tacit("keygen", "alice").failed(2, "exists already")
    (tacit.folder / "alice.pub").unlink()
    tacit("keygen", "alice").failed(2, "exists already")
    assert (tacit.folder / "alice.key").read_text() == before


def test_keygen_where_nothing_can_be_written(tacit: Tacit) -> None:
    tacit("keygen", "no/such/folder/alice").failed(2, "No such file")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["fly"], "fly"),
        (["run"], "PROGRAM"),
        (["run", MILLIONAIRES], "--as, --session, --key missing"),
        (["run", MILLIONAIRES, "--local", "--clear"], "exclude"),
        (["run", MILLIONAIRES, "--local", "--as", "A"], "--as"),
        (["run", MILLIONAIRES, "--clear", "--net", "lan"], "--net"),
        (["run", MILLIONAIRES, "--clear", "--planned-link", "lan"], "--planned-link cannot be used"),
        ([*LOCAL, "--planned-link", "fast"], "--planned-link: expected lan, wan"),
        (
            ["run", MILLIONAIRES, "--local", "--parties", "3", "--objective", "bytes"],
            "--objective cannot be used",
        ),
        ([*PREPARED, "--mode", "streamed"], "--mode streamed cannot be used with --store"),
        ([*PREPARED, "--shares", "f"], "--shares cannot be used with --store"),
        (["run", MILLIONAIRES, "--clear", "--report", "r.json"], "--report"),
        (["run", MILLIONAIRES, "--mode", "loud"], "loud"),
        (["run", MILLIONAIRES, "--colour"], "--colour"),
        (["run", "absent.c", "--clear"], "absent.c"),
        (["run", "absent.txt", "--clear"], "absent.txt"),
        (["run", MILLIONAIRES, "--clear", "--clang", "no-such-clang"], "no-such-clang"),
        (["compile", MILLIONAIRES, "--emit", "bristol"], "-o"),
        (["compile", MILLIONAIRES, "-o", "x"], "--emit"),
        (["compile", MILLIONAIRES, "--emit", "verilog", "-o", "x"], "verilog"),
        (["compile", MILLIONAIRES, "--emit", "program", "-o", "no/such/folder/x"], "No such file"),
    ],
)
def test_wrong_usage(tacit: Tacit, arguments: list[str], words: str) -> None:
    tacit(*arguments).failed(2, words)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--mode", "loud"], "Invalid value for '--mode': 'loud' is not one of 'auto',"),
        (["--as", "A", "--session", "none.toml", "--key", "k"], "none.toml: No such file or directory\n"),
    ],
)
def test_messages_are_for_people(tacit: Tacit, arguments: list[str], message: str) -> None:
    tacit("run", MILLIONAIRES, *arguments).failed(2, f"tacit: {message}")


def test_function_is_for_c_alone(tacit: Tacit) -> None:
    tacit.write("c.txt", "1 3\n")
    tacit("run", "c.txt", "--clear", "--function", "main").failed(2, "--function")


def test_auction_starts_its_program_or_says_how_to_get_it(tacit: Tacit) -> None:
    beside = Path(sys.executable).parent / "tacit-auction"
    result = tacit("auction", "help")
    if beside.exists() or shutil.which("tacit-auction"):
        assert result.code == 0
        assert "serve --role a|b" in result.stdout
        assert tacit("auction", "serve", "--role", "c", "--config", "none.toml").code == 2
    else:
        assert result.code == 2
        assert "make auction" in result.stderr


def test_without_a_compiler_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(UsageError, match=r"pip install 'tacit\[c\]', or name another clang with --clang"):
        clang_command(None)
