"""`tacit calibrate --session`: both parties measure the link between them, and write a joint profile."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Finished, Many, Parties
from tacit.measure.links import Link, link_of

APP = """import tacit as t

@t.function
def larger(A: t.Role, B: t.Role) -> None:
    B.output("larger", A.input("x", t.u32) > B.input("x", t.u32))
"""


def calibrated(parties: Parties, *more: object) -> tuple[Finished, Finished]:
    """Both parties, whose machines are known."""
    started = [
        parties.tacit.start("calibrate", "--session", "s.toml", "--as", name, "-o", f"{name}.json", *more)
        for name in ("A", "B")
    ]
    return started[0].wait(), started[1].wait()


def link_told(run: Finished, file: str) -> tuple[str, Link]:
    """The printed link, below the path of the profile."""
    assert run.code == 0, run.stderr
    path, link = run.stdout.splitlines()
    assert path == file
    return link, link_of(link)


@pytest.mark.parametrize("net", ["100mbit,20ms", "20mbit,5ms"])
def test_both_parties_measure_the_same_link(parties: Callable[..., Parties], net: str) -> None:
    two = parties()
    a, b = calibrated(two, "--profile", "built-in", "--net", net)
    (text, link), (other, _) = link_told(a, "A.json"), link_told(b, "B.json")
    assert text == other
    shape = link_of(net)
    # Loose, for other work on the machine.
    assert 0.1 * shape.bits_per_second < link.bits_per_second < 1.5 * shape.bits_per_second
    assert shape.latency <= link.latency < shape.latency + 0.1
    assert f"plan with --planned-link {text}" in a.stderr
    own, peers = (json.loads((two.tacit.folder / name).read_text()) for name in ("A.json", "B.json"))
    assert own["picoseconds"] == peers["picoseconds"]
    assert own["machine"] == own["other_machine"] == peers["machine"]
    assert own["link"] == peers["link"] == text
    two.tacit.write("app.py", APP)
    plan = ("--planned-link", text)
    ran = [
        two.start(name, "app.py:larger", json.dumps({"x": x}), "--profile", f"{name}.json", *plan)
        for name, x in (("A", 7), ("B", 5))
    ]
    first, second = (run.wait() for run in ran)
    assert first.code == 0, first.stderr
    assert second.outputs == {"larger": 1}
    assert "another machine" not in first.stderr + second.stderr


@pytest.mark.long
@pytest.mark.parametrize("net", ["100mbit,20ms", "20mbit,40ms"])
def test_the_measured_link_is_within_a_fifth(parties: Callable[..., Parties], net: str) -> None:
    found = calibrated(parties(), "--profile", "built-in", "--net", net)
    (_, link), shape = link_told(found[0], "A.json"), link_of(net)
    assert link.bits_per_second == pytest.approx(shape.bits_per_second, rel=0.2)
    assert link.latency == pytest.approx(shape.latency, rel=0.2)
    assert "warning" not in found[0].stderr + found[1].stderr


@pytest.mark.long
def test_machines_are_measured_where_they_are_not_known(parties: Callable[..., Parties]) -> None:
    two = parties()
    a, b = calibrated(two)
    assert link_told(a, "A.json")[0] == link_told(b, "B.json")[0]
    own, peers = (json.loads((two.tacit.folder / name).read_text()) for name in ("A.json", "B.json"))
    assert own["picoseconds"] == peers["picoseconds"]
    assert all(rate > 0 for rate in own["picoseconds"].values())
    two.tacit.write("app.py", APP)
    given = ("--input", 'A={"x": 7}', "--input", 'B={"x": 5}', "--report", "r.json")
    among = two.tacit("run", "app.py:larger", "--local", "--parties", 3, "--profile", "A.json", *given)
    assert among.code == 0, among.stderr
    reports = json.loads((two.tacit.folder / "r.json").read_text())
    assert all(report["profile"].startswith("A ") for report in reports.values())
    again = calibrated(two, "--profile", "A.json", "--name", "again")
    assert again[0].code == 0, again[0].stderr
    assert json.loads((two.tacit.folder / "B.json").read_text())["picoseconds"] == own["picoseconds"]


def test_an_absent_peer_is_named(parties: Callable[..., Parties]) -> None:
    two = parties(timeout_s=2)
    alone = two.tacit("calibrate", "--session", "s.toml", "--as", "A", "--profile", "built-in")
    alone.failed(5, "B: did not connect")
    assert not Path(two.tacit.folder / "profile.json").exists()


def test_a_peer_that_runs_a_program_is_refused(parties: Callable[..., Parties]) -> None:
    two = parties(timeout_s=20)
    two.tacit.write("app.py", APP)
    runs = two.start("B", "app.py:larger", '{"x": 1}')
    measures = two.tacit("calibrate", "--session", "s.toml", "--as", "A", "--profile", "built-in")
    measures.failed(5, "kind of session", "measuring the link")
    runs.wait().failed(5, "kind of session")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("--as", "A"), "--as cannot be used without --session"),
        (("--peer", "B"), "--peer cannot be used without --session"),
        (("--net", "lan"), "--net cannot be used without --session"),
        (("--profile", "built-in"), "--profile cannot be used without --session"),
        (("--session", "s.toml"), "--as missing"),
        (("--session", "s.toml", "--as", "C"), "C"),
        (("--session", "s.toml", "--as", "A", "--peer", "C"), "party C is not another party"),
        (("--session", "s.toml", "--as", "A", "--net", "fast"), "expected lan, wan, mobile"),
        (("--session", "s.toml", "--as", "A", "--profile", "s.toml"), "--profile: profile s.toml is damaged"),
        (("--session", "s.toml", "--as", "A", "--profile", "none.json"), "--profile: expected"),
    ],
)
def test_what_cannot_be_measured_is_refused(
    parties: Callable[..., Parties], given: tuple[str, ...], words: str
) -> None:
    two = parties(timeout_s=2)
    two.tacit("calibrate", *given).failed(2, words)


def test_the_peer_is_named_where_more_than_two_compute(many: Callable[..., Many]) -> None:
    three = many(timeout_s=2)
    calibrate = ("calibrate", "--session", "many.toml", "--as", "p1", "--profile", "built-in")
    three.tacit(*calibrate).failed(2, "--peer missing: the link to which of p2, p3?")
    three.tacit(*calibrate, "--peer", "p1").failed(2, "party p1 is not another party of the session")
    three.tacit(*calibrate, "--peer", "p3").failed(5, "p3: did not connect")


def test_a_program_that_does_not_end_is_ended() -> None:
    # It waits where no handler of Python's runs.
    stuck = "import ctypes; probe.probe = lambda _: ctypes.CDLL(None).pause()"
    code = f"import sys; from tacit import probe; {stuck}; sys.argv[1:] = ['0', '1']; probe.main()"
    ended = subprocess.run([sys.executable, "-c", code], check=False, timeout=60)
    assert ended.returncode == -signal.SIGALRM
