"""Two parties, each its own command, over TLS on loopback."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from conftest import EXAMPLES, Parties, Tacit

MILLIONAIRES = EXAMPLES / "millionaires.c"


def mil(value: int) -> str:
    return json.dumps({"mil": value})


@pytest.mark.parametrize("mode", ["precomputed", "streamed"])
def test_both_parties_learn_the_output(parties: Callable[..., Parties], mode: str) -> None:
    made = parties()
    for a, b in ((12, 7), (7, 12), (7, 7)):
        first, second = made.run(MILLIONAIRES, mil(a), mil(b), "--mode", mode)
        clear = made.tacit("run", MILLIONAIRES, "--clear", f"--input=A={mil(a)}", f"--input=B={mil(b)}")
        assert first.outputs == second.outputs == clear.outputs


def test_an_output_for_one_role_reaches_it_alone(parties: Callable[..., Parties], tacit: Tacit) -> None:
    tacit.write(
        "one.c", "void one(int INPUT_A_x, int INPUT_B_y) { int OUTPUT_B_sum = INPUT_A_x + INPUT_B_y; }"
    )
    first, second = parties().run("one.c", '{"x": -5}', '{"y": 3}')
    assert (first.outputs, second.outputs) == ({}, {"sum": -2})


def test_a_party_may_run_the_compiled_program(parties: Callable[..., Parties], tacit: Tacit) -> None:
    made = parties()
    assert tacit("compile", MILLIONAIRES, "--emit", "program", "-o", "m.tacit").code == 0
    running = made.start("A", MILLIONAIRES, mil(3))
    assert made.start("B", "m.tacit", mil(4)).wait().outputs == running.wait().outputs


def test_the_input_may_be_a_file_or_bear_the_role(parties: Callable[..., Parties], tacit: Tacit) -> None:
    made = parties()
    tacit.write("a.json", mil(8))
    first, second = made.run(MILLIONAIRES, "a.json", f"B={mil(9)}")
    assert first.outputs == second.outputs


def test_the_table_and_the_report_agree(parties: Callable[..., Parties], tacit: Tacit) -> None:
    made = parties()
    running = made.start("A", MILLIONAIRES, mil(12), "--report", "a.report")
    second = made.start("B", MILLIONAIRES, mil(7), "--report", "b.report").wait()
    first = running.wait()
    assert (first.code, second.code) == (0, 0)
    for word in ("phase", "seconds", "sent", "received", "messages", "rounds", "analysis", "setup", "online"):
        assert word in first.stderr
    a, b = (json.loads((tacit.folder / name).read_text()) for name in ("a.report", "b.report"))
    assert [phase["phase"] for phase in a["phases"]] == ["analysis", "setup", "online"]
    assert [phase["phase"] for phase in b["phases"]] == ["analysis", "setup", "online"]
    for phase in a["phases"]:
        assert f"{phase['bytes_sent']:,}" in first.stderr
    for way in (("bytes_sent", "bytes_received"), ("bytes_received", "bytes_sent")):
        assert sum(phase[way[0]] for phase in a["phases"]) == sum(phase[way[1]] for phase in b["phases"])


def test_a_slow_link_slows_down(parties: Callable[..., Parties], tacit: Tacit) -> None:
    made = parties()
    for name, net in (("fast", "lan"), ("slow", "100mbit,200ms")):
        running = made.start("A", MILLIONAIRES, mil(1), "--net", net, "--report", name)
        made.start("B", MILLIONAIRES, mil(2), "--net", net).wait()
        assert running.wait().code == 0
    # A round trip takes 0.2 s at least, and a run needs several.
    slow = json.loads((tacit.folder / "slow").read_text())
    assert sum(phase["seconds"] for phase in slow["phases"]) > 0.2


@pytest.mark.parametrize("net", ["fast", "10mbit", "0mbit,1ms", "1mbit,-1ms", ""])
def test_link_profiles_that_mean_nothing(tacit: Tacit, net: str) -> None:
    given = ["--input", f"A={mil(1)}", "--input", f"B={mil(2)}"]
    tacit("run", MILLIONAIRES, "--local", "--net", net, *given).failed(2, "net")
